//! What traffic comes to: sizes, rates, percentiles, and what they mean for a pool that keeps keys in order.
//!
//! Whole numbers throughout; rates and shares are in thousandths, so that page and command line say the same.

use std::fmt;

use super::{NEVER, NO_KEY, Span, Traffic, UNTIL_TAPPED};
use crate::ledger::{escaped, grouped};

/// From this share of the records on, in hundredths, that have a key which no other record has, keeping order is
/// called free: 90.
pub const ALMOST_ALL: u64 = 90;

/// A span must have so many of its windows for their busiest to be told.
const WINDOWS: u64 = 10;

/// The key with the most records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotKey {
    /// Its name, shown safely.
    pub name: String,
    /// Its records.
    pub records: u64,
    /// Their work, in ticks; none that is until tapped or never.
    pub work_ticks: u64,
}

/// What traffic comes to, in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Records.
    pub rows: u64,
    /// Different keys.
    pub keys: u64,
    /// Records without a key.
    pub without_key: u64,
    /// Records whose key no other one has.
    pub single: u64,
    /// The key with the most records; the first of them, if there are several.
    pub hottest: Option<HotKey>,
    /// The most work that one key has, in ticks: no number of workers finishes earlier.
    pub most_work_of_a_key: u64,
    /// The first arrival.
    pub first: u64,
    /// Ticks from the first arrival to the last, both included.
    pub span: u64,
    /// Ticks of the window that peaks are counted in: a second, or a hundredth of the span.
    pub window: u64,
    /// The most records that arrived within one window.
    pub peak: u64,
    /// Work in all, in ticks.
    pub work: u64,
    /// Half of the records take at most this, in ticks.
    pub work_p50: u64,
    /// 99 of 100 take at most this.
    pub work_p99: u64,
    /// The longest.
    pub work_max: u64,
    /// Records that are never finished, or only when tapped: in no number of work above.
    pub endless: u64,
    /// How long a tick is, if it is known.
    pub tick: Option<Span>,
    /// By how many thousandths cutting work into ticks has changed its sum, and whether it grew.
    pub rounding: (u64, bool),
    /// What makes no sense as it was read ([`super::Report::doubts`]).
    pub doubts: Vec<String>,
}

impl Summary {
    pub(super) fn of(traffic: &Traffic) -> Summary {
        let mut keys = vec![(0u64, 0u64); traffic.keys.len()];
        let (mut work, mut endless, mut without_key) = (Vec::with_capacity(traffic.len()), 0, 0);
        let mut exact = 0u128;
        for row in &traffic.rows {
            let is_endless = matches!(row.work, UNTIL_TAPPED | NEVER);
            let ticks = if is_endless { 0 } else { traffic.work_ticks(row.work) };
            if is_endless {
                endless += 1;
            } else {
                work.push(ticks);
                exact += u128::from(row.work);
            }
            match keys.get_mut(row.key as usize) {
                Some((records, sum)) => {
                    *records += 1;
                    *sum = sum.saturating_add(ticks);
                }
                None => without_key += 1,
            }
            debug_assert!(row.key == NO_KEY || (row.key as usize) < keys.len());
        }
        let ticks: Vec<u64> = traffic.rows.iter().map(|row| traffic.time_ticks(row.time)).collect();
        let first = ticks.first().copied().unwrap_or(0);
        let span = ticks.last().copied().unwrap_or(0) - first + 1;
        let window = window(span, traffic.tick());
        let hottest = (0..keys.len()).max_by_key(|&at| (keys[at].0, std::cmp::Reverse(at)));
        let sum = work.iter().fold(0u64, |sum, ticks| sum.saturating_add(*ticks));
        work.sort_unstable();
        Summary {
            rows: traffic.len() as u64,
            keys: keys.len() as u64,
            without_key,
            single: keys.iter().filter(|(records, _)| *records == 1).count() as u64,
            hottest: hottest.map(|at| HotKey {
                name: escaped(&traffic.keys[at].to_string()),
                records: keys[at].0,
                work_ticks: keys[at].1,
            }),
            most_work_of_a_key: keys.iter().map(|(_, work)| *work).max().unwrap_or(0),
            first,
            span,
            window,
            peak: peak(&ticks, window),
            work: sum,
            work_p50: percentile(&work, 50),
            work_p99: percentile(&work, 99),
            work_max: percentile(&work, 100),
            endless,
            tick: traffic.tick(),
            rounding: rounding(traffic, exact, sum),
            doubts: traffic.report.doubts.clone(),
        }
    }

