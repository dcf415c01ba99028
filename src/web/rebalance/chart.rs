//! Workers over time: A's lanes and B's, a bar per attempt, the drain window between revoke and handover.
//!
//! Places are in ticks and lanes (`--from`, `--to`, `--lane`), sizes in the style sheet, which also turns the
//! chart on a narrow page. What lies ahead of the reader is drawn too, faintly: a run is deterministic.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::{
    Msg, RebalanceScene,
    bars::{Bar, Story},
    handle::Handle,
};
use crate::{
    ids::{ConsumerId, Tick},
    presets::rebalance::{HIGH, LOW, POLL, REVOKE_AT, STALL, STALL_AT},
    web::{
        chip::{hue, letter},
        scene::Stage,
    },
    world::{Log, World},
};

/// The whole chart.
pub(super) fn view(scene: &RebalanceScene, stage: &Stage<'_, Msg>, story: &Story) -> Html {
    let world = stage.world(0);
    let ticks = stage.players[0].last().0.saturating_add(1);
    let (now, workers) = (stage.tick(), world.knobs().concurrency());
    let deadline = REVOKE_AT.after(scene.preset.drain);
    let handover = story.fenced.unwrap_or(deadline);
    let bars = with_what_is_ahead(scene, story);
    let handle =
        Handle { drain: scene.drain(), ticks, grab: scene.grab.clone(), on_drain: stage.on(Msg::Drain) };
    html! {
        <>
            <div class="swim" style={format!("--ticks:{ticks};--now:{};--workers:{workers}", now.after(1))}>
                {for ConsumerId::ALL.into_iter().map(|id| side(id, world, story, &bars))}
                {under(handover, deadline)}
                <div class="swim-over">
                    {for story.stalls.iter().map(|&(_, from, to)| slow(from, to))}
                    {window_word(handover, deadline)}
                    {line("revoke", REVOKE_AT, story.revoked.is_some(), "revoke")}
                    {line("handover", handover, story.fenced.is_some(), if story.fenced.is_some() { "handover" } else { "handover due" })}
                    {handle.view()}
                    <span class="swim-now" key="now"></span>
                </div>
                <div class="swim-axis" aria-hidden="true">
                    <span class="swim-axis-name">{"tick"}</span>
                    {for (0..ticks).map(|tick| axis_tick(Tick(tick), now))}
                </div>
            </div>
            <p class="swim-note drawing-label">{format!(
                "Constants: {workers} workers each; a poll a tick brings {POLL}; intake pauses at {HIGH} in flight and resumes at \
                 {LOW}. From tick {STALL_AT} A’s database is slow, and what A runs then takes {STALL} ticks longer: otherwise B \
                 could not get ahead of A’s writes."
            )}</p>
        </>
    }
}

/// The bars so far, and those to come.
fn with_what_is_ahead(scene: &RebalanceScene, story: &Story) -> Vec<(Bar, bool)> {
    let begun: BTreeSet<_> = story.bars.iter().map(Bar::id).collect();
    let ahead = scene.ahead.bars.iter().filter(|bar| !begun.contains(&bar.id()));
    let so_far = story.bars.iter().map(|bar| (bar.clone(), false));
    so_far.chain(ahead.map(|bar| (bar.clone(), true))).collect()
}

/// One consumer: its name and how it stands, its workers, its bars.
fn side(id: ConsumerId, world: &World, story: &Story, bars: &[(Bar, bool)]) -> Html {
    let part = if id == ConsumerId::A { "old-owner" } else { "new-owner" };
    let (status, bad) = status(id, world, story);
    let own: Vec<_> = bars.iter().filter(|(bar, _)| bar.attempt.consumer == id).collect();
    let begun = own.iter().filter(|(_, ahead)| !ahead).count();
    let late = own.iter().filter(|(bar, ahead)| !ahead && bar.late_from.is_some()).count();
    let summary = format!(
        "Consumer {id} {status}. It has begun {begun} records, {late} of them run past the handover."
    );
    let workers = world.knobs().concurrency();
    html! {
        <>
            <p class="swim-head" data-side={id.to_string()} key={format!("head-{id}")}>
                <b>{"Consumer "}{id.to_string()}</b>{" "}<span class="swim-status" data-bad={bad.then_some("")}>{status}</span>
            </p>
            <div class="swim-workers" data-side={id.to_string()} aria-hidden="true" key={format!("workers-{id}")}>
                {for (1..=workers).map(|worker| html! { <span key={worker} title={format!("{id}’s worker {worker}")}>{worker}</span> })}
            </div>
            <div class="swim-lanes" data-side={id.to_string()} data-part={part} role="img" aria-label={summary} key={format!("lanes-{id}")}>
                {for own.into_iter().map(|(bar, ahead)| bar_view(bar, *ahead, world.log()))}
            </div>
        </>
    }
}

