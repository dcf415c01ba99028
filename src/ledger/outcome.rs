//! What came of a run, under the names that a scenario's `[expect]` uses.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::Ledger;
use crate::{
    ids::{Offset, Tick},
    world::{Key, World},
};

/// Something that happened to an offset: `offset@tick`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Which offset.
    pub offset: Offset,
    /// When.
    pub tick: Tick,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.offset, self.tick)
    }
}

/// The outcome of a run. The lists are empty unless the ledger keeps them ([`super::Keep::Outcome`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The broker's committed offset.
    pub committed: Offset,
    /// The owner's watermark, computed after the last phase; `None` while it is down.
    pub watermark: Option<Offset>,
    /// The owner's position; `None` while it is down.
    pub position: Option<Offset>,
    /// What came again, each time an owner ended.
    pub redelivered: Vec<Offset>,
    /// Those of them that had been completed.
    pub duplicates: Vec<Offset>,
    /// Committed and never processed, ascending.
    pub lost: Vec<Offset>,
    /// Completions after a later offset of the same key.
    pub order_breaks: u64,
    /// Starts beside another attempt for the same key.
    pub overlaps: u64,
    /// Successful attempts, late ones included.
    pub completions: Vec<Stamp>,
    /// The most records in flight after a poll.
    pub peak_in_flight: u64,
    /// Times that intake paused.
    pub pauses: u64,
    /// Times that it resumed.
    pub resumes: u64,
    /// Evictions.
    pub evictions: u64,
    /// The first crash.
    pub crashed_at: Option<Tick>,
    /// Dead letters, sorted.
    pub quarantined: Vec<Offset>,
    /// Row writes after their epoch had ended, accepted or not.
    pub leaked: Vec<Stamp>,
    /// Row writes that the guard refused.
    pub rejected: Vec<Stamp>,
    /// The rows' final versions.
    pub rows: BTreeMap<Key, Offset>,
    /// The sentences of the broken invariants.
    pub violated: BTreeSet<&'static str>,
    /// The watermark after phase 4 each time it changed.
    pub w: Vec<Stamp>,
    /// What was committed for ownerships that had ended.
    pub late_commits: Vec<Stamp>,
    /// Polls through an open gate that returned nothing although there was something to read.
    pub empty_polls: u64,
}

impl Outcome {
    pub(super) fn of(world: &World, ledger: &Ledger) -> Outcome {
        let (counters, tapes) = (ledger.counters(), &ledger.tapes);
        let mut quarantined = tapes.quarantined.so_far().to_vec();
        quarantined.sort_unstable();
        let mut lost = tapes.lost.so_far().to_vec();
        lost.sort_unstable();
        let row = |(id, row): (_, crate::world::Row)| Some((world.log().key(id)?.clone(), row.version));
        Outcome {
            committed: world.broker().committed(),
            watermark: world.watermark(),
            position: world.position(),
            redelivered: tapes.redelivered.so_far().to_vec(),
            duplicates: tapes.duplicates.so_far().to_vec(),
            lost,
            order_breaks: counters.order_breaks,
            overlaps: counters.overlaps,
            completions: tapes.completions.so_far().to_vec(),
            peak_in_flight: counters.peak_in_flight,
            pauses: counters.pauses,
            resumes: counters.resumes,
            evictions: counters.evictions,
            crashed_at: counters.crashed_at,
            quarantined,
            leaked: tapes.leaked.so_far().to_vec(),
            rejected: tapes.rejected.so_far().to_vec(),
            rows: world.store().rows().filter_map(row).collect(),
            violated: ledger.verdicts().violated().map(|(invariant, _)| invariant.sentence).collect(),
            w: tapes.watermarks.so_far().to_vec(),
            late_commits: tapes.late_commits.so_far().to_vec(),
            empty_polls: counters.empty_polls,
        }
    }
}
