//! Transport over a run: where in time the reader stands, and what was done when.
//!
//! A run is exactly (setup, inputs by tick), so that is all there is to remember: going back is starting over
//! and stopping earlier. What plays it (frames, speed, visibility) is the page's business.

use std::{collections::BTreeMap, mem::discriminant};

use crate::{
    ids::Tick,
    ledger::Keep,
    run::Run,
    world::{Input, Knob, Knobs, Setup},
};

/// Inputs, by the tick in which they act.
pub type Inputs = BTreeMap<Tick, Vec<Input>>;

/// A run that can be stepped, acted upon and taken back.
#[derive(Clone, Debug)]
pub struct Player {
    setup: Setup,
    /// What the preset or the scenario does, whatever the reader does.
    script: Inputs,
    /// What the reader did.
    acts: Inputs,
    /// The last tick to execute.
    last: Tick,
    keep: Keep,
    run: Run,
}

impl Player {
    /// At the beginning of a run that ends after tick `last`.
    #[must_use]
    pub fn new(setup: Setup, script: Inputs, last: Tick, keep: Keep) -> Player {
        let run = Run::new(&setup, keep);
        Player { setup, script, acts: Inputs::new(), last, keep, run }
    }

    /// The same beginning, with what the reader did.
    #[must_use]
    pub fn with_acts(mut self, acts: Inputs) -> Player {
        self.acts = acts;
        self
    }

    /// The run as it stands.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The run alone, when nobody wants to go back.
    #[must_use]
    pub fn into_run(self) -> Run {
        self.run
    }

    /// What it started from.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The tick that [`Player::step`] executes next: how many were executed.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.run.now()
    }

    /// The last tick to execute.
    #[must_use]
    pub fn last(&self) -> Tick {
        self.last
    }

    /// What the preset or the scenario does.
    #[must_use]
    pub fn script(&self) -> &Inputs {
        &self.script
    }

    /// What the reader did, and is still to come after going back.
    #[must_use]
    pub fn acts(&self) -> &Inputs {
        &self.acts
    }

    /// The knobs that the next tick works with: those in force, and what is turned in it.
    #[must_use]
    pub fn knobs(&self) -> Knobs {
        let now = self.now();
        let inputs = [&self.script, &self.acts].into_iter().filter_map(|inputs| inputs.get(&now)).flatten();
        let mut knobs = self.run.world().knobs().clone();
        for input in inputs {
            if let Input::Set(turned) = input {
                // The world ignores what breaks a rule, and so does this.
                knobs = knobs.with(turned).unwrap_or(knobs);
            }
        }
        knobs
    }

    /// Whether nothing can change any more: the last tick was executed, or no input is left and the world is
    /// settled. Time can still pass until the last tick.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let now = self.now();
        let more = |inputs: &Inputs| inputs.range(now..).next().is_some();
        now > self.last || (!more(&self.script) && !more(&self.acts) && self.run.world().is_settled())
    }

    /// Executes one tick; false, and nothing happens, after the last one.
    pub fn step(&mut self) -> bool {
        let now = self.now();
        if now > self.last {
            return false;
        }
        match (self.script.get(&now), self.acts.get(&now)) {
            (None, None) => self.run.step(&[]),
            (Some(inputs), None) | (None, Some(inputs)) => self.run.step(inputs),
            (Some(script), Some(acts)) => self.run.step(&[script.as_slice(), acts].concat()),
        }
        true
    }

    /// Executes ticks until the run is over.
    pub fn play_out(&mut self) {
        while !self.is_over() {
            self.step();
        }
    }

    /// Goes to where `executed` ticks have been executed, forwards or back, or to the last tick if that is nearer.
    pub fn seek(&mut self, executed: Tick) {
        if executed < self.now() {
            self.run = Run::new(&self.setup, self.keep);
        }
        while self.now() < executed && self.step() {}
    }

    /// Acts in the next tick. What the reader did after it belongs to a future that will not be, and is
    /// dropped; the script goes on.
    pub fn act(&mut self, input: Input) {
        let now = self.now();
        self.acts.split_off(&now.after(1));
        self.acts.entry(now).or_default().push(input);
    }

    /// Turns knobs in the next tick. One that was turned before in that same tick, as a dragged slider does,
    /// keeps only its last value.
    pub fn turn(&mut self, knobs: Vec<Knob>) {
        let acts = self.acts.get_mut(&self.run.now());
        let Some(Input::Set(turned)) = acts.and_then(|acts| acts.last_mut()) else {
            return self.act(Input::Set(knobs));
        };
        turned.retain(|old| knobs.iter().all(|new| discriminant(old) != discriminant(new)));
        turned.extend(knobs);
        self.acts.split_off(&self.run.now().after(1));
    }
}
