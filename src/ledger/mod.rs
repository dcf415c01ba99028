//! The all-seeing observer: what happened, what follows from it, and whether the promises held.
//!
//! The world tells facts; the ledger concludes. It knows things that nobody inside the system can know: that
//! a completion broke a key's order, that a redelivered record had been finished before, that a record is
//! lost. Mechanisms never see it.
//!
//! How much it remembers is for the caller to say ([`Keep`]): a run of ten million records leaves only
//! counters behind.

#![deny(clippy::float_arithmetic, clippy::disallowed_types)]

mod causes;
mod counters;
mod event;
mod fault;
mod history;
mod invariants;
mod outcome;
mod sentence;
mod trail;
mod why;

use std::{collections::BTreeSet, sync::Arc};

pub use counters::Counters;
pub use event::{Event, EventId, Remark, Weight};
pub use fault::Fault;
pub use invariants::{INVARIANTS, Invariant, Verdicts};
pub use outcome::{Outcome, Stamp};
pub use sentence::{escaped, key_name};
pub(crate) use sentence::{quoted_unless_plain, shows};
pub use why::{Decision, Why, why};

use causes::Causes;
use history::History;
use invariants::TickNotes;

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
    counters: Counters,
    history: History,
    verdicts: Verdicts,
    notes: TickNotes,
    lists: Lists,
    /// The input that acts now.
    input: Option<Input>,
    events: Vec<Event>,
    causes: Causes,
    depths: Vec<Option<u64>>,
}

