//! What the real client does that the mechanisms have to reckon with, on each broker.

#![cfg(not(target_arch = "wasm32"))]

use std::io::Write as _;

use conformance::{
    harness::{bounded, cluster::Kind},
    lessons::{LESSONS, Lesson},
};

fn learn(name: &str, kind: Kind) {
    let lesson = Lesson::named(name).expect("a lesson of this name");
    match bounded(name, 10, move || (lesson.learn)(kind)) {
        Ok(Some(_)) => {}
        Ok(None) => {
            // Past the test runner, which shows nothing of what passes.
            let _ = writeln!(std::io::stderr(), "SKIPPED {name}: there is no Tansu here");
        }
        Err(error) => panic!("“{}” does not hold on {kind:?}: {error}", lesson.sentence),
    }
}

macro_rules! lessons {
    ($($name:ident)*) => {
        mod on_the_mock {
            $(#[test] fn $name() { super::learn(stringify!($name), super::Kind::Mock); })*
        }
        mod on_tansu {
            $(#[test] fn $name() { super::learn(stringify!($name), super::Kind::Tansu); })*
        }
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

lessons! {
    a_late_commit_of_a_member_is_accepted
    a_drains_commit_during_a_rebalance
    eager_and_cooperative_revocation
    a_pause_outlives_its_assignment
    a_pause_throws_the_prefetch_away
}

#[test]
fn every_lesson_is_tested() {
    let all: Vec<_> = LESSONS.iter().map(|lesson| lesson.name).collect();
    assert_eq!(NAMES, all);
}
