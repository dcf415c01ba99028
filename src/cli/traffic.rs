//! `kwp traffic`: what is in a file of somebody's own traffic, and the engine's trace of it.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;

use super::{
    file::{Given, replace},
    out::{HEAD, ODD, Paper, complain, failed, paint},
    run::Format,
};
use crate::{
    export::json::Object,
    ledger::escaped,
    scenario::{BadInput, open},
    traffic::{
        Columns, Digest, KEPT_ROWS, Latency, MOST_ROWS, Options, Reader, Report, Span, Summary, Traffic, Unit,
    },
};

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// What keys are hashed with when nobody says: it hides them from a glance, and from nobody who tries.
const PUBLIC_SALT: &str = "the salt that everybody has";

/// Arguments of `kwp traffic`.
#[derive(Args, Debug)]
pub(super) struct TrafficArgs {
    /// A CSV file with a header, or - for standard input
    #[arg(value_name = "FILE")]
    file: Given,

    #[command(flatten)]
    reading: ReadingArgs,

    /// How to print the summary: as text, or as one JSON object
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Write the engine's trace (time, key and work in ticks, whose length the titles say) into a file, or - for
    /// standard output, which then has nothing else
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How a file of traffic is read.
#[derive(Args, Debug)]
pub(super) struct ReadingArgs {
    /// Which columns hold what: time=ts,key=user,work=ms
    ///
    /// What is not named is guessed from the header, and the guess is shown. key= alone: no record has a key.
    /// work= alone: there is none in the file, and --latency says what to draw. Where the first line is data, columns
    /// go by their numbers: time=1,key=2,work=3.
    #[arg(long, value_name = "COLUMNS", value_parser = Columns::parse)]
    columns: Option<Columns>,

    /// What numbers in the file count: ticks, ns, us, ms or s
    ///
    /// Times may be dates as RFC 3339 spells them, whatever the unit, and work may have a unit of its own (12ms).
    /// [default: what the titles end with (took_s, time_ticks), or ms]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    unit: Option<Unit>,

    /// What numbers in the time column count, where that differs from --unit
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    time_unit: Option<Unit>,

    /// What numbers in the work column count, where that differs from --unit
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    work_unit: Option<Unit>,

    /// How long a tick of the engine is: 10ms, 1s, 1m [default: 1ms, unless everything is in ticks]
    ///
    /// This says nothing about what the file counts: for a file in ticks of a minute it is --unit ticks --tick 1m.
    #[arg(long, value_name = "LENGTH", value_parser = span)]
    tick: Option<Span>,

    /// Replace every key by a salted hash
    ///
    /// These are pseudonyms: whoever has the salt can test guesses. Without --salt the salt is a public one.
    #[arg(long)]
    hash_keys: bool,

    /// The salt, which keeps the same hashes from file to file; keep it to yourself
    #[arg(long, value_name = "TEXT", requires = "hash_keys")]
    salt: Option<String>,

    /// Draw the work: 20 (always), 10..30 (all alike), or 20,400,3000 (p50, p99 and the longest), in --work-unit
    #[arg(long, value_name = "LATENCY", value_parser = latency)]
    latency: Option<Latency>,

    /// What to draw from
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,

    /// Read the first so many rows only; the others are counted
    #[arg(long, value_name = "N", default_value_t = MOST_ROWS as u64, value_parser = clap::value_parser!(u64).range(1..=MOST_ROWS as u64))]
    rows: u64,
}

fn unit(text: &str) -> Result<Unit, String> {
    Unit::named(text).ok_or_else(|| "expected ticks, ns, us, ms or s".to_owned())
}

fn span(text: &str) -> Result<Span, String> {
    Span::parse(text).map_err(|_| "expected a length of time with its unit, such as 10ms or 1s".to_owned())
}

fn latency(text: &str) -> Result<Latency, String> {
    let expected = "expected 20, 10..30 or 20,400,3000";
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| expected.to_owned());
    let latency = if let Some((low, high)) = text.split_once("..") {
        Latency::uniform(number(low)?, number(high)?)
    } else {
        let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
        match numbers[..] {
            [length] => Latency::fixed(length),
            [p50, p99, max] => Latency::long_tail(p50, p99, max),
            _ => return Err(expected.to_owned()),
        }
    };
    latency.map_err(|error| error.to_string())
}

impl ReadingArgs {
    /// How long a tick is, where that was said.
    pub(super) fn tick(&self) -> Option<Span> {
        self.tick
    }

    /// What is drawn from.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    fn options(&self) -> Result<Options, String> {
        let said = |own: Option<Unit>| own.or(self.unit);
        let read = Options::said(said(self.time_unit), said(self.work_unit));
        let work = read.work;
        let latency = self.latency.clone().map(|latency| latency.of_unit(work));
        let latency = latency.transpose().map_err(|error| error.to_string())?;
        let salt = self.salt.as_deref().unwrap_or(PUBLIC_SALT);
        if self.hash_keys && self.salt.is_none() {
            complain(ODD, "warning", "the salt is one that everybody has: --salt TEXT takes one of your own");
        }
        Ok(Options {
            columns: self.columns.clone().unwrap_or_default(),
            tick: self.tick,
            latency: latency.map(|latency| (latency, self.seed)),
            digest: self.hash_keys.then(|| Digest::new(salt)),
            most_rows: self.rows as usize,
            ..read
        })
    }
}

