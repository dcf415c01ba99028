//! What the real client does that the page's four mechanisms have to reckon with, each as a small experiment.
//!
//! Unlike a claim, a lesson is about client and broker alone: brokers may differ here, and the report says where.

use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use keyed_worker_pool::ids::{Offset, Tick};
use rdkafka::{
    ClientConfig, ClientContext, Message as _, Offset as ListOffset, Statistics, TopicPartitionList,
    consumer::{BaseConsumer, Consumer as _, ConsumerContext},
};

use crate::{
    consumer::{Consumer, Event, Failed, Host, Partition, Record, Settings, code},
    harness::{
        Trouble,
        cluster::{Cluster, Kind},
        until,
    },
};

/// A lesson.
pub struct Lesson {
    /// What the test is called.
    pub name: &'static str,
    /// What there is to learn.
    pub sentence: &'static str,
    /// What the model makes of it.
    pub model: &'static str,
    /// The experiment: what it showed on that broker; `None` if there is no such broker here.
    pub learn: fn(Kind) -> Result<Option<String>, Trouble>,
}

/// All lessons.
pub const LESSONS: &[Lesson] = &[
    Lesson {
        name: "a_late_commit_of_a_member_is_accepted",
        sentence: "A commit by a member that lost the partition and is still in the group is accepted, and moves the \
                   committed offset back: the broker asks who commits, not whether the partition is theirs.",
        model: "the simulated owner's epoch is checked, as the real consumer's is (`late-commit.toml` above): there \
                is nothing to accept; with `late_commit = \"sent\"` the simulated committed offset goes back as well \
                (`tests/scenarios/59a-a-late-commit-goes-back.toml`)",
        learn: late_commit,
    },
    Lesson {
        name: "a_drains_commit_during_a_rebalance",
        sentence: "While another member joins, the drain's commit is sent in the middle of a rebalance, and a broker \
                   may refuse it: then all that the drain has finished comes again, and the guard absorbs it.",
        model: "the simulated broker accepts a drain's commit, as Apache Kafka does until the members have rejoined",
        learn: commit_during_a_rebalance,
    },
    Lesson {
        name: "eager_and_cooperative_revocation",
        sentence: "Under the eager protocol a rebalance revokes everything, what a member keeps included; under the \
                   cooperative one, only what moves.",
        model: "a `rebalance` with `rebalance_protocol = \"eager\"` is a drain, a new epoch, and what it did not finish \
                comes again (`tests/scenarios/96a-everything-is-revoked.toml`); with `\"cooperative\"` nothing happens to \
                what stays (`tests/scenarios/96b-only-what-moves-is-revoked.toml`)",
        learn: eager_and_cooperative,
    },
    Lesson {
        name: "a_pause_outlives_its_assignment",
        sentence: "librdkafka remembers a pause beyond the assignment that it belonged to.",
        model: "the simulated gate opens with every assignment; the real consumer resumes at every assignment, to be \
                like it; with `pause_at_assignment = \"kept\"` the simulated client remembers as well, and reads nothing \
                (`tests/scenarios/59c-a-kept-pause-sticks.toml`)",
        learn: pause_is_remembered,
    },
    Lesson {
        name: "a_pause_throws_the_prefetch_away",
        sentence: "A pause throws away what the client had fetched ahead, and a resume fetches it again: no record \
                   is lost or doubled, but a gate that flaps pays for its log twice over.",
        model: "the model reads from the log and fetches nothing ahead; with `refetch = 2` its polls after a resume \
                bring nothing for so many ticks (`tests/scenarios/95a-the-prefetch-is-thrown-away.toml`), and a low \
                mark that lasts so long hides it \
                (`tests/scenarios/95b-the-low-mark-lasts-until-the-refetch.toml`)",
        learn: prefetch_is_fetched_again,
    },
];

impl Lesson {
    /// The lesson of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Lesson> {
        LESSONS.iter().find(|lesson| lesson.name == name)
    }
}

const TOPIC: &str = "lesson";
const OTHER: &str = "another-lesson";
const GROUP: &str = "class";

fn cluster(kind: Kind, partitions: i32, records: i64) -> Result<Option<Cluster>, Trouble> {
    let Some(cluster) = Cluster::start(kind, GROUP)? else { return Ok(None) };
    cluster.create_topic(TOPIC, partitions)?;
    for number in 0..partitions {
        // A key of its own for each, so that nothing waits for anything.
        let texts: Vec<_> = (0..records).map(|offset| offset.to_string().into_bytes()).collect();
        let keyed = texts.iter().map(|text| (Some(text.as_slice()), text.clone()));
        cluster.append(&Partition::new(TOPIC, number), keyed)?;
    }
    cluster.flush()?;
    Ok(Some(cluster))
}

