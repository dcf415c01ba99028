//! What a file of settings, a library's defaults and a few settings of one's own come to together.

use super::{Library, Mapping, Mention, Read, Settings, Wrong, knobs};
use crate::{sizing::Commits, traffic::Span, world::Knobs};

/// Settings, the knobs that they come to, and what is to be said of them.
#[derive(Clone, Debug)]
pub struct Together {
    /// All of them.
    pub settings: Settings,
    /// Whose defaults fill in what nobody has said.
    pub base: Option<&'static Library>,
    /// What they come to in the engine; or why they come to nothing.
    pub mapped: Result<(Knobs, Commits), Wrong>,
    /// What was decided on the way, and what counts for nothing, in sentences.
    pub notes: Vec<String>,
}

/// Puts `own` over what was read, and that over the defaults of `base`, where a tick is `tick` long.
#[must_use]
pub fn together(own: &Settings, read: Option<&Read>, base: Option<&'static Library>, tick: Span) -> Together {
    let given = read.map_or_else(Settings::default, |read| read.settings.clone());
    let settings = own.over(&given).over(&base.map(Library::settings).unwrap_or_default());
    let (settings, implied) = settings.with_a_pool();
    let mut notes: Vec<String> = base
        .map(|library| format!("What the settings leave open has its default, by: {}.", library.name))
        .into_iter()
        .chain(implied)
        .collect();
    let mapped = knobs(&settings, tick).map(|Mapping { knobs, commits, notes: decided }| {
        notes.extend(decided);
        (knobs, commits)
    });
    Together { settings, base, mapped, notes }
}

/// Of what was read, the names and values that count for nothing, a sentence each.
#[must_use]
pub fn for_nothing(read: &Read) -> Vec<String> {
    let told = |what: &str, mention: &Mention| format!("line {}: {} {what}", mention.line, mention.name);
    let invalid = read.invalid.iter();
    let invalid =
        invalid.map(|mention| told("has a value that makes no sense, and counts for nothing", mention));
    let open = read.open.iter();
    let open = open.map(|mention| told("is decided elsewhere, and its default is taken", mention));
    let unknown = read.unknown.iter().map(|mention| told("is not known, and counts for nothing", mention));
    read.nothing().into_iter().chain(invalid).chain(open).chain(unknown).collect()
}
