//! What the runs of a panel start from: a preset with the reader's settings, or a scenario that was brought.
//!
//! A start is all that a link has to name for a panel, together with the reader's acts: the players follow
//! from it, on every machine the same.

use super::{
    Panel,
    backpressure::{self, Backpressure, MODES},
    dispatch::{self, Dispatch},
    rebalance::Rebalance,
    watermark::{self, Watermark},
};
use crate::{
    ids::Tick,
    ledger::Keep,
    player::{Inputs, Player},
    world::{
        ConfigError, Knob, Setup,
        config::{Intake, Routing},
    },
};

/// What a panel's runs start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The dispatch panel's settings.
    Dispatch(Dispatch),
    /// The watermark panel's settings.
    Watermark(Watermark),
    /// The backpressure panel's settings.
    Backpressure(Backpressure),
    /// The rebalance panel's settings.
    Rebalance(Rebalance),
    /// A scenario, in the panel that it fits.
    Brought(Panel, Brought),
}

/// A scenario that the reader brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brought {
    /// What it is called.
    pub title: String,
    /// What the run starts from.
    pub setup: Setup,
    /// What the scenario does to it.
    pub script: Inputs,
    /// The last tick to execute.
    pub last: Tick,
    /// Which of the panel's runs is in front, where it has several: by its place.
    pub front: usize,
}

impl Start {
    /// The opening settings of a panel.
    #[must_use]
    pub fn opening(panel: Panel) -> Start {
        match panel {
            Panel::Dispatch => Start::Dispatch(Dispatch::default()),
            Panel::Watermark => Start::Watermark(Watermark::default()),
            Panel::Backpressure => Start::Backpressure(Backpressure::default()),
            Panel::Rebalance => Start::Rebalance(Rebalance::default()),
        }
    }

    /// The panel that it belongs to.
    #[must_use]
    pub fn panel(&self) -> Panel {
        match self {
            Start::Dispatch(_) => Panel::Dispatch,
            Start::Watermark(_) => Panel::Watermark,
            Start::Backpressure(_) => Panel::Backpressure,
            Start::Rebalance(_) => Panel::Rebalance,
            Start::Brought(panel, _) => *panel,
        }
    }

    /// The panel's runs, at their beginning and all on one clock.
    ///
    /// # Errors
    /// If the settings break a rule.
    pub fn players(&self) -> Result<Vec<Player>, ConfigError> {
        match self {
            Start::Dispatch(preset) => {
                let log = preset.log()?;
                let through = |routing| preset.player(log.clone(), routing);
                Ok(vec![through(Routing::Shared)?, through(preset.routing)?])
            }
            Start::Watermark(preset) => Ok(vec![preset.player()?]),
            Start::Backpressure(preset) => MODES.into_iter().map(|mode| preset.player(mode)).collect(),
            Start::Rebalance(preset) => Ok(vec![preset.player()?]),
            Start::Brought(panel, brought) => brought.players(*panel),
        }
    }

    /// The last tick of its runs.
    #[must_use]
    pub fn last(&self) -> Tick {
        match self {
            Start::Dispatch(_) => dispatch::LAST,
            Start::Watermark(_) => watermark::LAST,
            Start::Backpressure(_) => backpressure::LAST,
            Start::Rebalance(preset) => preset.last(),
            Start::Brought(_, brought) => brought.last,
        }
    }

    /// Which of the runs the panel is about.
    #[must_use]
    pub fn front(&self) -> usize {
        match self {
            // The shared pool is there to be compared with.
            Start::Dispatch(_) => 1,
            Start::Watermark(_) | Start::Rebalance(_) => 0,
            Start::Backpressure(preset) => preset.mode,
            Start::Brought(_, brought) => brought.front,
        }
    }

    /// The same start with another of its runs in front, where there is one.
    #[must_use]
    pub fn fronted(mut self, run: usize) -> Start {
        match &mut self {
            Start::Backpressure(preset) if run < MODES.len() => preset.mode = run,
            Start::Brought(Panel::Backpressure, brought) if run < MODES.len() => brought.front = run,
            _ => {}
        }
        self
    }

