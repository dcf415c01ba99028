//! The all-seeing observer: what happened, what follows from it, and whether the promises held.
//!
//! The world tells facts; the ledger concludes. It knows things that nobody inside the system can know: that
//! a completion broke a key's order, that a redelivered record had been finished before, that a record is
//! lost. Mechanisms never see it.
//!
//! How much it remembers is for the caller to say ([`Keep`]): a run of ten million records leaves only
//! counters behind. What grows with the run stands on tapes; the rest is small, so that a checkpoint can hold
//! a copy of it.

#![deny(clippy::float_arithmetic, clippy::disallowed_types)]

mod causes;
mod counters;
mod event;
mod fault;
mod history;
mod invariants;
mod outcome;
mod outlook;
mod sentence;
mod tape;
mod tapes;
mod trail;
mod why;

use std::sync::Arc;

pub use counters::Counters;
pub use event::{Event, EventId, Remark, Weight};
pub use fault::Fault;
pub use invariants::{INVARIANTS, Invariant, Verdicts};
pub use outcome::{Outcome, Stamp};
pub use sentence::{escaped, input_telling, key_name};
pub(crate) use sentence::{grouped, quoted_unless_plain, shows};
pub use why::{Decision, Why, why};

use causes::Causes;
use history::History;
use invariants::TickNotes;
use tapes::{Lengths, Tapes};

use crate::{
    ids::{ConsumerId, Offset, Tick},
    world::{CrashCause, EndedBy, Fact, Ignored, Input, Log, Observer, World, redelivered},
};

/// How much a ledger remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keep {
    /// Counters and verdicts: memory is bounded by what is in flight.
    Counters,
    /// And the lists of the outcome: who completed when, what was redelivered.
    Outcome,
    /// And every event, with its causes, and what was in flight at the end of each tick.
    Events,
}

/// The observer's notes on one run.
#[derive(Clone, Debug)]
pub struct Ledger {
    keep: Keep,
    log: Arc<Log>,
    state: State,
    tapes: Tapes,
}

/// What the ledger goes on from: its size is that of what is in flight or not yet committed, not of the run.
#[derive(Clone, Debug)]
struct State {
    counters: Counters,
    history: History,
    verdicts: Verdicts,
    notes: TickNotes,
    causes: Causes,
    /// The input that acts now.
    input: Option<Input>,
}

/// A place in a run, as its ledger needs it to go on from there again.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    state: State,
    lengths: Lengths,
}

/// An input that changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredInput {
    /// When it came.
    pub tick: Tick,
    /// What it was.
    pub input: Input,
    /// Why it changed nothing.
    pub why: Ignored,
}

impl Ledger {
    /// An empty ledger for a run over `log`.
    #[must_use]
    pub fn new(log: Arc<Log>, keep: Keep) -> Ledger {
        let state = State {
            counters: Counters::default(),
            history: History::new(&log),
            verdicts: Verdicts::default(),
            notes: TickNotes::default(),
            causes: Causes::default(),
            input: None,
        };
        Ledger { keep, log, state, tapes: Tapes::default() }
    }

    /// Judges every invariant at the end of a tick.
    pub fn close_tick(&mut self, world: &World) {
        let tick = Tick(world.now().0.saturating_sub(1));
        let State { verdicts, notes, history, causes, .. } = &mut self.state;
        verdicts.judge(tick, world, notes, history);
        if self.keep >= Keep::Events {
            let standing = world.owner().map(|(_, session)| session.in_flight());
            self.tapes.depths.push(notes.out_of_memory.or(standing));
            causes.forget(world);
        }
        notes.next_tick(world);
    }

    /// The place where the run is now, between two ticks.
    pub(crate) fn mark(&self) -> Mark {
        Mark { state: self.state.clone(), lengths: self.tapes.lengths() }
    }

    /// Goes to a place where this run has been, earlier or later; what is known of its future stays known.
    pub(crate) fn go_to(&mut self, mark: &Mark) {
        self.state = mark.state.clone();
        self.tapes.wind(&mark.lengths);
    }

    /// Forgets what is known of the future: it will be another one.
    pub(crate) fn forget_future(&mut self) {
        self.tapes.cut();
    }

