//! Exhaustive in the small: every order in which running records can finish, every place for a trouble, and
//! in every state that can be reached the table of invariants, and a way to the end.
//!
//! The numbers are pinned: a change to the engine that adds or removes a state, or a suite that covers less than
//! it did, shows here. `cargo test --test exhaustive -- --ignored --nocapture --test-threads 2` goes
//! further, for some minutes.
#![cfg(not(target_arch = "wasm32"))]

use std::{collections::BTreeSet, path::Path};

use keyed_worker_pool::{
    ledger::{INVARIANTS, Keep},
    scenario::{Scenario, Source, play},
    verify::{Configuration, Example, Report, Size, Suite, asked_by, explore, run, suites},
    world::config::Intake,
};

/// Configurations, states, ticks executed, ticks to the end at most, configurations that get stuck.
type Numbers = (u64, u64, u64, u64, u64);

fn suite(size: Size, name: &str) -> Suite {
    let mut suites = suites(size).into_iter();
    suites.find(|suite| suite.name == name).unwrap_or_else(|| panic!("there is no suite {name:?}"))
}

fn numbers(report: &Report) -> Numbers {
    let Report { configurations, states, ticks, longest_way, stuck_configurations, .. } = *report;
    (configurations, states, ticks, longest_way, stuck_configurations)
}

/// Explores a suite: it finds what it is to find, in as many states as it is to have, and its examples
/// show what they are examples of.
fn explores(size: Size, name: &str, expected: Numbers) {
    let suite = suite(size, name);
    let report = run(&suite);
    println!("{name}: {:?}\n  {}", numbers(&report), suite.bounds);
    report.check(&suite).unwrap_or_else(|difference| panic!("{difference}"));
    assert_eq!(numbers(&report), expected, "{name}");
    for (sentence, example) in &report.broken {
        println!("  broken in tick {} at the soonest: {sentence}", example.last);
        breaks_in_its_last_tick(sentence, example);
    }
    if let Some(example) = &report.stuck {
        gets_nowhere(example);
    }
}

fn as_scenario(title: &str, example: &Example) -> Scenario {
    let text = example.scenario(title, &["Found by exhaustive search."]).unwrap();
    let source = Source { name: "example.toml".to_owned(), text, marked: false };
    Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{}", source.text))
}

fn breaks_in_its_last_tick(sentence: &str, example: &Example) {
    let scenario = as_scenario(sentence, example);
    let run = play(&scenario, Keep::Outcome, |_| true).unwrap();
    let broken = run.ledger().verdicts().violated().find(|(invariant, _)| invariant.sentence == sentence);
    assert_eq!(broken.map(|(_, since)| since), Some(example.last), "{sentence}: {example:?}");
    assert_eq!(run.now(), example.last.after(1), "{sentence}: {example:?}");
}

/// A thousand ticks later something is unfinished still, although whoever is down is restarted.
fn gets_nowhere(example: &Example) {
    let mut run = example.play(Keep::Counters);
    let end = run.world().log().iter_from(0).last().map(|record| record.offset.next());
    for _ in 0..1000 {
        run.step(&[]);
    }
    assert_ne!(run.world().watermark(), end, "{example:?}");
}

