//! What can be configured, and the rules a configuration keeps.
//!
//! A deliberately broken rule (shared pool, commit the highest offset, unbounded queue, guard off) is an
//! ordinary choice here: the simulator exists to show it fail. What makes no sense at all is refused when a
//! configuration is built, so that a tick cannot fail.

use std::{error::Error, fmt, sync::Arc};

use super::log::Log;
use crate::{ids::ConsumerId, mechanism::Guard};

/// Who processes what: how records reach the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Routing {
    /// One mailbox per key.
    Keyed,
    /// One queue for everything, any worker takes the head: per-key order is lost.
    Shared,
    /// One mailbox for everything and one worker: a thread per partition.
    Serial,
    /// This many mailboxes (at least 1), chosen by Kafka's hash of the key.
    Lanes(u32),
}

/// Where records without a key go, under keyed routing and lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NullKeys {
    /// All into one mailbox of their own.
    Mailbox,
    /// Each into its own: they have no order to keep.
    Spread,
}

/// Where a failed record waits for its next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAt {
    /// At the head of its mailbox, which stays closed meanwhile (in the shared queue: it re-enters in
    /// front).
    Head,
    /// It goes to the tail when due, and order is lost.
    Tail,
}

/// How intake is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intake {
    /// Pause when in flight reaches `high` records, resume at `low`; `low < high`.
    Pause {
        /// Records in flight at which intake pauses.
        high: u64,
        /// Records in flight at which it resumes.
        low: u64,
    },
    /// Never pause.
    Unbounded,
    /// Poll again only when every record of the last batch is terminal.
    Block,
}

/// Which offset a commit names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommitOffset {
    /// The watermark.
    Watermark,
    /// The highest terminal offset + 1: the bug to show.
    Highest,
}

/// Whether a consumer asks, before it commits what an attempt has finished, if the ownership in which it was
/// started has ended. The broker does not ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LateCommit {
    /// It numbers its ownerships, and an ended one commits nothing.
    Checked,
    /// It does not: what outlives a handover is committed, as long as the process is a member of the group.
    Sent,
}

/// Whether the client forgets, with an assignment, that the application had paused the partition. Whoever begins
/// every ownership with its gate open has to resume where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PauseAtAssignment {
    /// It does, as Java's client.
    Forgotten,
    /// It does not, as librdkafka: whoever gets the partition back and believes it open reads nothing.
    Kept,
}

/// What a rebalance does to a partition that stays with its owner: the group asks its members to give up what moves, or
/// all that they have. (KIP-429, and the assignor's choice: `cooperative-sticky`, or `range` and the others.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RebalanceProtocol {
    /// Nothing: its owner goes on.
    Cooperative,
    /// It is revoked, and the same member gets it back.
    Eager,
}

/// What happens to the other records of a key whose record was dead-lettered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// They go on.
    Continue,
    /// Later ones follow it to the dead letters, in order, until the epoch ends.
    Park,
}

/// When a failing record is dead-lettered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quarantine {
    /// Ticks after its first failure.
    pub after: u64,
    /// What becomes of its key.
    pub then: Then,
}

/// Everything that can be turned while a run is under way. The defaults are those of a scenario file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Knobs {
    /// Worker threads per consumer, at least 1.
    pub workers: u32,
    /// How records reach the workers.
    pub routing: Routing,
    /// Where records without a key go.
    pub null_keys: NullKeys,
    /// Ticks from a failure to the next attempt, at least 1.
    pub retry_delay: u64,
    /// Where a failed record waits.
    pub retry_at: RetryAt,
    /// Records a poll returns at most (`max.poll.records`), at least 1.
    pub poll: u64,
    /// How intake is bounded.
    pub intake: Intake,
    /// Records in flight above which the process runs out of memory; `None`: it never does.
    pub heap_ceiling: Option<u64>,
    /// Ticks without a poll after which the group evicts the owner (`max.poll.interval.ms`), at least 2.
    pub max_poll_interval: Option<u64>,
    /// A commit is due at ticks divisible by this, at least 1.
    pub commit_every: u64,
    /// What a commit names.
    pub commit_offset: CommitOffset,
    /// Whether a commit carries the finished offsets above it.
    pub ack_map: bool,
    /// Bytes a commit's metadata may have (`offset.metadata.max.bytes`).
    pub ack_map_limit: u64,
    /// When a failing record is dead-lettered; `None`: never.
    pub quarantine: Option<Quarantine>,
    /// Ticks a revoked owner may go on with what runs.
    pub drain: u64,
    /// Which writes a row of the store accepts.
    pub guard: Guard,
    /// Whether what outlives a handover is committed.
    pub late_commit: LateCommit,
    /// Whether a pause outlives the assignment in which it was asked for.
    pub pause_at_assignment: PauseAtAssignment,
    /// Ticks from a resume until polls bring records again, because the pause threw away what the client had fetched
    /// ahead, as librdkafka's does; 0: it keeps that, as Java's client since 2.4 (KAFKA-7548).
    pub refetch: u64,
    /// Whether a rebalance revokes what stays with its owner too.
    pub rebalance_protocol: RebalanceProtocol,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs {
            workers: 4,
            routing: Routing::Keyed,
            null_keys: NullKeys::Mailbox,
            retry_delay: 1,
            retry_at: RetryAt::Head,
            poll: 500,
            intake: Intake::Pause { high: 24, low: 8 },
            heap_ceiling: None,
            max_poll_interval: None,
            commit_every: 1,
            commit_offset: CommitOffset::Watermark,
            ack_map: false,
            ack_map_limit: 4096,
            quarantine: None,
            drain: 7,
            guard: Guard::Newer,
            late_commit: LateCommit::Checked,
            pause_at_assignment: PauseAtAssignment::Forgotten,
            refetch: 0,
            rebalance_protocol: RebalanceProtocol::Cooperative,
        }
    }
}

