//! Real traffic through the real service while its processes are killed, stopped and replaced.
//!
//! Traffic is a day of departures from New York, keyed by aircraft: four partitions, three processes of
//! `src/bin/service.rs`, one mock broker, twenty faults drawn from a seed. A seed fixes the faults and how much is
//! done before each; what happens between them is up to the machine, so that every run is another one. What must
//! hold holds in all of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use keyed_worker_pool::{mechanism::Guard, world::murmur2};
use rand::Rng as _;
use rand_pcg::Pcg32;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    consumer::Partition,
    harness::{
        Trouble,
        cluster::{Cluster, Kind},
        until,
    },
    store::{Store, Write},
};

/// Faults of a run.
pub const FAULTS: u64 = 20;

const TOPIC: &str = "flights";
const PARTITIONS: i32 = 4;
const PROCESSES: u64 = 3;

/// Milliseconds of work for so many minutes in the air: 1.
const MINUTES_A_MILLISECOND: u64 = 4;

/// How long a stall lasts at most: the session is long over, and the partitions are others'. One that hits a process in
/// the midst of a write keeps the rows locked, as a client that stalls keeps a database's, and nobody gets on meanwhile.
const STALL: Duration = Duration::from_secs(8);

/// What happens to one of the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL, and another one is started.
    Kill(usize),
    /// SIGSTOP, until the next fault, or for as long as `STALL` says.
    Stall(usize),
    /// SIGTERM: it drains, commits, leaves; another one is started.
    Replace(usize),
}

/// The faults of a seed, each with how many records are to be done before.
#[must_use]
pub fn plan(seed: u64, records: u64) -> Vec<(u64, Fault)> {
    let mut dice = Pcg32::new(seed, 1);
    let mut below = |bound: u64| (u64::from(dice.next_u32()) * bound) >> 32;
    let part = records / (FAULTS + 1);
    (0..FAULTS)
        .map(|number| {
            let which = below(PROCESSES) as usize;
            let fault = [Fault::Kill(which), Fault::Stall(which), Fault::Replace(which)];
            (number * part + below(part), fault[below(3) as usize])
        })
        .collect()
}

/// A line of a process's log: when what happened, and its fields.
#[derive(Clone, Debug)]
struct Line {
    process: usize,
    /// By the clock that all processes share.
    time: f64,
    what: String,
    fields: BTreeMap<String, String>,
}

impl Line {
    fn parse(process: usize, text: &str) -> Line {
        let mut words = text.split(' ');
        let time = words.next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
        let what = words.next().unwrap_or_default().to_owned();
        let fields =
            words.filter_map(|word| word.split_once('=')).map(|(name, value)| (name.into(), value.into()));
        Line { process, time, what, fields: fields.collect() }
    }

    fn number(&self, field: &str) -> i64 {
        self.fields.get(field).and_then(|value| value.parse().ok()).unwrap_or(-1)
    }
}

/// A run under way.
struct Field {
    cluster: Cluster,
    rows: PathBuf,
    store: Store,
    log: Arc<Mutex<Vec<Line>>>,
    processes: Vec<Process>,
    /// Processes started in all.
    started: usize,
    /// What was committed when it was last looked at.
    committed: BTreeMap<i32, i64>,
}

struct Process {
    child: Child,
    /// Since when it is stopped.
    stopped: Option<Instant>,
}

/// What a run has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Rows and their values.
    pub rows: Vec<(Vec<u8>, Vec<u8>)>,
    /// Records that were worked on more than once.
    pub duplicates: usize,
    /// Writes that the guard refused.
    pub refused: usize,
    /// Ownerships in all.
    pub ownerships: usize,
}

/// Plays the day with the faults of a seed, or with none, and judges it.
///
/// # Errors
/// If something does not hold, naming the seed.
pub fn play(seed: Option<u64>) -> Result<Outcome, Trouble> {
    let flights = flights()?;
    let faults = seed.map_or(Vec::new(), |seed| plan(seed, flights.len() as u64));
    let played = (|| {
        let mut field = Field::set()?;
        if let Err(error) = field.run(&flights, &faults) {
            return Err(format!("{error}; {}", field.last_words()).into());
        }
        field.judge(&flights)
    })();
    played.map_err(|error| match seed {
        Some(seed) => format!("seed {seed}: {error}").into(),
        None => error,
    })
}

/// A record to be: its partition, its key, its work.
type Flight = (i32, Vec<u8>, String);

