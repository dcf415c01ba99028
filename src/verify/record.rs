//! What was verified, written down: the matrix of mechanisms and promises, with the command that fills it anew.
//!
//! The page shows a record that lies in the repository, never a number of its own. A cell says one of three things:
//! the promise held in all of so many states and in so many random runs; or it breaks, and the shortest run that
//! breaks it can be opened; or nothing was asked, because nothing in these rules could break it.

use std::{collections::BTreeMap, error::Error, fmt, fmt::Write};

use serde_json::{Map, Value, json};

use super::{Example, Report, Sample, Suite, asked_by, run, sample};
use crate::{
    ledger::{INVARIANTS, Invariant, grouped},
    link::{self, Saved},
    presets::Brought,
    world::ConfigError,
};

/// How the page with the table begins: a page of its own, of which the article takes in what is marked as the part,
/// along with what that needs (`www/later.js`). What it shares with the article's head is put into the site's copy.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<!-- Written by `kwp verify --table`; see docs/proof.md. -->\n\
<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
<title>Mechanisms against promises</title>\n\
<link rel=\"stylesheet\" href=\"./proof.css\" data-along>\n\
<script src=\"./proof.js\" defer data-along></script>\n</head>\n<body>\n\
<main class=\"report proof-page\">\n<p><a href=\"./#proof\">The Keyed Worker Pool</a></p>\n\
<h1>Mechanisms against promises</h1>\n<div data-part>\n";

/// How it ends.
const FOOT: &str = "</div>\n</main>\n</body>\n</html>\n";

/// What the words in the cells mean.
const LEGEND: &str = "<p class=\"proof-sum\"><b>holds</b>: in every state that these rules and troubles can reach, and \
in every random run; below it, how many states could have broken it. <b>breaks</b>: a rule breaks it on purpose, at the \
soonest in the tick below. <b>sampled</b>: only random runs could have broken it, and none did; below it, how many could. \
<b>–</b>: not asked, because nothing in these rules and troubles could break it, whatever the engine did. <b>some run \
gets nowhere</b>: it comes to rest with records left, which never end or wait for what does not come.</p>\n";

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
    /// The promises that were put to the test, by their sentences: all others could not be broken, whatever the
    /// engine did.
    pub asked: BTreeMap<String, Asked>,
    /// The broken promises, by their sentences.
    pub breaks: BTreeMap<String, Shown>,
    /// The shortest run that gets nowhere, if one does.
    pub stuck: Option<Shown>,
}

/// How far a promise was put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// States of the configurations that could break it.
    pub states: u64,
    /// Random runs that could.
    pub runs: u64,
    /// Random runs that did, as they may.
    pub broken_runs: u64,
}

/// A run to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The tick in which it shows.
    pub tick: u64,
    /// Whether it comes from a random run, and there may be shorter ones.
    pub is_sampled: bool,
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
        Row::of(suite, report, sample)
    }

    /// What a search and a sample of a suite came to. What only random runs break counts as well, and is told apart.
    fn of(suite: &Suite, report: Report, sample: Sample) -> Result<Row, NoRecord> {
        let Report { configurations, states, broken, stuck, .. } = report;
        let asked = INVARIANTS.iter().filter_map(|&Invariant { sentence, .. }| {
            let of = |counts: &BTreeMap<_, u64>| counts.get(sentence).copied().unwrap_or_default();
            let broken_runs = sample.broken.get(sentence).map_or(0, |&(runs, _)| runs);
            let asked = Asked { states: of(&report.asked), runs: of(&sample.asked), broken_runs };
            (asked.states + asked.runs > 0).then(|| (sentence.to_owned(), asked))
        });
        let asked = asked.collect();
        let mut breaks = BTreeMap::new();
        for (sentence, (_, example)) in sample.broken {
            breaks
                .insert(sentence.to_owned(), Shown { is_sampled: true, ..Shown::of(&example, suite.name)? });
        }
        for (sentence, example) in broken {
            breaks.insert(sentence.to_owned(), Shown::of(&example, suite.name)?);
        }
        let stuck = stuck.map(|example| Shown::of(&example, suite.name)).transpose()?;
        let (suite, bounds, runs) = (suite.name.to_owned(), suite.bounds.clone(), sample.runs);
        Ok(Row { suite, bounds, configurations, states, runs, asked, breaks, stuck })
    }

    /// How many of the promises that were asked were never broken, and how many were asked.
    #[must_use]
    pub fn kept(&self) -> (usize, usize) {
        let kept = self.asked.keys().filter(|&sentence| !self.breaks.contains_key(sentence)).count();
        (kept, self.asked.len())
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
        Ok(Shown { tick: last.0, is_sampled: false, link })
    }

    fn to_json(&self) -> Value {
        json!({ "tick": self.tick, "sampled": self.is_sampled, "link": self.link })
    }

    fn from_json(value: &Value) -> Option<Shown> {
        Some(Shown {
            tick: value.get("tick")?.as_u64()?,
            is_sampled: value.get("sampled")?.as_bool()?,
            link: value.get("link")?.as_str()?.to_owned(),
        })
    }
}

