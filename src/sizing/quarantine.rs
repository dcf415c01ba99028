//! The quarantine timer against the lag behind a poisoned record.
//!
//! Some records are poisoned, one in each run: every attempt at them fails. The first one is the middle record of
//! the hottest key, where it hurts most; the others are drawn. Until the timer runs out the record pins the
//! watermark, so that what is committed falls behind and a crash brings all of it again, and the records of its
//! key wait.

use std::collections::BTreeSet;

use rand::Rng;
use rand_pcg::Pcg32;

use super::{
    axes::{Kind, doublings, linear},
    gauge::{Measure, percentile},
    jobs::{Found, Job, Jobs, coarse_first},
    study::Effort,
    subject::{Base, Subject},
    table::{Cell, Table, counted},
    unit::Unit,
    workers::CLOSE,
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot, Scale},
    ids::{KeyId, Offset, Tick},
    ledger::grouped,
    player::Inputs,
    world::{
        Input, Knobs, Work,
        config::{Quarantine, Then},
    },
};

/// Poisoned records are drawn from this stream.
const STREAM: u64 = 23;

/// Timers that are tried at most, beside the one that is set, none at all, and none of any length.
const MOST_TIMERS: usize = 12;

#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Ascending; the last one is none.
    timers: Vec<Option<u64>>,
    poisoned: Vec<(Offset, Option<KeyId>)>,
    then: Then,
    /// The last tick of a run that never ends.
    horizon: Tick,
}

/// A timer and what came of it, the worst of the poisoned records each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuarantineRow {
    /// Ticks from the first failure to the dead letter; nothing: never.
    pub after: Option<u64>,
    /// Records that were poisoned, one after the other.
    pub poisoned: u64,
    /// The most records that had arrived and were not committed.
    pub peak_lag: u64,
    /// The most records that had been polled and were not committed: what a crash would bring again.
    pub peak_span: u64,
    /// The longest that a record behind the poisoned one, of its key, was in the system; nothing: for ever.
    pub key_waits: Option<u64>,
    /// p99 of the time in the system of all records.
    pub p99: u64,
    /// Dead letters of one run.
    pub dead_letters: u64,
    /// Whether intake paused more often than without a poisoned record.
    pub more_pauses: bool,
    /// Records that were not finished.
    pub unfinished: u64,
}

/// How long a poisoned record may stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantineAnswer {
    /// By timer, never last.
    pub rows: Vec<QuarantineRow>,
    /// What to take from it.
    pub sentences: Vec<String>,
    arrivals: bool,
    /// The lag without a poisoned record.
    calm: u64,
    now: Option<u64>,
    unit: Unit,
}

impl Plan {
    pub(super) fn new(subject: &Subject, base: &Base, effort: Effort) -> Plan {
        let knobs = subject.knobs();
        let mut timers = BTreeSet::from([0]);
        let step = subject.span_of_work().0.max(knobs.retry_delay).max(1);
        let longest = (base.measure.makespan / 4).max(step);
        let steps = std::iter::successors(Some(step), |timer| timer.checked_mul(2))
            .take_while(|&timer| timer <= longest);
        let steps: Vec<u64> = steps.collect();
        // A longer range in larger steps, with its end.
        let stride = steps.len().div_ceil(MOST_TIMERS).max(1);
        timers.extend(steps.iter().rev().step_by(stride));
        let then = knobs.quarantine.map_or(Then::Continue, |quarantine| quarantine.then);
        timers.extend(knobs.quarantine.map(|quarantine| quarantine.after));
        let last = timers.last().copied().unwrap_or(1);
        let horizon = Tick(base.measure.end).after(last.saturating_mul(2)).after(1_000);
        let timers = timers.into_iter().map(Some).chain([None]).collect();
        Plan { timers, poisoned: poisoned(subject, effort.poisons), then, horizon }
    }

