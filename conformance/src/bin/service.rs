//! A service made of the consumer: it keeps one row per key up to date with a topic.
//!
//!     service --servers localhost:9092 --group tracker --topic flights --rows rows.db
//!
//! A record's value is a number of milliseconds, which stands for the slow call that made you want many threads
//! on one partition; what is no number takes no time. What happens is logged, an event a line, each with its time in
//! seconds since 1970. SIGINT and SIGTERM end it: it drains, commits and leaves the group. A commit waits for a broker that is away, and so does the end; a second signal ends it at once,
//! and what was not committed comes again.

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use conformance::{
    consumer::{Consumer, Event, Failed, Host, Intake, Partition, Record, Settings, code},
    harness::Trouble,
    store::Store,
};
use keyed_worker_pool::{ids::Tick, mechanism::Guard};
use lexopt::prelude::*;
use rdkafka::ClientConfig;
use signal_hook::consts::{SIGINT, SIGTERM};

const USAGE: &str = "service --servers HOST:PORT[,...] --group GROUP [--topic TOPIC] [--rows FILE] [--name NAME]
        [--session-ms N] [--interval-ms N]

  keeps a row for each key of TOPIC (flights) up to date in the SQLite file FILE (rows.db); a record's value is the
  milliseconds that its work takes, or it takes none. NAME stands beside each write; the other two are the group's
  patience without a heartbeat and without a poll, in milliseconds.";

/// Time in milliseconds.
const SETTINGS: Settings = Settings {
    workers: 4,
    poll: 20,
    intake: Intake::Pause { high: 40, low: 10 },
    commit_every: 100,
    retry_delay: 200,
    drain: 1_000,
    ..Settings::RECOMMENDED
};

/// The client complains of a broker that is away several times a second: the same trouble is logged so often.
const SAME_TROUBLE: Duration = Duration::from_secs(10);

/// What the consumer works for.
struct Service {
    name: String,
    begun: Instant,
    rows: Mutex<Store>,
    /// When each trouble was last logged.
    troubles: Mutex<BTreeMap<String, Instant>>,
}

impl Service {
    /// Whether a trouble is worth a line: it is new, or was not logged for a while.
    fn is_news(&self, trouble: &str) -> bool {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        if troubles.get(trouble).is_some_and(|last| last.elapsed() < SAME_TROUBLE) {
            return false;
        }
        troubles.insert(trouble.to_owned(), Instant::now());
        true
    }
}

impl Host for Service {
    fn now(&self) -> Tick {
        Tick(self.begun.elapsed().as_millis() as u64)
    }

    fn handle(&self, partition: &Partition, record: &Record) -> Result<(), Failed> {
        // A delete that took the row away would take its version along, and an older write could bring it back.
        let value = record.value.as_deref().unwrap_or_default();
        // Trying again would not make a number of what is none.
        let work = str::from_utf8(value).ok().and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
        thread::sleep(Duration::from_millis(work.into()));
        let Some(key) = &record.key else { return Ok(()) };
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        // The guard may refuse: then somebody else has written something newer, and that is fine.
        rows.write(&self.name, partition.number, record.offset, key, value).map_err(|_| Failed)?;
        Ok(())
    }

    fn told(&self, event: Event<'_>) {
        let line = match event {
            Event::Given { partition } => format!("given partition={}", partition.number),
            Event::Assigned { partition, epoch, at } => {
                format!("assigned partition={} epoch={epoch} at={at}", partition.number)
            }
            Event::Ended { partition, epoch, offset, succeeded, late } => format!(
                "ended partition={} epoch={epoch} offset={offset} succeeded={succeeded} late={late}",
                partition.number
            ),
            Event::OwnershipEnded { partition, epoch, running, lost } => format!(
                "ownership-ended partition={} epoch={epoch} running={running} lost={lost}",
                partition.number
            ),
            Event::Committed { partition, epoch, to } => {
                format!("committed partition={} epoch={epoch} to={to}", partition.number)
            }
            Event::CommitRefused { partition, epoch, to, error } => format!(
                "commit-refused partition={} epoch={epoch} to={to} error={}",
                partition.number,
                code(error)
            ),
            Event::WentBack { partition, to } => format!("went-back partition={} to={to}", partition.number),
            Event::Trouble(error) => {
                let line = format!("trouble {error}");
                if !self.is_news(&line) {
                    return;
                }
                line
            }
            Event::TakenIn { .. }
            | Event::Started { .. }
            | Event::Gate { .. }
            | Event::DrainBegan { .. }
            | Event::Unasked { .. } => return,
        };
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        // Whoever read the log is gone, and so is whoever asked for it.
        if writeln!(std::io::stdout(), "{}.{:06} {line}", since.as_secs(), since.subsec_micros()).is_err() {
            std::process::exit(1);
        }
    }
}

