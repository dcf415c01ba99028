//! What a crash costs at each moment, with and without the acknowledgement map.
//!
//! Two runs, each looked at in many moments: what a successor would read again, how much of that was done
//! already, and how many bytes of map went with the last commit. The moments are evenly spaced in stretches and
//! drawn within each, so that a rhythm of the traffic is not mistaken for its level.
//!
//! A client that does not commit on the engine's schedule has one run: what a successor would read again is told by
//! its own commits (see `commits.rs`), with which no map travels.

use super::{
    axes::{Kind, linear},
    commits::Commits,
    drain::moments_of,
    gauge::percentile,
    jobs::{Found, Job, Jobs},
    moments::{CrashMoment, draw},
    study::Effort,
    subject::{Base, Subject},
    table::{Cell, Table, counted},
    unit::Unit,
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot},
    ids::Tick,
    ledger::grouped,
    world::Knobs,
};

/// The moments are drawn from this stream.
const STREAM: u64 = 22;

#[derive(Clone, Debug)]
pub(super) struct Plan {
    moments: Vec<Tick>,
}

/// What a crash costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashAnswer {
    /// By moment, without the map.
    pub without: Vec<CrashMoment>,
    /// By moment, with it; none where the client's own commits carry none.
    pub with: Vec<CrashMoment>,
    /// What to take from it.
    pub sentences: Vec<String>,
    limit: u64,
    has_map: bool,
    commits: Commits,
    unit: Unit,
}

impl Plan {
    pub(super) fn new(subject: &Subject, base: &Base, effort: Effort) -> Plan {
        let (from, to) = moments_of(subject, base);
        let count = effort.crashes as u64;
        let span = to.since(from);
        let moments = if span <= count {
            // Every tick.
            (from.0..=to.0).map(Tick).collect()
        } else {
            let end = |nth: u64| from.after((u128::from(span) * u128::from(nth) / u128::from(count)) as u64);
            let one = |nth: u64| draw(subject.seed().wrapping_add(nth), STREAM, (end(nth), end(nth + 1)), 1);
            (0..count).flat_map(one).collect()
        };
        Plan { moments: if base.measure.makespan == 0 { Vec::new() } else { moments } }
    }

    pub(super) fn jobs(&self, subject: &Subject) -> Jobs {
        let job = |ack_map| {
            let knobs = Knobs { ack_map, ..subject.knobs().clone() };
            Job::Crashes(subject.case(knobs), self.moments.clone())
        };
        match subject.commits() {
            Commits::Engine => Jobs::new(vec![job(false), job(true)], vec![0, 1]),
            _ => Jobs::new(vec![job(false)], vec![0]),
        }
    }

    pub(super) fn answer(&self, subject: &Subject, found: &[Option<Found>]) -> CrashAnswer {
        let moments = |at: usize| match found.get(at) {
            Some(Some(Found::Crashes(moments))) => moments.clone(),
            _ => Vec::new(),
        };
        let mut answer = CrashAnswer {
            without: moments(0),
            with: moments(1),
            sentences: Vec::new(),
            limit: subject.knobs().ack_map_limit,
            has_map: subject.knobs().ack_map && subject.commits() == Commits::Engine,
            commits: subject.commits(),
            unit: subject.unit(),
        };
        answer.sentences = answer.tell(subject);
        answer
    }
}

fn sorted(moments: &[CrashMoment], value: fn(&CrashMoment) -> u64) -> Vec<u64> {
    let mut values: Vec<u64> = moments.iter().map(value).collect();
    values.sort_unstable();
    values
}

/// Half of the moments are within, and all of them.
fn half_and_all(moments: &[CrashMoment], value: fn(&CrashMoment) -> u64) -> (u64, u64) {
    let sorted = sorted(moments, value);
    (percentile(&sorted, 50), percentile(&sorted, 100))
}

