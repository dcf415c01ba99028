//! Why, over thousands of random runs: every fault has an answer, and every answer holds together.
#![cfg(not(target_arch = "wasm32"))]

mod oracle;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use keyed_worker_pool::{
    ledger::{Decision, Event, EventId, Fault, Keep, Why, why},
    mechanism::Guard,
    scenario::{Scenario, Source, play},
    world::{
        Fact, Input, Knobs, Setup,
        config::{CommitOffset, Intake, LateCommit, PauseAtAssignment, RebalanceProtocol, RetryAt, Routing},
    },
};

fn events(text: &str) -> (Vec<Event>, Setup) {
    let source = Source { name: "random.toml".to_owned(), text: text.to_owned(), marked: false };
    let scenario = Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    // A member that is evicted over and over goes on for ten thousand ticks, and they are all alike.
    let run = play(&scenario, Keep::Events, |run| run.now().0 < 200).expect("a small run");
    (run.ledger().events().to_vec(), scenario.setup)
}

fn at(events: &[Event], id: EventId) -> &Event {
    &events[id.0 as usize]
}

/// The knobs before an event.
fn knobs(events: &[Event], before: EventId, setup: &Setup) -> Knobs {
    events[..before.0 as usize].iter().fold(setup.knobs().clone(), |knobs, event| match &event.fact {
        Fact::KnobsTurned(turned) => knobs.with(turned).expect("what was turned keeps the rules"),
        _ => knobs,
    })
}

/// What a decision says of when it was made is so.
fn check_when(events: &[Event], asked: EventId, decision: &Decision) {
    let Some(made) = decision.event else {
        assert_eq!(decision.tick.0, 0);
        assert!(decision.sentence.contains(", from the start: "));
        return;
    };
    assert!(made < asked);
    let made = at(events, made);
    assert!(matches!(made.fact, Fact::KnobsTurned(_) | Fact::Input(_)));
    assert_eq!(decision.tick, made.tick);
    assert!(decision.sentence.contains(&format!("tick {} (event {})", made.tick, made.id)));
}

