//! `kwp verify`: every promise against every mechanism, in all states of small systems and in random runs of
//! larger ones.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{
    file::{is_replaceable, is_same, replace},
    out::{BAD, GOOD, HEAD, ODD, Paper, complain, paint},
};
use crate::{
    ledger::{INVARIANTS, escaped},
    verify::{Asked, Record, Row, Size, Suite, suites},
};

/// Arguments of `kwp verify`.
#[derive(Args, Debug)]
pub(super) struct VerifyArgs {
    /// Only the suites with these words in their names
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// Go further: larger bounds, some minutes instead of some tens of seconds
    #[arg(long)]
    large: bool,

    /// Random runs for each suite, beyond what is exhausted
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    runs: u64,

    /// What the random runs are drawn from
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,

    /// List the suites with their bounds, and check nothing
    #[arg(long, conflicts_with_all = ["record", "table"])]
    list: bool,

    /// Write what came of it as JSON into a file; with WORDS, into its place among what the same command without
    /// them has written there
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Write the matrix as a table of HTML into a file, with links to the examples
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

/// 0: everything holds that is to hold; 1: something does not; 2: bad usage.
pub(super) fn run(args: &VerifyArgs, paper: &mut Paper) -> u8 {
    let size = if args.large { Size::Large } else { Size::Small };
    let words: Vec<String> = args.words.iter().map(|word| word.to_lowercase()).collect();
    let named = |suite: &Suite| words.iter().all(|word| suite.name.to_lowercase().contains(word));
    let chosen: Vec<Suite> = suites(size).into_iter().filter(named).collect();
    if chosen.is_empty() {
        complain(
            BAD,
            "error",
            format!("no suite has {:?} in its name; --list shows them", args.words.join(" ")),
        );
        return 2;
    }
    if args.list {
        for suite in &chosen {
            paper.line(paint(HEAD, suite.name));
            paper.line(format!("  {}", suite.bounds));
        }
        return 0;
    }
    if let Err(complaint) = check_files(args) {
        complain(BAD, "error", complaint);
        return 2;
    }
    let mut rows = Vec::new();
    for suite in &chosen {
        match Row::fill(suite, args.runs, args.seed) {
            Ok(row) => {
                tell(&row, paper);
                rows.push(row);
            }
            Err(error) => {
                complain(BAD, "broken", error);
                return 1;
            }
        }
    }
    // Whoever stopped reading still gets the verdict, as exit code, and the files.
    paper.line(format!("{} every promise holds that is to hold", paint(GOOD, "verified")));
    let record = Record { command: command(args, &args.words), rows };
    write(args, merged(args, size, record))
}

/// With words: what the same command without them has filled in before, with these rows in their places.
fn merged(args: &VerifyArgs, size: Size, record: Record) -> Record {
    let whole = command(args, &[]);
    let before = args.record.as_ref().filter(|_| !args.words.is_empty());
    let before = before.and_then(|path| Record::from_json(&fs::read_to_string(path).ok()?).ok());
    let Some(before) = before.filter(|before| before.command == whole) else { return record };
    let every = record.rows.into_iter().chain(before.rows);
    let mut rows: Vec<Row> = Vec::new();
    for row in every {
        if !rows.iter().any(|other| other.suite == row.suite) {
            rows.push(row);
        }
    }
    let suites = suites(size);
    rows.sort_by_key(|row| suites.iter().position(|suite| suite.name == row.suite));
    rows.retain(|row| suites.iter().any(|suite| suite.name == row.suite));
    Record { command: whole, rows }
}

/// Whether the files that are asked for can be written: found out before the search, not after it.
fn check_files(args: &VerifyArgs) -> Result<(), String> {
    if let (Some(record), Some(table)) = (&args.record, &args.table)
        && is_same(record, table)
    {
        return Err("--record and --table name the same file".to_owned());
    }
    for path in args.record.iter().chain(&args.table) {
        is_replaceable(path).map_err(|error| refused(path, &error))?;
    }
    Ok(())
}

fn refused(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", escaped(&path.display().to_string()))
}

/// One suite.
fn tell(row: &Row, paper: &mut Paper) {
    paper.line(paint(HEAD, &row.suite));
    paper.line(format!("  {}", row.bounds));
    paper.line(format!(
        "  {} configurations, {} states exhausted, {} random runs",
        row.configurations, row.states, row.runs
    ));
    for invariant in &INVARIANTS {
        if let Some(shown) = row.breaks.get(invariant.sentence) {
            let soonest = if shown.is_sampled { "in a random run" } else { "at the soonest" };
            paper.line(format!(
                "  {} in tick {} {soonest}: {} (#{})",
                paint(ODD, "breaks"),
                shown.tick,
                invariant.sentence,
                shown.link
            ));
        }
    }
    let (kept, asked) = row.kept();
    let only_sampled =
        |(sentence, asked): &(&String, &Asked)| asked.states == 0 && !row.breaks.contains_key(*sentence);
    let only_sampled = row.asked.iter().filter(only_sampled).count();
    let of_these =
        if only_sampled > 0 { format!(", {only_sampled} of these only sampled") } else { String::new() };
    let unasked = INVARIANTS.len() - asked;
    let others = if unasked > 0 { format!("; {unasked} not asked") } else { String::new() };
    paper.line(format!("  {} {kept} of {asked} promises{of_these}{others}", paint(GOOD, "cannot break")));
    if let Some(stuck) = &row.stuck {
        paper.line(format!("  {} after tick {} (#{})", paint(ODD, "gets nowhere"), stuck.tick, stuck.link));
    }
    paper.line("");
    paper.flush();
}

/// What fills the record anew.
fn command(args: &VerifyArgs, words: &[String]) -> String {
    let large = if args.large { " --large" } else { "" };
    let seed = if args.seed == 0 { String::new() } else { format!(" --seed {}", args.seed) };
    let words: String = words.iter().map(|word| format!(" {word:?}")).collect();
    format!("kwp verify{words}{large} --runs {}{seed}", args.runs)
}

fn write(args: &VerifyArgs, record: Record) -> u8 {
    let files = [(&args.record, record.to_json()), (&args.table, record.to_html())];
    for (path, content) in files {
        let Some(path) = path else { continue };
        if let Err(error) = replace(path, content.as_bytes()) {
            complain(BAD, "error", refused(path, &error));
            return 2;
        }
    }
    0
}
