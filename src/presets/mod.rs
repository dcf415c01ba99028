//! The four panels as configurations of the one world: opening settings, and what their knobs do to them.
//!
//! Plain values and natively tested: what the article says of a panel's opening run is a test in
//! `tests/presets.rs`, not a drawing. The panels themselves are in `web`.

pub mod backpressure;
pub mod dispatch;
pub mod rebalance;
pub mod watermark;
