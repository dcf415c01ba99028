//! A plain FIFO queue: the shared pool's, and the order of places that mailboxes use too.

use super::sorted_queue::SortedQueue;
use crate::ids::Offset;

/// A place in a queue, given out when a record joins and good until it leaves. Lower places go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In front of everything that arrived in turn; among these the lower number first.
    Front(i64),
    /// In order of arrival.
    Arrival(u64),
}

/// One queue for everything: any free worker takes the head, whatever its key. It keeps no key's order as
/// soon as there are two workers, which is what it is here to show.
///
/// ```
/// use keyed_worker_pool::{ids::Offset, mechanism::FifoQueue};
///
/// let mut queue = FifoQueue::default();
/// queue.push(Offset(1));
/// let second = queue.push(Offset(2));
/// queue.push_front(Offset(0));           // a retry re-enters in front
/// assert!(queue.remove(second));         // a dead letter leaves at once
/// assert_eq!(queue.take(), Some(Offset(0)));
/// assert_eq!(queue.take(), Some(Offset(1)));
/// assert_eq!(queue.take(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FifoQueue {
    queue: SortedQueue<Place, Offset>,
    arrivals: u64,
    fronts: i64,
}

impl FifoQueue {
    /// Joins the tail.
    pub fn push(&mut self, offset: Offset) -> Place {
        let place = Place::Arrival(self.arrivals);
        self.arrivals += 1;
        self.queue.insert(place, offset);
        place
    }

    /// Goes in front of everything.
    pub fn push_front(&mut self, offset: Offset) -> Place {
        self.fronts -= 1;
        let place = Place::Front(self.fronts);
        self.queue.insert(place, offset);
        place
    }

    /// Takes the head.
    pub fn take(&mut self) -> Option<Offset> {
        self.queue.pop_first().map(|(_, offset)| offset)
    }

    /// Leaves the queue from anywhere; false if the place is empty.
    pub fn remove(&mut self, place: Place) -> bool {
        self.queue.remove(place).is_some()
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The waiting offsets, head first.
    pub fn iter(&self) -> impl Iterator<Item = Offset> + '_ {
        self.queue.iter().map(|(_, &offset)| offset)
    }
}