impl Asked {
    fn to_json(self) -> Value {
        json!({ "states": self.states, "runs": self.runs, "broken_runs": self.broken_runs })
    }

    fn from_json(value: &Value) -> Option<Asked> {
        let number = |name| value.get(name)?.as_u64();
        Some(Asked { states: number("states")?, runs: number("runs")?, broken_runs: number("broken_runs")? })
    }
}

impl Record {
    /// The record as JSON, an object a row.
    #[must_use]
    pub fn to_json(&self) -> String {
        let row = |row: &Row| {
            let asked = row.asked.iter().map(|(sentence, asked)| (sentence.clone(), asked.to_json()));
            let breaks = row.breaks.iter().map(|(sentence, shown)| (sentence.clone(), shown.to_json()));
            json!({
                "suite": row.suite,
                "bounds": row.bounds,
                "configurations": row.configurations,
                "states": row.states,
                "runs": row.runs,
                "asked": asked.collect::<Map<_, _>>(),
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
            let asked =
                |(sentence, value): (&String, &Value)| Some((sentence.clone(), Asked::from_json(value)?));
            Some(Row {
                suite: text("suite")?,
                bounds: text("bounds")?,
                configurations: number("configurations")?,
                states: number("states")?,
                runs: number("runs")?,
                asked: value.get("asked")?.as_object()?.iter().map(asked).collect::<Option<_>>()?,
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

    /// The matrix as a page of its own, which the article takes in: a row for each suite, a column for each promise.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut html = HEAD.to_owned();
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
        html.push_str("</ol>\n<div class=\"proof-box\">\n<div class=\"proof-frame\" tabindex=\"0\" role=\"region\" aria-label=\"Mechanisms and promises\">\n");
        html.push_str("<table class=\"proof\">\n<thead><tr><th scope=\"col\">rules</th>");
        for nth in 1..=INVARIANTS.len() {
            let sentence = escaped(&shown(INVARIANTS[nth - 1].sentence));
            let _ = write!(html, "<th scope=\"col\" title=\"{sentence}\">{nth}</th>");
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        self.rows.iter().for_each(|row| row.push_html(&mut html));
        html.push_str("</tbody>\n</table>\n</div>\n</div>\n");
        html.push_str(LEGEND);
        html.push_str(FOOT);
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
                "<small><a href=\"./#{}\">some run gets nowhere</a></small>",
                escaped(&stuck.link)
            );
        }
        html.push_str("</th>");
        INVARIANTS.iter().for_each(|invariant| self.push_cell(invariant.sentence, html));
        html.push_str("</tr>\n");
    }
    fn push_cell(&self, promise: &str, html: &mut String) {
        let (name, sentence) = (escaped(promise), escaped(&shown(promise)));
        let Some(Asked { states, runs, broken_runs }) = self.asked.get(promise) else {
            let needs = asked_by(promise).unwrap_or_default();
            let _ = write!(
                html,
                "<td class=\"unasked\" title=\"{sentence}: not asked, it takes {needs}\"><span aria-hidden=\"true\">–</span><span class=\"visually-hidden\">not asked</span></td>",
            );
            return;
        };
        let (few_states, few_runs) = (short(*states), short(*runs));
        let [states, runs, broken_runs] = [states, runs, broken_runs].map(|&count| grouped(count));
        let _ = match self.breaks.get(promise) {
            Some(Shown { tick, link, is_sampled }) => {
                let how = match is_sampled {
                    true => format!("in {broken_runs} of {runs} random runs, and in none of {states} states"),
                    false => format!("in tick {tick} at the soonest"),
                };
                write!(
                    html,
                    "<td data-breaks=\"{tick}\"><a href=\"./#{}\" data-promise=\"{name}\" title=\"{sentence}: breaks, {how}\">breaks <small>tick {tick}</small></a></td>",
                    escaped(link),
                )
            }
            None if states == "0" => {
                write!(
                    html,
                    "<td title=\"{sentence}: not broken in {runs} random runs, no more\">sampled <small>{few_runs}</small></td>"
                )
            }
            None => write!(
                html,
                "<td title=\"{sentence}: cannot break, {states} states exhausted, {runs} random runs\">holds <small>{few_states}</small></td>",
            ),
        };
    }
}

/// An invariant's sentence as the page shows it.
fn shown(sentence: &str) -> String {
    sentence.replace("<=", "≤")
}

/// A count where there is little room, never larger than it is: `371 k`.
fn short(count: u64) -> String {
    let (unit, sign) = match count {
        0..=999 => return count.to_string(),
        1_000..=999_999 => (1_000, "k"),
        _ => (1_000_000, "M"),
    };
    match count / unit {
        few @ 0..=9 => format!("{few}.{}\u{a0}{sign}", count % unit * 10 / unit),
        many => format!("{many}\u{a0}{sign}"),
    }
}

/// A text within HTML, in an attribute too.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Tick,
        player::Inputs,
        verify::{Size, suites},
    };

    const LANES: &str = "two lanes, and a serial consumer";
    const POLLS: &str = "a poll at least every max.poll.interval";
    const ORDER: &str = "a key's records complete in offset order";

    /// A row of the lanes' suite as if these numbers had come out.
    fn row(states: u64, sampled: u64, broken: u64) -> Row {
        let suite = suites(Size::Small).into_iter().find(|suite| suite.name == LANES).unwrap();
        let setup = suite.configurations[0].setup().clone();
        let example = Example { setup, inputs: Inputs::new(), last: Tick(0) };
        let report = Report { asked: [(ORDER, states)].into(), ..Report::default() };
        let mut sample = Sample { runs: 9, asked: [(ORDER, sampled)].into(), ..Sample::default() };
        if broken > 0 {
            sample.broken.insert(ORDER, (broken, example));
        }
        Row::of(&suite, report, sample).unwrap()
    }

    fn cell(row: &Row, promise: &str) -> String {
        let mut html = String::new();
        row.push_cell(promise, &mut html);
        html
    }

    #[test]
    fn a_cell_says_what_was_done_and_no_more() {
        assert!(
            cell(&row(7, 8, 0), ORDER)
                .contains("cannot break, 7 states exhausted, 8 random runs\">holds <small>7<")
        );
        assert!(
            cell(&row(0, 8, 0), ORDER).contains("not broken in 8 random runs, no more\">sampled <small>8<")
        );
        assert!(cell(&row(7, 8, 0), POLLS).contains("not asked, it takes a poll interval\""));
        assert_eq!(row(7, 8, 0).kept(), (1, 1));
    }

    #[test]
    fn a_short_count_is_no_larger_than_the_count() {
        let shorts = [0, 999, 1_000, 3_816, 9_999, 93_808, 999_999, 2_235_756, 12_651_738].map(short);
        assert_eq!(
            shorts.map(|short| short.replace('\u{a0}', " ")),
            ["0", "999", "1.0 k", "3.8 k", "9.9 k", "93 k", "999 k", "2.2 M", "12 M"]
        );
    }

    /// What breaks in random runs only is not called kept.
    #[test]
    fn a_break_in_a_random_run_counts() {
        let broken = row(7, 8, 3);
        assert!(
            cell(&broken, ORDER)
                .contains("breaks, in 3 of 8 random runs, and in none of 7 states\">breaks <small>tick 0<")
        );
        assert_eq!(broken.kept(), (0, 1));
    }
}
