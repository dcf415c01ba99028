//! What a consumer can be told. What is wrong on purpose says so, and is there to be seen failing against a real broker
//! as it fails in the simulator.

/// Which records may run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// One mailbox per key, and one for the records without a key.
    Keyed,
    /// One mailbox for everything: the partition's own order, one record at a time.
    Serial,
    /// A mailbox per record, which is a plain thread pool. Wrong: no key keeps its order.
    Shared,
}

/// How the records in flight are bounded, for each partition by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intake {
    /// Pause when `high` records are in flight, resume when `low` are left, and go on polling meanwhile.
    Pause {
        /// Records in flight at which the partition is paused.
        high: u64,
        /// Records in flight at which it is resumed; below `high`.
        low: u64,
    },
    /// Take in whatever comes. Wrong: memory has no bound.
    Unbounded,
    /// Poll again only when everything is done. Wrong: slow work exceeds `max.poll.interval.ms`.
    Block,
}

/// What a commit names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOffset {
    /// The watermark: everything below is finished.
    Watermark,
    /// One past the highest finished record. Wrong: a crash loses what is unfinished below.
    Highest,
}

/// The settings of a consumer. A tick is whatever the host's clock counts, milliseconds in a service.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Worker threads.
    pub workers: usize,
    /// Which records may run at the same time.
    pub routing: Routing,
    /// Records taken in at once, at most.
    pub poll: usize,
    /// How the records in flight are bounded.
    pub intake: Intake,
    /// Ticks from one commit to the next.
    pub commit_every: u64,
    /// What a commit names.
    pub commit: CommitOffset,
    /// Ticks from a failure to the next attempt.
    pub retry_delay: u64,
    /// Ticks that a revoked partition's running work may take to finish.
    pub drain: u64,
    /// Whether work that outlives its ownership keeps its hands off the commit. Wrong if false: the broker
    /// accepts such a commit from any member of the group, and the committed offset goes back.
    pub epochs: bool,
    /// Whether an ownership begins with its partition resumed. Wrong if false: librdkafka keeps a pause beyond its
    /// assignment, and a gate that is open never resumes.
    pub resume: bool,
}

impl Settings {
    /// Whether something can come of them.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        match (self.workers, self.poll, self.intake) {
            (0, ..) => Err("no worker: nothing would be done"),
            (_, 0, _) => Err("no record at a poll: nothing would be read"),
            (_, _, Intake::Pause { high, low }) if low >= high => {
                Err("the low mark is not below the high one: a pause would never end")
            }
            _ => Ok(()),
        }
    }

    /// The right choices, with a tick of a millisecond, for records that take some tens of them.
    pub const RECOMMENDED: Settings = Settings {
        workers: 8,
        routing: Routing::Keyed,
        poll: 500,
        intake: Intake::Pause { high: 2_000, low: 500 },
        commit_every: 1_000,
        commit: CommitOffset::Watermark,
        retry_delay: 1_000,
        drain: 10_000,
        epochs: true,
        resume: true,
    };
}
