//! Names as texts spell them, made those of the table: brackets, environment variables, underscores.

use super::{
    Dialect, KNOWN, Library,
    known::WITHOUT_EFFECT,
    lookup::find,
    text::{Entry, split},
};

/// How environment variables of Spring Boot begin.
const ENVIRONMENT: &str = "SPRING_KAFKA_";

/// Gives entries the names of the table, where they spell them otherwise; whether they use Python's underscores.
pub(super) fn settle(entries: &mut [Entry]) -> bool {
    for at in 1..entries.len() {
        listed(entries, at);
    }
    for entry in entries.iter_mut() {
        variable(entry);
        if let Some(name) = without_brackets(&entry.name).or_else(|| of_environment(&entry.name)) {
            entry.name = name;
        }
    }
    let has_underscores = entries.iter().any(|entry| is_underscored(&entry.name));
    for entry in entries.iter_mut().filter(|_| has_underscores) {
        let dotted = entry.name.replace('_', ".");
        let is_known = || WITHOUT_EFFECT.iter().any(|start| dotted.starts_with(start));
        if !entry.name.contains('.') && (is_underscored(&entry.name) || is_known()) {
            entry.name = dotted;
        }
    }
    has_underscores
}

/// Whether this is a name of the Java client with underscores for its dots, as aiokafka and kafka-python have them.
pub(super) fn is_underscored(name: &str) -> bool {
    !name.contains('.') && name.contains('_') && find(Dialect::Java, &name.replace('_', ".")).is_some()
}

/// What names with underscores are taken for, in a sentence.
pub(super) fn told(library: &Library) -> String {
    let defaults = match library.id {
        "aiokafka" => "",
        _ => {
            ". What is not said has the Java client's default here; kafka-python's own differ, from version to version"
        }
    };
    format!(
        "names with underscores are taken for those of the Java client with dots, which aiokafka and kafka-python follow{defaults}"
    )
}

/// A variable as Kubernetes has it, its name and its value two entries of a list, in the second of them.
fn listed(entries: &mut [Entry], at: usize) {
    let [name, value] = &mut entries[at - 1..=at] else { return };
    let place = name.name.strip_suffix(".name").filter(|_| name.value.starts_with(ENVIRONMENT));
    if place.is_some_and(|place| value.name.strip_suffix(".value") == Some(place)) {
        (value.name, value.line) = (std::mem::take(&mut name.value), name.line);
    }
}

/// A line of a shell, of a list of variables or of a mapping, as the variable alone.
fn variable(entry: &mut Entry) {
    let own = entry.name.rsplit('.').next().unwrap_or_default();
    let is_listed = own == "export" || own.bytes().all(|byte| byte.is_ascii_digit());
    if is_listed && entry.value.starts_with(ENVIRONMENT) {
        let (name, value) = split(&entry.value);
        (entry.name, entry.value) = (name.to_owned(), value.to_owned());
    } else if own.starts_with(ENVIRONMENT) {
        entry.name = own.to_owned();
    } else {
        return;
    }
    let bare = entry.value.trim();
    let bare = ['"', '\''].iter().find_map(|quote| bare.strip_prefix(*quote)?.strip_suffix(*quote));
    if let Some(bare) = bare.map(str::to_owned) {
        entry.value = bare;
    }
}

/// A property of Spring's whose last part is in brackets, as its own reference spells those with dots.
fn without_brackets(name: &str) -> Option<String> {
    let (start, property) = name.strip_suffix(']')?.split_once('[')?;
    let property = property.trim_matches(['"', '\'']);
    let start = start.trim_end_matches('.');
    start.ends_with("properties").then(|| format!("{start}.{property}"))
}

/// The property that a variable of the environment sets: Spring Boot takes capitals and underscores for any of them.
fn of_environment(name: &str) -> Option<String> {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let rest = name.strip_prefix(ENVIRONMENT)?;
    let mut spelled = KNOWN.iter().flat_map(|known| known.spelled);
    let is =
        |(dialect, own): &&(Dialect, &'static str)| *dialect == Dialect::Spring && plain(own) == plain(name);
    if let Some((_, own)) = spelled.find(is) {
        return Some((*own).to_owned());
    }
    let lower = rest.to_ascii_lowercase();
    let through = [
        ("consumer_properties_", "spring.kafka.consumer.properties."),
        ("properties_", "spring.kafka.properties."),
    ];
    for (start, own) in through {
        if let Some(property) = lower.strip_prefix(start) {
            return Some(format!("{own}{}", property.replace('_', ".")));
        }
    }
    if lower == "retry_topic_enabled" {
        return Some(super::retry::ENABLED.to_owned());
    }
    Some(match lower.split_once('_') {
        Some((part, rest)) => format!("spring.kafka.{part}.{}", rest.replace('_', "-")),
        None => format!("spring.kafka.{lower}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(name: &str, value: &str) -> (String, String) {
        let mut entries = [Entry { name: name.to_owned(), value: value.to_owned(), line: 1, is_code: false }];
        settle(&mut entries);
        let [entry] = entries;
        (entry.name, entry.value)
    }

    #[test]
    fn variables_are_properties() {
        for (name, value) in [
            ("SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS", "5"),
            ("SPRING_KAFKA_CONSUMER_MAXPOLLRECORDS", "'5'"),
            ("export", "SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS=\"5\""),
            ("services.app.environment.SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS", "5"),
            ("services.app.environment.0", "SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS=5"),
        ] {
            let expected = ("spring.kafka.consumer.max-poll-records".to_owned(), "5".to_owned());
            assert_eq!(settled(name, value), expected, "{name}");
        }
        for (name, expected) in [
            ("SPRING_KAFKA_PROPERTIES_SESSION_TIMEOUT_MS", "spring.kafka.properties.session.timeout.ms"),
            ("SPRING_KAFKA_BOOTSTRAP_SERVERS", "spring.kafka.bootstrap.servers"),
            ("SPRING_KAFKA_RETRY_TOPIC_ENABLED", "spring.kafka.retry.topic.enabled"),
            ("SPRING_KAFKA_", "spring.kafka."),
            ("spring.kafka.properties[a.b]", "spring.kafka.properties.a.b"),
            ("x[0]", "x[0]"),
            ("log_level", "log_level"),
        ] {
            assert_eq!(settled(name, "5").0, expected);
        }
    }
}
