//! The drain window against leaked writes and the time that a handover takes.
//!
//! The partition is revoked at many moments of the run, drawn uniformly, and at each of them with every window:
//! up to the moment all are one run, so that at one moment a longer window never leaks more. What is counted is
//! what was seen; what may be expected of the next revoke is told as a bound (see `chance.rs`), because none of
//! n is not never.
//!
//! A client that handles a batch between two polls hears of a rebalance at the next poll only: no window decides
//! anything there, the length of a batch does. So what is tried then is the number of records of a poll.

use std::collections::BTreeSet;

use super::{
    axes::{Kind, doublings, linear},
    chance::upper_bound,
    gauge::percentile,
    jobs::{Found, Job, Jobs},
    moments::{Revoked, draw},
    study::Effort,
    subject::{Base, Subject},
    table::{Cell, Table, percent},
    unit::Unit,
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot},
    ids::Tick,
    ledger::grouped,
    mechanism::Guard,
    world::{Knobs, config::Intake},
};

/// Revoke moments are drawn from this stream.
const STREAM: u64 = 21;

/// Jobs that the moments are dealt to; where the log is drawn, each has one of its own.
const JOBS: usize = 6;

/// Windows up to this length are all tried.
const SHORT: u64 = 12;

#[derive(Clone, Debug)]
pub(super) struct Plan {
    windows: Vec<u64>,
    /// Records of a poll, descending, where they decide; none where the windows do.
    polls: Vec<u64>,
    revokes: usize,
}

/// A drain window and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainRow {
    /// Ticks.
    pub window: u64,
    /// Records of a poll at most, where a rebalance waits for the next one.
    pub poll: Option<u64>,
    /// Revokes that were tried.
    pub revokes: u64,
    /// Revokes past which something leaked.
    pub leaking: u64,
    /// The upper 95 % bound on the chance that one leaks, in millionths.
    pub bound: u64,
    /// Row writes that leaked, in all of them.
    pub leaked: u64,
    /// The most past one of them.
    pub most_leaked: u64,
    /// Of the leaked writes, the ones that put an older version over a newer one.
    pub rows_back: u64,
    /// Of the leaked writes, the ones that the guard refused.
    pub rejected: u64,
    /// Revokes in whose drain, or before whose poll, the old owner was evicted.
    pub evicted: u64,
    /// Revokes past which nobody had the partition for longer than the window.
    pub too_long: u64,
    /// Ticks from the revoke to the new owner: half of them, 99 of a hundred, all of them are within.
    pub handover: (u64, u64, u64),
    /// Records that came again, on average, in hundredths.
    pub redelivered_hundredths: u64,
}

/// How long a drain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainAnswer {
    /// By window.
    pub rows: Vec<DrainRow>,
    /// The smallest window tried past which no write leaked.
    pub smallest: Option<u64>,
    /// The longest that anything went on running after a revoke, with a window that lets everything finish: with
    /// this one, and with any longer one, nothing leaked.
    pub longest_needed: Option<u64>,
    /// What to take from it.
    pub sentences: Vec<String>,
    now: u64,
    /// Records of a poll, where they decide.
    poll: Option<u64>,
    unit: Unit,
}

impl Plan {
    pub(super) fn new(subject: &Subject, base: &Base, effort: Effort) -> Plan {
        let revokes = if base.measure.makespan == 0 { 0 } else { effort.revokes };
        let (now, poll) = (subject.knobs().drain, subject.knobs().poll);
        if subject.knobs().intake == Intake::Block {
            let polls: BTreeSet<u64> = [1, 2, 5, 10, 50, poll].map(|part| (poll / part).max(1)).into();
            return Plan { windows: vec![now], polls: polls.into_iter().rev().collect(), revokes };
        }
        // An attempt is over when its work is: nothing runs longer than the longest record, unless it stalls.
        let longest = subject.span_of_work().1.max(1);
        let mut windows: BTreeSet<u64> = match longest {
            0..=SHORT => (0..=longest).collect(),
            longest => [0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32]
                .map(|part| (u128::from(longest) * part / 32) as u64)
                .into(),
        };
        windows.insert(now.min(longest.saturating_mul(4)));
        windows.insert(longest);
        Plan { windows: windows.into_iter().collect(), polls: Vec::new(), revokes }
    }