impl CrashAnswer {
    fn tell(&self, subject: &Subject) -> Vec<String> {
        if self.without.is_empty() {
            return vec!["Nothing has been tried yet.".to_owned()];
        }
        let count = grouped(self.without.len() as u64);
        let lead = match self.commits.words(|ticks| self.unit.span(ticks)) {
            Some(words) => format!("And with commits {words}, a crash"),
            None => "Without an acknowledgement map a crash".to_owned(),
        };
        let worst =
            self.without.iter().max_by_key(|moment| (moment.redelivered, std::cmp::Reverse(moment.tick)));
        let at = worst.map_or(String::new(), |moment| format!(", at {}", self.unit.span(moment.tick.0)));
        let (half, all) = half_and_all(&self.without, |moment| moment.redelivered);
        let lost = self.tell_lost();
        let found = format!(
            "{lead} brings {} again (median of {count} moments), {} in the worst{at}; {}{lost}.",
            counted(half, "record"),
            grouped(all),
            self.done_already(&self.without),
        );
        let mut told = vec![subject.yours(&found)];
        told.extend(subject.tell_short("what a crash brings again"));
        if self.commits != Commits::Engine {
            told.push(
                "No acknowledgement map travels with such commits. Committing the watermark of what is finished by \
                 yourself, more often than that (kwp.commit.interval.ms), brings less again."
                    .to_owned(),
            );
        }
        if !self.with.is_empty() {
            let (half, all) = half_and_all(&self.with, |moment| moment.redelivered);
            let duplicates = half_and_all(&self.with, |moment| moment.duplicates).1;
            let (_, bytes) = half_and_all(&self.with, |moment| moment.map_bytes);
            told.push(format!(
                "With the map: {} (median), {} in the worst; {}. The map took up to {} of the {} bytes that a commit's \
                 metadata may have{}.",
                counted(half, "record"),
                grouped(all),
                self.done_already(&self.with),
                grouped(bytes),
                grouped(self.limit),
                if self.has_map { "; yours is on" } else { "; yours is off" },
            ));
            let refused = self.with.last().map_or(0, |moment| moment.maps_refused);
            if refused > 0 {
                told.push(format!(
                    "{} the map grew too long for the limit; the commits then went without it, until it was shorter.",
                    if refused == 1 { "Once".to_owned() } else { format!("{} times", grouped(refused)) }
                ));
            }
            let every = subject.knobs().commit_every;
            told.push(match duplicates {
                0 => "In none of the moments was anything to be done twice with the map: what came again was only in flight."
                    .to_owned(),
                _ if every > 1 => format!(
                    "What comes again although it was done finished after the last commit, which is due every {} only{}.",
                    self.unit.span(every),
                    if refused > 0 { ", or while the map was too long" } else { "" }
                ),
                _ => "What comes again although it was done finished while the map was too long, or since the last commit."
                    .to_owned(),
            });
        }
        told
    }

    /// What of it is work a second time.
    fn done_already(&self, moments: &[CrashMoment]) -> String {
        match half_and_all(moments, |moment| moment.duplicates).1 {
            0 => "none of them was done already".to_owned(),
            done => format!(
                "up to {} of them {} done already, {} of work a second time",
                grouped(done),
                if done == 1 { "was" } else { "were" },
                self.unit.span(half_and_all(moments, |moment| moment.redone).1),
            ),
        }
    }

    /// What such commits lose.
    fn tell_lost(&self) -> String {
        match half_and_all(&self.without, |moment| moment.most_lost).1 {
            0 => String::new(),
            lost => format!(
                "; right after a commit it loses up to {}: committed, not finished, and read again by nobody",
                counted(lost, "record"),
            ),
        }
    }

