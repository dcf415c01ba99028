//! Records in flight over time: `kwp run --chart`, and the backpressure panel's picture.

use plotters::{
    coord::Shift,
    drawing::{DrawingArea, DrawingAreaErrorKind},
    prelude::DrawingBackend,
    style::{Color, RGBAColor, RGBColor},
};

use super::{Chart, Picture};
use crate::{
    chart::{ChartData, Frame, Palette, Point, draw_with_axes},
    ledger::{Ledger, escaped},
    run::Run,
    world::{Fact, Knobs, Setup, config::Intake},
};

/// Pixels from the top of the chart to its bottom.
pub(super) const HEIGHT: u32 = 800;

/// Points of a line at most: neighbours are drawn together beyond it.
const MOST_POINTS: usize = 2048;

/// Takes down a run tick by tick, in bounded memory: every so often twice as many ticks share an entry.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Ticks per entry are 2 to this power.
    shift: u32,
    entries: Vec<Entry>,
    last_tick: u64,
    top: u32,
    /// The most in flight after any poll so far.
    peak: u32,
}

/// What some neighbouring ticks had in common.
#[derive(Clone, Copy, Debug)]
struct Entry {
    least: u32,
    most: u32,
    high: Option<u32>,
    low: Option<u32>,
    ceiling: Option<u32>,
}

impl Recorder {
    /// The end of a tick.
    pub fn record(&mut self, run: &Run) {
        let world = run.world();
        let peak = small(run.ledger().counters().peak_in_flight);
        let depth = match world.owner() {
            Some((_, session)) => small(session.in_flight()),
            // What ran it out of memory was never there at the end of a tick.
            None if peak > self.peak => peak,
            None => 0,
        };
        self.peak = peak;
        self.note(run.now().0.saturating_sub(1), depth, world.knobs());
    }

    /// A whole run, from what its ledger kept.
    pub(super) fn of(setup: &Setup, ledger: &Ledger) -> Recorder {
        let (mut recorder, mut knobs) = (Recorder::default(), setup.knobs().clone());
        let mut turned = ledger.events().iter().filter_map(|event| match &event.fact {
            Fact::KnobsTurned(turned) => Some((event.tick.0, turned)),
            _ => None,
        });
        let mut next = turned.next();
        for (tick, depth) in (0..).zip(ledger.depths()) {
            while let Some((_, turn)) = next.filter(|(at, _)| *at <= tick) {
                knobs = knobs.with(turn).unwrap_or(knobs);
                next = turned.next();
            }
            recorder.note(tick, small(depth.unwrap_or(0)), &knobs);
        }
        recorder
    }

    fn note(&mut self, tick: u64, depth: u32, knobs: &Knobs) {
        let (high, low) = match knobs.intake {
            Intake::Pause { high, low } => (Some(small(high)), Some(small(low))),
            Intake::Unbounded | Intake::Block => (None, None),
        };
        let ceiling = knobs.heap_ceiling.map(small);
        self.last_tick = tick;
        self.top = self.top.max(depth);
        let here = (tick >> self.shift) as usize;
        if let Some(entry) = self.entries.get_mut(here) {
            entry.least = entry.least.min(depth);
            entry.most = entry.most.max(depth);
            return;
        }
        self.entries.push(Entry { least: depth, most: depth, high, low, ceiling });
        if self.entries.len() >= MOST_POINTS {
            self.shift += 1;
            let pair = |pair: &[Entry]| Entry {
                least: pair.iter().map(|entry| entry.least).min().unwrap_or(0),
                most: pair.iter().map(|entry| entry.most).max().unwrap_or(0),
                ..pair[0]
            };
            self.entries = self.entries.chunks(2).map(pair).collect();
        }
    }

