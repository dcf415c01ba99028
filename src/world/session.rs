//! One ownership of the partition: everything a consumer knows about it, and forgets when it ends.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    config::{CommitOffset, Intake, Knobs, Quarantine, RetryAt, Then},
    fact::LetterCause,
    log::{Fails, Log, Record, Work},
    pool::{Attempt, Pool},
    router::{Parcel, QueueView, Router},
};
use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset, Tick},
    mechanism::{Drain, GateMove, OffsetMap, PauseGate, Place, Watermark},
};

/// A record in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// Its index in the log.
    pub index: u64,
    /// Its key.
    pub key: Option<KeyId>,
    /// Where it stands.
    pub state: TaskState,
    /// Attempts that failed so far.
    pub failures: u32,
    /// When the first of them failed.
    pub first_failed: Option<Tick>,
    work: Work,
    fails: Fails,
    batch: u64,
}

/// Where a record in flight stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskState {
    /// In a queue, at this place.
    Queued(Place),
    /// On a worker.
    Running,
    /// Failed, and not yet due again.
    Waiting {
        /// When it is.
        due: Tick,
        /// Where it goes then; fixed at the failure.
        at: RetryAt,
        /// The place that it keeps meanwhile, if it keeps one.
        place: Option<Place>,
    },
    /// Its key is parked: it is dead-lettered at the next opportunity.
    Parked,
}

/// A drain under way, and who gets the partition afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Handover {
    /// The drain.
    pub drain: Drain,
    /// The new owner.
    pub to: ConsumerId,
}

/// What a poll returned.
pub(super) struct Batch {
    pub(super) indices: (u64, u64),
    pub(super) taken: u64,
    pub(super) passed: u64,
}

/// The state of an owner that is up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    epoch: Epoch,
    tracker: Watermark<Task>,
    router: Router,
    gate: PauseGate,
    pub(super) handover: Option<Handover>,
    last_poll: Tick,
    /// Index in the log of the next record to read.
    next_index: u64,
    /// What a former owner had finished at or above where this one began.
    inherited: OffsetMap,
    /// The acknowledgement map did not fit when a commit was last due.
    pub(super) map_refused: bool,
    /// Counts polls that returned records; records of the last one that are not terminal.
    batch: u64,
    batch_open: u64,
    /// Attempts of this epoch that run.
    running: usize,
    /// Failed records that wait for their retry, by when it is due.
    retries: BTreeSet<(Tick, Offset)>,
    /// How many of these keep no place in a queue meanwhile.
    outside: usize,
    /// Failed records that are not on a worker, by when they first failed.
    quarantine: BTreeSet<(Tick, Offset)>,
    /// Keys whose records above this offset start no more.
    parked: BTreeMap<KeyId, Offset>,
    /// Records of parked keys that wait to be dead-lettered.
    doomed: BTreeSet<Offset>,
    /// What is in flight, by key: kept only while a quarantine may park keys.
    by_key: Option<BTreeSet<(KeyId, Offset)>>,
}

impl Session {
    pub(super) fn begin(
        epoch: Epoch,
        at: Offset,
        inherited: OffsetMap,
        now: Tick,
        knobs: &Knobs,
        pool: &Pool,
        log: &Log,
    ) -> Session {
        let mut session = Session {
            epoch,
            tracker: Watermark::starting_at(at),
            router: Router::new(knobs),
            gate: PauseGate::default(),
            handover: None,
            last_poll: now,
            next_index: log.index_at(at),
            inherited,
            map_refused: false,
            batch: 0,
            batch_open: 0,
            running: 0,
            retries: BTreeSet::new(),
            outside: 0,
            quarantine: BTreeSet::new(),
            parked: BTreeMap::new(),
            doomed: BTreeSet::new(),
            by_key: None,
        };
        session.index_keys(knobs);
        session.occupy_with(pool, log);
        session
    }

    // What a reader may look at.

    /// Which ownership this is.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The in-flight records and the watermark over them.
    #[must_use]
    pub fn tracker(&self) -> &Watermark<Task> {
        &self.tracker
    }

