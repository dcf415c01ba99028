//! One ownership of the partition: everything a consumer knows about it, and forgets when it ends.

mod attempts;
mod intake;
mod knobs;
mod rebase;
mod timers;

use super::{
    commit::LastCommit,
    config::{Intake, Knobs, RetryAt},
    log::{Fails, Log, Record, Work},
    pool::Pool,
    router::{MailboxId, Parcel, QueueView, Router},
};
use crate::{
    ids::{ConsumerId, Epoch, KeyId, Offset, Tick},
    mechanism::{Drain, OffsetMap, PauseGate, Place, Watermark},
    sorted::{SortedMap, SortedSet},
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
    /// The client has the partition paused since an earlier ownership, and the gate, which is open, will not resume.
    pub(super) still_paused: bool,
    /// The first tick whose poll can bring records after a pause that threw the prefetch away, until a poll reaches it.
    refetched: Option<Tick>,
    pub(super) handover: Option<Handover>,
    pub(super) last_poll: Tick,
    /// Index in the log of the next record to read.
    next_index: u64,
    /// What a former owner had finished at or above where this one began.
    inherited: OffsetMap,
    pub(super) last_commit: LastCommit,
    /// Counts polls that returned records; records of the last one that are not terminal.
    batch: u64,
    batch_open: u64,
    /// Attempts of this epoch that run.
    running: usize,
    /// Failed records that wait for their retry, by when it is due.
    retries: SortedSet<(Tick, Offset)>,
    /// How many of these keep no place in a queue meanwhile.
    outside: usize,
    /// Failed records that are not on a worker, by when they first failed.
    quarantine: SortedSet<(Tick, Offset)>,
    /// Keys whose records above this offset start no more.
    parked: SortedMap<KeyId, Offset>,
    /// Records of parked keys that wait to be dead-lettered.
    doomed: SortedSet<Offset>,
    /// What is in flight, by key: kept only while a quarantine may park keys.
    by_key: Option<SortedSet<(KeyId, Offset)>>,
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
            still_paused: false,
            refetched: None,
            handover: None,
            last_poll: now,
            next_index: log.index_at(at),
            last_commit: LastCommit::begin(at, inherited.clone()),
            inherited,
            batch: 0,
            batch_open: 0,
            running: 0,
            retries: SortedSet::default(),
            outside: 0,
            quarantine: SortedSet::default(),
            parked: SortedMap::default(),
            doomed: SortedSet::default(),
            by_key: None,
        };
        session.index_keys(knobs);
        session.occupy_with(pool, log);
        session
    }

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
        self.gate.is_paused() || self.still_paused
    }

    /// Whether it is paused since an earlier ownership, behind an open gate: it never resumes.
    #[must_use]
    pub fn is_still_paused(&self) -> bool {
        self.still_paused
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

    /// The mailbox that a record goes through; `None`: there is the one shared queue.
    pub(crate) fn mailbox_of(&self, record: Record, log: &Log) -> Option<MailboxId> {
        self.router.mailbox_of(Parcel { offset: record.offset, key: record.key }, log)
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

    fn finish(&mut self, offset: Offset) {
        let Some(task) = self.tracker.finish(offset) else { return };
        if task.batch == self.batch {
            self.batch_open -= 1;
        }
        if let (Some(by_key), Some(key)) = (&mut self.by_key, task.key) {
            by_key.remove(&(key, offset));
        }
    }
}
