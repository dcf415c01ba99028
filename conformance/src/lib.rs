//! The mechanisms inside a real Kafka consumer, and what the simulator says held against it.
//!
//! `consumer/` is the consumer, over librdkafka: the file to read for using the mechanisms in a service. `store.rs`
//! is where its rows go. The rest is the experiment: `claims.rs` holds the page's sentences, `lessons.rs` what only
//! the client can tell, `chaos.rs` a day with faults and `flight.rs` such a day in a process of its own, `harness/`
//! the means, `report.rs` what is made of it all.

pub mod chaos;
pub mod claims;
pub mod consumer;
pub mod flight;
pub mod harness;
pub mod lessons;
pub mod report;
pub mod store;
