//! Several workers in place of a loop of one thread: what else has to be another.
//!
//! A client that handles a batch between two polls has no use for more workers: they would wait for each other at
//! every poll. So what is asked of more than one is asked of a pool: keyed mailboxes, and reading that pauses.

use super::commits::Commits;
use crate::world::{
    Knobs,
    config::{Intake, Routing},
};

/// Marks for so many workers, high and low: the engine's, or as many records as keep more workers at it.
#[must_use]
pub fn marks_for(workers: u32) -> (u64, u64) {
    let workers = u64::from(workers);
    ((workers * 3).max(24), workers.max(8))
}

/// Records that one poll may bring, so that marks decide what is in flight and not the poll.
#[must_use]
pub fn poll_for(high: u64) -> u64 {
    (high / 4).max(1)
}

/// These knobs with so many workers, and how they commit: with more than one, what is serial is a pool.
pub(super) fn pooled(knobs: &Knobs, commits: Commits, workers: u32) -> (Knobs, Commits) {
    let own_lanes = knobs.routing == Routing::Lanes(knobs.workers);
    let mut knobs = Knobs { workers, ..knobs.clone() };
    // A lane for each worker stays that.
    if own_lanes {
        knobs.routing = Routing::Lanes(workers);
    }
    if knobs.routing != Routing::Serial || workers == 1 {
        return (knobs, commits);
    }
    knobs.routing = Routing::Keyed;
    if knobs.intake == Intake::Block {
        let (high, low) = marks_for(workers);
        knobs.intake = Intake::Pause { high, low };
        // Who hands out single messages hands out as many as are wanted.
        if knobs.poll == 1 {
            knobs.poll = poll_for(high);
        }
    }
    (knobs, Commits::Engine)
}

/// What [`pooled`] changes, in words; nothing where it changes nothing.
pub(super) fn in_its_place(knobs: &Knobs) -> Option<&'static str> {
    match (knobs.routing, knobs.intake) {
        (Routing::Serial, Intake::Block) => Some(
            "keyed mailboxes, reading that pauses at three records in flight for each worker (24 at least) and \
             resumes at one (8 at least), and commits of the watermark",
        ),
        (Routing::Serial, _) => Some("keyed mailboxes, and commits of the watermark"),
        _ => None,
    }
}
