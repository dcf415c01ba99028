//! Scales for what is measured: where they end, and which values are named.

use super::unit::{Unit, three_digits};
use crate::{export::picture::Scale, ledger::grouped};

/// What is along a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Things.
    Count,
    /// Ticks.
    Span(Unit),
    /// Records in a million ticks; the pace that is told is this one's.
    Rate(Unit, u64),
    /// Millionths.
    Share,
}

/// Round times, in microseconds: a minute is 60 seconds.
const TIMES: [u64; 39] = {
    const S: u64 = 1_000_000;
    const MIN: u64 = 60 * S;
    const H: u64 = 60 * MIN;
    const D: u64 = 24 * H;
    [
        1,
        2,
        5,
        10,
        20,
        50,
        100,
        200,
        500,
        1_000,
        2_000,
        5_000,
        10_000,
        20_000,
        50_000,
        100_000,
        200_000,
        500_000,
        S,
        2 * S,
        5 * S,
        10 * S,
        20 * S,
        30 * S,
        MIN,
        2 * MIN,
        5 * MIN,
        10 * MIN,
        20 * MIN,
        30 * MIN,
        H,
        2 * H,
        6 * H,
        12 * H,
        D,
        2 * D,
        5 * D,
        10 * D,
        20 * D,
    ]
};

/// Records in a million ticks: what a scale of paces counts.
pub(super) fn pace(records: u64, ticks: u64) -> u64 {
    let pace = (u128::from(records) * 1_000_000).checked_div(u128::from(ticks)).unwrap_or(0);
    u64::try_from(pace).unwrap_or(u64::MAX)
}

impl Kind {
    fn name(self, value: u64) -> String {
        match self {
            Kind::Count => grouped(value),
            Kind::Span(unit) if unit.micros().is_none() || value == 0 => grouped(value),
            Kind::Span(unit) => unit.span(value),
            Kind::Rate(unit, top) => {
                let (per, _) = unit.best_rate(top, 1_000_000);
                three_digits(u128::from(value) * per, 1_000_000)
            }
            Kind::Share => super::table::percent(value),
        }
    }

    /// The label of an axis: what it is, and in what.
    fn label(self, what: &str) -> String {
        match self {
            Kind::Span(unit) if unit.micros().is_none() => format!("{what}, ticks"),
            Kind::Rate(unit, top) => format!("{what}, records per {}", unit.best_rate(top, 1_000_000).1),
            Kind::Count | Kind::Span(_) | Kind::Share => what.to_owned(),
        }
    }
}

/// A scale from 0 up to a little above `top`, with a handful of round values.
pub(super) fn linear(what: &str, kind: Kind, top: u64) -> (String, Scale) {
    let top = top.max(1);
    let step = round_step(kind, top);
    let high = top.div_ceil(step).saturating_mul(step);
    let ticks = (0..=high / step).map(|nth| (nth * step, kind.name(nth * step))).collect();
    let label = kind.label(what);
    (label.clone(), Scale { label, logarithmic: false, ends: (0, high), ticks })
}

/// A scale of doublings between two values, with a handful of round ones; 0 has its place before 1.
pub(super) fn doublings(what: &str, kind: Kind, (low, top): (u64, u64)) -> (String, Scale) {
    let top = top.max(low.max(1) * 2);
    let mut ticks: Vec<u64> = Vec::new();
    let mut value = 1u64;
    let nearly = |value: u64| value.saturating_mul(10) >= low.saturating_mul(9) && value <= top;
    while value <= top {
        ticks.push(value);
        value = match (kind, value.checked_mul(2)) {
            (_, None) => break,
            (Kind::Count, Some(next)) => next,
            _ => next_round(value),
        };
    }
    if let Kind::Span(unit) = kind
        && let Some(micros) = unit.micros()
    {
        let times: Vec<u64> =
            TIMES.iter().filter(|&&time| time % micros == 0).map(|time| time / micros).collect();
        let longer = std::iter::successors(times.last().copied(), |last| last.checked_mul(10)).skip(1);
        let times: Vec<u64> = times.iter().copied().chain(longer.take_while(|&value| value <= top)).collect();
        if times.iter().filter(|&&value| value >= low && value <= top).count() > 1 {
            ticks = times;
        }
    }
    ticks.retain(|&value| nearly(value) && value >= low);
    // Every second, third, ... one, until they have room; the first one stays.
    let keep = ticks.len().div_ceil(9).max(1);
    let mut ticks: Vec<u64> = ticks.into_iter().step_by(keep).collect();
    if low == 0 {
        ticks.insert(0, 0);
    }
    // The end, too, where it has room.
    let room: u128 = match (top / low.max(1)).ilog2() {
        0..=2 => 110,
        3..=4 => 122,
        5..=7 => 141,
        _ => 165,
    };
    if ticks.last().is_none_or(|&last| u128::from(top) * 100 >= u128::from(last) * room) {
        ticks.push(top);
    }
    let label = kind.label(what);
    let ticks = ticks.into_iter().map(|value| (value, kind.name(value))).collect();
    let scale = Scale { label: format!("{label} (logarithmic)"), logarithmic: true, ends: (low, top), ticks };
    (label, scale)
}

