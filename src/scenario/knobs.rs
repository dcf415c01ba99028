//! The knobs: `[consumer]`, `[store]` and what a `set` turns, all read by the same lines.
//!
//! Only types are checked here; whether a value makes sense is for the engine to say. Knobs come in the order of
//! the file, those within `retry` and `commit` too: an event tells what a `set` turned, in order.

use super::{
    source::BadInput,
    value::{Table, Value},
};
use crate::{
    mechanism::Guard,
    world::{
        Knob,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, Quarantine, RebalanceProtocol,
            RetryAt, Routing, Then,
        },
    },
};

/// The keys of `[consumer]`.
pub(super) const CONSUMER: &[&str] = &[
    "workers",
    "routing",
    "null_keys",
    "retry",
    "poll",
    "intake",
    "heap_ceiling",
    "max_poll_interval",
    "commit",
    "quarantine",
    "drain",
    "late_commit",
    "pause_at_assignment",
    "refetch",
    "rebalance_protocol",
];

/// The keys of `[store]`.
pub(super) const STORE: &[&str] = &["guard"];

/// Everything that the table turns.
pub(super) fn turned(table: &Table<'_>) -> Result<Vec<Knob>, BadInput> {
    let mut knobs = Turned::default();
    for key in table.keys() {
        if let Some(value) = table.get(key) {
            turn(key, &value, &mut knobs)?;
        }
    }
    knobs.0.sort_by_key(|(place, _)| *place);
    Ok(knobs.0.into_iter().map(|(_, knob)| knob).collect())
}

/// Knobs, each with the place of its value in the file. Dotted names can have the parts of one knob stand on
/// both sides of another.
#[derive(Default)]
struct Turned(Vec<(usize, Knob)>);

impl Turned {
    fn push(&mut self, value: &Value<'_>, knob: Knob) {
        self.0.push((value.place(), knob));
    }
}

fn turn(key: &str, value: &Value<'_>, knobs: &mut Turned) -> Result<(), BadInput> {
    match key {
        "workers" => knobs.push(value, Knob::Workers(value.small_from(1)?)),
        "routing" => knobs.push(value, Knob::Routing(routing(value)?)),
        "null_keys" => {
            let words = [("mailbox", NullKeys::Mailbox), ("spread", NullKeys::Spread)];
            knobs.push(value, Knob::NullKeys(value.word(&words, "")?));
        }
        "retry" => retry(value, knobs)?,
        "poll" => knobs.push(value, Knob::Poll(value.number_from(1, u64::MAX)?)),
        "intake" => knobs.push(value, Knob::Intake(intake(value)?)),
        "heap_ceiling" => knobs.push(value, Knob::HeapCeiling(number_or_none(value, 0)?)),
        "max_poll_interval" => knobs.push(value, Knob::MaxPollInterval(number_or_none(value, 2)?)),
        "commit" => commit(value, knobs)?,
        "quarantine" => knobs.push(value, Knob::Quarantine(quarantine(value)?)),
        "drain" => knobs.push(value, Knob::Drain(value.number(u64::MAX)?)),
        "late_commit" => {
            let words = [("checked", LateCommit::Checked), ("sent", LateCommit::Sent)];
            knobs.push(value, Knob::LateCommit(value.word(&words, "")?));
        }
        "pause_at_assignment" => {
            let words = [("forgotten", PauseAtAssignment::Forgotten), ("kept", PauseAtAssignment::Kept)];
            knobs.push(value, Knob::PauseAtAssignment(value.word(&words, "")?));
        }
        "refetch" => knobs.push(value, Knob::Refetch(value.number(u64::MAX)?)),
        "rebalance_protocol" => {
            let words =
                [("cooperative", RebalanceProtocol::Cooperative), ("eager", RebalanceProtocol::Eager)];
            knobs.push(value, Knob::RebalanceProtocol(value.word(&words, "")?));
        }
        "guard" => {
            let words = [("newer", Guard::Newer), ("off", Guard::Off), ("not-older", Guard::NotOlder)];
            knobs.push(value, Knob::Guard(value.word(&words, "")?));
        }
        // The table was read with a list of the keys above.
        _ => {}
    }
    Ok(())
}

