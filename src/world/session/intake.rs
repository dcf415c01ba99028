//! Taking records in: the poll, what a former owner had finished, and the gate.

use super::{Batch, Session, Task, TaskState};
use crate::{
    ids::{ConsumerId, Tick},
    mechanism::GateMove,
    world::{
        config::{Intake, Knobs},
        fact::Fact,
        log::{Log, Record},
        router::Parcel,
    },
};

impl Session {
    /// Whether a poll at any time from now on, `paused` or not, would find a record.
    pub(in crate::world) fn more_to_read(&self, log: &Log) -> bool {
        self.next_index < log.len()
    }

    /// When a poll finds something, or misses it for the first time, or ends a refetch, if it ever does: paused, it
    /// does not.
    pub(in crate::world) fn next_arrival(&self, log: &Log) -> Option<Tick> {
        if self.is_paused() {
            return None;
        }
        let arrival = log.get(self.next_index)?.since;
        Some(self.refetched.map_or(arrival, |refetched| refetched.min(arrival)))
    }

    /// The tick at which the poll just made at `now` would have brought a record, had the client not to refetch it.
    pub(in crate::world) fn missed_until(&self, now: Tick, log: &Log) -> Option<Tick> {
        let is_visible = log.get(self.next_index).is_some_and(|record| record.since <= now);
        self.refetched.filter(|_| is_visible)
    }

    /// Polls at most `knobs.poll` records that are visible at `now`.
    pub(in crate::world) fn poll(&mut self, now: Tick, knobs: &Knobs, log: &Log) -> Option<Batch> {
        self.last_poll = now;
        self.refetched = self.refetched.filter(|&refetched| now < refetched);
        if self.is_paused() || self.refetched.is_some() || !self.more_to_read(log) {
            return None;
        }
        let from = self.next_index;
        let mut batch = Batch { indices: (from, from), taken: 0, passed: 0 };
        let mut records = log.iter_from(from);
        while batch.taken < knobs.poll {
            let Some(record) = records.next() else { break };
            if record.since > now {
                break;
            }
            if let Some(end) = self.inherited.run_at(record.offset) {
                // A run of finished offsets is a run of logged ones: pass over all of it at once.
                let next = log.index_at(end);
                batch.passed += next - self.next_index;
                self.next_index = next;
                self.tracker.pass_to(end);
                records = log.iter_from(next);
                continue;
            }
            if batch.taken == 0 {
                self.batch += 1;
                self.batch_open = 0;
            }
            self.admit(record, log);
            batch.taken += 1;
        }
        batch.indices.1 = self.next_index;
        (batch.taken + batch.passed > 0).then_some(batch)
    }

    fn admit(&mut self, record: Record, log: &Log) {
        let parked = self.parked_behind(record.offset, record.key).is_some();
        let state = if parked {
            self.doomed.insert(record.offset);
            TaskState::Parked
        } else {
            TaskState::Queued(self.router.push(Parcel { offset: record.offset, key: record.key }, log))
        };
        let task = Task {
            index: self.next_index,
            key: record.key,
            state,
            failures: 0,
            first_failed: None,
            work: record.work,
            fails: record.fails,
            batch: self.batch,
        };
        self.tracker.polled(record.offset, task);
        self.next_index += 1;
        self.batch_open += 1;
        if let (Some(by_key), Some(key)) = (&mut self.by_key, record.key) {
            by_key.insert((key, record.offset));
        }
    }

    /// Tests the gate against the marks now in force. The next poll is the one at `next_poll`.
    pub(in crate::world) fn test_gate(
        &mut self,
        next_poll: Tick,
        knobs: &Knobs,
        log: &Log,
    ) -> Option<GateMove> {
        let moved = match knobs.intake {
            Intake::Pause { high, low } => self.gate.test(self.in_flight(), high, low)?,
            Intake::Unbounded | Intake::Block => return None,
        };
        self.moved(moved, next_poll, knobs, log);
        Some(moved)
    }

    /// What is to be told of a resume just now.
    pub(in crate::world) fn resumed(&self, consumer: ConsumerId) -> Fact {
        Fact::Resumed { consumer, in_flight: self.in_flight(), refetched: self.refetched }
    }

    /// A pause throws the prefetch away, and after a resume it has to come again. Where the log has ended there is
    /// nothing to fetch.
    pub(super) fn moved(&mut self, moved: GateMove, next_poll: Tick, knobs: &Knobs, log: &Log) {
        let refetches = moved == GateMove::Resume && knobs.refetch > 0 && self.more_to_read(log);
        self.refetched = refetches.then(|| next_poll.after(knobs.refetch));
    }
}