    /// Records in flight.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.tracker.in_flight() as u64
    }

    /// Whether intake is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.gate.is_paused()
    }

    /// The drain under way, if there is one.
    #[must_use]
    pub fn handover(&self) -> Option<&Handover> {
        self.handover.as_ref()
    }

    /// When it last polled, or was assigned.
    #[must_use]
    pub fn last_poll(&self) -> Tick {
        self.last_poll
    }

    /// Attempts of this epoch that run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running
    }

    /// Index in the log of the next record to read.
    #[must_use]
    pub fn next_index(&self) -> u64 {
        self.next_index
    }

    /// What a former owner had finished at or above where this one began.
    #[must_use]
    pub fn inherited(&self) -> &OffsetMap {
        &self.inherited
    }

    /// The queues, for drawing.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueView> {
        self.router.view()
    }

    /// Whether a free worker would find something to do.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        self.router.has_ready()
    }

    /// Whether `block` forbids a poll: something of the last batch that had records is unfinished.
    #[must_use]
    pub fn is_blocked(&self, knobs: &Knobs) -> bool {
        knobs.intake == Intake::Block && self.batch_open > 0
    }

    /// Whether the parts add up: every record in flight has a place in a queue, runs, waits for its retry
    /// outside the queues, or is parked, and only one of these.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        self.router.len() + self.running + self.outside + self.doomed.len() == self.tracker.in_flight()
    }

    // Intake.

    /// Whether a poll at any time from now on, `paused` or not, would find a record.
    pub(super) fn more_to_read(&self, log: &Log) -> bool {
        self.next_index < log.len()
    }

    /// Polls at most `knobs.poll` records that are visible at `now`.
    pub(super) fn poll(&mut self, now: Tick, knobs: &Knobs, log: &Log) -> Option<Batch> {
        self.last_poll = now;
        if self.gate.is_paused() || !self.more_to_read(log) {
            return None;
        }
        let from = self.next_index;
        let mut batch = Batch { indices: (from, from), taken: 0, passed: 0 };
        let mut records = log.iter_from(from);
        while batch.taken < knobs.poll {
            let Some(record) = records.next() else { break };
            if record.since > now {
                break;
            }
            if let Some(end) = self.inherited.run_at(record.offset) {
                // A run of finished offsets is a run of logged ones: pass over all of it at once.
                let next = log.index_at(end);
                batch.passed += next - self.next_index;
                self.next_index = next;
                self.tracker.pass_to(end);
                records = log.iter_from(next);
                continue;
            }
            if batch.taken == 0 {
                self.batch += 1;
                self.batch_open = 0;
            }
            self.admit(record, log);
            batch.taken += 1;
        }
        batch.indices.1 = self.next_index;
        (batch.taken + batch.passed > 0).then_some(batch)
    }

    fn admit(&mut self, record: Record, log: &Log) {
        let parked = self.parked_behind(record.offset, record.key).is_some();
        let state = if parked {
            self.doomed.insert(record.offset);
            TaskState::Parked
        } else {
            TaskState::Queued(self.router.push(Parcel { offset: record.offset, key: record.key }, log))
        };
        let task = Task {
            index: self.next_index,
            key: record.key,
            state,
            failures: 0,
            first_failed: None,
            work: record.work,
            fails: record.fails,
            batch: self.batch,
        };
        self.tracker.polled(record.offset, task);
        self.next_index += 1;
        self.batch_open += 1;
        if let (Some(by_key), Some(key)) = (&mut self.by_key, record.key) {
            by_key.insert((key, record.offset));
        }
    }

    /// Tests the gate against the marks now in force.
    pub(super) fn test_gate(&mut self, knobs: &Knobs) -> Option<GateMove> {
        match knobs.intake {
            Intake::Pause { high, low } => self.gate.test(self.in_flight(), high, low),
            Intake::Unbounded | Intake::Block => None,
        }
    }

    // Attempts.

    /// Starts the next record on the lowest free worker of `pool`, if there is one that may start.
    pub(super) fn start_next(
        &mut self,
        now: Tick,
        consumer: ConsumerId,
        pool: &Pool,
        poisoned: &BTreeSet<Offset>,
    ) -> Option<Attempt> {
        let offset = self.router.take()?;
        let task = self.tracker.get_mut(offset)?;
        task.state = TaskState::Running;
        if let Some(first_failed) = task.first_failed {
            self.quarantine.remove(&(first_failed, offset));
        }
        self.running += 1;
        let poisoned = poisoned.contains(&offset);
        let number = task.failures + 1;
        let ends = match task.work {
            Work::Ticks(ticks) => Some(now.after(ticks)),
            Work::UntilTapped | Work::Never => poisoned.then(|| now.after(1)),
        };
        let fails = poisoned
            || match task.fails {
                Fails::First(n) => number <= n,
                Fails::Always => true,
            };
        Some(Attempt {
            consumer,
            worker: pool.lowest_free(),
            epoch: self.epoch,
            offset,
            index: task.index,
            key: task.key,
            number,
            started: now,
            ends,
            fails,
        })
    }

    /// A worker left the mailbox of this attempt, whichever epoch it belongs to.
    pub(super) fn release(&mut self, attempt: &Attempt, log: &Log) {
        self.router.release(Parcel { offset: attempt.offset, key: attempt.key }, log);
    }

    /// An attempt of this epoch succeeded.
    pub(super) fn succeeded(&mut self, attempt: &Attempt) {
        self.running -= 1;
        self.finish(attempt.offset);
    }

    /// An attempt of this epoch failed: when its retry is due, unless its key is parked.
    pub(super) fn failed(&mut self, attempt: &Attempt, now: Tick, knobs: &Knobs, log: &Log) -> Option<Tick> {
        self.running -= 1;
        let offset = attempt.offset;
        let parked = self.parked_behind(offset, attempt.key).is_some();
        let task = self.tracker.get_mut(offset)?;
        task.failures += 1;
        let first_failed = *task.first_failed.get_or_insert(now);
        if parked {
            task.state = TaskState::Parked;
            self.doomed.insert(offset);
            return None;
        }
        let due = now.after(knobs.retry_delay);
        let place = match knobs.retry_at {
            RetryAt::Head => self.router.hold_head(Parcel { offset, key: attempt.key }, log),
            RetryAt::Tail => None,
        };
        task.state = TaskState::Waiting { due, at: knobs.retry_at, place };
        self.outside += usize::from(place.is_none());
        self.retries.insert((due, offset));
        self.quarantine.insert((first_failed, offset));
        Some(due)
    }

    // Timers.

    /// Dead-letters what has to go now, offsets ascending: each with its index in the log and why.
    pub(super) fn dead_letters(
        &mut self,
        now: Tick,
        knobs: &Knobs,
        log: &Log,
    ) -> Vec<(Offset, u64, LetterCause)> {
        if !self.has_letters(now, knobs) {
            return Vec::new();
        }
        let mut due = std::mem::take(&mut self.doomed);
        if let Some(quarantine) = knobs.quarantine {
            let expired = |&&(first_failed, _): &&(Tick, Offset)| first_failed.after(quarantine.after) <= now;
            due.extend(self.quarantine.iter().take_while(expired).map(|&(_, offset)| offset));
        }
        let mut letters = Vec::new();
        while let Some(offset) = due.pop_first() {
            let Some(task) = self.tracker.get(offset).copied() else { continue };
            let cause = match (self.parked_behind(offset, task.key), task.first_failed) {
                (Some(behind), _) => LetterCause::Parked { behind },
                (None, first_failed) => LetterCause::Timer { first_failed: first_failed.unwrap_or(now) },
            };
            self.leave_queues(offset, &task, log);
            self.finish(offset);
            letters.push((offset, task.index, cause));
            let parks = knobs.quarantine.is_some_and(|quarantine| quarantine.then == Then::Park);
            if let (LetterCause::Timer { .. }, true, Some(key)) = (cause, parks, task.key) {
                due.extend(self.park(key, offset));
            }
        }
        letters
    }

    fn has_letters(&self, now: Tick, knobs: &Knobs) -> bool {
        let expired = |quarantine: Quarantine| {
            self.quarantine.first().is_some_and(|&(failed, _)| failed.after(quarantine.after) <= now)
        };
        !self.doomed.is_empty() || knobs.quarantine.is_some_and(expired)
    }

    /// From now on nothing of `key` above `offset` starts: what of it is not on a worker goes at once.
    fn park(&mut self, key: KeyId, offset: Offset) -> Vec<Offset> {
        self.parked.insert(key, offset);
        let Some(by_key) = &self.by_key else { return Vec::new() };
        let above = by_key.range((key, offset)..=(key, Offset::MAX)).map(|&(_, other)| other);
        above
            .filter(|&other| self.tracker.get(other).is_some_and(|task| task.state != TaskState::Running))
            .collect()
    }

    /// The offset behind which this record is parked, if it is.
    fn parked_behind(&self, offset: Offset, key: Option<KeyId>) -> Option<Offset> {
        self.parked.get(&key?).copied().filter(|&behind| offset > behind)
    }

    fn leave_queues(&mut self, offset: Offset, task: &Task, log: &Log) {
        if let Some(first_failed) = task.first_failed {
            self.quarantine.remove(&(first_failed, offset));
        }
        let place = match task.state {
            TaskState::Queued(place) => Some(place),
            TaskState::Waiting { due, place, .. } => {
                self.retries.remove(&(due, offset));
                self.outside -= usize::from(place.is_none());
                place
            }
            TaskState::Running | TaskState::Parked => None,
        };
        if let Some(place) = place {
            self.router.remove(Parcel { offset, key: task.key }, place, log);
        }
    }

    /// Lets every retry that is due join its queue; which ones, offsets ascending.
    pub(super) fn retries_due(&mut self, now: Tick, log: &Log) -> Vec<Offset> {
        let mut due = Vec::new();
        while let Some(&(tick, offset)) = self.retries.first()
            && tick <= now
        {
            self.retries.pop_first();
            due.push(offset);
        }
        due.sort_unstable();
        let mut rejoin = |offset: Offset, turn: RetryAt| {
            let Some(task) = self.tracker.get_mut(offset) else { return };
            let TaskState::Waiting { at, place, .. } = task.state else { return };
            let parcel = Parcel { offset, key: task.key };
            if at != turn {
                return;
            }
            self.outside -= usize::from(place.is_none());
            let place = match at {
                RetryAt::Tail => Some(self.router.push(parcel, log)),
                RetryAt::Head => self.router.retry_at_head(parcel, place, log),
            };
            if let Some(place) = place {
                task.state = TaskState::Queued(place);
            }
        };
        // Those that re-enter in front do so highest first, so that the lowest ends up foremost.
        due.iter().rev().for_each(|&offset| rejoin(offset, RetryAt::Head));
        due.iter().for_each(|&offset| rejoin(offset, RetryAt::Tail));
        due
    }

    // Commits.

    /// The offset to commit by the rule now in force.
    pub(super) fn commit_candidate(&self, rule: CommitOffset, committed: Offset) -> Offset {
        let candidate = match rule {
            CommitOffset::Watermark => self.tracker.low(),
            CommitOffset::Highest => self.tracker.highest_finished().map_or(committed, Offset::next),
        };
        candidate.max(committed)
    }

    /// The finished offsets to name beside `committed`: this epoch's, and the inherited ones that the
    /// watermark has not passed.
    pub(super) fn ack_map(&self, committed: Offset) -> OffsetMap {
        let finished = self.tracker.finished().runs().map(|(start, end)| (Offset(start), Offset(end)));
        let own = OffsetMap::from_runs(finished).at_or_above(committed);
        own.union(&self.inherited.at_or_above(committed.max(self.tracker.low())))
    }

    // Changes of knobs.

    /// Takes up knobs that have just been turned; `Some` if the gate opened because there are no marks now.
    pub(super) fn adopt(&mut self, old: &Knobs, new: &Knobs, pool: &Pool, log: &Log) -> Option<GateMove> {
        if !self.router.agrees_with(new) {
            self.reroute(new, pool, log);
        }
        if old.quarantine != new.quarantine {
            self.index_keys(new);
        }
        if matches!(new.intake, Intake::Pause { .. }) { None } else { self.gate.open() }
    }

    /// Queues everything anew, in offset order.
    fn reroute(&mut self, knobs: &Knobs, pool: &Pool, log: &Log) {
        self.router = Router::new(knobs);
        self.occupy_with(pool, log);
        self.outside = 0;
        for (offset, task) in self.tracker.iter_mut() {
            let parcel = Parcel { offset, key: task.key };
            match &mut task.state {
                TaskState::Queued(place @ Place::Front(_)) => *place = self.router.push_kept(parcel, log),
                TaskState::Queued(place) => *place = self.router.push(parcel, log),
                TaskState::Waiting { at: RetryAt::Head, place, .. } => {
                    *place = self.router.push_held(parcel, log);
                    self.outside += usize::from(place.is_none());
                }
                TaskState::Waiting { at: RetryAt::Tail, .. } => self.outside += 1,
                TaskState::Running | TaskState::Parked => {}
            }
        }
    }

    fn occupy_with(&mut self, pool: &Pool, log: &Log) {
        for attempt in pool.attempts() {
            self.router.occupy(Parcel { offset: attempt.offset, key: attempt.key }, log);
        }
    }

    fn index_keys(&mut self, knobs: &Knobs) {
        let parks = knobs.quarantine.is_some_and(|quarantine| quarantine.then == Then::Park);
        let keyed = |(offset, task): (Offset, &Task)| task.key.map(|key| (key, offset));
        self.by_key = parks.then(|| self.tracker.iter().filter_map(keyed).collect());
    }

    fn finish(&mut self, offset: Offset) {
        let Some(task) = self.tracker.finish(offset) else { return };
        if task.batch == self.batch {
            self.batch_open -= 1;
        }
        if let (Some(by_key), Some(key)) = (&mut self.by_key, task.key) {
            by_key.remove(&(key, offset));
        }
    }

    /// Whether time alone would change something: a retry, a quarantine, a dead letter.
    pub(super) fn has_timers(&self, knobs: &Knobs) -> bool {
        !self.retries.is_empty()
            || !self.doomed.is_empty()
            || (knobs.quarantine.is_some() && !self.quarantine.is_empty())
    }
}
