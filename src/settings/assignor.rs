//! What a rebalance revokes, by the assignors of a classic group.
//!
//! Source: Javadoc of `ConsumerPartitionAssignor.RebalanceProtocol` (the members take the protocol that all of their
//! assignors support) and librdkafka's CONFIGURATION.md, `partition.assignment.strategy`.

use super::text::Entry;

const PROPERTY: &str = "partition.assignment.strategy";

/// The assignors that know the eager protocol alone, as Java and librdkafka call them.
const EAGER: [&str; 5] = ["RangeAssignor", "RoundRobinAssignor", "StickyAssignor", "range", "roundrobin"];

/// What an eager assignor means for whoever drains, in a sentence; nothing where only what moves is revoked.
pub(super) fn note(entries: &[Entry]) -> Option<String> {
    let newer = |entry: &Entry| entry.name.ends_with("group.protocol") && entry.value.trim() == "consumer";
    if entries.iter().any(newer) {
        return None;
    }
    let entry = entries.iter().rfind(|entry| entry.name.ends_with(PROPERTY))?;
    let words = entry.value.split(|letter: char| !letter.is_ascii_alphanumeric());
    let eager = words.filter_map(|word| EAGER.into_iter().find(|known| *known == word)).next()?;
    Some(format!(
        "line {}: with {eager} a rebalance is eager: it revokes every partition from everybody, so that also what stays \
         with its owner is drained, and comes again where the window is too short. With CooperativeStickyAssignor \
         (librdkafka: cooperative-sticky) and no other, only what moves is revoked. A scenario says it by \
         rebalance_protocol = \"eager\"",
        entry.line
    ))
}