/// 1, 2, 5, 10, 20, 50, ...
fn next_round(value: u64) -> u64 {
    let mut decade = 1u64;
    while decade.saturating_mul(10) <= value {
        decade *= 10;
    }
    match value / decade {
        1 => decade.saturating_mul(2),
        2..5 => decade.saturating_mul(5),
        _ => decade.saturating_mul(10),
    }
}

/// Four to eight steps up to `top`, each a round number of what it is.
fn round_step(kind: Kind, top: u64) -> u64 {
    let enough = |step: u64| step.saturating_mul(6) >= top;
    let mut step = 1u64;
    match kind {
        Kind::Span(unit) if let Some(micros) = unit.micros() => {
            let mut whole = TIMES.iter().filter(|&&time| time % micros == 0).map(|time| time / micros);
            if let Some(step) = whole.clone().find(|&step| enough(step)) {
                return step;
            }
            step = whole.next_back().unwrap_or(1);
            while !enough(step) {
                step = step.saturating_mul(2);
            }
        }
        Kind::Rate(unit, _) => {
            // Steps that are round in the pace that is told.
            let (per, _) = unit.best_rate(top, 1_000_000);
            let mut told = 1u128;
            loop {
                for factor in [1, 2, 5] {
                    let value = (told * factor * 10_000) / per.max(1);
                    let value = u64::try_from(value).unwrap_or(u64::MAX).max(1);
                    if enough(value) {
                        return value;
                    }
                }
                told = told.saturating_mul(10);
            }
        }
        Kind::Count | Kind::Span(_) | Kind::Share => {
            while !enough(step) {
                step = next_round(step);
            }
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(scale: &(String, Scale)) -> Vec<&str> {
        scale.1.ticks.iter().map(|(_, name)| name.as_str()).collect()
    }

    #[test]
    fn round_values_are_named() {
        assert_eq!(names(&linear("x", Kind::Count, 23)), ["0", "5", "10", "15", "20", "25"]);
        let minutes = Kind::Span(Unit::of_micros(60_000_000));
        assert_eq!(
            names(&linear("x", minutes, 100)),
            ["0", "20 min", "40 min", "60 min", "80 min", "100 min"]
        );
        assert_eq!(names(&doublings("x", Kind::Count, (1, 20))), ["1", "2", "4", "8", "16", "20"]);
        assert_eq!(
            names(&doublings("x", Kind::Span(Unit::TICKS), (0, 60))),
            ["0", "1", "2", "5", "10", "20", "50"]
        );
        let (label, scale) = linear("pace", Kind::Rate(Unit::of_micros(1_000), pace(3, 10)), pace(3, 10));
        assert_eq!(label, "pace, records per s");
        assert_eq!(
            scale.ticks.iter().map(|tick| tick.1.as_str()).collect::<Vec<_>>(),
            ["0", "50", "100", "150", "200", "250", "300"]
        );
    }

    #[test]
    fn any_top_has_a_handful_of_values() {
        for micros in [0, 1, 7, 1_000, 60_000_000] {
            let unit = Unit::of_micros(micros);
            for top in [0, 1, 2, 9, 77, 1_000, 123_456, 1 << 40, 1 << 60] {
                for kind in [Kind::Count, Kind::Span(unit), Kind::Rate(unit, top), Kind::Share] {
                    let count = linear("x", kind, top).1.ticks.len();
                    assert!((2..=8).contains(&count), "{count} for {top}, {kind:?}");
                    let count = doublings("x", kind, (0, top)).1.ticks.len();
                    assert!((2..=11).contains(&count), "{count} doublings for {top}, {kind:?}");
                }
            }
        }
    }
}
