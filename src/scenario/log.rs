//! `[log]`: records spelled out, a recipe to generate them, or a trace in a file of its own.

use std::path::Path;

use super::{
    source::{BadInput, shown},
    trace,
    value::{Document, Value},
};
use crate::{
    ids::{Offset, Tick},
    world::{ConfigError, Fails, Generated, Key, Log, NewRecord, Work},
};

/// The most keys that a generated log can have: those of a higher rank would weigh nothing as soon as the
/// skew is 1.
pub const MOST_KEYS: u64 = 1_000_000;

const FORMS: &str =
    "exactly one of `records = [...]`, `generate = { ... }` and `csv = \"...\"`, and `start` if it is not 0";

const RECORD: &str = "\"offset:key*work\" such as \"0:A*3\", \"1:-*tap\" (no key), \"2:b*1!2\" (its first 2 attempts fail), \"3:b*never\", \"4:b*1!\" (all fail); or { offset = 8, key = \"a*b\", work = 2, fails = 1 }";

const RECIPE: &str = "{ count = 40, keys = 5, skew = 1, work = [1, 6] }";

/// Reads the log; `folder` is where a trace is looked for, if there can be one.
pub(super) fn read(
    document: &Document<'_>,
    value: &Value<'_>,
    seed: u64,
    folder: Option<&Path>,
) -> Result<Log, BadInput> {
    let table = value.table(&["records", "generate", "csv", "start"], FORMS)?;
    let start = table.get("start").map_or(Ok(0), |start| start.integer(0, Offset::MAX.0))?;
    let start = Offset(start);
    let forms: Vec<_> = table.keys().into_iter().filter(|key| *key != "start").collect();
    let (form, value) = match (forms[..].first(), forms.get(1)) {
        (Some(form), None) => (*form, table.need(form, FORMS)?),
        (None, _) => return Err(table.whole().complaint("`log` has no records", FORMS)),
        (Some(first), Some(second)) => {
            let message = format!("`log` has both `{first}` and `{second}`");
            return Err(table.need(second, FORMS)?.complaint(message, FORMS));
        }
    };
    let log = match form {
        "records" => {
            let items = value.items("an array of records")?;
            let records = items.iter().map(record).collect::<Result<Vec<_>, _>>()?;
            Log::from_records(start, records)
        }
        "generate" => recipe(&value, seed)?.and_then(|recipe| Log::generated(start, recipe)),
        _ => return trace::read(&value, start, folder),
    };
    log.map_err(|error| document.refused(&error, None))
}

/// The recipe, or what the engine has against it.
fn recipe(value: &Value<'_>, seed: u64) -> Result<Result<Generated, ConfigError>, BadInput> {
    let table = value.table(&["count", "keys", "skew", "work"], RECIPE)?;
    let count = table.need("count", RECIPE)?.number(u64::MAX)?;
    let keys = table.need("keys", RECIPE)?.number_from(1, MOST_KEYS)?;
    let skew = table.get("skew").map_or(Ok(0), |skew| skew.small_from(0))?;
    let work = table.need("work", RECIPE)?;
    let range = work.items("the shortest and the longest work: [1, 6]")?;
    let [shortest, longest] = &range[..] else {
        return Err(work.mistyped("the shortest and the longest work: [1, 6]"));
    };
    let work = (shortest.number_from(1, u64::MAX)?, longest.number_from(1, u64::MAX)?);
    Ok(Generated::new(seed, count, u32::try_from(keys).unwrap_or(u32::MAX), skew, work))
}

fn record(value: &Value<'_>) -> Result<NewRecord, BadInput> {
    if let Some(text) = value.as_text() {
        return short(text).map_err(|why| value.complaint(format!("{} {why}", shown(text)), RECORD));
    }
    let table = value.table(&["offset", "key", "work", "fails"], RECORD)?;
    let key = table.get("key").map(|key| key.text()).transpose()?;
    let fails = table.get("fails").map_or(Ok(Fails::First(0)), |value| fails(&value))?;
    Ok(NewRecord {
        offset: Offset(table.need("offset", RECORD)?.integer(0, Offset::MAX.0)?),
        key: key.map(Key::from),
        work: work(&table.need("work", RECORD)?)?,
        fails,
        since: Tick(0),
    })
}

fn fails(value: &Value<'_>) -> Result<Fails, BadInput> {
    let also = format!("the number of its first attempts that fail, from 0 to {}", u32::MAX);
    match value.as_text() {
        Some(_) => value.word(&[("always", Fails::Always)], &also),
        None => {
            let number = value.small_from(0).map(Fails::First);
            number.map_err(|_| value.mistyped(format!("\"always\" or {also}")))
        }
    }
}

