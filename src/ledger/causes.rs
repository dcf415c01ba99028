//! Which events an event followed from.
//!
//! The world tells facts in the order in which they happen and keeps no history, so the ledger remembers
//! for each record and each consumer the last event of every kind that can cause another. At the end of a tick
//! it forgets what nothing can follow from any more, so that what it remembers does not grow with the run.

mod forget;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use super::{EventId, PerConsumer, Remark};
use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset, Tick, WorkerId},
    sorted::SortedMap,
    world::{Attempt, CrashCause, EndedBy, Fact, Input, LetterCause},
};

/// The latest events that can cause others.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes {
    /// The input that acts now.
    input: Option<(Tick, EventId)>,
    /// Why the owner may read: its assignment, or the last time intake resumed.
    intake: Option<EventId>,
    polled: Option<EventId>,
    /// The log indices of the polls of this ownership, by the first.
    polls: SortedMap<u64, EventId>,
    records: SortedMap<Offset, RecordEvents>,
    /// The dead letters behind which keys are parked, of records that are forgotten.
    parked: SortedMap<Offset, EventId>,
    /// What runs on each worker, and since which event.
    started: PerConsumer<SortedMap<WorkerId, (Offset, EventId)>>,
    /// The event that last freed each worker.
    freed: PerConsumer<SortedMap<WorkerId, EventId>>,
    /// Inputs that end running attempts of an offset in this tick.
    completed_by_hand: SortedMap<Offset, (Tick, EventId)>,
    poisoned: SortedMap<Offset, EventId>,
    stalled: PerConsumer<Option<(Tick, EventId)>>,
    terminal: Option<EventId>,
    watermark: Option<(Offset, EventId)>,
    committed: Option<EventId>,
    /// This ownership's commits past its watermark, each by what it committed, the first time.
    overreached: SortedMap<Offset, EventId>,
    /// Commits of ended ownerships that passed anything, since an owner last ended, by what they committed.
    overreached_late: SortedMap<Offset, EventId>,
    /// What ended ownerships completed that may commit yet, in that order.
    completed_late: Vec<(Epoch, Offset, EventId)>,
    /// The rebalance that begins a drain.
    rebalanced: Option<EventId>,
    drain: Option<EventId>,
    crashed: PerConsumer<Option<EventId>>,
    evicted: Option<EventId>,
    /// How each ownership ended: a late write may come after several.
    owner_ended: SortedMap<Epoch, EventId>,
    restarted: PerConsumer<Option<EventId>>,
    /// When each last paused.
    paused: PerConsumer<Option<EventId>>,
    /// Who last wrote a row.
    wrote: SortedMap<KeyId, EventId>,
    completed: Option<EventId>,
    /// An ownership ended, or an attempt of one that had: something may come of one ownership less.
    epochs_ended: bool,
    /// The completion of the highest offset of each key, in each ownership.
    highest: SortedMap<(Epoch, KeyId), (Offset, EventId)>,
}

/// The latest events of one record.
#[derive(Clone, Debug, Default)]
struct RecordEvents {
    failed: Option<EventId>,
    first_failed: Option<EventId>,
    retry_due: Option<EventId>,
    terminal: Option<EventId>,
    dead_lettered: Option<EventId>,
}

