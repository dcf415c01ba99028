//! When the records of a log arrive, as a chart: bursts and quiet stretches are seen before anything is sized.

use super::{
    axes::{Kind, linear},
    unit::Unit,
};
use crate::{
    export::picture::{Graph, Hue, Line, Plot},
    world::Log,
};

/// Parts that the time is cut into at most.
const PARTS: u64 = 120;

/// Records that arrive in equal parts of the log's time; nothing where all are there from the beginning.
#[must_use]
pub fn arrivals(log: &Log, unit: Unit) -> Option<Plot> {
    let times = || log.iter_from(0).map(|record| record.since.0);
    let (first, last) = (times().min()?, times().max()?);
    if first == last {
        return None;
    }
    let part = round((last - first + 1).div_ceil(PARTS));
    let mut counts = vec![0u64; ((last - first) / part + 1) as usize];
    for time in times() {
        counts[((time - first) / part) as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1);
    let points = (0..).zip(counts).map(|(nth, count)| (nth * part, count)).collect();
    let (_, x) = linear("since the first", Kind::Span(unit), last - first);
    let (title, y) = linear(&format!("records in every {}", unit.span(part)), Kind::Count, most);
    let line = Line { name: "arrivals".to_owned(), points, hue: Hue::Blue, dashed: false };
    let graph = Graph { title, x, y, lines: vec![line], marks: vec![], limits: vec![] };
    Some(Plot { title: "When the records arrive".to_owned(), graphs: vec![graph] })
}

/// 1, 2 or 5, and zeros: the first such number that is not below this one.
fn round(least: u64) -> u64 {
    let mut decade = 1u64;
    loop {
        for factor in [1, 2, 5] {
            let value = decade.saturating_mul(factor);
            if value >= least {
                return value;
            }
        }
        decade = decade.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_round() {
        assert_eq!([0, 1, 3, 5, 6, 11, 499, u64::MAX].map(round), [1, 1, 5, 5, 10, 20, 500, u64::MAX]);
    }
}
