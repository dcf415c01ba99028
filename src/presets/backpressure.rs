//! Backpressure: records come faster than they finish, and each mode finds its ceiling.

use std::sync::Arc;

use rand_pcg::Pcg32;

use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::{Inputs, Player},
    world::{
        ConfigError, Fails, Knobs, Log, NewRecord, Setup, Work,
        config::{Intake, NullKeys},
        draw_below,
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

/// The most records that a poll can be told to bring.
pub const MOST_FETCH: u64 = 24;
/// The most records that can be told to finish per tick.
pub const MOST_DRAIN: u32 = 12;
/// The longest refetch on offer, in ticks.
pub const LONGEST_REFETCH: u64 = 12;

/// Ticks that one attempt takes at most where a seed draws them; at least one.
pub const LONGEST_WORK: u64 = 3;

/// Records in the log: more than any run can finish, and what is in flight besides.
const RECORDS: i64 = 2_000;

/// The stream from which work is drawn, as in a generated log.
const WORK_STREAM: u64 = 2;

/// The modes in the order in which they are offered.
pub const MODES: [Intake; 3] = [Intake::Pause { high: HIGH, low: LOW }, Intake::Unbounded, Intake::Block];

/// What the reader can turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backpressure {
    /// Records a poll brings, one poll a tick: 1 to [`MOST_FETCH`].
    pub fetch: u64,
    /// Workers: 1 to [`MOST_DRAIN`]. Where every record takes one tick, that many finish per tick.
    pub drain: u32,
    /// What the records' work is drawn from, 1 to [`LONGEST_WORK`] ticks; 0: every record takes one tick.
    pub seed: u64,
    /// The mode in front, by its place in [`MODES`].
    pub mode: usize,
    /// Ticks from a resume until polls bring records again: 0 to [`LONGEST_REFETCH`].
    pub refetch: u64,
}

impl Default for Backpressure {
    fn default() -> Backpressure {
        Backpressure { fetch: 12, drain: 2, seed: 0, mode: 0, refetch: 0 }
    }
}

impl Backpressure {
    /// The run of these settings in one mode.
    ///
    /// # Errors
    /// If nothing is fetched or nothing drained.
    pub fn player(&self, intake: Intake) -> Result<Player, ConfigError> {
        let mut draws = Pcg32::new(self.seed, WORK_STREAM);
        let mut work = || if self.seed == 0 { 1 } else { 1 + draw_below(&mut draws, LONGEST_WORK) };
        // Without keys no record waits for another of its own: nothing but the workers limits what is finished.
        let records = (0..RECORDS).map(|offset| NewRecord {
            offset: Offset(offset),
            key: None,
            work: Work::Ticks(work()),
            fails: Fails::First(0),
            since: Tick(0),
        });
        let log = Log::from_records(Offset(0), records)?;
        let knobs = Knobs {
            workers: self.drain,
            null_keys: NullKeys::Spread,
            poll: self.fetch,
            intake,
            heap_ceiling: Some(CEILING),
            max_poll_interval: Some(MAX_POLL_INTERVAL),
            refetch: self.refetch,
            ..Knobs::default()
        };
        let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A])?;
        Ok(Player::new(setup, Inputs::new(), LAST, Keep::Events))
    }
}
