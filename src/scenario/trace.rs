//! A trace: a CSV file with the header `time,key,work`, one record a line, each in the log from its tick on.
//!
//! Offsets are consecutive from the log's start, in the order of the lines; an empty key field is no key.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
};

use super::{
    log::{digits, parse_work},
    source::{BadInput, open, shown},
    value::Value,
};
use crate::{
    ids::{Offset, Tick},
    world::{Fails, Key, Log, NewRecord, Work},
};

/// The most records that a trace can have.
pub const MOST_RECORDS: usize = 10_000_000;

/// The longest trace: 512 MiB.
pub const LONGEST_TRACE: u64 = 512 << 20;

/// The longest first line: where there is no header, there is no trace.
const LONGEST_HEADER: usize = 1 << 16;

const EXPECTED_HEADER: &str = "the header time,key,work";

const HEADER: [&str; 3] = ["time", "key", "work"];

/// Reads the trace that `value` names, relative to `folder`.
pub(super) fn read(value: &Value<'_>, start: Offset, folder: &Path) -> Result<Log, BadInput> {
    let path = folder.join(value.text()?);
    let name = path.display().to_string();
    let file = open(&path).map_err(|error| {
        let reason = BadInput::unreadable(name.clone(), &error);
        let message = format!("no trace at {}: {}", shown(&name), reason.message());
        value.complaint(message, "a readable CSV file, its path relative to this scenario's folder")
    })?;
    let mut file = BufReader::with_capacity(LONGEST_HEADER, file.take(LONGEST_TRACE + 1));
    let beginning = file.fill_buf().map_err(|error| BadInput::unreadable(&name, &error))?;
    if beginning.len() == LONGEST_HEADER && !beginning.contains(&b'\n') {
        return Err(BadInput::at_line(&name, 1, "this line never ends", EXPECTED_HEADER));
    }
    let records = parse(&name, start, &mut file);
    if file.get_ref().limit() == 0 {
        let message = format!("the trace is longer than {} MiB", LONGEST_TRACE >> 20);
        return Err(BadInput::whole(name, message, "a shorter one"));
    }
    let records = records?;
    Log::from_records(start, records)
        .map_err(|error| BadInput::whole(name, error.to_string(), "records that make a log"))
}

fn parse(name: &str, start: Offset, reader: impl Read) -> Result<Vec<NewRecord>, BadInput> {
    let mut lines =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(reader).into_records();
    let broken = |error: csv::Error| {
        let line = error.position().map_or(1, |position| position.line() as usize);
        let message = match error.kind() {
            csv::ErrorKind::Utf8 { .. } => "not UTF-8".to_owned(),
            _ => format!("not to be read: {error}"),
        };
        BadInput::at_line(name, line, message, "a CSV file encoded as UTF-8")
    };
    let header = lines.next().transpose().map_err(broken)?.unwrap_or_default();
    let titles: Vec<&str> = header.iter().map(|title| title.trim_start_matches('\u{feff}').trim()).collect();
    if titles != HEADER {
        let message = if header.is_empty() {
            "the file is empty".to_owned()
        } else {
            format!("the header is {}", shown(&titles.join(",")))
        };
        return Err(BadInput::at_line(name, 1, message, EXPECTED_HEADER));
    }
    let mut records: Vec<NewRecord> = Vec::new();
    for line in lines {
        let fields = line.map_err(broken)?;
        let number = fields.position().map_or(0, |position| position.line() as usize);
        let complaint =
            |message: String, expected: &str| BadInput::at_line(name, number, message, expected.to_owned());
        if fields.len() == 1 && fields.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let fields: Vec<&str> = fields.iter().collect();
        let [time, key, work] = fields[..] else {
            let message = format!("this line has {} fields", fields.len());
            return Err(complaint(
                message,
                "three fields: time,key,work (a key with a comma in it in quotes)",
            ));
        };
        let since = digits(time.trim()).map(Tick).ok_or_else(|| {
            complaint(format!("column time holds {}", shown(time)), "a tick: an integer from 0 up")
        })?;
        let work = parse_work(work.trim()).filter(|work| *work != Work::Ticks(0)).ok_or_else(|| {
            complaint(format!("column work holds {}", shown(work)), "ticks of work: an integer from 1 up")
        })?;
        if let Some(last) = records.last()
            && since < last.since
        {
            let message = format!("column time goes back from {} to {since}", last.since);
            return Err(complaint(message, "lines sorted by time: a log is in the order of arrival"));
        }
        if records.len() == MOST_RECORDS {
            let message = format!("the trace has more than {MOST_RECORDS} records");
            return Err(complaint(message, "a shorter one"));
        }
        let offset = Offset(start.0.saturating_add(records.len() as i64));
        let key = (!key.is_empty()).then(|| Key::from(key));
        records.push(NewRecord { offset, key, work, fails: Fails::First(0), since });
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &[u8]) -> String {
        match parse("t.csv", Offset(3), text) {
            Ok(records) => format!("{records:?}"),
            Err(error) => error.to_string().replace("\n  = ", "; "),
        }
    }

    #[test]
    fn lines_are_records_in_order() {
        let records =
            parse("t.csv", Offset(3), &b"\xef\xbb\xbftime,key,work\r\n0,A,1\r\n\r\n5,\"x,y\",2\r\n5,,3"[..]);
        let records = records.unwrap();
        assert_eq!(records.len(), 3);
        assert_eq!(records[1].key, Some(Key::from("x,y")));
        assert_eq!((records[2].offset, records[2].key.clone(), records[2].since), (Offset(5), None, Tick(5)));
    }

    #[test]
    fn a_bad_line_is_named() {
        let line = |text: &str| told(format!("time,key,work\n1,A,1\n{text}\n").as_bytes());
        assert_eq!(
            line("2,B,x"),
            "t.csv:3: column work holds \"x\"; expected ticks of work: an integer from 1 up"
        );
        assert!(line("2,B,0").contains(":3: column work holds \"0\""));
        assert!(line("-2,B,1").contains(":3: column time holds \"-2\""));
        assert!(line("1.5,B,1").contains("column time"));
        assert!(line("0,B,1").contains(":3: column time goes back from 1 to 0"));
        assert!(line("2,B").contains(":3: this line has 2 fields"));
        assert!(line("2,B,1,1").contains("4 fields"));
        assert!(told(b"").contains("t.csv:1: the file is empty"));
        assert!(told(b"a;b;c\n").contains("the header is \"a;b;c\"; expected the header time,key,work"));
        assert!(told(b"time,key,work\n1,\xff,2\n").contains("t.csv:2: not UTF-8"));
    }
}
