//! Per-key mailboxes: each key's records in order, different keys in parallel.
//!
//! A mailbox is a FIFO queue that at most one worker is in at a time. That is the whole guarantee: two
//! records of one key can neither overtake nor overlap, because there is never a second worker to do it.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::{Place, sorted_queue::SortedQueue};
use crate::{ids::Offset, sorted::SortedMap};

/// Mailboxes by key `K` (a record's key, a hash lane, or one constant for a serial consumer).
///
/// A mailbox is *ready* if no worker is in it and its head is not waiting for a retry. A free worker takes,
/// of all ready mailboxes, the head with the lowest offset: that is also what moves the commit watermark
/// soonest. Every call costs O(log in-flight). An idle mailbox is kept for a while, for the next record of its
/// key: at most a thousand more of these than there are records and workers in the others.
///
/// ```
/// use keyed_worker_pool::{ids::Offset, mechanism::Mailboxes};
///
/// let mut mailboxes = Mailboxes::default();
/// mailboxes.push("a", Offset(0));
/// mailboxes.push("a", Offset(1));
/// mailboxes.push("b", Offset(2));
/// assert_eq!(mailboxes.take().unwrap().offset, Offset(0));
/// assert_eq!(mailboxes.take().unwrap().offset, Offset(2));   // 1 waits: somebody is in mailbox a
/// assert!(mailboxes.take().is_none());
///
/// mailboxes.release(&"a");                                   // 0 failed ...
/// let place = mailboxes.hold_head("a", Offset(0));           // ... and keeps the head until its retry
/// assert!(mailboxes.take().is_none());
/// mailboxes.reopen(&"a", place);
/// assert_eq!(mailboxes.take().unwrap().offset, Offset(0));
/// ```
#[derive(Clone, Debug)]
pub struct Mailboxes<K> {
    /// Looked up and never walked through, but where the order of a walk does not matter.
    boxes: FxHashMap<K, Mailbox>,
    /// How many of them hold neither a record nor a worker.
    idle: usize,
    /// The heads that may be taken, each with its mailbox.
    ready: SortedMap<Offset, K>,
    arrivals: u64,
    queued: usize,
    occupied: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Mailbox {
    queue: SortedQueue<Place, Entry>,
    /// Workers in this mailbox: 0 or 1, and more only for those that came in by another routing.
    busy: u32,
    /// The offset under which the mailbox stands in `ready`.
    ready_as: Option<Offset>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    offset: Offset,
    /// Failed and not yet due again: as a head it keeps the mailbox closed.
    held: bool,
}

/// Idle mailboxes that are always worth keeping.
const SPARE_MAILBOXES: usize = 1_000;

/// What [`Mailboxes::take`] hands to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Taken<K> {
    /// The mailbox that the worker is in from now on, until [`Mailboxes::release`].
    pub key: K,
    /// The record.
    pub offset: Offset,
}

impl<K> Default for Mailboxes<K> {
    fn default() -> Self {
        Mailboxes {
            boxes: FxHashMap::default(),
            idle: 0,
            ready: SortedMap::default(),
            arrivals: 0,
            queued: 0,
            occupied: 0,
        }
    }
}

impl<K: Ord + Copy + Hash> Mailboxes<K> {
    /// Joins the tail of its mailbox.
    pub fn push(&mut self, key: K, offset: Offset) -> Place {
        let place = self.next_arrival();
        self.insert(key, place, Entry { offset, held: false });
        place
    }

    /// Joins the tail of its mailbox as one that failed elsewhere and keeps its turn: among failed heads it
    /// stands in offset order, behind records that never failed it is one of them.
    pub fn push_kept(&mut self, key: K, offset: Offset) -> Place {
        let place = self.place_kept(key, offset);
        self.insert(key, place, Entry { offset, held: false });
        place
    }

    /// The same, and not yet due: when it becomes the head it keeps the mailbox closed until
    /// [`Mailboxes::reopen`].
    pub fn push_held(&mut self, key: K, offset: Offset) -> Place {
        let place = self.place_kept(key, offset);
        self.insert(key, place, Entry { offset, held: true });
        place
    }

    fn place_kept(&mut self, key: K, offset: Offset) -> Place {
        let last = self.boxes.get(&key).and_then(|mailbox| mailbox.queue.last_key());
        match last {
            Some(Place::Arrival(_)) => self.next_arrival(),
            Some(Place::Front(_)) | None => Place::Front(offset.0),
        }
    }

    fn next_arrival(&mut self) -> Place {
        self.arrivals += 1;
        Place::Arrival(self.arrivals)
    }

