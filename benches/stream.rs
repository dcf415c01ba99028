//! What a record costs, from the poll to its last entry in the ledger: by length of the log, routing and skew of the
//! keys; and what the watermark costs beside a set of everything in flight.
//!
//! The number of keys and the bound on what is in flight are fixed, the ledger keeps only counters: if anything were
//! quadratic, or grew with the log, the longest log would show it. The slow twin of the tests runs the same
//! scenario for scale. Times are of this machine in this run; read the ratios, which the tables at the end
//! print. Other simulators and wasm: `cargo xtask peers`.

#![allow(missing_docs)] // Criterion's macros make public items.

use std::{
    collections::BTreeSet,
    hint::black_box,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::Criterion;
use keyed_worker_pool::{
    ids::{ConsumerId, Offset},
    ledger::Keep,
    mechanism::Watermark,
    run::Run,
    world::{
        Generated, Knobs, Log, Setup,
        config::{Intake, Routing},
    },
};

#[path = "../tests/oracle/mod.rs"]
#[allow(unused_imports)] // its own unit tests are not compiled here
mod oracle;

const KEYS: u32 = 1_000;
const WORKERS: u32 = 16;
const HIGH: u64 = 256;
const LOW: u64 = 64;

fn setup(records: u64, routing: Routing, skew: u32) -> Setup {
    let recipe = Generated::new(1, records, KEYS, skew, (1, 6)).expect("a recipe");
    let log = Log::generated(Offset(0), recipe).expect("a log");
    let knobs = Knobs {
        workers: WORKERS,
        routing,
        intake: Intake::Pause { high: HIGH, low: LOW },
        ..Knobs::default()
    };
    Setup::new(Arc::new(log), knobs, &[ConsumerId::A]).expect("a setup")
}

/// Runs a log to its end.
fn stream(setup: &Setup) {
    let mut run = Run::new(setup, Keep::Counters);
    while !run.world().is_settled() {
        run.step(&[]);
    }
    assert_eq!(run.ledger().counters().completed, setup.log().len());
}

/// The same for the twin, which reads it as a scenario file.
fn twin(records: u64) {
    let text = format!(
        "ticks = 1000000\n[log]\ngenerate = {{ count = {records}, keys = {KEYS}, skew = 0, work = [1, 6] }}\n\
         [consumer]\nworkers = {WORKERS}\nintake = {{ pause = {{ high = {HIGH}, low = {LOW} }} }}\n"
    );
    let outcome = oracle::run(&text, Path::new("")).expect("the twin runs");
    assert_eq!(outcome.completions.len() as u64, records);
}

/// Measures `work` by criterion and returns the best nanoseconds per record that it saw.
fn measure(criterion: &mut Criterion, name: &str, records: u64, work: impl Fn()) -> f64 {
    let mut best = Duration::MAX;
    criterion.bench_function(name, |bencher| {
        bencher.iter_custom(|times| {
            let mut total = Duration::ZERO;
            for _ in 0..times {
                let start = Instant::now();
                work();
                let elapsed = start.elapsed();
                best = best.min(elapsed);
                total += elapsed;
            }
            total
        });
    });
    best.as_secs_f64() * 1e9 / records as f64
}

/// Something that is told what was polled and what finished, and knows the lowest offset in flight.
trait Tracker {
    fn polled(&mut self, offset: Offset);
    fn finish(&mut self, offset: Offset);
    fn low(&self) -> Option<Offset>;
}

impl Tracker for Watermark<()> {
    fn polled(&mut self, offset: Offset) {
        Watermark::polled(self, offset, ());
    }

    fn finish(&mut self, offset: Offset) {
        Watermark::finish(self, offset);
    }

    fn low(&self) -> Option<Offset> {
        Some(Watermark::low(self))
    }
}

/// The obvious one: a sorted set of what is in flight, which cannot say what is finished above its lowest.
impl Tracker for BTreeSet<Offset> {
    fn polled(&mut self, offset: Offset) {
        self.insert(offset);
    }

    fn finish(&mut self, offset: Offset) {
        self.remove(&offset);
    }

    fn low(&self) -> Option<Offset> {
        self.first().copied()
    }
}

/// Polls `records` and finishes each when `window` more were polled, in an order of its own within the window; asks
/// for the lowest in flight after every completion, as every tick does.
fn track(mut tracker: impl Tracker, window: i64, records: i64) {
    // Odd, so every place of a window of a power of two is visited once.
    let stride = (window * 5 / 8) | 1;
    for start in (0..records).step_by(window as usize) {
        (start..start + window).for_each(|offset| tracker.polled(Offset(offset)));
        for turn in 0..window {
            tracker.finish(Offset(start + turn * stride % window));
            black_box(tracker.low());
        }
    }
}

/// A watermark pinned at 0 with `records` finished above it.
fn pinned(mut tracker: impl Tracker, records: i64) {
    tracker.polled(Offset(0));
    for offset in 1..records {
        tracker.polled(Offset(offset));
        tracker.finish(Offset(offset));
        black_box(tracker.low());
    }
}

/// The engine: length of the log, routing, skew.
fn engine(criterion: &mut Criterion) {
    let lengths =
        [("10^3", 1_000), ("10^4", 10_000), ("10^5", 100_000), ("10^6", 1_000_000), ("10^7", 10_000_000)];
    let routings = [
        ("keyed", Routing::Keyed),
        ("shared", Routing::Shared),
        ("serial", Routing::Serial),
        ("64 lanes", Routing::Lanes(64)),
    ];
    let mut cases: Vec<_> = lengths
        .map(|(length, records)| (format!("{length} records, keyed"), records, Routing::Keyed, 0))
        .into();
    for (name, routing) in routings {
        for skew in [0, 1, 2] {
            cases.push((format!("10^5 records, {name}, skew {skew}"), 100_000, routing, skew));
        }
    }
    let mut rows = Vec::new();
    for (name, records, routing, skew) in cases {
        let setup = setup(records, routing, skew);
        rows.push((name.clone(), measure(criterion, &name, records, || stream(&setup))));
    }
    let name = "10^3 records, the slow twin";
    rows.push((name.to_owned(), measure(criterion, name, 1_000, || twin(1_000))));

    let first = rows[0].1;
    println!("\n| | ns a record | records/s | against the first |\n|---|--:|--:|--:|");
    for (name, ns) in &rows {
        println!("| {name} | {ns:.0} | {:.0} | {:.2} |", 1e9 / ns, ns / first);
    }
}

/// The watermark's tracker beside a sorted set.
fn trackers(criterion: &mut Criterion) {
    const RECORDS: i64 = 1 << 20;
    let mut compare = |name: &str, ours: &dyn Fn(), set: &dyn Fn()| {
        let ours = measure(criterion, &format!("watermark, {name}"), RECORDS as u64, ours);
        let set = measure(criterion, &format!("BTreeSet, {name}"), RECORDS as u64, set);
        format!("| {name} | {ours:.0} | {set:.0} | {:.2} |", set / ours)
    };
    let low = || Watermark::starting_at(Offset(0));
    let mut rows: Vec<_> = [64, 4_096, 1 << 17]
        .map(|window| {
            let name = format!("{window} in flight");
            let ours = || track(low(), window, RECORDS);
            compare(&name, &ours, &|| track(BTreeSet::new(), window, RECORDS))
        })
        .into();
    rows.push(compare("all finished above one that is not", &|| pinned(low(), RECORDS), &|| {
        pinned(BTreeSet::new(), RECORDS)
    }));
    println!("\n| | watermark, ns a record | BTreeSet | BTreeSet / watermark |\n|---|--:|--:|--:|");
    rows.iter().for_each(|row| println!("{row}"));
}

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    engine(&mut criterion);
    trackers(&mut criterion);
    criterion.final_summary();
}
