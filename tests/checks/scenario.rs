//! A scenario file from anybody: a complaint, or a run that can be written, read again, played and blessed.

use keyed_worker_pool::{
    export::scenario::{Story, write},
    ledger::Keep,
    player::{Inputs, Player},
    scenario::{Scenario, Source, blessed},
};

/// Bytes of a complaint about a file: all invariants, and a quoted line.
const LONGEST_COMPLAINT: usize = 2_500;

/// Checks a scenario file; whether it is one.
pub fn check(bytes: &[u8]) -> bool {
    let read = |bytes: &[u8]| {
        let source = Source::from_reader("any.toml", bytes)?;
        Scenario::parse_alone(&source).map(|scenario| (source, scenario))
    };
    let (source, scenario) = match read(bytes) {
        Ok(read) => read,
        Err(error) => {
            super::is_complaint(&error.to_string(), LONGEST_COMPLAINT);
            return false;
        }
    };
    for warning in &scenario.warnings {
        super::is_complaint(warning, LONGEST_COMPLAINT);
    }
    is_written(&scenario);
    let Scenario { setup, inputs, last, .. } = scenario.clone();
    let player = super::played(Player::new(setup, inputs, last, Keep::Events));
    is_blessed(&source, &scenario, &player);
    true
}

/// It can be written, and what is written is the same scenario.
fn is_written(scenario: &Scenario) {
    let story = Story {
        title: scenario.title.as_deref(),
        source: scenario.source.as_deref(),
        comment: &["Written again."],
        panel: None,
        setup: &scenario.setup,
        inputs: &scenario.inputs,
        last: scenario.last,
    };
    let text = write(&story).unwrap_or_else(|error| panic!("{error}"));
    let source = Source { name: "again.toml".to_owned(), text, marked: false };
    let again = Scenario::parse_alone(&source).unwrap_or_else(|error| panic!("{error}\n{}", source.text));
    assert_eq!(again.setup, scenario.setup, "{}", source.text);
    assert_eq!(again.inputs, acting(scenario), "{}", source.text);
    assert_eq!((again.title, again.source), (scenario.title.clone(), scenario.source.clone()));
    assert_eq!(again.last, scenario.last);
}

/// The inputs that act before the run ends.
fn acting(scenario: &Scenario) -> Inputs {
    scenario.inputs.range(..=scenario.last).map(|(&tick, inputs)| (tick, inputs.clone())).collect()
}

/// Differences can be shown, and a file that is blessed expects what came out.
fn is_blessed(source: &Source, scenario: &Scenario, player: &Player) {
    let outcome = player.run().outcome();
    for difference in scenario.expect.differences(&outcome) {
        difference.to_string().lines().for_each(super::shows);
    }
    let text = blessed(source, scenario, &outcome).unwrap_or_else(|error| panic!("{error}"));
    let source = Source { name: "blessed.toml".to_owned(), text, marked: source.marked };
    let again = Scenario::parse_alone(&source).unwrap_or_else(|error| panic!("{error}\n{}", source.text));
    let differences = again.expect.differences(&outcome);
    assert!(differences.is_empty(), "{differences:?}\n{}", source.text);
    assert_eq!(again.setup, scenario.setup, "{}", source.text);
}
