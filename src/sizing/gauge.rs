//! What is measured while a run goes on: the ledger's counts, and times.
//!
//! The ledger counts; here is what it has no need of: how long each record was in the system, how far the
//! committed offset lags behind, how long the partition was on its way from one owner to the next. Memory is a
//! number for each record and bounded otherwise, so that a million records are no burden.

use std::sync::Arc;

use super::{
    bits::Bits,
    commits::{Commits, Committed},
};
use crate::{
    ids::{KeyId, Offset, Tick},
    ledger::{Counters, Keep, Ledger},
    world::{EndedBy, Fact, Log, Observer, World},
};

/// From when on a record's time in the system is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum From {
    /// From when it is in the log: what a user of the system waits.
    Arrival,
    /// From its first poll. For a log that is all there from the beginning, where the time since then would
    /// tell a record's place in the queue and nothing about the consumer.
    Poll,
}

/// What came of a run, in numbers. Times are in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Records that were completed or dead-lettered at least once.
    pub finished: u64,
    /// Records of the log, from its start on, that were not.
    pub unfinished: u64,
    /// From the first poll that returned records to the last completion.
    pub makespan: u64,
    /// Time in the system, to the first completion or the dead letter: of the half that is quickest, at most.
    pub p50: u64,
    /// The same for 99 of a hundred.
    pub p99: u64,
    /// The same for all that were finished.
    pub max: u64,
    /// The most records in flight after a poll.
    pub peak_in_flight: u64,
    /// Times that intake paused.
    pub pauses: u64,
    /// The most records that had arrived and were not committed: consumer lag, as Kafka's tools show it.
    pub peak_lag: u64,
    /// The most records that had been polled and were not committed: what a crash would bring again, but for an
    /// acknowledgement map.
    pub peak_span: u64,
    /// Row writes by attempts whose ownership had ended.
    pub leaked: u64,
    /// Row writes that put an older version over a newer one.
    pub rows_back: u64,
    /// Row writes that the guard refused.
    pub rejected: u64,
    /// Records that came again.
    pub redelivered: u64,
    /// Of these, the ones that had been completed before.
    pub duplicates: u64,
    /// Records that nobody will ever process.
    pub lost: u64,
    /// Completions after a later offset of the same key.
    pub order_breaks: u64,
    /// Starts while another attempt for the same key ran on that consumer.
    pub overlaps: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Owners evicted for want of a poll.
    pub evictions: u64,
    /// Processes that died, out of memory included.
    pub crashes: u64,
    /// The longest way from a revoke to the next owner.
    pub handover: u64,
    /// The most bytes of an acknowledgement map in a commit.
    pub map_bytes: u64,
    /// Times that the map began to be too long for a commit.
    pub maps_refused: u64,
    /// The first tick that was not executed.
    pub end: u64,
    /// Whether nothing could change any more; otherwise the run was ended.
    pub settled: bool,
}

/// The observer of one run.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    log: Arc<Log>,
    ledger: Ledger,
    from: From,
    /// By log index: completed or dead-lettered at least once.
    finished: Bits,
    /// By log index: completed by any attempt.
    completed: Bits,
    /// The times in the system of those that were finished.
    times: Vec<u64>,
    /// The tick of each first poll, by the log index of the first record that it returned.
    polls: Vec<(u64, Tick)>,
    /// Log indices of the next record that nobody has polled, and of the next one to arrive.
    unpolled: u64,
    arrived: u64,
    committed: Committed,
    peak_lag: u64,
    peak_span: u64,
    drain_began: Option<Tick>,
    handover: u64,
    map_bytes: u64,
    maps_refused: u64,
    /// Of the map that travelled with the last commit.
    map_bytes_now: u64,
    /// A key that is watched, and the longest that a record of it took behind this offset.
    watched: Option<(KeyId, Offset)>,
    longest_watched: u64,
}

impl Gauge {
    pub(super) fn new(log: &Arc<Log>, from: From, commits: Commits) -> Gauge {
        let start = log.index_at(log.start());
        Gauge {
            log: log.clone(),
            ledger: Ledger::new(log.clone(), Keep::Counters),
            from,
            finished: Bits::default(),
            completed: Bits::default(),
            times: Vec::new(),
            polls: Vec::new(),
            unpolled: start,
            arrived: start,
            committed: Committed::new(commits, start),
            peak_lag: 0,
            peak_span: 0,
            drain_began: None,
            handover: 0,
            map_bytes: 0,
            maps_refused: 0,
            map_bytes_now: 0,
            watched: None,
            longest_watched: 0,
        }
    }

    /// Notes how long the records of a key take that come after this offset.
    pub(super) fn watching(mut self, key: KeyId, after: Offset) -> Gauge {
        self.watched = Some((key, after));
        self
    }

    /// Whether any attempt has completed the record with this log index.
    pub(super) fn has_completed(&self, index: u64) -> bool {
        self.completed.contains(index)
    }

    /// What the broker would have.
    pub(super) fn committed(&self) -> &Committed {
        &self.committed
    }

    /// Bytes of the acknowledgement map that went with the last commit.
    pub(super) fn map_bytes_now(&self) -> u64 {
        self.map_bytes_now
    }

    /// Times that the map began to be too long for a commit.
    pub(super) fn maps_refused(&self) -> u64 {
        self.maps_refused
    }

