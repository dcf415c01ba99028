//! What consumers do when nobody sets anything: defaults of clients and libraries, each with where it is documented.
//!
//! Every number was read in the project's own source or documentation, at the commit that is named; versions differ,
//! and what a deployment really has is what its own version says. Where a library fixes by its design what the engine
//! has a knob for (one thread, keys hashed to threads), that is a default here too.

use super::{Name, Origin, Settings, Value};

/// Where a default is documented.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The project, as GitHub spells it.
    pub project: &'static str,
    /// The file in it.
    pub file: &'static str,
    /// The commit at which it was read, or its beginning.
    pub commit: &'static str,
    /// What to look for there.
    pub place: &'static str,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} at {}: {}", self.project, self.file, self.commit, self.place)
    }
}

/// A default.
#[derive(Debug, PartialEq, Eq)]
pub struct Default {
    /// Of which setting.
    pub name: Name,
    /// Its value.
    pub value: Value,
    /// Where it is documented.
    pub source: &'static Source,
}

/// What a client makes of a partition that is paused. No setting changes it, and how many ticks a refetch takes is for
/// whoever knows the broker: `refetch` of a scenario, and a sweep over it.
#[derive(Debug, PartialEq, Eq)]
pub struct Pauses {
    /// What it does, in a few words.
    pub way: &'static str,
    /// What that means for whoever pauses at a high mark, as half a sentence.
    pub meaning: &'static str,
    /// Where it is documented.
    pub source: &'static Source,
}

impl Pauses {
    /// What it stands under, where settings stand under their names.
    pub const CALLED: &'static str = "pause()";
}

/// A client or a library.
#[derive(Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name in a sentence.
    pub name: &'static str,
    /// How it works, as far as it matters here.
    pub note: &'static str,
    /// What it is built on, if its defaults are those of another where it has none of its own.
    base: Option<&'static Library>,
    /// What it makes of a pause, where that is known and not as in what it is built on.
    pauses: Option<&'static Pauses>,
    /// Its own defaults.
    pub own: &'static [Default],
}

impl Library {
    /// The library of this name.
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Library> {
        LIBRARIES.into_iter().find(|library| library.id == id)
    }

    /// What its client makes of a pause, where that is known.
    #[must_use]
    pub fn pauses(&self) -> Option<&'static Pauses> {
        self.pauses.or_else(|| self.base?.pauses())
    }

    /// All its defaults, those of what it is built on included.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut own = Settings::default();
        for default in self.own {
            own.0.insert(default.name, (default.value, Origin::Default(default.source)));
        }
        match self.base {
            Some(base) => own.over(&base.settings()),
            None => own,
        }
    }
}

const fn number(name: Name, number: u64, source: &'static Source) -> Default {
    Default { name, value: Value::Number(number), source }
}

const fn flag(name: Name, flag: bool, source: &'static Source) -> Default {
    Default { name, value: Value::Flag(flag), source }
}

const fn word(name: Name, word: &'static str, source: &'static Source) -> Default {
    Default { name, value: Value::Word(word), source }
}

static KAFKA: Source = Source {
    project: "apache/kafka",
    file: "clients/src/main/java/org/apache/kafka/clients/consumer/ConsumerConfig.java",
    commit: "0025adef00",
    place: "the ConfigDef of its static block, and the DEFAULT_ constants",
};

static KAFKA_LOOP: Source = Source {
    project: "apache/kafka",
    file: "clients/src/main/java/org/apache/kafka/clients/consumer/ConsumerConfig.java",
    commit: "0025adef00",
    place: "no default but the client's design: the application handles a batch between two polls, in one thread, \
            and a rebalance happens within poll()",
};

static KAFKA_PAUSES: Pauses = Pauses {
    way: "ends with its assignment, keeps the prefetch",
    meaning: "nothing to resume at an assignment, and nothing to fetch again after a resume",
    source: &Source {
        project: "apache/kafka",
        file: "clients/src/main/java/org/apache/kafka/clients/consumer/internals/FetchCollector.java",
        commit: "6a151bff7c",
        place: "collectFetch: what was fetched of a paused partition goes back into the buffer (KAFKA-7548, since \
                2.4); in SubscriptionState.java a partition that is assigned anew begins unpaused",
    },
};

