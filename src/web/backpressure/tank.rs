//! The tank: a cell per record in flight, a pipe in with its gate, a pipe out, and the timer of the polls.
//!
//! Eight columns, so that the low mark is one full row, the high mark three and the heap nine, at the heights
//! that they have in the chart. A record falls straight down as older ones below it finish.

use yew::prelude::*;

use super::{Gate, Glance, Limits, Msg, WIDEST, limits::Level, rates};
use crate::{
    ids::{ConsumerId, Offset},
    presets::backpressure::LOW,
    web::{
        chip::{CHIP_DIGITS, Look, short},
        scene::Stage,
    },
    world::{Fact, Task},
};

/// Records side by side.
const COLUMNS: u64 = LOW;

/// Records drawn in the tank at most: the liquid's level tells of any number.
const MOST_DROPS: usize = 192;

/// Stacks records, the lowest offsets first: each in its column, on those that are there.
#[derive(Default)]
struct Stacks {
    heights: [u64; COLUMNS as usize],
}

impl Stacks {
    /// The column and the row of the next record, by its place in the log.
    fn put(&mut self, index: u64) -> (u64, u64) {
        let column = index % COLUMNS;
        let height = &mut self.heights[column as usize];
        *height += 1;
        (column, *height - 1)
    }
}

/// The pipe that a record passes in this tick, if it does: as the nth of so many.
#[derive(Clone, Copy)]
enum Pipe {
    None,
    In(u64, u64),
    Out(u64, u64),
}

/// A record, as it is drawn.
struct Droplet {
    offset: Offset,
    look: Look,
    /// Its column and row in the tank: where it is, or where it was in the tick before.
    cell: (u64, u64),
    pipe: Pipe,
    /// Whether it came again after an eviction.
    again: bool,
}

impl Droplet {
    fn view(&self) -> Html {
        let (column, row) = self.cell;
        let (fresh, out, (nth, of)) = match self.pipe {
            Pipe::None => (None, None, (0, 0)),
            Pipe::In(nth, of) => (Some(""), None, side_by_side(nth, of)),
            Pipe::Out(nth, of) => (None, Some(""), side_by_side(nth, of)),
        };
        html! {
            <span class="chip drop" key={self.offset.0} style={format!("--c:{column};--r:{row};--i:{nth};--n:{of}")}
                data-offset={self.offset.to_string()} data-key="none" data-state={self.look.word()}
                data-fresh={fresh} data-out={out} data-redelivered={self.again.then_some("")}>
                <b>{short(self.offset, CHIP_DIGITS)}</b>
            </span>
        }
    }
}

/// Which of how many in a pipe: where there are more than fit, several at one place.
fn side_by_side(nth: u64, of: u64) -> (u64, u64) {
    if of > WIDEST { (nth * WIDEST / of, WIDEST) } else { (nth, of) }
}

/// The poll timer, and what intake does.
pub(super) fn head(glance: &Glance, limits: &Limits) -> Html {
    let evicted = glance.evicted.is_some();
    let down = glance.gate == Gate::Down;
    let since = glance.since_poll;
    let left = if evicted {
        1.0
    } else if down {
        0.0
    } else {
        glance.time_left(limits.interval)
    };
    let nears = if down { 0.0 } else { 1.0 - glance.time_left(limits.interval) };
    let label = if down {
        "No poll any more: the process is dead".to_owned()
    } else {
        let evicted = limits.interval.map(|ticks| format!("; evicted at {ticks}")).unwrap_or_default();
        format!("{}{evicted}", since_text(since, None))
    };
    let since_text = || since_text(since, limits.interval);
    let again = || glance.refetched.map_or_else(since_text, |tick| format!("records again at tick {tick}"));
    let detail = || glance.turns.map_or_else(again, str::to_owned);
    let (status, detail) = match (glance.gate, glance.brought) {
        _ if evicted => ("Evicted".to_owned(), format!("{since} {} without a poll", ticks(since))),
        (Gate::Down, Some(brought)) => {
            (format!("Polled: {brought} came"), "more than the heap holds".to_owned())
        }
        (Gate::Down, None) => ("No poll".to_owned(), "the process is dead".to_owned()),
        (Gate::Paused, Some(0)) => ("Polled: asked for none".to_owned(), detail()),
        (_, Some(0)) => (format!("Polled: {}", glance.nothing_read()), detail()),
        (_, Some(brought)) => (format!("Polled: {brought} came"), detail()),
        (_, None) => ("No poll".to_owned(), since_text()),
    };
    html! {
        <div class="poll" data-part="poll-timer" data-bad={evicted.then_some("")}>
            <span class="ring poll-ring" role="img" aria-label={label} data-bad={evicted.then_some("")} data-beat={beat(glance)}
                style={format!("--left:{left:.4};--nears:{nears:.4}")}>
                <b aria-hidden="true">{if down { "–".to_owned() } else { since.to_string() }}</b>
            </span>
            <p><b>{status}</b><br /><span>{detail}</span></p>
        </div>
    }
}