    /// The numbers, in sum.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::with(&[
            ("map", "acknowledgement map"),
            ("moments", "moments"),
            ("redelivered_p50", "redelivered, p50"),
            ("redelivered_p99", "p99"),
            ("redelivered_max", "max"),
            ("duplicates_p50", "done already, p50"),
            ("duplicates_max", "max"),
            ("redone_max", "work done twice, max"),
            ("lost_max", "lost, max"),
            ("map_bytes_max", "map bytes, max"),
        ]);
        for (name, moments, on) in [("off", &self.without, false), ("on", &self.with, true)] {
            if moments.is_empty() {
                continue;
            }
            if on == self.has_map {
                table.marked = Some(table.rows.len());
            }
            let redelivered = sorted(moments, |moment| moment.redelivered);
            let (done, all_done) = half_and_all(moments, |moment| moment.duplicates);
            table.rows.push(vec![
                Cell::Text(name.to_owned()),
                Cell::Count(moments.len() as u64),
                Cell::Count(percentile(&redelivered, 50)),
                Cell::Count(percentile(&redelivered, 99)),
                Cell::Count(percentile(&redelivered, 100)),
                Cell::Count(done),
                Cell::Count(all_done),
                Cell::Span(half_and_all(moments, |moment| moment.redone).1),
                Cell::Count(half_and_all(moments, |moment| moment.most_lost).1),
                Cell::Count(half_and_all(moments, |moment| moment.map_bytes).1),
            ]);
        }
        table
    }

    /// The numbers of every moment.
    #[must_use]
    pub fn moments(&self) -> Table {
        let mut table = Table::with(&[
            ("tick", "moment"),
            ("redelivered", "redelivered"),
            ("duplicates", "done already"),
            ("lost", "lost"),
            ("redelivered_with_map", "redelivered with the map"),
            ("duplicates_with_map", "done already with the map"),
            ("map_bytes", "map bytes"),
        ]);
        for (at, moment) in self.without.iter().enumerate() {
            let with = |value: fn(&CrashMoment) -> u64| {
                self.with.get(at).map_or(Cell::Empty, |with| Cell::Count(value(with)))
            };
            table.rows.push(vec![
                Cell::Span(moment.tick.0),
                Cell::Count(moment.redelivered),
                Cell::Count(moment.duplicates),
                Cell::Count(moment.lost),
                with(|moment| moment.redelivered),
                with(|moment| moment.duplicates),
                with(|moment| moment.map_bytes),
            ]);
        }
        table
    }

    pub(super) fn plot(&self) -> Plot {
        let last = self.without.last().map_or(1, |moment| moment.tick.0);
        let (_, x) = linear("moment of the crash", Kind::Span(self.unit), last);
        let line = |name: &str, hue, dashed, moments: &[CrashMoment], value: fn(&CrashMoment) -> u64| Line {
            name: name.to_owned(),
            points: moments.iter().map(|moment| (moment.tick.0, value(moment))).collect(),
            hue,
            dashed,
        };
        let mut lines = vec![
            line("again, without map", Hue::Orange, false, &self.without, |moment| moment.redelivered),
            line("of these done", Hue::Red, true, &self.without, |moment| moment.duplicates),
        ];
        if self.commits == Commits::Engine {
            lines.push(line("again, with map", Hue::Blue, false, &self.with, |moment| moment.redelivered));
        } else {
            lines[0].name = "again".to_owned();
        }
        if self.without.iter().any(|moment| moment.lost > 0) {
            lines.push(line("lost", Hue::Violet, false, &self.without, |moment| moment.lost));
        }
        let top = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).max().unwrap_or(1);
        let (title, y) = linear("records that come again", Kind::Count, top);
        let first = Graph { title, x: x.clone(), y, lines, marks: vec![], limits: vec![] };
        if self.commits != Commits::Engine {
            return Plot { title: "Crash: what comes again".to_owned(), graphs: vec![first] };
        }
        let bytes = line("map", Hue::Violet, false, &self.with, |moment| moment.map_bytes);
        let most = bytes.points.iter().map(|point| point.1).max().unwrap_or(0);
        // A limit that is far away would flatten the line.
        let near = self.limit <= most.saturating_mul(4).max(1);
        let (title, y) =
            linear("acknowledgement map, bytes", Kind::Count, if near { most.max(self.limit) } else { most });
        let limits =
            if near { vec![(self.limit, format!("limit {}", grouped(self.limit)))] } else { Vec::new() };
        let title =
            if near { title } else { format!("{title} (the limit, {}, is far above)", grouped(self.limit)) };
        let second = Graph { title, x, y, lines: vec![bytes], marks: vec![], limits };
        Plot {
            title: "Crash: what comes again, and what the map takes".to_owned(),
            graphs: vec![first, second],
        }
    }
}
