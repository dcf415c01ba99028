//! Knobs turned while records are in flight: another routing queues everything anew.

use super::{Session, Task, TaskState};
use crate::{
    ids::{Offset, Tick},
    mechanism::{GateMove, Place},
    world::{
        config::{Intake, Knobs, RetryAt, Then},
        log::Log,
        pool::Pool,
        router::{Parcel, Router},
    },
};

impl Session {
    /// Takes up knobs that have just been turned, before the poll at `now`; `Some` if the gate opened because there
    /// are no marks now.
    pub(in crate::world) fn adopt(
        &mut self,
        now: Tick,
        old: &Knobs,
        new: &Knobs,
        pool: &Pool,
        log: &Log,
    ) -> Option<GateMove> {
        if !self.router.agrees_with(new) {
            self.reroute(new, pool, log);
        }
        if old.quarantine != new.quarantine {
            self.index_keys(new);
        }
        if matches!(new.intake, Intake::Pause { .. }) {
            return None;
        }
        let opened = self.gate.open()?;
        self.moved(opened, now, new, log);
        Some(opened)
    }

    /// Queues everything anew, in offset order.
    fn reroute(&mut self, knobs: &Knobs, pool: &Pool, log: &Log) {
        self.router = Router::new(knobs);
        self.occupy_with(pool, log);
        self.outside = 0;
        for (offset, task) in self.tracker.iter_mut() {
            let parcel = Parcel { offset, key: task.key };
            match &mut task.state {
                TaskState::Queued(place @ Place::Front(_)) => *place = self.router.push_kept(parcel, log),
                TaskState::Queued(place) => *place = self.router.push(parcel, log),
                TaskState::Waiting { at: RetryAt::Head, place, .. } => {
                    *place = self.router.push_held(parcel, log);
                    self.outside += usize::from(place.is_none());
                }
                TaskState::Waiting { at: RetryAt::Tail, .. } => self.outside += 1,
                TaskState::Running | TaskState::Parked => {}
            }
        }
    }

    pub(super) fn occupy_with(&mut self, pool: &Pool, log: &Log) {
        for attempt in pool.attempts() {
            self.router.occupy(Parcel { offset: attempt.offset, key: attempt.key }, log);
        }
    }

    pub(super) fn index_keys(&mut self, knobs: &Knobs) {
        let parks = knobs.quarantine.is_some_and(|quarantine| quarantine.then == Then::Park);
        let keyed = |(offset, task): (Offset, &Task)| task.key.map(|key| (key, offset));
        self.by_key = parks.then(|| self.tracker.iter().filter_map(keyed).collect());
    }
}
