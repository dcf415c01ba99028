//! Traffic: what arrives at a consumer, when, under which key, and how much work it is.
//!
//! Read from a CSV file of somebody's own ([`Reader`], fed in chunks, so that a page can show progress and stop) or
//! drawn from a few numbers ([`Shape`]). Either way it is rows of a time, a key and work, which become a log of the
//! engine once it is said how long a tick is. A trace ([`crate::scenario::read_trace`]) is the engine's own form and
//! is read strictly; what comes out of monitoring is not, so here a bad row costs itself and is told of, and the rest
//! is used. Nothing here opens files or draws from anything but seeds.

mod clock;
mod columns;
mod digest;
mod latency;
mod reader;
mod report;
mod shape;
mod summary;

pub use clock::{NoTime, Span, Unit};
pub use columns::{Columns, Found, Pick};
pub use digest::Digest;
pub use latency::{BadShape, Latency};
pub use reader::{MOST_ROWS, Options, Progress, Reader};
pub use report::{BadRow, KEPT_ROWS, Report};
pub use shape::{Arrivals, Bursts, Shape};
pub use summary::{ALMOST_ALL, HotKey, Summary};

pub(crate) use clock::{tick_in, without_ticks};
pub(crate) use summary::counted;

use std::fmt::Write;

use crate::{
    ids::{Offset, Tick},
    scenario::LONGEST_WORK,
    world::{ConfigError, Fails, Key, Log, NewRecord, Work},
};

/// Rows of traffic, in the order of arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    rows: Vec<Row>,
    keys: Vec<Key>,
    scale: Scale,
    report: Report,
}

/// One record of traffic, in the units of its [`Scale`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    time: i64,
    /// By number in the table of keys; [`NO_KEY`] for none.
    key: u32,
    /// Units, or one of the two below.
    work: u64,
}

/// Bad rows that a report tells of.
const REMARKED_ROWS: usize = 5;

const NO_KEY: u32 = u32::MAX;

/// Work until somebody taps the record, and work that never ends, as a trace spells them.
const UNTIL_TAPPED: u64 = u64::MAX - 1;
const NEVER: u64 = u64::MAX;

/// What the numbers of the rows are, and how long a tick is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scale {
    /// Whether times are ticks already; otherwise nanoseconds from some moment on.
    ticks_of_time: bool,
    /// Whether work is ticks already; otherwise nanoseconds.
    ticks_of_work: bool,
    /// A tick; `None`: nobody has said, and everything is in ticks.
    tick: Option<Span>,
}

impl Scale {
    fn nanos(self) -> u64 {
        self.tick.map_or(1, Span::nanos)
    }
}

impl Traffic {
    /// How many records there are; never none.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none, which never happens: no reader and no shape leaves nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How it was read, and what was wrong with it.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How long a tick is, if it is known.
    #[must_use]
    pub fn tick(&self) -> Option<Span> {
        self.scale.tick
    }

    /// The same traffic with ticks of another length: what was read in milliseconds is cut anew, what was read in
    /// ticks stays and only says something else.
    #[must_use]
    pub fn with_tick(mut self, tick: Span) -> Traffic {
        self.scale.tick = Some(tick);
        self
    }

    /// How many different keys there are.
    #[must_use]
    pub fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// What it comes to: sizes, rates, percentiles, warnings.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(self)
    }

    /// What a report on it has to say beside the numbers, in sentences: which columns were guessed from names that do
    /// not say it, what was wrong with rows, what else is odd. That every figure flatters is not among it: reports say
    /// so of any log.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let Report { columns, skipped, rows, bad, notes, .. } = &self.report;
        let guessed =
            columns.iter().filter(|found| found.guessed && without_ticks(&found.name) != found.what);
        let mut remarks: Vec<String> = guessed.map(|found| format!("{found}.")).collect();
        if *skipped > 0 {
            remarks.push(format!("{skipped} of {rows} rows were skipped:"));
        }
        remarks.extend(bad.iter().take(REMARKED_ROWS).map(ToString::to_string));
        remarks.extend(self.report.assumed.iter().cloned());
        remarks.extend(notes.iter().cloned());
        let summary = self.summary();
        remarks.extend(summary.warnings().into_iter().skip(summary.is_flattering().into()));
        remarks
    }

    /// Tick, key and work of every record, in the order of arrival. Times that were read as times begin at tick 0 and
    /// are cut; work is rounded to the nearest tick, and is 1 at least.
    pub fn iter(&self) -> impl Iterator<Item = (Tick, Option<&Key>, Work)> {
        self.rows.iter().map(|row| {
            let work = match row.work {
                UNTIL_TAPPED => Work::UntilTapped,
                NEVER => Work::Never,
                work => Work::Ticks(self.work_ticks(work)),
            };
            (Tick(self.time_ticks(row.time)), self.keys.get(row.key as usize), work)
        })
    }

    /// The engine's log of it, offsets consecutive from `start`.
    ///
    /// # Errors
    /// If `start` is no offset, or the offsets would go beyond the last there is.
    pub fn log(&self, start: Offset) -> Result<Log, ConfigError> {
        let records = self.iter().zip(0..).map(|((since, key, work), index)| NewRecord {
            offset: Offset(start.0.saturating_add(index)),
            key: key.cloned(),
            work,
            fails: Fails::First(0),
            since,
        });
        Log::from_records(start, records)
    }

    /// The engine's trace of it, in ticks, in pieces of some thousand lines each. The titles say how long a tick is
    /// (`time_ticks_10ms`), or that they are ticks (`time_ticks`), so that whoever reads it reads the same.
    pub fn csv(&self) -> impl Iterator<Item = String> {
        const LINES: usize = 4096;
        let mut records = self.iter();
        let [time, work] = ["time", "work"].map(|what| clock::titled(what, self.scale.tick));
        let header = std::iter::once(format!("{time},key,{work}\n"));
        header.chain(std::iter::from_fn(move || {
            let mut text = String::new();
            for (tick, key, work) in records.by_ref().take(LINES) {
                let _ = write!(text, "{tick},");
                if let Some(key) = key {
                    push_field(&mut text, &key.to_string());
                }
                let _ = match work {
                    Work::Ticks(ticks) => writeln!(text, ",{ticks}"),
                    Work::UntilTapped => writeln!(text, ",tap"),
                    Work::Never => writeln!(text, ",never"),
                };
            }
            (!text.is_empty()).then_some(text)
        }))
    }

    fn time_ticks(&self, time: i64) -> u64 {
        if self.scale.ticks_of_time {
            return time.unsigned_abs();
        }
        let first = self.rows.first().map_or(time, |row| row.time);
        time.abs_diff(first) / self.scale.nanos()
    }

    fn work_ticks(&self, work: u64) -> u64 {
        if self.scale.ticks_of_work {
            return work.max(1);
        }
        let tick = self.scale.nanos();
        ((work + tick / 2) / tick).clamp(1, LONGEST_WORK)
    }
}

/// A field of a CSV file, in quotes where it would mean something else.
fn push_field(text: &mut String, field: &str) {
    if field.contains([',', '"', '\n', '\r']) {
        text.push('"');
        text.push_str(&field.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(field);
    }
}
