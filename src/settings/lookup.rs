//! The table of known names, asked by the names of a text.

use super::{Dialect, KNOWN, Known, connector, known, program};

/// A name without what a framework puts before it.
pub(super) fn plain_name(dialect: Dialect, name: &str) -> &str {
    let property = connector::property(name).filter(|_| dialect == Dialect::Java);
    property.unwrap_or(name.trim())
}

/// Names compared as Spring does, where it does: case and hyphens do not count.
pub(super) fn same(dialect: Dialect, one: &str, other: &str) -> bool {
    if dialect != Dialect::Spring {
        return one == other;
    }
    let plain = |name: &str| -> String {
        name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
    };
    plain(one) == plain(other)
}

/// A name of Spring's that hands a property through to the Java client, without what comes before that property.
pub(super) fn handed_through(name: &str) -> Option<&str> {
    let prefixes = ["spring.kafka.consumer.properties.", "spring.kafka.properties."];
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// What is known by that name.
pub(super) fn find(dialect: Dialect, name: &str) -> Option<&'static Known> {
    let spelled = |dialect: Dialect, name: &str| {
        let has =
            |known: &&Known| known.spelled.iter().any(|(own, is)| *own == dialect && same(dialect, is, name));
        KNOWN.iter().find(has)
    };
    spelled(dialect, name).or_else(|| {
        let property = (dialect == Dialect::Spring).then(|| handed_through(name)).flatten()?;
        spelled(Dialect::Java, property)
    })
}

/// Whether consumers know the name, and nothing here depends on it.
pub(super) fn is_without_effect(dialect: Dialect, name: &str) -> bool {
    let begins = |name: &str| known::WITHOUT_EFFECT.iter().any(|start| name.starts_with(start));
    if dialect != Dialect::Spring {
        return begins(name);
    }
    if let Some(property) = handed_through(name) {
        return begins(property);
    }
    const CONSUMER: [&str; 9] = [
        "auto-offset-reset",
        "bootstrap-servers",
        "client-id",
        "group-id",
        "isolation-level",
        "key-deserializer",
        "security",
        "ssl",
        "value-deserializer",
    ];
    const LISTENER: [&str; 14] = [
        "ack-count",
        "ack-time",
        "async-acks",
        "auth-exception-retry-interval",
        "auto-startup",
        "change-consumer-thread-name",
        "client-id",
        "idle-between-polls",
        "idle-event-interval",
        "idle-partition-event-interval",
        "immediate-stop",
        "log-container-config",
        "missing-topics-fatal",
        "poll-timeout",
    ];
    match name.strip_prefix("spring.kafka.consumer.") {
        Some(rest) => CONSUMER.iter().any(|known| rest.starts_with(known)),
        // Whatever is not the consumer's or the listener's, and what of the listener's changes no answer here.
        None => match name.strip_prefix("spring.kafka.listener.") {
            Some(rest) => LISTENER.iter().any(|known| same(Dialect::Spring, known, rest)),
            None => name.starts_with("spring.kafka."),
        },
    }
}

/// What a name that nobody knows was probably meant to be.
pub(super) fn hint(dialect: Dialect, name: &str) -> Option<String> {
    if let Some(hint) = program::hint(name) {
        return Some(hint.to_owned());
    }
    for other in Dialect::ALL.into_iter().filter(|other| *other != dialect) {
        if let Some(known) = find(other, name) {
            let here = known.name.spelled(dialect);
            let here = here.map_or_else(String::new, |here| format!(", which is {here} here"));
            return Some(format!("a name of {}{here}", other.name()));
        }
    }
    let spelled = KNOWN.iter().flat_map(|known| known.spelled).filter(|(own, _)| *own == dialect);
    let near = spelled.map(|(_, known)| (strsim::damerau_levenshtein(known, name), *known)).min()?;
    let (distance, nearest) = near;
    (distance <= 2 + nearest.len() / 12).then(|| format!("did you mean {nearest}?"))
}
