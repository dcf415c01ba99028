//! A log as bytes: its recipe, or its records, two bytes for a plain one.
//!
//! A record begins with a number of flags (see the constants) and, above them, its work: 0 until tapped, 1
//! never, 2 a number that follows, and from 3 on the ticks themselves, less 2. Then its key (0: none) and
//! whatever the flags announce.

use std::sync::Arc;

use super::{
    MOST_GENERATED, MOST_KEYS,
    bytes::{Packing, Unpacking},
    error::{Flaw, LinkError},
};
use crate::{
    ids::{KeyId, Offset, Tick},
    world::{ConfigError, Fails, Generated, Key, Log, NewRecord, Record, Work},
};

const GENERATED: u64 = 0;
const RECORDS: u64 = 1;

/// Offsets are missing before the record; how many follows.
const GAP: u64 = 1;
/// It fails; how often follows, 0 for always.
const FAILS: u64 = 2;
/// It is in the log later than the one before; how many ticks follows.
const LATER: u64 = 4;
/// How many bits these take.
const FLAG_BITS: u32 = 3;

const UNTIL_TAPPED: u64 = 0;
const NEVER: u64 = 1;
const FOLLOWS: u64 = 2;
/// The longest work that stands with the flags: with them it fills a byte.
const SHORT: u64 = 13;

/// Appends the log.
pub(super) fn pack(packing: &mut Packing, log: &Log) {
    packing.number(log.start().0 as u64);
    if let Some(recipe) = log.recipe() {
        let (least, most) = recipe.work();
        let (keys, skew) = (recipe.keys().into(), recipe.skew().into());
        packing.numbers(&[GENERATED, recipe.seed(), recipe.count(), keys, skew, least, most - least]);
        return;
    }
    packing.numbers(&[RECORDS, log.key_count() as u64]);
    let keys = (0..).map_while(|id| log.key(KeyId(id)));
    keys.for_each(|key| packing.bytes(key.bytes()));
    packing.number(log.len());
    let mut before = None;
    for record in log.iter_from(0) {
        pack_record(packing, before.as_ref(), &record);
        before = Some(record);
    }
}

fn pack_record(packing: &mut Packing, before: Option<&Record>, record: &Record) {
    let next = before.map_or(Offset(0), |before| before.offset.next());
    let gap = (record.offset.0 - next.0) as u64;
    let later = record.since.since(before.map_or(Tick(0), |before| before.since));
    let fails = match record.fails {
        Fails::First(0) => None,
        Fails::First(attempts) => Some(attempts.into()),
        Fails::Always => Some(0),
    };
    let (work, ticks) = match record.work {
        Work::UntilTapped => (UNTIL_TAPPED, None),
        Work::Never => (NEVER, None),
        Work::Ticks(ticks @ 1..=SHORT) => (ticks + FOLLOWS, None),
        Work::Ticks(ticks) => (FOLLOWS, Some(ticks)),
    };
    let (gap, later) = ((gap > 0).then_some(gap), (later > 0).then_some(later));
    let flag = |flag: u64, number: Option<u64>| if number.is_some() { flag } else { 0 };
    let flags = flag(GAP, gap) | flag(FAILS, fails) | flag(LATER, later);
    packing.numbers(&[(work << FLAG_BITS) | flags, record.key.map_or(0, |KeyId(id)| u64::from(id) + 1)]);
    [ticks, gap, fails, later].into_iter().flatten().for_each(|number| packing.number(number));
}

/// The counterpart of [`pack`].
pub(super) fn unpack(bytes: &mut Unpacking<'_>) -> Result<Arc<Log>, LinkError> {
    let start = Offset(bytes.within("the log's start", 0..=Offset::MAX.0 as u64)? as i64);
    let log = match bytes.within("the kind of log", GENERATED..=RECORDS)? {
        GENERATED => recipe(bytes)?.and_then(|recipe| Log::generated(start, recipe)),
        _ => listed(bytes, start)?,
    };
    log.map(Arc::new).map_err(|error| bytes.wrong(Flaw::Config(error)))
}

fn recipe(bytes: &mut Unpacking<'_>) -> Result<Result<Generated, ConfigError>, LinkError> {
    let seed = bytes.number()?;
    let count = bytes.within("the number of records", 0..=MOST_GENERATED)?;
    let keys = bytes.small("the number of keys", 1..=MOST_KEYS)?;
    let skew = bytes.small("the skew", 0..=u32::MAX)?;
    let (least, span) = (bytes.number()?, bytes.number()?);
    Ok(Generated::new(seed, count, keys, skew, (least, least.saturating_add(span))))
}

fn listed(bytes: &mut Unpacking<'_>, start: Offset) -> Result<Result<Log, ConfigError>, LinkError> {
    // Nothing is reserved by a count: it may lie.
    let count = bytes.number()?;
    let keys = (0..count).map(|_| bytes.bytes().map(Key::new)).collect::<Result<Vec<_>, _>>()?;
    let count = bytes.number()?;
    let mut records: Vec<Record> = Vec::new();
    for _ in 0..count {
        records.push(record(bytes, records.last(), keys.len() as u64)?);
    }
    // One at a time, so that a long key that many records share is there once.
    let spelt = records.into_iter().map(|Record { offset, key, work, fails, since }| {
        let key = key.and_then(|KeyId(id)| keys.get(id as usize).cloned());
        NewRecord { offset, key, work, fails, since }
    });
    Ok(Log::from_records(start, spelt))
}

fn record(bytes: &mut Unpacking<'_>, before: Option<&Record>, keys: u64) -> Result<Record, LinkError> {
    let most = ((SHORT + FOLLOWS) << FLAG_BITS) | GAP | FAILS | LATER;
    let head = bytes.within("the kind of a record", 0..=most)?;
    let key = bytes.within("the number of a key", 0..=keys)?;
    let work = match head >> FLAG_BITS {
        UNTIL_TAPPED => Work::UntilTapped,
        NEVER => Work::Never,
        FOLLOWS => Work::Ticks(bytes.number()?),
        short => Work::Ticks(short - FOLLOWS),
    };
    let gap = if head & GAP == 0 { 0 } else { bytes.number()? };
    let fails = match head & FAILS {
        0 => Fails::First(0),
        _ => match bytes.small("the number of failures", 0..=u32::MAX)? {
            0 => Fails::Always,
            attempts => Fails::First(attempts),
        },
    };
    let later = if head & LATER == 0 { 0 } else { bytes.number()? };
    let next = before.map_or(Offset(0), |before| before.offset.next());
    let offset = i64::try_from(gap).ok().and_then(|gap| next.0.checked_add(gap));
    let offset = offset.map(Offset).filter(|&offset| offset <= Offset::MAX);
    Ok(Record {
        offset: offset.ok_or_else(|| bytes.wrong(Flaw::NoOffset))?,
        key: key.checked_sub(1).map(|id| KeyId(id as u32)),
        work,
        fails,
        since: before.map_or(Tick(0), |before| before.since).after(later),
    })
}
