//! A run as a scenario file: TOML that a person can read, change and run, and that says the same as the run it
//! was written from, to the last event.

use std::fmt::{self, Write};

use crate::{
    ids::Tick,
    ledger::{escaped, shows},
    mechanism::Guard,
    player::Inputs,
    presets::Panel,
    scenario::{LONGEST_FILE, MOST_KEYS, MOST_TICKS},
    world::{
        Fails, Generated, Input, Key, Knob, Knobs, Log, Record, Setup, Work,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, Quarantine, RebalanceProtocol,
            RetryAt, Routing, Then,
        },
    },
};

/// Columns of a line of records at most.
const WIDTH: usize = 100;

/// A run, and what is to be said about it.
#[derive(Clone, Copy, Debug)]
pub struct Story<'r> {
    /// Its title.
    pub title: Option<&'r str>,
    /// Where it comes from, for the file's `source`.
    pub source: Option<&'r str>,
    /// Lines for the comment at the top.
    pub comment: &'r [&'r str],
    /// The panel whose point the settings are to tell, even where they are the defaults.
    pub panel: Option<Panel>,
    /// What the run starts from.
    pub setup: &'r Setup,
    /// Everything that is done to it. What comes after the last tick is left out.
    pub inputs: &'r Inputs,
    /// The last tick to execute.
    pub last: Tick,
}

/// Why a run cannot be written as one scenario file: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable(String);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

/// Writes the file.
///
/// # Errors
/// If a scenario file has no words for the run: its records arrive over time, a key is not UTF-8, a number is
/// larger than TOML's largest, an input turns one knob twice or breaks a rule, the run or the file is longer
/// than a scenario may be.
pub fn write(story: &Story<'_>) -> Result<String, Unwritable> {
    let mut text = String::new();
    for line in story.comment {
        put(&mut text, format_args!("# {}", escaped(line)));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    for (name, value) in [("title", story.title), ("source", story.source)] {
        if let Some(value) = value {
            put(&mut text, format_args!("{name} = {}", quoted(value)));
        }
    }
    if let Some(recipe) = story.setup.log().recipe() {
        put(&mut text, format_args!("seed = {}", number(recipe.seed(), "the seed")?));
    }
    if story.last.0 > MOST_TICKS {
        return refuse(format!("The run goes on to tick {}; a scenario's last is {MOST_TICKS}.", story.last));
    }
    put(&mut text, format_args!("ticks = {}", story.last));
    if story.setup.with_b() {
        put(&mut text, format_args!("members = [\"A\", \"B\"]"));
    }
    log(&mut text, story.setup.log())?;
    settings(&mut text, story)?;
    inputs(&mut text, story)?;
    if text.len() as u64 > LONGEST_FILE {
        return refuse(format!("The file would be longer than {} MiB.", LONGEST_FILE >> 20));
    }
    Ok(text)
}

fn refuse<T>(sentence: impl Into<String>) -> Result<T, Unwritable> {
    Err(Unwritable(sentence.into()))
}

/// A line. Writing to a string cannot fail.
fn put(text: &mut String, line: fmt::Arguments<'_>) {
    let _ = writeln!(text, "{line}");
}

fn number(value: u64, what: &str) -> Result<u64, Unwritable> {
    if value <= i64::MAX.unsigned_abs() {
        return Ok(value);
    }
    refuse(format!("In this run {what} is {value}; the largest number of a scenario file is {}.", i64::MAX))
}

/// A basic string of TOML: what cannot be told by eye is escaped.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if shows(c) => text.push(c),
            c => {
                let _ = write!(text, "\\U{:08X}", u32::from(c));
            }
        }
    }
    text.push('"');
    text
}

fn log(text: &mut String, log: &Log) -> Result<(), Unwritable> {
    text.push_str("\n[log]\n");
    match log.recipe() {
        Some(recipe) => put(text, format_args!("generate = {}", generate(recipe)?)),
        None => records(text, log)?,
    }
    if log.start().0 != 0 {
        put(text, format_args!("start = {}", log.start()));
    }
    Ok(())
}

fn generate(recipe: &Generated) -> Result<String, Unwritable> {
    let (count, keys, skew) =
        (number(recipe.count(), "the number of records")?, recipe.keys(), recipe.skew());
    if u64::from(keys) > MOST_KEYS {
        return refuse(format!("The log draws from {keys} keys; a scenario file's may have {MOST_KEYS}."));
    }
    let work = recipe.work();
    let (low, high) = (number(work.0, "the shortest work")?, number(work.1, "the longest work")?);
    Ok(format!("{{ count = {count}, keys = {keys}, skew = {skew}, work = [{low}, {high}] }}"))
}

