//! One pool, three simulators: this project's engine, NeXosim (discrete events in Rust), SimPy (in Python).
//!
//! All three run the same records through the same rules (keyed mailboxes, a pause gate, a fixed number of workers)
//! and must agree on when each record finished; only then are their times compared. Each is the best of a few runs
//! in this one process tree, so the ratios mean something on a noisy machine and the times do not.
//!
//!     peers PYTHON SCRIPT      PYTHON has SimPy; SCRIPT is pool.py

mod engine;
mod nexo;

use std::{
    env,
    fmt::Write as _,
    fs,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

/// A record of the log: its key's number, and how many ticks its work takes.
type Record = (u32, u64);

/// The pool all three simulate.
const RECORDS: u64 = 100_000;
const KEYS: u32 = 1_000;
const WORKERS: usize = 16;
const POLL: usize = 500;
const HIGH: usize = 256;
const LOW: usize = 64;
const RUNS: u32 = 5;

/// What a simulator says of the whole run; all must say the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Outcome {
    finished: u64,
    last_tick: u64,
    /// The sum of (offset + 1) x tick over all finished records, wrapping: when each one finished.
    digest: u64,
}

impl Outcome {
    fn finish(&mut self, offset: u64, tick: u64) {
        self.finished += 1;
        self.last_tick = self.last_tick.max(tick);
        self.digest = self.digest.wrapping_add((offset + 1).wrapping_mul(tick));
    }
}

/// The best time of several runs, and what came of each.
fn best(run: impl Fn() -> Outcome) -> (Duration, Outcome) {
    let once = || {
        let started = Instant::now();
        let outcome = run();
        (started.elapsed(), outcome)
    };
    (0..RUNS).map(|_| once()).min_by_key(|(time, _)| *time).unwrap_or_default()
}

/// SimPy's best time and outcome, from what the script prints: `seconds finished last_tick digest`.
fn simpy(python: &str, script: &str, log: &[Record]) -> Result<(Duration, Outcome), String> {
    let mut csv = String::from("key,work\n");
    for (key, work) in log {
        let _ = writeln!(csv, "{key},{work}");
    }
    let path = env::temp_dir().join(format!("peers-{}.csv", std::process::id()));
    fs::write(&path, csv).map_err(|error| format!("writing {}: {error}", path.display()))?;
    let output = Command::new(python)
        .arg(script)
        .arg(&path)
        .args([WORKERS, POLL, HIGH, LOW, RUNS as usize].map(|number| number.to_string()))
        .output();
    let _ = fs::remove_file(&path);
    let output = output.map_err(|error| format!("starting {python}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words: Vec<_> = text.split_whitespace().collect();
    let parsed = match words[..] {
        [seconds, finished, last_tick, digest] => (|| {
            let outcome = Outcome {
                finished: finished.parse().ok()?,
                last_tick: last_tick.parse().ok()?,
                digest: digest.parse().ok()?,
            };
            Some((Duration::from_secs_f64(seconds.parse().ok()?), outcome))
        })(),
        _ => None,
    };
    parsed.ok_or_else(|| format!("{script} printed {text:?}\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [python, script] = &arguments[..] else {
        eprintln!("peers PYTHON SCRIPT");
        return ExitCode::from(2);
    };
    let setup = engine::setup();
    let log = engine::log(&setup);
    let ours = best(|| engine::run(&setup));
    let nexosim = best(|| nexo::run(&log));
    let simpy = match simpy(python, script, &log) {
        Ok(simpy) => simpy,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!(
        "{RECORDS} records, {KEYS} keys, {WORKERS} workers, at most {POLL} a poll, marks {HIGH} and {LOW}\n\n\
         | simulator | records/s | this engine is |\n|---|--:|--:|"
    );
    for (name, (time, outcome)) in
        [("this engine, with its ledger", ours), ("NeXosim 1.0.0", nexosim), ("SimPy 4.1.1", simpy)]
    {
        if outcome != ours.1 {
            eprintln!("{name} simulates something else: {outcome:?}, not {:?}", ours.1);
            return ExitCode::FAILURE;
        }
        let per_second = RECORDS as f64 / time.as_secs_f64();
        let ratio = time.as_secs_f64() / ours.0.as_secs_f64();
        println!("| {name} | {per_second:.0} | {ratio:.1}x as fast |");
    }
    println!("\nAll three finished every record at the same tick; the last one at {}.", ours.1.last_tick);
    ExitCode::SUCCESS
}
