//! The readable side of a link: `key=value`, each key once a panel.

use std::{collections::BTreeMap, ops::RangeInclusive};

use super::error::{LinkError, quoted};
use crate::presets::Panel;

/// A link being written.
#[derive(Debug, Default)]
pub(super) struct Query(pub(super) String);

impl Query {
    /// Appends a setting.
    pub(super) fn put(&mut self, key: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.extend([key, "=", value]);
    }
}

/// The key and the value of a part of a link.
pub(super) fn pair(part: &str) -> Result<(&str, &str), LinkError> {
    part.split_once('=').ok_or_else(|| LinkError::NoValue(quoted(part)))
}

/// What a link says of one panel. Whoever understands a setting takes it; what is left at the end nobody does.
pub(super) struct Fields<'a> {
    panel: Panel,
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(panel: Panel) -> Fields<'a> {
        Fields { panel, values: BTreeMap::new() }
    }

    pub(super) fn panel(&self) -> Panel {
        self.panel
    }

    /// Adds a setting.
    pub(super) fn add(&mut self, key: &'a str, value: &'a str) -> Result<(), LinkError> {
        match self.values.insert(key, value) {
            Some(_) => Err(LinkError::Twice(self.panel, quoted(key))),
            None => Ok(()),
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<&'a str> {
        self.values.remove(key)
    }

    /// A number, if it is there.
    pub(super) fn number(&mut self, key: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, LinkError> {
        let Some(text) = self.take(key) else { return Ok(None) };
        let (key, (least, most)) = (key.to_owned(), (*range.start(), *range.end()));
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(value) if digits && range.contains(&value) => Ok(Some(value)),
            Ok(value) if digits => Err(LinkError::OutOfRange { key, value, least, most }),
            _ => Err(LinkError::NoNumber { key, value: quoted(text), least, most }),
        }
    }

    /// One of some values, if it is there.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &str,
        choices: &[(&'static str, T)],
    ) -> Result<Option<T>, LinkError> {
        let Some(text) = self.take(key) else { return Ok(None) };
        match choices.iter().find(|(name, _)| *name == text) {
            Some(&(_, value)) => Ok(Some(value)),
            None => Err(LinkError::NoChoice {
                key: key.to_owned(),
                value: quoted(text),
                choices: choices.iter().map(|&(name, _)| name).collect(),
            }),
        }
    }

    /// The first setting that is left, in the order of the alphabet.
    pub(super) fn left(&self) -> Option<&'a str> {
        self.values.keys().next().copied()
    }
}