pub(super) static JAVA: Library = Library {
    id: "java",
    name: "plain Java client",
    note: "One thread polls, handles the batch and polls again. Auto-commit commits what earlier polls returned.",
    base: None,
    pauses: Some(&KAFKA_PAUSES),
    own: &[
        number(Name::PollRecords, 500, &KAFKA),
        number(Name::PollInterval, 300_000, &KAFKA),
        number(Name::SessionTimeout, 45_000, &KAFKA),
        number(Name::Heartbeat, 3_000, &KAFKA),
        flag(Name::AutoCommit, true, &KAFKA),
        number(Name::AutoCommitInterval, 5_000, &KAFKA),
        number(Name::FetchMaxBytes, 50 << 20, &KAFKA),
        number(Name::PartitionFetchBytes, 1 << 20, &KAFKA),
        number(Name::FetchMinBytes, 1, &KAFKA),
        number(Name::FetchMaxWait, 500, &KAFKA),
        word(Name::GroupProtocol, "classic", &KAFKA),
        number(Name::Workers, 1, &KAFKA_LOOP),
        word(Name::Routing, "serial", &KAFKA_LOOP),
        word(Name::Intake, "block", &KAFKA_LOOP),
    ],
};

static SPRING_CONTAINER: Source = Source {
    project: "spring-projects/spring-kafka",
    file: "spring-kafka/src/main/java/org/springframework/kafka/listener/ContainerProperties.java",
    commit: "03c89ba90d",
    place: "ackMode = AckMode.BATCH: commit whatever has been processed before the next poll",
};

static SPRING_COMMITS: Source = Source {
    project: "spring-projects/spring-kafka",
    file: "spring-kafka/src/main/java/org/springframework/kafka/listener/KafkaMessageListenerContainer.java",
    commit: "fe1984bda3",
    place: "determineAutoCommit: enable.auto.commit is set to false where nobody has set it, and the container commits",
};

/// Attempts at a failing record before Spring gives it up.
pub(super) const SPRING_ATTEMPTS: u64 = 10;

pub(super) static SPRING_FAILURES: Source = Source {
    project: "spring-projects/spring-kafka",
    file: "spring-kafka/src/main/java/org/springframework/kafka/listener/SeekUtils.java",
    commit: "57e70b5f48",
    place: "DEFAULT_BACK_OFF: FixedBackOff(0, 9), ten attempts without a pause; in DefaultErrorHandler.java (since 2.8), the \
            default recoverer logs the record, which is skipped and committed",
};

pub(super) static SPRING: Library = Library {
    id: "spring",
    name: "Spring Kafka",
    note: "A listener container polls and calls the listener, one record after the other, and commits the batch \
           before the next poll; several containers share partitions, not records of one. A record that keeps failing \
           is tried ten times, then logged and skipped.",
    base: Some(&JAVA),
    pauses: None,
    own: &[
        flag(Name::AutoCommit, false, &SPRING_COMMITS),
        word(Name::AckMode, "batch", &SPRING_CONTAINER),
        number(Name::RetryDelay, 0, &SPRING_FAILURES),
    ],
};

static PARALLEL: Source = Source {
    project: "confluentinc/parallel-consumer",
    file: "parallel-consumer-core/src/main/java/io/confluent/parallelconsumer/ParallelConsumerOptions.java",
    commit: "00322779b1",
    place: "DEFAULT_MAX_CONCURRENCY, ordering, commitMode, DEFAULT_COMMIT_INTERVAL, DEFAULT_STATIC_RETRY_DELAY",
};

static PARALLEL_LOAD: Source = Source {
    project: "confluentinc/parallel-consumer",
    file: "parallel-consumer-core/src/main/java/io/confluent/parallelconsumer/controller/DynamicLoadFactor.java",
    commit: "52f4531d7e",
    place: "DEFAULT_INITIAL_LOADING_FACTOR 2, times 16 records in flight; it grows to 100 where \
            workers run dry; the low mark is the nearest to filling up again as soon as there is room",
};

