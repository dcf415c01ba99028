//! Workers against throughput and time in the system, and where more of them stop paying.
//!
//! Two runs for each number of workers: with the records as they arrive, for the time that each is in the
//! system; and with all of them there from the beginning, for how fast the consumer can go. Whoever keeps up
//! with their traffic has the traffic's throughput with any number of workers, so that only the second can tell
//! what more of them bring.
//!
//! A first look takes powers of two and what is half way between; then what lies between the number that is enough
//! and the one below it is looked at, until all of it is known, or the number just below.
//!
//! Enough is judged by the half of the records as well as by the slow ones: where one hot key makes all of the p99, the
//! p99 says nothing about a backlog that grows beside it. And what does not keep up is never enough.
//!
//! No keyed pool of w workers gets through a log faster than max(total work / w, hottest key's work).

use std::collections::BTreeSet;

use super::{
    axes::{Kind, doublings, linear, pace},
    gauge::Measure,
    jobs::{Found, Job, Jobs, coarse_first},
    pooled::in_its_place,
    subject::Subject,
    table::{Cell, Table, counted, percent},
    trial::Case,
    unit::Unit,
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot},
    ledger::grouped,
    world::{
        Knobs,
        config::{Intake, NullKeys, Routing},
    },
};

/// The most workers that are tried.
const MOST_WORKERS: u64 = 4_096;

/// What is close to the best counts as reached: within 1/20.
pub(super) const CLOSE: u64 = 20;

/// What somebody has already is good enough within 1/10: who follows a recommendation turns two knobs or three, each of
/// which may have cost 1/20.
pub(super) const FINE: u64 = 10;

/// Whole numbers between two that were tried that are all tried, in a log of up to so many records.
const ALL_BETWEEN: u32 = 7;
const ALL_OF: u64 = 100_000;

/// Numbers of workers that are tried in a closer look at most.
const MOST_CLOSER: usize = 40;

/// Numbers of workers in the order of their jobs: ascending at first.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    workers: Vec<u32>,
    /// How many of them a closer look has added.
    closer: usize,
    /// Whether each takes two runs.
    two: bool,
    /// A number of workers that is also run with reading that nothing holds back, behind all others: whether it is the
    /// reading that decides.
    boundless: Option<u32>,
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
    /// The fewest that are enough for the records as they arrive, or if none are, from which on throughput gets no
    /// better.
    pub enough: Option<u32>,
    /// What to take: the same, or the number there is now, where that does as well and is hardly larger.
    pub named: Option<u32>,
    /// What to take from it.
    pub sentences: Vec<String>,
    /// The fewest of those that keep up, if any do, that are as quick as the best of them.
    quick: Option<u32>,
    /// With reading that nothing holds back, where that was asked.
    boundless: Option<(u32, Measure)>,
    records: u64,
    now: u32,
    arrivals: bool,
    unit: Unit,
}

