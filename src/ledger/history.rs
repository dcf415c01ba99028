//! What has been completed and what runs, just enough of it to tell an order break, an overlap, a duplicate
//! and a loss when they happen.
//!
//! There is a floor that the committed offset will never go below again: as a rule, where it is. Of everything
//! below the floor only what is *un*finished need be remembered; above it, finished records are kept as intervals
//! of log indices, where gaps in the offsets do not break a run. All of it is bounded by the keys, by what is in
//! flight, and by what is finished and may come again; what is lost is told once and then only counted.

use super::PerConsumer;
use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset, WorkerId},
    mechanism::Intervals,
    sorted::{SortedMap, SortedSet},
    world::{Attempt, Log},
};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct History {
    /// Log index of the committed offset.
    committed: u64,
    /// Log index below which it will not go back; the records below are accounted for in `at_risk` and `lost`.
    floor: u64,
    /// Log indices from the floor on that some attempt of some epoch has completed.
    completed: Intervals,
    /// The same for dead letters.
    dead: Intervals,
    /// Committed and neither completed nor dead-lettered by anybody; nobody's loss while an owner is at it.
    at_risk: SortedSet<u64>,
    /// How many there are of them below the floor after their owner ended, less those that a late attempt has
    /// completed.
    lost: u64,
    /// The same above the floor, one by one: they may come again yet.
    lost_above: SortedSet<u64>,
    /// Those of the lost that a late attempt may complete yet.
    still_running: SortedSet<u64>,
    /// By key number: the highest offset completed in the newest epoch that completed one, and that epoch.
    highest: Vec<(Epoch, Offset)>,
    /// The same for older epochs whose late attempts may still complete something.
    older_highest: SortedMap<(Epoch, KeyId), Offset>,
    /// The epochs that are current or have attempts left, ascending: one, as a rule.
    epochs: Vec<EpochNotes>,
    running: PerConsumer<Running>,
}

/// The records that run on one consumer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Running {
    by_worker: Vec<Option<(Option<KeyId>, Offset)>>,
    /// How many there are of each key, by its number.
    of_key: Vec<u32>,
}

