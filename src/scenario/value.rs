//! Reading TOML with an eye on where everything stands.
//!
//! A thin layer over the parser's tree of spanned values: it knows the path of each value, so that a
//! complaint can call it by its name, and refuses what a table does not know. No serde here: its errors
//! know too little of what would have been right.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    knobs,
    source::{BadInput, Source, cut, shown},
};
use crate::world::{ConfigError, config::Rule};

/// A parsed file.
pub(super) struct Document<'s> {
    source: &'s Source,
    root: Spanned<DeValue<'s>>,
}

/// A value, with its path.
#[derive(Clone)]
pub(super) struct Value<'d> {
    source: &'d Source,
    node: &'d Spanned<DeValue<'d>>,
    path: String,
}

/// A table whose keys are all known.
pub(super) struct Table<'d> {
    whole: Value<'d>,
    entries: &'d DeTable<'d>,
}

/// Where each key of a scenario file belongs, for those who put it elsewhere.
const HOMES: &[(&str, &[&str])] = &[
    ("at the top of the file, before the first [table]", &["title", "source", "seed", "ticks", "members"]),
    ("in [log]", &["records", "generate", "csv", "start"]),
    ("in [consumer]", knobs::CONSUMER),
    ("in [store]", knobs::STORE),
    ("in `consumer.commit`", &["ack_map", "ack_map_limit"]),
    ("in `consumer.intake.pause`", &["high", "low"]),
    ("in [[at]], in quotes: `do = \"rebalance\"`", &["rebalance"]),
];

impl<'s> Document<'s> {
    /// Parses the text.
    pub(super) fn parse(source: &'s Source) -> Result<Document<'s>, BadInput> {
        match DeTable::parse(&source.text) {
            Ok(table) => {
                let span = table.span();
                Ok(Document { source, root: Spanned::new(span, DeValue::Table(table.into_inner())) })
            }
            Err(error) => {
                let message = error.message().lines().collect::<Vec<_>>().join("; ");
                let span = error.span().unwrap_or(0..0);
                let expected = if message.starts_with("duplicate") { "each key once" } else { "" };
                Err(source.complaint(span, format!("this is not TOML: {message}"), expected))
            }
        }
    }

    /// The whole file as a value.
    pub(super) fn root(&self) -> Value<'_> {
        Value { source: self.source, node: &self.root, path: String::new() }
    }

    /// The value with this path, or the deepest one on the way to it.
    pub(super) fn at(&self, path: &str) -> Value<'_> {
        let mut node = &self.root;
        for step in path.split(['.', '[']).map(|step| step.trim_end_matches(']')) {
            let next = match node.get_ref() {
                DeValue::Table(table) => table.get(step),
                DeValue::Array(items) => step.parse().ok().and_then(|at: usize| items.get(at)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        Value { source: self.source, node, path: path.to_owned() }
    }

    /// The engine's complaint, at the value that it is about: the deepest one on the way along its path.
    /// `moved` says under which path a field is to be found if not under its own.
    pub(super) fn refused(&self, error: &ConfigError, moved: Option<&str>) -> BadInput {
        let field = match moved {
            Some(to) => format!("{to}.{}", error.field.split_once('.').map_or("", |(_, rest)| rest)),
            None => error.field.clone(),
        };
        let message = format!("`{field}` is {}", cut(&error.value));
        self.at(&field).complaint(message, expected(error.rule))
    }
}

impl<'d> Value<'d> {
    /// The name to call it by.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The line in which it begins, from 1.
    pub(super) fn line(&self) -> usize {
        self.source.line_of(self.node.span().start)
    }

    /// Where it begins in the file, in bytes.
    pub(super) fn place(&self) -> usize {
        self.node.span().start
    }

    /// The value of this key, if this is a table that has it.
    pub(super) fn field(&self, key: &str) -> Option<Value<'d>> {
        let node = self.node.get_ref().as_table()?.get(key)?;
        Some(self.inner(key, node))
    }

    /// What is wrong with this value.
    pub(super) fn complaint(&self, message: impl Into<String>, expected: impl Into<String>) -> BadInput {
        self.source.complaint(self.node.span(), message, expected)
    }

    /// It is of the wrong type.
    pub(super) fn mistyped(&self, expected: impl Into<String>) -> BadInput {
        let found = match self.node.get_ref() {
            DeValue::String(text) => format!("the string {}", shown(text)),
            DeValue::Integer(digits) => format!("the number {}", cut(&digits.to_string())),
            DeValue::Float(digits) => format!("{}, which is no integer", cut(&digits.to_string())),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date or time".to_owned(),
            DeValue::Array(_) => "an array".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.complaint(format!("{} is {found}", self.called()), expected)
    }

    fn called(&self) -> String {
        if self.path.is_empty() { "the file".to_owned() } else { format!("`{}`", cut(&self.path)) }
    }

    /// The text, if it is a string.
    pub(super) fn as_text(&self) -> Option<&'d str> {
        self.node.get_ref().as_str()
    }

    /// Whether it is a table.
    pub(super) fn is_table(&self) -> bool {
        self.node.get_ref().is_table()
    }

    /// A string.
    pub(super) fn text(&self) -> Result<&'d str, BadInput> {
        self.as_text().ok_or_else(|| self.mistyped("a string"))
    }