/// The most that could find something to do.
fn most_useful(subject: &Subject) -> u64 {
    let (knobs, load) = (subject.knobs(), subject.workload());
    let keys = load.keys.iter().filter(|load| load.records > 0).count() as u64;
    let lanes = match (knobs.routing, knobs.null_keys) {
        (Routing::Lanes(lanes), _) if lanes != knobs.workers => lanes.into(),
        (Routing::Shared, _) => subject.records(),
        (_, NullKeys::Spread) => keys + load.keyless.records,
        _ => keys + u64::from(load.keyless.records > 0),
    };
    let parallel =
        load.parallelism_hundredths(knobs.null_keys).map_or(1, |hundredths| hundredths.div_ceil(100));
    // A pool in place of one thread has marks that suit it.
    let side_by_side = match knobs.routing {
        Routing::Serial => u64::MAX,
        _ => knobs.high_mark().map_or(u64::MAX, |high| high.saturating_add(knobs.poll) - 1),
    };
    let beyond = parallel.saturating_mul(2).max(u64::from(knobs.concurrency()).saturating_mul(2)).max(8);
    beyond.min(lanes.max(2)).min(side_by_side.max(2)).max(u64::from(knobs.concurrency())).min(MOST_WORKERS)
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
        workers.insert(u64::from(subject.knobs().concurrency()).min(MOST_WORKERS));
        workers.insert(subject.least_workers());
        let workers = workers.into_iter().filter(|&workers| workers <= most).map(|workers| workers as u32);
        Plan { workers: workers.collect(), closer: 0, two: subject.workload().arrivals, boundless: None }
    }

    fn runs(&self, subject: &Subject, workers: u32) -> Vec<Job> {
        let case = subject.pooled(subject.knobs(), workers);
        let backlog = Job::Run(subject.backlog_of(case.clone()), None);
        if self.two { vec![Job::Run(case, None), backlog] } else { vec![backlog] }
    }

    pub(super) fn jobs(&self, subject: &Subject) -> Jobs {
        let jobs = self.workers.iter().flat_map(|&workers| self.runs(subject, workers)).collect();
        let each = if self.two { 2 } else { 1 };
        let order =
            coarse_first(self.workers.len()).into_iter().flat_map(|at| at * each..(at + 1) * each).collect();
        Jobs::new(jobs, order)
    }

    /// What lies just below the numbers that are enough: the runs that it takes to know whether fewer are.
    pub(super) fn closer(&mut self, subject: &Subject, found: &[Option<Found>]) -> Vec<Job> {
        let rows = self.rows(subject, found);
        let between = if subject.records() <= ALL_OF { ALL_BETWEEN } else { 1 };
        let mut more = BTreeSet::new();
        if self.boundless.is_some() {
            return Vec::new();
        }
        for enough in [fast_from(&rows), self.quick_from(subject, &rows)].into_iter().flatten() {
            let below = rows.iter().map(|row| row.workers).filter(|&tried| tried < enough).max();
            let Some(below) = below else { continue };
            if enough - below - 1 <= between {
                more.extend(below + 1..enough);
            } else {
                more.insert(below + (enough - below) / 2);
            }
        }
        if more.is_empty() || self.closer + more.len() > MOST_CLOSER {
            return self.without_bounds(subject, &rows);
        }
        self.closer += more.len();
        self.workers.extend(&more);
        more.into_iter().flat_map(|workers| self.runs(subject, workers)).collect()
    }

    /// Where reading may be what decides: the run that tells whether it does. It is the last one.
    fn without_bounds(&mut self, subject: &Subject, rows: &[WorkersRow]) -> Vec<Job> {
        let Some(row) = fast_from(rows).and_then(|fast| rows.iter().find(|row| row.workers == fast)) else {
            return Vec::new();
        };
        let case = subject.pooled(subject.knobs(), row.workers);
        let knobs = case.setup.knobs();
        let far = row.catching_up.makespan > row.bound.saturating_mul(6) / 5;
        let late = self.two && !rows.iter().any(|row| row.keeps_up(subject));
        if knobs.intake == Intake::Unbounded || knobs.routing == Routing::Serial || !(far || late) {
            return Vec::new();
        }
        self.boundless = Some(row.workers);
        let knobs = Knobs {
            intake: Intake::Unbounded,
            poll: subject.records().max(knobs.poll),
            heap_ceiling: None,
            ..knobs.clone()
        };
        let case = Case { commits: case.commits, ..subject.case(knobs) };
        vec![Job::Run(subject.backlog_of(case), None)]
    }

    /// The number of workers of the run that nothing held back, and what came of it.
    fn boundless<'f>(&self, found: &'f [Option<Found>]) -> Option<(u32, &'f Measure)> {
        let at = self.workers.len() * if self.two { 2 } else { 1 };
        match found.get(at) {
            Some(Some(Found::Run(measure, _))) => Some((self.boundless?, measure)),
            _ => None,
        }
    }

    /// The fewest workers that keep up, if any do, and whose p50 and p99 are within 1/20 of the best of those. Where no
    /// number has both: of those with such a p99 the fewest whose p50 is within 1/20 of theirs.
    fn quick_from(&self, subject: &Subject, rows: &[WorkersRow]) -> Option<u32> {
        let whole: Vec<&WorkersRow> = rows.iter().filter(|row| row.arriving.unfinished == 0).collect();
        let some_keep_up = self.two && whole.iter().any(|row| row.keeps_up(subject));
        let own = |row: &&WorkersRow| !some_keep_up || row.keeps_up(subject);
        let own: Vec<&WorkersRow> = whole.into_iter().filter(own).collect();
        let times = own.iter().map(|row| (row.arriving.p50, row.arriving.p99));
        quickest_of(times, CLOSE).and_then(|at| own.get(at)).map(|row| row.workers)
    }

    fn rows(&self, subject: &Subject, found: &[Option<Found>]) -> Vec<WorkersRow> {
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
        let mut rows: Vec<WorkersRow> = self.workers.iter().enumerate().filter_map(row).collect();
        rows.sort_by_key(|row| row.workers);
        rows
    }

    pub(super) fn answer(&self, subject: &Subject, found: &[Option<Found>]) -> WorkersAnswer {
        let rows = self.rows(subject, found);
        let keeps_up = keeps_up(subject).is_ok();
        let quick = self.quick_from(subject, &rows);
        let some_keep_up = keeps_up && rows.iter().any(|row| row.keeps_up(subject));
        let enough = quick.filter(|_| self.two && some_keep_up).or(fast_from(&rows));
        let now = subject.knobs().concurrency();
        let mut answer = WorkersAnswer {
            pays_up_to: fast_from(&rows).max(quick),
            enough,
            named: enough
                .map(|enough| if self.is_fine(subject, &rows, (now, enough)) { now } else { enough }),
            quick,
            boundless: self.boundless(found).map(|(workers, measure)| (workers, measure.clone())),
            rows,
            sentences: Vec::new(),
            records: subject.records(),
            now,
            arrivals: self.two,
            unit: subject.unit(),
        };
        answer.sentences = answer.tell(subject);
        answer
    }

    /// Whether the number that there is now does as well, nearly, as the one that is enough, and is hardly larger: who
    /// has taken a number over is not sent on to another.
    fn is_fine(&self, subject: &Subject, rows: &[WorkersRow], (now, enough): (u32, u32)) -> bool {
        let row = |workers: u32| rows.iter().find(|row| row.workers == workers);
        let (Some(own), Some(best)) = (row(now), row(enough)) else { return false };
        let near = |own: u64, best: u64| {
            u128::from(own) * u128::from(FINE) <= u128::from(best) * u128::from(FINE + 1)
        };
        let keeps_up = own.keeps_up(subject) || !best.keeps_up(subject);
        let quick = near(own.arriving.p50, best.arriving.p50) && near(own.arriving.p99, best.arriving.p99);
        let fast = self.two || near(own.catching_up.makespan, best.catching_up.makespan);
        own.arriving.unfinished == 0 && keeps_up && quick && fast && now <= enough + (enough / 4).max(1)
    }
}

