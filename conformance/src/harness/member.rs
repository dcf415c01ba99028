//! A member: a process with a consumer in it whose clock, and whose records' work, are in somebody else's hands.
//!
//! Orders come by standard input, one a line; what happens goes to standard output ([`Said`]). Orders that a
//! drain waits for are carried out by the thread that reads them, the others by the one that polls, between two
//! polls.

use std::{
    io::{BufRead, Write as _},
    path::{Path, PathBuf},
    process::exit,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use keyed_worker_pool::{
    ids::{Offset, Tick},
    mechanism::GateMove,
    scenario::Scenario,
    world::{Knobs, config},
};
use rdkafka::ClientConfig;

use super::{Trouble, notebook::Said};
use crate::{
    consumer::{
        CommitOffset, Consumer, Event, Failed, Host, Intake, Partition, Record, Routing, Settings, code,
    },
    store::Store,
};

/// The topic whose first partition a scenario is about.
pub const TOPIC: &str = "records";

/// How long the group waits for a member, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Without a heartbeat: `session.timeout.ms`.
    pub session: u32,
    /// Without a poll: `max.poll.interval.ms`, not below the other.
    pub interval: u32,
}

/// What a member is started with.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The broker's address.
    pub servers: String,
    /// The group.
    pub group: String,
    /// The member's name; it idles on the topic `idle-NAME`.
    pub name: String,
    /// The file with the rows.
    pub rows: PathBuf,
    /// The scenario, for its settings.
    pub scenario: PathBuf,
    /// How long the group waits for it.
    pub patience: Patience,
}

impl Orders {
    /// As the arguments of a process.
    #[must_use]
    pub fn to_arguments(&self) -> Vec<String> {
        vec![
            self.servers.clone(),
            self.group.clone(),
            self.name.clone(),
            self.rows.display().to_string(),
            self.scenario.display().to_string(),
            self.patience.session.to_string(),
            self.patience.interval.to_string(),
        ]
    }

    /// Back from them; `None` if they are not.
    #[must_use]
    pub fn from_arguments(arguments: &[String]) -> Option<Orders> {
        let [servers, group, name, rows, scenario, session, interval] = arguments else {
            return None;
        };
        Some(Orders {
            servers: servers.clone(),
            group: group.clone(),
            name: name.clone(),
            rows: rows.into(),
            scenario: scenario.into(),
            patience: Patience { session: session.parse().ok()?, interval: interval.parse().ok()? },
        })
    }

    /// The client's configuration.
    #[must_use]
    pub fn client(&self) -> ClientConfig {
        let Patience { session, interval } = self.patience;
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.servers)
            .set("client.id", &self.name)
            .set("group.id", &self.group)
            .set("session.timeout.ms", session.to_string())
            .set("max.poll.interval.ms", interval.to_string())
            .set("heartbeat.interval.ms", "100")
            .set("fetch.wait.max.ms", "50")
            .set("reconnect.backoff.ms", "20")
            .set("topic.metadata.refresh.fast.interval.ms", "50")
            .set("auto.offset.reset", "earliest")
            .set("partition.assignment.strategy", "range");
        config
    }
}

/// The settings of a real consumer that is to do what a simulated one does.
///
/// # Errors
/// If it knows no such rule.
pub fn settings(knobs: &Knobs) -> Result<Settings, Trouble> {
    let unknown = |what: &str| Err(format!("the consumer knows no {what}").into());
    if knobs.ack_map || knobs.quarantine.is_some() || knobs.heap_ceiling.is_some() {
        return unknown("acknowledgement map, quarantine or heap ceiling");
    }
    if knobs.null_keys != config::NullKeys::Mailbox || knobs.retry_at != config::RetryAt::Head {
        return unknown("spread null keys, and no retry at the tail");
    }
    Ok(Settings {
        workers: usize::try_from(knobs.concurrency())?,
        routing: match knobs.routing {
            config::Routing::Keyed => Routing::Keyed,
            config::Routing::Serial => Routing::Serial,
            config::Routing::Shared => Routing::Shared,
            config::Routing::Lanes(_) => return unknown("lanes"),
        },
        poll: usize::try_from(knobs.poll)?,
        intake: match knobs.intake {
            config::Intake::Pause { high, low } => Intake::Pause { high, low },
            config::Intake::Unbounded => Intake::Unbounded,
            config::Intake::Block => Intake::Block,
        },
        commit_every: knobs.commit_every,
        commit: match knobs.commit_offset {
            config::CommitOffset::Watermark => CommitOffset::Watermark,
            config::CommitOffset::Highest => CommitOffset::Highest,
        },
        retry_delay: knobs.retry_delay,
        drain: knobs.drain,
        epochs: knobs.late_commit == config::LateCommit::Checked,
        resume: knobs.pause_at_assignment == config::PauseAtAssignment::Forgotten,
    })
}

