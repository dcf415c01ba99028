//! Transport over a run: a setup, the inputs by tick, and where in time the reader stands.
//!
//! A run is exactly (setup, inputs by tick), so this is all there is to remember. What plays it (frames,
//! speed, visibility) is the page's business.

use std::collections::BTreeMap;

use crate::{
    ids::Tick,
    ledger::Keep,
    run::Run,
    world::{Input, Setup},
};

/// A run that can be stepped, acted upon and started over.
#[derive(Clone, Debug)]
pub struct Player {
    setup: Setup,
    keep: Keep,
    /// The last tick to execute.
    last: Tick,
    inputs: BTreeMap<Tick, Vec<Input>>,
    run: Run,
}

impl Player {
    /// At the beginning of a run that ends after tick `last`.
    #[must_use]
    pub fn new(setup: Setup, last: Tick, keep: Keep) -> Player {
        Player::with_inputs(setup, last, keep, BTreeMap::new())
    }

    /// The same with inputs that are already known.
    #[must_use]
    pub fn with_inputs(setup: Setup, last: Tick, keep: Keep, inputs: BTreeMap<Tick, Vec<Input>>) -> Player {
        let run = Run::new(&setup, keep);
        Player { setup, keep, last, inputs, run }
    }

    /// The run as it stands.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What it started from.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The tick that [`Player::step`] executes next.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.run.now()
    }

    /// The last tick to execute.
    #[must_use]
    pub fn last(&self) -> Tick {
        self.last
    }

    /// The inputs so far, and those still to come.
    #[must_use]
    pub fn inputs(&self) -> &BTreeMap<Tick, Vec<Input>> {
        &self.inputs
    }

    /// Whether the run is over: its last tick was executed, or no input is left and nothing can change.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let inputs_left = self.inputs.range(self.now()..).next().is_some();
        self.now() > self.last || (!inputs_left && self.run.world().is_settled())
    }

    /// Executes one tick, unless the run is over: false if it is.
    pub fn step(&mut self) -> bool {
        if self.is_over() {
            return false;
        }
        let inputs = self.inputs.get(&self.now());
        self.run.step(inputs.map_or(&[], Vec::as_slice));
        true
    }

    /// Executes ticks until the run is over.
    pub fn play_out(&mut self) {
        while self.step() {}
    }

    /// Acts in the next tick. Inputs that were to come after it belong to a future that will not be, and
    /// are dropped.
    pub fn act(&mut self, input: Input) {
        let now = self.now();
        self.inputs.split_off(&now.after(1));
        self.inputs.entry(now).or_default().push(input);
    }

    /// Back to the beginning, with the same inputs still to come.
    pub fn rewind(&mut self) {
        self.run = Run::new(&self.setup, self.keep);
    }
}
