//! A record, wherever it is drawn: one colour and one letter per key, a shape per state.

use yew::prelude::*;

use crate::{
    ids::{KeyId, Offset},
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

/// The key's letter, or its first letters; nothing for a record without a key.
pub(crate) fn letter(log: &Log, key: Option<KeyId>) -> String {
    let name = key.and_then(|id| log.key(id)).map(ToString::to_string).unwrap_or_default();
    name.chars().take(2).collect()
}

/// What is written on a record: its offset, and its key's letter.
pub(crate) fn face(log: &Log, offset: Offset, key: Option<KeyId>) -> Html {
    let letter = letter(log, key);
    html! {
        <>
            <b>{offset.0}</b>
            if !letter.is_empty() { <i>{letter}</i> }
        </>
    }
}
