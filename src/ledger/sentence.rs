//! Every event as a plain sentence.
//!
//! One function for all who tell: the event list, the screen reader's live region, the command line, the
//! tests. Workers are counted from 1 here, as people do.

use std::{cmp::Ordering, fmt::Write};

use super::{Event, IgnoredInput, Remark};
use crate::{
    ids::{KeyId, Offset},
    mechanism::Guard,
    world::{
        Attempt, CommitCause, CrashCause, EndedBy, Fact, Ignored, Input, Key, Knob, LetterCause, Log,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, RebalanceProtocol, RetryAt,
            Routing, Then,
        },
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
            Fact::Assigned { consumer, at, paused: true, .. } => format!(
                "{consumer} owns the partition from offset {at}, but its client has it paused since an earlier time, and reads nothing."
            ),
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
            Fact::EmptyPoll { consumer, until, .. } => format!(
                "{consumer} polled and got nothing: what its client had fetched ahead was thrown away at the pause, and is there again at tick {until}."
            ),
            Fact::Rebalanced { consumer, revoked: false } => format!(
                "somebody else joined or left the group: under the cooperative protocol {consumer} keeps the partition and goes on."
            ),
            Fact::Rebalanced { consumer, revoked: true } => format!(
                "somebody else joined or left the group: under the eager protocol everything is revoked, and {consumer} has to give up what it will get back."
            ),
            Fact::Paused { consumer, in_flight, high } => {
                format!("{consumer} paused: {in_flight} in flight reached the high mark, {high}.")
            }
            Fact::Resumed { consumer, in_flight, refetched: None } => {
                format!("{consumer} resumed with {in_flight} in flight.")
            }
            Fact::Resumed { consumer, in_flight, refetched: Some(tick) } => format!(
                "{consumer} resumed with {in_flight} in flight; its client refetches, and polls bring nothing before tick {tick}."
            ),
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
            Fact::Committed { consumer, from, to, map_bytes, late: true, .. } => {
                committed_late(*consumer, *from, *to, *map_bytes)
            }
            Fact::Committed { consumer, from, to, map_bytes, cause, .. } => {
                committed(*consumer, *from, *to, *map_bytes, *cause)
            }
            Fact::MapTooLong { limit, .. } => {
                format!("the acknowledgement map would exceed {limit} bytes, so the commit went without it.")
            }
            Fact::KnobsTurned(knobs) => turned(knobs),
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

impl IgnoredInput {
    /// What it was, when, and why it changed nothing: "complete offset 5 at tick 7: nothing of it runs".
    #[must_use]
    pub fn sentence(&self) -> String {
        let what = match &self.input {
            Input::Complete(offset) => format!("complete offset {offset}"),
            Input::Poison(offset) => format!("poison offset {offset}"),
            Input::Stall { consumer, ticks } => format!("stall {consumer} for {ticks} ticks"),
            Input::Crash(consumer) => format!("crash {consumer}"),
            Input::Restart(consumer) => format!("restart {consumer}"),
            Input::Revoke { from, to } => format!("revoke from {from} for {to}"),
            Input::Set(_) => "set".to_owned(),
            Input::Rebalance => "rebalance".to_owned(),
        };
        format!("{what} at tick {}: {}", self.tick, ignored(self.why))
    }
}

/// A key as every sentence and report shows it: as it is if it is plain; in quotes, what cannot be told by
/// eye escaped, if it is empty, has spaces, quotes or backslashes in it, or would not be seen as what it is.
/// No two keys look alike.
#[must_use]
pub fn key_name(key: &Key) -> String {
    quoted_unless_plain(key.bytes())
}

/// The same for a key that is a text.
pub(crate) fn quoted_unless_plain(key: &[u8]) -> String {
    let mut name = String::with_capacity(key.len() + 2);
    let mut plain = !key.is_empty();
    for chunk in key.utf8_chunks() {
        for c in chunk.valid().chars() {
            plain &= shows(c) && !matches!(c, ' ' | '"' | '\\');
            match c {
                '"' | '\\' => name.extend(['\\', c]),
                c => push_shown(&mut name, c),
            }
        }
        for byte in chunk.invalid() {
            plain = false;
            let _ = write!(name, "\\x{byte:02x}");
        }
    }
    if plain { name } else { format!("\"{name}\"") }
}

/// A text of somebody else's on one line, with nothing in it that steers a terminal or cannot be seen: such
/// characters are escaped.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars().for_each(|c| push_shown(&mut shown, c));
    shown
}

/// A number with commas, as English groups its digits: "4,096".
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn push_shown(text: &mut String, c: char) {
    match c {
        c if shows(c) => text.push(c),
        '\t' | '\n' | '\r' => text.extend(c.escape_default()),
        c => text.extend(c.escape_unicode()),
    }
}

/// Whether a character appears as itself, in its place, and moves nothing around it. By a list of our own,
/// so that a sentence does not depend on the Unicode tables of a compiler.
pub(crate) fn shows(c: char) -> bool {
    !matches!(c,
        // Controls, C1 included; spaces other than the plain one; what breaks a line.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
        | '\u{202f}' | '\u{205f}' | '\u{3000}'
        // Without a width or a shape: hyphens, joiners, fillers, variation selectors, tags.
        | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        // What turns the direction of writing.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Accents that join the letter before them, which looks like the accented letter then.
        | '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}'
        // Whatever a font makes of them.
        | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}'
    )
}