/// As many records on a line as fit.
fn records(text: &mut String, log: &Log) -> Result<(), Unwritable> {
    if log.is_empty() {
        put(text, format_args!("records = []"));
        return Ok(());
    }
    text.push_str("records = [\n");
    let mut line = String::new();
    for record in log.iter_from(0) {
        let entry = self::record(&record, log)?;
        if !line.is_empty() && line.chars().count() + entry.chars().count() + 4 > WIDTH {
            put(text, format_args!(" {line}"));
            line.clear();
        }
        let _ = write!(line, " {entry},");
        if text.len() as u64 > LONGEST_FILE {
            break;
        }
    }
    put(text, format_args!(" {line}"));
    text.push_str("]\n");
    Ok(())
}

/// The short form, or the table where the short form would mean something else.
fn record(record: &Record, log: &Log) -> Result<String, Unwritable> {
    if record.since.0 > 0 {
        return refuse(
            "The records arrive over time, from a trace; one scenario file cannot hold them: keep the CSV file \
             that they came from.",
        );
    }
    let key = match record.key.and_then(|key| log.key(key)) {
        Some(key) => Some(utf8(key, record)?),
        None => None,
    };
    let (offset, work) = (record.offset, work(record.work)?);
    if key == Some("-") {
        let work = if matches!(record.work, Work::Ticks(_)) { work } else { quoted(&work) };
        let fails = match record.fails {
            Fails::First(0) => String::new(),
            Fails::First(count) => format!(", fails = {count}"),
            Fails::Always => ", fails = \"always\"".to_owned(),
        };
        return Ok(format!("{{ offset = {offset}, key = \"-\", work = {work}{fails} }}"));
    }
    let fails = match record.fails {
        Fails::First(0) => String::new(),
        Fails::First(count) => format!("!{count}"),
        Fails::Always => "!".to_owned(),
    };
    Ok(quoted(&format!("{offset}:{}*{work}{fails}", key.unwrap_or("-"))))
}

fn utf8<'k>(key: &'k Key, record: &Record) -> Result<&'k str, Unwritable> {
    std::str::from_utf8(key.bytes()).map_err(|_| {
        Unwritable(format!(
            "The key of offset {} is not UTF-8, which a scenario file is: it cannot be written.",
            record.offset
        ))
    })
}

fn work(work: Work) -> Result<String, Unwritable> {
    Ok(match work {
        Work::Ticks(ticks) => number(ticks, "a record's work")?.to_string(),
        Work::UntilTapped => "tap".to_owned(),
        Work::Never => "never".to_owned(),
    })
}

/// A knob's name in a scenario file, the part of it that is turned, and the value.
type Setting = (&'static str, Option<&'static str>, String);

fn settings(text: &mut String, story: &Story<'_>) -> Result<(), Unwritable> {
    let usual = every_setting(&Knobs::default())?;
    let now = every_setting(story.setup.knobs())?;
    let telling = telling(story.panel);
    let odd = |at: &usize| now[*at] != usual[*at] || telling.contains(&now[*at].0);
    let told: Vec<Setting> = (0..now.len()).filter(odd).map(|at| now[at].clone()).collect();
    let (store, consumer): (Vec<_>, Vec<_>) = told.into_iter().partition(|setting| setting.0 == "guard");
    text.push_str("\n[consumer]\n");
    for entry in entries(&consumer) {
        put(text, format_args!("{entry}"));
    }
    if !store.is_empty() {
        text.push_str("\n[store]\n");
        for entry in entries(&store) {
            put(text, format_args!("{entry}"));
        }
    }
    Ok(())
}

/// What is worth saying although it is the default.
fn telling(panel: Option<Panel>) -> &'static [&'static str] {
    match panel {
        Some(Panel::Dispatch) | None => &["workers", "routing"],
        Some(Panel::Watermark) => &["workers", "commit", "quarantine"],
        Some(Panel::Backpressure) => &["workers", "poll", "intake", "heap_ceiling", "max_poll_interval"],
        Some(Panel::Rebalance) => &["workers", "drain", "guard"],
    }
}

