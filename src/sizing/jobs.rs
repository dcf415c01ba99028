//! Independent jobs: done a slice at a time, or on all cores; what comes of them is the same.
//!
//! A page cannot wait for a sweep, and a machine with many cores need not do one job after the other. So each
//! job is a machine that can be stepped, jobs know nothing of one another, and what each found is kept at the
//! job's own place, whoever did it and when.

use super::{
    gauge::Measure,
    moments::{CrashMoment, Crashes, Revoked, Revokes},
    trial::{Case, Trial},
};
use crate::ids::{KeyId, Offset, Tick};

/// How far a list of jobs has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Jobs that are done.
    pub done: usize,
    /// How many there are.
    pub jobs: usize,
    /// Of all there is to do, in thousandths; of the job under way as far as it has got.
    pub permille: u64,
}

impl Progress {
    /// Whether all is done.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self.done == self.jobs
    }
}

/// Something to find out.
#[derive(Clone, Debug)]
pub(super) enum Job {
    /// What comes of a run; and how long records of a key take that come after an offset.
    Run(Case, Option<(KeyId, Offset)>),
    /// What comes of revoking the partition at these moments, with each of these drain windows.
    Revokes(Case, Vec<Tick>, Vec<u64>),
    /// How long a rebalance at these moments waits for the next poll.
    Waits(Case, Vec<Tick>),
    /// What a crash would cost at the end of these ticks.
    Crashes(Case, Vec<Tick>),
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Run(Box<Measure>, Option<u64>),
    /// By moment, then by window.
    Revokes(Vec<Vec<Revoked>>),
    Crashes(Vec<CrashMoment>),
}

/// A job under way.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Run(Box<Trial>),
    Revokes(Box<Revokes>),
    Crashes(Box<Crashes>),
}

impl Job {
    pub(super) fn begin(&self) -> Task {
        match self {
            Job::Run(case, watched) => Task::Run(Box::new(Trial::new(case).watching(*watched))),
            Job::Revokes(case, moments, windows) => {
                Task::Revokes(Box::new(Revokes::new(case, moments, windows)))
            }
            Job::Waits(case, moments) => Task::Revokes(Box::new(Revokes::waiting(case, moments))),
            Job::Crashes(case, moments) => Task::Crashes(Box::new(Crashes::new(case, moments))),
        }
    }

    /// Does all of it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn find(&self) -> Found {
        let mut task = self.begin();
        loop {
            if let Some(found) = task.advance(u64::MAX) {
                return found;
            }
        }
    }
}

impl Task {
    /// Goes on for so many steps; what was found, when it is done.
    pub(super) fn advance(&mut self, steps: u64) -> Option<Found> {
        match self {
            Task::Run(trial) => trial
                .advance(Tick::MAX, steps)
                .then(|| Found::Run(Box::new(trial.measure()), trial.gauge().longest_watched())),
            Task::Revokes(revokes) => revokes.advance(steps).then(|| Found::Revokes(revokes.take())),
            Task::Crashes(crashes) => crashes.advance(steps).then(|| Found::Crashes(crashes.take())),
        }
    }

    fn permille(&self) -> u64 {
        match self {
            Task::Run(trial) => trial.permille(),
            Task::Revokes(revokes) => revokes.trial().permille(),
            Task::Crashes(crashes) => crashes.trial().permille(),
        }
    }
}

/// Jobs, and what they have found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Jobs {
    jobs: Vec<Job>,
    /// In which order they are done: what tells most comes first.
    order: Vec<usize>,
    /// By job.
    found: Vec<Option<Found>>,
    next: usize,
    task: Option<Task>,
}

impl Jobs {
    /// Jobs in the order of their results; `order` names each of them once.
    pub(super) fn new(jobs: Vec<Job>, order: Vec<usize>) -> Jobs {
        debug_assert_eq!(jobs.len(), order.len());
        Jobs { found: vec![None; jobs.len()], jobs, order, next: 0, task: None }
    }

    /// More jobs behind those that there are, to be done in this order.
    pub(super) fn extend(&mut self, jobs: Vec<Job>) {
        self.order.extend(self.jobs.len()..self.jobs.len() + jobs.len());
        self.found.resize(self.found.len() + jobs.len(), None);
        self.jobs.extend(jobs);
    }

    /// What was found, by job.
    pub(super) fn found(&self) -> &[Option<Found>] {
        &self.found
    }

    pub(super) fn progress(&self) -> Progress {
        let jobs = self.jobs.len();
        let permille = (self.next as u64 * 1000 + self.under_way()).checked_div(jobs as u64).unwrap_or(1000);
        Progress { done: self.next, jobs, permille }
    }

    /// How far the job under way has got, in thousandths.
    pub(super) fn under_way(&self) -> u64 {
        self.task.as_ref().map_or(0, Task::permille)
    }

    /// Goes on for about so many steps of the simulation, at least one.
    pub(super) fn advance(&mut self, steps: u64) -> Progress {
        if let Some(&at) = self.order.get(self.next) {
            let task = self.task.get_or_insert_with(|| self.jobs[at].begin());
            if let Some(found) = task.advance(steps.max(1)) {
                self.found[at] = Some(found);
                self.task = None;
                self.next += 1;
            }
        }
        self.progress()
    }

    /// Does all that is left on all threads of the pool that this is called from, and tells each time a job is
    /// done how many are.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn finish(&mut self, tell: &(dyn Fn(Progress) + Sync)) {
        use std::sync::atomic::{AtomicUsize, Ordering};

        use rayon::prelude::*;

        self.task = None;
        let (before, all) = (self.next, self.jobs.len());
        let done = AtomicUsize::new(before);
        // One at a time from the front, so that what tells most is begun first.
        let rest = self.order[before..].par_iter().with_max_len(1);
        let found: Vec<(usize, Found)> = rest
            .map(|&at| {
                let found = self.jobs[at].find();
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                tell(Progress { done, jobs: all, permille: done as u64 * 1000 / all.max(1) as u64 });
                (at, found)
            })
            .collect();
        for (at, found) in found {
            self.found[at] = Some(found);
        }
        self.next = all;
    }
}

/// Places in an order that is coarse before it is fine: the first, the last, the middle, the quarters, and so on.
pub(super) fn coarse_first(count: usize) -> Vec<usize> {
    let mut levels: Vec<(u32, usize)> = (0..count).map(|at| (level(at, count), at)).collect();
    levels.sort_unstable();
    levels.into_iter().map(|(_, at)| at).collect()
}

/// How fine a grid of `count` places must be for this one to lie on it.
pub(super) fn level(at: usize, count: usize) -> u32 {
    if at == 0 || at + 1 == count {
        return 0;
    }
    let (mut low, mut high, mut level) = (0, count - 1, 1);
    loop {
        let middle = (low + high) / 2;
        match at {
            at if at == middle => return level,
            at if at < middle => high = middle,
            _ => low = middle,
        }
        level += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_places_come_first() {
        assert_eq!(coarse_first(9), [0, 8, 4, 2, 6, 1, 3, 5, 7]);
        assert_eq!(coarse_first(4), [0, 3, 1, 2]);
        for count in 0..40 {
            let mut places = coarse_first(count);
            places.sort_unstable();
            assert_eq!(places, (0..count).collect::<Vec<_>>());
        }
    }
}
