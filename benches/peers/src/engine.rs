//! The pool as this project's engine runs it, with its ledger: natively for the others to be compared with, and as a
//! wasm32 module for `pool.mjs`.

use std::sync::Arc;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset},
    ledger::Keep,
    run::Run,
    world::{Generated, Knobs, Log, Setup, Work, config::Intake},
};

/// A record of the log: its key's number, and how many ticks its work takes.
pub type Record = (u32, u64);

pub const RECORDS: u64 = 100_000;
pub const KEYS: u32 = 1_000;
pub const WORKERS: usize = 16;
pub const POLL: usize = 500;
pub const HIGH: usize = 256;
pub const LOW: usize = 64;

/// What a simulator says of the whole run; all must say the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub finished: u64,
    pub last_tick: u64,
    /// The sum of (offset + 1) x tick over all finished records, wrapping: when each one finished.
    pub digest: u64,
}

impl Outcome {
    pub fn finish(&mut self, offset: u64, tick: u64) {
        self.finished += 1;
        self.last_tick = self.last_tick.max(tick);
        self.digest = self.digest.wrapping_add((offset + 1).wrapping_mul(tick));
    }
}

/// The pool's configuration and log.
pub fn setup() -> Setup {
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
pub fn log(setup: &Setup) -> Vec<Record> {
    let records = setup.log().iter_from(0);
    records
        .map(|record| match (record.key, record.work) {
            (Some(key), Work::Ticks(work)) => (key.0, work),
            other => unreachable!("a generated record with {other:?}"),
        })
        .collect()
}

/// Runs a log to its end.
pub fn run(setup: &Setup) -> Outcome {
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

/// For JavaScript: a run from its recipe to its digest.
// SAFETY: nothing else in the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn digest() -> u64 {
    run(&setup()).digest
}
