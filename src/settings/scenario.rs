//! Settings as a scenario file, whose `[consumer]` the command line sizes and sweeps.

use std::sync::Arc;

use super::{Settings, knobs, value::length};
use crate::{
    export::scenario::{Story, write},
    ids::{ConsumerId, Offset, Tick},
    player::Inputs,
    traffic::Span,
    world::{Generated, Log, Setup},
};

/// A scenario with these knobs and a log to try them on.
///
/// # Errors
/// A sentence, if the settings break a rule of the engine.
pub fn scenario(settings: &Settings, tick: Span) -> Result<String, String> {
    let mapping = knobs(settings, tick).map_err(|error| error.to_string())?;
    let recipe = Generated::new(0, 200, 20, 1, (10, 100)).map_err(|error| error.to_string())?;
    let log = Log::generated(Offset(0), recipe).map_err(|error| error.to_string())?;
    let setup =
        Setup::new(Arc::new(log), mapping.knobs, &[ConsumerId::A]).map_err(|error| error.to_string())?;
    let mut comment =
        vec![format!("One tick is {tick}. The log is only there to have one: put your own trace in.")];
    comment.extend(mapping.notes);
    if let Some(words) = mapping.commits.words(|ticks| length(ticks.saturating_mul(tick.nanos()) / 1_000_000))
    {
        comment.push(format!(
            "The client commits {words}. A scenario commits what is finished on a schedule, so that a crash costs less in it."
        ));
    }
    let comment: Vec<&str> = comment.iter().map(String::as_str).collect();
    let inputs = Inputs::new();
    let story = Story {
        comment: &comment,
        title: None,
        source: None,
        setup: &setup,
        inputs: &inputs,
        last: Tick(100_000),
        panel: None,
    };
    write(&story).map_err(|error| error.to_string())
}
