//! Backpressure: records come faster than they finish, and each mode finds its ceiling.

use std::sync::Arc;

use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::{Inputs, Player},
    world::{
        ConfigError, Generated, Knobs, Log, Setup,
        config::{Intake, NullKeys},
    },
};

/// In flight at which intake pauses.
pub const HIGH: u64 = 24;
/// In flight at which it resumes.
pub const LOW: u64 = 8;
/// In flight above which the process runs out of memory.
pub const CEILING: u64 = 72;
/// Ticks without a poll after which the owner is evicted.
pub const MAX_POLL_INTERVAL: u64 = 6;
/// The last tick of the run.
pub const LAST: Tick = Tick(119);

/// The modes in the order in which they are offered.
pub const MODES: [Intake; 3] = [Intake::Pause { high: HIGH, low: LOW }, Intake::Unbounded, Intake::Block];

/// What the reader can turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backpressure {
    /// Records a poll brings, one poll a tick: 1 to 24.
    pub fetch: u64,
    /// Records finished per tick: 1 to 12. Every record takes one tick, so this is the number of workers.
    pub drain: u32,
}

impl Default for Backpressure {
    fn default() -> Backpressure {
        Backpressure { fetch: 12, drain: 2 }
    }
}

impl Backpressure {
    /// The run of these settings in one mode.
    ///
    /// # Errors
    /// If nothing is fetched or nothing drained.
    pub fn player(&self, intake: Intake) -> Result<Player, ConfigError> {
        // More than any run can read, over so many keys that no mailbox ever holds two for long.
        let recipe = Generated::new(1, 4_000, 4_000, 0, (1, 1))?;
        let log = Log::generated(Offset(0), recipe)?;
        let knobs = Knobs {
            workers: self.drain,
            null_keys: NullKeys::Spread,
            poll: self.fetch,
            intake,
            heap_ceiling: Some(CEILING),
            max_poll_interval: Some(MAX_POLL_INTERVAL),
            ..Knobs::default()
        };
        let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A])?;
        Ok(Player::new(setup, Inputs::new(), LAST, Keep::Events))
    }
}
