//! Maps and sets in the order of their keys, in chunks of a few dozen entries.
//!
//! They do what the standard library's B-trees do, under the same names, and take a seventh of the code: each type of
//! key and value has a copy of its own in the page's module, and twenty trees were a fifth of it. A run's keys come
//! nearly in order, so that most entries are appended and most leave at the front.

use std::{
    collections::VecDeque,
    hash::{Hash, Hasher},
    mem,
};

/// Entries of a chunk at most: few enough to be moved by one when one comes or goes.
const CHUNK: usize = 64;

/// A map in the order of its keys.
///
/// Finding is O(log n). What comes or goes moves at most a chunk's entries, and where a chunk is split or ends within
/// the map, a slot for each chunk on the shorter side: for a million entries some thousands.
#[derive(Clone, Debug)]
pub(crate) struct SortedMap<K, V> {
    /// None is empty.
    chunks: VecDeque<Vec<(K, V)>>,
    len: usize,
}

/// Where an entry is or belongs: in which chunk, and where in that.
type Slot = (usize, usize);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap { chunks: VecDeque::new(), len: 0 }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn clear(&mut self) {
        *self = SortedMap::default();
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let (chunk, at) = self.find(key).ok()?;
        Some(&self.chunks.get(chunk)?.get(at)?.1)
    }

    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// Puts an entry in its place; the value that was there before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok((chunk, at)) => Some(mem::replace(&mut self.chunks[chunk][at].1, value)),
            Err(slot) => {
                self.put(slot, (key, value));
                None
            }
        }
    }

    /// The value of a key; `value`, if there was none.
    pub(crate) fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let (chunk, at) = match self.find(&key) {
            Ok(slot) => slot,
            Err(slot) => self.put(slot, (key, value)),
        };
        &mut self.chunks[chunk][at].1
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let slot = self.find(key).ok()?;
        Some(self.take(slot).1)
    }

    pub(crate) fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    pub(crate) fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    pub(crate) fn pop_first(&mut self) -> Option<(K, V)> {
        (self.len > 0).then(|| self.take((0, 0)))
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.chunks.iter_mut().for_each(|chunk| chunk.retain_mut(|(key, value)| keep(key, value)));
        self.chunks.retain(|chunk| !chunk.is_empty());
        self.len = self.chunks.iter().map(Vec::len).sum();
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + '_ {
        self.chunks.iter().flatten().map(|(key, value)| (key, value))
    }

    pub(crate) fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + '_ {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &V> + '_ {
        self.iter().map(|(_, value)| value)
    }

    /// The entries of this key and of those above it.
    pub(crate) fn from<'m>(&'m self, key: &K) -> impl Iterator<Item = (&'m K, &'m V)> + use<'m, K, V> {
        let (Ok((chunk, at)) | Err((chunk, at))) = self.find(key);
        self.chunks.range(chunk.min(self.chunks.len())..).flatten().skip(at).map(|(key, value)| (key, value))
    }

    /// The entry of this key, or of the nearest one below it.
    pub(crate) fn at_or_below_mut(&mut self, key: &K) -> Option<(&K, &mut V)> {
        let (chunk, at) = self.nearest(key)?;
        let (key, value) = self.chunks.get_mut(chunk)?.get_mut(at)?;
        Some((key, value))
    }

    /// The same, to look at.
    pub(crate) fn at_or_below(&self, key: &K) -> Option<(&K, &V)> {
        let (chunk, at) = self.nearest(key)?;
        let (key, value) = self.chunks.get(chunk)?.get(at)?;
        Some((key, value))
    }

    fn nearest(&self, key: &K) -> Option<Slot> {
        match self.find(key) {
            Ok(slot) => Some(slot),
            Err((chunk, 0)) => {
                let below = chunk.checked_sub(1)?;
                Some((below, self.chunks.get(below)?.len() - 1))
            }
            Err((chunk, at)) => Some((chunk, at - 1)),
        }
    }

    /// Where a key is, or where it belongs; behind all others, that is in a chunk that is not there.
    fn find(&self, key: &K) -> Result<Slot, Slot> {
        let is_below = |chunk: &Vec<(K, V)>| chunk.last().is_some_and(|(last, _)| last < key);
        // What is appended is not looked for.
        let at = match self.chunks.back() {
            Some(last) if !is_below(last) => self.chunks.partition_point(is_below),
            _ => return Err((self.chunks.len(), 0)),
        };
        let found = self.chunks[at].binary_search_by(|(own, _)| own.cmp(key));
        found.map(|place| (at, place)).map_err(|place| (at, place))
    }

    /// Puts an entry where it belongs; where it is then.
    fn put(&mut self, (mut chunk, mut at): Slot, entry: (K, V)) -> Slot {
        self.len += 1;
        if chunk == self.chunks.len() {
            match self.chunks.back() {
                Some(last) if last.len() < CHUNK => (chunk, at) = (chunk - 1, last.len()),
                _ => self.chunks.push_back(Vec::new()),
            }
        } else if self.chunks[chunk].len() == CHUNK {
            let upper = self.chunks[chunk].split_off(CHUNK / 2);
            self.chunks.insert(chunk + 1, upper);
            if at > CHUNK / 2 {
                (chunk, at) = (chunk + 1, at - CHUNK / 2);
            }
        }
        self.chunks[chunk].insert(at, entry);
        (chunk, at)
    }

    /// Takes an entry out. Neighbours that have become small are put together.
    fn take(&mut self, (chunk, at): Slot) -> (K, V) {
        self.len -= 1;
        let entry = self.chunks[chunk].remove(at);
        let left = self.chunks[chunk].len();
        if left == 0 {
            self.chunks.remove(chunk);
        } else if left <= CHUNK / 4 {
            self.unite(chunk);
            self.unite(chunk.wrapping_sub(1));
        }
        entry
    }

    /// Makes one of a chunk and the next, if that is a small one.
    fn unite(&mut self, chunk: usize) {
        let len = |chunk: usize| self.chunks.get(chunk).map(Vec::len);
        if let Some((one, other)) = len(chunk).zip(len(chunk.wrapping_add(1)))
            && one + other <= CHUNK / 2
            && let Some(mut next) = self.chunks.remove(chunk + 1)
        {
            self.chunks[chunk].append(&mut next);
        }
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = SortedMap::default();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V: PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Ord, V: Eq> Eq for SortedMap<K, V> {}

impl<K: Ord + Hash, V: Hash> Hash for SortedMap<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len.hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

/// A set in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SortedSet<T: Ord>(SortedMap<T, ()>);

impl<T: Ord> Default for SortedSet<T> {
    fn default() -> Self {
        SortedSet(SortedMap::default())
    }
}

impl<T: Ord> SortedSet<T> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, member: &T) -> bool {
        self.0.contains_key(member)
    }

    /// Whether it is new.
    pub(crate) fn insert(&mut self, member: T) -> bool {
        self.0.insert(member, ()).is_none()
    }

    /// Whether it was there.
    pub(crate) fn remove(&mut self, member: &T) -> bool {
        self.0.remove(member).is_some()
    }

    pub(crate) fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    pub(crate) fn pop_first(&mut self) -> Option<T> {
        self.0.pop_first().map(|(member, ())| member)
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.0.retain(|member, ()| keep(member));
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + '_ {
        self.0.keys()
    }

    /// This member and those above it.
    pub(crate) fn from<'s>(&'s self, member: &T) -> impl Iterator<Item = &'s T> + use<'s, T> {
        self.0.from(member).map(|(member, ())| member)
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, members: I) {
        self.0.extend(members.into_iter().map(|member| (member, ())));
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        SortedSet(members.into_iter().map(|member| (member, ())).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        hash::{DefaultHasher, Hash, Hasher},
    };

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg32;

    use super::{CHUNK, SortedMap, SortedSet};

    fn assert_same(map: &SortedMap<u32, u32>, twin: &BTreeMap<u32, u32>, key: u32) {
        assert!(map.iter().eq(twin.iter()) && map.iter().rev().eq(twin.iter().rev()));
        assert_eq!((map.len(), map.get(&key)), (twin.len(), twin.get(&key)));
        assert_eq!(map.at_or_below(&key), twin.range(..=key).next_back());
        assert!(map.from(&key).eq(twin.range(key..)));
        assert!(map.chunks.iter().all(|chunk| (1..=CHUNK).contains(&chunk.len())));
        // A run of small ones would be as long a way as a list.
        assert!(
            map.chunks.len() <= 3 + map.len() / (CHUNK / 8),
            "{} chunks of {}",
            map.chunks.len(),
            map.len()
        );
    }

    #[test]
    fn a_map_is_what_a_b_tree_is() {
        let mut random = Pcg32::seed_from_u64(7);
        for keys in [8, 300, 5_000] {
            let (mut map, mut twin) = (SortedMap::default(), BTreeMap::new());
            for nth in 0..6_000 {
                let (key, value) = (random.random_range(0..keys), random.random());
                match random.random_range(0..20 + nth / 400) {
                    0..10 => assert_eq!(map.insert(key, value), twin.insert(key, value)),
                    10..12 => assert_eq!(map.or_insert(key, value), twin.entry(key).or_insert(value)),
                    12 => assert_eq!(map.pop_first(), twin.pop_first()),
                    13 if nth % 50 == 0 => {
                        map.retain(|key, _| key % 3 > 0);
                        twin.retain(|key, _| key % 3 > 0);
                    }
                    13 => {
                        let (low, twin) = (map.at_or_below_mut(&key), twin.range_mut(..=key).next_back());
                        assert_eq!(low, twin);
                        low.into_iter().chain(twin).for_each(|(_, value)| *value = 5);
                    }
                    _ => assert_eq!(map.remove(&key), twin.remove(&key)),
                }
                if nth % 16 == 0 {
                    assert_same(&map, &twin, key);
                }
            }
            assert_eq!(twin.clone().into_iter().collect::<SortedMap<_, _>>(), map);
        }
    }

    /// Whatever the order in which they go, those that are left are in few chunks, and nothing else changes.
    #[test]
    fn what_is_thinned_out_is_put_together() {
        const ALL: u32 = 100 * CHUNK as u32;
        let orders: [fn(u32) -> u32; 3] = [|nth| nth, |nth| ALL - 1 - nth, |nth| nth * 7919 % ALL];
        for (stays, order) in [64, 13, 9].into_iter().flat_map(|stays| orders.map(|order| (stays, order))) {
            let mut map: SortedMap<u32, u32> = (0..ALL).map(|key| (key, key)).collect();
            for key in (0..ALL).map(order).filter(|key| key % stays > 0) {
                assert_eq!(map.remove(&key), Some(key));
                assert!(map.chunks.iter().all(|chunk| (1..=CHUNK).contains(&chunk.len())));
            }
            assert!(map.keys().copied().eq((0..ALL).filter(|key| key % stays == 0)));
            let most = 1 + map.len() / (CHUNK / 8);
            assert!(map.chunks.len() <= most, "{} in {} chunks", map.len(), map.chunks.len());
        }
    }

    /// Two that were made in different ways have other chunks, and are equal all the same.
    #[test]
    fn chunks_make_no_difference() {
        let of = |keys: &[u32]| -> SortedMap<u32, u32> { keys.iter().map(|&key| (key, key * 2)).collect() };
        let ascending: Vec<u32> = (0..300).collect();
        let mixed: Vec<u32> = (0..300).map(|n| n * 7 % 300).collect();
        let (one, other) = (of(&ascending), of(&mixed));
        assert!(one.chunks.len() != other.chunks.len() && one == other);
        let hashed = |map: &SortedMap<u32, u32>| {
            let mut hasher = DefaultHasher::new();
            map.hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hashed(&one), hashed(&other));
        let fewer = of(&ascending[..299]);
        let mut another = one.clone();
        another.insert(7, 0);
        for different in [fewer, another, SortedMap::default()] {
            assert!(one != different && hashed(&one) != hashed(&different));
        }
    }

    #[test]
    fn a_set_keeps_what_it_is_told_to_keep() {
        let mut set: SortedSet<u32> = (0..200).collect();
        set.retain(|member| member % 3 == 0);
        assert!(set.iter().copied().eq((0..200).filter(|member| member % 3 == 0)) && set.len() == 67);
    }

    #[test]
    fn what_is_appended_fills_its_chunks() {
        let map: SortedMap<usize, ()> = (0..10 * CHUNK).map(|key| (key, ())).collect();
        assert!(map.chunks.len() == 10 && map.chunks.iter().all(|chunk| chunk.len() == CHUNK));
        assert_eq!(
            (map.first_key_value(), map.last_key_value()),
            (Some((&0, &())), Some((&(10 * CHUNK - 1), &())))
        );
    }
}
