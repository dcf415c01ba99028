//! The worker threads, and what they share with the thread that polls.
//!
//! One lock around everything that changes. It is never held while a handler works or the broker is asked, so
//! that it is only ever held for a few microseconds.

use std::{
    collections::BTreeMap,
    ops::Bound,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use keyed_worker_pool::{
    ids::{Epoch, Offset, Tick},
    mechanism::GateMove,
};

use super::{
    Event, Host, Partition, Record,
    ownership::{Ownership, Started},
    settings::{Intake, Settings},
};

/// One try at one record.
#[derive(Clone)]
struct Attempt {
    partition: Partition,
    epoch: Epoch,
    record: Arc<Record>,
}

pub(super) struct Pool<H> {
    pub(super) host: H,
    pub(super) settings: Settings,
    state: Mutex<State>,
    /// Something changed that a worker or a drain may wait for.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    owned: BTreeMap<Partition, Ownership>,
    /// The last ownership of each partition.
    epochs: BTreeMap<Partition, Epoch>,
    /// What workers are busy with, of whatever epoch.
    running: Vec<Attempt>,
    /// The partition that was served last: the others come first.
    served: Option<Partition>,
    /// Ended ownerships that still commit, where nothing stops them.
    unfenced: Vec<(Partition, Ownership)>,
    stopping: bool,
}

impl State {
    /// The next attempt: of the partitions in turn, so that a busy one does not keep all workers to itself.
    fn start(&mut self) -> Option<(Partition, Started)> {
        let start = |(partition, ownership): (&Partition, &mut Ownership)| {
            ownership.start().map(|started| (partition.clone(), started))
        };
        let behind = match &self.served {
            Some(served) => self.owned.range_mut((Bound::Excluded(served), Bound::Unbounded)).find_map(start),
            None => None,
        };
        let started = behind.or_else(|| self.owned.iter_mut().find_map(start))?;
        self.served = Some(started.0.clone());
        Some(started)
    }
}

/// How things stand with one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The position, and the offsets in flight; `None` while somebody else owns the partition.
    pub owned: Option<(Offset, Vec<Offset>)>,
    /// Whether intake is paused.
    pub paused: bool,
    /// What workers are busy with, of whatever epoch, ascending.
    pub running: Vec<Offset>,
}

impl<H: Host> Pool<H> {
    /// A pool without workers.
    pub(super) fn new(settings: Settings, host: H) -> Arc<Pool<H>> {
        Arc::new(Pool { host, settings, state: Mutex::default(), changed: Condvar::new() })
    }

    /// Starts the workers. They end when the pool is told to stop.
    pub(super) fn start(self: &Arc<Self>) {
        for _ in 0..self.settings.workers {
            let pool = self.clone();
            thread::spawn(move || pool.work());
        }
    }

    pub(super) fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    fn work(&self) {
        while let Some(attempt) = self.next() {
            // A handler that panics has failed; its worker goes on.
            let handled = catch_unwind(AssertUnwindSafe(|| {
                self.host.handle(&attempt.partition, &attempt.record).is_ok()
            }));
            self.end(&attempt, handled.unwrap_or(false));
        }
    }