    /// How often things happened.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.state.counters
    }

    /// Which invariants held so far.
    #[must_use]
    pub fn verdicts(&self) -> &Verdicts {
        &self.state.verdicts
    }

    /// The events so far; empty unless the ledger keeps them.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        self.tapes.events.so_far()
    }

    /// And those that came later, before somebody went back.
    pub(crate) fn known_events(&self) -> &[Event] {
        self.tapes.events.known()
    }

    /// The events from a tick on.
    #[must_use]
    pub fn events_from(&self, tick: Tick) -> &[Event] {
        let events = self.events();
        &events[events.partition_point(|event| event.tick < tick)..]
    }

    /// Records in flight at the end of each tick, by tick, or those that killed the owner in it; `None` while
    /// no owner is up. Empty unless the ledger keeps events.
    #[must_use]
    pub fn depths(&self) -> &[Option<u64>] {
        self.tapes.depths.so_far()
    }

    /// The event with this id, if the ledger keeps events and has got there.
    #[must_use]
    pub fn event(&self, id: EventId) -> Option<&Event> {
        self.events().get(usize::try_from(id.0).ok()?)
    }

    /// Everything a scenario's `[expect]` can name, as things stand.
    #[must_use]
    pub fn outcome(&self, world: &World) -> Outcome {
        Outcome::of(world, self)
    }

    /// Whether any attempt of any epoch has completed the record with this log index. Known exactly for
    /// records at or above the committed offset.
    #[must_use]
    pub fn has_completed(&self, index: u64) -> bool {
        self.state.history.has_completed(index) && !self.is_lost(index)
    }

    /// Log indices below the committed offset that nobody has finished: lost if the owner ended now.
    pub fn at_risk(&self) -> impl Iterator<Item = u64> + '_ {
        self.state.history.at_risk()
    }

    /// Whether the record with this log index is lost: committed, its owner gone, and finished by nobody.
    /// Never, unless the ledger keeps lists.
    #[must_use]
    pub fn is_lost(&self, index: u64) -> bool {
        let Tapes { lost, recovered, .. } = &self.tapes;
        let offset = self.log.get(index).map(|record| record.offset);
        offset.is_some_and(|offset| {
            let is_lost = match self.state.counters.late_commits {
                0 => lost.so_far().binary_search(&offset).is_ok(),
                _ => lost.so_far().contains(&offset),
            };
            is_lost && !recovered.so_far().contains(&offset)
        })
    }

    /// Offsets that came again, each time an owner ended; empty unless the ledger keeps lists.
    #[must_use]
    pub fn redelivered(&self) -> &[Offset] {
        self.tapes.redelivered.so_far()
    }

    /// Offsets whose dead letter was written, one entry for each; empty unless the ledger keeps lists.
    #[must_use]
    pub fn quarantined(&self) -> &[Offset] {
        self.tapes.quarantined.so_far()
    }

    /// The inputs that changed nothing; empty unless the ledger keeps lists.
    #[must_use]
    pub fn ignored(&self) -> &[IgnoredInput] {
        self.tapes.ignored.so_far()
    }

    fn keeps_lists(&self) -> bool {
        self.keep >= Keep::Outcome
    }

    /// What follows from a fact, beyond itself.
    fn conclude(&mut self, tick: Tick, fact: &Fact) -> Option<Remark> {
        let keeps_lists = self.keeps_lists();
        let Ledger { log, state, tapes, .. } = self;
        let State { counters, history, notes, input: acting, .. } = state;
        notes.tell(fact);
        match fact {
            Fact::Polled { taken, in_flight, .. } => {
                counters.polls += 1;
                counters.polled += taken;
                counters.peak_in_flight = counters.peak_in_flight.max(*in_flight);
                counters.first_poll.get_or_insert(tick);
                None
            }
            Fact::PolledNothing { .. } => {
                counters.polls += 1;
                None
            }
            Fact::EmptyPoll { .. } => {
                counters.polls += 1;
                counters.empty_polls += 1;
                None
            }
            Fact::Started(attempt) => {
                counters.started += 1;
                let with = history.started(attempt)?;
                counters.overlaps += 1;
                notes.overlap = true;
                Some(Remark::Overlap { with })
            }
            Fact::Completed { attempt, .. } => {
                counters.completed += 1;
                counters.last_completion = Some(tick);
                if keeps_lists {
                    tapes.completions.push(Stamp { offset: attempt.offset, tick });
                    tapes.recovered.extend(history.is_still_lost(attempt.index).then_some(attempt.offset));
                }
                let after = history.completed(attempt)?;
                counters.order_breaks += 1;
                notes.order_break = true;
                Some(Remark::OrderBreak { after })
            }
            Fact::Failed { attempt, .. } => {
                counters.failed += 1;
                history.ended(attempt);
                None
            }
            Fact::DeadLettered { offset, index, .. } => {
                counters.quarantined += 1;
                history.dead_lettered(*index);
                if keeps_lists {
                    tapes.quarantined.push(*offset);
                }
                None
            }
            Fact::Wrote { attempt, held, accepted, late, .. } => {
                self.write(Stamp { offset: attempt.offset, tick }, *held, *accepted, *late);
                None
            }
            Fact::WatermarkNoted { at, .. } => {
                if keeps_lists {
                    tapes.watermarks.push(Stamp { offset: *at, tick });
                }
                None
            }
            Fact::Committed { to, late, floor, .. } => {
                counters.commits += 1;
                counters.late_commits += u64::from(*late);
                history.committed(*to, *floor, log);
                if *late && keeps_lists {
                    tapes.late_commits.push(Stamp { offset: *to, tick });
                }
                None
            }
            Fact::Paused { .. } => {
                counters.pauses += 1;
                None
            }
            Fact::Resumed { .. } => {
                counters.resumes += 1;
                None
            }
            Fact::Evicted { .. } => {
                counters.evictions += 1;
                None
            }
            Fact::Crashed { consumer, cause } => {
                counters.crashes += 1;
                counters.crashed_at.get_or_insert(tick);
                if let CrashCause::OutOfMemory { in_flight, .. } = *cause {
                    notes.out_of_memory = Some(in_flight);
                }
                history.crashed(*consumer);
                None
            }
            Fact::OwnerEnded { epoch, by, committed, position, spared, .. } => {
                if *by == EndedBy::Handover {
                    counters.handovers += 1;
                }
                history.epoch_ended(*epoch);
                let mut end = OwnerEnd::default();
                for (index, offset) in redelivered(log, *committed, *position, spared) {
                    end.redelivered.push(offset);
                    if history.has_completed(index) {
                        end.duplicates.push(offset);
                    }
                }
                end.lost = history.take_lost(log);
                self.end_owner(end)
            }
            Fact::Input(input) => {
                *acting = keeps_lists.then(|| input.clone());
                None
            }
            Fact::Ignored(why) => {
                tapes.ignored.extend(acting.take().map(|input| IgnoredInput { tick, input, why: *why }));
                None
            }
            Fact::Assigned { .. }
            | Fact::DrainBegan { .. }
            | Fact::Restarted { .. }
            | Fact::RetryDue { .. }
            | Fact::MapTooLong { .. }
            | Fact::KnobsTurned(_)
            | Fact::Rebalanced { .. } => None,
        }
    }

    fn write(&mut self, stamp: Stamp, held: Option<Offset>, accepted: bool, late: bool) {
        if late {
            self.state.counters.leaked += 1;
            self.state.notes.late_write_landed |= accepted;
            if self.keeps_lists() {
                self.tapes.leaked.push(stamp);
            }
        }
        if !accepted {
            self.state.counters.rejected += 1;
            if self.keeps_lists() {
                self.tapes.rejected.push(stamp);
            }
        } else if held.is_some_and(|held| stamp.offset < held) {
            self.state.counters.rows_back += 1;
            self.state.notes.row_went_back = true;
        }
    }

    fn end_owner(&mut self, end: OwnerEnd) -> Option<Remark> {
        self.state.counters.redelivered += end.redelivered.len() as u64;
        self.state.counters.duplicates += end.duplicates.len() as u64;
        self.state.counters.lost += end.lost.len() as u64;
        if self.keeps_lists() {
            self.tapes.redelivered.extend(end.redelivered.iter().copied());
            self.tapes.duplicates.extend(end.duplicates.iter().copied());
            self.tapes.lost.extend(end.lost.iter().copied());
        }
        let OwnerEnd { redelivered, duplicates, lost } = end;
        Some(Remark::OwnerEnd { redelivered, duplicates, lost })
    }
}

/// What the end of an owner comes to.
#[derive(Default)]
struct OwnerEnd {
    redelivered: Vec<Offset>,
    duplicates: Vec<Offset>,
    lost: Vec<Offset>,
}

impl Observer for Ledger {
    fn note(&mut self, tick: Tick, fact: Fact) {
        let remark = self.conclude(tick, &fact);
        // A poll that returned nothing is counted, not told: an idle consumer makes one every tick.
        if self.keep < Keep::Events || matches!(fact, Fact::PolledNothing { .. }) {
            return;
        }
        let id = EventId(self.events().len() as u64);
        let causes = self.state.causes.of(id, tick, &fact, remark.as_ref());
        self.tapes.events.push(Event { id, tick, fact, remark, causes });
    }
}

/// The two consumers' values, by consumer.
type PerConsumer<T> = [T; ConsumerId::ALL.len()];