fn routing(value: &Value<'_>) -> Result<Routing, BadInput> {
    const ALSO: &str = "{ lanes = 8 }";
    if value.is_table() {
        let table = value.table(&["lanes"], ALSO)?;
        return Ok(Routing::Lanes(table.need("lanes", ALSO)?.small_from(1)?));
    }
    value.word(&[("keyed", Routing::Keyed), ("shared", Routing::Shared), ("serial", Routing::Serial)], ALSO)
}

fn retry(value: &Value<'_>, knobs: &mut Turned) -> Result<(), BadInput> {
    let table = value.table(&["delay", "at"], "{ delay = 1, at = \"head\" }")?;
    if let Some(delay) = table.get("delay") {
        knobs.push(&delay, Knob::RetryDelay(delay.number_from(1, u64::MAX)?));
    }
    if let Some(at) = table.get("at") {
        knobs.push(&at, Knob::RetryAt(at.word(&[("head", RetryAt::Head), ("tail", RetryAt::Tail)], "")?));
    }
    Ok(())
}

fn intake(value: &Value<'_>) -> Result<Intake, BadInput> {
    const ALSO: &str = "{ pause = { high = 24, low = 8 } }";
    if value.is_table() {
        let pause = value.table(&["pause"], ALSO)?.need("pause", ALSO)?;
        let marks = pause.table(&["high", "low"], "{ high = 24, low = 8 }")?;
        let mark = |name: &str, least: u64| {
            marks.need(name, "both marks: { high = 24, low = 8 }")?.number_from(least, u64::MAX)
        };
        return Ok(Intake::Pause { high: mark("high", 1)?, low: mark("low", 0)? });
    }
    value.word(&[("unbounded", Intake::Unbounded), ("block", Intake::Block)], ALSO)
}

fn commit(value: &Value<'_>, knobs: &mut Turned) -> Result<(), BadInput> {
    let known = ["every", "offset", "ack_map", "ack_map_limit"];
    let table = value.table(&known, "{ every = 1, offset = \"watermark\", ack_map = false }")?;
    if let Some(every) = table.get("every") {
        knobs.push(&every, Knob::CommitEvery(every.number_from(1, u64::MAX)?));
    }
    if let Some(offset) = table.get("offset") {
        let words = [("watermark", CommitOffset::Watermark), ("highest", CommitOffset::Highest)];
        knobs.push(&offset, Knob::CommitOffset(offset.word(&words, "")?));
    }
    if let Some(on) = table.get("ack_map") {
        knobs.push(&on, Knob::AckMap(on.boolean()?));
    }
    if let Some(limit) = table.get("ack_map_limit") {
        knobs.push(&limit, Knob::AckMapLimit(limit.number(u64::MAX)?));
    }
    Ok(())
}

fn quarantine(value: &Value<'_>) -> Result<Option<Quarantine>, BadInput> {
    const EXPECTED: &str = "\"never\", a number of ticks or { after = 5, then = \"park\" }";
    if value.is_table() {
        let table = value.table(&["after", "then"], EXPECTED)?;
        let after = table.need("after", EXPECTED)?.number(u64::MAX)?;
        let words = [("continue", Then::Continue), ("park", Then::Park)];
        let then = table.get("then").map_or(Ok(Then::Continue), |then| then.word(&words, ""))?;
        return Ok(Some(Quarantine { after, then }));
    }
    if value.as_text().is_some() {
        return value.word(&[("never", None)], "a number of ticks or { after = 5, then = \"park\" }");
    }
    let after = value.number(u64::MAX).map_err(|_| value.mistyped(EXPECTED))?;
    Ok(Some(Quarantine { after, then: Then::Continue }))
}

fn number_or_none(value: &Value<'_>, least: u64) -> Result<Option<u64>, BadInput> {
    if value.as_text().is_some() {
        return value.word(&[("none", None)], &format!("a number from {least} on"));
    }
    let number = value.number(u64::MAX);
    number.map(Some).map_err(|_| value.mistyped(format!("\"none\" or an integer from {least} on")))
}