fn work(value: &Value<'_>) -> Result<Work, BadInput> {
    let also = format!("a number of ticks from 1 to {LONGEST_WORK}");
    match value.as_text() {
        Some(_) => value.word(&[("tap", Work::UntilTapped), ("never", Work::Never)], &also),
        None => {
            let number = value.number(LONGEST_WORK).map(Work::Ticks);
            number.map_err(|_| value.mistyped(format!("\"tap\", \"never\" or {also}")))
        }
    }
}

/// `offset:key*work`, then nothing, `!` or `!n`. The offset ends at the first colon and the work begins
/// after the last asterisk, so that a key may hold either.
fn short(text: &str) -> Result<NewRecord, String> {
    let (offset, rest) = text.split_once(':').ok_or("has no colon after its offset")?;
    let offset = match number(offset, Offset::MAX.0.unsigned_abs()) {
        Ok(offset) => Offset(i64::try_from(offset).unwrap_or(i64::MAX)),
        Err(NoNumber::TooLarge) => {
            return Err(format!("has too large an offset: the largest is {}", Offset::MAX));
        }
        Err(NoNumber::Other) => return Err(format!("has no offset: {} is not one", shown(offset))),
    };
    let (key, rest) = rest.rsplit_once('*').ok_or("has no asterisk before its work")?;
    let (work, fails) = match rest.split_once('!') {
        None => (rest, Fails::First(0)),
        Some((work, "")) => (work, Fails::Always),
        Some((work, failures)) => match number(failures, u32::MAX.into()) {
            Ok(count) => (work, Fails::First(u32::try_from(count).unwrap_or(u32::MAX))),
            Err(NoNumber::TooLarge) => {
                let most = u32::MAX;
                return Err(format!("fails too often: {most} times at most, or ! alone for always"));
            }
            Err(NoNumber::Other) => {
                return Err(format!("fails {} times, which is no number", shown(failures)));
            }
        },
    };
    let work = parse_work(work).map_err(|why| match why {
        NoNumber::TooLarge => {
            format!("has too much work: the number is too large, the largest is {LONGEST_WORK}")
        }
        NoNumber::Other => {
            format!("has no work: {} is neither a number of ticks nor tap or never", shown(work))
        }
    })?;
    Ok(NewRecord { offset, key: (key != "-").then(|| Key::from(key)), work, fails, since: Tick(0) })
}

/// The most ticks that a file can give a record: TOML has no larger number.
pub(crate) const LONGEST_WORK: u64 = i64::MAX.unsigned_abs();

/// Why a text is not the number that it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoNumber {
    /// It is one, and larger than the largest that can be.
    TooLarge,
    /// Anything else.
    Other,
}

/// Work as a record's short form and a trace spell it.
pub(super) fn parse_work(text: &str) -> Result<Work, NoNumber> {
    match text {
        "tap" => Ok(Work::UntilTapped),
        "never" => Ok(Work::Never),
        ticks => number(ticks, LONGEST_WORK).map(Work::Ticks),
    }
}

/// Digits and nothing else, `most` at most.
pub(crate) fn number(text: &str, most: u64) -> Result<u64, NoNumber> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NoNumber::Other);
    }
    text.parse().ok().filter(|number| *number <= most).ok_or(NoNumber::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_hold_the_separators() {
        let record = short("7:a:b*c*2!3").unwrap();
        assert_eq!(record.key, Some(Key::from("a:b*c")));
        assert_eq!((record.work, record.fails), (Work::Ticks(2), Fails::First(3)));
    }

    #[test]
    fn no_key_and_an_empty_key_are_different_things() {
        assert_eq!(short("0:-*1").unwrap().key, None);
        assert_eq!(short("0:*1").unwrap().key, Some(Key::from("")));
    }

    #[test]
    fn what_is_wrong_with_a_record_is_named() {
        for (text, why) in [
            ("", "no colon"),
            ("x:A*1", "no offset"),
            ("+1:A*1", "no offset"),
            ("9223372036854775807:A*1", "too large an offset: the largest is 9223372036854775806"),
            ("99999999999999999999:A*1", "too large an offset"),
            ("0:A", "no asterisk"),
            ("0:A*", "no work"),
            ("0:A*-1", "no work"),
            ("0:A*Never", "no work"),
            ("0:A*1!x", "no number"),
            ("0:A*1!4294967296", "fails too often: 4294967295 times at most"),
            ("0:A*9223372036854775808", "number is too large, the largest is 9223372036854775807"),
            ("0:A*18446744073709551616", "number is too large, the largest is 9223372036854775807"),
        ] {
            assert!(short(text).unwrap_err().contains(why), "{text}");
        }
    }
}