    /// The hottest key's share of the records that have one, in thousandths.
    #[must_use]
    pub fn hottest_share(&self) -> u64 {
        let keyed = (self.rows - self.without_key).max(1);
        self.hottest.as_ref().map_or(0, |hottest| share(hottest.records, keyed))
    }

    /// Records a tick, in thousandths.
    #[must_use]
    pub fn mean_rate(&self) -> u64 {
        thousandths(self.rows, self.span)
    }

    /// Workers that are busy on average if all is done as it comes, in thousandths: work by span.
    #[must_use]
    pub fn mean_busy(&self) -> u64 {
        thousandths(self.work, self.span)
    }

    /// How many workers the keys can keep busy at most, in thousandths: all work by the most that one key has.
    #[must_use]
    pub fn most_busy(&self) -> Option<u64> {
        (self.most_work_of_a_key > 0).then(|| thousandths(self.work, self.most_work_of_a_key))
    }

    /// Whether nearly every record has a key of its own (from [`ALMOST_ALL`] hundredths on): then no two have to
    /// wait for each other, keeping order costs nothing, and every benchmark flatters.
    #[must_use]
    pub fn is_flattering(&self) -> bool {
        let keyed = self.rows - self.without_key;
        keyed > 1 && u128::from(self.single) * 100 >= u128::from(keyed) * u128::from(ALMOST_ALL)
    }

    /// A number of ticks as the reader knows time.
    #[must_use]
    pub fn length(&self, ticks: u64) -> String {
        let nanos = self.tick.and_then(|tick| tick.nanos().checked_mul(ticks));
        match nanos.and_then(Span::from_nanos) {
            Some(span) => about(span),
            None => counted(ticks, "tick"),
        }
    }

    /// What should give its reader pause.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let keyed = self.rows - self.without_key;
        if self.is_flattering() {
            warnings.push(format!(
                "{} of {} with a key have one that no other has ({ALMOST_ALL} % or more is called nearly all): \
                 keeping order costs nothing here, and every measurement flatters. Is this the key that your \
                 records are ordered by?",
                percent(self.single, keyed),
                counted(keyed, "record")
            ));
        }
        warnings.extend(self.doubts.iter().cloned());
        if self.without_key * 2 > self.rows {
            warnings.push(format!("{} of the records have no key", percent(self.without_key, self.rows)));
        }
        if self.tick.is_some() && self.work_p50 <= 1 && self.rounding.0 > 50 {
            let (changed, grew) = self.rounding;
            warnings.push(format!(
                "a tick of {} is coarse for this work: it {} by {} %; take a shorter one",
                self.length(1),
                if grew { "grew" } else { "shrank" },
                decimals(changed, 10, 1)
            ));
        }
        if self.span == 1 && self.rows > 1 {
            warnings.push("everything arrives within one tick: is the unit of time right?".to_owned());
        }
        if self.endless > 0 {
            warnings.push(format!("{} would never end by themselves", counted(self.endless, "record")));
        }
        warnings
    }

    /// All of it, each with its name, as a reader knows time.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let with = |text: String, more: Option<String>| text + more.as_deref().unwrap_or_default();
        let keyless =
            (self.without_key > 0).then(|| format!(", {} without a key", grouped(self.without_key)));
        let hottest = self.hottest.as_ref().map(|hottest| {
            let name: String = hottest.name.chars().take(40).collect();
            let share = decimals(self.hottest_share(), 10, 1);
            format!(", the hottest {name} with {} ({share} %)", counted(hottest.records, "record"))
        });
        let from = (self.first > 0).then(|| format!(", from tick {}", grouped(self.first)));
        let (mean, peak) = (self.rate(self.rows, self.span), self.rate(self.peak, self.window));
        let [p50, p99, max] = [self.work_p50, self.work_p99, self.work_max].map(|ticks| self.length(ticks));
        // What is all there at once has no pace.
        let busy = match self.span {
            1 => "everything at once".to_owned(),
            _ => format!("{} on average", decimals(self.mean_busy(), 1000, 2)),
        };
        let most =
            self.most_busy().map(|most| format!("; the keys keep {} busy at most", decimals(most, 1000, 2)));
        vec![
            ("records", with(grouped(self.rows), keyless)),
            ("keys", with(grouped(self.keys), hottest)),
            ("span", with(self.length(self.span), from)),
            ("arrivals", format!("{mean} on average, {peak} in the busiest {}", self.length(self.window))),
            ("work", format!("p50 {p50}, p99 {p99}, max {max}")),
            ("busy workers", with(busy, most)),
        ]
    }

    /// Records within `window` ticks as a rate that the reader knows: a second, or a tick.
    fn rate(&self, records: u64, ticks: u64) -> String {
        let second = self.tick.map_or(1, |tick| (1_000_000_000 / tick.nanos()).max(1));
        let a_second = self.tick.is_some_and(|tick| tick.nanos() <= 1_000_000_000);
        let (per, unit) = match (self.tick, a_second) {
            (Some(_), true) => (second, "s".to_owned()),
            (Some(tick), false) => (1, tick.to_string().trim_start_matches("1 ").to_owned()),
            (None, _) => (1, "tick".to_owned()),
        };
        let rate = u128::from(records) * 1000 * u128::from(per) / u128::from(ticks.max(1));
        format!("{}/{unit}", decimals(u64::try_from(rate).unwrap_or(u64::MAX), 1000, 3))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, (name, value)) in self.pairs().into_iter().enumerate() {
            let line = if nth == 0 { "" } else { "\n" };
            write!(f, "{line}{name:<14} {value}")?;
        }
        Ok(())
    }
}

