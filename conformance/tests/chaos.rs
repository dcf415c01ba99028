//! A day of flights through the real service, with faults and without.
//!
//! `CHAOS_SEED=7` plays that seed alone; `CHAOS_SEEDS=50` so many, from 1 on.

#![cfg(not(target_arch = "wasm32"))]

use std::{env, ops::RangeInclusive};

use conformance::{
    chaos::{FAULTS, Fault, Outcome, plan},
    flight,
    harness::bounded,
};

fn seeds() -> RangeInclusive<u64> {
    let number = |name| env::var(name).ok().and_then(|text| text.parse().ok());
    match number("CHAOS_SEED") {
        Some(seed) => seed..=seed,
        None => 1..=number("CHAOS_SEEDS").unwrap_or(1),
    }
}

/// A day with the faults of a seed, or with none.
fn fly(seed: Option<u64>) -> Outcome {
    let flown = bounded("a flight", 10, move || flight::fly(seed));
    let without = if seed.is_none() { "without faults: " } else { "" };
    flown.unwrap_or_else(|error| panic!("{without}{error}"))
}

#[test]
fn a_day_with_faults_ends_as_a_day_without() {
    let calm = fly(None);
    assert_eq!((calm.duplicates, calm.refused), (0, 0), "nothing happens, and something comes twice");
    for seed in seeds() {
        let troubled = fly(Some(seed));
        assert_eq!(troubled.rows, calm.rows, "seed {seed}: the rows differ");
        assert!(troubled.ownerships > FAULTS as usize, "seed {seed}: the faults did nothing: {troubled:?}");
    }
}

#[test]
fn a_seed_is_a_plan() {
    assert_eq!(plan(7, 831), plan(7, 831));
    assert_ne!(plan(7, 831), plan(8, 831));
    let faults: Vec<_> = (1..=3).flat_map(|seed| plan(seed, 831)).map(|(_, fault)| fault).collect();
    let of = |is: fn(&Fault) -> bool| faults.iter().filter(|fault| is(fault)).count();
    assert!(of(|fault| matches!(fault, Fault::Kill(_))) > 5);
    assert!(of(|fault| matches!(fault, Fault::Stall(_))) > 5);
    assert!(of(|fault| matches!(fault, Fault::Replace(_))) > 5);
}