    /// A failed record keeps the head of its mailbox, closed to later ones until [`Mailboxes::reopen`].
    /// Several such heads (possible only after a change of routing) stand in offset order.
    pub fn hold_head(&mut self, key: K, offset: Offset) -> Place {
        let place = Place::Front(offset.0);
        self.insert(key, place, Entry { offset, held: true });
        place
    }

    /// A held record is due: its mailbox may be taken from again once it is the head.
    pub fn reopen(&mut self, key: &K, place: Place) {
        if let Some(mailbox) = self.boxes.get_mut(key)
            && let Some(entry) = mailbox.queue.get_mut(place)
        {
            entry.held = false;
            mailbox.announce(*key, &mut self.ready);
        }
    }

    /// Takes the ready head with the lowest offset; its mailbox is closed until the worker is released.
    pub fn take(&mut self) -> Option<Taken<K>> {
        let (offset, key) = self.ready.pop_first()?;
        let mailbox = self.boxes.get_mut(&key)?;
        mailbox.queue.pop_first();
        mailbox.busy += 1;
        mailbox.ready_as = None;
        self.queued -= 1;
        self.occupied += 1;
        Some(Taken { key, offset })
    }

    /// Whether [`Mailboxes::take`] would find something.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// A worker is in this mailbox that did not come by [`Mailboxes::take`]: an attempt that an earlier
    /// owner left running, or that was started under another routing.
    pub fn occupy(&mut self, key: K) {
        let mailbox = self.boxes.entry(key).or_insert_with(Mailbox::idle(&mut self.idle));
        self.idle -= usize::from(mailbox.is_idle());
        mailbox.busy += 1;
        self.occupied += 1;
        mailbox.announce(key, &mut self.ready);
    }

    /// A worker left this mailbox.
    ///
    /// # Panics
    /// If nobody was in it.
    pub fn release(&mut self, key: &K) {
        let Some(mailbox) = self.boxes.get_mut(key) else { panic!("released a mailbox that nobody is in") };
        assert!(mailbox.busy > 0, "released a mailbox that nobody is in");
        mailbox.busy -= 1;
        self.occupied -= 1;
        self.idle += usize::from(mailbox.is_idle());
        mailbox.announce(*key, &mut self.ready);
        self.drop_idle();
    }

    /// A record leaves its mailbox from anywhere (dead-lettered); false if the place is empty.
    pub fn remove(&mut self, key: &K, place: Place) -> bool {
        let Some(mailbox) = self.boxes.get_mut(key) else { return false };
        let removed = mailbox.queue.remove(place).is_some();
        if removed {
            self.queued -= 1;
            self.idle += usize::from(mailbox.is_idle());
            mailbox.announce(*key, &mut self.ready);
            self.drop_idle();
        }
        removed
    }

    /// How many records are in mailboxes, those held for a retry included, those being worked on not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queued
    }

    /// Whether no record is in any mailbox.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queued == 0
    }

    /// The mailboxes that hold a record or a worker, by key: who is in it, and what waits, head first.
    pub fn iter(&self) -> impl Iterator<Item = (K, u32, impl Iterator<Item = Offset> + '_)> + '_ {
        self.used()
            .map(|(&key, mailbox)| (key, mailbox.busy, mailbox.queue.iter().map(|(_, entry)| entry.offset)))
    }

    fn insert(&mut self, key: K, place: Place, entry: Entry) {
        let mailbox = self.boxes.entry(key).or_insert_with(Mailbox::idle(&mut self.idle));
        self.idle -= usize::from(mailbox.is_idle());
        mailbox.queue.insert(place, entry);
        self.queued += 1;
        mailbox.announce(key, &mut self.ready);
    }

    /// The mailboxes that are not idle, by key.
    fn used(&self) -> impl Iterator<Item = (&K, &Mailbox)> + '_ {
        let mut used: Vec<_> = self.boxes.iter().filter(|(_, mailbox)| !mailbox.is_idle()).collect();
        used.sort_unstable_by_key(|&(key, _)| key);
        used.into_iter()
    }

    /// Idle mailboxes wait for the next record of their key, but not for ever: each sweep removes more than
    /// half of all there are, so that it costs no more than they did.
    fn drop_idle(&mut self) {
        if self.idle > self.queued + self.occupied + SPARE_MAILBOXES {
            self.boxes.retain(|_, mailbox| !mailbox.is_idle());
            self.idle = 0;
        }
    }
}

impl<K: Ord + Copy + Hash> PartialEq for Mailboxes<K> {
    fn eq(&self, other: &Self) -> bool {
        self.arrivals == other.arrivals && self.used().eq(other.used())
    }
}

impl<K: Ord + Copy + Hash> Eq for Mailboxes<K> {}

