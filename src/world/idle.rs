//! Ticks in which nothing happens, and passing over them.
//!
//! In a trace with a tick a millisecond most ticks bring nothing. Between two changes a consumer only polls,
//! and gets nothing; to know when the next change comes is as good as watching every tick until then, and a
//! sweep over many runs depends on it.

use super::{Session, World};
use crate::ids::{Epoch, Tick};

impl World {
    /// The first tick from now on in which something can happen without an input; nothing if none is.
    ///
    /// It is never too late, and not often too early: in the tick it names, a commit may be due that changes
    /// nothing.
    #[must_use]
    pub fn next_change(&self) -> Option<Tick> {
        // The first tick assigns the partition.
        if self.broker.epoch == Epoch(0) {
            return Some(self.now);
        }
        let ends = self.consumers.iter().filter_map(|consumer| consumer.pool.next_end()).min();
        let owner = self.owner().and_then(|(_, session)| self.next_change_of(session));
        let late = self.will_tell_of_a_late_commit().then(|| self.next_commit_due());
        let next = [ends, owner, late].into_iter().flatten().min();
        next.map(|tick| tick.max(self.now))
    }

    /// Between ticks every free worker has taken what there was for it.
    fn next_change_of(&self, session: &Session) -> Option<Tick> {
        let now = self.now;
        if self.noted != Some(session.tracker().low()) {
            return Some(now);
        }
        let expires = self.knobs.max_poll_interval.map(|interval| session.last_poll().after(interval));
        let intake = match &session.handover {
            // Something runs, or the drain would be over.
            Some(handover) => expires.into_iter().chain([handover.drain.deadline()]).min(),
            None if session.is_blocked(&self.knobs) => expires,
            None => session.next_arrival(&self.log),
        };
        let next = [intake, session.next_timer(&self.knobs)].into_iter().flatten().min();
        // What a commit would name can be costly to find out.
        if next.is_some_and(|tick| tick <= now) {
            return next;
        }
        let commit = self.will_tell_of_a_commit(session).then(|| self.next_commit_due());
        [next, commit].into_iter().flatten().min()
    }

    fn next_commit_due(&self) -> Tick {
        let every = self.knobs.commit_every;
        Tick(self.now.0.div_ceil(every).saturating_mul(every))
    }

    /// Lets time pass until `tick` is the next one to execute. Nothing may happen before: at most up to
    /// [`World::next_change`], and to the next input.
    pub fn pass_to(&mut self, tick: Tick) {
        if tick <= self.now {
            return;
        }
        let (before, knobs) = (Tick(tick.0 - 1), &self.knobs);
        for session in self.consumers.iter_mut().filter_map(|consumer| consumer.session.as_mut()) {
            if session.handover.is_none() && !session.is_blocked(knobs) {
                session.last_poll = before;
            }
        }
        self.now = tick;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        ids::{ConsumerId, Offset},
        world::{
            Fact, Fails, Input, Knobs, Log, NewRecord, Observer, Setup, Work,
            config::{Intake, LateCommit, PauseAtAssignment, Quarantine, RebalanceProtocol, Routing, Then},
        },
    };

    #[derive(Default)]
    struct Notes(Vec<(Tick, Fact)>);

    impl Observer for Notes {
        fn note(&mut self, tick: Tick, fact: Fact) {
            if !matches!(fact, Fact::PolledNothing { .. }) {
                self.0.push((tick, fact));
            }
        }
    }

    /// A sparse log in which something fails, and something takes very long.
    fn log() -> Arc<Log> {
        let record = |n: i64| NewRecord {
            offset: Offset(n + n / 7),
            key: (n % 5 > 0).then(|| format!("key {}", n % 11).as_str().into()),
            work: Work::Ticks(if n % 23 == 1 { 90 } else { 1 + n as u64 * 7 % 13 }),
            fails: if n % 19 == 3 { Fails::Always } else { Fails::First(u32::from(n % 13 == 0)) },
            since: Tick((n as u64 / 6) * 37),
        };
        Arc::new(Log::from_records(Offset(0), (0..160).map(record)).unwrap())
    }

    fn inputs(tick: Tick) -> Vec<Input> {
        let (a, b) = (ConsumerId::A, ConsumerId::B);
        match tick.0 {
            110 => vec![Input::Rebalance],
            140 => vec![Input::Stall { consumer: a, ticks: 9 }],
            200 => vec![Input::Revoke { from: a, to: b }],
            330 => vec![Input::Rebalance],
            420 => vec![Input::Crash(b)],
            450 => vec![Input::Rebalance],
            471 => vec![Input::Restart(b)],
            600 => vec![Input::Revoke { from: b, to: a }, Input::Crash(b)],
            601 => vec![Input::Poison(Offset(90))],
            _ => vec![],
        }
    }

    #[test]
    fn nothing_happens_in_the_ticks_that_are_passed_over() {
        let quarantine = |then| Some(Quarantine { after: 40, then });
        let base = Knobs { quarantine: quarantine(Then::Continue), drain: 20, ..Knobs::default() };
        let runs = [
            base.clone(),
            Knobs { commit_every: 50, ack_map: true, ..base.clone() },
            Knobs { intake: Intake::Pause { high: 3, low: 1 }, retry_delay: 17, ..base.clone() },
            Knobs { intake: Intake::Block, max_poll_interval: Some(30), ..base.clone() },
            Knobs { max_poll_interval: Some(12), drain: 40, workers: 2, ..base.clone() },
            Knobs { late_commit: LateCommit::Sent, commit_every: 30, drain: 0, ..base.clone() },
            Knobs {
                pause_at_assignment: PauseAtAssignment::Kept,
                intake: Intake::Pause { high: 3, low: 1 },
                ..base.clone()
            },
            Knobs { rebalance_protocol: RebalanceProtocol::Eager, ..base.clone() },
            Knobs { refetch: 45, intake: Intake::Pause { high: 3, low: 1 }, ..base.clone() },
            Knobs {
                routing: Routing::Shared,
                quarantine: quarantine(Then::Park),
                ack_map_limit: 8,
                ack_map: true,
                ..base
            },
        ];
        for knobs in runs {
            let setup = Setup::new(log(), knobs, &[ConsumerId::A]).unwrap();
            let (mut slow, mut quick) = (World::new(&setup), World::new(&setup));
            assert_eq!(quick.next_change(), Some(Tick(0)), "the partition is assigned");
            let (mut told, mut notes) = (Notes::default(), Notes::default());
            let mut executed = 0;
            while quick.now().0 < 3_000 {
                let now = quick.now();
                while slow.now() < now {
                    slow.step(&inputs(slow.now()), &mut told);
                }
                assert_eq!(slow, quick, "before tick {now}");
                assert_eq!(told.0, notes.0);
                quick.step(&inputs(now), &mut notes);
                executed += 1;
                let next_input = (now.0 + 1..700).find(|&tick| !inputs(Tick(tick)).is_empty()).map(Tick);
                let change = quick.next_change();
                assert!(change.is_some() || quick.is_settled(), "after tick {now}");
                let next = [change, next_input].into_iter().flatten().min();
                quick.pass_to(next.unwrap_or(Tick(3_000)));
            }
            assert!(executed < 1_500 && notes.0.len() > 400, "{executed} ticks, {} facts", notes.0.len());
        }
    }
}
