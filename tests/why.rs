//! Why: for each kind of fault, the whole chain of causes and the decision, word for word.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::sync::Arc;

use keyed_worker_pool::{
    ids::{ConsumerId::A, Offset, Tick},
    ledger::{EventId, Fault, Keep, why},
    mechanism::Guard,
    player::{Inputs, Player},
    presets::{
        backpressure::{Backpressure, MODES},
        dispatch::Dispatch,
        rebalance::Rebalance,
        watermark::Watermark,
    },
    world::{
        Fails, Input, Knob, Knobs, Log, NewRecord, Setup, Work,
        config::{CommitOffset, Intake, RetryAt, Routing},
    },
};

/// The chain and the decision of the first fault of a kind, as sentences, and what the decision names.
fn first(fault: Fault, mut player: Player) -> (Vec<String>, Option<EventId>) {
    player.play_out();
    let (events, log) = (player.run().ledger().events(), player.setup().log());
    let asked = events.iter().find(|event| event.fault() == Some(fault)).expect("it happens");
    let why = why(events, asked.id, player.setup()).expect("a fault has an answer");
    let mut lines: Vec<String> = why.chain.iter().map(|id| events[id.0 as usize].sentence(log)).collect();
    lines.push(why.decision.sentence);
    let turned = why.decision.event.map(|id| events[id.0 as usize].tick);
    assert_eq!(turned.unwrap_or_default(), why.decision.tick);
    (lines, why.decision.event)
}

/// What the first fault of a kind goes back to: a knob that stood from the start.
fn from_the_start<const N: usize>(fault: Fault, player: Player, pinned: [&str; N]) {
    let (lines, event) = first(fault, player);
    assert_eq!((lines.as_slice(), event), (pinned.map(str::to_owned).as_slice(), None));
}

/// Or to an event: an input, or knobs that were turned.
fn from_an_event<const N: usize>(fault: Fault, player: Player, pinned: [&str; N]) {
    let (lines, event) = first(fault, player);
    assert_eq!(lines, pinned);
    let id = event.expect("an input or a turned knob");
    assert!(lines[N - 1].contains(&format!("(event {id})")));
}

fn acts<const N: usize>(acts: [(u64, Input); N]) -> Inputs {
    acts.map(|(tick, input)| (Tick(tick), vec![input])).into()
}

fn set<const N: usize>(knobs: [Knob; N]) -> Input {
    Input::Set(knobs.into())
}

fn dispatch(routing: Routing) -> Player {
    let preset = Dispatch::default();
    preset.player(preset.log().unwrap(), routing).unwrap()
}

/// Records of one key: work, and how many attempts fail.
fn one_key<const N: usize>(records: [(u64, u32); N], knobs: Knobs) -> Player {
    let records = (0..).zip(records).map(|(offset, (work, fails))| NewRecord {
        offset: Offset(offset),
        key: Some("K".into()),
        work: Work::Ticks(work),
        fails: Fails::First(fails),
        since: Tick(0),
    });
    let log = Log::from_records(Offset(0), records).unwrap();
    let setup = Setup::new(Arc::new(log), knobs, &[A]).unwrap();
    Player::new(setup, Inputs::new(), Tick(40), Keep::Events)
}

fn watermark(preset: &Watermark, acts: Inputs) -> Player {
    preset.player().unwrap().with_acts(acts)
}

/// Two cells out of order, and then the end.
fn taps() -> Inputs {
    acts([(2, Input::Complete(Offset(3))), (4, Input::Complete(Offset(5))), (6, Input::Crash(A))])
}

fn rebalance(drain: u64, guard: Guard) -> Player {
    Rebalance { drain, guard, ..Rebalance::default() }.player().unwrap()
}

fn backpressure(intake: Intake, acts: Inputs) -> Player {
    Backpressure::default().player(intake).unwrap().with_acts(acts)
}

