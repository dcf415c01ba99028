//! Panels as a link.

use std::mem::discriminant;

use super::{
    Compare, LONGEST, MOST_INPUTS, Old, Saved, VERSION, acts, bytes::Packing, error::TooLong, fields::Query,
    scenario, settings,
};
use crate::{ids::Tick, player::Inputs, presets::Start};

/// The panels as a fragment, without its `#`; empty for no panels.
///
/// What [`read`](super::read()) makes of it equals what was written, within the bounds of this module and of
/// the controls.
/// Two things are left out, for no page has them: an old future of another kind than the new one, and a
/// setting of a preset that no control offers.
///
/// # Errors
/// If the link would be too long to be read.
pub fn write(panels: &[Saved]) -> Result<String, TooLong> {
    if panels.is_empty() {
        return Ok(String::new());
    }
    let mut query = Query::default();
    query.put("v", &VERSION.to_string());
    for saved in panels {
        write_panel(&mut query, saved)?;
    }
    let link = query.0;
    // All of it is ASCII.
    if link.len() > LONGEST { Err(TooLong::Characters(link.len())) } else { Ok(link) }
}

fn write_panel(query: &mut Query, saved: &Saved) -> Result<(), TooLong> {
    let Saved { start, acts, tick, playing, compare } = saved;
    query.put("panel", start.panel().name());
    match start {
        Start::Brought(_, brought) => query.put("scenario", &scenario::pack(brought, None)),
        preset => write_settings(query, "", preset, &Start::opening(preset.panel())),
    }
    if *tick != Tick(0) {
        query.put("tick", &tick.to_string());
    }
    if *playing {
        query.put("playing", "1");
    }
    if !acts.is_empty() {
        query.put("acts", &packed(acts, Tick(0), start.last())?);
    }
    match compare {
        Compare::Off => Ok(()),
        Compare::Armed => {
            query.put("compare", "1");
            Ok(())
        }
        Compare::Kept(old) => write_old(query, old, saved),
    }
}

fn write_old(query: &mut Query, old: &Old, new: &Saved) -> Result<(), TooLong> {
    let is_like =
        discriminant(&old.start) == discriminant(&new.start) && old.start.panel() == new.start.panel();
    if !is_like {
        return Ok(());
    }
    query.put("fork", &old.fork.to_string());
    match (&old.start, &new.start) {
        (Start::Brought(_, brought), Start::Brought(_, usual)) if brought != usual => {
            query.put("old.scenario", &scenario::pack(brought, Some(usual)));
        }
        (preset, usual) => write_settings(query, "old.", preset, usual),
    }
    let last = old.start.last();
    if !old.acts.range(..old.fork).eq(new.acts.range(..old.fork)) {
        let before = old.acts.range(..old.fork).map(|(&tick, inputs)| (tick, inputs.clone())).collect();
        query.put("old.before", &packed(&before, Tick(0), last)?);
    }
    if old.acts.range(old.fork..).next().is_some() {
        query.put("old.acts", &packed(&old.acts, old.fork, last)?);
    }
    Ok(())
}

fn write_settings(query: &mut Query, prefix: &str, start: &Start, usual: &Start) {
    for (key, value) in settings::differing(start, usual) {
        query.put(&format!("{prefix}{key}"), &value);
    }
}

fn packed(inputs: &Inputs, from: Tick, last: Tick) -> Result<String, TooLong> {
    let count = inputs.range(from..).map(|(_, inputs)| inputs.len()).sum();
    if count > MOST_INPUTS {
        return Err(TooLong::Inputs(count));
    }
    let mut packing = Packing::default();
    acts::pack(&mut packing, inputs, from, last);
    Ok(packing.text())
}