/// One knob with its new value: what [`Knobs`] calls it, and the same units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each is the field of `Knobs` of the same name
pub enum Knob {
    Workers(u32),
    Routing(Routing),
    NullKeys(NullKeys),
    RetryDelay(u64),
    RetryAt(RetryAt),
    Poll(u64),
    Intake(Intake),
    HeapCeiling(Option<u64>),
    MaxPollInterval(Option<u64>),
    CommitEvery(u64),
    CommitOffset(CommitOffset),
    AckMap(bool),
    AckMapLimit(u64),
    Quarantine(Option<Quarantine>),
    Drain(u64),
    Guard(Guard),
    LateCommit(LateCommit),
    PauseAtAssignment(PauseAtAssignment),
    Refetch(u64),
    RebalanceProtocol(RebalanceProtocol),
}

impl Knobs {
    /// These knobs with some turned.
    ///
    /// # Errors
    /// Names the first knob whose value makes no sense.
    pub fn with(&self, turned: &[Knob]) -> Result<Knobs, ConfigError> {
        let mut knobs = self.clone();
        for &knob in turned {
            match knob {
                Knob::Workers(value) => knobs.workers = value,
                Knob::Routing(value) => knobs.routing = value,
                Knob::NullKeys(value) => knobs.null_keys = value,
                Knob::RetryDelay(value) => knobs.retry_delay = value,
                Knob::RetryAt(value) => knobs.retry_at = value,
                Knob::Poll(value) => knobs.poll = value,
                Knob::Intake(value) => knobs.intake = value,
                Knob::HeapCeiling(value) => knobs.heap_ceiling = value,
                Knob::MaxPollInterval(value) => knobs.max_poll_interval = value,
                Knob::CommitEvery(value) => knobs.commit_every = value,
                Knob::CommitOffset(value) => knobs.commit_offset = value,
                Knob::AckMap(value) => knobs.ack_map = value,
                Knob::AckMapLimit(value) => knobs.ack_map_limit = value,
                Knob::Quarantine(value) => knobs.quarantine = value,
                Knob::Drain(value) => knobs.drain = value,
                Knob::Guard(value) => knobs.guard = value,
                Knob::LateCommit(value) => knobs.late_commit = value,
                Knob::PauseAtAssignment(value) => knobs.pause_at_assignment = value,
                Knob::Refetch(value) => knobs.refetch = value,
                Knob::RebalanceProtocol(value) => knobs.rebalance_protocol = value,
            }
        }
        knobs.check()?;
        Ok(knobs)
    }

    /// Checks every rule.
    ///
    /// # Errors
    /// Names the first field that breaks one.
    pub fn check(&self) -> Result<(), ConfigError> {
        let at_least = |field: &'static str, value: u64, least: u64| {
            if value < least { Err(ConfigError::new(field, value, Rule::AtLeast(least))) } else { Ok(()) }
        };
        at_least("consumer.workers", self.workers.into(), 1)?;
        if let Routing::Lanes(lanes) = self.routing {
            at_least("consumer.routing.lanes", lanes.into(), 1)?;
        }
        at_least("consumer.retry.delay", self.retry_delay, 1)?;
        at_least("consumer.poll", self.poll, 1)?;
        if let Intake::Pause { high, low } = self.intake
            && low >= high
        {
            return Err(ConfigError::new("consumer.intake.pause.low", low, Rule::BelowHigh(high)));
        }
        if let Some(interval) = self.max_poll_interval {
            at_least("consumer.max_poll_interval", interval, 2)?;
        }
        at_least("consumer.commit.every", self.commit_every, 1)
    }

    /// The knobs that stand otherwise than in `others`, with their values here.
    #[must_use]
    pub fn differences(&self, others: &Knobs) -> Vec<Knob> {
        let pairs = self.each().into_iter().zip(others.each());
        pairs.filter(|(own, other)| own != other).map(|(own, _)| own).collect()
    }

    /// Every knob as it stands.
    fn each(&self) -> [Knob; 20] {
        [
            Knob::Workers(self.workers),
            Knob::Routing(self.routing),
            Knob::NullKeys(self.null_keys),
            Knob::RetryDelay(self.retry_delay),
            Knob::RetryAt(self.retry_at),
            Knob::Poll(self.poll),
            Knob::Intake(self.intake),
            Knob::HeapCeiling(self.heap_ceiling),
            Knob::MaxPollInterval(self.max_poll_interval),
            Knob::CommitEvery(self.commit_every),
            Knob::CommitOffset(self.commit_offset),
            Knob::AckMap(self.ack_map),
            Knob::AckMapLimit(self.ack_map_limit),
            Knob::Quarantine(self.quarantine),
            Knob::Drain(self.drain),
            Knob::Guard(self.guard),
            Knob::LateCommit(self.late_commit),
            Knob::PauseAtAssignment(self.pause_at_assignment),
            Knob::Refetch(self.refetch),
            Knob::RebalanceProtocol(self.rebalance_protocol),
        ]
    }

    /// Worker threads that may run at once: `workers`, or one where the routing is serial.
    #[must_use]
    pub fn concurrency(&self) -> u32 {
        if self.routing == Routing::Serial { 1 } else { self.workers }
    }

    /// The high mark, where intake pauses at one.
    #[must_use]
    pub fn high_mark(&self) -> Option<u64> {
        match self.intake {
            Intake::Pause { high, .. } => Some(high),
            Intake::Unbounded | Intake::Block => None,
        }
    }
}

