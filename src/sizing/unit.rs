//! Ticks as a reader reads them.
//!
//! The engine knows ticks; a trace knows what one of them is. Integers throughout, so that the page and the
//! command line print the same digits.

use std::num::NonZeroU64;

use crate::ledger::grouped;

/// How long a tick is, and what paces are told per.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unit {
    micros: Option<NonZeroU64>,
    per: Per,
}

/// What a pace is told per.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Per {
    /// Whatever suits it.
    #[default]
    Fit,
    Second,
    Minute,
    Hour,
}

const MILLISECOND: u128 = 1_000;
const SECOND: u128 = 1_000 * MILLISECOND;
const MINUTE: u128 = 60 * SECOND;
const HOUR: u128 = 60 * MINUTE;
const DAY: u128 = 24 * HOUR;

impl Unit {
    /// A tick is a tick.
    pub const TICKS: Unit = Unit { micros: None, per: Per::Fit };

    /// A tick is so many microseconds; none at all: a tick is a tick.
    #[must_use]
    pub fn of_micros(micros: u64) -> Unit {
        Unit { micros: NonZeroU64::new(micros), per: Per::Fit }
    }

    /// The same in nanoseconds; a tick that is no whole number of microseconds is a tick.
    #[must_use]
    pub fn of_nanos(nanos: u64) -> Unit {
        if nanos.is_multiple_of(1_000) { Unit::of_micros(nanos / 1_000) } else { Unit::TICKS }
    }

    /// Reads `1ms`, `20 ms`, `5s`, `1min`, `250us` or `1h`.
    ///
    /// # Errors
    /// Says what was expected.
    pub fn parse(text: &str) -> Result<Unit, String> {
        let micros = micros_of(text.trim()).and_then(|micros| u64::try_from(micros).ok());
        match micros {
            Some(micros) if micros > 0 => Ok(Unit::of_micros(micros)),
            _ => Err("expected the length of a tick, as 1ms, 20ms, 5s, 1min or 250us".to_owned()),
        }
    }

    /// Microseconds of a tick, if that is known.
    #[must_use]
    pub fn micros(self) -> Option<u64> {
        self.micros.map(NonZeroU64::get)
    }

    /// A time: "320 ms", "1.25 s", "3 h 20 min"; "14 ticks" where a tick is a tick.
    #[must_use]
    pub fn span(self, ticks: u64) -> String {
        let Some(micros) = self.micros() else {
            return format!("{} {}", grouped(ticks), if ticks == 1 { "tick" } else { "ticks" });
        };
        let micros = u128::from(ticks) * u128::from(micros);
        let two = |large: u128, names: (&str, &str), small: u128| {
            let (whole, rest) = (micros / large, micros % large / small);
            let whole = grouped(u64::try_from(whole).unwrap_or(u64::MAX));
            if rest == 0 {
                format!("{whole} {}", names.0)
            } else {
                format!("{whole} {} {rest} {}", names.0, names.1)
            }
        };
        match micros {
            0 if u128::from(self.micros().unwrap_or(1)) >= MINUTE => "0 min".to_owned(),
            0 => "0 ms".to_owned(),
            below if below < MILLISECOND => format!("{below} µs"),
            below if below < 10 * SECOND && (below < SECOND || below % SECOND > 0) => {
                format!("{} ms", three_digits(below, MILLISECOND))
            }
            below if below < 2 * MINUTE => format!("{} s", three_digits(below, SECOND)),
            below if below < 2 * HOUR => two(MINUTE, ("min", "s"), SECOND),
            below if below < 2 * DAY => two(HOUR, ("h", "min"), MINUTE),
            _ => two(DAY, ("d", "h"), HOUR),
        }
    }

    /// A pace: "41.5 records/s", or per minute or hour where that is easier to read.
    #[must_use]
    pub fn rate(self, records: u64, ticks: u64) -> String {
        if ticks == 0 {
            return "-".to_owned();
        }
        let (per, name) = self.best_rate(records, ticks);
        format!("{} records/{name}", three_digits(u128::from(records) * per, u128::from(ticks)))
    }

    /// The same, which tells every pace per what suits this one: paces that are to be compared.
    #[must_use]
    pub fn paced(self, records: u64, ticks: u64) -> Unit {
        let Some(micros) = self.micros() else { return self };
        let one = |length: u128| {
            u128::from(records) * length >= u128::from(ticks) * u128::from(micros)
                && length >= u128::from(micros)
        };
        let per = match () {
            () if one(SECOND) => Per::Second,
            () if one(MINUTE) => Per::Minute,
            () if HOUR >= u128::from(micros) => Per::Hour,
            () => Per::Fit,
        };
        Unit { per, ..self }
    }

