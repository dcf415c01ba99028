//! Times and lengths of time as people and programs write them: numbers of some unit, and RFC 3339.
//!
//! All in whole nanoseconds, so that no rounding differs between machines.

use std::fmt;

use ::time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// What a number in a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Ticks of the engine: whole numbers.
    Ticks,
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// The unit of this name: "ticks", "ns", "us", "ms" or "s".
    #[must_use]
    pub fn named(name: &str) -> Option<Unit> {
        Some(match name {
            "tick" | "ticks" => Unit::Ticks,
            "ns" => Unit::Nanoseconds,
            "us" | "µs" => Unit::Microseconds,
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            _ => return None,
        })
    }

    /// What a column of it holds, in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unit::Ticks => "ticks",
            Unit::Nanoseconds => "nanoseconds",
            Unit::Microseconds => "microseconds",
            Unit::Milliseconds => "milliseconds",
            Unit::Seconds => "seconds",
        }
    }

    /// Its name in an argument.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Unit::Ticks => "ticks",
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "us",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
        }
    }

    /// The unit that a column's title ends with: `took_ms`, `duration (s)`, `elapsedMillis`, `time_ticks`.
    #[must_use]
    pub fn hinted(title: &str) -> Option<Unit> {
        if tick_in(title).is_some() {
            return Some(Unit::Ticks);
        }
        let title = title.trim().trim_end_matches([')', ']']);
        let last =
            title.rsplit(['_', '-', ' ', '.', '(', '[']).next().filter(|last| last.len() < title.len());
        let named = last.and_then(|last| match last.to_ascii_lowercase().as_str() {
            "ns" | "nanos" | "nanoseconds" => Some(Unit::Nanoseconds),
            "us" | "µs" | "micros" | "microseconds" => Some(Unit::Microseconds),
            "ms" | "millis" | "milliseconds" => Some(Unit::Milliseconds),
            "s" | "sec" | "secs" | "seconds" => Some(Unit::Seconds),
            "tick" | "ticks" => Some(Unit::Ticks),
            _ => None,
        });
        named.or_else(|| {
            [("Millis", Unit::Milliseconds), ("Ms", Unit::Milliseconds), ("Micros", Unit::Microseconds)]
                .into_iter()
                .find_map(|(ending, unit)| title.ends_with(ending).then_some(unit))
        })
    }

    /// One of it, in nanoseconds; a tick is counted as it is.
    pub(super) fn nanos(self) -> u64 {
        match self {
            Unit::Ticks | Unit::Nanoseconds => 1,
            Unit::Microseconds => 1_000,
            Unit::Milliseconds => 1_000_000,
            Unit::Seconds => 1_000_000_000,
        }
    }
}

/// A length of time that is not nothing: a tick's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(u64);

impl Span {
    /// A millisecond.
    pub const MILLISECOND: Span = Span(1_000_000);

    /// So many nanoseconds, if that is from 1 to `i64::MAX`.
    #[must_use]
    pub fn from_nanos(nanos: u64) -> Option<Span> {
        (1..=i64::MAX.unsigned_abs()).contains(&nanos).then_some(Span(nanos))
    }

    /// Reads a number with its unit: "10ms", "1.5s", "250us", "2m", "1h".
    ///
    /// # Errors
    /// If it is none, is nothing or is longer than some 292 years.
    pub fn parse(text: &str) -> Result<Span, NoTime> {
        let (number, nanos) = with_unit(text).ok_or(NoTime::Other)?;
        decimal(number, nanos).and_then(|nanos| Span::from_nanos(nanos).ok_or(NoTime::Other))
    }

    /// In nanoseconds.
    #[must_use]
    pub fn nanos(self) -> u64 {
        self.0
    }

    /// In milliseconds, cut.
    #[must_use]
    pub fn millis(self) -> u64 {
        self.0 / 1_000_000
    }
}

