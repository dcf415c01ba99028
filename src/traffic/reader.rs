//! Reads traffic from a CSV file that comes in pieces.
//!
//! A row that makes no sense is skipped and told of; the file as a whole is refused only where there is no text, no
//! header that will do, or nothing left.

use std::{borrow::Cow, collections::BTreeMap};

use rand_pcg::Pcg32;

use super::{
    BadRow, Columns, Digest, Latency, NEVER, NO_KEY, NoTime, Report, Row, Scale, Span, Traffic, UNTIL_TAPPED,
    Unit,
    clock::{decimal, looks_like_date, moment, with_unit},
    columns::{Pick, find, numbered},
    latency::WORK_STREAM,
};
use crate::{
    ledger::grouped,
    scenario::{
        BadInput, LONGEST_TRACE, MOST_RECORDS, NoNumber, cut, number,
        rows::{Broken, Fields, Rows},
        shown,
    },
    world::Key,
};

/// Rows that are used at most, unless fewer are asked for.
pub const MOST_ROWS: usize = MOST_RECORDS;

/// The longest first line.
const LONGEST_HEADER: usize = 1 << 16;

/// Keys longer than this are cut nowhere else, so they are refused here.
const LONGEST_KEY: usize = 1 << 12;

/// How a file is to be read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which column is what.
    pub columns: Columns,
    /// What a number in the time column counts; a date with a time says it by itself.
    pub time: Unit,
    /// What a number in the work column counts, where it does not say so itself ("12ms").
    pub work: Unit,
    /// Whether the title of the time column, and that of the work column, may say another unit: `ts_s`, `took_ms`.
    pub hinted: (bool, bool),
    /// How long a tick is. Times and work that are in ticks need none; otherwise it is a millisecond if not said.
    pub tick: Option<Span>,
    /// Work where there is no column for it, and the seed to draw it from.
    pub latency: Option<(Latency, u64)>,
    /// Replaces every key.
    pub digest: Option<Digest>,
    /// Rows that are used at most; later ones are counted and left out.
    pub most_rows: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            columns: Columns::default(),
            time: Unit::Ticks,
            work: Unit::Ticks,
            hinted: (false, false),
            tick: None,
            latency: None,
            digest: None,
            most_rows: MOST_ROWS,
        }
    }
}

impl Options {
    /// What numbers count where somebody has said it; where nobody has, the titles of the columns may, and milliseconds
    /// are taken where nothing does. Whoever reads somebody's own file decides it by this, so that the page and the
    /// command line read a file in the same way.
    #[must_use]
    pub fn said(time: Option<Unit>, work: Option<Unit>) -> Options {
        Options {
            time: time.unwrap_or(Unit::Milliseconds),
            work: work.unwrap_or(Unit::Milliseconds),
            hinted: (time.is_none(), work.is_none()),
            ..Options::default()
        }
    }
}

/// How far a reader has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes it has been fed.
    pub bytes: u64,
    /// Rows that can be used so far.
    pub rows: u64,
    /// Rows that were skipped so far.
    pub skipped: u64,
    /// Whether it has as many rows as it may: the rest is only counted.
    pub is_full: bool,
}

/// Takes a file in pieces of any size, and gives the traffic in it.
#[derive(Debug)]
pub struct Reader {
    name: String,
    bytes: u64,
    /// The file's beginning, until its first line is whole.
    head: Vec<u8>,
    rows: Option<Rows>,
    body: Body,
}

impl Reader {
    /// A reader of the file called `name`.
    #[must_use]
    pub fn new(name: impl Into<String>, options: Options) -> Reader {
        let name = name.into();
        Reader { name: name.clone(), bytes: 0, head: Vec::new(), rows: None, body: Body::new(name, options) }
    }

