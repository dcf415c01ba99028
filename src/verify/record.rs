//! What was verified, written down: the matrix of mechanisms and promises, with the command that fills it anew.
//!
//! The page shows a record that lies in the repository, never a number of its own. A cell is one of two things:
//! the promise held in all of so many states and in so many random runs, or it breaks, and the shortest run that
//! breaks it can be opened.

use std::{collections::BTreeMap, error::Error, fmt, fmt::Write};

use serde_json::{Map, Value, json};

use super::{Example, Report, Sample, Suite, run, sample};
use crate::{
    ledger::{INVARIANTS, grouped},
    link::{self, Saved},
    presets::Brought,
    world::ConfigError,
};

/// Ticks that a reader sees after the one that an example is about.
const AFTERWARDS: u64 = 4;

/// A matrix as it was filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What fills it anew.
    pub command: String,
    /// One for each suite.
    pub rows: Vec<Row>,
}

/// What one suite came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The suite's name, and its bounds.
    pub suite: String,
    /// What was varied, and how far.
    pub bounds: String,
    /// Configurations that were explored.
    pub configurations: u64,
    /// States that were visited: all there are within the bounds.
    pub states: u64,
    /// Random runs beyond them.
    pub runs: u64,
    /// The broken promises, by their sentences.
    pub breaks: BTreeMap<String, Shown>,
    /// The shortest run that gets nowhere, if one does.
    pub stuck: Option<Shown>,
}

/// A run to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The tick in which it shows.
    pub tick: u64,
    /// The fragment of the page that shows it.
    pub link: String,
}

/// Why a matrix is not filled, or a record not read: a sentence or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRecord(String);

impl fmt::Display for NoRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NoRecord {}

impl From<ConfigError> for NoRecord {
    fn from(error: ConfigError) -> NoRecord {
        NoRecord(error.to_string())
    }
}

impl Row {
    /// Explores a suite to its end and samples beyond it.
    ///
    /// # Errors
    /// If something breaks that nothing breaks on purpose, or something that is to break does not.
    pub fn fill(suite: &Suite, runs: u64, seed: u64) -> Result<Row, NoRecord> {
        let report = run(suite);
        report.check(suite).map_err(|difference| NoRecord(difference.to_string()))?;
        let sample = sample(suite, runs, seed)?;
        surprised(suite, &sample)?;
        let Report { configurations, states, broken, stuck, .. } = report;
        let shown = |(sentence, example): (&'static str, Example)| {
            Ok((sentence.to_owned(), Shown::of(&example, suite.name)?))
        };
        let breaks = broken.into_iter().map(shown).collect::<Result<_, NoRecord>>()?;
        let stuck = stuck.map(|example| Shown::of(&example, suite.name)).transpose()?;
        let (suite, bounds) = (suite.name.to_owned(), suite.bounds.clone());
        Ok(Row { suite, bounds, configurations, states, runs, breaks, stuck })
    }
}

fn surprised(suite: &Suite, sample: &Sample) -> Result<(), NoRecord> {
    let Some(surprise) = sample.surprises.first() else { return Ok(()) };
    let scenario = surprise.example.scenario(&surprise.what, &[]).unwrap_or_else(|error| error.to_string());
    Err(NoRecord(format!("{}, in a random run: {}\n\n{scenario}", suite.name, surprise.what)))
}

impl Shown {
    /// An example on the page, at its last tick.
    fn of(example: &Example, title: &str) -> Result<Shown, NoRecord> {
        let Example { setup, inputs, last } = example.clone();
        let start = Brought::fitting(title.to_owned(), setup, inputs, last.after(AFTERWARDS));
        let link = link::write(&[Saved::at(start, last)]).map_err(|error| NoRecord(error.to_string()))?;
        Ok(Shown { tick: last.0, link })
    }

    fn to_json(&self) -> Value {
        json!({ "tick": self.tick, "link": self.link })
    }

    fn from_json(value: &Value) -> Option<Shown> {
        Some(Shown { tick: value.get("tick")?.as_u64()?, link: value.get("link")?.as_str()?.to_owned() })
    }
}

