//! What a rebalance revokes, by the assignors of a classic group; and that no other group has any.
//!
//! Source: Javadoc of `ConsumerPartitionAssignor.RebalanceProtocol` (the members take the protocol that all of their
//! assignors support) and librdkafka's CONFIGURATION.md, `partition.assignment.strategy`.

use super::{Dialect, Name, Verdict, Weight, text::Entry};

const PROPERTY: &str = "partition.assignment.strategy";

/// The assignors that know the eager protocol alone, as Java and librdkafka call them.
const EAGER: [&str; 5] = ["RangeAssignor", "RoundRobinAssignor", "StickyAssignor", "range", "roundrobin"];

/// Where the group's newer protocol is said: there the broker assigns.
fn newer(entries: &[Entry]) -> Option<&Entry> {
    let last = entries.iter().rfind(|entry| entry.name.ends_with("group.protocol"));
    last.filter(|entry| entry.value.trim().eq_ignore_ascii_case("consumer"))
}

/// That a client has none with the newer protocol, where the text says both.
pub(super) fn refused(entries: &[Entry], dialect: Dialect) -> Option<Verdict> {
    let protocol = newer(entries)?;
    let entry = entries.iter().rfind(|entry| entry.name.ends_with(PROPERTY))?;
    let sentence = format!(
        "{PROPERTY} (line {}) beside group.protocol=consumer (line {}): {}",
        entry.line,
        protocol.line,
        refuses(dialect == Dialect::Librdkafka)
    );
    Some(Verdict { weight: Weight::Bad, sentence, about: vec![Name::GroupProtocol] })
}

/// What a client does with a setting of a classic group beside the newer protocol, as the end of a sentence.
///
/// Source: `CONSUMER_PROTOCOL_UNSUPPORTED_CONFIGS` in ConsumerConfig.java of Kafka 4; confluentinc/librdkafka, pull
/// requests 5028 and 5041.
pub(super) fn refuses(is_librdkafka: bool) -> &'static str {
    if is_librdkafka {
        "librdkafka refuses to make such a client, because that is the broker's to decide."
    } else {
        "the Java client refuses to start (ConfigException), because that is the broker's to decide."
    }
}

/// What an eager assignor means for whoever drains, in a sentence; nothing where only what moves is revoked.
pub(super) fn note(entries: &[Entry]) -> Option<String> {
    if newer(entries).is_some() {
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
