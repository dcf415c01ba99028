//! How much memory a run may take, for whoever plays what others configured.

use std::fmt;

use crate::{run::Run, world::Knobs};

/// What a run may hold. Judged from where the run stands, so that going back undoes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The most records in flight. A tick that could poll more than this allows is not executed: a single poll
    /// can be as long as the log. Up to 256 checkpoints hold as many each.
    pub in_flight: u64,
    /// The most events, each offset that an owner's end lists counted as one more. The tick that passes this is
    /// the last.
    pub events: u64,
}

/// Which bound keeps a run from going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The next tick could bring more records in flight than these.
    InFlight(u64),
    /// There are more events than these.
    Events(u64),
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exhausted::InFlight(most) => {
                write!(f, "the next tick could bring more than {most} records in flight")
            }
            Exhausted::Events(most) => write!(f, "the run has left more than {most} events behind"),
        }
    }
}

impl std::error::Error for Exhausted {}

impl Bounds {
    /// Which of the bounds keeps `run` from a next tick with these knobs, if one does.
    pub(super) fn passed_by(&self, run: &Run, knobs: &Knobs) -> Option<Exhausted> {
        if events(run) > self.events {
            return Some(Exhausted::Events(self.events));
        }
        (could_hold(run, knobs) > self.in_flight).then_some(Exhausted::InFlight(self.in_flight))
    }
}

fn events(run: &Run) -> u64 {
    let counters = run.ledger().counters();
    run.ledger().events().len() as u64 + counters.redelivered + counters.lost
}

/// The most records that could be in flight after the next tick: the owner goes on polling, or a new one polls
/// from the committed offset.
fn could_hold(run: &Run, knobs: &Knobs) -> u64 {
    let world = run.world();
    let one_poll = |from: u64| world.log().len().saturating_sub(from).min(knobs.poll);
    let goes_on =
        world.owner().map_or(0, |(_, session)| session.in_flight() + one_poll(session.next_index()));
    goes_on.max(one_poll(world.log().index_at(world.broker().committed())))
}
