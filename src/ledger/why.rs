//! Why: from an event that should not have happened, back along recorded causes to the decision that made it
//! possible.
//!
//! Each kind of fault has its way back, one function each. A way ends at the event at which the decision
//! tells: a knob as it stood there, or an input. Nothing is guessed: every step is a cause that the ledger
//! recorded when it happened, and what a sentence adds was told by the events.

use super::{
    Event, EventId, Fault, Remark,
    sentence::{input_sentence, knob_text, list},
    trail::{Since, Story, Trail},
};
use crate::{
    ids::{Epoch, Offset, Tick},
    world::{
        Attempt, CrashCause, EndedBy, Fact, Input, Knob, Setup,
        config::{CommitOffset, Intake, RetryAt},
    },
};

/// What was decided, and when: a knob as it stood, or an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The decision as a sentence, with what made it matter: "drain = 2, from the start: …".
    pub sentence: String,
    /// From when on it held; 0: from the start, or turned then.
    pub tick: Tick,
    /// The input, or the turned knobs, if it was one; `None` for a knob that was never turned.
    pub event: Option<EventId>,
}

/// Why an event could happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The event itself first, then each one's cause: every entry is among the causes of the one before it.
    pub chain: Vec<EventId>,
    /// What made it possible.
    pub decision: Decision,
}

/// Why the event with this id could happen; `None` if there is no such event, or nothing is wrong with it.
///
/// `events` are those of a run from its first on, as [`Ledger::events`](super::Ledger::events) has them, and
/// `setup` is what the run started from.
#[must_use]
pub fn why(events: &[Event], id: EventId, setup: &Setup) -> Option<Why> {
    let story = Story { events, setup };
    let event = story.event(id)?;
    let way = match event.fault()? {
        Fault::OrderBreak => order_break,
        Fault::Overlap => overlap,
        Fault::Redelivery => redelivery,
        Fault::Loss => loss,
        Fault::Leak => leak,
        Fault::StaleWrite => stale_write,
        Fault::LateCommit => late_commit,
        Fault::KeptPause => kept_pause,
        Fault::EmptyPoll => empty_poll,
        Fault::NeedlessRevocation => needless_revocation,
        Fault::Eviction => eviction,
        Fault::OutOfMemory => out_of_memory,
    };
    way(story.at(event))
}

/// The later record had started. While the earlier one ran: the routing let it. While that one waited for its
/// retry: the retry's place did, or a queue in which a failed record keeps no place.
fn order_break(trail: Trail<'_>) -> Option<Why> {
    let Fact::Completed { attempt, .. } = trail.end.fact else { return None };
    let Some(Remark::OrderBreak { after }) = trail.end.remark else { return None };
    let (story, broken) = (trail.story, trail.end);
    let overtaken = trail.to(|event| {
        matches!(event.fact, Fact::Started(other) if (other.offset, other.epoch) == (after, attempt.epoch))
    })?;
    let overtook = overtaken.end;
    if !story.waits(&attempt, overtook.id) {
        let decision = routing(story, overtook.id, QUEUE);
        return Some(overtaken.because(decision));
    }
    let mut trail = story.at(broken);
    loop {
        trail = trail.to(|event| {
            matches!(event.fact, Fact::RetryDue { offset, epoch, .. } if (offset, epoch) == (attempt.offset, attempt.epoch))
        })?;
        trail = trail
            .to(|event| matches!(event.fact, Fact::Failed { attempt: other, .. } if other.is_of(&attempt)))?;
        if trail.end.id < overtook.id {
            break;
        }
    }
    let (knobs, since) = story.knobs(trail.end.id, |knobs| knobs.retry_at);
    let decision = match knobs.retry_at {
        RetryAt::Tail => knob(
            Knob::RetryAt(RetryAt::Tail),
            since,
            "when it is due, a failed record queues behind later ones of its key",
        ),
        RetryAt::Head => routing(
            story,
            overtook.id,
            "a failed record waits outside the one queue, and later ones of its key go on",
        ),
    };
    Some(trail.because(decision))
}

