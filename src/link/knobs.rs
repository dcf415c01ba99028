//! Knobs as numbers: which one, and its value. The numbers are what links are made of: they never change.

use super::{MOST_LANES, MOST_POLL, MOST_WORKERS, bytes::Unpacking, bytes::place, error::LinkError};
use crate::{
    mechanism::Guard,
    world::{
        Knob, Knobs,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, Quarantine, RebalanceProtocol,
            RetryAt, Routing, Then,
        },
    },
};

const NULL_KEYS: [NullKeys; 2] = [NullKeys::Mailbox, NullKeys::Spread];
const RETRY_AT: [RetryAt; 2] = [RetryAt::Head, RetryAt::Tail];
const COMMITS: [CommitOffset; 2] = [CommitOffset::Watermark, CommitOffset::Highest];
const THENS: [Then; 2] = [Then::Continue, Then::Park];
const GUARDS: [Guard; 3] = [Guard::Off, Guard::Newer, Guard::NotOlder];
const LATE_COMMITS: [LateCommit; 2] = [LateCommit::Checked, LateCommit::Sent];
const PAUSES: [PauseAtAssignment; 2] = [PauseAtAssignment::Forgotten, PauseAtAssignment::Kept];
const PROTOCOLS: [RebalanceProtocol; 2] = [RebalanceProtocol::Cooperative, RebalanceProtocol::Eager];
const SWITCH: [bool; 2] = [false, true];

/// The knob's number, and the numbers of its value.
pub(super) fn numbers(knob: Knob) -> Vec<u64> {
    match knob {
        Knob::Workers(workers) => vec![0, workers.into()],
        Knob::Routing(Routing::Keyed) => vec![1, 0],
        Knob::Routing(Routing::Shared) => vec![1, 1],
        Knob::Routing(Routing::Serial) => vec![1, 2],
        Knob::Routing(Routing::Lanes(lanes)) => vec![1, 3, lanes.into()],
        Knob::NullKeys(value) => vec![2, place(&NULL_KEYS, &value)],
        Knob::RetryDelay(ticks) => vec![3, ticks],
        Knob::RetryAt(value) => vec![4, place(&RETRY_AT, &value)],
        Knob::Poll(records) => vec![5, records],
        Knob::Intake(Intake::Pause { high, low }) => vec![6, 0, high, low],
        Knob::Intake(Intake::Unbounded) => vec![6, 1],
        Knob::Intake(Intake::Block) => vec![6, 2],
        Knob::HeapCeiling(None) => vec![7, 0],
        Knob::HeapCeiling(Some(records)) => vec![7, 1, records],
        Knob::MaxPollInterval(None) => vec![8, 0],
        Knob::MaxPollInterval(Some(ticks)) => vec![8, 1, ticks],
        Knob::CommitEvery(ticks) => vec![9, ticks],
        Knob::CommitOffset(value) => vec![10, place(&COMMITS, &value)],
        Knob::AckMap(on) => vec![11, on.into()],
        Knob::AckMapLimit(bytes) => vec![12, bytes],
        Knob::Quarantine(None) => vec![13, 0],
        Knob::Quarantine(Some(Quarantine { after, then })) => vec![13, 1, place(&THENS, &then), after],
        Knob::Drain(ticks) => vec![14, ticks],
        Knob::Guard(value) => vec![15, place(&GUARDS, &value)],
        Knob::LateCommit(value) => vec![16, place(&LATE_COMMITS, &value)],
        Knob::PauseAtAssignment(value) => vec![17, place(&PAUSES, &value)],
        Knob::Refetch(ticks) => vec![18, ticks],
        Knob::RebalanceProtocol(value) => vec![19, place(&PROTOCOLS, &value)],
    }
}

