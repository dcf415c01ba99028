//! The numbers of a run by name, and conditions on them.

use std::fmt;

use super::{
    gauge::Measure,
    table::Cell,
    unit::{Unit, micros_of, millionths},
};
use crate::scenario::nearest;

/// A number that a run leaves behind.
#[derive(Clone, Copy)]
pub struct Metric {
    /// What it is called in conditions and in the heads of CSV and JSON.
    pub name: &'static str,
    /// What it is called in a table or a chart.
    pub head: &'static str,
    read: fn(&Measure) -> Cell,
}

const fn metric(name: &'static str, head: &'static str, read: fn(&Measure) -> Cell) -> Metric {
    Metric { name, head, read }
}

/// All of them, in the order of a sweep's columns.
pub const METRICS: [Metric; 26] = [
    metric("throughput", "throughput", |m| Cell::Rate(m.finished, m.makespan)),
    metric("p50", "p50 in the system", |m| Cell::Span(m.p50)),
    metric("p99", "p99 in the system", |m| Cell::Span(m.p99)),
    metric("max", "max in the system", |m| Cell::Span(m.max)),
    metric("makespan", "makespan", |m| Cell::Span(m.makespan)),
    metric("finished", "finished", |m| Cell::Count(m.finished)),
    metric("unfinished", "unfinished", |m| Cell::Count(m.unfinished)),
    metric("peak_in_flight", "peak in flight", |m| Cell::Count(m.peak_in_flight)),
    metric("pauses", "pauses", |m| Cell::Count(m.pauses)),
    metric("peak_lag", "peak lag", |m| Cell::Count(m.peak_lag)),
    metric("peak_span", "peak uncommitted", |m| Cell::Count(m.peak_span)),
    metric("order_breaks", "order breaks", |m| Cell::Count(m.order_breaks)),
    metric("overlaps", "overlaps", |m| Cell::Count(m.overlaps)),
    metric("redelivered", "redelivered", |m| Cell::Count(m.redelivered)),
    metric("duplicates", "duplicates", |m| Cell::Count(m.duplicates)),
    metric("lost", "lost", |m| Cell::Count(m.lost)),
    metric("leaked", "leaked writes", |m| Cell::Count(m.leaked)),
    metric("rows_back", "rows gone back", |m| Cell::Count(m.rows_back)),
    metric("rejected", "rejected writes", |m| Cell::Count(m.rejected)),
    metric("handover", "longest handover", |m| Cell::Span(m.handover)),
    metric("dead_letters", "dead letters", |m| Cell::Count(m.dead_letters)),
    metric("evictions", "evictions", |m| Cell::Count(m.evictions)),
    metric("crashes", "crashes", |m| Cell::Count(m.crashes)),
    metric("map_bytes", "map bytes", |m| Cell::Count(m.map_bytes)),
    metric("maps_refused", "maps refused", |m| Cell::Count(m.maps_refused)),
    metric("end", "end", |m| Cell::Span(m.end)),
];

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        self.name == other.name
    }
}

impl Eq for Metric {}

impl Metric {
    /// The one with this name.
    ///
    /// # Errors
    /// Says which there are, or which one was meant.
    pub fn named(name: &str) -> Result<Metric, String> {
        METRICS.into_iter().find(|metric| metric.name == name).ok_or_else(|| {
            let names = METRICS.map(|metric| metric.name);
            let hint = nearest(name, names.into_iter()).map(|near| format!(": did you mean {near}?"));
            format!(
                "no number is called {name:?}{}; expected one of {}",
                hint.unwrap_or_default(),
                names.join(", ")
            )
        })
    }

    /// What it is for this run.
    #[must_use]
    pub fn of(self, measure: &Measure) -> Cell {
        (self.read)(measure)
    }
}

/// A condition on a number: `p99 > 200`, `p99 > 1.5s`, `throughput < 0.8`, `lost != 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    metric: Metric,
    relation: Relation,
    /// In millionths of what the metric counts.
    limit: u128,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Below,
    AtMost,
    Equal,
    Other,
    AtLeast,
    Above,
}

const RELATIONS: [(&str, Relation); 6] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("==", Relation::Equal),
    ("!=", Relation::Other),
    ("<", Relation::Below),
    (">", Relation::Above),
];

