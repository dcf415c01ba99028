//! Workers against throughput and time in the system, and where more of them stop paying.
//!
//! Two runs for each number of workers: with the records as they arrive, for the time that each is in the
//! system; and with all of them there from the beginning, for how fast the consumer can go. Whoever keeps up
//! with their traffic has the traffic's throughput with any number of workers, so that only the second can tell
//! what more of them bring.
//!
//! No keyed pool of w workers gets through a log faster than max(total work / w, hottest key's work).

use std::collections::BTreeSet;

use super::{
    axes::{Kind, doublings, linear, pace},
    gauge::Measure,
    jobs::{Found, Job, Jobs, coarse_first},
    subject::Subject,
    table::{Cell, Table, percent},
    unit::Unit,
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot},
    ledger::grouped,
    world::{
        Knobs,
        config::{NullKeys, Routing},
    },
};

/// The most workers that are tried.
const MOST_WORKERS: u64 = 4_096;

/// What is close to the best counts as reached: within 1/20.
pub(super) const CLOSE: u64 = 20;

/// Numbers of workers, ascending.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    workers: Vec<u32>,
    /// Whether each takes two runs.
    two: bool,
}

/// A number of workers and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkersRow {
    /// How many workers.
    pub workers: u32,
    /// With the records as they arrive.
    pub arriving: Measure,
    /// With all of them there from the beginning.
    pub catching_up: Measure,
    /// The ticks that no keyed pool of so many workers can get through the log in less of.
    pub bound: u64,
}

/// How many workers pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkersAnswer {
    /// By number of workers.
    pub rows: Vec<WorkersRow>,
    /// The fewest workers from which on neither throughput nor p99 gets better by 5 %.
    pub pays_up_to: Option<u32>,
    /// What to take from it.
    pub sentences: Vec<String>,
    records: u64,
    now: u32,
    arrivals: bool,
    unit: Unit,
}

/// Serial routing has one worker, whatever the knob says: what is asked then is what keyed mailboxes would bring.
fn knobs(subject: &Subject, workers: u32) -> Knobs {
    let mut knobs = Knobs { workers, ..subject.knobs().clone() };
    if knobs.routing == Routing::Serial {
        knobs.routing = Routing::Keyed;
    }
    knobs
}

/// The most that could find something to do.
fn most_useful(subject: &Subject) -> u64 {
    let (knobs, load) = (subject.knobs(), subject.workload());
    let keys = load.keys.iter().filter(|load| load.records > 0).count() as u64;
    let lanes = match (knobs.routing, knobs.null_keys) {
        (Routing::Lanes(lanes), _) => lanes.into(),
        (Routing::Shared, _) | (_, NullKeys::Spread) => subject.records(),
        _ => keys + u64::from(load.keyless.records > 0),
    };
    let parallel =
        load.parallelism_hundredths(knobs.null_keys).map_or(1, |hundredths| hundredths.div_ceil(100));
    let side_by_side = knobs.high_mark().map_or(u64::MAX, |high| high.saturating_add(knobs.poll) - 1);
    let beyond = parallel.saturating_mul(2).max(u64::from(knobs.workers).saturating_mul(2)).max(8);
    beyond.min(lanes.max(2)).min(side_by_side.max(2)).max(u64::from(knobs.workers)).min(MOST_WORKERS)
}

impl Plan {
    pub(super) fn new(subject: &Subject) -> Plan {
        let most = most_useful(subject);
        let mut workers = BTreeSet::from([1, most]);
        let mut power = 1;
        while power <= most {
            // And half way to the next one.
            workers.extend([power, power + power / 2]);
            power *= 2;
        }
        let now = u64::from(subject.knobs().workers).min(MOST_WORKERS);
        workers.insert(now);
        let workers =
            workers.into_iter().filter(|&workers| workers <= most.max(now)).map(|workers| workers as u32);
        Plan { workers: workers.collect(), two: subject.workload().arrivals }
    }

    pub(super) fn jobs(&self, subject: &Subject) -> Jobs {
        let mut jobs = Vec::new();
        for &workers in &self.workers {
            let knobs = knobs(subject, workers);
            if self.two {
                jobs.push(Job::Run(subject.case(knobs.clone()), None));
            }
            jobs.push(Job::Run(subject.catching_up(knobs), None));
        }
        let each = if self.two { 2 } else { 1 };
        let order =
            coarse_first(self.workers.len()).into_iter().flat_map(|at| at * each..(at + 1) * each).collect();
        Jobs::new(jobs, order)
    }

