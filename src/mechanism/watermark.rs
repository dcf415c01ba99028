//! The commit watermark: the lowest offset still in flight.
//!
//! A committed offset is a promise: everything below it is finished. With one thread the last finished
//! offset plus one is that promise; with many it is the lowest unfinished one. Nothing else about a
//! consumer has to know that records finish in any order.

use super::{Intervals, sorted_queue::SortedQueue};
use crate::ids::Offset;

/// Tracks the records of one ownership of one partition, each with a payload `T` while in flight.
///
/// Gaps in the log need no telling: an offset that was never polled is never waited for. Every call costs
/// O(log in-flight), and memory is what is in flight plus one run for each stretch of finished offsets
/// above the watermark.
///
/// ```
/// use keyed_worker_pool::{ids::Offset, mechanism::Watermark};
///
/// let mut tracker = Watermark::starting_at(Offset(10));
/// for offset in [10, 11, 14] {                        // 12 and 13 were compacted away
///     tracker.polled(Offset(offset), ());
/// }
/// assert!(tracker.finish(Offset(11)).is_some());
/// assert_eq!(tracker.low(), Offset(10));              // 10 pins it
/// assert!(tracker.finish(Offset(10)).is_some());
/// assert_eq!(tracker.low(), Offset(14));
/// assert!(tracker.finish(Offset(10)).is_none());      // repeated: changes nothing
/// assert!(tracker.finish(Offset(14)).is_some());
/// assert_eq!(tracker.low(), tracker.position());      // nothing in flight
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Watermark<T = ()> {
    position: Offset,
    open: SortedQueue<Offset, T>,
    /// Finished offsets above the watermark.
    finished: Intervals,
    highest_finished: Option<Offset>,
}

impl<T> Watermark<T> {
    /// Begins with nothing in flight at `committed`, the offset the broker handed over.
    #[must_use]
    pub fn starting_at(committed: Offset) -> Watermark<T> {
        Watermark {
            position: committed,
            open: SortedQueue::default(),
            finished: Intervals::default(),
            highest_finished: None,
        }
    }

    /// A record was polled and is in flight from now on.
    ///
    /// # Panics
    /// If `offset` lies below the position: a consumer polls a partition in offset order.
    pub fn polled(&mut self, offset: Offset, payload: T) {
        assert!(offset >= self.position, "polled {offset} below the position {}", self.position);
        self.position = offset.next();
        self.open.insert(offset, payload);
    }

    /// The records below `position` were passed over (a former owner had finished them): they are not in
    /// flight and pin nothing.
    pub fn pass_to(&mut self, position: Offset) {
        self.position = self.position.max(position);
    }

    /// The record is terminal: it gives its payload back and pins the watermark no longer. `None`, and no
    /// change at all, for an offset that is not in flight: a repeated or a stale completion.
    pub fn finish(&mut self, offset: Offset) -> Option<T> {
        let payload = self.open.remove(offset)?;
        self.highest_finished = self.highest_finished.max(Some(offset));
        let low = self.low();
        if offset > low {
            self.finished.insert(offset.0);
        } else if !self.finished.is_empty() {
            self.finished.remove_below(low.0);
        }
        Some(payload)
    }

    /// The watermark: the lowest offset in flight, or the position where nothing is.
    #[must_use]
    pub fn low(&self) -> Offset {
        self.open.first().map_or(self.position, |(offset, _)| offset)
    }

    /// The last polled (or passed) offset + 1.
    #[must_use]
    pub fn position(&self) -> Offset {
        self.position
    }

    /// How many records are in flight.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.open.len()
    }

    /// The highest finished offset, if any is finished: what a consumer must *not* commit.
    #[must_use]
    pub fn highest_finished(&self) -> Option<Offset> {
        self.highest_finished
    }

    /// The finished offsets above the watermark, as runs.
    #[must_use]
    pub fn finished(&self) -> &Intervals {
        &self.finished
    }

    /// The same without the payloads.
    #[must_use]
    pub fn bare(&self) -> Watermark {
        let mut open = SortedQueue::default();
        self.open.iter().for_each(|(offset, _)| open.insert(offset, ()));
        let Watermark { position, highest_finished, .. } = *self;
        Watermark { position, open, finished: self.finished.clone(), highest_finished }
    }

    /// The payload of a record in flight.
    #[must_use]
    pub fn get(&self, offset: Offset) -> Option<&T> {
        self.open.get(offset)
    }

    /// The payload of a record in flight, to change.
    pub fn get_mut(&mut self, offset: Offset) -> Option<&mut T> {
        self.open.get_mut(offset)
    }

    /// What is in flight, offsets ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Offset, &T)> + '_ {
        self.open.iter()
    }

    /// What is in flight, offsets ascending, to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Offset, &mut T)> + '_ {
        self.open.iter_mut()
    }
}