fn client(cluster: &Cluster, cooperative: bool) -> ClientConfig {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", cluster.servers())
        .set("group.id", GROUP)
        .set("session.timeout.ms", "2500")
        .set("max.poll.interval.ms", "60000")
        .set("heartbeat.interval.ms", "100")
        .set("auto.offset.reset", "earliest")
        .set("partition.assignment.strategy", if cooperative { "cooperative-sticky" } else { "range" });
    config
}

/// What a member of the class has told.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Assigned(Offset),
    Started,
    DrainBegan,
    Done { late: bool },
    Committed(Offset),
    Refused(String),
    Ended,
}

/// A host whose work ends when it is allowed to.
#[derive(Clone, Default)]
struct Class(Arc<ClassState>);

#[derive(Default)]
struct ClassState {
    told: Mutex<Vec<(char, Told)>>,
    /// Whose work may end, of which records; no record: of all.
    allowed: Mutex<Vec<(char, Option<Offset>)>>,
    changed: Condvar,
}

/// One member of it.
struct Seat(char, Class, Instant);

impl Class {
    fn told(&self) -> Vec<(char, Told)> {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn allow(&self, whose: char, which: Option<Offset>) {
        self.0.allowed.lock().unwrap_or_else(PoisonError::into_inner).push((whose, which));
        self.0.changed.notify_all();
    }

    fn hear<T>(&self, what: &str, mut find: impl FnMut(&[(char, Told)]) -> Option<T>) -> Result<T, Trouble> {
        until(what, || Ok(find(&self.told())))
    }
}

impl Host for Seat {
    fn now(&self) -> Tick {
        Tick(self.2.elapsed().as_millis() as u64)
    }

    fn handle(&self, _: &Partition, record: &Record) -> Result<(), Failed> {
        let state = &self.1.0;
        let allowed = state.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        let may = |(whose, which): &(char, Option<Offset>)| {
            *whose == self.0 && which.is_none_or(|offset| offset == record.offset)
        };
        drop(state.changed.wait_while(allowed, |allowed| !allowed.iter().any(may)));
        Ok(())
    }

    fn told(&self, event: Event<'_>) {
        let told = match event {
            Event::Assigned { at, .. } => Told::Assigned(at),
            Event::Started { .. } => Told::Started,
            Event::DrainBegan { .. } => Told::DrainBegan,
            Event::Ended { late, .. } => Told::Done { late },
            Event::Committed { to, .. } => Told::Committed(to),
            Event::CommitRefused { error, .. } => Told::Refused(code(error)),
            Event::OwnershipEnded { .. } => Told::Ended,
            _ => return,
        };
        self.1.0.told.lock().unwrap_or_else(PoisonError::into_inner).push((self.0, told));
    }
}

/// Polls in a thread of its own until it is dropped.
struct Pupil {
    done: Arc<AtomicBool>,
    topics: Sender<&'static str>,
    rounds: Arc<AtomicI64>,
    thread: Option<thread::JoinHandle<Result<(), String>>>,
}

impl Pupil {
    fn start(name: char, class: &Class, config: &ClientConfig, commits: bool) -> Result<Pupil, Trouble> {
        let settings = Settings { workers: 4, drain: 5_000, ..Settings::RECOMMENDED };
        Pupil::with(name, class, config, commits, settings)
    }

    fn with(
        name: char,
        class: &Class,
        config: &ClientConfig,
        commits: bool,
        settings: Settings,
    ) -> Result<Pupil, Trouble> {
        let mut consumer = Consumer::start(config, settings, Seat(name, class.clone(), Instant::now()))?;
        consumer.subscribe(&[TOPIC])?;
        let (done, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI64::new(0)));
        let (is_done, count) = (done.clone(), rounds.clone());
        let (topics, subscriptions) = channel::<&str>();
        let step = Duration::from_millis(5);
        let thread = thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                if let Ok(topic) = subscriptions.try_recv() {
                    consumer.subscribe(&[topic]).map_err(|error| error.to_string())?;
                }
                count.fetch_add(1, Ordering::Relaxed);
                // Without the commit of every round, so that the drain's is the first.
                let stepped =
                    if commits { consumer.step(step) } else { consumer.poll(100, step).map(|_| ()) };
                stepped.map_err(|error| error.to_string())?;
            }
            Ok(())
        });
        Ok(Pupil { done, topics, rounds, thread: Some(thread) })
    }

    /// Waits for some rounds of its polls and commits.
    fn go_on(&self) -> Result<(), Trouble> {
        let before = self.rounds.load(Ordering::Relaxed);
        until("a few rounds", || Ok((self.rounds.load(Ordering::Relaxed) > before + 3).then_some(())))
    }
}

