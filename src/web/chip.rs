//! A record, wherever it is drawn: one colour and one letter per key, a shape per state.

use yew::prelude::*;

use crate::{
    ids::{KeyId, Offset},
    ledger::key_name,
    world::{Log, TaskState},
};

/// What a chip looks like besides its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Queued,
    Running,
    Done,
    Failed,
    Quarantined,
}

impl Look {
    /// The word in the markup, also for those who listen.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Look::Queued => "queued",
            Look::Running => "running",
            Look::Done => "done",
            Look::Failed => "failed",
            Look::Quarantined => "quarantined",
        }
    }
}

impl From<TaskState> for Look {
    fn from(state: TaskState) -> Look {
        match state {
            TaskState::Queued(_) => Look::Queued,
            TaskState::Running => Look::Running,
            TaskState::Waiting { .. } => Look::Failed,
            TaskState::Parked => Look::Quarantined,
        }
    }
}

/// The colour of a key, 0 to 7: the eighth key's neighbours have other letters.
pub(crate) fn hue(key: Option<KeyId>) -> String {
    key.map_or_else(|| "none".to_owned(), |id| (id.0 % 8).to_string())
}

/// What stands on a record for its key: its name if it is short, else how it begins, with a sign; nothing for a
/// record without a key.
pub(crate) fn letter(log: &Log, key: Option<KeyId>) -> String {
    const SHORT: usize = 3;
    let Some(key) = key.and_then(|id| log.key(id)) else { return String::new() };
    let name = key.to_string();
    if name.is_empty() {
        key_name(key)
    } else if name.chars().count() <= SHORT {
        name
    } else {
        name.chars().take(SHORT - 1).chain(['…']).collect()
    }
}

/// The whole name of a key, as sentences have it.
pub(crate) fn full_name(log: &Log, key: Option<KeyId>) -> String {
    key.and_then(|id| log.key(id)).map_or_else(|| "no key".to_owned(), key_name)
}

/// An offset in so many characters at most: of a longer one the end, which tells it from its neighbours.
pub(crate) fn short(offset: Offset, most: usize) -> String {
    let text = offset.to_string();
    // Digits only, and perhaps a sign: one byte each.
    match text.len().checked_sub(most) {
        None | Some(0) => text,
        Some(beyond) => format!("…{}", &text[beyond + 1..]),
    }
}

/// Characters of an offset that have room on a chip.
pub(crate) const CHIP_DIGITS: usize = 4;

/// What is written on a record: its offset, and its key's letter.
pub(crate) fn face(log: &Log, offset: Offset, key: Option<KeyId>) -> Html {
    let (letter, number) = (letter(log, key), short(offset, CHIP_DIGITS));
    let is_long = offset.0 > 999;
    html! {
        <>
            <b data-long={is_long.then_some("")}>{number}</b>
            if !letter.is_empty() { <i>{letter}</i> }
        </>
    }
}
