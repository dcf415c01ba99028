//! Several runs on one clock, as a panel plays them: what the transport does, without a page.
//!
//! A deck has one branch: a start, its runs, and where in time they stand. While the reader compares, it keeps
//! a second one, the future that was before something was done in the past; both have everything before the
//! fork in common and move together.

use crate::{
    ids::{Offset, Tick},
    ledger::Event,
    link::{Compare, Old, Saved},
    player::{Bounds, Inputs, Player},
    presets::{
        Panel, Start,
        watermark::{CELLS, Watermark, hand},
    },
    scenario::{Finding, findings},
    world::{ConfigError, Fact, Input, Knob},
};

/// What a run on a page may grow to: a scenario that somebody sent can ask for anything.
pub const BOUNDS: Bounds = Bounds { in_flight: 100_000, events: 500_000 };

/// A start and what came of it.
#[derive(Clone, Debug)]
pub struct Branch {
    start: Start,
    runs: Vec<Player>,
    /// Where the timeline ends.
    length: Tick,
}

/// The future that was before the reader acted in the past.
#[derive(Clone, Debug)]
pub struct Kept {
    branch: Branch,
    fork: Tick,
}

/// A panel's runs, with the reader's acts and place in time.
#[derive(Clone, Debug)]
pub struct Deck {
    branch: Branch,
    kept: Option<Kept>,
    /// Whether the next act in the past keeps the old future.
    comparing: bool,
    /// Changes whenever something that was known of the future is no longer so.
    revision: u64,
}

/// What two branches came to, up to now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The first tick in which something happened in one run that did not in the other, inputs aside.
    pub first: Option<Tick>,
    /// What differs of the outcome: its name, in the old future, and in the new one.
    pub outcome: Vec<(&'static str, Option<Finding>, Option<Finding>)>,
}

impl Branch {
    /// At the end of tick 0, which is what a reader sees first.
    fn begin(start: Start, acts: &Inputs) -> Result<Branch, ConfigError> {
        let runs = start.players()?.into_iter();
        let runs = runs.map(|run| run.bounded(BOUNDS).with_acts(acts.clone())).collect();
        let mut branch = Branch { start, runs, length: Tick(0) };
        branch.measure();
        branch.step();
        Ok(branch)
    }

    /// What it started from.
    #[must_use]
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Its runs, in the order of [`Start::players`].
    #[must_use]
    pub fn runs(&self) -> &[Player] {
        &self.runs
    }

    /// What the reader did, the same in every run.
    #[must_use]
    pub fn acts(&self) -> &Inputs {
        static NONE: Inputs = Inputs::new();
        self.runs.first().map_or(&NONE, Player::acts)
    }

    /// How many ticks were executed: the tick that comes next.
    fn now(&self) -> Tick {
        self.runs.iter().map(Player::now).max().unwrap_or_default()
    }

    /// Finds where the timeline ends.
    fn measure(&mut self) {
        let end = |run: &Player| {
            // The dispatch panel is about how long the work takes.
            if !matches!(self.start, Start::Dispatch(_)) {
                return run.last();
            }
            let mut ahead = run.clone();
            ahead.play_out();
            Tick(ahead.now().0.saturating_sub(1))
        };
        self.length = self.runs.iter().map(end).max().unwrap_or_default();
    }

    fn step(&mut self) {
        self.runs.iter_mut().for_each(|run| {
            run.step();
        });
    }

    fn seek(&mut self, executed: Tick) {
        self.runs.iter_mut().for_each(|run| {
            run.seek(executed);
        });
    }

    /// One tick as it is played: a panel that taps for the reader does, unless this tick is being replayed.
    fn advance(&mut self) {
        if let Start::Watermark(Watermark { taps_itself: true, seed, .. }) = self.start
            && !self.is_replaying()
        {
            let tapped = self.runs.first().and_then(|run| hand(seed, run.run().world()));
            if let Some(offset) = tapped {
                self.act(&[Input::Complete(offset)]);
            }
        }
        self.step();
    }

    /// Whether more of this future is known than was executed: an act changes it.
    fn knows_more(&self) -> bool {
        self.runs.iter().any(|run| run.known() > run.now())
    }

    fn act(&mut self, inputs: &[Input]) {
        for run in &mut self.runs {
            inputs.iter().for_each(|input| run.act(input.clone()));
        }
    }

    /// Whether something that the reader did is still to come: it plays as it was.
    fn is_replaying(&self) -> bool {
        self.acts().range(self.now()..).next().is_some()
    }

