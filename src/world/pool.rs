//! The worker threads of one consumer and the attempts that run on them.
//!
//! A pool outlives ownerships: an attempt of an ended epoch goes on until it ends, on its worker.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{ConsumerId, Epoch, KeyId, Offset, Tick, WorkerId};

/// One try at one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// On whose pool.
    pub consumer: ConsumerId,
    /// On which worker.
    pub worker: WorkerId,
    /// In which ownership it was started.
    pub epoch: Epoch,
    /// The record.
    pub offset: Offset,
    /// Its index in the log.
    pub index: u64,
    /// Its key.
    pub key: Option<KeyId>,
    /// The how-manieth of this record in this epoch, from 1.
    pub number: u32,
    /// When it was started.
    pub started: Tick,
    /// When it ends, as things stand; `None`: until somebody ends it.
    pub ends: Option<Tick>,
    /// Whether it will fail.
    pub fails: bool,
}

/// What runs, by worker and by the tick at which it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pool {
    busy: BTreeMap<WorkerId, Attempt>,
    /// Free workers below `used`.
    idle: BTreeSet<WorkerId>,
    /// Workers from here on were never used.
    used: u32,
    /// Within a tick attempts end by offset, then worker.
    endings: BTreeSet<(Tick, Offset, WorkerId)>,
}

impl Pool {
    /// How many attempts run, of whatever epoch.
    #[must_use]
    pub fn running(&self) -> usize {
        self.busy.len()
    }

    /// The running attempts, by worker.
    pub fn attempts(&self) -> impl Iterator<Item = &Attempt> + '_ {
        self.busy.values()
    }

    /// Whether anything runs that ends by itself.
    #[must_use]
    pub fn will_end_something(&self) -> bool {
        !self.endings.is_empty()
    }

    /// The free worker with the lowest number.
    pub(super) fn lowest_free(&self) -> WorkerId {
        self.idle.first().copied().unwrap_or(WorkerId(self.used))
    }

    pub(super) fn start(&mut self, attempt: Attempt) {
        if !self.idle.remove(&attempt.worker) {
            self.used = attempt.worker.0 + 1;
        }
        if let Some(tick) = attempt.ends {
            self.endings.insert((tick, attempt.offset, attempt.worker));
        }
        self.busy.insert(attempt.worker, attempt);
    }

    /// The next attempt that ends at `now`; its worker is free again.
    pub(super) fn next_ended(&mut self, now: Tick) -> Option<Attempt> {
        let &ending @ (tick, _, worker) = self.endings.first()?;
        if tick > now {
            return None;
        }
        self.endings.remove(&ending);
        self.idle.insert(worker);
        self.busy.remove(&worker)
    }

    /// Running attempts of `offset` end at `now`; how many there are.
    pub(super) fn end_now(&mut self, offset: Offset, now: Tick, failed: bool) -> usize {
        let workers: Vec<_> =
            self.busy.values().filter(|attempt| attempt.offset == offset).map(|a| a.worker).collect();
        for &worker in &workers {
            self.change(worker, |attempt| {
                attempt.ends = Some(now);
                attempt.fails |= failed;
            });
        }
        workers.len()
    }

    /// Everything that ends by itself ends `ticks` later; how many attempts that is.
    pub(super) fn stall(&mut self, ticks: u64) -> usize {
        let workers: Vec<_> = self.busy.values().filter(|a| a.ends.is_some()).map(|a| a.worker).collect();
        for &worker in &workers {
            self.change(worker, |attempt| attempt.ends = attempt.ends.map(|end| end.after(ticks)));
        }
        workers.len()
    }

    fn change(&mut self, worker: WorkerId, change: impl FnOnce(&mut Attempt)) {
        let Some(attempt) = self.busy.get_mut(&worker) else { return };
        if let Some(tick) = attempt.ends {
            self.endings.remove(&(tick, attempt.offset, worker));
        }
        change(attempt);
        if let Some(tick) = attempt.ends {
            self.endings.insert((tick, attempt.offset, worker));
        }
    }
}
