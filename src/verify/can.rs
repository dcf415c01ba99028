//! What a configuration's rules and troubles allow: which promises they may break on purpose, and which they put to
//! the test at all.
//!
//! A promise that nothing in a run could break is not kept there, it is not asked: no revoke, nothing to keep after
//! one. Both answers are worked out from settings and inputs alone, before anything runs.

use std::collections::BTreeSet;

use super::{Configuration, Troubles};
use crate::{
    mechanism::Guard,
    world::{
        Fails, Knobs, Work,
        config::{CommitOffset, Intake, LateCommit, PauseAtAssignment, RebalanceProtocol, RetryAt, Routing},
    },
};

const ONE_WORKER: &str = "one key, one worker";
const IN_ORDER: &str = "a key's records complete in offset order";
const BELOW_HIGH: &str = "in flight stays below high + poll";
const IN_HEAP: &str = "in flight never exceeds the heap ceiling";
const POLLS: &str = "a poll at least every max.poll.interval";
const GATE_CLOSED: &str = "a partition is paused only while its owner's gate is closed";
const BRINGS: &str = "a poll through an open gate brings what there is";
const NO_START: &str = "after a revoke the old owner starts nothing";
const FENCED: &str = "nothing after the fence changes tracker or commit";
const NO_LATE_WRITE: &str = "no write lands after the handover";
const ROWS_ADVANCE: &str = "a row's version never goes back";
const STAYS: &str = "what stays with its owner is not revoked";

/// What a run must have so that a promise is put to the test, where not every run has it: part of a sentence.
#[must_use]
pub fn asked_by(sentence: &str) -> Option<&'static str> {
    match sentence {
        ONE_WORKER => Some("two records of one key, or an owner that ends"),
        IN_ORDER | ROWS_ADVANCE => Some("two records of one key"),
        BELOW_HIGH => Some("marks that fewer records than there are reach"),
        IN_HEAP => Some("a heap that holds fewer records than there are"),
        POLLS => Some("a poll interval"),
        GATE_CLOSED => Some("marks that are reached, and an owner that ends"),
        BRINGS => Some("marks that fewer records than there are reach"),
        NO_START => Some("a revoke"),
        FENCED => Some("an owner that ends"),
        NO_LATE_WRITE => Some("a revoke or an eviction"),
        STAYS => Some("a rebalance that leaves the partition where it is"),
        _ => None,
    }
}

/// The rules of a configuration, and what follows from them: DESIGN's column "broken on purpose by", spelled out.
pub(super) struct Can<'c> {
    pub(super) configuration: &'c Configuration,
    /// The knobs that can be in force, the first ones first.
    pub(super) every: &'c [Knobs],
}

