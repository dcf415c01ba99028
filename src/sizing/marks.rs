//! The high and the low mark against throughput, memory and flapping.
//!
//! Every run has all records there from the beginning: a consumer that keeps up rarely meets its marks, one that
//! catches up lives by them. Between the marks lies what is prefetched: too little of it and workers find no
//! record of a free key; close together, and intake is paused and resumed all the time; high, and memory holds
//! what a crash brings again.

use std::collections::BTreeSet;

use super::{
    axes::{Kind, doublings, linear, pace},
    gauge::Measure,
    jobs::{Found, Job, Jobs, level},
    subject::Subject,
    table::{Cell, Table, percent},
    unit::Unit,
    workers::{about_as_fast, fastest},
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot},
    ledger::grouped,
    world::{Knobs, config::Intake},
};

/// Low marks that are tried, in percent of the high one.
const LOWS: [u64; 3] = [25, 50, 90];

/// High marks that are tried at most, beside the one that is set.
const MOST_HIGHS: usize = 12;

/// Marks, ascending by the high one, then by the low one.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    marks: Vec<(u64, u64)>,
}

/// A pair of marks and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarksRow {
    /// Records in flight at which intake pauses.
    pub high: u64,
    /// Records in flight at which it resumes.
    pub low: u64,
    /// With all records there from the beginning.
    pub measure: Measure,
}

/// Which marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarksAnswer {
    /// By high mark, then by low mark.
    pub rows: Vec<MarksRow>,
    /// The marks with the least memory among those whose throughput is within 5 % of the best.
    pub enough: Option<(u64, u64)>,
    /// What to take from it.
    pub sentences: Vec<String>,
    now: Option<(u64, u64)>,
    poll: u64,
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
        let workers = u64::from(subject.knobs().concurrency());
        let least = (workers / 2).max(1);
        let most = subject.records().max(2);
        let highs = std::iter::successors(Some(least), |high| high.checked_mul(2));
        let highs: BTreeSet<u64> = highs.take_while(|&high| high <= most).take(MOST_HIGHS).collect();
        let mut marks: BTreeSet<(u64, u64)> = highs
            .iter()
            .flat_map(|&high| LOWS.map(|percent| (high, low_of(high, percent).min(high - 1))))
            .collect();
        marks.extend(marks_of(subject.knobs()));
        Plan { marks: marks.into_iter().collect() }
    }

    pub(super) fn jobs(&self, subject: &Subject) -> Jobs {
        let job = |&(high, low): &(u64, u64)| {
            let knobs = Knobs { intake: Intake::Pause { high, low }, ..subject.knobs().clone() };
            Job::Run(subject.catching_up(knobs), None)
        };
        let count = self.marks.len();
        // All low marks of a high one together.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&at| (level(at / LOWS.len(), count.div_ceil(LOWS.len())), at));
        Jobs::new(self.marks.iter().map(job).collect(), order)
    }

    pub(super) fn answer(&self, subject: &Subject, found: &[Option<Found>]) -> MarksAnswer {
        let row = |(&(high, low), found): (&(u64, u64), &Option<Found>)| match found {
            Some(Found::Run(measure, _)) => Some(MarksRow { high, low, measure: (**measure).clone() }),
            _ => None,
        };
        let rows: Vec<MarksRow> = self.marks.iter().zip(found).filter_map(row).collect();
        let mut answer = MarksAnswer {
            enough: enough(&rows).map(|row| (row.high, row.low)),
            rows,
            sentences: Vec::new(),
            now: marks_of(subject.knobs()),
            poll: subject.knobs().poll,
            unit: subject.unit(),
        };
        answer.sentences = answer.tell();
        answer
    }
}

/// The least memory, then the fewest pauses, among those that are about as fast as the fastest.
fn enough(rows: &[MarksRow]) -> Option<&MarksRow> {
    let best = fastest(rows.iter().map(|row| &row.measure))?;
    let fast = rows.iter().filter(|row| about_as_fast(&row.measure, best));
    fast.min_by_key(|row| (row.measure.peak_in_flight, row.measure.pauses, row.high, row.low))
}

/// Pauses of ten thousand records.
fn flapping(measure: &Measure) -> u64 {
    (u128::from(measure.pauses) * 10_000).checked_div(u128::from(measure.finished)).unwrap_or(0) as u64
}

impl MarksAnswer {
    fn row(&self, marks: Option<(u64, u64)>) -> Option<&MarksRow> {
        self.rows.iter().find(|row| Some((row.high, row.low)) == marks)
    }

    fn tell_row(&self, row: &MarksRow) -> String {
        format!(
            "{} with {} in flight at the peak and {} pauses per 10,000 records",
            self.unit.rate(row.measure.finished, row.measure.makespan),
            grouped(row.measure.peak_in_flight),
            grouped(flapping(&row.measure)),
        )
    }