/// Every knob there is, in the order in which a scenario file is usually read.
fn every_setting(knobs: &Knobs) -> Result<Vec<Setting>, Unwritable> {
    let every = [
        Knob::Workers(knobs.workers),
        Knob::Routing(knobs.routing),
        Knob::NullKeys(knobs.null_keys),
        Knob::RetryDelay(knobs.retry_delay),
        Knob::RetryAt(knobs.retry_at),
        Knob::Poll(knobs.poll),
        Knob::Intake(knobs.intake),
        Knob::HeapCeiling(knobs.heap_ceiling),
        Knob::MaxPollInterval(knobs.max_poll_interval),
        Knob::CommitEvery(knobs.commit_every),
        Knob::CommitOffset(knobs.commit_offset),
        Knob::AckMap(knobs.ack_map),
        Knob::AckMapLimit(knobs.ack_map_limit),
        Knob::Quarantine(knobs.quarantine),
        Knob::Drain(knobs.drain),
        Knob::LateCommit(knobs.late_commit),
        Knob::PauseAtAssignment(knobs.pause_at_assignment),
        Knob::Refetch(knobs.refetch),
        Knob::RebalanceProtocol(knobs.rebalance_protocol),
        Knob::Guard(knobs.guard),
    ];
    every.into_iter().map(setting).collect()
}

fn setting(knob: Knob) -> Result<Setting, Unwritable> {
    let word = |word: &str| Ok(quoted(word));
    let digits = |value: u64, what: &str| Ok(number(value, what)?.to_string());
    let or_none =
        |value: Option<u64>, what: &str| value.map_or_else(|| word("none"), |value| digits(value, what));
    let (name, part, value) = match knob {
        Knob::Workers(workers) => ("workers", None, Ok(workers.to_string())),
        Knob::Routing(Routing::Keyed) => ("routing", None, word("keyed")),
        Knob::Routing(Routing::Shared) => ("routing", None, word("shared")),
        Knob::Routing(Routing::Serial) => ("routing", None, word("serial")),
        Knob::Routing(Routing::Lanes(lanes)) => ("routing", None, Ok(format!("{{ lanes = {lanes} }}"))),
        Knob::NullKeys(NullKeys::Mailbox) => ("null_keys", None, word("mailbox")),
        Knob::NullKeys(NullKeys::Spread) => ("null_keys", None, word("spread")),
        Knob::RetryDelay(delay) => ("retry", Some("delay"), digits(delay, "the retry's delay")),
        Knob::RetryAt(RetryAt::Head) => ("retry", Some("at"), word("head")),
        Knob::RetryAt(RetryAt::Tail) => ("retry", Some("at"), word("tail")),
        Knob::Poll(poll) => ("poll", None, digits(poll, "`poll`")),
        Knob::Intake(intake) => ("intake", None, self::intake(intake)),
        Knob::HeapCeiling(ceiling) => ("heap_ceiling", None, or_none(ceiling, "the heap ceiling")),
        Knob::MaxPollInterval(ticks) => ("max_poll_interval", None, or_none(ticks, "`max_poll_interval`")),
        Knob::CommitEvery(every) => ("commit", Some("every"), digits(every, "the commit interval")),
        Knob::CommitOffset(CommitOffset::Watermark) => ("commit", Some("offset"), word("watermark")),
        Knob::CommitOffset(CommitOffset::Highest) => ("commit", Some("offset"), word("highest")),
        Knob::AckMap(on) => ("commit", Some("ack_map"), Ok(on.to_string())),
        Knob::AckMapLimit(limit) => ("commit", Some("ack_map_limit"), digits(limit, "`ack_map_limit`")),
        Knob::Quarantine(None) => ("quarantine", None, word("never")),
        Knob::Quarantine(Some(quarantine)) => ("quarantine", None, self::quarantine(quarantine)),
        Knob::Drain(drain) => ("drain", None, digits(drain, "the drain window")),
        Knob::Guard(Guard::Off) => ("guard", None, word("off")),
        Knob::Guard(Guard::Newer) => ("guard", None, word("newer")),
        Knob::Guard(Guard::NotOlder) => ("guard", None, word("not-older")),
        Knob::LateCommit(LateCommit::Checked) => ("late_commit", None, word("checked")),
        Knob::LateCommit(LateCommit::Sent) => ("late_commit", None, word("sent")),
        Knob::PauseAtAssignment(PauseAtAssignment::Forgotten) => {
            ("pause_at_assignment", None, word("forgotten"))
        }
        Knob::PauseAtAssignment(PauseAtAssignment::Kept) => ("pause_at_assignment", None, word("kept")),
        Knob::Refetch(ticks) => ("refetch", None, digits(ticks, "`refetch`")),
        Knob::RebalanceProtocol(RebalanceProtocol::Cooperative) => {
            ("rebalance_protocol", None, word("cooperative"))
        }
        Knob::RebalanceProtocol(RebalanceProtocol::Eager) => ("rebalance_protocol", None, word("eager")),
    };
    Ok((name, part, value?))
}

