//! Settings as knobs of the engine, and knobs as settings: milliseconds become ticks and ticks milliseconds.

use super::{Name, Origin, Settings, Value, value::length};
use crate::{
    mechanism::Guard,
    traffic::Span,
    world::{
        ConfigError, Knobs,
        config::{CommitOffset, Intake, NullKeys, Quarantine, RetryAt, Routing, Then},
    },
};

/// What settings come to in the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The knobs.
    pub knobs: Knobs,
    /// What had to be decided on the way, in sentences.
    pub notes: Vec<String>,
}

/// The engine's knobs for these settings, where a tick is `tick` long. What they leave open is the engine's default.
///
/// # Errors
/// If together they break a rule of the engine: a low mark that is not below the high one.
pub fn knobs(settings: &Settings, tick: Span) -> Result<Mapping, ConfigError> {
    let mut notes = Vec::new();
    let mut knobs = Knobs::default();
    // To the nearest tick, and what is not nothing is one at least.
    let mut ticks = |name: Name| {
        let millis = settings.number(name)?;
        let nanos = u128::from(millis) * 1_000_000;
        let ticks = (nanos + u128::from(tick.nanos()) / 2) / u128::from(tick.nanos());
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX).max(u64::from(millis > 0));
        if u128::from(ticks) * u128::from(tick.nanos()) != nanos {
            let (name, told) = (name.called(), length(millis));
            notes.push(format!("{name} is {told}; in ticks of {tick} that is {ticks}"));
        }
        Some(ticks)
    };
    if let Some(interval) = ticks(Name::PollInterval) {
        knobs.max_poll_interval = Some(interval.max(2));
    }
    if let Some(delay) = ticks(Name::RetryDelay) {
        knobs.retry_delay = delay.max(1);
    }
    let own = ticks(Name::CommitEvery);
    let auto = settings.flag(Name::AutoCommit).unwrap_or(false);
    if let Some(every) = own.or_else(|| auto.then(|| ticks(Name::AutoCommitInterval)).flatten()) {
        knobs.commit_every = every.max(1);
    }
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
    knobs.drain = drain.unwrap_or_else(|| waited(&knobs, &mut notes));
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
    knobs.check()?;
    Ok(Mapping { knobs, notes })
}

/// The drain window where nothing says it.
fn waited(knobs: &Knobs, notes: &mut Vec<String>) -> u64 {
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
            let default = Knobs::default().drain;
            notes.push(format!("nothing says the drain window: the engine's default, {default} ticks"));
            default
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
