//! Settings as knobs of the engine, and knobs as settings: milliseconds become ticks and ticks milliseconds.

use std::fmt;

use super::{Name, Origin, Settings, Value, value::length};
use crate::{
    ledger::grouped,
    mechanism::Guard,
    sizing::Commits,
    traffic::Span,
    world::{
        Knobs,
        config::{CommitOffset, Intake, NullKeys, Quarantine, RetryAt, Routing, Then},
    },
};

/// What settings come to in the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The knobs.
    pub knobs: Knobs,
    /// How the client commits, where that is not on the engine's schedule.
    pub commits: Commits,
    /// What had to be decided on the way, in sentences.
    pub notes: Vec<String>,
}

/// Settings that break a rule of the engine together: a sentence that names them and where they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong(String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

/// Milliseconds between commits where nothing says them: what the clients take when they commit by themselves.
pub(super) const COMMIT_EVERY: u64 = 5_000;

/// Milliseconds of a drain where nothing says them: a slow call or two, and far from any max.poll.interval.ms.
pub(super) const DRAIN: u64 = 5_000;

/// Milliseconds before a retry where nothing says them; the libraries that have a default take as much.
pub(super) const RETRY_DELAY: u64 = 1_000;

/// The engine's knobs where nobody has set anything: lengths of time as people have them, or the engine's own
/// defaults where nobody knows how long a tick is.
#[must_use]
pub fn unsaid(tick: Option<Span>) -> Knobs {
    let mapped = tick.and_then(|tick| knobs(&Settings::default(), tick).ok());
    mapped.map_or_else(Knobs::default, |mapping| mapping.knobs)
}

/// Milliseconds in ticks: the nearest number, and at least one for what is not nothing.
fn in_ticks(millis: u64, tick: Span) -> u64 {
    let ticks = (u128::from(millis) * 1_000_000 + u128::from(tick.nanos()) / 2) / u128::from(tick.nanos());
    u64::try_from(ticks).unwrap_or(u64::MAX).max(u64::from(millis > 0))
}

