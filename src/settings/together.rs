//! What a file of settings, a library's defaults and a few settings of one's own come to together.

use super::{Library, Mapping, Mention, Read, Settings, Work, Wrong, knobs};
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

/// Puts `own` over what was read, and that over the defaults of `base`, where a tick is `tick` long. How long the work
/// takes decides how long as many attempts take as a library makes.
#[must_use]
pub fn together(
    own: &Settings,
    read: Option<&Read>,
    base: Option<&'static Library>,
    tick: Span,
    work: Option<Work>,
) -> Together {
    let given = read.map_or_else(Settings::default, |read| read.settings.clone());
    let settings = own.over(&given).over(&base.map(Library::settings).unwrap_or_default());
    let settings = match read {
        Some(read) if read.handles_failures => settings.without_skipping(),
        _ => settings,
    };
    let (settings, implied) = settings.with_a_pool();
    let (settings, attempts) = settings.with_attempts(work, tick);
    let mut notes: Vec<String> = base
        .map(|library| format!("What the settings leave open has its default, by: {}.", library.name))
        .into_iter()
        .chain(implied)
        .chain(attempts)
        .collect();
    let mapped = knobs(&settings, tick).map(|Mapping { knobs, commits, notes: decided }| {
        notes.extend(decided);
        (knobs, commits)
    });
    Together { settings, base, mapped, notes }
}

/// Of what was read, the names and values that count for nothing or contradict each other, a sentence each.
#[must_use]
pub fn for_nothing(read: &Read) -> Vec<String> {
    let told = |what: &str, mention: &Mention| format!("line {}: {} {what}", mention.line, mention.name);
    let invalid = read.invalid.iter();
    let invalid =
        invalid.map(|mention| told("has a value that makes no sense, and counts for nothing", mention));
    let open = read.open.iter();
    let open = open.map(|mention| told("is decided elsewhere, and its default is taken", mention));
    let unknown = read.unknown.iter().map(|mention| told("is not known, and counts for nothing", mention));
    let contradictions = read.contradictions.iter().map(|verdict| verdict.sentence.clone());
    read.nothing().into_iter().chain(invalid).chain(contradictions).chain(open).chain(unknown).collect()
}
