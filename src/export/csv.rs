//! Events as CSV (RFC 4180), for a spreadsheet: a row for each event, a column for each thing that one would
//! filter, count or plot by.
//!
//! | column | holds |
//! |---|---|
//! | `id` | the event's number in its run, from 0 |
//! | `tick` | when it happened |
//! | `kind` | what it is, as in the JSON: `started`, `completed`, `committed` and so on |
//! | `weight` | `plain`, `notable` or `wrong`: an order break, a crash, an eviction, a loss, a leak |
//! | `consumer` | `A` or `B`, where it is about one |
//! | `worker` | from 1, where a worker did it |
//! | `epoch` | the ownership it belongs to |
//! | `offset` | the record's; where the watermark stands, what was committed, where an owner begins to read |
//! | `key` | the record's, as in the sentences: quoted where it could not be told by eye; empty where there is none |
//! | `attempt` | the how-manieth of the record in this epoch, from 1 |
//! | `in_flight` | records in flight after a poll, or when intake paused or resumed |
//! | `sentence` | the event in words, without its tick |
//! | `causes` | the ids of the events that caused it, the nearest first, with spaces between |
//!
//! Columns are only ever added, and on the right: a spreadsheet that was made for these goes on working.

use csv::{Terminator, WriterBuilder};

use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset},
    ledger::{Event, Weight, key_name},
    world::{Attempt, CrashCause, Fact, Log},
};

use super::json;

/// The columns, in order.
pub const COLUMNS: [&str; 13] = [
    "id",
    "tick",
    "kind",
    "weight",
    "consumer",
    "worker",
    "epoch",
    "offset",
    "key",
    "attempt",
    "in_flight",
    "sentence",
    "causes",
];

/// The header alone: what [`rows`] are to follow.
#[must_use]
pub fn header() -> String {
    line(COLUMNS.map(str::to_owned))
}

/// The events, a row each.
#[must_use]
pub fn rows(events: &[Event], log: &Log) -> String {
    events.iter().map(|event| line(cells(event, log))).collect()
}

/// One row, and the end of its line.
fn line(cells: [String; COLUMNS.len()]) -> String {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    // Nothing can go wrong in memory; if it did, there would be no row.
    let _ = writer.write_record(cells);
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

fn cells(event: &Event, log: &Log) -> [String; COLUMNS.len()] {
    fn text<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let weight = match event.weight() {
        Weight::Plain => "plain",
        Weight::Notable => "notable",
        Weight::Wrong => "wrong",
    };
    let causes: Vec<_> = event.causes.iter().map(|cause| cause.0.to_string()).collect();
    let subject = Subject::of(&event.fact, log);
    [
        event.id.0.to_string(),
        event.tick.to_string(),
        json::kind(&event.fact, log).to_owned(),
        weight.to_owned(),
        text(subject.consumer),
        text(subject.worker),
        text(subject.epoch),
        text(subject.offset),
        text(subject.key.and_then(|key| log.key(key)).map(key_name).map(defused)),
        text(subject.attempt),
        text(subject.in_flight),
        event.telling(log),
        causes.join(" "),
    ]
}

/// A key as a spreadsheet must not read it: as a formula. An apostrophe in front makes it text.
fn defused(name: String) -> String {
    if name.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{name}") } else { name }
}

/// What an event is about.
#[derive(Default)]
struct Subject {
    consumer: Option<ConsumerId>,
    worker: Option<u64>,
    epoch: Option<Epoch>,
    offset: Option<Offset>,
    key: Option<KeyId>,
    attempt: Option<u32>,
    in_flight: Option<u64>,
}

impl Subject {
    fn of(fact: &Fact, log: &Log) -> Subject {
        match *fact {
            Fact::Started(attempt)
            | Fact::Completed { attempt, .. }
            | Fact::Failed { attempt, .. }
            | Fact::Wrote { attempt, .. } => Subject::attempt(&attempt),
            Fact::Assigned { consumer, epoch, at, .. } | Fact::WatermarkNoted { consumer, epoch, at } => {
                Subject::record(consumer, epoch, at)
            }
            Fact::OwnerEnded { consumer, epoch, committed, .. } => {
                Subject::record(consumer, epoch, committed)
            }
            Fact::Committed { consumer, epoch, to, .. } => Subject::record(consumer, epoch, to),
            Fact::RetryDue { consumer, epoch, offset }
            | Fact::DeadLettered { consumer, epoch, offset, .. } => {
                let key = log.find(offset).and_then(|record| record.key);
                Subject { key, ..Subject::record(consumer, epoch, offset) }
            }
            Fact::Polled { consumer, epoch, in_flight, .. } => {
                Subject { epoch: Some(epoch), in_flight: Some(in_flight), ..Subject::consumer(consumer) }
            }
            Fact::PolledNothing { consumer, in_flight, .. }
            | Fact::EmptyPoll { consumer, in_flight, .. }
            | Fact::Paused { consumer, in_flight, .. }
            | Fact::Resumed { consumer, in_flight, .. }
            | Fact::Crashed { consumer, cause: CrashCause::OutOfMemory { in_flight, .. } } => {
                Subject { in_flight: Some(in_flight), ..Subject::consumer(consumer) }
            }
            Fact::Crashed { consumer, cause: CrashCause::Input }
            | Fact::Restarted { consumer }
            | Fact::Evicted { consumer, .. }
            | Fact::DrainBegan { from: consumer, .. }
            | Fact::MapTooLong { consumer, .. }
            | Fact::Rebalanced { consumer, .. } => Subject::consumer(consumer),
            Fact::Input(_) | Fact::Ignored(_) | Fact::KnobsTurned(_) => Subject::default(),
        }
    }

    fn consumer(consumer: ConsumerId) -> Subject {
        Subject { consumer: Some(consumer), ..Subject::default() }
    }

    fn record(consumer: ConsumerId, epoch: Epoch, offset: Offset) -> Subject {
        Subject { epoch: Some(epoch), offset: Some(offset), ..Subject::consumer(consumer) }
    }

    fn attempt(attempt: &Attempt) -> Subject {
        Subject {
            worker: Some(u64::from(attempt.worker.0) + 1),
            key: attempt.key,
            attempt: Some(attempt.number),
            ..Subject::record(attempt.consumer, attempt.epoch, attempt.offset)
        }
    }
}
