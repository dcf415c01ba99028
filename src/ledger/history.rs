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
    epochs: BTreeMap<Epoch, EpochNotes>,
    running: PerConsumer<BTreeMap<(KeyId, WorkerId), Attempt>>,
}

/// What one epoch's attempts did.
#[derive(Clone, Debug, Default)]
struct EpochNotes {
    highest_completed: BTreeMap<KeyId, Offset>,
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
            epochs: BTreeMap::new(),
            running: Default::default(),
        }
    }

    /// An attempt starts; an offset of the same key that runs on the same consumer, if there is one.
    pub(super) fn started(&mut self, attempt: &Attempt) -> Option<Offset> {
        self.epochs.entry(attempt.epoch).or_default().running[attempt.consumer.index()] += 1;
        let key = attempt.key?;
        let running = &mut self.running[attempt.consumer.index()];
        let same_key = (key, WorkerId(0))..=(key, WorkerId(u32::MAX));
        let with = running.range(same_key).next().map(|(_, other)| other.offset);
        running.insert((key, attempt.worker), *attempt);
        with
    }

    /// An attempt ends, whether it succeeds or fails.
    pub(super) fn ended(&mut self, attempt: &Attempt) {
        if let Some(key) = attempt.key {
            self.running[attempt.consumer.index()].remove(&(key, attempt.worker));
        }
        let consumer = attempt.consumer.index();
        self.change_epoch(attempt.epoch, |notes| {
            notes.running[consumer] = notes.running[consumer].saturating_sub(1);
        });
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
        let notes = self.epochs.entry(attempt.epoch).or_default();
        let highest = notes.highest_completed.entry(key).or_insert(attempt.offset);
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

    /// An owner ended: what was at risk is lost, ascending.
    pub(super) fn take_lost(&mut self, log: &Log) -> Vec<Offset> {
        let newly = std::mem::take(&mut self.at_risk);
        let offsets = newly.iter().filter_map(|&index| log.get(index)).map(|record| record.offset).collect();
        self.lost.extend(newly);
        offsets
    }

    /// A process died with all its attempts.
    pub(super) fn crashed(&mut self, consumer: ConsumerId) {
        self.running[consumer.index()].clear();
        self.epochs.retain(|_, notes| {
            notes.running[consumer.index()] = 0;
            !notes.is_over()
        });
    }

    pub(super) fn epoch_ended(&mut self, epoch: Epoch) {
        self.change_epoch(epoch, |notes| notes.ended = true);
    }

    fn change_epoch(&mut self, epoch: Epoch, change: impl FnOnce(&mut EpochNotes)) {
        if let Some(notes) = self.epochs.get_mut(&epoch) {
            change(notes);
            if notes.is_over() {
                self.epochs.remove(&epoch);
            }
        }
    }
}
