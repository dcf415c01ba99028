//! The settings that mean something here, under every name that they have.
//!
//! One table: what a setting is called in which dialect, what it may hold, and what it means. What a client knows and
//! nothing here depends on (where the brokers are, how to log in) is in a second one, by the beginnings of the names.

use super::Dialect::{self, Java, Librdkafka, Spring};

/// A setting, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the table below says what each means
pub enum Name {
    PollRecords,
    PollInterval,
    SessionTimeout,
    Heartbeat,
    AutoCommit,
    AutoCommitInterval,
    StoreOffsets,
    FetchMaxBytes,
    PartitionFetchBytes,
    FetchMinBytes,
    FetchMaxWait,
    GroupProtocol,
    QueuedMessages,
    QueuedKbytes,
    Consumers,
    AckMode,
    ListenerType,
    Workers,
    Routing,
    Lanes,
    NullKeys,
    Intake,
    High,
    Low,
    HeapCeiling,
    RetryDelay,
    RetryAt,
    CommitEvery,
    CommitOffset,
    CommitBeside,
    AckMap,
    AckMapLimit,
    QuarantineAfter,
    QuarantineThen,
    Drain,
    Guard,
}

/// What a setting may hold, with its smallest and largest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Milliseconds.
    Millis(u64, u64),
    /// A number of something.
    Count(u64, u64),
    /// Bytes.
    Bytes(u64, u64),
    /// true or false.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// One setting of the table.
#[derive(Debug)]
pub struct Known {
    /// Which.
    pub name: Name,
    /// What it may hold.
    pub kind: Kind,
    /// What it means, as half a sentence.
    pub meaning: &'static str,
    /// Its names; the first of a dialect is the one that is written.
    pub spelled: &'static [(Dialect, &'static str)],
}

/// The largest `int` of Java and of librdkafka's table.
const INT: u64 = 2_147_483_647;
const LONG: u64 = i64::MAX.unsigned_abs();

const fn ours(name: &'static str) -> [(Dialect, &'static str); 3] {
    [(Java, name), (Spring, name), (Librdkafka, name)]
}