/// An order for the thread that polls.
enum Order {
    Subscribe(Vec<String>),
    Go(usize),
    Try(usize),
    Hold,
    Commit,
    Abandon,
    Leave,
}

/// The clock and the work of a member.
struct Driven {
    name: String,
    now: AtomicU64,
    desk: Mutex<Desk>,
    ordered: Condvar,
    rows: Mutex<Store>,
}

/// Who waits for an order to end its work, and the orders that came.
#[derive(Default)]
struct Desk {
    tickets: u64,
    waiting: Vec<(Offset, u64)>,
    orders: Vec<(Offset, bool)>,
}

impl Driven {
    fn order(&self, offset: Offset, succeed: bool) {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner).orders.push((offset, succeed));
        self.ordered.notify_all();
    }

    /// Waits until this work is to end, the oldest of its offset first; whether it succeeds.
    fn work(&self, offset: Offset) -> bool {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        desk.tickets += 1;
        let ticket = desk.tickets;
        desk.waiting.push((offset, ticket));
        loop {
            let oldest = desk.waiting.iter().find(|(other, _)| *other == offset);
            if oldest == Some(&(offset, ticket))
                && let Some(place) = desk.orders.iter().position(|(other, _)| *other == offset)
            {
                desk.waiting.retain(|(_, other)| *other != ticket);
                return desk.orders.remove(place).1;
            }
            desk = self.ordered.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The host that the consumer sees.
#[derive(Clone)]
struct Seat(Arc<Driven>);

impl Host for Seat {
    fn now(&self) -> Tick {
        Tick(self.0.now.load(Ordering::SeqCst))
    }

    fn handle(&self, partition: &Partition, record: &Record) -> Result<(), Failed> {
        if !self.0.work(record.offset) {
            return Err(Failed);
        }
        if let Some(key) = &record.key {
            let mut rows = self.0.rows.lock().unwrap_or_else(PoisonError::into_inner);
            let accepted = rows
                .write(
                    &self.0.name,
                    partition.number,
                    record.offset,
                    key,
                    record.value.as_deref().unwrap_or_default(),
                )
                .map_err(|error| {
                    say(&Said::Trouble(error.to_string()));
                    Failed
                })?;
            say(&Said::Wrote { offset: record.offset, accepted });
        }
        Ok(())
    }

    fn told(&self, event: Event<'_>) {
        if let Some(said) = saying(event) {
            say(&said);
        }
    }
}

/// What a member says of an event: of its idle topic only that it got it.
fn saying(event: Event<'_>) -> Option<Said> {
    let ours = |partition: &Partition| &*partition.topic == TOPIC;
    Some(match event {
        Event::Assigned { partition, .. } if !ours(partition) => Said::Idles,
        Event::Trouble(error) => Said::Trouble(error.to_string()),
        Event::WentBack { partition, to } => Said::Trouble(format!("{partition} went back to {to}")),
        Event::Assigned { epoch, at, .. } => Said::Assigned { epoch: epoch.0, at },
        Event::TakenIn { epoch, offset, .. } => Said::TakenIn { epoch: epoch.0, offset },
        Event::Started { epoch, offset, .. } => Said::Started { epoch: epoch.0, offset },
        Event::Ended { epoch, offset, succeeded, late, .. } => {
            Said::Ended { epoch: epoch.0, offset, succeeded, late }
        }
        Event::Gate { moved: GateMove::Pause, .. } => Said::Paused,
        Event::Gate { moved: GateMove::Resume, .. } => Said::Resumed,
        Event::DrainBegan { partition, running } if ours(partition) => Said::DrainBegan { running },
        Event::OwnershipEnded { partition, epoch, running, lost } if ours(partition) => {
            Said::OwnershipEnded { epoch: epoch.0, running, lost }
        }
        Event::Given { .. } | Event::DrainBegan { .. } | Event::OwnershipEnded { .. } => return None,
        Event::Committed { to, .. } => Said::Committed { to },
        Event::CommitRefused { to, error, .. } => Said::CommitRefused { to, code: code(error) },
        Event::Unasked { offset, .. } => Said::Unasked { offset },
    })
}

fn say(said: &Said) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{}", said.to_line()).and_then(|()| out.flush()).is_err() {
        // Nobody listens any more.
        exit(0);
    }
}