    /// What to draw. Marks far above everything that happened are left out.
    #[must_use]
    pub fn chart(&self) -> ChartData {
        let marks = |mark: fn(&Entry) -> Option<u32>| self.pieces(mark);
        let (high, low, ceiling) =
            (marks(|entry| entry.high), marks(|entry| entry.low), marks(|entry| entry.ceiling));
        let highest = [&high, &ceiling].into_iter().flatten().flatten().map(|point| point.1);
        let near = highest.filter(|&mark| mark <= self.top.saturating_mul(4).max(16)).max().unwrap_or(0);
        let top = self.top.max(near);
        let top = top.saturating_add(top / 10).saturating_add(1);
        let within = |pieces: Vec<Vec<Point>>| {
            pieces.into_iter().filter(|piece| piece.iter().all(|point| point.1 <= top)).collect()
        };
        ChartData {
            last_tick: self.last_tick,
            top,
            depth: self.points(),
            high: within(high),
            low: within(low),
            ceiling: within(ceiling),
            ..ChartData::default()
        }
    }

    fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for (at, entry) in (0u64..).zip(&self.entries) {
            let tick = at << self.shift;
            points.push((tick, entry.most));
            if entry.least != entry.most {
                points.push((tick, entry.least));
            }
        }
        points
    }

    /// A mark as pieces of horizontal lines, each for as long as it was in force.
    fn pieces(&self, mark: fn(&Entry) -> Option<u32>) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        let mut current = None;
        for (at, entry) in (0u64..).zip(&self.entries) {
            let (tick, value) = (at << self.shift, mark(entry));
            if value != current {
                if let (Some(old), Some(piece)) = (current, pieces.last_mut()) {
                    piece.push((tick, old));
                }
                pieces.extend(value.map(|value| vec![(tick, value)]));
                current = value;
            }
        }
        if let (Some(value), Some(piece)) = (current, pieces.last_mut()) {
            piece.push((self.last_tick, value));
        }
        pieces
    }
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The run in front, with what befell it, and the others as ghosts.
pub(super) fn compared(front: (&Setup, &Ledger), others: &[(&Setup, &Ledger)]) -> ChartData {
    let recorders: Vec<Recorder> = others.iter().map(|(setup, ledger)| Recorder::of(setup, ledger)).collect();
    let mut own = Recorder::of(front.0, front.1);
    // All are to be seen, and the marks that are near any.
    own.top = recorders.iter().map(|ghost| ghost.top).fold(own.top, u32::max);
    let mut chart = own.chart();
    let alive = |recorder: &Recorder, ledger: &Ledger| {
        let mut points = recorder.points();
        // A line ends where its process does.
        points.retain(|(tick, _)| ledger.counters().crashed_at.is_none_or(|end| *tick <= end.0));
        points
    };
    for (recorder, (_, ledger)) in recorders.iter().zip(others) {
        let points = alive(recorder, ledger);
        chart.ghost_deaths.extend(death(ledger, &points));
        chart.ghosts.push(points);
    }
    chart.deaths.extend(death(front.1, &chart.depth));
    let evicted = front.1.events().iter().filter(|event| matches!(event.fact, Fact::Evicted { .. }));
    chart.evictions = evicted.map(|event| event.tick.0).collect();
    chart
}

/// Where a process first died.
fn death(ledger: &Ledger, points: &[Point]) -> Option<Point> {
    let at = ledger.counters().crashed_at?.0;
    points.iter().rev().find(|(tick, _)| *tick <= at).copied()
}

/// The chart alone, with this title.
#[must_use]
pub fn chart_alone(data: ChartData, title: &str) -> Picture {
    Picture {
        height: HEIGHT,
        chart: Some(Chart { title: title.to_owned(), data, top: 0 }),
        ..Picture::default()
    }
}

/// Draws the chart.
pub(super) fn on<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    data: &ChartData,
    title: &str,
    joins: bool,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let title: String = escaped(title).chars().take(80).collect();
    draw_with_axes(area, data, &palette(), &Frame { title: &title, letters: 24, joins })
}

fn palette() -> Palette {
    let solid = |r, g, b| -> RGBAColor { RGBColor(r, g, b).to_rgba() };
    Palette {
        depth: solid(0, 90, 160),
        fill: solid(0, 90, 160).mix(0.0),
        ghost: solid(170, 170, 170),
        high: solid(213, 94, 0),
        low: solid(0, 130, 100),
        ceiling: solid(180, 0, 30),
        danger: solid(180, 0, 30),
        ground: solid(255, 255, 255),
        grid: solid(225, 228, 232),
        ink: solid(50, 55, 60),
    }
}
