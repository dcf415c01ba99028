//! The same world at another time of day.
//!
//! What a world does next depends on how long ago and how far ahead things are, not on what the clock says, and
//! on which ownership is the newer one, not on how many there were. An exhaustive search sets every world that
//! it meets to the same hour, so that those that will do the same are equal.

use super::{Consumer, Session, World, pool::Pool};
use crate::{
    ids::{Epoch, Tick},
    mechanism::Drain,
    sorted::SortedSet,
};

/// How to set a world, and a ledger that goes with it.
#[derive(Clone, Debug)]
pub(crate) struct Rebasing {
    from: Tick,
    to: Tick,
    horizon: u64,
    epochs: Vec<Epoch>,
}

impl Rebasing {
    /// From the time `from` to the time `to`. What is longer ago than `horizon` ticks, which is at most `to`,
    /// moves up to there: nothing may depend on how much longer. `epochs` are all that occur anywhere.
    pub(crate) fn new(from: Tick, to: Tick, horizon: u64, epochs: Vec<Epoch>) -> Rebasing {
        Rebasing { from, to, horizon, epochs: SortedSet::from_iter(epochs).iter().copied().collect() }
    }

    /// The moment that a moment becomes.
    pub(crate) fn tick(&self, tick: Tick) -> Tick {
        if tick >= self.from {
            return self.to.after(tick.since(self.from));
        }
        let ago = self.from.since(tick).min(self.horizon);
        Tick(self.to.0.saturating_sub(ago))
    }

    /// Whether a moment lies after the time from which it is set: what waits for no later one waits no more.
    pub(crate) fn is_to_come(&self, tick: Tick) -> bool {
        tick > self.from
    }

    /// The epoch that an epoch becomes: its rank, from 1. Epoch 0 is none, and remains so.
    pub(crate) fn epoch(&self, epoch: Epoch) -> Epoch {
        let none_before = u64::from(self.epochs.first() == Some(&Epoch(0)));
        let rank = self.epochs.partition_point(|&other| other < epoch) as u64;
        if epoch == Epoch(0) { epoch } else { Epoch(rank + 1 - none_before) }
    }
}

impl World {
    /// The epochs that occur here.
    pub(crate) fn epochs(&self) -> impl Iterator<Item = Epoch> + '_ {
        let of = |consumer: &Consumer| {
            let running: Vec<Epoch> = consumer.pool.attempts().map(|attempt| attempt.epoch).collect();
            running.into_iter().chain(consumer.session.as_ref().map(Session::epoch))
        };
        self.consumers.iter().flat_map(of).chain(self.late_epochs()).chain([self.broker.epoch])
    }

    /// Sets the world. Everything that happens from then on is what would have happened, at other ticks and
    /// in epochs of other numbers.
    pub(crate) fn rebase(&mut self, rebasing: &Rebasing) {
        self.now = rebasing.tick(self.now);
        self.broker.epoch = rebasing.epoch(self.broker.epoch);
        for Consumer { pool, session, late, .. } in &mut self.consumers {
            pool.rebase(rebasing);
            late.iter_mut().for_each(|late| late.epoch = rebasing.epoch(late.epoch));
            if let Some(session) = session {
                session.rebase(rebasing);
            }
        }
    }
}

impl Pool {
    fn rebase(&mut self, rebasing: &Rebasing) {
        self.change(
            |_| true,
            |attempt| {
                // When it was started, and after how many others, is for a reader to know.
                (attempt.started, attempt.number) = (rebasing.to, 1);
                attempt.ends = attempt.ends.map(|end| rebasing.tick(end));
                attempt.epoch = rebasing.epoch(attempt.epoch);
            },
        );
    }
}

impl Rebasing {
    /// The drain that a drain becomes. When it began is for a reader to know.
    pub(super) fn drain(&self, drain: &Drain) -> Drain {
        Drain::begin(self.to, self.tick(drain.deadline()).since(self.to))
    }
}
