//! The high and the low mark against throughput, memory and flapping.
//!
//! A consumer that keeps up rarely meets its marks, one that catches up lives by them: so each pair has a run with
//! all records there from the beginning, and one with the records as they arrive. Between the marks lies what is
//! prefetched: too little of it and workers find no record of a free key; close together, and intake is paused and
//! resumed all the time; high, and memory holds what a crash brings again.
//!
//! A poll that brings more than the high mark passes it by itself, and then it decides and not the marks. So every
//! high mark is tried with a poll of a quarter of it, and for comparison with the poll as it is; named are the first, and
//! the marks that there are.
//!
//! Pauses and polls cost nothing in a run, and something in any client. So of marks that are as good, those are named
//! that pause least, as long as they hold not much more.

use std::collections::BTreeSet;

use super::{
    axes::{Kind, doublings, linear, pace},
    commits::Commits,
    gauge::Measure,
    jobs::{Found, Job, Jobs, level},
    pooled::{in_its_place, poll_for, pooled},
    subject::Subject,
    table::{Cell, Table, counted, percent},
    trial::Case,
    unit::Unit,
    workers::{CLOSE, FINE, as_fast, fastest, times},
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot},
    ledger::grouped,
    world::{
        Knobs,
        config::{Intake, Routing},
    },
};

/// Low marks that are tried, in percent of the high one.
const LOWS: [u64; 3] = [25, 50, 90];

/// The low mark that is tried with the poll as it is.
const LOW_OF_OWN: u64 = 50;

/// High marks that are tried at most, beside the one that is set.
const MOST_HIGHS: usize = 12;

/// Records that are few in any memory: the high mark that the engine has by itself.
const FEW: u64 = 24;

/// Marks may hold so many times the least.
const NOT_MUCH_MORE: u64 = 2;

/// Records for each worker that are not many, where somebody has them already.
const EACH: u64 = 4;

/// What is tried: marks, and the records of a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Try {
    high: u64,
    low: u64,
    poll: u64,
}

/// Tries, ascending by the high mark.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    tries: Vec<Try>,
    /// The settings that the marks are put into: with one worker and serial routing, those of a pool.
    knobs: Knobs,
    commits: Commits,
    /// Whether each takes two runs.
    two: bool,
}

/// Marks and a poll, and what came of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarksRow {
    /// Records in flight at which intake pauses.
    pub high: u64,
    /// Records in flight at which it resumes.
    pub low: u64,
    /// Records of a poll at most.
    pub poll: u64,
    /// With all records there from the beginning.
    pub measure: Measure,
    /// With the records as they arrive.
    pub arriving: Measure,
}

/// Which marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarksAnswer {
    /// By high mark, then by low mark, then by poll.
    pub rows: Vec<MarksRow>,
    /// High, low and poll: of those whose marks decide what is in flight, whose throughput, p50 and p99 are within 5 %
    /// of the best, and which hold not much more than the least that does, the ones that pause least.
    pub enough: Option<(u64, u64, u64)>,
    /// What to take: the same, or those that there are now, where they do as well.
    pub named: Option<(u64, u64, u64)>,
    /// For so many workers.
    pub workers: u32,
    /// What to take from it.
    pub sentences: Vec<String>,
    now: Option<(u64, u64)>,
    poll: u64,
    arrivals: bool,
    unit: Unit,
}

fn marks_of(knobs: &Knobs) -> Option<(u64, u64)> {
    match knobs.intake {
        Intake::Pause { high, low } => Some((high, low)),
        Intake::Unbounded | Intake::Block => None,
    }
}

fn low_of(high: u64, percent: u64) -> u64 {
    (u128::from(high) * u128::from(percent) / 100) as u64
}

