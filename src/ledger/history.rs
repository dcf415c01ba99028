//! What has been completed and what runs, just enough of it to tell an order break, an overlap, a duplicate
//! and a loss when they happen.
//!
//! The committed offset never goes back, so of everything below it only what is *un*finished need be
//! remembered; above it, finished records are kept as intervals of log indices, where gaps in the offsets
//! do not break a run.

use std::collections::{BTreeMap, BTreeSet};

use super::PerConsumer;
use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset, WorkerId},
    mechanism::Intervals,
    world::{Attempt, Log},
};

#[derive(Clone, Debug)]
pub(super) struct History {
    /// Log index of the committed offset; the records below it are accounted for in `at_risk` and `lost`.
    committed: u64,
    /// Log indices from there on that some attempt of some epoch has completed.
    completed: Intervals,
    /// The same for dead letters.
    dead: Intervals,
    /// Committed and neither completed nor dead-lettered by anybody; nobody's loss while an owner is at it.
    at_risk: BTreeSet<u64>,
    /// The same after the owner ended, until somebody's late attempt completes them.
    lost: BTreeSet<u64>,
    /// By key number: the highest offset completed in the newest epoch that completed one, and that epoch.
    highest: Vec<(Epoch, Offset)>,
    /// The same for older epochs whose late attempts may still complete something.
    older_highest: BTreeMap<(Epoch, KeyId), Offset>,
    /// The epochs that are current or have attempts left, ascending: one, as a rule.
    epochs: Vec<EpochNotes>,
    running: PerConsumer<Running>,
}

/// The records with a key that run on one consumer.
#[derive(Clone, Debug, Default)]
struct Running {
    by_worker: Vec<Option<(KeyId, Offset)>>,
    /// How many there are of each key, by its number.
    of_key: Vec<u32>,
}

/// Which attempts an epoch has under way.
#[derive(Clone, Debug)]
struct EpochNotes {
    epoch: Epoch,
    running: PerConsumer<u64>,
    ended: bool,
}

impl EpochNotes {
    /// Nothing can come of this epoch any more.
    fn is_over(&self) -> bool {
        self.ended && self.running == [0, 0]
    }
}

impl History {
    pub(super) fn new(log: &Log) -> History {
        History {
            committed: log.index_at(log.start()),
            completed: Intervals::default(),
            dead: Intervals::default(),
            at_risk: BTreeSet::new(),
            lost: BTreeSet::new(),
            highest: vec![(Epoch(0), Offset(0)); log.key_count()],
            older_highest: BTreeMap::new(),
            epochs: Vec::new(),
            running: Default::default(),
        }
    }

    /// An attempt starts; an offset of the same key that runs on the same consumer, if there is one.
    pub(super) fn started(&mut self, attempt: &Attempt) -> Option<Offset> {
        self.notes_of(attempt.epoch).running[attempt.consumer.index()] += 1;
        let key = attempt.key?;
        self.running[attempt.consumer.index()].start(key, attempt)
    }

    /// An attempt ends, whether it succeeds or fails.
    pub(super) fn ended(&mut self, attempt: &Attempt) {
        self.running[attempt.consumer.index()].end(attempt.worker);
        let notes = self.notes_of(attempt.epoch);
        let running = &mut notes.running[attempt.consumer.index()];
        *running = running.saturating_sub(1);
        if notes.is_over() {
            self.forget_epochs();
        }
    }

    /// An attempt succeeds; the highest later offset of its key that its epoch completed before it.
    pub(super) fn completed(&mut self, attempt: &Attempt) -> Option<Offset> {
        if attempt.index >= self.committed {
            self.completed.insert(attempt.index as i64);
        } else {
            self.at_risk.remove(&attempt.index);
            self.lost.remove(&attempt.index);
        }
        let broken = attempt.key.and_then(|key| self.highest_before(attempt, key));
        self.ended(attempt);
        broken
    }

    fn highest_before(&mut self, attempt: &Attempt, key: KeyId) -> Option<Offset> {
        let newest = self.highest.get_mut(key.0 as usize)?;
        let highest = if attempt.epoch < newest.0 {
            self.older_highest.entry((attempt.epoch, key)).or_insert(attempt.offset)
        } else {
            if attempt.epoch > newest.0 {
                if self.epochs.iter().any(|notes| notes.epoch == newest.0) {
                    self.older_highest.insert((newest.0, key), newest.1);
                }
                *newest = (attempt.epoch, attempt.offset);
            }
            &mut newest.1
        };
        if *highest > attempt.offset {
            return Some(*highest);
        }
        *highest = attempt.offset;
        None
    }