fn since_text(since: u64, interval: Option<u64>) -> String {
    match interval {
        Some(interval) => format!("{since} of {interval} ticks since the last poll"),
        None => format!("{since} {} since the last poll", ticks(since)),
    }
}

fn ticks(count: u64) -> &'static str {
    if count == 1 { "tick" } else { "ticks" }
}

/// Changes with every poll, so that the ring is seen to refill even where it was nearly full.
fn beat(glance: &Glance) -> Option<&'static str> {
    let even = glance.tick.0.is_multiple_of(2);
    glance.brought.map(|_| if even { "even" } else { "odd" })
}

/// The tank with its pipes, and the levels that it shares with the chart.
pub(super) fn view(
    stage: &Stage<'_, Msg>,
    run: usize,
    glance: &Glance,
    limits: &Limits,
    reached: Offset,
) -> Html {
    let (fetch, drain) = rates(stage);
    let Glance { in_flight, brought, finished, gate, .. } = *glance;
    let coming = gate == Gate::Open && brought.is_some_and(|count| count > 0);
    let going = gate != Gate::Down && finished > 0;
    let records = if in_flight == 1 { "record" } else { "records" };
    let label = format!("Tank: {in_flight} {records} in flight, {}", gate.words());
    let level = |&Level { name, value, lift }: &Level| {
        html! { <p class="level" data-part={name} style={format!("--v:{value};--lift:{lift:.4}")}><span>{name}{" "}<b>{value}</b></span></p> }
    };
    html! {
        <div class="tank-stage" data-gate={(gate == Gate::Open).then_some("open")}>
            <div class="pipe pipe-in" data-part="fetch" data-flows={coming.then_some("")}><span class="gate" /></div>
            <p class="pipe-label pipe-label-in">{"fetch "}<b>{fetch}</b><span class="gate-word">{gate.words()}</span></p>
            <div class="tank" data-part="tank" role="img" aria-label={label} data-bad={glance.died.map(|_| "")}>
                <span class="liquid" style={format!("--v:{in_flight}")} />
            </div>
            {for limits.levels().iter().map(level)}
            <div class="pipe pipe-out" data-part="drain-rate" data-flows={going.then_some("")} />
            <p class="pipe-label pipe-label-out">{"drain "}<b>{drain}</b></p>
            <div class="drops" aria-hidden="true">{for drops(stage, run, limits.top, reached).iter().map(Droplet::view)}</div>
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

/// Rows of the tank, and of one that is drawn smaller, so that more records have room.
const ROWS: u64 = 12;
const MOST_ROWS: u64 = 24;

/// The records that are drawn as cells: none in a tank so high that a cell would be a line.
fn drops(stage: &Stage<'_, Msg>, run: usize, top: u64, reached: Offset) -> Vec<Droplet> {
    if top > MOST_ROWS * COLUMNS {
        return Vec::new();
    }
    let tank = in_tank(stage, run, reached);
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
    let (of, mut stacks) = (finished.len() as u64, Stacks::default());
    let log = stage.world(run).log();
    let out = (0..).zip(finished).map(|(nth, offset)| Droplet {
        offset,
        look: Look::Done,
        cell: stacks.put(log.index_at(offset)),
        pipe: Pipe::Out(nth, of),
        again: false,
    });
    // Columns fill unevenly where keys hold records back: no cell stands above the picture.
    let has_room = |drop: &Droplet| drop.cell.1 < top.div_ceil(COLUMNS).max(ROWS);
    out.chain(tank).filter(has_room).collect()
}

fn in_tank(stage: &Stage<'_, Msg>, run: usize, reached: Offset) -> Vec<Droplet> {
    let Some(session) = stage.world(run).consumer(ConsumerId::A).session() else { return Vec::new() };
    let polled = stage.events_now(run).iter().rev().find_map(|event| match event.fact {
        Fact::Polled { indices, .. } => Some(indices),
        _ => None,
    });
    let mut stacks = Stacks::default();
    let drop = |(offset, task): (Offset, &Task)| Droplet {
        offset,
        look: task.state.into(),
        cell: stacks.put(task.index),
        pipe: match polled {
            Some((from, to)) if task.index >= from => Pipe::In(task.index - from, to - from),
            _ => Pipe::None,
        },
        again: offset < reached,
    };
    session.tracker().iter().take(MOST_DROPS).map(drop).collect()
}
