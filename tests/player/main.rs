//! Going back is exact, and cheap at any length.
//!
//! A player's checkpoints and what it knows of the future must never show: wherever it stands, it stands where
//! a run from the start would. Runs on wasm32 too (see `tests/core.rs`).

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[cfg(not(target_arch = "wasm32"))]
mod random;

use std::sync::Arc;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::{Bounds, Exhausted, Inputs, MOST_REPLAYED, Player},
    world::{
        Generated, Input, Knob, Knobs, Log, Setup,
        config::{Intake, Routing},
    },
};

/// The last tick of a long run.
const LONG: Tick = Tick(99_999);

/// A group of two that never runs out of records, with a handover every 500 ticks.
fn long(last: Tick) -> Player {
    let log = Log::generated(Offset(0), Generated::new(1, 1_000_000, 20, 1, (1, 6)).unwrap()).unwrap();
    let knobs = Knobs { routing: Routing::Shared, poll: 6, ..Knobs::default() };
    let setup = Setup::new(Arc::new(log), knobs, &ConsumerId::ALL).unwrap();
    let handover = |n: u64| {
        let from = ConsumerId::ALL[n as usize % 2];
        (Tick(500 * n + 499), vec![Input::Revoke { from, to: from.other() }])
    };
    Player::new(setup, (0..last.0 / 500).map(handover).collect(), last, Keep::Events)
}

/// The same player, from the start and never back.
fn straight(player: &Player) -> Player {
    let mut straight =
        Player::new(player.setup().clone(), player.script().clone(), player.last(), Keep::Events)
            .with_acts(player.acts().clone());
    while straight.now() < player.now() {
        assert!(straight.step());
    }
    straight
}

/// Everything that can be read off two players that stand in the same place of the same run.
fn assert_alike(one: &Player, other: &Player, context: &str) {
    assert_eq!(one.now(), other.now(), "{context}");
    let (one, other) = (one.run(), other.run());
    assert_eq!(one.world(), other.world(), "{context}");
    assert_eq!(one.outcome(), other.outcome(), "{context}");
    let (one, other) = (one.ledger(), other.ledger());
    assert_eq!(one.events(), other.events(), "{context}");
    assert_eq!(one.depths(), other.depths(), "{context}");
    assert_eq!(one.verdicts(), other.verdicts(), "{context}");
    assert_eq!(one.counters(), other.counters(), "{context}");
    assert_eq!(one.ignored(), other.ignored(), "{context}");
}

/// Numbers below `n` that look drawn.
fn scattered(n: u64) -> impl Iterator<Item = u64> {
    let mut state = 1u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    })
}

#[test]
fn no_seek_in_a_long_run_replays_much() {
    let mut player = long(LONG);
    assert_eq!(player.seek(Tick(100_000)), 100_000);
    assert!((100..=256).contains(&player.checkpoints()), "{}", player.checkpoints());
    let events = player.known_events().len();
    let mut most = 0;
    for to in scattered(100_001).take(300) {
        most = most.max(player.seek(Tick(to)));
        assert_eq!(player.now(), Tick(to));
        assert_eq!(player.run().ledger().depths().len() as u64, to);
    }
    assert!((1..=MOST_REPLAYED).contains(&most), "{most}");
    assert_eq!((player.known(), player.known_events().len()), (Tick(100_000), events));
}

#[test]
fn a_seek_in_a_long_run_is_exact() {
    let mut player = long(Tick(20_000));
    let mut straight = long(Tick(20_000));
    player.seek(Tick(20_000));
    for to in [1, 4_096, 12_345, 19_999] {
        straight.seek(Tick(to));
        player.seek(Tick(to));
        assert_alike(&player, &straight, &format!("at {to}"));
        player.seek(Tick(scattered(20_000).nth(to as usize % 7).unwrap()));
    }
}

#[test]
fn checkpoints_stay_few_and_near() {
    let mut player = long(Tick(10_000));
    let mut spacings = Vec::new();
    while player.step() {
        assert!(player.checkpoints() <= 256, "{} at {}", player.checkpoints(), player.now());
        let executed = player.now();
        if executed.0.is_multiple_of(997) {
            let replayed = player.seek(Tick(executed.0 - 1));
            assert_eq!(player.seek(executed), 1);
            spacings.push((executed.0, replayed));
        }
    }
    // 16 ticks apart in a run of up to 256 times as many, then twice that, and so on.
    let apart = |executed: u64| {
        if executed < 257 * 16 {
            16
        } else if executed < 257 * 32 {
            32
        } else {
            64
        }
    };
    for (executed, replayed) in spacings {
        assert_eq!(replayed, (executed - 1) % apart(executed), "at {executed}");
    }
}

#[test]
fn what_is_known_of_the_future_stays_known() {
    let mut player = long(LONG);
    player.seek(Tick(1_000));
    let (events, last) = (player.known_events().to_vec(), player.run().ledger().events().len());
    assert_eq!(events.len(), last);
    player.seek(Tick(300));
    assert_eq!((player.now(), player.known()), (Tick(300), Tick(1_000)));
    assert_eq!(player.known_events(), events);
    let told = player.run().ledger().events();
    assert_eq!(told, &events[..told.len()]);
    assert!(told.len() < events.len() && told.iter().all(|event| event.tick < Tick(300)));
    player.step();
    assert_eq!((player.known(), player.known_events()), (Tick(1_000), &events[..]));
    player.seek(Tick(1_100));
    assert_eq!(player.known(), Tick(1_100));
    assert_eq!(player.known_events()[..events.len()], events);
}