/// The engine's knobs for these settings, where a tick is `tick` long. Of what they leave open, lengths of time are as
/// people have them, and the rest is the engine's default.
///
/// # Errors
/// If together they break a rule of the engine: a low mark that is not below the high one.
pub fn knobs(settings: &Settings, tick: Span) -> Result<Mapping, Wrong> {
    let mut notes = Vec::new();
    let mut knobs = Knobs::default();
    let mut ticks = |name: Name| {
        let millis = settings.number(name)?;
        let ticks = in_ticks(millis, tick);
        if u128::from(ticks) * u128::from(tick.nanos()) != u128::from(millis) * 1_000_000 {
            let (name, told) = (name.called(), length(millis));
            notes.push(format!("{name} is {told}; in ticks of {tick} that is {ticks}"));
        }
        Some(ticks)
    };
    if let Some(interval) = ticks(Name::PollInterval) {
        knobs.max_poll_interval = Some(interval.max(2));
    }
    knobs.retry_delay = ticks(Name::RetryDelay).unwrap_or(in_ticks(RETRY_DELAY, tick)).max(1);
    let own = ticks(Name::CommitEvery);
    let auto = (settings.flag(Name::AutoCommit) == Some(true))
        .then(|| ticks(Name::AutoCommitInterval).unwrap_or(in_ticks(COMMIT_EVERY, tick)));
    let after = ticks(Name::QuarantineAfter);
    let drain = ticks(Name::Drain);
    if let Some(workers) = settings.number(Name::Workers) {
        knobs.workers = u32::try_from(workers).unwrap_or(u32::MAX);
    }
    if let Some(poll) = settings.number(Name::PollRecords) {
        knobs.poll = poll;
    }
    let lanes =
        settings.number(Name::Lanes).map_or(knobs.workers, |lanes| u32::try_from(lanes).unwrap_or(u32::MAX));
    match settings.word(Name::Routing) {
        Some("shared") => knobs.routing = Routing::Shared,
        Some("serial") => knobs.routing = Routing::Serial,
        Some("lanes") => knobs.routing = Routing::Lanes(lanes),
        _ => {}
    }
    let marks = (settings.number(Name::High), settings.number(Name::Low));
    knobs.intake = match (settings.word(Name::Intake), marks) {
        (Some("unbounded"), _) => Intake::Unbounded,
        (Some("block"), _) => Intake::Block,
        (_, (None, None)) => knobs.intake,
        (_, (Some(high), low)) => {
            Intake::Pause { high, low: low.unwrap_or(high / 2).min(low.unwrap_or(u64::MAX)) }
        }
        (_, (None, Some(low))) => Intake::Pause { high: low.saturating_mul(2).max(1), low },
    };
    let blocks = knobs.intake == Intake::Block;
    let commits = commits(settings, (own, auto), blocks, &mut notes);
    knobs.commit_every = match commits {
        Commits::Engine if settings.word(Name::AckMode).is_some() && blocks => own.unwrap_or(1),
        Commits::Engine => own.or(auto).unwrap_or(in_ticks(COMMIT_EVERY, tick)),
        Commits::AtPolls { every } | Commits::Batches { every } | Commits::HandedOut { every } => every,
    }
    .max(1);
    knobs.drain = drain.unwrap_or_else(|| waited(&knobs, tick, &mut notes));
    knobs.heap_ceiling = settings.number(Name::HeapCeiling);
    if settings.word(Name::NullKeys) == Some("spread") {
        knobs.null_keys = NullKeys::Spread;
    }
    if settings.word(Name::RetryAt) == Some("tail") {
        knobs.retry_at = RetryAt::Tail;
    }
    if settings.word(Name::CommitOffset) == Some("highest") {
        knobs.commit_offset = CommitOffset::Highest;
    } else if super::verdict::commits_what_is_handed_out(settings) {
        knobs.commit_offset = CommitOffset::Highest;
        notes.push(
            "the client commits what it has handed out, finished or not: the nearest the engine has is to commit \
             the highest finished offset, which loses less"
                .to_owned(),
        );
    }
    knobs.ack_map = settings.flag(Name::AckMap).unwrap_or(false);
    if let Some(limit) = settings.number(Name::AckMapLimit) {
        knobs.ack_map_limit = limit;
    }
    let then = if settings.word(Name::QuarantineThen) == Some("park") { Then::Park } else { Then::Continue };
    knobs.quarantine = after.map(|after| Quarantine { after, then });
    knobs.guard = match settings.word(Name::Guard) {
        Some("off") => Guard::Off,
        Some("not-older") => Guard::NotOlder,
        _ => Guard::Newer,
    };
    if let Intake::Pause { high, low } = knobs.intake
        && low >= high
    {
        return Err(low_above_high(settings, (high, low)));
    }
    knobs.check().map_err(|error| Wrong(error.to_string()))?;
    Ok(Mapping { knobs, commits, notes })
}

fn low_above_high(settings: &Settings, (high, low): (u64, u64)) -> Wrong {
    let told = |name: Name, value: u64| {
        let place = settings.0.get(&name).map_or("implied".to_owned(), |(_, origin)| origin.place());
        format!("{} is {} ({place})", name.called(), grouped(value))
    };
    Wrong(format!(
        "{}, and must be below the high mark: {}. Reading that pauses there would never resume.",
        told(Name::Low, low),
        told(Name::High, high)
    ))
}

/// How a client commits: on the engine's schedule, or at its polls, or what it has handed out. `own` and `auto` are the
/// ticks between commits of one's own and of the client's.
fn commits(
    settings: &Settings,
    (own, auto): (Option<u64>, Option<u64>),
    blocks: bool,
    notes: &mut Vec<String>,
) -> Commits {
    if own.is_some() {
        return Commits::Engine;
    }
    if let Some(every) = auto {
        return match settings.flag(Name::StoreOffsets) {
            Some(true) => Commits::HandedOut { every: every.max(1) },
            Some(false) if blocks => Commits::Batches { every: every.max(1) },
            Some(false) => Commits::Engine,
            None if settings.flag(Name::CommitBeside) == Some(true) && blocks => {
                Commits::Batches { every: every.max(1) }
            }
            None => Commits::AtPolls { every },
        };
    }
    match settings.word(Name::AckMode).filter(|_| blocks) {
        Some("record" | "manual-immediate") if settings.word(Name::ListenerType) == Some("batch") => {
            notes.push(
                "a batch listener is handed a whole poll, and commits it when it returns or acknowledges"
                    .to_owned(),
            );
            Commits::AtPolls { every: 0 }
        }
        Some("record" | "manual-immediate") => Commits::Engine,
        Some(mode @ ("time" | "count" | "count-time")) => {
            notes.push(format!(
                "ack-mode {mode} commits after a batch too, but not after each, and says nothing here of how often (ack-time, \
                 ack-count): what a crash costs is at least what is told here"
            ));
            Commits::AtPolls { every: 0 }
        }
        Some(_) => Commits::AtPolls { every: 0 },
        None if blocks => {
            notes.push(
                "nothing says when offsets are committed: after each batch, before the next poll, is taken"
                    .to_owned(),
            );
            Commits::AtPolls { every: 0 }
        }
        None => {
            notes.push(format!(
                "nothing says how often offsets are committed: every {} is taken",
                length(COMMIT_EVERY)
            ));
            Commits::Engine
        }
    }
}

