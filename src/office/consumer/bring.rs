//! The reader's traffic: how a form says it is to be read or drawn, and what is told of it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::form::{BadField, Form, bad};
use crate::{
    export::picture::{Kind, paint},
    ids::Offset,
    ledger::{escaped, grouped},
    sizing::{Unit as Pace, arrivals},
    traffic::{
        Arrivals, BadRow, Bursts, Columns, Digest, KEPT_ROWS, Latency, MOST_ROWS, Options, Pick, Reader,
        Report, Shape, Span, Traffic, Unit,
    },
    world::{ConfigError, Log},
};

/// Latencies and lengths of a form, in milliseconds: up to a day.
const DAY: u64 = 86_400_000;

/// A day of departures, a tick a minute; `examples/flights-day.toml` plays it.
const FLIGHTS: &str = include_str!("../../../www/traces/flights-day.csv");

/// What the example calls itself.
const FLIGHTS_TITLE: &str = "831 departures from New York, 1 January 2013";

/// Traffic, ready to be sized.
#[derive(Clone, Debug)]
pub(super) struct Brought {
    /// What to call it.
    pub(super) name: String,
    pub(super) traffic: Traffic,
    pub(super) log: Arc<Log>,
    /// The columns that the file has, for whoever wants others.
    pub(super) titles: Vec<String>,
}

impl Brought {
    pub(super) fn new(name: String, traffic: Traffic, titles: Vec<String>) -> Result<Brought, ConfigError> {
        let log = Arc::new(traffic.log(Offset(0))?);
        Ok(Brought { name, traffic, log, titles })
    }

    /// How long a tick is, as reports tell it.
    pub(super) fn unit(&self) -> Pace {
        self.traffic.tick().map_or(Pace::TICKS, |tick| Pace::of_nanos(tick.nanos()))
    }

    /// How long a tick is, where a setting in milliseconds needs to know.
    pub(super) fn tick(&self) -> Span {
        self.counted().unwrap_or(Span::MILLISECOND)
    }

    /// The same, where the traffic says it.
    pub(super) fn counted(&self) -> Option<Span> {
        self.traffic.tick()
    }

    /// How kwp reads the same file in the same way, where its own units would be others.
    fn as_kwp(&self) -> Option<String> {
        let (time, work) = self.traffic.report().units?;
        let units = if time == work {
            format!("--unit {}", time.short())
        } else {
            format!("--time-unit {} --work-unit {}", time.short(), work.short())
        };
        let tick = self.traffic.tick();
        let tick =
            tick.map_or(String::new(), |tick| format!(" --tick {}", tick.to_string().replace(' ', "")));
        Some(format!("kwp size and kwp traffic read it the same with {units}{tick}."))
    }

    /// Everything that the page shows of it.
    pub(super) fn told(&self) -> Value {
        let (summary, report) = (self.traffic.summary(), self.traffic.report());
        let pairs: Vec<Value> =
            summary.pairs().into_iter().map(|(name, value)| json!([name, value])).collect();
        let bad: Vec<Value> = report.bad.iter().map(bad_row).collect();
        let shown = report.bad.len() as u64;
        let plot = arrivals(&self.log, self.unit());
        let picture = plot.and_then(|plot| paint(Kind::Svg, &plot.into()).ok());
        let units = report.taken.iter().chain(&report.assumed);
        let notes: Vec<String> = units.chain(&report.notes).cloned().chain(self.as_kwp()).collect();
        json!({
            "kind": "traffic",
            "name": escaped(&self.name),
            "columns": columns(report),
            "titles": titles(&self.titles),
            "pairs": pairs,
            "rows": grouped(report.rows),
            "records": self.traffic.len(),
            "skipped": grouped(report.skipped),
            "bad": bad,
            "more": (report.skipped + report.read_as).saturating_sub(shown).min(report.rows),
            "kept": KEPT_ROWS,
            "notes": notes,
            "warnings": summary.warnings(),
            "flatters": summary.is_flattering(),
            "svg": picture.and_then(|bytes| String::from_utf8(bytes).ok()),
        })
    }
}

/// Titles of columns, as they are and as they are shown.
pub(super) fn titles(titles: &[String]) -> Vec<Value> {
    titles.iter().map(|title| json!([title, escaped(title)])).collect()
}

fn columns(report: &Report) -> Vec<Value> {
    report
        .columns
        .iter()
        .map(|found| json!({ "what": found.what, "name": escaped(&found.name), "guessed": found.guessed }))
        .collect()
}

fn bad_row(row: &BadRow) -> Value {
    json!([
        grouped(row.line as u64),
        row.column.as_deref().map(escaped),
        escaped(&row.reason),
        row.read_as.as_deref().map_or("skipped".to_owned(), |what| format!("read as {}", escaped(what))),
    ])
}

