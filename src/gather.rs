//! Sets and maps out of many entries, one inserted after the other.
//!
//! `collect` sorts the entries first. That is faster for large collections; but each type sorts with code of its
//! own, 4 KB of the page's module a time, and ours are small or nearly in order.

use std::collections::{BTreeMap, BTreeSet};

/// The set of these values.
pub(crate) fn set<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(values);
    set
}

/// The map of these entries; of several with one key the last stays.
pub(crate) fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(entries);
    map
}
