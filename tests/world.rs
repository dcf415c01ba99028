//! What a reader of a world sees: every answer beside what is known to have happened.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use keyed_worker_pool::{
    ids::{ConsumerId, Epoch, KeyId, Offset, Tick},
    world::{
        Fact, Fails, Input, Knob, Knobs, Log, NewRecord, Observer, Setup, Work, World,
        config::{CommitOffset, Intake, LateCommit},
    },
};

fn record(offset: i64, key: &str, work: Work) -> NewRecord {
    let key = Some(key.into());
    NewRecord { offset: Offset(offset), key, work, fails: Fails::First(0), since: Tick(0) }
}

fn world(records: impl IntoIterator<Item = NewRecord>, knobs: &[Knob]) -> World {
    let log = Log::from_records(Offset(0), records).expect("a log");
    let knobs = Knobs::default().with(knobs).expect("these keep the rules");
    World::new(&Setup::new(Arc::new(log), knobs, &ConsumerId::ALL).expect("a setup"))
}

/// One record at work, one behind it, one of another key that a second worker could take.
fn busy(knobs: &[Knob]) -> World {
    let records =
        [record(0, "a", Work::Ticks(3)), record(1, "a", Work::Ticks(1)), record(2, "b", Work::Ticks(1))];
    let mut world = world(records, knobs);
    world.step(&[], &mut ());
    world
}

