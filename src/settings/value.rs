//! Values of settings: numbers with or without units, flags, words.

use std::fmt;

use super::known::Kind;
use crate::{
    ledger::grouped,
    traffic::{Span, counted},
};

/// What a setting holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number: of milliseconds, of bytes, of something.
    Number(u64),
    /// true or false.
    Flag(bool),
    /// One of the words that its kind has.
    Word(&'static str),
}

impl Kind {
    /// Reads a value. Lengths of time and sizes may have units, as Spring's do ("30s", "PT5M", "1MB").
    pub(super) fn read(self, text: &str) -> Option<Value> {
        let text = text.trim();
        let within = |number: u64, (low, high): (u64, u64)| {
            (low..=high).contains(&number).then_some(Value::Number(number))
        };
        match self {
            Kind::Flag => match text.to_ascii_lowercase().as_str() {
                "true" => Some(Value::Flag(true)),
                "false" => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::Word(words) => {
                let plain = text.to_ascii_lowercase().replace('_', "-");
                words.iter().find(|word| **word == plain).map(|word| Value::Word(word))
            }
            Kind::Count(low, high) => within(text.parse().ok()?, (low, high)),
            Kind::Millis(low, high) => within(millis(text)?, (low, high)),
            Kind::Bytes(low, high) => within(bytes(text)?, (low, high)),
        }
    }

    /// What would have been right, in a sentence.
    pub(super) fn expected(self) -> String {
        let range = |low: u64, high: u64| {
            if high >= i64::MAX.unsigned_abs() {
                format!("from {low} on")
            } else {
                format!("from {low} to {high}")
            }
        };
        match self {
            Kind::Flag => "true or false".to_owned(),
            Kind::Word(words) => words.join(", "),
            Kind::Count(low, high) => format!("a whole number {}", range(low, high)),
            Kind::Millis(low, high) => format!("milliseconds, {}", range(low, high)),
            Kind::Bytes(low, high) => format!("bytes, {}", range(low, high)),
        }
    }

    /// A value as its reader thinks of it: "5 min", "50 MiB".
    #[must_use]
    pub fn told(self, value: Value) -> String {
        match (self, value) {
            (Kind::Millis(..), Value::Number(millis)) => length(millis),
            (Kind::Bytes(..), Value::Number(bytes)) => size(bytes),
            (_, Value::Number(number)) => grouped(number),
            (_, value) => value.to_string(),
        }
    }
}

/// As a file of settings spells it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::Word(word) => f.write_str(word),
        }
    }
}

/// Milliseconds as a length of time.
pub(super) fn length(millis: u64) -> String {
    let span = millis.checked_mul(1_000_000).and_then(Span::from_nanos);
    // Up to some minutes, seconds are what everybody counts in.
    match span {
        Some(_) if (1_000..=600_000).contains(&millis) => {
            let fraction = format!("{:03}", millis % 1000);
            let fraction = fraction.trim_end_matches('0');
            let point = if fraction.is_empty() { "" } else { "." };
            format!("{}{point}{fraction} s", millis / 1000)
        }
        Some(span) => span.to_string(),
        None => format!("{} ms", grouped(millis)),
    }
}

/// Bytes, in the largest unit that they reach.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = UNITS.into_iter().find(|(_, unit)| bytes >= *unit);
    let Some((name, unit)) = unit else { return counted(bytes, "byte") };
    let tenths = (bytes % unit) * 10 / unit;
    if tenths == 0 { format!("{} {name}", bytes / unit) } else { format!("{}.{tenths} {name}", bytes / unit) }
}

fn millis(text: &str) -> Option<u64> {
    if let Ok(millis) = text.parse() {
        return Some(millis);
    }
    let simple = match text.to_ascii_uppercase().strip_prefix("PT") {
        Some(iso) => iso.to_ascii_lowercase(),
        None => text.replace('d', "h"),
    };
    let days = if text.ends_with('d') { 24 } else { 1 };
    Span::parse(&simple).ok()?.millis().checked_mul(days)
}

fn bytes(text: &str) -> Option<u64> {
    let upper = text.to_ascii_uppercase();
    let units = [("KB", 10), ("MB", 20), ("GB", 30), ("B", 0)];
    let unit = units.into_iter().find_map(|(unit, shift)| Some((upper.strip_suffix(unit)?, shift)));
    let (number, shift) = unit.unwrap_or((&upper, 0));
    number.trim_end().parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood() {
        let read = |text: &str| Kind::Millis(0, 1 << 40).read(text);
        for (text, millis) in [
            ("300000", 300_000),
            ("30s", 30_000),
            ("PT5M", 300_000),
            ("5m", 300_000),
            ("1d", 86_400_000),
            ("0", 0),
        ] {
            assert_eq!(read(text), Some(Value::Number(millis)), "{text}");
        }
        for text in ["", "-1", "5 parsecs", "1.5", "99999999999999999999", "PT"] {
            assert_eq!(read(text), None, "{text}");
        }
        let read = |text: &str| Kind::Bytes(1, 1 << 31).read(text);
        assert_eq!(
            [read("1MB"), read("52428800"), read("4 KB")],
            [1 << 20, 52_428_800, 4_096].map(|n| Some(Value::Number(n)))
        );
        assert_eq!([read("0"), read("4GB"), read("xB")], [None; 3]);
        assert_eq!(Kind::Word(&["count-time"]).read("COUNT_TIME"), Some(Value::Word("count-time")));
        assert_eq!(Kind::Flag.read("yes"), None);
    }

    #[test]
    fn lengths_and_sizes_are_told() {
        assert_eq!(
            [400_000, 1_500, 800, 0, 3_600_000].map(length),
            ["400 s", "1.5 s", "800 ms", "0 ms", "1 h"]
        );
        assert_eq!([52_428_800, 1_536, 12].map(size), ["50 MiB", "1.5 KiB", "12 bytes"]);
    }
}