impl Plan {
    pub(super) fn new(subject: &Subject) -> Plan {
        // Marks of one thread decide nothing: what is asked then is asked of a pool that keeps up.
        let own = subject.knobs();
        let workers = match own.routing {
            Routing::Serial => u32::try_from(subject.least_workers().clamp(2, 1_000)).unwrap_or(2),
            _ => own.workers,
        };
        Plan::for_workers(subject, workers)
    }

    /// Those of a consumer with so many workers.
    pub(super) fn for_workers(subject: &Subject, workers: u32) -> Plan {
        let own = subject.knobs();
        let (knobs, commits) = pooled(own, subject.commits(), workers);
        let least = (u64::from(knobs.concurrency()) / 2).max(1);
        let most = subject.records().max(2);
        let highs = std::iter::successors(Some(least), |high| high.checked_mul(2));
        let highs: Vec<u64> = highs.take_while(|&high| high <= most).take(MOST_HIGHS).collect();
        let poll = knobs.poll;
        let mut tries = BTreeSet::new();
        for &high in &highs {
            let low = |percent: u64| low_of(high, percent).min(high - 1);
            tries.extend(LOWS.map(|percent| Try { high, low: low(percent), poll: poll_for(high) }));
            tries.insert(Try { high, low: low(LOW_OF_OWN), poll });
        }
        tries.extend(marks_of(&knobs).map(|(high, low)| Try { high, low, poll }));
        Plan { tries: tries.into_iter().collect(), knobs, commits, two: subject.workload().arrivals }
    }

    fn each(&self) -> usize {
        if self.two { 2 } else { 1 }
    }

    pub(super) fn jobs(&self, subject: &Subject) -> Jobs {
        let runs = |one: &Try| {
            let intake = Intake::Pause { high: one.high, low: one.low };
            let knobs = Knobs { intake, poll: one.poll, ..self.knobs.clone() };
            let case = Case { commits: self.commits, ..subject.case(knobs) };
            let backlog = Job::Run(subject.backlog_of(case.clone()), None);
            if self.two { vec![backlog, Job::Run(case, None)] } else { vec![backlog] }
        };
        // All tries of a high mark together.
        let highs: BTreeSet<u64> = self.tries.iter().map(|one| one.high).collect();
        let place = |high: u64| highs.iter().position(|&own| own == high).unwrap_or(0);
        let mut order: Vec<usize> = (0..self.tries.len()).collect();
        order.sort_by_key(|&at| (level(place(self.tries[at].high), highs.len()), at));
        let each = self.each();
        let order = order.into_iter().flat_map(|at| at * each..(at + 1) * each).collect();
        Jobs::new(self.tries.iter().flat_map(runs).collect(), order)
    }

    pub(super) fn answer(&self, subject: &Subject, found: &[Option<Found>]) -> MarksAnswer {
        let each = self.each();
        let run = |at: usize| match found.get(at) {
            Some(Some(Found::Run(measure, _))) => Some((**measure).clone()),
            _ => None,
        };
        let row = |(at, one): (usize, &Try)| {
            let (measure, arriving) = (run(at * each)?, run(at * each + each - 1)?);
            Some(MarksRow { high: one.high, low: one.low, poll: one.poll, measure, arriving })
        };
        let rows: Vec<MarksRow> = self.tries.iter().enumerate().filter_map(row).collect();
        let now = marks_of(subject.knobs());
        let own = rows.iter().find(|row| Some((row.high, row.low)) == now && row.poll == self.knobs.poll);
        let enough = enough(&rows, own);
        let fine = own.filter(|own| enough.is_some_and(|best| own.is_fine(best, &rows, self.knobs.workers)));
        let mut answer = MarksAnswer {
            enough: enough.map(MarksRow::knobs),
            named: fine.or(enough).map(MarksRow::knobs),
            workers: self.knobs.workers,
            rows,
            sentences: Vec::new(),
            now,
            poll: self.knobs.poll,
            arrivals: self.two,
            unit: subject.unit(),
        };
        answer.sentences = answer.tell(subject);
        answer
    }
}

