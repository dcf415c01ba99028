//! One pool, three simulators: this project's engine, natively and in wasm; NeXosim (discrete events in Rust); SimPy
//! (in Python).
//!
//! All run the same records through the same rules (keyed mailboxes, a pause gate, a fixed number of workers) and must
//! agree on when each record finished; only then are their times compared. Each is the best of a few runs in this one
//! process tree, so the ratios mean something on a noisy machine and the times do not.
//!
//!     peers MODULE.wasm PYTHON      from this folder, with a Python that has SimPy

mod nexo;

use std::{
    env,
    fmt::Write as _,
    fs,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use peers::{HIGH, KEYS, LOW, Outcome, POLL, RECORDS, Record, WORKERS, log, run, setup};

const RUNS: u32 = 5;

/// The best time of several runs, and what came of each.
fn best(run: impl Fn() -> Outcome) -> (Duration, Outcome) {
    let once = || {
        let started = Instant::now();
        let outcome = run();
        (started.elapsed(), outcome)
    };
    (0..RUNS).map(|_| once()).min_by_key(|(time, _)| *time).unwrap_or_default()
}

/// The words that a program prints.
fn words(program: &str, arguments: &[String]) -> Result<Vec<String>, String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("starting {program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{program} {arguments:?}\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// A number among a program's words.
fn number<T: std::str::FromStr>(words: &[String], place: usize) -> Result<T, String> {
    let number = words.get(place).and_then(|word| word.parse().ok());
    number.ok_or_else(|| format!("number {place} is missing in {words:?}"))
}

/// The engine in Node's WebAssembly. It tells the digest, which stands for the outcome.
fn wasm(module: &str, native: Outcome) -> Result<(Duration, Outcome), String> {
    let words = words("node", &["pool.mjs".into(), module.into(), RUNS.to_string()])?;
    let outcome = Outcome { digest: number(&words, 1)?, ..native };
    Ok((Duration::from_secs_f64(number(&words, 0)?), outcome))
}

/// SimPy, which gets the log as a file.
fn simpy(python: &str, log: &[Record]) -> Result<(Duration, Outcome), String> {
    let mut csv = String::from("key,work\n");
    for (key, work) in log {
        let _ = writeln!(csv, "{key},{work}");
    }
    let path = env::temp_dir().join(format!("peers-{}.csv", std::process::id()));
    fs::write(&path, csv).map_err(|error| format!("writing {}: {error}", path.display()))?;
    let mut arguments = vec!["pool.py".to_owned(), path.display().to_string()];
    arguments.extend([WORKERS, POLL, HIGH, LOW, RUNS as usize].map(|number| number.to_string()));
    let words = words(python, &arguments);
    let _ = fs::remove_file(&path);
    let words = words?;
    let outcome =
        Outcome { finished: number(&words, 1)?, last_tick: number(&words, 2)?, digest: number(&words, 3)? };
    Ok((Duration::from_secs_f64(number(&words, 0)?), outcome))
}

/// Runs everything and prints the table.
fn compare(module: &str, python: &str) -> Result<(), String> {
    let setup = setup();
    let log = log(&setup);
    let ours = best(|| run(&setup));
    let rows = [
        ("this engine, with its ledger", ours),
        ("the same in wasm, compiled as the page is", wasm(module, ours.1)?),
        ("NeXosim 1.0.0", best(|| nexo::run(&log))),
        ("SimPy 4.1.1", simpy(python, &log)?),
    ];
    println!(
        "{RECORDS} records, {KEYS} keys, {WORKERS} workers, at most {POLL} a poll, marks {HIGH} and {LOW}\n\n\
         | simulator | records/s | takes, times the engine |\n|---|--:|--:|"
    );
    for (name, (time, outcome)) in rows {
        if outcome != ours.1 {
            return Err(format!("{name} simulates something else: {outcome:?}, not {:?}", ours.1));
        }
        let per_second = RECORDS as f64 / time.as_secs_f64();
        println!("| {name} | {per_second:.0} | {:.2} |", time.as_secs_f64() / ours.0.as_secs_f64());
    }
    println!("\nAll finished every record at the same tick; the last one at {}.", ours.1.last_tick);
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let result = match &arguments[..] {
        [module, python] => compare(module, python),
        _ => Err("peers MODULE.wasm PYTHON".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