#[test]
fn the_shared_pool_lets_a_record_start_beside_another_of_its_key() {
    from_the_start(
        Fault::Overlap,
        dispatch(Routing::Shared),
        [
            "Tick 2: A's worker 3 started offset 5 (key D) while offset 4 of the same key still runs: overlap.",
            "Tick 2: A's worker 1 started offset 4 (key D).",
            "routing = shared, from the start: any free worker takes the head of the one queue, whatever key others are at.",
        ],
    );
    from_the_start(
        Fault::OrderBreak,
        dispatch(Routing::Shared),
        [
            "Tick 6: A's worker 1 finished offset 4 (key D), after offset 5 of the same key: order break.",
            "Tick 4: A's worker 3 finished offset 5 (key D).",
            "Tick 2: A's worker 3 started offset 5 (key D) while offset 4 of the same key still runs: overlap.",
            "routing = shared, from the start: any free worker takes the head of the one queue, whatever key others are at.",
        ],
    );
}

#[test]
fn another_routing_in_mid_run_is_the_event_that_turned_it() {
    let turned = || {
        let acts = acts([(3, set([Knob::Poll(5)])), (6, set([Knob::Routing(Routing::Shared)]))]);
        dispatch(Routing::Keyed).with_acts(acts)
    };
    from_an_event(
        Fault::Overlap,
        turned(),
        [
            "Tick 6: A's worker 3 started offset 10 (key D) while offset 5 of the same key still runs: overlap.",
            "Tick 6: A's worker 1 started offset 5 (key D).",
            "routing = shared, since tick 6 (event 40): any free worker takes the head of the one queue, whatever key others are at.",
        ],
    );
    from_an_event(
        Fault::OrderBreak,
        turned(),
        [
            "Tick 12: A's worker 3 finished offset 10 (key D), after offset 13 of the same key: order break.",
            "Tick 11: A's worker 4 finished offset 13 (key D).",
            "Tick 8: A's worker 4 started offset 13 (key D) while offset 12 of the same key still runs: overlap.",
            "routing = shared, since tick 6 (event 40): any free worker takes the head of the one queue, whatever key others are at.",
        ],
    );
}

#[test]
fn a_retry_at_the_tail_comes_after_its_successors() {
    let knobs = Knobs { workers: 1, retry_at: RetryAt::Tail, ..Knobs::default() };
    // It failed twice; the first failure let the others by.
    let player = one_key([(1, 2), (1, 0), (1, 0)], knobs);
    from_the_start(
        Fault::OrderBreak,
        player,
        [
            "Tick 6: A's worker 1 finished offset 0 (key K), after offset 2 of the same key: order break.",
            "Tick 5: A's worker 1 started offset 0 (key K), attempt 3.",
            "Tick 5: offset 0 may be tried again.",
            "Tick 4: A's worker 1 failed at offset 0 (key K); it is tried again from tick 5.",
            "Tick 3: A's worker 1 started offset 0 (key K), attempt 2.",
            "Tick 2: offset 0 may be tried again.",
            "Tick 1: A's worker 1 failed at offset 0 (key K); it is tried again from tick 2.",
            "retry at = tail, from the start: when it is due, a failed record queues behind later ones of its key.",
        ],
    );
}

#[test]
fn a_failed_record_keeps_no_place_in_the_shared_queue() {
    let knobs = Knobs { workers: 1, retry_delay: 2, routing: Routing::Shared, ..Knobs::default() };
    let player = one_key([(1, 1), (1, 0)], knobs);
    from_the_start(
        Fault::OrderBreak,
        player,
        [
            "Tick 4: A's worker 1 finished offset 0 (key K), after offset 1 of the same key: order break.",
            "Tick 3: A's worker 1 started offset 0 (key K), attempt 2.",
            "Tick 3: offset 0 may be tried again.",
            "Tick 1: A's worker 1 failed at offset 0 (key K); it is tried again from tick 3.",
            "routing = shared, from the start: a failed record waits outside the one queue, and later ones of its key go on.",
        ],
    );
}

