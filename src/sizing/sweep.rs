//! A sweep: any knobs over ranges, and seeds, every combination a run of its own.

use std::sync::Arc;

use super::{
    axes::{Kind, doublings, linear, pace},
    commits::Commits,
    dial::Dial,
    gauge::{From, Measure, percentile},
    jobs::{Found, Job, Jobs, Progress, level},
    metric::{METRICS, Metric},
    subject::redrawn,
    table::{Cell, Column, Table},
    trial::Case,
    unit::Unit,
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot, Scale},
    ids::{ConsumerId, Tick},
    player::Inputs,
    world::{ConfigError, Log, Setup},
};

/// The most runs of a sweep.
pub const MOST_RUNS: usize = 1_000_000;

/// A sweep under way.
#[derive(Clone, Debug)]
pub struct Sweep {
    dials: Vec<Dial>,
    seeds: Vec<u64>,
    cases: Vec<Case>,
    jobs: Jobs,
    unit: Unit,
}

impl Sweep {
    /// Every combination of the dials' values, the last dial turning fastest, and of the seeds, which draw the log
    /// anew; none: the log as it is.
    ///
    /// # Errors
    /// If a combination breaks a rule of the knobs, there are too many, or there are seeds and the log is not
    /// drawn by one.
    pub fn new(
        setup: &Setup,
        inputs: Inputs,
        last: Tick,
        dials: Vec<Dial>,
        seeds: Vec<u64>,
        unit: Unit,
    ) -> Result<Sweep, String> {
        let points = dials.iter().map(Dial::len).try_fold(1usize, usize::checked_mul);
        let runs = points.and_then(|points| points.checked_mul(seeds.len().max(1)));
        let (Some(points), Some(runs)) = (points, runs.filter(|&runs| runs <= MOST_RUNS)) else {
            return Err(format!(
                "this makes more than {MOST_RUNS} runs; expected fewer values, or larger steps"
            ));
        };
        let logs = logs(setup.log(), &seeds)?;
        let arrives = setup.log().iter_from(0).any(|record| record.since > Tick(0));
        let inputs = Arc::new(inputs);
        let mut cases = Vec::with_capacity(runs);
        for point in 0..points {
            let knobs = turned(setup, &dials, point)?;
            for log in &logs {
                let members = if setup.with_b() { &ConsumerId::ALL[..] } else { &[ConsumerId::A] };
                let setup =
                    Setup::new(log.clone(), knobs.clone(), members).map_err(|error| error.to_string())?;
                let from = if arrives { From::Arrival } else { From::Poll };
                cases.push(Case { setup, inputs: inputs.clone(), last, from, commits: Commits::Engine });
            }
        }
        let jobs = cases.iter().map(|case| Job::Run(case.clone(), None)).collect();
        let jobs = Jobs::new(jobs, coarse_first(&dials, points, logs.len()));
        Ok(Sweep { dials, seeds, cases, jobs, unit })
    }

    /// How many runs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// The run at a place: alone it gives what the sweep gives.
    #[must_use]
    pub fn case(&self, at: usize) -> Option<&Case> {
        self.cases.get(at)
    }

    /// What came of it, once it was done.
    #[must_use]
    pub fn measure(&self, at: usize) -> Option<&Measure> {
        match self.jobs.found().get(at) {
            Some(Some(Found::Run(measure, _))) => Some(measure),
            _ => None,
        }
    }

    /// How far it has got.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.jobs.progress()
    }

    /// Goes on for about so many steps of the simulation, coarse combinations before fine ones.
    pub fn advance(&mut self, steps: u64) -> Progress {
        self.jobs.advance(steps)
    }

    /// Does all that is left on all threads of the rayon pool that this is called from; `tell` hears of every run
    /// that is done.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn finish(&mut self, tell: &(dyn Fn(Progress) + Sync)) {
        self.jobs.finish(tell);
    }

    /// How a run is set, in words: "workers=8 drain=3 seed=2".
    #[must_use]
    pub fn words(&self, at: usize) -> String {
        let (point, seed) = self.place(at);
        let settings = self.dials.iter().zip(places(&self.dials, point));
        let mut words: Vec<String> =
            settings.map(|(dial, at)| format!("{}={}", dial.name(), dial.label(at))).collect();
        words.extend(seed.map(|seed| format!("seed={seed}")));
        words.join(" ")
    }

    /// Which combination, and which seed.
    fn place(&self, at: usize) -> (usize, Option<u64>) {
        let each = self.seeds.len().max(1);
        (at / each, self.seeds.get(at % each).copied())
    }

    /// A row for each run that is done: the settings, the seed, every number.
    #[must_use]
    pub fn table(&self) -> Table {
        let seed = (!self.seeds.is_empty()).then_some(Column { name: "seed", head: "seed" });
        let dials = self.dials.iter().map(|dial| Column { name: dial.name(), head: dial.name() });
        let metrics = METRICS.iter().map(|metric| Column { name: metric.name, head: metric.head });
        let columns = dials.chain(seed).chain(metrics).collect();
        let rows = (0..self.len()).filter_map(|at| {
            let measure = self.measure(at)?;
            let (point, seed) = self.place(at);
            let settings =
                self.dials.iter().zip(places(&self.dials, point)).map(|(dial, at)| setting(dial, at));
            let seed = seed.map(Cell::Count);
            Some(settings.chain(seed).chain(METRICS.map(|metric| metric.of(measure))).collect())
        });
        Table { rows: rows.collect(), columns, marked: None }
    }

    /// Some of the numbers over the first dial, a line for each value of the second, the median of the seeds; over
    /// the values in their order where they are words.
    #[must_use]
    pub fn plot(&self, metrics: &[Metric]) -> Plot {
        let Some(first) = self.dials.first() else { return Plot::default() };
        let second = self.dials.get(1);
        let x = x_scale(first);
        let lines = second.map_or(1, Dial::len).min(Hue::LINES.len());
        let graph = |metric: &Metric| {
            let lines: Vec<Line> = (0..lines)
                .map(|nth| Line {
                    name: second.map_or(metric.head.to_owned(), |dial| {
                        format!("{} {}", dial.name(), dial.label(nth))
                    }),
                    points: (0..first.len()).filter_map(|at| self.point(first, at, nth, *metric)).collect(),
                    hue: Hue::LINES[nth],
                    dashed: false,
                })
                .collect();
            let top =
                lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).max().unwrap_or(1);
            let kind = match metric.of(&Measure::default()) {
                Cell::Rate(..) => Kind::Rate(self.unit, top),
                Cell::Span(_) => Kind::Span(self.unit),
                _ => Kind::Count,
            };
            let (title, y) = linear(metric.head, kind, top);
            Graph { title, x: x.clone(), y, lines, marks: vec![], limits: vec![] }
        };
        let over = second
            .map_or(first.name().to_owned(), |second| format!("{} and {}", first.name(), second.name()));
        Plot { title: format!("Sweep over {over}"), graphs: metrics.iter().map(graph).collect() }
    }

    /// The median over seeds, and over the dials that are not drawn.
    fn point(&self, first: &Dial, at: usize, line: usize, metric: Metric) -> Option<(u64, u64)> {
        let mut values: Vec<u64> = (0..self.len())
            .filter(|&run| {
                let places = places(&self.dials, self.place(run).0);
                places.first() == Some(&at) && places.get(1).is_none_or(|&second| second == line)
            })
            .filter_map(|run| match metric.of(self.measure(run)?) {
                Cell::Count(value) | Cell::Span(value) => Some(value),
                Cell::Rate(records, ticks) => Some(pace(records, ticks)),
                _ => None,
            })
            .collect();
        values.sort_unstable();
        (!values.is_empty()).then(|| (x_of(first, at), percentile(&values, 50)))
    }
}

