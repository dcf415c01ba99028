//! Every event as a plain sentence.
//!
//! One function for all who tell: the event list, the screen reader's live region, the command line, the
//! tests. Workers are counted from 1 here, as people do.

use std::fmt::Write;

use super::{Event, Remark};
use crate::{
    ids::{KeyId, Offset},
    mechanism::Guard,
    world::{
        Attempt, CommitCause, CrashCause, EndedBy, Fact, Ignored, Input, Knob, LetterCause, Log,
        config::{CommitOffset, Intake, NullKeys, RetryAt, Routing, Then},
    },
};

impl Event {
    /// The event as a sentence that begins with its tick: "Tick 14: A's worker 2 finished offset 5 (key C)."
    #[must_use]
    pub fn sentence(&self, log: &Log) -> String {
        format!("Tick {}: {}", self.tick, self.telling(log))
    }

    /// The sentence without its tick.
    #[must_use]
    pub fn telling(&self, log: &Log) -> String {
        match &self.fact {
            Fact::Input(input) => input_sentence(input),
            Fact::Ignored(why) => format!("this was ignored: {}.", ignored(*why)),
            Fact::Assigned { consumer, at, up: true, .. } => {
                format!("{consumer} owns the partition and reads from offset {at}.")
            }
            Fact::Assigned { consumer, at, up: false, .. } => format!(
                "{consumer} owns the partition from offset {at}, but is down and reads nothing until restarted."
            ),
            Fact::DrainBegan { from, to, deadline } => format!(
                "{from} is told to give the partition to {to}: it starts nothing more and drains until tick {deadline} at the latest."
            ),
            Fact::OwnerEnded { consumer, by, committed, .. } => {
                let how = match by {
                    EndedBy::Crash => "died",
                    EndedBy::Eviction => "lost the partition",
                    EndedBy::Handover => "handed the partition over",
                };
                format!("{consumer} {how} with {committed} committed{}", self.owner_end())
            }
            Fact::Crashed { consumer, cause: CrashCause::Input } => {
                format!("{consumer} crashed; what it had running is gone.")
            }
            Fact::Crashed { consumer, cause: CrashCause::OutOfMemory { in_flight, ceiling } } => format!(
                "{consumer} ran out of memory: {in_flight} records in flight, and the heap holds {ceiling}."
            ),
            Fact::Restarted { consumer } => format!("{consumer} is up again."),
            Fact::Evicted { consumer, last_poll } => {
                format!("{consumer} was evicted: {} ticks without a poll.", self.tick.since(*last_poll))
            }
            Fact::Polled { consumer, indices, taken, passed, in_flight, .. } => {
                polled(log, *consumer, *indices, *taken, *passed, *in_flight)
            }
            Fact::PolledNothing { consumer, paused: true, .. } => {
                format!("{consumer} polled, paused, and so got no records.")
            }
            Fact::PolledNothing { consumer, paused: false, .. } => {
                format!("{consumer} polled and there was nothing to read.")
            }
            Fact::Paused { consumer, in_flight, high } => {
                format!("{consumer} paused: {in_flight} in flight reached the high mark, {high}.")
            }
            Fact::Resumed { consumer, in_flight } => {
                format!("{consumer} resumed with {in_flight} in flight.")
            }
            Fact::Started(attempt) => {
                let again = match attempt.number {
                    1 => String::new(),
                    number => format!(", attempt {number}"),
                };
                let beside = match self.remark {
                    Some(Remark::Overlap { with }) => {
                        format!(" while offset {with} of the same key still runs: overlap")
                    }
                    _ => String::new(),
                };
                format!("{} started {}{again}{beside}.", worker(attempt), record(attempt, log))
            }
            Fact::Completed { attempt, late } => {
                let broken = match self.remark {
                    Some(Remark::OrderBreak { after }) => {
                        format!(", after offset {after} of the same key: order break")
                    }
                    _ => String::new(),
                };
                format!(
                    "{} finished {}{}{broken}.",
                    worker(attempt),
                    record(attempt, log),
                    after_its_epoch(*late)
                )
            }
            Fact::Failed { attempt, late, retry } => {
                let next = match retry {
                    Some(tick) => format!("; it is tried again from tick {tick}"),
                    None if *late => String::new(),
                    None => "; its key is parked, so it is not tried again".to_owned(),
                };
                format!(
                    "{} failed at {}{}{next}.",
                    worker(attempt),
                    record(attempt, log),
                    after_its_epoch(*late)
                )
            }
            Fact::RetryDue { offset, .. } => format!("offset {offset} may be tried again."),
            Fact::DeadLettered { offset, cause, .. } => match cause {
                LetterCause::Timer { first_failed } => format!(
                    "offset {offset} was quarantined: it first failed at tick {first_failed}, and its dead letter is written."
                ),
                LetterCause::Parked { behind } => {
                    format!("offset {offset} follows offset {behind} of its key to the dead letters.")
                }
            },
            Fact::Wrote { attempt, key, held, accepted, late } => {
                wrote(log, attempt, *key, *held, *accepted, *late)
            }
            Fact::WatermarkNoted { at, .. } => format!("the watermark stands at {at}."),
            Fact::Committed { consumer, from, to, map_bytes, cause, .. } => {
                committed(*consumer, *from, *to, *map_bytes, *cause)
            }
            Fact::MapTooLong { limit, .. } => {
                format!("the acknowledgement map would exceed {limit} bytes, so the commit went without it.")
            }
            Fact::KnobsTurned(knobs) => {
                let turned: Vec<_> = knobs.iter().map(|&knob| knob_text(knob)).collect();
                format!("from now on {}.", turned.join(", "))
            }
        }
    }

