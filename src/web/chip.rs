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
    Leaked,
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
            Look::Leaked => "leaked",
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

/// A record to draw.
pub(crate) struct Chip<'a> {
    pub(crate) log: &'a Log,
    pub(crate) offset: Offset,
    pub(crate) key: Option<KeyId>,
    pub(crate) look: Look,
    /// How far its attempt is, 0 to 1.
    pub(crate) progress: Option<f64>,
    /// Whether it came again after an owner ended.
    pub(crate) redelivered: bool,
}

impl Chip<'_> {
    /// The chip's contents: its offset, and its key's letter.
    pub(crate) fn face(&self) -> Html {
        let letter = letter(self.log, self.key);
        html! {
            <>
                <b>{self.offset.0}</b>
                if !letter.is_empty() { <i>{letter}</i> }
            </>
        }
    }

    /// The chip as a plain element.
    pub(crate) fn view(&self) -> Html {
        let progress = self.progress.map(|progress| format!("--progress:{progress:.3}"));
        html! {
            <span class="chip" key={self.offset.0} data-offset={self.offset.to_string()} data-key={hue(self.key)}
                data-state={self.look.word()} data-redelivered={self.redelivered.then_some("")} style={progress}>
                {self.face()}
            </span>
        }
    }
}