/// Which attempts an epoch has under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
        let start = log.index_at(log.start());
        History {
            committed: start,
            floor: start,
            completed: Intervals::default(),
            dead: Intervals::default(),
            at_risk: SortedSet::default(),
            lost: 0,
            lost_above: SortedSet::default(),
            still_running: SortedSet::default(),
            highest: vec![(Epoch(0), Offset(0)); log.key_count()],
            older_highest: SortedMap::default(),
            epochs: Vec::new(),
            running: Default::default(),
        }
    }

    /// An attempt starts; an offset of the same key that runs on the same consumer, if there is one.
    pub(super) fn started(&mut self, attempt: &Attempt) -> Option<Offset> {
        self.notes_of(attempt.epoch).running[attempt.consumer.index()] += 1;
        self.running[attempt.consumer.index()].start(attempt)
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
        if attempt.index >= self.floor {
            self.completed.insert(attempt.index as i64);
            self.lost_above.remove(&attempt.index);
        } else {
            self.lost -= u64::from(self.still_running.remove(&attempt.index));
        }
        self.at_risk.remove(&attempt.index);
        let broken = attempt.key.and_then(|key| self.highest_before(attempt, key));
        self.ended(attempt);
        broken
    }

    fn highest_before(&mut self, attempt: &Attempt, key: KeyId) -> Option<Offset> {
        let newest = self.highest.get_mut(key.0 as usize)?;
        let highest = if attempt.epoch < newest.0 {
            self.older_highest.or_insert((attempt.epoch, key), attempt.offset)
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
        if index >= self.floor {
            self.dead.insert(index as i64);
            self.lost_above.remove(&index);
        }
        self.at_risk.remove(&index);
    }

    /// The committed offset moved; whatever it passed that nobody has finished is at risk from now on, and what it
    /// went back over no longer. Below `floor` it will not go again.
    pub(super) fn committed(&mut self, to: Offset, floor: Offset, log: &Log) {
        let index = log.index_at(to);
        if index < self.committed {
            self.at_risk.retain(|&passed| passed < index);
        } else {
            for (start, end) in self.completed.holes(self.committed as i64, index as i64) {
                for (start, end) in self.dead.holes(start, end) {
                    let told = &self.lost_above;
                    self.at_risk.extend((start as u64..end as u64).filter(|index| !told.contains(index)));
                }
            }
        }
        self.committed = index;
        self.raise_floor(log.index_at(floor), log);
    }

    fn raise_floor(&mut self, floor: u64, log: &Log) {
        self.floor = self.floor.max(floor);
        self.completed.remove_below(self.floor as i64);
        self.dead.remove_below(self.floor as i64);
        if self.lost_above.first().is_some_and(|&lowest| lowest < self.floor) {
            let lost = std::mem::take(&mut self.lost_above);
            self.count_lost(lost, log);
        }
    }

    /// Whether any attempt has completed a record, if it is not one of the lost.
    pub(super) fn has_completed(&self, index: u64) -> bool {
        if index >= self.floor {
            self.completed.contains(index as i64)
        } else {
            !self.at_risk.contains(&index)
        }
    }

    /// Whether something below the committed offset is unfinished.
    pub(super) fn has_unfinished_below(&self) -> bool {
        let lost = self.lost_above.first().is_some_and(|&lowest| lowest < self.committed);
        self.lost > 0 || lost || !self.at_risk.is_empty()
    }

    /// Log indices that are committed and unfinished while an owner is at them, ascending.
    pub(super) fn at_risk(&self) -> impl Iterator<Item = u64> + '_ {
        self.at_risk.iter().copied()
    }

    /// Whether the record of a running attempt is lost unless that attempt succeeds.
    pub(super) fn is_still_lost(&self, index: u64) -> bool {
        self.still_running.contains(&index) || self.lost_above.contains(&index)
    }

    /// An owner ended: what was at risk is lost, ascending.
    pub(super) fn take_lost(&mut self, log: &Log) -> Vec<Offset> {
        let newly = std::mem::take(&mut self.at_risk);
        let offsets = newly.iter().filter_map(|&index| log.get(index)).map(|record| record.offset).collect();
        self.count_lost(newly, log);
        offsets
    }

    /// These are lost. Those below the floor nobody starts again.
    fn count_lost(&mut self, lost: SortedSet<u64>, log: &Log) {
        for &index in lost.iter() {
            if index >= self.floor {
                self.lost_above.insert(index);
            } else {
                self.lost += 1;
                self.still_running.insert(index);
            }
        }
        // Of those that do not run nothing can come any more.
        let offset = |&index: &u64| log.get(index).map(|record| record.offset);
        let run = SortedSet::from_iter(self.running.iter().flat_map(Running::offsets));
        self.still_running.retain(|index| offset(index).is_some_and(|offset| run.contains(&offset)));
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

    /// The epochs that occur here.
    pub(super) fn epochs(&self) -> impl Iterator<Item = Epoch> + '_ {
        let highest = self.highest.iter().map(|&(epoch, _)| epoch);
        let older = self.older_highest.keys().map(|&(epoch, _)| epoch);
        self.epochs.iter().map(|notes| notes.epoch).chain(highest).chain(older)
    }

    /// Gives every epoch another number, and keeps their order.
    pub(super) fn renumber(&mut self, number: impl Fn(Epoch) -> Epoch) {
        self.highest.iter_mut().for_each(|(epoch, _)| *epoch = number(*epoch));
        self.epochs.iter_mut().for_each(|notes| notes.epoch = number(notes.epoch));
        let older = std::mem::take(&mut self.older_highest);
        self.older_highest =
            older.iter().map(|(&(epoch, key), &offset)| ((number(epoch), key), offset)).collect();
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
                older.retain(|(epoch, _), _| *epoch != notes.epoch);
            }
            !over
        });
    }
}

impl Running {
    /// An attempt starts; the offset of another one of the same key, if one runs.
    fn start(&mut self, attempt: &Attempt) -> Option<Offset> {
        let worker = attempt.worker.0 as usize;
        if worker >= self.by_worker.len() {
            self.by_worker.resize(worker + 1, None);
        }
        let with = attempt.key.and_then(|key| self.join(key));
        self.by_worker[worker] = Some((attempt.key, attempt.offset));
        with
    }

    /// One more of this key runs; the offset of another one, if there is one.
    fn join(&mut self, key: KeyId) -> Option<Offset> {
        let number = key.0 as usize;
        if number >= self.of_key.len() {
            self.of_key.resize(number + 1, 0);
        }
        let others = self.of_key[number];
        self.of_key[number] += 1;
        if others == 0 {
            return None;
        }
        let same_key = |&&(other, _): &&(Option<KeyId>, Offset)| other == Some(key);
        self.by_worker.iter().flatten().find(same_key).map(|&(_, offset)| offset)
    }

    fn end(&mut self, worker: WorkerId) {
        let ended = self.by_worker.get_mut(worker.0 as usize).and_then(Option::take);
        if let Some((Some(key), _)) = ended {
            self.of_key[key.0 as usize] -= 1;
        }
    }

    fn offsets(&self) -> impl Iterator<Item = Offset> + '_ {
        self.by_worker.iter().flatten().map(|&(_, offset)| offset)
    }
}
