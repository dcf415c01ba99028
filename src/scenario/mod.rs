//! Scenario files: a run written down, and what should come of it.
//!
//! A scenario is a TOML file (`kwp example` prints one with every key): a log, the settings of the consumers and the store, what
//! happens at which tick, and under `[expect]` what should come out. Reading is strict. A key that nobody
//! knows is an error, because the usual reason is a slip, and a run that quietly ignores a setting is worse
//! than none.

mod bless;
mod check;
mod expect;
mod input;
mod knobs;
mod log;
mod play;
pub(crate) mod rows;
mod source;
mod trace;
mod value;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub use bless::blessed;
pub use check::{Verdict, check, faults};
pub use expect::{Difference, Expectations, Finding, NAMES, findings};
pub use log::MOST_KEYS;
pub(crate) use log::{LONGEST_WORK, NoNumber, number};
pub use play::{Exhausted, MOST_IN_FLIGHT, MOST_NOTES, play};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use source::open;
pub use source::{BadInput, LONGEST_FILE, Source};
pub(crate) use source::{cut, shown};
pub use trace::{LONGEST_TRACE, MOST_RECORDS, read_trace};

use crate::{
    ids::Tick,
    player::Inputs,
    world::{Knob, Knobs, Setup, config::Routing},
};
pub(crate) use value::nearest;
use value::{Document, Value};

/// The last tick where a file does not say.
pub const DEFAULT_TICKS: u64 = 10_000;

/// The highest last tick that can be asked for: a day in milliseconds, and some.
pub const MOST_TICKS: u64 = 100_000_000;

/// A scenario, checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The file, as the user spelt it.
    pub file: String,
    /// Its title.
    pub title: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// What the run starts from.
    pub setup: Setup,
    /// The last tick to execute.
    pub last: Tick,
    /// Whether the file leaves it to the run when to end.
    pub is_open: bool,
    /// What is done to the run.
    pub inputs: Inputs,
    /// What should come of it.
    pub expect: Expectations,
    /// What is odd about the file without being wrong.
    pub warnings: Vec<String>,
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// If it cannot be read, or is no scenario.
    pub fn load(path: &Path) -> Result<Scenario, BadInput> {
        Scenario::parse(&Source::read(path)?, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a scenario; `folder` is where its trace is looked for.
    ///
    /// # Errors
    /// If it is no scenario: the first thing that is wrong, with its line.
    pub fn parse(source: &Source, folder: &Path) -> Result<Scenario, BadInput> {
        Scenario::read(source, Some(folder))
    }

    /// Reads a scenario that has no files beside it, as one that is dropped on the page.
    ///
    /// # Errors
    /// As [`Scenario::parse`], and if its log is a trace.
    pub fn parse_alone(source: &Source) -> Result<Scenario, BadInput> {
        Scenario::read(source, None)
    }

    fn read(source: &Source, folder: Option<&Path>) -> Result<Scenario, BadInput> {
        if source.text.trim().is_empty() {
            return Err(BadInput::whole(
                &source.name,
                "the file is empty",
                "a scenario, which has at least a [log] with records = [\"0:A*3\"]",
            ));
        }
        let document = Document::parse(source)?;
        let known =
            ["title", "source", "seed", "ticks", "members", "log", "consumer", "store", "at", "expect"];
        let file = document.root().table(&known, "a scenario")?;
        let text = |key| file.get(key).map(|value| value.text().map(str::to_owned)).transpose();
        let number = |key, default, most| file.get(key).map_or(Ok(default), |value| value.number(most));
        let seed = number("seed", 0, u64::MAX)?;
        let is_open = file.get("ticks").is_none();
        let last = Tick(number("ticks", DEFAULT_TICKS, MOST_TICKS)?);
        let members = match file.get("members") {
            Some(value) => {
                let items = value.items("[\"A\"] or [\"A\", \"B\"]")?;
                items.iter().map(input::consumer).collect::<Result<Vec<_>, _>>()?
            }
            None => vec![crate::ids::ConsumerId::A],
        };
        let log = file.get("log").ok_or_else(|| {
            let expected =
                "a table [log] with records = [\"0:A*3\", \"1:B*1\"], generate = { ... } or csv = \"...\"";
            BadInput::whole(&source.name, "the scenario has no log", expected)
        })?;
        let log = Arc::new(log::read(&document, &log, seed, folder)?);
        let knobs = knobs(&document, file.get("consumer"), file.get("store"))?;
        let refused = |error| document.refused(&error, None);
        let setup = Setup::new(log.clone(), knobs.clone(), &members).map_err(refused)?;
        let at =
            file.get("at").map_or(Ok(Vec::new()), |at| at.items("tables of inputs, each under [[at]]"))?;
        let (inputs, settings) = input::read(&document, &at, &knobs)?;
        play::check_size(&document, &log, &settings)?;
        let expect = file.get("expect").as_ref().map_or(Ok(Expectations::default()), Expectations::read)?;
        let warnings = too_late(&at, last).into_iter().collect();
        let (title, origin) = (text("title")?, text("source")?);
        let file = source.name.clone();
        Ok(Scenario { file, title, source: origin, setup, last, is_open, inputs, expect, warnings })
    }

    /// The same scenario under another routing.
    #[must_use]
    pub fn routed(&self, routing: Routing) -> Scenario {
        let setup = self.setup.turned(&[Knob::Routing(routing)]);
        Scenario { setup: setup.unwrap_or_else(|_| self.setup.clone()), ..self.clone() }
    }
}

/// The knobs before the first input.
fn knobs(
    document: &Document<'_>,
    consumer: Option<Value<'_>>,
    store: Option<Value<'_>>,
) -> Result<Knobs, BadInput> {
    let mut turned = Vec::new();
    if let Some(consumer) = consumer {
        turned.extend(knobs::turned(&consumer.table(knobs::CONSUMER, "settings such as workers = 4")?)?);
    }
    if let Some(store) = store {
        turned.extend(knobs::turned(&store.table(knobs::STORE, "guard = \"newer\"")?)?);
    }
    Knobs::default().with(&turned).map_err(|error| document.refused(&error, None))
}

/// Inputs that the run will not live to see.
fn too_late(at: &[Value<'_>], last: Tick) -> Option<String> {
    let tick = |entry: &&Value<'_>| entry.field("tick").and_then(|tick| tick.number(u64::MAX).ok());
    let mut late = at.iter().filter(|entry| tick(entry).is_some_and(|tick| tick > last.0));
    let first = late.next()?;
    let line = first.line();
    Some(match late.count() {
        0 => format!("line {line}: this input comes after tick {last}, when the run ends, and never acts"),
        more => format!(
            "line {line}: this input and {more} more come after tick {last}, when the run ends, and never act"
        ),
    })
}

/// The scenario files that a path names: itself, or the `.toml` files directly in a folder, by name, but for
/// hidden ones. A link that leads nowhere is not passed over; a folder is, and a pipe, which might keep whoever
/// reads everything here waiting.
///
/// # Errors
/// If the folder cannot be read or holds none.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, BadInput> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let name = path.display().to_string();
    let unreadable = |error| BadInput::unreadable(&name, &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (name, file) = (entry.file_name(), entry.path());
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let is_scenario = file.extension().is_some_and(|extension| extension == "toml");
        let is_special = file.exists() && !file.is_file();
        if is_scenario && !is_hidden && !is_special {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(BadInput::whole(name, "no .toml file in this folder", "a scenario, or a folder of some"));
    }
    Ok(files)
}
