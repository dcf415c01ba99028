//! Small systems for the suites: logs whose keys are in every way alike or not, and consumers for them.
//!
//! Keys are varied up to renaming: `A A B` stands for `B B A` too, because nothing but a lane asks what a key is
//! called. (Lanes ask, so wherever there are any, names share a lane in every way.) Workers and records of equal
//! key, work and failures are left as they are: offsets tell them apart.

use std::sync::Arc;

use super::{Configuration, Troubles};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    world::{Fails, Knobs, Log, NewRecord, Setup, Work},
};

/// A record of a small log: the number of its key, its work and its failures.
#[derive(Clone, Copy)]
pub(super) struct Small {
    pub(super) key: Option<usize>,
    pub(super) work: Work,
    pub(super) fails: Fails,
}

/// All ways to give `len` records keys, of which there are at most `keys`, up to renaming.
pub(super) fn keyings(len: usize, keys: usize) -> Vec<Vec<Small>> {
    let mut all = vec![Vec::new()];
    for _ in 0..len {
        all = all
            .iter()
            .flat_map(|before: &Vec<Small>| {
                let used = before.iter().filter_map(|record| record.key).max().map_or(0, |most| most + 1);
                (0..keys.min(used + 1)).map(|key| {
                    let next = Small { key: Some(key), work: Work::UntilTapped, fails: Fails::First(0) };
                    [before.clone(), vec![next]].concat()
                })
            })
            .collect();
    }
    all
}

/// Each log with one of its records changed, in every way to choose it.
pub(super) fn one_changed(logs: &[Vec<Small>], change: impl Fn(&mut Small)) -> Vec<Vec<Small>> {
    let places = logs.iter().flat_map(|log| (0..log.len()).map(move |at| (log, at)));
    places
        .map(|(log, at)| {
            let mut log = log.clone();
            change(&mut log[at]);
            log
        })
        .collect()
}

pub(super) fn one_fails(logs: &[Vec<Small>], fails: Fails) -> Vec<Vec<Small>> {
    one_changed(logs, |record| record.fails = fails)
}

pub(super) const NAMES: [&str; 3] = ["A", "B", "C"];

/// Of two lanes A, B and C are in the first, D and E in the second.
pub(super) const LANE_NAMES: [[&str; 3]; 4] =
    [["A", "B", "C"], ["A", "B", "D"], ["A", "D", "B"], ["A", "D", "E"]];

/// The same where there are two keys at most.
pub(super) const TWO_LANE_NAMES: [[&str; 3]; 2] = [["A", "B", "C"], ["A", "D", "E"]];

pub(super) fn log(records: &[Small], names: [&str; 3]) -> Arc<Log> {
    log_at(records, names, |index| index)
}

/// A log whose records have these offsets.
pub(super) fn log_at(records: &[Small], names: [&str; 3], offset: fn(i64) -> i64) -> Arc<Log> {
    let new = (0..).zip(records).map(|(index, &Small { key, work, fails })| NewRecord {
        offset: Offset(offset(index)),
        key: key.and_then(|key| names.get(key)).map(|&name| name.into()),
        work,
        fails,
        since: Tick(0),
    });
    Arc::new(Log::from_records(Offset(0), new).expect("ascending offsets"))
}

pub(super) fn alone(log: Arc<Log>, knobs: Knobs) -> Configuration {
    Configuration::new(Setup::new(log, knobs, &[ConsumerId::A]).expect("knobs that make sense"))
}

pub(super) fn grouped(log: Arc<Log>, knobs: Knobs) -> Configuration {
    Configuration::new(Setup::new(log, knobs, &ConsumerId::ALL).expect("knobs that make sense"))
}

pub(super) fn troubles(crashes: u8, revokes: u8) -> Troubles {
    Troubles { crashes, revokes, ..Troubles::default() }
}

/// Every pair of one of `a` and one of `b`.
pub(super) fn pairs<A: Clone, B: Clone>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    a.iter().flat_map(|a| b.iter().map(move |b| (a.clone(), b.clone()))).collect()
}