    /// What a pace is told per: (what to multiply records per tick with, its name).
    pub(super) fn best_rate(self, records: u64, ticks: u64) -> (u128, &'static str) {
        let Some(micros) = self.micros() else {
            let slow = u128::from(records) * 100 < u128::from(ticks);
            return if slow { (1_000, "1,000 ticks") } else { (1, "tick") };
        };
        // Rounded where a tick is no whole part of it.
        let per = |length: u128| (length + u128::from(micros) / 2) / u128::from(micros);
        match self.per {
            Per::Second => (per(SECOND).max(1), "s"),
            Per::Minute => (per(MINUTE).max(1), "min"),
            Per::Hour => (per(HOUR).max(1), "h"),
            Per::Fit if u128::from(micros) > HOUR => (1, "tick"),
            Per::Fit => self.paced(records, ticks).best_rate(records, ticks),
        }
    }
}

/// `dividend / divisor` with about three significant digits; with two and six places at most below a tenth.
pub(super) fn three_digits(dividend: u128, divisor: u128) -> String {
    let divisor = divisor.max(1);
    let places = match dividend / divisor {
        0 => (2..6).find(|places| dividend.saturating_mul(10u128.pow(places - 1)) >= divisor).unwrap_or(6),
        1..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    let scale = 10u128.pow(places);
    let scaled = (dividend.saturating_mul(scale) + divisor / 2) / divisor;
    let whole = grouped(u64::try_from(scaled / scale).unwrap_or(u64::MAX));
    match scaled % scale {
        0 => whole,
        part => {
            let part = format!("{part:0width$}", width = places as usize);
            format!("{whole}.{}", part.trim_end_matches('0'))
        }
    }
}

/// Microseconds of "20 ms".
pub(super) fn micros_of(text: &str) -> Option<u128> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(at);
    let unit = match unit.trim() {
        "us" | "µs" => 1,
        "ms" => MILLISECOND,
        "s" => SECOND,
        "m" | "min" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        _ => return None,
    };
    Some(millionths(number)?.checked_mul(unit)? / 1_000_000)
}

/// "12.5" in millionths.
pub(super) fn millionths(text: &str) -> Option<u128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits =
        |text: &str| !text.is_empty() && text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let scale = 10u128.pow(6 - part.len() as u32);
    Some(whole.parse::<u128>().ok()? * 1_000_000 + part.parse::<u128>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_suits_them() {
        let ms = Unit::of_micros(1_000);
        let told = [0, 1, 1_250, 5_000, 9_999, 10_000, 95_250, 150_000, 8_000_000, 200_000_000]
            .map(|ticks| ms.span(ticks));
        let expected = [
            "0 ms",
            "1 ms",
            "1,250 ms",
            "5 s",
            "9,999 ms",
            "10 s",
            "95.3 s",
            "2 min 30 s",
            "2 h 13 min",
            "2 d 7 h",
        ];
        assert_eq!(told, expected);
        assert_eq!(Unit::TICKS.span(1), "1 tick");
        assert_eq!(Unit::of_micros(60_000_000).span(90), "90 min");
        assert_eq!(Unit::of_micros(250).span(1), "250 µs");
    }

    #[test]
    fn a_pace_is_told_per_what_suits_it() {
        let minute = Unit::of_micros(60_000_000);
        assert_eq!(minute.rate(831, 1_300), "38.4 records/h");
        assert_eq!(minute.rate(26_398, 2_000), "13.2 records/min");
        // A second is shorter than a tick.
        assert_eq!(minute.rate(6_000, 10), "600 records/min");
        let paced = Unit::of_nanos(1_000_000).paced(1, 10);
        assert_eq!([paced.rate(1, 10_000), paced.rate(1, 1)], ["0.1 records/s", "1,000 records/s"]);
        assert_eq!(Unit::of_micros(1_000).rate(1, 8), "125 records/s");
        assert_eq!(Unit::TICKS.rate(1, 3), "0.33 records/tick");
        let slow = [700, 14, 0].map(|records| minute.paced(1, 1).rate(records, 60_000));
        assert_eq!(slow, ["0.012 records/min", "0.00023 records/min", "0 records/min"]);
        assert_eq!(Unit::TICKS.rate(1, 333), "3 records/1,000 ticks");
        assert_eq!(Unit::TICKS.rate(1, 0), "-");
    }

    #[test]
    fn lengths_are_read() {
        let micros = |text| Unit::parse(text).ok().and_then(Unit::micros);
        assert_eq!(
            ["1ms", "20 ms", "0.5s", "1min", "250us"].map(micros),
            [1_000, 20_000, 500_000, 60_000_000, 250].map(Some)
        );
        for text in ["", "ms", "1", "-1ms", "0ms", "1.5.2ms", "1 lightyear", "99999999999999999999ms"] {
            assert!(Unit::parse(text).is_err(), "{text}");
        }
    }
}
