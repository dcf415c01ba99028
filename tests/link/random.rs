//! Whatever a reader can leave on a panel comes back from its link, and so does every event of it.

use std::{path::Path, sync::Arc};

use proptest::prelude::*;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    link::{
        Compare, LONGEST_STALL, MOST_LANES, MOST_POLL, MOST_TICKS, MOST_WORKERS, Old, Saved, read, write,
    },
    mechanism::Guard,
    player::{Inputs, Player},
    presets::{
        Brought, Panel, Start, backpressure::Backpressure, dispatch::Dispatch, rebalance::Rebalance,
        watermark::Watermark,
    },
    scenario::{Scenario, Source},
    world::{
        Fails, Generated, Input, Key, Knob, Knobs, Log, NewRecord, Setup, Work,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, Quarantine, RebalanceProtocol,
            RetryAt, Routing, Then,
        },
    },
};

use super::{oracle, played, restored};

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..20u64, 2 => any::<u32>().prop_map(u64::from), 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn offset() -> impl Strategy<Value = Offset> {
    prop_oneof![4 => 0..60i64, 1 => 0..=Offset::MAX.0, 1 => Just(Offset::MAX.0)].prop_map(Offset)
}

fn member() -> impl Strategy<Value = ConsumerId> {
    prop::sample::select(&ConsumerId::ALL[..])
}

fn knob() -> impl Strategy<Value = Knob> {
    let one_of_enums = prop_oneof![
        prop::sample::select(vec![Routing::Keyed, Routing::Shared, Routing::Serial]).prop_map(Knob::Routing),
        (0..=MOST_LANES).prop_map(|lanes| Knob::Routing(Routing::Lanes(lanes))),
        prop::sample::select(vec![NullKeys::Mailbox, NullKeys::Spread]).prop_map(Knob::NullKeys),
        prop::sample::select(vec![RetryAt::Head, RetryAt::Tail]).prop_map(Knob::RetryAt),
        prop::sample::select(vec![Intake::Unbounded, Intake::Block]).prop_map(Knob::Intake),
        (number(), number()).prop_map(|(high, low)| Knob::Intake(Intake::Pause { high, low })),
        prop::sample::select(vec![CommitOffset::Watermark, CommitOffset::Highest])
            .prop_map(Knob::CommitOffset),
        any::<bool>().prop_map(Knob::AckMap),
        prop::sample::select(vec![Guard::Off, Guard::Newer, Guard::NotOlder]).prop_map(Knob::Guard),
        prop::sample::select(vec![LateCommit::Checked, LateCommit::Sent]).prop_map(Knob::LateCommit),
        prop::sample::select(vec![PauseAtAssignment::Forgotten, PauseAtAssignment::Kept])
            .prop_map(Knob::PauseAtAssignment),
    ];
    let quarantine = (number(), any::<bool>())
        .prop_map(|(after, park)| Quarantine { after, then: if park { Then::Park } else { Then::Continue } });
    prop_oneof![
        11 => one_of_enums,
        1 => (0..=MOST_WORKERS).prop_map(Knob::Workers),
        1 => (0..=MOST_POLL).prop_map(Knob::Poll),
        1 => number().prop_map(Knob::RetryDelay),
        1 => prop::option::of(number()).prop_map(Knob::HeapCeiling),
        1 => prop::option::of(number()).prop_map(Knob::MaxPollInterval),
        1 => number().prop_map(Knob::CommitEvery),
        1 => number().prop_map(Knob::AckMapLimit),
        1 => prop::option::of(quarantine).prop_map(Knob::Quarantine),
        1 => number().prop_map(Knob::Drain),
        1 => number().prop_map(Knob::Refetch),
        1 => prop::sample::select(vec![RebalanceProtocol::Cooperative, RebalanceProtocol::Eager])
            .prop_map(Knob::RebalanceProtocol),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        3 => offset().prop_map(Input::Complete),
        1 => offset().prop_map(Input::Poison),
        1 => (member(), 0..=LONGEST_STALL).prop_map(|(consumer, ticks)| Input::Stall { consumer, ticks }),
        1 => member().prop_map(Input::Crash),
        1 => member().prop_map(Input::Restart),
        1 => (member(), member()).prop_map(|(from, to)| Input::Revoke { from, to }),
        2 => prop::collection::vec(knob(), 0..4).prop_map(Input::Set),
        1 => Just(Input::Rebalance),
    ]
}