fn logs(log: &Arc<Log>, seeds: &[u64]) -> Result<Vec<Arc<Log>>, String> {
    if seeds.is_empty() {
        return Ok(vec![log.clone()]);
    }
    let recipe = log.recipe().ok_or(
        "there are seeds, but the log is not drawn from one; expected a scenario whose log is `generate`, or no --seeds",
    )?;
    let draw = |&seed: &u64| {
        let recipe = redrawn(recipe, seed).ok_or("the log cannot be drawn anew".to_owned())?;
        Log::generated(log.start(), recipe).map(Arc::new).map_err(|error: ConfigError| error.to_string())
    };
    seeds.iter().map(draw).collect()
}

/// By dial, which of its values a combination has.
fn places(dials: &[Dial], point: usize) -> Vec<usize> {
    let mut rest = point;
    let mut places: Vec<usize> = dials
        .iter()
        .rev()
        .map(|dial| {
            let at = rest % dial.len().max(1);
            rest /= dial.len().max(1);
            at
        })
        .collect();
    places.reverse();
    places
}

fn turned(setup: &Setup, dials: &[Dial], point: usize) -> Result<crate::world::Knobs, String> {
    let mut knobs = setup.knobs().clone();
    let mut turns: Vec<(&Dial, usize)> = dials.iter().zip(places(dials, point)).collect();
    turns.sort_by_key(|(dial, _)| dial.turn_of_order());
    turns.iter().for_each(|(dial, at)| dial.turn(&mut knobs, *at));
    knobs.check().map_err(|error| {
        let settings: Vec<String> =
            turns.iter().map(|(dial, at)| format!("{}={}", dial.name(), dial.label(*at))).collect();
        format!("{}: {error}", settings.join(" "))
    })?;
    Ok(knobs)
}

/// All combinations with the first seed before any with the second, and in each coarse before fine.
fn coarse_first(dials: &[Dial], points: usize, seeds: usize) -> Vec<usize> {
    let fineness = |point: usize| -> u32 {
        places(dials, point).iter().zip(dials).map(|(&at, dial)| level(at, dial.len())).sum()
    };
    let mut order: Vec<(usize, u32, usize)> =
        (0..points * seeds).map(|run| (run % seeds, fineness(run / seeds), run)).collect();
    order.sort_unstable();
    order.into_iter().map(|(.., run)| run).collect()
}

fn setting(dial: &Dial, at: usize) -> Cell {
    let label = dial.label(at);
    label.parse().map_or(Cell::Text(label), Cell::Count)
}

/// Numbers have their own place, words and shares that of their order.
fn is_numeric(dial: &Dial) -> bool {
    (0..dial.len()).all(|at| dial.number(at).is_some() && !dial.label(at).ends_with('%'))
}

fn x_of(dial: &Dial, at: usize) -> u64 {
    if is_numeric(dial) { dial.number(at).unwrap_or(0) } else { at as u64 }
}

fn x_scale(dial: &Dial) -> Scale {
    if !is_numeric(dial) {
        let ticks = (0..dial.len()).map(|at| (at as u64, dial.label(at))).collect();
        let last = (dial.len() as u64).saturating_sub(1).max(1);
        return Scale { label: dial.name().to_owned(), logarithmic: false, ends: (0, last), ticks };
    }
    let numbers = || (0..dial.len()).filter_map(|at| dial.number(at));
    let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(1));
    // Values that double or more belong on a scale of doublings.
    let spread = dial.len() > 2 && most / dial.len() as u64 > least.max(1) * 2;
    if spread {
        doublings(dial.name(), Kind::Count, (least, most)).1
    } else {
        linear(dial.name(), Kind::Count, most).1
    }
}