/// The departures, in their order.
fn flights() -> Result<Vec<Flight>, Trouble> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/traces/flights-day.csv");
    let mut flights = Vec::new();
    for row in csv::Reader::from_path(file)?.into_records() {
        let row = row?;
        let (key, work) = (row.get(1).ok_or("no key")?, row.get(2).ok_or("no work")?);
        let partition = (murmur2(key.as_bytes()) & 0x7fff_ffff) % PARTITIONS as u32;
        let work = work.parse::<u64>()? / MINUTES_A_MILLISECOND;
        flights.push((partition as i32, key.as_bytes().to_vec(), work.to_string()));
    }
    Ok(flights)
}

impl Field {
    fn set() -> Result<Field, Trouble> {
        let cluster = Cluster::start(Kind::Mock, "chaos")?.ok_or("no mock cluster")?;
        cluster.create_topic(TOPIC, PARTITIONS)?;
        let rows = env::temp_dir().join(format!("kwp-chaos-{}-{:p}", std::process::id(), &cluster));
        std::fs::create_dir_all(&rows)?;
        let store = Store::open(&rows.join("rows.db"), Guard::Newer)?;
        let (log, processes, started, committed) = Default::default();
        let mut field = Field { cluster, rows, store, log, processes, started, committed };
        for _ in 0..PROCESSES {
            let process = field.start()?;
            field.processes.push(process);
        }
        // Whoever joined late would take something from one that has begun already, faults or not.
        until("the group to be complete", || Ok(field.is_complete().then_some(())))?;
        Ok(field)
    }

