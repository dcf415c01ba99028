//! The broker's side of the partition: what is committed, and who owns it.

use crate::{
    ids::{ConsumerId, Epoch, Offset},
    mechanism::OffsetMap,
};

use super::log::Log;

/// Committed offset, its metadata, and the group's view of the ownership.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Broker {
    pub(super) committed: Offset,
    pub(super) ack_map: OffsetMap,
    pub(super) owner: Option<ConsumerId>,
    pub(super) epoch: Epoch,
    pub(super) with_b: bool,
}

impl Broker {
    /// The next offset that a successor reads.
    #[must_use]
    pub fn committed(&self) -> Offset {
        self.committed
    }

    /// The finished offsets at or above it, as the last commit's metadata names them.
    #[must_use]
    pub fn ack_map(&self) -> &OffsetMap {
        &self.ack_map
    }

    /// Who owns the partition, up or down; nobody for the rest of a tick in which a draining owner died.
    #[must_use]
    pub fn owner(&self) -> Option<ConsumerId> {
        self.owner
    }

    /// The current ownership, or the last one.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Whether `consumer` belongs to the group.
    #[must_use]
    pub fn is_member(&self, consumer: ConsumerId) -> bool {
        consumer == ConsumerId::A || self.with_b
    }
}

/// What comes again when an owner that had got to `position` ends at `committed`: the logged offsets
/// between, with their log indices, less those that the acknowledgement map `spared`.
pub fn redelivered<'a>(
    log: &'a Log,
    committed: Offset,
    position: Offset,
    spared: &'a OffsetMap,
) -> impl Iterator<Item = (u64, Offset)> + 'a {
    let first = log.index_at(committed);
    (first..)
        .zip(log.iter_from(first))
        .map(|(index, record)| (index, record.offset))
        .take_while(move |&(_, offset)| offset < position)
        .filter(|&(_, offset)| !spared.contains(offset))
}