/// The command line, parsed.
struct Arguments {
    client: ClientConfig,
    topic: String,
    rows: PathBuf,
}

/// `None`: somebody asked how to call this.
fn parse() -> Result<Option<Arguments>, lexopt::Error> {
    let mut arguments =
        Arguments { client: ClientConfig::new(), topic: "flights".into(), rows: "rows.db".into() };
    // Some patience for a record's work, and none for a process that is gone.
    arguments.client.set("heartbeat.interval.ms", "100").set("auto.offset.reset", "earliest");
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("servers") => arguments.set("bootstrap.servers", text("--servers", &mut parser)?),
            Long("group") => arguments.set("group.id", text("--group", &mut parser)?),
            Long("name") => arguments.set("client.id", text("--name", &mut parser)?),
            Long("session-ms") => arguments.set("session.timeout.ms", millis("--session-ms", &mut parser)?),
            Long("interval-ms") => {
                arguments.set("max.poll.interval.ms", millis("--interval-ms", &mut parser)?)
            }
            Long("topic") => arguments.topic = text("--topic", &mut parser)?,
            Long("rows") => arguments.rows = text("--rows", &mut parser)?.into(),
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    for (property, flag) in [("bootstrap.servers", "--servers"), ("group.id", "--group")] {
        if arguments.client.get(property).is_none() {
            return Err(format!("{flag} is missing\n\n{USAGE}").into());
        }
    }
    Ok(Some(arguments))
}

/// The text after a flag.
fn text(flag: &str, parser: &mut lexopt::Parser) -> Result<String, lexopt::Error> {
    let text = parser.value()?.string()?;
    if text.is_empty() { Err(format!("{flag} is empty").into()) } else { Ok(text) }
}

/// The milliseconds after a flag, as the client takes them.
fn millis(flag: &str, parser: &mut lexopt::Parser) -> Result<String, lexopt::Error> {
    const MOST: u32 = 3_600_000;
    let text = text(flag, parser)?;
    match text.parse::<u32>() {
        Ok(1..=MOST) => Ok(text),
        _ => Err(format!("{flag} is a whole number of milliseconds from 1 to {MOST}, and not {text}").into()),
    }
}

impl Arguments {
    fn set(&mut self, property: &str, text: String) {
        self.client.set(property, text);
    }
}

fn serve(arguments: &Arguments) -> Result<(), Trouble> {
    let asked_to_end = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 1, asked_to_end.clone())?;
        signal_hook::flag::register(signal, asked_to_end.clone())?;
    }
    let service = Service {
        name: arguments.client.get("client.id").unwrap_or("service").to_owned(),
        begun: Instant::now(),
        troubles: Mutex::default(),
        rows: Mutex::new(Store::open(&arguments.rows, Guard::Newer)?),
    };
    let mut consumer = Consumer::start(&arguments.client, SETTINGS, service)?;
    consumer.subscribe(&[&arguments.topic])?;
    while !asked_to_end.load(Ordering::Relaxed) {
        consumer.step(Duration::from_millis(20))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let result = match parse() {
        Ok(None) => {
            println!("{USAGE}");
            Ok(())
        }
        Ok(Some(arguments)) => serve(&arguments),
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
