//! Commits: what one would name, when one is sent, and what the broker makes of it.
//!
//! The broker takes what a member of the group sends; it does not ask whether the partition is that member's. An
//! owner whose ownership has ended is held back by nothing but its own check, and that is a choice.

use super::{
    Session, World,
    broker::Broker,
    config::{CommitOffset, Knobs},
    fact::{CommitCause, Fact, Observer},
};
use crate::{
    ids::{ConsumerId, Epoch, Offset},
    mechanism::{Intervals, OffsetMap, Watermark},
};

/// What an ownership has told the broker last; at first, what the broker told it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LastCommit {
    at: Offset,
    map: OffsetMap,
    /// The acknowledgement map did not fit when a commit was last due.
    refused: bool,
}

impl LastCommit {
    /// Nothing told yet: the ownership begins where the broker says.
    pub(super) fn begin(at: Offset, inherited: OffsetMap) -> LastCommit {
        LastCommit { at, map: inherited, refused: false }
    }
}

/// An ended ownership whose attempts still run, in a process that never asks whether it has ended. What they
/// finish moves its watermark, and the process commits that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Late {
    pub(super) epoch: Epoch,
    tracker: Watermark,
    inherited: OffsetMap,
    last: LastCommit,
}

impl Late {
    pub(super) fn of(session: &Session) -> Late {
        Late {
            epoch: session.epoch(),
            tracker: session.tracker().bare(),
            inherited: session.inherited().clone(),
            last: session.last_commit.clone(),
        }
    }

    /// An attempt of that ownership succeeded.
    pub(super) fn succeeded(&mut self, offset: Offset) {
        self.tracker.finish(offset);
    }

    fn progress(&self) -> Progress<'_> {
        Progress::of(&self.tracker, &self.inherited, &self.last)
    }
}

/// How far an ownership has got, as its commits tell it.
struct Progress<'a> {
    low: Offset,
    highest_finished: Option<Offset>,
    finished: &'a Intervals,
    inherited: &'a OffsetMap,
    last: &'a LastCommit,
}

/// What a commit would name.
struct NextCommit {
    to: Offset,
    map: OffsetMap,
    map_bytes: Option<u64>,
    /// There was a map, and it did not fit.
    map_refused: bool,
}

impl<'a> Progress<'a> {
    fn of<T>(tracker: &'a Watermark<T>, inherited: &'a OffsetMap, last: &'a LastCommit) -> Progress<'a> {
        let (low, highest_finished) = (tracker.low(), tracker.highest_finished());
        Progress { low, highest_finished, finished: tracker.finished(), inherited, last }
    }

    /// The offset to commit by the rule in force. Within an ownership it never goes back.
    fn candidate(&self, rule: CommitOffset) -> Offset {
        let candidate = match rule {
            CommitOffset::Watermark => self.low,
            CommitOffset::Highest => self.highest_finished.map_or(self.last.at, Offset::next),
        };
        candidate.max(self.last.at)
    }

    /// The finished offsets to name beside `committed`: this epoch's, and the inherited ones that the
    /// watermark has not passed.
    fn ack_map(&self, committed: Offset) -> OffsetMap {
        let finished = self.finished.runs().map(|(start, end)| (Offset(start), Offset(end)));
        let own = OffsetMap::from_runs(finished).at_or_above(committed);
        own.union(&self.inherited.at_or_above(committed.max(self.low)))
    }

    /// What a commit now would name.
    fn next(&self, knobs: &Knobs) -> NextCommit {
        let to = self.candidate(knobs.commit_offset);
        let mut next = NextCommit { to, map: OffsetMap::default(), map_bytes: None, map_refused: false };
        if !knobs.ack_map {
            return next;
        }
        let limit = knobs.ack_map_limit;
        // A run takes a quarter of a byte at least: a map of too many need not even be put together. (Beyond the
        // watermark, where other rules may commit, some of the runs are passed and in no map.)
        if to <= self.low && self.finished.run_count() as u64 / 4 > limit {
            next.map_refused = true;
            return next;
        }
        let map = self.ack_map(to);
        if map.is_empty() {
            return next;
        }
        match map.encoded_len(to, limit) {
            Some(bytes) => {
                next.map_bytes = Some(bytes);
                next.map = map;
            }
            None => next.map_refused = true,
        }
        next
    }

    fn has_something_to_say(&self, knobs: &Knobs) -> bool {
        self.next(knobs).says_more_than(self.last)
    }

    /// The same, or its map fits no longer, or again.
    fn would_be_told_of(&self, knobs: &Knobs) -> bool {
        let next = self.next(knobs);
        next.says_more_than(self.last) || next.map_refused != self.last.refused
    }
}

impl NextCommit {
    fn says_more_than(&self, last: &LastCommit) -> bool {
        self.to != last.at || self.map != last.map
    }