/// Every setting that means something here.
pub static KNOWN: [Known; 36] = [
    Known {
        name: Name::PollRecords,
        kind: Kind::Count(1, INT),
        meaning: "records that one poll returns at most",
        spelled: &[
            (Java, "max.poll.records"),
            (Spring, "spring.kafka.consumer.max-poll-records"),
            (Librdkafka, "kwp.poll.records"),
            (Java, "kwp.poll.records"),
            (Spring, "kwp.poll.records"),
        ],
    },
    Known {
        name: Name::PollInterval,
        kind: Kind::Millis(1, INT),
        meaning: "without a poll for so long, the consumer is evicted from its group",
        spelled: &[
            (Java, "max.poll.interval.ms"),
            (Spring, "spring.kafka.consumer.properties.max.poll.interval.ms"),
            (Spring, "spring.kafka.consumer.max-poll-interval"),
            (Librdkafka, "max.poll.interval.ms"),
        ],
    },
    Known {
        name: Name::SessionTimeout,
        kind: Kind::Millis(1, INT),
        meaning: "without a heartbeat for so long, the consumer counts as dead",
        spelled: &[
            (Java, "session.timeout.ms"),
            (Spring, "spring.kafka.consumer.properties.session.timeout.ms"),
            (Librdkafka, "session.timeout.ms"),
        ],
    },
    Known {
        name: Name::Heartbeat,
        kind: Kind::Millis(1, INT),
        meaning: "time between heartbeats",
        spelled: &[
            (Java, "heartbeat.interval.ms"),
            (Spring, "spring.kafka.consumer.heartbeat-interval"),
            (Librdkafka, "heartbeat.interval.ms"),
        ],
    },
    Known {
        name: Name::AutoCommit,
        kind: Kind::Flag,
        meaning: "whether the client commits by itself what it has handed out",
        spelled: &[
            (Java, "enable.auto.commit"),
            (Spring, "spring.kafka.consumer.enable-auto-commit"),
            (Librdkafka, "enable.auto.commit"),
        ],
    },
    Known {
        name: Name::AutoCommitInterval,
        kind: Kind::Millis(0, INT),
        meaning: "time between commits that the client makes by itself",
        spelled: &[
            (Java, "auto.commit.interval.ms"),
            (Spring, "spring.kafka.consumer.auto-commit-interval"),
            (Librdkafka, "auto.commit.interval.ms"),
        ],
    },
    Known {
        name: Name::StoreOffsets,
        kind: Kind::Flag,
        meaning: "whether handing a record out is enough for it to be committed",
        spelled: &[(Librdkafka, "enable.auto.offset.store")],
    },
    Known {
        name: Name::FetchMaxBytes,
        kind: Kind::Bytes(0, INT),
        meaning: "bytes that one fetch brings at most",
        spelled: &[
            (Java, "fetch.max.bytes"),
            (Spring, "spring.kafka.consumer.properties.fetch.max.bytes"),
            (Librdkafka, "fetch.max.bytes"),
        ],
    },
    Known {
        name: Name::PartitionFetchBytes,
        kind: Kind::Bytes(0, INT),
        meaning: "bytes that one fetch brings of one partition at most",
        spelled: &[
            (Java, "max.partition.fetch.bytes"),
            (Spring, "spring.kafka.consumer.properties.max.partition.fetch.bytes"),
            (Librdkafka, "max.partition.fetch.bytes"),
            (Librdkafka, "fetch.message.max.bytes"),
        ],
    },
    Known {
        name: Name::FetchMinBytes,
        kind: Kind::Bytes(0, INT),
        meaning: "bytes that the broker waits for before it answers",
        spelled: &[
            (Java, "fetch.min.bytes"),
            (Spring, "spring.kafka.consumer.fetch-min-size"),
            (Librdkafka, "fetch.min.bytes"),
        ],
    },
    Known {
        name: Name::FetchMaxWait,
        kind: Kind::Millis(0, INT),
        meaning: "how long it waits for them",
        spelled: &[
            (Java, "fetch.max.wait.ms"),
            (Spring, "spring.kafka.consumer.fetch-max-wait"),
            (Librdkafka, "fetch.wait.max.ms"),
        ],
    },
    Known {
        name: Name::GroupProtocol,
        kind: Kind::Word(&["classic", "consumer"]),
        meaning: "how the group agrees on who owns what",
        spelled: &[
            (Java, "group.protocol"),
            (Spring, "spring.kafka.consumer.properties.group.protocol"),
            (Librdkafka, "group.protocol"),
        ],
    },
    Known {
        name: Name::QueuedMessages,
        kind: Kind::Count(1, 10_000_000),
        meaning: "records that librdkafka likes to have queued for each partition",
        spelled: &[(Librdkafka, "queued.min.messages")],
    },
    Known {
        name: Name::QueuedKbytes,
        kind: Kind::Count(1, 2_097_151),
        meaning: "kilobytes that librdkafka queues at most",
        spelled: &[(Librdkafka, "queued.max.messages.kbytes")],
    },
    Known {
        name: Name::Consumers,
        kind: Kind::Count(1, INT),
        meaning: "consumers that this process runs: more partitions at a time, not more of one",
        spelled: &[(Spring, "spring.kafka.listener.concurrency")],
    },
    Known {
        name: Name::AckMode,
        kind: Kind::Word(&["record", "batch", "time", "count", "count-time", "manual", "manual-immediate"]),
        meaning: "when the listener container commits",
        spelled: &[(Spring, "spring.kafka.listener.ack-mode")],
    },
    Known {
        name: Name::ListenerType,
        kind: Kind::Word(&["single", "batch"]),
        meaning: "whether the listener is handed single records or a whole poll",
        spelled: &[(Spring, "spring.kafka.listener.type")],
    },
    Known {
        name: Name::Workers,
        kind: Kind::Count(1, 100_000),
        meaning: "worker threads on one partition",
        spelled: &[
            (Java, "kwp.workers"),
            (Spring, "kwp.workers"),
            (Librdkafka, "kwp.workers"),
            (Java, "decaton.partition.concurrency"),
        ],
    },
    Known {
        name: Name::Routing,
        kind: Kind::Word(&["keyed", "shared", "serial", "lanes"]),
        meaning: "how records reach the workers",
        spelled: &ours("kwp.routing"),
    },
    Known {
        name: Name::Lanes,
        kind: Kind::Count(1, 100_000),
        meaning: "queues that keys are hashed to, where routing is lanes",
        spelled: &ours("kwp.lanes"),
    },
    Known {
        name: Name::NullKeys,
        kind: Kind::Word(&["mailbox", "spread"]),
        meaning: "whether records without a key wait for each other",
        spelled: &ours("kwp.null-keys"),
    },
    Known {
        name: Name::Intake,
        kind: Kind::Word(&["pause", "unbounded", "block"]),
        meaning: "what holds back reading",
        spelled: &ours("kwp.intake.mode"),
    },
    Known {
        name: Name::High,
        kind: Kind::Count(1, LONG),
        meaning: "records in flight at which reading pauses",
        spelled: &[
            (Java, "kwp.intake.high"),
            (Spring, "kwp.intake.high"),
            (Librdkafka, "kwp.intake.high"),
            (Java, "decaton.max.pending.records"),
        ],
    },
    Known {
        name: Name::Low,
        kind: Kind::Count(0, LONG),
        meaning: "records in flight at which it resumes",
        spelled: &ours("kwp.intake.low"),
    },
    Known {
        name: Name::HeapCeiling,
        kind: Kind::Count(1, LONG),
        meaning: "records in flight that memory does not hold",
        spelled: &ours("kwp.heap-ceiling"),
    },
    Known {
        name: Name::RetryDelay,
        kind: Kind::Millis(0, LONG),
        meaning: "time from a failure to the next attempt",
        spelled: &ours("kwp.retry.delay.ms"),
    },
    Known {
        name: Name::RetryAt,
        kind: Kind::Word(&["head", "tail"]),
        meaning: "where a failed record waits",
        spelled: &ours("kwp.retry.at"),
    },
    Known {
        name: Name::CommitEvery,
        kind: Kind::Millis(0, LONG),
        meaning: "time between commits of your own",
        spelled: &[
            (Java, "kwp.commit.interval.ms"),
            (Spring, "kwp.commit.interval.ms"),
            (Librdkafka, "kwp.commit.interval.ms"),
            (Java, "decaton.commit.interval.ms"),
        ],
    },
    Known {
        name: Name::CommitOffset,
        kind: Kind::Word(&["watermark", "highest"]),
        meaning: "which offset they name",
        spelled: &ours("kwp.commit.offset"),
    },
    Known {
        name: Name::CommitBeside,
        kind: Kind::Flag,
        meaning: "whether the client's own commits come on a timer of their own, and not at polls",
        spelled: &ours("kwp.commit.beside-polls"),
    },
    Known {
        name: Name::AckMap,
        kind: Kind::Flag,
        meaning: "whether a commit carries what is finished above it",
        spelled: &ours("kwp.commit.ack-map"),
    },
    Known {
        name: Name::AckMapLimit,
        kind: Kind::Bytes(1, INT),
        meaning: "bytes that it may take (the broker's offset.metadata.max.bytes)",
        spelled: &ours("kwp.commit.ack-map-limit"),
    },
    Known {
        name: Name::QuarantineAfter,
        kind: Kind::Millis(0, LONG),
        meaning: "time after which a failing record is dead-lettered",
        spelled: &ours("kwp.quarantine.after.ms"),
    },
    Known {
        name: Name::QuarantineThen,
        kind: Kind::Word(&["continue", "park"]),
        meaning: "what becomes of its key",
        spelled: &ours("kwp.quarantine.then"),
    },
    Known {
        name: Name::Drain,
        kind: Kind::Millis(0, LONG),
        meaning: "how long a revoked owner waits for what is running",
        spelled: &[
            (Java, "kwp.drain.ms"),
            (Spring, "kwp.drain.ms"),
            (Librdkafka, "kwp.drain.ms"),
            (Java, "decaton.group.rebalance.timeout.ms"),
        ],
    },
    Known {
        name: Name::Guard,
        kind: Kind::Word(&["off", "newer", "not-older"]),
        meaning: "which writes a row of the store accepts",
        spelled: &ours("kwp.guard"),
    },
];