impl WorkersRow {
    /// Whether so many workers get through what arrives: not fewer than the work takes, and from a backlog at the pace of
    /// the arrivals at least, but for the time of the longest record at the end.
    fn keeps_up(&self, subject: &Subject) -> bool {
        let (span, records) = (u128::from(subject.arrivals_span()), u128::from(subject.records()));
        let longest = u128::from(subject.span_of_work().1);
        let between = records.saturating_sub(1);
        let in_time = u128::from(self.catching_up.makespan) * between <= span * records + longest * between;
        u64::from(self.workers) >= subject.least_workers() && self.catching_up.unfinished == 0 && in_time
    }
}

/// Of (p50, p99), the place of the first whose both are within 1/`close` of the best; where there is none, of those with
/// such a p99 the first whose p50 is within 1/`close` of theirs.
pub(super) fn quickest_of(times: impl Iterator<Item = (u64, u64)> + Clone, close: u64) -> Option<usize> {
    let best_p50 = times.clone().map(|(p50, _)| p50).min()?;
    let best_p99 = times.clone().map(|(_, p99)| p99).min()?;
    let near =
        |own: u64, best: u64| u128::from(own) * u128::from(close) <= u128::from(best) * u128::from(close + 1);
    let both = |(p50, p99): (u64, u64)| near(p50, best_p50) && near(p99, best_p99);
    times.clone().position(both).or_else(|| {
        let own = times.clone().filter(|(_, p99)| near(*p99, best_p99)).map(|(p50, _)| p50).min()?;
        times.clone().position(|(p50, p99)| near(p99, best_p99) && near(p50, own))
    })
}

/// Records per tick, as a fraction that can be compared.
fn faster(a: &Measure, b: &Measure) -> std::cmp::Ordering {
    let cross = |records: u64, ticks: u64| u128::from(records) * u128::from(ticks.max(1));
    cross(a.finished, b.makespan).cmp(&cross(b.finished, a.makespan))
}

/// Whether this one's throughput is within 1/20 of that one's.
pub(super) fn about_as_fast(own: &Measure, best: &Measure) -> bool {
    as_fast(own, best, CLOSE)
}

