//! The chart's words, in HTML at the heights of what they name; the lines are `crate::chart` on a canvas.

use yew::prelude::*;

use super::{Limits, Msg, NAMES, limits::Level, surface::MARGIN};
use crate::{
    chart::{ChartData, Point},
    ids::Tick,
    ledger::Ledger,
    web::scene::Stage,
};

/// Labels of the time axis at most.
const MOST_LABELS: u64 = 7;

/// How near two names may come, as a share of the chart's height.
const NAME_GAP: f64 = 0.09;

/// The lines: the run in front, and the others as ghosts.
pub(super) fn data(stage: &Stage<'_, Msg>, front: usize, limits: &Limits, evictions: &[u64]) -> ChartData {
    let (mut ghosts, mut ghost_deaths) = (Vec::new(), Vec::new());
    for player in stage.players.iter().enumerate().filter(|(run, _)| *run != front).map(|(_, player)| player)
    {
        let ledger = player.run().ledger();
        ghosts.push(points(ledger, limits.last));
        ghost_deaths.extend(death(ledger));
    }
    let across = |value: Option<u64>| {
        let shown = value.filter(|&value| value <= limits.top).map(records);
        shown.map(|value| vec![(0, value), (limits.last.0, value)]).into_iter().collect()
    };
    let ledger = stage.ledger(front);
    let (depth, deaths) = (points(ledger, limits.last), Vec::from_iter(death(ledger)));
    let mut evictions = evictions.to_vec();
    evictions.dedup_by_key(|tick| *tick / bucket(limits.last));
    ChartData {
        last_tick: limits.last.0,
        top: records(limits.top),
        now: depth.last().copied().filter(|_| deaths.is_empty()),
        depth,
        ghosts,
        high: across(limits.marks.map(|(high, _)| high)),
        low: across(limits.marks.map(|(_, low)| low)),
        ceiling: across(limits.ceiling),
        evictions,
        deaths,
        ghost_deaths,
    }
}

/// Points of a line at most: there are not more pixels.
const MOST_POINTS: u64 = 2_000;

/// Ticks that share a point.
fn bucket(last: Tick) -> u64 {
    last.0.div_ceil(MOST_POINTS).max(1)
}

/// What was in flight, up to now or to the end of the process: nothing here brings one back. Of ticks that share
/// a point, the fullest.
fn points(ledger: &Ledger, last: Tick) -> Vec<Point> {
    let bucket = bucket(last);
    let depths = ledger.depths().iter().map_while(|depth| *depth).map(records);
    let mut points: Vec<Point> = Vec::new();
    let mut now = None;
    for point in (0..).zip(depths) {
        match points.last_mut().filter(|fullest| fullest.0 / bucket == point.0 / bucket) {
            Some(fullest) if point.1 > fullest.1 => *fullest = point,
            Some(_) => {}
            None => points.push(point),
        }
        now = Some(point);
    }
    // The line ends where the run is.
    points.extend(now.filter(|now| points.last() != Some(now)));
    points
}

fn last_point(ledger: &Ledger) -> Option<Point> {
    (0..).zip(ledger.depths().iter().map_while(|depth| *depth).map(records)).last()
}

fn death(ledger: &Ledger) -> Option<Point> {
    ledger.counters().crashed_at.and(last_point(ledger))
}

fn records(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The name of a line, at its end.
struct Name {
    run: usize,
    /// Shares of the chart's width and height.
    x: f64,
    y: f64,
    note: String,
    dead: bool,
}

/// The chart, for the lines to be painted on.
pub(super) fn view(stage: &Stage<'_, Msg>, front: usize, limits: &Limits) -> Html {
    let names = names(stage, front, limits);
    let (last, every) = (limits.last.0, label_gap(limits.last));
    let label = names.iter().map(|name| format!("{}{}", NAMES[name.run], name.note)).collect::<Vec<_>>();
    let label = format!("In flight over time, tick 0 to {last}: {}", label.join("; "));
    let level = |level: &Level| {
        html! { <span class="chart-level" style={format!("--v:{};--lift:{:.4}", level.value, level.lift)}>{level.value}</span> }
    };
    html! {
        <>
            <p class="chart-title drawing-label">{"Records in flight, by tick"}</p>
            <div class="chart" data-part="chart" style={format!("--pad:{MARGIN}px")}>
                <canvas role="img" aria-label={label} />
                {for limits.levels().iter().map(level)}
                {for names.iter().map(|name| name.view(front))}
            </div>
            <div class="chart-axis drawing-label" aria-hidden="true">{for (0..=last / every).map(|nth| axis_label(nth * every, last))}</div>
        </>
    }
}

/// Ticks between two labels: 1, 2 or 5 times a power of ten.
fn label_gap(last: Tick) -> u64 {
    let powers = std::iter::successors(Some(1_u64), |power| power.checked_mul(10));
    let mut gaps = powers.flat_map(|power| [power, power.saturating_mul(2), power.saturating_mul(5)]);
    gaps.find(|gap| last.0 / gap < MOST_LABELS).unwrap_or(u64::MAX)
}

fn axis_label(tick: u64, last: u64) -> Html {
    html! { <span style={format!("--x:{:.4}", share(tick, last))}>{tick}</span> }
}

impl Name {
    fn view(&self, front: usize) -> Html {
        let is_front = self.run == front;
        html! {
            <span class="line-name" key={self.run} data-run={NAMES[self.run]} data-ghost={(!is_front).then_some("")}
                data-bad={(is_front && self.dead).then_some("")}
                style={format!("--x:{:.4};--y:{:.4}", self.x, self.y)}>
                {NAMES[self.run]}<small>{self.note.clone()}</small>
            </span>
        }
    }
}

/// The names at the ends of their lines, from below upwards.
fn names(stage: &Stage<'_, Msg>, front: usize, limits: &Limits) -> Vec<Name> {
    let name = |run: usize| {
        let ledger = stage.players.get(run)?.run().ledger();
        let (tick, depth) = last_point(ledger)?;
        let counters = ledger.counters();
        let note = match (counters.crashed_at, counters.evictions) {
            (Some(_), _) => ", out of memory".to_owned(),
            (None, 0) => String::new(),
            (None, times) => format!(", evicted {times}×"),
        };
        let dead = counters.crashes > 0;
        Some(Name { run, x: share(tick, limits.last.0), y: share(depth.into(), limits.top), note, dead })
    };
    let mut names: Vec<Name> = (0..NAMES.len()).filter_map(name).collect();
    names.sort_by(|one, other| one.y.total_cmp(&other.y));
    part(&mut names, front);
    names
}

/// Moves names apart that lines end too close to each other for; the one in front stays where it is if it can.
fn part(names: &mut [Name], front: usize) {
    let fixed = names.iter().position(|name| name.run == front).unwrap_or_default();
    for place in (0..fixed).rev() {
        names[place].y = names[place].y.min(names[place + 1].y - NAME_GAP);
    }
    let mut floor = 0.0_f64;
    for name in names {
        name.y = name.y.max(floor);
        floor = name.y + NAME_GAP;
    }
}

fn share(value: u64, of: u64) -> f64 {
    value as f64 / of.max(1) as f64
}