    pub(super) fn jobs(&self, subject: &Subject, base: &Base) -> Jobs {
        let span = moments_of(subject, base);
        let moments = draw(subject.seed(), STREAM, span, self.revokes);
        let count = JOBS.min(moments.len());
        // Each job has moments from the whole run: the first one tells something already.
        let own = |nth: usize| -> Vec<Tick> { moments.iter().copied().skip(nth).step_by(count).collect() };
        let job = |nth: usize| Job::Revokes(subject.redrawn(nth as u64), own(nth), self.windows.clone());
        let waits = |&poll: &u64| -> Vec<Job> {
            let case = subject.case(Knobs { poll, ..subject.knobs().clone() });
            (0..count).map(|nth| Job::Waits(case.clone(), own(nth))).collect()
        };
        let jobs: Vec<Job> = match self.polls[..] {
            [] => (0..count).map(job).collect(),
            _ => self.polls.iter().flat_map(waits).collect(),
        };
        let order = (0..jobs.len()).collect();
        Jobs::new(jobs, order)
    }

    pub(super) fn answer(&self, subject: &Subject, found: &[Option<Found>]) -> DrainAnswer {
        let rows = match self.polls[..] {
            [] => self.by_window(found),
            _ => self.by_poll(found),
        };
        let mut answer = DrainAnswer {
            smallest: rows
                .iter()
                .filter(|row| row.poll.is_none())
                .find(|row| row.leaking == 0)
                .map(|row| row.window),
            longest_needed: rows
                .last()
                .filter(|row| row.leaking == 0 && row.poll.is_none())
                .map(|row| row.handover.2),
            rows,
            sentences: Vec::new(),
            now: subject.knobs().drain,
            poll: self.polls.first().copied(),
            unit: subject.unit(),
        };
        answer.sentences =
            if self.polls.is_empty() { answer.tell(subject) } else { answer.tell_waits(subject) };
        answer
    }

    fn by_window(&self, found: &[Option<Found>]) -> Vec<DrainRow> {
        let revoked: Vec<&Vec<Revoked>> = found
            .iter()
            .flat_map(moments_found)
            .filter(|by_window| by_window.len() == self.windows.len())
            .collect();
        if revoked.is_empty() {
            return Vec::new();
        }
        let of = |at: usize| revoked.iter().filter_map(move |by_window| by_window.get(at));
        self.windows.iter().enumerate().map(|(at, &window)| row(window, of(at))).collect()
    }

    fn by_poll(&self, found: &[Option<Found>]) -> Vec<DrainRow> {
        let window = self.windows.first().copied().unwrap_or(0);
        let each = found.len() / self.polls.len().max(1);
        let row = |(&poll, found): (&u64, &[Option<Found>])| {
            let mut row = row(window, found.iter().flat_map(moments_found).flatten());
            row.poll = Some(poll);
            (row.revokes > 0).then_some(row)
        };
        self.polls.iter().zip(found.chunks(each.max(1))).filter_map(row).collect()
    }
}

fn moments_found(found: &Option<Found>) -> &[Vec<Revoked>] {
    match found {
        Some(Found::Revokes(moments)) => moments,
        _ => &[],
    }
}

/// From the first arrival to the last completion of the run as it is.
pub(super) fn moments_of(subject: &Subject, base: &Base) -> (Tick, Tick) {
    let log = subject.setup().log();
    let from = log.get(log.index_at(log.start())).map_or(Tick(0), |record| record.since);
    (from, from.after(base.measure.makespan))
}