    /// Whether nothing has happened yet but the first tick.
    fn is_opening(&self) -> bool {
        self.now() <= Tick(1) && self.acts().is_empty()
    }

    /// Whether there is nothing left to play, though time could go on.
    fn is_played_out(&self) -> bool {
        match self.start {
            Start::Watermark(_) => self.runs.iter().all(|run| {
                let (world, end) = (run.run().world(), Offset(CELLS.into()));
                world.watermark() == Some(end) && world.broker().committed() == end
            }),
            Start::Brought(..) => self.runs.iter().all(Player::is_over),
            Start::Dispatch(_) | Start::Backpressure(_) | Start::Rebalance(_) => false,
        }
    }

    /// The start with the knobs that the reader has turned by now.
    fn as_turned(&self) -> Start {
        let by_now = self.acts().range(..=self.now()).flat_map(|(_, inputs)| inputs);
        let knobs = by_now.filter_map(|input| match input {
            Input::Set(knobs) => Some(knobs.as_slice()),
            _ => None,
        });
        knobs.fold(self.start.clone(), Start::turned)
    }
}

impl Deck {
    /// The opening of a panel.
    ///
    /// # Panics
    /// Never: the presets' openings keep the rules, which a test sees to.
    #[must_use]
    pub fn opening(panel: Panel) -> Deck {
        Deck::begin(Start::opening(panel)).expect("a preset's opening keeps the rules")
    }

    /// At the beginning of a start's runs.
    ///
    /// # Errors
    /// If its settings break a rule.
    pub fn begin(start: Start) -> Result<Deck, ConfigError> {
        Ok(Deck { branch: Branch::begin(start, &Inputs::new())?, kept: None, comparing: false, revision: 0 })
    }

    /// As a reader left it.
    ///
    /// # Errors
    /// If its settings break a rule.
    pub fn restore(saved: &Saved) -> Result<Deck, ConfigError> {
        let mut deck = Deck::restore_beginning(saved)?;
        // What was done after the moment it was left at is known again: it plays as it was until somebody acts.
        let branches = [Some(&deck.branch), deck.kept.as_ref().map(|kept| &kept.branch)];
        let last_act =
            branches.into_iter().flatten().filter_map(|branch| branch.acts().keys().next_back()).max();
        if let Some(&last) = last_act.filter(|&&last| last > saved.tick.after(1)) {
            deck.seek(last.after(1));
        }
        deck.seek(saved.tick.after(1));
        Ok(deck)
    }

    /// The same at its beginning: whoever restores a moment far away may want to go there in steps.
    ///
    /// # Errors
    /// If its settings break a rule.
    pub fn restore_beginning(saved: &Saved) -> Result<Deck, ConfigError> {
        let branch = Branch::begin(saved.start.clone(), &saved.acts)?;
        let kept = match &saved.compare {
            Compare::Kept(Old { start, acts, fork }) => {
                Some(Kept { branch: Branch::begin(start.clone(), acts)?, fork: *fork })
            }
            Compare::Off | Compare::Armed => None,
        };
        let comparing = saved.compare != Compare::Off;
        Ok(Deck { branch, kept, comparing, revision: 0 })
    }

    /// What it takes to come back here.
    #[must_use]
    pub fn saved(&self, playing: bool) -> Saved {
        let compare = match &self.kept {
            Some(Kept { branch, fork }) => {
                Compare::Kept(Old { start: branch.start.clone(), acts: branch.acts().clone(), fork: *fork })
            }
            None if self.comparing => Compare::Armed,
            None => Compare::Off,
        };
        let Branch { start, .. } = &self.branch;
        Saved { start: start.clone(), acts: self.branch.acts().clone(), tick: self.tick(), playing, compare }
    }

    /// The branch that the reader acts on.
    #[must_use]
    pub fn branch(&self) -> &Branch {
        &self.branch
    }

    /// What it started from.
    #[must_use]
    pub fn start(&self) -> &Start {
        &self.branch.start
    }

    /// Its runs.
    #[must_use]
    pub fn runs(&self) -> &[Player] {
        &self.branch.runs
    }

    /// The start with the knobs that the reader has turned by now.
    #[must_use]
    pub fn as_turned(&self) -> Start {
        self.branch.as_turned()
    }

    /// Changes whenever something that was known of the future is no longer so.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    // Time.

