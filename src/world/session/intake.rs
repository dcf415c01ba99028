//! Taking records in: the poll, what a former owner had finished, and the gate.

use super::{Batch, Session, Task, TaskState};
use crate::{
    ids::Tick,
    mechanism::GateMove,
    world::{
        config::{Intake, Knobs},
        log::{Log, Record},
        router::Parcel,
    },
};

impl Session {
    /// Whether a poll at any time from now on, `paused` or not, would find a record.
    pub(in crate::world) fn more_to_read(&self, log: &Log) -> bool {
        self.next_index < log.len()
    }

    /// When a poll finds something, if it ever does: paused, it does not.
    pub(in crate::world) fn next_arrival(&self, log: &Log) -> Option<Tick> {
        if self.is_paused() { None } else { log.get(self.next_index).map(|record| record.since) }
    }

    /// Polls at most `knobs.poll` records that are visible at `now`.
    pub(in crate::world) fn poll(&mut self, now: Tick, knobs: &Knobs, log: &Log) -> Option<Batch> {
        self.last_poll = now;
        if self.is_paused() || !self.more_to_read(log) {
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

    /// Tests the gate against the marks now in force.
    pub(in crate::world) fn test_gate(&mut self, knobs: &Knobs) -> Option<GateMove> {
        match knobs.intake {
            Intake::Pause { high, low } => self.gate.test(self.in_flight(), high, low),
            Intake::Unbounded | Intake::Block => None,
        }
    }
}