/// The best p99 with the records as they arrive.
fn quickest(rows: &[MarksRow]) -> u64 {
    let whole = rows.iter().filter(|row| row.arriving.unfinished == 0);
    whole.map(|row| row.arriving.p99).min().unwrap_or(u64::MAX)
}

/// The same for p50.
fn quickest_half(rows: &[MarksRow]) -> u64 {
    let whole = rows.iter().filter(|row| row.arriving.unfinished == 0);
    whole.map(|row| row.arriving.p50).min().unwrap_or(u64::MAX)
}

/// Of those that are about as fast and as quick as the best, whose polls leave it to the marks, and which hold not much
/// more than the least that does, the ones with the fewest pauses, then with the least memory.
fn enough<'r>(rows: &'r [MarksRow], own: Option<&'r MarksRow>) -> Option<&'r MarksRow> {
    let good: Vec<&MarksRow> = candidates(rows).chain(own).filter(|row| row.is_good(rows, CLOSE)).collect();
    let good: Vec<&MarksRow> = good.into_iter().filter(|row| row.decides()).collect();
    let most = most_held(good.iter().map(|row| row.memory()).min()?);
    let few = good.into_iter().filter(|row| row.memory() <= most);
    few.min_by_key(|row| (row.pauses(), row.memory(), row.high, row.low))
}

/// Those that may be named beside the ones that there are: their polls suit them.
fn candidates(rows: &[MarksRow]) -> impl Iterator<Item = &MarksRow> {
    rows.iter().filter(|row| row.poll == poll_for(row.high))
}

/// Not much more than this many records.
fn most_held(least: u64) -> u64 {
    least.saturating_mul(NOT_MUCH_MORE).max(FEW)
}

impl MarksRow {
    /// Whether the marks decide what is in flight, and not the poll.
    fn decides(&self) -> bool {
        self.poll <= self.high
    }

    fn knobs(&self) -> (u64, u64, u64) {
        (self.high, self.low, self.poll)
    }

    /// Whether throughput, p50 and p99 are within 1/`close` of the best.
    fn is_good(&self, rows: &[MarksRow], close: u64) -> bool {
        let near = |own: u64, best: u64| {
            u128::from(own) * u128::from(close) <= u128::from(best) * u128::from(close + 1)
        };
        let (half, slow) = (quickest_half(rows), quickest(rows));
        let whole = self.arriving.unfinished == 0 || slow == u64::MAX;
        let best = fastest(rows.iter().map(|row| &row.measure));
        let fast = best.is_some_and(|best| as_fast(&self.measure, best, close));
        whole && fast && near(self.arriving.p50, half) && near(self.arriving.p99, slow)
    }

    /// Whether marks that are there already do as well as the ones that are enough: who has taken some over is not sent
    /// on to others.
    fn is_fine(&self, enough: &MarksRow, rows: &[MarksRow], workers: u32) -> bool {
        let prefetched = u64::from(workers) * EACH;
        let good = candidates(rows).filter(|row| row.is_good(rows, CLOSE));
        let least = good.map(MarksRow::memory).min().unwrap_or(0);
        self.decides()
            && self.is_good(rows, FINE)
            && self.memory() <= least.saturating_mul(NOT_MUCH_MORE + 1).max(FEW).max(prefetched)
            && (flapping(&self.measure) <= flapping(&enough.measure).saturating_mul(2).max(1_000))
    }

    /// In both runs.
    fn pauses(&self) -> u64 {
        self.measure.pauses + self.arriving.pauses
    }

    fn memory(&self) -> u64 {
        self.measure.peak_in_flight.max(self.arriving.peak_in_flight)
    }
}

/// Pauses of ten thousand records.
fn flapping(measure: &Measure) -> u64 {
    (u128::from(measure.pauses) * 10_000).checked_div(u128::from(measure.finished)).unwrap_or(0) as u64
}