    pub(super) fn dead_lettered(&mut self, index: u64) {
        if index >= self.committed {
            self.dead.insert(index as i64);
        } else {
            self.at_risk.remove(&index);
            self.lost.remove(&index);
        }
    }

    /// The committed offset moved; whatever it passed that nobody has finished is at risk from now on.
    pub(super) fn committed(&mut self, to: Offset, log: &Log) {
        let index = log.index_at(to);
        for (start, end) in self.completed.holes(self.committed as i64, index as i64) {
            for (start, end) in self.dead.holes(start, end) {
                self.at_risk.extend(start as u64..end as u64);
            }
        }
        self.committed = index;
        self.completed.remove_below(index as i64);
        self.dead.remove_below(index as i64);
    }

    pub(super) fn has_completed(&self, index: u64) -> bool {
        if index >= self.committed {
            self.completed.contains(index as i64)
        } else {
            !self.at_risk.contains(&index) && !self.lost.contains(&index)
        }
    }

    /// Whether something below the committed offset is unfinished.
    pub(super) fn has_unfinished_below(&self) -> bool {
        !self.at_risk.is_empty() || !self.lost.is_empty()
    }

    /// Log indices that are committed and unfinished while an owner is at them, ascending.
    pub(super) fn at_risk(&self) -> impl Iterator<Item = u64> + '_ {
        self.at_risk.iter().copied()
    }

    pub(super) fn is_lost(&self, index: u64) -> bool {
        self.lost.contains(&index)
    }

    /// An owner ended: what was at risk is lost, ascending.
    pub(super) fn take_lost(&mut self, log: &Log) -> Vec<Offset> {
        let newly = std::mem::take(&mut self.at_risk);
        let offsets = newly.iter().filter_map(|&index| log.get(index)).map(|record| record.offset).collect();
        self.lost.extend(newly);
        offsets
    }

    /// A process died with all its attempts.
    pub(super) fn crashed(&mut self, consumer: ConsumerId) {
        self.running[consumer.index()] = Running::default();
        self.epochs.iter_mut().for_each(|notes| notes.running[consumer.index()] = 0);
        self.forget_epochs();
    }

    pub(super) fn epoch_ended(&mut self, epoch: Epoch) {
        self.notes_of(epoch).ended = true;
        self.forget_epochs();
    }

    /// The notes on an epoch: the last ones, as a rule.
    fn notes_of(&mut self, epoch: Epoch) -> &mut EpochNotes {
        let at = match self.epochs.iter().rposition(|notes| notes.epoch <= epoch) {
            Some(at) if self.epochs[at].epoch == epoch => at,
            below => {
                let at = below.map_or(0, |below| below + 1);
                self.epochs.insert(at, EpochNotes { epoch, running: [0, 0], ended: false });
                at
            }
        };
        &mut self.epochs[at]
    }

    /// Forgets the epochs of which nothing can come any more.
    fn forget_epochs(&mut self) {
        let older = &mut self.older_highest;
        self.epochs.retain(|notes| {
            let over = notes.is_over();
            if over {
                let keys = (notes.epoch, KeyId(0))..=(notes.epoch, KeyId(u32::MAX));
                while let Some((&key, _)) = older.range(keys.clone()).next() {
                    older.remove(&key);
                }
            }
            !over
        });
    }
}

impl Running {
    /// An attempt starts; the offset of another one of the same key, if one runs.
    fn start(&mut self, key: KeyId, attempt: &Attempt) -> Option<Offset> {
        let (worker, number) = (attempt.worker.0 as usize, key.0 as usize);
        if worker >= self.by_worker.len() {
            self.by_worker.resize(worker + 1, None);
        }
        if number >= self.of_key.len() {
            self.of_key.resize(number + 1, 0);
        }
        let others = self.of_key[number];
        let same_key = |other: &&(KeyId, Offset)| other.0 == key;
        let with = if others == 0 { None } else { self.by_worker.iter().flatten().find(same_key) };
        let with = with.map(|&(_, offset)| offset);
        self.of_key[number] += 1;
        self.by_worker[worker] = Some((key, attempt.offset));
        with
    }

    fn end(&mut self, worker: WorkerId) {
        if let Some((key, _)) = self.by_worker.get_mut(worker.0 as usize).and_then(Option::take) {
            self.of_key[key.0 as usize] -= 1;
        }
    }
}