static PARALLEL_COMMITS: Source = Source {
    project: "confluentinc/parallel-consumer",
    file: "parallel-consumer-core/src/main/java/io/confluent/parallelconsumer/ConfigurationValidator.java",
    commit: "aea392be09",
    place: "auto commit must be disabled, as commits are handled by the library",
};

static PARALLEL_MAP: Source = Source {
    project: "confluentinc/parallel-consumer",
    file: "parallel-consumer-core/src/main/java/io/confluent/parallelconsumer/controller/DynamicLoadFactor.java",
    commit: "52f4531d7e",
    place: "finished offsets beyond the committable one are serialised with the commit, and dropped if they do not fit",
};

static PARALLEL_CONSUMER: Library = Library {
    id: "parallel-consumer",
    name: "Confluent Parallel Consumer",
    note: "Keys in order over a pool of threads, reading paused while enough is queued, finished offsets in the \
           commit's metadata. Its queue grows by itself; the marks here are those it starts with.",
    base: Some(&JAVA),
    pauses: None,
    own: &[
        number(Name::Workers, 16, &PARALLEL),
        word(Name::Routing, "keyed", &PARALLEL),
        flag(Name::AutoCommit, false, &PARALLEL_COMMITS),
        number(Name::CommitEvery, 5_000, &PARALLEL),
        number(Name::RetryDelay, 1_000, &PARALLEL),
        word(Name::Intake, "pause", &PARALLEL_LOAD),
        number(Name::High, 32, &PARALLEL_LOAD),
        number(Name::Low, 31, &PARALLEL_LOAD),
        flag(Name::AckMap, true, &PARALLEL_MAP),
    ],
};

static DECATON_PROPERTIES: Source = Source {
    project: "line/decaton",
    file: "processor/src/main/java/com/linecorp/decaton/processor/runtime/ProcessorProperties.java",
    commit: "01d5f0810a",
    place: "CONFIG_PARTITION_CONCURRENCY, CONFIG_MAX_PENDING_RECORDS (paused while exceeded: the low mark is the \
            nearest to that), CONFIG_COMMIT_INTERVAL_MS, CONFIG_GROUP_REBALANCE_TIMEOUT_MS",
};

static DECATON_CONSUMER: Source = Source {
    project: "line/decaton",
    file: "processor/src/main/java/com/linecorp/decaton/processor/runtime/internal/ConsumerSupplier.java",
    commit: "6bfeef2ecd",
    place: "DEFAULT_MAX_POLL_RECORDS 100, ENABLE_AUTO_COMMIT_CONFIG \"false\"",
};

static DECATON_ORDER: Source = Source {
    project: "line/decaton",
    file: "docs/why-decaton.adoc",
    commit: "02d34cbdc6",
    place: "Internal queuing and workers: the guarantee of order is by key, and a key's records go to one worker",
};

pub(super) static DECATON: Library = Library {
    id: "decaton",
    name: "Decaton",
    note: "Keys in order over the threads of a partition (one, unless decaton.partition.concurrency says more), \
           reading paused beyond so many pending records, and a wait for them before a rebalance.",
    base: Some(&JAVA),
    pauses: None,
    own: &[
        number(Name::Workers, 1, &DECATON_PROPERTIES),
        word(Name::Routing, "keyed", &DECATON_ORDER),
        number(Name::PollRecords, 100, &DECATON_CONSUMER),
        flag(Name::AutoCommit, false, &DECATON_CONSUMER),
        word(Name::Intake, "pause", &DECATON_PROPERTIES),
        number(Name::High, 10_000, &DECATON_PROPERTIES),
        number(Name::Low, 9_999, &DECATON_PROPERTIES),
        number(Name::CommitEvery, 1_000, &DECATON_PROPERTIES),
        number(Name::Drain, 1_000, &DECATON_PROPERTIES),
    ],
};

static SMALLRYE_CONNECTOR: Source = Source {
    project: "smallrye/smallrye-reactive-messaging",
    file: "smallrye-reactive-messaging-kafka/src/main/java/io/smallrye/reactive/messaging/kafka/KafkaConnector.java",
    commit: "01e17ace7d",
    place: "@ConnectorAttribute enable.auto.commit (false), commit-strategy (throttled), max-queue-size-factor (2, \
            times max.poll.records), pause-if-no-requests (true)",
};