#[test]
fn a_crash_brings_again_what_the_watermark_did_not_pass() {
    from_an_event(
        Fault::Redelivery,
        watermark(&Watermark::default(), taps()),
        [
            "Tick 6: A died with 0 committed: 12 come again (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 2 of them already done.",
            "Tick 6: A crashed; what it had running is gone.",
            "Tick 6: A is killed.",
            "A is killed, by an input at tick 6 (event 22): what it had polled and not committed comes again. Offsets 3, 5 were done and not committed: offset 0 pinned the watermark, and there is no acknowledgement map.",
        ],
    );
}

#[test]
fn a_crash_before_the_next_commit_is_due() {
    let preset = Watermark { commit_every: 20, ..Watermark::default() };
    let acts = acts([(2, Input::Complete(Offset(0))), (4, Input::Complete(Offset(2))), (6, Input::Crash(A))]);
    from_an_event(
        Fault::Redelivery,
        watermark(&preset, acts),
        [
            "Tick 6: A died with 0 committed: 12 come again (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 2 of them already done.",
            "Tick 6: A crashed; what it had running is gone.",
            "Tick 6: A is killed.",
            "A is killed, by an input at tick 6 (event 23): what it had polled and not committed comes again. Offsets 0, 2 were done and not committed: offset 1 pinned the watermark, and there is no acknowledgement map; the next commit was still to come (commit every = 20).",
        ],
    );
}

#[test]
fn a_crash_before_the_acknowledgement_map_is_committed() {
    let preset = Watermark { commit_every: 5, ack_map: true, ..Watermark::default() };
    let acts = acts([(6, Input::Complete(Offset(3))), (8, Input::Crash(A))]);
    from_an_event(
        Fault::Redelivery,
        watermark(&preset, acts),
        [
            "Tick 8: A died with 0 committed: 12 come again (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 1 of them already done.",
            "Tick 8: A crashed; what it had running is gone.",
            "Tick 8: A is killed.",
            "A is killed, by an input at tick 8 (event 19): what it had polled and not committed comes again. Offset 3 was done and not committed: offset 0 pinned the watermark, and no commit had carried the acknowledgement map yet.",
        ],
    );
}

#[test]
fn a_crash_with_an_acknowledgement_map_that_is_too_long() {
    let preset = Watermark { ack_map: true, ..Watermark::default() };
    let limit = set([Knob::AckMapLimit(2)]);
    let acts = acts([(1, limit), (3, Input::Complete(Offset(3))), (8, Input::Crash(A))]);
    from_an_event(
        Fault::Redelivery,
        watermark(&preset, acts),
        [
            "Tick 8: A died with 0 committed: 12 come again (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 1 of them already done.",
            "Tick 8: A crashed; what it had running is gone.",
            "Tick 8: A is killed.",
            "A is killed, by an input at tick 8 (event 22): what it had polled and not committed comes again. Offset 3 was done and not committed: offset 0 pinned the watermark, and the acknowledgement map did not fit.",
        ],
    );
}

#[test]
fn committing_the_highest_offset_loses_what_is_below_it() {
    let preset = Watermark { commit: CommitOffset::Highest, ..Watermark::default() };
    from_the_start(
        Fault::Loss,
        watermark(&preset, taps()),
        [
            "Tick 6: A died with 6 committed: 6 come again (6, 7, 8, 9, 10, 11), none of them done; lost for good: 0, 1, 2, 4.",
            "Tick 2: A committed 4.",
            "Tick 2: A's worker 4 finished offset 3 (key D).",
            "commit = highest, from the start: a commit names the offset after the highest finished one, whatever is unfinished below it.",
        ],
    );
}