    /// The end of a tick, or of ticks in which nothing happened.
    pub(super) fn close(&mut self, world: &World, tick: Tick) {
        self.arrive(tick);
        self.committed.close(world, tick);
        self.peak_lag = self.peak_lag.max(self.arrived.saturating_sub(self.committed.at()));
        if let Some((_, session)) = world.owner() {
            let span = session.next_index().saturating_sub(self.committed.at());
            self.peak_span = self.peak_span.max(span);
        }
    }

    fn arrive(&mut self, tick: Tick) {
        if self.log.recipe().is_some() {
            self.arrived = self.log.len();
        }
        while self.log.get(self.arrived).is_some_and(|record| record.since <= tick) {
            self.arrived += 1;
        }
    }

    fn finish(&mut self, index: u64, tick: Tick) {
        if !self.finished.insert(index) {
            return;
        }
        let Some(record) = self.log.get(index) else { return };
        let time = match self.from {
            From::Arrival => tick.since(record.since),
            From::Poll => {
                let poll = self.polls.partition_point(|&(first, _)| first <= index).checked_sub(1);
                poll.map_or(0, |at| tick.since(self.polls[at].1))
            }
        };
        self.times.push(time);
        if let (Some(key), Some((watched, after))) = (record.key, self.watched)
            && key == watched
            && record.offset > after
        {
            self.longest_watched = self.longest_watched.max(time);
        }
    }

    /// The longest time in the system of a watched record; nothing if one of those that had arrived by the end
    /// is not finished.
    pub(super) fn longest_watched(&self) -> Option<u64> {
        let (key, after) = self.watched?;
        let first = self.log.index_at(after.next());
        let records = (first..self.arrived).zip(self.log.iter_from(first));
        let all = records
            .filter(|(_, record)| record.key == Some(key))
            .all(|(index, _)| self.finished.contains(index));
        all.then_some(self.longest_watched)
    }

    /// What came of the run so far.
    pub(super) fn measure(&self, world: &World, settled: bool) -> Measure {
        let counters: &Counters = self.ledger.counters();
        let start = self.log.index_at(self.log.start());
        let finished = self.times.len() as u64;
        let mut times = self.times.clone();
        times.sort_unstable();
        Measure {
            finished,
            unfinished: self.log.len().saturating_sub(start).saturating_sub(finished),
            makespan: counters.makespan().unwrap_or(0),
            p50: percentile(&times, 50),
            p99: percentile(&times, 99),
            max: percentile(&times, 100),
            peak_in_flight: counters.peak_in_flight,
            pauses: counters.pauses,
            peak_lag: self.peak_lag,
            peak_span: self.peak_span,
            leaked: counters.leaked,
            rows_back: counters.rows_back,
            rejected: counters.rejected,
            redelivered: counters.redelivered,
            duplicates: counters.duplicates,
            lost: counters.lost,
            order_breaks: counters.order_breaks,
            overlaps: counters.overlaps,
            dead_letters: counters.quarantined,
            evictions: counters.evictions,
            crashes: counters.crashes,
            handover: self.handover,
            map_bytes: self.map_bytes,
            maps_refused: self.maps_refused,
            end: world.now().0,
            settled,
        }
    }
}

/// The smallest of these, which ascend, that is not exceeded by `percent` of a hundred of them (nearest rank); 0
/// where there are none.
#[must_use]
pub(super) fn percentile(sorted: &[u64], percent: u64) -> u64 {
    let rank = (sorted.len() as u64 * percent).div_ceil(100).max(1);
    sorted.get(rank as usize - 1).copied().unwrap_or(0)
}

impl Observer for Gauge {
    fn note(&mut self, tick: Tick, fact: Fact) {
        self.committed.note(tick, &fact, &self.log);
        match &fact {
            Fact::Polled { indices: (from, to), .. } if *to > self.unpolled => {
                self.polls.push((self.unpolled.max(*from), tick));
                self.unpolled = *to;
            }
            Fact::Completed { attempt, .. } => {
                self.completed.insert(attempt.index);
                self.finish(attempt.index, tick);
            }
            Fact::DeadLettered { index, .. } => self.finish(*index, tick),
            Fact::Committed { map_bytes, .. } => {
                self.map_bytes_now = map_bytes.unwrap_or(0);
                self.map_bytes = self.map_bytes.max(self.map_bytes_now);
            }
            Fact::MapTooLong { .. } => self.maps_refused += 1,
            Fact::DrainBegan { .. } => self.drain_began = Some(tick),
            Fact::OwnerEnded { by: EndedBy::Eviction, .. } => {
                self.drain_began.get_or_insert(tick);
            }
            Fact::Assigned { .. } => {
                if let Some(began) = self.drain_began.take() {
                    self.handover = self.handover.max(tick.since(began));
                }
            }
            _ => {}
        }
        self.ledger.note(tick, fact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!([50, 99, 100].map(|percent| percentile(&hundred, percent)), [50, 99, 100]);
        assert_eq!([50, 99, 100].map(|percent| percentile(&[7], percent)), [7, 7, 7]);
        assert_eq!([50, 99, 100].map(|percent| percentile(&[1, 2, 3], percent)), [2, 3, 3]);
        assert_eq!(percentile(&[], 99), 0);
    }
}