impl Record {
    /// The record as JSON, an object a row.
    #[must_use]
    pub fn to_json(&self) -> String {
        let row = |row: &Row| {
            let breaks = row.breaks.iter().map(|(sentence, shown)| (sentence.clone(), shown.to_json()));
            json!({
                "suite": row.suite,
                "bounds": row.bounds,
                "configurations": row.configurations,
                "states": row.states,
                "runs": row.runs,
                "breaks": breaks.collect::<Map<_, _>>(),
                "stuck": row.stuck.as_ref().map(Shown::to_json),
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        format!("{:#}\n", json!({ "command": self.command, "suites": rows }))
    }

    /// The record that [`Record::to_json`] wrote.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_json(text: &str) -> Result<Record, NoRecord> {
        let value: Value = serde_json::from_str(text).map_err(|error| NoRecord(error.to_string()))?;
        Record::read(&value).ok_or_else(|| NoRecord("this is no record of `kwp verify`".to_owned()))
    }

    fn read(value: &Value) -> Option<Record> {
        let row = |value: &Value| {
            let number = |name| value.get(name)?.as_u64();
            let text = |name| Some(value.get(name)?.as_str()?.to_owned());
            let shown =
                |(sentence, value): (&String, &Value)| Some((sentence.clone(), Shown::from_json(value)?));
            Some(Row {
                suite: text("suite")?,
                bounds: text("bounds")?,
                configurations: number("configurations")?,
                states: number("states")?,
                runs: number("runs")?,
                breaks: value.get("breaks")?.as_object()?.iter().map(shown).collect::<Option<_>>()?,
                stuck: match value.get("stuck")? {
                    Value::Null => None,
                    stuck => Some(Shown::from_json(stuck)?),
                },
            })
        };
        Some(Record {
            command: value.get("command")?.as_str()?.to_owned(),
            rows: value.get("suites")?.as_array()?.iter().map(row).collect::<Option<_>>()?,
        })
    }

    /// The matrix as a table of the page: a row for each suite, a column for each promise.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut html = "<!-- Written by `kwp verify --table`; see docs/proof.md. -->\n".to_owned();
        let states: u64 = self.rows.iter().map(|row| row.states).sum();
        let runs: u64 = self.rows.iter().map(|row| row.runs).sum();
        let _ = writeln!(
            html,
            "<p class=\"proof-sum\">{} states visited, all there are within the bounds, and {} random runs. \
             Filled by <code>{}</code>.</p>",
            grouped(states),
            grouped(runs),
            escaped(&self.command)
        );
        html.push_str("<ol class=\"proof-promises\">\n");
        for invariant in &INVARIANTS {
            let _ = writeln!(html, "  <li>{}</li>", escaped(&shown(invariant.sentence)));
        }
        html.push_str("</ol>\n<div class=\"proof-frame\" tabindex=\"0\" role=\"region\" aria-label=\"Mechanisms and promises\">\n");
        html.push_str("<table class=\"proof\">\n<thead><tr><th scope=\"col\">rules</th>");
        for nth in 1..=INVARIANTS.len() {
            let sentence = escaped(&shown(INVARIANTS[nth - 1].sentence));
            let _ = write!(html, "<th scope=\"col\" title=\"{sentence}\">{nth}</th>");
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        self.rows.iter().for_each(|row| row.push_html(&mut html));
        html.push_str("</tbody>\n</table>\n</div>\n");
        html
    }
}

impl Row {
    fn push_html(&self, html: &mut String) {
        let (states, runs) = (grouped(self.states), grouped(self.runs));
        let _ = write!(
            html,
            "<tr><th scope=\"row\">{}<details><summary>{states} states exhausted, {runs} random runs</summary>{}.</details>",
            escaped(&self.suite),
            escaped(&self.bounds),
        );
        if let Some(stuck) = &self.stuck {
            let _ = write!(
                html,
                "<small><a href=\"#{}\">some run gets nowhere</a></small>",
                escaped(&stuck.link)
            );
        }
        html.push_str("</th>");
        for invariant in &INVARIANTS {
            let sentence = shown(invariant.sentence);
            let cell = match self.breaks.get(invariant.sentence) {
                Some(Shown { tick, link }) => format!(
                    "<td data-breaks=\"{tick}\"><a href=\"#{}\" data-promise=\"{}\" title=\"{}: breaks, in tick {tick} at the soonest\">breaks</a></td>",
                    escaped(link),
                    escaped(invariant.sentence),
                    escaped(&sentence),
                ),
                None => format!(
                    "<td title=\"{}: cannot break, {states} states exhausted, {runs} random runs\">holds</td>",
                    escaped(&sentence),
                ),
            };
            html.push_str(&cell);
        }
        html.push_str("</tr>\n");
    }
}

/// An invariant's sentence as the page shows it.
fn shown(sentence: &str) -> String {
    sentence.replace("<=", "≤")
}

/// A text within HTML, in an attribute too.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
