//! What happens at many moments of one run: a revoke, a crash.
//!
//! Up to the moment all those runs are one, so it is played once, and at each moment a copy of the world goes
//! its own way: the same world that any run of that inputs would have, at a fraction of the ticks.

use rand::Rng;
use rand_pcg::Pcg32;

use super::{
    commits::Commits,
    trial::{Case, Trial},
};
use crate::{
    ids::{Epoch, Tick},
    world::{EndedBy, Fact, Input, Knob, Observer, Work, World, redelivered},
};

/// Steps that a copy goes its own way at most: something of an old owner may run for ever.
const MOST_STEPS: u64 = 1_000_000;

/// Moments of `from .. to`, drawn uniformly and independently from `seed` by this stream, ascending.
pub(super) fn draw(seed: u64, stream: u64, (from, to): (Tick, Tick), count: usize) -> Vec<Tick> {
    let mut generator = Pcg32::new(seed, stream);
    let span = u128::from(to.since(from).max(1));
    let mut moments: Vec<Tick> =
        (0..count).map(|_| from.after(((u128::from(generator.next_u32()) * span) >> 32) as u64)).collect();
    moments.sort_unstable();
    moments
}

/// What came of a revoke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revoked {
    /// Row writes of the old owner after its ownership had ended.
    pub leaked: u64,
    /// Of these, the ones that put an older version over a newer one.
    pub rows_back: u64,
    /// Of these, the ones that the guard refused.
    pub rejected: u64,
    /// Ticks from the revoke to the new owner.
    pub handover: u64,
    /// Records that came again.
    pub redelivered: u64,
    /// Whether the drain took so long that the old owner was evicted.
    pub evicted: bool,
}

/// Plays a run once, and revokes the partition at each of some moments, with each of some drain windows.
#[derive(Clone, Debug)]
pub(super) struct Revokes {
    trial: Trial,
    moments: Vec<Tick>,
    windows: Vec<u64>,
    /// Whether nothing is revoked, and what is watched is how long it takes to the next poll.
    waits: bool,
    /// By moment: by window, as far as it has got.
    found: Vec<Vec<Revoked>>,
}

impl Revokes {
    /// The moments ascend.
    pub(super) fn new(case: &Case, moments: &[Tick], windows: &[u64]) -> Revokes {
        Revokes {
            trial: Trial::new(case),
            moments: moments.to_vec(),
            windows: windows.to_vec(),
            waits: false,
            found: vec![vec![]],
        }
    }

    /// The same for a client that hears of a rebalance at its next poll only.
    pub(super) fn waiting(case: &Case, moments: &[Tick]) -> Revokes {
        Revokes { waits: true, ..Revokes::new(case, moments, &[0]) }
    }

    pub(super) fn trial(&self) -> &Trial {
        &self.trial
    }

    /// Whether it is done; the rest is left for the next call.
    pub(super) fn advance(&mut self, steps: u64) -> bool {
        let mut left = steps;
        while let (Some(&moment), Some(found)) =
            (self.moments.get(self.found.len() - 1), self.found.last_mut())
        {
            if left == 0 || !self.trial.advance(moment, left) {
                return false;
            }
            match self.windows.get(found.len()) {
                Some(&window) => {
                    let world = self.trial.world();
                    let (revoked, took) =
                        if self.waits { wait(world, moment) } else { revoke(world, moment, window) };
                    left = left.saturating_sub(took);
                    // Where nobody owns the partition there is nothing to revoke, whatever the window.
                    match revoked {
                        Some(revoked) => found.push(revoked),
                        None => *found = vec![Revoked::default(); self.windows.len()],
                    }
                }
                None => self.found.push(Vec::new()),
            }
        }
        true
    }

    pub(super) fn take(&mut self) -> Vec<Vec<Revoked>> {
        self.found.truncate(self.moments.len());
        std::mem::take(&mut self.found)
    }
}

/// A copy of the world in which the owner has to let go; and the steps that it took.
fn revoke(world: &World, moment: Tick, window: u64) -> (Option<Revoked>, u64) {
    let mut world = world.clone();
    world.pass_to(moment);
    let Some((from, session)) = world.owner() else { return (None, 1) };
    if session.handover().is_some() {
        return (None, 1);
    }
    let epoch = session.epoch();
    let mut watch = Watch::new(&world, epoch, moment);
    let inputs = [Input::Set(vec![Knob::Drain(window)]), Input::Revoke { from, to: from.other() }];
    world.step(&inputs, &mut watch);
    let mut steps = 1;
    while steps < MOST_STEPS && (!watch.new_owner || runs_on(&world, epoch)) {
        let Some(next) = world.next_change() else { break };
        world.pass_to(next);
        world.step(&[], &mut watch);
        steps += 1;
    }
    (Some(watch.found), steps)
}

/// A copy of the world in which a rebalance waits for the owner's next poll; and the steps that it took. A poll may be
/// in this very tick; an owner that is evicted before it polls leaves its attempts running.
fn wait(world: &World, moment: Tick) -> (Option<Revoked>, u64) {
    let mut world = world.clone();
    world.pass_to(moment);
    let Some((_, session)) = world.owner() else { return (None, 1) };
    if !session.is_blocked(world.knobs()) {
        return (Some(Revoked::default()), 1);
    }
    let epoch = session.epoch();
    let mut watch = Watch::new(&world, epoch, moment);
    let mut steps = 0;
    while steps < MOST_STEPS && !watch.polled && (!watch.new_owner || runs_on(&world, epoch)) {
        let Some(next) = world.next_change() else { break };
        world.pass_to(next);
        world.step(&[], &mut watch);
        steps += 1;
    }
    (Some(watch.found), steps.max(1))
}