static SMALLRYE_STREAM: Source = Source {
    project: "smallrye/smallrye-reactive-messaging",
    file: "smallrye-reactive-messaging-kafka/src/main/java/io/smallrye/reactive/messaging/kafka/impl/KafkaRecordStreamSubscription.java",
    commit: "00a1ceae89",
    place: "maxQueueSize pauses; it resumes at halfMaxQueueSize",
};

pub(super) static SMALLRYE: Library = Library {
    id: "smallrye",
    name: "SmallRye Reactive Messaging",
    note: "Messages of a channel one after the other unless told otherwise, reading paused while the channel asks \
           for nothing, commits of what is finished without a gap (throttled).",
    base: Some(&JAVA),
    pauses: None,
    own: &[
        flag(Name::AutoCommit, false, &SMALLRYE_CONNECTOR),
        word(Name::Intake, "pause", &SMALLRYE_CONNECTOR),
        number(Name::High, 1_000, &SMALLRYE_STREAM),
        number(Name::Low, 500, &SMALLRYE_STREAM),
    ],
};

static RDKAFKA: Source = Source {
    project: "confluentinc/librdkafka",
    file: "CONFIGURATION.md",
    commit: "0093671a01",
    place: "the table of global properties",
};

static RDKAFKA_LOOP: Source = Source {
    project: "confluentinc/librdkafka",
    file: "CONFIGURATION.md",
    commit: "0093671a01",
    place: "no default but the client's design: the application takes one message after the other from a queue that \
            librdkafka fills",
};

static RDKAFKA_PAUSES: Pauses = Pauses {
    way: "outlives its assignment, drops the prefetch",
    meaning: "resume at every assignment, and keep the low mark above what is worked off until the refetch \
              (pause_at_assignment and refetch in a scenario)",
    source: &Source {
        project: "confluentinc/librdkafka",
        file: "src/rdkafka_partition.c",
        commit: "0073790624",
        place: "rd_kafka_toppar_op_pause_resume: a new version outdates what was fetched, and the application's flag \
                is taken back by nobody else",
    },
};

pub(super) static LIBRDKAFKA: Library = Library {
    id: "librdkafka",
    name: "librdkafka",
    note: "The application takes single messages; a background thread fills the queue and commits what was handed \
           out, finished or not, unless enable.auto.offset.store is false.",
    base: None,
    pauses: Some(&RDKAFKA_PAUSES),
    own: &[
        number(Name::PollRecords, 1, &RDKAFKA_LOOP),
        number(Name::PollInterval, 300_000, &RDKAFKA),
        number(Name::SessionTimeout, 45_000, &RDKAFKA),
        number(Name::Heartbeat, 3_000, &RDKAFKA),
        flag(Name::AutoCommit, true, &RDKAFKA),
        number(Name::AutoCommitInterval, 5_000, &RDKAFKA),
        flag(Name::StoreOffsets, true, &RDKAFKA),
        number(Name::FetchMaxBytes, 52_428_800, &RDKAFKA),
        number(Name::PartitionFetchBytes, 1_048_576, &RDKAFKA),
        number(Name::FetchMinBytes, 1, &RDKAFKA),
        number(Name::FetchMaxWait, 500, &RDKAFKA),
        word(Name::GroupProtocol, "classic", &RDKAFKA),
        number(Name::QueuedMessages, 100_000, &RDKAFKA),
        number(Name::QueuedKbytes, 65_536, &RDKAFKA),
        number(Name::Workers, 1, &RDKAFKA_LOOP),
        word(Name::Routing, "serial", &RDKAFKA_LOOP),
        word(Name::Intake, "block", &RDKAFKA_LOOP),
    ],
};

static KARAFKA_CONFIG: Source = Source {
    project: "karafka/karafka",
    file: "lib/karafka/setup/config.rb",
    commit: "00c899ac5b",
    place: "max_messages 100, concurrency 5 (threads for all partitions together), pause.timeout 1_000, \
            pause.max_timeout 30_000, pause.with_exponential_backoff true",
};

