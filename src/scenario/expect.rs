//! `[expect]`, and everything that can be expected: one list of names for reading a file, comparing it with
//! an outcome, and printing an outcome as JSON.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{
    log::number,
    source::BadInput,
    value::{Value, nearest},
};
use crate::{
    ids::{Offset, Tick},
    ledger::{INVARIANTS, Outcome, Stamp, quoted_unless_plain},
};

/// A value under one of the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// An offset, a tick or a count.
    Number(i64),
    /// Offsets.
    Offsets(Vec<i64>),
    /// `offset@tick` each.
    Stamps(Vec<Stamp>),
    /// Versions by key.
    Rows(BTreeMap<String, i64>),
    /// Invariants, by their sentences.
    Sentences(BTreeSet<String>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Offsets,
    Stamps,
    Rows,
    Sentences,
}

/// How many names there are.
pub const NAMES: usize = KINDS.len();

/// The names, in the order in which they are shown.
const KINDS: [(&str, Kind); 22] = [
    ("committed", Kind::Number),
    ("watermark", Kind::Number),
    ("position", Kind::Number),
    ("redelivered", Kind::Offsets),
    ("duplicates", Kind::Offsets),
    ("lost", Kind::Offsets),
    ("order_breaks", Kind::Number),
    ("overlaps", Kind::Number),
    ("completions", Kind::Stamps),
    ("peak_in_flight", Kind::Number),
    ("pauses", Kind::Number),
    ("resumes", Kind::Number),
    ("evictions", Kind::Number),
    ("crashed_at", Kind::Number),
    ("quarantined", Kind::Offsets),
    ("leaked", Kind::Stamps),
    ("rejected", Kind::Stamps),
    ("rows", Kind::Rows),
    ("violated", Kind::Sentences),
    ("w", Kind::Stamps),
    ("late_commits", Kind::Stamps),
    ("empty_polls", Kind::Number),
];

/// What came of a run, by name; what is absent has no value. Late commits and empty polls are named where
/// there are any: most consumers have none.
#[must_use]
pub fn findings(outcome: &Outcome) -> Vec<(&'static str, Option<Finding>)> {
    let told = |name: &str| match name {
        "late_commits" => !outcome.late_commits.is_empty(),
        "empty_polls" => outcome.empty_polls > 0,
        _ => true,
    };
    KINDS.iter().filter(|(name, _)| told(name)).map(|&(name, _)| (name, finding(outcome, name))).collect()
}

fn finding(outcome: &Outcome, name: &str) -> Option<Finding> {
    let offset = |offset: Offset| Some(Finding::Number(offset.0));
    let count = |count: u64| Some(Finding::Number(i64::try_from(count).unwrap_or(i64::MAX)));
    let offsets =
        |offsets: &[Offset]| Some(Finding::Offsets(offsets.iter().map(|offset| offset.0).collect()));
    let stamps = |stamps: &[Stamp]| Some(Finding::Stamps(stamps.to_vec()));
    match name {
        "committed" => offset(outcome.committed),
        "watermark" => outcome.watermark.and_then(offset),
        "position" => outcome.position.and_then(offset),
        "redelivered" => offsets(&outcome.redelivered),
        "duplicates" => offsets(&outcome.duplicates),
        "lost" => offsets(&outcome.lost),
        "order_breaks" => count(outcome.order_breaks),
        "overlaps" => count(outcome.overlaps),
        "completions" => stamps(&outcome.completions),
        "peak_in_flight" => count(outcome.peak_in_flight),
        "pauses" => count(outcome.pauses),
        "resumes" => count(outcome.resumes),
        "evictions" => count(outcome.evictions),
        "crashed_at" => outcome.crashed_at.and_then(|tick| count(tick.0)),
        "quarantined" => offsets(&outcome.quarantined),
        "leaked" => stamps(&outcome.leaked),
        "rejected" => stamps(&outcome.rejected),
        "rows" => {
            let row = |(key, version): (&crate::world::Key, &Offset)| (key.to_string(), version.0);
            Some(Finding::Rows(outcome.rows.iter().map(row).collect()))
        }
        "violated" => {
            Some(Finding::Sentences(outcome.violated.iter().map(|name| (*name).to_owned()).collect()))
        }
        "w" => stamps(&outcome.w),
        "late_commits" => stamps(&outcome.late_commits),
        "empty_polls" => count(outcome.empty_polls),
        _ => None,
    }
}

