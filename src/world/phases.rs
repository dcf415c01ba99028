//! The phases of a tick, in their order.
//!
//! Within a phase consumers act in id order, offsets ascend, workers ascend. Only the owner has a session,
//! so most phases concern at most one consumer; attempts may run on both.

use std::mem;

use super::{
    Consumer, Session, World,
    config::{Intake, Knobs, LateCommit},
    fact::{CommitCause, CrashCause, EndedBy, Fact, Observer},
    input::{Ignored, Input},
    pool::Attempt,
};
use crate::{
    ids::{ConsumerId, Offset},
    mechanism::GateMove,
};

impl World {
    /// Phase 1.
    pub(super) fn apply_inputs(&mut self, inputs: &[Input], observer: &mut impl Observer) {
        for input in inputs {
            observer.note(self.now, Fact::Input(input.clone()));
            self.broker.with_b |= input.names().any(|name| name == ConsumerId::B);
            if let Err(why) = self.apply(input, observer) {
                observer.note(self.now, Fact::Ignored(why));
            }
        }
    }

    fn apply(&mut self, input: &Input, observer: &mut impl Observer) -> Result<(), Ignored> {
        match *input {
            Input::Complete(offset) => self.end_running(offset, false),
            Input::Poison(offset) => {
                self.log.find(offset).ok_or(Ignored::NoSuchOffset)?;
                self.poisoned.insert(offset);
                // Nothing running is fine here: the next attempt will fail.
                self.end_running(offset, true).or(Ok(()))
            }
            Input::Stall { consumer, ticks } => match self.consumers[consumer.index()].pool.stall(ticks) {
                0 => Err(Ignored::NotRunning),
                _ => Ok(()),
            },
            Input::Crash(consumer) => {
                if !self.consumers[consumer.index()].up {
                    return Err(Ignored::AlreadyDown);
                }
                self.crash(consumer, CrashCause::Input, observer);
                Ok(())
            }
            Input::Restart(consumer) => self.restart(consumer, observer),
            Input::Revoke { from, to } => self.revoke(from, to, observer),
            Input::Rebalance => self.rebalance(observer),
            Input::Set(ref knobs) => {
                let new = self.knobs.with(knobs).map_err(|_| Ignored::Invalid)?;
                let old = mem::replace(&mut self.knobs, new);
                observer.note(self.now, Fact::KnobsTurned(knobs.clone()));
                self.adopt_knobs(&old, observer);
                Ok(())
            }
        }
    }

    fn end_running(&mut self, offset: Offset, failed: bool) -> Result<(), Ignored> {
        let now = self.now;
        let ended: usize =
            self.consumers.iter_mut().map(|consumer| consumer.pool.end_now(offset, now, failed)).sum();
        if ended == 0 { Err(Ignored::NotRunning) } else { Ok(()) }
    }

    fn adopt_knobs(&mut self, old: &Knobs, observer: &mut impl Observer) {
        self.marks = self.knobs.high_mark().or(self.marks);
        for id in ConsumerId::ALL {
            let consumer = &mut self.consumers[id.index()];
            if self.knobs.late_commit == LateCommit::Checked {
                consumer.late.clear();
            }
            let Some(session) = &mut consumer.session else { continue };
            if session.adopt(self.now, old, &self.knobs, &consumer.pool, &self.log).is_some() {
                observer.note(self.now, session.resumed(id));
            }
        }
    }

    /// Phase 2.
    pub(super) fn end_attempts(&mut self, observer: &mut impl Observer) {
        for id in ConsumerId::ALL {
            while let Some(attempt) = self.consumers[id.index()].pool.next_ended(self.now) {
                if let Some(session) = &mut self.consumers[id.index()].session {
                    session.release(&attempt, &self.log);
                }
                if attempt.fails {
                    self.fail(attempt, observer);
                } else {
                    self.succeed(attempt, observer);
                }
            }
        }
    }

    fn succeed(&mut self, attempt: Attempt, observer: &mut impl Observer) {
        let session = session_of(&mut self.consumers, &attempt);
        let late = session.is_none();
        match session {
            Some(session) => session.succeeded(&attempt),
            None => {
                let unaware = &mut self.consumers[attempt.consumer.index()].late;
                unaware
                    .iter_mut()
                    .filter(|late| late.epoch == attempt.epoch)
                    .for_each(|late| late.succeeded(attempt.offset));
            }
        }
        observer.note(self.now, Fact::Completed { attempt, late });
        if let Some(key) = attempt.key {
            let written = self.store.write(key, attempt.offset, self.knobs.guard);
            let (held, accepted) = (written.held, written.accepted);
            observer.note(self.now, Fact::Wrote { attempt, key, held, accepted, late });
        }
    }

    fn fail(&mut self, attempt: Attempt, observer: &mut impl Observer) {
        let session = session_of(&mut self.consumers, &attempt);
        let late = session.is_none();
        let retry = session.and_then(|session| session.failed(&attempt, self.now, &self.knobs, &self.log));
        observer.note(self.now, Fact::Failed { attempt, late, retry });
    }

