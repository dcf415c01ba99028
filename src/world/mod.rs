//! The environment and the wiring: one log, one broker, two consumers, one store, and the tick.
//!
//! A world is `Clone + Eq + Hash` and holds no history; what happens it tells an [`Observer`]. A run is
//! exactly (setup, inputs by tick): there are no dice here (a generated log draws its records from its own
//! seed), no clock, and nothing iterates in an order that could differ between machines.

#![deny(clippy::float_arithmetic, clippy::disallowed_types)]

mod broker;
mod commit;
pub mod config;
mod fact;
mod generate;
mod idle;
mod input;
mod log;
mod murmur2;
mod ownership;
mod phases;
mod pool;
mod rebase;
mod router;
mod session;
mod store;

use std::sync::Arc;

pub use broker::{Broker, redelivered};
pub use config::{ConfigError, Knob, Knobs, Setup};
pub use fact::{CommitCause, CrashCause, EndedBy, Fact, LetterCause, Observer};
pub(crate) use generate::draw_below;
pub use generate::{Generated, GeneratedRecords};
pub use input::{Ignored, Input};
pub use log::{Fails, Key, Log, NewRecord, Record, Records, Work};
pub use murmur2::murmur2;
pub use pool::{Attempt, Pool};
pub(crate) use rebase::Rebasing;
pub use router::{MailboxId, QueueView};
pub use session::{Handover, Session, Task, TaskState};
pub use store::{Row, Store, WriteResult};

use commit::Late;

use crate::{
    ids::{ConsumerId, Offset, Tick},
    mechanism::OffsetMap,
    sorted::SortedSet,
};

/// What never comes to an end in a world that has come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// Attempts on the owner's workers that never end by themselves.
    pub never: u64,
    /// Records in flight that nobody works on, and records not yet read.
    pub waiting: u64,
}

/// One process of the group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Consumer {
    up: bool,
    pool: Pool,
    session: Option<Session>,
    /// Ended ownerships that it goes on committing for, by age; none where it checks.
    late: Vec<Late>,
    /// Its client has the partition paused still, which it has lost; never where pauses are forgotten.
    still_paused: bool,
}

impl Consumer {
    /// Whether the process runs.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// Its worker threads, which may still run what an ended ownership left behind.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Its ownership of the partition, if it is up and has it.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }
}

/// The simulated system between two ticks.
///
/// ```
/// use std::sync::Arc;
/// use keyed_worker_pool::{ids::*, world::*};
///
/// let record = |offset, key: &str, work| NewRecord {
///     offset: Offset(offset), key: Some(key.into()), work: Work::Ticks(work), fails: Fails::First(0), since: Tick(0),
/// };
/// let log = Log::from_records(Offset(0), [record(0, "a", 3), record(1, "b", 1)])?;
/// let setup = Setup::new(Arc::new(log), Knobs::default(), &[ConsumerId::A])?;
/// let mut world = World::new(&setup);
/// for _ in 0..=1 {
///     world.step(&[], &mut ());
/// }
/// assert_eq!(world.watermark(), Some(Offset(0)));      // 1 is done, but 0 pins the watermark
/// assert_eq!(world.broker().committed(), Offset(0));
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    log: Arc<Log>,
    knobs: Knobs,
    now: Tick,
    broker: Broker,
    consumers: [Consumer; 2],
    store: Store,
    /// Offsets whose attempts fail from now on, whatever the log says.
    poisoned: SortedSet<Offset>,
    /// Who gets the partition in this tick's phase 5: its draining owner died.
    orphaned_to: Option<ConsumerId>,
    /// The watermark last noted after phase 4, by whoever owned the partition.
    noted: Option<Offset>,
    /// The marks last in force: what bounds intake even after they are abolished.
    marks: Option<u64>,
}

impl World {
    /// The world before tick 0. A owns the partition, and is told so in that tick.
    #[must_use]
    pub fn new(setup: &Setup) -> World {
        let log = setup.log().clone();
        let consumer = Consumer {
            up: true,
            pool: Pool::default(),
            session: None,
            late: Vec::new(),
            still_paused: false,
        };
        let broker = Broker {
            committed: log.start(),
            ack_map: OffsetMap::default(),
            owner: None,
            epoch: Default::default(),
            with_b: setup.with_b(),
        };
        World {
            log,
            marks: setup.knobs().high_mark(),
            knobs: setup.knobs().clone(),
            now: Tick(0),
            broker,
            consumers: [consumer.clone(), consumer],
            store: Store::default(),
            poisoned: SortedSet::default(),
            orphaned_to: None,
            noted: None,
        }
    }

