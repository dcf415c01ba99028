//! What the article says of each panel's opening run, as tests.

use keyed_worker_pool::{
    ids::Tick,
    ledger::Outcome,
    mechanism::Guard,
    player::Player,
    presets::{
        backpressure::{self, Backpressure},
        dispatch::Dispatch,
        rebalance::{self, Rebalance},
        watermark::{self, Watermark},
    },
    workload::Workload,
    world::{
        Input, Knob, World,
        config::{CommitOffset, Intake, NullKeys, RebalanceProtocol, Routing},
    },
};

fn played(mut player: Player) -> Player {
    player.play_out();
    player
}

fn outcome(player: Player) -> Outcome {
    played(player).run().outcome()
}

mod dispatch_panel {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn through(preset: &Dispatch, routing: Routing) -> Player {
        played(preset.player(preset.log().unwrap(), routing).unwrap())
    }

    #[test]
    fn the_shared_pool_breaks_order_and_mailboxes_do_not() {
        let preset = Dispatch::default();
        let (shared, keyed) = (through(&preset, Routing::Shared), through(&preset, Routing::Keyed));
        assert_eq!(shared.run().ledger().counters().order_breaks, 7);
        assert_eq!(keyed.run().ledger().counters().order_breaks, 0);
        assert_eq!(keyed.run().ledger().verdicts().violated().count(), 0);
    }

    #[test]
    fn nothing_is_wrong_at_the_opening() {
        let preset = Dispatch::default();
        let mut shared = preset.player(preset.log().unwrap(), Routing::Shared).unwrap();
        shared.step();
        assert_eq!(shared.run().ledger().verdicts().violated().count(), 0);
    }

    #[test]
    fn mailboxes_meet_the_bound_that_the_hottest_key_sets() {
        let preset = Dispatch::default();
        let keyed = through(&preset, Routing::Keyed);
        let load = Workload::of(keyed.setup().log());
        let bound = load.bound(preset.workers, NullKeys::Mailbox);
        assert_eq!(keyed.run().ledger().counters().makespan(), Some(bound));
        assert_eq!(load.hottest(NullKeys::Mailbox).map(|(_, hottest)| hottest.work), Some(bound));
    }

    #[test]
    fn mailboxes_keep_order_whatever_the_knobs() {
        for seed in 0..40 {
            for (workers, keys, skew) in [(1, 8, 0), (3, 1, 0), (8, 8, 3), (8, 2, 1), (5, 8, 2)] {
                let preset = Dispatch { workers, keys, skew, seed, ..Dispatch::default() };
                let keyed = through(&preset, Routing::Keyed);
                let counters = keyed.run().ledger().counters();
                assert_eq!((counters.order_breaks, counters.overlaps), (0, 0), "{preset:?}");
                assert_eq!(counters.completed, keyed.setup().log().len(), "{preset:?}");
            }
        }
    }

    #[test]
    fn serial_keeps_order_too_and_pays_with_time() {
        let preset = Dispatch::default();
        let serial = through(&preset, Routing::Serial);
        let keyed = through(&preset, Routing::Keyed);
        assert_eq!(serial.run().ledger().counters().order_breaks, 0);
        let makespan = |player: &Player| player.run().ledger().counters().makespan().unwrap();
        assert!(makespan(&serial) > 3 * makespan(&keyed));
    }
}

mod watermark_panel {
    use super::*;
    use keyed_worker_pool::ids::{ConsumerId, Offset};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn tapped(preset: &Watermark, taps: &[i64]) -> Player {
        let mut player = preset.player().unwrap();
        player.step();
        for &offset in taps {
            player.act(Input::Complete(Offset(offset)));
            player.step();
        }
        player
    }

    fn crashed(mut player: Player) -> (Vec<Offset>, Outcome) {
        let promised = player.run().world().redelivered_by_a_crash().map(|(_, offset)| offset).collect();
        player.act(Input::Crash(ConsumerId::A));
        player.step();
        (promised, player.run().outcome())
    }

    #[test]
    fn every_cell_polled_runs_at_once() {
        let player = tapped(&Watermark::default(), &[]);
        let world: &World = player.run().world();
        assert_eq!(world.consumer(ConsumerId::A).pool().running() as u64, watermark::POLL);
    }

