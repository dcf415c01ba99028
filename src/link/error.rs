//! What is wrong with a link, in one sentence for whoever opened it.
//!
//! A link comes from anywhere and may hold anything: what is quoted of it is escaped and cut, so that a
//! complaint is always one short line.

use std::{error::Error, fmt};

use super::{LONGEST, MOST_INPUTS, VERSION};
use crate::{
    ids::Offset,
    ledger::{escaped, grouped},
    presets::Panel,
    world::ConfigError,
};

/// The most characters that a complaint quotes.
const LONGEST_QUOTE: usize = 40;

/// Why a link cannot be read. What is quoted in it is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// It is longer than [`LONGEST`].
    TooLong,
    /// It begins with this instead of its version.
    NoVersion(String),
    /// Its version is this, which is none.
    BadVersion(String),
    /// It is of this version, which is to come.
    Newer(u64),
    /// It names no panel.
    NoPanel,
    /// It names this panel, which does not exist.
    UnknownPanel(String),
    /// It names this panel twice.
    PanelTwice(Panel),
    /// This part of it has no value.
    NoValue(String),
    /// This setting comes before any panel.
    BeforePanel(String),
    /// The panel has no such setting.
    Unknown(Panel, String),
    /// The panel's setting is there twice.
    Twice(Panel, String),
    /// A setting of an old future, where no fork is named.
    WithoutFork(String),
    /// An old future is there and still to be kept.
    KeptAndArmed,
    /// A number is out of its range.
    OutOfRange {
        /// Of which setting.
        key: String,
        /// The number.
        value: u64,
        /// The lowest that it can be.
        least: u64,
        /// The highest that it can be.
        most: u64,
    },
    /// A number is none.
    NoNumber {
        /// Of which setting.
        key: String,
        /// What is there instead.
        value: String,
        /// The lowest that it can be.
        least: u64,
        /// The highest that it can be.
        most: u64,
    },
    /// A value is none of those on offer.
    NoChoice {
        /// Of which setting.
        key: String,
        /// What is there instead.
        value: String,
        /// What is on offer.
        choices: Vec<&'static str>,
    },
    /// What is packed into this setting has a flaw.
    Packed(String, Flaw),
}

/// What is wrong with bytes that a link holds in base64url.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// They end in the middle.
    CutOff,
    /// They go on after their end.
    GoesOn,
    /// The text has a character at this place, counted from 1, that is not of base64url.
    Character(String, usize),
    /// A number needs more than 64 bits.
    Overflow,
    /// A number is out of its range.
    OutOfRange {
        /// What it says.
        what: &'static str,
        /// The number.
        value: u64,
        /// The lowest that it can be.
        least: u64,
        /// The highest that it can be.
        most: u64,
    },
    /// An offset is none: below 0, or above the highest.
    NoOffset,
    /// There are more than [`MOST_INPUTS`].
    TooMany,
    /// A title is not UTF-8.
    Title,
    /// A scenario has no log.
    NoLog,
    /// A scenario breaks a rule of the engine.
    Config(ConfigError),
}

/// A link that was not written, for it could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLong {
    /// It would have so many characters, more than [`LONGEST`].
    Characters(usize),
    /// There were so many inputs on one panel, more than [`MOST_INPUTS`].
    Inputs(usize),
}

/// Something of a link, fit to be quoted: escaped, and cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    let mut letters = text.chars();
    let mut shown = escaped(&letters.by_ref().take(LONGEST_QUOTE).collect::<String>());
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::TooLong => {
                write!(f, "The link is longer than {} characters.", grouped(LONGEST as u64))
            }
            LinkError::NoVersion(first) => {
                write!(f, "The link does not begin with its version, `v={VERSION}`, but with `{first}`.")
            }
            LinkError::BadVersion(version) => {
                write!(f, "The link's version is `{version}`, and versions are numbers from 1 on.")
            }
            LinkError::Newer(version) => {
                write!(f, "The link is of version {version}, and this page reads up to version {VERSION}.")
            }
            LinkError::NoPanel => f.write_str("The link names no panel."),
            LinkError::UnknownPanel(name) => {
                let names = listed(&Panel::ALL.map(Panel::name), "and");
                write!(f, "The link names the panel `{name}`; there are {names}.")
            }
            LinkError::PanelTwice(panel) => {
                write!(f, "The link names the panel `{}` twice.", panel.name())
            }
            LinkError::NoValue(part) if part.is_empty() => {
                f.write_str("The link has an `&` with nothing after it.")
            }
            LinkError::NoValue(part) => write!(f, "The link's `{part}` has no value."),
            LinkError::BeforePanel(key) => write!(f, "The link's `{key}` comes before any panel."),
            LinkError::Unknown(panel, key) => {
                write!(f, "The link sets `{key}`, which its {} panel does not have.", panel.name())
            }
            LinkError::Twice(panel, key) => {
                write!(f, "The link sets `{key}` of its {} panel twice.", panel.name())
            }
            LinkError::WithoutFork(key) => {
                write!(f, "The link's `{key}` belongs to a `fork`, and there is none.")
            }
            LinkError::KeptAndArmed => {
                f.write_str("The link has both `compare` and `fork`, and a panel has one of them.")
            }
            LinkError::OutOfRange { key, value, least, most } => {
                write!(f, "The link's `{key}` is {value}, and that goes from {least} to {most}.")
            }
            LinkError::NoNumber { key, value, least, most } => {
                write!(f, "The link's `{key}` is `{value}`, and that is a number from {least} to {most}.")
            }
            LinkError::NoChoice { key, value, choices } => {
                write!(f, "The link's `{key}` is `{value}`, and that is {}.", listed(choices, "or"))
            }
            LinkError::Packed(key, Flaw::CutOff) => {
                let end = if key.ends_with("acts") { "end" } else { "ends" };
                write!(f, "The link is cut off: its `{key}` {end} in the middle.")
            }
            LinkError::Packed(key, flaw) => write!(f, "In the link's `{key}` {flaw}."),
        }
    }
}

impl Error for LinkError {}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::CutOff => f.write_str("the end is missing"),
            Flaw::GoesOn => f.write_str("something follows after its end"),
            Flaw::Character(character, place) => {
                write!(f, "there is a `{character}` at place {place}, which does not belong there")
            }
            Flaw::Overflow => f.write_str("a number has more than 64 bits"),
            Flaw::OutOfRange { what, value, least, most } => {
                write!(f, "{what} is {value}, and that goes from {least} to {most}")
            }
            Flaw::NoOffset => write!(f, "an offset is none of those from 0 to {}", Offset::MAX),
            Flaw::TooMany => write!(f, "there are more than {} inputs", grouped(MOST_INPUTS as u64)),
            Flaw::Title => f.write_str("the title is not text"),
            Flaw::NoLog => f.write_str("there is no log"),
            Flaw::Config(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TooLong::Characters(count) => {
                let (count, most) = (grouped(count as u64), grouped(LONGEST as u64));
                write!(f, "This takes a link of {count} characters, and a link has at most {most}.")
            }
            TooLong::Inputs(count) => {
                let (count, most) = (grouped(count as u64), grouped(MOST_INPUTS as u64));
                write!(f, "This takes a link with {count} inputs, and a panel in a link has at most {most}.")
            }
        }
    }
}

impl Error for TooLong {}

/// `a, b and c`.
fn listed(names: &[&str], last: &str) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}