impl Causes {
    /// The causes of an event that happens now, the nearest first; and remembers the event.
    pub(super) fn of(
        &mut self,
        id: EventId,
        tick: Tick,
        fact: &Fact,
        remark: Option<&Remark>,
    ) -> Vec<EventId> {
        let causes: Vec<Option<EventId>> = match fact {
            Fact::Input(input) => {
                self.input = Some((tick, id));
                match *input {
                    Input::Complete(offset) => {
                        self.completed_by_hand.insert(offset, (tick, id));
                    }
                    Input::Poison(offset) => {
                        self.poisoned.or_insert(offset, id);
                    }
                    Input::Stall { consumer, .. } => self.stalled[consumer.index()] = Some((tick, id)),
                    _ => {}
                }
                vec![]
            }
            Fact::Ignored(_) | Fact::KnobsTurned(_) => vec![self.input_now(tick)],
            Fact::Assigned { consumer, paused, .. } => {
                let restarted = self.restarted[consumer.index()].take();
                self.intake = Some(id);
                self.polled = None;
                self.polls.clear();
                self.parked.clear();
                self.drain = None;
                self.watermark = None;
                self.overreached.clear();
                let ended = self.owner_ended.last_key_value().map(|(_, &event)| event);
                let pause = self.paused[consumer.index()].filter(|_| *paused);
                vec![restarted.or(ended), self.input_now(tick), pause]
            }
            Fact::DrainBegan { .. } => {
                self.drain = Some(id);
                vec![self.rebalanced.take().or(self.input_now(tick))]
            }
            Fact::OwnerEnded { consumer, epoch, by, .. } => {
                self.owner_ended.insert(*epoch, id);
                self.epochs_ended = true;
                let why = match by {
                    EndedBy::Crash => self.crashed[consumer.index()],
                    EndedBy::Eviction => self.evicted,
                    EndedBy::Handover => self.drain,
                };
                let causes = vec![why, self.commit_past(remark).or(self.committed)];
                self.overreached_late.clear();
                causes
            }
            Fact::Crashed { consumer, cause } => {
                self.crashed[consumer.index()] = Some(id);
                self.started[consumer.index()].clear();
                self.epochs_ended = true;
                match cause {
                    CrashCause::Input => vec![self.input_now(tick)],
                    CrashCause::OutOfMemory { .. } => vec![self.polled.or(self.intake)],
                }
            }
            Fact::Restarted { consumer } => {
                self.restarted[consumer.index()] = Some(id);
                vec![self.input_now(tick), self.crashed[consumer.index()]]
            }
            Fact::Evicted { .. } => {
                self.evicted = Some(id);
                vec![self.polled.or(self.intake), self.drain]
            }
            Fact::Polled { indices, .. } => {
                self.polled = Some(id);
                self.polls.insert(indices.0, id);
                vec![self.intake]
            }
            Fact::Paused { consumer, .. } => {
                self.paused[consumer.index()] = Some(id);
                vec![self.polled]
            }
            Fact::Resumed { consumer, refetched, .. } => {
                let pause = self.paused[consumer.index()].filter(|_| refetched.is_some());
                self.intake = Some(id);
                vec![self.input_now(tick).or(self.terminal), self.polled, pause]
            }
            Fact::Started(attempt) => self.start(id, attempt, remark),
            Fact::Completed { attempt, late } => {
                let started = self.end(id, attempt, tick);
                let earlier = attempt.key.and_then(|key| self.highest_before(id, attempt, key));
                self.completed = Some(id);
                self.epochs_ended |= *late;
                // A late one changes no tracker, so no watermark and no commit follows from it.
                if *late {
                    self.completed_late.push((attempt.epoch, attempt.offset, id));
                } else {
                    self.records.or_insert(attempt.offset, RecordEvents::default()).terminal = Some(id);
                    self.terminal = Some(id);
                }
                [vec![earlier], started].concat()
            }
            Fact::Failed { attempt, late: true, .. } => {
                self.epochs_ended = true;
                self.end(id, attempt, tick)
            }
            Fact::Failed { attempt, .. } => {
                let started = self.end(id, attempt, tick);
                let record = self.records.or_insert(attempt.offset, RecordEvents::default());
                record.failed = Some(id);
                if attempt.number == 1 {
                    record.first_failed = Some(id);
                }
                started
            }
            Fact::RetryDue { offset, .. } => {
                let record = self.records.or_insert(*offset, RecordEvents::default());
                record.retry_due = Some(id);
                vec![record.failed]
            }
            Fact::DeadLettered { offset, cause, index, .. } => {
                let behind = match cause {
                    LetterCause::Timer { .. } => None,
                    LetterCause::Parked { behind } => {
                        let remembered = self.records.get(behind).and_then(|record| record.dead_lettered);
                        remembered.or(self.parked.get(behind).copied())
                    }
                };
                let polled = self.poll_of(*index);
                let record = self.records.or_insert(*offset, RecordEvents::default());
                record.terminal = Some(id);
                record.dead_lettered = Some(id);
                self.terminal = Some(id);
                vec![behind, record.first_failed.or(polled)]
            }
            Fact::Wrote { attempt, key, accepted, held, late } => {
                let before = self.wrote.get(key).copied();
                if *accepted {
                    self.wrote.insert(*key, id);
                }
                let fence = if *late { self.owner_ended.get(&attempt.epoch).copied() } else { None };
                vec![self.completed, held.and(before), fence]
            }
            Fact::WatermarkNoted { at, .. } => {
                let pinned = self.watermark.and_then(|(offset, _)| self.records.get(&offset));
                let cause = pinned.and_then(|record| record.terminal).or(self.polled).or(self.intake);
                self.watermark = Some((*at, id));
                vec![cause]
            }
            Fact::Committed { epoch, from, to, late: true, .. } => {
                self.committed = Some(id);
                self.epochs_ended = true;
                if from < to {
                    self.overreached_late.or_insert(*to, id);
                }
                let mut done = self.completed_late.iter().rev();
                let below = done.find(|(other, offset, _)| other == epoch && offset < to);
                vec![below.map(|&(.., event)| event), self.owner_ended.get(epoch).copied()]
            }
            Fact::Committed { to, .. } => {
                self.committed = Some(id);
                if self.watermark.is_none_or(|(offset, _)| offset < *to) {
                    self.overreached.or_insert(*to, id);
                }
                // Either the watermark of that offset, or the record just below it finished: the highest.
                let watermark = self.watermark.filter(|(offset, _)| offset == to).map(|(_, event)| event);
                let below = self.records.get(&Offset(to.0 - 1)).and_then(|record| record.terminal);
                vec![watermark.or(below).or(self.terminal)]
            }
            Fact::MapTooLong { .. } => vec![self.committed],
            Fact::PolledNothing { .. } => vec![],
            Fact::EmptyPoll { .. } => vec![self.intake],
            Fact::Rebalanced { revoked, .. } => {
                self.rebalanced = revoked.then_some(id);
                vec![self.input_now(tick)]
            }
        };
        let mut causes: Vec<EventId> = causes.into_iter().flatten().collect();
        causes.dedup();
        causes
    }

