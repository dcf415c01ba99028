//! The picture of what a panel shows at its current tick.

use super::{
    Chart, Kind, Picture, Unpaintable,
    depth::{self, compared},
    gantt::{self, Seen},
    grid, paint,
    scene::{Held, INK, QUIET, Scene},
};
use crate::{
    ledger::{Ledger, escaped},
    mechanism::Guard,
    presets::Panel,
    run::Run,
    world::{
        Setup,
        config::{CommitOffset, Intake, LateCommit, Routing},
    },
};

/// Where titles begin, in pixels.
const LEFT: i32 = 40;
const RIGHT: i32 = 1560;

/// Where a chart begins below its title.
const TOP: u32 = 56;

/// Characters of a title that are shown at most.
const LONGEST_TITLE: usize = 76;

/// What a picture is of. The ledgers must have kept their events.
#[derive(Clone, Debug)]
pub struct Subject<'r> {
    /// Whose way of drawing it.
    pub panel: Panel,
    /// What it is called; otherwise as its panel is.
    pub title: Option<&'r str>,
    /// The panel's runs: what each starts from, and as it stands.
    pub runs: Vec<(&'r Setup, &'r Run)>,
    /// Which of them is in front.
    pub front: usize,
}

/// Composes the picture.
#[must_use]
pub fn compose(subject: &Subject<'_>) -> Picture {
    let Some(&(_, front)) = subject.runs.get(subject.front).or(subject.runs.first()) else {
        return Picture { height: 1, ..Picture::default() };
    };
    let mut scene = Scene::default();
    let title: String =
        escaped(subject.title.unwrap_or(title(subject.panel))).chars().take(LONGEST_TITLE).collect();
    scene.bold((LEFT, 46), Held::Left, &title, 38, INK);
    let tick = format!("after tick {}", front.now().0.saturating_sub(1));
    scene.text((RIGHT, 46), Held::Right, &tick, 24, QUIET);
    let (chart, bottom) = match subject.panel {
        Panel::Dispatch => (None, gantts(&mut scene, &subject.runs, routing)),
        Panel::Rebalance => (None, gantts(&mut scene, &[(front_setup(subject), front)], window)),
        Panel::Watermark => {
            scene.text((LEFT, 92), Held::Left, &promise(front), 22, QUIET);
            let bottom = grid::draw(&mut scene, 116, front);
            (None, grid::legend(&mut scene, bottom + 24))
        }
        Panel::Backpressure => {
            let others: Vec<(&Setup, &Ledger)> = subject
                .runs
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != subject.front)
                .map(|(_, (setup, run))| (*setup, run.ledger()))
                .collect();
            let chart = compared((front_setup(subject), front.ledger()), &others);
            let bottom = (TOP + depth::HEIGHT) as i32;
            let chart = Chart { title: String::new(), data: chart, top: TOP };
            (Some(chart), depths(&mut scene, bottom, subject, front))
        }
    };
    scene.text((RIGHT, bottom + 22), Held::Right, "The Keyed Worker Pool, a simulation", 17, QUIET);
    Picture { height: u32::try_from(bottom + 44).unwrap_or(1), chart, scene, ..Picture::default() }
}

/// Composes and paints the picture.
///
/// # Errors
/// If the drawing library fails.
pub fn draw(kind: Kind, subject: &Subject<'_>) -> Result<Vec<u8>, Unpaintable> {
    paint(kind, &compose(subject))
}

fn front_setup<'r>(subject: &Subject<'r>) -> &'r Setup {
    subject.runs.get(subject.front).unwrap_or(&subject.runs[0]).0
}

fn title(panel: Panel) -> &'static str {
    match panel {
        Panel::Dispatch => "Dispatch: one log, two ways to the workers",
        Panel::Watermark => "The commit watermark",
        Panel::Backpressure => "Backpressure: records in flight over time",
        Panel::Rebalance => "Rebalance: what leaks past a handover",
    }
}

/// Charts one above the other, and their legend; where they end.
fn gantts(scene: &mut Scene, runs: &[(&Setup, &Run)], name: fn(&Run) -> String) -> i32 {
    let (mut seen, mut y) = (Seen::default(), 84);
    for (at, (_, run)) in runs.iter().enumerate() {
        if at > 0 {
            gantt::rule(scene, y + 6);
            y += 18;
        }
        let (result, bad) = result(run);
        gantt::heading(scene, y + 22, &name(run), &result, bad);
        y = gantt::draw(scene, y + 44, run, &mut seen);
    }
    match runs.first() {
        Some((_, run)) => gantt::legend(scene, y + 18, &seen, run.world().log()),
        None => y,
    }
}

