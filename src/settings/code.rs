//! Names and values in the code of a program: maps with quoted names, calls that set a property, Java's constants,
//! Python's keyword arguments, Karafka's setup, and how many records are taken at a time.
//!
//! No language is parsed. What is looked for is what no language means otherwise; what stands there and cannot be
//! judged from here is listed by its name, so that nobody takes it for read.

use super::{
    program::{CALLS, KARAFKA, POLL, RETRYABLE, is_karafka},
    text::Entry,
};

/// The longest value or list of arguments that is looked through, in bytes: it bounds the time that odd texts take.
const LONGEST: usize = 1_000;

/// Calls whose first argument is a name and whose second one is its value.
const SETTERS: [&str; 14] = [
    "Add",
    "SetKey",
    "add",
    "addProperty",
    "consumerProperty",
    "entry",
    "insert",
    "property",
    "put",
    "putIfAbsent",
    "set",
    "setProperty",
    "withConsumerProperty",
    "withProperty",
];

/// Everything that a program says of a consumer, in order. Everything else of the program is passed over.
pub(super) fn entries(text: &str) -> Vec<Entry> {
    let mut reader =
        Reader { text, at: 0, line: 1, within: Vec::new(), found: Vec::new(), is_karafka: is_karafka(text) };
    while reader.step() {}
    reader.found
}