    /// `true` or `false`.
    pub(super) fn boolean(&self) -> Result<bool, BadInput> {
        self.node.get_ref().as_bool().ok_or_else(|| self.mistyped("true or false"))
    }

    /// An integer within `low ..= high`.
    pub(super) fn integer(&self, low: i64, high: i64) -> Result<i64, BadInput> {
        let range = || format!("an integer from {low} to {high}");
        let Some(digits) = self.node.get_ref().as_integer() else { return Err(self.mistyped(range())) };
        match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(value) if (low..=high).contains(&value) => Ok(value),
            _ => Err(self.mistyped(range())),
        }
    }

    /// An integer within `0 ..= high`, where `high` is at most `i64::MAX`.
    pub(super) fn number(&self, high: u64) -> Result<u64, BadInput> {
        let high = i64::try_from(high).unwrap_or(i64::MAX);
        self.integer(0, high).map(i64::unsigned_abs)
    }

    /// The same where less than `least` makes no sense: what is expected says so. It is for the engine to
    /// refuse what is between 0 and that.
    pub(super) fn number_from(&self, least: u64, high: u64) -> Result<u64, BadInput> {
        let high = high.min(i64::MAX.unsigned_abs());
        self.number(high).map_err(|_| self.mistyped(format!("an integer from {least} to {high}")))
    }

    /// An integer that fits 32 bits, likewise.
    pub(super) fn small_from(&self, least: u64) -> Result<u32, BadInput> {
        let number = self.number_from(least, u32::MAX.into())?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// One of these words; `also` says what else could stand here.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)], also: &str) -> Result<T, BadInput> {
        let expected = || {
            let words: Vec<_> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            one_of(&words, also)
        };
        let Some(text) = self.as_text() else { return Err(self.mistyped(expected())) };
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(*value),
            None => {
                let near = nearest(text, words.iter().map(|(word, _)| *word));
                let hint = near.map(|word| format!(": did you mean \"{word}\"?")).unwrap_or_default();
                Err(self.complaint(format!("{} is {}{hint}", self.called(), shown(text)), expected()))
            }
        }
    }

    /// The items of an array.
    pub(super) fn items(&self, expected: &str) -> Result<Vec<Value<'d>>, BadInput> {
        let Some(items) = self.node.get_ref().as_array() else { return Err(self.mistyped(expected)) };
        let item = |(at, node)| Value { source: self.source, node, path: format!("{}[{at}]", self.path) };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// The entries of a table with keys of the user's own.
    pub(super) fn entries(&self, expected: &str) -> Result<Vec<(&'d str, Value<'d>)>, BadInput> {
        let Some(table) = self.node.get_ref().as_table() else { return Err(self.mistyped(expected)) };
        Ok(table.iter().map(|(key, node)| (&**key.get_ref(), self.inner(key.get_ref(), node))).collect())
    }

    /// A table that has none but these keys.
    pub(super) fn table(&self, known: &[&str], expected: &str) -> Result<Table<'d>, BadInput> {
        let Some(entries) = self.node.get_ref().as_table() else { return Err(self.mistyped(expected)) };
        let unknown = entries.keys().filter(|key| !known.contains(&&**key.get_ref()));
        // The first one in the file; the parser sorts them.
        match unknown.min_by_key(|key| key.span().start) {
            Some(key) => Err(self.unknown(key, known)),
            None => Ok(Table { whole: self.clone(), entries }),
        }
    }

    fn unknown(&self, key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&str]) -> BadInput {
        let name = key.get_ref();
        let home = HOMES.iter().find(|(_, keys)| keys.contains(&&**name));
        let near = nearest(name, known.iter().copied());
        let hint = match (near, home) {
            // Exactly right, elsewhere.
            (_, Some((home, _))) => format!(": it belongs {home}"),
            (Some(near), None) => format!(": did you mean `{near}`?"),
            (None, None) => String::new(),
        };
        let place = match self.path.as_str() {
            "" => "at the top of a scenario".to_owned(),
            path => format!("in `{path}`"),
        };
        let known: Vec<_> = known.iter().map(|key| format!("`{key}`")).collect();
        let expected = one_of(&known, "");
        let message = format!("unknown key {} {place}{hint}", shown(name));
        self.source.complaint(key.span(), message, expected)
    }

    fn inner(&self, key: &str, node: &'d Spanned<DeValue<'d>>) -> Value<'d> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Value { source: self.source, node, path }
    }
}

