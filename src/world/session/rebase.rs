//! An ownership at another time of day; see `world/rebase.rs`.

use super::{Session, TaskState};
use crate::world::{log::Fails, rebase::Rebasing};

impl Session {
    pub(in crate::world) fn rebase(&mut self, rebasing: &Rebasing) {
        self.epoch = rebasing.epoch(self.epoch);
        self.last_poll = rebasing.tick(self.last_poll);
        // What is there by now is there, however long it has been.
        self.refetched =
            self.refetched.filter(|&tick| rebasing.is_to_come(tick)).map(|tick| rebasing.tick(tick));
        if let Some(handover) = &mut self.handover {
            handover.drain = rebasing.drain(&handover.drain);
        }
        for (_, task) in self.tracker.iter_mut() {
            task.first_failed = task.first_failed.map(|tick| rebasing.tick(tick));
            if let TaskState::Waiting { due, .. } = &mut task.state {
                *due = rebasing.tick(*due);
            }
            // More failures than the record has of itself change nothing.
            task.failures = task.failures.min(match task.fails {
                Fails::First(n) => n,
                Fails::Always => 0,
            });
        }
        self.retries = self.retries.iter().map(|&(due, offset)| (rebasing.tick(due), offset)).collect();
        self.quarantine =
            self.quarantine.iter().map(|&(failed, offset)| (rebasing.tick(failed), offset)).collect();
    }
}
