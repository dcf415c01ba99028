//! What a state owes where something endless is in the way: everything that nothing endless holds back.
//!
//! A system with a stuck record, or one that always fails, never gets to its end; but whatever is neither endless nor
//! behind something endless still must. A search that has found such a system to go nowhere asks this of the states
//! that it ends up in.

use crate::{
    ids::Offset,
    world::{Fails, Record, Session, TaskState, Work, World, config::Intake},
};

/// Whether the owner leaves something undone that nothing endless keeps it from: a record in flight that could
/// finish, or an unread one that intake has no reason to leave unread.
///
/// Asked where nothing changes any more, it is a fault; on the way there, only a debt.
pub(super) fn owes(world: &World) -> bool {
    let Some((_, session)) = world.owner() else { return false };
    owes_a_read(world, session) || owes_a_finish(world, session)
}

/// Intake stands still for a reason only above its low mark, or while something of the last batch is in flight.
fn owes_a_read(world: &World, session: &Session) -> bool {
    let stands_still = match world.knobs().intake {
        Intake::Pause { low, .. } => session.is_paused() && session.in_flight() > low,
        Intake::Block => session.is_blocked(world.knobs()) && session.in_flight() > 0,
        Intake::Unbounded => false,
    };
    session.next_index() < world.log().len() && !stands_still && !session.is_still_paused()
}

fn owes_a_finish(world: &World, session: &Session) -> bool {
    let in_the_way = InTheWay::of(world, session);
    let no_worker = in_the_way.takes_every_worker(world.knobs().concurrency() as usize);
    let in_flight =
        session.tracker().iter().filter_map(|(offset, task)| Some((world.log().find(offset)?, task)));
    let finite = in_flight.filter(|&(record, _)| !is_endless(world, record));
    // Parked records wait for no worker.
    let mut free = finite.filter(|(_, task)| !no_worker || task.state == TaskState::Parked);
    free.any(|(record, _)| !in_the_way.is_before(world, session, record))
}

/// Whether no attempt at a record ever makes it terminal.
fn is_endless(world: &World, record: Record) -> bool {
    let poisoned = world.is_poisoned(record.offset);
    let stuck = record.work == Work::Never && !poisoned;
    stuck || world.knobs().quarantine.is_none() && (poisoned || record.fails == Fails::Always)
}

/// The endless records of one consumer: those in flight, and those on workers, whoever owned them then. One that was
/// stuck in two epochs is there twice.
struct InTheWay {
    waiting: Vec<Offset>,
    running: Vec<Offset>,
}

impl InTheWay {
    fn of(world: &World, session: &Session) -> InTheWay {
        let owner = world.owner().map(|(owner, _)| owner);
        let attempts = owner.into_iter().flat_map(|owner| world.consumer(owner).pool().attempts());
        let in_flight = session.tracker().iter().filter(|(_, task)| task.state != TaskState::Running);
        let is_endless =
            |offset: &Offset| world.log().find(*offset).is_some_and(|record| is_endless(world, record));
        InTheWay {
            waiting: in_flight.map(|(offset, _)| offset).filter(is_endless).collect(),
            running: attempts.map(|attempt| attempt.offset).filter(is_endless).collect(),
        }
    }

    /// A stuck one keeps its worker. One that fails for ever leaves it for a while each time; there must be more
    /// of these than workers for nobody else ever to get one.
    fn takes_every_worker(&self, workers: usize) -> bool {
        self.running.len() >= workers || self.waiting.len() + self.running.len() > workers
    }

    /// Whether one of them is in a record's mailbox or queued before it there. A shared queue is never closed.
    fn is_before(&self, world: &World, session: &Session, record: Record) -> bool {
        let Some(mailbox) = session.mailbox_of(record, world.log()) else { return false };
        let queues = session.queues();
        let queue = queues.iter().find(|queue| queue.mailbox == Some(mailbox));
        let place =
            |offset| queue.and_then(|queue| queue.waiting.iter().position(|&waiting| waiting == offset));
        let shares = |offset| {
            let other = world.log().find(offset);
            other.and_then(|other| session.mailbox_of(other, world.log())) == Some(mailbox)
        };
        let is_before = |offset| matches!((place(offset), place(record.offset)), (Some(before), Some(own)) if before < own);
        self.running.iter().any(|&offset| shares(offset))
            || self.waiting.iter().any(|&offset| shares(offset) && is_before(offset))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        ids::{ConsumerId, Tick},
        ledger::Keep,
        run::Run,
        world::{
            Input, Knobs, Log, NewRecord, Setup,
            config::{Quarantine, RetryAt, Routing, Then},
        },
    };