static KARAFKA_OFFSETS: Source = Source {
    project: "karafka/karafka",
    file: "lib/karafka/routing/subscription_group.rb",
    commit: "000f77e89c",
    place: "build_kafka: enable.auto.offset.store is false, as offsets are managed by what was processed",
};

pub(super) static KARAFKA: Library = Library {
    id: "karafka",
    name: "Karafka",
    note: "Built on librdkafka: batches of one partition one after the other, several partitions at a time on five \
           threads; after an error the partition is paused and the batch tried again from there, by default after pauses \
           that double up to 30 s (here all are as long as the first).",
    base: Some(&LIBRDKAFKA),
    pauses: None,
    own: &[
        number(Name::PollRecords, 100, &KARAFKA_CONFIG),
        number(Name::RetryDelay, 1_000, &KARAFKA_CONFIG),
        flag(Name::StoreOffsets, false, &KARAFKA_OFFSETS),
    ],
};

static KAFKAFLOW_BUILDER: Source = Source {
    project: "Farfetch/kafkaflow",
    file: "src/KafkaFlow/Configuration/ConsumerConfigurationBuilder.cs",
    commit: "043ea5d6f7",
    place: "autoCommitInterval 5 s; EnableAutoCommit and EnableAutoOffsetStore false: it commits by itself; \
            workersCount and bufferSize have no default",
};

static KAFKAFLOW_LANES: Source = Source {
    project: "Farfetch/kafkaflow",
    file: "src/KafkaFlow/Consumers/DistributionStrategies/BytesSumDistributionStrategy.cs",
    commit: "219b5c4c3f",
    place: "the sum of a key's bytes modulo the number of workers chooses its worker",
};

static KAFKAFLOW_BUFFERS: Source = Source {
    project: "Farfetch/kafkaflow",
    file: "src/KafkaFlow/Consumers/ConsumerWorker.cs",
    commit: "00db1e8f8b",
    place: "a bounded channel of BufferSize for each worker: whoever reads waits for room there, not for the work; how \
            many are taken at a time is no setting (a quarter of the engine's high mark here, so that the marks decide)",
};

static KAFKAFLOW: Library = Library {
    id: "kafkaflow",
    name: "KafkaFlow",
    note: "Built on librdkafka: keys are hashed to workers, so that strangers share one. How many workers and how \
           large their buffers are has to be said: set kwp.workers, kwp.lanes and kwp.intake.high as they are.",
    base: Some(&LIBRDKAFKA),
    pauses: None,
    own: &[
        flag(Name::AutoCommit, false, &KAFKAFLOW_BUILDER),
        flag(Name::StoreOffsets, false, &KAFKAFLOW_BUILDER),
        number(Name::CommitEvery, 5_000, &KAFKAFLOW_BUILDER),
        word(Name::Routing, "lanes", &KAFKAFLOW_LANES),
        word(Name::Intake, "pause", &KAFKAFLOW_BUFFERS),
        number(Name::PollRecords, 6, &KAFKAFLOW_BUFFERS),
    ],
};

static SARAMA_CONFIG: Source = Source {
    project: "IBM/sarama",
    file: "config.go",
    commit: "04e4286cc1",
    place: "NewConfig (an older version; later ones name the commit interval AutoCommit.Interval)",
};

static SARAMA: Library = Library {
    id: "sarama",
    name: "Sarama",
    note: "A claim hands messages over one channel; what is marked is committed. There is no limit on the time \
           between two of them; Rebalance.Timeout is how long a member may take to give up its partitions.",
    base: None,
    pauses: None,
    own: &[
        number(Name::SessionTimeout, 10_000, &SARAMA_CONFIG),
        number(Name::Heartbeat, 3_000, &SARAMA_CONFIG),
        number(Name::CommitEvery, 1_000, &SARAMA_CONFIG),
        number(Name::PartitionFetchBytes, 1_048_576, &SARAMA_CONFIG),
        number(Name::FetchMinBytes, 1, &SARAMA_CONFIG),
        number(Name::FetchMaxWait, 250, &SARAMA_CONFIG),
        number(Name::Drain, 60_000, &SARAMA_CONFIG),
        number(Name::PollRecords, 256, &SARAMA_CONFIG),
        number(Name::Workers, 1, &SARAMA_CONFIG),
        word(Name::Routing, "serial", &SARAMA_CONFIG),
        word(Name::Intake, "block", &SARAMA_CONFIG),
    ],
};

