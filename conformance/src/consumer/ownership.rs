//! One ownership of one partition, from its assignment to its end: four mechanisms and their wiring.
//!
//! No Kafka, no thread and no clock in here: it is told things and answers, under the lock of whoever shares it.
//! What it knows ends with it. A pause, a tracker or a retry that outlived its ownership would act on a
//! partition that is somebody else's.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use keyed_worker_pool::{
    ids::{Epoch, Offset, Tick},
    mechanism::{Drain, GateMove, Mailboxes, PauseGate, Place, Watermark},
};

use super::settings::{CommitOffset, Intake, Routing, Settings};

/// A record as the handler gets it.
#[derive(Debug)]
pub struct Record {
    /// Its place in the partition.
    pub offset: Offset,
    /// Its key, if it has one.
    pub key: Option<Vec<u8>>,
    /// What it says; nothing: whatever its key stood for is deleted.
    pub value: Option<Vec<u8>>,
}

/// A queue of which at most one worker has the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Mailbox {
    /// A key's, by the number it has while it is in use.
    Key(u32),
    /// Everything's, or everything's that has no key.
    Common,
    /// One record's own.
    Record(Offset),
}

/// A record in flight.
#[derive(Debug)]
struct Task {
    record: Arc<Record>,
    mailbox: Mailbox,
    /// Its place at the head of its mailbox, while it waits for another attempt.
    held: Option<Place>,
}

/// What [`Ownership::start`] hands to a worker.
pub(super) struct Started {
    pub(super) epoch: Epoch,
    pub(super) record: Arc<Record>,
}

pub(super) struct Ownership {
    epoch: Epoch,
    settings: Settings,
    tracker: Watermark<Task>,
    mailboxes: Mailboxes<Mailbox>,
    keys: Keys,
    gate: PauseGate,
    drain: Option<Drain>,
    /// Attempts of this ownership that workers are busy with.
    running: usize,
    /// When failed records may be tried again.
    retries: BTreeSet<(Tick, Offset)>,
    committed: Offset,
}

impl Ownership {
    /// Begins at the committed offset, with nothing in flight and the gate open.
    pub(super) fn begin(epoch: Epoch, committed: Offset, settings: Settings) -> Ownership {
        Ownership {
            epoch,
            settings,
            tracker: Watermark::starting_at(committed),
            mailboxes: Mailboxes::default(),
            keys: Keys::default(),
            gate: PauseGate::default(),
            drain: None,
            running: 0,
            retries: BTreeSet::new(),
            committed,
        }
    }

    pub(super) fn epoch(&self) -> Epoch {
        self.epoch
    }

    pub(super) fn tracker(&self) -> &Watermark<impl Sized> {
        &self.tracker
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.tracker.in_flight() as u64
    }

    pub(super) fn running(&self) -> usize {
        self.running
    }

    pub(super) fn is_paused(&self) -> bool {
        self.gate.is_paused()
    }

    /// Whether the next poll has to wait, where intake blocks.
    pub(super) fn is_blocked(&self) -> bool {
        self.settings.intake == Intake::Block && self.in_flight() > 0
    }

    /// A polled record joins its mailbox, and is in flight from now on.
    pub(super) fn take_in(&mut self, record: Record) {
        let (offset, mailbox) = (record.offset, self.enter(&record));
        self.mailboxes.push(mailbox, offset);
        self.tracker.polled(offset, Task { record: Arc::new(record), mailbox, held: None });
    }

    /// The lowest record that may run goes to a worker; none does once the drain has begun.
    pub(super) fn start(&mut self) -> Option<Started> {
        if self.drain.is_some() {
            return None;
        }
        let offset = self.mailboxes.take()?.offset;
        let record = self.tracker.get(offset)?.record.clone();
        self.running += 1;
        Some(Started { epoch: self.epoch, record })
    }

    pub(super) fn succeeded(&mut self, offset: Offset) {
        let Some(task) = self.tracker.finish(offset) else { return };
        self.running -= 1;
        self.mailboxes.release(&task.mailbox);
        self.keys.leave(task.record.key.as_deref());
    }