    /// Takes the file's next bytes.
    ///
    /// # Errors
    /// What is wrong with the file as a whole: it is no text, its header will not do, it is too long. The reader is
    /// of no more use then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), BadInput> {
        self.bytes += bytes.len() as u64;
        if self.bytes > LONGEST_TRACE {
            let message = format!("the file is longer than {} MiB", LONGEST_TRACE >> 20);
            return Err(BadInput::whole(&self.name, message, "a shorter one"));
        }
        match &mut self.rows {
            Some(rows) => rows.feed(bytes, &mut |line, row| self.body.take(line, row)),
            None => {
                self.head.extend_from_slice(bytes);
                let has_line = self.head.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
                if !has_line && self.head.len() <= LONGEST_HEADER { Ok(()) } else { self.begin() }
            }
        }
    }

    /// How far it has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            bytes: self.bytes,
            rows: self.body.rows.len() as u64,
            skipped: self.body.report.skipped,
            is_full: self.body.report.left_out > 0,
        }
    }

    /// The names in the header, once it was read; also where it will not do.
    #[must_use]
    pub fn titles(&self) -> &[String] {
        &self.body.titles
    }

    /// There is nothing more: the traffic.
    ///
    /// # Errors
    /// As [`Reader::feed`], and if no row can be used.
    pub fn finish(mut self) -> Result<Traffic, BadInput> {
        if self.rows.is_none() {
            self.begin()?;
        }
        if let Some(rows) = &mut self.rows {
            rows.finish(&mut |line, row| self.body.take(line, row))?;
        }
        self.body.finish()
    }

    /// Looks at the beginning: whether it is text, and what separates its fields.
    fn begin(&mut self) -> Result<(), BadInput> {
        let head = std::mem::take(&mut self.head);
        let no_text = |message: &str, expected: &str| Err(BadInput::whole(&self.name, message, expected));
        const TEXT: &str = "a CSV file encoded as UTF-8";
        match head.as_slice() {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                return no_text(
                    "this is UTF-16",
                    "a CSV file encoded as UTF-8: save it again as \"CSV UTF-8\"",
                );
            }
            [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                return no_text("this is compressed", "the CSV file in it");
            }
            [b'P', b'K', 3, 4, ..] => {
                return no_text("this is a ZIP archive, as spreadsheets are", "the sheet saved as CSV UTF-8");
            }
            [b'P', b'A', b'R', b'1', ..] => return no_text("this is a Parquet file", TEXT),
            _ => {}
        }
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
        let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        if line.contains(&0) {
            return no_text("this is no text: it has bytes that are 0", TEXT);
        }
        if line.len() > LONGEST_HEADER {
            return Err(BadInput::at_line(
                &self.name,
                1,
                "this line never ends",
                "a header such as time,key,work",
            ));
        }
        let delimiter = delimiter(line);
        self.body.decimal_comma = delimiter != b',';
        let rows = self.rows.insert(Rows::new(delimiter));
        rows.feed(text, &mut |line, row| self.body.take(line, row))
    }
}

/// What separates the fields of this first line: what is most often in it outside of quotes, commas before others.
fn delimiter(line: &[u8]) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    let mut is_quoted = false;
    for byte in line {
        is_quoted ^= *byte == b'"';
        let count = counts.iter_mut().find(|(delimiter, _)| delimiter == byte).filter(|_| !is_quoted);
        count.into_iter().for_each(|(_, count)| *count += 1);
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(delimiter, _)| delimiter)
}

/// What the rows so far have come to.
#[derive(Debug)]
struct Body {
    name: String,
    options: Options,
    titles: Vec<String>,
    header: Option<Header>,
    rows: Vec<Row>,
    keys: BTreeMap<Key, u32>,
    work: Pcg32,
    report: Report,
    odd: Odd,
    /// Whether a comma may stand before a fraction: it separates no fields.
    decimal_comma: bool,
    /// The titles that say what numbers of time, and of work, count.
    hints: (Option<String>, Option<String>),
}

#[derive(Debug)]
struct Header {
    fields: usize,
    time: Column,
    key: Option<Column>,
    work: Option<Column>,
    /// Whether times are dates; unknown before the first good one.
    dates: Option<bool>,
}

#[derive(Clone, Debug)]
struct Column {
    name: String,
    index: usize,
}

/// What was odd, counted for the notes.
#[derive(Debug, Default)]
struct Odd {
    without_offset: u64,
    /// Times, and works, that are numbers without a unit of their own.
    plain: (u64, u64),
    longest_step_back: u64,
    no_work: u64,
}

/// A field that cannot be used: its column, and why.
type BadField<'h> = (&'h Column, String);

impl Body {
    fn new(name: String, options: Options) -> Body {
        let seed = options.latency.as_ref().map_or(0, |(_, seed)| *seed);
        Body {
            name,
            options,
            titles: Vec::new(),
            header: None,
            rows: Vec::new(),
            keys: BTreeMap::new(),
            work: Pcg32::new(seed, WORK_STREAM),
            report: Report::default(),
            odd: Odd::default(),
            decimal_comma: false,
            hints: (None, None),
        }
    }

