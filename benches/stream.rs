//! What a record costs, from the poll to its last entry in the ledger, on logs of 10^3, 10^5 and 10^7.
//!
//! Keys and the bound on what is in flight are fixed, the ledger keeps only counters: if anything were
//! quadratic, or grew with the log, the longest log would show it. The slow twin of the tests runs the same
//! scenario for scale. Times are of this machine in this run; read the ratios, which the table at the end
//! prints.

#![allow(missing_docs)] // Criterion's macros make public items.

use std::{
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

/// Records a second of the same pool written in SimPy, on the machines that this one is one of.
const SIMPY_RECORDS_PER_SECOND: f64 = 95_000.0;

fn setup(records: u64, routing: Routing) -> Setup {
    let recipe = Generated::new(1, records, KEYS, 0, (1, 6)).expect("a recipe");
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

/// A watermark pinned at 0 with `records` finished above it.
fn pinned(records: i64) {
    let mut tracker = Watermark::starting_at(Offset(0));
    tracker.polled(Offset(0), ());
    for offset in 1..records {
        tracker.polled(Offset(offset), ());
        tracker.finish(Offset(offset));
    }
    assert_eq!((tracker.low(), tracker.finished().run_count()), (Offset(0), 1));
}

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut rows = Vec::new();
    for (name, records) in [("10^3", 1_000), ("10^5", 100_000), ("10^7", 10_000_000)] {
        let setup = setup(records, Routing::Keyed);
        let ns =
            measure(&mut criterion, &format!("stream {name} records, keyed"), records, || stream(&setup));
        rows.push((format!("{name} records, keyed"), ns));
    }
    for routing in [Routing::Shared, Routing::Serial, Routing::Lanes(64)] {
        let setup = setup(100_000, routing);
        let name = format!("10^5 records, {routing:?}");
        let ns = measure(&mut criterion, &format!("stream {name}"), 100_000, || stream(&setup));
        rows.push((name, ns));
    }
    let ns = measure(&mut criterion, "pinned watermark, 10^6 above", 1_000_000, || pinned(1_000_000));
    rows.push(("10^6 above a pinned watermark".to_owned(), ns));
    let ns = measure(&mut criterion, "slow twin, 10^3 records", 1_000, || twin(1_000));
    rows.push(("10^3 records, the slow twin".to_owned(), ns));

    let first = rows[0].1;
    println!(
        "\n{:32} {:>12} {:>14} {:>16} {:>10}",
        "", "ns a record", "records/s", "against 10^3", "x SimPy"
    );
    for (name, ns) in &rows {
        let per_second = 1e9 / ns;
        let simpy = per_second / SIMPY_RECORDS_PER_SECOND;
        println!("{name:32} {ns:>12.0} {per_second:>14.0} {:>15.2}x {simpy:>9.1}x", ns / first);
    }
    criterion.final_summary();
}
