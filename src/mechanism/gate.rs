//! The intake gate: pause at the high mark, resume at the low one, nothing in between.
//!
//! The distance between the marks is what keeps a consumer from flapping. While paused it goes on polling,
//! without records, so that the group does not take it for dead (`pause()` and `poll()` in Kafka's client).

/// What a test of the gate changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateMove {
    /// In flight reached the high mark: take in nothing more.
    Pause,
    /// In flight fell to the low mark: go on.
    Resume,
}

/// Remembers whether intake is paused.
///
/// ```
/// use keyed_worker_pool::mechanism::{GateMove, PauseGate};
///
/// let mut gate = PauseGate::default();
/// assert_eq!(gate.test(23, 24, 8), None);
/// assert_eq!(gate.test(24, 24, 8), Some(GateMove::Pause));
/// assert_eq!(gate.test(9, 24, 8), None);              // between the marks nothing happens
/// assert!(gate.is_paused());
/// assert_eq!(gate.test(8, 24, 8), Some(GateMove::Resume));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PauseGate {
    paused: bool,
}

impl PauseGate {
    /// Whether intake is paused now.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Tests the records `in_flight` against the marks (`low < high`, in records) and moves the gate.
    pub fn test(&mut self, in_flight: u64, high: u64, low: u64) -> Option<GateMove> {
        if !self.paused && in_flight >= high {
            self.paused = true;
            Some(GateMove::Pause)
        } else if self.paused && in_flight <= low {
            self.paused = false;
            Some(GateMove::Resume)
        } else {
            None
        }
    }

    /// Opens the gate whatever is in flight: the consumer stopped using marks. `Some` if it was paused.
    pub fn open(&mut self) -> Option<GateMove> {
        std::mem::take(&mut self.paused).then_some(GateMove::Resume)
    }
}
