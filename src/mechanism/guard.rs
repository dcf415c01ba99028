//! The version guard: the condition of a conditional write.
//!
//! A broker fences *commits* of members that left the group. It cannot fence a write to a database, which
//! knows nothing of generations: there the row itself has to refuse what is older than it already is.
//! In SQL this is the `WHERE` of an upsert: `... ON CONFLICT (key) DO UPDATE ... WHERE row.version < new.version`.

use crate::ids::Offset;

/// Which writes a row accepts. The version of a write is the offset of the record behind it.
///
/// ```
/// use keyed_worker_pool::{ids::Offset, mechanism::Guard};
///
/// let row = Some(Offset(7));
/// assert!(Guard::Off.admits(row, Offset(3)));        // last write wins, however old
/// assert!(!Guard::Newer.admits(row, Offset(7)));
/// assert!(Guard::NotOlder.admits(row, Offset(7)));   // a repeated write is let through
/// assert!(Guard::Newer.admits(None, Offset(0)));     // a missing row is older than offset 0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Last write wins.
    Off,
    /// Accept only a version above the row's.
    Newer,
    /// Accept the row's version again, and anything above.
    NotOlder,
}

impl Guard {
    /// Whether a write with `version` may replace a row that holds `row` (`None`: there is no row yet).
    #[must_use]
    pub fn admits(self, row: Option<Offset>, version: Offset) -> bool {
        match (self, row) {
            (Guard::Off, _) | (_, None) => true,
            (Guard::Newer, Some(held)) => version > held,
            (Guard::NotOlder, Some(held)) => version >= held,
        }
    }
}
