//! How long the work of a record takes, as a distribution: fixed, uniform, or with a long tail.
//!
//! Integers only, and one draw of 32 bits a record by the engine's own rule, so that the same seed gives the same
//! work on every machine.

use std::fmt;

use rand_pcg::Pcg32;

use super::Unit;
use crate::world::draw_below;

/// The stream that work is drawn from, as in a generated log.
pub(super) const WORK_STREAM: u64 = 2;

/// Quantiles are drawn in millionths.
const MILLION: u64 = 1_000_000;

/// The longest latency, in units: so that the product of two fits.
pub(super) const LONGEST: u64 = 1 << 48;

/// A distribution of latency, in the unit of the traffic's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    kind: Kind,
    /// What a drawn length is multiplied by: its unit in nanoseconds, or 1.
    scale: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Fixed(u64),
    Uniform(u64, u64),
    LongTail { p50: u64, p99: u64, max: u64 },
}

/// A distribution, or a shape of traffic, that makes no sense: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadShape(pub(super) String);

impl fmt::Display for BadShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadShape {}

fn refuse<T>(sentence: impl Into<String>) -> Result<T, BadShape> {
    Err(BadShape(sentence.into()))
}

impl Latency {
    /// Always so long.
    ///
    /// # Errors
    /// If it is 0 or longer than 2^48.
    pub fn fixed(length: u64) -> Result<Latency, BadShape> {
        rising(&[("the latency", length)])?;
        Ok(Latency::new(Kind::Fixed(length)))
    }

    /// Every length from one to the other, both included, equally likely.
    ///
    /// # Errors
    /// If they are 0, longer than 2^48, in the wrong order, or more than 2^32 apart: a draw has 32 bits.
    pub fn uniform(shortest: u64, longest: u64) -> Result<Latency, BadShape> {
        rising(&[("the shortest latency", shortest), ("the longest", longest)])?;
        if longest - shortest >= 1 << 32 {
            return refuse(
                "the shortest and the longest latency are more than 2^32 apart: use a coarser unit",
            );
        }
        Ok(Latency::new(Kind::Uniform(shortest, longest)))
    }

    /// Half of all records take at most `p50`, 99 of 100 at most `p99`, none more than `max`. In between, lengths
    /// rise by equal factors for equal shares of the records, from half of `p50` on.
    ///
    /// # Errors
    /// If they are 0, longer than 2^48, or do not rise.
    pub fn long_tail(p50: u64, p99: u64, max: u64) -> Result<Latency, BadShape> {
        rising(&[("p50", p50), ("p99", p99), ("max", max)])?;
        Ok(Latency::new(Kind::LongTail { p50, p99, max }))
    }

    fn new(kind: Kind) -> Latency {
        Latency { kind, scale: 1 }
    }

    /// The same lengths, each meant in this unit and drawn in whole ones of it, for rows in nanoseconds; ticks stay
    /// ticks.
    ///
    /// # Errors
    /// If the longest is longer than some 292 years.
    pub fn of_unit(self, unit: Unit) -> Result<Latency, BadShape> {
        match self.quantile(MILLION).checked_mul(unit.nanos()) {
            Some(nanos) if nanos <= i64::MAX.unsigned_abs() => Ok(Latency { scale: unit.nanos(), ..self }),
            _ => refuse(format!("{} {} is too long a latency", self.quantile(MILLION), unit.name())),
        }
    }

    /// The length, in its unit, that `millionths` of all records do not exceed.
    #[must_use]
    pub fn quantile(&self, millionths: u64) -> u64 {
        let at = millionths.min(MILLION);
        match self.kind {
            Kind::Fixed(length) => length,
            Kind::Uniform(low, high) => {
                let part = u128::from(high - low + 1) * u128::from(at) / u128::from(MILLION);
                (low + part as u64).min(high)
            }
            Kind::LongTail { p50, p99, max } => {
                let knots = [(0, p50.div_ceil(2)), (500_000, p50), (990_000, p99), (MILLION, max)];
                let next = knots.iter().position(|(knot, _)| at <= *knot).unwrap_or(3).max(1);
                between(knots[next - 1], knots[next], at)
            }
        }
    }

