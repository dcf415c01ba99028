//! A keyed worker pool for Kafka consumers, simulated.
//!
//! Three layers, arrows one way: the *mechanisms* a production consumer could embed; the *world* that wires
//! them to a log, a broker and a store and owns the tick; and what looks at it: the *ledger*, which draws the
//! conclusions, the *player*, the command line and the page. What is taken away and brought back (*scenario*,
//! *export*) is common to both; the page has it done by its *office*, a second module.

#![forbid(unsafe_code)]

pub mod ids;

mod sorted;

pub mod mechanism;

pub mod world;

pub mod ledger;

pub mod run;

pub mod player;

pub mod presets;

pub mod link;

pub mod deck;

pub mod standing;

pub mod workload;

pub mod chart;

pub mod scenario;

pub mod traffic;

pub mod settings;

pub mod export;

pub mod sizing;

pub mod verify;

pub mod office;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;

#[cfg(target_arch = "wasm32")]
pub mod web;