impl Can<'_> {
    /// The promises that something breaks on purpose, or may.
    pub(super) fn break_what(&self) -> BTreeSet<&'static str> {
        let (shared, fails) = (self.any(|knobs| knobs.routing == Routing::Shared), self.fail());
        let in_parallel = shared && self.any(|knobs| knobs.workers > 1);
        let at_tail = fails && self.any(|knobs| knobs.retry_at == RetryAt::Tail);
        let highest = self.any(|knobs| knobs.commit_offset == CommitOffset::Highest);
        let late = self.commit_late();
        let rules = [
            (ONE_WORKER, in_parallel),
            (IN_ORDER, in_parallel || shared && fails || at_tail),
            ("nothing below the committed offset is unfinished", highest),
            ("committed <= watermark <= position", highest || late),
            ("watermark and committed offset never go back", late),
            (FENCED, late),
            (BELOW_HIGH, self.lower_marks()),
            (IN_HEAP, self.run_out_of_memory()),
            (POLLS, self.be_evicted()),
            (GATE_CLOSED, self.keep_a_pause()),
            (BRINGS, self.throw_away_a_prefetch()),
            (NO_LATE_WRITE, self.leak()),
            (ROWS_ADVANCE, self.any(|knobs| knobs.guard == Guard::Off)),
            (STAYS, self.revoke_needlessly()),
        ];
        rules.into_iter().filter_map(|(sentence, can)| can.then_some(sentence)).collect()
    }

    /// Whether a promise could be broken here, rightly or by a fault of the engine.
    pub(super) fn ask(&self, sentence: &str) -> bool {
        match sentence {
            ONE_WORKER => self.repeat_a_key() || self.end_an_owner(),
            IN_ORDER | ROWS_ADVANCE => self.repeat_a_key(),
            BELOW_HIGH => self.reach_the_marks(),
            IN_HEAP => self.lowest_ceiling().is_some_and(|ceiling| self.records() > ceiling),
            POLLS => self.interval().is_some(),
            GATE_CLOSED => self.close_the_gate() && self.end_an_owner(),
            BRINGS => self.pause_before_the_end(),
            NO_START => self.revoke(),
            FENCED => self.end_an_owner(),
            NO_LATE_WRITE => self.hand_over(),
            STAYS => self.troubles().rebalances > 0,
            _ => true,
        }
    }

    /// Whether something endless may stand in the way: a record that is stuck or fails for ever, or an owner
    /// that ends again and again before it has got further.
    pub(super) fn stick(&self) -> bool {
        let stuck = self.any_record(|work, _| work == Work::Never);
        let for_ever = self.troubles().poisons > 0 || self.any_record(|_, fails| fails == Fails::Always);
        let for_ever = for_ever && self.any(|knobs| knobs.quarantine.is_none());
        stuck || for_ever || self.end_again_and_again() || self.keep_a_pause()
    }

    /// Whether the owner may end of itself, and the next one too, before anything more is committed.
    pub(super) fn end_again_and_again(&self) -> bool {
        let blocks = self.any(|knobs| knobs.intake == Intake::Block) && self.interval().is_some();
        blocks || self.run_out_of_memory()
    }

    fn troubles(&self) -> Troubles {
        self.configuration.troubles
    }

    fn records(&self) -> u64 {
        self.configuration.setup.log().len()
    }

    fn any(&self, what: impl Fn(&Knobs) -> bool) -> bool {
        self.every.iter().any(what)
    }

    fn any_record(&self, what: impl Fn(Work, Fails) -> bool) -> bool {
        self.configuration.setup.log().iter_from(0).any(|record| what(record.work, record.fails))
    }

    fn fail(&self) -> bool {
        self.troubles().poisons > 0 || self.any_record(|_, fails| fails != Fails::First(0))
    }

    fn repeat_a_key(&self) -> bool {
        let mut seen = BTreeSet::new();
        self.configuration
            .setup
            .log()
            .iter_from(0)
            .filter_map(|record| record.key)
            .any(|key| !seen.insert(key))
    }

    fn end_an_owner(&self) -> bool {
        self.troubles().crashes > 0 || self.hand_over() || self.run_out_of_memory()
    }

    fn hand_over(&self) -> bool {
        self.revoke() || self.be_evicted()
    }

    /// By an input that says so, or because the group rebalances.
    fn revoke(&self) -> bool {
        self.troubles().revokes > 0 || self.revoke_needlessly()
    }

    fn revoke_needlessly(&self) -> bool {
        let eager = self.any(|knobs| knobs.rebalance_protocol == RebalanceProtocol::Eager);
        eager && self.troubles().rebalances > 0
    }

    /// Whether there are more records than the marks admit at their lowest. What came in under others may be in
    /// flight as well.
    fn reach_the_marks(&self) -> bool {
        let high = self.every.iter().filter_map(Knobs::high_mark).min();
        let poll = self.every.iter().map(|knobs| knobs.poll).min().unwrap_or_default();
        high.is_some_and(|high| self.records() >= high.saturating_add(poll))
    }

    /// Whether there are enough records to close the gate.
    fn close_the_gate(&self) -> bool {
        let high = self.every.iter().filter_map(Knobs::high_mark).min();
        high.is_some_and(|high| self.records() >= high)
    }

    /// Whether the gate may close before everything is read.
    fn pause_before_the_end(&self) -> bool {
        let high = self.every.iter().filter_map(Knobs::high_mark).min();
        high.is_some_and(|high| self.records() > high)
    }

    /// A pause may leave nothing for the polls after it.
    fn throw_away_a_prefetch(&self) -> bool {
        self.any(|knobs| knobs.refetch > 0) && self.pause_before_the_end()
    }

    /// A pause may outlive its ownership, and come back.
    fn keep_a_pause(&self) -> bool {
        let kept = self.any(|knobs| knobs.pause_at_assignment == PauseAtAssignment::Kept);
        kept && self.close_the_gate() && self.hand_over()
    }

    /// Whether intake follows other rules than it began with.
    fn turn_intake(&self) -> bool {
        let first = (self.every[0].intake, self.every[0].poll);
        self.any(|knobs| (knobs.intake, knobs.poll) != first)
    }

    /// The marks bind, and records may be in flight that came in under others.
    fn lower_marks(&self) -> bool {
        self.turn_intake() && self.any(|knobs| knobs.high_mark().is_some())
    }

    fn lowest_ceiling(&self) -> Option<u64> {
        self.every.iter().filter_map(|knobs| knobs.heap_ceiling).min()
    }

    fn run_out_of_memory(&self) -> bool {
        let (records, first) = (self.records(), &self.every[0]);
        let most = match first.intake {
            // What came in under one rule stays under the next, and more may come to it.
            _ if self.turn_intake() => records,
            Intake::Pause { high, .. } => records.min((high - 1).saturating_add(first.poll)),
            Intake::Block => records.min(first.poll),
            Intake::Unbounded => records,
        };
        self.lowest_ceiling().is_some_and(|ceiling| most > ceiling)
    }

    /// The shortest interval in which a poll may be demanded.
    fn interval(&self) -> Option<u64> {
        self.every.iter().filter_map(|knobs| knobs.max_poll_interval).min()
    }

    /// The interval counts from the last poll, the tick before the revoke; in the tick in which it runs out it
    /// does so before the drain can end.
    fn be_evicted(&self) -> bool {
        let Some(interval) = self.interval() else { return false };
        let drains = self.revoke() && self.any(|knobs| knobs.drain + 1 >= interval);
        drains || self.any(|knobs| knobs.intake == Intake::Block)
    }

    /// Something may outlive an ownership.
    fn leak(&self) -> bool {
        self.be_evicted() || self.outlive_a_drain()
    }

    /// And its consumer may not know.
    fn commit_late(&self) -> bool {
        self.any(|knobs| knobs.late_commit == LateCommit::Sent) && self.outlive_a_drain()
    }

    /// Attempts that run when the drain begins were started the tick before at the latest.
    fn outlive_a_drain(&self) -> bool {
        let stalls = self.troubles().stalls;
        let longer = |drain: u64| {
            self.any_record(|work, _| match work {
                Work::Ticks(ticks) => stalls > 0 || ticks > drain + 1,
                Work::UntilTapped | Work::Never => true,
            })
        };
        self.revoke() && self.any(|knobs| longer(knobs.drain))
    }
}
