//! A text that somebody wrote, and how to tell them what is wrong with it.
//!
//! Every complaint names the file, the line and the column, quotes the line and says what was expected.
//! Whatever it quotes is shown safely: cut to a sensible length, control characters replaced.

use std::{
    error::Error,
    fmt,
    fs::{self, File},
    io::{self, Read},
    ops::Range,
    path::Path,
};

use crate::ledger::{escaped, shows};

/// The longest scenario file: 16 MiB. (A trace, which is a file of its own, may be longer.)
pub const LONGEST_FILE: u64 = 16 << 20;

/// Characters of a quoted line that are shown at most.
const QUOTED: usize = 100;

/// Opens whatever can be read to an end: a pipe too, as a shell's `<(...)` gives it. How much of it is read is
/// bounded, whoever writes.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    File::open(path)
}

/// A text with the name to call it by.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file, as the user spelt it.
    pub name: String,
    /// What is in it, without a byte order mark.
    pub text: String,
    /// Whether there was one.
    pub marked: bool,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is longer than [`LONGEST_FILE`] or not UTF-8.
    pub fn read(path: &Path) -> Result<Source, BadInput> {
        let name = path.display().to_string();
        match open(path) {
            Ok(file) => Source::from_reader(name, file),
            Err(error) => Err(BadInput::unreadable(name, &error)),
        }
    }

    /// Reads whatever comes, to its end.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn from_reader(name: impl Into<String>, reader: impl Read) -> Result<Source, BadInput> {
        let name = name.into();
        let mut bytes = Vec::new();
        match reader.take(LONGEST_FILE + 1).read_to_end(&mut bytes) {
            Err(error) => Err(BadInput::unreadable(name, &error)),
            Ok(_) if bytes.len() as u64 > LONGEST_FILE => Err(BadInput::whole(
                name,
                format!("the file is longer than {} MiB", LONGEST_FILE >> 20),
                "a scenario; a long log belongs in a file of its own, `csv = \"trace.csv\"`",
            )),
            Ok(_) => Source::from_bytes(name, bytes),
        }
    }

    fn from_bytes(name: String, bytes: Vec<u8>) -> Result<Source, BadInput> {
        match String::from_utf8(bytes) {
            Ok(text) => {
                let unmarked = text.strip_prefix('\u{feff}').map(str::to_owned);
                let marked = unmarked.is_some();
                Ok(Source { name, text: unmarked.unwrap_or(text), marked })
            }
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = Source { name, text, marked: false };
                Err(source.complaint(valid..valid, "not UTF-8 from here on", "a text file encoded as UTF-8"))
            }
        }
    }

    /// What is wrong at `span` (in bytes), and what was expected there.
    pub fn complaint(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> BadInput {
        let place = Some(Place::find(&self.text, span));
        BadInput::new(self.name.clone(), place, message.into(), expected.into())
    }

    /// The line, from 1, in which this byte lies.
    #[must_use]
    pub fn line_of(&self, byte: usize) -> usize {
        Place::find(&self.text, byte..byte).line
    }
}

/// Input that cannot be used: where, why, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadInput(Box<Complaint>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Complaint {
    file: String,
    place: Option<Place>,
    message: String,
    expected: String,
}

/// A place in a text, with the line to quote.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    /// From 1.
    line: usize,
    /// In characters, from 1.
    column: usize,
    quoted: String,
    /// Characters of `quoted` before the caret, and carets.
    indent: usize,
    width: usize,
}

impl Place {
    fn find(text: &str, span: Range<usize>) -> Place {
        let floor = |at: usize| {
            let mut at = at.min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (start, end) = (floor(span.start), floor(span.end));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[line_start..].find('\n').map_or(text.len(), |length| line_start + length);
        let full = text[line_start..line_end].trim_end_matches('\r');
        let column = text[line_start..start].chars().count();
        let width = text[start..end.clamp(start, line_end.max(start))].chars().count();
        // A very long line is shown from shortly before the place.
        let long = full.chars().nth(QUOTED).is_some();
        let skipped = if long && column > QUOTED / 2 { column - QUOTED / 4 } else { 0 };
        let mut quoted = String::new();
        if skipped > 0 {
            quoted.push('…');
        }
        let indent = quoted.chars().count() + column - skipped;
        let mut rest = full.chars().skip(skipped);
        quoted.extend(rest.by_ref().take(QUOTED).map(printable));
        if rest.next().is_some() {
            quoted.push('…');
        }
        let room = quoted.chars().count().saturating_sub(indent).max(1);
        let line = text[..line_start].matches('\n').count() + 1;
        Place { line, column: column + 1, quoted, indent, width: width.clamp(1, room) }
    }
}

impl BadInput {
    fn new(file: String, place: Option<Place>, message: String, expected: String) -> BadInput {
        BadInput(Box::new(Complaint { file, place, message, expected }))
    }

