//! A world and its ledger, stepped together.

use crate::{
    ids::Tick,
    ledger::{Keep, Ledger, Outcome},
    world::{Input, Setup, World},
};

/// One run under way.
#[derive(Clone, Debug)]
pub struct Run {
    world: World,
    ledger: Ledger,
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
}
