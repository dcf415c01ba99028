//! The quantities of the simulation, each a type of its own.
//!
//! A tick is not an offset and an offset is not an index; telling them apart in the types costs nothing
//! and has caught real mistakes in real consumers. Plain data: nothing here knows the world.

use std::fmt;

/// The unit of time. Tick 0 is the first one executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub u64);

impl Tick {
    /// A moment later than any run reaches.
    pub const MAX: Tick = Tick(u64::MAX);

    /// This moment and `ticks` more; the end of time is never passed.
    #[must_use]
    pub fn after(self, ticks: u64) -> Tick {
        Tick(self.0.saturating_add(ticks))
    }

    /// Ticks from `earlier` until this moment, 0 if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Tick) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A record's place in its partition, `0 ..= i64::MAX - 1`, as in Kafka. A log may skip some
/// (compaction, transaction markers).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(pub i64);

impl Offset {
    /// The highest offset a record can have: a committed offset is one more and must fit an `i64` too.
    pub const MAX: Offset = Offset(i64::MAX - 1);

    /// The offset after this one: what a consumer commits once this one is done.
    #[must_use]
    pub fn next(self) -> Offset {
        Offset(self.0.saturating_add(1))
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A key's number in the log's key table: equal numbers are equal keys, by content.
/// A record without a key has no `KeyId` at all; an empty key has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub u32);

/// A worker thread of one consumer, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u32);

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Counts ownerships of the partition: the first owner has epoch 1. Every attempt carries the epoch it
/// was started in, and a result from an ended epoch changes no tracker and no commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One of the two members a group can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConsumerId {
    /// The owner at tick 0.
    A,
    /// The other one.
    B,
}

impl ConsumerId {
    /// Both, in the order in which they act within a phase.
    pub const ALL: [ConsumerId; 2] = [ConsumerId::A, ConsumerId::B];

    /// The member that is not this one.
    #[must_use]
    pub fn other(self) -> ConsumerId {
        match self {
            ConsumerId::A => ConsumerId::B,
            ConsumerId::B => ConsumerId::A,
        }
    }

    /// 0 for A, 1 for B.
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            ConsumerId::A => 0,
            ConsumerId::B => 1,
        }
    }
}

impl fmt::Display for ConsumerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConsumerId::A => "A",
            ConsumerId::B => "B",
        })
    }
}