/// Reads the traffic that was named.
pub(super) fn load(given: &Given, args: &ReadingArgs) -> Result<Traffic, Box<dyn std::error::Error>> {
    let options = args.options()?;
    Ok(match given {
        Given::Stdin => read("standard input", options, io::stdin().lock())?,
        Given::Path(path) => {
            let name = path.display().to_string();
            let file: File = open(path).map_err(|error| BadInput::unreadable(name.clone(), &error))?;
            read(&name, options, file)?
        }
    })
}

fn read(name: &str, options: Options, mut source: impl Read) -> Result<Traffic, BadInput> {
    let mut reader = Reader::new(name, options);
    let mut chunk = vec![0; CHUNK];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return reader.finish(),
            Ok(length) => reader.feed(&chunk[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(BadInput::unreadable(name, &error)),
        }
    }
}

/// 0: it was read; 2: it cannot be.
pub(super) fn run(args: &TrafficArgs, paper: &mut Paper) -> u8 {
    failed(try_run(args, paper))
}

fn try_run(args: &TrafficArgs, paper: &mut Paper) -> Result<u8, Box<dyn std::error::Error>> {
    let traffic = load(&args.file, &args.reading)?;
    if args.output.as_deref() == Some(Path::new("-")) {
        let report = traffic.report();
        if report.skipped > 0 {
            complain(ODD, "warning", format!("{} of {} rows were skipped", report.skipped, report.rows));
        }
        for text in traffic.csv() {
            paper.text(text);
            if paper.is_torn() {
                break;
            }
        }
        return Ok(0);
    }
    if let Some(path) = &args.output {
        let text: String = traffic.csv().collect();
        replace(path, text.as_bytes()).map_err(|error| {
            format!("{}: the trace cannot be written: {error}", escaped(&path.display().to_string()))
        })?;
    }
    let summary = traffic.summary();
    match args.format {
        Format::Json => paper.line(format!("{:#}", as_json(&summary, traffic.report()))),
        Format::Text => print(&summary, traffic.report(), paper),
    }
    Ok(0)
}

fn print(summary: &Summary, report: &Report, paper: &mut Paper) {
    for found in &report.columns {
        paper.line(escaped(&found.to_string()));
    }
    paper.line(format!("\n{summary}"));
    if report.skipped > 0 {
        let all = report.rows;
        paper.line(paint(HEAD, format!("\n{} of {all} rows were skipped", report.skipped)));
    }
    for bad in &report.bad {
        paper.line(format!("  {}", escaped(&bad.to_string())));
    }
    let told = report.skipped + report.read_as;
    if told > KEPT_ROWS as u64 {
        paper.line(format!("  and {} more", told - report.bad.len() as u64));
    }
    paper.line("");
    for note in report.taken.iter().chain(&report.assumed).chain(&report.notes) {
        paper.line(format!("note: {note}"));
    }
    for warning in summary.warnings() {
        paper.line(format!("{}: {warning}", paint(ODD, "warning")));
    }
}

fn as_json(summary: &Summary, report: &Report) -> Object {
    let hottest = summary.hottest.as_ref().map(
        |hottest| json!({ "key": hottest.name, "records": hottest.records, "work": hottest.work_ticks }),
    );
    let columns = report.columns.iter().map(|found| {
        json!({ "what": found.what, "name": found.name, "index": found.index, "guessed": found.guessed })
    });
    let bad = report.bad.iter().map(
        |bad| json!({ "line": bad.line, "column": bad.column, "reason": bad.reason, "read_as": bad.read_as }),
    );
    Object(vec![
        ("records", summary.rows.into()),
        ("without_key", summary.without_key.into()),
        ("keys", summary.keys.into()),
        ("single_keys", summary.single.into()),
        ("hottest", hottest.into()),
        ("most_work_of_a_key", summary.most_work_of_a_key.into()),
        ("tick_ns", summary.tick.map(Span::nanos).into()),
        ("first", summary.first.into()),
        ("span", summary.span.into()),
        ("window", summary.window.into()),
        ("peak", summary.peak.into()),
        ("work", summary.work.into()),
        ("work_p50", summary.work_p50.into()),
        ("work_p99", summary.work_p99.into()),
        ("work_max", summary.work_max.into()),
        ("endless", summary.endless.into()),
        ("rows", report.rows.into()),
        ("skipped", report.skipped.into()),
        ("read_as", report.read_as.into()),
        ("left_out", report.left_out.into()),
        ("out_of_order", report.out_of_order.into()),
        ("columns", columns.collect()),
        ("bad", bad.collect()),
        ("units", [&report.taken[..], &report.assumed].concat().into()),
        ("notes", report.notes.clone().into()),
        ("warnings", summary.warnings().into()),
    ])
}
