//! A scenario played and compared with what it expects: what `kwp check` and the tests run.

use std::fmt;

use super::{
    Scenario,
    expect::{Difference, Finding},
    play::{Exhausted, play},
};
use crate::{
    ids::Tick,
    ledger::{IgnoredInput, Invariant, Keep, Outcome, Verdicts, quoted_unless_plain},
};

/// What a check found.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What came of the run.
    pub outcome: Outcome,
    /// The expectations that were not met.
    pub differences: Vec<Difference>,
    /// Broken invariants that nobody chose to break, by their sentences: a fault of the engine.
    pub faults: Vec<(&'static str, Tick)>,
    /// Broken invariants that the file says nothing about.
    pub remarks: Vec<(&'static str, Tick)>,
    /// Inputs that changed nothing.
    pub ignored: Vec<IgnoredInput>,
}

/// Plays the scenario and compares.
///
/// # Errors
/// If the run outgrows its bounds.
pub fn check(scenario: &Scenario) -> Result<Verdict, Exhausted> {
    let run = play(scenario, Keep::Outcome, |_| true)?;
    let outcome = run.outcome();
    let verdicts = run.ledger().verdicts();
    // A file that expects a list of broken invariants has said all there is to say.
    let unspoken: Vec<_> =
        if scenario.expect.names("violated") { Vec::new() } else { verdicts.violated().collect() };
    let remarks = unspoken.iter().filter(|(invariant, _)| !is_sacred(invariant));
    Ok(Verdict {
        differences: scenario.expect.differences(&outcome),
        outcome,
        faults: faults(verdicts),
        ignored: run.ledger().ignored().to_vec(),
        remarks: remarks.map(|(invariant, tick)| (invariant.sentence, *tick)).collect(),
    })
}

/// The broken invariants that no choice of settings breaks.
#[must_use]
pub fn faults(verdicts: &Verdicts) -> Vec<(&'static str, Tick)> {
    let broken = verdicts.violated().filter(|(invariant, _)| is_sacred(invariant));
    broken.map(|(invariant, tick)| (invariant.sentence, tick)).collect()
}

fn is_sacred(invariant: &Invariant) -> bool {
    invariant.broken_by.is_empty()
}

impl Verdict {
    /// Whether every expectation was met and nothing broke that nobody breaks on purpose.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.differences.is_empty() && self.faults.is_empty()
    }
}

impl fmt::Display for Verdict {
    /// The differences and broken invariants, a paragraph each; nothing if all is well.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.differences {
            writeln!(f, "{difference}")?;
        }
        for (sentence, tick) in &self.faults {
            writeln!(f, "broken at tick {tick}, and no setting excuses it: {sentence}")?;
        }
        Ok(())
    }
}

/// Entries of a list that a difference shows.
const SHOWN: usize = 10;

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { name, line, expected, got } = self;
        let absent = || match *name {
            "crashed_at" => "nothing: nobody crashed".to_owned(),
            _ => "nothing: the owner is down at the end".to_owned(),
        };
        let shown = got.as_ref().map_or_else(absent, short);
        write!(f, "line {line}: {name}\n  expected {}\n       got {shown}", short(expected))?;
        if let Some(hint) = got.as_ref().and_then(|got| first_difference(expected, got)) {
            write!(f, "\n           {hint}")?;
        }
        Ok(())
    }
}

/// A value as a scenario file spells it, but for the keys of rows; a long list cut short.
fn short(finding: &Finding) -> String {
    let Some(entries) = finding.entries() else { return finding.to_string() };
    let quoted = matches!(finding, Finding::Stamps(_) | Finding::Sentences(_));
    let shown =
        entries.iter().take(SHOWN).map(|entry| if quoted { format!("\"{entry}\"") } else { entry.clone() });
    let shown = join(shown.collect(), entries.len(), ", ");
    match finding {
        Finding::Rows(rows) if rows.is_empty() => "{}".to_owned(),
        Finding::Rows(_) => format!("{{ {shown} }}"),
        _ => format!("[{shown}]"),
    }
}

/// Some of `all` entries, and how many more there are.
fn join(shown: Vec<String>, all: usize, between: &str) -> String {
    match all.saturating_sub(shown.len()) {
        0 => shown.join(between),
        more => format!("{}{between}and {more} more", shown.join(between)),
    }
}

/// Where two lists part, in words.
fn first_difference(expected: &Finding, got: &Finding) -> Option<String> {
    fn lists<T: PartialEq + fmt::Display>(expected: &[T], got: &[T]) -> String {
        let same = expected.iter().zip(got).take_while(|(expected, got)| expected == got).count();
        let entry = |list: &[T]| list.get(same).map_or("the end".to_owned(), ToString::to_string);
        match same {
            0 => format!(
                "they differ from the first entry on: {} expected, {} found",
                entry(expected),
                entry(got)
            ),
            _ => format!("the first {same} agree, then {} expected, {} found", entry(expected), entry(got)),
        }
    }
    Some(match (expected, got) {
        (Finding::Offsets(expected), Finding::Offsets(got)) => lists(expected, got),
        (Finding::Stamps(expected), Finding::Stamps(got)) => lists(expected, got),
        (Finding::Sentences(expected), Finding::Sentences(got)) => {
            let kept = expected.difference(got).map(|sentence| format!("kept: {sentence}"));
            let broken = got.difference(expected).map(|sentence| format!("broken: {sentence}"));
            kept.chain(broken).collect::<Vec<_>>().join("\n           ")
        }
        (Finding::Rows(expected), Finding::Rows(got)) => {
            let keys = expected.keys().chain(got.keys().filter(|key| !expected.contains_key(*key)));
            let differing: Vec<_> = keys.filter(|key| expected.get(*key) != got.get(*key)).collect();
            let version = |version: Option<&i64>| version.map_or("no row".to_owned(), ToString::to_string);
            let row = |key: &&String| {
                let (expected, got) = (version(expected.get(*key)), version(got.get(*key)));
                format!("{}: {expected} expected, {got} found", quoted_unless_plain(key.as_bytes()))
            };
            join(differing.iter().take(SHOWN).map(row).collect(), differing.len(), "; ")
        }
        _ => return None,
    })
}
