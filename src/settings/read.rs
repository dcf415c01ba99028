//! A text of settings, read: entry for entry into values, with what is not used and why.

use super::{
    Dialect, Form, LONGEST_SETTINGS, Library, Name, Origin, Settings, Value, Verdict, Weight, assignor, code,
    connector::{self, Attribute},
    last, library,
    lookup::{find, hint, is_without_effect, plain_name},
    names, program, retry, text,
};
use crate::scenario::{BadInput, cut, shown};

/// A name of the text that is not used, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// As it is spelled, cut and safe to show.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// What to make of it: the name that was probably meant, or what is wrong with its value.
    pub hint: Option<String>,
}

/// What a text of settings says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// Its form.
    pub form: Form,
    /// Whose names it uses.
    pub dialect: Dialect,
    /// What was understood.
    pub settings: Settings,
    /// Values that make no sense: the hint says what was expected. They count for nothing.
    pub invalid: Vec<Mention>,
    /// Names whose value is decided elsewhere (an environment variable, an expression in code): their defaults are taken.
    pub open: Vec<Mention>,
    /// Names that nobody knows; the hint is the nearest one, where there is one near.
    pub unknown: Vec<Mention>,
    /// Names that consumers know and nothing here depends on.
    pub without_effect: Vec<Mention>,
    /// Settings of other things than Kafka.
    pub elsewhere: usize,
    /// What cannot go together, or costs more than it seems, by names that are no settings here.
    pub contradictions: Vec<Verdict>,
    /// Whether it says what becomes of a failing record, where nothing here can read what.
    pub handles_failures: bool,
    /// Anything else worth knowing, in sentences.
    pub notes: Vec<String>,
    /// The library that reads such names, where only one does, or else the client whose names they are.
    pub library: &'static Library,
}

/// Reads settings; `file` is what to call the text in a complaint, and `dialect` whose names it uses, if that is not
/// to be found out.
///
/// # Errors
/// If it is too long, not UTF-8, broken YAML or JSON, or has no setting at all.
pub fn read(file: &str, bytes: &[u8], dialect: Option<Dialect>) -> Result<Read, BadInput> {
    let whole = |message: String, expected: &str| Err(BadInput::whole(file, message, expected));
    const EXPECTED: &str = "consumer properties: name=value lines, YAML or JSON";
    if bytes.len() > LONGEST_SETTINGS {
        return whole(format!("longer than {} KiB", LONGEST_SETTINGS >> 10), EXPECTED);
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return whole("this is UTF-16".to_owned(), "a text encoded as UTF-8");
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return whole("this is not UTF-8".to_owned(), "a text encoded as UTF-8");
    };
    if text.contains('\0') {
        return whole("this is no text: it has bytes that are 0".to_owned(), EXPECTED);
    }
    let form = Form::of(text);
    let mut entries = form.entries(file, text)?;
    let is_python = names::settle(&mut entries);
    if entries.is_empty() {
        return whole("there is no setting in it".to_owned(), EXPECTED);
    }
    let code = Some(text).filter(|_| form == Form::Code);
    let dialect = dialect.unwrap_or_else(|| match is_python {
        true => Dialect::Java,
        false => dialect_of(form, code, &entries),
    });
    let (entries, mut notes) =
        if dialect == Dialect::Java { of_one_channel(entries) } else { (entries, Vec::new()) };
    let entries = last::of_each(dialect, entries, &mut notes);
    let library = library_of(dialect, text, form, &entries);
    notes.extend((is_python && dialect == Dialect::Java).then(|| names::told(library)));
    let mut read = Read {
        form,
        dialect,
        settings: Settings::default(),
        invalid: Vec::new(),
        open: Vec::new(),
        unknown: Vec::new(),
        without_effect: Vec::new(),
        elsewhere: 0,
        contradictions: assignor::refused(&entries, dialect).into_iter().collect(),
        handles_failures: entries
            .iter()
            .any(|entry| retry::is_on(entry) || entry.name == program::ERROR_HANDLER),
        notes,
        library,
    };
    let profile = |entry: &text::Entry| {
        matches!(entry.name.as_str(), "spring.config.activate.on-profile" | "spring.profiles")
            .then(|| format!(
                "line {}: what follows up to the next document is for the profile {}, and is taken here over what stands \
                 before it: leave it out to see what holds without that profile",
                entry.line,
                shown(&entry.value)
            ))
    };
    read.notes.extend(entries.iter().filter_map(profile));
    read.notes.extend(assignor::note(&entries));
    let mut batches = None;
    for entry in &entries {
        if !read.take_attribute(entry, &mut batches) && !retry::is_on(entry) {
            read.take(entry);
        }
    }
    let retries = entries.iter().find(|entry| retry::is_on(entry));
    read.contradictions.extend(retries.map(|entry| retry::verdict(entry.line, &read.settings)));
    // Two batches, unless somebody says how many: a batch is what a poll returns at most.
    let unsaid = || match read.settings.0.get(&Name::PollRecords) {
        Some((_, Origin::Line(line))) if std::ptr::eq(read.library, &library::SMALLRYE) => {
            Some((connector::BATCHES, *line))
        }
        _ => None,
    };
    if let Some((batches, line)) = batches.or_else(unsaid)
        && !read.settings.is_said(Name::High)
    {
        let (high, low) = connector::marks(batches, read.settings.number(Name::PollRecords));
        read.settings.0.insert(Name::High, (Value::Number(high), Origin::Line(line)));
        read.settings.0.entry(Name::Low).or_insert((Value::Number(low), Origin::Line(line)));
    }
    Ok(read)
}