/// A count with its noun: "1 row", "1,234 rows".
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(count))
}

/// A length of time as every report tells it: "9 min 59 s".
pub(super) fn about(span: Span) -> String {
    match span.nanos() / 1_000 {
        0 => span.to_string(),
        micros => crate::sizing::Unit::of_micros(1).span(micros),
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{} %", decimals(share(part, whole), 10, 1))
}

/// A part of a whole, to the nearest thousandth.
fn share(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    u64::try_from((part * 2_000 + whole) / (whole * 2)).unwrap_or(u64::MAX)
}

fn thousandths(part: u64, whole: u64) -> u64 {
    let share = u128::from(part) * 1000 / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// `number` by `by`, a power of ten, with at most `digits` digits behind the point.
fn decimals(number: u64, by: u64, digits: usize) -> String {
    let width = by.ilog10() as usize;
    let fraction = format!("{:0width$}", number % by);
    let fraction = fraction[..digits.min(width)].trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction}", grouped(number / by))
}

/// The value that `hundredths` of the sorted ones do not exceed: the nearest rank.
fn percentile(sorted: &[u64], hundredths: usize) -> u64 {
    let rank = (sorted.len() * hundredths).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

fn window(span: u64, tick: Option<Span>) -> u64 {
    let second = tick.map(|tick| 1_000_000_000 / tick.nanos());
    match second {
        Some(second) if second >= 1 && span >= WINDOWS * second => second,
        _ => (span / 100).max(1),
    }
}

/// The most ticks, all rising, that lie within one window.
fn peak(ticks: &[u64], window: u64) -> u64 {
    let (mut from, mut peak) = (0, 0);
    for (at, tick) in ticks.iter().enumerate() {
        while tick - ticks[from] >= window {
            from += 1;
        }
        peak = peak.max(at - from + 1);
    }
    peak as u64
}

fn rounding(traffic: &Traffic, exact: u128, ticks: u64) -> (u64, bool) {
    if traffic.scale.ticks_of_work || exact == 0 {
        return (0, false);
    }
    let now = u128::from(ticks) * u128::from(traffic.scale.nanos());
    let changed = now.abs_diff(exact) * 1000 / exact;
    (u64::try_from(changed).unwrap_or(u64::MAX), now > exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_the_nearest_thousandth() {
        let shares = [(2, 3), (1, 3), (1, 1), (0, 0), (u64::MAX, u64::MAX)];
        assert_eq!(shares.map(|(part, whole)| share(part, whole)), [667, 333, 1_000, 0, 1_000]);
    }

    #[test]
    fn percentiles_are_the_nearest_rank() {
        let numbers: Vec<u64> = (1..=200).collect();
        assert_eq!([50, 99, 100].map(|at| percentile(&numbers, at)), [100, 198, 200]);
        assert_eq!([50, 99, 100].map(|at| percentile(&[7], at)), [7, 7, 7]);
        assert_eq!(percentile(&[], 50), 0);
    }

    #[test]
    fn the_busiest_window_is_found() {
        assert_eq!(peak(&[0, 1, 2, 10, 11, 11, 12, 30], 3), 4);
        assert_eq!(peak(&[0, 0, 0], 1), 3);
        assert_eq!(peak(&[], 1), 0);
    }

    #[test]
    fn decimals_are_cut() {
        let told: Vec<_> = [0, 5, 50, 1_234, 1_500, 2_000_001].map(|number| decimals(number, 1000, 2)).into();
        assert_eq!(told, ["0", "0", "0.05", "1.23", "1.5", "2,000"]);
    }
}