/// What a run starts from; with the inputs by tick, everything that determines it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    log: Arc<Log>,
    knobs: Knobs,
    with_b: bool,
}

impl Setup {
    /// A group of A alone, or of A and B; A owns the partition at tick 0.
    ///
    /// # Errors
    /// If the knobs break a rule, or the members are not A, or A and B.
    pub fn new(log: Arc<Log>, knobs: Knobs, members: &[ConsumerId]) -> Result<Setup, ConfigError> {
        knobs.check()?;
        let with_b = match members {
            [ConsumerId::A] => false,
            [ConsumerId::A, ConsumerId::B] | [ConsumerId::B, ConsumerId::A] => true,
            other => {
                let named: Vec<_> = other.iter().map(ConsumerId::to_string).collect();
                return Err(ConfigError::new("members", format!("{named:?}"), Rule::Members));
            }
        };
        Ok(Setup { log, knobs, with_b })
    }

    /// The same with some knobs turned before the first tick.
    ///
    /// # Errors
    /// If they would break a rule.
    pub fn turned(&self, knobs: &[Knob]) -> Result<Setup, ConfigError> {
        Ok(Setup { knobs: self.knobs.with(knobs)?, ..self.clone() })
    }

    /// The partition's log.
    #[must_use]
    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// The knobs before the first input.
    #[must_use]
    pub fn knobs(&self) -> &Knobs {
        &self.knobs
    }

    /// Whether B is in the group from the start; otherwise it joins when an input first names it.
    #[must_use]
    pub fn with_b(&self) -> bool {
        self.with_b
    }
}

/// A configuration that was refused: which field, which value, and the rule it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Where, as a scenario file spells it: `consumer.intake.pause.low`.
    pub field: String,
    /// What was there.
    pub value: String,
    /// What would have been right.
    pub rule: Rule,
}

/// The rules that a [`ConfigError`] can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Not below this.
    AtLeast(u64),
    /// The low mark lies below the high one, which is this.
    BelowHigh(u64),
    /// Offsets strictly increase: above this one.
    Above(i64),
    /// An offset is `0 ..= i64::MAX - 1`.
    Offset,
    /// No more records than there are offsets from this one on.
    RoomFrom(i64),
    /// One draw has 32 bits: no range, and no sum of weights, above 2^32.
    DrawWithin32Bits,
    /// The group is A, or A and B.
    Members,
}

impl ConfigError {
    /// `field` holds `value`, which breaks `rule`.
    pub fn new(field: impl Into<String>, value: impl ToString, rule: Rule) -> ConfigError {
        ConfigError { field: field.into(), value: value.to_string(), rule }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, but {}", self.field, self.value, self.rule)
    }
}

impl Error for ConfigError {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::AtLeast(least) => write!(f, "must be at least {least}"),
            Rule::BelowHigh(high) => write!(f, "must be below the high mark, {high}"),
            Rule::Above(offset) => write!(f, "offsets must strictly increase: above {offset}"),
            Rule::Offset => write!(f, "offsets run from 0 to {}", i64::MAX - 1),
            Rule::RoomFrom(start) => {
                let (last, room) = (i64::MAX - 1, i64::MAX - start);
                write!(f, "there are {room} offsets from {start} to the last one, {last}")
            }
            Rule::DrawWithin32Bits => f.write_str("a draw has 32 bits: use a smaller range or fewer keys"),
            Rule::Members => f.write_str("the members must be [\"A\"] or [\"A\", \"B\"]"),
        }
    }
}
