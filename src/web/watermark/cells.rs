//! What the grid shows of each record: read off the world and the ledger, and nothing else.

use std::collections::BTreeSet;

use crate::{
    ids::{Offset, Tick},
    ledger::{Event, Ledger},
    standing::Standing,
    world::{Fact, Log, Task, World},
};

/// The word in the markup: a chip's, where chips have one for it.
pub(super) fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Unpolled => "unpolled",
        Standing::Open => "running",
        Standing::Failed => "failed",
        Standing::Done => "done",
        Standing::Quarantined => "quarantined",
        Standing::Lost => "lost",
    }
}

/// For those who listen.
pub(super) fn spoken(standing: Standing) -> &'static str {
    match standing {
        Standing::Unpolled => "not polled yet",
        Standing::Open => "open",
        Standing::Failed => "failed, waits for its retry",
        Standing::Done => "done",
        Standing::Quarantined => "quarantined",
        Standing::Lost => "lost",
    }
}

/// The word of the article that it belongs to.
pub(super) fn part(standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Open | Standing::Failed => Some("in-flight"),
        Standing::Done => Some("done"),
        Standing::Quarantined => Some("quarantined"),
        Standing::Unpolled | Standing::Lost => None,
    }
}

/// One record of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) offset: Offset,
    pub(super) state: Standing,
    /// The position: what the next poll begins with.
    pub(super) is_next: bool,
    /// Committed and unfinished: lost if the owner died now.
    pub(super) at_risk: bool,
    /// A crash now would bring it again.
    pub(super) would_come_again: bool,
    /// An owner ended, and it came again.
    pub(super) came_again: bool,
    /// Finished by a former owner, and yet in flight.
    pub(super) is_redone: bool,
    /// The last commit's metadata names it: a successor passes over it.
    pub(super) is_spared: bool,
    /// Every attempt fails.
    pub(super) is_poisoned: bool,
    /// Attempts that failed so far, and how much of its quarantine's timer is over, 0 to 1.
    pub(super) failures: u32,
    pub(super) quarantine: Option<f64>,
}

/// Cells of the grid at most, and how many make a wide row.
const MOST_CELLS: u64 = 96;
const ROW: u64 = 12;

/// The part of the log that the grid shows, by log index: all of it if it is short, else what lies around the
/// committed offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: u64,
    pub(super) count: u64,
}

impl Window {
    pub(super) fn of(world: &World) -> Window {
        let log = world.log();
        let committed = log.index_at(world.broker().committed());
        // Whole rows, so that a cell stays in its column; one of them is safe ground.
        let around = (committed / ROW).saturating_sub(1) * ROW;
        let last = log.len().saturating_sub(MOST_CELLS).next_multiple_of(ROW);
        let first = around.min(last);
        Window { first, count: (log.len() - first.min(log.len())).min(MOST_CELLS) }
    }

    /// Which cell of the grid an offset is at, or would be: the one after the last for whatever lies beyond.
    pub(super) fn cell(self, log: &Log, offset: Offset) -> u64 {
        log.index_at(offset).saturating_sub(self.first).min(self.count)
    }
}

/// All cells, offsets ascending.
pub(super) fn read(world: &World, ledger: &Ledger) -> Vec<Cell> {
    let window = Window::of(world);
    let coming: Vec<Offset> = world.redelivered_by_a_crash().map(|(_, offset)| offset).collect();
    let risked: Vec<u64> = ledger.at_risk().collect();
    let records = world.log().iter_from(window.first).take(window.count as usize);
    let position = world.position();
    // Long lists, of which a few are on the grid.
    let bounds = [window.first, (window.first + window.count).saturating_sub(1)];
    let [first, last] = bounds.map(|index| world.log().get(index).map_or(Offset(0), |record| record.offset));
    let on_the_grid = |offsets: &[Offset]| -> BTreeSet<Offset> {
        offsets.iter().copied().filter(|offset| (first..=last).contains(offset)).collect()
    };
    let (redelivered, dead) = (on_the_grid(ledger.redelivered()), on_the_grid(ledger.quarantined()));
    (window.first..)
        .zip(records)
        .map(|(index, record)| {
            let offset = record.offset;
            let task = world.owner().and_then(|(_, session)| session.tracker().get(offset));
            Cell {
                offset,
                state: Standing::of(world, ledger, index, offset, dead.contains(&offset)),
                is_next: position == Some(offset),
                at_risk: risked.binary_search(&index).is_ok(),
                would_come_again: coming.binary_search(&offset).is_ok(),
                came_again: redelivered.contains(&offset),
                is_redone: task.is_some() && ledger.has_completed(index),
                is_spared: world.broker().ack_map().contains(offset),
                is_poisoned: world.is_poisoned(offset),
                failures: task.map_or(0, |task| task.failures),
                quarantine: task.and_then(|task| quarantine(world, task)),
            }
        })
        .collect()
}

fn quarantine(world: &World, task: &Task) -> Option<f64> {
    let after = world.knobs().quarantine?.after.max(1);
    let executed = Tick(world.now().0.saturating_sub(1));
    let waited = executed.since(task.first_failed?);
    Some((waited as f64 / after as f64).min(1.0))
}

/// What a crash now comes to; while the owner is down, what its crash came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Promise {
    pub(super) again: u64,
    /// How many of these are done already.
    pub(super) done: u64,
    pub(super) lost: u64,
}

impl Promise {
    pub(super) fn of(world: &World, ledger: &Ledger) -> Promise {
        if world.owner().is_none() {
            return ledger.events().iter().rev().find_map(Promise::kept).unwrap_or_default();
        }
        let indices: Vec<u64> = world.redelivered_by_a_crash().map(|(index, _)| index).collect();
        Promise {
            again: indices.len() as u64,
            done: indices.iter().filter(|&&index| ledger.has_completed(index)).count() as u64,
            lost: ledger.at_risk().count() as u64,
        }
    }

    /// What the end of an ownership came to.
    fn kept(event: &Event) -> Option<Promise> {
        let crate::ledger::Remark::OwnerEnd { redelivered, duplicates, lost } = event.remark.as_ref()? else {
            return None;
        };
        let count = |offsets: &[Offset]| offsets.len() as u64;
        Some(Promise { again: count(redelivered), done: count(duplicates), lost: count(lost) })
    }
}

/// Whether an owner ended in these events.
pub(super) fn owner_ended(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.fact, Fact::OwnerEnded { .. }))
}