    /// The same start with knobs turned before anything happens. Knobs that a preset does not have stay as
    /// they are; so does a scenario whose rules they would break.
    #[must_use]
    pub fn turned(mut self, knobs: &[Knob]) -> Start {
        if let Start::Brought(_, brought) = &mut self {
            brought.setup = brought.setup.turned(knobs).unwrap_or_else(|_| brought.setup.clone());
            return self;
        }
        for knob in knobs {
            match (&mut self, *knob) {
                (Start::Dispatch(preset), Knob::Workers(workers)) => preset.workers = workers,
                (Start::Dispatch(preset), Knob::Routing(routing)) => preset.routing = routing,
                (Start::Watermark(preset), Knob::CommitOffset(commit)) => preset.commit = commit,
                (Start::Watermark(preset), Knob::AckMap(on)) => preset.ack_map = on,
                (Start::Watermark(preset), Knob::CommitEvery(ticks)) => preset.commit_every = ticks,
                (Start::Watermark(preset), Knob::Quarantine(Some(quarantine))) => {
                    preset.quarantine = quarantine.after;
                }
                (Start::Backpressure(preset), Knob::Poll(fetch)) => preset.fetch = fetch,
                (Start::Backpressure(preset), Knob::Workers(drain)) => preset.drain = drain,
                (Start::Backpressure(preset), Knob::Refetch(ticks)) => preset.refetch = ticks,
                (Start::Rebalance(preset), Knob::Drain(ticks)) => preset.drain = ticks,
                (Start::Rebalance(preset), Knob::Guard(guard)) => preset.guard = guard,
                (Start::Rebalance(preset), Knob::LateCommit(commits)) => preset.late_commit = commits,
                (Start::Rebalance(preset), Knob::PauseAtAssignment(pause)) => {
                    preset.pause_at_assignment = pause
                }
                (Start::Rebalance(preset), Knob::RebalanceProtocol(protocol)) => preset.protocol = protocol,
                _ => {}
            }
        }
        self
    }

    /// The seed, where the run has one: a scenario's log is written down.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        match self {
            Start::Dispatch(preset) => Some(preset.seed),
            Start::Watermark(preset) => Some(preset.seed),
            Start::Backpressure(preset) => Some(preset.seed),
            Start::Rebalance(preset) => Some(preset.seed),
            Start::Brought(..) => None,
        }
    }

    /// The same start with another seed.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Start {
        match &mut self {
            Start::Dispatch(preset) => preset.seed = seed,
            Start::Watermark(preset) => preset.seed = seed,
            Start::Backpressure(preset) => preset.seed = seed,
            Start::Rebalance(preset) => preset.seed = seed,
            Start::Brought(..) => {}
        }
        self
    }
}

impl Brought {
    /// A scenario in the panel that it fits, its own run in front.
    #[must_use]
    pub fn fitting(title: String, setup: Setup, script: Inputs, last: Tick) -> Start {
        let panel = Panel::fitting(&setup, &script);
        let front = match (panel, setup.knobs().intake) {
            // The shared pool is there to be compared with.
            (Panel::Dispatch, _) | (Panel::Backpressure, Intake::Unbounded) => 1,
            (Panel::Backpressure, Intake::Block) => 2,
            (Panel::Backpressure | Panel::Watermark | Panel::Rebalance, _) => 0,
        };
        Start::Brought(panel, Brought { title, setup, script, last, front })
    }

    /// The panel's runs: the scenario's own, and what that panel sets beside it.
    fn players(&self, panel: Panel) -> Result<Vec<Player>, ConfigError> {
        let turned = match panel {
            Panel::Dispatch => vec![vec![Knob::Routing(Routing::Shared)], vec![]],
            Panel::Backpressure => self.intakes().map(|mode| vec![Knob::Intake(mode)]).into(),
            Panel::Watermark | Panel::Rebalance => vec![vec![]],
        };
        let player = |knobs: Vec<Knob>| {
            let setup = self.setup.turned(&knobs)?;
            Ok(Player::new(setup, self.script.clone(), self.last, Keep::Events))
        };
        turned.into_iter().map(player).collect()
    }

    /// The modes of intake to compare, in the order of [`MODES`], with the scenario's own marks if it has any.
    #[must_use]
    pub fn intakes(&self) -> [Intake; 3] {
        let [pause, unbounded, block] = MODES;
        match self.setup.knobs().intake {
            own @ Intake::Pause { .. } => [own, unbounded, block],
            Intake::Unbounded | Intake::Block => [pause, unbounded, block],
        }
    }
}