impl<'d> Table<'d> {
    /// The table itself.
    pub(super) fn whole(&self) -> &Value<'d> {
        &self.whole
    }

    /// The value of this key, if it is there.
    pub(super) fn get(&self, key: &str) -> Option<Value<'d>> {
        self.entries.get(key).map(|node| self.whole.inner(key, node))
    }

    /// The value of this key.
    pub(super) fn need(&self, key: &str, expected: &str) -> Result<Value<'d>, BadInput> {
        self.get(key)
            .ok_or_else(|| self.whole.complaint(format!("{} has no `{key}`", self.whole.called()), expected))
    }

    /// Key and value of the only entry.
    pub(super) fn only(&self, expected: &str) -> Result<(&'d str, Value<'d>), BadInput> {
        let mut entries = self.entries.iter();
        match (entries.next(), entries.next()) {
            (Some((key, node)), None) => Ok((key.get_ref(), self.whole.inner(key.get_ref(), node))),
            (None, _) => Err(self.whole.complaint(format!("{} is empty", self.whole.called()), expected)),
            _ => Err(self.whole.complaint(
                format!("{} has {} keys", self.whole.called(), self.entries.len()),
                format!("only {expected}"),
            )),
        }
    }

    /// Its keys, in the order of the file.
    pub(super) fn keys(&self) -> Vec<&'d str> {
        let mut keys: Vec<_> = self.entries.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        keys.into_iter().map(|key| &**key.get_ref()).collect()
    }
}

/// What would have kept the rule.
fn expected(rule: Rule) -> String {
    match rule {
        Rule::AtLeast(least) => format!("at least {least}"),
        Rule::BelowHigh(high) => format!("a low mark below the high one, which is {high}"),
        Rule::Above(offset) => format!("offsets that strictly increase: one above {offset}"),
        Rule::Offset => format!("offsets from 0 to {}", i64::MAX - 1),
        Rule::RoomFrom(start) => format!(
            "at most {}: offsets from `log.start`, which is {start}, to {}",
            i64::MAX - start,
            i64::MAX - 1
        ),
        Rule::DrawWithin32Bits => "a smaller range, or fewer keys: one draw has 32 bits".to_owned(),
        Rule::Members => "[\"A\"] or [\"A\", \"B\"]".to_owned(),
    }
}

/// The candidate that `name` was probably meant to be.
pub(crate) fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    // Long enough for any name here, short enough that comparing stays cheap.
    let name: String = name.chars().take(80).collect::<String>().to_lowercase();
    let likeness = |candidate: &str| strsim::jaro_winkler(&name, &candidate.to_lowercase());
    candidates
        .map(|candidate| (likeness(candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// "a, b or c".
pub(super) fn one_of(words: &[String], also: &str) -> String {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    if !also.is_empty() {
        words.push(also);
    }
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}
