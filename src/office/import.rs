//! A scenario file that was dropped on the page, as a link that shows it.

use crate::{
    deck::BOUNDS,
    ids::Tick,
    ledger::Keep,
    link::{self, Saved},
    player::{Bounds, Player},
    presets::{Brought, Start},
    scenario::{DEFAULT_TICKS, Scenario, Source},
};

/// A scenario, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// A link of one panel, at its first tick.
    pub link: String,
    /// What is odd about the file without being wrong.
    pub warnings: Vec<String>,
}

/// Reads the scenario and makes sure that a page can play it.
///
/// # Errors
/// What is wrong with the file, as `kwp` says it; or what of it is too much for a page.
pub fn import(name: &str, text: &str) -> Result<Import, String> {
    if text.trim_start_matches('\u{feff}').starts_with("time,key,work") {
        return Err(format!(
            "{name} is a trace, not a scenario. A scenario reads it with `[log]` and `csv = \"{name}\"`, and \
             `kwp run` plays that; the page reads single files only."
        ));
    }
    let source = Source::from_reader(name, text.as_bytes()).map_err(|error| error.to_string())?;
    let scenario = Scenario::parse_alone(&source).map_err(|error| error.to_string())?;
    let too_much = |why: String| format!("{name}: {why} `kwp run` does it.");
    let start = start(&scenario).map_err(too_much)?;
    for player in start.players().map_err(|error| error.to_string())? {
        played(player).map_err(too_much)?;
    }
    let saved = Saved::at(start, Tick(0));
    let link = link::write(std::slice::from_ref(&saved)).map_err(|error| too_much(format!("{error}")))?;
    // A link keeps to its bounds when it is read: whoever shares this one must not find out first.
    match link::read(&link) {
        Ok(read) if read.as_deref() == Some(std::slice::from_ref(&saved)) => {}
        Ok(_) => return Err(too_much("A link cannot hold this scenario.".to_owned())),
        Err(error) => return Err(too_much(format!("A page cannot play this scenario. {error}"))),
    }
    Ok(Import { link, warnings: scenario.warnings })
}

/// The scenario in the panel that it fits.
fn start(scenario: &Scenario) -> Result<Start, String> {
    if scenario.last.0 > link::MOST_TICKS {
        return Err(format!(
            "The run goes on to tick {}; on a page {} is the last.",
            scenario.last,
            link::MOST_TICKS
        ));
    }
    let last = if scenario.is_open { natural_end(scenario)? } else { scenario.last };
    let title = scenario.title.clone().unwrap_or_else(|| title_of(&scenario.file));
    // What would come after the end never acts.
    let script = scenario.inputs.range(..=last).map(|(tick, inputs)| (*tick, inputs.clone())).collect();
    Ok(Brought::fitting(title, scenario.setup.clone(), script, last))
}

/// One tick after everything is settled, so that this is seen; nobody wants to wait longer.
fn natural_end(scenario: &Scenario) -> Result<Tick, String> {
    let last = Tick(DEFAULT_TICKS);
    let player = Player::new(scenario.setup.clone(), scenario.inputs.clone(), last, Keep::Events);
    Ok(played(player)?.now().min(last))
}

/// The name of a file without its ending.
fn title_of(file: &str) -> String {
    file.strip_suffix(".toml").unwrap_or(file).to_owned()
}

/// Plays a run to its end, within what a page can bear.
fn played(mut player: Player) -> Result<Player, String> {
    let Bounds { in_flight, events } = BOUNDS;
    while !player.is_over() && player.step() {
        let run = player.run();
        let tick = run.now().0.saturating_sub(1);
        if run.ledger().events().len() as u64 > events {
            return Err(format!(
                "By tick {tick} the run has more than {events} events, too many for a page."
            ));
        }
        if run.world().owner().is_some_and(|(_, session)| session.in_flight() > in_flight) {
            return Err(format!(
                "At tick {tick} more than {in_flight} records are in flight, too many for a page."
            ));
        }
    }
    Ok(player)
}