#[test]
fn a_handover_brings_again_what_the_drain_left() {
    from_an_event(
        Fault::Redelivery,
        rebalance(2, Guard::Off),
        [
            "Tick 12: A handed the partition over with 110 committed: 8 come again (110, 111, 112, 113, 114, 115, 116, 117), 1 of them already done.",
            "Tick 10: A is told to give the partition to B: it starts nothing more and drains until tick 12 at the latest.",
            "Tick 10: the group takes the partition from A for B.",
            "the group takes the partition from A for B, by an input at tick 10 (event 56): what it has not committed by the end of its drain comes again. Offset 112 was done and not committed: offset 110 pinned the watermark, and there is no acknowledgement map.",
        ],
    );
}

#[test]
fn a_drain_that_is_too_short_leaks() {
    from_the_start(
        Fault::Leak,
        rebalance(2, Guard::Newer),
        [
            "Tick 15: the guard rejected A's write of version 115 to row DUNE after the handover: a leaked write; it holds 115.",
            "Tick 12: A handed the partition over with 110 committed: 8 come again (110, 111, 112, 113, 114, 115, 116, 117), 1 of them already done.",
            "Tick 10: A is told to give the partition to B: it starts nothing more and drains until tick 12 at the latest.",
            "Tick 10: the group takes the partition from A for B.",
            "drain = 2, from the start: offset 115 needed 3 more ticks.",
        ],
    );
}

#[test]
fn without_a_guard_a_late_write_goes_over_a_newer_one() {
    from_the_start(
        Fault::StaleWrite,
        rebalance(2, Guard::Off),
        [
            "Tick 17: A wrote version 111 to row ALPS after the handover: a leaked write, over the newer 113: the row went back.",
            "Tick 16: B wrote version 113 to row ALPS.",
            "guard = off, from the start: the last write wins, however old it is, and even after a handover.",
        ],
    );
}

#[test]
fn a_drain_as_long_as_the_interval_ends_in_an_eviction_and_leaks() {
    let interval = |ticks| acts([(9, set([Knob::MaxPollInterval(Some(ticks))]))]);
    from_the_start(
        Fault::Eviction,
        rebalance(6, Guard::Off).with_acts(interval(5)),
        [
            "Tick 14: A was evicted: 5 ticks without a poll.",
            "Tick 10: A is told to give the partition to B: it starts nothing more and drains until tick 16 at the latest.",
            "Tick 10: the group takes the partition from A for B.",
            "drain = 6, from the start: an owner that drains does not poll, and max.poll.interval is 5.",
        ],
    );
    from_the_start(
        Fault::Leak,
        rebalance(6, Guard::Off).with_acts(interval(4)),
        [
            "Tick 15: A wrote version 115 to row DUNE after the handover: a leaked write.",
            "Tick 13: A lost the partition with 110 committed: 8 come again (110, 111, 112, 113, 114, 115, 116, 117), 1 of them already done.",
            "Tick 13: A was evicted: 4 ticks without a poll.",
            "Tick 10: A is told to give the partition to B: it starts nothing more and drains until tick 16 at the latest.",
            "Tick 10: the group takes the partition from A for B.",
            "drain = 6, from the start: an owner that drains does not poll, and max.poll.interval is 4.",
        ],
    );
}

#[test]
fn a_shorter_interval_evicts_at_once() {
    let shorter = acts([(13, set([Knob::MaxPollInterval(Some(3))]))]);
    from_an_event(
        Fault::Eviction,
        rebalance(6, Guard::Off).with_acts(shorter),
        [
            "Tick 13: A was evicted: 4 ticks without a poll.",
            "Tick 10: A is told to give the partition to B: it starts nothing more and drains until tick 16 at the latest.",
            "Tick 10: the group takes the partition from A for B.",
            "max.poll.interval = 3, since tick 13 (event 59): 4 ticks had gone by without a poll.",
        ],
    );
}

