//! What is forgotten would never have been a cause: random runs against a ledger that forgets nothing.

use std::path::Path;

use super::*;
use crate::{
    ledger::Keep,
    scenario::{Scenario, Source, play},
};

#[path = "../../../tests/oracle/mod.rs"]
mod oracle;

/// The first event of a scenario's run that would have other causes if nothing were forgotten; and how many
/// records were remembered at the end, with and without forgetting.
fn disagreement(text: &str) -> (Option<String>, [usize; 2]) {
    let source = Source { name: "random.toml".to_owned(), text: text.to_owned(), marked: false };
    let scenario = Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let run = play(&scenario, Keep::Events, |_| true).expect("a small run");
    let mut everything = Causes::default();
    let mut first = None;
    for event in run.ledger().events() {
        let causes = everything.of(event.id, event.tick, &event.fact, event.remark.as_ref());
        if causes != event.causes && first.is_none() {
            first = Some(format!("{event:?}\nhas these causes if nothing is forgotten: {causes:?}"));
        }
    }
    (first, [run.ledger().state.causes.records.len(), everything.records.len()])
}

fn compare(seeds: std::ops::Range<u64>) {
    let mut remembered = [0, 0];
    for seed in seeds {
        let text = oracle::generate::scenario(seed);
        let (difference, records) = disagreement(&text);
        if let Some(difference) = difference {
            panic!("seed {seed}:\n{difference}\n\n{text}");
        }
        remembered = [remembered[0] + records[0], remembered[1] + records[1]];
    }
    assert!(remembered[0] * 2 < remembered[1], "too little is forgotten to show anything: {remembered:?}");
}

#[test]
fn forgetting_changes_no_cause() {
    compare(0..3_000);
}

/// `cargo test --release --lib -- --ignored forgetting` before a release.
#[test]
#[ignore = "minutes: 200,000 scenarios"]
fn forgetting_changes_no_cause_in_many_runs() {
    compare(0..200_000);
}

/// A key parked long ago: its records go to the dead letters behind one that everything else has forgotten.
#[test]
fn a_parked_key_is_remembered() {
    let (difference, [kept, all]) = disagreement(
        "[log]\nrecords = [\"0:a*1!\", \"1:b*1\", \"2:b*1\", \"3:b*1\", \"4:b*1\", \"5:a*1\", \"6:b*1\", \"7:a*1\"]\n\
         [consumer]\npoll = 1\nintake = \"block\"\nquarantine = { after = 1, then = \"park\" }\n",
    );
    assert_eq!(difference, None);
    assert!(kept < all);
}

/// Commits go on past two records that never end; the loss names the first that passed the one still open.
#[test]
fn the_first_commit_past_an_open_record_is_remembered() {
    let records = (1..30).filter(|&offset| offset != 6).map(|offset| format!("\"{offset}:k{offset}*1\""));
    let records = records.collect::<Vec<_>>().join(", ");
    for end in ["", "[[at]]\ntick = 35\ndo = { complete = 0 }\n"] {
        let text = format!(
            "ticks = 45\n[log]\nrecords = [\"0:a*tap\", {records}, \"30:x*1\"]\n\
             [consumer]\nworkers = 3\npoll = 1\ncommit = {{ offset = \"highest\" }}\n\
             {end}[[at]]\ntick = 40\ndo = {{ crash = \"A\" }}\n"
        )
        .replace("\"5:k5*1\",", "\"5:k5*1\", \"6:b*never\",");
        assert_eq!(disagreement(&text).0, None, "{text}");
    }
}