/// The flights day.
pub(super) fn flights() -> Result<Brought, String> {
    let name = "flights-day.csv";
    let options = Options { tick: Span::parse("1m").ok(), ..Options::default() };
    let mut reader = Reader::new(name, options);
    reader.feed(FLIGHTS.as_bytes()).map_err(|error| error.to_string())?;
    let titles = reader.titles().to_vec();
    let traffic = reader.finish().map_err(|error| error.to_string())?;
    Brought::new(FLIGHTS_TITLE.to_owned(), traffic, titles).map_err(|error| error.to_string())
}

/// How the fields of a form say that a file is to be read.
pub(super) fn options(form: &Form) -> Result<Options, BadField> {
    let pick = |field: &str| match (form.exact(field), form.exact(field).strip_prefix('=')) {
        (NO_COLUMN, _) => Pick::Absent,
        (_, Some(title)) => Pick::Named(title.to_owned()),
        _ => Pick::Guess,
    };
    let unit = |field: &str| match form.text(field) {
        "" => Ok(None),
        text => Unit::named(text).map(Some).ok_or_else(|| bad(field, "expected ticks, ns, us, ms or s")),
    };
    let read = Options::said(unit("time-unit")?, unit("work-unit")?);
    let work = read.work;
    let drawn = if form.is_on("draw-work") || form.exact("work-column") == NO_COLUMN {
        let latency = latency(form)?.of_unit(work).map_err(|error| bad("latency", error))?;
        Some((latency, seed(form)?))
    } else {
        None
    };
    Ok(Options {
        columns: Columns { time: pick("time-column"), key: pick("key-column"), work: pick("work-column") },
        tick: tick(form)?,
        latency: drawn,
        digest: form.is_on("hash-keys").then(|| Digest::new(form.exact("salt"))),
        most_rows: form.number("most-rows", (1, MOST_ROWS as u64))?.map_or(MOST_ROWS, |rows| rows as usize),
        ..read
    })
}

/// What a column's field holds where there is to be none; otherwise `=` and the column's title, or nothing for a guess.
const NO_COLUMN: &str = "-";

/// How long a tick is, where that is said; otherwise the reader knows.
fn tick(form: &Form) -> Result<Option<Span>, BadField> {
    match form.text("tick") {
        "" => Ok(None),
        text => Span::parse(text)
            .map(Some)
            .map_err(|_| bad("tick", "expected a length of time with its unit, as 1ms or 1s")),
    }
}

fn seed(form: &Form) -> Result<u64, BadField> {
    Ok(form.number("seed", (0, u64::MAX))?.unwrap_or(0))
}

/// The latency that a form describes, in its unit.
fn latency(form: &Form) -> Result<Latency, BadField> {
    let number = |field: &str, otherwise: u64| Ok(form.number(field, (1, DAY))?.unwrap_or(otherwise));
    let made = match form.text("latency") {
        "fixed" => Latency::fixed(number("fixed", 20)?),
        "uniform" => Latency::uniform(number("shortest", 10)?, number("longest", 30)?),
        _ => Latency::long_tail(number("p50", 20)?, number("p99", 400)?, number("max", 3_000)?),
    };
    made.map_err(|error| bad("latency", error))
}

/// The traffic that a form's numbers describe: a tick is a millisecond.
pub(super) fn shaped(form: &Form) -> Result<Brought, BadField> {
    let number = |field: &str, range: (u64, u64), otherwise: u64| {
        Ok::<u64, BadField>(form.number(field, range)?.unwrap_or(otherwise))
    };
    let rate = number("rate", (1, 1_000_000), 50)?;
    let seconds = number("seconds", (1, 86_400), 60)?;
    let times = number("burst-times", (1, 1_000), 1)?;
    let bursts = if times > 1 {
        let every = number("burst-every", (1, DAY / 1_000), 20)? * 1_000;
        let length = number("burst-length", (1, DAY), 2_000)?;
        if length >= every {
            let (length, every) = (grouped(length), grouped(every));
            return Err(bad(
                "burst-length",
                format!("bursts of {length} ms every {every} ms leave no time between them"),
            ));
        }
        Some(Bursts { every, length, times })
    } else {
        None
    };
    let shape = Shape {
        records: rate * seconds,
        ticks: seconds * 1_000,
        arrivals: if form.text("arrivals") == "even" { Arrivals::Even } else { Arrivals::Random },
        bursts,
        keys: u32::try_from(number("keys", (1, 1_000_000), 500)?).unwrap_or(1),
        skew: u32::try_from(number("skew", (0, 5), 1)?).unwrap_or(0),
        latency: latency(form)?,
        seed: seed(form)?,
    };
    let traffic = shape.traffic(Some(Span::MILLISECOND)).map_err(|error| bad("shape", error))?;
    Brought::new("shaped.csv".to_owned(), traffic, Vec::new()).map_err(|error| bad("shape", error))
}
