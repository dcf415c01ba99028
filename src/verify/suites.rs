//! The suites: what is varied in each, and how far.

use super::{
    Suite, Troubles,
    crossed::crossed,
    small::{
        self, LANE_NAMES, NAMES, Small, TWO_LANE_NAMES, alone, grouped, keyings, log_at, one_changed,
        one_fails, pairs, troubles,
    },
};
use crate::{
    mechanism::Guard,
    world::{
        Fails, Knob, Knobs, Work,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, Quarantine, RebalanceProtocol,
            RetryAt, Routing, Then,
        },
    },
};

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// A third of a minute on two cores.
    Small,
    /// Some minutes.
    Large,
}

impl Size {
    pub(super) fn pick<T>(self, small: T, large: T) -> T {
        match self {
            Size::Small => small,
            Size::Large => large,
        }
    }
}

const ONE_WORKER: &str = "one key, one worker";
const IN_ORDER: &str = "a key's records complete in offset order";
const NOTHING_BELOW: &str = "nothing below the committed offset is unfinished";
const IN_LINE: &str = "committed <= watermark <= position";
const NEVER_BACK: &str = "watermark and committed offset never go back";
const GATE_CLOSED: &str = "a partition is paused only while its owner's gate is closed";
const BRINGS: &str = "a poll through an open gate brings what there is";
const FENCED: &str = "nothing after the fence changes tracker or commit";
const BELOW_HIGH: &str = "in flight stays below high + poll";
const IN_HEAP: &str = "in flight never exceeds the heap ceiling";
const POLLS: &str = "a poll at least every max.poll.interval";
const NO_LATE_WRITE: &str = "no write lands after the handover";
const ROWS_ADVANCE: &str = "a row's version never goes back";
const STAYS: &str = "what stays with its owner is not revoked";

/// All suites, of this size.
#[must_use]
pub fn suites(size: Size) -> Vec<Suite> {
    vec![
        mailboxes(size),
        lanes(size),
        shared_pool(size),
        retries(size),
        quarantine(size),
        pause(size),
        kept_pauses(size),
        refetches(size),
        ceilings(size),
        crashes(size),
        handovers(size),
        late_writes(size),
        late_commits(size),
        long_drains(size),
        rebalances(size),
        turned_knobs(size),
        dead_ends(size),
        crossed(size),
    ]
}

