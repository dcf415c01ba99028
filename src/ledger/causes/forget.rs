//! What can cause nothing any more is forgotten, at the end of each tick.
//!
//! What may still cause something is bounded by what is in flight, what is not yet committed, and the keys. Each
//! entry is forgotten once, from the front of its map, so that a tick costs what happens in it.

use super::Causes;
use crate::{
    ids::{ConsumerId, Offset},
    sorted::SortedSet,
    world::{Attempt, Session, World},
};

impl Causes {
    /// Forgets what no later event can have for a cause.
    pub(in crate::ledger) fn forget(&mut self, world: &World) {
        self.completed_by_hand.clear();
        let session = world.owner().map(|(_, session)| session);
        self.forget_records(world, session);
        if let Some(session) = session {
            self.forget_polls(session);
            self.forget_commits(session);
        }
        if std::mem::take(&mut self.epochs_ended) {
            self.forget_epochs(world);
        }
    }

    /// Forgets records below everything that later events look at: what is in flight lies at or above the
    /// watermark, and the next watermark follows from the record at the one last noted; what comes again lies
    /// at or above the committed offset, and a commit looks at the record just below it.
    fn forget_records(&mut self, world: &World, session: Option<&Session>) {
        let mut bound = Offset(world.broker().committed().0 - 1);
        if let Some(session) = session {
            let noted = self.watermark.map(|(noted, _)| noted);
            bound = bound.min(noted.unwrap_or(session.tracker().low()));
        }
        while self.records.first_key_value().is_some_and(|(&offset, _)| offset < bound)
            && let Some((offset, record)) = self.records.pop_first()
        {
            let Some(letter) = record.dead_lettered else { continue };
            if session.is_some_and(|session| session.is_parked_at(offset, world.log())) {
                self.parked.insert(offset, letter);
            }
        }
    }

    /// Keeps the poll that returned the lowest record in flight, and those after it.
    fn forget_polls(&mut self, session: &Session) {
        let lowest = session.tracker().iter().next().map_or(session.next_index(), |(_, task)| task.index);
        while self.polls.keys().nth(1).is_some_and(|&second| second <= lowest) {
            self.polls.pop_first();
        }
    }

    /// Keeps the commits past the watermark that were the first to pass something still in flight: only that
    /// can be lost. There is at most one for each record in flight, so it is enough to look now and then.
    fn forget_commits(&mut self, session: &Session) {
        let open = session.tracker();
        if self.overreached.len() <= 2 * open.in_flight() {
            return;
        }
        let mut open = open.iter().map(|(offset, _)| offset).peekable();
        self.overreached.retain(|&to, _| {
            let first_past = open.peek().is_some_and(|&offset| offset < to);
            while open.next_if(|&offset| offset < to).is_some() {}
            first_past
        });
    }

    /// Forgets the ownerships of which no attempt runs any more, but for how the last one ended.
    fn forget_epochs(&mut self, world: &World) {
        let attempts = ConsumerId::ALL.into_iter().flat_map(|id| world.consumer(id).pool().attempts());
        let running = attempts.map(|attempt: &Attempt| attempt.epoch).chain(world.late_epochs());
        let running = SortedSet::from_iter(running);
        self.completed_late.retain(|(epoch, ..)| world.late_epochs().any(|late| late == *epoch));
        let last = self.owner_ended.last_key_value().map(|(&epoch, _)| epoch);
        let ended = &self.owner_ended;
        self.highest.retain(|(epoch, _), _| running.contains(epoch) || !ended.contains_key(epoch));
        self.owner_ended.retain(|epoch, _| running.contains(epoch) || Some(*epoch) == last);
    }
}