#[test]
fn acting_in_the_past_makes_another_future() {
    let mut player = long(Tick(6_000));
    player.seek(Tick(6_001));
    player.seek(Tick(2_345));
    player.act(Input::Crash(ConsumerId::A));
    assert_eq!(player.known(), Tick(2_345));
    assert_eq!(player.known_events(), player.run().ledger().events());
    player.seek(Tick(3_000));
    player.act(Input::Restart(ConsumerId::A));
    player.seek(Tick(5_000));
    assert_alike(&player, &straight(&player), "after a crash and a restart");
    player.seek(Tick(2_900));
    player.seek(Tick(4_000));
    assert_alike(&player, &straight(&player), "and back");
}

/// What was done in a tick that was executed belongs to the old future; what is put into the next one together
/// belongs together.
#[test]
fn acting_in_a_tick_again_replaces_what_was_done_in_it() {
    let mut player = long(Tick(100));
    player.seek(Tick(5));
    player.act(Input::Complete(Offset(1)));
    player.turn(vec![Knob::Workers(2)]);
    player.turn(vec![Knob::Workers(3)]);
    let together = [Input::Complete(Offset(1)), Input::Set(vec![Knob::Workers(3)])];
    assert_eq!(player.acts()[&Tick(5)], together);
    player.step();
    player.act(Input::Complete(Offset(2)));
    player.step();
    player.seek(Tick(5));
    assert_eq!(player.acts()[&Tick(5)], together, "going back drops nothing");
    player.turn(vec![Knob::Workers(4)]);
    assert_eq!(player.acts().len(), 1);
    assert_eq!(player.acts()[&Tick(5)], [Input::Set(vec![Knob::Workers(4)])]);
}

#[test]
fn a_knob_turned_again_makes_another_future() {
    let mut player = long(Tick(3_000));
    player.seek(Tick(700));
    player.turn(vec![Knob::Workers(1)]);
    player.seek(Tick(1_500));
    player.seek(Tick(700));
    player.turn(vec![Knob::Workers(9)]);
    assert_eq!(player.known(), Tick(700));
    assert_eq!(player.acts()[&Tick(700)], [Input::Set(vec![Knob::Workers(9)])]);
    player.seek(Tick(1_500));
    assert_alike(&player, &straight(&player), "with nine workers");
}

#[test]
fn acts_are_set_at_the_beginning() {
    let mut player = long(Tick(2_000));
    player.seek(Tick(1_000));
    let acts = Inputs::from([(Tick(100), vec![Input::Crash(ConsumerId::A)])]);
    let mut player = player.with_acts(acts);
    assert_eq!((player.now(), player.known(), player.known_events().len()), (Tick(0), Tick(0), 0));
    player.seek(Tick(1_000));
    assert_alike(&player, &straight(&player), "crashed at 100");
}

#[test]
fn a_copy_goes_its_own_way() {
    let mut player = long(Tick(2_000));
    player.seek(Tick(1_500));
    let mut copy = player.clone();
    copy.seek(Tick(200));
    copy.act(Input::Crash(ConsumerId::A));
    copy.seek(Tick(1_000));
    assert_alike(&copy, &straight(&copy), "the copy");
    player.seek(Tick(1_000));
    assert_alike(&player, &straight(&player), "the original");
    assert_eq!(player.known(), Tick(1_500));
}

#[test]
fn a_bounded_run_stops_and_going_back_lets_it_go_on() {
    let bounds = Bounds { in_flight: 1_000, events: 2_000 };
    let mut player = long(LONG).bounded(bounds);
    player.play_out();
    let (end, events) = (player.now(), player.run().ledger().events().len());
    assert_eq!(player.exhausted(), Some(Exhausted::Events(2_000)));
    assert!(player.is_over() && !player.step() && (2_001..2_100).contains(&events));
    assert_eq!((player.seek(LONG), player.now()), (0, end));

    player.seek(Tick(end.0 - 1));
    assert_eq!(player.exhausted(), None);
    assert!(player.step() && !player.step());
    assert_eq!((player.now(), player.run().ledger().events().len()), (end, events));
    assert_alike(&player, &straight(&player), "at its bound");
}

#[test]
fn a_poll_that_would_be_too_long_is_not_made() {
    let log = Log::generated(Offset(0), Generated::new(1, 10_000_000_000, 5, 0, (1, 1)).unwrap()).unwrap();
    let knobs = Knobs { poll: 300, intake: Intake::Unbounded, ..Knobs::default() };
    let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A]).unwrap();
    let player = Player::new(setup, Inputs::new(), LONG, Keep::Events);
    let mut player = player.bounded(Bounds { in_flight: 1_000, events: 1_000_000 });
    player.play_out();
    // 300 more each tick, less what four workers finish.
    assert_eq!((player.now(), player.exhausted()), (Tick(3), Some(Exhausted::InFlight(1_000))));
    // A knob can make room, and take it.
    player.turn(vec![Knob::Poll(100)]);
    assert_eq!(player.exhausted(), None);
    player.turn(vec![Knob::Poll(u64::MAX)]);
    assert_eq!((player.exhausted(), player.step()), (Some(Exhausted::InFlight(1_000)), false));
    player.seek(Tick(2));
    assert_eq!(player.exhausted(), None);
}