    fn next(&self) -> Option<Attempt> {
        let mut state = self.lock();
        loop {
            if state.stopping {
                return None;
            }
            if let Some((partition, started)) = state.start() {
                let attempt = Attempt { partition, epoch: started.epoch, record: started.record };
                self.host.told(Event::Started {
                    partition: &attempt.partition,
                    epoch: attempt.epoch,
                    offset: attempt.record.offset,
                });
                state.running.push(attempt.clone());
                return Some(attempt);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The fence: an attempt of an ended epoch changes no tracker and no commit. It only leaves its worker and
    /// its key's mailbox to others.
    fn end(&self, attempt: &Attempt, succeeded: bool) {
        let now = self.host.now();
        let mut state = self.lock();
        let State { owned, running, unfenced, .. } = &mut *state;
        let ended = |other: &Attempt| {
            other.epoch == attempt.epoch
                && Arc::ptr_eq(&other.record, &attempt.record)
                && other.partition == attempt.partition
        };
        running.retain(|other| !ended(other));
        let mut late = true;
        match owned.get_mut(&attempt.partition) {
            Some(ownership) if ownership.epoch() == attempt.epoch => {
                late = false;
                match succeeded {
                    true => ownership.succeeded(attempt.record.offset),
                    false => ownership.failed(attempt.record.offset, now),
                }
            }
            Some(ownership) => ownership.vacate(&attempt.record),
            None => {}
        }
        let old = |(partition, ownership): &&mut (Partition, Ownership)| {
            *partition == attempt.partition && ownership.epoch() == attempt.epoch
        };
        if let Some((_, ownership)) = unfenced.iter_mut().find(old).filter(|_| succeeded) {
            ownership.succeeded(attempt.record.offset);
        }
        self.host.told(Event::Ended {
            partition: &attempt.partition,
            epoch: attempt.epoch,
            offset: attempt.record.offset,
            succeeded,
            late,
        });
        self.changed.notify_all();
    }

    pub(super) fn assigned(&self, partition: Partition, at: Offset) {
        let mut state = self.lock();
        let State { owned, epochs, running, .. } = &mut *state;
        let epoch = epochs.entry(partition.clone()).or_default();
        *epoch = Epoch(epoch.0 + 1);
        let mut ownership = Ownership::begin(*epoch, at, self.settings);
        for attempt in running.iter().filter(|attempt| attempt.partition == partition) {
            ownership.occupy(&attempt.record);
        }
        self.host.told(Event::Assigned { partition: &partition, epoch: *epoch, at });
        owned.insert(partition, ownership);
    }

    pub(super) fn begin_drain(&self, partitions: &[Partition]) {
        let now = self.host.now();
        let mut state = self.lock();
        for partition in partitions {
            if let Some(ownership) = state.owned.get_mut(partition) {
                ownership.begin_drain(now);
                let running = ownership.running();
                self.host.told(Event::DrainBegan { partition, running });
            }
        }
    }

    pub(super) fn is_drained(&self, partitions: &[Partition]) -> bool {
        let now = self.host.now();
        let state = self.lock();
        let owned = partitions.iter().filter_map(|partition| state.owned.get(partition));
        owned.into_iter().all(|ownership| ownership.is_drained(now))
    }

    /// The ownerships end: nothing of them is known afterwards, but what still runs.
    pub(super) fn end_ownerships(&self, partitions: &[Partition], lost: bool) {
        let mut state = self.lock();
        for partition in partitions {
            let Some(ownership) = state.owned.remove(partition) else { continue };
            let (epoch, running) = (ownership.epoch(), ownership.running());
            self.host.told(Event::OwnershipEnded { partition, epoch, running, lost });
            if !self.settings.epochs && running > 0 {
                state.unfenced.push((partition.clone(), ownership));
            }
        }
    }

    /// Whether `record` was taken in: only if the ownership in which it was fetched still stands.
    pub(super) fn take_in(&self, partition: &Partition, epoch: Epoch, record: Record) -> bool {
        let mut state = self.lock();
        let Some(ownership) = state.owned.get_mut(partition) else { return false };
        if ownership.epoch() != epoch {
            return false;
        }
        self.host.told(Event::TakenIn { partition, epoch, offset: record.offset });
        ownership.take_in(record);
        drop(state);
        self.changed.notify_one();
        true
    }

    /// The epoch of an ownership, and the offset behind the last that it took in.
    pub(super) fn position(&self, partition: &Partition) -> Option<(Epoch, Offset)> {
        let state = self.lock();
        state.owned.get(partition).map(|own| (own.epoch(), own.tracker().position()))
    }

    pub(super) fn is_paused(&self, partition: &Partition) -> bool {
        self.lock().owned.get(partition).is_some_and(Ownership::is_paused)
    }

    pub(super) fn is_blocked(&self) -> bool {
        self.settings.intake == Intake::Block && self.lock().owned.values().any(Ownership::is_blocked)
    }

    pub(super) fn reopen(&self, now: Tick) {
        self.lock().owned.values_mut().for_each(|ownership| ownership.reopen(now));
        self.changed.notify_all();
    }

    pub(super) fn test_gates(&self) -> Vec<(Partition, GateMove)> {
        let mut state = self.lock();
        let moves = state.owned.iter_mut().filter_map(|(partition, ownership)| {
            let moved = ownership.test_gate()?;
            let in_flight = ownership.in_flight();
            self.host.told(Event::Gate { partition, moved, in_flight });
            Some((partition.clone(), moved))
        });
        moves.collect()
    }

    /// What there is to commit, each with its epoch.
    pub(super) fn to_commit(&self) -> Vec<(Partition, Epoch, Offset)> {
        let state = self.lock();
        let unfenced = state.unfenced.iter().map(|(partition, ownership)| (partition, ownership));
        let all = state.owned.iter().chain(unfenced);
        all.filter_map(|(partition, ownership)| {
            Some((partition.clone(), ownership.epoch(), ownership.to_commit()?))
        })
        .collect()
    }

    pub(super) fn committed(&self, partition: &Partition, epoch: Epoch, offset: Offset) {
        let mut state = self.lock();
        let State { owned, unfenced, .. } = &mut *state;
        let unfenced = unfenced.iter_mut().map(|(partition, ownership)| (&*partition, ownership));
        for (other, ownership) in owned.iter_mut().chain(unfenced) {
            if other == partition && ownership.epoch() == epoch {
                ownership.committed(offset);
            }
        }
        state.unfenced.retain(|(_, ownership)| ownership.running() > 0 || ownership.to_commit().is_some());
    }

    pub(super) fn standing(&self, partition: &Partition) -> Standing {
        let state = self.lock();
        let ownership = state.owned.get(partition);
        let running = state.running.iter().filter(|attempt| attempt.partition == *partition);
        let mut running: Vec<_> = running.map(|attempt| attempt.record.offset).collect();
        running.sort_unstable();
        Standing {
            owned: ownership.map(|ownership| {
                let tracker = ownership.tracker();
                (tracker.position(), tracker.iter().map(|(offset, _)| offset).collect())
            }),
            paused: ownership.is_some_and(Ownership::is_paused),
            running,
        }
    }

    /// Waits until something changed, at most so long.
    pub(super) fn wait(&self, at_most: Duration) {
        let state = self.lock();
        drop(self.changed.wait_timeout(state, at_most));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic of somebody else left behind is still true: every change under the lock is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consumer::Failed;

    struct Nobody;

    impl Host for Nobody {
        fn now(&self) -> Tick {
            Tick(0)
        }

        fn handle(&self, _: &Partition, _: &Record) -> Result<(), Failed> {
            Ok(())
        }
    }

    #[test]
    fn partitions_take_turns() {
        let pool = Pool::new(Settings::RECOMMENDED, Nobody);
        for number in [0, 1, 5] {
            let partition = Partition::new("t", number);
            pool.assigned(partition.clone(), Offset(0));
            let (epoch, _) = pool.position(&partition).unwrap();
            let few = if number == 1 { 1 } else { 3 };
            for offset in (0..few).map(Offset) {
                let key = Some(offset.to_string().into_bytes());
                assert!(pool.take_in(&partition, epoch, Record { offset, key, value: None }));
            }
        }
        let mut state = pool.lock();
        let served: Vec<i32> = std::iter::from_fn(|| state.start()).map(|(own, _)| own.number).collect();
        assert_eq!(served, [0, 1, 5, 0, 5, 0, 5]);
    }
}
