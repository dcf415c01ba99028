//! Generated logs: a recipe and a seed, drawn record by record.
//!
//! Each purpose draws from a stream of its own (1: keys, 2: work), one number a record, so that turning one
//! knob does not reshuffle the other and any record can be reached by jumping the generators ahead.

use rand::Rng;
use rand_pcg::Pcg32;

use super::{
    config::{ConfigError, Rule},
    log::{Fails, Key, Record, Work},
};
use crate::ids::{KeyId, Offset, Tick};

const KEY_STREAM: u64 = 1;
const WORK_STREAM: u64 = 2;

/// The weight of the most popular key; rank r has this divided by r^skew.
const TOP_WEIGHT: u64 = 1_000_000;

/// How to draw a log: `count` records over `keys` keys, the key of rank r weighted `1000000 / r^skew`
/// (0: all alike), work uniform in `work.0 ..= work.1` ticks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Generated {
    seed: u64,
    count: u64,
    skew: u32,
    work: (u64, u64),
    /// Running sums of the keys' weights.
    weights: Vec<u64>,
}

impl Generated {
    /// Checks a recipe.
    ///
    /// # Errors
    /// If there is no key, the keys' weights add up to more than 2^32 (one draw has 32 bits; 4,294 keys of
    /// equal weight do fit), work starts below 1, ends below its start or spans more than 2^32 ticks.
    pub fn new(
        seed: u64,
        count: u64,
        keys: u32,
        skew: u32,
        work: (u64, u64),
    ) -> Result<Generated, ConfigError> {
        if keys == 0 {
            return Err(ConfigError::new("log.generate.keys", keys, Rule::AtLeast(1)));
        }
        if work.0 == 0 {
            return Err(ConfigError::new("log.generate.work", work.0, Rule::AtLeast(1)));
        }
        if work.1 < work.0 {
            return Err(ConfigError::new("log.generate.work", work.1, Rule::AtLeast(work.0)));
        }
        if work.1 - work.0 >= 1 << 32 {
            return Err(ConfigError::new("log.generate.work", work.1, Rule::DrawWithin32Bits));
        }
        let mut sum = 0u64;
        let mut weights = Vec::new();
        for rank in 1..=u64::from(keys) {
            sum += TOP_WEIGHT / rank.saturating_pow(skew);
            if sum > 1 << 32 {
                return Err(ConfigError::new("log.generate.keys", keys, Rule::DrawWithin32Bits));
            }
            weights.push(sum);
        }
        Ok(Generated { seed, count, skew, work, weights })
    }

    /// How many records it draws.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What it draws from.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How much the first keys outweigh the others.
    #[must_use]
    pub fn skew(&self) -> u32 {
        self.skew
    }

    /// The shortest and the longest work, in ticks.
    #[must_use]
    pub fn work(&self) -> (u64, u64) {
        self.work
    }

    /// How many keys it knows, drawn or not.
    #[must_use]
    pub fn keys(&self) -> u32 {
        self.weights.len() as u32
    }

    /// The name of the key of this rank, counted from 1: A to Z, AA, AB and so on.
    #[must_use]
    pub fn key_name(rank: u32) -> Key {
        let mut letters = Vec::new();
        let mut rest = rank;
        while rest > 0 {
            letters.push(b'A' + ((rest - 1) % 26) as u8);
            rest = (rest - 1) / 26;
        }
        letters.reverse();
        Key::new(letters)
    }

    pub(crate) fn iter_from(&self, start: Offset, index: u64) -> GeneratedRecords<'_> {
        let mut keys = Pcg32::new(self.seed, KEY_STREAM);
        let mut work = Pcg32::new(self.seed, WORK_STREAM);
        keys.advance(index);
        work.advance(index);
        GeneratedRecords { recipe: self, start, index, keys, work }
    }
}

/// The records of a recipe, drawn in order.
#[derive(Clone)]
pub struct GeneratedRecords<'a> {
    recipe: &'a Generated,
    start: Offset,
    index: u64,
    keys: Pcg32,
    work: Pcg32,
}

impl Iterator for GeneratedRecords<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        if self.index >= self.recipe.count {
            return None;
        }
        let offset = Offset(self.start.0 + self.index as i64);
        self.index += 1;
        let weights = &self.recipe.weights;
        let drawn = draw_below(&mut self.keys, weights.last().copied().unwrap_or(1));
        let rank = weights.partition_point(|&sum| sum <= drawn);
        let (low, high) = self.recipe.work;
        let work = low + draw_below(&mut self.work, high - low + 1);
        Some(Record {
            offset,
            key: Some(KeyId(rank as u32)),
            work: Work::Ticks(work),
            fails: Fails::First(0),
            since: Tick(0),
        })
    }
}

/// A number below `n <= 2^32`, spelled out because a library may change its own ranges.
pub(crate) fn draw_below(generator: &mut Pcg32, n: u64) -> u64 {
    (u64::from(generator.next_u32()) * n) >> 32
}
