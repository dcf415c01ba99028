//! Traffic from a few numbers: rate, bursts, keys and their skew, latency.
//!
//! Each purpose draws from a stream of its own (1: keys, 2: work, as in a generated log; 3: arrivals), one number a
//! record, so that turning one knob does not reshuffle the others.

use rand_pcg::Pcg32;

use super::{
    BadShape, Latency, Report, Row, Scale, Span, Traffic,
    latency::WORK_STREAM,
    reader::{MOST_ROWS, told},
};
use crate::world::{Generated, draw_below};

const KEY_STREAM: u64 = 1;
const ARRIVAL_STREAM: u64 = 3;

/// The most keys.
const MOST_KEYS: u32 = 1_000_000;

/// What sums of weights, and of time weighted by bursts, may come to: one draw has 32 bits.
const MOST_DRAWN: u64 = 1 << 32;

/// How records arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Each at a moment of its own, all moments equally likely: what many independent senders come to.
    Random,
    /// At equal distances.
    Even,
}

/// Some ticks at the beginning of every period are busier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Ticks from one burst to the next.
    pub every: u64,
    /// Ticks of each.
    pub length: u64,
    /// How many times the rate of the other ticks.
    pub times: u64,
}

/// The numbers that traffic is drawn from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Records in all.
    pub records: u64,
    /// Ticks in which they arrive: the rate is one by the other.
    pub ticks: u64,
    /// How.
    pub arrivals: Arrivals,
    /// Busier times, if there are any.
    pub bursts: Option<Bursts>,
    /// Different keys.
    pub keys: u32,
    /// The key of rank r weighs 1 / r^skew of the first; 0: all alike.
    pub skew: u32,
    /// The work of each record, in ticks.
    pub latency: Latency,
    /// What it is drawn from.
    pub seed: u64,
}

impl Shape {
    /// Draws it; `tick` is what a tick stands for, if it is to be known.
    ///
    /// # Errors
    /// If there is nothing to draw, too much, or a burst makes no sense.
    pub fn traffic(&self, tick: Option<Span>) -> Result<Traffic, BadShape> {
        self.check()?;
        let weights = weights(self.keys, self.skew);
        let mut keys = Pcg32::new(self.seed, KEY_STREAM);
        let mut work = Pcg32::new(self.seed, WORK_STREAM);
        let mut numbers = vec![super::NO_KEY; self.keys as usize];
        let mut names = Vec::new();
        let mut rows = Vec::with_capacity(self.records as usize);
        for time in self.times()? {
            let drawn = draw_below(&mut keys, weights.last().copied().unwrap_or(1));
            let rank = weights.partition_point(|&sum| sum <= drawn);
            // Keys are numbered as they come, so that those that never do are not there.
            let number = &mut numbers[rank];
            if *number == super::NO_KEY {
                *number = names.len() as u32;
                names.push(Generated::key_name(rank as u32 + 1));
            }
            rows.push(Row { time: time as i64, key: *number, work: self.latency.draw(&mut work) });
        }
        let report = Report { rows: self.records, ..Report::default() };
        let scale = Scale { ticks_of_time: true, ticks_of_work: true, tick };
        Ok(Traffic { rows, keys: names, scale, report })
    }

    fn check(&self) -> Result<(), BadShape> {
        let refuse = |sentence: String| Err(BadShape(sentence));
        if self.records == 0 || self.records > MOST_ROWS as u64 {
            return refuse(format!(
                "{} records; there can be 1 to {}",
                told(self.records),
                told(MOST_ROWS as u64)
            ));
        }
        if self.keys == 0 || self.keys > MOST_KEYS {
            return refuse(format!("{} keys; there can be 1 to {}", self.keys, told(MOST_KEYS.into())));
        }
        if self.ticks == 0 {
            return refuse("no ticks to arrive in".to_owned());
        }
        if let Some(Bursts { every, length, times }) = self.bursts {
            if length == 0 || length >= every {
                return refuse(format!(
                    "bursts of {length} ticks every {every}: from 1 to {} there",
                    every.max(1) - 1
                ));
            }
            if times == 0 {
                return refuse(
                    "bursts of no times the usual rate: 1 changes nothing, more makes bursts".to_owned(),
                );
            }
        }
        Ok(())
    }

    /// When the records arrive, rising. Time is stretched so that a tick of a burst is `times` as long as another;
    /// moments are drawn evenly on that.
    fn times(&self) -> Result<Vec<u64>, BadShape> {
        let all = self.stretched(self.ticks).filter(|all| *all <= MOST_DRAWN).ok_or_else(|| {
            BadShape("more than 2^32 ticks, those of bursts counted as often as they are busier".to_owned())
        })?;
        let mut arrivals = Pcg32::new(self.seed, ARRIVAL_STREAM);
        let mut moments: Vec<u64> = match self.arrivals {
            Arrivals::Random => (0..self.records).map(|_| draw_below(&mut arrivals, all)).collect(),
            // At most 2^32 times 10^7.
            Arrivals::Even => (0..self.records).map(|index| index * all / self.records).collect(),
        };
        moments.sort_unstable();
        Ok(moments.into_iter().map(|moment| self.tick_at(moment)).collect())
    }

    /// How long so many ticks are when those of bursts count for more.
    fn stretched(&self, ticks: u64) -> Option<u64> {
        let Some(Bursts { every, length, times }) = self.bursts else { return Some(ticks) };
        let rest = ticks % every;
        let busy = (ticks / every).checked_mul(length)?.checked_add(rest.min(length))?;
        busy.checked_mul(times - 1)?.checked_add(ticks)
    }

