//! The tank: a cell per record in flight, a pipe in with its gate, a pipe out, and the timer of the polls.
//!
//! Eight columns, so that the low mark is one full row, the high mark three and the heap nine, at the heights
//! that they have in the chart. A record falls straight down as older ones below it finish.

use yew::prelude::*;

use super::{Gate, Glance, LEVELS, Msg, rates};
use crate::{
    ids::{ConsumerId, Offset},
    presets::backpressure::{Backpressure, LOW, MAX_POLL_INTERVAL},
    web::scene::Stage,
    world::{Fact, TaskState},
};

/// Records side by side.
const COLUMNS: u64 = LOW;

/// Where a record is drawn.
#[derive(Clone, Copy)]
enum Place {
    Tank {
        column: u64,
        row: u64,
    },
    /// In the pipe out, as the nth of so many.
    Out {
        nth: usize,
        of: usize,
    },
}

struct Drop {
    offset: Offset,
    state: &'static str,
    place: Place,
    /// Polled in this tick, as the nth of so many.
    fresh: Option<(u64, u64)>,
    again: bool,
}

impl Drop {
    fn view(&self) -> Html {
        let mut style = match self.place {
            Place::Tank { column, row } => format!("--c:{column};--r:{row}"),
            Place::Out { nth, of } => format!("--i:{nth};--n:{of}"),
        };
        if let Some((nth, of)) = self.fresh {
            style.push_str(&format!(";--i:{nth};--n:{of}"));
        }
        let out = matches!(self.place, Place::Out { .. });
        html! {
            <span class="chip drop" key={self.offset.0} {style} data-offset={self.offset.to_string()} data-key="none"
                data-state={self.state} data-out={out.then_some("")} data-fresh={self.fresh.map(|_| "")}
                data-redelivered={self.again.then_some("")}>
                <b>{self.offset.0}</b>
            </span>
        }
    }
}

/// The poll timer, and what intake does.
pub(super) fn head(glance: &Glance) -> Html {
    let evicted = glance.evicted.is_some();
    let down = glance.gate == Gate::Down;
    let since = glance.since_poll;
    let left = if evicted {
        1.0
    } else if down {
        0.0
    } else {
        glance.time_left()
    };
    let nears = if down { 0.0 } else { 1.0 - glance.time_left() };
    let label = format!("{since} ticks since the last poll; evicted at {MAX_POLL_INTERVAL}");
    let (status, detail) = match (glance.gate, glance.brought) {
        _ if evicted => ("Evicted".to_owned(), format!("{since} ticks without a poll")),
        (Gate::Down, Some(brought)) => {
            (format!("Polled: {brought} came"), "more than the heap holds".to_owned())
        }
        (Gate::Down, None) => ("No poll".to_owned(), "the process is dead".to_owned()),
        (Gate::Paused, Some(0)) => ("Polled: asked for none".to_owned(), since_text(since)),
        (_, Some(brought)) => (format!("Polled: {brought} came"), since_text(since)),
        (_, None) => ("No poll".to_owned(), since_text(since)),
    };
    html! {
        <div class="poll" data-part="poll-timer" data-bad={evicted.then_some("")}>
            <span class="ring poll-ring" role="img" aria-label={label} data-bad={evicted.then_some("")} data-beat={beat(glance)}
                style={format!("--left:{left:.4};--nears:{nears:.4}")}>
                <b>{if down { "–".to_owned() } else { since.to_string() }}</b>
            </span>
            <p><b>{status}</b><br /><span>{detail}</span></p>
        </div>
    }
}

fn since_text(since: u64) -> String {
    format!("{since} of {MAX_POLL_INTERVAL} ticks since the last poll")
}

/// Changes with every poll, so that the ring is seen to refill even where it was nearly full.
fn beat(glance: &Glance) -> Option<&'static str> {
    let even = glance.tick.0.is_multiple_of(2);
    glance.brought.map(|_| if even { "even" } else { "odd" })
}