/// A reader of code, and where it is.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// From 1.
    line: usize,
    /// Brackets that are open, the innermost last, each with what stands before it: what is called.
    within: Vec<&'t str>,
    found: Vec<Entry>,
    is_karafka: bool,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Goes on by so many bytes, and counts their lines.
    fn pass(&mut self, bytes: usize) {
        self.line += self.rest()[..bytes].matches('\n').count();
        self.at += bytes;
    }

    /// Reads what comes next; whether there was something.
    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        match c {
            // A comment, to the end of its line.
            '#' => self.pass(rest.find('\n').unwrap_or(rest.len())),
            _ if rest.starts_with("//") => self.pass(rest.find('\n').unwrap_or(rest.len())),
            _ if rest.starts_with("/*") => self.pass(rest.find("*/").map_or(2, |end| end + 2)),
            '{' | '[' | '(' => {
                self.within.push("");
                self.pass(1);
            }
            '}' | ']' | ')' => {
                self.within.pop();
                self.pass(1);
            }
            '"' | '\'' => self.quote(),
            _ if c.is_ascii_alphabetic() || matches!(c, '_' | '@' | '$') => self.word(),
            _ if c.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                self.pass(end.unwrap_or(rest.len()));
            }
            c => self.pass(c.len_utf8()),
        }
        true
    }

    fn quote(&mut self) {
        let Some((name, length)) = quoted(self.rest()) else { return self.pass(1) };
        if is_property(name) || super::names::is_underscored(name) {
            self.named(name.to_owned(), length);
        } else {
            self.pass(length);
        }
    }

    /// A name stands here, so many bytes long: what is it given?
    fn named(&mut self, name: String, length: usize) {
        let line = self.line;
        self.pass(length);
        let Some(callee) = self.within.last() else { return };
        let rest = self.rest();
        let setter = SETTERS.contains(&last(callee)) || callee.ends_with("Map.of");
        // Groovy's `(NAME): value` closes a bracket of nobody's.
        let closes = if callee.is_empty() { ')' } else { ' ' };
        let after = rest.trim_start_matches([' ', '\t', closes]);
        let after_comma = rest.trim_start().strip_prefix(',').filter(|_| setter);
        let (given, goes_on) = match after_comma {
            Some(value) => (value.trim_start(), true),
            None => {
                let index = after.strip_prefix(']').map(|rest| rest.trim_start_matches([' ', '\t']));
                let index =
                    index.and_then(|rest| rest.strip_prefix('=').filter(|rest| !rest.starts_with('=')));
                let signs = ["=>", "->", ":", "=", "to "];
                let given = signs.iter().find_map(|sign| after.strip_prefix(sign));
                let Some(given) = index.or(given).filter(|given| !given.starts_with('=')) else { return };
                (given.trim_start_matches([' ', '\t']), false)
            }
        };
        let Some((value, is_code, length)) = value(given) else { return };
        self.found.push(Entry { name, value, line, is_code });
        // A value in a list of arguments is not the next name.
        if goes_on {
            self.pass(rest.len() - given.len() + length);
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let length = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '$'))
            .map_or(rest.len(), |(at, _)| at);
        let (path, after) = rest.split_at(length);
        if let Some(property) = constant(path) {
            return self.named(property, length);
        }
        let after = after.trim_start_matches([' ', '\t']);
        if after.starts_with('(') || path == RETRYABLE {
            self.called(path, after);
        } else if self.is_karafka {
            self.set_up(path, after);
        }
        let argument = after.strip_prefix('=').filter(|value| !value.starts_with(['=', '>', '~']));
        let line = self.line;
        if let Some(given) = argument.filter(|_| self.takes(path))
            && let Some((value, is_code, _)) = value(given.trim_start_matches([' ', '\t']))
        {
            self.found.push(Entry { name: path.to_owned(), value, line, is_code });
        }
        self.pass(length);
        if after.starts_with('(') {
            self.pass(self.rest().find('(').map_or(0, |at| at + 1));
            self.within.push(path);
        }
    }

    /// Whether a keyword argument here is a setting of a consumer.
    fn takes(&self, argument: &str) -> bool {
        let is_plain = !argument.contains(['.', '$', '@']);
        let is_consumer = |callee: &&str| matches!(last(callee), "AIOKafkaConsumer" | "KafkaConsumer");
        let called = self.within.last().copied().filter(|callee| !callee.is_empty());
        is_plain
            && called.is_some_and(|callee| is_consumer(&callee) || super::names::is_underscored(argument))
    }

    /// Something is called, with what stands behind it in brackets.
    fn called(&mut self, path: &str, after: &str) {
        let line = self.line;
        let callee = last(path);
        let of_karafka = matches!(callee, "dead_letter_queue" | "virtual_partitions");
        if CALLS.iter().any(|(call, _)| *call == callee) && (self.is_karafka || !of_karafka) {
            self.found.push(Entry { name: callee.to_owned(), value: String::new(), line, is_code: true });
            return;
        }
        let is_method = path.contains('.');
        let arguments = match callee {
            "consume" | "getmany" | "poll" if is_method => arguments(after),
            _ => return,
        };
        let Some(size) = taken(callee, &arguments) else { return };
        if let Some((value, is_code, _)) = value(size) {
            self.found.push(Entry { name: POLL.to_owned(), value, line, is_code });
        }
    }

    /// A line of Karafka's setup or routing.
    fn set_up(&mut self, path: &str, after: &str) {
        let line = self.line;
        let assigned = after.strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>', '~']));
        let (name, given) = match (path.split_once('.'), assigned) {
            (Some((_, name)), Some(given)) => (name.replace('.', "_"), given.trim_start_matches([' ', '\t'])),
            (None, None) if after.starts_with(|c: char| c.is_ascii_digit()) => (path.to_owned(), after),
            _ => return,
        };
        let known = KARAFKA.iter().find(|(own, _)| *own == name).map(|(_, name)| (*name).to_owned());
        let is_config = path.starts_with("config.") && name != "kafka";
        let Some(name) = known.or_else(|| is_config.then(|| format!("karafka.{name}"))) else { return };
        if let Some((value, is_code, _)) = value(given) {
            self.found.push(Entry { name, value, line, is_code });
        }
    }
}

/// The last part of a path: what is called.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The argument that says how many records a call takes at most, if one does.
///
/// Source: `consume(num_messages=1, timeout=-1)` of confluent-kafka-python, `consume(number, callback)` of node-rdkafka;
/// `max_records` of aiokafka's `getmany` and of kafka-python's `poll`.
fn taken<'t>(callee: &str, arguments: &[&'t str]) -> Option<&'t str> {
    let by_name = |name: &str| {
        arguments.iter().find_map(|argument| {
            let value = argument.strip_prefix(name)?.trim_start().strip_prefix('=')?;
            Some(value.trim_start())
        })
    };
    if callee != "consume" {
        return by_name("max_records");
    }
    let first = *arguments.first()?;
    let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let is_python = by_name("timeout").is_some() && !first.contains('=');
    by_name("num_messages").or_else(|| (is_number || is_python).then_some(first))
}

