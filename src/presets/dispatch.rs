//! Dispatch: one log through a shared pool and, beside it, through another routing.

use std::sync::Arc;

use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::{Inputs, Player},
    world::{
        ConfigError, Generated, Knobs, Log, Setup,
        config::{Intake, Routing},
    },
};

/// Records in the log.
pub const RECORDS: u64 = 40;

/// Ticks that one attempt takes, drawn evenly from this range.
pub const WORK: (u64, u64) = (1, 6);

/// The most worker threads on offer.
pub const MOST_WORKERS: u32 = 8;
/// The most keys on offer.
pub const MOST_KEYS: u32 = 8;
/// The largest skew on offer.
pub const MOST_SKEW: u32 = 3;
/// Lanes on offer.
pub const LANES: u32 = 4;
/// The last tick of the run: long after any that the settings allow is over.
pub const LAST: Tick = Tick(249);

/// What the reader can turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Worker threads, 1 to [`MOST_WORKERS`].
    pub workers: u32,
    /// Keys, 1 to [`MOST_KEYS`].
    pub keys: u32,
    /// How much the first keys outweigh the others, 0 to [`MOST_SKEW`]: rank r weighs 1 / r^skew.
    pub skew: u32,
    /// The routing beside the shared pool.
    pub routing: Routing,
    /// Seed of the log.
    pub seed: u64,
}

impl Default for Dispatch {
    fn default() -> Dispatch {
        Dispatch { workers: 4, keys: 6, skew: 1, routing: Routing::Keyed, seed: 223 }
    }
}

impl Dispatch {
    /// The log of these settings: the same for every routing.
    ///
    /// # Errors
    /// If there are no keys.
    pub fn log(&self) -> Result<Arc<Log>, ConfigError> {
        let recipe = Generated::new(self.seed, RECORDS, self.keys, self.skew, WORK)?;
        Ok(Arc::new(Log::generated(Offset(0), recipe)?))
    }

    /// The run of these settings through `routing`.
    ///
    /// # Errors
    /// If there are no workers or no keys.
    pub fn player(&self, log: Arc<Log>, routing: Routing) -> Result<Player, ConfigError> {
        let knobs = Knobs {
            workers: self.workers,
            routing,
            poll: 4,
            intake: Intake::Pause { high: 16, low: 12 },
            ..Knobs::default()
        };
        let setup = Setup::new(log, knobs, &[ConsumerId::A])?;
        Ok(Player::new(setup, Inputs::new(), LAST, Keep::Events))
    }
}