    /// The first line: a header, or else data, which is to be taken as any other row.
    fn take_first(&mut self, line: usize, row: Result<Fields<'_>, Broken>) -> Result<(), BadInput> {
        const EXPECTED: &str = "a header such as time,key,work";
        let fields =
            row.map_err(|broken| BadInput::at_line(&self.name, line, why_broken(line, broken), EXPECTED))?;
        let titles = titles(&self.name, line, fields)?;
        let Columns { time, key, work } = &self.options.columns;
        let is_named = |pick: &Pick| matches!(pick, Pick::Named(name) if titles.contains(name));
        let numbers = numbered(&titles).filter(|_| ![time, key, work].into_iter().any(is_named));
        let is_data = numbers.is_some();
        self.titles = numbers.unwrap_or(titles);
        let header = read_header(&self.name, line, &self.titles, &self.options, &mut self.report)?;
        self.take_hints(&header);
        self.header = Some(header);
        if !is_data {
            return Ok(());
        }
        self.report.taken.push("the first line is data: columns go by their numbers".to_owned());
        self.take(line, Ok(fields))
    }

    fn take(&mut self, line: usize, row: Result<Fields<'_>, Broken>) -> Result<(), BadInput> {
        let Some(header) = &mut self.header else { return self.take_first(line, row) };
        if let Ok(fields) = row
            && fields.len() == 1
            && fields.iter().all(<[u8]>::is_ascii)
            && fields.iter().all(|field| field.trim_ascii().is_empty())
        {
            return Ok(());
        }
        self.report.rows += 1;
        if self.rows.len() >= self.options.most_rows {
            self.report.left_out += 1;
            return Ok(());
        }
        let bad = |column: Option<&Column>, reason: String| BadRow {
            line,
            column: column.map(|column| column.name.clone()),
            reason,
            read_as: None,
        };
        let fields = match row {
            Ok(fields) if fields.len() == header.fields => fields,
            Ok(fields) => {
                self.report.skip(|| bad(None, why_fields(fields.len(), header.fields)));
                return Ok(());
            }
            Err(broken) => {
                self.report.skip(|| bad(None, why_broken(line, broken)));
                return Ok(());
            }
        };
        let read = read_row(header, fields, &self.options, self.decimal_comma, &mut self.odd);
        let (time, key, work) = match read {
            Ok(read) => read,
            Err((column, reason)) => {
                self.report.skip(|| bad(Some(column), reason));
                return Ok(());
            }
        };
        let work = match (work, &self.options.latency) {
            (Some(0), _) => {
                self.odd.no_work += 1;
                self.report.read_as += 1;
                let column = header.work.as_ref();
                self.report.keep(|| BadRow {
                    read_as: Some("one tick".to_owned()),
                    ..bad(column, "no work at all".to_owned())
                });
                0
            }
            (Some(work), _) => work,
            (None, Some((latency, _))) => latency.draw(&mut self.work),
            (None, None) => 1,
        };
        let key = key.map_or(NO_KEY, |key| self.key(key));
        if let Some(last) = self.rows.last().map(|row| row.time)
            && time < last
        {
            self.report.out_of_order += 1;
            self.odd.longest_step_back = self.odd.longest_step_back.max(time.abs_diff(last));
        }
        self.rows.push(Row { time, key, work });
        Ok(())
    }

    /// Takes units from titles, where nobody has said them. Where time would be in ticks of an unknown length, and work
    /// says what it counts, time is taken to count the same.
    fn take_hints(&mut self, header: &Header) {
        let (time, work) = self.options.hinted;
        let of = |column: &Column| Unit::hinted(&column.name).map(|unit| (unit, column.name.clone()));
        let own = [Some(&header.time).filter(|_| time), header.work.as_ref().filter(|_| work)];
        let [of_time, of_work] = own.map(|column| column.and_then(of));
        let other = of_work.clone().filter(|_| time && self.options.time == Unit::Ticks);
        let (time_hint, work_hint) = (of_time.or(other), of_work);
        if let Some((unit, _)) = time_hint.as_ref().filter(|_| time) {
            self.options.time = *unit;
        }
        if let Some((unit, _)) = work_hint.as_ref().filter(|_| work) {
            self.options.work = *unit;
        }
        let length = |hint: &Option<(Unit, String)>| super::tick_in(&hint.as_ref()?.1).map(|(_, tick)| tick);
        self.options.tick = self.options.tick.or(length(&time_hint)).or(length(&work_hint));
        self.hints = (time_hint.map(|hint| hint.1), work_hint.map(|hint| hint.1));
    }