/// The drain window where nothing says it.
fn waited(knobs: &Knobs, tick: Span, notes: &mut Vec<String>) -> u64 {
    match (knobs.intake, knobs.max_poll_interval) {
        (Intake::Block, Some(interval)) => {
            notes.push(
                "a rebalance waits for the next poll, and so for what is running: the drain window is \
                 max.poll.interval.ms, less a tick"
                    .to_owned(),
            );
            interval - 1
        }
        _ => {
            notes.push(format!("nothing says the drain window: {} is taken", length(DRAIN)));
            in_ticks(DRAIN, tick)
        }
    }
}

/// Knobs of the engine as settings, where a tick is `tick` long: what a sweep has found, to be written. Lengths of
/// less than a millisecond become one.
#[must_use]
pub fn settings_of(knobs: &Knobs, tick: Span) -> Settings {
    let mut settings = Settings::default();
    let mut set = |name: Name, value: Value| {
        settings.set(name, value, Origin::Found);
    };
    let millis = |ticks: u64| {
        let millis = (u128::from(ticks) * u128::from(tick.nanos())).div_ceil(1_000_000);
        Value::Number(u64::try_from(millis).unwrap_or(u64::MAX).min(i64::MAX.unsigned_abs()))
    };
    set(Name::PollRecords, Value::Number(knobs.poll));
    if let Some(interval) = knobs.max_poll_interval {
        set(Name::PollInterval, millis(interval));
    }
    // Whoever keeps marks and a watermark commits by themselves.
    set(Name::AutoCommit, Value::Flag(false));
    set(Name::Workers, Value::Number(knobs.workers.into()));
    let routing = match knobs.routing {
        Routing::Keyed => "keyed",
        Routing::Shared => "shared",
        Routing::Serial => "serial",
        Routing::Lanes(lanes) => {
            set(Name::Lanes, Value::Number(lanes.into()));
            "lanes"
        }
    };
    set(Name::Routing, Value::Word(routing));
    set(Name::NullKeys, Value::Word(if knobs.null_keys == NullKeys::Spread { "spread" } else { "mailbox" }));
    let intake = match knobs.intake {
        Intake::Pause { high, low } => {
            set(Name::High, Value::Number(high));
            set(Name::Low, Value::Number(low));
            "pause"
        }
        Intake::Unbounded => "unbounded",
        Intake::Block => "block",
    };
    set(Name::Intake, Value::Word(intake));
    if let Some(ceiling) = knobs.heap_ceiling {
        set(Name::HeapCeiling, Value::Number(ceiling));
    }
    set(Name::RetryDelay, millis(knobs.retry_delay));
    set(Name::RetryAt, Value::Word(if knobs.retry_at == RetryAt::Tail { "tail" } else { "head" }));
    set(Name::CommitEvery, millis(knobs.commit_every));
    let offset = if knobs.commit_offset == CommitOffset::Highest { "highest" } else { "watermark" };
    set(Name::CommitOffset, Value::Word(offset));
    set(Name::AckMap, Value::Flag(knobs.ack_map));
    set(Name::AckMapLimit, Value::Number(knobs.ack_map_limit));
    if let Some(Quarantine { after, then }) = knobs.quarantine {
        set(Name::QuarantineAfter, millis(after));
        set(Name::QuarantineThen, Value::Word(if then == Then::Park { "park" } else { "continue" }));
    }
    set(Name::Drain, millis(knobs.drain));
    let guard = match knobs.guard {
        Guard::Off => "off",
        Guard::Newer => "newer",
        Guard::NotOlder => "not-older",
    };
    set(Name::Guard, Value::Word(guard));
    settings
}
