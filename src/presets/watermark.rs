//! The commit watermark: a grid of records, each with a worker and a key of its own, that last until tapped.

use std::sync::Arc;

use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::{Inputs, Player},
    world::{
        ConfigError, Fails, Generated, Knobs, Log, NewRecord, Setup, Work,
        config::{CommitOffset, Intake, Quarantine, Then},
    },
};

/// Cells of the grid.
pub const CELLS: u32 = 48;

/// Records a poll brings.
pub const POLL: u64 = 12;

/// What the reader can turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatermarkPreset {
    /// What a commit names.
    pub commit: CommitOffset,
    /// Whether a commit carries the finished offsets above it.
    pub ack_map: bool,
    /// A commit is due at every tick divisible by this.
    pub commit_every: u64,
    /// Ticks from a record's first failure to its dead letter.
    pub quarantine: u64,
}

impl Default for WatermarkPreset {
    fn default() -> WatermarkPreset {
        WatermarkPreset { commit: CommitOffset::Watermark, ack_map: false, commit_every: 1, quarantine: 6 }
    }
}

impl WatermarkPreset {
    /// The run of these settings.
    ///
    /// # Errors
    /// If the commit interval is 0.
    pub fn player(&self) -> Result<Player, ConfigError> {
        let cells = (0..CELLS).map(|cell| NewRecord {
            offset: Offset(cell.into()),
            key: Some(Generated::key_name(cell + 1)),
            work: Work::UntilTapped,
            fails: Fails::First(0),
            since: Tick(0),
        });
        let log = Log::from_records(Offset(0), cells)?;
        let knobs = Knobs {
            workers: CELLS,
            poll: POLL,
            intake: Intake::Pause { high: 24, low: 12 },
            commit_every: self.commit_every,
            commit_offset: self.commit,
            ack_map: self.ack_map,
            quarantine: Some(Quarantine { after: self.quarantine, then: Then::Continue }),
            ..Knobs::default()
        };
        let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A])?;
        Ok(Player::new(setup, Inputs::new(), Tick(399), Keep::Events))
    }
}
