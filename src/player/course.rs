//! The course of a run: what it starts from, and what is done to it when.
//!
//! It holds no run. Whoever only goes one way, as the command line does, steps a [`Run`] along it and pays for
//! no way back.

use std::collections::BTreeMap;

use crate::{
    ids::Tick,
    run::Run,
    world::{Input, Setup},
};

/// Inputs, by the tick in which they act.
pub type Inputs = BTreeMap<Tick, Vec<Input>>;

/// Everything that determines a run, and where it ends.
#[derive(Clone, Debug)]
pub struct Course {
    setup: Setup,
    /// What the preset or the scenario does, whatever the reader does.
    script: Inputs,
    /// What the reader did.
    pub(super) acts: Inputs,
    /// The last tick to execute.
    last: Tick,
}

impl Course {
    /// The course of a run that ends after tick `last`, and in which the reader does nothing.
    #[must_use]
    pub fn new(setup: Setup, script: Inputs, last: Tick) -> Course {
        Course { setup, script, acts: Inputs::new(), last }
    }

    /// What it starts from.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What the preset or the scenario does.
    #[must_use]
    pub fn script(&self) -> &Inputs {
        &self.script
    }

    /// What the reader does.
    #[must_use]
    pub fn acts(&self) -> &Inputs {
        &self.acts
    }

    /// The last tick to execute.
    #[must_use]
    pub fn last(&self) -> Tick {
        self.last
    }

    /// The inputs that act in a tick, in the order in which they do.
    pub fn inputs_at(&self, tick: Tick) -> impl Iterator<Item = &Input> + '_ {
        [&self.script, &self.acts].into_iter().filter_map(move |inputs| inputs.get(&tick)).flatten()
    }

    /// Whether nothing can change any more in a run on this course: the last tick was executed, or no input is
    /// left and the world is settled. Time can still pass until the last tick.
    #[must_use]
    pub fn is_over(&self, run: &Run) -> bool {
        let now = run.now();
        let more = |inputs: &Inputs| inputs.range(now..).next().is_some();
        now > self.last || (!more(&self.script) && !more(&self.acts) && run.world().is_settled())
    }

    /// Executes the next tick of a run on this course; false, and nothing happens, after the last one.
    pub fn step(&self, run: &mut Run) -> bool {
        let now = run.now();
        if now > self.last {
            return false;
        }
        match (self.script.get(&now), self.acts.get(&now)) {
            (None, None) => run.step(&[]),
            (Some(inputs), None) | (None, Some(inputs)) => run.step(inputs),
            (Some(script), Some(acts)) => run.step(&[script.as_slice(), acts].concat()),
        }
        true
    }
}
