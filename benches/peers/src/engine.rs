//! The pool as this project's engine runs it, with its ledger.

use std::sync::Arc;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset},
    ledger::Keep,
    run::Run,
    world::{Generated, Knobs, Log, Setup, Work, config::Intake},
};

use crate::{HIGH, KEYS, LOW, Outcome, POLL, RECORDS, Record, WORKERS};

/// The pool's configuration and log.
pub(crate) fn setup() -> Setup {
    let recipe = Generated::new(1, RECORDS, KEYS, 0, (1, 6)).expect("a recipe");
    let log = Log::generated(Offset(0), recipe).expect("a log");
    let knobs = Knobs {
        workers: WORKERS as u32,
        poll: POLL as u64,
        intake: Intake::Pause { high: HIGH as u64, low: LOW as u64 },
        ..Knobs::default()
    };
    Setup::new(Arc::new(log), knobs, &[ConsumerId::A]).expect("a setup")
}

/// The log as the others get it.
pub(crate) fn log(setup: &Setup) -> Vec<Record> {
    let records = setup.log().iter_from(0);
    records
        .map(|record| match (record.key, record.work) {
            (Some(key), Work::Ticks(work)) => (key.0, work),
            other => unreachable!("a generated record with {other:?}"),
        })
        .collect()
}

/// Runs a log to its end.
pub(crate) fn run(setup: &Setup) -> Outcome {
    let mut run = Run::new(setup, Keep::Outcome);
    while !run.world().is_settled() {
        run.step(&[]);
    }
    let mut outcome = Outcome::default();
    for stamp in run.outcome().completions {
        outcome.finish(stamp.offset.0 as u64, stamp.tick.0);
    }
    outcome
}