#[test]
fn an_unbounded_intake_runs_out_of_memory() {
    from_the_start(
        Fault::OutOfMemory,
        backpressure(Intake::Unbounded, Inputs::new()),
        [
            "Tick 7: A ran out of memory: 82 records in flight, and the heap holds 72.",
            "Tick 7: A polled 12 records (84 to 95); 82 in flight.",
            "intake = unbounded, from the start: nothing ever stops a poll, and the heap holds 72 records.",
        ],
    );
    from_the_start(
        Fault::Redelivery,
        backpressure(Intake::Unbounded, Inputs::new()),
        [
            "Tick 7: A died with 14 committed: 82 come again (14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25 and 70 more), none of them done.",
            "Tick 7: A ran out of memory: 82 records in flight, and the heap holds 72.",
            "Tick 7: A polled 12 records (84 to 95); 82 in flight.",
            "intake = unbounded, from the start: nothing ever stops a poll, and the heap holds 72 records.",
        ],
    );
}

#[test]
fn a_batch_that_takes_the_interval_is_an_eviction() {
    from_the_start(
        Fault::Eviction,
        backpressure(Intake::Block, Inputs::new()),
        [
            "Tick 6: A was evicted: 6 ticks without a poll.",
            "Tick 0: A polled 12 records (0 to 11); 12 in flight.",
            "intake = block, from the start: with a batch of 12, no poll before all of it is finished, and max.poll.interval is 6.",
        ],
    );
    from_the_start(
        Fault::Redelivery,
        backpressure(Intake::Block, Inputs::new()),
        [
            "Tick 6: A lost the partition with 10 committed: 2 come again (10, 11), 2 of them already done.",
            "Tick 6: A was evicted: 6 ticks without a poll.",
            "Tick 0: A polled 12 records (0 to 11); 12 in flight.",
            "intake = block, from the start: with a batch of 12, no poll before all of it is finished, and max.poll.interval is 6. Offsets 10, 11 were done and not committed: the next commit was still to come (commit every = 1).",
        ],
    );
}

#[test]
fn a_poll_below_the_marks_can_be_too_much() {
    let poll = set([Knob::Poll(100)]);
    from_an_event(
        Fault::OutOfMemory,
        backpressure(MODES[0], acts([(4, poll)])),
        [
            "Tick 15: A ran out of memory: 106 records in flight, and the heap holds 72.",
            "Tick 15: A polled 100 records (36 to 135); 106 in flight.",
            "intake = pause at 24, resume at 8, poll = 100 and heap ceiling = 72, since tick 4 (event 27): a poll below the high mark may bring more than the heap holds.",
        ],
    );
}

#[test]
fn a_batch_can_be_too_much() {
    let poll = set([Knob::Poll(100)]);
    from_an_event(
        Fault::OutOfMemory,
        backpressure(Intake::Block, acts([(0, poll)])),
        [
            "Tick 0: A ran out of memory: 100 records in flight, and the heap holds 72.",
            "Tick 0: A polled 100 records (0 to 99); 100 in flight.",
            "intake = block, poll = 100 and heap ceiling = 72, since tick 0 (event 2): a batch may be more than the heap holds.",
        ],
    );
}

#[test]
fn a_heap_can_shrink_below_what_is_in_flight() {
    let smaller = set([Knob::HeapCeiling(Some(10))]);
    from_an_event(
        Fault::OutOfMemory,
        backpressure(MODES[0], acts([(2, smaller)])),
        [
            "Tick 2: A ran out of memory: 32 records in flight, and the heap holds 10.",
            "Tick 2: A polled 12 records (24 to 35); 32 in flight.",
            "heap ceiling = 10, since tick 2 (event 13): 20 were in flight already.",
        ],
    );
}

#[test]
fn nobody_asks_why_all_is_well() {
    let mut player = rebalance(7, Guard::Newer);
    player.play_out();
    let events = player.run().ledger().events();
    let fine = events.iter().filter(|event| event.fault().is_none());
    assert!(fine.clone().count() > events.len() / 2);
    assert!(fine.clone().all(|event| why(events, event.id, player.setup()).is_none()));
    assert_eq!(why(events, EventId(events.len() as u64), player.setup()), None);
}
