//! A link: what is on the panels, as the fragment of the page's address, and back.
//!
//! A run is exactly (start, acts by tick), so a link that names both restores what was seen, to the last event,
//! on every machine. It is written to be read by people where that costs nothing, and only in characters that
//! chats and mail leave alone:
//!
//! ```text
//! v=1&panel=dispatch&workers=8&seed=77&tick=34&playing=1&acts=EAIQBA&panel=rebalance&drain=2
//! ```
//!
//! The version comes first; each `panel=` begins a panel, and what follows is about that one. What is as it
//! opens is left out.
//!
//! | key | is |
//! |---|---|
//! | workers, drain, ... | a setting of the preset: `settings` lists them |
//! | scenario | instead of settings: a scenario that was brought (`scenario`, `log`) |
//! | tick | the tick executed last |
//! | playing | 1: the panel plays on |
//! | acts | what the reader did (`acts`) |
//! | compare | 1: the next act in the past keeps the old future |
//! | fork | an old future is kept, and this tick is the first in which the two may differ |
//! | old.workers, ..., old.scenario | what its start has otherwise than the new one |
//! | old.acts | what the reader did in it from the fork on |
//! | old.before | what the reader did in it before the fork, where that is not what the new one has |
//!
//! **A preset's meaning is frozen with its version.** A link leaves out what the preset brings with it, so
//! whoever changes a preset's defaults, its log, its script or its length changes what links of version 1 show.
//! The defaults of version 1 are what `Default` says; other ones belong to a version 2, and version 1 keeps its
//! own. The numbers of acts, knobs and records are frozen likewise. `tests/link` holds links that must be
//! readable for ever.
//!
//! A link may come from anybody. Reading takes time and memory in proportion to its length (and to the bounds
//! below), and whatever comes out can be played: the settings are those that the controls offer, the engine's
//! rules hold at the start, and the bounds keep a run within what a page can bear. Knobs turned *during* the
//! run may break a rule of the engine, such as `low < high`: the world ignores those, as it ignores them from
//! anybody.

#![deny(clippy::float_arithmetic, clippy::disallowed_types)]

mod acts;
mod bytes;
mod error;
mod fields;
mod knobs;
mod log;
mod read;
mod scenario;
mod settings;
mod write;

pub use error::{Flaw, LinkError, TooLong};

pub use read::read;
pub use write::write;

use crate::{ids::Tick, player::Inputs, presets::Start};

/// The version that is written, and the highest that can be read.
pub const VERSION: u64 = 1;

/// The longest link, in characters.
pub const LONGEST: usize = 60_000;

/// The highest last tick of a scenario.
pub const MOST_TICKS: u64 = 100_000;

/// The most inputs in one list of them: a panel's acts, a scenario's script.
pub const MOST_INPUTS: usize = 10_000;

/// The longest stall, in ticks.
pub const LONGEST_STALL: u64 = 1_000_000;

/// The most records that a recipe can draw; records that are written out are bounded by the link's length.
pub const MOST_GENERATED: u64 = 1_000_000;

/// The most keys that a recipe can have.
pub const MOST_KEYS: u32 = 10_000;

/// The most workers of a scenario, or turned to during a run.
pub const MOST_WORKERS: u32 = 1_024;

/// The most lanes, likewise.
pub const MOST_LANES: u32 = 1_024;

/// The most records a poll, likewise.
pub const MOST_POLL: u64 = 10_000;

/// A panel as a reader left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// What the runs start from.
    pub start: Start,
    /// What the reader did; knobs can be turned up to the tick after the last.
    pub acts: Inputs,
    /// The tick executed last.
    pub tick: Tick,
    /// Whether the panel plays.
    pub playing: bool,
    /// Whether an old future is kept beside the new one.
    pub compare: Compare,
}

impl Saved {
    /// Nothing was done, and it rests at a tick.
    #[must_use]
    pub fn at(start: Start, tick: Tick) -> Saved {
        Saved { start, acts: Inputs::new(), tick, playing: false, compare: Compare::Off }
    }
}

/// Whether the future that an act in the past replaces is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "a page has four of them")]
pub enum Compare {
    /// It is dropped.
    #[default]
    Off,
    /// The next act in the past will keep it.
    Armed,
    /// It is kept, and the two are side by side.
    Kept(Old),
}

/// The future that was, before an act in the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// What its runs started from: the same panel's preset, or a scenario where the new one is one too.
    pub start: Start,
    /// What the reader did in it.
    pub acts: Inputs,
    /// The tick that executes next at the fork: the first in which the two may differ.
    pub fork: Tick,
}