    /// The tick in which a stretched moment lies.
    fn tick_at(&self, moment: u64) -> u64 {
        let Some(Bursts { every, length, times }) = self.bursts else { return moment };
        let period = length * times + (every - length);
        let (periods, within) = (moment / period, moment % period);
        let busy = length * times;
        periods * every + if within < busy { within / times } else { length + (within - busy) }
    }
}

/// Running sums of the keys' weights. The first key's is as large as fits, up to a million; none is nothing, so that
/// every key can come.
fn weights(keys: u32, skew: u32) -> Vec<u64> {
    let mut top = 1_000_000u64;
    loop {
        let weight = |rank: u64| (top / rank.saturating_pow(skew)).max(1);
        let mut sum = 0;
        let sums: Vec<u64> = (1..=u64::from(keys))
            .map(|rank| {
                sum += weight(rank);
                sum
            })
            .collect();
        if sum <= MOST_DRAWN || top == 1 {
            return sums;
        }
        top /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Tick;

    fn shape() -> Shape {
        Shape {
            records: 20_000,
            ticks: 10_000,
            arrivals: Arrivals::Random,
            bursts: None,
            keys: 50,
            skew: 1,
            latency: Latency::long_tail(20, 400, 3_000).unwrap(),
            seed: 3,
        }
    }

    fn ticks(shape: &Shape) -> Vec<u64> {
        shape.traffic(None).unwrap().iter().map(|(Tick(tick), ..)| tick).collect()
    }

    #[test]
    fn it_has_the_rate_that_was_asked_for() {
        let ticks = ticks(&shape());
        assert!(ticks.len() == 20_000 && ticks.is_sorted() && *ticks.last().unwrap() < 10_000);
        for thousand in 0..10u64 {
            let there = ticks.iter().filter(|&&tick| tick / 1000 == thousand).count();
            assert!((1_800..2_200).contains(&there), "{there} in the {thousand}th thousand");
        }
        let even = self::ticks(&Shape { arrivals: Arrivals::Even, ..shape() });
        assert!(even.iter().enumerate().all(|(index, &tick)| tick == index as u64 / 2));
    }

    #[test]
    fn bursts_are_as_much_busier_as_was_asked_for() {
        let bursts = Some(Bursts { every: 1_000, length: 100, times: 9 });
        let ticks = ticks(&Shape { bursts, ..shape() });
        let busy = ticks.iter().filter(|&&tick| tick % 1_000 < 100).count();
        // Nine times a tenth of the time, beside the nine tenths: half.
        assert!((9_700..10_300).contains(&busy), "{busy}");
        assert!(ticks.is_sorted() && *ticks.last().unwrap() < 10_000);
    }

    #[test]
    fn a_knob_leaves_the_other_streams_alone() {
        let columns = |shape: &Shape| {
            let traffic = shape.traffic(None).unwrap();
            let keys: Vec<_> = traffic.iter().map(|(_, key, _)| key.cloned()).collect();
            let work: Vec<_> = traffic.iter().map(|(.., work)| work).collect();
            (ticks(shape), keys, work)
        };
        let usual = columns(&shape());
        let other_keys = columns(&Shape { keys: 9, skew: 2, ..shape() });
        assert!(usual.0 == other_keys.0 && usual.1 != other_keys.1 && usual.2 == other_keys.2);
        let other_work = columns(&Shape { latency: Latency::fixed(7).unwrap(), ..shape() });
        assert!(usual.0 == other_work.0 && usual.1 == other_work.1 && usual.2 != other_work.2);
        let other_seed = columns(&Shape { seed: 4, ..shape() });
        assert!(usual.0 != other_seed.0 && usual.1 != other_seed.1 && usual.2 != other_seed.2);
        assert_eq!(usual, columns(&shape()));
    }

    #[test]
    fn many_keys_fit_a_draw() {
        for (keys, skew) in [(MOST_KEYS, 0), (MOST_KEYS, 1), (MOST_KEYS, 40), (1, 0), (4_294, 0)] {
            let weights = weights(keys, skew);
            assert!(weights.len() == keys as usize && *weights.last().unwrap() <= MOST_DRAWN);
            assert!(weights.windows(2).all(|pair| pair[0] < pair[1]));
        }
        let summary = Shape { keys: MOST_KEYS, skew: 0, ..shape() }.traffic(None).unwrap().summary();
        assert!(summary.keys > 19_000);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let bursts = |every, length, times| Some(Bursts { every, length, times });
        for shape in [
            Shape { records: 0, ..shape() },
            Shape { records: u64::MAX, ..shape() },
            Shape { ticks: 0, ..shape() },
            Shape { ticks: u64::MAX, ..shape() },
            Shape { keys: 0, ..shape() },
            Shape { keys: u32::MAX, ..shape() },
            Shape { bursts: bursts(10, 10, 2), ..shape() },
            Shape { bursts: bursts(0, 0, 2), ..shape() },
            Shape { bursts: bursts(10, 1, 0), ..shape() },
            Shape { bursts: bursts(10, 1, u64::MAX), ..shape() },
            Shape { bursts: bursts(u64::MAX, u64::MAX - 1, u64::MAX), ..shape() },
        ] {
            assert!(shape.traffic(None).is_err(), "{shape:?}");
        }
    }
}