    fn owner_end(&self) -> String {
        let Some(Remark::OwnerEnd { redelivered, duplicates, lost }) = &self.remark else {
            return ".".to_owned();
        };
        let mut text = match (redelivered.len(), duplicates.len()) {
            (0, _) => ": nothing comes again".to_owned(),
            (again, 0) => format!(": {again} come again ({}), none of them done", list(redelivered)),
            (again, done) => {
                format!(": {again} come again ({}), {done} of them already done", list(redelivered))
            }
        };
        if !lost.is_empty() {
            let _ = write!(text, "; lost for good: {}", list(lost));
        }
        text + "."
    }
}

/// A record: "offset 7 (key C)".
fn record(attempt: &Attempt, log: &Log) -> String {
    match attempt.key.and_then(|id| log.key(id)) {
        Some(key) if key.bytes().is_empty() => format!("offset {} (empty key)", attempt.offset),
        Some(key) => format!("offset {} (key {key})", attempt.offset),
        None => format!("offset {} (no key)", attempt.offset),
    }
}

fn worker(attempt: &Attempt) -> String {
    format!("{}'s worker {}", attempt.consumer, u64::from(attempt.worker.0) + 1)
}

fn after_its_epoch(late: bool) -> &'static str {
    if late { ", too late to count: the partition has another owner" } else { "" }
}

fn polled(
    log: &Log,
    consumer: crate::ids::ConsumerId,
    indices: (u64, u64),
    taken: u64,
    passed: u64,
    in_flight: u64,
) -> String {
    let first = log.get(indices.0).map_or(Offset(0), |record| record.offset);
    let last = log.get(indices.1.saturating_sub(1)).map_or(first, |record| record.offset);
    let span = if first == last { format!("{first}") } else { format!("{first} to {last}") };
    let records = if taken == 1 { "record" } else { "records" };
    let passing = match passed {
        0 => String::new(),
        n => format!(" and passed over {n} already done"),
    };
    format!("{consumer} polled {taken} {records} ({span}){passing}; {in_flight} in flight.")
}

fn wrote(
    log: &Log,
    attempt: &Attempt,
    key: KeyId,
    held: Option<Offset>,
    accepted: bool,
    late: bool,
) -> String {
    let (consumer, version) = (attempt.consumer, attempt.offset);
    let row = match log.key(key) {
        Some(name) if !name.bytes().is_empty() => format!("row {name}"),
        _ => "the row of the empty key".to_owned(),
    };
    let leak = if late { " after the handover: a leaked write" } else { "" };
    match (accepted, held) {
        (false, Some(held)) => format!(
            "the guard rejected {consumer}'s write of version {version} to {row}{leak}; it holds {held}."
        ),
        (false, None) => {
            format!("the guard rejected {consumer}'s write of version {version} to {row}{leak}.")
        }
        (true, Some(held)) if version < held => format!(
            "{consumer} wrote version {version} to {row}{leak}, over the newer {held}: the row went back."
        ),
        (true, _) => format!("{consumer} wrote version {version} to {row}{leak}."),
    }
}

