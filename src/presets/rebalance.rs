//! Rebalance: A is revoked while its database is slow, B takes over, and the store sees both.

use std::sync::Arc;

use rand_pcg::Pcg32;

use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    mechanism::Guard,
    player::{Inputs, Player},
    world::{
        ConfigError, Fails, Input, Knobs, Log, NewRecord, Setup, Work,
        config::{Intake, LateCommit, PauseAtAssignment, RebalanceProtocol},
        draw_below,
    },
};

/// When A's database turns slow.
pub const STALL_AT: Tick = Tick(8);
/// By how many ticks everything that A has running then takes longer.
pub const STALL: u64 = 7;
/// When A is told to give the partition up.
pub const REVOKE_AT: Tick = Tick(10);
/// When B is told to give it back, where pauses are kept: A has paused it before.
pub const BACK_AT: Tick = Tick(18);
/// Workers of each consumer.
pub const WORKERS: u32 = 4;
/// Records a poll brings, one poll a tick.
pub const POLL: u64 = 3;
/// In flight at which intake pauses.
pub const HIGH: u64 = 10;
/// In flight at which it resumes.
pub const LOW: u64 = 5;
/// The last tick of the run where nothing comes again.
pub const LAST: Tick = Tick(23);

/// The longest drain window on offer, in ticks.
pub const LONGEST_DRAIN: u64 = 10;

/// The funds, and the streams from which another seed draws them and their work, as in a generated log.
const FUNDS: [&str; 5] = ["ALPS", "BALT", "CRUX", "DUNE", "ECHO"];
const FUND_STREAM: u64 = 1;
const WORK_STREAM: u64 = 2;

/// The longest work, in ticks.
const LONGEST_WORK: u64 = 3;

/// The fund NAV updates of the opening: offset, fund, ticks of work.
const UPDATES: [(i64, &str, u64); 22] = [
    (100, "CRUX", 2),
    (101, "DUNE", 3),
    (102, "DUNE", 1),
    (103, "ALPS", 1),
    (104, "ECHO", 3),
    (105, "ECHO", 2),
    (106, "ALPS", 1),
    (107, "ALPS", 1),
    (108, "DUNE", 3),
    (109, "ALPS", 3),
    (110, "ECHO", 3),
    (111, "ALPS", 3),
    (112, "CRUX", 1),
    (113, "ALPS", 1),
    (114, "ECHO", 1),
    (115, "DUNE", 1),
    (116, "ECHO", 1),
    (117, "DUNE", 1),
    (118, "DUNE", 2),
    (119, "ECHO", 1),
    (120, "ECHO", 2),
    (121, "BALT", 2),
];

/// What the reader can turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebalance {
    /// Ticks a revoked owner may go on with what runs: 0 to [`LONGEST_DRAIN`].
    pub drain: u64,
    /// Which writes a row accepts.
    pub guard: Guard,
    /// Whether what outlives a handover is committed.
    pub late_commit: LateCommit,
    /// Whether a pause outlives its assignment; if it does, the partition comes back.
    pub pause_at_assignment: PauseAtAssignment,
    /// What a rebalance revokes; if everything, there is one that moves nothing.
    pub protocol: RebalanceProtocol,
    /// What funds and work are drawn from; 0: the opening's own, which lets three writes leak past a window of 2.
    pub seed: u64,
}

impl Default for Rebalance {
    fn default() -> Rebalance {
        Rebalance {
            drain: 7,
            guard: Guard::Newer,
            late_commit: LateCommit::Checked,
            pause_at_assignment: PauseAtAssignment::Forgotten,
            protocol: RebalanceProtocol::Cooperative,
            seed: 0,
        }
    }
}

impl Rebalance {
    /// The run of these settings.
    ///
    /// # Errors
    /// None for values that the panel offers.
    pub fn player(&self) -> Result<Player, ConfigError> {
        let updates = self.updates().map(|(offset, fund, work)| NewRecord {
            offset: Offset(offset),
            key: Some(fund.into()),
            work: Work::Ticks(work),
            fails: Fails::First(0),
            since: Tick(0),
        });
        let log = Log::from_records(Offset(UPDATES[0].0), updates)?;
        let knobs = Knobs {
            workers: WORKERS,
            poll: POLL,
            intake: Intake::Pause { high: HIGH, low: LOW },
            drain: self.drain,
            guard: self.guard,
            late_commit: self.late_commit,
            pause_at_assignment: self.pause_at_assignment,
            rebalance_protocol: self.protocol,
            ..Knobs::default()
        };
        let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A, ConsumerId::B])?;
        let mut script = Inputs::from([
            (STALL_AT, vec![Input::Stall { consumer: ConsumerId::A, ticks: STALL }]),
            (REVOKE_AT, vec![Input::Revoke { from: ConsumerId::A, to: ConsumerId::B }]),
        ]);
        if self.pause_at_assignment == PauseAtAssignment::Kept {
            script.insert(BACK_AT, vec![Input::Revoke { from: ConsumerId::B, to: ConsumerId::A }]);
        }
        if self.protocol == RebalanceProtocol::Eager {
            script.insert(self.rebalance_at(), vec![Input::Rebalance]);
        }
        Ok(Player::new(setup, script, self.last(), Keep::Events))
    }

    /// The last tick of the run: what an eager rebalance lets come again takes a while longer.
    #[must_use]
    pub fn last(&self) -> Tick {
        match self.protocol {
            RebalanceProtocol::Cooperative => LAST,
            RebalanceProtocol::Eager => LAST.after(3),
        }
    }

    /// When somebody else joins the group or leaves it, where that revokes everything: when B has had the partition for
    /// a little while, or A has it back.
    #[must_use]
    pub fn rebalance_at(&self) -> Tick {
        match self.pause_at_assignment {
            PauseAtAssignment::Kept => BACK_AT.after(4),
            // What A runs when it is revoked has ended by then, however long the window is.
            PauseAtAssignment::Forgotten => REVOKE_AT.after(self.drain.min(STALL) + 3),
        }
    }

    fn updates(&self) -> [(i64, &'static str, u64); UPDATES.len()] {
        if self.seed == 0 {
            return UPDATES;
        }
        let [mut funds, mut work] = [FUND_STREAM, WORK_STREAM].map(|stream| Pcg32::new(self.seed, stream));
        UPDATES.map(|(offset, _, _)| {
            let fund = draw_below(&mut funds, FUNDS.len() as u64) as usize;
            (offset, FUNDS[fund], 1 + draw_below(&mut work, LONGEST_WORK))
        })
    }
}
