//! Events as JSON, for other programs. Names keep the order in which they are told.

use std::fmt::{self, Write};

use serde_json::{Map, Value, json};

use crate::{
    ids::{KeyId, Offset},
    ledger::{Event, Remark},
    mechanism::Guard,
    world::{
        Attempt, CommitCause, CrashCause, EndedBy, Fact, Ignored, Input, Knob, LetterCause, Log,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, RebalanceProtocol, RetryAt,
            Routing, Then,
        },
    },
};

/// An object whose names keep their order.
pub struct Object(pub(crate) Vec<(&'static str, Value)>);

impl fmt::Display for Object {
    /// On one line; `{:#}`: a line for each name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, between, close) = if f.alternate() { ("{\n  ", ",\n  ", "\n}") } else { ("{", ",", "}") };
        let space = if f.alternate() { " " } else { "" };
        f.write_str(open)?;
        for (at, (name, value)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { between };
            write!(f, "{comma}{}:{space}{value}", Value::from(*name))?;
        }
        f.write_str(close)
    }
}

/// All events, an object a line: JSON Lines, as `kwp run --events jsonl` prints them.
#[must_use]
pub fn lines(events: &[Event], log: &Log) -> String {
    let mut text = String::new();
    for told in events {
        let _ = writeln!(text, "{}", event(told, log));
    }
    text
}

/// An event: id, tick, kind, sentence, causes, and the fields of its kind. Workers count from 1, as in the
/// sentences.
#[must_use]
pub fn event(event: &Event, log: &Log) -> Object {
    let (kind, fields) = fact(&event.fact, log);
    let causes: Vec<u64> = event.causes.iter().map(|cause| cause.0).collect();
    let mut all = vec![
        ("id", event.id.0.into()),
        ("tick", event.tick.0.into()),
        ("kind", kind.into()),
        ("sentence", event.telling(log).into()),
        ("causes", causes.into()),
    ];
    all.extend(fields);
    match &event.remark {
        Some(Remark::OrderBreak { after }) => all.push(("order_break_after", after.0.into())),
        Some(Remark::Overlap { with }) => all.push(("overlap_with", with.0.into())),
        Some(Remark::OwnerEnd { redelivered, duplicates, lost }) => {
            let list = |offsets: &[Offset]| offsets.iter().map(|offset| offset.0).collect::<Value>();
            all.push(("redelivered", list(redelivered)));
            all.push(("duplicates", list(duplicates)));
            all.push(("lost", list(lost)));
        }
        None => {}
    }
    Object(all)
}

/// What kind of event it is.
pub(super) fn kind(told: &Fact, log: &Log) -> &'static str {
    fact(told, log).0
}

