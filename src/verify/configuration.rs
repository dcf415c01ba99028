//! One system to explore: what it starts from, the troubles that may come, and what they may break.

use std::collections::BTreeSet;

use crate::{
    mechanism::Guard,
    world::{
        ConfigError, Fails, Input, Knob, Knobs, Setup, Work,
        config::{CommitOffset, Intake, RetryAt, Routing},
    },
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
    pub(super) may_stick: bool,
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
            may_stick: false,
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
        (self.may_break, self.may_stick) = (can.break_what(), can.stick());
        self
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

/// What the configuration's rules allow to go wrong: DESIGN's column "broken on purpose by", spelled out.
struct Can<'c> {
    configuration: &'c Configuration,
    every: &'c [Knobs],
}

impl Can<'_> {
    fn break_what(&self) -> BTreeSet<&'static str> {
        let (shared, fails) = (self.any(|knobs| knobs.routing == Routing::Shared), self.fail());
        let in_parallel = shared && self.any(|knobs| knobs.workers > 1);
        let at_tail = fails && self.any(|knobs| knobs.retry_at == RetryAt::Tail);
        let highest = self.any(|knobs| knobs.commit_offset == CommitOffset::Highest);
        let rules = [
            ("one key, one worker", in_parallel),
            ("a key's records complete in offset order", in_parallel || shared && fails || at_tail),
            ("nothing below the committed offset is unfinished", highest),
            ("committed <= watermark <= position", highest),
            ("in flight stays below high + poll", self.lower_marks()),
            ("in flight never exceeds the heap ceiling", self.run_out_of_memory()),
            ("a poll at least every max.poll.interval", self.be_evicted()),
            ("no write lands after the handover", self.leak()),
            ("a row's version never goes back", self.any(|knobs| knobs.guard == Guard::Off)),
        ];
        rules.into_iter().filter_map(|(sentence, can)| can.then_some(sentence)).collect()
    }

    /// Whether something endless may stand in the way: a record that is stuck or fails for ever, or an owner
    /// that ends again and again before it has got further.
    fn stick(&self) -> bool {
        let stuck = self.any_record(|work, _| work == Work::Never);
        let for_ever =
            self.configuration.troubles.poisons > 0 || self.any_record(|_, fails| fails == Fails::Always);
        let blocks = self.any(|knobs| knobs.intake == Intake::Block) && self.interval().is_some();
        stuck
            || for_ever && self.any(|knobs| knobs.quarantine.is_none())
            || blocks
            || self.run_out_of_memory()
    }

    fn any(&self, what: impl Fn(&Knobs) -> bool) -> bool {
        self.every.iter().any(what)
    }

    fn any_record(&self, what: impl Fn(Work, Fails) -> bool) -> bool {
        self.configuration.setup.log().iter_from(0).any(|record| what(record.work, record.fails))
    }

    fn fail(&self) -> bool {
        self.configuration.troubles.poisons > 0 || self.any_record(|_, fails| fails != Fails::First(0))
    }

    /// The marks bind, and records may be in flight that came in under others.
    fn lower_marks(&self) -> bool {
        let first = (self.every[0].intake, self.every[0].poll);
        let others = self.any(|knobs| (knobs.intake, knobs.poll) != first);
        others && self.any(|knobs| knobs.high_mark().is_some())
    }

    fn run_out_of_memory(&self) -> bool {
        let records = self.configuration.setup.log().len();
        let most = |knobs: &Knobs| match knobs.intake {
            Intake::Pause { high, .. } => records.min(high - 1 + knobs.poll),
            Intake::Block => records.min(knobs.poll),
            Intake::Unbounded => records,
        };
        let ceiling = self.every.iter().filter_map(|knobs| knobs.heap_ceiling).min();
        ceiling.is_some_and(|ceiling| self.any(|knobs| most(knobs) > ceiling))
    }

    /// The shortest interval in which a poll may be demanded.
    fn interval(&self) -> Option<u64> {
        self.every.iter().filter_map(|knobs| knobs.max_poll_interval).min()
    }

    /// The interval counts from the last poll, the tick before the revoke; in the tick in which it runs out it
    /// does so before the drain can end.
    fn be_evicted(&self) -> bool {
        let Some(interval) = self.interval() else { return false };
        let drains = self.configuration.troubles.revokes > 0 && self.any(|knobs| knobs.drain + 1 >= interval);
        drains || self.any(|knobs| knobs.intake == Intake::Block)
    }

    /// Attempts that run when the drain begins were started the tick before at the latest.
    fn leak(&self) -> bool {
        let Troubles { revokes, stalls, .. } = self.configuration.troubles;
        let longer = |drain: u64| {
            self.any_record(|work, _| match work {
                Work::Ticks(ticks) => stalls > 0 || ticks > drain + 1,
                Work::UntilTapped | Work::Never => true,
            })
        };
        self.be_evicted() || revokes > 0 && self.any(|knobs| longer(knobs.drain))
    }
}
