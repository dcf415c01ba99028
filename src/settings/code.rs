//! Names and values in the code of a program: maps with quoted names, calls that set a property, Java's constants,
//! Python's keyword arguments, Karafka's setup, and how many records are taken at a time.
//!
//! No language is parsed. What is looked for is what no language means otherwise; what stands there and cannot be
//! judged from here is listed by its name, so that nobody takes it for read.

use super::{
    Dialect,
    lookup::find,
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
    Reader::to_the_end(text).found
}

/// Whether code hands its properties to the Java client: by its constants, or as Java fills a map.
pub(super) fn is_java(text: &str) -> bool {
    Reader::to_the_end(text).is_java
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
    /// Whether a name was one of Java's constants, or was given its value by a call that only Java's maps have.
    is_java: bool,
    /// Whether no comment in `*/` is to come: looking for one again and again takes long.
    has_no_end: bool,
}

impl<'t> Reader<'t> {
    fn to_the_end(text: &'t str) -> Reader<'t> {
        let mut reader = Reader {
            text,
            at: 0,
            line: 1,
            within: Vec::new(),
            found: Vec::new(),
            is_karafka: is_karafka(text),
            is_java: false,
            has_no_end: false,
        };
        while reader.step() {}
        reader
    }

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
            _ if rest.starts_with("/*") && !self.has_no_end => {
                let end = rest.find("*/");
                self.has_no_end = end.is_none();
                self.pass(end.map_or(2, |end| end + 2));
            }
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
            return self.named(name.to_owned(), length, false);
        }
        // An annotation has a name and its value in one.
        let both = name.split_once(['=', ':']).filter(|_| !self.within.is_empty());
        let is_known = |name: &str| Dialect::ALL.into_iter().any(|dialect| find(dialect, name).is_some());
        if let Some((name, value)) = both
            && is_known(name.trim())
        {
            self.tell(name.trim().to_owned(), (value.trim().to_owned(), false), self.line);
        }
        self.pass(length);
    }

    fn tell(&mut self, name: String, (value, is_code): (String, bool), line: usize) {
        self.found.push(Entry { name, value, line, is_code });
    }

    /// A name stands here, so many bytes long: what is it given?
    fn named(&mut self, name: String, length: usize, is_constant: bool) {
        let line = self.line;
        self.pass(length);
        // Kafka Streams has its consumer's properties behind a prefix.
        if self.within.last().is_some_and(|callee| last(callee).ends_with("onsumerPrefix"))
            && let Some(rest) = self.rest().strip_prefix(')')
        {
            self.at = self.text.len() - rest.len();
            self.within.pop();
        }
        let Some(&callee) = self.within.last() else { return };
        let rest = self.rest();
        let is_map = callee.ends_with("Map.of");
        let argument = rest.trim_start().strip_prefix(',');
        let argument = argument.filter(|_| is_map || SETTERS.contains(&last(callee))).map(str::trim_start);
        let Some(given) = argument.or_else(|| assigned(rest, callee.is_empty())) else { return };
        let Some((value, is_code, length)) = value(given) else { return };
        self.tell(name, (value, is_code), line);
        let is_java = is_map || matches!(last(callee), "put" | "putIfAbsent" | "setProperty" | "entry");
        self.is_java |= is_constant || (is_java && argument.is_some());
        // A value in a list of arguments is not the next name.
        if argument.is_some() {
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
            return self.named(property, length, true);
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
            self.tell(path.to_owned(), (value, is_code), line);
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
            return self.tell(callee.to_owned(), (String::new(), true), line);
        }
        let is_method = path.contains('.');
        let arguments = match callee {
            "consume" | "getmany" | "poll" if is_method => arguments(after),
            _ => return,
        };
        let Some(size) = taken(callee, &arguments) else { return };
        if let Some((value, is_code, _)) = value(size) {
            self.tell(POLL.to_owned(), (value, is_code), line);
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
            self.tell(name, (value, is_code), line);
        }
    }
}

/// What is given to a name by a sign behind it; `bare` where nothing is called around it.
fn assigned(rest: &str, bare: bool) -> Option<&str> {
    // Groovy's `(NAME): value` closes a bracket of nobody's.
    let closes = if bare { ')' } else { ' ' };
    let after = rest.trim_start_matches([' ', '\t', closes]);
    let index = after.strip_prefix(']').map(|rest| rest.trim_start_matches([' ', '\t']));
    let index = index.and_then(|rest| rest.strip_prefix('='));
    let signs = ["=>", "->", ":", "=", "to "];
    let given = index.or_else(|| signs.iter().find_map(|sign| after.strip_prefix(sign)))?;
    (!given.starts_with('=')).then(|| given.trim_start_matches([' ', '\t']))
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
    let is_others = matches!(class, "ProducerConfig" | "StreamsConfig" | "AdminClientConfig" | "TopicConfig");
    let stem = name.strip_suffix("_CONFIG").filter(|_| !is_others)?;
    let is_constant =
        stem.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let stem = stem.strip_suffix("_CLASS").unwrap_or(stem);
    let property = stem.to_ascii_lowercase().replace('_', ".");
    (is_constant && is_property(&property)).then_some(property)
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
        assert_eq!(told("m = [(MAX_POLL_RECORDS_CONFIG): 5]\n"), ["1 max.poll.records=5"]);
        let streams = "p.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 7);\n";
        assert_eq!(told(streams), ["1 max.poll.records=7"]);
        let annotated = "@KafkaListener(topics = \"a.b\", properties = {\"max.poll.records=9\", \"a:b\"})\n";
        assert_eq!(told(annotated), ["1 max.poll.records=9"]);
        let avro = "p.put(KafkaAvroDeserializerConfig.SPECIFIC_AVRO_READER_CONFIG, true);\n";
        assert_eq!(told(avro), ["1 specific.avro.reader=true"]);
    }

    #[test]
    fn java_is_told_by_what_only_java_has() {
        assert!(is_java("p.put(\"a.b\", 5)") && is_java("p[SESSION_TIMEOUT_MS_CONFIG] = 5"));
        for python in [
            "KAFKA_CONFIG = {'a.b': 5}\nqueue.put(x)\n",
            "c = Consumer(KAFKA_CONSUMER_CONFIG)\nd = {'a.b': KAFKA_CONFIG}\n",
            "conf.set(\"a.b\", \"5\")",
        ] {
            assert!(!is_java(python), "{python}");
        }
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
        for text in [
            "'\\".repeat(20_000),
            "/* ".repeat(20_000),
            "c.consume(".repeat(10_000),
            "m.put('a.b', ".repeat(10_000),
        ] {
            let _ = entries(&text);
        }
        for text in
            ["", "(", "x.consume(", "x.put('a.b',", "'a.b", "{'a.b':", "@", "é.consume(1", "/*", "c['a.b']"]
        {
            let _ = entries(text);
        }
    }
}