/// Of SmallRye's channels the first, each having a consumer of its own, and of Quarkus's profiles the one that is
/// deployed; what all channels share comes first, so that the channel's own counts. With what was left out, in sentences.
fn of_one_channel(entries: Vec<text::Entry>) -> (Vec<text::Entry>, Vec<String>) {
    let bare = |entry: &text::Entry| connector::profile(&entry.name).1.to_owned();
    let Some(first) = entries.iter().find_map(|entry| connector::channel(&bare(entry)).map(str::to_owned))
    else {
        return (entries, Vec::new());
    };
    let mut notes = Vec::new();
    let (mut shared, mut own, mut deployed) = (Vec::new(), Vec::new(), Vec::new());
    let mut others: Vec<String> = Vec::new();
    for mut entry in entries {
        let (profile, name) = connector::profile(&entry.name);
        let (profile, name) = (profile.map(str::to_owned), name.to_owned());
        if let Some(profile) = profile.as_ref().filter(|profile| *profile != "prod") {
            notes.push(format!("line {}: is for the profile {}, and is left out", entry.line, cut(profile)));
            continue;
        }
        if let Some(other) = connector::channel(&name).filter(|channel| *channel != first) {
            if !others.iter().any(|known| known == other) {
                others.push(other.to_owned());
            }
            continue;
        }
        match connector::shared(&name) {
            Some(property) => {
                entry.name = property.to_owned();
                shared.push(entry);
            }
            None => {
                entry.name = name;
                if profile.is_some() { deployed.push(entry) } else { own.push(entry) }
            }
        }
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|other| cut(other)).collect();
        notes.push(format!(
            "each channel has a consumer of its own: this is {}; ask for {} alone, too",
            cut(&first),
            others.join(", ")
        ));
    }
    (shared.into_iter().chain(own).chain(deployed).collect(), notes)
}

/// Whose names these are; `code` is the text, where it is one of a program.
fn dialect_of(form: Form, code: Option<&str>, entries: &[text::Entry]) -> Dialect {
    let is_spring = |entry: &text::Entry| entry.name.starts_with("spring.");
    if entries.iter().any(is_spring) {
        return Dialect::Spring;
    }
    const TELLING: [&str; 10] = [
        "queued.",
        "enable.auto.offset.store",
        "fetch.wait.max.ms",
        "fetch.message.max.bytes",
        "metadata.broker.list",
        "statistics.interval.ms",
        "enable.partition.eof",
        "socket.",
        "log_level",
        "debug",
    ];
    let tells = |entry: &text::Entry| TELLING.iter().any(|start| entry.name.starts_with(start));
    let has_java = entries.iter().any(|entry| {
        entry.name.contains("deserializer")
            || entry.name == "max.poll.records"
            || entry.name == "fetch.max.wait.ms"
    });
    let is_java = code.is_some_and(|code| code::is_java(code) && !program::is_karafka(code));
    if entries.iter().any(tells) || (matches!(form, Form::Json | Form::Code) && !has_java && !is_java) {
        Dialect::Librdkafka
    } else {
        Dialect::Java
    }
}

/// Whose defaults fill in what these names leave open.
fn library_of(dialect: Dialect, text: &str, form: Form, entries: &[text::Entry]) -> &'static Library {
    let has = |is: fn(&str) -> bool| entries.iter().any(|entry| is(&entry.name));
    let mentions = |is: fn(&str) -> bool| form == Form::Code && is(text);
    match dialect {
        Dialect::Java if mentions(program::is_aiokafka) => &library::AIOKAFKA,
        Dialect::Java if mentions(program::is_spring) => &library::SPRING,
        Dialect::Librdkafka if mentions(program::is_karafka) => &library::KARAFKA,
        Dialect::Java if has(|name| connector::property(name).is_some()) => &library::SMALLRYE,
        Dialect::Java if has(|name| name.starts_with("decaton.")) => &library::DECATON,
        Dialect::Java => &library::JAVA,
        Dialect::Spring => &library::SPRING,
        Dialect::Librdkafka => &library::LIBRDKAFKA,
    }
}