/// Beginnings of names that consumers know and nothing here depends on.
pub(super) static WITHOUT_EFFECT: [&str; 62] = [
    "allow.auto.create.topics",
    "api.version",
    "auto.offset.reset",
    "batch.",
    "bootstrap",
    "broker.",
    "check.crcs",
    "client.",
    "compression.",
    "connections.max.idle.ms",
    "coordinator.",
    "debug",
    "default.api.timeout.ms",
    "enable.metrics.push",
    "enable.partition.eof",
    "exclude.internal.topics",
    "fetch.error.backoff.ms",
    "fetch.queue.backoff.ms",
    "group.id",
    "group.instance.id",
    "go.",
    "group.remote.assignor",
    "interceptor.classes",
    "isolation.level",
    "key.",
    "log",
    "max.in.flight",
    "message.",
    "metadata.",
    "metric",
    "offset.store.",
    "partition.assignment.strategy",
    "plugin.library.paths",
    "receive.",
    "reconnect.",
    "request.timeout.ms",
    "retry.backoff",
    "sasl.",
    "schema.",
    "security.",
    "send.buffer",
    "socket.",
    "specific.avro.reader",
    "spring.json.",
    "ssl.",
    "statistics.interval.ms",
    "topic.",
    "value.",
    "decaton.ignore.keys",
    "decaton.logging.",
    "decaton.client.metrics.",
    "decaton.processing.",
    "decaton.per.key.quota.",
    "decaton.processor.threads.",
    "karafka.client_id",
    "karafka.concurrency",
    "karafka.consumer_persistence",
    "karafka.group_id",
    "karafka.initial_offset",
    "karafka.max_wait_time",
    "karafka.shutdown_timeout",
    "karafka.worker_thread_priority",
];

