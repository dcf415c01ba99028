//! What must not matter: random runs, and the same runs said otherwise.
//!
//! No expected outcome is written down here. Each rule changes a run in a way that cannot matter, and compares
//! everything that happened in it with everything that happened before the change.
#![cfg(not(target_arch = "wasm32"))]

mod oracle;

use std::{cell::Cell, collections::BTreeMap, path::Path, sync::Arc};

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    ledger::{Event, Keep, Remark},
    mechanism::Guard,
    player::{Course, Inputs},
    run::Run,
    scenario::{Scenario, Source},
    world::{
        Fact, Input, Key, Knob, Knobs, Log, NewRecord, Setup, World,
        config::{Intake, LateCommit, RebalanceProtocol, Routing},
    },
};

/// Ticks played at most: a member that is evicted over and over goes on for ever, and always alike.
const MOST_TICKS: u64 = 300;

/// A run to be changed.
#[derive(Clone)]
struct Story {
    setup: Setup,
    script: Inputs,
    last: Tick,
}

impl Story {
    fn random(seed: u64) -> Story {
        // Every other one is of a client with ways of its own.
        let text = match seed % 2 {
            0 => oracle::generate::scenario(seed),
            _ => oracle::generate::scenario_with_ways(seed),
        };
        let source = Source { name: "random.toml".to_owned(), text: text.clone(), marked: false };
        let scenario =
            Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let last = scenario.last.min(Tick(MOST_TICKS));
        Story { setup: scenario.setup, script: scenario.inputs, last }
    }

    fn play(&self) -> Run {
        let course = Course::new(self.setup.clone(), self.script.clone(), self.last);
        let mut run = Run::new(&self.setup, Keep::Events);
        while !course.is_over(&run) && course.step(&mut run) {}
        run
    }

    /// Every setting that is in force at some time.
    fn settings(&self) -> Vec<Knobs> {
        let mut all = vec![self.setup.knobs().clone()];
        for input in self.script.values().flatten() {
            if let (Input::Set(turned), Some(now)) = (input, all.last()) {
                all.push(now.with(turned).expect("a scenario keeps the rules"));
            }
        }
        all
    }

    fn with_knobs(&self, knobs: &[Knob]) -> Story {
        Story { setup: self.setup.turned(knobs).expect("these keep the rules"), ..self.clone() }
    }

    fn with_log(&self, change: impl Fn(NewRecord) -> NewRecord, start: Offset) -> Story {
        let log = self.setup.log();
        let records = log.iter_from(0).map(|record| {
            change(NewRecord {
                offset: record.offset,
                key: record.key.and_then(|id| log.key(id)).cloned(),
                work: record.work,
                fails: record.fails,
                since: record.since,
            })
        });
        let log = Log::from_records(start, records).expect("still a log");
        let mut members = vec![ConsumerId::A];
        members.extend(self.setup.with_b().then_some(ConsumerId::B));
        let setup = Setup::new(Arc::new(log), self.setup.knobs().clone(), &members).expect("still a setup");
        Story { setup, ..self.clone() }
    }

    fn with_inputs(&self, change: impl Fn(&Input) -> Input) -> Story {
        let changed = |(tick, inputs): (&Tick, &Vec<Input>)| (*tick, inputs.iter().map(&change).collect());
        Story { script: self.script.iter().map(changed).collect(), ..self.clone() }
    }
}

/// Plays the stories of many seeds that `suits` lets through; at least a third of them, or the rule is tried on
/// too little.
fn each(seeds: u64, suits: impl Fn(&Story) -> bool, check: impl Fn(u64, &Story)) {
    let mut tried = 0;
    for seed in 0..seeds * scale() {
        let story = Story::random(seed);
        if suits(&story) {
            tried += 1;
            check(seed, &story);
        }
    }
    assert!(3 * tried >= seeds * scale(), "only {tried} of {seeds} stories suit the rule");
}

