//! A Kafka consumer with many threads on each partition, over librdkafka: how to use the mechanisms in a service.
//!
//! One thread polls, commits and answers the group; worker threads handle records. Read it in this order:
//! [`Settings`], this file from top to bottom (what is done with Kafka), `ownership.rs` (the mechanisms, wired),
//! `pool.rs` (the threads). `src/bin/service.rs` is a service made of it.
//!
//! What it adds to the mechanisms is the *epoch*. The broker fences commits of members that left the group, but
//! not of one that is still a member and merely lost the partition: that commit is accepted, and moves the
//! committed offset back. So each ownership has a number, work remembers under which it was started, and what
//! comes back from an ended one changes nothing.
//!
//! What is left to you: a quarantine (here a record whose handler always fails is tried for ever, and its key and the
//! commit wait behind it), headers and timestamps of records, and names for the threads.

mod ownership;
mod pool;
mod settings;

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use keyed_worker_pool::{
    ids::{Epoch, Offset, Tick},
    mechanism::GateMove,
};
use rdkafka::{
    ClientConfig, ClientContext, Message, TopicPartitionList,
    consumer::{BaseConsumer, CommitMode, Consumer as _, ConsumerContext, RebalanceProtocol},
    error::KafkaError,
    message::BorrowedMessage,
    topic_partition_list::Offset as ListOffset,
    types::{RDKafkaErrorCode, RDKafkaRespErr},
};

pub use ownership::Record;
pub use pool::Standing;
pub use settings::{CommitOffset, Intake, Routing, Settings};

use pool::Pool;

/// How long the broker may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a drain looks at the clock.
const DRAIN_STEP: Duration = Duration::from_millis(5);

/// A partition of a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    /// The topic.
    pub topic: Arc<str>,
    /// Which of its partitions.
    pub number: i32,
}

impl Partition {
    /// A partition by name and number.
    #[must_use]
    pub fn new(topic: &str, number: i32) -> Partition {
        Partition { topic: topic.into(), number }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.topic, self.number)
    }
}

/// The handler said no: the record is tried again, before any later one of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// What a consumer works for.
pub trait Host: Send + Sync + 'static {
    /// What time it is, in the unit of [`Settings`].
    fn now(&self) -> Tick;

    /// Does the work of a record, on a worker thread. A record can come again after a crash, a rebalance or a
    /// failure, and an old attempt can end after a newer owner's: what it writes has to be guarded.
    ///
    /// # Errors
    /// If it is to be tried again.
    fn handle(&self, partition: &Partition, record: &Record) -> Result<(), Failed>;

    /// Something happened; for logs and metrics. Called under the consumer's lock: be quick, do not call the
    /// consumer, and do not panic.
    fn told(&self, event: Event<'_>) {
        let _ = event;
    }
}

