//! What the world tells its observer while it happens.
//!
//! Facts are raw: who did what. Whether that broke an order or came a second time is for the ledger to
//! conclude; the world itself keeps no history.

use super::{
    config::Knob,
    input::{Ignored, Input},
    pool::Attempt,
};
use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset, Tick},
    mechanism::OffsetMap,
};

/// Told of everything that happens, in the order in which it happens.
pub trait Observer {
    /// Something happened in this tick.
    fn note(&mut self, tick: Tick, fact: Fact);
}

/// An observer that looks away.
impl Observer for () {
    fn note(&mut self, _: Tick, _: Fact) {}
}

/// How an ownership ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndedBy {
    /// The process died.
    Crash,
    /// It went too long without a poll.
    Eviction,
    /// It was revoked, and drained.
    Handover,
}

/// Why a process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CrashCause {
    /// An input said so.
    Input,
    /// More records in flight than the heap can hold.
    OutOfMemory {
        /// Records in flight after the poll.
        in_flight: u64,
        /// What the heap can hold.
        ceiling: u64,
    },
}

/// Why a record was dead-lettered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LetterCause {
    /// Its quarantine timer ran out.
    Timer {
        /// When it first failed.
        first_failed: Tick,
    },
    /// An earlier record of its key is parked there.
    Parked {
        /// The offset from which on the key is parked.
        behind: Offset,
    },
}

/// Where the commit of this tick came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommitCause {
    /// The schedule.
    Schedule,
    /// The end of a drain.
    Drain,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// An input acts now.
    Input(Input),
    /// The input just told changed nothing.
    Ignored(Ignored),
    /// The partition has a new owner.
    Assigned {
        /// Who.
        consumer: ConsumerId,
        /// The ownership that begins.
        epoch: Epoch,
        /// Where it begins to read.
        at: Offset,
        /// Whether it is up: one that is down reads nothing until it is restarted.
        up: bool,
        /// Whether its client has it paused still, from an earlier assignment.
        paused: bool,
    },
    /// The owner is told to give the partition up, and drains.
    DrainBegan {
        /// The owner.
        from: ConsumerId,
        /// Who gets the partition.
        to: ConsumerId,
        /// The last tick of the drain.
        deadline: Tick,
    },
    /// An ownership ended.
    OwnerEnded {
        /// Whose.
        consumer: ConsumerId,
        /// Which.
        epoch: Epoch,
        /// How.
        by: EndedBy,
        /// The committed offset that a successor reads from.
        committed: Offset,
        /// Where it had got to.
        position: Offset,
        /// The finished offsets that the last commit's metadata names: a successor passes over them.
        spared: OffsetMap,
    },
    /// A process died, with all its attempts.
    Crashed {
        /// Whose.
        consumer: ConsumerId,
        /// Why.
        cause: CrashCause,
    },
    /// A process is up again.
    Restarted {
        /// Whose.
        consumer: ConsumerId,
    },
    /// The group took the owner for dead.
    Evicted {
        /// Whom.
        consumer: ConsumerId,
        /// When it last polled, or was assigned.
        last_poll: Tick,
    },
    /// A poll that moved the position.
    Polled {
        /// Who.
        consumer: ConsumerId,
        /// In which ownership.
        epoch: Epoch,
        /// Log indices from the first record read to the one after the last.
        indices: (u64, u64),
        /// Records now in flight that were not before.
        taken: u64,
        /// Records passed over because a former owner had finished them.
        passed: u64,
        /// Records in flight afterwards.
        in_flight: u64,
    },
    /// A poll that returned nothing.
    PolledNothing {
        /// Who.
        consumer: ConsumerId,
        /// Whether intake was paused.
        paused: bool,
        /// Records in flight.
        in_flight: u64,
    },
    /// In flight reached the high mark.
    Paused {
        /// Who.
        consumer: ConsumerId,
        /// Records in flight.
        in_flight: u64,
        /// The mark.
        high: u64,
    },
    /// In flight fell to the low mark, or the marks were abolished.
    Resumed {
        /// Who.
        consumer: ConsumerId,
        /// Records in flight.
        in_flight: u64,
        /// The first tick whose poll can bring records, where the pause threw away what the client had fetched ahead.
        refetched: Option<Tick>,
    },
    /// A worker began an attempt.
    Started(Attempt),
    /// An attempt succeeded.
    Completed {
        /// Which.
        attempt: Attempt,
        /// Whether its epoch had already ended.
        late: bool,
    },
    /// An attempt failed.
    Failed {
        /// Which.
        attempt: Attempt,
        /// Whether its epoch had already ended.
        late: bool,
        /// When it is tried again; `None`: never (late, or its key is parked).
        retry: Option<Tick>,
    },
    /// A failed record may be tried again.
    RetryDue {
        /// Who.
        consumer: ConsumerId,
        /// In which ownership.
        epoch: Epoch,
        /// Which record.
        offset: Offset,
    },
    /// A record was dead-lettered.
    DeadLettered {
        /// Who.
        consumer: ConsumerId,
        /// In which ownership.
        epoch: Epoch,
        /// Which record.
        offset: Offset,
        /// Its index in the log.
        index: u64,
        /// Why.
        cause: LetterCause,
    },
    /// A successful attempt wrote its row, or tried to.
    Wrote {
        /// By which attempt; its offset is the version.
        attempt: Attempt,
        /// The row.
        key: KeyId,
        /// The version that the row had, if there was one.
        held: Option<Offset>,
        /// Whether the guard let it through.
        accepted: bool,
        /// Whether the attempt's epoch had already ended.
        late: bool,
    },
    /// The owner's watermark, where it differs from the last one noted.
    WatermarkNoted {
        /// Whose.
        consumer: ConsumerId,
        /// In which ownership.
        epoch: Epoch,
        /// Where it is.
        at: Offset,
    },
    /// A commit.
    Committed {
        /// Who.
        consumer: ConsumerId,
        /// In which ownership.
        epoch: Epoch,
        /// The committed offset before.
        from: Offset,
        /// And now.
        to: Offset,
        /// Bytes of the acknowledgement map that went with it, if one did.
        map_bytes: Option<u64>,
        /// Why now.
        cause: CommitCause,
        /// Whether that ownership had already ended.
        late: bool,
        /// The lowest offset that anybody may commit, or begin at, from now on.
        floor: Offset,
    },
    /// The acknowledgement map did not fit the commit's metadata: the commit went without it.
    MapTooLong {
        /// Who.
        consumer: ConsumerId,
        /// Bytes there are.
        limit: u64,
    },
    /// Knobs have new values from now on.
    KnobsTurned(Vec<Knob>),
    /// A poll through an open gate that returned nothing although there was something to read: the pause before had
    /// thrown away what the client had fetched ahead.
    EmptyPoll {
        /// Who.
        consumer: ConsumerId,
        /// The first tick whose poll can bring records again.
        until: Tick,
        /// Records in flight.
        in_flight: u64,
    },
    /// The group rebalanced, and the partition stays with its owner.
    Rebalanced {
        /// The owner.
        consumer: ConsumerId,
        /// Whether it has to give the partition up all the same, and gets it back.
        revoked: bool,
    },
}