fn intake(intake: Intake) -> Result<String, Unwritable> {
    Ok(match intake {
        Intake::Pause { high, low } => {
            let (high, low) = (number(high, "the high mark")?, number(low, "the low mark")?);
            format!("{{ pause = {{ high = {high}, low = {low} }} }}")
        }
        Intake::Unbounded => quoted("unbounded"),
        Intake::Block => quoted("block"),
    })
}

fn quarantine(Quarantine { after, then }: Quarantine) -> Result<String, Unwritable> {
    let after = number(after, "the quarantine")?;
    Ok(match then {
        Then::Continue => after.to_string(),
        Then::Park => format!("{{ after = {after}, then = \"park\" }}"),
    })
}

/// `name = value` each, in order. The parts of one knob come together in a table where they stand together, and
/// alone with dotted names where others stand between them: the order in which knobs are turned is told in an
/// event.
fn entries(settings: &[Setting]) -> Vec<String> {
    let mut groups: Vec<&[Setting]> = Vec::new();
    groups.extend(settings.chunk_by(|one, next| one.0 == next.0));
    let split = |name: &str| groups.iter().filter(|group| group[0].0 == name).count() > 1;
    let mut entries = Vec::new();
    for group in &groups {
        let name = group[0].0;
        let part = |(_, part, value): &Setting| {
            format!("{}{value}", part.map_or(String::new(), |part| format!("{part} = ")))
        };
        if group[0].1.is_none() {
            entries.push(format!("{name} = {}", group[0].2));
        } else if split(name) {
            entries.extend(group.iter().map(|setting| format!("{name}.{}", part(setting))));
        } else {
            let parts: Vec<_> = group.iter().map(part).collect();
            entries.push(format!("{name} = {{ {} }}", parts.join(", ")));
        }
    }
    entries
}

fn inputs(text: &mut String, story: &Story<'_>) -> Result<(), Unwritable> {
    let mut knobs = story.setup.knobs().clone();
    for (tick, inputs) in story.inputs.range(..=story.last) {
        for input in inputs {
            if let Input::Set(turned) = input {
                knobs = knobs.with(turned).map_err(|error| {
                    Unwritable(format!("At tick {tick} {error}: a scenario file with that is refused."))
                })?;
            }
            let what = self::input(input, *tick)?;
            put(text, format_args!("\n[[at]]\ntick = {}\ndo = {what}", number(tick.0, "a tick")?));
        }
    }
    Ok(())
}

fn input(input: &Input, tick: Tick) -> Result<String, Unwritable> {
    Ok(match input {
        Input::Complete(offset) => format!("{{ complete = {offset} }}"),
        Input::Poison(offset) => format!("{{ poison = {offset} }}"),
        Input::Stall { consumer, ticks } => {
            let ticks = number(*ticks, "the length of a stall")?;
            format!("{{ stall = {{ consumer = \"{consumer}\", ticks = {ticks} }} }}")
        }
        Input::Crash(consumer) => format!("{{ crash = \"{consumer}\" }}"),
        Input::Restart(consumer) => format!("{{ restart = \"{consumer}\" }}"),
        Input::Revoke { from, to } => format!("{{ revoke = {{ from = \"{from}\", to = \"{to}\" }} }}"),
        Input::Set(turned) => {
            let settings = turned.iter().map(|&knob| setting(knob)).collect::<Result<Vec<_>, _>>()?;
            let twice = |(at, (name, part, _)): (usize, &Setting)| {
                settings[..at].iter().any(|other| other.0 == *name && other.1 == *part)
            };
            if settings.iter().enumerate().any(twice) {
                return refuse(format!(
                    "At tick {tick} one input turns a knob twice, which a file cannot say."
                ));
            }
            match &entries(&settings)[..] {
                [] => "{ set = {} }".to_owned(),
                entries => format!("{{ set = {{ {} }} }}", entries.join(", ")),
            }
        }
        Input::Rebalance => "\"rebalance\"".to_owned(),
    })
}