/// Another of its key ran: the routing did not ask.
fn overlap(trail: Trail<'_>) -> Option<Why> {
    let Fact::Started(attempt) = trail.end.fact else { return None };
    let Some(Remark::Overlap { with }) = trail.end.remark else { return None };
    let decision = routing(trail.story, trail.end.id, QUEUE);
    let trail = trail.to(|event| {
        matches!(event.fact, Fact::Started(other) if (other.offset, other.consumer) == (with, attempt.consumer))
    })?;
    Some(trail.because(decision))
}

/// Why the owner ended, and why what it had done was not committed by then.
fn redelivery(trail: Trail<'_>) -> Option<Why> {
    let Fact::OwnerEnded { by, .. } = trail.end.fact else { return None };
    let undone = uncommitted(trail.story, trail.end);
    let mut why = match by {
        EndedBy::Crash => crash(trail.to(|event| matches!(event.fact, Fact::Crashed { .. }))?),
        EndedBy::Eviction => eviction(trail.to(is_eviction)?),
        EndedBy::Handover => {
            let trail = trail.to(began_drain)?;
            let because = "what it has not committed by the end of its drain comes again";
            match trail.cause(rebalanced) {
                Some(_) => revoked_needlessly(trail.to(rebalanced)?, because),
                None => {
                    let trail = trail.to(is_input)?;
                    let decision = input(trail.end, because)?;
                    Some(trail.because(decision))
                }
            }
        }
    }?;
    why.decision.sentence.extend(undone);
    Some(why)
}

/// A commit had passed it, by a rule that looks only at what is finished.
fn loss(trail: Trail<'_>) -> Option<Why> {
    let Some(Remark::OwnerEnd { lost, .. }) = &trail.end.remark else { return None };
    let lost = *lost.first()?;
    let trail = trail
        .to(|event| matches!(event.fact, Fact::Committed { from, to, .. } if from <= lost && lost < to))?;
    let (knobs, since) = trail.story.knobs(trail.end.id, |knobs| knobs.commit_offset);
    // An ended ownership may have finished it in its time, and commit it by a rule that was turned since.
    let commit = trail.clone();
    let finished = |event: &Event| matches!(event.fact, Fact::Completed { .. } | Fact::DeadLettered { .. });
    let trail = trail.to(finished).unwrap_or(commit);
    let because = "a commit names the offset after the highest finished one, whatever is unfinished below it";
    Some(trail.because(knob(Knob::CommitOffset(knobs.commit_offset), since, because)))
}

/// The ownership was over: it drained for a shorter time than its attempts took, or was not asked to.
fn leak(trail: Trail<'_>) -> Option<Why> {
    let Fact::Wrote { attempt, .. } = trail.end.fact else { return None };
    let (story, wrote) = (trail.story, trail.end.tick);
    let trail = trail.to(|event| ended(event) == Some(attempt.epoch))?;
    let late = wrote.since(trail.end.tick);
    if matches!(trail.end.fact, Fact::OwnerEnded { by: EndedBy::Eviction, .. }) {
        return eviction(trail.to(is_eviction)?);
    }
    let trail = trail.to(began_drain)?;
    let (knobs, since) = story.knobs(trail.end.id, |knobs| knobs.drain);
    let because = format!("offset {} needed {late} more {}", attempt.offset, ticks(late));
    Some(trail.to(is_input)?.because(knob(Knob::Drain(knobs.drain), since, &because)))
}

/// The row held something newer, and nothing compared.
fn stale_write(trail: Trail<'_>) -> Option<Why> {
    let Fact::Wrote { key, held, late, .. } = trail.end.fact else { return None };
    let (knobs, since) = trail.story.knobs(trail.end.id, |knobs| knobs.guard);
    let trail = trail.to(|event| {
        matches!(event.fact, Fact::Wrote { attempt, key: row, accepted: true, .. }
            if row == key && Some(attempt.offset) == held)
    })?;
    let because = match late {
        false => "the last write wins, however old it is",
        true => "the last write wins, however old it is, and even after a handover",
    };
    Some(trail.because(knob(Knob::Guard(knobs.guard), since, because)))
}