/// What grows with the run: kept from [`Keep::Outcome`] on.
#[derive(Clone, Debug, Default)]
struct Lists {
    completions: Vec<Stamp>,
    redelivered: Vec<Offset>,
    duplicates: Vec<Offset>,
    lost: BTreeSet<Offset>,
    quarantined: Vec<Offset>,
    leaked: Vec<Stamp>,
    rejected: Vec<Stamp>,
    watermarks: Vec<Stamp>,
    ignored: Vec<IgnoredInput>,
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
        Ledger {
            keep,
            history: History::new(&log),
            log,
            counters: Counters::default(),
            verdicts: Verdicts::default(),
            notes: TickNotes::default(),
            lists: Lists::default(),
            input: None,
            events: Vec::new(),
            causes: Causes::default(),
            depths: Vec::new(),
        }
    }

    /// Judges every invariant at the end of a tick.
    pub fn close_tick(&mut self, world: &World) {
        let tick = Tick(world.now().0.saturating_sub(1));
        self.verdicts.judge(tick, world, &self.notes, &self.history);
        if self.keep >= Keep::Events {
            let standing = world.owner().map(|(_, session)| session.in_flight());
            self.depths.push(self.notes.out_of_memory.or(standing));
        }
        self.notes.next_tick(world);
    }

    /// How often things happened.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Which invariants held so far.
    #[must_use]
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// The events so far; empty unless the ledger keeps them.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Records in flight at the end of each tick, by tick, or those that killed the owner in it; `None` while
    /// no owner is up. Empty unless the ledger keeps events.
    #[must_use]
    pub fn depths(&self) -> &[Option<u64>] {
        &self.depths
    }

    /// The event with this id, if the ledger keeps events and has got there.
    #[must_use]
    pub fn event(&self, id: EventId) -> Option<&Event> {
        self.events.get(usize::try_from(id.0).ok()?)
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
        self.history.has_completed(index)
    }

    /// Log indices below the committed offset that nobody has finished: lost if the owner ended now.
    pub fn at_risk(&self) -> impl Iterator<Item = u64> + '_ {
        self.history.at_risk()
    }

    /// Whether the record with this log index is lost: committed, its owner gone, and finished by nobody.
    #[must_use]
    pub fn is_lost(&self, index: u64) -> bool {
        self.history.is_lost(index)
    }

    /// Offsets that came again, each time an owner ended; empty unless the ledger keeps lists.
    #[must_use]
    pub fn redelivered(&self) -> &[Offset] {
        &self.lists.redelivered
    }

    /// Offsets whose dead letter was written, one entry for each; empty unless the ledger keeps lists.
    #[must_use]
    pub fn quarantined(&self) -> &[Offset] {
        &self.lists.quarantined
    }

    /// The inputs that changed nothing; empty unless the ledger keeps lists.
    #[must_use]
    pub fn ignored(&self) -> &[IgnoredInput] {
        &self.lists.ignored
    }

    fn keeps_lists(&self) -> bool {
        self.keep >= Keep::Outcome
    }

    /// What follows from a fact, beyond itself.
    fn conclude(&mut self, tick: Tick, fact: &Fact) -> Option<Remark> {
        self.notes.tell(fact);
        match fact {
            Fact::Polled { taken, in_flight, .. } => {
                self.counters.polls += 1;
                self.counters.polled += taken;
                self.counters.peak_in_flight = self.counters.peak_in_flight.max(*in_flight);
                self.counters.first_poll.get_or_insert(tick);
                None
            }
            Fact::PolledNothing { .. } => {
                self.counters.polls += 1;
                None
            }
            Fact::Started(attempt) => {
                self.counters.started += 1;
                let with = self.history.started(attempt)?;
                self.counters.overlaps += 1;
                self.notes.overlap = true;
                Some(Remark::Overlap { with })
            }
            Fact::Completed { attempt, .. } => {
                self.counters.completed += 1;
                self.counters.last_completion = Some(tick);
                if self.keeps_lists() {
                    self.lists.completions.push(Stamp { offset: attempt.offset, tick });
                }
                let after = self.history.completed(attempt)?;
                self.counters.order_breaks += 1;
                self.notes.order_break = true;
                Some(Remark::OrderBreak { after })
            }
            Fact::Failed { attempt, .. } => {
                self.counters.failed += 1;
                self.history.ended(attempt);
                None
            }
            Fact::DeadLettered { offset, index, .. } => {
                self.counters.quarantined += 1;
                self.history.dead_lettered(*index);
                if self.keeps_lists() {
                    self.lists.quarantined.push(*offset);
                }
                None
            }
            Fact::Wrote { attempt, held, accepted, late, .. } => {
                self.write(Stamp { offset: attempt.offset, tick }, *held, *accepted, *late);
                None
            }
            Fact::WatermarkNoted { at, .. } => {
                if self.keeps_lists() {
                    self.lists.watermarks.push(Stamp { offset: *at, tick });
                }
                None
            }
            Fact::Committed { to, .. } => {
                self.counters.commits += 1;
                self.history.committed(*to, &self.log);
                None
            }
            Fact::Paused { .. } => {
                self.counters.pauses += 1;
                None
            }
            Fact::Resumed { .. } => {
                self.counters.resumes += 1;
                None
            }
            Fact::Evicted { .. } => {
                self.counters.evictions += 1;
                None
            }
            Fact::Crashed { consumer, cause } => {
                self.counters.crashes += 1;
                self.counters.crashed_at.get_or_insert(tick);
                if let CrashCause::OutOfMemory { in_flight, .. } = *cause {
                    self.notes.out_of_memory = Some(in_flight);
                }
                self.history.crashed(*consumer);
                None
            }
            Fact::OwnerEnded { epoch, by, committed, position, spared, .. } => {
                if *by == EndedBy::Handover {
                    self.counters.handovers += 1;
                }
                self.history.epoch_ended(*epoch);
                let mut end = OwnerEnd::default();
                for (index, offset) in redelivered(&self.log, *committed, *position, spared) {
                    end.redelivered.push(offset);
                    if self.history.has_completed(index) {
                        end.duplicates.push(offset);
                    }
                }
                end.lost = self.history.take_lost(&self.log);
                self.end_owner(end)
            }
            Fact::Input(input) => {
                self.input = self.keeps_lists().then(|| input.clone());
                None
            }
            Fact::Ignored(why) => {
                let input = self.input.take();
                self.lists.ignored.extend(input.map(|input| IgnoredInput { tick, input, why: *why }));
                None
            }
            Fact::Assigned { .. }
            | Fact::DrainBegan { .. }
            | Fact::Restarted { .. }
            | Fact::RetryDue { .. }
            | Fact::MapTooLong { .. }
            | Fact::KnobsTurned(_) => None,
        }
    }

    fn write(&mut self, stamp: Stamp, held: Option<Offset>, accepted: bool, late: bool) {
        if late {
            self.counters.leaked += 1;
            self.notes.late_write_landed |= accepted;
            if self.keeps_lists() {
                self.lists.leaked.push(stamp);
            }
        }
        if !accepted {
            self.counters.rejected += 1;
            if self.keeps_lists() {
                self.lists.rejected.push(stamp);
            }
        } else if held.is_some_and(|held| stamp.offset < held) {
            self.counters.rows_back += 1;
            self.notes.row_went_back = true;
        }
    }

    fn end_owner(&mut self, end: OwnerEnd) -> Option<Remark> {
        self.counters.redelivered += end.redelivered.len() as u64;
        self.counters.duplicates += end.duplicates.len() as u64;
        self.counters.lost += end.lost.len() as u64;
        if self.keeps_lists() {
            self.lists.redelivered.extend(&end.redelivered);
            self.lists.duplicates.extend(&end.duplicates);
            self.lists.lost.extend(&end.lost);
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
        let id = EventId(self.events.len() as u64);
        let causes = self.causes.of(id, tick, &fact, remark.as_ref());
        self.events.push(Event { id, tick, fact, remark, causes });
    }
}

/// The two consumers' values, by consumer.
type PerConsumer<T> = [T; ConsumerId::ALL.len()];