impl MarksAnswer {
    fn row(&self, one: Option<(u64, u64, u64)>) -> Option<&MarksRow> {
        self.rows.iter().find(|row| Some((row.high, row.low, row.poll)) == one)
    }

    fn tell_row(&self, row: &MarksRow) -> String {
        let p99 = match self.arrivals {
            true => format!(", p99 {} as the records arrive", self.unit.span(row.arriving.p99)),
            false => String::new(),
        };
        format!(
            "{} from a backlog{p99}, {} in flight at the peak and {} pauses per 10,000 records",
            self.unit.rate(row.measure.finished, row.measure.makespan),
            grouped(row.memory()),
            grouped(flapping(&row.measure)),
        )
    }

    /// Whose marks these are.
    fn whose(&self, subject: &Subject) -> String {
        let workers = counted(u64::from(self.workers), "worker");
        match in_its_place(subject.knobs()) {
            Some(_) => format!(
                "Your one thread has no use for marks. With {workers} and keyed mailboxes in its place, a"
            ),
            None => format!("With your {workers} a"),
        }
    }

    fn tell(&self, subject: &Subject) -> Vec<String> {
        let Some(best) = fastest(self.rows.iter().map(|row| &row.measure)) else {
            return vec!["Nothing has been tried yet.".to_owned()];
        };
        let best = self.unit.rate(best.finished, best.makespan);
        let p99 = match self.arrivals {
            true => format!(" and a p99 of {}", self.unit.span(quickest(&self.rows))),
            false => String::new(),
        };
        let mut told = Vec::new();
        told.push(match self.row(self.named) {
            Some(own) if self.named != self.enough => format!(
                "{} high mark of {} and a low one of {}, as you have them, do as well as any{}: {}. The best of what was \
                 tried are {best}{p99}.",
                self.whose(subject),
                grouped(own.high),
                grouped(own.low),
                self.tell_poll(own.poll),
                self.tell_row(own),
            ),
            Some(enough) => format!(
                "{} high mark of {} and a low one of {} are enough{}: {}. Nothing that was tried gets 5 % beyond that: the \
                 best are {best}{p99}.",
                self.whose(subject),
                grouped(enough.high),
                grouped(enough.low),
                self.tell_poll(enough.poll),
                self.tell_row(enough),
            ),
            None => format!(
                "Of what was tried no marks are named: where they and not the polls of {} decide what is in flight, none \
                 comes within 5 % of the best, {best}{p99}.",
                counted(self.poll, "record"),
            ),
        });
        let now = self.now.and_then(|(high, low)| self.row(Some((high, low, self.poll))));
        match (self.now, now) {
            // Told already.
            (Some(_), Some(now)) if Some(now.knobs()) == self.named => {}
            (Some((high, low)), Some(now)) => {
                let swamped = if now.decides() {
                    ""
                } else {
                    " One poll passes that mark by itself: the polls decide, not the marks."
                };
                told.push(format!(
                    "Yours, {} and {} with polls of {}: {}.{swamped}",
                    grouped(high),
                    grouped(low),
                    grouped(self.poll),
                    self.tell_row(now)
                ));
            }
            (None, _) if in_its_place(subject.knobs()).is_none() => {
                told.push("You have no marks now: nothing bounds what is in flight but the polls.".to_owned())
            }
            _ => {}
        }
        if let Some(enough) = self.row(self.enough) {
            told.push(self.tell_choice(enough));
        }
        let named = self.named.or(self.now.map(|(high, low)| (high, low, self.poll)));
        if let Some((high, _, poll)) = named {
            told.push(format!(
                "In flight never exceeds high - 1 + poll = {} with a high mark of {} and polls of {}: multiply by the size \
                 of a record for the memory it takes.",
                grouped(high.saturating_add(poll) - 1),
                grouped(high),
                grouped(poll),
            ));
        }
        told.extend(self.named.and_then(|(high, ..)| self.tell_flapping(high)));
        told.push(self.tell_steps_back());
        told
    }