    /// How many ticks were executed: the tick that comes next.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.branch.now()
    }

    /// The tick executed last.
    #[must_use]
    pub fn tick(&self) -> Tick {
        Tick(self.now().0.saturating_sub(1))
    }

    /// The last tick of the timeline.
    #[must_use]
    pub fn length(&self) -> Tick {
        let kept = self.kept.as_ref().map_or(Tick(0), |kept| kept.branch.length);
        self.branch.length.max(kept)
    }

    /// How many ticks of this future were executed at some time: up to there it is known.
    #[must_use]
    pub fn known(&self) -> Tick {
        self.runs().iter().map(Player::known).max().unwrap_or_default()
    }

    /// Where the End key leads, in executed ticks: as far as this future is known if that is ahead, else to the
    /// last tick.
    #[must_use]
    pub fn end(&self) -> Tick {
        if self.known() > self.now() { self.known() } else { self.length().after(1) }
    }

    /// Whether the last tick was executed, or a run has grown to what a page can hold.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.now() > self.length() || self.runs().iter().any(|run| run.exhausted().is_some())
    }

    /// Whether there is nothing left to play.
    #[must_use]
    pub fn is_played_out(&self) -> bool {
        let kept = self.kept.as_ref().is_none_or(|kept| kept.branch.is_played_out());
        self.is_at_end() || (self.branch.is_played_out() && kept)
    }

    /// One tick forward; false, and nothing happens, after the last one.
    pub fn step(&mut self) -> bool {
        self.go_on(Branch::step)
    }

    /// One tick as it is played: where the panel acts for the reader, it does.
    pub fn advance(&mut self) -> bool {
        // A hand that taps changes what was known of this future, unless that is being replayed.
        if self.branch.knows_more() && !self.branch.is_replaying() {
            self.revision += 1;
        }
        self.go_on(Branch::advance)
    }

    fn go_on(&mut self, go: fn(&mut Branch)) -> bool {
        if self.is_at_end() {
            return false;
        }
        go(&mut self.branch);
        if let Some(kept) = &mut self.kept {
            go(&mut kept.branch);
        }
        true
    }

    /// Goes to where so many ticks have been executed: at least one, as at the opening.
    pub fn seek(&mut self, executed: Tick) {
        let executed = Tick(executed.0.clamp(1, self.length().0 + 1));
        self.branch.seek(executed);
        if let Some(kept) = &mut self.kept {
            kept.branch.seek(executed);
        }
    }

    // What the reader does.

    /// Acts in the next tick and executes it, so that the reader sees it; false, and nothing happens, after
    /// the last tick.
    pub fn act(&mut self, inputs: &[Input]) -> bool {
        if self.is_at_end() {
            return false;
        }
        if !inputs.is_empty() {
            self.fork(self.now());
            self.branch.act(inputs);
            self.step();
        }
        true
    }

    /// Turns knobs from the next tick on; before anything happened, from the start.
    ///
    /// # Errors
    /// If the new values break a rule; then nothing changes.
    pub fn turn(&mut self, knobs: &[Knob]) -> Result<(), ConfigError> {
        if self.branch.is_opening() {
            return self.rewrite(self.start().clone().turned(knobs));
        }
        if let Some(run) = self.runs().first() {
            run.knobs().with(knobs)?;
        }
        self.fork(self.now());
        for run in &mut self.branch.runs {
            run.turn(knobs.to_vec());
        }
        self.branch.measure();
        Ok(())
    }

    /// The same moment, with what the reader did, as if the settings had been so from the start.
    ///
    /// # Errors
    /// If they break a rule; then nothing changes.
    pub fn rewrite(&mut self, start: Start) -> Result<(), ConfigError> {
        let mut branch = Branch::begin(start, self.branch.acts())?;
        branch.seek(Tick(self.now().0.min(branch.length.0 + 1)));
        self.fork(Tick(0));
        self.branch = branch;
        Ok(())
    }

    /// Begins anew from another start. No past is shared with it, so a comparison ends.
    ///
    /// # Errors
    /// If its settings break a rule; then nothing changes.
    pub fn restart_from(&mut self, start: Start) -> Result<(), ConfigError> {
        self.branch = Branch::begin(start, &Inputs::new())?;
        self.kept = None;
        self.revision += 1;
        Ok(())
    }

    /// Begins anew under the present settings.
    ///
    /// # Errors
    /// If they break a rule; then nothing changes.
    pub fn restart(&mut self) -> Result<(), ConfigError> {
        self.restart_from(self.branch.as_turned())
    }

    /// Remembers settings that change nothing in the runs: which of them is in front, who taps.
    pub fn settle(&mut self, start: Start) {
        if let Some(Kept { branch, .. }) = &mut self.kept {
            branch.start = branch.start.clone().fronted(start.front());
        }
        self.branch.start = start;
    }

    // Two futures of one past.

    /// Whether an act in the past keeps the old future.
    #[must_use]
    pub fn is_comparing(&self) -> bool {
        self.comparing
    }

    /// From now on an act in the past keeps the old future, or drops it as usual.
    pub fn compare(&mut self, on: bool) {
        self.comparing = on;
        if !on {
            self.kept = None;
        }
    }

    /// The future that was kept, and the first tick that it need not have in common with the other.
    #[must_use]
    pub fn kept(&self) -> Option<(&Branch, Tick)> {
        self.kept.as_ref().map(|kept| (&kept.branch, kept.fork))
    }

    /// Ends the comparison with the old future instead of the new one.
    pub fn take_back(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.branch = kept.branch;
            self.revision += 1;
        }
    }

    /// Before the reader acts in tick `at`: keeps the future as it is, if that is wanted. One that was kept
    /// at an earlier fork stays, and the new one goes further away from it.
    fn fork(&mut self, at: Tick) {
        self.revision += 1;
        if self.comparing && self.kept.as_ref().is_none_or(|kept| at < kept.fork) {
            self.kept = Some(Kept { branch: self.branch.clone(), fork: at });
        }
    }

    /// What was done in the new future and not in the old one, and the other way round, by tick. Settings that
    /// differ from the start on count as knobs turned at the fork.
    #[must_use]
    pub fn forked_by(&self) -> [Vec<(Tick, Input)>; 2] {
        let Some(Kept { branch: old, fork }) = &self.kept else { return Default::default() };
        let done = |own: &Branch, other: &Branch| {
            let acts = own.acts().range(fork..).flat_map(|(tick, inputs)| {
                let others = other.acts().get(tick).map_or(&[][..], Vec::as_slice);
                inputs.iter().filter(|input| !others.contains(input)).map(|input| (*tick, input.clone()))
            });
            let front = own.start.front();
            let knobs = |branch: &Branch| branch.runs.get(front).map(|run| run.setup().knobs().clone());
            let turned = knobs(own).zip(knobs(other)).map(|(own, other)| own.differences(&other));
            let turned = turned.filter(|knobs| !knobs.is_empty()).map(|knobs| (*fork, Input::Set(knobs)));
            turned.into_iter().chain(acts).collect()
        };
        [done(&self.branch, old), done(old, &self.branch)]
    }

    /// What a run comes to, up to now, in the new future and in the old one.
    #[must_use]
    pub fn difference(&self, run: usize) -> Option<Difference> {
        let (old, new) = (self.kept.as_ref()?.branch.runs.get(run)?.run(), self.runs().get(run)?.run());
        let first = first_difference(old.ledger().events(), new.ledger().events());
        let [old, new] = [old, new].map(|run| findings(&run.outcome()));
        // A name that one of them does not have is the last one.
        let names = if old.len() > new.len() { &old } else { &new };
        let of =
            |findings: &[(_, Option<Finding>)], at: usize| findings.get(at).and_then(|(_, it)| it.clone());
        let told = (0..names.len()).map(|at| (names[at].0, of(&old, at), of(&new, at)));
        let outcome = told.filter(|(_, old, new)| old != new).collect();
        Some(Difference { first, outcome })
    }
}

/// The first tick in which something happened in one run that did not in the other. That an input came, or
/// knobs were turned, is the cause of a difference and not one.
fn first_difference(old: &[Event], new: &[Event]) -> Option<Tick> {
    let told = |events| <&[Event]>::into_iter(events).filter(|event| !is_input(event));
    let (mut old, mut new) = (told(old), told(new));
    loop {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (Some(old), Some(new)) if same(old, new) => {}
            (old, new) => return old.into_iter().chain(new).map(|event| event.tick).min(),
        }
    }
}

fn is_input(event: &Event) -> bool {
    matches!(event.fact, Fact::Input(_) | Fact::Ignored(_) | Fact::KnobsTurned(_))
}

fn same(one: &Event, other: &Event) -> bool {
    one.tick == other.tick && one.fact == other.fact && one.remark == other.remark
}
