//! How much work a log holds, and how fast it could be done at best.
//!
//! Whatever a consumer does, it cannot beat two bounds: its workers can do no more than one tick of work a
//! tick each, and the records of one key must be done one after the other. The second is what caps the
//! parallelism of keyed processing: no number of workers makes the hottest key faster. No floats here, so
//! that the page and the command line print the same numbers.

use crate::{
    ids::KeyId,
    world::{Fails, Log, Work, config::NullKeys},
};

/// The work of one key, or of all records without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Records that end by themselves.
    pub records: u64,
    /// Ticks they take, one after the other, failing attempts included; what is beyond `u64::MAX` is cut.
    pub work: u64,
    /// The tick before which they cannot be finished, each starting when it arrives or its predecessor ends.
    pub earliest_finish: u64,
}

/// The work in a log from its start on.
///
/// A record that fails its first n attempts costs n + 1 times its work. Records that never end by themselves
/// (until tapped, stuck, or failing for ever) are counted and left out. Delays between attempts are left out
/// too, so that every bound below is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Everything together. Its earliest finish is that of the last key to finish.
    pub total: Load,
    /// By key, in the order of the log's key table.
    pub keys: Vec<Load>,
    /// The records without a key.
    pub keyless: Load,
    /// Records that never end by themselves.
    pub endless: u64,
    /// Whether records arrive while the run goes on.
    pub arrivals: bool,
}

impl Load {
    fn add(&mut self, work: u64, since: u64) {
        self.records += 1;
        self.work = self.work.saturating_add(work);
        self.earliest_finish = self.earliest_finish.max(since).saturating_add(work);
    }
}

impl Workload {
    /// Adds up a log. Takes time in proportion to its length.
    #[must_use]
    pub fn of(log: &Log) -> Workload {
        let mut sums = Workload {
            total: Load::default(),
            keys: vec![Load::default(); log.key_count()],
            keyless: Load::default(),
            endless: 0,
            arrivals: false,
        };
        for record in log.iter_from(log.index_at(log.start())) {
            let since = record.since.0;
            sums.arrivals |= since > 0;
            let (Work::Ticks(ticks), Fails::First(failures)) = (record.work, record.fails) else {
                sums.endless += 1;
                continue;
            };
            let work = ticks.saturating_mul(u64::from(failures) + 1);
            sums.total.records += 1;
            sums.total.work = sums.total.work.saturating_add(work);
            let load = record.key.and_then(|key| sums.keys.get_mut(key.0 as usize));
            load.unwrap_or(&mut sums.keyless).add(work, since);
        }
        let finishes = sums.keys.iter().chain([&sums.keyless]).map(|load| load.earliest_finish);
        sums.total.earliest_finish = finishes.max().unwrap_or(0);
        sums
    }

    /// The key with the most work, the first one in the log if several have; `None` in its place for the
    /// records without a key, where they share a mailbox. Nothing if there is no work at all.
    #[must_use]
    pub fn hottest(&self, null_keys: NullKeys) -> Option<(Option<KeyId>, Load)> {
        self.largest(null_keys, |load| load.work)
    }

    /// The key that can finish last, likewise.
    #[must_use]
    pub fn last_to_finish(&self, null_keys: NullKeys) -> Option<(Option<KeyId>, Load)> {
        self.largest(null_keys, |load| load.earliest_finish)
    }

    fn largest(&self, null_keys: NullKeys, by: impl Fn(&Load) -> u64) -> Option<(Option<KeyId>, Load)> {
        let mut largest: Option<(Option<KeyId>, Load)> = None;
        let keyless = (null_keys == NullKeys::Mailbox).then_some((None, self.keyless));
        let keys = (0..).map(|id| Some(KeyId(id))).zip(self.keys.iter().copied());
        for (key, load) in keys.chain(keyless).filter(|(_, load)| load.records > 0) {
            if largest.is_none_or(|(_, most)| by(&load) > by(&most)) {
                largest = Some((key, load));
            }
        }
        largest
    }

    /// The ticks that keyed processing on this many workers takes at least, all records being there from the
    /// beginning: max(total work / workers, hottest key's work).
    #[must_use]
    pub fn bound(&self, workers: u32, null_keys: NullKeys) -> u64 {
        let share = self.total.work.div_ceil(u64::from(workers.max(1)));
        share.max(self.hottest(null_keys).map_or(0, |(_, load)| load.work))
    }

    /// Workers that the keys can keep busy on average at the very most: total work / hottest key's work, in
    /// hundredths.
    #[must_use]
    pub fn parallelism_hundredths(&self, null_keys: NullKeys) -> Option<u64> {
        let hottest = self.hottest(null_keys)?.1.work;
        hundredths(self.total.work, hottest)
    }
}