/// The arguments of a call whose brackets a text begins with; none where they are too long.
fn arguments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = head(text.get(1..).unwrap_or_default());
    loop {
        rest = rest.trim_start();
        let end = extent(rest, &[]);
        found.push(rest[..end].trim());
        match rest[end..].strip_prefix(',') {
            Some(next) => rest = next,
            None if rest[end..].starts_with(')') => return found,
            None => return Vec::new(),
        }
    }
}

/// The beginning of a text, no longer than what is looked through.
fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST.min(text.len()))]
}

/// Where the expression ends that a text begins with: at a comma or a bracket that closes what it did not open, or at
/// one of these.
fn extent(text: &str, ends: &[char]) -> usize {
    let (mut at, mut depth) = (0, 0usize);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' | '\'' => {
                at += quoted(&text[at..]).map_or(1, |(_, length)| length);
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ')' | ']' | '}' | ',' if depth == 0 => break,
            c if depth == 0 && ends.contains(&c) => break,
            _ if text[at..].starts_with("//") => break,
            _ => {}
        }
        at += c.len_utf8();
    }
    at
}

/// The value that a text begins with: what a literal holds, or an expression as it stands, that it is one, and its bytes.
fn value(text: &str) -> Option<(String, bool, usize)> {
    let text = head(text);
    let end = extent(text, &['\n', '#', ';']);
    let whole = text[..end].trim_end();
    if let Some((inner, length)) = whole.starts_with(['"', '\'']).then(|| quoted(whole)).flatten()
        && length == whole.len()
    {
        return Some((inner.to_owned(), false, end));
    }
    let plain: String = whole.chars().filter(|c| *c != '_').collect();
    // Java's and Kotlin's whole numbers may end in a letter.
    let digits = plain.trim_end_matches(['L', 'l']);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match whole {
        "" => None,
        _ if whole.starts_with('{') => None,
        _ if is_number => Some((digits.to_owned(), false, end)),
        "true" | "True" | "TRUE" => Some(("true".to_owned(), false, end)),
        "false" | "False" | "FALSE" => Some(("false".to_owned(), false, end)),
        whole => Some((whole.to_owned(), true, end)),
    }
}

/// The property that a constant of the Java client names: `ConsumerConfig.MAX_POLL_RECORDS_CONFIG`.
///
/// Source: ConsumerConfig.java, CommonClientConfigs.java of apache/kafka: the constants spell their properties.
fn constant(path: &str) -> Option<String> {
    let (class, name) = path.rsplit_once('.').unwrap_or(("", path));
    let class = last(class);
    let is_known =
        matches!(class, "" | "ConsumerConfig" | "CommonClientConfigs" | "SaslConfigs" | "SslConfigs");
    let stem = name.strip_suffix("_CONFIG").filter(|_| is_known)?;
    let is_constant =
        stem.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let stem = stem.strip_suffix("_CLASS").unwrap_or(stem);
    (is_constant && !stem.is_empty()).then(|| stem.to_ascii_lowercase().replace('_', "."))
}

/// What stands in the quotes that a text begins with, on one line, and the bytes with them.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let text = head(text);
    let quote = text.chars().next()?;
    let mut escaped = false;
    let end = text[1..].find(|c: char| {
        let ends = (c == quote && !escaped) || c == '\n';
        escaped = !escaped && c == '\\';
        ends
    })?;
    let inner = &text[1..=end];
    text[1 + end..].starts_with(quote).then_some((inner, end + 2))
}

