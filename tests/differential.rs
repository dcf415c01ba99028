//! The engine against its slow twin: random scenarios, every name of `[expect]` compared.
#![cfg(not(target_arch = "wasm32"))]

mod oracle;

use std::path::Path;

use keyed_worker_pool::{
    ledger::Keep,
    scenario::{Scenario, Source, findings, play},
};

/// What the engine makes of a scenario, as the table that the twin makes of it.
fn engine(text: &str, folder: &Path) -> (toml::Table, u64) {
    let source = Source { name: "random.toml".to_owned(), text: text.to_owned(), marked: false };
    let scenario = Scenario::parse(&source, folder).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let run = play(&scenario, Keep::Outcome, |_| true).expect("a small run");
    let lines = findings(&run.outcome())
        .into_iter()
        .filter_map(|(name, finding)| Some(format!("{name} = {}\n", finding?)));
    let table = lines.collect::<String>().parse().expect("findings are spelt as TOML");
    (table, run.now().0 - 1)
}

/// Where the two disagree, if they do.
fn disagreement(text: &str, folder: &Path) -> Option<String> {
    let twin = oracle::run(text, folder).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (table, last_tick) = engine(text, folder);
    let mut lines = Vec::new();
    let expected = twin.table();
    let names = expected.keys().chain(table.keys().filter(|name| !expected.contains_key(*name)));
    for name in names {
        let (engine, twin) = (table.get(name), expected.get(name));
        if engine != twin {
            let shown = |value: Option<&toml::Value>| value.map_or("nothing".to_owned(), ToString::to_string);
            lines.push(format!("{name}: the engine says {}, the twin {}", shown(engine), shown(twin)));
        }
    }
    if twin.last_tick != last_tick {
        lines.push(format!("the engine ends after tick {last_tick}, the twin after {}", twin.last_tick));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Compares the scenarios of these seeds, and shows the smallest that disagree.
fn compare(seeds: std::ops::Range<u64>, scenario_of_size: fn(u64, u64) -> String) {
    let largest = oracle::generate::LARGEST;
    for seed in seeds {
        let text = scenario_of_size(seed, 1 + seed % largest);
        if disagreement(&text, Path::new("")).is_none() {
            continue;
        }
        for size in 1..=largest {
            let text = scenario_of_size(seed, size);
            if let Some(lines) = disagreement(&text, Path::new("")) {
                panic!("seed {seed} at size {size}:\n{lines}\n\n{text}");
            }
        }
        let lines = disagreement(&text, Path::new("")).unwrap_or_default();
        panic!("seed {seed}:\n{lines}\n\n{text}");
    }
}

#[test]
fn random_scenarios_agree() {
    compare(0..3_000, oracle::generate::scenario_of_size);
}

#[test]
fn random_scenarios_of_clients_with_ways_agree() {
    compare(0..3_000, oracle::generate::scenario_with_ways_of_size);
}

/// `cargo test --release --test differential -- --ignored` before a release.
#[test]
#[ignore = "minutes: 400,000 scenarios"]
fn many_random_scenarios_agree() {
    let from = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    compare(from..from + 200_000, oracle::generate::scenario_of_size);
    compare(from..from + 200_000, oracle::generate::scenario_with_ways_of_size);
}

#[test]
fn random_traces_agree() {
    let folder = std::env::temp_dir().join(format!("kwp-traces-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the traces");
    for seed in 0..500 {
        let (text, csv) = oracle::generate::scenario_with_csv(seed);
        std::fs::write(folder.join("log.csv"), &csv).expect("a trace");
        if let Some(lines) = disagreement(&text, &folder) {
            panic!("seed {seed}:\n{lines}\n\n{text}\n\n{csv}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder for the traces");
}
