//! Retries of Spring's that go through topics of their own, and what that costs.
//!
//! Source: Spring for Apache Kafka's reference, "Non-Blocking Retries": the order of the topic's records is given up, and
//! batch listeners are not supported.

use super::{Name, Settings, Verdict, Weight, lookup::same, program::RETRYABLE, text::Entry};

/// The property that switches them on.
pub(super) const ENABLED: &str = "spring.kafka.retry.topic.enabled";

/// Whether this switches them on.
pub(super) fn is_on(entry: &Entry) -> bool {
    let is_set =
        same(super::Dialect::Spring, &entry.name, ENABLED) && entry.value.trim().eq_ignore_ascii_case("true");
    is_set || entry.name == RETRYABLE
}

/// What is to be said of them, where they are on, in this line, with these settings.
pub(super) fn verdict(line: usize, settings: &Settings) -> Verdict {
    let is_batch = settings.word(Name::ListenerType) == Some("batch");
    let (weight, end) = if is_batch {
        (Weight::Bad, " And a batch listener has none: Spring does not support the two together.")
    } else {
        (Weight::Doubtful, "")
    };
    let sentence = format!(
        "Non-blocking retries (line {line}) give up the order per key: a failing record goes to a retry topic, and the later \
         ones of its key are worked on before it.{end}"
    );
    Verdict { weight, sentence, about: if is_batch { vec![Name::ListenerType] } else { Vec::new() } }
}