/// In the largest unit that leaves no fraction longer than three digits: "10 ms", "1.5 s", "2 min".
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u64); 6] = [
            ("h", 3_600_000_000_000),
            ("min", 60_000_000_000),
            ("s", 1_000_000_000),
            ("ms", 1_000_000),
            ("µs", 1_000),
            ("ns", 1),
        ];
        let fits = |&&(name, nanos): &&(&str, u64)| {
            let small = if matches!(name, "h" | "min") { nanos / 2 } else { nanos / 1000 };
            self.0 >= nanos && self.0.is_multiple_of(small.max(1))
        };
        let last = UNITS[UNITS.len() - 1];
        let (name, nanos) = UNITS.iter().find(fits).copied().unwrap_or(last);
        let rest = u128::from(self.0 % nanos) * 1000 / u128::from(nanos);
        let fraction = format!("{rest:03}");
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{} {name}", self.0 / nanos),
            digits => write!(f, "{}.{digits} {name}", self.0 / nanos),
        }
    }
}

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTime {
    /// It is below zero.
    Negative,
    /// It is beyond what 63 bits of nanoseconds hold, some 292 years; for a moment, from 1970 on or back.
    TooLarge,
    /// There is nothing.
    Empty,
    /// Anything else.
    Other,
}

impl fmt::Display for NoTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoTime::Negative => "which is below zero",
            NoTime::TooLarge => "which is too large",
            NoTime::Empty => "nothing",
            NoTime::Other => "which is no number",
        })
    }
}

/// What a title that counts ticks says of their length: `time_ticks_10ms`.
const OF_TICKS: &str = "_ticks_";

/// A title without a length of ticks behind it, and that length.
pub(crate) fn tick_in(title: &str) -> Option<(&str, Span)> {
    let (stem, length) = title.trim().rsplit_once(OF_TICKS)?;
    Some((stem, Span::parse(length).ok()?))
}

/// A title of the engine's own traces without what it says of ticks: `time` of `time_ticks_10ms` and `time_ticks`.
pub(crate) fn without_ticks(title: &str) -> &str {
    let stem = tick_in(title).map(|(stem, _)| stem).or(title.strip_suffix("_ticks"));
    stem.unwrap_or(title)
}

/// How the engine's own traces title a column: what it counts is behind its name.
pub(super) fn titled(what: &str, tick: Option<Span>) -> String {
    match tick {
        None => format!("{what}_ticks"),
        Some(tick) => format!("{what}{OF_TICKS}{}", tick.to_string().replace(' ', "")),
    }
}

/// A number with a unit behind it, and the unit's length in nanoseconds.
pub(super) fn with_unit(text: &str) -> Option<(&str, u64)> {
    const UNITS: [(&str, u64); 8] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    let at = text.find(|c: char| c.is_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let (_, nanos) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    Some((number.trim_end(), nanos))
}

/// A decimal number of units, each of `unit` nanoseconds; what is smaller than a nanosecond is cut.
pub(super) fn decimal(text: &str, unit: u64) -> Result<u64, NoTime> {
    let most = u128::from(i64::MAX.unsigned_abs());
    if text.is_empty() {
        return Err(NoTime::Empty);
    }
    if let Some(rest) = text.strip_prefix('-') {
        return Err(if decimal(rest, unit).is_ok() { NoTime::Negative } else { NoTime::Other });
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(NoTime::Other);
    }
    let whole: u128 = whole.parse().ok().filter(|whole| *whole <= most).ok_or(NoTime::TooLarge)?;
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(12);
    let trillionths = digits.fold(0u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    let nanos = whole * u128::from(unit) + trillionths * u128::from(unit) / 1_000_000_000_000;
    u64::try_from(nanos).ok().filter(|nanos| u128::from(*nanos) <= most).ok_or(NoTime::TooLarge)
}

/// Whether a text is meant as a date with a time rather than as a number.
pub(super) fn looks_like_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit)
}