/// Where a chain may end, and what the decision is there.
fn check_end(events: &[Event], fault: Fault, why: &Why, setup: &Setup) -> &'static str {
    let chain: Vec<&Event> = why.chain.iter().map(|&id| at(events, id)).collect();
    let (&end, says) = (chain.last().expect("the event itself"), why.decision.sentence.as_str());
    let stood = knobs(events, end.id, setup);
    match (&end.fact, says) {
        (Fact::Started(_), says) if says.starts_with("routing = shared") => {
            // The routing that let a record start beside another: the one's start that is asked about, or that
            // overtook.
            let passing = if fault == Fault::Overlap { chain[0] } else { end };
            assert!(matches!(fault, Fault::OrderBreak | Fault::Overlap));
            assert_eq!(knobs(events, passing.id, setup).routing, Routing::Shared);
            "routing"
        }
        (Fact::Failed { .. }, says) if says.starts_with("routing = shared") => {
            assert_eq!((fault, stood.retry_at), (Fault::OrderBreak, RetryAt::Head));
            "retry outside the queue"
        }
        (Fact::Failed { .. }, says) if says.starts_with("retry at = tail") => {
            assert_eq!((fault, stood.retry_at), (Fault::OrderBreak, RetryAt::Tail));
            "retry at the tail"
        }
        (Fact::Completed { late: true, .. } | Fact::OwnerEnded { .. }, says)
            if says.starts_with("late commits = sent") =>
        {
            assert_eq!((fault, chain.len()), (Fault::LateCommit, 2));
            assert_eq!(knobs(events, chain[0].id, setup).late_commit, LateCommit::Sent);
            "late commits"
        }
        (Fact::Paused { .. }, says) if says.starts_with("refetch = ") => {
            assert_eq!((fault, chain.len()), (Fault::EmptyPoll, 3));
            let (poll, resumed) = (chain[0], chain[1]);
            assert!(matches!(resumed.fact, Fact::Resumed { .. }));
            let refetch = knobs(events, resumed.id, setup).refetch;
            // The first poll that may bring something is the last one that would not have, and one more.
            assert!(matches!(poll.fact, Fact::EmptyPoll { until, .. } if poll.tick < until
                && (resumed.tick.after(refetch)..=resumed.tick.after(refetch + 1)).contains(&until)));
            "refetch"
        }
        (Fact::Paused { .. }, says) => {
            assert!(says.starts_with("pause at assignment = kept"), "{says}");
            assert_eq!((fault, chain.len()), (Fault::KeptPause, 2));
            assert_eq!(knobs(events, chain[0].id, setup).pause_at_assignment, PauseAtAssignment::Kept);
            "kept pause"
        }
        (Fact::Committed { late: true, .. }, says) => {
            assert!(says.starts_with("commit = highest"), "{says}");
            assert_eq!(
                (fault, knobs(events, end.id, setup).commit_offset),
                (Fault::Loss, CommitOffset::Highest)
            );
            "highest"
        }
        (Fact::Completed { .. } | Fact::DeadLettered { .. }, says) => {
            assert!(says.starts_with("commit = highest"), "{says}");
            assert_eq!(fault, Fault::Loss);
            let commit = chain[chain.len() - 2];
            assert_eq!(knobs(events, commit.id, setup).commit_offset, CommitOffset::Highest);
            "highest"
        }
        (Fact::Wrote { accepted: true, .. }, says) => {
            assert!(says.starts_with("guard = off"), "{says}");
            assert_eq!((fault, chain.len()), (Fault::StaleWrite, 2));
            assert_eq!(knobs(events, chain[0].id, setup).guard, Guard::Off);
            "guard"
        }
        (Fact::Input(Input::Rebalance), says) if says.starts_with("rebalance protocol = eager") => {
            assert!(matches!(fault, Fault::NeedlessRevocation | Fault::Redelivery));
            let rebalanced = chain[chain.len() - 2];
            assert!(matches!(rebalanced.fact, Fact::Rebalanced { revoked: true, .. }));
            let protocol = knobs(events, rebalanced.id, setup).rebalance_protocol;
            assert_eq!(protocol, RebalanceProtocol::Eager);
            "eager"
        }
        (Fact::Input(Input::Revoke { .. } | Input::Rebalance), says) if says.starts_with("drain = ") => {
            assert!(matches!(fault, Fault::Leak | Fault::Eviction | Fault::Redelivery));
            "drain"
        }
        (Fact::Input(Input::Crash(_) | Input::Revoke { .. }), _) if why.decision.event == Some(end.id) => {
            assert_eq!(fault, Fault::Redelivery);
            "input"
        }
        (Fact::Polled { .. } | Fact::Input(Input::Revoke { .. } | Input::Rebalance), says)
            if says.starts_with("max.poll.interval = ") =>
        {
            assert!(why.decision.event.is_some());
            "interval"
        }
        (Fact::Polled { .. }, says)
            if chain.iter().any(|event| matches!(event.fact, Fact::Evicted { .. })) =>
        {
            assert!(says.starts_with("intake = block"), "{says}");
            "block"
        }
        (Fact::Polled { .. }, says) => {
            let died = chain[chain.len() - 2];
            assert!(matches!(died.fact, Fact::Crashed { .. }));
            match knobs(events, died.id, setup).intake {
                _ if says.starts_with("heap ceiling = ") => {
                    assert!(why.decision.event.is_some());
                    "a lower ceiling"
                }
                Intake::Unbounded => {
                    assert!(says.starts_with("intake = unbounded"), "{says}");
                    "unbounded"
                }
                Intake::Pause { .. } => {
                    assert!(says.starts_with("intake = pause"), "{says}");
                    "marks above the ceiling"
                }
                Intake::Block => {
                    assert!(says.starts_with("intake = block"), "{says}");
                    "a batch above the ceiling"
                }
            }
        }
        (fact, says) => panic!("no decision follows from {fact:?}: {says}"),
    }
}

/// Every event of a run: whether it can be asked about, and whether the answer holds together.
fn check_run(text: &str, kinds: &mut BTreeMap<(Fault, &'static str), u64>) {
    let (events, setup) = events(text);
    for event in &events {
        assert!(event.causes.iter().all(|&cause| cause < event.id), "a cause comes later");
        let (fault, answer) = (event.fault(), why(&events, event.id, &setup));
        assert_eq!(fault.is_some(), answer.is_some(), "{:?}\n{text}", event);
        let (Some(fault), Some(answer)) = (fault, answer) else { continue };
        assert_eq!(answer.chain[0], event.id);
        for pair in answer.chain.windows(2) {
            assert!(at(&events, pair[0]).causes.contains(&pair[1]), "{pair:?} of {:?}\n{text}", answer.chain);
        }
        check_when(&events, event.id, &answer.decision);
        *kinds.entry((fault, check_end(&events, fault, &answer, &setup))).or_default() += 1;
    }
}

#[test]
fn every_fault_has_an_answer_that_holds_together() {
    let mut kinds = BTreeMap::new();
    for seed in 0..10_000 {
        check_run(&oracle::generate::scenario(seed), &mut kinds);
        check_run(&oracle::generate::scenario_with_ways(seed), &mut kinds);
    }
    // Each kind of fault was met, and each decision that any of them can go back to.
    assert!(Fault::ALL.iter().all(|fault| kinds.keys().any(|(met, _)| met == fault)), "{kinds:?}");
    let decisions: BTreeSet<&str> = kinds.keys().map(|(_, decision)| *decision).collect();
    let all = [
        "a batch above the ceiling",
        "a lower ceiling",
        "block",
        "drain",
        "eager",
        "guard",
        "highest",
        "input",
        "interval",
        "kept pause",
        "late commits",
        "marks above the ceiling",
        "refetch",
        "retry at the tail",
        "retry outside the queue",
        "routing",
        "unbounded",
    ];
    assert_eq!(decisions, BTreeSet::from(all), "{kinds:?}");
}