/// The tank with its pipes, and the levels that it shares with the chart.
pub(super) fn view(stage: &Stage<'_, Msg>, run: usize, glance: &Glance) -> Html {
    let Backpressure { fetch, drain } = rates(stage);
    let Glance { in_flight, brought, finished, gate, .. } = *glance;
    let flows = |count: u64| (count > 0 && gate != Gate::Down).then_some("");
    let label = format!("Tank: {in_flight} records in flight, {}", gate.words());
    let level = |&(name, part, value): &(&'static str, &'static str, u64)| {
        html! { <p class="level" data-part={part} style={format!("--v:{value}")}><span>{name}{" "}<b>{value}</b></span></p> }
    };
    html! {
        <div class="tank-stage" data-gate={(gate == Gate::Open).then_some("open")}>
            <div class="pipe pipe-in" data-part="fetch" data-flows={flows(brought.unwrap_or(0))}><span class="gate" /></div>
            <p class="pipe-label pipe-label-in">{"fetch "}<b>{fetch}</b><span class="gate-word">{gate.words()}</span></p>
            <div class="tank" data-part="tank" role="img" aria-label={label} data-bad={glance.died.map(|_| "")}>
                <span class="liquid" style={format!("--v:{in_flight}")} />
            </div>
            {for LEVELS.iter().map(level)}
            <div class="pipe pipe-out" data-part="drain-rate" data-flows={flows(finished)} />
            <p class="pipe-label pipe-label-out">{"drain "}<b>{drain}</b></p>
            <div class="drops" aria-hidden="true">{for drops(stage, run).iter().map(Drop::view)}</div>
            {for glance.died.map(|tick| wreck(tick.0))}
        </div>
    }
}

/// The burst tank.
fn wreck(tick: u64) -> Html {
    html! {
        <div class="wreck" data-wreck={tick.to_string()}>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
                <path d="M48 0l6 14-13 8 8 12M41 22l-19 6-8 12M100 18l-17 5-6 11-11 3M46 100l4-14-9-9 7-10M41 77l-20 4-7-9M100 79l-19-5-10 6" />
            </svg>
            <p>{"out of memory"}<br />{format!("at tick {tick}")}</p>
        </div>
    }
}

fn drops(stage: &Stage<'_, Msg>, run: usize) -> Vec<Drop> {
    let tank = in_tank(stage, run);
    let finished: Vec<Offset> = stage
        .events_now(run)
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::Completed { attempt, .. } => Some(attempt.offset),
            _ => None,
        })
        // An eviction may have brought it again in this very tick.
        .filter(|offset| tank.iter().all(|drop| drop.offset != *offset))
        .collect();
    let of = finished.len();
    let out = finished.into_iter().enumerate().map(|(nth, offset)| Drop {
        offset,
        state: "done",
        place: Place::Out { nth, of },
        fresh: None,
        again: false,
    });
    out.chain(tank).collect()
}

fn in_tank(stage: &Stage<'_, Msg>, run: usize) -> Vec<Drop> {
    let Some(session) = stage.world(run).consumer(ConsumerId::A).session() else { return Vec::new() };
    let polled = stage.events_now(run).iter().rev().find_map(|event| match event.fact {
        Fact::Polled { indices, .. } => Some(indices),
        _ => None,
    });
    let reached = reached_before(stage, run);
    let mut heights = [0; COLUMNS as usize];
    let mut place = |offset: Offset| {
        let column = offset.0.unsigned_abs() % COLUMNS;
        let height = &mut heights[column as usize];
        *height += 1;
        Place::Tank { column, row: *height - 1 }
    };
    let drop = |(offset, task): (Offset, &crate::world::Task)| Drop {
        offset,
        state: if task.state == TaskState::Running { "running" } else { "queued" },
        place: place(offset),
        fresh: polled.and_then(|(from, to)| Some((task.index.checked_sub(from)?, to - from))),
        again: offset < reached,
    };
    session.tracker().iter().map(drop).collect()
}

/// Where owners that were evicted had got to: what lies below comes again.
fn reached_before(stage: &Stage<'_, Msg>, run: usize) -> Offset {
    let positions = stage.ledger(run).events().iter().filter_map(|event| match event.fact {
        Fact::OwnerEnded { position, .. } => Some(position),
        _ => None,
    });
    positions.max().unwrap_or_default()
}
