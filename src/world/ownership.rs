//! How the partition changes hands: assignment, crash, eviction, revocation.

use super::{
    Session, World,
    commit::Late,
    config::{LateCommit, PauseAtAssignment, RebalanceProtocol},
    fact::{CrashCause, EndedBy, Fact, Observer},
    input::Ignored,
    pool::Pool,
    session::Handover,
};
use crate::{
    ids::{ConsumerId, Epoch},
    mechanism::Drain,
};

impl World {
    pub(super) fn assign_first_owner(&mut self, observer: &mut impl Observer) {
        if self.broker.epoch == Epoch(0) {
            self.assign(ConsumerId::A, observer);
        }
    }

    /// `to` owns the partition from now on and reads from the committed offset: at once if it is up,
    /// otherwise when it is restarted.
    pub(super) fn assign(&mut self, to: ConsumerId, observer: &mut impl Observer) {
        self.broker.owner = Some(to);
        self.broker.epoch = Epoch(self.broker.epoch.0 + 1);
        let (epoch, at) = (self.broker.epoch, self.broker.committed);
        let consumer = &mut self.consumers[to.index()];
        if consumer.up {
            let inherited = self.broker.ack_map.clone();
            let mut session =
                Session::begin(epoch, at, inherited, self.now, &self.knobs, &consumer.pool, &self.log);
            session.still_paused =
                consumer.still_paused && self.knobs.pause_at_assignment == PauseAtAssignment::Kept;
            consumer.session = Some(session);
        }
        consumer.still_paused = false;
        let (up, paused) = (consumer.up, consumer.session.as_ref().is_some_and(Session::is_paused));
        observer.note(self.now, Fact::Assigned { consumer: to, epoch, at, up, paused });
    }

    /// The fence: from here on nothing of this epoch changes a tracker, and no commit where the consumer checks.
    pub(super) fn end_ownership(&mut self, consumer: ConsumerId, by: EndedBy, observer: &mut impl Observer) {
        let ended = &mut self.consumers[consumer.index()];
        let Some(session) = ended.session.take() else { return };
        let unaware = self.knobs.late_commit == LateCommit::Sent && by == EndedBy::Handover;
        if unaware && session.running() > 0 {
            ended.late.push(Late::of(&session));
        }
        let kept = self.knobs.pause_at_assignment == PauseAtAssignment::Kept && by != EndedBy::Crash;
        ended.still_paused = kept && session.is_paused();
        self.broker.owner = None;
        observer.note(
            self.now,
            Fact::OwnerEnded {
                consumer,
                epoch: session.epoch(),
                by,
                committed: self.broker.committed,
                position: session.tracker().position(),
                spared: self.broker.ack_map.clone(),
            },
        );
    }

    /// The process dies. What is committed, dead-lettered or written stays; everything else is gone. It goes
    /// on owning the partition, unless it was draining: then the new owner gets it later in this tick.
    pub(super) fn crash(&mut self, id: ConsumerId, cause: CrashCause, observer: &mut impl Observer) {
        let consumer = &mut self.consumers[id.index()];
        consumer.up = false;
        consumer.pool = Pool::default();
        consumer.late.clear();
        consumer.still_paused = false;
        let heir = match &consumer.session {
            Some(session) => session.handover().map(|handover| handover.to),
            None => None,
        };
        let owned = self.broker.owner;
        observer.note(self.now, Fact::Crashed { consumer: id, cause });
        self.end_ownership(id, EndedBy::Crash, observer);
        match heir {
            Some(heir) => self.orphaned_to = Some(heir),
            None => self.broker.owner = owned,
        }
    }

    pub(super) fn restart(&mut self, id: ConsumerId, observer: &mut impl Observer) -> Result<(), Ignored> {
        let consumer = &mut self.consumers[id.index()];
        if consumer.up {
            return Err(Ignored::AlreadyUp);
        }
        consumer.up = true;
        observer.note(self.now, Fact::Restarted { consumer: id });
        if self.broker.owner == Some(id) {
            self.assign(id, observer);
        }
        Ok(())
    }

    pub(super) fn revoke(
        &mut self,
        from: ConsumerId,
        to: ConsumerId,
        observer: &mut impl Observer,
    ) -> Result<(), Ignored> {
        if self.orphaned_to.is_some() {
            return Err(Ignored::Draining);
        }
        if self.broker.owner != Some(from) {
            return Err(Ignored::NotTheOwner);
        }
        let Some(session) = &mut self.consumers[from.index()].session else {
            self.assign(to, observer);
            return Ok(());
        };
        if session.handover.is_some() {
            return Err(Ignored::Draining);
        }
        let drain = Drain::begin(self.now, self.knobs.drain);
        let deadline = drain.deadline();
        session.handover = Some(Handover { drain, to });
        observer.note(self.now, Fact::DrainBegan { from, to, deadline });
        Ok(())
    }

    /// Somebody else came or went. Who goes on owning the partition is asked to give it up where the protocol asks
    /// everybody for everything.
    pub(super) fn rebalance(&mut self, observer: &mut impl Observer) -> Result<(), Ignored> {
        if self.orphaned_to.is_some() {
            return Err(Ignored::Draining);
        }
        let Some((consumer, session)) = self.owner() else { return Err(Ignored::NobodyOwns) };
        if session.handover.is_some() {
            return Err(Ignored::Draining);
        }
        let revoked = self.knobs.rebalance_protocol == RebalanceProtocol::Eager;
        observer.note(self.now, Fact::Rebalanced { consumer, revoked });
        if revoked { self.revoke(consumer, consumer, observer) } else { Ok(()) }
    }

    /// A lost partition: no drain, no commit, and what runs goes on and leaks.
    pub(super) fn evict(&mut self, id: ConsumerId, observer: &mut impl Observer) {
        let Some(session) = &self.consumers[id.index()].session else { return };
        let heir = session.handover().map(|handover| handover.to);
        self.end_ownership(id, EndedBy::Eviction, observer);
        // Out of the group, whatever it sends is refused.
        self.consumers[id.index()].late.clear();
        let other = id.other();
        let other_can = self.broker.is_member(other) && self.consumers[other.index()].up;
        self.assign(heir.unwrap_or(if other_can { other } else { id }), observer);
    }
}
