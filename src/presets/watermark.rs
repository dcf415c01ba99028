//! The commit watermark: a grid of records, each with a worker and a key of its own, that last until tapped.

use std::sync::Arc;

use rand_pcg::Pcg32;

use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::{Inputs, Player},
    world::{
        ConfigError, Fails, Generated, Knobs, Log, NewRecord, Setup, TaskState, Work, World,
        config::{CommitOffset, Intake, Quarantine, Then},
        draw_below,
    },
};

/// Cells of the grid.
pub const CELLS: u32 = 48;

/// Records a poll brings.
pub const POLL: u64 = 12;
/// In flight at which intake pauses.
pub const HIGH: u64 = 12;
/// In flight at which it resumes.
pub const LOW: u64 = 6;
/// The last tick of the run: time for every cell to be tapped twice over.
pub const LAST: Tick = Tick(119);

/// The most ticks between two commits on offer.
pub const LONGEST_COMMIT_EVERY: u64 = 10;
/// The longest quarantine on offer, in ticks.
pub const LONGEST_QUARANTINE: u64 = 12;

/// A seed whose [`hand`] pins the watermark for a while and then lets it leap, more than once.
pub const SEED: u64 = 11;

/// The stream from which [`hand`] draws; a log draws from others.
const HAND_STREAM: u64 = 3;

/// What the reader can turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watermark {
    /// What a commit names.
    pub commit: CommitOffset,
    /// Whether a commit carries the finished offsets above it.
    pub ack_map: bool,
    /// A commit is due at every tick divisible by this, 1 to [`LONGEST_COMMIT_EVERY`].
    pub commit_every: u64,
    /// Ticks from a record's first failure to its dead letter, 1 to [`LONGEST_QUARANTINE`].
    pub quarantine: u64,
    /// Whether a [`hand`] taps a cell in every tick that is played.
    pub taps_itself: bool,
    /// What the hand's choice is drawn from; the run itself draws nothing.
    pub seed: u64,
}

impl Default for Watermark {
    fn default() -> Watermark {
        Watermark {
            commit: CommitOffset::Watermark,
            ack_map: false,
            commit_every: 1,
            quarantine: 6,
            taps_itself: true,
            seed: SEED,
        }
    }
}

impl Watermark {
    /// When a failing record of these settings is dead-lettered; its key goes on.
    #[must_use]
    pub fn quarantine(&self) -> Option<Quarantine> {
        Some(Quarantine { after: self.quarantine, then: Then::Continue })
    }

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
            intake: Intake::Pause { high: HIGH, low: LOW },
            commit_every: self.commit_every,
            commit_offset: self.commit,
            ack_map: self.ack_map,
            quarantine: self.quarantine(),
            ..Knobs::default()
        };
        let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A])?;
        Ok(Player::new(setup, Inputs::new(), LAST, Keep::Events))
    }
}

/// What a hand that taps one open cell a tick would tap next: any of those that run and are not poisoned. It
/// depends on nothing but the seed and the world, whose tick it draws for.
#[must_use]
pub fn hand(seed: u64, world: &World) -> Option<Offset> {
    let (_, session) = world.owner()?;
    let taps = |offset: Offset, state: TaskState| state == TaskState::Running && !world.is_poisoned(offset);
    let open: Vec<Offset> = session
        .tracker()
        .iter()
        .filter(|(offset, task)| taps(*offset, task.state))
        .map(|(offset, _)| offset)
        .collect();
    let mut draws = Pcg32::new(seed, HAND_STREAM);
    draws.advance(world.now().0);
    let drawn = draw_below(&mut draws, open.len() as u64);
    open.get(drawn as usize).copied()
}
