//! A trace from anybody: a complaint, or a log that can be written, read again and played.

use std::{fmt::Write, sync::Arc};

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::{Inputs, Player},
    scenario::{DEFAULT_TICKS, read_trace},
    world::{Knobs, Log, Setup, Work},
};

/// Bytes of a complaint about a trace.
const LONGEST_COMPLAINT: usize = 1_000;

/// Checks a trace; whether it is one.
pub fn check(bytes: &[u8]) -> bool {
    // Where offsets come to their end.
    read(bytes, Offset(Offset::MAX.0 - 2));
    let Some(log) = read(bytes, Offset(7)) else { return false };
    let offsets = log.iter_from(0).map(|record| record.offset);
    assert!(offsets.eq((7..).map(Offset).take(log.len() as usize)));
    let again = written(&log);
    assert_eq!(read(again.as_bytes(), Offset(7)).as_ref(), Some(&log), "{again}");
    let setup = Setup::new(Arc::new(log), Knobs::default(), &[ConsumerId::A]).expect("the defaults");
    super::played(Player::new(setup, Inputs::new(), Tick(DEFAULT_TICKS), Keep::Events));
    true
}

fn read(bytes: &[u8], start: Offset) -> Option<Log> {
    match read_trace("any.csv", start, bytes) {
        Ok(log) => Some(log),
        Err(error) => {
            super::is_complaint(&error.to_string(), LONGEST_COMPLAINT);
            None
        }
    }
}

/// The log as a trace, every key in quotes.
fn written(log: &Log) -> String {
    let mut text = "time,key,work\n".to_owned();
    for record in log.iter_from(0) {
        let key = record.key.and_then(|key| log.key(key)).map(ToString::to_string).unwrap_or_default();
        let work = match record.work {
            Work::Ticks(ticks) => ticks.to_string(),
            Work::UntilTapped => "tap".to_owned(),
            Work::Never => "never".to_owned(),
        };
        let _ = writeln!(text, "{},\"{}\",{work}", record.since, key.replace('"', "\"\""));
    }
    text
}