    pub(super) fn jobs(&self, subject: &Subject) -> Jobs {
        let mut jobs = Vec::new();
        for &(offset, key) in &self.poisoned {
            for &after in &self.timers {
                let quarantine = after.map(|after| Quarantine { after, then: self.then });
                let mut case = subject.case(Knobs { quarantine, ..subject.knobs().clone() });
                case.inputs = Inputs::from([(Tick(0), vec![Input::Poison(offset)])]).into();
                if after.is_none() {
                    case.last = self.horizon;
                } else {
                    case.last = case.last.after(after.unwrap_or(0));
                }
                jobs.push(Job::Run(case, key.map(|key| (key, offset))));
            }
        }
        let each = self.timers.len();
        let order = (0..self.poisoned.len())
            .flat_map(|nth| coarse_first(each).into_iter().map(move |at| nth * each + at));
        Jobs::new(jobs, order.collect())
    }

    pub(super) fn answer(&self, subject: &Subject, base: &Base, found: &[Option<Found>]) -> QuarantineAnswer {
        let each = self.timers.len();
        let row = |(at, &after): (usize, &Option<u64>)| {
            let runs: Vec<(&Measure, Option<u64>, bool)> = (0..self.poisoned.len())
                .filter_map(|nth| match found.get(nth * each + at) {
                    Some(Some(Found::Run(measure, waits))) => {
                        Some((&**measure, *waits, self.poisoned[nth].1.is_some()))
                    }
                    _ => None,
                })
                .collect();
            worst(after, &runs, base)
        };
        let rows: Vec<QuarantineRow> = self.timers.iter().enumerate().filter_map(row).collect();
        let arrivals = subject.workload().arrivals;
        let mut answer = QuarantineAnswer {
            rows,
            sentences: Vec::new(),
            arrivals,
            calm: if arrivals { base.measure.peak_lag } else { base.measure.peak_span },
            now: subject.knobs().quarantine.map(|quarantine| quarantine.after),
            unit: subject.unit(),
        };
        answer.sentences = answer.tell(subject, self);
        answer
    }
}

/// The middle record of the hottest key, and others that are drawn; only such as have an end of their own.
fn poisoned(subject: &Subject, count: usize) -> Vec<(Offset, Option<KeyId>)> {
    let log = subject.setup().log();
    let first = log.index_at(log.start());
    let hottest = subject.workload().hottest(subject.knobs().null_keys).map(|(key, _)| key);
    let ends = |work| matches!(work, Work::Ticks(_));
    let own: Vec<Offset> = log
        .iter_from(first)
        .filter(|record| Some(record.key) == hottest && ends(record.work))
        .map(|record| record.offset)
        .collect();
    let mut poisoned: Vec<(Offset, Option<KeyId>)> = Vec::new();
    // Of two the first: something of its key has to be behind it.
    poisoned.extend(own.get(own.len().saturating_sub(1) / 2).map(|&offset| (offset, hottest.flatten())));
    let mut generator = Pcg32::new(subject.seed(), STREAM);
    let span = u128::from(log.len().saturating_sub(first));
    // A log of records without an end offers none.
    for _ in 0..count * 8 {
        let index = first + ((u128::from(generator.next_u32()) * span) >> 32) as u64;
        if poisoned.len() < count
            && let Some(record) = log.get(index).filter(|record| ends(record.work))
            && poisoned.iter().all(|&(offset, _)| offset != record.offset)
        {
            poisoned.push((record.offset, record.key));
        }
    }
    poisoned.truncate(count);
    poisoned
}

/// The worst of each, over the poisoned records; nothing where there is no run yet.
fn worst(after: Option<u64>, runs: &[(&Measure, Option<u64>, bool)], base: &Base) -> Option<QuarantineRow> {
    let most = |value: fn(&Measure) -> u64| runs.iter().map(|(run, ..)| value(run)).max();
    // A record without a key has none behind it.
    let waits: Vec<Option<u64>> =
        runs.iter().filter(|(.., keyed)| *keyed).map(|(_, waits, _)| *waits).collect();
    let mut all: Vec<u64> = waits.iter().flatten().copied().collect();
    all.sort_unstable();
    Some(QuarantineRow {
        after,
        poisoned: runs.len() as u64,
        peak_lag: most(|run| run.peak_lag)?,
        peak_span: most(|run| run.peak_span)?,
        key_waits: if waits.iter().any(Option::is_none) { None } else { Some(percentile(&all, 100)) },
        p99: most(|run| run.p99)?,
        dead_letters: most(|run| run.dead_letters)?,
        more_pauses: most(|run| run.pauses)? > base.measure.pauses,
        unfinished: most(|run| run.unfinished)?,
    })
}