impl Drop for Pupil {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

fn commit_during_a_rebalance(kind: Kind) -> Result<Option<String>, Trouble> {
    let Some(cluster) = cluster(kind, 1, 4)? else { return Ok(None) };
    let (class, config) = (Class::default(), client(&cluster, false));
    let _a = Pupil::start('A', &class, &config, false)?;
    class.hear("A to work", |told| {
        let started = told.iter().filter(|(_, told)| *told == Told::Started).count();
        (started == 4).then_some(())
    })?;
    let _b = Pupil::start('B', &class, &config, false)?;
    class.hear("A to drain", |told| told.contains(&('A', Told::DrainBegan)).then_some(()))?;
    class.allow('A', None);
    class.allow('B', None);
    let answer = class.hear("the broker's answer", |told| {
        told.iter().find_map(|(_, told)| match told {
            Told::Committed(_) => Some("accepted".to_owned()),
            Told::Refused(code) => Some(format!("refused, `{code}`")),
            _ => None,
        })
    })?;
    let at = class.hear("a successor", |told| {
        let after = told.iter().skip_while(|(_, told)| *told != Told::Ended);
        after.into_iter().find_map(|(_, told)| match told {
            Told::Assigned(at) => Some(*at),
            _ => None,
        })
    })?;
    let expected = if answer == "accepted" { Offset(4) } else { Offset(0) };
    if at != expected {
        return Err(format!("{answer}, and the successor begins at {at}").into());
    }
    Ok(Some(format!("{answer}: the successor of four finished records begins at {at}")))
}

fn late_commit(kind: Kind) -> Result<Option<String>, Trouble> {
    let mut committed = Vec::new();
    for epochs in [false, true] {
        let Some(cluster) = cluster(kind, 1, 4)? else { return Ok(None) };
        cluster.create_topic(OTHER, 1)?;
        let partition = Partition::new(TOPIC, 0);
        let (class, config) = (Class::default(), client(&cluster, false));
        // Every round commits, and the drain waits for nothing.
        let settings = Settings { workers: 4, drain: 0, commit_every: 1, epochs, ..Settings::RECOMMENDED };
        let a = Pupil::with('A', &class, &config, true, settings)?;
        class.hear("A to work", |told| {
            (told.iter().filter(|one| **one == ('A', Told::Started)).count() == 4).then_some(())
        })?;
        a.topics.send(OTHER)?;
        class.hear("A to have given up", |told| {
            let after = told.iter().skip_while(|one| **one != ('A', Told::Ended));
            after
                .into_iter()
                .any(|(who, told)| *who == 'A' && matches!(told, Told::Assigned(_)))
                .then_some(())
        })?;
        class.allow('B', None);
        let _b = Pupil::with('B', &class, &config, true, settings)?;
        until("B to commit", || Ok((cluster.committed(&partition)? == Some(4)).then_some(())))?;
        // A is a member yet, and finishes the first of its records.
        class.allow('A', Some(Offset(0)));
        class.hear("A to finish late", |told| {
            told.contains(&('A', Told::Done { late: true })).then_some(())
        })?;
        if !epochs {
            class.hear("A to commit", |told| {
                told.contains(&('A', Told::Committed(Offset(1)))).then_some(())
            })?;
        }
        a.go_on()?;
        committed.push(cluster.committed(&partition)?.unwrap_or(-1));
        class.allow('A', None);
    }
    match committed[..] {
        [1, 4] => Ok(Some(
            "B commits 4, then A, without epochs, 1: accepted, committed is 1; with epochs A sends nothing, and \
             committed stays 4"
                .into(),
        )),
        _ => Err(format!("committed: {committed:?}").into()),
    }
}

fn eager_and_cooperative(kind: Kind) -> Result<Option<String>, Trouble> {
    let mut revoked = Vec::new();
    for cooperative in [false, true] {
        let Some(cluster) = cluster(kind, 2, 0)? else { return Ok(None) };
        let (class, config) = (Class::default(), client(&cluster, cooperative));
        let assigned = |told: &[(char, Told)], who| {
            told.iter().filter(|one| **one == (who, Told::Assigned(Offset(0)))).count()
        };
        let _a = Pupil::start('A', &class, &config, true)?;
        class.hear("A to own both", |told| (assigned(told, 'A') == 2).then_some(()))?;
        let _b = Pupil::start('B', &class, &config, true)?;
        class.hear("B to own one", |told| (assigned(told, 'B') > 0).then_some(()))?;
        // What the first rebalance revoked: a loaded machine may need a second one.
        let told = class.told();
        let first = told.iter().filter(|(who, _)| *who == 'A').skip_while(|(_, told)| *told != Told::Ended);
        let ended = first.take_while(|(_, told)| !matches!(told, Told::Assigned(_)));
        revoked.push(ended.filter(|(_, told)| *told == Told::Ended).count());
    }
    match revoked[..] {
        [2, 1] => Ok(Some("A owns two and gives one up: eager revokes 2, cooperative 1".into())),
        _ => Err(format!("revoked: {revoked:?}").into()),
    }
}

fn assignment(at: i64) -> Result<TopicPartitionList, Trouble> {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(TOPIC, 0, ListOffset::Offset(at))?;
    Ok(list)
}

fn next<C: ConsumerContext>(client: &BaseConsumer<C>) -> Result<i64, Trouble> {
    until("a record", || match client.poll(Duration::from_millis(5)) {
        Some(Ok(message)) => Ok(Some(message.offset())),
        _ => Ok(None),
    })
}

fn pause_is_remembered(kind: Kind) -> Result<Option<String>, Trouble> {
    const LONG: Duration = Duration::from_millis(700);
    let Some(cluster) = cluster(kind, 1, 3)? else { return Ok(None) };
    let client: BaseConsumer = client(&cluster, false).create()?;
    client.assign(&assignment(0)?)?;
    let first = next(&client)?;
    client.pause(&assignment(0)?)?;
    client.unassign()?;
    client.assign(&assignment(1)?)?;
    // That nothing comes shows only in time; the first record took less of it.
    let end = Instant::now() + LONG;
    while Instant::now() < end {
        if let Some(Ok(message)) = client.poll(Duration::from_millis(20)) {
            return Err(format!("{} came, so the pause was forgotten", message.offset()).into());
        }
    }
    client.resume(&assignment(0)?)?;
    let second = next(&client)?;
    match (first, second) {
        (0, 1) => {
            Ok(Some("assigned anew, nothing comes until it is resumed; then it goes on with the next".into()))
        }
        other => Err(format!("read {other:?}").into()),
    }
}

/// Counts the records that the client has fetched.
#[derive(Clone, Default)]
struct Fetched(Arc<AtomicI64>);

impl ClientContext for Fetched {
    fn stats(&self, statistics: Statistics) {
        let partition = statistics.topics.get(TOPIC).and_then(|topic| topic.partitions.get(&0));
        if let Some(partition) = partition {
            self.0.store(partition.rxmsgs as i64, Ordering::Relaxed);
        }
    }
}

impl ConsumerContext for Fetched {}

fn prefetch_is_fetched_again(kind: Kind) -> Result<Option<String>, Trouble> {
    const RECORDS: i64 = 100;
    let Some(cluster) = cluster(kind, 1, RECORDS)? else { return Ok(None) };
    let fetched = Fetched::default();
    let client: BaseConsumer<Fetched> =
        client(&cluster, false).set("statistics.interval.ms", "50").create_with_context(fetched.clone())?;
    let count = || fetched.0.load(Ordering::Relaxed);
    client.assign(&assignment(0)?)?;
    let mut read = vec![next(&client)?];
    // The statistics come by way of polls, and so might records: all of them count.
    let mut poll = |what: &str, enough: &dyn Fn(&[i64]) -> bool| {
        until(what, || {
            if enough(&read) {
                return Ok(Some(read.clone()));
            }
            if let Some(Ok(message)) = client.poll(Duration::from_millis(1)) {
                read.push(message.offset());
            }
            Ok(None)
        })
    };
    // Two records in, everything else is fetched ahead.
    poll("a second record", &|read| read.len() >= 2)?;
    client.pause(&assignment(0)?)?;
    client.resume(&assignment(0)?)?;
    let read = poll("all records", &|read| read.len() as i64 >= RECORDS && count() > RECORDS)?;
    if read != (0..RECORDS).collect::<Vec<_>>() {
        return Err(format!("read {read:?}").into());
    }
    Ok(Some(format!("{RECORDS} records, each read once, and {} fetched", count())))
}