static FRANZ_CONFIG: Source = Source {
    project: "twmb/franz-go",
    file: "pkg/kgo/config.go",
    commit: "aa5638bff0",
    place: "defaultCfg: maxWait, minBytes, maxBytes, maxPartBytes, sessionTimeout, heartbeatInterval, \
            rebalanceTimeout, autocommitInterval",
};

static FRANZ_COMMITS: Source = Source {
    project: "twmb/franz-go",
    file: "pkg/kgo/consumer_group.go",
    commit: "630e7019c0",
    place: "loopCommit: a ticker of autocommitInterval commits the head, which a poll moves to what the polls before it \
            returned; whether anyone polls meanwhile does not matter",
};

static FRANZ_GO: Library = Library {
    id: "franz-go",
    name: "franz-go",
    note: "PollFetches returns whatever has been fetched; a timer commits what the poll before the last returned. There \
           is no limit on the time between polls; the rebalance timeout bounds how long giving up partitions takes.",
    base: None,
    pauses: None,
    own: &[
        number(Name::SessionTimeout, 45_000, &FRANZ_CONFIG),
        number(Name::Heartbeat, 3_000, &FRANZ_CONFIG),
        flag(Name::AutoCommit, true, &FRANZ_CONFIG),
        flag(Name::CommitBeside, true, &FRANZ_COMMITS),
        number(Name::AutoCommitInterval, 5_000, &FRANZ_CONFIG),
        number(Name::FetchMaxBytes, 50 << 20, &FRANZ_CONFIG),
        number(Name::PartitionFetchBytes, 1 << 20, &FRANZ_CONFIG),
        number(Name::FetchMinBytes, 1, &FRANZ_CONFIG),
        number(Name::FetchMaxWait, 5_000, &FRANZ_CONFIG),
        number(Name::Drain, 60_000, &FRANZ_CONFIG),
        number(Name::Workers, 1, &FRANZ_CONFIG),
        word(Name::Routing, "serial", &FRANZ_CONFIG),
        word(Name::Intake, "block", &FRANZ_CONFIG),
    ],
};

static KAFKAJS_CONSUMER: Source = Source {
    project: "tulios/kafkajs",
    file: "src/consumer/index.js",
    commit: "0445d55dda",
    place: "the defaults of the parameters of the consumer and of run (autoCommit true, no interval: after each batch)",
};

static KAFKAJS_RUN: Source = Source {
    project: "tulios/kafkajs",
    file: "src/consumer/index.js",
    commit: "0445d55dda",
    place: "no default but its design: run hands over the batch of a partition, message by message, and fetches on; \
            heartbeats are sent between messages",
};

static KAFKAJS: Library = Library {
    id: "kafkajs",
    name: "KafkaJS",
    note: "One message of a partition after the other, commits after each batch that a fetch brought. Nothing bounds the \
           records of a batch but bytes. Heartbeats go out between messages: one that takes longer than the session \
           timeout costs the membership, and no setting for polls does.",
    base: None,
    pauses: None,
    own: &[
        number(Name::SessionTimeout, 30_000, &KAFKAJS_CONSUMER),
        number(Name::Heartbeat, 3_000, &KAFKAJS_CONSUMER),
        flag(Name::AutoCommit, true, &KAFKAJS_CONSUMER),
        number(Name::AutoCommitInterval, 0, &KAFKAJS_CONSUMER),
        number(Name::FetchMaxBytes, 10_485_760, &KAFKAJS_CONSUMER),
        number(Name::PartitionFetchBytes, 1_048_576, &KAFKAJS_CONSUMER),
        number(Name::FetchMinBytes, 1, &KAFKAJS_CONSUMER),
        number(Name::FetchMaxWait, 5_000, &KAFKAJS_CONSUMER),
        number(Name::Drain, 60_000, &KAFKAJS_CONSUMER),
        number(Name::Workers, 1, &KAFKAJS_RUN),
        word(Name::Routing, "serial", &KAFKAJS_RUN),
        word(Name::Intake, "block", &KAFKAJS_RUN),
    ],
};

