//! A scenario file, read in the most direct way: TOML tables in, plain values out, no advice on
//! mistakes.

use rand::Rng;
use rand_pcg::Pcg32;
use std::path::Path;
use toml::{Table, Value};

pub struct Scenario {
    /// "the last tick executed; default: when nothing can change any more, 10000 at most"
    pub ticks: u64,
    /// Whether consumer B is a member of the group from the beginning; A always is.
    pub b_is_member: bool,
    /// Offsets ascending.
    pub log: Vec<Record>,
    /// "first committed offset"
    pub start: i64,
    pub knobs: Knobs,
    /// In the order of the file.
    pub inputs: Vec<(u64, Input)>,
}

#[derive(Clone)]
pub struct Record {
    pub offset: i64,
    /// "no key and an empty key are different things"
    pub key: Option<String>,
    pub work: Work,
    pub fails: Fails,
    /// "the record is in the log from tick `time`"
    pub time: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Ticks(u64),
    Tap,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fails {
    First(u64),
    Always,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Knobs {
    pub workers: usize,
    pub routing: Routing,
    pub spread: bool,
    pub retry_delay: u64,
    pub retry_at: Place,
    pub poll: usize,
    pub intake: Intake,
    pub heap_ceiling: Option<u64>,
    pub max_poll_interval: Option<u64>,
    pub commit_every: u64,
    pub commit_highest: bool,
    pub ack_map: bool,
    pub ack_map_limit: u64,
    pub quarantine: Option<u64>,
    pub park: bool,
    pub drain: u64,
    pub guard: Guard,
    /// An ended ownership goes on committing.
    pub late_commits: bool,
    /// The client remembers a pause beyond its assignment.
    pub pauses_kept: bool,
    /// Ticks from a resume in which polls find nothing.
    pub refetch: u64,
    /// A rebalance takes from everybody what they have, what they get back included.
    pub takes_everything: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Routing {
    Keyed,
    Shared,
    Serial,
    Lanes(u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Head,
    Tail,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Intake {
    Pause { high: u64, low: u64 },
    Unbounded,
    Block,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    Off,
    Newer,
    NotOlder,
}

/// Consumers are 0 for A and 1 for B.
#[derive(Clone)]
pub enum Input {
    Complete(i64),
    Poison(i64),
    Crash(usize),
    Restart(usize),
    Stall { consumer: usize, ticks: u64 },
    Revoke { from: usize, to: usize },
    Set(Table),
    Rebalance,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            workers: 4,
            routing: Routing::Keyed,
            spread: false,
            retry_delay: 1,
            retry_at: Place::Head,
            poll: 500,
            intake: Intake::Pause { high: 24, low: 8 },
            heap_ceiling: None,
            max_poll_interval: None,
            commit_every: 1,
            commit_highest: false,
            ack_map: false,
            ack_map_limit: 4096,
            quarantine: None,
            park: false,
            drain: 7,
            guard: Guard::Newer,
            late_commits: false,
            pauses_kept: false,
            refetch: 0,
            takes_everything: false,
        }
    }
}

impl Knobs {
    /// Takes over every knob that the table names: the `[consumer]` section, or a `set`.
    pub fn apply(&mut self, table: &Table) -> Result<(), String> {
        for (name, value) in table {
            match name.as_str() {
                "workers" => self.workers = number(value)? as usize,
                "routing" => {
                    self.routing = match value.as_str() {
                        Some("keyed") => Routing::Keyed,
                        Some("shared") => Routing::Shared,
                        Some("serial") => Routing::Serial,
                        _ => Routing::Lanes(number(field(value, "lanes")?)?),
                    }
                }
                "null_keys" => self.spread = value.as_str() == Some("spread"),
                // "`commit` and `retry` keep what is not named"
                "retry" => {
                    if let Some(delay) = value.get("delay") {
                        self.retry_delay = number(delay)?;
                    }
                    match value.get("at").and_then(Value::as_str) {
                        Some("head") => self.retry_at = Place::Head,
                        Some("tail") => self.retry_at = Place::Tail,
                        _ => {}
                    }
                }
                "poll" => self.poll = number(value)? as usize,
                "intake" => {
                    self.intake = match value.as_str() {
                        Some("unbounded") => Intake::Unbounded,
                        Some("block") => Intake::Block,
                        _ => {
                            let pause = field(value, "pause")?;
                            Intake::Pause {
                                high: number(field(pause, "high")?)?,
                                low: number(field(pause, "low")?)?,
                            }
                        }
                    }
                }
                "heap_ceiling" => self.heap_ceiling = number_or(value, "none")?,
                "max_poll_interval" => self.max_poll_interval = number_or(value, "none")?,
                "commit" => {
                    if let Some(every) = value.get("every") {
                        self.commit_every = number(every)?;
                    }
                    match value.get("offset").and_then(Value::as_str) {
                        Some("watermark") => self.commit_highest = false,
                        Some("highest") => self.commit_highest = true,
                        _ => {}
                    }
                    if let Some(on) = value.get("ack_map").and_then(Value::as_bool) {
                        self.ack_map = on;
                    }
                    if let Some(limit) = value.get("ack_map_limit") {
                        self.ack_map_limit = number(limit)?;
                    }
                }
                "quarantine" => {
                    // Only `commit` and `retry` keep what is not named: no `then`, no parking.
                    if let Some(after) = value.get("after") {
                        self.quarantine = Some(number(after)?);
                        self.park = value.get("then").and_then(Value::as_str) == Some("park");
                    } else {
                        self.quarantine = number_or(value, "never")?;
                        self.park = false;
                    }
                }
                "drain" => self.drain = number(value)?,
                "refetch" => self.refetch = number(value)?,
                "rebalance_protocol" => self.takes_everything = value.as_str() == Some("eager"),
                "pause_at_assignment" => self.pauses_kept = value.as_str() == Some("kept"),
                "late_commit" => self.late_commits = value.as_str() == Some("sent"),
                "guard" => {
                    self.guard = match value.as_str() {
                        Some("off") => Guard::Off,
                        Some("newer") => Guard::Newer,
                        Some("not-older") => Guard::NotOlder,
                        _ => return Err(format!("guard = {value}")),
                    }
                }
                other => return Err(format!("unknown knob {other}")),
            }
        }
        Ok(())
    }
}

impl Scenario {
    pub fn parse(text: &str, base_dir: &Path) -> Result<Self, String> {
        let file: Table = toml::from_str(text).map_err(|error| error.to_string())?;
        let seed = file.get("seed").map_or(Ok(0), number)?;
        // "default: when nothing can change any more, 10000 at most"
        let ticks = file.get("ticks").map_or(Ok(10_000), number)?;
        let b_is_member = file
            .get("members")
            .and_then(Value::as_array)
            .is_some_and(|members| members.iter().any(|name| name.as_str() == Some("B")));
        let log_table = table(&file, "log");
        let start = log_table.get("start").map_or(Ok(0), integer)?;
        let mut knobs = Knobs::default();
        knobs.apply(&table(&file, "consumer"))?;
        knobs.apply(&table(&file, "store"))?;
        let mut inputs = Vec::new();
        if let Some(entries) = file.get("at").and_then(Value::as_array) {
            for entry in entries {
                inputs.push((number(field(entry, "tick")?)?, input(field(entry, "do")?)?));
            }
        }
        Ok(Self { ticks, b_is_member, log: log(&log_table, start, seed, base_dir)?, start, knobs, inputs })
    }
}

fn log(table: &Table, start: i64, seed: u64, base_dir: &Path) -> Result<Vec<Record>, String> {
    if let Some(records) = table.get("records").and_then(Value::as_array) {
        let mut log = Vec::new();
        for record in records {
            log.push(match record.as_str() {
                Some(text) => short_record(text)?,
                None => long_record(record)?,
            });
        }
        log.sort_by_key(|record| record.offset);
        return Ok(log);
    }
    if let Some(generate) = table.get("generate") {
        return generated(generate, start, seed);
    }
    if let Some(name) = table.get("csv").and_then(Value::as_str) {
        let path = base_dir.join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        return csv(&text, start);
    }
    Ok(Vec::new())
}

/// "offset:key*work ; "-" no key ; "!n" fails its first n attempts ; "!" always fails ; *tap,
/// *never"
fn short_record(text: &str) -> Result<Record, String> {
    let (offset, rest) = text.split_once(':').ok_or(text)?;
    let (key, rest) = rest.rsplit_once('*').ok_or(text)?;
    let (work_text, fails) = match rest.split_once('!') {
        None => (rest, Fails::First(0)),
        Some((work_text, "")) => (work_text, Fails::Always),
        Some((work_text, n)) => (work_text, Fails::First(n.parse().map_err(|_| text)?)),
    };
    Ok(Record {
        offset: offset.parse().map_err(|_| text)?,
        key: (key != "-").then(|| key.to_owned()),
        work: work(work_text)?,
        fails,
        time: 0,
    })
}

/// "{ offset = 8, key = "a*b", work = 2, fails = 1 } (no key: leave it out; work = "tap" /
/// "never"; fails = "always")"
fn long_record(value: &Value) -> Result<Record, String> {
    let work_value = field(value, "work")?;
    Ok(Record {
        offset: integer(field(value, "offset")?)?,
        key: value.get("key").and_then(Value::as_str).map(str::to_owned),
        work: match work_value.as_str() {
            Some(text) => work(text)?,
            None => Work::Ticks(number(work_value)?),
        },
        fails: match value.get("fails") {
            None => Fails::First(0),
            Some(Value::String(_)) => Fails::Always,
            Some(n) => Fails::First(number(n)?),
        },
        time: 0,
    })
}

fn work(text: &str) -> Result<Work, String> {
    match text {
        "tap" => Ok(Work::Tap),
        "never" => Ok(Work::Never),
        _ => text.parse().map(Work::Ticks).map_err(|_| text.to_owned()),
    }
}

/// "header: time,key,work ; the record is in the log from tick `time`; empty key field: no key"
fn csv(text: &str, start: i64) -> Result<Vec<Record>, String> {
    let mut log = Vec::new();
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.trim().split(',').collect();
        let [time, key, work_text] = fields[..] else {
            return Err(line.to_owned());
        };
        log.push(Record {
            offset: start + log.len() as i64,
            key: (!key.is_empty()).then(|| key.to_owned()),
            work: work(work_text)?,
            fails: Fails::First(0),
            time: time.parse().map_err(|_| line)?,
        });
    }
    Ok(log)
}

/// "offsets consecutive from start; key of rank r (1..keys) has weight floor(1000000 / r^skew),
/// name A..Z, AA, AB ... per record: stream 1 draws below the sum of weights, the first rank
/// whose running sum exceeds it; stream 2 draws work"
fn generated(value: &Value, start: i64, seed: u64) -> Result<Vec<Record>, String> {
    let count = number(field(value, "count")?)?;
    let keys = number(field(value, "keys")?)?;
    let skew = value.get("skew").map_or(Ok(0), number)?;
    let range = field(value, "work")?.as_array().ok_or("work: no range")?;
    let lowest = number(range.first().ok_or("work: no range")?)?;
    let highest = number(range.get(1).ok_or("work: no range")?)?;

    let mut weights = Vec::new();
    for rank in 1..=keys {
        let mut divisor: u64 = 1;
        for _ in 0..skew.min(64) {
            divisor = divisor.saturating_mul(rank);
        }
        weights.push(1_000_000 / divisor);
    }
    let sum: u64 = weights.iter().sum();

    let mut key_dice = Pcg32::new(seed, 1);
    let mut work_dice = Pcg32::new(seed, 2);
    let mut log = Vec::new();
    for index in 0..count {
        let drawn = below(&mut key_dice, sum);
        let mut running = 0;
        let mut rank = 0;
        while running <= drawn {
            running += weights[rank];
            rank += 1;
        }
        log.push(Record {
            offset: start + index as i64,
            key: Some(name(rank as u64)),
            work: Work::Ticks(lowest + below(&mut work_dice, highest - lowest + 1)),
            fails: Fails::First(0),
            time: 0,
        });
    }
    Ok(log)
}

/// "numbers are drawn as `(next_u32 as u64 * n) >> 32`"
pub fn below(dice: &mut Pcg32, n: u64) -> u64 {
    (u64::from(dice.next_u32()) * n) >> 32
}

/// 1 is A, 26 is Z, 27 is AA, 28 is AB.
fn name(mut rank: u64) -> String {
    let mut letters = Vec::new();
    while rank > 0 {
        rank -= 1;
        letters.insert(0, char::from(b'A' + (rank % 26) as u8));
        rank /= 26;
    }
    letters.into_iter().collect()
}

fn input(what: &Value) -> Result<Input, String> {
    if what.as_str() == Some("rebalance") {
        return Ok(Input::Rebalance);
    }
    let table = what.as_table().ok_or("do: not a table")?;
    let (name, value) = table.iter().next().ok_or("do: empty")?;
    Ok(match name.as_str() {
        "complete" => Input::Complete(integer(value)?),
        "poison" => Input::Poison(integer(value)?),
        "crash" => Input::Crash(consumer(value)?),
        "restart" => Input::Restart(consumer(value)?),
        "stall" => Input::Stall {
            consumer: consumer(field(value, "consumer")?)?,
            ticks: number(field(value, "ticks")?)?,
        },
        "revoke" => {
            Input::Revoke { from: consumer(field(value, "from")?)?, to: consumer(field(value, "to")?)? }
        }
        "set" => {
            let knobs = value.as_table().ok_or("set: not a table")?.clone();
            Knobs::default().apply(&knobs)?;
            Input::Set(knobs)
        }
        other => return Err(format!("unknown input {other}")),
    })
}

fn consumer(value: &Value) -> Result<usize, String> {
    match value.as_str() {
        Some("A") => Ok(0),
        Some("B") => Ok(1),
        _ => Err(format!("no consumer {value}")),
    }
}

fn table(parent: &Table, name: &str) -> Table {
    parent.get(name).and_then(Value::as_table).cloned().unwrap_or_default()
}

fn field<'a>(value: &'a Value, name: &str) -> Result<&'a Value, String> {
    value.get(name).ok_or(format!("no {name} in {value}"))
}

fn integer(value: &Value) -> Result<i64, String> {
    value.as_integer().ok_or(format!("not an integer: {value}"))
}

fn number(value: &Value) -> Result<u64, String> {
    u64::try_from(integer(value)?).map_err(|_| format!("negative: {value}"))
}

fn number_or(value: &Value, word: &str) -> Result<Option<u64>, String> {
    if value.as_str() == Some(word) {
        return Ok(None);
    }
    number(value).map(Some)
}
