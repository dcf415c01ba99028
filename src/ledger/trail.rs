//! A way back through the recorded causes, and the knobs as they stood along it.

use std::{
    collections::{BTreeMap, VecDeque, btree_map::Entry},
    fmt,
};

use super::{Event, EventId};
use crate::{
    ids::Tick,
    world::{Fact, Knobs, Setup},
};

/// The events of a run, with what it started from.
#[derive(Clone, Copy)]
pub(super) struct Story<'a> {
    pub(super) events: &'a [Event],
    pub(super) setup: &'a Setup,
}

/// A chain of events, each a recorded cause of the one before it.
#[derive(Clone)]
pub(super) struct Trail<'a> {
    pub(super) story: Story<'a>,
    pub(super) chain: Vec<EventId>,
    /// Where it has got to.
    pub(super) end: &'a Event,
}

/// From when on a knob stood as it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since {
    /// The event that turned it; `None`: it was never turned.
    pub(super) event: Option<EventId>,
    pub(super) tick: Tick,
}

impl<'a> Story<'a> {
    pub(super) fn event(self, id: EventId) -> Option<&'a Event> {
        self.events.get(usize::try_from(id.0).ok()?).filter(|event| event.id == id)
    }

    /// The events before this one, the latest first.
    pub(super) fn back_from(self, id: EventId) -> impl Iterator<Item = &'a Event> {
        self.events[..self.events.partition_point(|event| event.id < id)].iter().rev()
    }

    /// The first event of a tick, or of the first one after it in which anything happened.
    pub(super) fn first_of(self, tick: Tick) -> EventId {
        EventId(self.events.partition_point(|event| event.tick < tick) as u64)
    }

    /// The knobs just before an event, and since when the part of them that is asked for had its value.
    pub(super) fn knobs<T: PartialEq>(self, before: EventId, part: impl Fn(&Knobs) -> T) -> (Knobs, Since) {
        let mut knobs = self.setup.knobs().clone();
        let mut since = Since::default();
        for event in self.events.iter().take_while(|event| event.id < before) {
            if let Fact::KnobsTurned(turned) = &event.fact
                && let Ok(new) = knobs.with(turned)
            {
                if part(&new) != part(&knobs) {
                    since = Since { event: Some(event.id), tick: event.tick };
                }
                knobs = new;
            }
        }
        (knobs, since)
    }

    /// A trail that begins here.
    pub(super) fn at(self, event: &'a Event) -> Trail<'a> {
        Trail { story: self, chain: vec![event.id], end: event }
    }
}

impl<'a> Trail<'a> {
    /// The first recorded cause of its end that is what is wanted.
    pub(super) fn cause(&self, wanted: impl Fn(&Event) -> bool) -> Option<&'a Event> {
        let mut causes = self.end.causes.iter().filter_map(|&id| self.story.event(id));
        causes.find(|event| wanted(event))
    }

    /// Goes on to the nearest event that is what is wanted; of several equally near ones, to the one that the
    /// ledger's order of causes puts first.
    pub(super) fn to(mut self, wanted: impl Fn(&Event) -> bool) -> Option<Trail<'a>> {
        let mut effects = BTreeMap::new();
        let mut next = VecDeque::from([self.end]);
        let found = loop {
            let event = next.pop_front()?;
            if event.id != self.end.id && wanted(event) {
                break event;
            }
            for &cause in &event.causes {
                if let Entry::Vacant(entry) = effects.entry(cause) {
                    entry.insert(event.id);
                    next.extend(self.story.event(cause));
                }
            }
        };
        let mut way = vec![found.id];
        while let Some(&effect) = way.last().and_then(|last| effects.get(last))
            && effect != self.end.id
        {
            way.push(effect);
        }
        self.chain.extend(way.into_iter().rev());
        self.end = found;
        Some(self)
    }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.event {
            None => f.write_str("from the start"),
            Some(event) => write!(f, "since tick {} (event {event})", self.tick),
        }
    }
}
