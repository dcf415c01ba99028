//! What a file of settings, a library's defaults and a few settings of one's own come to together.

use super::{Library, Mapping, Mention, Read, Settings, knobs};
use crate::{
    traffic::Span,
    world::{ConfigError, Knobs},
};

/// Settings, the knobs that they come to, and what is to be said of them.
#[derive(Clone, Debug)]
pub struct Together {
    /// All of them.
    pub settings: Settings,
    /// Whose defaults fill in what nobody has said.
    pub base: Option<&'static Library>,
    /// What they come to in the engine.
    pub knobs: Knobs,
    /// What was decided on the way, and what counts for nothing, in sentences.
    pub notes: Vec<String>,
}

/// Puts `own` over what was read, and that over the defaults of `base`, where a tick is `tick` long.
///
/// # Errors
/// If together they break a rule of the engine.
pub fn together(
    own: &Settings,
    read: Option<&Read>,
    base: Option<&'static Library>,
    tick: Span,
) -> Result<Together, ConfigError> {
    let given = read.map_or_else(Settings::default, |read| read.settings.clone());
    let settings = own.over(&given).over(&base.map(Library::settings).unwrap_or_default());
    let Mapping { knobs, notes: decided } = knobs(&settings, tick)?;
    let mut notes: Vec<String> = base
        .map(|library| format!("What the settings leave open has its default, by: {}.", library.name))
        .into_iter()
        .collect();
    if let Some(Read { invalid, unknown, .. }) = read {
        let told = |what: &str, mention: &Mention| format!("line {}: {} {what}", mention.line, mention.name);
        notes.extend(
            invalid
                .iter()
                .map(|mention| told("has a value that makes no sense, and counts for nothing", mention)),
        );
        notes.extend(unknown.iter().map(|mention| told("is not known, and counts for nothing", mention)));
    }
    notes.extend(decided);
    Ok(Together { settings, base, knobs, notes })
}