    pub(super) fn answer(&self, subject: &Subject, found: &[Option<Found>]) -> WorkersAnswer {
        let each = if self.two { 2 } else { 1 };
        let run = |at: usize| match found.get(at) {
            Some(Some(Found::Run(measure, _))) => Some((**measure).clone()),
            _ => None,
        };
        let row = |(at, &workers): (usize, &u32)| {
            let (arriving, catching_up) = (run(at * each)?, run(at * each + each - 1)?);
            let bound = subject.workload().bound(workers, subject.knobs().null_keys);
            Some(WorkersRow { workers, arriving, catching_up, bound })
        };
        let rows: Vec<WorkersRow> = self.workers.iter().enumerate().filter_map(row).collect();
        let mut answer = WorkersAnswer {
            pays_up_to: pays_up_to(&rows),
            rows,
            sentences: Vec::new(),
            records: subject.records(),
            now: subject.knobs().workers,
            arrivals: self.two,
            unit: subject.unit(),
        };
        answer.sentences = answer.tell(subject);
        answer
    }
}

/// Records per tick, as a fraction that can be compared.
fn faster(a: &Measure, b: &Measure) -> std::cmp::Ordering {
    let cross = |records: u64, ticks: u64| u128::from(records) * u128::from(ticks.max(1));
    cross(a.finished, b.makespan).cmp(&cross(b.finished, a.makespan))
}

/// Whether this one's throughput is within 1/20 of that one's.
pub(super) fn about_as_fast(own: &Measure, best: &Measure) -> bool {
    let cross = |records: u64, ticks: u64| u128::from(records) * u128::from(ticks.max(1));
    cross(own.finished, best.makespan) * u128::from(CLOSE)
        >= cross(best.finished, own.makespan) * u128::from(CLOSE - 1)
}

pub(super) fn fastest<'m>(runs: impl Iterator<Item = &'m Measure>) -> Option<&'m Measure> {
    runs.fold(None, |best: Option<&Measure>, run| match best {
        Some(best) if faster(run, best).is_le() => Some(best),
        _ => Some(run),
    })
}

fn fast_from(rows: &[WorkersRow]) -> Option<u32> {
    let best = fastest(rows.iter().map(|row| &row.catching_up))?;
    rows.iter().find(|row| about_as_fast(&row.catching_up, best)).map(|row| row.workers)
}

/// The fewest workers whose p99 is within 1/20 of the best, and that.
fn quick_from(rows: &[WorkersRow]) -> Option<u32> {
    let whole = |row: &&WorkersRow| row.arriving.unfinished == 0;
    let best = rows.iter().filter(whole).map(|row| row.arriving.p99).min()?;
    rows.iter()
        .filter(whole)
        .find(|row| row.arriving.p99 * CLOSE <= best * (CLOSE + 1))
        .map(|row| row.workers)
}

fn pays_up_to(rows: &[WorkersRow]) -> Option<u32> {
    fast_from(rows).max(quick_from(rows))
}

impl WorkersAnswer {
    fn row(&self, workers: u32) -> Option<&WorkersRow> {
        self.rows.iter().find(|row| row.workers == workers)
    }