    /// One length.
    pub(super) fn draw(&self, generator: &mut Pcg32) -> u64 {
        let length = match self.kind {
            Kind::Fixed(length) => length,
            Kind::Uniform(low, high) => low + draw_below(generator, high - low + 1),
            // From 1 to a million: the longest is drawn, once in a million records.
            Kind::LongTail { .. } => self.quantile(draw_below(generator, MILLION) + 1),
        };
        length * self.scale
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Fixed(length) => write!(f, "always {length}"),
            Kind::Uniform(low, high) => write!(f, "{low} to {high}, all alike"),
            Kind::LongTail { p50, p99, max } => write!(f, "p50 {p50}, p99 {p99}, max {max}"),
        }
    }
}

fn rising(lengths: &[(&str, u64)]) -> Result<(), BadShape> {
    for (what, length) in lengths {
        if *length == 0 || *length > LONGEST {
            return refuse(format!("{what} is {length}; a latency is from 1 to {LONGEST}"));
        }
    }
    match lengths.windows(2).find(|pair| pair[1].1 < pair[0].1) {
        Some([(low, shorter), (high, longer)]) => {
            refuse(format!("{high} is {longer}, below {low}, which is {shorter}"))
        }
        _ => Ok(()),
    }
}

/// A value between two knots: the middle of a stretch has the geometric mean of its ends, again and again, and a
/// stretch of little is straight. Whole numbers and square roots, so that it is the same everywhere.
fn between(mut from: (u64, u64), mut to: (u64, u64), at: u64) -> u64 {
    const STRAIGHT: u64 = 64;
    while to.0 - from.0 > STRAIGHT {
        let middle = from.0.midpoint(to.0);
        // At most 2^48 each.
        let mean = (u128::from(from.1) * u128::from(to.1)).isqrt() as u64;
        let knot = (middle, mean.clamp(from.1, to.1));
        if at <= middle { to = knot } else { from = knot }
    }
    let (width, rise) = (u128::from(to.0 - from.0).max(1), u128::from(to.1 - from.1));
    from.1 + (rise * u128::from(at - from.0) / width) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `count` draws, sorted.
    fn drawn(latency: &Latency, count: usize) -> Vec<u64> {
        let mut generator = Pcg32::new(7, WORK_STREAM);
        let mut lengths: Vec<u64> = (0..count).map(|_| latency.draw(&mut generator)).collect();
        lengths.sort_unstable();
        lengths
    }

    #[test]
    fn a_long_tail_keeps_its_percentiles() {
        for (p50, p99, max) in [(20, 400, 3_000), (1, 1, 1), (1, 2, 1_000_000), (800, 800, 801)] {
            let latency = Latency::long_tail(p50, p99, max).unwrap();
            assert_eq!([500_000, 990_000, MILLION].map(|at| latency.quantile(at)), [p50, p99, max]);
            let lengths = drawn(&latency, 100_000);
            // A sample's percentile lies between those of the distribution half a percent to either side.
            for (at, index) in [(500_000, 49_999), (990_000, 98_999)] {
                let (low, high) = (latency.quantile(at - 5_000), latency.quantile(at + 5_000));
                assert!((low..=high).contains(&lengths[index]), "{latency}: {} at {at}", lengths[index]);
            }
            assert!(*lengths.last().unwrap() <= max && lengths[0] >= p50.div_ceil(2));
        }
    }

    #[test]
    fn quantiles_rise() {
        for latency in [
            Latency::long_tail(20, 400, 3_000),
            Latency::uniform(3, 9),
            Latency::long_tail(1, LONGEST, LONGEST),
        ] {
            let latency = latency.unwrap();
            let quantiles: Vec<u64> = (0..=1000).map(|at| latency.quantile(at * 1000)).collect();
            assert!(quantiles.is_sorted(), "{latency}");
        }
    }

    #[test]
    fn uniform_has_both_ends() {
        let lengths = drawn(&Latency::uniform(3, 6).unwrap(), 10_000);
        for length in 3..=6 {
            let share = lengths.iter().filter(|&&drawn| drawn == length).count();
            assert!((2_300..2_700).contains(&share), "{length}: {share}");
        }
        assert_eq!((lengths[0], lengths[9_999]), (3, 6));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let why = |latency: Result<Latency, BadShape>| latency.unwrap_err().to_string();
        assert_eq!(why(Latency::fixed(0)), format!("the latency is 0; a latency is from 1 to {LONGEST}"));
        assert_eq!(why(Latency::long_tail(5, 4, 9)), "p99 is 4, below p50, which is 5");
        assert!(why(Latency::uniform(1, 1 << 40)).contains("2^32"));
        assert!(Latency::uniform(1, u64::MAX).is_err());
    }
}