impl Condition {
    /// Reads a condition. A time may have a unit where `unit` says how long a tick is; without one it is in
    /// ticks. Throughput is in records per tick; with a unit, in records per that: `throughput < 800/s`.
    ///
    /// # Errors
    /// Says what was expected.
    pub fn parse(text: &str, unit: Unit) -> Result<Condition, String> {
        let expected = "expected a number's name, a relation and a limit, as in 'p99 > 200'";
        let found = RELATIONS.iter().filter_map(|&(sign, relation)| Some((text.find(sign)?, sign, relation)));
        // The leftmost, and of those the longest.
        let (at, sign, relation) = found
            .min_by_key(|&(at, sign, _)| (at, std::cmp::Reverse(sign.len())))
            .ok_or_else(|| format!("{text:?} has no relation; {expected}"))?;
        let metric = Metric::named(text[..at].trim()).map_err(|error| format!("{text:?}: {error}"))?;
        let limit = text[at + sign.len()..].trim();
        let read = limit_of(metric, limit, unit).map_err(|error| format!("{text:?}: {error}"))?;
        let text = format!("{} {sign} {limit}", metric.name);
        Ok(Condition { metric, relation, limit: read, text })
    }

    /// Whether it holds of this run: never of a number that the run does not have.
    #[must_use]
    pub fn holds(&self, measure: &Measure) -> bool {
        let value = match self.metric.of(measure) {
            Cell::Count(number) | Cell::Span(number) => u128::from(number) * 1_000_000,
            Cell::Rate(records, ticks) if ticks > 0 => u128::from(records) * 1_000_000 / u128::from(ticks),
            _ => return false,
        };
        match self.relation {
            Relation::Below => value < self.limit,
            Relation::AtMost => value <= self.limit,
            Relation::Equal => value == self.limit,
            Relation::Other => value != self.limit,
            Relation::AtLeast => value >= self.limit,
            Relation::Above => value > self.limit,
        }
    }

    /// "p99 is 240 ms"
    #[must_use]
    pub fn found(&self, measure: &Measure, unit: Unit) -> String {
        format!("{} is {}", self.metric.name, self.metric.of(measure).shown(unit))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn limit_of(metric: Metric, text: &str, unit: Unit) -> Result<u128, String> {
    if let Some(plain) = millionths(text) {
        return Ok(plain);
    }
    let needs_unit = || "a limit with a unit needs to know how long a tick is: give --tick".to_owned();
    match metric.of(&Measure::default()) {
        Cell::Span(_) => {
            let micros = micros_of(text)
                .ok_or_else(|| format!("{text:?} is no time; expected ticks, as 200, or a time, as 1.5s"))?;
            let tick = unit.micros().ok_or_else(needs_unit)?;
            micros.checked_mul(1_000_000).map(|micros| micros / u128::from(tick))
        }
        .ok_or_else(|| format!("{text:?} is too long")),
        Cell::Rate(..) => {
            let (number, per) = text.split_once('/').unwrap_or((text, ""));
            let length = micros_of(&format!("1{}", per.trim()));
            let (Some(number), Some(length)) = (millionths(number.trim()), length) else {
                return Err(format!(
                    "{text:?} is no pace; expected records per tick, as 0.8, or per time, as 800/s"
                ));
            };
            let tick = unit.micros().ok_or_else(needs_unit)?;
            Ok(number.saturating_mul(u128::from(tick)) / length)
        }
        _ => Err(format!("{text:?} is no number; expected one such as 200")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Measure {
        Measure { finished: 30, makespan: 40, p99: 200, lost: 0, ..Measure::default() }
    }

    #[test]
    fn a_condition_holds_or_does_not() {
        let holds = |text| Condition::parse(text, Unit::of_micros(10_000)).unwrap().holds(&run());
        for text in [
            "p99 >= 200",
            "p99>199.5",
            "p99 == 2s",
            "p99 < 2.01 s",
            "throughput <= 0.75",
            "throughput == 75/s",
            "lost == 0",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in ["p99 > 200", "p99 != 200", "throughput < 0.75", "throughput > 80/s", "lost != 0"] {
            assert!(!holds(text), "{text}");
        }
        assert!(!Condition::parse("throughput < 9", Unit::TICKS).unwrap().holds(&Measure::default()));
    }

    #[test]
    fn a_bad_condition_says_what_was_expected() {
        let told = |text| Condition::parse(text, Unit::TICKS).unwrap_err();
        assert!(told("p99").contains("has no relation; expected"));
        assert!(told("p9 > 3").contains("did you mean p99?"), "{}", told("p9 > 3"));
        assert!(told("p99 > fast").contains("is no time"));
        assert!(told("p99 > 3s").contains("give --tick"));
        assert!(told("lost > 3s").contains("is no number"));
        assert!(told("throughput > 3x").contains("is no pace"));
        assert!(told("").contains("expected"));
    }

    #[test]
    fn names_are_different() {
        let mut names: Vec<_> = METRICS.iter().map(|metric| metric.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METRICS.len());
    }
}
