//! The attempts of a run as bars over time: read off the ledger's events, where they lie and what became of
//! them. No markup here.

use std::collections::BTreeSet;

use crate::{
    ids::{ConsumerId, Epoch, Offset, Tick},
    ledger::{Event, Remark},
    run::Run,
    world::{Attempt, Fact, Input},
};

/// One attempt.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) attempt: Attempt,
    /// When it ended, or ends as things stand.
    pub(super) to: Tick,
    pub(super) over: bool,
    /// While its consumer was stalled, it stood still: from, to.
    pub(super) stalled: Option<(Tick, Tick)>,
    /// From when on its epoch had ended.
    pub(super) late_from: Option<Tick>,
    /// Whether a former owner had been given the record too.
    pub(super) again: bool,
}

impl Bar {
    /// What tells it from every other attempt of any run of this log.
    pub(super) fn id(&self) -> (ConsumerId, Epoch, Offset, u32) {
        let Attempt { consumer, epoch, offset, number, .. } = self.attempt;
        (consumer, epoch, offset, number)
    }
}

/// What the chart tells.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) bars: Vec<Bar>,
    /// When A was told to give the partition up.
    pub(super) revoked: Option<Tick>,
    /// When its epoch ended.
    pub(super) fenced: Option<Tick>,
    /// Whose database was slow, from when to when.
    pub(super) stalls: Vec<(ConsumerId, Tick, Tick)>,
    fences: Vec<(Epoch, Tick)>,
    again: BTreeSet<Offset>,
}

impl Story {
    /// The story so far.
    pub(super) fn of(run: &Run) -> Story {
        let mut story = Story::default();
        for event in run.ledger().events() {
            story.tell(event);
        }
        for id in ConsumerId::ALL {
            for attempt in run.world().consumer(id).pool().attempts() {
                // Without an end it lasts at least as long as it has lasted.
                story.reach(attempt, attempt.ends.unwrap_or(run.now()));
            }
        }
        for bar in &mut story.bars {
            let fence = story.fences.iter().find(|(epoch, _)| *epoch == bar.attempt.epoch);
            bar.late_from = fence.map(|&(_, tick)| tick).filter(|&tick| bar.to > tick);
            let ran_at = |at: Tick| bar.attempt.started < at && at < bar.to;
            let stall =
                story.stalls.iter().find(|&&(id, from, _)| id == bar.attempt.consumer && ran_at(from));
            bar.stalled = stall.map(|&(_, from, to)| (from, to.min(bar.to)));
        }
        story
    }

    fn tell(&mut self, event: &Event) {
        match &event.fact {
            Fact::Input(Input::Stall { consumer, ticks }) => {
                self.stalls.push((*consumer, event.tick, event.tick.after(*ticks)));
            }
            Fact::DrainBegan { .. } => self.revoked = self.revoked.or(Some(event.tick)),
            Fact::OwnerEnded { epoch, .. } => {
                self.fenced = self.fenced.or(Some(event.tick));
                self.fences.push((*epoch, event.tick));
                if let Some(Remark::OwnerEnd { redelivered, .. }) = &event.remark {
                    self.again.extend(redelivered);
                }
            }
            Fact::Started(attempt) => self.bars.push(Bar {
                attempt: *attempt,
                to: event.tick.after(1),
                over: false,
                stalled: None,
                late_from: None,
                again: self.again.contains(&attempt.offset),
            }),
            Fact::Completed { attempt, .. } | Fact::Failed { attempt, .. } => {
                if let Some(bar) = self.reach(attempt, event.tick) {
                    bar.over = true;
                }
            }
            _ => {}
        }
    }

    /// The bar of an attempt that runs now reaches to `tick`.
    fn reach(&mut self, attempt: &Attempt, tick: Tick) -> Option<&mut Bar> {
        let runs = |bar: &&mut Bar| {
            let other = &bar.attempt;
            !bar.over && (other.consumer, other.worker) == (attempt.consumer, attempt.worker)
        };
        let bar = self.bars.iter_mut().rev().find(runs)?;
        bar.to = tick.max(bar.attempt.started.after(1));
        Some(bar)
    }
}
