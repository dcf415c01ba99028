//! SmallRye's Kafka connector: what it calls by names of its own, and what that means here.
//!
//! Its channels hand most properties through to the Java client; these are the connector's. Source:
//! smallrye/smallrye-reactive-messaging, `KafkaConnector.java` at 01e17ace7d, the `@ConnectorAttribute` list.

use super::{Name, Value};

/// What the name of a channel's property begins with; the channel's name comes next.
const CHANNEL: &str = "mp.messaging.incoming.";

/// `max.poll.records` of the Java client, where nothing says it.
const POLL_RECORDS: u64 = 500;

/// `max-queue-size-factor`, where nothing says it.
pub(super) const BATCHES: u64 = 2;

/// Attributes that nothing here depends on, by the beginnings of their names.
const WITHOUT_EFFECT: [&str; 25] = [
    "assign-seek",
    "auto-offset-reset",
    "broadcast",
    "checkpoint.",
    "client-id",
    "cloud-events",
    "connector",
    "consumer-rebalance-listener",
    "dead-letter-queue.",
    "delayed-retry-topic.",
    "enabled",
    "fail-on-deserialization-failure",
    "failure-strategy",
    "graceful-shutdown",
    "group-id",
    "health-",
    "kafka-configuration",
    "lazy-client",
    "pattern",
    "poll-timeout",
    "retry",
    "throttled.unprocessed-record-max-age",
    "topic",
    "tracing-enabled",
    "value-deserialization",
];

/// What an attribute of the connector says.
pub(super) enum Attribute {
    /// This setting's value.
    Is(Name, Value),
    /// So many batches may be queued ([`marks`]).
    Batches(u64),
    /// Nothing that matters here.
    Nothing,
    /// Its value makes no sense; what would have.
    Wrong(&'static str),
}

/// A channel's property without the channel.
pub(super) fn property(name: &str) -> Option<&str> {
    let rest = name.strip_prefix(CHANNEL)?;
    Some(rest.split_once('.').map_or(rest, |(_, property)| property))
}

/// What a channel's property means, where it is the connector's own.
pub(super) fn attribute(property: &str, value: &str) -> Option<Attribute> {
    let value = value.trim();
    let word = |name: Name, words: &[(&str, &'static str)], expected: &'static str| {
        let found = words.iter().find(|(own, _)| own.eq_ignore_ascii_case(value));
        Some(found.map_or(Attribute::Wrong(expected), |(_, word)| Attribute::Is(name, Value::Word(word))))
    };
    let count = |make: fn(u64) -> Attribute| {
        let number = value.parse::<u32>().ok().filter(|number| *number > 0);
        Some(number.map_or(Attribute::Wrong("a whole number from 1 on"), |number| make(number.into())))
    };
    match property {
        "ordered" | "throttled.ordered" => {
            word(Name::Routing, &[("key", "keyed"), ("partition", "serial")], "key or partition")
        }
        "ordered.max-concurrency" | "throttled.ordered.max-concurrency" => {
            count(|number| Attribute::Is(Name::Workers, Value::Number(number)))
        }
        "concurrency" | "partitions" => count(|number| Attribute::Is(Name::Consumers, Value::Number(number))),
        "max-queue-size-factor" => count(Attribute::Batches),
        "pause-if-no-requests" => {
            word(Name::Intake, &[("true", "pause"), ("false", "unbounded")], "true or false")
        }
        "commit-strategy" => {
            let words = [("throttled", "watermark"), ("latest", "highest")];
            word(Name::CommitOffset, &words, "throttled or latest: the engine has no other commits")
        }
        name if WITHOUT_EFFECT.iter().any(|start| name.starts_with(start)) => Some(Attribute::Nothing),
        _ => None,
    }
}

/// The high mark that so many batches come to, and the low one: a batch, and nothing where that is one record. Source:
/// `KafkaRecordStreamSubscription.java` of the same project at 00a1ceae89 (`maxQueueSize`, `halfMaxQueueSize`).
pub(super) fn marks(batches: u64, poll: Option<u64>) -> (u64, u64) {
    let poll = poll.unwrap_or(POLL_RECORDS);
    let high = batches.saturating_mul(poll).clamp(1, i64::MAX.unsigned_abs());
    (high, if poll == 1 { 0 } else { poll.min(high - 1) })
}

/// A name without the profile of Quarkus before it, and that profile: `%prod.`.
pub(super) fn profile(name: &str) -> (Option<&str>, &str) {
    match name.strip_prefix('%').and_then(|rest| rest.split_once('.')) {
        Some((profile, rest)) => (Some(profile), rest),
        None => (None, name),
    }
}

/// The channel that a name belongs to.
pub(super) fn channel(name: &str) -> Option<&str> {
    Some(name.strip_prefix(CHANNEL)?.split_once('.')?.0)
}

/// A property that all channels of Quarkus have: `kafka.max.poll.records`.
pub(super) fn shared(name: &str) -> Option<&str> {
    name.strip_prefix("kafka.")
}
