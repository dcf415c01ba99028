//! How a client commits, where that is not on the engine's schedule.
//!
//! The engine commits its watermark every so many ticks. Many clients do not: one that handles a batch between two
//! polls commits at the poll, and what a crash then brings again is nearly all of a batch; one that commits what it
//! has handed out loses what is still worked on. The run is the same; only what the broker would have is not, and
//! that is followed here, from the polls that the run made.

use crate::{
    ids::Tick,
    world::{Fact, Log, World},
};

/// How offsets are committed. Times are in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Commits {
    /// As the knobs say.
    #[default]
    Engine,
    /// A poll commits what earlier polls have returned, if the commit before is so long ago.
    AtPolls {
        /// At least so long; 0: every poll does.
        every: u64,
    },
    /// Beside the polls, a batch is committed once all of it is done.
    Batches {
        /// Between two commits, at least 1.
        every: u64,
    },
    /// Beside the polls, what was handed out is committed, finished or not.
    HandedOut {
        /// Between two commits, at least 1.
        every: u64,
    },
}

impl Commits {
    /// When, and of what, in words; `span` tells a time. Nothing where the knobs say it.
    #[must_use]
    pub fn words(self, span: impl Fn(u64) -> String) -> Option<String> {
        Some(match self {
            Commits::Engine => return None,
            Commits::AtPolls { every: 0 } => "at every poll, of what earlier polls returned".to_owned(),
            Commits::AtPolls { every } => {
                format!("at a poll, {} apart at least, of what earlier polls returned", span(every))
            }
            Commits::Batches { every } => format!("every {}, of the batches that are done", span(every)),
            Commits::HandedOut { every } => {
                format!("every {}, of what was handed out, finished or not", span(every))
            }
        })
    }
}

/// Follows what the broker would have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Committed {
    by: Commits,
    /// Log index of the next record that a successor reads.
    at: u64,
    /// The same, when a tick was closed last.
    before: u64,
    /// When it was last due, or when the ownership began.
    last: Tick,
    /// Log indices: the first record of the last poll that returned some, and the one after its last.
    batch: (u64, u64),
    /// The first tick that was not closed, and whether its poll was told.
    open: Tick,
    is_told: bool,
    /// The most records that a commit named, and that were in flight then.
    most_at_risk: u64,
}

impl Committed {
    pub(super) fn new(by: Commits, start: u64) -> Committed {
        Committed {
            by,
            at: start,
            before: start,
            last: Tick(0),
            batch: (start, start),
            open: Tick(0),
            is_told: false,
            most_at_risk: 0,
        }
    }

    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Records in flight that are committed: a crash loses them.
    pub(super) fn at_risk(&self, world: &World) -> u64 {
        let Some((_, session)) = world.owner() else { return 0 };
        session.tracker().iter().filter(|(_, task)| task.index < self.at).count() as u64
    }

    /// The most that were, so far: right after a commit.
    pub(super) fn most_at_risk(&self) -> u64 {
        self.most_at_risk
    }

    pub(super) fn by(&self) -> Commits {
        self.by
    }

    pub(super) fn note(&mut self, tick: Tick, fact: &Fact, log: &Log) {
        match fact {
            Fact::Assigned { at, .. } => {
                self.at = log.index_at(*at);
                (self.before, self.last, self.batch) = (self.at, tick, (self.at, self.at));
            }
            Fact::Committed { to, .. } if self.by == Commits::Engine => self.at = log.index_at(*to),
            Fact::Polled { indices, .. } => {
                // Who polls again has done what the poll before returned, or works on it beside the polls.
                self.poll(tick);
                (self.batch, self.is_told) = (*indices, true);
            }
            Fact::PolledNothing { .. } | Fact::EmptyPoll { .. } => {
                self.poll(tick);
                self.is_told = true;
            }
            _ => {}
        }
    }

    /// The end of a tick, or of ticks in which nothing happened but polls that returned nothing.
    pub(super) fn close(&mut self, world: &World, tick: Tick) {
        if let (Some((_, session)), true) = (world.owner(), self.by != Commits::Engine) {
            let blocked = session.is_blocked(world.knobs());
            let polls = session.handover().is_none() && !blocked && !self.is_told;
            let done = if blocked && matches!(self.by, Commits::Batches { .. }) {
                self.batch.0
            } else {
                self.batch.1
            };
            self.pass((self.open, tick), polls, done);
        }
        if self.at > self.before {
            self.before = self.at;
            if self.by != Commits::Engine {
                self.most_at_risk = self.most_at_risk.max(self.at_risk(world));
            }
        }
        (self.open, self.is_told) = (tick.after(1), false);
    }

    fn poll(&mut self, tick: Tick) {
        if !matches!(self.by, Commits::HandedOut { .. }) {
            self.pass((tick, tick), true, self.batch.1);
        }
    }

    /// Ticks pass in which nothing is returned: `done` is what a commit in them names.
    ///
    /// What is handed out in the tick of a commit is in it, where finished or not does not matter: of two orders the
    /// one that costs more.
    fn pass(&mut self, (from, to): (Tick, Tick), polls: bool, done: u64) {
        let (every, due) = match self.by {
            Commits::Engine => return,
            Commits::AtPolls { every } if polls => (every, from.max(self.last.after(every))),
            Commits::AtPolls { .. } => return,
            Commits::Batches { every } | Commits::HandedOut { every } => {
                (every, self.last.after(every.max(1)))
            }
        };
        if due > to {
            return;
        }
        let every = every.max(1);
        self.last = due.after(to.since(due) / every * every);
        self.at = self.at.max(done);
    }
}