fn routing(run: &Run) -> String {
    match run.world().knobs().routing {
        Routing::Keyed => "keyed mailboxes".to_owned(),
        Routing::Shared => "shared pool".to_owned(),
        Routing::Serial => "serial: one worker".to_owned(),
        Routing::Lanes(lanes) => format!("{lanes} lanes by key hash"),
    }
}

fn window(run: &Run) -> String {
    let knobs = run.world().knobs();
    let guard = match knobs.guard {
        Guard::Off => "off",
        Guard::Newer => "newer",
        Guard::NotOlder => "not older",
    };
    let late = if knobs.late_commit == LateCommit::Sent { ", late commits sent" } else { "" };
    format!("drain window {}, guard {guard}{late}", knobs.drain)
}

/// What it came to, and whether something in it went wrong.
fn result(run: &Run) -> (String, bool) {
    let counters = run.ledger().counters();
    let (completed, all) = (counters.completed, run.world().log().len());
    // What comes again is done again.
    let sum = if counters.redelivered > 0 {
        format!("{completed} completions of {all} records")
    } else {
        format!("{completed} of {all} done")
    };
    let mut parts = vec![sum];
    let mut bad = false;
    for (count, one, many) in [
        (counters.order_breaks, "order break", "order breaks"),
        (counters.overlaps, "overlap", "overlaps"),
        (counters.leaked, "leaked write", "leaked writes"),
        (counters.rejected, "write rejected", "writes rejected"),
        (counters.rows_back, "row went back", "rows went back"),
        (counters.redelivered, "redelivered", "redelivered"),
        (counters.lost, "lost", "lost"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
            bad |= !matches!(one, "redelivered" | "write rejected");
        }
    }
    if let Some(last) = counters.last_completion {
        parts.push(format!("the last at tick {last}"));
    }
    (parts.join(", "), bad)
}

/// What a crash now would come to.
fn promise(run: &Run) -> String {
    let (world, ledger) = (run.world(), run.ledger());
    let commits = match world.knobs().commit_offset {
        CommitOffset::Watermark => "commits the watermark",
        CommitOffset::Highest => "commits the highest finished offset",
    };
    if world.owner().is_none() {
        return format!("{commits}; no owner is up");
    }
    let again: Vec<u64> = world.redelivered_by_a_crash().map(|(index, _)| index).collect();
    let done = again.iter().filter(|&&index| ledger.has_completed(index)).count();
    let lost = match ledger.at_risk().count() {
        0 => String::new(),
        lost => format!(", and {lost} would be lost"),
    };
    format!("{commits}; a crash now would bring {} again, {done} of them already done{lost}", again.len())
}

/// What the lines of the chart are; where that ends.
fn depths(scene: &mut Scene, top: i32, subject: &Subject<'_>, front: &Run) -> i32 {
    let own = format!("In front: {}.", mode(front));
    let others = subject.runs.iter().enumerate().filter(|(at, _)| *at != subject.front);
    let others: Vec<_> = others.map(|(_, (_, run))| mode(run)).collect();
    let ghosts = if others.is_empty() { String::new() } else { format!(" Grey: {}.", others.join("; ")) };
    let died = "A cross: the process ran out of memory or died. A red notch on the axis: evicted.";
    let words = format!("{own}{ghosts} {died}");

    top + scene.paragraph((LEFT, top + 8), RIGHT, &words, 20) + 8
}

fn mode(run: &Run) -> String {
    let counters = run.ledger().counters();
    let name = match run.world().knobs().intake {
        Intake::Pause { high, low } => format!("pause at {high}, resume at {low}"),
        Intake::Unbounded => "unbounded".to_owned(),
        Intake::Block => "block until the batch is done".to_owned(),
    };
    let end = match (counters.crashed_at, counters.evictions) {
        (Some(tick), _) => format!(", dead at tick {tick}"),
        (None, 0) => String::new(),
        (None, times) => format!(", evicted {times} times"),
    };
    format!("{name} (at most {} in flight{end})", counters.peak_in_flight)
}
