//! What of a ledger decides the verdicts to come, for a search that asks whether it has been here before.
//!
//! Counters and lists look back; only the history and the notes on the current ownership look ahead.

use std::hash::{Hash, Hasher};

use super::{Ledger, State, Verdicts};
use crate::{ids::Epoch, world::Rebasing};

impl Ledger {
    /// The epochs that the outlook names.
    pub(crate) fn epochs(&self) -> impl Iterator<Item = Epoch> + '_ {
        self.state.history.epochs().chain(self.state.notes.epochs())
    }

    /// Goes on as if the run had been at this time all along, and forgets the verdicts so far.
    pub(crate) fn rebase(&mut self, rebasing: &Rebasing) {
        let State { history, notes, verdicts, .. } = &mut self.state;
        history.renumber(|epoch| rebasing.epoch(epoch));
        notes.renumber(|epoch| rebasing.epoch(epoch));
        *verdicts = Verdicts::default();
    }

    /// Feeds the outlook: two ledgers of one log that feed the same judge the same from now on.
    pub(crate) fn hash_outlook(&self, hasher: &mut impl Hasher) {
        self.state.history.hash(hasher);
        self.state.notes.hash(hasher);
    }
}
