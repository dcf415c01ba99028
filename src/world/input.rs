//! What can be done to a run from outside. An input acts in the first phase of its tick.

use super::config::Knob;
use crate::ids::{ConsumerId, Offset};

/// One input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// Running attempts of this offset end in this tick, with whatever outcome they have.
    Complete(Offset),
    /// Running attempts of this offset end in this tick, failed, and every later one fails.
    Poison(Offset),
    /// A slow database: all that runs on this consumer takes longer.
    Stall {
        /// Whose workers.
        consumer: ConsumerId,
        /// By how much.
        ticks: u64,
    },
    /// The process dies and stays down.
    Crash(ConsumerId),
    /// A crashed process is up again.
    Restart(ConsumerId),
    /// The group takes the partition from one member and gives it to another, after a drain.
    Revoke {
        /// The owner.
        from: ConsumerId,
        /// Who gets it.
        to: ConsumerId,
    },
    /// Knobs of both consumers and the guard are turned.
    Set(Vec<Knob>),
    /// The group rebalances because somebody else came or went; the partition stays with its owner.
    Rebalance,
}

impl Input {
    /// The members that the input names: they belong to the group from then on.
    pub fn names(&self) -> impl Iterator<Item = ConsumerId> {
        let (first, second) = match *self {
            Input::Stall { consumer, .. } | Input::Crash(consumer) | Input::Restart(consumer) => {
                (Some(consumer), None)
            }
            Input::Revoke { from, to } => (Some(from), Some(to)),
            Input::Complete(_) | Input::Poison(_) | Input::Set(_) | Input::Rebalance => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// Why an input changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ignored {
    /// No attempt of that offset runs.
    NotRunning,
    /// The log holds no such offset.
    NoSuchOffset,
    /// The consumer is up already.
    AlreadyUp,
    /// The consumer is down already.
    AlreadyDown,
    /// The member it is to be taken from does not own the partition.
    NotTheOwner,
    /// Another drain is under way.
    Draining,
    /// The knobs' new values break a rule.
    Invalid,
    /// Nobody who is up owns the partition.
    NobodyOwns,
}