    #[test]
    fn an_early_one_left_open_pins_the_watermark() {
        let player = tapped(&Watermark::default(), &[1, 2, 3, 4]);
        assert_eq!(player.run().world().watermark(), Some(Offset(0)));
        assert_eq!(player.run().world().broker().committed(), Offset(0));
    }

    #[test]
    fn a_crash_redelivers_what_the_panel_promised() {
        let (promised, outcome) = crashed(tapped(&Watermark::default(), &[0, 2, 5, 3]));
        assert_eq!(outcome.redelivered, promised);
        assert_eq!(outcome.duplicates, [Offset(2), Offset(3), Offset(5)]);
        assert_eq!(outcome.lost, []);
    }

    #[test]
    fn a_poisoned_one_pins_until_quarantine() {
        let preset = Watermark::default();
        let mut player = tapped(&preset, &[]);
        player.act(Input::Poison(Offset(0)));
        player.step();
        for _ in 0..preset.quarantine {
            assert_eq!(player.run().world().watermark(), Some(Offset(0)));
            player.step();
        }
        assert_eq!(player.run().world().watermark(), Some(Offset(1)));
        assert_eq!(player.run().outcome().quarantined, [Offset(0)]);
    }

    #[test]
    fn committing_the_highest_loses_records() {
        let preset = Watermark { commit: CommitOffset::Highest, ..Watermark::default() };
        let (_, outcome) = crashed(tapped(&preset, &[3, 1]));
        assert_eq!(outcome.lost, [Offset(0), Offset(2)]);
    }

    fn played_by_hand(seed: u64) -> Player {
        let mut player = Watermark::default().player().unwrap();
        player.step();
        while let Some(offset) = watermark::hand(seed, player.run().world()) {
            player.act(Input::Complete(offset));
            player.step();
        }
        player
    }

    #[test]
    fn a_hand_that_taps_one_a_tick_finishes_the_grid_in_time_whatever_the_seed() {
        let end = Offset(watermark::CELLS.into());
        for seed in 0..200 {
            let player = played_by_hand(seed);
            assert_eq!(player.run().world().broker().committed(), end, "seed {seed}");
            assert!(player.now() < watermark::LAST, "seed {seed}");
            assert_eq!(player.run().ledger().verdicts().violated().count(), 0, "seed {seed}");
        }
    }

    #[test]
    fn the_opening_seed_pins_the_watermark_and_lets_it_leap() {
        let noted = played_by_hand(watermark::SEED).run().outcome().w;
        let longest = noted.windows(2).map(|pair| pair[1].tick.since(pair[0].tick)).max();
        let leap = noted.windows(2).map(|pair| pair[1].offset.0 - pair[0].offset.0).max();
        assert!(longest >= Some(8) && leap >= Some(8), "{longest:?} ticks, {leap:?} records");
    }

    #[test]
    fn with_the_map_a_crash_redoes_nothing_that_was_done() {
        let preset = Watermark { ack_map: true, ..Watermark::default() };
        let (promised, outcome) = crashed(tapped(&preset, &[4, 2, 7]));
        assert_eq!(outcome.redelivered, promised);
        assert_eq!(outcome.duplicates, []);
    }
}

mod backpressure_panel {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn mode(intake: Intake) -> Player {
        played(Backpressure::default().player(intake).unwrap())
    }

    #[test]
    fn pause_saws_between_the_marks_and_the_session_never_expires() {
        let player = mode(backpressure::MODES[0]);
        let counters = player.run().ledger().counters();
        assert!(counters.pauses >= 4);
        assert!(counters.peak_in_flight < backpressure::HIGH + Backpressure::default().fetch);
        assert_eq!((counters.evictions, counters.crashes), (0, 0));
        assert_eq!(player.run().ledger().verdicts().violated().count(), 0);
    }

    #[test]
    fn unbounded_passes_the_ceiling_and_dies_of_memory() {
        let player = mode(Intake::Unbounded);
        let counters = player.run().ledger().counters();
        assert!(counters.peak_in_flight > backpressure::CEILING);
        assert!(counters.crashed_at.is_some());
        let violated: Vec<_> = player.run().ledger().verdicts().violated().map(|(i, _)| i.sentence).collect();
        assert_eq!(violated, ["in flight never exceeds the heap ceiling"]);
    }

    #[test]
    fn the_log_outlasts_the_fastest_run() {
        let fastest = Backpressure {
            fetch: backpressure::MOST_FETCH,
            drain: backpressure::MOST_DRAIN,
            ..Backpressure::default()
        };
        for intake in backpressure::MODES {
            let player = played(fastest.player(intake).unwrap());
            let polled = player.run().ledger().counters().polled;
            assert!(polled < player.setup().log().len(), "{intake:?} polled {polled}");
        }
    }

