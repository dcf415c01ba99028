//! Where a record stands, as far as the present owner is concerned: what the page's grid and its picture show.
//!
//! The world forgets what is finished, so this is also what the ledger remembers of it.

use crate::{
    ids::Offset,
    ledger::Ledger,
    world::{TaskState, World},
};

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Not polled in this epoch, and never finished.
    Unpolled,
    /// Queued, or on a worker.
    Open,
    /// Failed, and waits for its next attempt.
    Failed,
    /// Finished.
    Done,
    /// Its dead letter is written.
    Quarantined,
    /// Committed, and finished by nobody, and nobody will.
    Lost,
}

impl Standing {
    /// Where the record with this log index and offset stands. Whether its dead letter is written is for the
    /// caller to say: the ledger's list of those may be long.
    #[must_use]
    pub fn of(world: &World, ledger: &Ledger, index: u64, offset: Offset, is_dead: bool) -> Standing {
        let task = world.owner().and_then(|(_, session)| session.tracker().get(offset));
        match task.map(|task| task.state) {
            Some(TaskState::Waiting { .. } | TaskState::Parked) => Standing::Failed,
            Some(TaskState::Running | TaskState::Queued(_)) => Standing::Open,
            None if ledger.is_lost(index) => Standing::Lost,
            None if is_dead => Standing::Quarantined,
            None if offset < world.broker().committed() || ledger.has_completed(index) => Standing::Done,
            None => Standing::Unpolled,
        }
    }
}
