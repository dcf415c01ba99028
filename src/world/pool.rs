//! The worker threads of one consumer and the attempts that run on them.
//!
//! A pool outlives ownerships: an attempt of an ended epoch goes on until it ends, on its worker.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    hash::{Hash, Hasher},
};

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
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// By worker number, as far as workers were ever used.
    workers: Vec<Option<Attempt>>,
    /// The free ones among them, the lowest on top.
    idle: BinaryHeap<Reverse<WorkerId>>,
    /// When the others end, the next on top: within a tick by offset, then by worker.
    endings: BinaryHeap<Reverse<(Tick, Offset, WorkerId)>>,
}

/// The heaps follow from the workers, and their inner order from history.
impl PartialEq for Pool {
    fn eq(&self, other: &Pool) -> bool {
        self.attempts().eq(other.attempts())
    }
}

impl Eq for Pool {}

impl Hash for Pool {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.attempts().for_each(|attempt| attempt.hash(state));
    }
}

impl Pool {
    /// How many attempts run, of whatever epoch.
    #[must_use]
    pub fn running(&self) -> usize {
        self.workers.len() - self.idle.len()
    }

    /// The running attempts, by worker.
    pub fn attempts(&self) -> impl Iterator<Item = &Attempt> + '_ {
        self.workers.iter().flatten()
    }

    /// Whether anything runs that ends by itself.
    #[must_use]
    pub fn will_end_something(&self) -> bool {
        !self.endings.is_empty()
    }

    /// When the next attempt ends that does so by itself.
    pub(super) fn next_end(&self) -> Option<Tick> {
        self.endings.peek().map(|&Reverse((tick, ..))| tick)
    }

    /// The free worker with the lowest number.
    pub(super) fn lowest_free(&self) -> WorkerId {
        let beyond = WorkerId(self.workers.len() as u32);
        self.idle.peek().map_or(beyond, |&Reverse(worker)| worker)
    }

    /// Starts an attempt on the lowest free worker.
    pub(super) fn start(&mut self, attempt: Attempt) {
        if self.idle.pop().is_none() {
            self.workers.push(None);
        }
        self.endings.extend(ending(&attempt));
        self.workers[attempt.worker.0 as usize] = Some(attempt);
    }

    /// The next attempt that ends at `now`; its worker is free again.
    pub(super) fn next_ended(&mut self, now: Tick) -> Option<Attempt> {
        let &Reverse((tick, _, worker)) = self.endings.peek()?;
        if tick > now {
            return None;
        }
        self.endings.pop();
        self.idle.push(Reverse(worker));
        self.workers[worker.0 as usize].take()
    }

    /// Running attempts of `offset` end at `now`; how many there are.
    pub(super) fn end_now(&mut self, offset: Offset, now: Tick, failed: bool) -> usize {
        self.change(
            |attempt| attempt.offset == offset,
            |attempt| {
                attempt.ends = Some(now);
                attempt.fails |= failed;
            },
        )
    }

    /// Everything that ends by itself ends `ticks` later; how many attempts that is.
    pub(super) fn stall(&mut self, ticks: u64) -> usize {
        self.change(
            |attempt| attempt.ends.is_some(),
            |attempt| attempt.ends = attempt.ends.map(|end| end.after(ticks)),
        )
    }

    /// Changes when some attempts end; how many.
    pub(super) fn change(&mut self, whom: impl Fn(&Attempt) -> bool, change: impl Fn(&mut Attempt)) -> usize {
        let mut changed = 0;
        for attempt in self.workers.iter_mut().flatten().filter(|attempt| whom(attempt)) {
            change(attempt);
            changed += 1;
        }
        if changed > 0 {
            self.endings = self.workers.iter().flatten().filter_map(ending).collect();
        }
        changed
    }
}

fn ending(attempt: &Attempt) -> Option<Reverse<(Tick, Offset, WorkerId)>> {
    Some(Reverse((attempt.ends?, attempt.offset, attempt.worker)))
}
