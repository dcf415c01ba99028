//! Places in a run from which it can be played on, so that going back need not begin at the beginning.

use std::sync::Arc;

use crate::{
    ids::Tick,
    run::{Checkpoint, Run},
};

/// Ticks from one checkpoint to the next in a short run.
const CLOSEST: u64 = 16;

/// Checkpoints are thinned when there are more than these.
const MOST_KEPT: usize = 256;

/// Checkpoints at even distances. A copy of the set shares them.
///
/// When there are too many, every other one goes: the distance follows the length of the run, and memory is
/// that of 256 worlds at most, however long it gets.
#[derive(Clone, Debug)]
pub(super) struct Checkpoints {
    beginning: Arc<Checkpoint>,
    /// The others, by when they were taken: one at each multiple of `spacing`.
    kept: Vec<Arc<Checkpoint>>,
    spacing: u64,
}

impl Checkpoints {
    /// For a run before its first tick.
    pub(super) fn beginning_with(run: &Run) -> Checkpoints {
        Checkpoints { beginning: Arc::new(run.checkpoint()), kept: Vec::new(), spacing: CLOSEST }
    }

    /// How many there are beside the beginning.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Takes one of a run that has just got this far, if it is time for one and there is none yet.
    pub(super) fn pass(&mut self, run: &Run) {
        let now = run.now();
        if !now.0.is_multiple_of(self.spacing) || now <= self.latest().now() {
            return;
        }
        self.kept.push(Arc::new(run.checkpoint()));
        if self.kept.len() > MOST_KEPT {
            self.spacing *= 2;
            self.kept.retain(|checkpoint| checkpoint.now().0.is_multiple_of(self.spacing));
        }
    }

    /// The last one that lies no later than where so many ticks have been executed.
    pub(super) fn before(&self, executed: Tick) -> &Checkpoint {
        match self.place_after(executed).checked_sub(1) {
            Some(place) => &self.kept[place],
            None => &self.beginning,
        }
    }

    /// Drops those that lie later.
    pub(super) fn forget_after(&mut self, executed: Tick) {
        self.kept.truncate(self.place_after(executed));
    }

    fn latest(&self) -> &Checkpoint {
        self.kept.last().unwrap_or(&self.beginning)
    }

    fn place_after(&self, executed: Tick) -> usize {
        self.kept.partition_point(|checkpoint| checkpoint.now() <= executed)
    }
}
