//! One run at the end of a tick, as the drawing needs it; and what the tick came to, in words.

use super::Msg;
use crate::{
    ids::{ConsumerId, Tick},
    ledger::{Event, Remark},
    web::scene::{Stage, capitalised},
    world::{Fact, config::Intake},
};

/// Whether this tick's poll may bring records.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Gate {
    Open,
    Paused,
    /// Not even a poll: the batch before is unfinished.
    Blocked,
    /// The process is dead.
    Down,
}

impl Gate {
    pub(super) fn words(self) -> &'static str {
        match self {
            Gate::Open => "intake open",
            Gate::Paused => "intake paused",
            Gate::Blocked => "intake blocked",
            Gate::Down => "process dead",
        }
    }
}

/// One run at the end of a tick.
pub(super) struct Glance {
    pub(super) tick: Tick,
    /// As this tick's poll found it: the marks are tested after the poll.
    pub(super) gate: Gate,
    /// What that test changed for the next poll.
    pub(super) turns: Option<&'static str>,
    pub(super) in_flight: u64,
    /// Records that this tick's poll brought; `None`: it did not poll.
    pub(super) brought: Option<u64>,
    /// Records that finished in this tick.
    pub(super) finished: u64,
    /// Ticks since the last poll: those that were too many, in the tick of an eviction; those at its death of a
    /// dead process.
    pub(super) since_poll: u64,
    /// The ticks without a poll that led to an eviction in this tick.
    pub(super) evicted: Option<u64>,
    /// When the process died.
    pub(super) died: Option<Tick>,
    /// Whether the owner has read the log to its end.
    pub(super) has_read_all: bool,
    /// When polls bring records again that this tick's did not, because the client refetches.
    pub(super) refetched: Option<Tick>,
    /// Workers with nothing to do.
    pub(super) idle: usize,
}

impl Glance {
    pub(super) fn of(stage: &Stage<'_, Msg>, run: usize) -> Glance {
        let (world, now) = (stage.world(run), stage.tick());
        let session = world.consumer(ConsumerId::A).session();
        let died = stage.ledger(run).counters().crashed_at;
        // Whoever is dead polled last in the tick that killed it, and its time stands still since.
        let last_poll = session.map_or(died.unwrap_or(now), |session| session.last_poll());
        let polls = last_poll == now;
        let mut glance = Glance {
            tick: now,
            gate: match session {
                None => Gate::Down,
                Some(session) if session.is_paused() => Gate::Paused,
                Some(_) if world.knobs().intake == Intake::Block && !polls => Gate::Blocked,
                Some(_) => Gate::Open,
            },
            turns: None,
            in_flight: session.map_or(0, |session| session.in_flight()),
            brought: polls.then_some(0),
            finished: 0,
            since_poll: died.unwrap_or(now).since(last_poll),
            evicted: None,
            died,
            has_read_all: session.is_some_and(|session| session.next_index() >= world.log().len()),
            refetched: None,
            idle: (world.knobs().concurrency() as usize)
                .saturating_sub(world.consumer(ConsumerId::A).pool().running()),
        };
        for event in stage.events_now(run) {
            glance.note(event);
        }
        glance
    }

    fn note(&mut self, event: &Event) {
        match event.fact {
            Fact::Polled { taken, .. } => self.brought = Some(taken),
            Fact::EmptyPoll { until, .. } => self.refetched = Some(until),
            Fact::Completed { .. } => self.finished += 1,
            Fact::Paused { .. } => {
                self.gate = Gate::Open;
                self.turns = Some("pauses from the next poll on");
            }
            Fact::Resumed { .. } => {
                self.gate = Gate::Paused;
                self.turns = Some("resumes with the next poll");
            }
            Fact::Evicted { last_poll, .. } => {
                self.since_poll = event.tick.since(last_poll);
                self.evicted = Some(self.since_poll);
            }
            _ => {}
        }
    }

    /// Why an open intake got nothing.
    pub(super) fn nothing_read(&self) -> &'static str {
        match (self.refetched, self.has_read_all) {
            (Some(_), _) => "the client refetches",
            (None, true) => "nothing left to read",
            (None, false) => "nothing new to read",
        }
    }

    /// The share of max.poll.interval that is left; all of it where there is none.
    pub(super) fn time_left(&self, interval: Option<u64>) -> f64 {
        interval.map_or(1.0, |interval| interval.saturating_sub(self.since_poll) as f64 / interval as f64)
    }
}

/// What the tick came to, and whether that is bad.
pub(super) fn sentence(stage: &Stage<'_, Msg>, run: usize) -> Option<(String, bool)> {
    let events = stage.events_now(run);
    let find = |wanted: fn(&Fact) -> bool| events.iter().find(|event| wanted(&event.fact));
    let log = stage.world(run).log();
    if let Some(crash) = find(|fact| matches!(fact, Fact::Crashed { .. })) {
        return Some((capitalised(&crash.telling(log)), true));
    }
    if let Some(eviction) = find(|fact| matches!(fact, Fact::Evicted { .. })) {
        let end = events.iter().find_map(|event| came_again(event.remark.as_ref()?));
        let telling = capitalised(&eviction.telling(log));
        return Some((format!("{telling} {}", end.unwrap_or_default()), true));
    }
    let glance = Glance::of(stage, run);
    let mut told = plain(&glance);
    if let Some(moved) = find(|fact| matches!(fact, Fact::Paused { .. } | Fact::Resumed { .. })) {
        told = format!("{told} {}", capitalised(&moved.telling(log)));
    }
    if let Some(turned) = find(|fact| matches!(fact, Fact::KnobsTurned(_))) {
        told = format!("{} {told}", capitalised(&turned.telling(log)));
    }
    Some((told, glance.refetched.is_some()))
}

fn came_again(remark: &Remark) -> Option<String> {
    let Remark::OwnerEnd { redelivered, duplicates, .. } = remark else { return None };
    let (again, done) = (redelivered.len(), duplicates.len());
    let come = if again == 1 { "record comes" } else { "records come" };
    Some(format!("{again} uncommitted {come} again, {done} of them already done."))
}

fn plain(glance: &Glance) -> String {
    let Glance { finished, in_flight, idle, .. } = *glance;
    let intake = match (glance.gate, glance.brought) {
        (Gate::Down, _) => return "The process is dead: it polls nothing and finishes nothing.".to_owned(),
        (Gate::Paused, Some(0)) => "the poll asked for none".to_owned(),
        (_, Some(0)) => glance.nothing_read().to_owned(),
        (_, Some(brought)) => format!("{brought} came in"),
        (_, None) => "no poll".to_owned(),
    };
    let finished = if finished == 0 { "Nothing".to_owned() } else { finished.to_string() };
    let Some(until) = glance.refetched else {
        return format!("{finished} finished, {intake}; {in_flight} in flight.");
    };
    let idle = match idle {
        0 => String::new(),
        1 => ", 1 worker idle".to_owned(),
        idle => format!(", {idle} workers idle"),
    };
    format!("{finished} finished, {intake} until tick {until}; {in_flight} in flight{idle}.")
}