    fn start(&mut self, id: EventId, attempt: &Attempt, remark: Option<&Remark>) -> Vec<Option<EventId>> {
        let consumer = attempt.consumer.index();
        let beside = match remark {
            Some(Remark::Overlap { with }) => self.start_of(attempt.consumer, *with),
            _ => None,
        };
        let freed = self.freed[consumer].get(&attempt.worker).copied();
        let record = self.records.or_insert(attempt.offset, RecordEvents::default());
        let retry = if attempt.number > 1 { record.retry_due } else { None };
        if attempt.number == 1 {
            *record = RecordEvents::default();
        }
        self.started[consumer].insert(attempt.worker, (attempt.offset, id));
        vec![beside, retry.or(self.poll_of(attempt.index)), freed]
    }

    /// An attempt ended: its start, and whatever changed its end.
    fn end(&mut self, id: EventId, attempt: &Attempt, tick: Tick) -> Vec<Option<EventId>> {
        let consumer = attempt.consumer.index();
        self.freed[consumer].insert(attempt.worker, id);
        let tapped = self.completed_by_hand.get(&attempt.offset).filter(|&&(at, _)| at == tick);
        let poisoned = self.poisoned.get(&attempt.offset).copied();
        let by_hand = tapped.map(|&(_, event)| event).or(poisoned.filter(|_| attempt.fails));
        let stall = self.stalled[consumer].filter(|&(at, _)| at > attempt.started);
        let started = self.started[consumer].remove(&attempt.worker);
        vec![by_hand, started.map(|(_, event)| event), stall.map(|(_, event)| event)]
    }

    /// The completion of the highest later offset of the key in the attempt's epoch; if there is none, this
    /// is the highest one now.
    fn highest_before(&mut self, id: EventId, attempt: &Attempt, key: KeyId) -> Option<EventId> {
        let highest = self.highest.or_insert((attempt.epoch, key), (attempt.offset, id));
        if highest.0 > attempt.offset {
            return Some(highest.1);
        }
        *highest = (attempt.offset, id);
        None
    }

    /// The commit that first passed the lowest of the records that are lost.
    fn commit_past(&self, remark: Option<&Remark>) -> Option<EventId> {
        let Some(Remark::OwnerEnd { lost, .. }) = remark else { return None };
        let above = Offset(lost.first()?.0 + 1);
        let mut commits = [&self.overreached, &self.overreached_late].into_iter();
        commits.find_map(|commits| commits.from(&above).next().map(|(_, &event)| event))
    }

    fn start_of(&self, consumer: ConsumerId, offset: Offset) -> Option<EventId> {
        let mut running = self.started[consumer.index()].values();
        running.find(|(other, _)| *other == offset).map(|&(_, event)| event)
    }

    fn poll_of(&self, index: u64) -> Option<EventId> {
        self.polls.at_or_below(&index).map(|(_, &event)| event).or(self.polled)
    }

    fn input_now(&self, tick: Tick) -> Option<EventId> {
        self.input.filter(|&(at, _)| at == tick).map(|(_, event)| event)
    }
}