/// The shortest and the longest work in a log from its start on, in ticks; nothing where no attempt ends by itself.
#[must_use]
pub fn span_of_work(log: &Log) -> Option<(u64, u64)> {
    let ticks = log.iter_from(log.index_at(log.start())).filter_map(|record| match record.work {
        Work::Ticks(ticks) => Some(ticks),
        Work::UntilTapped | Work::Never => None,
    });
    ticks.fold(None, |span: Option<(u64, u64)>, ticks| {
        Some(span.map_or((ticks, ticks), |(least, most)| (least.min(ticks), most.max(ticks))))
    })
}

/// `dividend / divisor` in hundredths, rounded down.
#[must_use]
pub fn hundredths(dividend: u64, divisor: u64) -> Option<u64> {
    let quotient = (u128::from(dividend) * 100).checked_div(u128::from(divisor))?;
    u64::try_from(quotient).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::{Offset, Tick},
        world::{Key, NewRecord},
    };

    fn log(records: &[(&str, Work, Fails, u64)]) -> Log {
        let record = |(offset, &(key, work, fails, since)): (i64, &(&str, Work, Fails, u64))| NewRecord {
            offset: Offset(offset),
            key: (key != "-").then(|| Key::from(key)),
            work,
            fails,
            since: Tick(since),
        };
        Log::from_records(Offset(1), (0..).zip(records).map(record)).unwrap()
    }

    #[test]
    fn the_hottest_key_caps_what_workers_can_do() {
        let work = |key, ticks| (key, Work::Ticks(ticks), Fails::First(0), 0);
        // The first record lies below the start.
        let log = log(&[work("a", 90), work("a", 6), work("b", 2), work("-", 3), work("a", 1), work("-", 5)]);
        let load = Workload::of(&log);
        assert_eq!((load.total.records, load.total.work), (5, 17));
        assert_eq!(load.hottest(NullKeys::Mailbox).map(|(key, load)| (key, load.work)), Some((None, 8)));
        assert_eq!(
            load.hottest(NullKeys::Spread).map(|(key, load)| (key, load.work)),
            Some((Some(KeyId(0)), 7))
        );
        assert_eq!((load.bound(1, NullKeys::Spread), load.bound(4, NullKeys::Spread)), (17, 7));
        assert_eq!(load.parallelism_hundredths(NullKeys::Spread), Some(242));
    }

    #[test]
    fn failing_attempts_count_and_endless_records_do_not() {
        let log = log(&[
            ("x", Work::Ticks(1), Fails::First(0), 0),
            ("a", Work::Ticks(3), Fails::First(2), 0),
            ("a", Work::Ticks(3), Fails::Always, 0),
            ("a", Work::Never, Fails::First(0), 0),
            ("a", Work::UntilTapped, Fails::First(0), 0),
        ]);
        let load = Workload::of(&log);
        assert_eq!((load.total.work, load.endless), (9, 3));
    }

    #[test]
    fn arrivals_hold_a_key_back() {
        let work = |key, ticks, since| (key, Work::Ticks(ticks), Fails::First(0), since);
        let load = Workload::of(&log(&[work("x", 1, 0), work("a", 5, 2), work("a", 5, 3), work("b", 4, 9)]));
        assert!(load.arrivals);
        // a: 2 to 7 to 12; b: 9 to 13.
        assert_eq!((load.keys[1].earliest_finish, load.keys[2].earliest_finish), (12, 13));
        assert_eq!(load.last_to_finish(NullKeys::Mailbox).map(|(key, _)| key), Some(Some(KeyId(2))));
        assert_eq!(load.total.earliest_finish, 13);
    }

    #[test]
    fn sums_that_are_too_large_are_cut() {
        let work = |ticks| ("a", Work::Ticks(ticks), Fails::First(7), 0);
        let load = Workload::of(&log(&[work(1), work(u64::MAX), work(u64::MAX)]));
        assert_eq!((load.total.work, load.bound(3, NullKeys::Mailbox)), (u64::MAX, u64::MAX));
        assert_eq!(hundredths(u64::MAX, 1), None);
        assert_eq!(hundredths(1, 0), None);
    }

    #[test]
    fn the_span_of_work_is_that_of_attempts_which_end() {
        let work = |key, work| (key, work, Fails::First(0), 0);
        let (never, tapped) = (work("a", Work::Never), work("-", Work::UntilTapped));
        // The first record lies below the start.
        let some =
            log(&[work("a", Work::Ticks(9)), work("a", Work::Ticks(4)), never, work("-", Work::Ticks(2))]);
        assert_eq!(span_of_work(&some), Some((2, 4)));
        assert_eq!(span_of_work(&log(&[never, never, tapped])), None);
    }

    #[test]
    fn an_empty_log_has_no_hottest_key() {
        let load = Workload::of(&Log::from_records(Offset(0), []).unwrap());
        assert_eq!((load.hottest(NullKeys::Mailbox), load.bound(4, NullKeys::Mailbox)), (None, 0));
    }
}
