//! Names and values of a text with their lines, whatever its form: Java properties, YAML, JSON, or the code of a program.

use saphyr_parser::{Event, Parser};

use super::code;
use crate::scenario::{BadInput, cut};

/// The longest text of settings: 256 KiB.
pub const LONGEST_SETTINGS: usize = 256 << 10;

/// How deep YAML and JSON may nest.
const DEEPEST: usize = 64;

/// A name with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) value: String,
    /// From 1.
    pub(super) line: usize,
    /// Whether the value is an expression of a program, and not to be known from here.
    pub(super) is_code: bool,
}

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `name=value` lines, as `java.util.Properties` reads them.
    Properties,
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// Code (Java, Kotlin, Python, JavaScript, Go, Ruby, PHP) that sets properties: `'a.b': value,`, `put("a.b", value)`.
    Code,
}

impl Form {
    /// What a text looks like.
    pub(super) fn of(text: &str) -> Form {
        let mut lines = text.lines().map(str::trim_end).filter(|line| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with(['#', '!'])
        });
        let first = lines.clone().next().unwrap_or_default().trim_start();
        if first.starts_with('{') {
            // What starts like JSON and is a literal of a program is no JSON.
            let odd = |entry: &Entry| entry.name.contains(['/', '"', '\'', ' ']);
            let is_json = flattened("", text).is_ok_and(|entries| !entries.iter().any(odd));
            return if is_json || code::entries(text).is_empty() { Form::Json } else { Form::Code };
        }
        let is_spring = |line: &str| line.trim_start().starts_with("spring");
        if !first.starts_with("---") && !lines.clone().any(is_spring) && !code::entries(text).is_empty() {
            return Form::Code;
        }
        let opens = |line: &str| line.ends_with(':') && !line.contains(['=', '"', '\\']);
        if first == "---" || first.starts_with("--- ") || lines.any(opens) {
            Form::Yaml
        } else {
            Form::Properties
        }
    }

    /// Its entries, in order.
    ///
    /// # Errors
    /// Where YAML or JSON is broken, with the line.
    pub(super) fn entries(self, file: &str, text: &str) -> Result<Vec<Entry>, BadInput> {
        match self {
            Form::Properties => Ok(properties(text)),
            Form::Code => Ok(code::entries(text)),
            Form::Yaml | Form::Json => flattened(file, text),
        }
    }
}

/// Lines as `java.util.Properties` has them: comments, continued lines, escapes.
fn properties(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let start = line.trim_start();
        if start.is_empty() || start.starts_with(['#', '!']) {
            continue;
        }
        let mut whole = start.to_owned();
        while is_continued(&whole) {
            whole.pop();
            match lines.next() {
                Some((next, _)) => whole.push_str(next.trim_start()),
                None => break,
            }
        }
        let (name, value) = split(&whole);
        let (name, value) = (unescaped(name), unescaped(value));
        entries.push(Entry { name, value, line: number, is_code: false });
    }
    entries
}

/// Whether a line ends in a backslash that is not itself escaped.
fn is_continued(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The name ends at the first `=`, `:` or white space that is not escaped.
pub(super) fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.find(|c: char| {
        let ends = !escaped && (matches!(c, '=' | ':') || c.is_ascii_whitespace());
        escaped = !escaped && c == '\\';
        ends
    });
    let Some(end) = end else { return (line, "") };
    let rest = line[end..].trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (&line[..end], value.trim_start())
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\u{c}'),
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                plain.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

/// A mapping or a sequence that is being read.
enum Level {
    /// The name of the key whose value comes next, if it has come.
    Mapping(Option<(String, usize)>),
    Sequence(usize),
}

/// Every scalar of a YAML text under the names that lead to it, joined by dots.
fn flattened(file: &str, text: &str) -> Result<Vec<Entry>, BadInput> {
    let mut entries = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    let mut anchored: Vec<(usize, String)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let line = error.marker().line();
            BadInput::at_line(
                file,
                line.max(1),
                format!("not to be read: {}", cut(error.info())),
                "YAML or JSON",
            )
        })?;
        let line = span.start.line().max(1);
        match event {
            Event::Scalar(value, _, anchor, _) => {
                if anchor > 0 && anchored.len() < 1_000 {
                    anchored.push((anchor, value.to_string()));
                }
                scalar(&mut levels, &mut entries, value.into_owned(), line);
            }
            Event::Alias(anchor) => {
                let value = anchored.iter().rev().find(|(own, _)| *own == anchor);
                let value = value.map_or_else(String::new, |(_, value)| value.clone());
                scalar(&mut levels, &mut entries, value, line);
            }
            Event::MappingStart(..) => levels.push(Level::Mapping(None)),
            Event::SequenceStart(..) => levels.push(Level::Sequence(0)),
            Event::MappingEnd | Event::SequenceEnd => {
                levels.pop();
                filled(&mut levels);
            }
            _ => {}
        }
        if levels.len() > DEEPEST {
            let message = format!("nested more than {DEEPEST} deep");
            return Err(BadInput::at_line(file, line, message, "settings"));
        }
    }
    Ok(entries)
}