fn row<'r>(window: u64, revoked: impl Iterator<Item = &'r Revoked>) -> DrainRow {
    let mut row = DrainRow { window, ..DrainRow::default() };
    let (mut handovers, mut redelivered) = (Vec::new(), 0u64);
    for one in revoked {
        row.revokes += 1;
        row.leaking += u64::from(one.leaked > 0);
        row.leaked += one.leaked;
        row.most_leaked = row.most_leaked.max(one.leaked);
        row.rows_back += one.rows_back;
        row.rejected += one.rejected;
        row.evicted += u64::from(one.evicted);
        row.too_long += u64::from(one.evicted || one.handover > window);
        redelivered = redelivered.saturating_add(one.redelivered);
        handovers.push(one.handover);
    }
    handovers.sort_unstable();
    row.handover = (percentile(&handovers, 50), percentile(&handovers, 99), percentile(&handovers, 100));
    row.bound = upper_bound(row.leaking, row.revokes);
    row.redelivered_hundredths = redelivered.saturating_mul(100) / row.revokes.max(1);
    row
}

impl DrainAnswer {
    fn tell(&self, subject: &Subject) -> Vec<String> {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else {
            return vec!["Nothing has been tried yet.".to_owned()];
        };
        let span = |ticks| self.unit.span(ticks);
        let mut told = Vec::new();
        let clean = self.smallest.and_then(|window| self.rows.iter().find(|row| row.window == window));
        let found = match clean {
            Some(row) => format!(
                "With a drain window of {} no leak was seen in {} revokes: with 95 % confidence the chance of one is at most {} a \
                 revoke. A handover then takes {} in half of the cases, {} at the longest.",
                span(row.window),
                grouped(row.revokes),
                percent(row.bound),
                span(row.handover.0),
                span(row.handover.2),
            ),
            None => format!(
                "Every window tried leaks, up to {}: {} of {} revokes with that one.",
                span(last.window),
                grouped(last.leaking),
                grouped(last.revokes)
            ),
        };
        told.push(subject.yours(&found));
        // A window beyond the longest that was tried is as good as that one: nothing runs any longer.
        if let Some(now) = self.rows.iter().find(|row| row.window == self.now.min(last.window)) {
            let yours = span(self.now);
            told.push(match now.leaking {
                0 => format!(
                    "With {yours}, as it is now: none of {} revokes leaked, {} at the longest until the new owner has the \
                     partition.",
                    grouped(now.revokes),
                    span(now.handover.2)
                ),
                leaking => format!(
                    "With {yours}, as it is now: {} of {} revokes leaked, {} writes in all and {} past the worst; the \
                     chance is at most {}.",
                    grouped(leaking),
                    grouped(now.revokes),
                    grouped(now.leaked),
                    grouped(now.most_leaked),
                    percent(now.bound)
                ),
            });
        }
        if let Some(needed) = self.longest_needed {
            told.push(format!(
                "The longest that anything ran on after a revoke was {}, and the longest record takes {}. A window covers \
                 work as it was measured; a database that stalls takes longer, and no window covers that.",
                span(needed),
                span(subject.span_of_work().1),
            ));
        }
        if first.leaked > 0 {
            told.push(format!(
                "Without a drain, {} of {} revokes leak, {} writes in all{}.",
                grouped(first.leaking),
                grouped(first.revokes),
                grouped(first.leaked),
                self.tell_guard(subject, first)
            ));
        }
        if let Some(interval) = subject.knobs().max_poll_interval
            && let Some(row) = self.rows.iter().find(|row| row.evicted > 0 && row.window >= interval)
        {
            told.push(format!(
                "From a window of {} on the drain can outlast max.poll.interval, {}: the old owner is then evicted, and \
                 what runs leaks.",
                span(row.window),
                span(interval)
            ));
        }
        told
    }