    /// What numbers were taken for, and why.
    fn tell_units(&mut self) {
        let (time, work) = self.options.hinted;
        let both = [
            ("time", self.options.time, time, self.hints.0.clone(), self.odd.plain.0),
            ("work", self.options.work, work, self.hints.1.clone(), self.odd.plain.1),
        ];
        for (what, unit, open, title, _) in both.into_iter().filter(|(.., plain)| *plain > 0) {
            let told = format!("numbers of {what} are taken for {}", unit.name());
            match (open, title) {
                (false, _) => self.report.taken.push(format!("{told}, as was said")),
                (true, Some(title)) => {
                    self.report.taken.push(format!("{told}, by the title {}", cut(&title)));
                }
                (true, None) => self.report.assumed.push(format!(
                    "{told}: no title says what they count ({what}_s, {what}_ticks), and nobody has (kwp: --unit)"
                )),
            }
        }
    }

    /// Times that would be moments of our days in another unit.
    fn doubt_times(&self) -> Option<String> {
        /// September 2001 and the end of 2099, in nanoseconds since 1970.
        const DAYS: std::ops::Range<i128> = 1_000_000_000_000_000_000..4_102_444_800_000_000_000;
        let first = i128::from(self.rows.first()?.time);
        let own = self.options.time;
        let number = first / i128::from(own.nanos());
        if own != Unit::Ticks && DAYS.contains(&first) {
            return None;
        }
        let all = [Unit::Seconds, Unit::Milliseconds, Unit::Microseconds, Unit::Nanoseconds];
        let other = all.into_iter().find(|unit| DAYS.contains(&(number * i128::from(unit.nanos()))))?;
        Some(format!(
            "the first time is {number}: that looks like {} since 1970, and is read as {}. Say what numbers of time count \
             (kwp: --time-unit {})",
            other.name(),
            own.name(),
            other.short()
        ))
    }

    fn key(&mut self, key: &[u8]) -> u32 {
        let key = match &self.options.digest {
            Some(digest) => digest.of(key),
            None => Key::new(key),
        };
        let next = self.keys.len() as u32;
        *self.keys.entry(key).or_insert(next)
    }

    fn finish(mut self) -> Result<Traffic, BadInput> {
        let Some(header) = &self.header else {
            return Err(BadInput::whole(&self.name, "the file is empty", "a CSV file such as time,key,work"));
        };
        if self.rows.is_empty() {
            let message = match self.report.bad.first() {
                Some(first) => format!(
                    "none of its {} can be used; the first: {first}",
                    crate::traffic::summary::counted(self.report.rows, "row")
                ),
                None => "there is a header and nothing below it".to_owned(),
            };
            return Err(BadInput::whole(&self.name, message, "rows of a time, a key and work"));
        }
        let has_dates = header.dates == Some(true);
        let drawn = header.work.is_none();
        let scale = Scale {
            ticks_of_time: !has_dates && self.options.time == Unit::Ticks,
            // A latency that is drawn is in ticks where nothing else is said.
            ticks_of_work: self.options.work == Unit::Ticks,
            tick: self.options.tick,
        };
        let needs_tick = !(scale.ticks_of_time && scale.ticks_of_work);
        let scale = Scale { tick: scale.tick.or(needs_tick.then_some(Span::MILLISECOND)), ..scale };
        if self.report.out_of_order > 0 {
            self.rows.sort_by_key(|row| row.time);
        }
        if !has_dates {
            self.report.doubts.extend(self.doubt_times());
        }
        self.report.units = Some((self.options.time, self.options.work));
        self.tell_units();
        self.note(scale, drawn);
        let mut keys: Vec<(u32, Key)> = self.keys.into_iter().map(|(key, number)| (number, key)).collect();
        keys.sort_unstable_by_key(|(number, _)| *number);
        let keys = keys.into_iter().map(|(_, key)| key).collect();
        Ok(Traffic { rows: self.rows, keys, scale, report: self.report })
    }