    fn changes(&self, broker: &Broker) -> bool {
        self.to != broker.committed || self.map != broker.ack_map
    }
}

impl Session {
    fn progress(&self) -> Progress<'_> {
        Progress::of(self.tracker(), self.inherited(), &self.last_commit)
    }
}

impl World {
    /// Phase 5: a draining owner commits too, and so does whoever does not know that it owns nothing any more.
    pub(super) fn commit_if_due(&mut self, observer: &mut impl Observer) {
        let due = self.now.0.is_multiple_of(self.knobs.commit_every);
        for id in ConsumerId::ALL {
            if due && self.broker.owner == Some(id) {
                self.commit(CommitCause::Schedule, observer);
            }
            if !self.consumers[id.index()].late.is_empty() {
                self.commit_late(id, due, observer);
            }
        }
    }

    /// The owner commits, if it has something to say.
    pub(super) fn commit(&mut self, cause: CommitCause, observer: &mut impl Observer) {
        let Some((consumer, session)) = self.owner() else { return };
        let (epoch, next) = (session.epoch(), session.progress().next(&self.knobs));
        self.send(consumer, epoch, next, cause, observer);
    }

    /// And the ended ownerships of a process, the oldest first; of which nothing can come any more is forgotten.
    fn commit_late(&mut self, id: ConsumerId, due: bool, observer: &mut impl Observer) {
        for at in 0..self.consumers[id.index()].late.len() {
            let late = &self.consumers[id.index()].late[at];
            let (epoch, next) = (late.epoch, late.progress().next(&self.knobs));
            if due {
                self.send(id, epoch, next, CommitCause::Schedule, observer);
            }
        }
        let (knobs, consumer) = (&self.knobs, &mut self.consumers[id.index()]);
        let pool = &consumer.pool;
        consumer.late.retain(|late| {
            pool.attempts().any(|attempt| attempt.epoch == late.epoch)
                || late.progress().has_something_to_say(knobs)
        });
    }

    /// A commit reaches the broker, unless it would say what this ownership has said already.
    fn send(
        &mut self,
        consumer: ConsumerId,
        epoch: Epoch,
        next: NextCommit,
        cause: CommitCause,
        observer: &mut impl Observer,
    ) {
        let limit = self.knobs.ack_map_limit;
        let sender = &mut self.consumers[consumer.index()];
        let late = sender.session.as_ref().is_none_or(|session| session.epoch() != epoch);
        let last = match &mut sender.session {
            Some(session) if !late => &mut session.last_commit,
            _ => match sender.late.iter_mut().find(|late| late.epoch == epoch) {
                Some(late) => &mut late.last,
                None => return,
            },
        };
        let refused = next.map_refused && !last.refused;
        last.refused = next.map_refused;
        if next.says_more_than(last) {
            last.at = next.to;
            last.map.clone_from(&next.map);
            if next.changes(&self.broker) {
                let (from, to, map_bytes) = (self.broker.committed, next.to, next.map_bytes);
                self.broker.committed = to;
                self.broker.ack_map = next.map;
                let floor = self.lowest_commit();
                let fact = Fact::Committed { consumer, epoch, from, to, map_bytes, cause, late, floor };
                observer.note(self.now, fact);
            }
        }
        if refused {
            observer.note(self.now, Fact::MapTooLong { consumer, limit });
        }
    }

    /// No commit, and no new owner, will ever say less than this.
    fn lowest_commit(&self) -> Offset {
        let owner = self.owner().map_or(self.broker.committed, |(_, session)| session.last_commit.at);
        self.all_late().fold(owner.min(self.broker.committed), |lowest, late| lowest.min(late.last.at))
    }

    /// Whether somebody has something to commit that has not been said.
    pub(super) fn has_to_commit(&self) -> bool {
        self.owner().is_some_and(|(_, session)| session.progress().has_something_to_say(&self.knobs))
            || self.all_late().any(|late| late.progress().has_something_to_say(&self.knobs))
    }

    /// Whether a commit of the owner, when one is due, would be told of.
    pub(super) fn will_tell_of_a_commit(&self, session: &Session) -> bool {
        session.progress().would_be_told_of(&self.knobs)
    }

    /// Whether one of an ended ownership would.
    pub(super) fn will_tell_of_a_late_commit(&self) -> bool {
        self.all_late().any(|late| late.progress().would_be_told_of(&self.knobs))
    }

    fn all_late(&self) -> impl Iterator<Item = &Late> + '_ {
        self.consumers.iter().flat_map(|consumer| &consumer.late)
    }

    /// The ended ownerships that may still commit something.
    pub(crate) fn late_epochs(&self) -> impl Iterator<Item = Epoch> + '_ {
        self.all_late().map(|late| late.epoch)
    }
}