impl Read {
    /// Whether nothing in the text was understood that is a setting of a consumer: what is judged then are the defaults
    /// alone. A text that only says where the brokers are leaves all of them as they are, and nothing of it is left over.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        let is_plain = !self.without_effect.is_empty() && self.unknown.is_empty();
        self.settings.is_empty() && self.invalid.is_empty() && self.open.is_empty() && !is_plain
    }

    /// That nothing was understood, where that is so.
    #[must_use]
    pub fn nothing(&self) -> Option<String> {
        self.is_nothing().then(|| {
            format!(
                "Nothing in this text was understood as a setting of a consumer: whatever is told beside this is of the \
                 defaults of the {} alone.",
                self.library.name
            )
        })
    }

    /// What is to be said of the text itself: that nothing was understood, values that make no sense, and values that
    /// are not in it.
    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> + '_ {
        let nothing =
            self.nothing().map(|sentence| Verdict { weight: Weight::Bad, sentence, about: Vec::new() });
        let open = self.open.iter().map(|mention| Verdict {
            weight: Weight::Doubtful,
            sentence: format!(
                "{} (line {}) is decided elsewhere: {}. Its default is taken here.",
                mention.name,
                mention.line,
                mention.hint.as_deref().unwrap_or("its value is not in this text")
            ),
            about: Vec::new(),
        });
        let invalid = self.invalid.iter().map(|mention| Verdict {
            weight: Weight::Bad,
            sentence: format!(
                "{} (line {}) makes no sense: {}. A client refuses to start with it, and here it counts for nothing.",
                mention.name,
                mention.line,
                mention.hint.as_deref().unwrap_or("its value is of another kind")
            ),
            about: Vec::new(),
        });
        nothing.into_iter().chain(invalid).chain(self.contradictions.iter().cloned()).chain(open)
    }

    /// Whether this is an attribute of SmallRye's connector, which was taken; how many batches may be queued is kept
    /// until it is known how many records one has.
    fn take_attribute(&mut self, entry: &text::Entry, batches: &mut Option<(u64, usize)>) -> bool {
        let property = connector::property(&entry.name).filter(|_| self.dialect == Dialect::Java);
        let Some(property) = property else { return false };
        let mention = |hint| Mention { name: cut(&entry.name), line: entry.line, hint };
        let value = self.resolved(entry);
        let said = connector::attribute(property, value.as_deref().unwrap_or_default());
        let Some(said) = said else { return false };
        if value.is_none() {
            self.open.push(mention(Some(format!("it holds {}", shown(&entry.value)))));
            return true;
        }
        if property == "commit-strategy" && value.as_deref().is_some_and(|value| value.trim() == "latest") {
            // Every acknowledgement commits.
            self.settings.0.entry(Name::CommitEvery).or_insert((Value::Number(1), Origin::Line(entry.line)));
        }
        match said {
            Attribute::Is(name, value) => {
                self.settings.0.insert(name, (value, Origin::Line(entry.line)));
            }
            Attribute::Batches(number) => *batches = Some((number, entry.line)),
            Attribute::Nothing => self.without_effect.push(mention(None)),
            Attribute::Wrong(expected) => {
                let hint = format!("it holds {}; expected {expected}", shown(&entry.value));
                self.invalid.push(mention(Some(hint)));
            }
        }
        true
    }

    fn take(&mut self, entry: &text::Entry) {
        let name = plain_name(self.dialect, &entry.name).to_owned();
        let mention = |hint: Option<String>| Mention { name: cut(&entry.name), line: entry.line, hint };
        let Some(known) = find(self.dialect, &name) else {
            if self.dialect == Dialect::Spring
                && !name.starts_with("spring.kafka.")
                && !name.starts_with("kwp.")
            {
                self.elsewhere += 1;
            } else if is_without_effect(self.dialect, &name) {
                self.without_effect.push(mention(None));
            } else {
                self.unknown.push(mention(hint(self.dialect, &name)));
            }
            return;
        };
        let text = if entry.is_code { None } else { self.resolved(entry) };
        let Some(text) = text else {
            self.open.push(mention(Some(format!("it holds {}", shown(&entry.value)))));
            return;
        };
        let Some(value) = known.kind.read(&text) else {
            let expected = known.kind.expected();
            self.invalid.push(mention(Some(format!("it holds {}; expected {expected}", shown(&text)))));
            return;
        };
        self.settings.0.insert(known.name, (value, Origin::Line(entry.line)));
    }

    /// A value, and for a placeholder its default, however deep: `${A:${B:500}}`. Nothing where a placeholder has none.
    fn resolved(&mut self, entry: &text::Entry) -> Option<String> {
        let mut text = entry.value.trim();
        let mut is_placeholder = false;
        while let Some(inner) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
            let (_, default) = inner.split_once(':')?;
            (text, is_placeholder) = (default.trim(), true);
        }
        if text.contains("${") {
            return None;
        }
        if is_placeholder {
            let (name, line) = (cut(&entry.name), entry.line);
            self.notes.push(format!("line {line}: {name} is a placeholder, read as its default"));
        }
        Some(text.to_owned())
    }
}
