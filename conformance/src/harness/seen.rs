//! What came of a run of the real consumer, concluded from what its members said, from the broker and the rows.
//!
//! Nothing here looks at the simulator. The names are those of a scenario's `[expect]`.

use std::collections::{BTreeMap, BTreeSet};

use keyed_worker_pool::{
    ids::{ConsumerId, Offset},
    ledger::Outcome,
    world::{Key, Log},
};

use super::notebook::{Entry, Said};

/// What was observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The broker's committed offset.
    pub committed: Offset,
    /// Records that came again, each time.
    pub redelivered: Vec<Offset>,
    /// Those that somebody had completed by then.
    pub duplicates: Vec<Offset>,
    /// Records below the committed offset that nobody ever completed.
    pub lost: Vec<Offset>,
    /// Completions, in their order.
    pub completions: Vec<Offset>,
    /// Completions after one of a later offset of the same key, in the same ownership.
    pub order_breaks: u64,
    /// Starts beside another attempt for the same key in the same process.
    pub overlaps: u64,
    /// Times that a partition was paused.
    pub pauses: u64,
    /// Times that it was resumed.
    pub resumes: u64,
    /// Times that the group gave the partition to another while its owner lived and knew nothing of it.
    pub evictions: u64,
    /// Writes after their ownership had ended.
    pub leaked: Vec<Offset>,
    /// Writes that the guard refused.
    pub rejected: Vec<Offset>,
    /// The rows' versions.
    pub rows: BTreeMap<Vec<u8>, Offset>,
    /// What the broker said to commits that it refused.
    pub refused: Vec<String>,
    /// Commits below what the broker had committed already.
    pub moved_back: Vec<Offset>,
    /// Records that came from a paused partition.
    pub unasked: u64,
}

/// An ownership: whose, in which life, the how-manieth of it.
type Owner = (ConsumerId, u32, u64);

/// Goes through the notebook once, with what is known at each entry.
#[derive(Default)]
struct Reader {
    seen: Seen,
    owner: Option<Owner>,
    ended: BTreeSet<Owner>,
    dead: BTreeSet<(ConsumerId, u32)>,
    taken: BTreeSet<Offset>,
    completed: BTreeSet<Offset>,
    /// The highest completed offset of each key, by ownership.
    highest: BTreeMap<(Owner, Option<Vec<u8>>), Offset>,
    running: Vec<(ConsumerId, Offset)>,
    /// Writes whose attempt is yet to say of which ownership it was.
    written: Vec<(ConsumerId, Offset)>,
    committed: Offset,
}

impl Seen {
    /// Concludes.
    #[must_use]
    pub fn of(entries: &[Entry], log: &Log, committed: Offset, rows: BTreeMap<Vec<u8>, Offset>) -> Seen {
        let mut reader = Reader { committed: log.start(), ..Reader::default() };
        entries.iter().for_each(|entry| reader.read(entry, log));
        let Reader { mut seen, completed, .. } = reader;
        let below = log.iter_from(0).map(|record| record.offset).take_while(|&offset| offset < committed);
        seen.lost = below.filter(|offset| !completed.contains(offset)).collect();
        seen.committed = committed;
        seen.rows = rows;
        seen
    }