static AIOKAFKA_CONSUMER: Source = Source {
    project: "aio-libs/aiokafka",
    file: "aiokafka/consumer/consumer.py",
    commit: "01ab888020",
    place: "the defaults of AIOKafkaConsumer's parameters; max_poll_records has none: getone and async for hand out \
            single messages, getmany whatever was fetched",
};

static AIOKAFKA_COMMITS: Source = Source {
    project: "aio-libs/aiokafka",
    file: "aiokafka/consumer/group_coordinator.py",
    commit: "0074dd1bfc",
    place: "no setting but its design: _maybe_do_autocommit, in a task of its own, commits all_consumed_offsets, which is \
            what was handed out",
};

pub(super) static AIOKAFKA: Library = Library {
    id: "aiokafka",
    name: "aiokafka",
    note: "One coroutine takes single messages, unless it says getmany; a background task commits what was handed out, \
           finished or not. Its parameters are the Java client's, with underscores.",
    base: None,
    pauses: None,
    own: &[
        number(Name::PollRecords, 1, &AIOKAFKA_CONSUMER),
        number(Name::PollInterval, 300_000, &AIOKAFKA_CONSUMER),
        number(Name::SessionTimeout, 10_000, &AIOKAFKA_CONSUMER),
        number(Name::Heartbeat, 3_000, &AIOKAFKA_CONSUMER),
        flag(Name::AutoCommit, true, &AIOKAFKA_CONSUMER),
        number(Name::AutoCommitInterval, 5_000, &AIOKAFKA_CONSUMER),
        flag(Name::StoreOffsets, true, &AIOKAFKA_COMMITS),
        number(Name::FetchMaxBytes, 52_428_800, &AIOKAFKA_CONSUMER),
        number(Name::PartitionFetchBytes, 1_048_576, &AIOKAFKA_CONSUMER),
        number(Name::FetchMinBytes, 1, &AIOKAFKA_CONSUMER),
        number(Name::FetchMaxWait, 500, &AIOKAFKA_CONSUMER),
        number(Name::Workers, 1, &AIOKAFKA_CONSUMER),
        word(Name::Routing, "serial", &AIOKAFKA_CONSUMER),
        word(Name::Intake, "block", &AIOKAFKA_CONSUMER),
    ],
};

/// All of them, in the order in which they are offered.
pub static LIBRARIES: [&Library; 12] = [
    &JAVA,
    &SPRING,
    &PARALLEL_CONSUMER,
    &DECATON,
    &SMALLRYE,
    &LIBRDKAFKA,
    &KARAFKA,
    &KAFKAFLOW,
    &SARAMA,
    &FRANZ_GO,
    &KAFKAJS,
    &AIOKAFKA,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_of_its_setting() {
        for library in LIBRARIES {
            assert!(std::ptr::eq(Library::named(library.id).expect("a library"), library));
            for default in library.own {
                let mut settings = Settings::default();
                let origin = Origin::Default(default.source);
                assert!(settings.set(default.name, default.value, origin), "{}: {default:?}", library.id);
            }
        }
    }

    #[test]
    fn a_pause_is_what_the_client_underneath_makes_of_it() {
        let way = |id: &str| Library::named(id).expect("a library").pauses().map(|pauses| pauses.way);
        for id in ["karafka", "kafkaflow"] {
            assert_eq!(way(id), way("librdkafka"), "{id}");
        }
        for id in ["spring", "parallel-consumer", "decaton", "smallrye"] {
            assert_eq!(way(id), way("java"), "{id}");
        }
        assert!(way("java").is_some() && way("librdkafka").is_some() && way("java") != way("librdkafka"));
        // Of clients that were not read nothing is said.
        assert_eq!((way("sarama"), way("franz-go")), (None, None));
    }

    #[test]
    fn every_source_names_a_file_at_a_commit() {
        for library in LIBRARIES {
            for source in library
                .own
                .iter()
                .map(|default| default.source)
                .chain(library.pauses().map(|pauses| pauses.source))
            {
                let hex = source.commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(hex && source.commit.len() == 10, "{}", source.commit);
                assert!(source.project.contains('/') && source.file.contains('.'));
            }
        }
    }
}
