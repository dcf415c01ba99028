//! What went wrong, by kinds: the events of which a reader may ask why.
//!
//! A fault is what a consumer's users would complain of. A killed process is none: somebody killed it. What
//! comes again because of that is one, and is asked at the end of the ownership, which knows what that is.

use std::fmt;

use super::{Event, Remark};
use crate::world::{CrashCause, Fact};

/// A kind of event that should not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A record completed after a later one of its key.
    OrderBreak,
    /// A record started while another of its key ran on that consumer.
    Overlap,
    /// An owner ended, and records come again.
    Redelivery,
    /// An owner ended, and records never come.
    Loss,
    /// An attempt wrote after its ownership had ended, or tried to.
    Leak,
    /// A write put an older version over a newer one.
    StaleWrite,
    /// Something was committed for an ownership that had ended.
    LateCommit,
    /// An owner was assigned a partition that its client has paused still.
    KeptPause,
    /// A poll through an open gate returned nothing although there was something to read.
    EmptyPoll,
    /// A partition was revoked that stays with its owner.
    NeedlessRevocation,
    /// The group took the owner for dead.
    Eviction,
    /// The process held more records than its heap could.
    OutOfMemory,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Fault; 12] = [
        Fault::OrderBreak,
        Fault::Overlap,
        Fault::Redelivery,
        Fault::Loss,
        Fault::Leak,
        Fault::StaleWrite,
        Fault::LateCommit,
        Fault::KeptPause,
        Fault::EmptyPoll,
        Fault::NeedlessRevocation,
        Fault::Eviction,
        Fault::OutOfMemory,
    ];

    /// Its plain name: "order break".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fault::OrderBreak => "order break",
            Fault::Overlap => "overlap",
            Fault::Redelivery => "redelivery",
            Fault::Loss => "loss",
            Fault::Leak => "leaked write",
            Fault::StaleWrite => "stale write",
            Fault::LateCommit => "late commit",
            Fault::KeptPause => "kept pause",
            Fault::EmptyPoll => "empty poll",
            Fault::NeedlessRevocation => "needless revocation",
            Fault::Eviction => "eviction",
            Fault::OutOfMemory => "out of memory",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Event {
    /// What is wrong with it, the worst if more than one thing is: `None` for what is in order. A reader may
    /// ask [`why`](super::why) of exactly the events that have a fault.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        match (&self.fact, &self.remark) {
            (_, Some(Remark::OrderBreak { .. })) => Some(Fault::OrderBreak),
            (_, Some(Remark::Overlap { .. })) => Some(Fault::Overlap),
            (_, Some(Remark::OwnerEnd { lost, .. })) if !lost.is_empty() => Some(Fault::Loss),
            (_, Some(Remark::OwnerEnd { redelivered, .. })) if !redelivered.is_empty() => {
                Some(Fault::Redelivery)
            }
            (&Fact::Wrote { attempt, held: Some(held), accepted: true, .. }, _) if attempt.offset < held => {
                Some(Fault::StaleWrite)
            }
            (Fact::Wrote { late: true, .. }, _) => Some(Fault::Leak),
            (Fact::Committed { late: true, .. }, _) => Some(Fault::LateCommit),
            (Fact::Assigned { paused: true, .. }, _) => Some(Fault::KeptPause),
            (Fact::EmptyPoll { .. }, _) => Some(Fault::EmptyPoll),
            (Fact::Rebalanced { revoked: true, .. }, _) => Some(Fault::NeedlessRevocation),
            (Fact::Evicted { .. }, _) => Some(Fault::Eviction),
            (Fact::Crashed { cause: CrashCause::OutOfMemory { .. }, .. }, _) => Some(Fault::OutOfMemory),
            _ => None,
        }
    }
}