    fn tell(&self, subject: &Subject) -> Vec<String> {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else {
            return vec!["Nothing has been tried yet.".to_owned()];
        };
        let unit = self.unit;
        let rate = |measure: &Measure| unit.rate(measure.finished, measure.makespan);
        let mut told = Vec::new();
        let (fast, quick) = (fast_from(&self.rows), quick_from(&self.rows));
        let most = grouped(last.workers.into());
        let backlog = if self.arrivals { "a backlog of these records" } else { "this log" };
        let kept_up = self.tell_load(subject);
        match (fast.and_then(|workers| self.row(workers)), quick.and_then(|workers| self.row(workers))) {
            (Some(fast), _) if self.arrivals && !kept_up.0 => told.push(format!(
                "No number of workers keeps up with this traffic: {} More workers pay up to {}, which get through at {}; what \
                 arrives waits longer and longer.",
                kept_up.1,
                grouped(fast.workers.into()),
                rate(&fast.catching_up),
            )),
            (Some(fast), Some(quick)) if self.arrivals => told.push(format!(
                "As the records arrive, {} {} enough: p99 in the system is {} then, and up to {most} workers do not \
                 shorten it by more than 5 %. To catch up with {backlog}, more pay up to {}: {}.",
                workers(quick.workers),
                if quick.workers == 1 { "is" } else { "are" },
                unit.span(quick.arriving.p99),
                grouped(fast.workers.into()),
                rate(&fast.catching_up),
            )),
            (Some(fast), _) => told.push(format!(
                "More workers pay up to {}: they get through {backlog} at {}, and none of up to {most} tried is faster \
                 by more than 5 %.",
                grouped(fast.workers.into()),
                rate(&fast.catching_up),
            )),
            _ => {}
        }
        if let Some(now) = self.row(self.now) {
            let times = [now.arriving.p50, now.arriving.p99, now.arriving.max].map(|ticks| unit.span(ticks));
            told.push(format!(
                "With {} as you have now: p50 {}, p99 {}, at most {} in the system; {} from a backlog. One worker: p99 \
                 {}, {}.",
                workers(now.workers),
                times[0],
                times[1],
                times[2],
                rate(&now.catching_up),
                unit.span(first.arriving.p99),
                rate(&first.catching_up),
            ));
        }
        if self.arrivals && kept_up.0 {
            told.push(kept_up.1);
        }
        told.extend(self.tell_bound(subject));
        told.extend(self.tell_marks(subject));
        told.push(self.tell_steps_back());
        told
    }

    /// Whether the keys let any number of workers keep up, and what arrives in how much time.
    fn tell_load(&self, subject: &Subject) -> (bool, String) {
        let (span, total) = (subject.arrivals_span(), subject.workload().total.work);
        let (key, work) = subject.hottest().unwrap_or_default();
        let is_keyed = subject.knobs().routing != Routing::Shared;
        if is_keyed && work > span.saturating_add(subject.span_of_work().1) {
            let (work, span) = (self.unit.span(work), self.unit.span(span));
            return (false, format!("{key} alone brings {work} of work in {span}."));
        }
        let least = least_workers(total, span, subject.records());
        let told = format!(
            "{} of work arrive in {}: to keep up takes {} at least.",
            self.unit.span(total),
            self.unit.span(span),
            if least == 1 { "1 worker".to_owned() } else { format!("{} workers", grouped(least)) },
        );
        (true, told)
    }

    fn tell_bound(&self, subject: &Subject) -> Option<String> {
        let (key, work) = subject.hottest()?;
        let total = subject.workload().total.work;
        if matches!(subject.knobs().routing, Routing::Shared) {
            return None;
        }
        let parallel = subject.workload().parallelism_hundredths(subject.knobs().null_keys)?;
        let share = (u128::from(work) * 1_000_000).checked_div(u128::from(total))?;
        Some(format!(
            "The bound: {key} alone has {} of work, {} of all of it, one record after the other. No number of workers \
             gets through in less, so that at most {}.{:02} are busy on average, and {} is the limit.",
            self.unit.span(work),
            percent(share as u64),
            grouped(parallel / 100),
            parallel % 100,
            self.unit.rate(self.records, work),
        ))
    }

    /// Where the marks, not the workers, decide.
    fn tell_marks(&self, subject: &Subject) -> Option<String> {
        let (high, poll) = (subject.knobs().high_mark()?, subject.knobs().poll);
        let last = self.rows.last()?;
        let best = fastest(self.rows.iter().map(|row| &row.catching_up))?;
        let far = best.makespan > last.bound.saturating_mul(6) / 5;
        (far && best.pauses > 0).then(|| {
            format!(
                "The best of these took {}, the bound allows {}: with a high mark of {} and polls of {} too few keys are \
                 in memory at a time to keep more workers busy. Higher marks would let more workers pay.",
                self.unit.span(best.makespan),
                self.unit.span(last.bound),
                grouped(high),
                grouped(poll),
            )
        })
    }

    /// That more workers never cost throughput is not a law; here is what was measured.
    fn tell_steps_back(&self) -> String {
        let loss = |pair: &[WorkersRow]| {
            let (before, after) = (&pair[0].catching_up, &pair[1].catching_up);
            let (before, after) =
                (pace(before.finished, before.makespan), pace(after.finished, after.makespan));
            (after < before).then(|| (before - after) * 1_000_000 / before.max(1))
        };
        let losses: Vec<(u64, u32, u32)> = self
            .rows
            .windows(2)
            .filter_map(|pair| Some((loss(pair)?, pair[0].workers, pair[1].workers)))
            .collect();
        match losses.iter().max() {
            None => "Measured, not assumed: no step to more workers cost any throughput.".to_owned(),
            Some((most, from, to)) => format!(
                "Measured, not assumed: {} of {} steps to more workers cost throughput, at most {} (from {} to {}): \
                 another order of starts can suit the keys worse.",
                losses.len(),
                self.rows.len() - 1,
                percent((*most).max(1)),
                grouped((*from).into()),
                grouped((*to).into()),
            ),
        }
    }