macro_rules! suites {
    ($($test:ident, $name:literal, $small:expr, $large:expr;)*) => {
        const NAMES: &[&str] = &[$($name),*];

        mod small {
            $(#[test] fn $test() { super::explores(super::Size::Small, $name, $small) })*
        }

        mod large {
            $(#[test] #[ignore = "minutes"] fn $test() { super::explores(super::Size::Large, $name, $large) })*
        }
    };
}

suites! {
    mailboxes, "keyed mailboxes under every finishing order", (1502, 71255, 245054, 6, 0), (17572, 2237036, 9191659, 8, 0);
    lanes, "two lanes, and a serial consumer", (558, 30175, 84508, 6, 0), (4941, 600219, 1841724, 8, 0);
    shared_pool, "a shared pool", (336, 42923, 189195, 7, 0), (2613, 1560849, 9066741, 9, 0);
    retries, "retries at the head and at the tail", (5376, 80829, 171031, 13, 0), (50352, 1047783, 2681213, 13, 0);
    quarantine, "quarantine", (2442, 33140, 80400, 8, 0), (15786, 741901, 2482761, 10, 0);
    pause, "the pause gate", (672, 58596, 156318, 8, 0), (2976, 512328, 1379968, 11, 0);
    kept_pauses, "pauses that outlive an assignment", (48, 55761, 173574, 0, 48), (48, 234148, 1129856, 0, 48);
    refetches, "a prefetch thrown away at a pause", (576, 35244, 87630, 9, 0), (1344, 127770, 316995, 14, 0);
    ceilings, "unbounded intake, and intake that blocks", (252, 91215, 358873, 11, 30), (588, 543961, 2350938, 14, 86);
    crashes, "crashes and what is committed", (1056, 129298, 434956, 7, 0), (2368, 1527422, 6941766, 7, 0);
    handovers, "a partition that goes to and fro", (108, 30279, 124287, 5, 0), (504, 1006230, 7133125, 7, 0);
    late_writes, "late writes", (396, 46074, 96987, 7, 0), (2844, 730159, 1595934, 9, 0);
    late_commits, "late commits", (256, 161401, 370990, 8, 0), (256, 367527, 931905, 8, 0);
    long_drains, "drains and the poll interval", (84, 17101, 54338, 6, 0), (180, 385893, 2058286, 7, 0);
    rebalances, "rebalances that leave the partition where it is", (168, 9826, 31974, 5, 0), (360, 157805, 660724, 6, 0);
    turned_knobs, "knobs turned while records are in flight", (348, 46436, 156460, 11, 0), (492, 219544, 1161209, 11, 0);
    dead_ends, "what never ends", (1396, 11099, 18641, 0, 1396), (4372, 47788, 86974, 0, 4372);
    crossed, "everything at once", (300, 145901, 524516, 11, 162), (600, 603375, 2236634, 15, 332);
}

#[test]
fn no_suite_is_left_out() {
    for size in [Size::Small, Size::Large] {
        let names: Vec<_> = suites(size).iter().map(|suite| suite.name).collect();
        assert_eq!(names, NAMES);
    }
}

/// A promise that nothing in a suite could break is not asked there; every other one is.
#[test]
fn suites_ask_what_their_rules_and_troubles_could_break() {
    const HIGH: &str = "in flight stays below high + poll";
    const HEAP: &str = "in flight never exceeds the heap ceiling";
    const POLLS: &str = "a poll at least every max.poll.interval";
    const REVOKE: &str = "after a revoke the old owner starts nothing";
    const FENCE: &str = "nothing after the fence changes tracker or commit";
    const WRITE: &str = "no write lands after the handover";
    const GATE: &str = "a partition is paused only while its owner's gate is closed";
    const BRINGS: &str = "a poll through an open gate brings what there is";
    const STAYS: &str = "what stays with its owner is not revoked";
    const UNASKED: [&[&str]; 18] = [
        &[HIGH, HEAP, POLLS, GATE, BRINGS, REVOKE, WRITE, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, REVOKE, WRITE, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, REVOKE, WRITE, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, REVOKE, FENCE, WRITE, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, REVOKE, WRITE, STAYS],
        &[REVOKE, WRITE, STAYS],
        &[HEAP, STAYS],
        &[REVOKE, WRITE, STAYS],
        &[HIGH, GATE, BRINGS, REVOKE, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, REVOKE, WRITE, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, STAYS],
        &[HIGH, HEAP, POLLS, GATE, BRINGS, STAYS],
        &[HIGH, HEAP, GATE, BRINGS, STAYS],
        &[HIGH, HEAP, GATE, BRINGS],
        &[HEAP, POLLS, GATE, REVOKE, FENCE, WRITE, STAYS],
        &[HEAP, POLLS, GATE, REVOKE, FENCE, WRITE, STAYS],
        &[STAYS],
    ];
    for (suite, unasked) in suites(Size::Large).iter().zip(UNASKED) {
        let asks = |sentence: &str| {
            suite.configurations.iter().any(|configuration| configuration.asked().contains(sentence))
        };
        let sentences = INVARIANTS.iter().map(|invariant| invariant.sentence);
        let found: Vec<_> = sentences.filter(|sentence| !asks(sentence)).collect();
        assert_eq!(found, unasked, "{}", suite.name);
        // What may break is asked, and what is not asked has a reason.
        for configuration in &suite.configurations {
            assert!(
                configuration.may_break().is_subset(configuration.asked()),
                "{}: {configuration:?}",
                suite.name
            );
        }
        assert!(unasked.iter().all(|sentence| asked_by(sentence).is_some()));
    }
}

/// Whatever the table says is broken on purpose is broken in some suite, and nothing else is.
#[test]
fn the_suites_break_what_the_table_says_can_be_broken() {
    for size in [Size::Small, Size::Large] {
        let broken: BTreeSet<_> = suites(size).into_iter().flat_map(|suite| suite.breaks).collect();
        let on_purpose = INVARIANTS.iter().filter(|invariant| !invariant.broken_by.is_empty());
        assert_eq!(broken, on_purpose.map(|invariant| invariant.sentence).collect());
    }
}

/// A suite of one configuration of another one.
fn alone(suite: &Suite, configuration: Configuration) -> Suite {
    Suite { configurations: vec![configuration], ..suite.clone() }
}

/// The search can fail: a break that nobody expects is a surprise, and comes with a run that shows it.
#[test]
fn an_unexpected_break_is_a_surprise() {
    let suite = suite(Size::Small, "a shared pool");
    let found = suite.configurations.iter().find_map(|configuration| {
        let suite = alone(&suite, configuration.clone().expecting_no_breaks());
        let report = run(&suite);
        let example = report.surprises.first()?.example.clone();
        Some((report.check(&suite).unwrap_err().to_string(), example))
    });
    let (difference, example) = found.expect("a shared pool breaks something");
    let sentence = "a key's records complete in offset order";
    assert!(difference.contains(&format!("nothing breaks it on purpose: {sentence}")), "{difference}");
    assert!(difference.contains("[log]"), "{difference}");
    breaks_in_its_last_tick(sentence, &example);
}

/// So is a run that gets nowhere.
#[test]
fn an_unexpected_dead_end_is_a_surprise() {
    let suite = suite(Size::Small, "what never ends");
    let suite = alone(&suite, suite.configurations[0].clone().expecting_no_breaks());
    let report = run(&suite);
    let difference = report.check(&suite).unwrap_err().to_string();
    assert!(difference.contains("nothing more happens, and records are unfinished"), "{difference}");
    gets_nowhere(&report.surprises[0].example);
}

/// Where intake stands still before the log's end, more records than the low mark will never leave; and then it
/// does stand still, or the log has ended.
#[test]
fn intake_stands_still_only_above_the_low_mark() {
    let (mut still, mut read_on) = (0, 0);
    for configuration in &suite(Size::Small, "what never ends").configurations {
        let Intake::Pause { low, .. } = configuration.setup().knobs().intake else { continue };
        let example = explore(configuration).stuck.expect("something endless");
        let run = example.play(Keep::Counters);
        let (_, session) = run.world().owner().unwrap();
        let unread = session.next_index() < run.world().log().len();
        if unread {
            assert!(session.is_paused() && session.in_flight() > low, "{example:?}");
            still += 1;
        } else {
            read_on += 1;
        }
    }
    assert!(still > 0 && read_on > 0, "{still} and {read_on}");
}

/// And what a suite is to find and does not is a difference as well.
#[test]
fn what_is_missing_is_a_difference() {
    let mut suite = suite(Size::Small, "keyed mailboxes under every finishing order");
    suite.configurations.truncate(1);
    assert_eq!(run(&suite).check(&suite), Ok(()));
    suite.breaks = vec!["one key, one worker"];
    assert!(run(&suite).check(&suite).is_err());
    (suite.breaks, suite.sticks) = (vec![], true);
    assert!(run(&suite).check(&suite).is_err());
}
