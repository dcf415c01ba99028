//! What must always hold: one table, three readers.
//!
//! Tests assert it after every tick, the command line reports it, the page shows it as badges. Each entry is
//! a sentence and a function of the world and the ledger's notes, judged at the end of each tick. Some are
//! broken on purpose, by a rule that somebody chose.

use super::history::History;
use crate::{
    ids::{Epoch, Offset, Tick},
    world::{Fact, World},
};

/// A promise.
pub struct Invariant {
    /// The sentence: its name everywhere.
    pub sentence: &'static str,
    /// Which choice breaks it; empty: none does.
    pub broken_by: &'static str,
    holds: fn(&World, &TickNotes, &History) -> bool,
}

/// What the facts of one tick said, as far as an invariant asks, and what the ticks before left to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct TickNotes {
    pub(super) overlap: bool,
    pub(super) order_break: bool,
    pub(super) late_write_landed: bool,
    pub(super) row_went_back: bool,
    /// Records in flight that the heap could not hold.
    pub(super) out_of_memory: Option<u64>,
    evicted: bool,
    empty_poll: bool,
    needless_revoke: bool,
    started_while_draining: bool,
    stale_change: bool,
    /// Kept from tick to tick.
    epoch: Epoch,
    draining: bool,
    /// Records of this epoch that were polled, and that became terminal.
    polled: u64,
    terminal: u64,
    /// Epoch, watermark and committed offset at the end of the tick before.
    last: Option<(Epoch, Offset, Offset)>,
}

/// The invariants, in the order in which a reader should see them.
pub const INVARIANTS: [Invariant; 18] = [
    Invariant {
        sentence: "one key, one worker",
        broken_by: "a shared pool",
        holds: |_, notes, _| !notes.overlap,
    },
    Invariant {
        sentence: "a key's records complete in offset order",
        broken_by: "a shared pool, or a retry at the tail",
        holds: |_, notes, _| !notes.order_break,
    },
    Invariant {
        sentence: "every polled record is in exactly one state",
        broken_by: "",
        holds: |world, _, _| world.owner().is_none_or(|(_, session)| session.adds_up()),
    },
    Invariant {
        sentence: "no worker idles beside a record it may run",
        broken_by: "",
        holds: |world, _, _| {
            world.owner().is_none_or(|(id, session)| {
                let free = world.consumer(id).pool().running() < world.knobs().concurrency() as usize;
                !(free && session.has_ready() && session.handover().is_none())
            })
        },
    },
    Invariant {
        sentence: "nothing below the committed offset is unfinished",
        broken_by: "committing the highest offset",
        holds: |world, _, history| world.owner().is_none() || !history.has_unfinished_below(),
    },
    Invariant {
        sentence: "committed <= watermark <= position",
        broken_by: "committing the highest offset, or late commits",
        holds: |world, _, _| {
            world.owner().is_none_or(|(_, session)| {
                let low = session.tracker().low();
                world.broker().committed() <= low && low <= session.tracker().position()
            })
        },
    },
    Invariant {
        sentence: "watermark and committed offset never go back",
        broken_by: "late commits",
        holds: |world, notes, _| match (notes.last, standing(world)) {
            (Some((epoch, low, committed)), Some((now_epoch, now_low, now_committed))) => {
                epoch != now_epoch || (low <= now_low && committed <= now_committed)
            }
            _ => true,
        },
    },
    Invariant {
        sentence: "in flight stays below high + poll",
        broken_by: "marks lowered or abolished while records are in flight",
        holds: |world, _, _| match (world.owner(), world.high_mark()) {
            (Some((_, session)), Some(high)) => session.in_flight() < high.saturating_add(world.knobs().poll),
            _ => true,
        },
    },
    Invariant {
        sentence: "in flight never exceeds the heap ceiling",
        broken_by: "an unbounded queue, or marks or polls larger than the heap",
        holds: |world, notes, _| {
            let ceiling = world.knobs().heap_ceiling.unwrap_or(u64::MAX);
            notes.out_of_memory.is_none()
                && world.owner().is_none_or(|(_, session)| session.in_flight() <= ceiling)
        },
    },
    Invariant {
        sentence: "a poll at least every max.poll.interval",
        broken_by: "blocking intake, or a drain of the interval less one tick, or longer",
        holds: |_, notes, _| !notes.evicted,
    },
    Invariant {
        sentence: "a partition is paused only while its owner's gate is closed",
        broken_by: "a pause kept across an assignment",
        holds: |world, _, _| world.owner().is_none_or(|(_, session)| !session.is_still_paused()),
    },
    Invariant {
        sentence: "a poll through an open gate brings what there is",
        broken_by: "a prefetch thrown away at a pause",
        holds: |_, notes, _| !notes.empty_poll,
    },
    Invariant {
        sentence: "after a revoke the old owner starts nothing",
        broken_by: "",
        holds: |_, notes, _| !notes.started_while_draining,
    },
    Invariant {
        sentence: "nothing after the fence changes tracker or commit",
        broken_by: "late commits",
        holds: |_, notes, _| !notes.stale_change,
    },
    Invariant {
        sentence: "no write lands after the handover",
        broken_by: "a drain shorter than the work in flight, or an eviction",
        holds: |_, notes, _| !notes.late_write_landed,
    },
    Invariant {
        sentence: "a row's version never goes back",
        broken_by: "the guard switched off",
        holds: |_, notes, _| !notes.row_went_back,
    },
    Invariant {
        sentence: "a repeated or stale completion changes nothing",
        broken_by: "",
        holds: |world, notes, _| {
            world.owner().is_none_or(|(_, session)| {
                notes.polled.checked_sub(notes.terminal) == Some(session.in_flight())
            })
        },
    },
    Invariant {
        sentence: "what stays with its owner is not revoked",
        broken_by: "the eager protocol",
        holds: |_, notes, _| !notes.needless_revoke,
    },
];

