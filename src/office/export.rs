//! A run from a link, as a file to take away.

use crate::{
    export::{
        csv, json,
        picture::{Kind, Subject, draw},
        scenario::{Story, write},
    },
    ids::Tick,
    link::{self, Compare, Saved},
    player::{Inputs, Player},
    presets::{Panel, Start},
    world::config::{Intake, Routing},
};

/// A file to take away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// What to call it: `dispatch-tick-34.csv`.
    pub name: String,
    /// Its media type.
    pub media_type: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// As what a run is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// The run itself, as a scenario file.
    Toml,
    /// Its events, for a spreadsheet.
    Csv,
    /// Its events, for a program.
    Jsonl,
    /// Its picture, as shapes and text.
    Svg,
    /// Its picture, as pixels.
    Png,
}

impl What {
    /// All of them.
    pub const ALL: [What; 5] = [What::Toml, What::Csv, What::Jsonl, What::Svg, What::Png];

    /// The ending of its file's name, which is also its name in messages.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            What::Toml => "toml",
            What::Csv => "csv",
            What::Jsonl => "jsonl",
            What::Svg => "svg",
            What::Png => "png",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<What> {
        What::ALL.into_iter().find(|what| what.ending() == name)
    }

    /// Its media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            What::Toml => "application/toml",
            What::Csv => "text/csv;charset=utf-8",
            What::Jsonl => "application/x-ndjson",
            What::Svg => "image/svg+xml",
            What::Png => "image/png",
        }
    }
}

/// A run of the first panel of this link, up to the link's tick.
///
/// # Errors
/// If the link cannot be read, has no such run, or the run cannot be written.
pub fn export(link: &str, run: usize, what: What) -> Result<Export, String> {
    let panels = link::read(link).map_err(|error| error.to_string())?.unwrap_or_default();
    let saved = panels.into_iter().next().ok_or("The link names no panel.")?;
    let runs = runs(&saved)?;
    let own = saved.start.players().map_err(|error| error.to_string())?.len();
    let player =
        runs.get(run).ok_or_else(|| format!("The panel has {} runs, and no run {run}.", runs.len()))?;
    let ledger = player.run().ledger();
    let (events, log) = (ledger.events(), player.run().world().log());
    let bytes = match what {
        What::Toml => scenario(&saved, player)?.into_bytes(),
        What::Csv => (csv::header() + &csv::rows(events, log)).into_bytes(),
        What::Jsonl => json::lines(events, log).into_bytes(),
        What::Svg => picture(Kind::Svg, &saved, &runs, own, run)?,
        What::Png => picture(Kind::Png, &saved, &runs, own, run)?,
    };
    let name = format!("{}-tick-{}.{}", stem(&saved, player, run, own), executed(player), what.ending());
    Ok(Export { name, media_type: what.media_type(), bytes })
}

/// The tick that a run executed last: the link's, or its own last one.
fn executed(player: &Player) -> Tick {
    Tick(player.now().0.saturating_sub(1))
}

/// The panel's runs, and those of an old future that is kept, all up to the same tick.
fn runs(saved: &Saved) -> Result<Vec<Player>, String> {
    let played = |start: &Start, acts: &Inputs| -> Result<Vec<Player>, String> {
        let players = start.players().map_err(|error| error.to_string())?;
        let play = |player: Player| {
            let mut player = player.with_acts(acts.clone());
            player.seek(saved.tick.after(1));
            player
        };
        Ok(players.into_iter().map(play).collect())
    };
    let mut runs = played(&saved.start, &saved.acts)?;
    if let Compare::Kept(old) = &saved.compare {
        runs.extend(played(&old.start, &old.acts)?);
    }
    Ok(runs)
}

fn scenario(saved: &Saved, player: &Player) -> Result<String, String> {
    let panel = saved.start.panel();
    let title = match &saved.start {
        Start::Brought(_, brought) => brought.title.clone(),
        _ => format!("{}: {}", heading(panel), variant(panel, player)),
    };
    let from = format!(
        "From the page of The Keyed Worker Pool: its {} panel, as it stood after tick {}.",
        panel.name(),
        executed(player)
    );
    let story = Story {
        title: Some(&title),
        source: None,
        comment: &[&from, "Play it with `kwp run FILE`: the same events, to the last one. Then change it."],
        panel: Some(panel),
        setup: player.setup(),
        inputs: &merged(player),
        last: executed(player),
    };
    write(&story).map_err(|error| error.to_string())
}

/// Everything that is done to a run, in the order in which it acts.
fn merged(player: &Player) -> Inputs {
    let mut merged = player.script().clone();
    for (tick, acts) in player.acts() {
        merged.entry(*tick).or_default().extend(acts.iter().cloned());
    }
    merged
}

fn picture(kind: Kind, saved: &Saved, runs: &[Player], own: usize, run: usize) -> Result<Vec<u8>, String> {
    // An old future has a picture of its own.
    let (future, front) = if run < own { (&runs[..own], run) } else { (&runs[own..], run - own) };
    let title = match &saved.start {
        Start::Brought(_, brought) => Some(brought.title.as_str()),
        _ => None,
    };
    let runs = future.iter().map(|player| (player.setup(), player.run())).collect();
    let subject = Subject { panel: saved.start.panel(), title, runs, front };
    draw(kind, &subject).map_err(|error| error.to_string())
}

fn heading(panel: Panel) -> &'static str {
    match panel {
        Panel::Dispatch => "Dispatch",
        Panel::Watermark => "The commit watermark",
        Panel::Backpressure => "Backpressure",
        Panel::Rebalance => "Rebalance",
    }
}

/// What tells one of a panel's runs from the others.
fn variant(panel: Panel, player: &Player) -> String {
    let knobs = player.setup().knobs();
    match panel {
        Panel::Dispatch => match knobs.routing {
            Routing::Keyed => "keyed mailboxes".to_owned(),
            Routing::Shared => "shared pool".to_owned(),
            Routing::Serial => "serial".to_owned(),
            Routing::Lanes(lanes) => format!("{lanes} lanes"),
        },
        Panel::Backpressure => match knobs.intake {
            Intake::Pause { .. } => "pause".to_owned(),
            Intake::Unbounded => "unbounded".to_owned(),
            Intake::Block => "block".to_owned(),
        },
        Panel::Watermark => format!("commits every {} ticks", knobs.commit_every),
        Panel::Rebalance => format!("a drain window of {}", knobs.drain),
    }
}

/// The beginning of a file's name. The run in front goes without a word of its own.
fn stem(saved: &Saved, player: &Player, run: usize, own: usize) -> String {
    let panel = saved.start.panel();
    let mut stem = panel.name().to_owned();
    if run != saved.start.front() && own > 1 {
        stem.push('-');
        stem.push_str(&variant(panel, player).replace(' ', "-"));
    }
    if run >= own {
        stem.push_str("-before");
    }
    stem
}