    /// One tick. `inputs` act first, in the order given.
    ///
    /// What happened in a tick comes before what is decided in it: attempts end and timers run out before
    /// the watermark is read, the commit sees that watermark, a drain ends only after its last commit, and
    /// a record polled in this tick can start in this tick.
    pub fn step(&mut self, inputs: &[Input], observer: &mut impl Observer) {
        self.assign_first_owner(observer);
        self.apply_inputs(inputs, observer); //  1
        self.end_attempts(observer); //          2
        self.run_timers(observer); //            3
        self.note_watermark(observer); //        4
        self.commit_if_due(observer); //         5
        self.hand_over_if_drained(observer); //  5, after the last commit
        self.poll(observer); //                  6
        self.test_gate(observer); //             7
        self.dispatch(observer); //              8
        self.now = self.now.after(1);
    }

    /// The tick that [`World::step`] executes next.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.now
    }

    /// The partition's log.
    #[must_use]
    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// The knobs in force.
    #[must_use]
    pub fn knobs(&self) -> &Knobs {
        &self.knobs
    }

    /// The broker's side.
    #[must_use]
    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    /// The rows.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// One of the two processes.
    #[must_use]
    pub fn consumer(&self, id: ConsumerId) -> &Consumer {
        &self.consumers[id.index()]
    }

    /// The owner that is up, with its ownership.
    #[must_use]
    pub fn owner(&self) -> Option<(ConsumerId, &Session)> {
        let id = self.broker.owner?;
        Some((id, self.consumer(id).session()?))
    }

    /// The owner's watermark, computed now; `None` while there is no owner that is up.
    #[must_use]
    pub fn watermark(&self) -> Option<Offset> {
        self.owner().map(|(_, session)| session.tracker().low())
    }

    /// The owner's position; `None` while there is no owner that is up.
    #[must_use]
    pub fn position(&self) -> Option<Offset> {
        self.owner().map(|(_, session)| session.tracker().position())
    }

    /// The high mark that bounds what is in flight: the one in force, or the last that was.
    #[must_use]
    pub fn high_mark(&self) -> Option<u64> {
        self.marks
    }

    /// Whether every later attempt of this offset fails because an input said so.
    #[must_use]
    pub fn is_poisoned(&self, offset: Offset) -> bool {
        self.poisoned.contains(&offset)
    }

    /// What a crash of the owner would bring again, were it to happen now: `(log index, offset)`.
    pub fn redelivered_by_a_crash(&self) -> impl Iterator<Item = (u64, Offset)> + '_ {
        let position = self.position().unwrap_or(self.broker.committed);
        redelivered(&self.log, self.broker.committed, position, &self.broker.ack_map)
    }

    /// What is left undone when nothing can change any more without an input; nothing as long as something can, or
    /// waits to be completed by hand.
    #[must_use]
    pub fn left_for_ever(&self) -> Option<Left> {
        let (owner, session) = self.owner().filter(|_| self.is_settled())?;
        let attempts = self.consumer(owner).pool().attempts();
        let works: Vec<_> =
            attempts.filter_map(|attempt| Some(self.log.find(attempt.offset)?.work)).collect();
        if works.contains(&Work::UntilTapped) {
            return None;
        }
        let never = works.iter().filter(|&&work| work == Work::Never).count() as u64;
        let unread = self.log.len().saturating_sub(session.next_index());
        let waiting = (session.in_flight() + unread).saturating_sub(session.running() as u64);
        (never + waiting > 0).then_some(Left { never, waiting })
    }

    /// Whether nothing can change any more without an input. A commit not yet due and a watermark not yet
    /// noted are changes still to come.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let running = self.consumers.iter().any(|consumer| consumer.pool.will_end_something());
        if running || self.broker.owner.is_none() || self.has_to_commit() {
            return false;
        }
        let Some((_, session)) = self.owner() else { return true };
        let blocked = session.is_blocked(&self.knobs);
        let reads_on = session.more_to_read(&self.log) && !session.is_paused() && !blocked;
        let expires = blocked && self.knobs.max_poll_interval.is_some();
        !(session.handover().is_some()
            || session.has_timers(&self.knobs)
            || reads_on
            || expires
            || self.noted != self.watermark())
    }
}
