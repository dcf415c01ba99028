//! Transport over a run: where in time the reader stands, and what was done when.
//!
//! A run is exactly (setup, inputs by tick), so going back could be starting over and stopping earlier. That
//! would cost more the longer the run is, so the player takes checkpoints on its way and replays from the
//! nearest; what the ledger's lists say of the future stays known meanwhile. What plays it (frames, speed,
//! visibility) is the page's business.

mod bounds;
mod checkpoints;
mod course;

use std::mem::discriminant;

pub use bounds::{Bounds, Exhausted};
pub use course::{Course, Inputs};

use checkpoints::Checkpoints;

use crate::{
    ids::Tick,
    ledger::{Event, Keep},
    run::Run,
    world::{Input, Knob, Knobs, Setup},
};

/// The most ticks that [`Player::seek`] executes to get to where the run has been before, for runs of up to
/// 262,144 ticks. In a longer one it can be as many as 256 checkpoints leave between them: memory is bounded
/// whatever the length.
pub const MOST_REPLAYED: u64 = 1024;

/// A run that can be stepped, acted upon and taken back. A copy shares the checkpoints.
#[derive(Clone, Debug)]
pub struct Player {
    course: Course,
    run: Run,
    checkpoints: Checkpoints,
    /// How many ticks of this future have been executed at some time.
    known: Tick,
    bounds: Option<Bounds>,
}

impl Player {
    /// At the beginning of a run that ends after tick `last`.
    #[must_use]
    pub fn new(setup: Setup, script: Inputs, last: Tick, keep: Keep) -> Player {
        let run = Run::new(&setup, keep);
        let checkpoints = Checkpoints::beginning_with(&run);
        let course = Course::new(setup, script, last);
        Player { course, run, checkpoints, known: Tick(0), bounds: None }
    }

    /// The same beginning, with what the reader did. For a fresh player: one that has executed something is put
    /// back to its beginning.
    #[must_use]
    pub fn with_acts(mut self, acts: Inputs) -> Player {
        self.run.go_to(self.checkpoints.before(Tick(0)));
        self.forget_future();
        self.course.acts = acts;
        self
    }

    /// The same player, which executes no tick that could take more than this; see [`Player::exhausted`].
    #[must_use]
    pub fn bounded(mut self, bounds: Bounds) -> Player {
        self.bounds = Some(bounds);
        self
    }

    /// The run as it stands.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What it started from.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        self.course.setup()
    }

    /// The tick that [`Player::step`] executes next: how many were executed.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.run.now()
    }

    /// How many ticks of this future were executed at some time, `now` or later: seeking up to there is replay.
    #[must_use]
    pub fn known(&self) -> Tick {
        self.known
    }

    /// All events of this future that are known, those after `now` included; empty unless the ledger keeps them.
    #[must_use]
    pub fn known_events(&self) -> &[Event] {
        self.run.ledger().known_events()
    }

    /// How many checkpoints are kept beside the beginning: 256 at most.
    #[must_use]
    pub fn checkpoints(&self) -> usize {
        self.checkpoints.len()
    }

    /// The last tick to execute.
    #[must_use]
    pub fn last(&self) -> Tick {
        self.course.last()
    }

    /// What the preset or the scenario does.
    #[must_use]
    pub fn script(&self) -> &Inputs {
        self.course.script()
    }

    /// What the reader did, and is still to come after going back.
    #[must_use]
    pub fn acts(&self) -> &Inputs {
        self.course.acts()
    }

    /// The knobs that the next tick works with: those in force, and what is turned in it.
    #[must_use]
    pub fn knobs(&self) -> Knobs {
        let mut knobs = self.run.world().knobs().clone();
        for input in self.course.inputs_at(self.now()) {
            if let Input::Set(turned) = input {
                // The world ignores what breaks a rule, and so does this.
                knobs = knobs.with(turned).unwrap_or(knobs);
            }
        }
        knobs
    }

    /// Which bound keeps the run from going on, if one does. Going back lifts it; so may an input.
    #[must_use]
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.bounds?.passed_by(&self.run, &self.knobs())
    }

    /// Whether nothing can change any more: the last tick was executed, or no input is left and the world is
    /// settled, or a bound is reached. Time can still pass until the last tick.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.course.is_over(&self.run) || self.exhausted().is_some()
    }

    /// Executes one tick; false, and nothing happens, after the last one and where a bound is reached.
    pub fn step(&mut self) -> bool {
        if self.exhausted().is_some() || !self.course.step(&mut self.run) {
            return false;
        }
        self.checkpoints.pass(&self.run);
        self.known = self.known.max(self.now());
        true
    }

    /// Executes ticks until the run is over.
    pub fn play_out(&mut self) {
        while !self.is_over() && self.step() {}
    }

    /// Goes to where `executed` ticks have been executed, forwards or back, or as far towards it as the run can
    /// be played. Says how many ticks it executed for that: at most [`MOST_REPLAYED`] where the run has been
    /// before.
    pub fn seek(&mut self, executed: Tick) -> u64 {
        let nearest = self.checkpoints.before(executed);
        if executed < self.now() || nearest.now() > self.now() {
            self.run.go_to(nearest);
        }
        let from = self.now();
        while self.now() < executed && self.step() {}
        self.now().since(from)
    }

    /// Acts in the next tick. If that was executed before, what the reader did from it on, and all that is known
    /// of the time from it on, belongs to a future that will not be, and is dropped; the script goes on. Else
    /// several acts can come together in it.
    pub fn act(&mut self, input: Input) {
        let now = self.now();
        self.forget_future();
        self.course.acts.entry(now).or_default().push(input);
    }

    /// Turns knobs in the next tick. One that was turned before in that same tick, as a dragged slider does,
    /// keeps only its last value.
    pub fn turn(&mut self, knobs: Vec<Knob>) {
        self.forget_future();
        let acts = self.course.acts.get_mut(&self.run.now());
        let Some(Input::Set(turned)) = acts.and_then(|acts| acts.last_mut()) else {
            return self.act(Input::Set(knobs));
        };
        turned.retain(|old| knobs.iter().all(|new| discriminant(old) != discriminant(new)));
        turned.extend(knobs);
    }

    fn forget_future(&mut self) {
        let now = self.now();
        // What was put into the next tick and never executed is the reader's present.
        let kept = if self.known > now { now } else { now.after(1) };
        self.course.acts.split_off(&kept);
        self.checkpoints.forget_after(now);
        self.run.forget_future();
        self.known = now;
    }
}