    /// By what rule these were chosen, and what it is for.
    fn tell_choice(&self, enough: &MarksRow) -> String {
        let good = candidates(&self.rows).filter(|row| row.is_good(&self.rows, CLOSE));
        let least = good.min_by_key(|row| (row.memory(), row.pauses()));
        let other = match least {
            Some(least) if least.memory() < enough.memory() => format!(
                " The least that does as well is {} in flight at the peak, with marks of {} and {} and polls of {}, and \
                 pauses {} times per 10,000 records.",
                grouped(least.memory()),
                grouped(least.high),
                grouped(least.low),
                grouped(least.poll),
                grouped(flapping(&least.measure)),
            ),
            _ => String::new(),
        };
        format!(
            "Pauses and polls cost nothing here, and something in any client: of all marks that are within 5 % of the best, \
             and hold up to twice the least or up to {FEW} records, those are named that pause least.{other}"
        )
    }

    fn tell_poll(&self, poll: u64) -> String {
        if poll == self.poll {
            return format!(" with your polls of {}", grouped(poll));
        }
        let why = if self.poll > poll.saturating_mul(4) { " would pass that mark by themselves" } else { "" };
        format!(" with polls of {} (max.poll.records; yours of {}{why})", grouped(poll), grouped(self.poll))
    }

    /// The same high mark with other low ones.
    fn tell_flapping(&self, high: u64) -> Option<String> {
        let own: Vec<&MarksRow> = candidates(&self.rows).filter(|row| row.high == high).collect();
        let (first, last) = (own.first()?, own.last()?);
        (first.low < last.low && flapping(&first.measure) != flapping(&last.measure)).then(|| {
            format!(
                "How far apart they are decides how often intake flaps: at a high mark of {}, a low one of {} pauses {} \
                 times per 10,000 records, one of {} {} times.",
                grouped(high),
                grouped(first.low),
                grouped(flapping(&first.measure)),
                grouped(last.low),
                grouped(flapping(&last.measure)),
            )
        })
    }

    /// That higher marks never cost throughput is not a law; here is what was measured.
    fn tell_steps_back(&self) -> String {
        let mut losses: Vec<(u64, &MarksRow, &MarksRow)> = Vec::new();
        let mut steps = 0;
        for percent in LOWS {
            let own = self.line(percent);
            for pair in own.windows(2) {
                steps += 1;
                let [before, after] =
                    [pair[0], pair[1]].map(|row| pace(row.measure.finished, row.measure.makespan));
                if after < before {
                    losses.push(((before - after) * 1_000_000 / before.max(1), pair[0], pair[1]));
                }
            }
        }
        match losses.iter().max_by_key(|loss| loss.0) {
            None => "Measured, not assumed: no step to a higher mark cost any throughput.".to_owned(),
            Some((most, from, to)) => format!(
                "Measured, not assumed: {} of {steps} steps to a higher mark cost throughput, at most {} (from {} to {}).",
                losses.len(),
                percent((*most).max(1)),
                grouped(from.high),
                grouped(to.high),
            ),
        }
    }

    /// The rows whose low mark is this share of the high one, with polls that suit it.
    fn line(&self, percent: u64) -> Vec<&MarksRow> {
        let own = |row: &&MarksRow| row.low == low_of(row.high, percent).min(row.high - 1);
        candidates(&self.rows).filter(own).collect()
    }

    /// The rows with the poll as it is: those with a low mark of half the high one, and the one that there is.
    fn own_polls(&self) -> Vec<&MarksRow> {
        let own = |row: &&MarksRow| {
            row.low == low_of(row.high, LOW_OF_OWN).min(row.high - 1) || Some((row.high, row.low)) == self.now
        };
        self.rows.iter().filter(|row| row.poll == self.poll).filter(own).collect()
    }