/// Inputs of a run that ends after tick `last`.
fn inputs(last: Tick) -> impl Strategy<Value = Inputs> {
    let ticks = prop_oneof![3 => 0..=last.0.min(30), 1 => 0..=last.0 + 1].prop_map(Tick);
    prop::collection::btree_map(ticks, prop::collection::vec(input(), 1..3), 0..8)
}

fn preset(panel: Panel) -> BoxedStrategy<Start> {
    match panel {
        Panel::Dispatch => {
            let routings = vec![Routing::Keyed, Routing::Serial, Routing::Shared, Routing::Lanes(4)];
            (1..=8u32, 1..=8u32, 0..=3u32, prop::sample::select(routings), number())
                .prop_map(|(workers, keys, skew, routing, seed)| {
                    Start::Dispatch(Dispatch { workers, keys, skew, routing, seed })
                })
                .boxed()
        }
        Panel::Watermark => (any::<[bool; 3]>(), 1..=10u64, 1..=12u64, number())
            .prop_map(|([highest, ack_map, taps_itself], commit_every, quarantine, seed)| {
                let commit = if highest { CommitOffset::Highest } else { CommitOffset::Watermark };
                Start::Watermark(Watermark { commit, ack_map, commit_every, quarantine, taps_itself, seed })
            })
            .boxed(),
        Panel::Backpressure => (1..=24u64, 1..=12u32, number(), 0..3usize, 0..=12u64)
            .prop_map(|(fetch, drain, seed, mode, refetch)| {
                Start::Backpressure(Backpressure { fetch, drain, seed, mode, refetch })
            })
            .boxed(),
        Panel::Rebalance => {
            let guards = vec![Guard::Off, Guard::Newer, Guard::NotOlder];
            let late = vec![LateCommit::Checked, LateCommit::Sent];
            let pauses = vec![PauseAtAssignment::Forgotten, PauseAtAssignment::Kept];
            let protocols = vec![RebalanceProtocol::Cooperative, RebalanceProtocol::Eager];
            let ways =
                (prop::sample::select(late), prop::sample::select(pauses), prop::sample::select(protocols));
            (0..=10u64, prop::sample::select(guards), ways, number())
                .prop_map(|(drain, guard, (late_commit, pause_at_assignment, protocol), seed)| {
                    Start::Rebalance(Rebalance {
                        drain,
                        guard,
                        late_commit,
                        pause_at_assignment,
                        protocol,
                        seed,
                    })
                })
                .boxed()
        }
    }
}

fn record() -> impl Strategy<Value = (u64, NewRecord)> {
    let work = prop_oneof![
        4 => (1..20u64).prop_map(Work::Ticks),
        1 => (1..=u64::MAX).prop_map(Work::Ticks),
        1 => Just(Work::UntilTapped),
        1 => Just(Work::Never),
    ];
    let fails = prop_oneof![
        3 => Just(Fails::First(0)),
        1 => any::<u32>().prop_map(Fails::First),
        1 => Just(Fails::Always),
    ];
    let key = prop::option::of("[A-C]?|[\\PC]{0,4}".prop_map(|key| Key::from(key.as_str())));
    let gap = prop_oneof![3 => Just(1i64), 1 => 2..1_000i64, 1 => Just(1 << 40)];
    let later = prop_oneof![3 => Just(0u64), 1 => 1..9u64];
    (gap, key, work, fails, later).prop_map(|(gap, key, work, fails, later)| {
        (later, NewRecord { offset: Offset(gap), key, work, fails, since: Tick(0) })
    })
}

