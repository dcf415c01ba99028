//! The four panels as configurations of the one world: opening settings, and what their knobs do to them.
//!
//! Plain values and natively tested: what the article says of a panel's opening run is a test in
//! `tests/presets.rs`, not a drawing. The panels themselves are in `web`.

pub mod backpressure;
pub mod dispatch;
pub mod rebalance;
mod start;
pub mod watermark;

pub use start::{Brought, Start};

use crate::{
    ids::ConsumerId,
    player::Inputs,
    world::{
        Input, Knobs, Setup,
        config::{Intake, Routing},
    },
};

/// One of the page's four panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Panel {
    /// Shared pool or keyed mailboxes.
    Dispatch,
    /// What a commit promises.
    Watermark,
    /// What bounds memory.
    Backpressure,
    /// What leaks past a handover.
    Rebalance,
}

/// What can be drawn without losing the reader in it.
struct MostDrawn {
    records: u64,
    keys: usize,
    workers: u32,
}

const MOST_DRAWN: MostDrawn = MostDrawn { records: 200, keys: 12, workers: 16 };

impl Panel {
    /// All of them, in the order of the article.
    pub const ALL: [Panel; 4] = [Panel::Dispatch, Panel::Watermark, Panel::Backpressure, Panel::Rebalance];

    /// Its name in links and in the markup.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Panel::Dispatch => "dispatch",
            Panel::Watermark => "watermark",
            Panel::Backpressure => "backpressure",
            Panel::Rebalance => "rebalance",
        }
    }

    /// How many runs it sets side by side, on one clock.
    #[must_use]
    pub fn runs(self) -> usize {
        match self {
            Panel::Dispatch => 2,
            Panel::Backpressure => backpressure::MODES.len(),
            Panel::Watermark | Panel::Rebalance => 1,
        }
    }

    /// The panel with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Panel> {
        Panel::ALL.into_iter().find(|panel| panel.name() == name)
    }

    /// The panel that shows best what a scenario is about: the first whose subject it touches, from the rarest
    /// on.
    #[must_use]
    pub fn fitting(setup: &Setup, script: &Inputs) -> Panel {
        let (knobs, usual) = (setup.knobs(), Knobs::default());
        let any = |wanted: fn(&Input) -> bool| script.values().flatten().any(wanted);
        let two = setup.with_b() || any(|input| input.names().any(|consumer| consumer == ConsumerId::B));
        let bounds_memory = knobs.heap_ceiling.is_some()
            || knobs.max_poll_interval.is_some()
            || !matches!(knobs.intake, Intake::Pause { .. });
        let by_hand = any(|input| !matches!(input, Input::Set(_)));
        let rebalances = any(|input| *input == Input::Rebalance);
        let best =
            if two || rebalances || knobs.guard != usual.guard || knobs.late_commit != usual.late_commit {
                Panel::Rebalance
            } else if bounds_memory {
                Panel::Backpressure
            } else if knobs.routing == Routing::Keyed
                && (by_hand || knobs.ack_map || knobs.commit_offset != usual.commit_offset)
            {
                Panel::Watermark
            } else {
                Panel::Dispatch
            };
        if best.draws(setup) { best } else { Panel::Watermark }
    }

    /// Whether the panel can draw runs of this setup without losing the reader in them. The grid and the tank show a
    /// part of whatever there is; the other two draw all of it.
    #[must_use]
    pub fn draws(self, setup: &Setup) -> bool {
        let (log, knobs) = (setup.log(), setup.knobs());
        let lanes = if let Routing::Lanes(lanes) = knobs.routing { lanes } else { 0 };
        match self {
            Panel::Dispatch => {
                log.len() <= MOST_DRAWN.records
                    && log.key_count() <= MOST_DRAWN.keys
                    && lanes.max(knobs.workers) <= MOST_DRAWN.workers
            }
            Panel::Rebalance => knobs.workers <= MOST_DRAWN.workers,
            Panel::Watermark | Panel::Backpressure => true,
        }
    }
}
