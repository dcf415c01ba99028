//! The partition's log: what the producer wrote, fixed before the first tick.
//!
//! A log is either a list of records or a recipe that draws them one by one; the recipe needs no memory for
//! the records, so that runs of any length can be streamed. It is shared, never changed, and read by index:
//! the n-th record, gaps in the offsets or not.

use std::{collections::BTreeMap, fmt};

use super::{
    config::{ConfigError, Rule},
    generate::{Generated, GeneratedRecords},
    murmur2::murmur2,
};
use crate::ids::{KeyId, Offset, Tick};

/// A record's key: any bytes, possibly none of them. (Having no key at all is `None` in its record.)
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Box<[u8]>);

impl Key {
    /// The key with these bytes.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Key {
        Key(bytes.into())
    }

    /// The key's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Key {
        Key(text.as_bytes().into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(&self.0).fmt(f)
    }
}

/// How long an attempt takes once started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// This many ticks, at least 1.
    Ticks(u64),
    /// Until somebody completes it by hand.
    UntilTapped,
    /// It never ends by itself: a stuck record.
    Never,
}

/// Which attempts of a record fail, counted anew in every epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fails {
    /// The first n; 0 for a healthy record.
    First(u32),
    /// All of them.
    Always,
}

/// One record as the log holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Its offset.
    pub offset: Offset,
    /// Its key, by number in the log's table.
    pub key: Option<KeyId>,
    /// What an attempt costs.
    pub work: Work,
    /// Which attempts fail.
    pub fails: Fails,
    /// The tick from which on a poll can see it.
    pub since: Tick,
}

/// A record on its way into a [`Log`], its key spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRecord {
    /// Its offset, above that of the record before.
    pub offset: Offset,
    /// Its key.
    pub key: Option<Key>,
    /// What an attempt costs.
    pub work: Work,
    /// Which attempts fail.
    pub fails: Fails,
    /// The tick from which on a poll can see it, not below that of the record before.
    pub since: Tick,
}

/// The log of the one partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Log {
    start: Offset,
    keys: Vec<KeyEntry>,
    source: Source,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct KeyEntry {
    key: Key,
    hash: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    Records(Vec<Record>),
    Generated(Generated),
}

impl Log {
    /// A log of these records; `start` is the first committed offset.
    ///
    /// # Errors
    /// If offsets are not strictly increasing within `0 ..= i64::MAX - 1`, work is 0, or a record becomes
    /// visible before the one below it.
    pub fn from_records(
        start: Offset,
        records: impl IntoIterator<Item = NewRecord>,
    ) -> Result<Log, ConfigError> {
        check_start(start)?;
        let mut table = BTreeMap::new();
        let mut keys: Vec<KeyEntry> = Vec::new();
        let mut kept: Vec<Record> = Vec::new();
        for new in records {
            let field = || format!("log.records[{}]", kept.len());
            if new.offset < Offset(0) || new.offset > Offset::MAX {
                return Err(ConfigError::new(field() + ".offset", new.offset, Rule::Offset));
            }
            if new.work == Work::Ticks(0) {
                return Err(ConfigError::new(field() + ".work", 0, Rule::AtLeast(1)));
            }
            if let Some(last) = kept.last() {
                if new.offset <= last.offset {
                    return Err(ConfigError::new(
                        field() + ".offset",
                        new.offset,
                        Rule::Above(last.offset.0),
                    ));
                }
                if new.since < last.since {
                    return Err(ConfigError::new(field() + ".time", new.since, Rule::AtLeast(last.since.0)));
                }
            }
            let key = new.key.map(|key| {
                *table.entry(key).or_insert_with_key(|key| {
                    keys.push(KeyEntry::new(key.clone()));
                    KeyId(keys.len() as u32 - 1)
                })
            });
            kept.push(Record { offset: new.offset, key, work: new.work, fails: new.fails, since: new.since });
        }
        Ok(Log { start, keys, source: Source::Records(kept) })
    }

    /// A log drawn from `recipe`, offsets consecutive from `start`, which is the first committed offset.
    ///
    /// # Errors
    /// If the recipe's last offset would not be one, or `start` is none.
    pub fn generated(start: Offset, recipe: Generated) -> Result<Log, ConfigError> {
        check_start(start)?;
        // The offset after the last one, which is committed in the end.
        let end = i64::try_from(recipe.count()).ok().and_then(|count| start.0.checked_add(count));
        if end.is_none() {
            return Err(ConfigError::new("log.generate.count", recipe.count(), Rule::RoomFrom(start.0)));
        }
        let keys = (1..=recipe.keys()).map(|rank| KeyEntry::new(Generated::key_name(rank))).collect();
        Ok(Log { start, keys, source: Source::Generated(recipe) })
    }

    /// The first committed offset.
    #[must_use]
    pub fn start(&self) -> Offset {
        self.start
    }

    /// The recipe, if the log is drawn by one.
    #[must_use]
    pub fn recipe(&self) -> Option<&Generated> {
        match &self.source {
            Source::Records(_) => None,
            Source::Generated(recipe) => Some(recipe),
        }
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.source {
            Source::Records(records) => records.len() as u64,
            Source::Generated(recipe) => recipe.count(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many different keys there are; their ids count from 0.
    #[must_use]
    pub fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// The key with this number, if there is one.
    #[must_use]
    pub fn key(&self, id: KeyId) -> Option<&Key> {
        self.keys.get(id.0 as usize).map(|entry| &entry.key)
    }

    /// Kafka's murmur2 of the key, made positive as the producer's partitioner does.
    #[must_use]
    pub fn key_hash(&self, id: KeyId) -> u32 {
        self.keys.get(id.0 as usize).map_or(0, |entry| entry.hash)
    }

    /// The index of the first record at or above `offset`.
    #[must_use]
    pub fn index_at(&self, offset: Offset) -> u64 {
        match &self.source {
            Source::Records(records) => records.partition_point(|record| record.offset < offset) as u64,
            Source::Generated(_) => (offset.0.saturating_sub(self.start.0)).max(0) as u64,
        }
        .min(self.len())
    }

    /// The record at `index`, if there is one.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<Record> {
        self.iter_from(index).next()
    }

    /// The record with exactly this offset, if the log holds one.
    #[must_use]
    pub fn find(&self, offset: Offset) -> Option<Record> {
        self.get(self.index_at(offset)).filter(|record| record.offset == offset)
    }

    /// The records from `index` on.
    #[must_use]
    pub fn iter_from(&self, index: u64) -> Records<'_> {
        match &self.source {
            Source::Records(records) => {
                let from = usize::try_from(index).unwrap_or(usize::MAX).min(records.len());
                Records::Listed(records[from..].iter())
            }
            Source::Generated(recipe) => Records::Generated(recipe.iter_from(self.start, index)),
        }
    }
}

/// Records in log order: [`Log::iter_from`].
#[derive(Clone)]
pub enum Records<'a> {
    /// From a list.
    Listed(std::slice::Iter<'a, Record>),
    /// Drawn one by one.
    Generated(GeneratedRecords<'a>),
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        match self {
            Records::Listed(records) => records.next().copied(),
            Records::Generated(records) => records.next(),
        }
    }
}

impl KeyEntry {
    fn new(key: Key) -> KeyEntry {
        let hash = murmur2(key.bytes()) & 0x7fff_ffff;
        KeyEntry { key, hash }
    }
}

fn check_start(start: Offset) -> Result<(), ConfigError> {
    if start < Offset(0) || start > Offset::MAX {
        return Err(ConfigError::new("log.start", start, Rule::Offset));
    }
    Ok(())
}
