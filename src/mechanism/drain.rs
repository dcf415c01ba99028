//! The bounded drain: what a revoked owner does before it lets go.
//!
//! `onPartitionsRevoked` may block for a while: the broker waits for it. So start nothing, let what runs
//! finish, commit, and only then return; but not for longer than the window, because the group stands still
//! meanwhile and an owner that never returns is evicted.

use crate::ids::Tick;

/// A drain that has begun.
///
/// ```
/// use keyed_worker_pool::{ids::Tick, mechanism::Drain};
///
/// let drain = Drain::begin(Tick(10), 7);
/// assert!(!drain.is_over(Tick(12), 1));
/// assert!(drain.is_over(Tick(12), 0));   // nothing runs: no reason to wait
/// assert!(drain.is_over(Tick(17), 3));   // the window is used up: the rest will leak
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Drain {
    begun: Tick,
    deadline: Tick,
}

impl Drain {
    /// Begins at `now` and ends `window` ticks later at the latest.
    #[must_use]
    pub fn begin(now: Tick, window: u64) -> Drain {
        Drain { begun: now, deadline: now.after(window) }
    }

    /// When the owner was told.
    #[must_use]
    pub fn begun(&self) -> Tick {
        self.begun
    }

    /// The last moment at which it ends; what finishes at that very tick still counts.
    #[must_use]
    pub fn deadline(&self) -> Tick {
        self.deadline
    }

    /// Whether to let go at `now`, with `running` attempts of this ownership still under way.
    #[must_use]
    pub fn is_over(&self, now: Tick, running: usize) -> bool {
        running == 0 || now >= self.deadline
    }
}
