//! A keyed worker pool for Kafka consumers, simulated.
//!
//! Three layers, arrows one way: the *mechanisms* a production consumer could embed; the *world* that wires
//! them to a log, a broker and a store and owns the tick; and what looks at it: the *ledger*, which draws the
//! conclusions, the *player*, the command line and the page.

#![forbid(unsafe_code)]

pub mod ids;

pub mod mechanism;

pub mod world;

pub mod ledger;

pub mod run;

pub mod player;

pub mod presets;

pub mod link;

pub mod workload;

pub mod chart;

pub mod scenario;

pub mod export;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;

#[cfg(target_arch = "wasm32")]
pub mod web;