/// Its attempt outlived the ownership, and nobody asked.
fn late_commit(trail: Trail<'_>) -> Option<Why> {
    let Fact::Committed { epoch, .. } = trail.end.fact else { return None };
    let (knobs, since) = trail.story.knobs(trail.end.id, |knobs| knobs.late_commit);
    let finished = |event: &Event| matches!(event.fact, Fact::Completed { attempt, late: true } if attempt.epoch == epoch);
    // Where the rule of commits was turned, nothing need have finished.
    let trail = match trail.cause(finished) {
        Some(_) => trail.to(finished)?,
        None => trail.to(|event| ended(event) == Some(epoch))?,
    };
    let because = "what an attempt finishes after its ownership has ended is committed, and the broker asks only \
                   whether a member of the group sends it";
    Some(trail.because(knob(Knob::LateCommit(knobs.late_commit), since, because)))
}

/// It had paused the partition when it last had it, and the client did not forget.
fn kept_pause(trail: Trail<'_>) -> Option<Why> {
    let (knobs, since) = trail.story.knobs(trail.end.id, |knobs| knobs.pause_at_assignment);
    let because = "the client remembers a pause beyond its assignment, and the new ownership's gate, which is open, \
                   never resumes";
    let trail = trail.to(|event| matches!(event.fact, Fact::Paused { .. }))?;
    Some(trail.because(knob(Knob::PauseAtAssignment(knobs.pause_at_assignment), since, because)))
}

/// The client had let go of what it had fetched ahead, as it stood when intake resumed.
fn empty_poll(trail: Trail<'_>) -> Option<Why> {
    let trail = trail.to(|event| matches!(event.fact, Fact::Resumed { .. }))?;
    let (knobs, since) = trail.story.knobs(trail.end.id, |knobs| knobs.refetch);
    let trail = trail.to(|event| matches!(event.fact, Fact::Paused { .. }))?;
    let gone = ticks(knobs.refetch);
    let because = format!(
        "the client threw away at the pause what it had fetched ahead, and a refetch takes that many {gone}"
    );
    Some(trail.because(knob(Knob::Refetch(knobs.refetch), since, &because)))
}

/// The protocol asked for everything.
fn needless_revocation(trail: Trail<'_>) -> Option<Why> {
    revoked_needlessly(trail, "the owner gets back what it gives up")
}

/// From a rebalance that revoked what stays.
fn revoked_needlessly(trail: Trail<'_>, because: &str) -> Option<Why> {
    let (knobs, since) = trail.story.knobs(trail.end.id, |knobs| knobs.rebalance_protocol);
    let because = format!("a rebalance revokes what stays with its owner too, and {because}");
    Some(trail.to(is_input)?.because(knob(
        Knob::RebalanceProtocol(knobs.rebalance_protocol),
        since,
        &because,
    )))
}

/// The owner did not poll in time: it was draining, or it blocked; or the time was shortened.
fn eviction(trail: Trail<'_>) -> Option<Why> {
    let Fact::Evicted { last_poll, .. } = trail.end.fact else { return None };
    let (story, evicted) = (trail.story, trail.end);
    let (knobs, shortened) = story.knobs(evicted.id, |knobs| knobs.max_poll_interval);
    let interval = knobs.max_poll_interval?;
    let drain = trail.cause(began_drain);
    // A consumer polls in every tick, unless it blocks or drains.
    let stopped = drain.map_or(evicted.tick, |drain| drain.tick);
    let blocked = last_poll.after(1) < stopped;
    let (trail, mut decision) = match drain {
        Some(drain) if !blocked => {
            let (knobs, since) = story.knobs(drain.id, |knobs| knobs.drain);
            let because = format!("an owner that drains does not poll, and max.poll.interval is {interval}");
            (trail.to(began_drain)?.to(is_input)?, knob(Knob::Drain(knobs.drain), since, &because))
        }
        _ => {
            let trail = trail.to(|event| matches!(event.fact, Fact::Polled { .. }))?;
            let (knobs, since) = story.knobs(story.first_of(stopped), |knobs| knobs.intake);
            let batch = story.last_batch(evicted.id);
            let because = format!(
                "with a batch of {batch}, no poll before all of it is finished, and max.poll.interval is {interval}"
            );
            (trail, knob(Knob::Intake(knobs.intake), since, &because))
        }
    };
    if shortened.event.is_some() && shortened.tick == evicted.tick {
        let gone = evicted.tick.since(last_poll);
        let because = format!("{gone} {} had gone by without a poll", ticks(gone));
        decision = knob(Knob::MaxPollInterval(Some(interval)), shortened, &because);
    }
    Some(trail.because(decision))
}