fn hash(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn the_owner_and_its_session() {
    let mut world = busy(&[Knob::Workers(1), Knob::Intake(Intake::Pause { high: 3, low: 1 })]);
    assert_eq!((world.broker().owner(), world.broker().epoch()), (Some(ConsumerId::A), Epoch(1)));
    let (_, session) = world.owner().expect("A is up");
    assert_eq!((session.next_index(), session.in_flight()), (3, 3));
    assert!(session.has_ready(), "b waits for a worker");
    assert!(session.is_paused(), "three are in flight");

    assert!(world.consumer(ConsumerId::A).is_up());
    world.step(&[Input::Crash(ConsumerId::A)], &mut ());
    assert!(!world.consumer(ConsumerId::A).is_up());
    assert!(world.consumer(ConsumerId::B).is_up());
    let revoke = Input::Revoke { from: ConsumerId::A, to: ConsumerId::B };
    world.step(&[revoke], &mut ());
    assert_eq!((world.broker().owner(), world.broker().epoch()), (Some(ConsumerId::B), Epoch(2)));
}

#[test]
fn nothing_is_ready_while_its_mailbox_is_busy() {
    let world = busy(&[Knob::Workers(2)]);
    let (_, session) = world.owner().expect("A is up");
    assert!(!session.has_ready(), "the one that waits is behind another of its key");
    assert!(!session.is_paused());
}

#[test]
fn poison_is_remembered() {
    let mut world = busy(&[]);
    assert!(!world.is_poisoned(Offset(1)));
    world.step(&[Input::Poison(Offset(1))], &mut ());
    assert!(world.is_poisoned(Offset(1)) && !world.is_poisoned(Offset(2)));
}

#[test]
fn rows_by_key() {
    let mut world = busy(&[]);
    world.step(&[], &mut ());
    // b is done, a is not.
    let rows: Vec<_> = world.store().rows().collect();
    let [(key, row)] = rows[..] else { panic!("{rows:?}") };
    assert_eq!((row.version, row.highest), (Offset(2), Offset(2)));
    assert_eq!(world.store().row(key), Some(row));
    assert_eq!(world.store().row(KeyId(99)), None);
}

/// What the broker keeps beside the committed offset, and what a successor starts from.
#[test]
fn the_map_of_a_former_owner() {
    let records =
        [record(0, "a", Work::UntilTapped), record(1, "b", Work::Ticks(1)), record(2, "c", Work::Ticks(1))];
    let mut world = world(records, &[Knob::AckMap(true)]);
    world.step(&[], &mut ());
    world.step(&[], &mut ());
    let finished = [(Offset(1), Offset(3))];
    assert_eq!(world.broker().ack_map().runs(), finished);
    world.step(&[Input::Crash(ConsumerId::A), Input::Restart(ConsumerId::A)], &mut ());
    assert_eq!(world.owner().expect("A is up again").1.inherited().runs(), finished);
}

/// The attempts that run are a part of the world: another end of one of them is another world.
#[test]
fn a_stall_makes_another_world() {
    let (mut one, mut other) = (busy(&[]), busy(&[]));
    assert_eq!((&one, hash(&one)), (&other, hash(&other)));
    one.step(&[], &mut ());
    other.step(&[Input::Stall { consumer: ConsumerId::A, ticks: 0 }], &mut ());
    assert_eq!((&one, hash(&one)), (&other, hash(&other)));
    one.step(&[Input::Stall { consumer: ConsumerId::A, ticks: 4 }], &mut ());
    other.step(&[], &mut ());
    assert_ne!(one, other);
    assert_ne!(hash(&one), hash(&other));
}

#[derive(Default)]
struct Refusals(Vec<Tick>);

impl Observer for Refusals {
    fn note(&mut self, tick: Tick, fact: Fact) {
        if matches!(fact, Fact::MapTooLong { .. }) {
            self.0.push(tick);
        }
    }
}

/// Many runs are finished, all of them below what is committed: there is nothing to name, and so no map that
/// could be too long. By the other rule all of them would have to be named.
#[test]
fn a_map_of_nothing_is_never_too_long() {
    let work = |offset: i64| if offset % 2 == 0 { Work::UntilTapped } else { Work::Ticks(1) };
    for (rule, expected) in [(CommitOffset::Highest, vec![]), (CommitOffset::Watermark, vec![Tick(1)])] {
        let records = (0..20).map(|offset| record(offset, &offset.to_string(), work(offset)));
        let knobs = [Knob::Workers(20), Knob::AckMap(true), Knob::AckMapLimit(1), Knob::CommitOffset(rule)];
        let (mut world, mut refusals) = (world(records, &knobs), Refusals::default());
        (0..2).for_each(|_| world.step(&[], &mut refusals));
        assert_eq!(refusals.0, expected, "{rule:?}");
    }
}

#[derive(Default)]
struct Polls(Vec<(Tick, bool)>);

impl Observer for Polls {
    fn note(&mut self, tick: Tick, fact: Fact) {
        match fact {
            Fact::Polled { .. } => self.0.push((tick, true)),
            Fact::PolledNothing { .. } | Fact::EmptyPoll { .. } => self.0.push((tick, false)),
            _ => {}
        }
    }
}

#[test]
fn a_record_still_to_come_is_not_polled() {
    let late = NewRecord { since: Tick(2), ..record(0, "a", Work::Ticks(1)) };
    let (mut world, mut polls) = (world([late], &[]), Polls::default());
    (0..4).for_each(|_| world.step(&[], &mut polls));
    let expected = [(Tick(0), false), (Tick(1), false), (Tick(2), true), (Tick(3), false)];
    assert_eq!(polls.0, expected);
}

/// Commits as they were told: who, from where to where, and whether the ownership had ended.
#[derive(Default)]
struct Commits(Vec<(ConsumerId, i64, i64, bool)>);

impl Observer for Commits {
    fn note(&mut self, _: Tick, fact: Fact) {
        if let Fact::Committed { consumer, from, to, late, .. } = fact {
            self.0.push((consumer, from.0, to.0, late));
        }
    }
}

/// Commits of a world in which ended ownerships go on committing and nothing drains; and where it ends.
fn late(records: [NewRecord; 3], every: u64, inputs: &[(u64, Input)]) -> (Commits, Offset) {
    let knobs = [Knob::LateCommit(LateCommit::Sent), Knob::Drain(0), Knob::CommitEvery(every)];
    let (mut world, mut commits) = (world(records, &knobs), Commits::default());
    for tick in 0..40 {
        let due = inputs.iter().filter(|(at, _)| *at == tick).map(|(_, input)| input.clone());
        world.step(&due.collect::<Vec<_>>(), &mut commits);
    }
    (commits, world.broker().committed())
}

const A: ConsumerId = ConsumerId::A;
const B: ConsumerId = ConsumerId::B;

fn three(work: [u64; 3]) -> [NewRecord; 3] {
    [(0, "a"), (1, "b"), (2, "c")]
        .map(|(offset, key)| record(offset, key, Work::Ticks(work[offset as usize])))
}

#[test]
fn what_the_broker_has_already_is_no_commit() {
    let (commits, end) = late(three([4, 9, 9]), 1, &[(1, Input::Revoke { from: A, to: B })]);
    // B is as far a little later.
    assert_eq!(commits.0[0], (A, 0, 1, true));
    assert!(commits.0.iter().all(|(_, from, to, _)| from != to), "{:?}", commits.0);
    assert_eq!(end, Offset(3));
}

#[test]
fn of_two_commits_in_a_tick_the_second_consumers_stays() {
    let inputs = [
        (1, Input::Revoke { from: A, to: B }),
        // What B runs takes very long, but for the first record.
        (3, Input::Stall { consumer: B, ticks: 90 }),
        (6, Input::Complete(Offset(0))),
    ];
    let (commits, end) = late(three([5, 5, 90]), 8, &inputs);
    assert_eq!(commits.0, [(A, 0, 2, true), (B, 2, 1, false)]);
    assert_eq!(end, Offset(1));
}

#[test]
fn an_ended_ownership_commits_for_itself_and_not_for_the_next_of_its_consumer() {
    let [first, second, third] = three([10, 12, 1]);
    // The first attempt at 1 fails, when its ownership has ended.
    let records = [first, NewRecord { fails: Fails::First(1), ..second }, third];
    let inputs = [(1, Input::Revoke { from: A, to: B }), (3, Input::Revoke { from: B, to: A })];
    let (commits, end) = late(records, 1, &inputs);
    assert_eq!(commits.0[0], (A, 0, 1, true));
    assert!(commits.0.iter().all(|(_, from, to, _)| from < to), "{:?}", commits.0);
    assert_eq!(end, Offset(3));
}

#[test]
fn who_is_checked_from_now_on_commits_nothing_late() {
    let commits = |set: Knob| {
        let inputs = [(1, Input::Revoke { from: A, to: B }), (2, Input::Set(vec![set]))];
        late(three([4, 9, 9]), 1, &inputs).0.0
    };
    assert!(commits(Knob::LateCommit(LateCommit::Checked)).iter().all(|(.., late)| !late));
    assert_eq!(commits(Knob::Workers(9))[0], (A, 0, 1, true), "another knob changes nothing of that");
}