/// Whether this one's throughput is within 1/`close` of that one's.
pub(super) fn as_fast(own: &Measure, best: &Measure, close: u64) -> bool {
    let cross = |records: u64, ticks: u64| u128::from(records) * u128::from(ticks.max(1));
    cross(own.finished, best.makespan) * u128::from(close)
        >= cross(best.finished, own.makespan) * u128::from(close - 1)
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
        let most = grouped(last.workers.into());
        let backlog = if self.arrivals { "a backlog of these records" } else { "this log" };
        let fast = fast_from(&self.rows).and_then(|n| self.row(n));
        let quick = self.quick.and_then(|n| self.row(n));
        let load = keeps_up(subject);
        told.extend(match (fast, quick) {
            (Some(fast), _) if self.arrivals && load.is_err() => Some(format!(
                "No number of workers keeps up with this traffic: {} More pay up to {}, which get through at {}{}; what \
                 arrives waits longer and longer.",
                load.clone().err().unwrap_or_default(),
                grouped(fast.workers.into()),
                rate(&fast.catching_up),
                self.fewer(fast, |row| (rate(&row.catching_up), String::new())),
            )),
            (Some(fast), Some(_)) if self.arrivals && !self.rows.iter().any(|row| row.keeps_up(subject)) => {
                Some(self.tell_late(subject, fast))
            }
            (Some(fast), Some(quick)) if self.arrivals => Some(format!(
                "As the records arrive, {} enough{}: {}{}, and up to {most} workers do not shorten {} by more than 5 %. To \
                 catch up with {backlog}, more pay up to {}: {}{}.",
                match quick.workers {
                    1 => "1 worker is".to_owned(),
                    more => format!("{} are", workers(more)),
                },
                with_marks(subject),
                self.tell_times(quick),
                self.fewer(quick, |row| {
                    let late = if row.keeps_up(subject) { "" } else { ", which do not keep up" };
                    let late = if row.workers == 1 { late.replace(" do ", " does ") } else { late.to_owned() };
                    (format!("{} and {}", unit.span(row.arriving.p50), unit.span(row.arriving.p99)), late)
                }),
                if self.is_best_of_both(subject, quick) { "either" } else { "the p99" },
                grouped(fast.workers.into()),
                rate(&fast.catching_up),
                self.fewer(fast, |row| (rate(&row.catching_up), String::new())),
            )),
            (Some(fast), _) => Some(format!(
                "More workers pay up to {}: they get through {backlog} at {}{}, and none of up to {most} tried is faster \
                 by more than 5 %.",
                grouped(fast.workers.into()),
                rate(&fast.catching_up),
                self.fewer(fast, |row| (rate(&row.catching_up), String::new())),
            )),
            _ => None,
        });
        told.extend(self.tell_fine());
        if let Some(place) = in_its_place(subject.knobs()) {
            told.push(format!(
                "Yours works on one record at a time. More than one worker is another consumer, and what is told of more \
                 is told of that one, with {place} in its place; records per poll are {}.",
                if subject.knobs().poll == 1 { "a quarter of the high mark".to_owned() } else { grouped(subject.knobs().poll) }
            ));
        }
        if let Some(now) = self.row(self.now) {
            let times = [now.arriving.p50, now.arriving.p99, now.arriving.max].map(|ticks| unit.span(ticks));
            let one = match self.now {
                1 => String::new(),
                _ => format!(
                    " One worker: p50 {}, p99 {}, {}.",
                    unit.span(first.arriving.p50),
                    unit.span(first.arriving.p99),
                    rate(&first.catching_up)
                ),
            };
            told.push(format!(
                "With {} as you have now: p50 {}, p99 {}, at most {} in the system; {} from a backlog.{one}",
                workers(now.workers),
                times[0],
                times[1],
                times[2],
                rate(&now.catching_up),
            ));
        }
        if self.arrivals {
            told.extend(load.is_ok().then(|| self.tell_load(subject)));
        }
        told.extend(self.tell_bound(subject));
        told.extend(self.tell_marks(subject));
        told.push(self.tell_steps_back());
        told
    }

    /// What one worker fewer comes to, where that was tried, and what else is to be said of it.
    fn fewer(&self, row: &WorkersRow, what: impl Fn(&WorkersRow) -> (String, String)) -> String {
        match row.workers.checked_sub(1).and_then(|fewer| self.row(fewer)) {
            Some(fewer) => {
                let (what, more) = what(fewer);
                format!(" ({what} with {}{more})", grouped(fewer.workers.into()))
            }
            None if row.workers == 1 => String::new(),
            None => " (the fewest of those tried)".to_owned(),
        }
    }

    /// The half and the slow ones.
    fn tell_times(&self, row: &WorkersRow) -> String {
        let times = [row.arriving.p50, row.arriving.p99].map(|ticks| self.unit.span(ticks));
        format!("p50 in the system is {} then and p99 {}", times[0], times[1])
    }

    /// Whether neither its p50 nor its p99 is beaten by more than 5 % by any that keeps up.
    fn is_best_of_both(&self, subject: &Subject, own: &WorkersRow) -> bool {
        let near = |own: u64, best: u64| {
            u128::from(own) * u128::from(CLOSE) <= u128::from(best) * u128::from(CLOSE + 1)
        };
        let others = self.rows.iter().filter(|row| row.arriving.unfinished == 0 && row.keeps_up(subject));
        others
            .clone()
            .all(|row| near(own.arriving.p50, row.arriving.p50) && near(own.arriving.p99, row.arriving.p99))
    }

    /// That no number that was tried keeps up, although the keys would let some.
    fn tell_late(&self, subject: &Subject, fast: &WorkersRow) -> String {
        let rate = |measure: &Measure| self.unit.rate(measure.finished, measure.makespan);
        let most = self.rows.last().map_or(1, |row| row.workers);
        let arriving = self.unit.rate(self.records.saturating_sub(1), subject.arrivals_span());
        let why = match self.held_back() {
            Some(free) => format!(
                " What holds them back is how records are taken, {}: with reading that nothing holds back {} get through \
                 at {}.",
                taken(subject),
                workers(fast.workers),
                rate(free),
            ),
            None => String::new(),
        };
        format!(
            "None of up to {} keeps up with these records, of which {arriving} arrive: more pay up to {}, which get \
             through a backlog at {}{}.{why}",
            workers(most),
            grouped(fast.workers.into()),
            rate(&fast.catching_up),
            self.fewer(fast, |row| (rate(&row.catching_up), String::new())),
        )
    }

    /// The run without bounds, where it was quicker by more than 5 %: then how records are taken decides.
    fn held_back(&self) -> Option<&Measure> {
        let (workers, free) = self.boundless.as_ref()?;
        let own = self.row(*workers)?;
        (!about_as_fast(&own.catching_up, free)).then_some(free)
    }

    /// That the number of now does as well as the one that is enough.
    fn tell_fine(&self) -> Option<String> {
        let (now, enough) = (self.named?, self.enough?);
        let own = self.row(now)?;
        (now != enough).then(|| {
            let times = [own.arriving.p50, own.arriving.p99].map(|ticks| self.unit.span(ticks));
            format!(
                "Your {} do about as well, p50 {} and p99 {}: no reason to change.",
                workers(now),
                times[0],
                times[1]
            )
        })
    }

    /// What arrives in how much time.
    fn tell_load(&self, subject: &Subject) -> String {
        let (span, total) = (subject.arrivals_span(), subject.workload().total.work);
        let least = subject.least_workers();
        format!(
            "{} of work arrive in {}: to keep up takes {} at least.",
            self.unit.span(total),
            self.unit.span(span),
            counted(least, "worker"),
        )
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

    /// Where the marks or the polls, not the workers, decide: measured, with reading that nothing holds back.
    fn tell_marks(&self, subject: &Subject) -> Option<String> {
        let free = self.held_back()?;
        let own = self.row(self.boundless.as_ref()?.0)?;
        // The sentence about what keeps up has said it.
        if self.arrivals && keeps_up(subject).is_ok() && !self.rows.iter().any(|row| row.keeps_up(subject)) {
            return None;
        }
        let rate = |measure: &Measure| self.unit.rate(measure.finished, measure.makespan);
        Some(format!(
            "{} get through a backlog at {}, and at {} with reading that nothing holds back: with {} too few keys are in \
             memory at a time to keep all of them busy.",
            workers(own.workers),
            rate(&own.catching_up),
            rate(free),
            taken(subject),
        ))
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

/// Whether the keys let any number of workers keep up; if not, why not.
fn keeps_up(subject: &Subject) -> Result<(), String> {
    let (unit, span) = (subject.unit(), subject.arrivals_span());
    let (key, work) = subject.hottest().unwrap_or_default();
    let is_keyed = subject.knobs().routing != Routing::Shared;
    if is_keyed && work > span.saturating_add(subject.span_of_work().1) {
        return Err(format!("{key} alone brings {} of work in {}.", unit.span(work), unit.span(span)));
    }
    Ok(())
}

/// The marks with which workers were counted: with others it can be another number.
fn with_marks(subject: &Subject) -> String {
    match subject.knobs().intake {
        Intake::Pause { .. } => format!(" with {}", taken(subject)),
        Intake::Unbounded | Intake::Block => String::new(),
    }
}

/// How records are taken, where that and not the number of workers decides.
fn taken(subject: &Subject) -> String {
    let knobs = subject.knobs();
    let records = |count: u64| counted(count, "record");
    match knobs.intake {
        Intake::Block => {
            format!("{} at a poll, and the next poll waits for all of them", records(knobs.poll))
        }
        Intake::Pause { high, .. } => {
            format!("{} at a poll and a high mark of {}", records(knobs.poll), grouped(high))
        }
        Intake::Unbounded => format!("{} at a poll", records(knobs.poll)),
    }
}

fn workers(count: u32) -> String {
    counted(count.into(), "worker")
}