/// What a consumer tells its host.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the fields are what their types say
pub enum Event<'a> {
    /// The group gave us a partition; now the broker is asked where its committed offset is.
    Given { partition: &'a Partition },
    /// Reading begins at the committed offset.
    Assigned { partition: &'a Partition, epoch: Epoch, at: Offset },
    /// A record is in flight from now on.
    TakenIn { partition: &'a Partition, epoch: Epoch, offset: Offset },
    /// A worker began with a record.
    Started { partition: &'a Partition, epoch: Epoch, offset: Offset },
    /// A worker is done with it. `late`: its ownership had ended.
    Ended { partition: &'a Partition, epoch: Epoch, offset: Offset, succeeded: bool, late: bool },
    /// The partition was paused or resumed.
    Gate { partition: &'a Partition, moved: GateMove, in_flight: u64 },
    /// The group wants the partition back; so many attempts are still running.
    DrainBegan { partition: &'a Partition, running: usize },
    /// The partition is somebody else's. `lost`: it was so before we knew, and nothing could be committed.
    OwnershipEnded { partition: &'a Partition, epoch: Epoch, running: usize, lost: bool },
    /// The broker took a commit.
    Committed { partition: &'a Partition, epoch: Epoch, to: Offset },
    /// The broker refused one.
    CommitRefused { partition: &'a Partition, epoch: Epoch, to: Offset, error: &'a KafkaError },
    /// An offset came again that had been read: the topic was made anew, or cut. Reading begins anew with it.
    WentBack { partition: &'a Partition, to: Offset },
    /// A record came although its partition is paused: never, if the client keeps its word.
    Unasked { partition: &'a Partition, offset: Offset },
    /// The client complains, and goes on.
    Trouble(&'a KafkaError),
}

/// A consumer of a group. Whoever owns it is its polling thread.
pub struct Consumer<H: Host> {
    client: BaseConsumer<Context<H>>,
    pool: Arc<Pool<H>>,
    settings: Settings,
    /// Fetched and not yet taken in, each with the epoch in which it came.
    fetched: VecDeque<(Partition, Epoch, Record)>,
    /// The offset behind the last that was fetched of each partition, in its epoch.
    heads: BTreeMap<Partition, (Epoch, Offset)>,
    /// The period of the last commit.
    period: u64,
}

impl<H: Host> Consumer<H> {
    /// Joins the group that `config` names, and starts the workers.
    ///
    /// # Errors
    /// If the client refuses its configuration, or the settings make no sense.
    pub fn start(config: &ClientConfig, settings: Settings, host: H) -> Result<Consumer<H>, KafkaError> {
        settings.check().map_err(|why| KafkaError::ClientCreation(why.to_owned()))?;
        let mut config = config.clone();
        // What is committed, and when, is decided here and nowhere else.
        config.set("enable.auto.commit", "false").set("enable.auto.offset.store", "false");
        let pool = Pool::new(settings, host);
        let reset = Reset::of(config.get("auto.offset.reset"));
        let (failure, abandoned) = (Mutex::new(None), AtomicBool::new(false));
        let client = config.create_with_context(Context { pool: pool.clone(), reset, failure, abandoned })?;
        pool.start();
        Ok(Consumer { client, pool, settings, fetched: VecDeque::new(), heads: BTreeMap::new(), period: 0 })
    }

    /// Reads these topics from now on, and no others.
    ///
    /// # Errors
    /// If the client refuses.
    pub fn subscribe(&self, topics: &[&str]) -> Result<(), KafkaError> {
        self.client.subscribe(topics)
    }

    /// One round: polls for at most `wait`, tests the gates, commits if it is time.
    ///
    /// # Errors
    /// If the client can go on no more.
    pub fn step(&mut self, wait: Duration) -> Result<(), KafkaError> {
        self.poll(self.settings.poll, wait)?;
        self.test_gates()?;
        self.commit_if_due();
        Ok(())
    }

    /// Answers the group, and takes in at most `most` records; the answer is how many. What was fetched beyond
    /// that waits for the next call.
    ///
    /// # Errors
    /// If the client can go on no more.
    pub fn poll(&mut self, most: usize, wait: Duration) -> Result<usize, KafkaError> {
        self.pool.reopen(self.pool.host.now());
        if self.pool.is_blocked() {
            return Ok(0);
        }
        self.fetch(if self.fetched.is_empty() { wait } else { Duration::ZERO })?;
        let (most, mut taken) = (most.min(self.settings.poll), 0);
        while taken < most {
            let next = self.fetched.iter().position(|(partition, ..)| !self.pool.is_paused(partition));
            match next.and_then(|place| self.fetched.remove(place)) {
                Some((partition, epoch, record)) => {
                    taken += usize::from(self.pool.take_in(&partition, epoch, record));
                }
                None if self.fetch(Duration::ZERO)? => {}
                None => break,
            }
        }
        Ok(taken)
    }

    /// Serves the client's queue; whether a record came.
    fn fetch(&mut self, wait: Duration) -> Result<bool, KafkaError> {
        let message = self.client.poll(wait);
        if let Some(failure) = self.client.context().failure() {
            return Err(failure);
        }
        match message {
            Some(Ok(message)) => {
                let (partition, record) = read(&message);
                let offset = record.offset;
                self.go_back_to(&partition, offset)?;
                if self.pool.is_paused(&partition) {
                    self.pool.host.told(Event::Unasked { partition: &partition, offset });
                }
                if let Some((epoch, _)) = self.pool.position(&partition) {
                    self.heads.insert(partition.clone(), (epoch, offset.next()));
                    self.fetched.push_back((partition, epoch, record));
                }
                Ok(true)
            }
            Some(Err(error @ KafkaError::MessageConsumptionFatal(_))) => Err(error),
            // Whatever else the client reports, it deals with by itself; an eviction shows as a lost assignment.
            Some(Err(error)) => {
                self.pool.host.told(Event::Trouble(&error));
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// An offset below what was fetched is of another log by the same name: the client has reset the partition to an end
    /// of it. Nothing of the old one may be committed any more, so that this is another ownership.
    fn go_back_to(&self, partition: &Partition, offset: Offset) -> Result<(), KafkaError> {
        let Some((epoch, position)) = self.pool.position(partition) else { return Ok(()) };
        let fetched = self.heads.get(partition).filter(|(of, _)| *of == epoch).map(|(_, next)| *next);
        if offset >= fetched.unwrap_or(position) {
            return Ok(());
        }
        self.pool.host.told(Event::WentBack { partition, to: offset });
        self.pool.end_ownerships(std::slice::from_ref(partition), true);
        self.pool.assigned(partition.clone(), offset);
        let mut list = TopicPartitionList::new();
        list.add_partition(&partition.topic, partition.number);
        self.client.resume(&list)
    }

    /// Pauses partitions that have enough in flight, and resumes those that have worked it off. Polling goes on
    /// either way: that is what keeps us in the group.
    ///
    /// # Errors
    /// If the client refuses.
    pub fn test_gates(&mut self) -> Result<(), KafkaError> {
        for (partition, moved) in self.pool.test_gates() {
            let mut list = TopicPartitionList::new();
            list.add_partition(&partition.topic, partition.number);
            match moved {
                GateMove::Pause => self.client.pause(&list)?,
                GateMove::Resume => self.client.resume(&list)?,
            }
        }
        Ok(())
    }

    /// Commits once in every period of `commit_every` ticks, at its beginning.
    pub fn commit_if_due(&mut self) {
        let (now, every) = (self.pool.host.now().0, self.settings.commit_every.max(1));
        if now / every > self.period || now.is_multiple_of(every) {
            self.period = now / every;
            commit(&self.client, &self.pool);
        }
    }

    /// How things stand with a partition, for whoever watches from another thread.
    pub fn watch(&self) -> impl Fn(&Partition) -> Standing + Send + 'static {
        let pool = self.pool.clone();
        move |partition| pool.standing(partition)
    }

    /// Leaves the group without drain or commit, as a process does that gives up.
    pub fn abandon(self) {
        self.client.context().abandoned.store(true, Ordering::Relaxed);
    }
}

/// Leaving the group revokes what is owned, which drains and commits.
impl<H: Host> Drop for Consumer<H> {
    fn drop(&mut self) {
        self.client.unsubscribe();
        // The revocation comes by way of a poll, and so does an assignment that waits to be heard of. librdkafka would
        // add the revocation to that when it closes, take the assignment's answer for the end, and never again answer
        // what the revocation asks of it.
        while self.client.poll(DRAIN_STEP).is_some()
            || self.client.assignment().is_ok_and(|list| list.count() > 0)
        {}
        self.pool.stop();
    }
}

/// What the client calls back, from inside a poll.
struct Context<H> {
    pool: Arc<Pool<H>>,
    /// Where a partition begins of which nothing is committed.
    reset: Reset,
    /// Why the consumer cannot go on.
    failure: Mutex<Option<KafkaError>>,
    abandoned: AtomicBool,
}

/// `auto.offset.reset`, which the client leaves to whoever reads the committed offsets by themselves.
#[derive(Clone, Copy)]
enum Reset {
    Earliest,
    Latest,
    Error,
}

impl Reset {
    /// librdkafka has two names for some, and reads nothing old unless it is told to.
    fn of(policy: Option<&str>) -> Reset {
        match policy {
            Some("smallest" | "earliest" | "beginning") => Reset::Earliest,
            Some("error") => Reset::Error,
            _ => Reset::Latest,
        }
    }
}

impl<H> Context<H> {
    fn failure(&self) -> Option<KafkaError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn fails(&self, error: KafkaError) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

impl<H: Host> ClientContext for Context<H> {}

impl<H: Host> ConsumerContext for Context<H> {
    fn rebalance(&self, client: &BaseConsumer<Self>, what: RDKafkaRespErr, list: &mut TopicPartitionList) {
        let done = match what {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => self.assigned(client, list),
            _ => self.revoked(client, list),
        };
        if let Err(error) = done {
            self.fails(error);
        }
    }
}

impl<H: Host> Context<H> {
    /// The committed offset is read here, and told to the client and to the tracker alike, so that the two agree
    /// about where the ownership begins. A broker that does not say it in time ends the consumer, as it ends Java's:
    /// whoever runs it starts it again.
    fn assigned(&self, client: &BaseConsumer<Self>, list: &TopicPartitionList) -> Result<(), KafkaError> {
        for partition in &partitions(list) {
            self.pool.host.told(Event::Given { partition });
        }
        // An assignment wants an answer, be it that nothing is taken.
        let (begin, failure) = match self.beginnings(client, list) {
            Ok(begin) => (begin, None),
            Err(error) => (TopicPartitionList::new(), Some(error)),
        };
        for element in begin.elements() {
            if let ListOffset::Offset(at) = element.offset() {
                self.pool.assigned(Partition::new(element.topic(), element.partition()), Offset(at));
            }
        }
        match client.rebalance_protocol() {
            RebalanceProtocol::Cooperative => client.incremental_assign(&begin)?,
            _ => client.assign(&begin)?,
        }
        // Each ownership begins with its gate open. Java's client forgets a pause with the assignment that it
        // belonged to; librdkafka does not, and a partition that came back paused would never be read again.
        if self.pool.settings.resume && begin.count() > 0 {
            client.resume(&begin)?;
        }
        failure.map_or(Ok(()), Err)
    }

    /// Where each partition begins: at its committed offset, or where the reset says.
    fn beginnings(
        &self,
        client: &BaseConsumer<Self>,
        list: &TopicPartitionList,
    ) -> Result<TopicPartitionList, KafkaError> {
        let mut begin = TopicPartitionList::new();
        if list.count() == 0 {
            return Ok(begin);
        }
        for element in client.committed_offsets(list.clone(), PATIENCE)?.elements() {
            let (topic, number) = (element.topic(), element.partition());
            // That the broker could not say it does not mean that nothing is committed.
            element.error()?;
            let at = match (element.offset(), self.reset) {
                (ListOffset::Offset(at), _) => at,
                (_, Reset::Earliest) => client.fetch_watermarks(topic, number, PATIENCE)?.0,
                (_, Reset::Latest) => client.fetch_watermarks(topic, number, PATIENCE)?.1,
                (_, Reset::Error) => return Err(KafkaError::OffsetFetch(RDKafkaErrorCode::NoOffset)),
            };
            begin.add_partition_offset(topic, number, ListOffset::Offset(at))?;
        }
        Ok(begin)
    }

    /// Start nothing more, wait for what runs, commit, let go; but a partition that is lost already is only let
    /// go.
    fn revoked(&self, client: &BaseConsumer<Self>, list: &TopicPartitionList) -> Result<(), KafkaError> {
        let partitions = partitions(list);
        let lost = client.assignment_lost() || self.abandoned.load(Ordering::Relaxed);
        if !lost {
            self.pool.begin_drain(&partitions);
            let mut accepted = true;
            loop {
                let over = self.pool.is_drained(&partitions);
                // A broker that refuses once in a rebalance does so until it is over; the last word is said anyway.
                if accepted || over {
                    accepted = commit(client, &self.pool);
                }
                if over {
                    break;
                }
                self.pool.wait(DRAIN_STEP);
            }
        }
        self.pool.end_ownerships(&partitions, lost);
        match client.rebalance_protocol() {
            RebalanceProtocol::Cooperative => client.incremental_unassign(list),
            _ => client.unassign(),
        }
    }
}

/// Commits whatever there is to commit, and waits for the broker's answer: whether it took everything. A refusal
/// is no reason to stop: what was not committed comes again.
fn commit<H: Host>(client: &BaseConsumer<Context<H>>, pool: &Pool<H>) -> bool {
    let mut accepted = true;
    for (partition, epoch, to) in pool.to_commit() {
        let mut list = TopicPartitionList::new();
        let added = list.add_partition_offset(&partition.topic, partition.number, ListOffset::Offset(to.0));
        match added.and_then(|()| client.commit(&list, CommitMode::Sync)) {
            Ok(()) => {
                pool.committed(&partition, epoch, to);
                pool.host.told(Event::Committed { partition: &partition, epoch, to });
            }
            Err(error) => {
                accepted = false;
                let (partition, error) = (&partition, &error);
                pool.host.told(Event::CommitRefused { partition, epoch, to, error });
            }
        }
    }
    accepted
}

fn partitions(list: &TopicPartitionList) -> Vec<Partition> {
    list.elements().iter().map(|element| Partition::new(element.topic(), element.partition())).collect()
}

fn read(message: &BorrowedMessage<'_>) -> (Partition, Record) {
    let record = Record {
        offset: Offset(message.offset()),
        key: message.key().map(<[u8]>::to_vec),
        value: message.payload().map(<[u8]>::to_vec),
    };
    (Partition::new(message.topic(), message.partition()), record)
}

/// The name by which the protocol knows an error.
#[must_use]
pub fn code(error: &KafkaError) -> String {
    match error.rdkafka_error_code() {
        Some(RDKafkaErrorCode::UnknownMemberId) => "UNKNOWN_MEMBER_ID".into(),
        Some(RDKafkaErrorCode::IllegalGeneration) => "ILLEGAL_GENERATION".into(),
        Some(RDKafkaErrorCode::RebalanceInProgress) => "REBALANCE_IN_PROGRESS".into(),
        Some(code) => format!("{code:?}"),
        None => error.to_string(),
    }
}