/// `METAMORPHIC=1000 cargo test --release --test metamorphic`: this many times as many.
fn scale() -> u64 {
    std::env::var("METAMORPHIC").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// The first line in which two stories differ, if they do.
fn same(seed: u64, one: &[String], other: &[String]) {
    let differ = one.iter().zip(other).position(|(one, other)| one != other);
    let at = differ.unwrap_or(one.len().min(other.len()));
    assert!(one == other, "seed {seed}, line {at}:\n{:?}\n{:?}", one.get(at), other.get(at));
}

/// What happened, inputs aside.
fn happenings(events: &[Event]) -> Vec<(Tick, &Fact, Option<&Remark>)> {
    let told = events.iter().filter(|event| !matches!(event.fact, Fact::Input(_) | Fact::Ignored(_)));
    told.map(|event| (event.tick, &event.fact, event.remark.as_ref())).collect()
}

/// The same without what is told of rebalances.
fn beside_rebalances(run: &Run) -> Vec<(Tick, &Fact, Option<&Remark>)> {
    let told = happenings(run.ledger().events()).into_iter();
    told.filter(|(_, fact, _)| !matches!(fact, Fact::Rebalanced { .. })).collect()
}

/// What happened, with every offset of the log replaced by its index, so that logs with other offsets compare. A
/// watermark or a commit that only moves over a gap passes no record, and is left out.
fn by_index(run: &Run) -> Vec<String> {
    let log = run.world().log();
    let index = |offset: Offset| log.index_at(offset);
    let (mut low, mut committed) = (None, None);
    let moves = |event: &&Event| match &event.fact {
        Fact::WatermarkNoted { at, .. } => low.replace(index(*at)) != Some(index(*at)),
        Fact::Committed { to, .. } => committed.replace(index(*to)) != Some(index(*to)),
        _ => true,
    };
    let told = run.ledger().events().iter().filter(moves).map(|event| {
        let what = match &event.fact {
            Fact::Polled { consumer, indices, taken, passed, in_flight, .. } => {
                format!("{consumer} polled {indices:?} {taken} {passed} {in_flight}")
            }
            Fact::Started(attempt) => {
                format!("started {} on {}{}", attempt.index, attempt.consumer, attempt.worker)
            }
            Fact::Completed { attempt, late } => format!("completed {} {late}", attempt.index),
            Fact::Failed { attempt, late, retry } => format!("failed {} {late} {retry:?}", attempt.index),
            Fact::RetryDue { offset, .. } => format!("due {}", index(*offset)),
            Fact::DeadLettered { index, .. } => format!("dead {index}"),
            Fact::Wrote { attempt, key, held, accepted, late } => {
                format!("wrote {} {key:?} {:?} {accepted} {late}", attempt.index, held.map(index))
            }
            Fact::WatermarkNoted { at, .. } => format!("watermark {}", index(*at)),
            Fact::Committed { to, cause, .. } => format!("committed {} {cause:?}", index(*to)),
            Fact::OwnerEnded { consumer, by, committed, position, .. } => {
                format!("{consumer} ended {by:?} {} {}", index(*committed), index(*position))
            }
            Fact::Assigned { consumer, at, up, .. } => format!("{consumer} assigned {} {up}", index(*at)),
            Fact::Input(_) => "an input".to_owned(),
            fact => format!("{fact:?}"),
        };
        let remark = match &event.remark {
            Some(Remark::OrderBreak { after }) => format!("after {}", index(*after)),
            Some(Remark::Overlap { with }) => format!("with {}", index(*with)),
            Some(Remark::OwnerEnd { redelivered, duplicates, lost }) => {
                let indices =
                    |offsets: &[Offset]| offsets.iter().map(|&offset| index(offset)).collect::<Vec<_>>();
                format!("{:?} {:?} {:?}", indices(redelivered), indices(duplicates), indices(lost))
            }
            None => String::new(),
        };
        format!("{} {what} {remark}", event.tick)
    });
    told.collect()
}

/// What clients do differently is among the stories, and tells in them.
#[test]
fn the_stories_have_clients_of_every_kind() {
    let ways: [fn(&Fact) -> bool; 5] = [
        |fact| matches!(fact, Fact::Committed { late: true, .. }),
        |fact| matches!(fact, Fact::Assigned { paused: true, .. }),
        |fact| matches!(fact, Fact::EmptyPoll { .. }),
        |fact| matches!(fact, Fact::Rebalanced { revoked: false, .. }),
        |fact| matches!(fact, Fact::Rebalanced { revoked: true, .. }),
    ];
    let mut told = [0; 5];
    for seed in 0..2_000 {
        let run = Story::random(seed).play();
        for (told, way) in told.iter_mut().zip(ways) {
            *told += u32::from(run.ledger().events().iter().any(|event| way(&event.fact)));
        }
    }
    assert!(told.iter().all(|&told| told > 20), "{told:?}");
}

/// Offsets name records and order them; gaps and sizes are nothing but names. (How long an acknowledgement map is
/// does depend on them, so its limit must be far away. Where there is a gap, the end of one record and the beginning of the
/// next are two names of one place. To commit the one after the other passes no record, but it says again what a late
/// commit may have taken back: where such are sent, gaps must stay where they are.)
#[test]
fn offsets_are_names() {
    let far_away = |story: &Story| story.settings().iter().all(|knobs| knobs.ack_map_limit >= 4096);
    let sends_late =
        |story: &Story| story.settings().iter().any(|knobs| knobs.late_commit == LateCommit::Sent);
    each(2_000, far_away, |seed, story| {
        let gaps_stay = sends_late(story);
        let relabelled = |Offset(offset): Offset| match gaps_stay {
            true => Offset(offset + 1_000),
            false => Offset(3 * offset + 1_000 + offset % 2),
        };
        let start = story.setup.log().start();
        // A recipe numbers its keys by rank, a list as they come.
        let story = story.with_log(|record| record, start);
        let start = relabelled(start);
        let other = story
            .with_log(|record| NewRecord { offset: relabelled(record.offset), ..record }, start)
            .with_inputs(|input| match *input {
                Input::Complete(offset) => Input::Complete(relabelled(offset)),
                Input::Poison(offset) => Input::Poison(relabelled(offset)),
                ref other => other.clone(),
            });
        same(seed, &by_index(&story.play()), &by_index(&other.play()));
    });
}

/// A key is equal to itself and to no other: what it is called matters to nobody but a hash.
#[test]
fn keys_are_names() {
    let unhashed =
        |story: &Story| story.settings().iter().all(|knobs| !matches!(knobs.routing, Routing::Lanes(_)));
    let renamed = |key: Key| Key::new([b"some other name of ".as_slice(), key.bytes()].concat());
    each(2_000, unhashed, |seed, story| {
        let start = story.setup.log().start();
        // A recipe numbers its keys by rank, a list as they come.
        let story = story.with_log(|record| record, start);
        let other = story.with_log(|record| NewRecord { key: record.key.map(renamed), ..record }, start);
        let (run, other) = (story.play(), other.play());
        assert!(run.ledger().events() == other.ledger().events(), "seed {seed}");
        let rows: BTreeMap<Key, Offset> =
            run.outcome().rows.into_iter().map(|(key, version)| (renamed(key), version)).collect();
        assert_eq!(rows, other.outcome().rows, "seed {seed}");
    });
}

/// Workers have no names: one that is never needed changes nothing. (The lowest free one takes the next record,
/// so that no other permutation of them can be asked for.)
#[test]
fn a_worker_too_many_changes_nothing() {
    let plain = |story: &Story| {
        let turns = |input: &Input| matches!(input, Input::Set(_));
        story.setup.knobs().routing != Routing::Serial && !story.script.values().flatten().any(turns)
    };
    let mut idle = 0;
    for seed in 0..3_000 * scale() {
        let story = Story::random(seed);
        if !plain(&story) {
            continue;
        }
        let run = story.play();
        let highest = |event: &Event| match &event.fact {
            Fact::Started(attempt) => Some(attempt.worker.0 + 1),
            _ => None,
        };
        let used = run.ledger().events().iter().filter_map(highest).max().unwrap_or(0);
        // As many as were ever used at once, and one: that one never had anything to do.
        let enough = story.with_knobs(&[Knob::Workers(used + 1)]);
        let more = story.with_knobs(&[Knob::Workers(used + 7)]);
        if enough.setup.knobs().workers <= story.setup.knobs().workers {
            idle += 1;
            assert!(enough.play().ledger().events() == run.ledger().events(), "seed {seed}");
            assert!(more.play().ledger().events() == run.ledger().events(), "seed {seed}");
        }
    }
    assert!(idle > 300, "only {idle} runs had a worker to spare");
}

/// Inputs that cannot do anything are told as such, and do nothing.
#[test]
fn inputs_that_do_nothing_change_nothing() {
    each(
        2_000,
        |_| true,
        |seed, story| {
            let run = story.play();
            let end = run.now().0.saturating_sub(1);
            let mut other = story.clone();
            // The first tick has an owner only after its inputs are in.
            for tick in [1 + seed % (end + 1), end].into_iter().filter(|tick| (1..=end).contains(tick)) {
                let nowhere = Offset(i64::MAX - 1 - seed as i64);
                let inputs = other.script.entry(Tick(tick)).or_default();
                inputs.insert(0, Input::Complete(nowhere));
                inputs.push(Input::Poison(nowhere));
            }
            let other = other.play();
            assert!(happenings(run.ledger().events()) == happenings(other.ledger().events()), "seed {seed}");
            let (one, other) = (run.outcome(), other.outcome());
            assert_eq!(one, other, "seed {seed}");
        },
    );
}

/// Under the cooperative protocol a partition that stays is not touched: rebalances at any ticks are told, and change
/// nothing else.
#[test]
fn a_cooperative_rebalance_changes_nothing() {
    let cooperative = |story: &Story| {
        story.settings().iter().all(|knobs| knobs.rebalance_protocol == RebalanceProtocol::Cooperative)
    };
    let told = Cell::new(0);
    each(1_500, cooperative, |seed, story| {
        let run = story.play();
        let end = run.now().0.saturating_sub(1);
        let mut other = story.clone();
        for tick in [1 + seed % (end + 1), 1 + seed / 7 % (end + 1)] {
            if tick <= end {
                other.script.entry(Tick(tick)).or_default().push(Input::Rebalance);
            }
        }
        let other = other.play();
        assert!(beside_rebalances(&run) == beside_rebalances(&other), "seed {seed}");
        assert_eq!(run.outcome(), other.outcome(), "seed {seed}");
        let is_told = |event: &&Event| matches!(event.fact, Fact::Rebalanced { .. });
        told.set(told.get() + other.ledger().events().iter().filter(is_told).count());
    });
    assert!(told.get() > 500, "{told:?} rebalances");
}

/// Under the eager one it is a revoke from the owner to itself, but for the promise that it breaks.
#[test]
fn an_eager_rebalance_is_a_revoke_from_the_owner_to_itself() {
    let (mut told, mut broken) = (0, 0);
    for seed in 0..1_500 * scale() {
        let eager = [Knob::RebalanceProtocol(RebalanceProtocol::Eager)];
        let story = Story::random(seed).with_knobs(&eager).with_inputs(|input| match input {
            Input::Set(knobs) => {
                let stays = |knob: &Knob| !matches!(knob, Knob::RebalanceProtocol(_));
                Input::Set(knobs.iter().copied().filter(stays).collect())
            }
            other => other.clone(),
        });
        // Of several in one tick not the first need be the one that acts.
        let several =
            |inputs: &Vec<Input>| inputs.iter().filter(|input| **input == Input::Rebalance).count() > 1;
        if story.script.values().any(several) {
            continue;
        }
        let run = story.play();
        // Who owned it when is read off the run; where nobody did, or a drain went on, nothing comes of either.
        let mut revoking = story.clone();
        let owners = run.ledger().events().iter().filter_map(|event| match event.fact {
            Fact::Rebalanced { consumer, .. } => Some((event.tick, consumer)),
            _ => None,
        });
        let owners: Vec<_> = owners.collect();
        for (tick, inputs) in &mut revoking.script {
            let mut here = owners.iter().filter(|(at, _)| at == tick).map(|(_, owner)| *owner);
            inputs.retain_mut(|input| {
                if *input != Input::Rebalance {
                    return true;
                }
                let owner = here.next();
                owner.inspect(|&owner| *input = Input::Revoke { from: owner, to: owner }).is_some()
            });
            assert_eq!(here.next(), None);
        }
        let other = revoking.play();
        // B joins where an input names it.
        if story.setup.with_b() || owners.iter().all(|(_, owner)| *owner == ConsumerId::A) {
            assert!(beside_rebalances(&run) == beside_rebalances(&other), "seed {seed}");
            let (mut one, other) = (run.outcome(), other.outcome());
            broken += u64::from(one.violated.len() > other.violated.len());
            one.violated.retain(|sentence| *sentence != "what stays with its owner is not revoked");
            assert_eq!(one, other, "seed {seed}");
            told += owners.len();
        }
    }
    assert!(told > 100 && broken > 100, "{told} rebalances, {broken} broken promises");
}

/// The guard stands before the rows and decides about them alone.
#[test]
fn the_guard_changes_rows_and_rejections_only() {
    let guarded = |story: &Story, guard: Guard| {
        let story = story.with_knobs(&[Knob::Guard(guard)]);
        story.with_inputs(|input| match input {
            Input::Set(knobs) => {
                Input::Set(knobs.iter().copied().filter(|knob| !matches!(knob, Knob::Guard(_))).collect())
            }
            other => other.clone(),
        })
    };
    each(
        2_000,
        |_| true,
        |seed, story| {
            let runs = [Guard::Off, Guard::Newer, Guard::NotOlder].map(|guard| guarded(story, guard).play());
            let [off, newer, not_older] = runs.each_ref().map(|run| {
                let events = run.ledger().events().iter().map(|event| match &event.fact {
                    Fact::Wrote { attempt, key, late, .. } => {
                        format!("{} wrote {attempt:?} {key:?} {late}", event.tick)
                    }
                    fact => format!("{} {fact:?} {:?}", event.tick, event.remark),
                });
                events.collect::<Vec<_>>()
            });
            same(seed, &off, &newer);
            same(seed, &off, &not_older);
            let mut outcomes = runs.map(|run| run.outcome());
            for outcome in &mut outcomes {
                (outcome.rows, outcome.rejected) = Default::default();
                outcome.violated.remove("a row's version never goes back");
                outcome.violated.remove("no write lands after the handover");
            }
            assert_eq!(outcomes[0], outcomes[1], "seed {seed}");
            assert_eq!(outcomes[0], outcomes[2], "seed {seed}");
        },
    );
}

/// A world is all there is to a run: copied at any tick and played on, it is the same run.
#[test]
fn a_run_cut_in_two_is_the_same_run() {
    each(
        2_000,
        |_| true,
        |seed, story| {
            let mut world = World::new(&story.setup);
            let mut copies: Vec<World> = Vec::new();
            for tick in 0..=story.last.0.min(60) {
                let inputs = story.script.get(&Tick(tick)).map_or(&[][..], Vec::as_slice);
                for copy in &mut copies {
                    copy.step(inputs, &mut ());
                }
                if tick % 7 == seed % 7 {
                    copies.push(world.clone());
                    if let Some(copy) = copies.last_mut() {
                        copy.step(inputs, &mut ());
                    }
                }
                world.step(inputs, &mut ());
                assert!(copies.iter().all(|copy| *copy == world), "seed {seed}, tick {tick}");
            }
        },
    );
}

/// Marks that are never reached, and a heap that never fills, are as good as none.
#[test]
fn bounds_that_are_never_reached_change_nothing() {
    let unbounded = |story: &Story| {
        story.settings().iter().all(|knobs| knobs.intake == Intake::Unbounded && knobs.heap_ceiling.is_none())
    };
    let mut tried = 0;
    for seed in 0..6_000 * scale() {
        let story = Story::random(seed);
        if !unbounded(&story) {
            continue;
        }
        tried += 1;
        let run = story.play();
        let peak = run.ledger().counters().peak_in_flight;
        let bounded = story.with_knobs(&[
            Knob::Intake(Intake::Pause { high: peak + 1, low: 0 }),
            Knob::HeapCeiling(Some(peak)),
        ]);
        assert!(bounded.play().ledger().events() == run.ledger().events(), "seed {seed}");
    }
    assert!(tried > 100, "only {tried} runs were unbounded");
}