type Fields = Vec<(&'static str, Value)>;

fn fact(fact: &Fact, log: &Log) -> (&'static str, Fields) {
    let name = |consumer: &crate::ids::ConsumerId| Value::from(consumer.to_string());
    match fact {
        Fact::Input(input) => ("input", vec![("do", input_value(input))]),
        Fact::Ignored(why) => ("ignored", vec![("why", ignored(*why).into())]),
        Fact::Assigned { consumer, epoch, at, up, paused } => {
            let mut fields = vec![
                ("consumer", name(consumer)),
                ("epoch", epoch.0.into()),
                ("at", at.0.into()),
                ("up", (*up).into()),
            ];
            fields.extend(paused.then(|| ("paused", true.into())));
            ("assigned", fields)
        }
        Fact::DrainBegan { from, to, deadline } => {
            ("drain_began", vec![("from", name(from)), ("to", name(to)), ("deadline", deadline.0.into())])
        }
        Fact::OwnerEnded { consumer, epoch, by, committed, position, .. } => {
            let by = match by {
                EndedBy::Crash => "crash",
                EndedBy::Eviction => "eviction",
                EndedBy::Handover => "handover",
            };
            (
                "owner_ended",
                vec![
                    ("consumer", name(consumer)),
                    ("epoch", epoch.0.into()),
                    ("by", by.into()),
                    ("committed", committed.0.into()),
                    ("position", position.0.into()),
                ],
            )
        }
        Fact::Crashed { consumer, cause } => {
            let mut fields = vec![("consumer", name(consumer))];
            match cause {
                CrashCause::Input => fields.push(("cause", "input".into())),
                CrashCause::OutOfMemory { in_flight, ceiling } => fields.extend([
                    ("cause", "out_of_memory".into()),
                    ("in_flight", (*in_flight).into()),
                    ("ceiling", (*ceiling).into()),
                ]),
            }
            ("crashed", fields)
        }
        Fact::Restarted { consumer } => ("restarted", vec![("consumer", name(consumer))]),
        Fact::Evicted { consumer, last_poll } => {
            ("evicted", vec![("consumer", name(consumer)), ("last_poll", last_poll.0.into())])
        }
        Fact::Polled { consumer, epoch, indices, taken, passed, in_flight } => {
            let offset = |index: u64| log.get(index).map_or(Value::Null, |record| record.offset.0.into());
            (
                "polled",
                vec![
                    ("consumer", name(consumer)),
                    ("epoch", epoch.0.into()),
                    ("first", offset(indices.0)),
                    ("last", offset(indices.1.saturating_sub(1))),
                    ("taken", (*taken).into()),
                    ("passed", (*passed).into()),
                    ("in_flight", (*in_flight).into()),
                ],
            )
        }
        Fact::PolledNothing { consumer, paused, in_flight } => (
            "polled_nothing",
            vec![
                ("consumer", name(consumer)),
                ("paused", (*paused).into()),
                ("in_flight", (*in_flight).into()),
            ],
        ),
        Fact::EmptyPoll { consumer, until, in_flight } => (
            "empty_poll",
            vec![("consumer", name(consumer)), ("until", until.0.into()), ("in_flight", (*in_flight).into())],
        ),
        Fact::Rebalanced { consumer, revoked } => {
            ("rebalanced", vec![("consumer", name(consumer)), ("revoked", (*revoked).into())])
        }
        Fact::Paused { consumer, in_flight, high } => (
            "paused",
            vec![("consumer", name(consumer)), ("in_flight", (*in_flight).into()), ("high", (*high).into())],
        ),
        Fact::Resumed { consumer, in_flight, refetched } => {
            let mut fields = vec![("consumer", name(consumer)), ("in_flight", (*in_flight).into())];
            fields.extend(refetched.map(|tick| ("refetched", tick.0.into())));
            ("resumed", fields)
        }
        Fact::Started(attempt) => ("started", attempt_fields(attempt, log)),
        Fact::Completed { attempt, late } => {
            ("completed", with(attempt_fields(attempt, log), [("late", (*late).into())]))
        }
        Fact::Failed { attempt, late, retry } => {
            let retry = retry.map_or(Value::Null, |tick| tick.0.into());
            ("failed", with(attempt_fields(attempt, log), [("late", (*late).into()), ("retry", retry)]))
        }
        Fact::RetryDue { consumer, epoch, offset } => (
            "retry_due",
            vec![("consumer", name(consumer)), ("epoch", epoch.0.into()), ("offset", offset.0.into())],
        ),
        Fact::DeadLettered { consumer, epoch, offset, cause, .. } => {
            let cause = match cause {
                LetterCause::Timer { first_failed } => ("first_failed", first_failed.0.into()),
                LetterCause::Parked { behind } => ("parked_behind", behind.0.into()),
            };
            (
                "dead_lettered",
                vec![
                    ("consumer", name(consumer)),
                    ("epoch", epoch.0.into()),
                    ("offset", offset.0.into()),
                    cause,
                ],
            )
        }
        Fact::Wrote { attempt, key, held, accepted, late } => (
            "wrote",
            vec![
                ("consumer", name(&attempt.consumer)),
                ("epoch", attempt.epoch.0.into()),
                ("key", key_value(Some(*key), log)),
                ("version", attempt.offset.0.into()),
                ("held", held.map_or(Value::Null, |held| held.0.into())),
                ("accepted", (*accepted).into()),
                ("late", (*late).into()),
            ],
        ),
        Fact::WatermarkNoted { consumer, epoch, at } => {
            ("watermark", vec![("consumer", name(consumer)), ("epoch", epoch.0.into()), ("at", at.0.into())])
        }
        Fact::Committed { consumer, epoch, from, to, map_bytes, cause, late, .. } => {
            let cause = match cause {
                _ if *late => "late",
                CommitCause::Schedule => "schedule",
                CommitCause::Drain => "drain",
            };
            (
                "committed",
                vec![
                    ("consumer", name(consumer)),
                    ("epoch", epoch.0.into()),
                    ("from", from.0.into()),
                    ("to", to.0.into()),
                    ("map_bytes", (*map_bytes).into()),
                    ("cause", cause.into()),
                ],
            )
        }
        Fact::MapTooLong { consumer, limit } => {
            ("map_too_long", vec![("consumer", name(consumer)), ("limit", (*limit).into())])
        }
        Fact::KnobsTurned(knobs) => ("knobs_turned", vec![("set", knobs_value(knobs))]),
    }
}

fn with<const N: usize>(mut fields: Fields, more: [(&'static str, Value); N]) -> Fields {
    fields.extend(more);
    fields
}

fn attempt_fields(attempt: &Attempt, log: &Log) -> Fields {
    vec![
        ("consumer", attempt.consumer.to_string().into()),
        ("worker", (u64::from(attempt.worker.0) + 1).into()),
        ("epoch", attempt.epoch.0.into()),
        ("offset", attempt.offset.0.into()),
        ("key", key_value(attempt.key, log)),
        ("attempt", attempt.number.into()),
        ("started", attempt.started.0.into()),
    ]
}

fn key_value(key: Option<KeyId>, log: &Log) -> Value {
    key.and_then(|id| log.key(id)).map_or(Value::Null, |key| key.to_string().into())
}

/// As a scenario file spells it.
fn input_value(input: &Input) -> Value {
    match input {
        Input::Complete(offset) => json!({ "complete": offset.0 }),
        Input::Poison(offset) => json!({ "poison": offset.0 }),
        Input::Stall { consumer, ticks } => {
            json!({ "stall": { "consumer": consumer.to_string(), "ticks": ticks } })
        }
        Input::Crash(consumer) => json!({ "crash": consumer.to_string() }),
        Input::Restart(consumer) => json!({ "restart": consumer.to_string() }),
        Input::Revoke { from, to } => json!({ "revoke": { "from": from.to_string(), "to": to.to_string() } }),
        Input::Set(knobs) => json!({ "set": knobs_value(knobs) }),
        Input::Rebalance => json!("rebalance"),
    }
}

fn ignored(why: Ignored) -> &'static str {
    match why {
        Ignored::NotRunning => "not running",
        Ignored::NoSuchOffset => "no such offset",
        Ignored::AlreadyUp => "already up",
        Ignored::AlreadyDown => "already down",
        Ignored::NotTheOwner => "not the owner",
        Ignored::Draining => "another drain is under way",
        Ignored::Invalid => "invalid",
        Ignored::NobodyOwns => "nobody up owns it",
    }
}

/// As a scenario file spells them.
fn knobs_value(knobs: &[Knob]) -> Value {
    let mut set = Map::new();
    for &knob in knobs {
        let (name, part, value) = knob_value(knob);
        match part {
            None => {
                set.insert(name.to_owned(), value);
            }
            Some(part) => {
                let whole = set.entry(name).or_insert_with(|| json!({}));
                whole[part] = value;
            }
        }
    }
    set.into()
}

fn knob_value(knob: Knob) -> (&'static str, Option<&'static str>, Value) {
    let or_none = |value: Option<u64>| value.map_or("none".into(), Value::from);
    let (name, value) = match knob {
        Knob::RetryDelay(delay) => return ("retry", Some("delay"), delay.into()),
        Knob::RetryAt(RetryAt::Head) => return ("retry", Some("at"), "head".into()),
        Knob::RetryAt(RetryAt::Tail) => return ("retry", Some("at"), "tail".into()),
        Knob::CommitEvery(every) => return ("commit", Some("every"), every.into()),
        Knob::CommitOffset(CommitOffset::Watermark) => return ("commit", Some("offset"), "watermark".into()),
        Knob::CommitOffset(CommitOffset::Highest) => return ("commit", Some("offset"), "highest".into()),
        Knob::AckMap(on) => return ("commit", Some("ack_map"), on.into()),
        Knob::AckMapLimit(limit) => return ("commit", Some("ack_map_limit"), limit.into()),
        Knob::Workers(workers) => ("workers", workers.into()),
        Knob::Routing(Routing::Keyed) => ("routing", "keyed".into()),
        Knob::Routing(Routing::Shared) => ("routing", "shared".into()),
        Knob::Routing(Routing::Serial) => ("routing", "serial".into()),
        Knob::Routing(Routing::Lanes(lanes)) => ("routing", json!({ "lanes": lanes })),
        Knob::NullKeys(NullKeys::Mailbox) => ("null_keys", "mailbox".into()),
        Knob::NullKeys(NullKeys::Spread) => ("null_keys", "spread".into()),
        Knob::Poll(poll) => ("poll", poll.into()),
        Knob::Intake(Intake::Pause { high, low }) => {
            ("intake", json!({ "pause": { "high": high, "low": low } }))
        }
        Knob::Intake(Intake::Unbounded) => ("intake", "unbounded".into()),
        Knob::Intake(Intake::Block) => ("intake", "block".into()),
        Knob::HeapCeiling(ceiling) => ("heap_ceiling", or_none(ceiling)),
        Knob::MaxPollInterval(interval) => ("max_poll_interval", or_none(interval)),
        Knob::Quarantine(None) => ("quarantine", "never".into()),
        Knob::Quarantine(Some(quarantine)) => {
            let then = if quarantine.then == Then::Park { "park" } else { "continue" };
            ("quarantine", json!({ "after": quarantine.after, "then": then }))
        }
        Knob::Drain(drain) => ("drain", drain.into()),
        Knob::Guard(Guard::Off) => ("guard", "off".into()),
        Knob::Guard(Guard::Newer) => ("guard", "newer".into()),
        Knob::Guard(Guard::NotOlder) => ("guard", "not-older".into()),
        Knob::LateCommit(LateCommit::Checked) => ("late_commit", "checked".into()),
        Knob::LateCommit(LateCommit::Sent) => ("late_commit", "sent".into()),
        Knob::PauseAtAssignment(PauseAtAssignment::Forgotten) => ("pause_at_assignment", "forgotten".into()),
        Knob::PauseAtAssignment(PauseAtAssignment::Kept) => ("pause_at_assignment", "kept".into()),
        Knob::Refetch(n) => ("refetch", n.into()),
        Knob::RebalanceProtocol(RebalanceProtocol::Cooperative) => {
            ("rebalance_protocol", "cooperative".into())
        }
        Knob::RebalanceProtocol(RebalanceProtocol::Eager) => ("rebalance_protocol", "eager".into()),
    };
    (name, None, value)
}
