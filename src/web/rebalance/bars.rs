//! The attempts of a run as bars over time: read off the ledger's events, where they lie and what became of
//! them. No markup here.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset, Tick},
    ledger::{Event, Remark},
    run::Run,
    world::{Attempt, EndedBy, Fact, Input},
};

/// One attempt.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) attempt: Attempt,
    /// When it ended, or ends as things stand.
    pub(super) to: Tick,
    /// How it ended, once it has.
    pub(super) end: Option<BarEnd>,
    /// While its consumer was stalled, it stood still: from, to.
    pub(super) stalled: Option<(Tick, Tick)>,
    /// From when on its epoch had ended.
    pub(super) late_from: Option<Tick>,
    /// Whether a former owner had been given the record too.
    pub(super) again: bool,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarEnd {
    /// It was done, or failed.
    Over,
    /// Its process died.
    Cut,
}

impl Bar {
    /// What tells it from every other attempt of any run of this log.
    pub(super) fn id(&self) -> (ConsumerId, Epoch, Offset, u32) {
        let Attempt { consumer, epoch, offset, number, .. } = self.attempt;
        (consumer, epoch, offset, number)
    }
}

/// What the chart and the store's part tell, read off the events one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    /// How many events were read.
    told: usize,
    bars: Vec<Bar>,
    pub(super) drain: Option<Drain>,
    /// Whose database was slow, from when to when.
    pub(super) stalls: Vec<(ConsumerId, Tick, Tick)>,
    /// The writes, and of each row the last one that was accepted, by their places among the events.
    pub(super) writes: Vec<usize>,
    pub(super) accepted: BTreeMap<KeyId, usize>,
    /// How many of the writes that leaked the guard stopped.
    pub(super) leaks_rejected: u64,
    /// When each epoch ended.
    fences: BTreeMap<Epoch, Tick>,
    again: BTreeSet<Offset>,
}

/// The first time that an owner was told to give the partition up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drain {
    pub(super) from: ConsumerId,
    pub(super) revoked: Tick,
    /// When it has to be over.
    pub(super) deadline: Tick,
    pub(super) end: Option<DrainEnd>,
}

/// How that ownership ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrainEnd {
    pub(super) epoch: Epoch,
    pub(super) by: EndedBy,
    pub(super) at: Tick,
    /// Its writes that came later.
    pub(super) leaked: u64,
}

impl Story {
    /// The story so far.
    pub(super) fn of(run: &Run) -> Story {
        let mut story = Story::default();
        story.go_on(run);
        story
    }

    /// Whether [`go_on`](Story::go_on) can be told of a run: of one that is the same up to here.
    pub(super) fn begins(&self, run: &Run) -> bool {
        self.told <= run.ledger().events().len()
    }

    /// The story up to now, from where it was: a run may be long.
    pub(super) fn go_on(&mut self, run: &Run) {
        let events = run.ledger().events();
        for (place, event) in events.iter().enumerate().skip(self.told) {
            self.tell(place, event);
        }
        self.told = events.len();
        for id in ConsumerId::ALL {
            for attempt in run.world().consumer(id).pool().attempts() {
                // Without an end it lasts at least as long as it has lasted.
                self.reach(attempt, attempt.ends.unwrap_or(run.now()));
            }
        }
    }

    /// All bars, without what lies on them.
    pub(super) fn bars(&self) -> &[Bar] {
        &self.bars
    }

    /// The bars between two ticks, with what lies on them.
    pub(super) fn bars_between(&self, from: u64, to: u64) -> impl Iterator<Item = Bar> + '_ {
        let touches = move |bar: &&Bar| bar.attempt.started.0 < to && bar.to.0 > from;
        self.bars.iter().filter(touches).map(|bar| Bar {
            late_from: self.late_from(bar),
            stalled: self.stalled(bar),
            ..bar.clone()
        })
    }

    /// When the bar's epoch ended, if it reaches beyond.
    pub(super) fn late_from(&self, bar: &Bar) -> Option<Tick> {
        self.fences.get(&bar.attempt.epoch).copied().filter(|&tick| bar.to > tick)
    }

    fn stalled(&self, bar: &Bar) -> Option<(Tick, Tick)> {
        let ran_at = |at: Tick| bar.attempt.started < at && at < bar.to;
        let stalls = |&&(id, from, _): &&(ConsumerId, Tick, Tick)| id == bar.attempt.consumer && ran_at(from);
        self.stalls.iter().find(stalls).map(|&(_, from, to)| (from, to.min(bar.to)))
    }

    fn tell(&mut self, place: usize, event: &Event) {
        match &event.fact {
            Fact::Input(Input::Stall { consumer, ticks }) => {
                self.stalls.push((*consumer, event.tick, event.tick.after(*ticks)));
            }
            Fact::DrainBegan { from, deadline, .. } => {
                let drain = Drain { from: *from, revoked: event.tick, deadline: *deadline, end: None };
                self.drain.get_or_insert(drain);
            }
            Fact::OwnerEnded { consumer, epoch, by, .. } => {
                self.fences.insert(*epoch, event.tick);
                if let Some(drain) = self.drain.as_mut().filter(|drain| drain.from == *consumer) {
                    let end = DrainEnd { epoch: *epoch, by: *by, at: event.tick, leaked: 0 };
                    drain.end.get_or_insert(end);
                }
                if let Some(Remark::OwnerEnd { redelivered, .. }) = &event.remark {
                    self.again.extend(redelivered);
                }
            }
            Fact::Crashed { consumer, .. } => self.cut(*consumer, event.tick),
            Fact::Started(attempt) => self.bars.push(Bar {
                attempt: *attempt,
                to: event.tick.after(1),
                end: None,
                stalled: None,
                late_from: None,
                again: self.again.contains(&attempt.offset),
            }),
            Fact::Completed { attempt, .. } | Fact::Failed { attempt, .. } => {
                if let Some(bar) = self.reach(attempt, event.tick) {
                    bar.end = Some(BarEnd::Over);
                }
            }
            Fact::Wrote { attempt, key, accepted, late, .. } => {
                self.writes.push(place);
                if *accepted {
                    self.accepted.insert(*key, place);
                }
                self.leaks_rejected += u64::from(*late && !accepted);
                let end = self.drain.as_mut().and_then(|drain| drain.end.as_mut());
                if let Some(end) = end.filter(|end| end.epoch == attempt.epoch) {
                    end.leaked += u64::from(*late);
                }
            }
            _ => {}
        }
    }

    /// The bar of an attempt that runs now reaches to `tick`.
    fn reach(&mut self, attempt: &Attempt, tick: Tick) -> Option<&mut Bar> {
        let runs = |bar: &&mut Bar| {
            let other = &bar.attempt;
            bar.end.is_none() && (other.consumer, other.worker) == (attempt.consumer, attempt.worker)
        };
        let bar = self.bars.iter_mut().rev().find(runs)?;
        bar.to = tick.max(bar.attempt.started.after(1));
        Some(bar)
    }

    /// The process died, and what it had running ended there.
    fn cut(&mut self, consumer: ConsumerId, tick: Tick) {
        let running = |bar: &&mut Bar| bar.end.is_none() && bar.attempt.consumer == consumer;
        for bar in self.bars.iter_mut().filter(running) {
            (bar.to, bar.end) = (tick.max(bar.attempt.started), Some(BarEnd::Cut));
        }
    }
}