    /// A failed record keeps the head of its mailbox until it is tried again: its key's order depends on it.
    pub(super) fn failed(&mut self, offset: Offset, now: Tick) {
        let Some(task) = self.tracker.get_mut(offset) else { return };
        self.running -= 1;
        self.mailboxes.release(&task.mailbox);
        task.held = Some(self.mailboxes.hold_head(task.mailbox, offset));
        self.retries.insert((now.after(self.settings.retry_delay), offset));
    }

    /// Opens the mailboxes whose failed heads have waited long enough.
    pub(super) fn reopen(&mut self, now: Tick) {
        while let Some(&(due, offset)) = self.retries.first()
            && due <= now
        {
            self.retries.pop_first();
            if let Some(task) = self.tracker.get_mut(offset)
                && let Some(place) = task.held.take()
            {
                self.mailboxes.reopen(&task.mailbox, place);
            }
        }
    }

    /// A worker of this process is still busy with a record of an earlier ownership: nobody else may run that
    /// key until it is done.
    pub(super) fn occupy(&mut self, record: &Record) {
        let mailbox = self.enter(record);
        self.mailboxes.occupy(mailbox);
    }

    /// It is done.
    pub(super) fn vacate(&mut self, record: &Record) {
        if let Some(mailbox) = self.mailbox(record) {
            self.mailboxes.release(&mailbox);
            self.keys.leave(record.key.as_deref());
        }
    }

    /// Tests the gate against what is in flight. Whoever asks pauses or resumes the partition accordingly.
    pub(super) fn test_gate(&mut self) -> Option<GateMove> {
        match self.settings.intake {
            Intake::Pause { high, low } if self.drain.is_none() => {
                self.gate.test(self.in_flight(), high, low)
            }
            _ => None,
        }
    }

    pub(super) fn begin_drain(&mut self, now: Tick) {
        self.drain = Some(Drain::begin(now, self.settings.drain));
    }

    /// Whether a revoked partition may be let go: all that ran is done, or the window is used up.
    pub(super) fn is_drained(&self, now: Tick) -> bool {
        self.drain.as_ref().is_none_or(|drain| drain.is_over(now, self.running))
    }

    /// What a commit would say now, if it says anything new. Within an ownership it never goes back.
    pub(super) fn to_commit(&self) -> Option<Offset> {
        let offset = match self.settings.commit {
            CommitOffset::Watermark => self.tracker.low(),
            CommitOffset::Highest => self.tracker.highest_finished().map_or(self.committed, Offset::next),
        };
        (offset > self.committed).then_some(offset)
    }

    pub(super) fn committed(&mut self, offset: Offset) {
        self.committed = offset;
    }

    fn enter(&mut self, record: &Record) -> Mailbox {
        match (self.settings.routing, &record.key) {
            (Routing::Shared, _) => Mailbox::Record(record.offset),
            (Routing::Keyed, Some(key)) => Mailbox::Key(self.keys.enter(key)),
            (Routing::Keyed, None) | (Routing::Serial, _) => Mailbox::Common,
        }
    }

    fn mailbox(&self, record: &Record) -> Option<Mailbox> {
        match (self.settings.routing, &record.key) {
            (Routing::Shared, _) => Some(Mailbox::Record(record.offset)),
            (Routing::Keyed, Some(key)) => self.keys.number(key).map(Mailbox::Key),
            (Routing::Keyed, None) | (Routing::Serial, _) => Some(Mailbox::Common),
        }
    }
}

/// Numbers for the keys that are in use: mailboxes want something small. A key that nobody uses any more is
/// forgotten, so that there are never more of them than records in flight.
#[derive(Default)]
struct Keys {
    numbers: HashMap<Vec<u8>, (u32, usize)>,
    next: u32,
}

impl Keys {
    fn number(&self, key: &[u8]) -> Option<u32> {
        self.numbers.get(key).map(|&(number, _)| number)
    }

    fn enter(&mut self, key: &[u8]) -> u32 {
        if let Some((number, users)) = self.numbers.get_mut(key) {
            *users += 1;
            return *number;
        }
        self.next = self.next.wrapping_add(1);
        self.numbers.insert(key.to_vec(), (self.next, 1));
        self.next
    }

    fn leave(&mut self, key: Option<&[u8]>) {
        if let Some(key) = key
            && let Some((_, users)) = self.numbers.get_mut(key)
        {
            *users -= 1;
            if *users == 0 {
                self.numbers.remove(key);
            }
        }
    }
}
