//! What a production consumer could embed: plain data structures that are told things and answer.
//!
//! No randomness, no scenario, no I/O and no clock: time, where it matters, is an argument. Each is usable
//! without the rest of this crate and has a slow, obvious twin in `tests/twins`.
//!
//! | mechanism | the question it answers |
//! |---|---|
//! | [`Mailboxes`] | which record may a free worker take, so that a key's records stay in order? |
//! | [`FifoQueue`] | the same without keys: the shared pool, kept for comparison |
//! | [`Watermark`] | up to where is everything finished, and so safe to commit? |
//! | [`OffsetMap`] | which offsets above that are finished all the same? |
//! | [`PauseGate`] | may the consumer take in more records? |
//! | [`Drain`] | has a revoked owner waited long enough to let go? |
//! | [`Guard`] | may this write replace that row? |

#![deny(clippy::float_arithmetic, clippy::disallowed_types)]

mod drain;
mod gate;
mod guard;
mod intervals;
mod mailboxes;
mod offset_map;
mod queue;
mod sorted_queue;
mod watermark;

pub use drain::Drain;
pub use gate::{GateMove, PauseGate};
pub use guard::Guard;
pub use intervals::Intervals;
pub use mailboxes::{Mailboxes, Taken};
pub use offset_map::{EncodedMap, OffsetMap};
pub use queue::{FifoQueue, Place};
pub use watermark::Watermark;
