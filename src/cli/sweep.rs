//! `kwp sweep`: a scenario with knobs over ranges, every combination a run of its own.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{
    file::Given,
    out::{BAD, GOOD, Paper, complain, failed, paint},
    progress::{Cores, Watched},
    run::{load, picture_kind, save},
};
use crate::{
    export::picture::{Picture, paint as draw},
    ids::Tick,
    ledger::escaped,
    scenario::MOST_TICKS,
    sizing::{Condition, Dial, Metric, Sweep, Unit},
};

/// Seeds at most, so that a slip of the finger is told before memory is.
const MOST_SEEDS: u64 = 100_000;

/// Arguments of `kwp sweep`.
#[derive(Args, Debug)]
pub(super) struct SweepArgs {
    /// A scenario file, or - for standard input
    #[arg(value_name = "FILE")]
    file: Given,

    /// A knob and its values: workers=1..16, high=8..512*2, drain=0..100+10, low=25%,50%, routing=keyed,shared
    ///
    /// Given several times: every combination. Knobs: workers, poll, high, low (records, or percent of high),
    /// drain, commit_every, ack_map_limit, retry_delay, quarantine (or never), heap_ceiling, max_poll_interval
    /// (or none), lanes; routing (keyed, shared, serial), null_keys (mailbox, spread), intake (unbounded,
    /// block), ack_map (on, off), commit_offset (watermark, highest), retry_at (head, tail), guard (newer, off,
    /// not-older).
    #[arg(long = "vary", value_name = "KNOB=VALUES", required = true)]
    vary: Vec<String>,

    /// Seeds to draw the log from, for each combination: 0..9, or 1,2,7
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<String>,

    /// What to print: a table, CSV, or JSON (an array of objects); times in ticks but for the table
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Rows,

    /// Draw the sweep into an .svg or .png file
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,

    /// What to draw: names of numbers, as in the CSV
    #[arg(
        long,
        value_name = "NUMBERS",
        default_value = "throughput,p99",
        requires = "chart",
        value_delimiter = ','
    )]
    plot: Vec<String>,

    /// How long a tick is (1ms, 5s): then times and paces are told in that
    #[arg(long, value_name = "TIME")]
    tick: Option<String>,

    /// Fail, with exit code 1, if this holds of any run: 'p99 > 200', 'throughput < 0.8', 'lost != 0'
    ///
    /// Times are in ticks, or with --tick also as 'p99 > 1.5s'; throughput is in records per tick, or with --tick
    /// also as 'throughput < 800/s'. Given several times: if any holds.
    #[arg(long = "fail-if", value_name = "CONDITION")]
    fail_if: Vec<String>,

    #[command(flatten)]
    cores: Cores,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Rows {
    Text,
    Csv,
    Json,
}

/// 0: done; 1: a condition holds; 2: it cannot be run.
pub(super) fn run(args: &SweepArgs, paper: &mut Paper) -> u8 {
    failed(try_run(args, paper))
}

/// How long a tick is, where that was said.
fn unit(tick: Option<&str>) -> Result<Unit, String> {
    tick.map_or(Ok(Unit::TICKS), |text| {
        Unit::parse(text).map_err(|error| format!("--tick {text:?}: {error}"))
    })
}

/// Conditions, each with what it is called.
pub(super) fn conditions(texts: &[String], unit: Unit) -> Result<Vec<Condition>, String> {
    texts
        .iter()
        .map(|text| Condition::parse(text, unit).map_err(|error| format!("--fail-if {error}")))
        .collect()
}

fn seeds(text: &str) -> Result<Vec<u64>, String> {
    let wrong = || format!("--seeds {text:?}: expected seeds, as 0..9 or 1,2,7, {MOST_SEEDS} at most");
    let mut seeds = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once("..").unwrap_or((part, part));
        let (from, to): (u64, u64) =
            (from.trim().parse().map_err(|_| wrong())?, to.trim().parse().map_err(|_| wrong())?);
        if from > to || to - from >= MOST_SEEDS || seeds.len() as u64 + (to - from) >= MOST_SEEDS {
            return Err(wrong());
        }
        seeds.extend(from..=to);
    }
    Ok(seeds)
}

fn try_run(args: &SweepArgs, paper: &mut Paper) -> Result<u8, Box<dyn std::error::Error>> {
    let dials: Vec<Dial> = args
        .vary
        .iter()
        .map(|text| Dial::parse(text).map_err(|error| format!("--vary {error}")))
        .collect::<Result<_, _>>()?;
    for (nth, dial) in dials.iter().enumerate() {
        if dials[..nth].iter().any(|other| other.name() == dial.name()) {
            return Err(format!(
                "--vary: {} is varied twice; expected all of its values at one place",
                dial.name()
            )
            .into());
        }
    }
    let unit = unit(args.tick.as_deref())?;
    let conditions = conditions(&args.fail_if, unit)?;
    let seeds = args.seeds.as_deref().map_or(Ok(Vec::new()), seeds)?;
    let metrics: Vec<Metric> = args
        .plot
        .iter()
        .map(|name| Metric::named(name.trim()).map_err(|error| format!("--plot: {error}")))
        .collect::<Result<_, _>>()?;
    let chart = args.chart.as_deref().map(picture_kind).transpose()?;
    let scenario = load(&args.file)?;
    // Where the file leaves the end open a slow combination may take longer than the scenario would.
    let last = if scenario.is_open { Tick(MOST_TICKS) } else { scenario.last };
    let mut sweep = Sweep::new(&scenario.setup, scenario.inputs.clone(), last, dials, seeds, unit)
        .map_err(|error| format!("{}: {error}", escaped(&scenario.file)))?;
    let watched = Watched::new("runs");
    args.cores.pool()?.install(|| sweep.finish(&|progress| watched.tell(progress)));
    watched.end();

    let table = sweep.table();
    paper.text(match args.format {
        Rows::Text => table.text(unit),
        Rows::Csv => table.csv(),
        Rows::Json => table.json() + "\n",
    });
    if let (Some(kind), Some(path)) = (chart, &args.chart) {
        save("chart", path, &draw(kind, &Picture::from(sweep.plot(&metrics)))?)?;
    }
    let mut holds = 0u64;
    for condition in &conditions {
        let runs = (0..sweep.len()).filter_map(|at| Some((at, sweep.measure(at)?)));
        for (at, measure) in runs.filter(|(_, measure)| condition.holds(measure)) {
            holds += 1;
            if holds <= 10 {
                let found = condition.found(measure, unit);
                complain(BAD, "failed", format!("{condition}: {found} with {}", sweep.words(at)));
            }
        }
    }
    if holds > 10 {
        complain(BAD, "failed", format!("and {} more", holds - 10));
    }
    if holds == 0 && !conditions.is_empty() && args.format == Rows::Text {
        paper.line(format!("{} no condition holds of any of {} runs", paint(GOOD, "good"), sweep.len()));
    }
    Ok(u8::from(holds > 0))
}