fn committed(
    consumer: crate::ids::ConsumerId,
    from: Offset,
    to: Offset,
    map_bytes: Option<u64>,
    cause: CommitCause,
) -> String {
    let when = if cause == CommitCause::Drain { " at the end of its drain" } else { "" };
    let map = match map_bytes {
        Some(bytes) => format!(" with an acknowledgement map of {bytes} bytes"),
        None => String::new(),
    };
    if from == to {
        format!("{consumer} committed {to} again{when}{map}.")
    } else {
        format!("{consumer} committed {to}{when}{map}.")
    }
}

fn input_sentence(input: &Input) -> String {
    match input {
        Input::Complete(offset) => format!("offset {offset} is completed by hand."),
        Input::Poison(offset) => format!("offset {offset} is poisoned: every attempt fails from now on."),
        Input::Stall { consumer, ticks } => {
            format!("{consumer}'s workers stall: all that runs there takes {ticks} ticks longer.")
        }
        Input::Crash(consumer) => format!("{consumer} is killed."),
        Input::Restart(consumer) => format!("{consumer} is restarted."),
        Input::Revoke { from, to } => format!("the group takes the partition from {from} for {to}."),
        Input::Set(_) => "knobs are turned.".to_owned(),
    }
}

fn ignored(why: Ignored) -> &'static str {
    match why {
        Ignored::NotRunning => "nothing of it runs",
        Ignored::NoSuchOffset => "the log holds no such offset",
        Ignored::AlreadyUp => "it is up already",
        Ignored::AlreadyDown => "it is down already",
        Ignored::NotTheOwner => "that member does not own the partition",
        Ignored::Draining => "another drain is under way",
        Ignored::Invalid => "the knobs would break a rule",
    }
}

fn knob_text(knob: Knob) -> String {
    let or_none = |value: Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
    match knob {
        Knob::Workers(n) => format!("workers = {n}"),
        Knob::Routing(Routing::Keyed) => "routing = keyed".to_owned(),
        Knob::Routing(Routing::Shared) => "routing = shared".to_owned(),
        Knob::Routing(Routing::Serial) => "routing = serial".to_owned(),
        Knob::Routing(Routing::Lanes(n)) => format!("routing = {n} lanes"),
        Knob::NullKeys(NullKeys::Mailbox) => "null keys = one mailbox".to_owned(),
        Knob::NullKeys(NullKeys::Spread) => "null keys = spread".to_owned(),
        Knob::RetryDelay(n) => format!("retry delay = {n}"),
        Knob::RetryAt(RetryAt::Head) => "retry at = head".to_owned(),
        Knob::RetryAt(RetryAt::Tail) => "retry at = tail".to_owned(),
        Knob::Poll(n) => format!("poll = {n}"),
        Knob::Intake(Intake::Pause { high, low }) => format!("intake = pause at {high}, resume at {low}"),
        Knob::Intake(Intake::Unbounded) => "intake = unbounded".to_owned(),
        Knob::Intake(Intake::Block) => "intake = block".to_owned(),
        Knob::HeapCeiling(value) => format!("heap ceiling = {}", or_none(value)),
        Knob::MaxPollInterval(value) => format!("max.poll.interval = {}", or_none(value)),
        Knob::CommitEvery(n) => format!("commit every = {n}"),
        Knob::CommitOffset(CommitOffset::Watermark) => "commit = watermark".to_owned(),
        Knob::CommitOffset(CommitOffset::Highest) => "commit = highest".to_owned(),
        Knob::AckMap(true) => "acknowledgement map = on".to_owned(),
        Knob::AckMap(false) => "acknowledgement map = off".to_owned(),
        Knob::AckMapLimit(n) => format!("acknowledgement map limit = {n}"),
        Knob::Quarantine(None) => "quarantine = never".to_owned(),
        Knob::Quarantine(Some(quarantine)) => match quarantine.then {
            Then::Continue => format!("quarantine = after {}", quarantine.after),
            Then::Park => format!("quarantine = after {}, then park", quarantine.after),
        },
        Knob::Drain(n) => format!("drain = {n}"),
        Knob::Guard(Guard::Off) => "guard = off".to_owned(),
        Knob::Guard(Guard::Newer) => "guard = newer".to_owned(),
        Knob::Guard(Guard::NotOlder) => "guard = not-older".to_owned(),
    }
}

/// "2, 3, 5" and at most a dozen.
fn list(offsets: &[Offset]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<_> = offsets.iter().take(SHOWN).map(Offset::to_string).collect();
    match offsets.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