fn mailboxes(size: Size) -> Suite {
    let len = size.pick(5, 7);
    let mut configurations = Vec::new();
    for log in (1..=len).flat_map(|len| keyings(len, 3)) {
        for (workers, poll) in pairs(&[1, 2, 3], &[1, 500]) {
            let knobs = Knobs { workers, poll, ..Knobs::default() };
            configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(troubles(1, 0), 1));
        }
        // And every way to take keys away.
        for (workers, null_keys) in pairs(&[2, 3], &[NullKeys::Mailbox, NullKeys::Spread]) {
            for log in one_changed(std::slice::from_ref(&log), |record| record.key = None) {
                configurations
                    .push(alone(small::log(&log, NAMES), Knobs { workers, null_keys, ..Knobs::default() }));
            }
        }
    }
    Suite {
        name: "keyed mailboxes under every finishing order",
        bounds: format!(
            "1 to {len} records over 1 to 3 keys, 1 to 3 workers, one record or all of them a poll, one crash; and \
             without a crash any one record without a key, in a mailbox of their own or spread"
        ),
        breaks: vec![],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn lanes(size: Size) -> Suite {
    let len = size.pick(5, 7);
    let logs: Vec<_> = (2..=len).flat_map(|len| keyings(len, 3)).collect();
    let mut configurations = Vec::new();
    for log in &logs {
        for workers in 2..=3 {
            for names in LANE_NAMES {
                let knobs = Knobs { workers, routing: Routing::Lanes(2), ..Knobs::default() };
                configurations.push(alone(small::log(log, names), knobs).with_troubles(troubles(1, 0), 1));
            }
        }
        let knobs = Knobs { workers: 3, routing: Routing::Serial, ..Knobs::default() };
        configurations.push(alone(small::log(log, NAMES), knobs).with_troubles(troubles(1, 0), 1));
    }
    Suite {
        name: "two lanes, and a serial consumer",
        bounds: format!(
            "2 to {len} records over 1 to 3 keys, which share a lane in every way; 2 or 3 workers; one crash"
        ),
        breaks: vec![],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn shared_pool(size: Size) -> Suite {
    let len = size.pick(5, 7);
    let whole: Vec<_> = (1..=len).flat_map(|len| keyings(len, 3)).collect();
    let failing = one_fails(&(1..len).flat_map(|len| keyings(len, 2)).collect::<Vec<_>>(), Fails::First(1));
    let mut configurations = Vec::new();
    for (log, workers) in pairs(&[whole, failing].concat(), &[1, 2, 3]) {
        let knobs = Knobs { workers, routing: Routing::Shared, ..Knobs::default() };
        configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(troubles(1, 0), 1));
    }
    Suite {
        name: "a shared pool",
        bounds: format!(
            "1 to {len} records over 1 to 3 keys, and up to {} over 2 of which any one fails once; 1 to 3 workers; one \
             crash",
            len - 1
        ),
        breaks: vec![ONE_WORKER, IN_ORDER],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn retries(size: Size) -> Suite {
    let len = size.pick(4, 6);
    let logs = one_fails(&(1..=len).flat_map(|len| keyings(len, 3)).collect::<Vec<_>>(), Fails::First(1));
    let twice = one_fails(&one_fails(&keyings(3, 2), Fails::First(1)), Fails::First(2));
    let mut configurations = Vec::new();
    for log in [logs, twice].concat() {
        for (routing, retry_at) in
            pairs(&[Routing::Keyed, Routing::Shared, Routing::Lanes(2)], &[RetryAt::Head, RetryAt::Tail])
        {
            for (workers, retry_delay) in pairs(&[1, 2], &[1, 2]) {
                let knobs = Knobs { workers, routing, retry_at, retry_delay, ..Knobs::default() };
                let names: &[_] = if routing == Routing::Lanes(2) { &LANE_NAMES } else { &[NAMES] };
                let logs = names.iter().map(|&names| small::log(&log, names));
                configurations.extend(logs.map(|log| alone(log, knobs.clone())));
            }
        }
    }
    Suite {
        name: "retries at the head and at the tail",
        bounds: format!(
            "1 to {len} records over 1 to 3 keys of which any one fails once, 3 over 2 of which one fails twice and \
             another perhaps once; keyed, shared, two lanes, which the keys share in every way; 1 or 2 workers; a delay of 1 or 2 ticks"
        ),
        breaks: vec![ONE_WORKER, IN_ORDER],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn quarantine(size: Size) -> Suite {
    let len = size.pick(4, 6);
    let logs: Vec<_> = (1..=len).flat_map(|len| keyings(len, 2)).collect();
    let failing = one_fails(&logs, Fails::Always);
    let letters: Vec<_> = pairs(&[0, 1, 3], &[Then::Continue, Then::Park])
        .into_iter()
        .map(|(after, then)| Some(Quarantine { after, then }))
        .collect();
    let mut configurations = Vec::new();
    for (log, quarantine) in pairs(&failing, &letters) {
        for (routing, retry_at) in pairs(&[Routing::Keyed, Routing::Shared], &[RetryAt::Head, RetryAt::Tail])
        {
            for workers in 1..=2 {
                let knobs = Knobs { workers, routing, retry_at, quarantine, ..Knobs::default() };
                configurations.push(alone(small::log(&log, NAMES), knobs));
            }
        }
    }
    let poison = Troubles { poisons: 1, crashes: size.pick(0, 1), ..Troubles::default() };
    for (log, quarantine) in pairs(&logs, &letters) {
        let knobs = Knobs { workers: 2, poll: 2, quarantine, ..Knobs::default() };
        configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(poison, 1));
    }
    Suite {
        name: "quarantine",
        bounds: format!(
            "1 to {len} records over 1 or 2 keys; dead letters after 0, 1 or 3 ticks, the key goes on or is parked; any \
             one record always fails, under keyed and shared routing, retried at the head and the tail, on 1 or 2 \
             workers; or all are sound and any one is poisoned at any tick{}",
            size.pick("", ", and the process crashes at any tick")
        ),
        breaks: vec![ONE_WORKER, IN_ORDER],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn pause(size: Size) -> Suite {
    let len = size.pick(5, 7);
    let logs: Vec<_> = (3..=len).flat_map(|len| keyings(len, 2)).collect();
    let mut configurations = Vec::new();
    for (log, (high, low)) in pairs(&logs, &[(2, 0), (2, 1), (3, 0), (3, 1)]) {
        for (poll, workers) in pairs(&[1, 2], &[1, 2, 3]) {
            let interval = Some(2);
            let intake = Intake::Pause { high, low };
            let heap_ceiling = Some(high - 1 + poll);
            let knobs = Knobs {
                workers,
                poll,
                intake,
                heap_ceiling,
                max_poll_interval: interval,
                ..Knobs::default()
            };
            configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(troubles(1, 0), 1));
        }
    }
    Suite {
        name: "the pause gate",
        bounds: format!(
            "3 to {len} records over 1 or 2 keys; high 2 or 3, low 0 or 1; 1 or 2 records a poll, 1 to 3 workers; a heap \
             that holds just what the gate admits, a poll due every 2 ticks; one crash"
        ),
        breaks: vec![],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn kept_pauses(size: Size) -> Suite {
    let len = 3;
    let mut configurations = Vec::new();
    for (log, (high, low)) in pairs(&keyings(len, 2), &[(2, 0), (2, 1), (3, 0)]) {
        for (drain, interval) in pairs(&[0, 1], &[None, Some(2)]) {
            let knobs = Knobs {
                workers: 2,
                poll: 1,
                intake: Intake::Pause { high, low },
                drain,
                max_poll_interval: interval,
                pause_at_assignment: PauseAtAssignment::Kept,
                ..Knobs::default()
            };
            configurations
                .push(grouped(small::log(&log, NAMES), knobs).with_troubles(troubles(size.pick(0, 1), 2), 1));
        }
    }
    Suite {
        name: "pauses that outlive an assignment",
        bounds: format!(
            "{len} records over 1 or 2 keys, 2 workers, one record a poll; high 2 or 3, low 0 or 1; pauses are kept; \
             drains of 0 or 1 tick, with and without a poll due every 2; two revokes, from either member to \
             either{}",
            size.pick("", ", and one crash")
        ),
        breaks: vec![POLLS, GATE_CLOSED, NO_LATE_WRITE],
        sticks: true,
        is_crossed: false,
        configurations,
    }
}

fn refetches(size: Size) -> Suite {
    let len = size.pick(4, 5);
    let logs: Vec<_> = (3..=len).flat_map(|len| keyings(len, 2)).collect();
    let mut configurations = Vec::new();
    for (log, (high, low)) in pairs(&logs, &[(2, 0), (2, 1), (3, 0), (3, 1)]) {
        for ((poll, workers), refetch) in pairs(&pairs(&[1, 2], &[1, 2]), &[1, 2, 3]) {
            let intake = Intake::Pause { high, low };
            let heap_ceiling = Some(high - 1 + poll);
            let knobs = Knobs {
                workers,
                poll,
                intake,
                heap_ceiling,
                // Whoever refetches goes on polling.
                max_poll_interval: Some(2),
                refetch,
                ..Knobs::default()
            };
            configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(troubles(1, 0), 1));
        }
    }
    Suite {
        name: "a prefetch thrown away at a pause",
        bounds: format!(
            "3 to {len} records over 1 or 2 keys; high 2 or 3, low 0 or 1; 1 or 2 records a poll, 1 or 2 workers; \
             polls bring nothing for 1 to 3 ticks after a resume; a heap that holds just what the gate admits, a \
             poll due every 2 ticks; one crash"
        ),
        breaks: vec![BRINGS],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn ceilings(size: Size) -> Suite {
    let len = size.pick(3, 4);
    let logs: Vec<_> = (2..=len).flat_map(|len| keyings(len, 2)).collect();
    let mut configurations = Vec::new();
    for (log, workers) in pairs(&logs, &[1, 2]) {
        for (poll, ceiling) in pairs(&[1, 2], &[1, 2, 3]) {
            let intake = Intake::Unbounded;
            let knobs = Knobs { workers, poll, intake, heap_ceiling: Some(ceiling), ..Knobs::default() };
            configurations.push(alone(small::log(&log, NAMES), knobs));
        }
        for (poll, interval) in pairs(&[1, 2, 3], &[2, 3]) {
            let (intake, max_poll_interval) = (Intake::Block, Some(interval));
            let knobs = Knobs { workers, poll, intake, max_poll_interval, ..Knobs::default() };
            configurations.push(alone(small::log(&log, NAMES), knobs.clone()));
            configurations.push(grouped(small::log(&log, NAMES), knobs));
        }
        for poll in 1..=3 {
            let knobs =
                Knobs { workers, poll, intake: Intake::Block, heap_ceiling: Some(poll), ..Knobs::default() };
            configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(troubles(1, 0), 1));
        }
    }
    Suite {
        name: "unbounded intake, and intake that blocks",
        bounds: format!(
            "2 to {len} records over 1 or 2 keys, 1 or 2 workers; unbounded with a heap of 1 to 3 records; blocking with \
             1 to 3 records a poll and a poll due every 2 or 3 ticks, alone or in a group; blocking without a \
             deadline, one crash"
        ),
        breaks: vec![IN_HEAP, POLLS, NO_LATE_WRITE],
        sticks: true,
        is_crossed: false,
        configurations,
    }
}

fn crashes(size: Size) -> Suite {
    let (len, crashes) = size.pick((4, 1), (5, 2));
    let sound: Vec<_> = (2..=len).flat_map(|len| keyings(len, 3)).collect();
    let failing = one_fails(&keyings(3, 2), Fails::First(1));
    let mut configurations = Vec::new();
    for log in [sound, failing].concat() {
        for (commit_offset, ack_map) in
            pairs(&[CommitOffset::Watermark, CommitOffset::Highest], &[false, true])
        {
            for (commit_every, workers) in pairs(&[1, 2], &[2, 3]) {
                let knobs = Knobs { workers, commit_offset, commit_every, ack_map, ..Knobs::default() };
                for log in [small::log(&log, NAMES), log_at(&log, NAMES, |index| 1 + index + index / 2)] {
                    let configuration = alone(log, knobs.clone());
                    configurations.push(configuration.with_troubles(troubles(crashes, 0), 2));
                }
            }
        }
    }
    Suite {
        name: "crashes and what is committed",
        bounds: format!(
            "2 to {len} records over 1 to 3 keys, and 3 over 2 of which any one fails once, with and without \
             gaps between their offsets; 2 or 3 workers; the \
             watermark or the highest offset is committed, every tick or every other, with and without an \
             acknowledgement map; {crashes} {}, restarted at any time, in the same tick too",
            size.pick("crash", "crashes")
        ),
        breaks: vec![NOTHING_BELOW, IN_LINE],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn handovers(size: Size) -> Suite {
    let len = size.pick(2, 4);
    let logs: Vec<_> = (1..=len).flat_map(|len| keyings(len, 2)).collect();
    let mut configurations = Vec::new();
    for (log, drain) in pairs(&logs, &[0, 1, 2]) {
        for (guard, ack_map) in pairs(&[Guard::Off, Guard::Newer, Guard::NotOlder], &[false, true]) {
            let knobs = Knobs { workers: 2, drain, guard, ack_map, ..Knobs::default() };
            let configuration = grouped(small::log(&log, NAMES), knobs);
            configurations.push(configuration.with_troubles(troubles(1, 2), size.pick(1, 2)));
        }
        for routing in [Routing::Shared, Routing::Serial] {
            let knobs = Knobs { workers: 2, drain, routing, ..Knobs::default() };
            configurations.push(grouped(small::log(&log, NAMES), knobs).with_troubles(troubles(0, 2), 1));
        }
    }
    for (log, drain) in pairs(&keyings(len + 1, 2), &[0, 1, 2]) {
        for guard in [Guard::Off, Guard::Newer, Guard::NotOlder] {
            let knobs = Knobs { workers: 2, drain, guard, ..Knobs::default() };
            configurations.push(grouped(small::log(&log, NAMES), knobs).with_troubles(troubles(0, 1), 1));
        }
    }
    Suite {
        name: "a partition that goes to and fro",
        bounds: format!(
            "1 to {len} records over 1 or 2 keys, 2 workers; drains of 0 to 2 ticks, every guard, with and without an \
             acknowledgement map; two revokes, from either member to either, and one crash{}; two revokes under \
             shared and serial routing; {} records, every guard, one revoke",
            size.pick("", ", two of these in one tick too"),
            len + 1
        ),
        breaks: vec![ONE_WORKER, IN_ORDER, NO_LATE_WRITE, ROWS_ADVANCE],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn late_writes(size: Size) -> Suite {
    let len = size.pick(3, 5);
    let mut configurations = Vec::new();
    for log in (2..=len).flat_map(|len| keyings(len, 2)) {
        for long in 0..=log.len() {
            let mut log = log.clone();
            for (at, record) in log.iter_mut().enumerate() {
                record.work = Work::Ticks(if at == long { 3 } else { 1 });
            }
            for (drain, guard) in pairs(&[0, 1, 2], &[Guard::Off, Guard::Newer, Guard::NotOlder]) {
                let knobs = Knobs { workers: 2, drain, guard, ..Knobs::default() };
                let configuration = grouped(small::log(&log, NAMES), knobs);
                for stalls in [0, size.pick(2, 3)] {
                    let troubles = Troubles { revokes: 2, stalls, ..Troubles::default() };
                    configurations.push(configuration.clone().with_troubles(troubles, 1));
                }
            }
        }
    }
    Suite {
        name: "late writes",
        bounds: format!(
            "2 to {len} records over 1 or 2 keys, 2 workers; each record takes 1 tick, any one perhaps 3; drains of 0 to \
             2 ticks, every guard; two revokes, from either member to either; no stall, or up to {} of either \
             member by one tick each",
            size.pick(2, 3)
        ),
        breaks: vec![NO_LATE_WRITE, ROWS_ADVANCE],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn late_commits(size: Size) -> Suite {
    let len = 3;
    let mut configurations = Vec::new();
    for log in (2..=len).flat_map(|len| keyings(len, 2)) {
        for long in 0..log.len() {
            let mut log = log.clone();
            for (at, record) in log.iter_mut().enumerate() {
                record.work = Work::Ticks(if at == long { 3 } else { 1 });
            }
            for (commit_offset, ack_map) in
                pairs(&[CommitOffset::Watermark, CommitOffset::Highest], &[false, true])
            {
                for (drain, commit_every) in pairs(&[0, 1], &[1, 2]) {
                    let late_commit = LateCommit::Sent;
                    let knobs = Knobs {
                        workers: 2,
                        drain,
                        commit_every,
                        commit_offset,
                        ack_map,
                        late_commit,
                        ..Knobs::default()
                    };
                    let configuration = grouped(small::log(&log, NAMES), knobs);
                    let (crashes, stalls) = size.pick((1, 0), (1, 1));
                    let troubles = Troubles { crashes, revokes: 2, stalls, ..Troubles::default() };
                    configurations.push(configuration.with_troubles(troubles, 1));
                }
            }
        }
    }
    Suite {
        name: "late commits",
        bounds: format!(
            "2 to {len} records over 1 or 2 keys, 2 workers; each record takes 1 tick and any one 3; ended ownerships \
             go on committing the watermark or the highest offset, every tick or every other, with and without an \
             acknowledgement map; drains of 0 or 1 tick; two revokes, from either member to either, and one crash{}",
            size.pick("", "; one stall of either member by one tick")
        ),
        breaks: vec![NOTHING_BELOW, IN_LINE, NEVER_BACK, FENCED, NO_LATE_WRITE],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn long_drains(size: Size) -> Suite {
    let len = size.pick(3, 4);
    let logs: Vec<_> = (1..=len).flat_map(|len| keyings(len, 2)).collect();
    let mut configurations = Vec::new();
    for (log, (drain, interval)) in pairs(&logs, &pairs(&[0, 1, 2], &[2, 3])) {
        for workers in 1..=2 {
            let knobs = Knobs { workers, drain, max_poll_interval: Some(interval), ..Knobs::default() };
            let configuration = grouped(small::log(&log, NAMES), knobs);
            configurations.push(configuration.with_troubles(troubles(size.pick(0, 1), 2), 1));
        }
    }
    Suite {
        name: "drains and the poll interval",
        bounds: format!(
            "1 to {len} records over 1 or 2 keys, 1 or 2 workers; drains of 0 to 2 ticks, a poll due every 2 or 3; two \
             revokes, from either member to either{}",
            size.pick("", "; one crash")
        ),
        breaks: vec![POLLS, NO_LATE_WRITE],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn rebalances(size: Size) -> Suite {
    let len = size.pick(3, 4);
    let mut configurations = Vec::new();
    for log in (1..=len).flat_map(|len| keyings(len, 2)) {
        for rebalance_protocol in [RebalanceProtocol::Cooperative, RebalanceProtocol::Eager] {
            for ((drain, interval), ack_map) in pairs(&pairs(&[0, 1, 2], &[None, Some(2)]), &[false, true]) {
                let knobs = Knobs {
                    workers: 2,
                    drain,
                    max_poll_interval: interval,
                    ack_map,
                    rebalance_protocol,
                    ..Knobs::default()
                };
                let troubles = Troubles { crashes: size.pick(0, 1), rebalances: 2, ..Troubles::default() };
                configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(troubles, 1));
            }
        }
    }
    Suite {
        name: "rebalances that leave the partition where it is",
        bounds: format!(
            "1 to {len} records over 1 or 2 keys, 2 workers; the cooperative protocol and the eager one; drains of 0 to \
             2 ticks, with and without a poll due every 2, with and without an acknowledgement map; two \
             rebalances{}",
            size.pick("", ", and one crash")
        ),
        breaks: vec![POLLS, NO_LATE_WRITE, STAYS],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn turned_knobs(size: Size) -> Suite {
    let len = size.pick(4, 5);
    let sound: Vec<_> = keyings(len, 2);
    let failing = one_fails(&keyings(3, 2), Fails::First(1));
    let routings = [Routing::Keyed, Routing::Shared, Routing::Serial, Routing::Lanes(2)];
    let one = |knobs: &[Knob]| knobs.iter().map(|&knob| vec![knob]).collect::<Vec<_>>();
    let mut configurations = Vec::new();
    let mut add = |log: &[Small], names, knobs: Knobs, turns: Vec<Vec<Knob>>, count| {
        let turned = alone(small::log(log, names), knobs).with_turns(turns, count);
        configurations.push(turned.expect("turns that make sense"));
    };
    for log in [sound.clone(), failing].concat() {
        for (routing, retry_at) in pairs(&routings, &[RetryAt::Head, RetryAt::Tail]) {
            let knobs = Knobs { workers: 2, routing, retry_at, ..Knobs::default() };
            for names in TWO_LANE_NAMES {
                add(&log, names, knobs.clone(), one(&routings.map(Knob::Routing)), size.pick(1, 2));
            }
        }
    }
    for log in sound {
        let base =
            Knobs { workers: 2, poll: 2, intake: Intake::Pause { high: 3, low: 1 }, ..Knobs::default() };
        let intakes = [
            Knob::Intake(Intake::Pause { high: 2, low: 0 }),
            Knob::Intake(Intake::Unbounded),
            Knob::Intake(Intake::Block),
            Knob::Poll(1),
            Knob::Workers(1),
        ];
        add(&log, NAMES, base, one(&intakes), 2);
        let base = Knobs { workers: 3, ..Knobs::default() };
        let commits = [
            Knob::CommitOffset(CommitOffset::Highest),
            Knob::CommitOffset(CommitOffset::Watermark),
            Knob::AckMap(true),
            Knob::AckMap(false),
            Knob::CommitEvery(2),
        ];
        add(&log, NAMES, base, one(&commits), 2);
    }
    for log in one_fails(&keyings(3, 2), Fails::First(2)) {
        let letters = |after, then| Knob::Quarantine(Some(Quarantine { after, then }));
        let turns = [
            letters(1, Then::Park),
            letters(2, Then::Continue),
            Knob::Quarantine(None),
            Knob::RetryAt(RetryAt::Tail),
            Knob::RetryDelay(3),
        ];
        add(&log, NAMES, Knobs { workers: 2, ..Knobs::default() }, one(&turns), 2);
    }
    Suite {
        name: "knobs turned while records are in flight",
        bounds: format!(
            "{len} records over 1 or 2 keys, and 3 of which any one fails once or twice, 2 or 3 workers; at any tick, \
             {} in a run, every routing to every other, with keys that share a lane and that do not; twice in a run marks, intake, poll and workers; what is \
             committed, when and with what; quarantine, place and delay of retries",
            size.pick("once", "twice")
        ),
        breaks: vec![ONE_WORKER, IN_ORDER, NOTHING_BELOW, IN_LINE, BELOW_HIGH],
        sticks: false,
        is_crossed: false,
        configurations,
    }
}

fn dead_ends(size: Size) -> Suite {
    let len = size.pick(4, 5);
    let logs: Vec<_> = (1..=len).flat_map(|len| keyings(len, 2)).collect();
    let endless = one_changed(&logs, |record| record.work = Work::Never);
    let endless = [endless.clone(), one_changed(&endless, |record| record.work = Work::Never)].concat();
    let letters = Some(Quarantine { after: 2, then: Then::Continue });
    let mut configurations = Vec::new();
    for (log, (high, low)) in pairs(&endless, &[(2, 0), (2, 1), (24, 8)]) {
        for quarantine in [None, letters] {
            let intake = Intake::Pause { high, low };
            let knobs = Knobs { workers: 2, poll: 1, intake, quarantine, ..Knobs::default() };
            configurations.push(alone(small::log(&log, NAMES), knobs));
        }
    }
    for log in one_fails(&logs, Fails::Always) {
        configurations.push(alone(small::log(&log, NAMES), Knobs { workers: 2, ..Knobs::default() }));
    }
    let poisons = Troubles { poisons: 1, ..Troubles::default() };
    for log in logs {
        let knobs = Knobs { workers: 2, ..Knobs::default() };
        configurations.push(alone(small::log(&log, NAMES), knobs).with_troubles(poisons, 1));
    }
    Suite {
        name: "what never ends",
        bounds: format!(
            "1 to {len} records over 1 or 2 keys, 2 workers; any one or two are stuck, under marks of 2 and 0, 2 and 1, \
             24 and 8, with and without quarantine; any one always fails, or is poisoned, without quarantine"
        ),
        breaks: vec![],
        sticks: true,
        is_crossed: false,
        configurations,
    }
}
