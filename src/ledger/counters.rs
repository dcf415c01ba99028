//! How often things happened: all that a long run leaves behind.

use crate::ids::Tick;

/// Counts over a whole run, both consumers together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Polls, those without a record included.
    pub polls: u64,
    /// Records polled, redeliveries included.
    pub polled: u64,
    /// Attempts started.
    pub started: u64,
    /// Attempts that succeeded, late ones included.
    pub completed: u64,
    /// Attempts that failed, late ones included.
    pub failed: u64,
    /// Completions after a later offset of the same key, in attempts of one epoch.
    pub order_breaks: u64,
    /// Starts while another attempt for the same key ran on that consumer.
    pub overlaps: u64,
    /// The most records in flight after any poll.
    pub peak_in_flight: u64,
    /// Times that intake paused.
    pub pauses: u64,
    /// Times that it resumed.
    pub resumes: u64,
    /// Polls through an open gate that returned nothing although there was something to read.
    pub empty_polls: u64,
    /// Commits that changed something.
    pub commits: u64,
    /// Of these, the ones for ownerships that had ended.
    pub late_commits: u64,
    /// Dead letters written.
    pub quarantined: u64,
    /// Owners evicted for want of a poll.
    pub evictions: u64,
    /// Drains that ended in a handover.
    pub handovers: u64,
    /// Processes that died.
    pub crashes: u64,
    /// Records that came again.
    pub redelivered: u64,
    /// Of these, the ones that had been completed before.
    pub duplicates: u64,
    /// Records that nobody will ever process.
    pub lost: u64,
    /// Row writes by attempts whose epoch had ended.
    pub leaked: u64,
    /// Row writes that the guard refused.
    pub rejected: u64,
    /// Row writes that put an older version over a newer one.
    pub rows_back: u64,
    /// When the first process died.
    pub crashed_at: Option<Tick>,
    /// When records were first polled.
    pub first_poll: Option<Tick>,
    /// When an attempt last succeeded.
    pub last_completion: Option<Tick>,
}

impl Counters {
    /// Ticks from the first poll that returned records to the last completion.
    #[must_use]
    pub fn makespan(&self) -> Option<u64> {
        Some(self.last_completion?.since(self.first_poll?))
    }
}
