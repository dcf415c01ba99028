//! A keyed worker pool for Kafka consumers, simulated.

#[cfg(target_arch = "wasm32")]
pub mod web;
