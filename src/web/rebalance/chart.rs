//! Workers over time: A's lanes and B's, a bar per attempt, the drain window between revoke and handover.
//!
//! Places are in ticks and lanes (`--from`, `--to`, `--lane`), sizes in the style sheet, which also turns the
//! chart on a narrow page. What lies ahead of the reader is drawn too, faintly: a run is deterministic.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::{
    Ahead, Msg, RebalanceScene,
    bars::{Bar, Story},
    drain,
    handle::Handle,
    revoke_at,
};
use crate::{
    ids::{ConsumerId, Tick},
    presets::{
        Start,
        rebalance::{HIGH, LOW, POLL, STALL, STALL_AT},
    },
    web::{
        chip::{hue, letter},
        scene::Stage,
    },
    world::{Log, World},
};

/// The whole chart.
pub(super) fn view(scene: &RebalanceScene, stage: &Stage<'_, Msg>, story: &Story) -> Html {
    let world = stage.world(0);
    let span = Span::of(stage);
    let (now, workers) = (stage.tick(), world.knobs().concurrency());
    let bars = with_what_is_ahead(&scene.ahead(stage), story);
    let window = revoke_at(stage).filter(|revoke| span.shows(*revoke)).map(|revoke| {
        let deadline = revoke.after(drain(stage).into());
        Window { revoke, deadline, handover: story.fenced.unwrap_or(deadline) }
    });
    let handle = |window: &Window| Handle {
        revoke: window.revoke,
        drain: drain(stage),
        span,
        grab: scene.grab.clone(),
        on_drain: stage.on(Msg::Drain),
    };
    html! {
        <>
            <div class="swim" data-part-of-run={span.is_part.then_some("")}
                style={format!("--base:{};--ticks:{};--now:{};--workers:{workers}", span.base, span.ticks, now.after(1))}>
                {for ConsumerId::ALL.into_iter().map(|id| side(id, world, story, span, &bars))}
                {for window.iter().map(Window::under)}
                <div class="swim-over">
                    {for story.stalls.iter().map(|&(_, from, to)| slow(from, to))}
                    {for window.iter().map(|window| window.over(story))}
                    {for window.iter().map(|window| handle(window).view())}
                    <span class="swim-now" key="now"></span>
                </div>
                <div class="swim-axis" aria-hidden="true">
                    <span class="swim-axis-name">{"tick"}</span>
                    {for (0..span.ticks).map(|tick| axis_tick(Tick(span.base + tick), now))}
                </div>
            </div>
            <p class="swim-note drawing-label">{note(stage)}</p>
        </>
    }
}

/// Ticks on the chart at most.
const LONGEST_SPAN: u64 = 40;

/// The stretch of time on the chart: the whole run if it is short, else what lies around the present.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) base: u64,
    pub(super) ticks: u64,
    is_part: bool,
}

impl Span {
    fn of(stage: &Stage<'_, Msg>) -> Span {
        let whole = stage.players[0].last().0.saturating_add(1);
        // It moves on by several ticks at once, so that bars mostly stay where they are.
        let around = (stage.tick().0 / 8 * 8).saturating_sub(LONGEST_SPAN * 3 / 5);
        let base = around.min(whole.saturating_sub(LONGEST_SPAN));
        Span { base, ticks: whole.min(LONGEST_SPAN), is_part: whole > LONGEST_SPAN }
    }

    fn shows(self, tick: Tick) -> bool {
        (self.base..=self.base + self.ticks).contains(&tick.0)
    }

    fn touches(self, bar: &Bar) -> bool {
        bar.attempt.started.0 < self.base + self.ticks && bar.to.0 > self.base
    }
}

/// What is fixed in this run.
fn note(stage: &Stage<'_, Msg>) -> String {
    let knobs = stage.world(0).knobs();
    let workers = knobs.concurrency();
    match stage.start {
        Start::Brought(_, brought) => format!("{}: {workers} workers each.", brought.title),
        _ => format!(
            "Constants: {workers} workers each; a poll a tick brings {POLL}; intake pauses at {HIGH} in flight and resumes at \
             {LOW}. From tick {STALL_AT} A’s database is slow, and what A runs then takes {STALL} ticks longer: otherwise B \
             could not get ahead of A’s writes."
        ),
    }
}

/// The drain window: from the revoke to the handover, which its deadline bounds.
struct Window {
    revoke: Tick,
    deadline: Tick,
    handover: Tick,
}

/// The bars so far, and those to come.
fn with_what_is_ahead(ahead: &Ahead, story: &Story) -> Vec<(Bar, bool)> {
    let begun: BTreeSet<_> = story.bars.iter().map(Bar::id).collect();
    let ahead = ahead.bars.iter().filter(|bar| !begun.contains(&bar.id()));
    let so_far = story.bars.iter().map(|bar| (bar.clone(), false));
    so_far.chain(ahead.map(|bar| (bar.clone(), true))).collect()
}

/// One consumer: its name and how it stands, its workers, its bars.
fn side(id: ConsumerId, world: &World, story: &Story, span: Span, bars: &[(Bar, bool)]) -> Html {
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
                {for own.into_iter().filter(|(bar, _)| span.touches(bar)).map(|(bar, ahead)| bar_view(bar, *ahead, world.log()))}
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

impl Window {
    /// What lies under the bars: the window, and the region where a bar of A is a leak.
    fn under(&self) -> Html {
        let Window { revoke, deadline, handover } = *self;
        let (window, spare) = (deadline.since(revoke), deadline.since(handover));
        html! {
            <div class="swim-under" key="under">
                <div class="window" key="window" data-part="drain-window" data-window={window.to_string()}
                    style={format!("--from:{revoke};--to:{handover}")}></div>
                if spare > 0 {
                    <div class="window window-spare" key="spare" style={format!("--from:{handover};--to:{deadline}")}></div>
                }
                <div class="leak-zone" key="leak-zone" data-part="leaked" style={format!("--from:{handover}")}></div>
            </div>
        }
    }

    /// What lies over them: its name, where B has nothing to draw yet, and its two ends.
    fn over(&self, story: &Story) -> Html {
        let Window { revoke, deadline, handover } = *self;
        let (window, fenced) = (deadline.since(revoke), story.fenced.is_some());
        html! {
            <>
                <div class="window-word" key="window-word" data-window={window.to_string()} style={format!("--from:{revoke};--to:{handover}")}>
                    <span>{format!("drain window: {window} ticks")}</span>
                </div>
                {line("revoke", revoke, story.revoked.is_some(), "revoke")}
                {line("handover", handover, fenced, if fenced { "handover" } else { "handover due" })}
            </>
        }
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