/// The whole life of a member.
///
/// # Errors
/// If the consumer cannot go on.
pub fn live(orders: &Orders) -> Result<(), Trouble> {
    let scenario = Scenario::load(Path::new(&orders.scenario))?;
    let knobs = scenario.setup.knobs();
    let driven = Arc::new(Driven {
        name: orders.name.clone(),
        now: AtomicU64::new(0),
        desk: Mutex::default(),
        ordered: Condvar::new(),
        rows: Mutex::new(Store::open(&orders.rows, knobs.guard)?),
    });
    let consumer = Consumer::start(&orders.client(), settings(knobs)?, Seat(driven.clone()))?;
    let watch = consumer.watch();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        listen(&driven, &sender, || {
            let standing = watch(&Partition::new(TOPIC, 0));
            let (owned, paused, running) = (standing.owned, standing.paused, standing.running);
            say(&Said::Stands { owned, paused, running });
        });
        // Whoever gave the orders is gone.
        exit(0)
    });
    obey(consumer, &receiver)
}

/// The thread that reads orders.
fn listen(driven: &Driven, sender: &Sender<Order>, stand: impl Fn()) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut words = line.split(' ');
        let (order, mut words) = (words.next().unwrap_or_default(), words);
        let mut number = || words.next().and_then(|word| word.parse::<i64>().ok()).unwrap_or_default();
        let passed_on = match order {
            "now" => {
                driven.now.store(number().unsigned_abs(), Ordering::SeqCst);
                continue;
            }
            "finish" => {
                driven.order(Offset(number()), true);
                continue;
            }
            "fail" => {
                driven.order(Offset(number()), false);
                continue;
            }
            "state" => {
                stand();
                continue;
            }
            "go" => Order::Go(usize::try_from(number()).unwrap_or_default()),
            "try" => Order::Try(usize::try_from(number()).unwrap_or_default()),
            "subscribe" => Order::Subscribe(line.split(' ').skip(1).map(str::to_owned).collect()),
            "hold" => Order::Hold,
            "commit" => Order::Commit,
            "abandon" => Order::Abandon,
            "leave" => Order::Leave,
            _ => {
                say(&Said::Trouble(format!("no such order: {line}")));
                continue;
            }
        };
        if sender.send(passed_on).is_err() {
            return;
        }
    }
}

/// The thread that polls.
fn obey(mut consumer: Consumer<Seat>, orders: &Receiver<Order>) -> Result<(), Trouble> {
    const STEP: Duration = Duration::from_millis(5);
    let mut held = false;
    loop {
        let wait = if held { Duration::from_secs(3600) } else { Duration::ZERO };
        match orders.recv_timeout(wait) {
            Ok(Order::Subscribe(topics)) => {
                let topics: Vec<_> = topics.iter().map(String::as_str).collect();
                consumer.subscribe(&topics)?;
            }
            Ok(Order::Go(records)) => {
                let mut left = records;
                while left > 0 {
                    left -= consumer.poll(left, STEP)?;
                }
                consumer.test_gates()?;
                say(&Said::Went);
            }
            Ok(Order::Try(most)) => {
                consumer.poll(most, STEP)?;
                say(&Said::Went);
            }
            Ok(Order::Hold) => {
                held = true;
                say(&Said::Held);
            }
            Ok(Order::Commit) => {
                consumer.commit_if_due();
                say(&Said::HasCommitted);
            }
            Ok(Order::Abandon) => {
                consumer.abandon();
                return Ok(());
            }
            Ok(Order::Leave) => return Ok(()),
            Err(RecvTimeoutError::Timeout) if held => {}
            Err(RecvTimeoutError::Timeout) => {
                consumer.poll(0, STEP)?;
                consumer.commit_if_due();
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
