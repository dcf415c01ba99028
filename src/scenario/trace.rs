//! A trace: a CSV file with the header `time,key,work`, one record a line, each in the log from its tick on. Titles may
//! say that they count ticks, and how long one is, as `kwp traffic` writes them (`time_ticks_10ms`).
//!
//! Offsets are consecutive from the log's start, in the order of the lines; an empty key field is no key. Work
//! may be `tap` or `never`. Every field is taken as it stands: a space belongs to its key, and to no number.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use super::{
    log::{LONGEST_WORK, NoNumber, number, parse_work},
    rows::{Broken, Fields, Rows},
    source::{BadInput, open, shown},
    value::Value,
};
use crate::{
    ids::{Offset, Tick},
    traffic::without_ticks,
    world::{Fails, Key, Log, NewRecord, Work},
};

/// The most records that a trace can have.
pub const MOST_RECORDS: usize = 10_000_000;

/// The longest trace: 512 MiB.
pub const LONGEST_TRACE: u64 = 512 << 20;

/// The longest first line: where there is no header, there is no trace.
const LONGEST_HEADER: usize = 1 << 16;

const EXPECTED_HEADER: &str = "the header time,key,work (no spaces: fields are taken as they stand)";

const HEADER: [&str; 3] = ["time", "key", "work"];

/// A byte order mark, which some programs put before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads the trace that `value` names, relative to `folder`; without one there are no other files.
pub(super) fn read(value: &Value<'_>, start: Offset, folder: Option<&Path>) -> Result<Log, BadInput> {
    let name = value.text()?;
    let Some(folder) = folder else {
        let message =
            format!("the log is in a file of its own, {}, and only this one was brought", shown(name));
        let expected = "`records` or `generate`: the page reads single files only; `kwp run` reads both";
        return Err(value.complaint(message, expected));
    };
    let path = folder.join(name);
    let name = path.display().to_string();
    let file = open(&path).map_err(|error| {
        let reason = BadInput::unreadable(name.clone(), &error);
        let message = format!("no trace at {}: {}", shown(&name), reason.message());
        value.complaint(message, "a readable CSV file, its path relative to this scenario's folder")
    })?;
    read_trace(&name, start, file)
}

/// Reads a trace, whatever it comes from, to its end; `name` is what to call it in a complaint, and `start` the
/// log's first offset.
///
/// # Errors
/// If it cannot be read, is longer than [`LONGEST_TRACE`] or has more than [`MOST_RECORDS`] records, or is no
/// trace: the first thing that is wrong, with its line.
pub fn read_trace(name: &str, start: Offset, reader: impl Read) -> Result<Log, BadInput> {
    let mut reader = BufReader::with_capacity(LONGEST_HEADER, reader.take(LONGEST_TRACE + 1));
    let beginning = reader.fill_buf().map_err(|error| BadInput::unreadable(name, &error))?;
    if beginning.len() == LONGEST_HEADER && !beginning.contains(&b'\n') {
        return Err(BadInput::at_line(name, 1, "this line never ends", EXPECTED_HEADER));
    }
    let records = parse(name, start, &mut reader);
    if reader.get_ref().limit() == 0 {
        let message = format!("the trace is longer than {} MiB", LONGEST_TRACE >> 20);
        return Err(BadInput::whole(name, message, "a shorter one"));
    }
    Log::from_records(start, records?)
        .map_err(|error| BadInput::whole(name, error.to_string(), "records that make a log"))
}

fn parse(name: &str, start: Offset, mut reader: impl BufRead) -> Result<Vec<NewRecord>, BadInput> {
    let mut lines = Lines { name, start, has_header: false, records: Vec::new() };
    let mut rows = Rows::new(b',');
    let mut take = |line: usize, row: Result<Fields<'_>, Broken>| lines.take(line, row);
    let mut is_first = true;
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(BadInput::unreadable(name, &error)),
        };
        if chunk.is_empty() {
            break;
        }
        let length = chunk.len();
        let text = if is_first { chunk.strip_prefix(MARK).unwrap_or(chunk) } else { chunk };
        is_first = false;
        rows.feed(text, &mut take)?;
        reader.consume(length);
    }
    rows.finish(&mut take)?;
    if !lines.has_header {
        return Err(BadInput::at_line(name, 1, "the file is empty", EXPECTED_HEADER));
    }
    Ok(lines.records)
}

/// What the lines so far have come to.
struct Lines<'n> {
    name: &'n str,
    start: Offset,
    has_header: bool,
    records: Vec<NewRecord>,
}