    fn note(&mut self, scale: Scale, drawn: bool) {
        let mut note = |text: String| self.report.notes.push(text);
        let rows = super::summary::counted;
        if self.report.out_of_order > 0 {
            let step = self.odd.longest_step_back;
            let back = match Span::from_nanos(step) {
                Some(span) if !scale.ticks_of_time => super::summary::about(span),
                _ => rows(step, "tick"),
            };
            note(format!(
                "{} came after a later one, by {back} at most: sorted by time",
                rows(self.report.out_of_order, "row")
            ));
        }
        if self.odd.without_offset > 0 {
            note(format!(
                "{} had times without an offset from UTC: read as UTC; if they are local times, one hour of the \
                 year is missing in them and one is there twice",
                rows(self.odd.without_offset, "row")
            ));
        }
        if self.odd.no_work > 0 {
            note(format!("{} had no work at all: read as one tick", rows(self.odd.no_work, "row")));
        }
        if self.report.left_out > 0 {
            note(format!(
                "only the first {} that could be used were; {} after them were left out",
                rows(self.rows.len() as u64, "row"),
                rows(self.report.left_out, "row")
            ));
        }
        if drawn && let Some((latency, seed)) = &self.options.latency {
            note(format!("the file has no work: it was drawn ({latency}, seed {seed})"));
        }
        if self.options.digest.is_some() {
            note(
                "keys are hashed: pseudonyms, not anonymous; whoever has the salt can test guesses, and how often \
                 and when each key occurs is kept"
                    .to_owned(),
            );
        }
    }
}

fn why_fields(count: usize, expected: usize) -> String {
    format!(
        "{}, where the header has {expected} (a field with the separator in it needs quotes)",
        super::summary::counted(count as u64, "field")
    )
}

fn why_broken(line: usize, broken: Broken) -> String {
    match broken {
        Broken::OpenQuote(below) => format!("a quote opens in line {} and is never closed", line + below),
        Broken::AfterQuote => {
            "a quote closes in the middle of a field (within quotes, a quote is written twice)".to_owned()
        }
        Broken::TooLong => "a line longer than any row".to_owned(),
    }
}

fn titles(name: &str, line: usize, fields: Fields<'_>) -> Result<Vec<String>, BadInput> {
    let titles: Result<Vec<String>, _> =
        fields.iter().map(|field| std::str::from_utf8(field).map(|title| title.trim().to_owned())).collect();
    titles
        .map_err(|_| BadInput::at_line(name, line, "the header is not UTF-8", "a CSV file encoded as UTF-8"))
}

fn read_header(
    name: &str,
    line: usize,
    titles: &[String],
    options: &Options,
    report: &mut Report,
) -> Result<Header, BadInput> {
    let columns = &options.columns;
    for (what, pick) in [("time", &columns.time), ("key", &columns.key), ("work", &columns.work)] {
        // Where work can be drawn, a column that cannot be guessed need not be there.
        let spared = what == "work" && *pick == Pick::Guess && options.latency.is_some();
        match find(what, pick, titles, &report.columns) {
            Ok(found) => report.columns.extend(found),
            Err(_) if spared => {}
            Err(why) => return Err(BadInput::at_line(name, line, why.message, why.expected)),
        }
    }
    let column = |what: &str| {
        let found = report.columns.iter().find(|found| found.what == what);
        found.map(|found| Column { name: found.name.clone(), index: found.index })
    };
    let Some(time) = column("time") else {
        return Err(BadInput::at_line(name, line, "no column for the time", "a column called time"));
    };
    let (key, work) = (column("key"), column("work"));
    if work.is_none() && options.latency.is_none() {
        return Err(BadInput::at_line(name, line, "no column for the work", "a latency to draw it from"));
    }
    Ok(Header { fields: titles.len(), time, key, work, dates: None })
}

type ReadRow<'r> = (i64, Option<&'r [u8]>, Option<u64>);

