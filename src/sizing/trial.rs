//! A run that is measured: executed a slice at a time, idle ticks passed over.
//!
//! The same facts as in any other run of the same setup and inputs, tick by tick; only ticks in which nothing
//! happens are not executed one by one.

use std::sync::Arc;

use super::{
    commits::Commits,
    gauge::{From, Gauge, Measure},
};
use crate::{
    ids::{KeyId, Offset, Tick},
    player::Inputs,
    world::{Setup, World},
};

/// Steps that a run takes at most: a livelock goes on for ever, and no log that can be read needs as many.
const MOST_STEPS: u64 = 200_000_000;

/// What is run: with its setup, everything that determines it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it starts from.
    pub setup: Setup,
    /// What is done to it.
    pub inputs: Arc<Inputs>,
    /// The last tick to execute.
    pub last: Tick,
    /// From when on a record's time in the system is counted.
    pub from: From,
    /// How the client commits: what lag and what is not committed are told by.
    pub commits: Commits,
}

impl Case {
    /// Runs it to its end.
    #[must_use]
    pub fn measure(&self) -> Measure {
        let mut trial = Trial::new(self);
        trial.finish();
        trial.measure()
    }
}

/// A run under way.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    world: World,
    gauge: Gauge,
    inputs: Arc<Inputs>,
    last: Tick,
    steps: u64,
    settled: bool,
}

impl Trial {
    pub(super) fn new(case: &Case) -> Trial {
        Trial {
            world: World::new(&case.setup),
            gauge: Gauge::new(case.setup.log(), case.from, case.commits),
            inputs: case.inputs.clone(),
            last: case.last,
            steps: 0,
            settled: false,
        }
    }

    /// The same, which notes how long records of a key take that come after this offset.
    pub(super) fn watching(self, watched: Option<(KeyId, Offset)>) -> Trial {
        match watched {
            Some((key, after)) => Trial { gauge: self.gauge.watching(key, after), ..self },
            None => self,
        }
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    pub(super) fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    /// Whether nothing can change any more, or the last tick was executed, or it went on for too long.
    pub(super) fn is_over(&self) -> bool {
        self.settled || self.world.now() > self.last || self.steps >= MOST_STEPS
    }

    pub(super) fn finish(&mut self) {
        while !self.advance(Tick::MAX, u64::MAX) {}
    }

    /// Executes every tick before `stop`, in at most so many steps; whether it has got there, or is over.
    pub(super) fn advance(&mut self, stop: Tick, steps: u64) -> bool {
        let end = stop.min(self.last.after(1));
        for _ in 0..steps {
            if self.is_over() || self.world.now() >= end {
                break;
            }
            self.step(end);
        }
        self.is_over() || self.world.now() >= end
    }

    /// How far it has got, of a thousand, by the records it has read.
    pub(super) fn permille(&self) -> u64 {
        let all = self.world.log().len().max(1);
        let read = self.world.owner().map_or(0, |(_, session)| session.next_index());
        if self.is_over() { 1000 } else { read.min(all) * 999 / all }
    }

    fn step(&mut self, end: Tick) {
        let now = self.world.now();
        let inputs = self.inputs.get(&now).map_or(&[][..], Vec::as_slice);
        self.world.step(inputs, &mut self.gauge);
        self.gauge.close(&self.world, now);
        self.steps += 1;
        let now = self.world.now();
        let input = self.inputs.range(now..).next().map(|(&tick, _)| tick);
        let next = [self.world.next_change(), input].into_iter().flatten().min();
        self.settled = next.is_none();
        let until = next.map_or(now, |tick| tick.min(end));
        if until > now {
            self.world.pass_to(until);
            self.gauge.close(&self.world, Tick(until.0 - 1));
        }
    }

    pub(super) fn measure(&self) -> Measure {
        self.gauge.measure(&self.world, self.settled)
    }
}