/// How a consumer stands, and whether that is bad.
fn status(id: ConsumerId, world: &World, story: &Story) -> (String, bool) {
    let running = world.consumer(id).pool().running();
    let runs = if running == 1 { "runs" } else { "run" };
    match world.owner() {
        Some((owner, session)) if owner == id && session.handover().is_some() => {
            (format!("is revoked: starts nothing, {running} still {runs}"), false)
        }
        Some((owner, _)) if owner == id => ("owns the partition".to_owned(), false),
        _ if running > 0 => (format!("is out, but {running} still {runs}"), true),
        _ if story.bars.iter().any(|bar| bar.attempt.consumer == id) => ("is out".to_owned(), false),
        _ => ("waits".to_owned(), false),
    }
}

fn bar_view(bar: &Bar, ahead: bool, log: &Log) -> Html {
    let Bar { attempt, to, over, stalled, late_from, again } = bar;
    let state = if ahead {
        "ahead"
    } else if *over {
        "done"
    } else {
        "running"
    };
    let (consumer, worker) = (attempt.consumer, attempt.worker);
    let fund = attempt.key.and_then(|id| log.key(id)).map(ToString::to_string).unwrap_or_default();
    let title = format!(
        "offset {} ({fund}), {consumer}’s worker {}: ticks {} to {to}{}",
        attempt.offset,
        u64::from(worker.0) + 1,
        attempt.started,
        if late_from.is_some() { ", past the handover" } else { "" }
    );
    let style = format!("--from:{};--to:{to};--lane:{worker}", attempt.started);
    html! {
        <div class="bar keyed" key={format!("{consumer}{}-{}-{}", attempt.epoch, attempt.offset, attempt.number)}
            data-offset={attempt.offset.to_string()} data-key={hue(attempt.key)} data-state={state} {style} {title}
            data-redelivered={again.then_some("")} data-late={(late_from.is_some() && !ahead).then_some("")}>
            <span class="bar-body">
                {for stalled.map(|(from, to)| stretch("stalled", from, to))}
                {for late_from.map(|from| stretch("late", from, *to))}
            </span>
            <span class="bar-face"><i>{letter(log, attempt.key)}</i><b>{attempt.offset.0}</b></span>
            if late_from.is_some() && state == "done" { <span class="bar-word">{"leaked"}</span> }
        </div>
    }
}

/// A part of a bar.
fn stretch(kind: &'static str, from: Tick, to: Tick) -> Html {
    html! { <span class="stretch" key={kind} data-kind={kind} style={format!("--start:{from};--end:{to}")}></span> }
}

/// What lies under the bars: the window, and the region where a bar of A is a leak.
fn under(handover: Tick, deadline: Tick) -> Html {
    let window = deadline.since(REVOKE_AT);
    let spare = deadline.since(handover);
    html! {
        <div class="swim-under" key="under">
            <div class="window" key="window" data-part="drain-window" data-window={window.to_string()}
                style={format!("--from:{REVOKE_AT};--to:{handover}")}></div>
            if spare > 0 {
                <div class="window window-spare" key="spare" style={format!("--from:{handover};--to:{deadline}")}></div>
            }
            <div class="leak-zone" key="leak-zone" data-part="leaked" style={format!("--from:{handover}")}></div>
        </div>
    }
}

/// For how long A's database answers late: a span beside A's lanes.
fn slow(from: Tick, to: Tick) -> Html {
    html! {
        <div class="slow" key={from.0} style={format!("--from:{from};--to:{to}")}>
            <span>{"slow database:"}<wbr />{format!(" +{} ticks", to.since(from))}</span>
        </div>
    }
}

/// The window's name, where B has nothing to draw yet.
fn window_word(handover: Tick, deadline: Tick) -> Html {
    let window = deadline.since(REVOKE_AT);
    html! {
        <div class="window-word" key="window-word" data-window={window.to_string()} style={format!("--from:{REVOKE_AT};--to:{handover}")}>
            <span>{format!("drain window: {window} ticks")}</span>
        </div>
    }
}

/// A line across time with its word: solid once it has come.
fn line(part: &'static str, at: Tick, has_come: bool, word: &'static str) -> Html {
    html! {
        <div class="swim-line" key={part} data-line={part} data-part={(part == "handover").then_some(part)} data-tick-at={at.to_string()}
            data-come={has_come.then_some("")} style={format!("--tick-at:{at}")}>
            <span class="swim-word">{word}<small>{format!(" tick {at}")}</small></span>
        </div>
    }
}

fn axis_tick(tick: Tick, now: Tick) -> Html {
    html! {
        <span class="axis-tick" key={tick.0} style={format!("--from:{tick}")} data-major={(tick.0.is_multiple_of(5)).then_some("")}
            data-now={(tick == now).then_some("")}>{tick.0}</span>
    }
}
