//! A set of log indices, a bit each.

/// Grows as far as the highest index that was ever put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Puts an index in; whether it was not there before.
    pub(super) fn insert(&mut self, index: u64) -> bool {
        let (word, bit) = place(index);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    /// Whether an index is in it.
    pub(super) fn contains(&self, index: u64) -> bool {
        let (word, bit) = place(index);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

fn place(index: u64) -> (usize, u64) {
    ((index / 64) as usize, 1 << (index % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_new_once() {
        let mut bits = Bits::default();
        assert!(bits.insert(0) && bits.insert(64) && bits.insert(63) && !bits.insert(64));
        assert_eq!(
            [0, 1, 63, 64, 65, 9_999].map(|index| bits.contains(index)),
            [true, false, true, true, false, false]
        );
    }
}
