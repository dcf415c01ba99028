//! A queue kept in the order of its keys: almost always appended to, almost always taken from the front.

use std::{
    collections::VecDeque,
    hash::{Hash, Hasher},
};

use super::Place;
use crate::ids::Offset;

/// A key that can guess how many slots behind another one it stands.
pub(super) trait Rank: Ord + Copy {
    /// Right wherever every key in between is there.
    fn behind(self, first: Self) -> usize;
}

impl Rank for Offset {
    fn behind(self, first: Offset) -> usize {
        usize::try_from(self.0 - first.0).unwrap_or(0)
    }
}

impl Rank for Place {
    fn behind(self, _: Place) -> usize {
        0
    }
}

/// Entries in ascending order of `K`, each key once.
///
/// Appending and taking the first are O(1), finding is O(log n), and removing from the middle leaves a hole
/// that is closed once holes outnumber entries, so that it is O(log n) too in the long run. Inserting into
/// the middle costs the distance to the nearer end: it is for what belongs near the front.
///
/// Two queues are equal if they hold the same entries, holes or not.
#[derive(Clone, Debug)]
pub(super) struct SortedQueue<K, V> {
    /// Neither the first nor the last slot is a hole.
    slots: VecDeque<(K, Option<V>)>,
    holes: usize,
}

impl<K, V> Default for SortedQueue<K, V> {
    fn default() -> Self {
        SortedQueue { slots: VecDeque::new(), holes: 0 }
    }
}

impl<K: Rank, V> SortedQueue<K, V> {
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.holes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn first(&self) -> Option<(K, &V)> {
        self.slots.front().and_then(present)
    }

    pub(super) fn last_key(&self) -> Option<K> {
        self.slots.back().map(|&(key, _)| key)
    }

    pub(super) fn get(&self, key: K) -> Option<&V> {
        self.slots.get(self.find(key)?)?.1.as_ref()
    }

    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let at = self.find(key)?;
        self.slots.get_mut(at)?.1.as_mut()
    }

    /// Puts an entry in its place; an entry with the same key is replaced.
    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.last_key().is_none_or(|last| last < key) {
            self.slots.push_back((key, Some(value)));
            return;
        }
        match self.slots.binary_search_by(|(other, _)| other.cmp(&key)) {
            Ok(at) => {
                if self.slots[at].1.replace(value).is_none() {
                    self.holes -= 1;
                }
            }
            Err(at) => self.slots.insert(at, (key, Some(value))),
        }
    }

    pub(super) fn remove(&mut self, key: K) -> Option<V> {
        let at = self.find(key)?;
        let value = self.slots.get_mut(at)?.1.take()?;
        self.holes += 1;
        self.trim();
        Some(value)
    }

    pub(super) fn pop_first(&mut self) -> Option<(K, V)> {
        let (key, value) = self.slots.pop_front()?;
        self.trim();
        value.map(|value| (key, value))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (K, &V)> + '_ {
        self.slots.iter().filter_map(present)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> + '_ {
        self.slots.iter_mut().filter_map(|(key, value)| Some((*key, value.as_mut()?)))
    }

    fn find(&self, key: K) -> Option<usize> {
        let guess = key.behind(self.slots.front()?.0);
        if self.slots.get(guess).is_some_and(|&(other, _)| other == key) {
            return Some(guess);
        }
        self.slots.binary_search_by(|(other, _)| other.cmp(&key)).ok()
    }

    /// Drops the holes at both ends, and all of them when they are the majority.
    fn trim(&mut self) {
        while self.slots.front().is_some_and(|(_, value)| value.is_none()) {
            self.slots.pop_front();
            self.holes -= 1;
        }
        while self.slots.back().is_some_and(|(_, value)| value.is_none()) {
            self.slots.pop_back();
            self.holes -= 1;
        }
        if self.holes > self.slots.len() / 2 {
            self.slots.retain(|(_, value)| value.is_some());
            self.holes = 0;
        }
    }
}

fn present<K: Copy, V>((key, value): &(K, Option<V>)) -> Option<(K, &V)> {
    Some((*key, value.as_ref()?))
}

impl<K: Rank, V: PartialEq> PartialEq for SortedQueue<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Rank, V: Eq> Eq for SortedQueue<K, V> {}

impl<K: Rank + Hash, V: Hash> Hash for SortedQueue<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::SortedQueue;
    use crate::ids::Offset;

    fn queue(keys: impl IntoIterator<Item = i64>) -> SortedQueue<Offset, u8> {
        let mut queue = SortedQueue::default();
        keys.into_iter().for_each(|key| queue.insert(Offset(key), 0));
        queue
    }

    #[test]
    fn a_key_is_there_once() {
        let mut queue = queue([1, 2, 3]);
        queue.insert(Offset(3), 7);
        assert_eq!((queue.len(), queue.get(Offset(3))), (3, Some(&7)));
        assert_eq!(queue.remove(Offset(2)), Some(0));
        queue.insert(Offset(2), 9);
        assert_eq!((queue.len(), queue.get(Offset(2))), (3, Some(&9)), "into the hole it had left");
        assert_eq!(queue.iter().map(|(key, _)| key.0).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn holes_stay_until_they_are_the_majority() {
        let mut queue = queue(0..5);
        queue.remove(Offset(1));
        queue.remove(Offset(2));
        assert_eq!(queue.slots.len(), 5);
        queue.remove(Offset(3));
        assert_eq!((queue.slots.len(), queue.holes), (2, 0));
    }

    fn hash(queue: &SortedQueue<Offset, u8>) -> u64 {
        let mut hasher = DefaultHasher::new();
        queue.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn holes_are_not_compared() {
        let mut holed = queue([1, 2, 3, 4]);
        holed.remove(Offset(2));
        let plain = queue([1, 3, 4]);
        assert_eq!(holed, plain);
        assert_eq!(hash(&holed), hash(&plain));
        for other in [queue([1, 3]), queue([1, 3, 5])] {
            assert_ne!(holed, other);
            assert_ne!(hash(&holed), hash(&other));
        }
    }
}