/// More was polled than fits, by an intake that allows it; or the heap shrank.
fn out_of_memory(trail: Trail<'_>) -> Option<Why> {
    let Fact::Crashed { cause: CrashCause::OutOfMemory { in_flight, ceiling }, .. } = trail.end.fact else {
        return None;
    };
    let (story, died) = (trail.story, trail.end);
    let trail = trail.to(|event| matches!(event.fact, Fact::Polled { .. }))?;
    let polled_now = match trail.end.fact {
        Fact::Polled { taken, .. } if trail.end.tick == died.tick => taken,
        _ => 0,
    };
    let (knobs, intake) = story.knobs(died.id, |knobs| knobs.intake);
    let (_, polls) = story.knobs(died.id, |knobs| knobs.poll);
    let (_, shrunk) = story.knobs(died.id, |knobs| knobs.heap_ceiling);
    let before = in_flight.saturating_sub(polled_now);
    // Each of these is harmless without the others: they are too much from the last turn on.
    let together = |because| {
        let all = [Knob::Intake(knobs.intake), Knob::Poll(knobs.poll), Knob::HeapCeiling(Some(ceiling))];
        let [intake_is, poll_is, ceiling_is] = all.map(knob_text);
        let what = format!("{intake_is}, {poll_is} and {ceiling_is}");
        decided(&what, intake.max(polls).max(shrunk), because)
    };
    let decision = match knobs.intake {
        _ if before > ceiling => {
            knob(Knob::HeapCeiling(Some(ceiling)), shrunk, &format!("{before} were in flight already"))
        }
        Intake::Unbounded => {
            let because = format!("nothing ever stops a poll, and the heap holds {ceiling} records");
            knob(Knob::Intake(Intake::Unbounded), intake, &because)
        }
        Intake::Pause { .. } => together("a poll below the high mark may bring more than the heap holds"),
        Intake::Block => together("a batch may be more than the heap holds"),
    };
    Some(trail.because(decision))
}

fn crash(trail: Trail<'_>) -> Option<Why> {
    if trail.end.fault() == Some(Fault::OutOfMemory) {
        return out_of_memory(trail);
    }
    let trail = trail.to(is_input)?;
    let decision = input(trail.end, "what it had polled and not committed comes again")?;
    Some(trail.because(decision))
}

/// Why what this owner had done itself was not committed when it ended; `None` if all of it was.
fn uncommitted(story: Story<'_>, end: &Event) -> Option<String> {
    let Some(Remark::OwnerEnd { redelivered, duplicates, .. }) = &end.remark else { return None };
    let epoch = ended(end)?;
    let (mut done, mut finished, mut refused) = (Vec::new(), Vec::new(), None);
    let mut taken_back = None;
    let of_epoch =
        |event: &&Event| !matches!(event.fact, Fact::Assigned { epoch: other, .. } if other == epoch);
    for event in story.back_from(end.id).take_while(of_epoch) {
        match event.fact {
            Fact::Completed { attempt, late: false } => done.push(attempt.offset),
            Fact::DeadLettered { offset, .. } => finished.push(offset),
            Fact::Committed { from, to, late: true, .. } if to < from => {
                taken_back = taken_back.or(Some((from, to, event.id)));
            }
            Fact::MapTooLong { .. } => refused = refused.or(Some(true)),
            Fact::Committed { map_bytes: Some(_), .. } => refused = refused.or(Some(false)),
            _ => {}
        }
    }
    done.sort_unstable();
    finished.extend(&done);
    finished.sort_unstable();
    let is_in = |sorted: &[Offset], offset: &Offset| sorted.binary_search(offset).is_ok();
    let again: Vec<Offset> = duplicates.iter().copied().filter(|offset| is_in(&done, offset)).collect();
    let pin = redelivered.iter().find(|offset| !is_in(&finished, offset));

    let (knobs, _) = story.knobs(end.id, |_| ());
    let highest = again.last()?;
    let mut reasons = Vec::new();
    if let Some(pin) = pin.filter(|&pin| pin < highest && knobs.commit_offset == CommitOffset::Watermark) {
        let map = match (knobs.ack_map, refused) {
            (false, _) => "there is no acknowledgement map",
            (true, Some(true)) => "the acknowledgement map did not fit",
            (true, _) => "no commit had carried the acknowledgement map yet",
        };
        reasons.push(format!("offset {pin} pinned the watermark, and {map}"));
    }
    if let Some((from, to, event)) = taken_back {
        reasons.push(format!(
            "a late commit (event {event}) had taken the committed offset back from {from} to {to}"
        ));
        return Some(not_committed(&again, &reasons));
    }
    if reasons.is_empty() || pin.is_some_and(|pin| again.first() < Some(pin)) {
        reasons.push(format!(
            "the next commit was still to come ({})",
            knob_text(Knob::CommitEvery(knobs.commit_every))
        ));
    }
    Some(not_committed(&again, &reasons))
}

