//! A world and its ledger, stepped together.

use std::hash::{Hash, Hasher};

use crate::{
    ids::Tick,
    ledger::{Keep, Ledger, Mark, Outcome},
    world::{Input, Rebasing, Setup, World},
};

/// One run under way.
#[derive(Clone, Debug)]
pub struct Run {
    world: World,
    ledger: Ledger,
}

/// A place in a run: all that is needed to go on from there again, and nothing that grows with the run.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    world: World,
    mark: Mark,
}

impl Checkpoint {
    /// How many ticks had been executed there.
    pub(crate) fn now(&self) -> Tick {
        self.world.now()
    }
}

impl Run {
    /// Before tick 0.
    #[must_use]
    pub fn new(setup: &Setup, keep: Keep) -> Run {
        Run { world: World::new(setup), ledger: Ledger::new(setup.log().clone(), keep) }
    }

    /// Executes one tick.
    pub fn step(&mut self, inputs: &[Input]) {
        self.world.step(inputs, &mut self.ledger);
        self.ledger.close_tick(&self.world);
    }

    /// The tick that [`Run::step`] executes next: how many were executed.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.world.now()
    }

    /// The world as it stands.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The ledger as it stands.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What came of it so far.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.ledger.outcome(&self.world)
    }

    /// Sets the run to the time `to`: what it does next and what is judged of it stay the same, if nothing
    /// depends on what is more than `horizon` ticks ago (at most `to`). What was judged so far is forgotten.
    pub(crate) fn rebase(&mut self, to: Tick, horizon: u64) {
        let epochs = self.world.epochs().chain(self.ledger.epochs()).collect();
        let rebasing = Rebasing::new(self.world.now(), to, horizon, epochs);
        self.world.rebase(&rebasing);
        self.ledger.rebase(&rebasing);
    }

    /// Feeds everything on which the run's future and its judgement depend, but for the log.
    pub(crate) fn hash_outlook(&self, hasher: &mut impl Hasher) {
        self.world.hash(hasher);
        self.ledger.hash_outlook(hasher);
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint { world: self.world.clone(), mark: self.ledger.mark() }
    }

    /// Goes to a place where this run has been, earlier or later; the ledger goes on knowing what came after.
    pub(crate) fn go_to(&mut self, checkpoint: &Checkpoint) {
        self.world = checkpoint.world.clone();
        self.ledger.go_to(&checkpoint.mark);
    }

    /// Forgets what is known of the future: it will be another one.
    pub(crate) fn forget_future(&mut self) {
        self.ledger.forget_future();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        ids::{ConsumerId, Offset},
        world::{
            Fails, Knobs, Log, NewRecord, Work,
            config::{CommitOffset, LateCommit, Quarantine, RetryAt, Routing, Then},
        },
    };

    /// A log in which some records fail, always or at first, and some take long.
    fn troubled_log() -> Arc<Log> {
        let record = |n: i64| NewRecord {
            offset: Offset(n + n / 10),
            key: (n % 7 > 0).then(|| format!("key {}", n % 23).as_str().into()),
            work: Work::Ticks(if n % 97 == 1 { 60 } else { 1 + n as u64 * 7 % 5 }),
            fails: if n % 31 == 0 { Fails::Always } else { Fails::First(u32::from(n % 13 == 0)) },
            since: Tick(0),
        };
        Arc::new(Log::from_records(Offset(0), (0..40_000).map(record)).unwrap())
    }

    /// Every 250 ticks the partition is to change hands, and now and then both processes die.
    fn troubles(tick: Tick) -> Vec<Input> {
        let from = ConsumerId::ALL[(tick.0 / 250 % 2) as usize];
        match tick.0 % 1000 {
            249 | 499 | 749 | 999 => vec![Input::Revoke { from, to: from.other() }],
            910 => ConsumerId::ALL.map(Input::Crash).to_vec(),
            911 => ConsumerId::ALL.map(Input::Restart).to_vec(),
            _ => vec![],
        }
    }

    /// The sizes of the checkpoints of a run, written out, and that of all it leaves behind.
    fn sizes(knobs: Knobs, inputs: fn(Tick) -> Vec<Input>) -> (Vec<usize>, usize) {
        let setup = Setup::new(troubled_log(), knobs, &ConsumerId::ALL).unwrap();
        let mut run = Run::new(&setup, Keep::Events);
        let mut sizes = Vec::new();
        while run.now() < Tick(10_000) {
            run.step(&inputs(run.now()));
            if run.now().0.is_multiple_of(50) {
                let Checkpoint { mark, .. } = run.checkpoint();
                sizes.push(format!("{mark:?}").len());
            }
        }
        (sizes, run.ledger.events().len())
    }

    #[test]
    fn a_checkpoint_does_not_grow_with_the_run() {
        let letters = |then| Some(Quarantine { after: 4, then });
        let (park, quarantine) = (letters(Then::Park), letters(Then::Continue));
        let base = Knobs { workers: 20, poll: 8, quarantine, ..Knobs::default() };
        let runs = [
            Knobs { quarantine: park, ack_map: true, commit_every: 3, ..base.clone() },
            Knobs { routing: Routing::Shared, retry_at: RetryAt::Tail, ..base.clone() },
            Knobs { commit_offset: CommitOffset::Highest, quarantine: park, drain: 0, ..base.clone() },
            Knobs { commit_offset: CommitOffset::Highest, routing: Routing::Shared, ..base.clone() },
            Knobs { late_commit: LateCommit::Sent, ack_map: true, drain: 0, ..base.clone() },
            Knobs {
                late_commit: LateCommit::Sent,
                commit_offset: CommitOffset::Highest,
                commit_every: 40,
                drain: 0,
                ..base
            },
        ];
        let calm: fn(Tick) -> Vec<Input> = |_| vec![];
        for (knobs, inputs) in runs.iter().flat_map(|knobs| [(knobs, calm), (knobs, troubles)]) {
            let (sizes, events) = sizes(knobs.clone(), inputs);
            let (early, late) = sizes.split_at(sizes.len() / 4);
            let (early, late) = (early.iter().max().unwrap(), late.iter().max().unwrap());
            assert!(events > 10_000 && *late < early * 5 / 4, "{early}, then {late}: {knobs:?}");
        }
    }
}