    /// The numbers.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::with(&[
            ("workers", "workers"),
            ("throughput", "from a backlog"),
            ("bound", "bound"),
            ("p50", "p50 in the system"),
            ("p99", "p99"),
            ("max", "max"),
            ("peak_in_flight", "peak in flight"),
            ("unfinished", "unfinished"),
        ]);
        for row in &self.rows {
            if row.workers == self.now {
                table.marked = Some(table.rows.len());
            }
            table.rows.push(vec![
                Cell::Count(row.workers.into()),
                Cell::Rate(row.catching_up.finished, row.catching_up.makespan),
                Cell::Rate(self.records, row.bound),
                Cell::Span(row.arriving.p50),
                Cell::Span(row.arriving.p99),
                Cell::Span(row.arriving.max),
                Cell::Count(row.arriving.peak_in_flight),
                Cell::Count(row.arriving.unfinished),
            ]);
        }
        table
    }

    pub(super) fn plot(&self) -> Plot {
        let unit = self.unit;
        let most = self.rows.last().map_or(1, |row| row.workers);
        let (_, x) = doublings("workers", Kind::Count, (1, most.into()));
        let line = |name: &str, hue, dashed, value: &dyn Fn(&WorkersRow) -> u64| Line {
            name: name.to_owned(),
            points: self.rows.iter().map(|row| (row.workers.into(), value(row))).collect(),
            hue,
            dashed,
        };
        let throughput = line("measured", Hue::Blue, false, &|row| {
            pace(row.catching_up.finished, row.catching_up.makespan)
        });
        let mut bound =
            line("bound by the hottest key", Hue::Grey, true, &|row| pace(self.records, row.bound));
        let top = throughput.points.iter().map(|point| point.1).max().unwrap_or(1);
        // Where the bound is far above what was reached it would flatten everything else.
        let ceiling = top.saturating_mul(2);
        bound.points.retain(|point| point.1 <= ceiling);
        let top = bound.points.iter().map(|point| point.1).max().unwrap_or(0).max(top);
        let (title, y) = linear("throughput from a backlog", Kind::Rate(unit, top), top);
        let marks = vec![(self.now.into(), format!("{} now", self.now))];
        let first = Graph {
            title,
            x: x.clone(),
            y,
            lines: vec![bound, throughput],
            marks: marks.clone(),
            limits: vec![],
        };
        let lines = vec![
            line("max", Hue::Orange, false, &|row| row.arriving.max),
            line("p99", Hue::Violet, false, &|row| row.arriving.p99),
            line("p50", Hue::Teal, false, &|row| row.arriving.p50),
        ];
        let what = if self.arrivals {
            "time in the system, from arrival"
        } else {
            "time in the system, from the poll"
        };
        let (title, y) = times(what, unit, &lines);
        let second = Graph { title, x, y, lines, marks, limits: vec![] };
        Plot { title: "Workers: where more of them stop paying".to_owned(), graphs: vec![first, second] }
    }
}

/// A scale for times that may differ by orders of magnitude.
pub(super) fn times(what: &str, unit: Unit, lines: &[Line]) -> (String, crate::export::picture::Scale) {
    let values = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(1));
    if most / least.max(1) > 30 {
        let (title, scale) = doublings(what, Kind::Span(unit), (least, most));
        (format!("{title} (logarithmic)"), scale)
    } else {
        linear(what, Kind::Span(unit), most)
    }
}

/// The fewest workers that do so much work in the time in which so many records arrive: the last one needs an interval
/// of its own, too.
fn least_workers(work: u64, span: u64, records: u64) -> u64 {
    let between = u128::from(records.saturating_sub(1));
    let least = (u128::from(work) * between).div_ceil((u128::from(span) * u128::from(records)).max(1));
    u64::try_from(least).unwrap_or(u64::MAX).max(1)
}

fn workers(count: u32) -> String {
    format!("{} {}", grouped(count.into()), if count == 1 { "worker" } else { "workers" })
}
