//! The engine's tests run twice: natively, and on wasm32 in Node, where the page will run it.
//!
//! The convention, for every file of `tests/` that needs nothing but the engine: the two lines below, then
//! `#[test]` as usual. `cargo xtask test` runs on wasm32 whatever test target's root file names
//! `wasm_bindgen_test`. A target that needs files, threads or a library that wasm32 lacks opens with
//! `#![cfg(not(target_arch = "wasm32"))]` instead.
//!
//! Here: whole runs leave the same traces on both, to the last event.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    mechanism::Guard,
    player::{Inputs, Player},
    presets::{
        backpressure::{self, Backpressure},
        dispatch::Dispatch,
        rebalance::Rebalance,
        watermark::Watermark,
    },
    world::{
        Fact, Input, Knob,
        config::{CommitOffset, Intake, Quarantine, Routing, Then},
    },
};

/// FNV-1a over every sentence of a run: one changed word anywhere is another number.
fn fingerprint(mut player: Player) -> u64 {
    player.play_out();
    let log = player.setup().log();
    let sentences = player.run().ledger().events().iter().map(|event| event.sentence(log) + "\n");
    sentences
        .collect::<String>()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn dispatch(routing: Routing) -> Player {
    let preset = Dispatch::default();
    preset.player(preset.log().unwrap(), routing).unwrap()
}

/// Everything at once: taps, poison, stall, knobs, a crash, a restart, a revoke and its way back.
fn busy() -> Player {
    let act = |tick, input| (Tick(tick), vec![input]);
    let revoke = |from, to| Input::Revoke { from, to };
    let acts = Inputs::from([
        act(2, Input::Complete(Offset(3))),
        act(3, Input::Poison(Offset(1))),
        act(4, Input::Set(vec![Knob::Routing(Routing::Lanes(3)), Knob::AckMap(true), Knob::Poll(5)])),
        act(6, Input::Stall { consumer: ConsumerId::A, ticks: 4 }),
        act(9, Input::Crash(ConsumerId::A)),
        act(11, Input::Restart(ConsumerId::A)),
        act(13, revoke(ConsumerId::A, ConsumerId::B)),
        act(24, revoke(ConsumerId::B, ConsumerId::A)),
        act(
            26,
            Input::Set(vec![
                Knob::Quarantine(Some(Quarantine { after: 3, then: Then::Park })),
                Knob::Intake(Intake::Block),
                Knob::CommitOffset(CommitOffset::Highest),
                Knob::Guard(Guard::Off),
            ]),
        ),
        act(30, Input::Crash(ConsumerId::A)),
        act(31, Input::Restart(ConsumerId::A)),
    ]);
    dispatch(Routing::Keyed).with_acts(acts)
}

#[test]
fn the_panels_opening_runs_are_the_same_everywhere() {
    let runs = [
        dispatch(Routing::Shared),
        dispatch(Routing::Keyed),
        dispatch(Routing::Serial),
        Watermark::default().player().unwrap(),
        Backpressure::default().player(backpressure::MODES[0]).unwrap(),
        Backpressure::default().player(Intake::Block).unwrap(),
        Rebalance { drain: 2, guard: Guard::Off, ..Rebalance::default() }.player().unwrap(),
    ];
    let fingerprints = runs.map(fingerprint);
    // Pinned: a change means that somebody's link shows something else than it did.
    let pinned = [
        17_040_879_300_779_118_235,
        1_206_808_863_457_330_976,
        14_858_140_501_587_998_793,
        17_010_401_743_000_789_178,
        2_397_349_333_329_832_697,
        16_767_894_887_731_293_210,
        1_229_119_849_032_302_522,
    ];
    assert_eq!(fingerprints, pinned);
}

#[test]
fn a_busy_run_is_the_same_everywhere() {
    assert_eq!(fingerprint(busy()), 1_590_557_464_648_105_206);
}

#[test]
fn going_back_is_exact() {
    let mut player = busy();
    player.play_out();
    let (end, events) = (player.now(), player.run().ledger().events().to_vec());
    for to in [17, 3, 40, 0, 25] {
        player.seek(Tick(to));
        let mut straight = busy();
        straight.seek(Tick(to));
        assert_eq!(player.run().world(), straight.run().world(), "at {to}");
        assert_eq!(player.run().ledger().events(), straight.run().ledger().events(), "at {to}");
    }
    player.seek(end);
    assert_eq!(player.run().ledger().events(), events);
}

#[test]
fn acting_in_the_past_drops_what_came_after() {
    let mut player = busy();
    player.play_out();
    player.seek(Tick(5));
    player.act(Input::Crash(ConsumerId::A));
    let kept: Vec<Tick> = player.acts().keys().copied().collect();
    assert_eq!(kept, [Tick(2), Tick(3), Tick(4), Tick(5)]);
    player.play_out();
    assert_eq!(player.run().outcome().crashed_at, Some(Tick(5)));
}

/// The map is wanted, and longer than the broker takes: said once, also where the commit itself changes nothing.
#[test]
fn a_map_that_does_not_fit_is_said_once() {
    let preset = Watermark { ack_map: true, ..Watermark::default() };
    let mut player = preset.player().unwrap();
    player.step();
    player.act(Input::Set(vec![Knob::AckMapLimit(3)]));
    for offset in [5, 7, 9] {
        player.act(Input::Complete(Offset(offset)));
        player.step();
    }
    let events = player.run().ledger().events();
    let said: Vec<Tick> = events
        .iter()
        .filter(|event| matches!(event.fact, Fact::MapTooLong { limit: 3, .. }))
        .map(|event| event.tick)
        .collect();
    assert_eq!(said, [Tick(1)]);
    assert!(player.run().world().broker().ack_map().is_empty());
}
