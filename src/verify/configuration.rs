//! One system to explore: what it starts from, the troubles that may come, and what they may break.

use std::collections::BTreeSet;

use super::can::Can;
use crate::{
    ledger::INVARIANTS,
    world::{ConfigError, Input, Knob, Knobs, Setup},
};

/// How often each trouble may still come. A consumer that is down may be restarted at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Troubles {
    /// Processes that die.
    pub crashes: u8,
    /// Revokes, from the owner to either member.
    pub revokes: u8,
    /// Records that are poisoned.
    pub poisons: u8,
    /// Stalls of a consumer, by one tick each.
    pub stalls: u8,
    /// Knobs that are turned.
    pub turns: u8,
    /// Rebalances that leave the partition where it is.
    pub rebalances: u8,
}

impl Troubles {
    /// What is left after an input; `None` if it is one too many.
    pub(super) fn less(mut self, input: &Input) -> Option<Troubles> {
        let left = match input {
            Input::Complete(_) | Input::Restart(_) => return Some(self),
            Input::Crash(_) => &mut self.crashes,
            Input::Revoke { .. } => &mut self.revokes,
            Input::Poison(_) => &mut self.poisons,
            Input::Stall { .. } => &mut self.stalls,
            Input::Set(_) => &mut self.turns,
            Input::Rebalance => &mut self.rebalances,
        };
        *left = left.checked_sub(1)?;
        Some(self)
    }
}

/// A system to explore.
#[derive(Clone, Debug)]
pub struct Configuration {
    pub(super) setup: Setup,
    pub(super) troubles: Troubles,
    /// The ways in which knobs may be turned.
    pub(super) turns: Vec<Vec<Knob>>,
    /// How many troubles and restarts one tick may hold.
    pub(super) at_once: usize,
    /// No timer asks what is longer ago than this, in ticks.
    pub(super) horizon: u64,
    /// Commits are due at ticks divisible by a divisor of this.
    pub(super) modulus: u64,
    pub(super) may_break: BTreeSet<&'static str>,
    pub(super) asked: BTreeSet<&'static str>,
    pub(super) may_stick: bool,
    /// Whether owners may end again and again, before they have got further.
    pub(super) may_end_again: bool,
}

impl Configuration {
    /// A setup without troubles; its records' work lasts until tapped where the search is to choose when it
    /// ends.
    #[must_use]
    pub fn new(setup: Setup) -> Configuration {
        let configuration = Configuration {
            setup,
            troubles: Troubles::default(),
            turns: Vec::new(),
            at_once: 1,
            horizon: 0,
            modulus: 1,
            may_break: BTreeSet::new(),
            asked: BTreeSet::new(),
            may_stick: false,
            may_end_again: false,
        };
        configuration.considered()
    }

    /// The same with these troubles, at most `at_once` of them, and of restarts, in one tick.
    #[must_use]
    pub fn with_troubles(mut self, troubles: Troubles, at_once: usize) -> Configuration {
        self.troubles = Troubles { turns: self.troubles.turns, ..troubles };
        self.at_once = at_once;
        self.considered()
    }

    /// The same, and `count` times in a run knobs are turned in one of these ways.
    ///
    /// # Errors
    /// If a way of turning them would break a rule at the start.
    pub fn with_turns(mut self, turns: Vec<Vec<Knob>>, count: u8) -> Result<Configuration, ConfigError> {
        for turn in &turns {
            self.setup.knobs().with(turn)?;
        }
        self.turns = turns;
        self.troubles.turns = count;
        Ok(self.considered())
    }

    /// What the search starts from.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The sentences of the invariants that something in the configuration breaks on purpose, or may.
    #[must_use]
    pub fn may_break(&self) -> &BTreeSet<&'static str> {
        &self.may_break
    }

    /// The sentences of the invariants that it puts to the test: the others could not be broken here, whatever the
    /// engine did.
    #[must_use]
    pub fn asked(&self) -> &BTreeSet<&'static str> {
        &self.asked
    }

    /// The same configuration judged by another expectation: none of its invariants may break, and it must
    /// get to its end.
    #[must_use]
    pub fn expecting_no_breaks(mut self) -> Configuration {
        self.may_break.clear();
        self.may_stick = false;
        self
    }

    /// Whether B can come to own anything.
    pub(super) fn is_a_group(&self) -> bool {
        self.setup.with_b() || self.troubles.revokes > 0
    }

    fn considered(mut self) -> Configuration {
        let every = self.every_knobs();
        let quarantine = |knobs: &Knobs| knobs.quarantine.map_or(0, |quarantine| quarantine.after);
        let interval = |knobs: &Knobs| knobs.max_poll_interval.unwrap_or(0);
        self.horizon =
            every.iter().map(|knobs| interval(knobs).max(quarantine(knobs))).max().unwrap_or_default();
        self.modulus = every.iter().map(|knobs| knobs.commit_every).fold(1, least_common_multiple);
        let can = Can { configuration: &self, every: &every };
        let sentences = INVARIANTS.iter().map(|invariant| invariant.sentence);
        let asked: BTreeSet<_> = sentences.filter(|sentence| can.ask(sentence)).collect();
        // A break of what is said not to be asked would be a surprise as well.
        let may_break = can.break_what().intersection(&asked).copied().collect();
        let (may_stick, may_end_again) = (can.stick(), can.end_again_and_again());
        Configuration { may_break, asked, may_stick, may_end_again, ..self }
    }

    /// The knobs that can be in force, the first ones first.
    fn every_knobs(&self) -> Vec<Knobs> {
        let mut every = vec![self.setup.knobs().clone()];
        let mut newest = 0..1;
        for _ in 0..self.troubles.turns {
            for at in newest.clone() {
                for turn in &self.turns {
                    let turned = every[at].with(turn).ok().filter(|turned| !every.contains(turned));
                    every.extend(turned);
                }
            }
            newest = newest.end..every.len();
        }
        every
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