/// A scalar is the key of a mapping that has none yet, and a value otherwise.
fn scalar(levels: &mut [Level], entries: &mut Vec<Entry>, text: String, line: usize) {
    if let Some(Level::Mapping(key @ None)) = levels.last_mut() {
        *key = Some((text, line));
        return;
    }
    // The line of a value is where its name stands.
    let line = match levels.last() {
        Some(Level::Mapping(Some((_, line)))) => *line,
        _ => line,
    };
    let mut name = String::new();
    for level in levels.iter() {
        let part = match level {
            Level::Mapping(Some((key, _))) => key.trim_start_matches('[').trim_end_matches(']').to_owned(),
            Level::Mapping(None) => continue,
            Level::Sequence(index) => index.to_string(),
        };
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(&part);
    }
    if !name.is_empty() {
        entries.push(Entry { name, value: text, line, is_code: false });
    }
    filled(levels);
}

/// A value has come: the next scalar is the next key, or the next of a sequence.
fn filled(levels: &mut [Level]) {
    match levels.last_mut() {
        Some(Level::Mapping(key)) => *key = None,
        Some(Level::Sequence(index)) => *index += 1,
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let entries = Form::of(text).entries("t", text).unwrap_or_else(|error| panic!("{error}"));
        let told = |Entry { name, value, line, is_code }: Entry| {
            format!("{line} {name}={value}{}", if is_code { " (code)" } else { "" })
        };
        entries.into_iter().map(told).collect()
    }

    #[test]
    fn properties_are_read_as_java_does() {
        let text = "# comment\n! another\n a = 1\nb:2\nc 3\nd\\=e=f\\\n   g\\u0041\\tq\n\nh\r\ni=\\\\\n";
        assert_eq!(told(text), ["3 a=1", "4 b=2", "5 c=3", "6 d=e=fgA\tq", "9 h=", "10 i=\\"]);
        assert_eq!(told("a=1\\"), ["1 a=1"]);
        assert!(told("").is_empty());
    }

    #[test]
    fn code_is_told_from_the_other_forms() {
        assert_eq!(told("{'a.b': False, 'c.d': 1,}\n"), ["1 a.b=False", "1 c.d=1"]);
        assert_eq!(told("a=\"x.y\": 1\n"), ["1 a=\"x.y\": 1"]);
        assert_eq!(told("p.put(\"a.b\", 5);\n"), ["1 a.b=5"]);
    }

    #[test]
    fn yaml_and_json_are_flattened_with_their_lines() {
        let text = "spring:\n  kafka:\n    consumer:\n      max-poll-records: &n 10\n      properties:\n        \
                    \"[max.poll.interval.ms]\": 300000\n    topics: [a, {b: c}]\n---\nx:\n  y: *n\n";
        assert_eq!(
            told(text),
            [
                "4 spring.kafka.consumer.max-poll-records=10",
                "6 spring.kafka.consumer.properties.max.poll.interval.ms=300000",
                "7 spring.kafka.topics.0=a",
                "7 spring.kafka.topics.1.b=c",
                "10 x.y=10",
            ]
        );
        assert_eq!(told("{\n\t\"a.b\": 1,\n\t\"c\": true\n}"), ["2 a.b=1", "3 c=true"]);
        let broken = Form::Yaml.entries("t.yml", "a:\n  - b\n c: [").unwrap_err();
        assert!(broken.line().is_some_and(|line| line >= 2), "{broken}");
        assert!(Form::Json.entries("t", &"[".repeat(500)).is_err());
    }
}
