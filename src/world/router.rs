//! Which record goes where: a routing, and the queues behind it.

use super::{
    config::{Knobs, NullKeys, Routing},
    log::Log,
};
use crate::{
    ids::{KeyId, Offset},
    mechanism::{FifoQueue, Mailboxes, Place},
};

/// A mailbox of the simulated consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MailboxId {
    /// The one of a serial consumer.
    Everything,
    /// All records without a key.
    Keyless,
    /// One key's.
    Key(KeyId),
    /// A hash lane.
    Lane(u32),
    /// A single record without a key.
    Own(Offset),
}

/// Where a record may go: the address that a [`Router`] works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parcel {
    pub(super) offset: Offset,
    pub(super) key: Option<KeyId>,
}

/// The queues of one ownership. Which record belongs where follows from the knobs, so that a change of
/// routing needs no memory of the old one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Router {
    address: AddressRule,
    queues: Queues,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct AddressRule {
    routing: Routing,
    null_keys: NullKeys,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Queues {
    Mailboxes(Mailboxes<MailboxId>),
    Shared(FifoQueue),
}

impl AddressRule {
    /// The mailbox of a record. (The shared queue has none and never asks.)
    fn mailbox(self, parcel: Parcel, log: &Log) -> MailboxId {
        match (self.routing, parcel.key) {
            (Routing::Serial | Routing::Shared, _) => MailboxId::Everything,
            (Routing::Keyed, Some(key)) => MailboxId::Key(key),
            (Routing::Lanes(lanes), Some(key)) => MailboxId::Lane(log.key_hash(key) % lanes.max(1)),
            (_, None) => match self.null_keys {
                NullKeys::Mailbox => MailboxId::Keyless,
                NullKeys::Spread => MailboxId::Own(parcel.offset),
            },
        }
    }
}

impl Router {
    pub(super) fn new(knobs: &Knobs) -> Router {
        let queues = match knobs.routing {
            Routing::Shared => Queues::Shared(FifoQueue::default()),
            _ => Queues::Mailboxes(Mailboxes::default()),
        };
        Router { address: AddressRule { routing: knobs.routing, null_keys: knobs.null_keys }, queues }
    }

    /// Whether the knobs route records as this router does.
    pub(super) fn agrees_with(&self, knobs: &Knobs) -> bool {
        self.address == AddressRule { routing: knobs.routing, null_keys: knobs.null_keys }
    }

    /// Joins the tail.
    pub(super) fn push(&mut self, parcel: Parcel, log: &Log) -> Place {
        match &mut self.queues {
            Queues::Mailboxes(boxes) => boxes.push(self.address.mailbox(parcel, log), parcel.offset),
            Queues::Shared(queue) => queue.push(parcel.offset),
        }
    }

    /// A record failed and keeps its turn: it closes its mailbox from the head. In the shared queue it has
    /// no place until it is due.
    pub(super) fn hold_head(&mut self, parcel: Parcel, log: &Log) -> Option<Place> {
        match &mut self.queues {
            Queues::Mailboxes(boxes) => {
                Some(boxes.hold_head(self.address.mailbox(parcel, log), parcel.offset))
            }
            Queues::Shared(_) => None,
        }
    }

    /// A record that failed, kept its turn and is due comes here from another routing.
    pub(super) fn push_kept(&mut self, parcel: Parcel, log: &Log) -> Place {
        match &mut self.queues {
            Queues::Mailboxes(boxes) => boxes.push_kept(self.address.mailbox(parcel, log), parcel.offset),
            Queues::Shared(queue) => queue.push(parcel.offset),
        }
    }

    /// A record that waits for its retry comes here from another routing.
    pub(super) fn push_held(&mut self, parcel: Parcel, log: &Log) -> Option<Place> {
        match &mut self.queues {
            Queues::Mailboxes(boxes) => {
                Some(boxes.push_held(self.address.mailbox(parcel, log), parcel.offset))
            }
            Queues::Shared(_) => None,
        }
    }

    /// A record that kept its turn, with the place it kept, is due. In the shared queue it re-enters in front.
    pub(super) fn retry_at_head(&mut self, parcel: Parcel, held: Option<Place>, log: &Log) -> Option<Place> {
        match &mut self.queues {
            Queues::Mailboxes(boxes) => {
                boxes.reopen(&self.address.mailbox(parcel, log), held?);
                held
            }
            Queues::Shared(queue) => Some(queue.push_front(parcel.offset)),
        }
    }

    /// A record leaves its queue.
    pub(super) fn remove(&mut self, parcel: Parcel, place: Place, log: &Log) {
        match &mut self.queues {
            Queues::Mailboxes(boxes) => boxes.remove(&self.address.mailbox(parcel, log), place),
            Queues::Shared(queue) => queue.remove(place),
        };
    }

    /// The record that a free worker should take.
    pub(super) fn take(&mut self) -> Option<Offset> {
        match &mut self.queues {
            Queues::Mailboxes(mailboxes) => mailboxes.take().map(|taken| taken.offset),
            Queues::Shared(queue) => queue.take(),
        }
    }

    /// Whether there is such a record.
    pub(super) fn has_ready(&self) -> bool {
        match &self.queues {
            Queues::Mailboxes(mailboxes) => mailboxes.has_ready(),
            Queues::Shared(queue) => !queue.is_empty(),
        }
    }

    /// A worker is at this record that did not take it from here.
    pub(super) fn occupy(&mut self, parcel: Parcel, log: &Log) {
        if let Queues::Mailboxes(boxes) = &mut self.queues {
            boxes.occupy(self.address.mailbox(parcel, log));
        }
    }

    /// A worker is done with this record.
    pub(super) fn release(&mut self, parcel: Parcel, log: &Log) {
        if let Queues::Mailboxes(boxes) = &mut self.queues {
            boxes.release(&self.address.mailbox(parcel, log));
        }
    }

    /// How many records have a place in a queue.
    pub(super) fn len(&self) -> usize {
        match &self.queues {
            Queues::Mailboxes(mailboxes) => mailboxes.len(),
            Queues::Shared(queue) => queue.len(),
        }
    }

    /// The mailbox of a record, where there are mailboxes.
    pub(super) fn mailbox_of(&self, parcel: Parcel, log: &Log) -> Option<MailboxId> {
        match &self.queues {
            Queues::Mailboxes(_) => Some(self.address.mailbox(parcel, log)),
            Queues::Shared(_) => None,
        }
    }

    /// The queues to look at: each with its mailbox (`None`: the shared one), the workers in it, and what
    /// waits, head first.
    pub(super) fn view(&self) -> Vec<QueueView> {
        match &self.queues {
            Queues::Mailboxes(mailboxes) => mailboxes
                .iter()
                .map(|(id, busy, waiting)| QueueView { mailbox: Some(id), busy, waiting: waiting.collect() })
                .collect(),
            Queues::Shared(queue) => {
                vec![QueueView { mailbox: None, busy: 0, waiting: queue.iter().collect() }]
            }
        }
    }
}

/// One queue, as a reader may look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Whose; `None`: the shared queue.
    pub mailbox: Option<MailboxId>,
    /// Workers in the mailbox (always 0 for the shared queue).
    pub busy: u32,
    /// What waits, head first, records held for a retry included.
    pub waiting: Vec<Offset>,
}