impl Name {
    /// Everything known of it.
    #[must_use]
    pub fn known(self) -> &'static Known {
        // Every name is in the table once, which a test holds.
        KNOWN.iter().find(|known| known.name == self).unwrap_or(&KNOWN[0])
    }

    /// What it is called in a dialect, if it has a name there.
    #[must_use]
    pub fn spelled(self, dialect: Dialect) -> Option<&'static str> {
        self.known().spelled.iter().find(|(own, _)| *own == dialect).map(|(_, name)| *name)
    }

    /// What it is called in sentences: its shortest name.
    #[must_use]
    pub fn called(self) -> &'static str {
        let java = self.spelled(Java).or_else(|| self.spelled(Librdkafka));
        java.or_else(|| self.spelled(Spring)).unwrap_or_default()
    }

    /// What it is called beside a text in this dialect: a name that is another dialect's alone stands without what is
    /// only that one's.
    #[must_use]
    pub fn called_in(self, dialect: Option<Dialect>) -> &'static str {
        let called = self.called();
        match dialect {
            None | Some(Spring) => called,
            Some(_) => called.strip_prefix("spring.kafka.listener.").unwrap_or(called),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_place_and_no_name_means_two() {
        let mut names: Vec<_> = KNOWN.iter().map(|known| known.name).collect();
        names.dedup();
        assert_eq!(names.len(), KNOWN.len());
        assert!(KNOWN.iter().all(|known| known.name.known().name == known.name));
        let mut spelled: Vec<_> = KNOWN.iter().flat_map(|known| known.spelled).collect();
        let count = spelled.len();
        spelled.sort_by_key(|(dialect, name)| (*dialect as u8, *name));
        spelled.dedup();
        assert_eq!(spelled.len(), count);
    }
}
