//! What a reader has filled in: texts by the names of their fields.
//!
//! The page knows nothing of what a field may hold. It is read here, where a complaint can say what was expected, and
//! every complaint names its field, so that the page can show it there.

use std::{collections::BTreeMap, fmt};

use crate::{ledger::grouped, scenario::shown};

/// Texts by the names of their fields; a field that is not there is as good as an empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(BTreeMap<String, String>);

/// A field that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadField {
    /// Its name.
    pub field: String,
    /// What is wrong and what was expected, in a sentence.
    pub reason: String,
}

impl fmt::Display for BadField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}

impl<N: Into<String>, T: Into<String>> FromIterator<(N, T)> for Form {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(fields: I) -> Form {
        Form(fields.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
    }
}

impl Form {
    /// What is in a field, without the space around it.
    #[must_use]
    pub fn text(&self, field: &str) -> &str {
        self.0.get(field).map_or("", |text| text.trim())
    }

    /// What is in a field, to the last space: a pasted text, a salt.
    #[must_use]
    pub fn exact(&self, field: &str) -> &str {
        self.0.get(field).map_or("", String::as_str)
    }

    /// Whether a box is ticked.
    #[must_use]
    pub fn is_on(&self, field: &str) -> bool {
        self.text(field) == "on"
    }

    /// A whole number between two others, both included; nothing where the field is empty.
    ///
    /// # Errors
    /// If it is none.
    pub fn number(&self, field: &str, range: (u64, u64)) -> Result<Option<u64>, BadField> {
        let text = self.text(field);
        if text.is_empty() {
            return Ok(None);
        }
        let (low, high) = range;
        match whole(text) {
            Some(number) if (low..=high).contains(&number) => Ok(Some(number)),
            _ => Err(bad(
                field,
                format!("{} is not a whole number from {} to {}", shown(text), grouped(low), grouped(high)),
            )),
        }
    }
}

/// A whole number, which may have something between its thousands, as people write large ones. "50,5" is none: a comma
/// may be meant as a point.
fn whole(text: &str) -> Option<u64> {
    let mut groups = text.split([',', '_', ' ', '\u{a0}', '\u{202f}']);
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().filter(|first| !first.is_empty() && is_digits(first))?;
    groups
        .try_fold(first.to_owned(), |number, group| {
            (group.len() == 3 && is_digits(group)).then(|| number + group)
        })?
        .parse()
        .ok()
}

/// A complaint about a field.
pub(super) fn bad(field: &str, reason: impl fmt::Display) -> BadField {
    BadField { field: field.to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let form: Form = [("a", " 1,000 "), ("b", "1e3"), ("c", ""), ("d", "7")].into_iter().collect();
        assert_eq!(form.number("a", (1, 2_000)), Ok(Some(1_000)));
        assert_eq!(form.number("c", (1, 2)), Ok(None));
        assert_eq!(form.number("missing", (1, 2)), Ok(None));
        let told = |field| form.number(field, (1, 5)).unwrap_err();
        let read = ["1 000", "1,000,000", "1_000", "50,5", "1,0000", ",5", "1,", "-1", "+1"].map(whole);
        assert_eq!(read, [Some(1_000), Some(1_000_000), Some(1_000), None, None, None, None, None, None]);
        assert_eq!(told("b").reason, "\"1e3\" is not a whole number from 1 to 5");
        assert_eq!(told("d").field, "d");
    }
}
