//! A consumer's settings: read from what somebody pastes, or a library's defaults; judged, and written again.
//!
//! Properties of the Java client, of Spring (properties, YAML or variables of the environment), of librdkafka (properties
//! or JSON), or code that sets them. What is understood is told with its meaning and its line; what is not is listed, never
//! guessed at. Values of names that are not understood are not kept: they may be passwords. Knobs of the engine that no
//! client has a name for (workers, marks, drain) are called `kwp.something`, in every dialect: they are for the consumer's
//! own code.
//!
//! `read.rs` reads a text, `known.rs` is the table of names and `lookup.rs` asks it; `library.rs` has the defaults,
//! `verdict.rs` and its neighbours judge, `write.rs`, `scenario.rs` and `skeleton.rs` write.

mod assignor;
mod code;
mod connector;
mod engine;
mod failing;
mod known;
mod last;
mod library;
mod lookup;
mod names;
mod pool;
mod program;
mod read;
mod retry;
mod scenario;
mod skeleton;
mod text;
mod together;
mod value;
mod verdict;
mod write;

use std::collections::BTreeMap;

pub use engine::{Mapping, Wrong, knobs, settings_of, unsaid};
pub use known::{KNOWN, Kind, Known, Name};
pub use library::{Default, LIBRARIES, Library, Pauses, Source};
pub use read::{Mention, Read, read};
pub use scenario::scenario;
pub use skeleton::{Language, skeleton};
pub use text::{Form, LONGEST_SETTINGS};
pub use together::{Together, for_nothing, together};
pub use value::Value;
pub use verdict::{Verdict, Weight, Work, verdicts};
pub use write::write;

/// Whose names a text uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Those of the Java client, and of libraries that hand them through.
    Java,
    /// Those of Spring Boot.
    Spring,
    /// Those of librdkafka and of everything built on it.
    Librdkafka,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 3] = [Dialect::Java, Dialect::Spring, Dialect::Librdkafka];

    /// Its name in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Java => "the Java client",
            Dialect::Spring => "Spring Boot",
            Dialect::Librdkafka => "librdkafka",
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From this line.
    Line(usize),
    /// It is the default of a library, as this source has it.
    Default(&'static Source),
    /// It was found: by hand, or by a sweep.
    Found,
    /// Something that was said implies it, over a default.
    Implied,
}

impl Origin {
    /// Where it is, in a complaint.
    pub(crate) fn place(self) -> String {
        match self {
            Origin::Line(line) => format!("line {line}"),
            Origin::Default(_) => "a default".to_owned(),
            Origin::Found => "by hand".to_owned(),
            Origin::Implied => "implied".to_owned(),
        }
    }
}

/// Values by name.
#[derive(Clone, Debug, PartialEq, Eq, std::default::Default)]
pub struct Settings(BTreeMap<Name, (Value, Origin)>);

impl Settings {
    /// The value of a setting, if it has one.
    #[must_use]
    pub fn get(&self, name: Name) -> Option<Value> {
        self.0.get(&name).map(|(value, _)| *value)
    }

    /// The number that a setting holds, if it holds one.
    #[must_use]
    pub fn number(&self, name: Name) -> Option<u64> {
        match self.get(name) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// The flag that a setting holds, if it holds one.
    #[must_use]
    pub fn flag(&self, name: Name) -> Option<bool> {
        match self.get(name) {
            Some(Value::Flag(flag)) => Some(flag),
            _ => None,
        }
    }

    /// The word that a setting holds, if it holds one.
    #[must_use]
    pub fn word(&self, name: Name) -> Option<&'static str> {
        match self.get(name) {
            Some(Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Gives a setting a value; whether it is one that the setting may hold.
    pub fn set(&mut self, name: Name, value: Value, origin: Origin) -> bool {
        let holds = name.known().kind.read(&value.to_string()) == Some(value);
        if holds {
            self.0.insert(name, (value, origin));
        }
        holds
    }

    /// These, and where they say nothing those of `others`.
    #[must_use]
    pub fn over(&self, others: &Settings) -> Settings {
        let mut both = others.clone();
        both.0.extend(self.0.iter().map(|(name, given)| (*name, *given)));
        both
    }

    /// All of them, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Name, Value, Origin)> {
        self.0.iter().map(|(name, (value, origin))| (*name, *value, *origin))
    }

    /// These without one of them.
    #[must_use]
    pub(crate) fn without(mut self, name: Name) -> Settings {
        self.0.remove(&name);
        self
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