/// A moment as RFC 3339 spells it, in nanoseconds since 1970, and whether it said its offset from UTC. A space for
/// the `T` is fine, as the RFC has it, and so is what databases and logs print: an offset of hours alone, or without a
/// colon, or `UTC`, and a comma before the fraction. Without an offset the time is taken as UTC.
pub(super) fn moment(text: &str) -> Result<(i64, bool), NoTime> {
    let mut text = text.to_ascii_uppercase();
    if text.as_bytes().get(10) == Some(&b' ') {
        text.replace_range(10..11, "T");
    }
    let clock = text.get(11..).ok_or(NoTime::Other)?;
    let mut clock = clock.replacen(',', ".", 1);
    if let Some(utc) = clock.strip_suffix(" UTC").or(clock.strip_suffix(" GMT")) {
        clock = format!("{utc}Z");
    }
    let offset = clock.find(['Z', '+', '-']);
    match offset.map(|at| clock.len() - at) {
        None => clock.push('Z'),
        Some(3) => clock.push_str(":00"),
        Some(5) => clock.insert(clock.len() - 2, ':'),
        Some(_) => {}
    }
    text.truncate(11);
    text.push_str(&clock);
    let moment = OffsetDateTime::parse(&text, &Rfc3339).map_err(|_| NoTime::Other)?;
    let nanos = i64::try_from(moment.unix_timestamp_nanos()).map_err(|_| NoTime::TooLarge)?;
    Ok((nanos, offset.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_nanoseconds() {
        assert_eq!(decimal("12", 1_000_000), Ok(12_000_000));
        assert_eq!(decimal("0.0125", 1_000_000_000), Ok(12_500_000));
        assert_eq!(decimal("1700000000.123456789", 1_000_000_000), Ok(1_700_000_000_123_456_789));
        assert_eq!(decimal("0.0000000019", 1_000_000_000), Ok(1));
        assert_eq!(decimal("9223372036854775807", 1), Ok(i64::MAX.unsigned_abs()));
        for (text, why) in [
            ("9223372036854775808", NoTime::TooLarge),
            ("9999999999999999999999999999999999999999999", NoTime::TooLarge),
            ("-1", NoTime::Negative),
            ("-", NoTime::Other),
            ("--1", NoTime::Other),
            ("", NoTime::Empty),
            ("1e3", NoTime::Other),
            ("1.", NoTime::Other),
            (".5", NoTime::Other),
            ("+1", NoTime::Other),
            ("NaN", NoTime::Other),
            ("١", NoTime::Other),
        ] {
            assert_eq!(decimal(text, 1), Err(why), "{text}");
        }
        assert_eq!(decimal("10000000000", 1_000_000_000), Err(NoTime::TooLarge));
    }

    #[test]
    fn moments_of_all_zones_are_on_one_line() {
        let at = |text: &str| moment(text).unwrap();
        assert_eq!(at("1970-01-01T00:00:00Z"), (0, true));
        assert_eq!(at("2024-03-31T03:30:00.5+02:00"), at("2024-03-31T01:30:00.500Z"));
        assert_eq!(at("2024-03-31 03:30:00+02"), at("2024-03-31t01:30:00z"));
        assert_eq!(at("2024-03-31T02:30:00"), (at("2024-03-31T02:30:00Z").0, false));
        for as_logs_have_it in
            ["2024-03-31T03:30:00.125+0200", "2024-03-31 03:30:00,125+02:00", "2024-03-31 01:30:00.125 UTC"]
        {
            assert_eq!(at(as_logs_have_it), at("2024-03-31T01:30:00.125Z"), "{as_logs_have_it}");
        }
        for text in [
            "2024-02-30T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T10:00Z",
            "2024-01-01",
            "2024-01-01T10:00:00+010",
            "2024-01-01T10:00:00+01é",
            "2024-01-01T10:00:00,5,5Z",
            "2024-01-01 UTC",
            "2024-01-01T10:00:00 Europe/Paris",
            "2024-01-01T10:00:00é",
        ] {
            assert_eq!(moment(text), Err(NoTime::Other), "{text}");
        }
        assert_eq!(moment("2300-01-01T00:00:00Z"), Err(NoTime::TooLarge));
    }

    #[test]
    fn spans_are_read_and_told() {
        for (text, told) in [
            ("10ms", "10 ms"),
            ("1.5s", "1.5 s"),
            ("1500ms", "1.5 s"),
            ("60s", "1 min"),
            ("90s", "1.5 min"),
            ("2m", "2 min"),
            ("1h", "1 h"),
            ("61s", "61 s"),
            ("250us", "250 µs"),
            ("1 ns", "1 ns"),
            ("1234567ns", "1234.567 µs"),
        ] {
            assert_eq!(Span::parse(text).map(|span| span.to_string()), Ok(told.to_owned()), "{text}");
        }
        for text in ["", "10", "ms", "0ms", "-1ms", "10 weeks", "1ms1", "99999999h"] {
            assert!(Span::parse(text).is_err(), "{text}");
        }
    }
}