    fn tell(&self) -> Vec<String> {
        let (Some(enough), Some(best)) =
            (self.row(self.enough), fastest(self.rows.iter().map(|row| &row.measure)))
        else {
            return vec!["Nothing has been tried yet.".to_owned()];
        };
        let most = self.rows.iter().max_by_key(|row| row.high).map_or(0, |row| row.high);
        let mut told = vec![format!(
            "A high mark of {} and a low one of {} are enough: {}. The best of up to {} gets {}, not 5 % more.",
            grouped(enough.high),
            grouped(enough.low),
            self.tell_row(enough),
            grouped(most),
            self.unit.rate(best.finished, best.makespan),
        )];
        match (self.now, self.row(self.now)) {
            (Some((high, low)), Some(now)) => {
                told.push(format!("Yours, {} and {}: {}.", grouped(high), grouped(low), self.tell_row(now)));
            }
            (None, _) => {
                told.push("You have no marks now: nothing bounds what is in flight but the polls.".to_owned())
            }
            _ => {}
        }
        let high = self.now.map_or(enough.high, |(high, _)| high);
        let bound = high.saturating_add(self.poll) - 1;
        if self.poll > high {
            told.push(format!(
                "Your polls of {} records are larger than the mark: one of them overshoots it, and memory is bounded by \
                 high - 1 + poll = {}. With max.poll.records at {} or less the marks would decide.",
                grouped(self.poll),
                grouped(bound),
                grouped((high / 4).max(1)),
            ));
        } else {
            told.push(format!(
                "In flight never exceeds high - 1 + poll = {} with a high mark of {}: multiply by the size of a record \
                 for the memory it takes.",
                grouped(bound),
                grouped(high)
            ));
        }
        told.extend(self.tell_flapping(enough.high));
        told.push(self.tell_steps_back());
        told
    }

    /// The same high mark with other low ones.
    fn tell_flapping(&self, high: u64) -> Option<String> {
        let own: Vec<&MarksRow> = self.rows.iter().filter(|row| row.high == high).collect();
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

    /// The rows whose low mark is this share of the high one.
    fn line(&self, percent: u64) -> Vec<&MarksRow> {
        self.rows.iter().filter(|row| row.low == low_of(row.high, percent).min(row.high - 1)).collect()
    }

    /// The numbers.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::with(&[
            ("high", "high"),
            ("low", "low"),
            ("throughput", "from a backlog"),
            ("peak_in_flight", "peak in flight"),
            ("pauses", "pauses"),
            ("pauses_per_10000", "per 10,000 records"),
            ("p99", "p99 from the poll"),
        ]);
        for row in &self.rows {
            if Some((row.high, row.low)) == self.now {
                table.marked = Some(table.rows.len());
            }
            table.rows.push(vec![
                Cell::Count(row.high),
                Cell::Count(row.low),
                Cell::Rate(row.measure.finished, row.measure.makespan),
                Cell::Count(row.measure.peak_in_flight),
                Cell::Count(row.measure.pauses),
                Cell::Count(flapping(&row.measure)),
                Cell::Span(row.measure.p99),
            ]);
        }
        table
    }

    pub(super) fn plot(&self) -> Plot {
        let ends = (self.rows.first().map_or(1, |row| row.high), self.rows.last().map_or(2, |row| row.high));
        let (_, x) = doublings("high mark", Kind::Count, ends);
        let hues = [Hue::Blue, Hue::Orange, Hue::Teal];
        let graph = |what: &str, kind: fn(Unit, u64) -> Kind, value: fn(&Measure) -> u64| {
            let lines: Vec<Line> = LOWS
                .into_iter()
                .zip(hues)
                .map(|(percent, hue)| Line {
                    name: format!("low at {percent} %"),
                    points: self.line(percent).iter().map(|row| (row.high, value(&row.measure))).collect(),
                    hue,
                    dashed: false,
                })
                .collect();
            let top =
                lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).max().unwrap_or(1);
            let (title, y) = linear(what, kind(self.unit, top), top);
            let marks = self.now.iter().map(|(high, _)| (*high, format!("{} now", grouped(*high)))).collect();
            Graph { title, x: x.clone(), y, lines, marks, limits: vec![] }
        };
        let mut memory = graph("peak in flight", |_, _| Kind::Count, |measure| measure.peak_in_flight);
        let bound = Line {
            name: "high - 1 + poll".to_owned(),
            points: self
                .line(LOWS[0])
                .iter()
                .map(|row| (row.high, row.high.saturating_add(self.poll) - 1))
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
        Plot {
            title: "Marks: throughput, memory and flapping".to_owned(),
            graphs: vec![
                graph("throughput from a backlog", Kind::Rate, |measure| {
                    pace(measure.finished, measure.makespan)
                }),
                memory,
                graph("pauses per 10,000 records", |_, _| Kind::Count, flapping),
            ],
        }
    }
}
