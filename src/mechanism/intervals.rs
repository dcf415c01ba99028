//! A set of integers kept as disjoint runs: a million consecutive members cost one entry.

use crate::sorted::SortedMap;

/// A set of `i64` as runs `start .. end` that neither touch nor overlap.
///
/// Inserting or looking up costs O(log runs), whatever the runs' lengths.
///
/// ```
/// use keyed_worker_pool::mechanism::Intervals;
///
/// let mut set = Intervals::default();
/// for member in [3, 5, 4] {
///     assert!(set.insert(member));
/// }
/// assert!(!set.insert(4));
/// assert_eq!(set.runs().collect::<Vec<_>>(), [(3, 6)]);
/// assert_eq!(set.holes(2, 9).collect::<Vec<_>>(), [(2, 3), (6, 9)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Intervals {
    /// Start of each run to its end, which is not a member.
    runs: SortedMap<i64, i64>,
}

impl Intervals {
    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How many runs there are: the set's size in memory.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Whether `member` is in the set.
    #[must_use]
    pub fn contains(&self, member: i64) -> bool {
        self.runs.at_or_below(&member).is_some_and(|(_, &end)| member < end)
    }

    /// Adds `member` (below `i64::MAX`); false if it was there already.
    pub fn insert(&mut self, member: i64) -> bool {
        let above = self.runs.get(&(member + 1)).copied();
        match (self.runs.at_or_below_mut(&member), above) {
            (Some((_, end)), _) if member < *end => return false,
            (Some((_, end)), _) if *end == member => *end = above.unwrap_or(member + 1),
            _ => {
                self.runs.insert(member, above.unwrap_or(member + 1));
            }
        }
        if above.is_some() {
            self.runs.remove(&(member + 1));
        }
        true
    }

    /// Forgets every member below `bound`: O(log runs) for each run that goes.
    pub fn remove_below(&mut self, bound: i64) {
        while self.runs.first_key_value().is_some_and(|(&start, _)| start < bound)
            && let Some((_, end)) = self.runs.pop_first()
        {
            if end > bound {
                self.runs.insert(bound, end);
            }
        }
    }

    /// The runs `(start, end)`, ascending; `end` is not a member.
    pub fn runs(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.runs.iter().map(|(&start, &end)| (start, end))
    }

    /// The stretches of `from .. to` that hold no member, ascending, as `(start, end)`.
    pub fn holes(&self, from: i64, to: i64) -> impl Iterator<Item = (i64, i64)> + '_ {
        let first = match self.runs.at_or_below(&from) {
            Some((_, &end)) => end.clamp(from, to.max(from)),
            None => from,
        };
        let bounds = self
            .runs
            .from(&first)
            .map(|(&start, &end)| (start, end))
            .take_while(move |&(start, _)| start < to);
        bounds
            .chain((first < to).then_some((to, to)))
            .scan(first, |low, (start, end)| Some((std::mem::replace(low, end), start)))
            .filter(|(start, end)| start < end)
    }
}