/// What a scenario expects, by name, each with its line; in the order of [`findings`].
#[derive(Clone, Debug, Default)]
pub struct Expectations(Vec<(&'static str, usize, Finding)>);

/// An expectation that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Under which name.
    pub name: &'static str,
    /// In which line of the file the expectation stands.
    pub line: usize,
    /// What was expected.
    pub expected: Finding,
    /// What came out; `None`: nothing, the owner being down or nobody having crashed.
    pub got: Option<Finding>,
}

impl Expectations {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether anything is expected under this name.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        self.0.iter().any(|(other, ..)| *other == name)
    }

    /// Those that the outcome does not meet.
    #[must_use]
    pub fn differences(&self, outcome: &Outcome) -> Vec<Difference> {
        let difference = |(name, line, expected): &(&'static str, usize, Finding)| {
            let got = finding(outcome, name);
            (got.as_ref() != Some(expected)).then(|| Difference {
                name,
                line: *line,
                expected: expected.clone(),
                got,
            })
        };
        self.0.iter().filter_map(difference).collect()
    }

    pub(super) fn read(value: &Value<'_>) -> Result<Expectations, BadInput> {
        let known: Vec<_> = KINDS.iter().map(|(name, _)| *name).collect();
        let table = value.table(&known, "what should come of the run: committed = 2")?;
        let mut read = Vec::new();
        for (name, kind) in KINDS {
            if let Some(value) = table.get(name) {
                read.push((name, value.line(), kind.read(&value)?));
            }
        }
        Ok(Expectations(read))
    }
}

impl Kind {
    fn read(self, value: &Value<'_>) -> Result<Finding, BadInput> {
        Ok(match self {
            Kind::Number => Finding::Number(value.integer(0, i64::MAX)?),
            Kind::Offsets => {
                let items = value.items("an array of offsets: [2, 3]")?;
                let offset = |item: &Value<'_>| item.integer(0, Offset::MAX.0);
                Finding::Offsets(items.iter().map(offset).collect::<Result<_, _>>()?)
            }
            Kind::Stamps => {
                const EXPECTED: &str = "\"offset@tick\" each: [\"0@2\", \"1@4\"]";
                let stamp = |item: &Value<'_>| {
                    let stamp = item.as_text().and_then(parse_stamp);
                    stamp.ok_or_else(|| item.mistyped(EXPECTED))
                };
                Finding::Stamps(value.items(EXPECTED)?.iter().map(stamp).collect::<Result<_, _>>()?)
            }
            Kind::Rows => {
                let mut rows = BTreeMap::new();
                for (key, version) in value.entries("versions by key: { A = 3 }")? {
                    rows.insert(key.to_owned(), version.integer(0, Offset::MAX.0)?);
                }
                Finding::Rows(rows)
            }
            Kind::Sentences => {
                let items = value.items("an array of invariants, each by its sentence")?;
                Finding::Sentences(items.iter().map(invariant).collect::<Result<_, _>>()?)
            }
        })
    }
}

/// `offset@tick`.
fn parse_stamp(text: &str) -> Option<Stamp> {
    let (offset, tick) = text.split_once('@')?;
    let number = |text| number(text, i64::MAX.unsigned_abs()).ok();
    Some(Stamp { offset: Offset(i64::try_from(number(offset)?).ok()?), tick: Tick(number(tick)?) })
}

fn invariant(value: &Value<'_>) -> Result<String, BadInput> {
    let sentences = || INVARIANTS.iter().map(|invariant| invariant.sentence);
    let text = value.text()?;
    if sentences().any(|sentence| sentence == text) {
        return Ok(text.to_owned());
    }
    let hint = match nearest(text, sentences()) {
        Some(sentence) => format!(": did you mean \"{sentence}\"?"),
        None => String::new(),
    };
    let all: Vec<_> = sentences().map(|sentence| format!("\n      \"{sentence}\"")).collect();
    Err(value.complaint(
        format!("no invariant has this name{hint}"),
        format!("one of these sentences:{}", all.concat()),
    ))
}

impl Finding {
    /// The entries of a list for people, a row by its key as every sentence shows it; `None` for a number.
    #[must_use]
    pub fn entries(&self) -> Option<Vec<String>> {
        Some(match self {
            Finding::Number(_) => return None,
            Finding::Offsets(offsets) => offsets.iter().map(ToString::to_string).collect(),
            Finding::Stamps(stamps) => stamps.iter().map(ToString::to_string).collect(),
            Finding::Sentences(sentences) => sentences.iter().cloned().collect(),
            Finding::Rows(rows) => {
                let row = |(key, version): (&String, &i64)| {
                    format!("{} = {version}", quoted_unless_plain(key.as_bytes()))
                };
                rows.iter().map(row).collect()
            }
        })
    }
}

impl fmt::Display for Finding {
    /// As a scenario file spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: impl Iterator<Item = T>) -> fmt::Result {
            f.write_str("[")?;
            for (at, item) in items.enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                write!(f, "{comma}{item}")?;
            }
            f.write_str("]")
        }
        match self {
            Finding::Number(number) => number.fmt(f),
            Finding::Offsets(offsets) => list(f, offsets.iter()),
            Finding::Stamps(stamps) => list(f, stamps.iter().map(|stamp| format!("\"{stamp}\""))),
            Finding::Sentences(sentences) => list(f, sentences.iter().map(|text| format!("\"{text}\""))),
            Finding::Rows(rows) if rows.is_empty() => f.write_str("{}"),
            Finding::Rows(rows) => {
                let rows: Vec<_> = rows
                    .iter()
                    .map(|(key, version)| format!("{} = {version}", toml_edit::Key::new(key)))
                    .collect();
                write!(f, "{{ {} }}", rows.join(", "))
            }
        }
    }
}