impl Invariant {
    /// The invariant with this sentence, and its place in the table.
    #[must_use]
    pub fn named(sentence: &str) -> Option<(usize, &'static Invariant)> {
        INVARIANTS.iter().enumerate().find(|(_, invariant)| invariant.sentence == sentence)
    }
}

impl TickNotes {
    pub(super) fn tell(&mut self, fact: &Fact) {
        match *fact {
            Fact::Assigned { epoch, .. } => {
                self.epoch = epoch;
                self.draining = false;
                (self.polled, self.terminal) = (0, 0);
            }
            // Between two owners no epoch is current, and a change in the name of any is stale.
            Fact::OwnerEnded { .. } => self.epoch = Epoch(0),
            Fact::DrainBegan { .. } => self.draining = true,
            Fact::Evicted { .. } => self.evicted = true,
            Fact::EmptyPoll { .. } => self.empty_poll = true,
            Fact::Rebalanced { revoked: true, .. } => self.needless_revoke = true,
            Fact::Started(attempt) => {
                self.started_while_draining |= self.draining || attempt.epoch != self.epoch;
            }
            Fact::Polled { epoch, taken, .. } => {
                self.stale_change |= epoch != self.epoch;
                self.polled += taken;
            }
            Fact::Completed { attempt, late: false } => {
                self.stale_change |= attempt.epoch != self.epoch;
                self.terminal += 1;
            }
            Fact::DeadLettered { epoch, .. } => {
                self.stale_change |= epoch != self.epoch;
                self.terminal += 1;
            }
            Fact::Committed { epoch, .. } | Fact::WatermarkNoted { epoch, .. } => {
                self.stale_change |= epoch != self.epoch;
            }
            _ => {}
        }
    }

    /// The epochs that occur here.
    pub(super) fn epochs(&self) -> impl Iterator<Item = Epoch> {
        [self.epoch].into_iter().chain(self.last.map(|(epoch, ..)| epoch))
    }

    /// Gives every epoch another number, and keeps their order.
    pub(super) fn renumber(&mut self, number: impl Fn(Epoch) -> Epoch) {
        self.epoch = number(self.epoch);
        self.last = self.last.map(|(epoch, low, committed)| (number(epoch), low, committed));
    }

    pub(super) fn next_tick(&mut self, world: &World) {
        let &mut TickNotes { epoch, draining, polled, terminal, .. } = self;
        *self =
            TickNotes { epoch, draining, polled, terminal, last: standing(world), ..TickNotes::default() };
    }
}

/// Epoch, watermark and committed offset of an owner that is up.
fn standing(world: &World) -> Option<(Epoch, Offset, Offset)> {
    let (_, session) = world.owner()?;
    Some((session.epoch(), session.tracker().low(), world.broker().committed()))
}

/// Since when each invariant is broken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Verdicts {
    broken_since: [Option<Tick>; INVARIANTS.len()],
}

impl Verdicts {
    pub(super) fn judge(&mut self, tick: Tick, world: &World, notes: &TickNotes, history: &History) {
        for (invariant, broken) in INVARIANTS.iter().zip(&mut self.broken_since) {
            if broken.is_none() && !(invariant.holds)(world, notes, history) {
                *broken = Some(tick);
            }
        }
    }

    /// The tick at whose end an invariant was first found broken, by its place in [`INVARIANTS`].
    #[must_use]
    pub fn broken_since(&self, place: usize) -> Option<Tick> {
        self.broken_since.get(place).copied().flatten()
    }

    /// Every invariant with its verdict.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Invariant, Option<Tick>)> + '_ {
        INVARIANTS.iter().zip(self.broken_since.iter().copied())
    }

    /// The broken ones, in the table's order.
    pub fn violated(&self) -> impl Iterator<Item = (&'static Invariant, Tick)> + '_ {
        self.iter().filter_map(|(invariant, since)| Some((invariant, since?)))
    }
}