    /// Whether every process owns something, and together they own everything.
    fn is_complete(&self) -> bool {
        let mut owned = BTreeSet::new();
        for line in self.log.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let ownership = (line.process, line.number("partition"));
            match line.what.as_str() {
                "assigned" => owned.insert(ownership),
                "ownership-ended" => owned.remove(&ownership),
                _ => false,
            };
        }
        let owners: BTreeSet<_> = owned.iter().map(|(process, _)| process).collect();
        owners.len() as u64 == PROCESSES && owned.len() == PARTITIONS as usize
    }

    fn run(&mut self, flights: &[Flight], faults: &[(u64, Fault)]) -> Result<(), Trouble> {
        let part = flights.len() / (faults.len() + 1) + 1;
        let mut parts = flights.chunks(part);
        for &(done, fault) in faults {
            self.produce(parts.next().unwrap_or_default())?;
            until(&format!("{done} records to be done"), || {
                self.look()?;
                self.wake(STALL)?;
                Ok((self.store.distinct()? >= done).then_some(()))
            })?;
            self.wake(Duration::ZERO)?;
            self.apply(fault)?;
        }
        for part in parts {
            self.produce(part)?;
        }
        self.wake(Duration::ZERO)?;
        let mut ends = BTreeMap::new();
        flights.iter().for_each(|(partition, ..)| *ends.entry(*partition).or_insert(0) += 1);
        until(&format!("all of {ends:?} to be committed"), || {
            self.look()?;
            Ok((self.committed == ends).then_some(()))
        })?;
        while let Some(process) = self.processes.pop() {
            self.end(process)?;
        }
        Ok(())
    }

    /// Looks at what is committed; it must never have gone back.
    fn look(&mut self) -> Result<(), Trouble> {
        for partition in 0..PARTITIONS {
            let now = self.cluster.committed(&Partition::new(TOPIC, partition))?.unwrap_or(0);
            let before = self.committed.insert(partition, now).unwrap_or(0);
            if now < before {
                return Err(
                    format!("partition {partition}: committed went back from {before} to {now}").into()
                );
            }
        }
        Ok(())
    }

    fn produce(&self, flights: &[Flight]) -> Result<(), Trouble> {
        for (partition, key, work) in flights {
            let record = [(Some(key.as_slice()), work.clone().into_bytes())];
            self.cluster.append(&Partition::new(TOPIC, *partition), record.into_iter())?;
        }
        self.cluster.flush()
    }

    fn apply(&mut self, fault: Fault) -> Result<(), Trouble> {
        match fault {
            Fault::Kill(which) => {
                let mut old = self.replace(which)?;
                old.child.kill()?;
                old.child.wait()?;
            }
            Fault::Replace(which) => {
                let old = self.replace(which)?;
                self.end(old)?;
            }
            Fault::Stall(which) => {
                let process = &mut self.processes[which];
                process.stopped = Some(Instant::now());
                process.signal(Signal::STOP)?;
            }
        }
        Ok(())
    }

    /// Wakes who has been stopped so long.
    fn wake(&mut self, long: Duration) -> Result<(), Trouble> {
        for process in &mut self.processes {
            if process.stopped.is_some_and(|since| since.elapsed() >= long) {
                process.stopped = None;
                process.signal(Signal::CONT)?;
            }
        }
        Ok(())
    }

    fn end(&self, mut process: Process) -> Result<(), Trouble> {
        process.signal(Signal::TERM)?;
        let status = until("a process to end", || Ok(process.child.try_wait()?))?;
        if status.success() { Ok(()) } else { Err(format!("a process ended with {status}").into()) }
    }

    fn replace(&mut self, which: usize) -> Result<Process, Trouble> {
        let new = self.start()?;
        Ok(std::mem::replace(&mut self.processes[which], new))
    }

    fn start(&mut self) -> Result<Process, Trouble> {
        let process = self.started;
        self.started += 1;
        let mut child = Command::new(crate::harness::process::program("service")?)
            .args(["--servers", self.cluster.servers(), "--group", "chaos", "--topic", TOPIC])
            .args(["--name", &process.to_string(), "--session-ms", "1500", "--interval-ms", "2500"])
            .arg("--rows")
            .arg(self.rows.join("rows.db"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let log = self.log.clone();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                log.lock().unwrap_or_else(PoisonError::into_inner).push(Line::parse(process, &line));
            }
        });
        Ok(Process { child, stopped: None })
    }

    /// Where each process stands, and what it said last.
    fn last_words(&mut self) -> String {
        const LINES: usize = 8;
        let mut words = format!("committed: {:?}", self.committed);
        for (place, process) in self.processes.iter_mut().enumerate() {
            let state = match process.child.try_wait() {
                Ok(None) if process.stopped.is_some() => "is stopped".to_owned(),
                Ok(None) => "runs".to_owned(),
                Ok(Some(status)) => format!("ended, {status}"),
                Err(error) => error.to_string(),
            };
            words += &format!("\n  in place {place}, pid {}: {state}", process.child.id());
        }
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        for number in 0..self.started {
            let last: Vec<_> = log.iter().rev().filter(|line| line.process == number).take(LINES).collect();
            words += &format!("\n  started as number {number}:");
            for Line { time, what, fields, .. } in last.into_iter().rev() {
                words += &format!("\n    {time:.3} {what} {fields:?}");
            }
        }
        words
    }

    fn judge(&self, flights: &[Flight]) -> Result<Outcome, Trouble> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let (writes, values) = (self.store.writes()?, self.store.values()?);
        let records = records(flights);
        keeps_order(&log, &records)?;
        loses_nothing(&writes, &records)?;
        repeats_only_what_was_not_committed(&log)?;
        let wanted: BTreeMap<_, _> = flights.iter().map(|(_, key, work)| (key.as_slice(), work)).collect();
        for (key, value) in &values {
            if wanted.get(key.as_slice()).map(|work| work.as_bytes()) != Some(value) {
                return Err(
                    format!("the row of {} is not its last record's", String::from_utf8_lossy(key)).into()
                );
            }
        }
        Ok(Outcome {
            rows: values,
            duplicates: writes.len() - records.len(),
            refused: writes.iter().filter(|write| !write.accepted).count(),
            ownerships: log.iter().filter(|line| line.what == "assigned").count(),
        })
    }
}

/// The key of each record, by partition and offset.
fn records(flights: &[Flight]) -> BTreeMap<(i32, i64), &[u8]> {
    let (mut ends, mut records) = (BTreeMap::new(), BTreeMap::new());
    for (partition, key, _) in flights {
        let end = ends.entry(*partition).or_insert(0);
        records.insert((*partition, *end), key.as_slice());
        *end += 1;
    }
    records
}

/// Within an ownership each key's records complete in offset order.
fn keeps_order(log: &[Line], records: &BTreeMap<(i32, i64), &[u8]>) -> Result<(), Trouble> {
    let mut last = BTreeMap::new();
    for line in log.iter().filter(|line| line.what == "ended" && line.fields["succeeded"] == "true") {
        let (partition, epoch, offset) =
            (line.number("partition"), line.number("epoch"), line.number("offset"));
        let key = records.get(&(partition as i32, offset)).ok_or("a record that nobody has produced")?;
        if let Some(before) = last.insert((line.process, partition, epoch, *key), offset)
            && before >= offset
        {
            return Err(format!(
                "process {}, partition {partition}, epoch {epoch}: {offset} after {before}",
                line.process
            )
            .into());
        }
    }
    Ok(())
}