fn read_row<'h, 'r>(
    header: &'h mut Header,
    fields: Fields<'r>,
    options: &Options,
    comma: bool,
    odd: &mut Odd,
) -> Result<ReadRow<'r>, BadField<'h>> {
    let field = |column: &Column| fields.get(column.index).unwrap_or_default();
    let text = |column: &'h Column| {
        std::str::from_utf8(field(column)).map(str::trim).map_err(|_| (column, "not UTF-8".to_owned()))
    };
    let key = match &header.key {
        Some(column) => {
            let key = field(column);
            if std::str::from_utf8(key).is_err() {
                return Err((column, "not UTF-8".to_owned()));
            }
            if key.len() > LONGEST_KEY {
                return Err((column, format!("a key of more than {LONGEST_KEY} bytes")));
            }
            Some(key).filter(|key| !key.is_empty())
        }
        None => None,
    };
    let work = match &header.work {
        Some(column) => {
            let text = pointed(text(column)?, comma);
            odd.plain.1 += u64::from(text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
            Some(read_work(&text, options.work).map_err(|why| (column, why))?)
        }
        None => None,
    };
    let time_text = &*pointed(text(&header.time)?, comma);
    let is_date = looks_like_date(time_text);
    if let Some(dates) = header.dates
        && dates != is_date
    {
        let expected = if dates { "a date and time" } else { "a number" };
        let why = format!("{} is not {expected}, as in the rows before it", shown(time_text));
        return Err((&header.time, why));
    }
    let (time, has_offset) = match read_time(time_text, is_date, options.time) {
        Ok(read) => read,
        Err(why) => return Err((&header.time, why)),
    };
    odd.without_offset += u64::from(!has_offset);
    odd.plain.0 += u64::from(!is_date);
    header.dates = Some(is_date);
    Ok((time, key, work))
}

/// A number with a point before its fraction, where a comma stands for one.
fn pointed(text: &str, comma: bool) -> Cow<'_, str> {
    let is_fraction = comma && !text.contains('.') && text.matches(',').count() == 1;
    if is_fraction { text.replace(',', ".").into() } else { text.into() }
}

fn read_time(text: &str, is_date: bool, unit: Unit) -> Result<(i64, bool), String> {
    if is_date {
        return moment(text).map_err(|why| match why {
            NoTime::TooLarge => format!("{} is too far from 1970: the years are 1678 to 2261", shown(text)),
            _ => format!("{} is no time as RFC 3339 spells it: 2024-03-31T09:30:00.125+02:00", shown(text)),
        });
    }
    let read = match unit {
        Unit::Ticks => ticks(text),
        unit => decimal(text, unit.nanos()),
    };
    let number = read.and_then(|number| i64::try_from(number).map_err(|_| NoTime::TooLarge));
    number.map(|number| (number, true)).map_err(|why| why_number(text, why, unit))
}

fn read_work(text: &str, unit: Unit) -> Result<u64, String> {
    let read = match (text, unit) {
        ("tap", _) => return Ok(UNTIL_TAPPED),
        ("never", _) => return Ok(NEVER),
        (ticks_text, Unit::Ticks) => ticks(ticks_text),
        (text, unit) => match with_unit(text) {
            Some((number, nanos)) => decimal(number, nanos),
            None => decimal(text, unit.nanos()),
        },
    };
    read.map_err(|why| why_number(text, why, unit))
}

fn ticks(text: &str) -> Result<u64, NoTime> {
    match number(text, i64::MAX.unsigned_abs()) {
        Ok(ticks) => Ok(ticks),
        Err(NoNumber::TooLarge) => Err(NoTime::TooLarge),
        Err(NoNumber::Other) if text.is_empty() => Err(NoTime::Empty),
        Err(NoNumber::Other) => {
            let is_negative = text.strip_prefix('-').is_some_and(|rest| number(rest, u64::MAX).is_ok());
            Err(if is_negative { NoTime::Negative } else { NoTime::Other })
        }
    }
}

fn why_number(text: &str, why: NoTime, unit: Unit) -> String {
    let expected = match unit {
        Unit::Ticks => "a whole number of ticks".to_owned(),
        unit => format!("a number of {}", unit.name()),
    };
    match why {
        NoTime::Empty => format!("nothing in it; expected {expected}"),
        NoTime::Other if text.contains(',') => {
            format!(
                "{} is not {expected}: where commas separate the fields, a point stands before a fraction",
                shown(text)
            )
        }
        NoTime::Other => format!("{} is not {expected}", shown(text)),
        why => format!("{}, {why}; expected {expected}", shown(text)),
    }
}

/// A count that is told with commas.
pub(super) fn told(count: u64) -> String {
    grouped(count)
}
