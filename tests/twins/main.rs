//! Each mechanism against a slow, obvious twin: random calls, the same answers.
//!
//! A twin keeps one list and looks through all of it at every question, so that it can be read as the
//! definition of what its mechanism does.
#![cfg(not(target_arch = "wasm32"))]

mod gate_drain_guard;
mod intervals;
mod mailboxes;
mod offset_map;
mod watermark;
