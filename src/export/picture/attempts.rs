//! The attempts of a run and what befell it, read off its events: what a Gantt chart shows.

use std::collections::BTreeMap;

use crate::{
    ids::{ConsumerId, Epoch, Offset, Tick, WorkerId},
    ledger::{Event, Remark},
    world::{Attempt, EndedBy, Fact, Input},
};

/// An attempt on its worker, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    pub(super) attempt: Attempt,
    /// When it ended; `None`: it runs.
    pub(super) ended: Option<Tick>,
    pub(super) end: End,
    /// A later offset of the same key had been completed before it.
    pub(super) after: Option<Offset>,
    /// When its ownership ended, if that was while it ran.
    pub(super) late_from: Option<Tick>,
    /// Its row write came after that: whether the guard accepted it.
    pub(super) late_write: Option<bool>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Running,
    Done,
    Failed,
    /// Its process died.
    Gone,
}

/// A moment that a line marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) tick: Tick,
    pub(super) words: String,
    /// Whether it is one of the things that go wrong.
    pub(super) bad: bool,
}

/// What a Gantt chart shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Story {
    pub(super) bars: Vec<Bar>,
    pub(super) moments: Vec<Moment>,
    /// Drains: from the revoke to the end of the ownership, if it has ended.
    pub(super) windows: Vec<(Tick, Option<Tick>)>,
    /// The last bar of each worker, by its place: a worker runs one attempt at a time.
    latest: BTreeMap<(ConsumerId, WorkerId), usize>,
}

impl Story {
    pub(super) fn of(events: &[Event]) -> Story {
        let mut story = Story::default();
        events.iter().for_each(|event| story.tell(event));
        story
    }

    fn tell(&mut self, event: &Event) {
        let tick = event.tick;
        match &event.fact {
            Fact::Started(attempt) => {
                self.latest.insert((attempt.consumer, attempt.worker), self.bars.len());
                self.bars.push(Bar {
                    attempt: *attempt,
                    ended: None,
                    end: End::Running,
                    after: None,
                    late_from: None,
                    late_write: None,
                });
            }
            Fact::Completed { attempt, .. } => {
                let after = match event.remark {
                    Some(Remark::OrderBreak { after }) => Some(after),
                    _ => None,
                };
                self.end(attempt, tick, End::Done, after);
            }
            Fact::Failed { attempt, .. } => self.end(attempt, tick, End::Failed, None),
            Fact::Wrote { attempt, accepted, late: true, .. } => {
                if let Some(bar) = self.latest(attempt) {
                    bar.late_write = Some(*accepted);
                }
            }
            Fact::OwnerEnded { epoch, by, .. } => self.owner_ended(*epoch, *by, tick),
            Fact::DrainBegan { .. } => {
                self.windows.push((tick, None));
                self.moment(tick, "revoke", false);
            }
            Fact::Crashed { consumer, .. } => {
                self.moment(tick, &format!("{consumer} dies"), true);
                self.died(*consumer, tick);
            }
            Fact::Evicted { consumer, .. } => self.moment(tick, &format!("{consumer} evicted"), true),
            Fact::Restarted { consumer } => self.moment(tick, &format!("{consumer} up again"), false),
            Fact::Input(Input::Stall { consumer, ticks }) => {
                self.moment(tick, &format!("{consumer} stalls, +{ticks}"), false);
            }
            _ => {}
        }
    }

    fn moment(&mut self, tick: Tick, words: &str, bad: bool) {
        self.moments.push(Moment { tick, words: words.to_owned(), bad });
    }

    fn end(&mut self, attempt: &Attempt, tick: Tick, end: End, after: Option<Offset>) {
        if let Some(bar) = self.latest(attempt) {
            (bar.ended, bar.end, bar.after) = (Some(tick), end, after);
        }
    }

    fn latest(&mut self, attempt: &Attempt) -> Option<&mut Bar> {
        let at = *self.latest.get(&(attempt.consumer, attempt.worker))?;
        self.bars.get_mut(at)
    }

    fn died(&mut self, consumer: ConsumerId, tick: Tick) {
        self.running(
            |bar| bar.attempt.consumer == consumer,
            |bar| (bar.ended, bar.end) = (Some(tick), End::Gone),
        );
    }

    fn owner_ended(&mut self, epoch: Epoch, by: EndedBy, tick: Tick) {
        if by == EndedBy::Handover {
            self.moment(tick, "handover", false);
        }
        if let Some((_, end @ None)) = self.windows.last_mut() {
            *end = Some(tick);
        }
        self.running(|bar| bar.attempt.epoch == epoch, |bar| bar.late_from = Some(tick));
    }

    /// Changes some of the bars that are still open.
    fn running(&mut self, whom: impl Fn(&Bar) -> bool, change: impl Fn(&mut Bar)) {
        for &at in self.latest.values() {
            if let Some(bar) = self.bars.get_mut(at).filter(|bar| bar.end == End::Running && whom(bar)) {
                change(bar);
            }
        }
    }
}