/// Whether this is spelled as properties are: `a.b`.
fn is_property(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    name.contains('.') && name.split('.').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let told = |Entry { name, value, line, is_code }: Entry| {
            format!("{line} {name}={value}{}", if is_code { " (code)" } else { "" })
        };
        entries(text).into_iter().map(told).collect()
    }

    #[test]
    fn maps_are_read_by_their_quoted_names() {
        let python = "from confluent_kafka import Consumer\n\nconf = {\n    'bootstrap.servers': 'b:9092',  # a, comment\n    \
                      'enable.auto.commit': False,\n    'session.timeout.ms': 6_000,\n    'max.poll.interval.ms': \
                      int(os.environ['X']),\n}\nif x:\n    c = Consumer(conf)\n";
        assert_eq!(
            told(python),
            [
                "4 bootstrap.servers=b:9092",
                "5 enable.auto.commit=false",
                "6 session.timeout.ms=6000",
                "7 max.poll.interval.ms=int(os.environ['X']) (code)",
            ]
        );
        let go = "c, err := kafka.NewConsumer(&kafka.ConfigMap{\n\t\"group.id\": \"g\", // one\n\t\"session.timeout.ms\": \
                  6000})\n";
        assert_eq!(told(go), ["2 group.id=g", "3 session.timeout.ms=6000"]);
        let ruby =
            "setup do |config|\n  config.kafka = { 'max.poll.interval.ms' => 300_000, \"a.b\": true }\nend\n";
        assert_eq!(told(ruby), ["2 max.poll.interval.ms=300000", "2 a.b=true"]);
        assert_eq!(told("{'a.b': False, // one\n 'c.d': 1}\n"), ["1 a.b=false", "2 c.d=1"]);
        // What is no map of properties is not taken for one.
        assert!(told("print({'key': 1})\n'a.b': 2\n").is_empty());
        assert!(told("topics = ['orders.v1', 'prices.v1']\nif x['a.b'] == 5:\n").is_empty());
        // Comments end in letters of any length.
        assert_eq!(
            told("c = {  # so früh wie möglich: é\n'a.b': 1, // ü\n'c.d': 2} # 漢"),
            ["2 a.b=1", "3 c.d=2"]
        );
    }

    #[test]
    fn calls_and_constants_are_read() {
        let java = "p.put(\"max.poll.records\", \"1000\");\n/* p.put(\"a.b\",\n1); */ p.setProperty(\n  \
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,\n  \"false\");\n\
                    p.put(org.apache.ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int) ofMinutes(5, x).toMillis());\n\
                    // p.put(\"session.timeout.ms\", \"1\");\np.put(ProducerConfig.LINGER_MS_CONFIG, 5);\n\
                    var m = Map.of(\"fetch.min.bytes\", 1, FETCH_MAX_WAIT_MS_CONFIG, 250L, \"client.id\", \"a.b\");\n";
        assert_eq!(
            told(java),
            [
                "1 max.poll.records=1000",
                "4 enable.auto.commit=false",
                "6 max.poll.interval.ms=(int) ofMinutes(5, x).toMillis() (code)",
                "9 fetch.min.bytes=1",
                "9 fetch.max.wait.ms=250",
                "9 client.id=a.b",
            ]
        );
        let kotlin = "props[ConsumerConfig.MAX_POLL_RECORDS_CONFIG] = 5\nmapOf(\n  \
                      ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG to 6000,\n  \"group.id\" to name\n)\n";
        assert_eq!(
            told(kotlin),
            ["1 max.poll.records=5", "3 session.timeout.ms=6000", "4 group.id=name (code)"]
        );
        assert_eq!(
            told("conf->set(\"session.timeout.ms\", \"6000\", errstr);"),
            ["1 session.timeout.ms=6000"]
        );
        assert_eq!(told("c['a.b'] = 5\n"), ["1 a.b=5"]);
    }

    #[test]
    fn what_is_taken_at_a_time_is_read() {
        let poll = |text: &str| told(text).first().cloned().unwrap_or_default();
        for (text, expected) in [
            ("c.consume(num_messages=500, timeout=1.0)", "1 kwp.poll.records=500"),
            ("c.consume(timeout=1, num_messages=7)", "1 kwp.poll.records=7"),
            ("c.consume(50, 1.0)", "1 kwp.poll.records=50"),
            ("c.consume(BATCH, timeout=1.0)", "1 kwp.poll.records=BATCH (code)"),
            ("await c.getmany(timeout_ms=5, max_records=9)", "1 kwp.poll.records=9"),
            ("c.poll(max_records=3)", "1 kwp.poll.records=3"),
            ("c.consume(timeout=1.0)", ""),
            ("c.poll(1.0)", ""),
            ("channel.consume(queue, callback)", ""),
            // PHP's takes milliseconds.
            ("$c->consume(1000)", ""),
        ] {
            assert_eq!(poll(text), expected, "{text}");
        }
    }

    #[test]
    fn whatever_it_is_it_ends() {
        for text in ["'\\".repeat(20_000), "c.consume(".repeat(10_000), "m.put('a.b', ".repeat(10_000)] {
            let _ = entries(&text);
        }
        for text in
            ["", "(", "x.consume(", "x.put('a.b',", "'a.b", "{'a.b':", "@", "é.consume(1", "/*", "c['a.b']"]
        {
            let _ = entries(text);
        }
    }
}