/// The counterpart of [`numbers`].
pub(super) fn unpack(bytes: &mut Unpacking<'_>) -> Result<Knob, LinkError> {
    Ok(match bytes.within("the kind of a knob", 0..=19)? {
        0 => Knob::Workers(bytes.small("the number of workers", 0..=MOST_WORKERS)?),
        1 => Knob::Routing(match bytes.within("the kind of routing", 0..=3)? {
            0 => Routing::Keyed,
            1 => Routing::Shared,
            2 => Routing::Serial,
            _ => Routing::Lanes(bytes.small("the number of lanes", 0..=MOST_LANES)?),
        }),
        2 => Knob::NullKeys(bytes.choice("the place of records without a key", &NULL_KEYS)?),
        3 => Knob::RetryDelay(bytes.number()?),
        4 => Knob::RetryAt(bytes.choice("the place of a retry", &RETRY_AT)?),
        5 => Knob::Poll(bytes.within("the number of records a poll", 0..=MOST_POLL)?),
        6 => Knob::Intake(match bytes.within("the kind of intake", 0..=2)? {
            0 => Intake::Pause { high: bytes.number()?, low: bytes.number()? },
            1 => Intake::Unbounded,
            _ => Intake::Block,
        }),
        7 => Knob::HeapCeiling(if_any(bytes)?),
        8 => Knob::MaxPollInterval(if_any(bytes)?),
        9 => Knob::CommitEvery(bytes.number()?),
        10 => Knob::CommitOffset(bytes.choice("the kind of commit", &COMMITS)?),
        11 => Knob::AckMap(bytes.choice("the acknowledgement map's switch", &SWITCH)?),
        12 => Knob::AckMapLimit(bytes.number()?),
        13 if bytes.choice("the quarantine's switch", &SWITCH)? => {
            let then = bytes.choice("what follows a dead letter", &THENS)?;
            Knob::Quarantine(Some(Quarantine { after: bytes.number()?, then }))
        }
        13 => Knob::Quarantine(None),
        14 => Knob::Drain(bytes.number()?),
        15 => Knob::Guard(bytes.choice("the kind of guard", &GUARDS)?),
        16 => Knob::LateCommit(bytes.choice("the place of late commits", &LATE_COMMITS)?),
        17 => Knob::PauseAtAssignment(bytes.choice("the place of old pauses", &PAUSES)?),
        18 => Knob::Refetch(bytes.number()?),
        _ => Knob::RebalanceProtocol(bytes.choice("the rebalance protocol", &PROTOCOLS)?),
    })
}

fn if_any(bytes: &mut Unpacking<'_>) -> Result<Option<u64>, LinkError> {
    bytes.choice("the switch of a limit", &SWITCH)?.then(|| bytes.number()).transpose()
}

/// All knobs, by their numbers.
pub(super) fn listed(knobs: &Knobs) -> [Knob; 20] {
    // Taken apart, so that a new knob is not forgotten here.
    let Knobs {
        workers,
        routing,
        null_keys,
        retry_delay,
        retry_at,
        poll,
        intake,
        heap_ceiling,
        max_poll_interval,
        commit_every,
        commit_offset,
        ack_map,
        ack_map_limit,
        quarantine,
        drain,
        guard,
        late_commit,
        pause_at_assignment,
        refetch,
        rebalance_protocol,
    } = *knobs;
    [
        Knob::Workers(workers),
        Knob::Routing(routing),
        Knob::NullKeys(null_keys),
        Knob::RetryDelay(retry_delay),
        Knob::RetryAt(retry_at),
        Knob::Poll(poll),
        Knob::Intake(intake),
        Knob::HeapCeiling(heap_ceiling),
        Knob::MaxPollInterval(max_poll_interval),
        Knob::CommitEvery(commit_every),
        Knob::CommitOffset(commit_offset),
        Knob::AckMap(ack_map),
        Knob::AckMapLimit(ack_map_limit),
        Knob::Quarantine(quarantine),
        Knob::Drain(drain),
        Knob::Guard(guard),
        Knob::LateCommit(late_commit),
        Knob::PauseAtAssignment(pause_at_assignment),
        Knob::Refetch(refetch),
        Knob::RebalanceProtocol(rebalance_protocol),
    ]
}
