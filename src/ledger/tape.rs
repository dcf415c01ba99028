//! A list that going back shortens without forgetting its end.
//!
//! What a run leaves behind grows with it, so no checkpoint could hold it. A checkpoint holds lengths instead:
//! going back winds the tapes to theirs, and a replay, which tells the same again, runs over what is there.

use std::fmt;

/// Entries in the order in which they were told, and how many of them have been told as things stand.
#[derive(Clone, Debug)]
pub(super) struct Tape<T> {
    entries: Vec<T>,
    told: usize,
}

/// A tape, whatever is on it.
pub(super) trait Wind {
    /// How many entries have been told.
    fn told(&self) -> usize;

    /// Goes back, or forwards within what is known, to where so many had been told.
    fn wind(&mut self, told: usize);

    /// Forgets what is known of the future.
    fn cut(&mut self);
}

impl<T> Default for Tape<T> {
    fn default() -> Tape<T> {
        Tape { entries: Vec::new(), told: 0 }
    }
}

impl<T: PartialEq + fmt::Debug> Tape<T> {
    /// Tells the next entry.
    pub(super) fn push(&mut self, entry: T) {
        match self.entries.get_mut(self.told) {
            Some(known) => {
                debug_assert_eq!(*known, entry, "a replay tells what was told before");
                *known = entry;
            }
            None => self.entries.push(entry),
        }
        self.told += 1;
    }

    pub(super) fn extend(&mut self, entries: impl IntoIterator<Item = T>) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

impl<T> Tape<T> {
    /// What has been told.
    pub(super) fn so_far(&self) -> &[T] {
        &self.entries[..self.told]
    }

    /// And what was told later, before somebody went back.
    pub(super) fn known(&self) -> &[T] {
        &self.entries
    }
}

impl<T> Wind for Tape<T> {
    fn told(&self) -> usize {
        self.told
    }

    fn wind(&mut self, told: usize) {
        self.told = told.min(self.entries.len());
    }

    fn cut(&mut self) {
        self.entries.truncate(self.told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_back_keeps_the_end_until_it_is_cut() {
        let mut tape = Tape::default();
        tape.extend([1, 2, 3]);
        tape.wind(1);
        assert_eq!((tape.so_far(), tape.known()), (&[1][..], &[1, 2, 3][..]));
        tape.push(2);
        assert_eq!((tape.so_far(), tape.known()), (&[1, 2][..], &[1, 2, 3][..]));
        tape.wind(3);
        assert_eq!(tape.so_far(), [1, 2, 3]);
        tape.wind(1);
        tape.cut();
        tape.push(7);
        assert_eq!((tape.so_far(), tape.known()), (&[1, 7][..], &[1, 7][..]));
        tape.wind(9);
        assert_eq!(tape.told(), 2);
    }
}
