//! The same few hundred random runs on x86-64 and on wasm32, to the last event: one number for all of them.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

mod oracle;

use std::path::Path;

use keyed_worker_pool::{
    ledger::Keep,
    player::Course,
    run::Run,
    scenario::{Scenario, Source, findings},
};

/// FNV-1a, from where another text left it.
fn hash(so_far: u64, text: &str) -> u64 {
    text.bytes().fold(so_far, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Every sentence of a random run, every cause, and its outcome.
fn told(seed: u64) -> String {
    let text = oracle::generate::scenario(seed);
    let source = Source { name: "random.toml".to_owned(), text, marked: false };
    let scenario = Scenario::parse(&source, Path::new("")).expect("the generator makes scenarios");
    let course = Course::new(scenario.setup.clone(), scenario.inputs.clone(), scenario.last);
    let mut run = Run::new(&scenario.setup, Keep::Events);
    while run.now().0 < 200 && !course.is_over(&run) && course.step(&mut run) {}
    let log = run.world().log();
    let mut told = String::new();
    for event in run.ledger().events() {
        told += &format!("{} {} {:?}\n", event.id, event.sentence(log), event.causes);
    }
    for (name, finding) in findings(&run.outcome()) {
        told += &format!("{name} = {}\n", finding.map(|finding| finding.to_string()).unwrap_or_default());
    }
    told
}

#[test]
fn four_hundred_random_runs_are_the_same_everywhere() {
    let number = (0..400).fold(0xcbf2_9ce4_8422_2325, |so_far, seed| hash(so_far, &told(seed)));
    assert_eq!(number, 13_413_362_324_130_931_901);
}