/// A record: "offset 7 (key C)".
fn record(attempt: &Attempt, log: &Log) -> String {
    match attempt.key.and_then(|id| log.key(id)) {
        Some(key) if key.bytes().is_empty() => format!("offset {} (empty key)", attempt.offset),
        Some(key) => format!("offset {} (key {})", attempt.offset, key_name(key)),
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
        Some(key) if !key.bytes().is_empty() => format!("row {}", key_name(key)),
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
    let map = map_of(map_bytes);
    if from == to {
        format!("{consumer} committed {to} again{when}{map}.")
    } else {
        format!("{consumer} committed {to}{when}{map}.")
    }
}

fn map_of(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, |bytes| format!(" with an acknowledgement map of {bytes} bytes"))
}

/// The broker takes it as it is.
fn committed_late(
    consumer: crate::ids::ConsumerId,
    from: Offset,
    to: Offset,
    map_bytes: Option<u64>,
) -> String {
    let map = map_of(map_bytes);
    let came = match to.cmp(&from) {
        Ordering::Less => format!("the committed offset went back from {from}"),
        Ordering::Equal => "the committed offset stayed".to_owned(),
        Ordering::Greater => format!("the committed offset went on from {from}"),
    };
    format!("{consumer} committed {to}{map} for an ownership that has ended: {came}.")
}

pub(super) fn input_sentence(input: &Input) -> String {
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
        Input::Rebalance => "the group rebalances.".to_owned(),
    }
}

/// An input as a sentence, with what it turns if it turns knobs: "from now on drain = 2."
#[must_use]
pub fn input_telling(input: &Input) -> String {
    match input {
        Input::Set(knobs) => turned(knobs),
        input => input_sentence(input),
    }
}

fn turned(knobs: &[Knob]) -> String {
    let turned: Vec<_> = knobs.iter().map(|&knob| knob_text(knob)).collect();
    format!("from now on {}.", turned.join(", "))
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
        Ignored::NobodyOwns => "nobody who is up owns the partition",
    }
}

pub(super) fn knob_text(knob: Knob) -> String {
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
        Knob::LateCommit(LateCommit::Checked) => "late commits = checked".to_owned(),
        Knob::LateCommit(LateCommit::Sent) => "late commits = sent".to_owned(),
        Knob::PauseAtAssignment(PauseAtAssignment::Forgotten) => "pause at assignment = forgotten".to_owned(),
        Knob::PauseAtAssignment(PauseAtAssignment::Kept) => "pause at assignment = kept".to_owned(),
        Knob::Refetch(n) => format!("refetch = {n}"),
        Knob::RebalanceProtocol(RebalanceProtocol::Cooperative) => {
            "rebalance protocol = cooperative".to_owned()
        }
        Knob::RebalanceProtocol(RebalanceProtocol::Eager) => "rebalance protocol = eager".to_owned(),
    }
}

/// "2, 3, 5" and at most a dozen.
pub(super) fn list(offsets: &[Offset]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<_> = offsets.iter().take(SHOWN).map(Offset::to_string).collect();
    match offsets.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn plain_keys_are_shown_as_they_are() {
        for plain in ["A", "N14228", "a*b:c", "-", "user@example.org/7", "Zürich", "ключ", "鍵", "สวัสดี", "🔑"]
        {
            assert_eq!(key_name(&Key::from(plain)), plain);
        }
    }

    #[test]
    fn what_cannot_be_told_by_eye_is_escaped() {
        for (key, shown) in [
            ("", r#""""#),
            ("A b", r#""A b""#),
            (" A", r#"" A""#),
            ("a\"b", r#""a\"b""#),
            ("a\\b", r#""a\\b""#),
            ("\u{1b}[31mred", r#""\u{1b}[31mred""#),
            ("a\nb\r\t\0", r#""a\nb\r\t\u{0}""#),
            ("\u{9b}31m\u{85}\u{7f}", r#""\u{9b}31m\u{85}\u{7f}""#),
            ("\u{202e}A\u{2066}\u{2069}", r#""\u{202e}A\u{2066}\u{2069}""#),
            ("A\u{200b}\u{feff}\u{200d}", r#""A\u{200b}\u{feff}\u{200d}""#),
            ("A\u{2028}\u{2029}", r#""A\u{2028}\u{2029}""#),
            ("A\u{a0}", r#""A\u{a0}""#),
            ("e\u{301}", r#""e\u{301}""#),
            ("é", "é"),
        ] {
            assert_eq!(key_name(&Key::from(key)), shown);
        }
        assert_eq!(key_name(&Key::new(*b"a\xff\xc3")), r#""a\xff\xc3""#);
        assert_eq!(escaped("a title\u{1b}[2J \u{202e}\"x\"\n\\"), "a title\\u{1b}[2J \\u{202e}\"x\"\\n\\");
    }

    #[test]
    fn no_two_keys_look_alike() {
        // Every key of up to four of these bytes: text, its escapes spelt out, half a character.
        let bytes = *b"u{1}\\\"x\n\x1b \xc3\xa9";
        let mut keys: Vec<Vec<u8>> = vec![Vec::new()];
        let mut longest = keys.clone();
        for _ in 0..4 {
            longest = longest
                .iter()
                .flat_map(|key| bytes.iter().map(|byte| [&key[..], &[*byte]].concat()))
                .collect();
            keys.extend(longest.iter().cloned());
        }
        keys.extend([&b"\xff"[..], b"\\xff", b"\x1b", b"\\u{1b}", b"\"\\u{1b}\""].map(<[u8]>::to_vec));
        let different = BTreeSet::from_iter(keys);
        let names: BTreeSet<_> = different.iter().map(|key| key_name(&Key::new(key.clone()))).collect();
        assert_eq!(names.len(), different.len());
        assert!(names.iter().all(|name| name.chars().all(shows)));
    }
}
