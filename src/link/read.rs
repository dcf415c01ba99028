//! A link as panels, whatever it holds.

use super::{
    Compare, LONGEST, Old, Saved, VERSION, acts,
    bytes::Unpacking,
    error::{LinkError, quoted},
    fields::{Fields, pair},
    scenario, settings,
};
use crate::{
    ids::Tick,
    player::Inputs,
    presets::{Panel, Start},
};

/// The panels that a fragment names, with or without its `#`. Nothing where it is empty or a plain anchor of
/// the page, such as `watermark`: those have no `=`.
///
/// # Errors
/// If it is no link, of a later version, or says what cannot be.
pub fn read(fragment: &str) -> Result<Option<Vec<Saved>>, LinkError> {
    let link = fragment.strip_prefix('#').unwrap_or(fragment);
    if !link.contains('=') {
        return Ok(None);
    }
    if link.chars().count() > LONGEST {
        return Err(LinkError::TooLong);
    }
    let mut parts = link.split('&');
    check_version(parts.next().unwrap_or_default())?;
    let mut panels: Vec<Fields<'_>> = Vec::new();
    for part in parts {
        let (key, value) = pair(part)?;
        match (key, panels.last_mut()) {
            ("panel", _) => panels.push(Fields::of(panel(value, &panels)?)),
            (key, Some(fields)) => fields.add(key, value)?,
            (key, None) => return Err(LinkError::BeforePanel(quoted(key))),
        }
    }
    if panels.is_empty() {
        return Err(LinkError::NoPanel);
    }
    panels.into_iter().map(read_panel).collect::<Result<_, _>>().map(Some)
}

fn check_version(first: &str) -> Result<(), LinkError> {
    let Some(version) = first.strip_prefix("v=") else {
        return Err(LinkError::NoVersion(quoted(first)));
    };
    match version.parse() {
        Ok(VERSION) => Ok(()),
        Ok(later @ 2u64..) => Err(LinkError::Newer(later)),
        _ => Err(LinkError::BadVersion(quoted(version))),
    }
}

fn panel(name: &str, before: &[Fields<'_>]) -> Result<Panel, LinkError> {
    let panel = Panel::named(name).ok_or_else(|| LinkError::UnknownPanel(quoted(name)))?;
    let twice = before.iter().any(|fields| fields.panel() == panel);
    if twice { Err(LinkError::PanelTwice(panel)) } else { Ok(panel) }
}

fn read_panel(mut fields: Fields<'_>) -> Result<Saved, LinkError> {
    let panel = fields.panel();
    let start = match fields.take("scenario") {
        Some(text) => Start::Brought(panel, scenario::unpack("scenario", text, panel, None)?),
        None => {
            let mut preset = Start::opening(panel);
            settings::read(&mut preset, &mut fields, "")?;
            preset
        }
    };
    let last = start.last();
    let tick = Tick(fields.number("tick", 0..=last.0)?.unwrap_or_default());
    let switch = [("0", false), ("1", true)];
    let playing = fields.choice("playing", &switch)?.unwrap_or_default();
    let acts = read_acts(&mut fields, "acts", Tick(0), acts::latest(last))?.unwrap_or_default();
    let armed = fields.choice("compare", &switch)?.unwrap_or_default();
    let fork = fields.number("fork", 0..=last.0 + 1)?.map(Tick);
    let compare = match (armed, fork) {
        (false, None) => Compare::Off,
        (true, None) => Compare::Armed,
        (false, Some(fork)) => Compare::Kept(read_old(&mut fields, fork, &start, &acts)?),
        (true, Some(_)) => return Err(LinkError::KeptAndArmed),
    };
    match fields.left() {
        None => Ok(Saved { start, acts, tick, playing, compare }),
        Some(key) if fork.is_none() && key.starts_with("old.") => Err(LinkError::WithoutFork(quoted(key))),
        Some(key) => Err(LinkError::Unknown(panel, quoted(key))),
    }
}

fn read_old(fields: &mut Fields<'_>, fork: Tick, start: &Start, new: &Inputs) -> Result<Old, LinkError> {
    let mut start = start.clone();
    match (&mut start, fields.take("old.scenario")) {
        (Start::Brought(panel, brought), Some(text)) => {
            *brought = scenario::unpack("old.scenario", text, *panel, Some(brought))?;
        }
        (_, Some(_)) => return Err(LinkError::Unknown(fields.panel(), "old.scenario".to_owned())),
        (start, None) => settings::read(start, fields, "old.")?,
    }
    let latest = acts::latest(start.last());
    let before = match fork.0.checked_sub(1) {
        Some(before_fork) => read_acts(fields, "old.before", Tick(0), latest.min(Tick(before_fork)))?,
        None => None,
    };
    let shared = || new.range(..fork).map(|(&tick, inputs)| (tick, inputs.clone())).collect();
    let mut acts = before.unwrap_or_else(shared);
    acts.extend(read_acts(fields, "old.acts", fork, latest)?.unwrap_or_default());
    Ok(Old { start, acts, fork })
}

fn read_acts(
    fields: &mut Fields<'_>,
    key: &str,
    from: Tick,
    latest: Tick,
) -> Result<Option<Inputs>, LinkError> {
    let Some(text) = fields.take(key) else { return Ok(None) };
    acts::unpack(&mut Unpacking::of(key, text)?, from, latest).map(Some)
}