impl QuarantineAnswer {
    /// Kafka's lag where records arrive; where they are all there from the beginning, lag begins with all of them, and
    /// what tells is how far the commit is behind the reading.
    fn behind(&self, row: &QuarantineRow) -> u64 {
        if self.arrivals { row.peak_lag } else { row.peak_span }
    }

    fn timer(&self, after: Option<u64>) -> String {
        after.map_or("never".to_owned(), |after| self.unit.span(after))
    }

    fn tell(&self, subject: &Subject, plan: &Plan) -> Vec<String> {
        let timed: Vec<&QuarantineRow> = self.rows.iter().filter(|row| row.after.is_some()).collect();
        let (Some(first), Some(last)) = (timed.first(), timed.last()) else {
            return vec!["Nothing has been tried yet.".to_owned()];
        };
        let what = if self.arrivals { "lag" } else { "uncommitted" };
        let mut told = Vec::new();
        // The longest timer up to which none shows by more than what is close to the best elsewhere.
        let shows = |row: &&&QuarantineRow| self.behind(row) > self.calm + self.calm / CLOSE;
        let harmless = timed.iter().take_while(|row| !shows(row)).last();
        let found = match harmless {
            Some(row) if row.after == last.after => format!(
                "No timer of up to {} shows in the {what} by more than 5 %: it peaks at {}, {} without a poisoned one.",
                self.timer(row.after),
                counted(self.behind(row), "record"),
                grouped(self.calm),
            ),
            Some(row) => format!(
                "Up to a timer of {} a poisoned record shows by no more than 5 %: {what} peaks at {}, {} without one. With {} \
                 it is {}.",
                self.timer(row.after),
                counted(self.behind(row), "record"),
                grouped(self.calm),
                self.timer(last.after),
                grouped(self.behind(last)),
            ),
            None => format!(
                "Any quarantine shows by more than 5 %: with a timer of {} {what} peaks at {}, with {} at {}; without a poisoned record at {}.",
                self.timer(first.after),
                counted(self.behind(first), "record"),
                self.timer(last.after),
                grouped(self.behind(last)),
                grouped(self.calm),
            ),
        };
        told.push(subject.yours(&found));
        if let Some(row) = self.rows.iter().find(|row| row.after == self.now) {
            told.push(match row.after {
                Some(_) => format!(
                    "Yours of {}: {what} up to {}, a crash at the worst moment brings {} again, and the records of the key are {}.",
                    self.timer(row.after),
                    grouped(self.behind(row)),
                    grouped(row.peak_span),
                    row.key_waits.map_or("not finished in the end".to_owned(), |waits| {
                        format!("in the system for {} at most", self.unit.span(waits))
                    }),
                ),
                None => self.tell_never(row, "You have none now: "),
            });
        }
        if self.now.is_some()
            && let Some(never) = self.rows.iter().find(|row| row.after.is_none())
        {
            told.push(self.tell_never(never, "Without a quarantine: "));
        }
        if let (Some(short), Some(long)) = (first.key_waits, last.key_waits)
            && long > short
        {
            let others = if first.p99 == last.p99 {
                format!("stays at {}", self.unit.span(first.p99))
            } else {
                format!("goes from {} to {}", self.unit.span(first.p99), self.unit.span(last.p99))
            };
            told.push(format!(
                "The key pays first: its records behind the poisoned one are in the system for up to {} with a timer of {}, {} with \
                 {}. p99 of all records {others}.",
                self.unit.span(short),
                self.timer(first.after),
                self.unit.span(long),
                self.timer(last.after),
            ));
        }
        told.extend(subject.tell_short("the lag"));
        if let Some((offset, key)) = plan.poisoned.first() {
            let records = subject.records_of(*key);
            let place = match records {
                1 => "the only one of",
                2 => "the first of the two of",
                _ => "in the middle of",
            };
            let each = if first.poisoned == 1 { "" } else { ", each in a run of its own" };
            let worst = if first.poisoned == 1 { "" } else { " Each number is the worst of them." };
            let lead = if first.poisoned == 1 { "it" } else { "the first" };
            told.push(format!(
                "Tried with {} poisoned{each}; {lead} is offset {offset}, {place} {}.{worst}",
                counted(first.poisoned, "record"),
                subject.key_words(*key),
            ));
        }
        told
    }