    #[test]
    fn depths_tell_what_was_in_flight_at_the_end_of_each_tick() {
        let mut player = Backpressure::default().player(Intake::Unbounded).unwrap();
        player.play_out();
        player.seek(backpressure::LAST.after(1));
        let depths = player.run().ledger().depths();
        assert_eq!(depths.len() as u64, backpressure::LAST.0 + 1);
        let climb: Vec<_> = depths.iter().map_while(|depth| *depth).collect();
        assert_eq!(climb, [12, 22, 32, 42, 52, 62, 72, 82], "the last is what killed it");
        assert!(depths[climb.len()..].iter().all(Option::is_none), "and nobody is up afterwards");

        let there: Vec<_> = depths.to_vec();
        player.seek(Tick(5));
        assert_eq!(player.run().ledger().depths(), &there[..5]);
    }

    #[test]
    fn a_slider_dragged_within_one_tick_turns_its_knob_once() {
        let mut player = Backpressure::default().player(Intake::Block).unwrap();
        player.seek(Tick(7));
        for fetch in 13..=20 {
            player.turn(vec![Knob::Poll(fetch)]);
        }
        player.turn(vec![Knob::Workers(4)]);
        let turned = vec![Input::Set(vec![Knob::Poll(20), Knob::Workers(4)])];
        assert_eq!(player.acts().clone().into_iter().collect::<Vec<_>>(), [(Tick(7), turned)]);
        player.step();
        assert_eq!((player.run().world().knobs().poll, player.run().world().knobs().workers), (20, 4));
    }

    #[test]
    fn drain_is_what_is_finished_per_tick() {
        for intake in backpressure::MODES {
            let player = mode(intake);
            let completed = player.run().ledger().counters().completed;
            let died = player.run().ledger().counters().crashed_at;
            let ticks = died.map_or(backpressure::LAST.0, |tick| tick.0);
            assert_eq!(completed, ticks * u64::from(Backpressure::default().drain), "{intake:?}");
        }
    }

    #[test]
    fn block_is_evicted_exactly_when_a_batch_takes_the_interval() {
        assert!(mode(Intake::Block).run().ledger().counters().evictions > 0);
        for fetch in 1..=24 {
            for drain in 1..=12 {
                let player = played(
                    Backpressure { fetch, drain, ..Backpressure::default() }.player(Intake::Block).unwrap(),
                );
                let batch_ticks = fetch.div_ceil(drain.into());
                let evicted = player.run().ledger().counters().evictions > 0;
                assert_eq!(evicted, batch_ticks >= backpressure::MAX_POLL_INTERVAL, "{fetch} by {drain}");
            }
        }
    }
}

mod rebalance_panel {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn with(drain: u64, guard: Guard) -> Player {
        played(Rebalance { drain, guard, ..Rebalance::default() }.player().unwrap())
    }

    #[test]
    fn a_drain_of_seven_leaks_nothing() {
        let opening = with(7, Guard::Newer);
        assert_eq!(opening.run().ledger().counters().leaked, 0);
        assert_eq!(opening.run().ledger().verdicts().violated().count(), 0);
        let outcome = outcome(Rebalance::default().player().unwrap());
        assert_eq!(outcome, opening.run().outcome(), "seven and the guard on are the opening settings");
    }

    #[test]
    fn a_drain_of_two_leaks_exactly_three_writes_to_three_rows() {
        let player = with(2, Guard::Newer);
        let outcome = player.run().outcome();
        assert_eq!(outcome.leaked.len(), 3);
        let log = player.setup().log();
        let mut rows: Vec<_> = outcome.leaked.iter().map(|s| log.find(s.offset).unwrap().key).collect();
        rows.sort();
        rows.dedup();
        assert_eq!(rows.len(), 3);
        assert!(outcome.leaked.iter().any(|stamp| outcome.rejected.contains(stamp)));
        assert_eq!(player.run().ledger().counters().rows_back, 0);
    }

    #[test]
    fn without_the_guard_a_row_ends_below_the_highest_version_written_to_it() {
        let player = with(2, Guard::Off);
        assert!(player.run().world().store().rows().any(|(_, row)| row.version < row.highest));
        let with_guard = with(2, Guard::Newer);
        assert!(with_guard.run().world().store().rows().all(|(_, row)| row.version == row.highest));
    }

