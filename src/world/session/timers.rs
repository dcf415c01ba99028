//! What time alone brings: retries that become due, and dead letters.

use super::{Session, Task, TaskState};
use crate::{
    ids::{KeyId, Offset, Tick},
    world::{
        config::{Knobs, Quarantine, RetryAt, Then},
        fact::LetterCause,
        log::Log,
        router::Parcel,
    },
};

impl Session {
    /// Dead-letters what has to go now, offsets ascending: each with its index in the log and why.
    pub(in crate::world) fn dead_letters(
        &mut self,
        now: Tick,
        knobs: &Knobs,
        log: &Log,
    ) -> Vec<(Offset, u64, LetterCause)> {
        if !self.has_letters(now, knobs) {
            return Vec::new();
        }
        let mut due = std::mem::take(&mut self.doomed);
        if let Some(quarantine) = knobs.quarantine {
            let expired = |&&(first_failed, _): &&(Tick, Offset)| first_failed.after(quarantine.after) <= now;
            due.extend(self.quarantine.iter().take_while(expired).map(|&(_, offset)| offset));
        }
        let mut letters = Vec::new();
        while let Some(offset) = due.pop_first() {
            let Some(task) = self.tracker.get(offset).copied() else { continue };
            let cause = match (self.parked_behind(offset, task.key), task.first_failed) {
                (Some(behind), _) => LetterCause::Parked { behind },
                (None, first_failed) => LetterCause::Timer { first_failed: first_failed.unwrap_or(now) },
            };
            self.leave_queues(offset, &task, log);
            self.finish(offset);
            letters.push((offset, task.index, cause));
            let parks = knobs.quarantine.is_some_and(|quarantine| quarantine.then == Then::Park);
            if let (LetterCause::Timer { .. }, true, Some(key)) = (cause, parks, task.key) {
                due.extend(self.park(key, offset));
            }
        }
        letters
    }

    fn has_letters(&self, now: Tick, knobs: &Knobs) -> bool {
        let expired = |quarantine: Quarantine| {
            self.quarantine.first().is_some_and(|&(failed, _)| failed.after(quarantine.after) <= now)
        };
        !self.doomed.is_empty() || knobs.quarantine.is_some_and(expired)
    }

    /// From now on nothing of `key` above `offset` starts: what of it is not on a worker goes at once.
    pub(super) fn park(&mut self, key: KeyId, offset: Offset) -> Vec<Offset> {
        self.parked.insert(key, offset);
        let Some(by_key) = &self.by_key else { return Vec::new() };
        let above = by_key.from(&(key, offset)).take_while(|(own, _)| *own == key);
        above
            .map(|&(_, other)| other)
            .filter(|&other| self.tracker.get(other).is_some_and(|task| task.state != TaskState::Running))
            .collect()
    }

    /// The offset behind which this record is parked, if it is.
    pub(super) fn parked_behind(&self, offset: Offset, key: Option<KeyId>) -> Option<Offset> {
        self.parked.get(&key?).copied().filter(|&behind| offset > behind)
    }

    /// Whether later records of this one's key are parked behind it.
    pub(crate) fn is_parked_at(&self, offset: Offset, log: &Log) -> bool {
        let key = log.find(offset).and_then(|record| record.key);
        key.is_some_and(|key| self.parked.get(&key) == Some(&offset))
    }

    fn leave_queues(&mut self, offset: Offset, task: &Task, log: &Log) {
        if let Some(first_failed) = task.first_failed {
            self.quarantine.remove(&(first_failed, offset));
        }
        let place = match task.state {
            TaskState::Queued(place) => Some(place),
            TaskState::Waiting { due, place, .. } => {
                self.retries.remove(&(due, offset));
                self.outside -= usize::from(place.is_none());
                place
            }
            TaskState::Running | TaskState::Parked => None,
        };
        if let Some(place) = place {
            self.router.remove(Parcel { offset, key: task.key }, place, log);
        }
    }

    /// Lets every retry that is due join its queue; which ones, offsets ascending.
    pub(in crate::world) fn retries_due(&mut self, now: Tick, log: &Log) -> Vec<Offset> {
        let mut due: Vec<Offset> = Vec::new();
        while let Some(&(tick, offset)) = self.retries.first()
            && tick <= now
        {
            self.retries.pop_first();
            // One that failed later may have a shorter delay; as a rule it belongs at the end.
            due.insert(due.partition_point(|&other| other < offset), offset);
        }
        let mut rejoin = |offset: Offset, turn: RetryAt| {
            let Some(task) = self.tracker.get_mut(offset) else { return };
            let TaskState::Waiting { at, place, .. } = task.state else { return };
            let parcel = Parcel { offset, key: task.key };
            if at != turn {
                return;
            }
            self.outside -= usize::from(place.is_none());
            let place = match at {
                RetryAt::Tail => Some(self.router.push(parcel, log)),
                RetryAt::Head => self.router.retry_at_head(parcel, place, log),
            };
            if let Some(place) = place {
                task.state = TaskState::Queued(place);
            }
        };
        // Those that re-enter in front do so highest first, so that the lowest ends up foremost.
        due.iter().rev().for_each(|&offset| rejoin(offset, RetryAt::Head));
        due.iter().for_each(|&offset| rejoin(offset, RetryAt::Tail));
        due
    }

    /// When time alone changes something, if it does: a retry, a quarantine, a dead letter.
    pub(in crate::world) fn next_timer(&self, knobs: &Knobs) -> Option<Tick> {
        if !self.doomed.is_empty() {
            return Some(Tick(0));
        }
        let retry = self.retries.first().map(|&(due, _)| due);
        let failed = self.quarantine.first().map(|&(failed, _)| failed);
        let letter = knobs.quarantine.and_then(|quarantine| Some(failed?.after(quarantine.after)));
        [retry, letter].into_iter().flatten().min()
    }

    /// Whether time alone would change something: a retry, a quarantine, a dead letter.
    pub(in crate::world) fn has_timers(&self, knobs: &Knobs) -> bool {
        !self.retries.is_empty()
            || !self.doomed.is_empty()
            || (knobs.quarantine.is_some() && !self.quarantine.is_empty())
    }
}