    /// The numbers.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::with(&[
            ("high", "high"),
            ("low", "low"),
            ("poll", "poll"),
            ("throughput", "from a backlog"),
            ("peak_in_flight", "peak in flight"),
            ("pauses", "pauses"),
            ("pauses_per_10000", "per 10,000 records"),
            ("p99", "p99 from the poll"),
            ("p99_arriving", "p99 as they arrive"),
        ]);
        for row in &self.rows {
            if Some((row.high, row.low)) == self.now && row.poll == self.poll {
                table.marked = Some(table.rows.len());
            }
            table.rows.push(vec![
                Cell::Count(row.high),
                Cell::Count(row.low),
                Cell::Count(row.poll),
                Cell::Rate(row.measure.finished, row.measure.makespan),
                Cell::Count(row.memory()),
                Cell::Count(row.measure.pauses),
                Cell::Count(flapping(&row.measure)),
                Cell::Span(row.measure.p99),
                if self.arrivals { Cell::Span(row.arriving.p99) } else { Cell::Empty },
            ]);
        }
        table
    }

    pub(super) fn plot(&self) -> Plot {
        let ends = (self.rows.first().map_or(1, |row| row.high), self.rows.last().map_or(2, |row| row.high));
        let (_, x) = doublings("high mark", Kind::Count, ends);
        let hues = [Hue::Blue, Hue::Orange, Hue::Teal];
        let lines = |value: fn(&MarksRow) -> u64| -> Vec<Line> {
            let line = |name: String, rows: Vec<&MarksRow>, hue, dashed| Line {
                name,
                points: rows.iter().map(|row| (row.high, value(row))).collect(),
                hue,
                dashed,
            };
            let small = line(format!("polls of {}", grouped(self.poll)), self.own_polls(), Hue::Violet, true);
            let own = LOWS.into_iter().zip(hues);
            let own =
                own.map(|(percent, hue)| line(format!("low at {percent} %"), self.line(percent), hue, false));
            own.chain([small]).filter(|line| !line.points.is_empty()).collect()
        };
        let marks: Vec<(u64, String)> =
            self.now.iter().map(|(high, _)| (*high, format!("{} now", grouped(*high)))).collect();
        let graph = |what: &str, kind: fn(Unit, u64) -> Kind, value: fn(&MarksRow) -> u64| {
            let lines = lines(value);
            let top =
                lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).max().unwrap_or(1);
            let (title, y) = linear(what, kind(self.unit, top), top);
            Graph { title, x: x.clone(), y, lines, marks: marks.clone(), limits: vec![] }
        };
        let mut memory = graph("peak in flight", |_, _| Kind::Count, MarksRow::memory);
        let bound = Line {
            name: "high - 1 + poll".to_owned(),
            points: self
                .line(LOWS[0])
                .iter()
                .map(|row| (row.high, row.high.saturating_add(row.poll) - 1))
                .collect(),
            hue: Hue::Grey,
            dashed: true,
        };
        let top = memory
            .lines
            .iter()
            .chain([&bound])
            .flat_map(|line| line.points.iter().map(|point| point.1))
            .max();
        (memory.title, memory.y) = linear("peak in flight, records", Kind::Count, top.unwrap_or(1));
        memory.lines.insert(0, bound);
        let mut graphs = vec![
            graph("throughput from a backlog", Kind::Rate, |row| {
                pace(row.measure.finished, row.measure.makespan)
            }),
            memory,
            graph("pauses per 10,000 records", |_, _| Kind::Count, |row| flapping(&row.measure)),
        ];
        if self.arrivals {
            let lines = lines(|row| row.arriving.p99);
            let (title, y) = times("p99 as the records arrive", self.unit, &lines);
            graphs.insert(1, Graph { title, x: x.clone(), y, lines, marks: marks.clone(), limits: vec![] });
        }
        Plot { title: "Marks: throughput, memory and flapping".to_owned(), graphs }
    }
}