    /// Phase 3: quarantine, retries, `max.poll.interval`.
    pub(super) fn run_timers(&mut self, observer: &mut impl Observer) {
        let now = self.now;
        for id in ConsumerId::ALL {
            let Some(session) = &mut self.consumers[id.index()].session else { continue };
            let epoch = session.epoch();
            for (offset, index, cause) in session.dead_letters(now, &self.knobs, &self.log) {
                observer.note(now, Fact::DeadLettered { consumer: id, epoch, offset, index, cause });
            }
            for offset in session.retries_due(now, &self.log) {
                observer.note(now, Fact::RetryDue { consumer: id, epoch, offset });
            }
            let last_poll = session.last_poll();
            if self.knobs.max_poll_interval.is_some_and(|interval| now.since(last_poll) >= interval) {
                observer.note(now, Fact::Evicted { consumer: id, last_poll });
                self.evict(id, observer);
            }
        }
    }

    /// Phase 4.
    pub(super) fn note_watermark(&mut self, observer: &mut impl Observer) {
        let Some((consumer, session)) = self.owner() else { return };
        let (epoch, at) = (session.epoch(), session.tracker().low());
        if self.noted != Some(at) {
            self.noted = Some(at);
            observer.note(self.now, Fact::WatermarkNoted { consumer, epoch, at });
        }
    }

    /// The rest of phase 5.
    pub(super) fn hand_over_if_drained(&mut self, observer: &mut impl Observer) {
        if let Some(to) = self.orphaned_to.take() {
            self.assign(to, observer);
            return;
        }
        let Some((from, session)) = self.owner() else { return };
        let Some(handover) = session.handover() else { return };
        if handover.drain.is_over(self.now, session.running()) {
            let to = handover.to;
            self.commit(CommitCause::Drain, observer);
            self.end_ownership(from, EndedBy::Handover, observer);
            self.assign(to, observer);
        }
    }

    /// Phase 6.
    pub(super) fn poll(&mut self, observer: &mut impl Observer) {
        let now = self.now;
        for id in ConsumerId::ALL {
            let Some(session) = &mut self.consumers[id.index()].session else { continue };
            if session.handover.is_some() || session.is_blocked(&self.knobs) {
                continue;
            }
            let (epoch, paused) = (session.epoch(), session.is_paused());
            let batch = session.poll(now, &self.knobs, &self.log);
            let in_flight = session.in_flight();
            let fact = match (batch, session.missed_until(now, &self.log)) {
                (Some(batch), _) => Fact::Polled {
                    consumer: id,
                    epoch,
                    indices: batch.indices,
                    taken: batch.taken,
                    passed: batch.passed,
                    in_flight,
                },
                (None, Some(until)) => Fact::EmptyPoll { consumer: id, until, in_flight },
                (None, None) => Fact::PolledNothing { consumer: id, paused, in_flight },
            };
            observer.note(now, fact);
            if let Some(ceiling) = self.knobs.heap_ceiling
                && in_flight > ceiling
            {
                self.crash(id, CrashCause::OutOfMemory { in_flight, ceiling }, observer);
            }
        }
    }

    /// Phase 7.
    pub(super) fn test_gate(&mut self, observer: &mut impl Observer) {
        let Intake::Pause { high, .. } = self.knobs.intake else { return };
        for id in ConsumerId::ALL {
            let Some(session) = &mut self.consumers[id.index()].session else { continue };
            if session.handover.is_some() {
                continue;
            }
            let in_flight = session.in_flight();
            let fact = match session.test_gate(self.now.after(1), &self.knobs, &self.log) {
                Some(GateMove::Pause) => Fact::Paused { consumer: id, in_flight, high },
                Some(GateMove::Resume) => session.resumed(id),
                None => continue,
            };
            observer.note(self.now, fact);
        }
    }

    /// Phase 8.
    pub(super) fn dispatch(&mut self, observer: &mut impl Observer) {
        let (now, concurrency) = (self.now, self.knobs.concurrency());
        for id in ConsumerId::ALL {
            let consumer = &mut self.consumers[id.index()];
            let Some(session) = &mut consumer.session else { continue };
            if session.handover.is_some() {
                continue;
            }
            while consumer.pool.running() < concurrency as usize
                && let Some(attempt) = session.start_next(now, id, &consumer.pool, &self.poisoned)
            {
                consumer.pool.start(attempt);
                observer.note(now, Fact::Started(attempt));
            }
        }
    }
}

/// The ownership that the attempt belongs to, if it has not ended.
fn session_of<'a>(consumers: &'a mut [Consumer; 2], attempt: &Attempt) -> Option<&'a mut Session> {
    let session = consumers[attempt.consumer.index()].session.as_mut();
    session.filter(|session| session.epoch() == attempt.epoch)
}