    /// What it has in common with a simulated outcome, as `(name, predicted, observed)`.
    #[must_use]
    pub fn beside(&self, outcome: &Outcome) -> Vec<(&'static str, String, String)> {
        let list = |offsets: &mut dyn Iterator<Item = Offset>| {
            let all: Vec<_> = offsets.map(|offset| offset.to_string()).collect();
            if all.is_empty() { "none".to_owned() } else { all.join(" ") }
        };
        let here = |offsets: &[Offset]| list(&mut offsets.iter().copied());
        let stamps =
            |stamps: &[keyed_worker_pool::ledger::Stamp]| list(&mut stamps.iter().map(|stamp| stamp.offset));
        let rows = |rows: &mut dyn Iterator<Item = (&[u8], Offset)>| {
            let all: Vec<_> =
                rows.map(|(key, version)| format!("{}={version}", String::from_utf8_lossy(key))).collect();
            all.join(" ")
        };
        vec![
            ("committed", outcome.committed.to_string(), self.committed.to_string()),
            ("redelivered", here(&outcome.redelivered), here(&self.redelivered)),
            ("duplicates", here(&outcome.duplicates), here(&self.duplicates)),
            ("lost", here(&outcome.lost), here(&self.lost)),
            ("completions", stamps(&outcome.completions), here(&self.completions)),
            ("order_breaks", outcome.order_breaks.to_string(), self.order_breaks.to_string()),
            ("overlaps", outcome.overlaps.to_string(), self.overlaps.to_string()),
            ("pauses", outcome.pauses.to_string(), self.pauses.to_string()),
            ("resumes", outcome.resumes.to_string(), self.resumes.to_string()),
            ("evictions", outcome.evictions.to_string(), self.evictions.to_string()),
            ("leaked", stamps(&outcome.leaked), here(&self.leaked)),
            ("rejected", stamps(&outcome.rejected), here(&self.rejected)),
            (
                "rows",
                rows(&mut outcome.rows.iter().map(|(key, version)| (Key::bytes(key), *version))),
                rows(&mut self.rows.iter().map(|(key, version)| (key.as_slice(), *version))),
            ),
        ]
    }
}

impl Reader {
    fn read(&mut self, Entry { member, life, said }: &Entry, log: &Log) {
        let (member, life) = (*member, *life);
        match said {
            Said::Assigned { epoch, .. } => self.assigned((member, life, *epoch)),
            Said::OwnershipEnded { epoch, .. } => {
                self.ended.insert((member, life, *epoch));
            }
            Said::Died => {
                self.dead.insert((member, life));
                self.running.retain(|(whose, _)| *whose != member);
            }
            Said::TakenIn { offset, .. } => self.taken_in(*offset),
            Said::Started { offset, .. } => {
                let same =
                    |other: &Offset| key(log, *other).is_some() && key(log, *other) == key(log, *offset);
                let beside = self.running.iter().any(|(whose, other)| *whose == member && same(other));
                self.seen.overlaps += u64::from(beside);
                self.running.push((member, *offset));
            }
            Said::Wrote { offset, accepted } => {
                self.written.push((member, *offset));
                if !accepted {
                    self.seen.rejected.push(*offset);
                }
            }
            Said::Ended { epoch, offset, succeeded, .. } => {
                if let Some(place) = self.running.iter().position(|one| *one == (member, *offset)) {
                    self.running.remove(place);
                }
                if *succeeded {
                    self.completed((member, life, *epoch), *offset, log);
                }
            }
            Said::Paused => self.seen.pauses += 1,
            Said::Resumed => self.seen.resumes += 1,
            Said::Committed { to } => {
                if *to < self.committed {
                    self.seen.moved_back.push(*to);
                }
                self.committed = *to;
            }
            Said::CommitRefused { code, .. } => self.seen.refused.push(code.clone()),
            Said::Unasked { .. } => self.seen.unasked += 1,
            _ => {}
        }
    }

    fn taken_in(&mut self, offset: Offset) {
        if self.taken.insert(offset) {
            return;
        }
        self.seen.redelivered.push(offset);
        if self.completed.contains(&offset) {
            self.seen.duplicates.push(offset);
        }
    }

    fn assigned(&mut self, owner: Owner) {
        if let Some(before) = self.owner.replace(owner)
            && self.ended.insert(before)
            && !self.dead.contains(&(before.0, before.1))
        {
            self.seen.evictions += 1;
        }
    }

    fn completed(&mut self, owner: Owner, offset: Offset, log: &Log) {
        self.seen.completions.push(offset);
        self.completed.insert(offset);
        if let Some(key) = key(log, offset) {
            let highest = self.highest.entry((owner, Some(key))).or_insert(offset);
            self.seen.order_breaks += u64::from(*highest > offset);
            *highest = offset.max(*highest);
        }
        if let Some(place) = self.written.iter().position(|one| *one == (owner.0, offset)) {
            self.written.remove(place);
            if self.ended.contains(&owner) {
                self.seen.leaked.push(offset);
            }
        }
    }
}

fn key(log: &Log, offset: Offset) -> Option<Vec<u8>> {
    Some(log.key(log.find(offset)?.key?)?.bytes().to_vec())
}