fn loses_nothing(writes: &[Write], records: &BTreeMap<(i32, i64), &[u8]>) -> Result<(), Trouble> {
    let done: BTreeSet<_> = writes.iter().map(|write| (write.partition, write.offset.0)).collect();
    match records.keys().find(|place| !done.contains(place)) {
        Some((partition, offset)) => Err(format!("{offset} of partition {partition} was never done").into()),
        None => Ok(()),
    }
}

/// What comes again was not committed: an ownership begins at or above all that anybody had committed when it asked
/// where, works on nothing below, and commits no lower than it has.
fn repeats_only_what_was_not_committed(log: &[Line]) -> Result<(), Trouble> {
    let mut lines: Vec<_> = log.iter().collect();
    // A commit is logged after it, and the question before it: of the two, the earlier line was the earlier deed.
    lines.sort_by(|line, other| line.time.total_cmp(&other.time));
    let (mut committed, mut asked) = (BTreeMap::new(), BTreeMap::new());
    let (mut begun, mut reached) = (BTreeMap::new(), BTreeMap::new());
    for line in lines {
        let partition = line.number("partition");
        let ownership = (line.process, partition, line.number("epoch"));
        let wrong = match line.what.as_str() {
            "given" => {
                let floor = committed.get(&partition).copied().unwrap_or(0);
                asked.insert((line.process, partition), floor);
                None
            }
            "assigned" => {
                let at = line.number("at");
                begun.insert(ownership, at);
                asked.get(&(line.process, partition)).filter(|&&floor| at < floor)
            }
            "ended" => {
                Some(begun.get(&ownership).unwrap_or(&i64::MAX)).filter(|&&at| line.number("offset") < at)
            }
            "committed" => {
                let to = line.number("to");
                let highest = committed.entry(partition).or_insert(to);
                *highest = to.max(*highest);
                let before = reached.entry(ownership).or_insert(to);
                let wrong = to < *before;
                *before = to.max(*before);
                wrong.then_some(&*before)
            }
            _ => None,
        };
        if let Some(floor) = wrong {
            return Err(format!("{line:?}, below {floor}").into());
        }
    }
    Ok(())
}

impl Process {
    fn signal(&self, signal: Signal) -> Result<(), Trouble> {
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        self.processes.clear();
        let _ = std::fs::remove_dir_all(&self.rows);
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, repeats_only_what_was_not_committed};

    /// What two processes logged, line by line, each with its number in front.
    fn holds(log: &[&str]) -> bool {
        let line = |text: &&str| {
            let (process, text) = text.split_at(1);
            Line::parse(process.parse().unwrap(), text.trim_start())
        };
        repeats_only_what_was_not_committed(&log.iter().map(line).collect::<Vec<_>>()).is_ok()
    }

    const COMMITTED: &str = "0 100.5 committed partition=1 epoch=1 to=10";

    #[test]
    fn an_ownership_begins_where_the_last_commit_before_it_said() {
        let begins = |asked, at: i64| {
            let given = format!("1 {asked} given partition=1");
            holds(&[&given, &format!("1 101.0 assigned partition=1 epoch=1 at={at}"), COMMITTED])
        };
        assert!(begins("100.6", 10));
        assert!(!begins("100.6", 9));
        // It may have asked before.
        assert!(begins("100.4", 9));
    }

    #[test]
    fn an_ownership_works_and_commits_above_its_beginning() {
        const BEGINNING: [&str; 2] = ["0 1.0 given partition=1", "0 1.1 assigned partition=1 epoch=1 at=4"];
        let goes_on = |lines: &[&str]| holds(&[&BEGINNING, lines].concat());
        assert!(goes_on(&["0 1.2 ended partition=1 epoch=1 offset=4", COMMITTED]));
        assert!(!goes_on(&["0 1.2 ended partition=1 epoch=1 offset=3"]));
        assert!(!goes_on(&["0 1.2 ended partition=1 epoch=2 offset=9"]), "of an ownership that never began");
        assert!(!goes_on(&[COMMITTED, "0 101.0 committed partition=1 epoch=1 to=9"]));
    }
}
