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

/// Reads the log; `folder` is where a trace is looked for.
pub(super) fn read(
    document: &Document<'_>,
    value: &Value<'_>,
    seed: u64,
    folder: &Path,
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
    let keys = table.need("keys", RECIPE)?.number(MOST_KEYS)?;
    let skew = table.get("skew").map_or(Ok(0), |skew| skew.small())?;
    let work = table.need("work", RECIPE)?;
    let range = work.items("the shortest and the longest work: [1, 6]")?;
    let [shortest, longest] = &range[..] else {
        return Err(work.mistyped("the shortest and the longest work: [1, 6]"));
    };
    let work = (shortest.number(u64::MAX)?, longest.number(u64::MAX)?);
    Ok(Generated::new(seed, count, u32::try_from(keys).unwrap_or(u32::MAX), skew, work))
}

fn record(value: &Value<'_>) -> Result<NewRecord, BadInput> {
    if let Some(text) = value.as_text() {
        return short(text).map_err(|why| value.complaint(format!("{} {why}", shown(text)), RECORD));
    }
    let table = value.table(&["offset", "key", "work", "fails"], RECORD)?;
    let key = table.get("key").map(|key| key.text()).transpose()?;
    let fails = table.get("fails").map_or(Ok(Fails::First(0)), |fails| match fails.as_text() {
        Some(_) => fails.word(&[("always", Fails::Always)], "the number of its first attempts that fail"),
        None => fails.small().map(Fails::First),
    })?;
    Ok(NewRecord {
        offset: Offset(table.need("offset", RECORD)?.integer(0, Offset::MAX.0)?),
        key: key.map(Key::from),
        work: work(&table.need("work", RECORD)?)?,
        fails,
        since: Tick(0),
    })
}

fn work(value: &Value<'_>) -> Result<Work, BadInput> {
    const ALSO: &str = "a number of ticks, at least 1";
    match value.as_text() {
        Some(_) => value.word(&[("tap", Work::UntilTapped), ("never", Work::Never)], ALSO),
        None => value.number(u64::MAX).map(Work::Ticks),
    }
}

/// `offset:key*work`, then nothing, `!` or `!n`. The offset ends at the first colon and the work begins
/// after the last asterisk, so that a key may hold either.
fn short(text: &str) -> Result<NewRecord, String> {
    let (offset, rest) = text.split_once(':').ok_or("has no colon after its offset")?;
    let offset = match digits(offset) {
        Some(offset) if offset <= Offset::MAX.0.unsigned_abs() => Offset(offset as i64),
        _ => return Err(format!("has no offset: {} is not one", shown(offset))),
    };
    let (key, rest) = rest.rsplit_once('*').ok_or("has no asterisk before its work")?;
    let (work, fails) = match rest.split_once('!') {
        None => (rest, Fails::First(0)),
        Some((work, "")) => (work, Fails::Always),
        Some((work, failures)) => {
            let count = digits(failures).and_then(|count| u32::try_from(count).ok());
            let why = || format!("fails {} times, which is no number", shown(failures));
            (work, Fails::First(count.ok_or_else(why)?))
        }
    };
    let why = || format!("has no work: {} is neither a number of ticks nor tap or never", shown(work));
    Ok(NewRecord {
        offset,
        key: (key != "-").then(|| Key::from(key)),
        work: parse_work(work).ok_or_else(why)?,
        fails,
        since: Tick(0),
    })
}

/// Work as a record's short form and a trace spell it.
pub(super) fn parse_work(text: &str) -> Option<Work> {
    match text {
        "tap" => Some(Work::UntilTapped),
        "never" => Some(Work::Never),
        ticks => digits(ticks).map(Work::Ticks),
    }
}

/// Digits and nothing else, at most `i64::MAX`.
pub(super) fn digits(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = if all_digits { text.parse().ok()? } else { return None };
    (number <= i64::MAX.unsigned_abs()).then_some(number)
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
            ("9223372036854775807:A*1", "no offset"),
            ("99999999999999999999:A*1", "no offset"),
            ("0:A", "no asterisk"),
            ("0:A*", "no work"),
            ("0:A*-1", "no work"),
            ("0:A*Never", "no work"),
            ("0:A*1!x", "no number"),
            ("0:A*1!4294967296", "no number"),
        ] {
            assert!(short(text).unwrap_err().contains(why), "{text}");
        }
    }
}