fn listed_log() -> impl Strategy<Value = Log> {
    (offset(), prop::collection::vec(record(), 0..20)).prop_map(|(start, gaps)| {
        let (mut offset, mut since) = (-1, 0);
        let records = gaps.into_iter().map(|(later, record)| {
            offset += record.offset.0;
            since += later;
            NewRecord { offset: Offset(offset), since: Tick(since), ..record }
        });
        Log::from_records(start, records).expect("offsets rise, and so do ticks")
    })
}

fn generated_log() -> impl Strategy<Value = Log> {
    let work = (1..9u64, prop_oneof![0..9u64, 0..1u64 << 32]);
    (number(), 0..=1_000_000u64, 1..=4_000u32, number(), work, 0..1_000_000i64).prop_map(
        |(seed, count, keys, skew, (least, span), start)| {
            let recipe = Generated::new(seed, count, keys, skew as u32, (least, least + span));
            Log::generated(Offset(start), recipe.expect("a recipe within its rules")).expect("room for all")
        },
    )
}

/// A scenario with anything in it that a link can hold.
fn brought(panel: Panel) -> impl Strategy<Value = Start> {
    let log = prop_oneof![3 => listed_log().boxed(), 1 => generated_log().boxed()];
    let last = prop_oneof![3 => 0..60u64, 1 => 0..=MOST_TICKS].prop_map(Tick);
    let run = last.prop_flat_map(|last| (Just(last), inputs(last)));
    let knobs = prop::collection::vec(knob(), 0..6);
    ("\\PC{0,20}|[\\x00-\\x7f]{0,9}", log, knobs, any::<bool>(), run, 0..panel.runs()).prop_map(
        move |(title, log, turned, with_b, (last, script), front)| {
            // Those that break no rule.
            let knobs =
                turned.iter().fold(Knobs::default(), |knobs, knob| knobs.with(&[*knob]).unwrap_or(knobs));
            let members = &ConsumerId::ALL[..if with_b { 2 } else { 1 }];
            let setup = Setup::new(Arc::new(log), knobs, members).expect("knobs that keep the rules");
            Start::Brought(panel, Brought { title, setup, script, last, front })
        },
    )
}

/// One of the random scenarios that the engine is compared with its twin by.
fn scenario(panel: Panel) -> impl Strategy<Value = Start> {
    (any::<u64>(), 0..panel.runs()).prop_map(move |(seed, front)| {
        let text = oracle::generate::scenario(seed);
        let source = Source { name: "random.toml".to_owned(), text, marked: false };
        let Scenario { title, setup, inputs, last, .. } =
            Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}"));
        // Long after its last input.
        let last = last.min(Tick(120));
        let title = title.unwrap_or_default();
        Start::Brought(panel, Brought { title, setup, script: inputs, last, front })
    })
}

fn panel() -> impl Strategy<Value = Panel> {
    prop::sample::select(Panel::ALL.to_vec())
}

/// A start, and another of the same kind.
fn starts(panel: Panel) -> impl Strategy<Value = (Start, Start)> {
    prop_oneof![
        3 => (preset(panel), preset(panel)),
        1 => (brought(panel), brought(panel)),
        1 => brought(panel).prop_flat_map(|start| {
            let turned = prop::collection::vec(knob(), 0..3);
            (Just(start.clone()), turned.prop_map(move |knobs| start.clone().turned(&knobs)))
        }),
    ]
}

