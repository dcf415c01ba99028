//! What must hold of any bytes that a stranger hands in: as a link, a scenario, a trace, traffic or settings.
//!
//! One definition for both readers: the fuzzer of `fuzz/`, which looks for bytes that break it, and
//! `tests/corpus.rs`, which goes through all that the fuzzer has kept on every run of the tests. Each check either
//! gets a sentence that says what is wrong, or something that can be written, read again and played. It answers
//! whether it was the second.

#![allow(dead_code, reason = "every test binary uses its own part")]
#![allow(unreachable_pub, reason = "a module shared by test binaries")]

pub mod link;
pub mod mutate;
pub mod scenario;
pub mod settings;
pub mod trace;
pub mod traffic;

use keyed_worker_pool::{
    ids::Tick,
    ledger::escaped,
    player::{Bounds, Player},
};

/// What a run may grow to here: far less than on a page, so that thousands are played in seconds.
pub const BOUNDS: Bounds = Bounds { in_flight: 1_000, events: 10_000 };

/// Ticks that a run is played.
pub const PLAYED: Tick = Tick(64);

/// The most events that one tick leaves behind for each record that can be in flight: the tick that passes a bound
/// is still executed.
const EVENTS_PER_RECORD: u64 = 16;

/// Bytes of a sentence about an event, without its record's key, which can be as long as the file.
const LONGEST_SENTENCE: usize = 1_000;

/// A complaint is of a few lines that a terminal and a page can show as they are.
pub fn is_complaint(told: &str, longest: usize) {
    assert!(told.len() <= longest, "{} bytes: {told}", told.len());
    for line in told.lines() {
        shows(line);
    }
    assert!(!told.trim().is_empty(), "it says nothing");
}

/// Nothing in it steers a terminal or cannot be seen.
fn shows(line: &str) {
    assert_eq!(escaped(line), line);
}

/// Plays a run for some ticks, and holds it to the bounds and to its word. It answers where the run stands then.
pub fn played(player: Player) -> Player {
    let mut player = player.bounded(BOUNDS);
    while player.now() < PLAYED && !player.is_over() && player.step() {
        let (run, now) = (player.run(), player.now());
        let in_flight = run.world().owner().map_or(0, |(_, session)| session.in_flight());
        assert!(in_flight <= BOUNDS.in_flight, "{in_flight} in flight after {now} ticks");
        let events = run.ledger().events().len() as u64;
        let most = BOUNDS.events + EVENTS_PER_RECORD * BOUNDS.in_flight;
        assert!(events <= most, "{events} events after {now} ticks");
    }
    told(&player);
    player
}

/// What happened can be shown as it is.
fn told(player: &Player) {
    let log = player.setup().log();
    let key = |at| log.key(at).map_or(0, |key| key.bytes().len());
    let longest = (0..).map(keyed_worker_pool::ids::KeyId).take(log.key_count()).map(key).max();
    // Escaped, a byte becomes up to ten; a sentence names a key once or twice.
    let most = LONGEST_SENTENCE + 20 * longest.unwrap_or_default();
    for event in player.run().ledger().events() {
        let sentence = event.sentence(log);
        shows(&sentence);
        assert!(sentence.len() <= most, "{} bytes: {sentence}", sentence.len());
    }
}