    fn tell_never(&self, row: &QuarantineRow, lead: &str) -> String {
        let stuck = if row.unfinished > 1 {
            format!("{} records were not finished when the run was stopped", grouped(row.unfinished))
        } else {
            "everything else was finished".to_owned()
        };
        format!(
            "{lead}where nothing else ends the attempts, the record is tried again for ever and pins the commit: {} read and not committed in the end, all \
             of which a crash brings again; {stuck}.",
            counted(row.peak_span, "record"),
        )
    }

    /// The numbers.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::with(&[
            ("after", "timer"),
            ("poisoned", "poisoned, one a run"),
            ("peak_lag", "peak lag"),
            ("peak_span", "peak uncommitted"),
            ("key_waits", "its key waits, max"),
            ("p99", "p99 of all"),
            ("dead_letters", "dead letters"),
            ("unfinished", "unfinished"),
        ]);
        for row in &self.rows {
            if row.after == self.now {
                table.marked = Some(table.rows.len());
            }
            table.rows.push(vec![
                row.after.map_or(Cell::Text("never".to_owned()), Cell::Span),
                Cell::Count(row.poisoned),
                Cell::Count(row.peak_lag),
                Cell::Count(row.peak_span),
                row.key_waits.map_or(Cell::Text("for ever".to_owned()), Cell::Span),
                Cell::Span(row.p99),
                Cell::Count(row.dead_letters),
                Cell::Count(row.unfinished),
            ]);
        }
        table
    }

    pub(super) fn plot(&self) -> Plot {
        let longest = self.rows.iter().filter_map(|row| row.after).max().unwrap_or(1);
        let (_, x) = doublings("quarantine timer", Kind::Span(self.unit), (0, longest));
        // Where the first timer is long, the scale begins shortly before it.
        let shortest = self.rows.iter().filter_map(|row| row.after).find(|&after| after > 0).unwrap_or(1);
        let x = if shortest > 4 { beginning_at(x, shortest / 2) } else { x };
        let line = |name: &str, hue, dashed, value: &dyn Fn(&QuarantineRow) -> Option<u64>| Line {
            name: name.to_owned(),
            points: self.rows.iter().filter_map(|row| Some((row.after?, value(row)?))).collect(),
            hue,
            dashed,
        };
        let marks: Vec<(u64, String)> = self.now.iter().map(|&now| (now, "now".to_owned())).collect();
        let lines = vec![
            line("without a poisoned one", Hue::Grey, true, &|_| Some(self.calm)),
            line("what a crash brings again", Hue::Orange, false, &|row| Some(row.peak_span)),
        ];
        let lag = line("lag", Hue::Blue, false, &|row| Some(row.peak_lag));
        let lines: Vec<Line> = if self.arrivals { lines.into_iter().chain([lag]).collect() } else { lines };
        let top = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).max().unwrap_or(1);
        let (title, y) = linear("records behind, at the peak", Kind::Count, top);
        let first = Graph { title, x: x.clone(), y, lines, marks: marks.clone(), limits: vec![] };
        let lines = vec![
            line("its key", Hue::Red, false, &|row| row.key_waits),
            line("p99 of all", Hue::Violet, false, &|row| Some(row.p99)),
        ];
        let (title, y) = super::workers::times("time in the system", self.unit, &lines);
        let second = Graph { title, x, y, lines, marks, limits: vec![] };
        Plot {
            title: "Quarantine: what a poisoned record holds back".to_owned(),
            graphs: vec![first, second],
        }
    }
}

/// The scale from this value on; 0 lies at its beginning too, named.
fn beginning_at(scale: Scale, low: u64) -> Scale {
    let ticks = scale.ticks.into_iter().filter(|&(value, _)| value > low);
    let zero = (low, "0".to_owned());
    Scale { ends: (low, scale.ends.1), ticks: [zero].into_iter().chain(ticks).collect(), ..scale }
}
