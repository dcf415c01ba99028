//! `kwp check`: scenarios against what they expect.

use std::{io, path::Path};

use clap::Args;

use super::{
    file::{Given, replace},
    out::{BAD, GOOD, ODD, Paper, complain, paint},
    report::ignored_lines,
};
use crate::{
    ledger::escaped,
    scenario::{BadInput, Scenario, Source, Verdict, blessed, check, files},
};

/// Arguments of `kwp check`.
#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    /// Scenario files, folders of them (every *.toml directly in one, but for hidden files), or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Given>,

    /// Write what came out into [expect], after showing the difference
    ///
    /// Only names that [expect] has are written, all of them where it has none. A value that is right stays as
    /// it is spelt, and so does everything outside [expect]. A value that is wrong is written anew on one line:
    /// the comment behind it stays, comments within it go. A name whose value is absent now (a watermark of an
    /// owner that is down) goes, with the comments above it. A read-only file is refused.
    #[arg(long)]
    bless: bool,
}

#[derive(Default)]
struct Tally {
    good: usize,
    failed: usize,
    unusable: usize,
    blessed: usize,
}

/// 0: all good; 1: an expectation or an invariant failed; 2: a file that cannot be used.
pub(super) fn run(args: &CheckArgs, paper: &mut Paper) -> u8 {
    let mut tally = Tally::default();
    for given in &args.files {
        let files = match given {
            Given::Stdin => Ok(vec![None]),
            Given::Path(path) => files(path).map(|files| files.into_iter().map(Some).collect()),
        };
        match files {
            Ok(files) => files.iter().for_each(|file| one(file.as_deref(), args.bless, paper, &mut tally)),
            Err(error) => unusable(&error, &mut tally),
        }
    }
    let Tally { good, failed, unusable, blessed } = tally;
    if good + failed + unusable > 1 {
        let counts = [(good, "good"), (failed, "failed"), (blessed, "blessed"), (unusable, "unusable")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, word)| format!("{count} {word}")).collect();
        paper.line(format!("{} scenarios: {}", good + failed + unusable, counts.join(", ")));
    }
    match (unusable, failed) {
        (0, 0) => 0,
        (0, _) => 1,
        _ => 2,
    }
}

fn unusable(error: &dyn std::fmt::Display, tally: &mut Tally) {
    complain(BAD, "error", error);
    tally.unusable += 1;
}

fn one(file: Option<&Path>, bless: bool, paper: &mut Paper, tally: &mut Tally) {
    let source = match file {
        Some(path) => Source::read(path),
        None => Source::from_reader("standard input", io::stdin().lock()),
    };
    let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
    let read = source.and_then(|source| Ok((Scenario::parse(&source, folder)?, source)));
    let (scenario, source) = match read {
        Ok(read) => read,
        Err(error) => return unusable(&error, tally),
    };
    for warning in &scenario.warnings {
        complain(ODD, "warning", format!("{}: {warning}", escaped(&scenario.file)));
    }
    let verdict = match check(&scenario) {
        Ok(verdict) => verdict,
        Err(error) => return unusable(&format!("{}: {error}", escaped(&scenario.file)), tally),
    };
    tell(&scenario, &verdict, paper);
    if bless && (!verdict.differences.is_empty() || scenario.expect.is_empty()) {
        let Some(path) = file else {
            return unusable(&"there is no file to bless: the scenario came from standard input", tally);
        };
        // What could not be shown is not written: the end of the program says why.
        if !paper.flush() {
            tally.unusable += 1;
            return;
        }
        match write(path, &source, &scenario, &verdict) {
            Ok(()) => {
                paper.line(format!("{} {}", paint(ODD, "blessed"), escaped(&scenario.file)));
                tally.blessed += 1;
            }
            Err(error) => return unusable(&error, tally),
        }
        // What no setting excuses is not for a file to expect.
        if verdict.faults.is_empty() {
            tally.good += 1;
            return;
        }
    }
    if verdict.is_good() { tally.good += 1 } else { tally.failed += 1 }
}

fn tell(scenario: &Scenario, verdict: &Verdict, paper: &mut Paper) {
    let file = escaped(&scenario.file);
    if verdict.is_good() {
        let expected = match scenario.expect.len() {
            0 => " (it expects nothing)".to_owned(),
            _ => String::new(),
        };
        paper.line(format!("{} {file}{expected}", paint(GOOD, "good")));
    } else {
        paper.line(format!("{} {file}", paint(BAD, "FAIL")));
        verdict.to_string().lines().for_each(|line| paper.line(format!("     {line}")));
    }
    for line in ignored_lines(&verdict.ignored) {
        paper.line(format!("     ignored: {line}"));
    }
    for (sentence, tick) in &verdict.remarks {
        paper.line(format!("     broken at tick {tick}, nothing expected of it: {sentence}"));
    }
}

fn write(path: &Path, source: &Source, scenario: &Scenario, verdict: &Verdict) -> Result<(), BadInput> {
    let text = blessed(source, scenario, &verdict.outcome)?;
    // What is written must say what came out, or nothing is written.
    let again = Source { text: text.clone(), ..source.clone() };
    let reread = Scenario::parse(&again, path.parent().unwrap_or(Path::new("")))?;
    if !reread.expect.differences(&verdict.outcome).is_empty() {
        let expected = "an [expect] that can be written anew; please write this one by hand";
        return Err(BadInput::whole(&source.name, "the outcome does not survive being written", expected));
    }
    let mark: &[u8] = if source.marked { b"\xef\xbb\xbf" } else { b"" };
    replace(path, &[mark, text.as_bytes()].concat())
        .map_err(|error| BadInput::whole(&source.name, format!("it cannot be written: {error}"), ""))
}