impl Lines<'_> {
    fn take(&mut self, line: usize, row: Result<Fields<'_>, Broken>) -> Result<(), BadInput> {
        let fields = row.map_err(|broken| self.broken(line, broken))?;
        let mut texts = Vec::with_capacity(HEADER.len());
        for field in fields.iter() {
            texts.push(std::str::from_utf8(field).map_err(|_| {
                self.complaint(line, "not UTF-8".to_owned(), "a CSV file encoded as UTF-8".to_owned())
            })?);
        }
        if !self.has_header {
            self.has_header = true;
            // What a title says of the length of a tick is for others: here a tick is a tick.
            if texts.iter().map(|title| without_ticks(title)).eq(HEADER) {
                return Ok(());
            }
            let message = format!("the header is {}", shown(&texts.join(",")));
            return Err(self.complaint(line, message, EXPECTED_HEADER.to_owned()));
        }
        if matches!(texts[..], [text] if text.trim().is_empty()) {
            return Ok(());
        }
        let record = self.record(line, &texts)?;
        self.records.push(record);
        Ok(())
    }

    fn record(&self, line: usize, fields: &[&str]) -> Result<NewRecord, BadInput> {
        let [time, key, work] = *fields else {
            let message = format!("this line has {} fields", fields.len());
            let expected = "three fields: time,key,work (a key with a comma in it in quotes)";
            return Err(self.complaint(line, message, expected.to_owned()));
        };
        let since = number(time, i64::MAX.unsigned_abs()).map(Tick).map_err(|why| {
            let expected = format!("a tick: an integer from 0 to {}, no spaces", i64::MAX);
            self.complaint(line, format!("column time holds {}", held(time, why)), expected)
        })?;
        let ticks = match parse_work(work) {
            Ok(Work::Ticks(0)) => Err(NoNumber::Other),
            other => other,
        };
        let ticks = ticks.map_err(|why| {
            let expected =
                format!("ticks of work: an integer from 1 to {LONGEST_WORK}, tap or never, no spaces");
            self.complaint(line, format!("column work holds {}", held(work, why)), expected)
        })?;
        if let Some(last) = self.records.last()
            && since < last.since
        {
            let message = format!("column time goes back from {} to {since}", last.since);
            let expected =
                "lines sorted by time: a log is in the order of arrival (`kwp traffic` sorts what is not)";
            return Err(self.complaint(line, message, expected.to_owned()));
        }
        if self.records.len() == MOST_RECORDS {
            let message = format!("the trace has more than {MOST_RECORDS} records");
            return Err(self.complaint(line, message, "a shorter one".to_owned()));
        }
        let offset = Offset(self.start.0.saturating_add(self.records.len() as i64));
        let key = (!key.is_empty()).then(|| Key::from(key));
        Ok(NewRecord { offset, key, work: ticks, fails: Fails::First(0), since })
    }

    fn broken(&self, line: usize, broken: Broken) -> BadInput {
        let line = if let Broken::OpenQuote(below) = broken { line + below } else { line };
        let (message, expected) = match broken {
            Broken::OpenQuote(_) => {
                ("a quote opens in this line and is never closed", "a second quote at the end of the field")
            }
            Broken::AfterQuote => (
                "a quote closes in the middle of a field",
                "a comma after the closing quote; a quote within a field in quotes is written twice",
            ),
            Broken::TooLong => ("this line never ends", "lines of time,key,work"),
        };
        self.complaint(line, message.to_owned(), expected.to_owned())
    }

    fn complaint(&self, line: usize, message: String, expected: String) -> BadInput {
        BadInput::at_line(self.name, line, message, expected)
    }
}

fn held(field: &str, why: NoNumber) -> String {
    match why {
        NoNumber::TooLarge => format!("{}, which is too large", shown(field)),
        NoNumber::Other => shown(field),
    }
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
    fn fields_are_taken_as_they_stand() {
        let records =
            parse("t.csv", Offset(0), &b"time,key,work\n0, A ,tap\n0,\" \",never\n0,\"a\"\"b\",1"[..]);
        let keys: Vec<_> = records.unwrap().into_iter().map(|record| (record.key, record.work)).collect();
        let expected = [(" A ", Work::UntilTapped), (" ", Work::Never), ("a\"b", Work::Ticks(1))];
        assert_eq!(keys, expected.map(|(key, work)| (Some(Key::from(key)), work)));
        assert!(told(b"time,key,work\n 0,A,1\n").contains(":2: column time holds \" 0\""));
        assert!(told(b"time,key,work\n0,A, 1\n").contains(":2: column work holds \" 1\""));
        assert!(told(b"time, key, work\n0,A,1\n").contains(":1: the header is \"time, key, work\""));
    }

    #[test]
    fn a_quote_that_is_never_closed_is_named() {
        for text in [
            "time,key,work\n0,A,1\n0,\"B,1\n0,C,1\n",
            "time,key,work\n0,A,1\n0,\"B,1",
            "time,key,work\n0,\"A\n\",1\n0,B,\"",
            "time,key,work\n0,A,1\n0,\"B\"\",1\n",
        ] {
            let line = if text.contains("A\n") { 4 } else { 3 };
            assert!(
                told(text.as_bytes())
                    .starts_with(&format!("t.csv:{line}: a quote opens in this line and is")),
                "{text}"
            );
        }
        // A quote within a field is a character like any other, and the first mistake is the one that is told.
        assert!(parse("t.csv", Offset(0), &b"time,key,work\n0,5\" disk,1\n"[..]).is_ok());
        assert!(told(b"time,key,work\n0,A,x\n0,\"B,1\n").contains(":2: column work"));
    }

    #[test]
    fn a_bad_line_is_named() {
        let line = |text: &str| told(format!("time,key,work\n1,A,1\n{text}\n").as_bytes());
        assert_eq!(
            line("2,B,x"),
            "t.csv:3: column work holds \"x\"; expected ticks of work: an integer from 1 to 9223372036854775807, tap or never, no spaces"
        );
        assert!(line("2,B,0").contains(":3: column work holds \"0\""));
        assert!(
            line("2,B,9223372036854775808").contains("holds \"9223372036854775808\", which is too large")
        );
        assert!(line("-2,B,1").contains(":3: column time holds \"-2\""));
        assert!(line("1.5,B,1").contains("column time"));
        assert!(line("0,B,1").contains(":3: column time goes back from 1 to 0"));
        assert!(line("2,B").contains(":3: this line has 2 fields"));
        assert!(line("2,B,1,1").contains("4 fields"));
        assert!(told(b"").contains("t.csv:1: the file is empty"));
        assert!(
            told(b"a;b;c\n")
                .contains("the header is \"a;b;c\"; expected the header time,key,work (no spaces: ")
        );
        assert!(told(b"time,key,work\n1,\xff,2\n").contains("t.csv:2: not UTF-8"));
    }
}