    /// A client that hears of a rebalance at its next poll.
    fn tell_waits(&self, subject: &Subject) -> Vec<String> {
        let Some(own) = self.rows.first() else { return vec!["Nothing has been tried yet.".to_owned()] };
        let span = |ticks| self.unit.span(ticks);
        let polls = |row: &DrainRow| format!("polls of {}", grouped(row.poll.unwrap_or(1)));
        let leaks = if own.too_long == 0 { ", and nothing leaks by it" } else { "" };
        let found = format!(
            "A rebalance waits for the next poll, and that for the batch: a handover takes {} in half of {} \
             moments, {} at the longest. No drain window decides anything here{leaks}.",
            span(own.handover.0),
            grouped(own.revokes),
            span(own.handover.2),
        );
        let mut told = vec![subject.yours(&found)];
        if own.evicted > 0 {
            told.push(format!(
                "In {} of the moments the batch outlasts max.poll.interval.ms: the member is thrown out before it polls again, \
                 the partition goes on without it, and what it works on leaks.",
                grouped(own.evicted),
            ));
        }
        if own.too_long > own.evicted {
            told.push(format!(
                "In {} of the moments it takes longer than the {} that a rebalance may: the member is thrown out, and what it \
                 works on leaks.",
                grouped(own.too_long - own.evicted),
                span(own.window),
            ));
        }
        let shorter: Vec<&DrainRow> =
            self.rows[1..].iter().filter(|row| row.handover.2 * 20 < own.handover.2 * 19).collect();
        let less: Vec<String> = shorter
            .iter()
            .map(|row| format!("{} at the longest with {}", span(row.handover.2), polls(row)))
            .collect();
        if !less.is_empty() {
            told.push(format!("Fewer records of a poll (max.poll.records) shorten it: {}.", less.join(", ")));
        } else if self.rows.len() > 1 {
            told.push("Fewer records of a poll do not shorten it: no batch is that large.".to_owned());
        }
        told.push(format!(
            "One record takes {} at most: a pool whose loop goes on polling hears of the rebalance at once, and waits for \
             no more than that (kwp.workers, kwp.drain.ms).",
            span(subject.span_of_work().1),
        ));
        told
    }

    fn tell_guard(&self, subject: &Subject, row: &DrainRow) -> String {
        match subject.knobs().guard {
            Guard::Off => format!(
                "; with the guard off, {} of them put an older version over a newer one",
                grouped(row.rows_back)
            ),
            Guard::Newer | Guard::NotOlder => {
                format!(
                    "; the guard refused {} of them, and the others were still the newest for their key",
                    grouped(row.rejected)
                )
            }
        }
    }

    /// The numbers.
    #[must_use]
    pub fn table(&self) -> Table {
        if self.poll.is_some() {
            return self.table_of_polls();
        }
        let mut table = Table::with(&[
            ("window", "window"),
            ("revokes", "revokes"),
            ("leaking", "that leaked"),
            ("bound95", "chance, at most"),
            ("leaked", "leaked writes"),
            ("rejected", "refused"),
            ("rows_back", "rows gone back"),
            ("evicted", "evicted"),
            ("handover_p50", "handover p50"),
            ("handover_p99", "p99"),
            ("handover_max", "max"),
            ("redelivered_mean", "redelivered, mean"),
        ]);
        for row in &self.rows {
            if row.window == self.now.min(self.rows.last().map_or(0, |row| row.window)) {
                table.marked = Some(table.rows.len());
            }
            table.rows.push(vec![
                Cell::Span(row.window),
                Cell::Count(row.revokes),
                Cell::Count(row.leaking),
                Cell::Share(row.bound),
                Cell::Count(row.leaked),
                Cell::Count(row.rejected),
                Cell::Count(row.rows_back),
                Cell::Count(row.evicted),
                Cell::Span(row.handover.0),
                Cell::Span(row.handover.1),
                Cell::Span(row.handover.2),
                Cell::Hundredths(row.redelivered_hundredths),
            ]);
        }
        table
    }