    /// What is wrong with a file as a whole.
    pub fn whole(
        file: impl Into<String>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> BadInput {
        BadInput::new(file.into(), None, message.into(), expected.into())
    }

    /// What is wrong with a line that is not at hand to be quoted.
    pub(crate) fn at_line(
        file: &str,
        line: usize,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> BadInput {
        let place = Place { line, column: 1, quoted: String::new(), indent: 0, width: 0 };
        BadInput::new(file.to_owned(), Some(place), message.into(), expected.into())
    }

    /// A file that the system does not give.
    pub fn unreadable(file: impl Into<String>, error: &io::Error) -> BadInput {
        let message = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::IsADirectory => "this is a directory".to_owned(),
            io::ErrorKind::PermissionDenied => "reading it is not permitted".to_owned(),
            _ => format!("it cannot be read: {error}"),
        };
        BadInput::whole(file, message, "a readable file, or - for standard input")
    }

    /// The line, from 1, if the complaint is about one.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.0.place.as_ref().map(|place| place.line)
    }

    /// The first line of the complaint, without its place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Complaint { file, place, message, expected } = &*self.0;
        f.write_str(&escaped(file))?;
        if let Some(place) = place {
            write!(f, ":{}", place.line)?;
            if place.width > 0 {
                write!(f, ":{}", place.column)?;
            }
        }
        write!(f, ": {}", escaped(message))?;
        let margin = match place {
            Some(place) if place.width > 0 => {
                let number = place.line.to_string();
                let margin = " ".repeat(number.len());
                let caret = " ".repeat(place.indent) + &"^".repeat(place.width);
                write!(f, "\n{margin} |\n{number} | {}\n{margin} | {caret}", place.quoted)?;
                margin
            }
            _ => " ".to_owned(),
        };
        if !expected.is_empty() {
            write!(f, "\n{margin} = expected {expected}")?;
        }
        Ok(())
    }
}

impl Error for BadInput {}

/// A text from the input as part of a sentence: quoted, cut short, nothing that moves a cursor.
pub(crate) fn shown(text: &str) -> String {
    format!("\"{}\"", cut(text))
}

/// The same without quotes, for digits, names and lists: a number can be as long as a file.
pub(crate) fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut cut = escaped(&text.chars().take(LONGEST).collect::<String>());
    if text.chars().nth(LONGEST).is_some() {
        cut.push('…');
    }
    cut
}

/// A character in a quoted line, where each must keep its column.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if shows(c) => c,
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { name: "x.toml".to_owned(), text: text.to_owned(), marked: false }
    }

    #[test]
    fn a_complaint_quotes_its_line() {
        let text = "a = 1\n\tb = \u{7}x\r\n";
        let told = source(text).complaint(11..13, "odd", "something else").to_string();
        assert_eq!(
            told,
            "x.toml:2:6: odd\n  |\n2 |  b = \u{fffd}x\n  |      ^^\n  = expected something else"
        );
    }

    #[test]
    fn any_span_of_any_text_can_be_shown() {
        for text in ["", "\n", "é\n\nüß", "a\r\n", &"x".repeat(5000)] {
            for start in 0..text.len().min(200) + 3 {
                for end in start..start + 4 {
                    let _ = source(text).complaint(start..end, "m", "e").to_string();
                }
            }
        }
        let long = source(&"é".repeat(3000)).complaint(4000..4002, "m", "e").to_string();
        assert!(long.lines().all(|line| line.chars().count() < 120), "{long}");
    }
}