    #[test]
    fn a_longer_drain_never_leaks_more() {
        let leaks: Vec<u64> =
            (0..=10).map(|drain| with(drain, Guard::Off).run().ledger().counters().leaked).collect();
        assert!(leaks.is_sorted_by(|before, after| before >= after), "{leaks:?}");
        assert!(with(0, Guard::Off).now() <= rebalance::LAST.after(1));
        assert!(with(0, Guard::Off).now() > Tick(rebalance::REVOKE_AT.0));
    }

    #[test]
    fn under_the_eager_protocol_what_stays_is_revoked_and_comes_again() {
        for drain in 0..=10 {
            let eager = Rebalance { drain, protocol: RebalanceProtocol::Eager, ..Rebalance::default() };
            let at = eager.rebalance_at();
            let eager = played(eager.player().unwrap());
            let without = self::with(drain, Guard::Newer);
            let redelivered = |player: &Player| player.run().ledger().counters().redelivered;
            assert!(redelivered(&eager) > redelivered(&without), "{drain}");
            let (outcome, before) = (eager.run().outcome(), without.run().outcome());
            assert!(outcome.duplicates.len() > before.duplicates.len(), "{drain}");
            // The guard absorbs what was done already.
            assert!(outcome.rejected.len() > before.rejected.len(), "{drain}");
            assert_eq!(eager.run().ledger().counters().rows_back, 0, "{drain}");
            assert_eq!(outcome.committed.0, 122, "{drain}: there is an end to it");
            let stays = "what stays with its owner is not revoked";
            let mut since = eager.run().ledger().verdicts().violated();
            assert_eq!(
                since.find(|(invariant, _)| invariant.sentence == stays).map(|(_, tick)| tick),
                Some(at)
            );
            assert!(!before.violated.contains(&stays));
        }
    }

    #[test]
    fn whatever_the_seed_a_window_of_seven_is_enough_and_the_guard_keeps_rows_from_going_back() {
        let mut leaky = 0;
        for seed in 0..200 {
            let seeded = |drain| played(Rebalance { drain, seed, ..Rebalance::default() }.player().unwrap());
            assert_eq!(seeded(7).run().ledger().counters().leaked, 0, "seed {seed}");
            let short = seeded(2);
            leaky += u64::from(short.run().ledger().counters().leaked > 0);
            assert_eq!(short.run().ledger().counters().rows_back, 0, "seed {seed}");
        }
        assert!(leaky > 100, "a short window leaks for most seeds: {leaky} of 200");
    }
}

mod starts {
    use super::*;
    use keyed_worker_pool::presets::{Panel, Start};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A knob turned before anything happened is a knob that the run begins with.
    #[test]
    fn turned_at_the_opening_is_begun_with() {
        let turns = [
            (Panel::Dispatch, Knob::Workers(7)),
            (Panel::Watermark, Knob::CommitEvery(5)),
            (Panel::Backpressure, Knob::Poll(3)),
            (Panel::Rebalance, Knob::Drain(2)),
        ];
        for (panel, knob) in turns {
            let start = Start::opening(panel);
            assert_eq!(start.panel(), panel);
            let turned = start.clone().turned(&[knob]).players().unwrap();
            for (plain, turned) in start.players().unwrap().iter().zip(turned) {
                assert_eq!(*turned.setup(), plain.setup().turned(&[knob]).unwrap());
            }
        }
    }

    #[test]
    fn every_panel_has_a_seed() {
        for panel in Panel::ALL {
            assert_eq!(Start::opening(panel).seeded(77).seed(), Some(77));
            assert_eq!(Panel::named(panel.name()), Some(panel));
        }
    }

    /// Work that a seed draws is uneven, and no mode's promise depends on it.
    #[test]
    fn backpressure_keeps_its_ceilings_whatever_the_seed() {
        for seed in 0..50 {
            let seeded = |mode| {
                let preset = Backpressure { seed, ..Backpressure::default() };
                played(preset.player(mode).unwrap())
            };
            let [pause, unbounded, _] = backpressure::MODES.map(seeded);
            assert_eq!(pause.run().ledger().verdicts().violated().count(), 0, "seed {seed}");
            assert!(unbounded.run().outcome().crashed_at.is_some(), "seed {seed}");
        }
    }
}
