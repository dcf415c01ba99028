//! Attempts: which record a free worker starts, and what becomes of it when its attempt ends.

use super::{Session, TaskState};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    sorted::SortedSet,
    world::{
        config::{Knobs, RetryAt},
        log::{Fails, Log, Work},
        pool::{Attempt, Pool},
        router::Parcel,
    },
};

impl Session {
    /// Starts the next record on the lowest free worker of `pool`, if there is one that may start.
    pub(in crate::world) fn start_next(
        &mut self,
        now: Tick,
        consumer: ConsumerId,
        pool: &Pool,
        poisoned: &SortedSet<Offset>,
    ) -> Option<Attempt> {
        let offset = self.router.take()?;
        let task = self.tracker.get_mut(offset)?;
        task.state = TaskState::Running;
        if let Some(first_failed) = task.first_failed {
            self.quarantine.remove(&(first_failed, offset));
        }
        self.running += 1;
        let poisoned = poisoned.contains(&offset);
        let number = task.failures + 1;
        let ends = match task.work {
            Work::Ticks(ticks) => Some(now.after(ticks)),
            Work::UntilTapped | Work::Never => poisoned.then(|| now.after(1)),
        };
        let fails = poisoned
            || match task.fails {
                Fails::First(n) => number <= n,
                Fails::Always => true,
            };
        Some(Attempt {
            consumer,
            worker: pool.lowest_free(),
            epoch: self.epoch,
            offset,
            index: task.index,
            key: task.key,
            number,
            started: now,
            ends,
            fails,
        })
    }

    /// A worker left the mailbox of this attempt, whichever epoch it belongs to.
    pub(in crate::world) fn release(&mut self, attempt: &Attempt, log: &Log) {
        self.router.release(Parcel { offset: attempt.offset, key: attempt.key }, log);
    }

    /// An attempt of this epoch succeeded.
    pub(in crate::world) fn succeeded(&mut self, attempt: &Attempt) {
        self.running -= 1;
        self.finish(attempt.offset);
    }

    /// An attempt of this epoch failed: when its retry is due, unless its key is parked.
    pub(in crate::world) fn failed(
        &mut self,
        attempt: &Attempt,
        now: Tick,
        knobs: &Knobs,
        log: &Log,
    ) -> Option<Tick> {
        self.running -= 1;
        let offset = attempt.offset;
        let parked = self.parked_behind(offset, attempt.key).is_some();
        let task = self.tracker.get_mut(offset)?;
        task.failures += 1;
        let first_failed = *task.first_failed.get_or_insert(now);
        if parked {
            task.state = TaskState::Parked;
            self.doomed.insert(offset);
            return None;
        }
        let due = now.after(knobs.retry_delay);
        let place = match knobs.retry_at {
            RetryAt::Head => self.router.hold_head(Parcel { offset, key: attempt.key }, log),
            RetryAt::Tail => None,
        };
        task.state = TaskState::Waiting { due, at: knobs.retry_at, place };
        self.outside += usize::from(place.is_none());
        self.retries.insert((due, offset));
        self.quarantine.insert((first_failed, offset));
        Some(due)
    }
}
