//! `kwp run`: a scenario played, and what came of it.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};

use super::{
    file::{Given, replace},
    json,
    out::{BAD, ODD, Paper, complain},
    report,
};
use crate::{
    export::{
        csv,
        json::event,
        picture::{Kind, Recorder, Subject, chart_alone, draw, paint},
    },
    ledger::{Keep, escaped},
    presets::Panel,
    scenario::{BadInput, Scenario, Source, faults, play},
};

/// Arguments of `kwp run`.
#[derive(Args, Debug)]
pub(super) struct RunArgs {
    /// A scenario file, or - for standard input
    #[arg(value_name = "FILE")]
    file: Given,

    /// How to print the outcome: a report, or one JSON object with the names that [expect] uses
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print every event, as sentences before the report, as JSON Lines, or as CSV
    ///
    /// JSON Lines come alone: an object for each event with id, tick, kind, sentence, the ids of the events
    /// that caused it, and the fields of its kind. With --format json the outcome is the last line. CSV comes
    /// alone too, for a spreadsheet: a header and a row for each event.
    #[arg(long, value_enum, value_name = "FORMAT")]
    events: Option<Events>,

    /// Draw records in flight over time, with the marks, into an .svg or .png file
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,

    /// Draw what happened into an .svg or .png file, as the page's panel that fits the scenario would
    ///
    /// Workers and their attempts over time, the log with its watermark, or records in flight.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,

    /// Play the scenario under every routing and compare them (always done where records arrive over time)
    ///
    /// The comparison is text, and does not go with --format json or --events jsonl.
    #[arg(long)]
    routings: bool,
}

/// What a reader wants to see: text, or JSON for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Events {
    Text,
    Jsonl,
    Csv,
}

impl Events {
    /// Whether nothing else may stand in the output.
    fn alone(self) -> bool {
        self != Events::Text
    }
}

/// The kind of picture that the file's name says.
pub(super) fn picture_kind(path: &Path) -> Result<Kind, String> {
    match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
        Some("svg") => Ok(Kind::Svg),
        Some("png") => Ok(Kind::Png),
        _ => {
            let name = escaped(&path.display().to_string());
            Err(format!("{name}: a picture's name must end in .svg or .png"))
        }
    }
}

/// Writes a file, or says which one cannot be written.
pub(super) fn save(what: &str, path: &Path, content: &[u8]) -> Result<(), String> {
    replace(path, content).map_err(|error| {
        format!("{}: the {what} cannot be written: {error}", escaped(&path.display().to_string()))
    })
}

/// 0: it ran; 1: an invariant is broken that no setting breaks; 2: it cannot be run.
pub(super) fn run(args: &RunArgs, paper: &mut Paper) -> u8 {
    match try_run(args, paper) {
        Ok(status) => status,
        Err(error) => {
            complain(BAD, "error", error);
            2
        }
    }
}

/// The scenario that was named; what is odd about it is said at once.
pub(super) fn load(given: &Given) -> Result<Scenario, BadInput> {
    let scenario = match given {
        Given::Path(path) => Scenario::load(path)?,
        Given::Stdin => {
            let source = Source::from_reader("standard input", io::stdin().lock())?;
            Scenario::parse(&source, Path::new(""))?
        }
    };
    for warning in &scenario.warnings {
        complain(ODD, "warning", format!("{}: {warning}", escaped(&scenario.file)));
    }
    Ok(scenario)
}

fn try_run(args: &RunArgs, paper: &mut Paper) -> Result<u8, Box<dyn std::error::Error>> {
    if args.events == Some(Events::Text) && args.format == Format::Json {
        return Err("events as text and an outcome as JSON do not mix: take --events jsonl".into());
    }
    if args.events == Some(Events::Csv) && args.format == Format::Json {
        return Err("events as CSV and an outcome as JSON do not mix: take --events jsonl".into());
    }
    if args.routings && (args.format == Format::Json || args.events.is_some_and(Events::alone)) {
        let leave = "leave out --format json, --events jsonl and --events csv";
        return Err(format!("the comparison of routings is text: {leave}").into());
    }
    let chart = args.chart.as_deref().map(picture_kind).transpose()?;
    let picture = args.picture.as_deref().map(picture_kind).transpose()?;
    let scenario = load(&args.file)?;

    if args.events == Some(Events::Csv) {
        paper.text(csv::header());
    }
    let keep = if args.events.is_some() || picture.is_some() { Keep::Events } else { Keep::Outcome };
    let (mut told, mut recorder) = (0, Recorder::default());
    let run = play(&scenario, keep, |run| {
        let log = run.world().log();
        let news = &run.ledger().events()[told..];
        match args.events {
            Some(Events::Csv) => paper.text(csv::rows(news, log)),
            Some(Events::Jsonl) => news.iter().for_each(|news| paper.line(event(news, log))),
            Some(Events::Text) => news.iter().for_each(|news| paper.line(news.sentence(log))),
            None => {}
        }
        told = run.ledger().events().len();
        if chart.is_some() {
            recorder.record(run);
        }
        !paper.is_torn()
    });
    let run = run.map_err(|error| format!("{}: {error}", escaped(&scenario.file)))?;
    if paper.is_torn() {
        return Ok(0);
    }

    let title = scenario.title.clone().unwrap_or_else(|| scenario.file.clone());
    if let (Some(kind), Some(path)) = (chart, &args.chart) {
        save("chart", path, &paint(kind, &chart_alone(recorder.chart(), &title))?)?;
    }
    if let (Some(kind), Some(path)) = (picture, &args.picture) {
        let panel = Panel::fitting(&scenario.setup, &scenario.inputs);
        let runs = vec![(&scenario.setup, &run)];
        save("picture", path, &draw(kind, &Subject { panel, title: Some(&title), runs, front: 0 })?)?;
    }
    let outcome = run.outcome();
    match (args.format, args.events) {
        (Format::Json, None) => paper.line(format!("{:#}", json::outcome(&outcome))),
        (Format::Json, Some(_)) => paper.line(json::outcome(&outcome)),
        (Format::Text, Some(events)) if events.alone() => {}
        (Format::Text, events) => {
            if events.is_some() {
                paper.line("");
            }
            report::print(&scenario, &run, &outcome, args.routings, paper)?;
        }
    }
    let faults = faults(run.ledger().verdicts());
    for (sentence, tick) in &faults {
        complain(BAD, "broken", format!("at tick {tick}, and no setting excuses it: {sentence}"));
    }
    Ok(u8::from(!faults.is_empty()))
}