    fn table_of_polls(&self) -> Table {
        let mut table = Table::with(&[
            ("poll", "records of a poll"),
            ("revokes", "moments"),
            ("too_long", "too long"),
            ("handover_p50", "handover p50"),
            ("handover_p99", "p99"),
            ("handover_max", "max"),
        ]);
        for row in &self.rows {
            if row.poll == self.poll {
                table.marked = Some(table.rows.len());
            }
            table.rows.push(vec![
                Cell::Count(row.poll.unwrap_or(0)),
                Cell::Count(row.revokes),
                Cell::Count(row.too_long),
                Cell::Span(row.handover.0),
                Cell::Span(row.handover.1),
                Cell::Span(row.handover.2),
            ]);
        }
        table
    }

    fn plot_of_polls(&self, poll: u64) -> Plot {
        let line = |name: &str, hue, value: fn(&DrainRow) -> u64| Line {
            name: name.to_owned(),
            points: self.rows.iter().rev().map(|row| (row.poll.unwrap_or(1), value(row))).collect(),
            hue,
            dashed: false,
        };
        let (_, x) = doublings("records of a poll", Kind::Count, (1, poll));
        let lines = vec![
            line("max", Hue::Orange, |row| row.handover.2),
            line("p99", Hue::Violet, |row| row.handover.1),
            line("p50", Hue::Teal, |row| row.handover.0),
        ];
        let top = self.rows.iter().map(|row| row.handover.2).max().unwrap_or(1);
        let (title, y) = linear("from the revoke to the new owner", Kind::Span(self.unit), top);
        let marks = vec![(poll, format!("{} now", grouped(poll)))];
        let graph = Graph { title, x, y, lines, marks, limits: vec![] };
        Plot { title: "Drain: how long a handover waits for the next poll".to_owned(), graphs: vec![graph] }
    }

    pub(super) fn plot(&self) -> Plot {
        if let Some(poll) = self.poll {
            return self.plot_of_polls(poll);
        }
        let last = self.rows.last().map_or(1, |row| row.window);
        let (label, mut x) = linear("drain window", Kind::Span(self.unit), last);
        (x.label, x.ends.1) = (label, x.ends.1.max(1));
        let line = |name: &str, hue, dashed, value: fn(&DrainRow) -> u64| Line {
            name: name.to_owned(),
            points: self.rows.iter().map(|row| (row.window, value(row))).collect(),
            hue,
            dashed,
        };
        // A mark has its place where it is, or none.
        let marks: Vec<(u64, String)> =
            (self.now <= x.ends.1).then(|| (self.now, "now".to_owned())).into_iter().collect();
        let share = |row: &DrainRow| row.leaking * 1_000_000 / row.revokes.max(1);
        let lines = vec![
            line("at most, with 95 % confidence", Hue::Grey, true, |row| row.bound),
            line("seen", Hue::Red, false, share),
        ];
        let top = self.rows.iter().map(|row| row.bound).max().unwrap_or(1);
        let (title, y) = linear("revokes that leaked", Kind::Share, top);
        let y = crate::export::picture::Scale { ends: (0, y.ends.1.min(1_000_000)), ..y };
        let y = crate::export::picture::Scale {
            ticks: y.ticks.into_iter().filter(|(value, _)| *value <= 1_000_000).collect(),
            ..y
        };
        let first = Graph { title, x: x.clone(), y, lines, marks: marks.clone(), limits: vec![] };
        let lines = vec![
            line("max", Hue::Orange, false, |row| row.handover.2),
            line("p99", Hue::Violet, false, |row| row.handover.1),
            line("p50", Hue::Teal, false, |row| row.handover.0),
        ];
        let top = self.rows.iter().map(|row| row.handover.2).max().unwrap_or(1);
        let (title, y) = linear("from the revoke to the new owner", Kind::Span(self.unit), top);
        let second = Graph { title, x, y, lines, marks, limits: vec![] };
        Plot {
            title: "Drain: what leaks, and how long a handover takes".to_owned(),
            graphs: vec![first, second],
        }
    }
}