    const ALWAYS: (Work, Fails) = (Work::UntilTapped, Fails::Always);
    const STUCK: (Work, Fails) = (Work::Never, Fails::First(0));
    const SOUND: (Work, Fails) = (Work::UntilTapped, Fails::First(0));

    /// What is owed after each of some ticks, in each of which these offsets are ended.
    fn owed(records: &[(&str, (Work, Fails))], knobs: Knobs, ended: &[&[i64]]) -> Vec<bool> {
        let record = |(offset, &(key, (work, fails))): (i64, &(&str, (Work, Fails)))| NewRecord {
            offset: Offset(offset),
            key: Some(key.into()),
            work,
            fails,
            since: Tick(0),
        };
        let log = Log::from_records(Offset(0), (0..).zip(records).map(record)).unwrap();
        let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A]).unwrap();
        let mut run = Run::new(&setup, Keep::Counters);
        let inputs = |offsets: &&[i64]| offsets.iter().map(|&o| Input::Complete(Offset(o))).collect();
        let step = |inputs: Vec<Input>| {
            run.step(&inputs);
            owes(run.world())
        };
        ended.iter().map(inputs).map(step).collect()
    }

    #[test]
    fn what_stands_behind_something_stuck_is_not_owed_and_all_else_is() {
        let records = [("A", STUCK), ("A", SOUND), ("B", SOUND)];
        let two = Knobs { workers: 2, ..Knobs::default() };
        assert_eq!(owed(&records, two.clone(), &[&[], &[2], &[]]), [true, false, false]);
        // One worker is all there is, and it is stuck.
        assert_eq!(owed(&records, Knobs { workers: 1, ..two.clone() }, &[&[]]), [false]);
        // A shared queue goes round it, and a serial mailbox does not.
        let shared = Knobs { routing: Routing::Shared, ..two.clone() };
        assert_eq!(owed(&records, shared, &[&[], &[1], &[2]]), [true, true, false]);
        let serial = Knobs { routing: Routing::Serial, ..two.clone() };
        assert_eq!(owed(&records[..2], serial, &[&[]]), [false]);
        // What came before it in the mailbox is owed.
        assert_eq!(owed(&[("A", SOUND), ("A", STUCK)], two, &[&[], &[0]]), [true, false]);
    }

    #[test]
    fn what_always_fails_holds_back_its_own_mailbox_until_it_leaves() {
        let records = [("A", ALWAYS), ("A", SOUND), ("B", SOUND)];
        let head = Knobs { workers: 2, ..Knobs::default() };
        assert_eq!(owed(&records, head.clone(), &[&[], &[0, 2], &[], &[0]]), [true, false, false, false]);
        // At the tail it lets the other one pass.
        let tail = Knobs { retry_at: RetryAt::Tail, ..head.clone() };
        assert_eq!(owed(&records[..2], tail, &[&[], &[0], &[]]), [false, true, true]);
        // With a quarantine it is not endless.
        let letters = Some(Quarantine { after: 1, then: Then::Continue });
        assert_eq!(
            owed(&records[..1], Knobs { quarantine: letters, ..head.clone() }, &[&[], &[0], &[]]),
            [true, true, false]
        );
        // Two that always fail may keep one worker from everybody else.
        let records = [("A", ALWAYS), ("B", ALWAYS), ("C", SOUND)];
        assert_eq!(owed(&records, Knobs { workers: 1, ..head }, &[&[], &[0]]), [false, false]);
    }

    #[test]
    fn intake_stands_still_only_for_a_reason() {
        let records = [("A", STUCK), ("B", STUCK), ("C", SOUND)];
        let pause = |low| Knobs { poll: 1, intake: Intake::Pause { high: 2, low }, ..Knobs::default() };
        assert_eq!(owed(&records, pause(1), &[&[], &[], &[]]), [true, false, false]);
        // Before it has paused it owes the next poll.
        assert_eq!(owed(&records[1..], pause(1), &[&[], &[], &[1]]), [true, true, false]);
        let block = Knobs { poll: 2, intake: Intake::Block, ..Knobs::default() };
        assert_eq!(owed(&records, block, &[&[], &[]]), [false, false]);
    }
}