/// Whether an attempt of an ended ownership is yet to end.
fn runs_on(world: &World, epoch: Epoch) -> bool {
    let pools = crate::ids::ConsumerId::ALL.map(|id| world.consumer(id).pool());
    pools
        .iter()
        .flat_map(|pool| pool.attempts())
        .any(|attempt| attempt.epoch == epoch && attempt.ends.is_some())
}

/// Sees a handover and what leaks past it.
struct Watch {
    epoch: Epoch,
    log: std::sync::Arc<crate::world::Log>,
    began: Tick,
    new_owner: bool,
    /// Whether the owner has polled.
    polled: bool,
    found: Revoked,
}

impl Watch {
    fn new(world: &World, epoch: Epoch, began: Tick) -> Watch {
        let log = world.log().clone();
        Watch { epoch, log, began, new_owner: false, polled: false, found: Revoked::default() }
    }
}

impl Observer for Watch {
    fn note(&mut self, tick: Tick, fact: Fact) {
        match fact {
            Fact::Wrote { attempt, held, accepted, late: true, .. } if attempt.epoch == self.epoch => {
                self.found.leaked += 1;
                self.found.rejected += u64::from(!accepted);
                self.found.rows_back += u64::from(accepted && held.is_some_and(|held| attempt.offset < held));
            }
            Fact::OwnerEnded { epoch, by, committed, position, ref spared, .. } if epoch == self.epoch => {
                self.found.redelivered = redelivered(&self.log, committed, position, spared).count() as u64;
                self.found.evicted = by == EndedBy::Eviction;
            }
            Fact::Polled { .. } | Fact::PolledNothing { .. } | Fact::EmptyPoll { .. }
                if !self.new_owner && !self.polled =>
            {
                self.polled = true;
                self.found.handover = tick.since(self.began);
            }
            Fact::Assigned { .. } if !self.new_owner => {
                self.new_owner = true;
                self.found.handover = tick.since(self.began);
            }
            _ => {}
        }
    }
}

/// What a crash at a moment would cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrashMoment {
    /// At the end of this tick.
    pub tick: Tick,
    /// Records that would come again.
    pub redelivered: u64,
    /// Of these, the ones that were completed already.
    pub duplicates: u64,
    /// The ticks of work that they would take a second time.
    pub redone: u64,
    /// Records that are committed and not finished: nobody would read them again.
    pub lost: u64,
    /// The most that a crash would have lost so far, right after a commit.
    pub most_lost: u64,
    /// Bytes of the acknowledgement map that went with the last commit.
    pub map_bytes: u64,
    /// Times so far that the map began to be too long for a commit.
    pub maps_refused: u64,
}

/// Plays a run once, and looks at each of some moments at what a crash would cost.
#[derive(Clone, Debug)]
pub(super) struct Crashes {
    trial: Trial,
    moments: Vec<Tick>,
    found: Vec<CrashMoment>,
}

impl Crashes {
    /// The moments ascend.
    pub(super) fn new(case: &Case, moments: &[Tick]) -> Crashes {
        Crashes { trial: Trial::new(case), moments: moments.to_vec(), found: Vec::new() }
    }

    pub(super) fn trial(&self) -> &Trial {
        &self.trial
    }

    pub(super) fn advance(&mut self, steps: u64) -> bool {
        let mut left = steps;
        while let Some(&tick) = self.moments.get(self.found.len()) {
            // Looking at a moment costs a few steps too.
            if left == 0 || !self.trial.advance(tick.after(1), left) {
                return false;
            }
            left = left.saturating_sub(100);
            self.found.push(crash(&self.trial, tick));
        }
        true
    }

    pub(super) fn take(&mut self) -> Vec<CrashMoment> {
        std::mem::take(&mut self.found)
    }
}

fn crash(trial: &Trial, tick: Tick) -> CrashMoment {
    let (world, gauge) = (trial.world(), trial.gauge());
    let (map_bytes, maps_refused) = (gauge.map_bytes_now(), gauge.maps_refused());
    let mut moment = CrashMoment { tick, map_bytes, maps_refused, ..CrashMoment::default() };
    let mut again = |index: u64| {
        moment.redelivered += 1;
        if gauge.has_completed(index) {
            moment.duplicates += 1;
            if let Some(Work::Ticks(ticks)) = world.log().get(index).map(|record| record.work) {
                moment.redone = moment.redone.saturating_add(ticks);
            }
        }
    };
    let committed = gauge.committed();
    if committed.by() == Commits::Engine {
        world.redelivered_by_a_crash().for_each(|(index, _)| again(index));
    } else if let Some((_, session)) = world.owner() {
        (committed.at()..session.next_index()).for_each(again);
        moment.lost = committed.at_risk(world);
        moment.most_lost = committed.most_at_risk();
    }
    moment
}