impl<K: Ord + Copy + Hash> Hash for Mailboxes<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.arrivals.hash(state);
        self.used().for_each(|mailbox| mailbox.hash(state));
    }
}

impl Mailbox {
    /// Makes a mailbox that is idle, and counts it.
    fn idle(count: &mut usize) -> impl FnOnce() -> Mailbox + '_ {
        || {
            *count += 1;
            Mailbox::default()
        }
    }

    fn is_idle(&self) -> bool {
        self.busy == 0 && self.queue.is_empty()
    }

    /// Brings the mailbox's entry in `ready` up to date.
    fn announce<K>(&mut self, key: K, ready: &mut SortedMap<Offset, K>) {
        let head = self.queue.first().map(|(_, entry)| *entry);
        let takeable = head.filter(|entry| self.busy == 0 && !entry.held).map(|entry| entry.offset);
        if takeable == self.ready_as {
            return;
        }
        if let Some(offset) = self.ready_as {
            ready.remove(&offset);
        }
        if let Some(offset) = takeable {
            ready.insert(offset, key);
        }
        self.ready_as = takeable;
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::{Mailboxes, SPARE_MAILBOXES};
    use crate::ids::Offset;

    /// How many mailboxes there are, idle ones included; what is counted along the way must be true.
    fn kept(mailboxes: &Mailboxes<usize>) -> usize {
        let idle = mailboxes.boxes.values().filter(|mailbox| mailbox.is_idle()).count();
        let busy: u32 = mailboxes.boxes.values().map(|mailbox| mailbox.busy).sum();
        assert_eq!((mailboxes.idle, mailboxes.occupied), (idle, busy as usize));
        mailboxes.boxes.len()
    }

    /// A record comes to a mailbox of its own and is done.
    fn serve(mailboxes: &mut Mailboxes<usize>, key: usize) {
        mailboxes.push(key, Offset(key as i64));
        assert_eq!(mailboxes.take().map(|taken| taken.key), Some(key));
        mailboxes.release(&key);
    }

    #[test]
    fn every_way_into_a_mailbox_and_out_of_it_is_counted() {
        let mut mailboxes = Mailboxes::default();
        mailboxes.occupy(1);
        assert_eq!(kept(&mailboxes), 1);
        mailboxes.release(&1);
        assert_eq!((kept(&mailboxes), mailboxes.idle), (1, 1));
        mailboxes.occupy(1);
        mailboxes.occupy(1);
        mailboxes.release(&1);
        assert_eq!((kept(&mailboxes), mailboxes.idle), (1, 0));
        mailboxes.release(&1);
        let place = mailboxes.push(1, Offset(7));
        assert_eq!((kept(&mailboxes), mailboxes.idle), (1, 0));
        assert!(mailboxes.remove(&1, place));
        assert_eq!((kept(&mailboxes), mailboxes.idle), (1, 1));
        serve(&mut mailboxes, 2);
        assert_eq!((kept(&mailboxes), mailboxes.idle), (2, 2));
    }

    #[test]
    fn idle_mailboxes_are_kept_until_they_are_too_many() {
        let mut mailboxes = Mailboxes::default();
        // Two records wait, three workers are in.
        (0..3).for_each(|key| mailboxes.occupy(key));
        mailboxes.push(0, Offset(0));
        mailboxes.push(0, Offset(1));
        let most = SPARE_MAILBOXES + 5;
        (10..10 + most).for_each(|key| serve(&mut mailboxes, key));
        assert_eq!(kept(&mailboxes), 3 + most);
        serve(&mut mailboxes, 10 + most);
        assert_eq!(kept(&mailboxes), 3, "those that hold something stay");
        mailboxes.release(&0);
        assert_eq!(mailboxes.take().map(|taken| taken.offset), Some(Offset(0)));
    }

    fn hash(mailboxes: &Mailboxes<usize>) -> u64 {
        let mut hasher = DefaultHasher::new();
        mailboxes.hash(&mut hasher);
        hasher.finish()
    }

    /// Mailboxes compare by what they hold and by how many have come, kept idle mailboxes or not.
    #[test]
    fn equal_mailboxes_hold_the_same() {
        let after = |keys: &[usize]| {
            let mut mailboxes = Mailboxes::default();
            keys.iter().for_each(|&key| serve(&mut mailboxes, key));
            mailboxes
        };
        let (one, other) = (after(&[1, 2]), after(&[1, 1]));
        assert_eq!(one, other);
        assert_eq!(hash(&one), hash(&other));
        assert_ne!(one, after(&[1]), "the next place differs");
        let mut waits = after(&[1]);
        waits.push(2, Offset(2));
        assert_ne!(one, waits, "a record waits");
        assert_ne!(hash(&one), hash(&waits));
    }
}
