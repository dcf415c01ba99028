//! The slow, obvious twin: the whole simulated system once more, written from its contract
//! alone, to be run beside the product and compared with it.
//!
//! It shares no line with the product and has no interface but a scenario file in and an
//! [`Outcome`] out. It is plain on purpose: one world, lists, linear scans, everything computed
//! anew when it is asked for; each rule stands quoted beside the lines that follow it. Where the
//! contract leaves a choice, a comment that begins with "Reading:" says which was taken.
//!
//! It assumes valid input: what a bad scenario file should be told is not its subject.

#![allow(dead_code, reason = "every test binary uses its own part")]
#![allow(unreachable_pub, reason = "a module shared by test binaries")]

pub mod generate;
mod scenario;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a run came to: one field for each key that `[expect]` knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The broker's committed offset.
    pub committed: i64,
    /// The owner's watermark at the end, computed anew after the last phase; none while it is down.
    pub watermark: Option<i64>,
    /// The owner's position at the end; none while it is down.
    pub position: Option<i64>,
    /// Each time an owner ends, offsets ascending, appended.
    pub redelivered: Vec<i64>,
    /// Those of `redelivered` that had already completed.
    pub duplicates: Vec<i64>,
    /// Ascending, once each.
    pub lost: Vec<i64>,
    /// Completions after a later one of the same key and epoch.
    pub order_breaks: u64,
    /// Starts beside a running attempt of the same key on the same consumer.
    pub overlaps: u64,
    /// `offset@tick` of every successful attempt, late ones included.
    pub completions: Vec<String>,
    /// The highest number in flight after a poll.
    pub peak_in_flight: u64,
    /// How often the gate closed.
    pub pauses: u64,
    /// How often it opened again.
    pub resumes: u64,
    /// Owners lost to max.poll.interval.
    pub evictions: u64,
    /// The tick of the first crash of any consumer, out of memory included.
    pub crashed_at: Option<u64>,
    /// One entry for each dead letter written, sorted.
    pub quarantined: Vec<i64>,
    /// `offset@tick` of row writes by attempts whose epoch had ended, accepted or not.
    pub leaked: Vec<String>,
    /// `offset@tick` of row writes that the guard turned away.
    pub rejected: Vec<String>,
    /// The final version of each row.
    pub rows: BTreeMap<String, i64>,
    /// The names of the invariants that did not hold at all times.
    pub violated: BTreeSet<String>,
    /// `value@tick` for the watermark after phase 4, each time it differs from the last noted.
    pub w: Vec<String>,
    /// `offset@tick` for each commit of an ended ownership that changed what the broker has.
    pub late_commits: Vec<String>,
    pub empty_polls: u64,
    /// The last tick executed.
    pub last_tick: u64,
}

/// Runs a scenario file to its end; `base_dir` is where a `csv` log is looked for.
///
/// # Errors
///
/// What cannot be read as a scenario; the wording is for the tests' author alone.
pub fn run(toml_text: &str, base_dir: &Path) -> Result<Outcome, String> {
    let scenario = scenario::Scenario::parse(toml_text, base_dir)?;
    Ok(world::run(&scenario))
}

/// One line for each key of an `[expect]` table with which the outcome disagrees.
#[must_use]
pub fn differences(outcome: &Outcome, expect: &toml::Table) -> Vec<String> {
    let got = outcome.table();
    let mut lines = Vec::new();
    for (name, expected) in expect {
        let mut expected = expected.clone();
        // "as a set"
        if name == "violated"
            && let Some(names) = expected.as_array_mut()
        {
            names.sort_by_key(|name| name.as_str().unwrap_or_default().to_owned());
            names.dedup();
        }
        match got.get(name) {
            Some(value) if *value == expected => {}
            Some(value) => lines.push(format!("{name}: expected {expected}, got {value}")),
            None => lines.push(format!("{name}: expected {expected}, got nothing")),
        }
    }
    lines
}

impl Outcome {
    /// The outcome under the names of `[expect]`; what is absent is left out.
    #[must_use]
    pub fn table(&self) -> toml::Table {
        fn whole(n: u64) -> toml::Value {
            toml::Value::from(i64::try_from(n).unwrap_or(i64::MAX))
        }
        let mut table = toml::Table::new();
        let mut put = |name: &str, value: toml::Value| {
            table.insert(name.to_owned(), value);
        };
        put("committed", self.committed.into());
        if let Some(watermark) = self.watermark {
            put("watermark", watermark.into());
        }
        if let Some(position) = self.position {
            put("position", position.into());
        }
        put("redelivered", self.redelivered.clone().into());
        put("duplicates", self.duplicates.clone().into());
        put("lost", self.lost.clone().into());
        put("order_breaks", whole(self.order_breaks));
        put("overlaps", whole(self.overlaps));
        put("completions", self.completions.clone().into());
        put("peak_in_flight", whole(self.peak_in_flight));
        put("pauses", whole(self.pauses));
        put("resumes", whole(self.resumes));
        put("evictions", whole(self.evictions));
        if let Some(tick) = self.crashed_at {
            put("crashed_at", whole(tick));
        }
        put("quarantined", self.quarantined.clone().into());
        put("leaked", self.leaked.clone().into());
        put("rejected", self.rejected.clone().into());
        put("rows", self.rows.clone().into());
        let violated: Vec<String> = self.violated.iter().cloned().collect();
        put("violated", violated.into());
        put("w", self.w.clone().into());
        // Named where there are any.
        if !self.late_commits.is_empty() {
            put("late_commits", self.late_commits.clone().into());
        }
        if self.empty_polls > 0 {
            put("empty_polls", whole(self.empty_polls));
        }
        table
    }
}
