//! The mechanisms inside a real Kafka consumer, and what the simulator says held against it.
//!
//! `consumer/` is the consumer, over librdkafka: the file to read for using the mechanisms in a service. `store.rs`
//! is where its rows go. The rest is the experiment.

pub mod chaos;
pub mod claims;
pub mod consumer;
pub mod harness;
pub mod store;
