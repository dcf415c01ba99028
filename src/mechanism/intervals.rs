//! A set of integers kept as disjoint runs: a million consecutive members cost one entry.

use std::collections::BTreeMap;

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
    runs: BTreeMap<i64, i64>,
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
        self.runs.range(..=member).next_back().is_some_and(|(_, &end)| member < end)
    }

    /// Adds `member` (below `i64::MAX`); false if it was there already.
    pub fn insert(&mut self, member: i64) -> bool {
        // The runs next to the member: one that begins right above it, and the last that begins below.
        let mut near = self.runs.range_mut(..=member + 1);
        let mut below = near.next_back();
        let above = match below {
            Some((&start, &mut end)) if start == member + 1 => {
                below = near.next_back();
                Some((start, end))
            }
            _ => None,
        };
        let below = below.map(|(_, end)| end);
        match (below, above) {
            (Some(end), _) if member < *end => return false,
            (Some(end), None) if *end == member => *end = member + 1,
            (Some(end), Some((start, last))) if *end == member => {
                *end = last;
                self.runs.remove(&start);
            }
            (_, Some((start, last))) => {
                self.runs.remove(&start);
                self.runs.insert(member, last);
            }
            (_, None) => {
                self.runs.insert(member, member + 1);
            }
        }
        true
    }

    /// Forgets every member below `bound`: O(log runs) for each run that goes.
    pub fn remove_below(&mut self, bound: i64) {
        while let Some(first) = self.runs.first_entry() {
            if *first.key() >= bound {
                break;
            }
            let end = first.remove();
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
        let first = match self.runs.range(..=from).next_back() {
            Some((_, &end)) => end.clamp(from, to.max(from)),
            None => from,
        };
        let bounds = self.runs.range(first..to.max(first)).map(|(&start, &end)| (start, end));
        bounds
            .chain((first < to).then_some((to, to)))
            .scan(first, |low, (start, end)| Some((std::mem::replace(low, end), start)))
            .filter(|(start, end)| start < end)
    }
}
