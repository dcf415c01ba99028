//! Everything of a ledger that grows with the run.

use super::{
    Event, IgnoredInput, Stamp,
    tape::{Tape, Wind},
};
use crate::ids::Offset;

/// The ledger's lists. Which of them are kept is for [`super::Keep`] to say.
#[derive(Clone, Debug, Default)]
pub(super) struct Tapes {
    pub(super) completions: Tape<Stamp>,
    pub(super) redelivered: Tape<Offset>,
    pub(super) duplicates: Tape<Offset>,
    /// Once each; ascending, unless a late commit took the committed offset back: who ends later loses only what
    /// lies above where others ended.
    pub(super) lost: Tape<Offset>,
    /// Those of them that a late attempt has completed after all.
    pub(super) recovered: Tape<Offset>,
    pub(super) quarantined: Tape<Offset>,
    pub(super) leaked: Tape<Stamp>,
    pub(super) rejected: Tape<Stamp>,
    pub(super) watermarks: Tape<Stamp>,
    pub(super) late_commits: Tape<Stamp>,
    pub(super) ignored: Tape<IgnoredInput>,
    pub(super) events: Tape<Event>,
    pub(super) depths: Tape<Option<u64>>,
}

/// How far each tape has been told, in one order.
pub(super) type Lengths = [usize; 13];

/// Every tape, shared or to change, as the tapes are borrowed.
macro_rules! every {
    ($tapes:expr) => {{
        let Tapes { completions, redelivered, duplicates, lost, recovered, quarantined, .. } = $tapes;
        let Tapes { leaked, rejected, watermarks, late_commits, ignored, events, depths, .. } = $tapes;
        [
            completions,
            redelivered,
            duplicates,
            lost,
            recovered,
            quarantined,
            leaked,
            rejected,
            watermarks,
            late_commits,
            ignored,
            events,
            depths,
        ]
    }};
}

impl Tapes {
    pub(super) fn lengths(&self) -> Lengths {
        let tapes: [&dyn Wind; 13] = every!(self);
        tapes.map(Wind::told)
    }

    /// Goes to where the tapes had these lengths.
    pub(super) fn wind(&mut self, lengths: &Lengths) {
        let tapes: [&mut dyn Wind; 13] = every!(self);
        tapes.into_iter().zip(lengths).for_each(|(tape, &told)| tape.wind(told));
    }

    /// Forgets what is known of the future.
    pub(super) fn cut(&mut self) {
        let tapes: [&mut dyn Wind; 13] = every!(self);
        tapes.into_iter().for_each(Wind::cut);
    }
}
