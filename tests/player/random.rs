//! Random scenarios, and random walks over their timelines.

#[path = "../oracle/mod.rs"]
mod oracle;

use std::path::Path;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::Player,
    scenario::{Scenario, Source},
    world::{Input, Knob, Log},
};
use proptest::prelude::*;

use super::{assert_alike, straight};

/// Walks go this far, past the end of many a run.
const FAR: u64 = 120;

#[derive(Clone, Debug)]
enum Move {
    Seek(u64),
    Step,
    Act(Input),
    Turn(Knob),
}

fn inputs() -> impl Strategy<Value = Input> {
    let consumer = || prop::sample::select(ConsumerId::ALL.to_vec());
    prop_oneof![
        (0..20i64).prop_map(|offset| Input::Complete(Offset(offset))),
        (0..20i64).prop_map(|offset| Input::Poison(Offset(offset))),
        (consumer(), 1..9u64).prop_map(|(consumer, ticks)| Input::Stall { consumer, ticks }),
        consumer().prop_map(Input::Crash),
        consumer().prop_map(Input::Restart),
        (consumer(), consumer()).prop_map(|(from, to)| Input::Revoke { from, to }),
        Just(Input::Rebalance),
    ]
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        6 => (0..FAR).prop_map(Move::Seek),
        3 => Just(Move::Step),
        2 => inputs().prop_map(Move::Act),
        1 => (1..6u32).prop_map(|workers| Move::Turn(Knob::Workers(workers))),
    ];
    prop::collection::vec(one, 1..12)
}

fn player(seed: u64) -> (Player, String) {
    let text = oracle::generate::scenario(seed);
    let source = Source { name: "random.toml".to_owned(), text: text.clone(), marked: false };
    let scenario = Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (Player::new(scenario.setup, scenario.inputs, Tick(FAR), Keep::Events), text)
}

/// What each record came to, as the ledger tells it.
fn fates(player: &Player, log: &Log) -> Vec<(bool, bool)> {
    let ledger = player.run().ledger();
    (0..log.len()).map(|index| (ledger.has_completed(index), ledger.is_lost(index))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn wherever_it_goes_it_stands_where_a_run_from_the_start_would(seed in 0..100_000u64, moves in moves()) {
        let (mut player, text) = player(seed);
        let mut known = 0;
        for step in moves {
            match step.clone() {
                Move::Seek(to) => {
                    let before = player.now();
                    let executed = player.seek(Tick(to));
                    prop_assert_eq!(player.now(), Tick(to));
                    prop_assert!(executed <= to.saturating_sub(before.0).max(16));
                }
                Move::Step => {
                    player.step();
                }
                Move::Act(input) => {
                    player.act(input);
                    known = player.now().0;
                }
                Move::Turn(knob) => {
                    player.turn(vec![knob]);
                    known = player.now().0;
                }
            }
            known = known.max(player.now().0);
            prop_assert_eq!(player.known(), Tick(known));
            let straight = straight(&player);
            assert_alike(&player, &straight, &format!("after {step:?} in seed {seed}:\n{text}"));
            let log = player.setup().log();
            prop_assert_eq!(fates(&player, log), fates(&straight, log));
        }
        // What is known of the future comes true.
        let expected = player.known_events().to_vec();
        player.seek(Tick(known));
        prop_assert_eq!(player.run().ledger().events(), &expected[..]);
    }
}

/// Lost is what an owner left committed and unfinished, unless a late attempt has finished it since.
#[test]
fn what_is_lost_is_what_nobody_ever_completed() {
    let mut recovered = 0;
    for seed in 0..3_000 {
        let (mut player, text) = player(seed);
        player.seek(Tick(FAR));
        let (outcome, log) = (player.run().outcome(), player.setup().log());
        for (index, record) in (0..).zip(log.iter_from(0)) {
            let was_lost = outcome.lost.contains(&record.offset);
            let completed = outcome.completions.iter().any(|stamp| stamp.offset == record.offset);
            recovered += u32::from(was_lost && completed);
            let is_lost = player.run().ledger().is_lost(index);
            assert_eq!(is_lost, was_lost && !completed, "offset {} in seed {seed}:\n{text}", record.offset);
        }
    }
    assert!(recovered > 0);
}
