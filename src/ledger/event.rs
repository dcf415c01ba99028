//! A fact with its place in the run: when, what followed from it, and what it followed from.

use std::fmt;

use crate::{
    ids::{Offset, Tick},
    world::{Fact, Input},
};

/// An event's number in its run, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u64);

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number.
    pub id: EventId,
    /// When.
    pub tick: Tick,
    /// What the world told.
    pub fact: Fact,
    /// What the ledger concluded.
    pub remark: Option<Remark>,
    /// The events that caused it, the nearest first. All have lower numbers.
    pub causes: Vec<EventId>,
}

/// A conclusion that the world itself cannot draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A completion after that of a later offset of the same key.
    OrderBreak {
        /// The highest such offset.
        after: Offset,
    },
    /// A start while another attempt for the same key runs on that consumer.
    Overlap {
        /// Of which offset.
        with: Offset,
    },
    /// What the end of an ownership comes to.
    OwnerEnd {
        /// Logged offsets that come again.
        redelivered: Vec<Offset>,
        /// Those of them that had been completed.
        duplicates: Vec<Offset>,
        /// Offsets below the committed one that nobody will ever process.
        lost: Vec<Offset>,
    },
}

/// How much an event matters to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// The daily business.
    Plain,
    /// Worth a mark on the timeline.
    Notable,
    /// Something went wrong: an order break, a crash, an eviction, a loss, a leak.
    Wrong,
}

impl Event {
    /// How much it matters.
    #[must_use]
    pub fn weight(&self) -> Weight {
        match (&self.fact, &self.remark) {
            (_, Some(Remark::OrderBreak { .. } | Remark::Overlap { .. })) => Weight::Wrong,
            // That records come again is the price of at-least-once, not a fault.
            (_, Some(Remark::OwnerEnd { lost, .. })) => {
                if lost.is_empty() {
                    Weight::Notable
                } else {
                    Weight::Wrong
                }
            }
            (
                Fact::Crashed { .. }
                | Fact::Evicted { .. }
                | Fact::Assigned { paused: true, .. }
                | Fact::EmptyPoll { .. }
                | Fact::Rebalanced { revoked: true, .. },
                _,
            ) => Weight::Wrong,
            // A record finished, only by another hand.
            (Fact::Input(Input::Complete(_)), _) => Weight::Plain,
            (Fact::Wrote { late: true, .. } | Fact::Committed { late: true, .. }, _) => Weight::Wrong,
            (Fact::Wrote { held: Some(held), attempt, accepted: true, .. }, _) if attempt.offset < *held => {
                Weight::Wrong
            }
            (
                Fact::Wrote { accepted: false, .. }
                | Fact::Paused { .. }
                | Fact::Resumed { .. }
                | Fact::Input(_)
                | Fact::Assigned { .. }
                | Fact::DrainBegan { .. }
                | Fact::Restarted { .. }
                | Fact::DeadLettered { .. }
                | Fact::MapTooLong { .. },
                _,
            ) => Weight::Notable,
            _ => Weight::Plain,
        }
    }
}