fn not_committed(again: &[Offset], reasons: &[String]) -> String {
    let (offsets, were) = if again.len() == 1 { ("Offset", "was") } else { ("Offsets", "were") };
    format!(" {offsets} {} {were} done and not committed: {}.", list(again), reasons.join("; "))
}

/// Why two of one key could run at once.
const QUEUE: &str = "any free worker takes the head of the one queue, whatever key others are at";

/// The routing as it stood at an event at which a record passed another of its key: only the shared queue lets it.
fn routing(story: Story<'_>, at: EventId, because: &str) -> Decision {
    let (knobs, since) = story.knobs(at, |knobs| knobs.routing);
    knob(Knob::Routing(knobs.routing), since, because)
}

fn knob(knob: Knob, since: Since, because: &str) -> Decision {
    decided(&knob_text(knob), since, because)
}

fn decided(what: &str, since: Since, because: &str) -> Decision {
    let sentence = format!("{what}, {since}: {because}.");
    Decision { sentence, tick: since.tick, event: since.event }
}

fn input(event: &Event, because: &str) -> Option<Decision> {
    let Fact::Input(input) = &event.fact else { return None };
    let what = input_sentence(input);
    let what = what.trim_end_matches('.');
    let sentence = format!("{what}, by an input at tick {} (event {}): {because}.", event.tick, event.id);
    Some(Decision { sentence, tick: event.tick, event: Some(event.id) })
}

fn is_eviction(event: &Event) -> bool {
    matches!(event.fact, Fact::Evicted { .. })
}

fn began_drain(event: &Event) -> bool {
    matches!(event.fact, Fact::DrainBegan { .. })
}

fn rebalanced(event: &Event) -> bool {
    matches!(event.fact, Fact::Rebalanced { .. })
}

fn is_input(event: &Event) -> bool {
    matches!(event.fact, Fact::Input(Input::Crash(_) | Input::Revoke { .. } | Input::Rebalance))
}

/// The ownership that ended with this event.
fn ended(event: &Event) -> Option<Epoch> {
    match event.fact {
        Fact::OwnerEnded { epoch, .. } => Some(epoch),
        _ => None,
    }
}

fn ticks(count: u64) -> &'static str {
    if count == 1 { "tick" } else { "ticks" }
}

impl Story<'_> {
    /// Whether the record of this attempt had failed, and not started again, when an event happened.
    fn waits(self, attempt: &Attempt, at: EventId) -> bool {
        let mut ups_and_downs = self.back_from(at).filter_map(|event| match event.fact {
            Fact::Failed { attempt: other, .. } if other.is_of(attempt) => Some(true),
            Fact::Started(other) if other.is_of(attempt) => Some(false),
            _ => None,
        });
        ups_and_downs.next().unwrap_or(false)
    }

    /// Records of the last poll before an event that brought any.
    fn last_batch(self, at: EventId) -> u64 {
        let mut polls = self.back_from(at).filter_map(|event| match event.fact {
            Fact::Polled { taken, .. } if taken > 0 => Some(taken),
            _ => None,
        });
        polls.next().unwrap_or(0)
    }
}

impl Trail<'_> {
    fn because(self, decision: Decision) -> Why {
        Why { chain: self.chain, decision }
    }
}

impl Attempt {
    /// Whether both are of one record in one ownership.
    fn is_of(&self, other: &Attempt) -> bool {
        (self.offset, self.epoch) == (other.offset, other.epoch)
    }
}