fn saved(panel: Panel) -> impl Strategy<Value = Saved> {
    starts(panel).prop_flat_map(|(start, other)| {
        let (last, old_last) = (start.last(), other.last());
        let parts = (inputs(last), inputs(old_last), 0..=last.0, 0..=last.0 + 1, any::<[bool; 3]>(), 0..3);
        parts.prop_map(move |(acts, old, tick, fork, [playing, sharing, same], compare)| {
            let fork = Tick(fork);
            let mut old = old;
            if sharing {
                old = old.split_off(&fork);
                old.extend(acts.range(..fork).map(|(&tick, inputs)| (tick, inputs.clone())));
            }
            let compare = match compare {
                0 => Compare::Off,
                1 => Compare::Armed,
                _ => {
                    let start = if same { start.clone() } else { other.clone() };
                    old.split_off(&start.last().after(2));
                    Compare::Kept(Old { start, acts: old, fork })
                }
            };
            Saved { start: start.clone(), acts, tick: Tick(tick), playing, compare }
        })
    })
}

/// What a reader does next.
#[derive(Clone, Debug)]
enum Doing {
    Step(u8),
    Act(Input),
    Turn(Knob),
    Seek(u8),
}

fn doing() -> impl Strategy<Value = Doing> {
    // Of the log's own offsets, mostly.
    let act = prop_oneof![3 => (0..24i64).prop_map(|offset| Input::Complete(Offset(offset))), 2 => input()];
    prop_oneof![
        3 => (1..9u8).prop_map(Doing::Step),
        3 => act.prop_map(Doing::Act),
        1 => knob().prop_map(Doing::Turn),
        1 => (0..60u8).prop_map(Doing::Seek),
    ]
}

fn perform(player: &mut Player, doing: &Doing) {
    match doing {
        Doing::Step(ticks) => (0..*ticks).for_each(|_| {
            player.step();
        }),
        Doing::Act(input) => player.act(input.clone()),
        Doing::Turn(knob) => player.turn(vec![*knob]),
        // Tick 0 is always executed, as on the page.
        Doing::Seek(executed) => {
            player.seek(Tick(u64::from(*executed).max(1)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn what_is_written_is_read(panels in Just(Panel::ALL.to_vec()).prop_shuffle(), count in 1..=4usize,
        four in (saved(Panel::Dispatch), saved(Panel::Watermark), saved(Panel::Backpressure), saved(Panel::Rebalance)))
    {
        let four = [four.0, four.1, four.2, four.3];
        let places = panels.iter().filter_map(|panel| Panel::ALL.iter().position(|other| other == panel));
        let saved: Vec<Saved> = places.take(count).map(|place| four[place].clone()).collect();
        let link = write(&saved).expect("a short link");
        prop_assert!(link.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"=&,.-_~".contains(&byte)), "{link}");
        prop_assert_eq!(read(&format!("#{link}")), Ok(Some(saved.clone())), "{}", link);
        for mut saved in saved {
            saved.tick = saved.tick.min(Tick(30));
            restored(&saved);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_link_restores_the_same_events(
        start in panel().prop_flat_map(|panel| prop_oneof![preset(panel), scenario(panel).boxed()]),
        doings in prop::collection::vec(doing(), 1..25),
    ) {
        let mut players = played(&start, &Inputs::new(), Tick(1));
        for player in &mut players {
            doings.iter().for_each(|doing| perform(player, doing));
        }
        let (acts, now) = (players[0].acts().clone(), players[0].now());
        let saved = Saved { start, acts, tick: Tick(now.0 - 1), playing: false, compare: Compare::Off };
        let link = write(&[saved]).expect("a short link");
        let panels = read(&link).unwrap_or_else(|error| panic!("{error}\n{link}")).expect("a link");
        for (again, before) in restored(&panels[0]).iter().zip(&players) {
            prop_assert_eq!(again.run().ledger().events(), before.run().ledger().events(), "{}", link);
            prop_assert_eq!(again.run().world(), before.run().world(), "{}", link);
            prop_assert_eq!(again.knobs(), before.knobs(), "{}", link);
            prop_assert_eq!(again.is_over(), before.is_over(), "{}", link);
        }
    }
}
