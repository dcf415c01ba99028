//! Workers over time: A's lanes and B's, a bar per attempt, the drain window between revoke and handover.
//!
//! Places are in ticks and lanes (`--from`, `--to`, `--lane`), sizes in the style sheet, which also turns the
//! chart on a narrow page. What lies ahead of the reader is drawn too, faintly: a run is deterministic.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::{
    Ahead, Msg, RebalanceScene,
    bars::{Bar, BarEnd, Story},
    drain,
    handle::Handle,
    revoke_at,
};
use crate::{
    ids::{ConsumerId, KeyId, Tick},
    presets::{
        Start,
        rebalance::{HIGH, LOW, POLL, STALL, STALL_AT},
    },
    web::{
        chip::{CHIP_DIGITS, full_name, hue, letter, short},
        scene::Stage,
    },
    world::{Log, World},
};

/// The whole chart.
pub(super) fn view(scene: &RebalanceScene, stage: &Stage<'_, Msg>, story: &Story) -> Html {
    let world = stage.world(0);
    let span = Span::of(stage);
    let (now, workers) = (stage.tick(), world.knobs().concurrency());
    let ahead = scene.ahead(stage);
    let bars = with_what_is_ahead(&ahead, story, span);
    let window = window(scene, stage, story).filter(|window| span.shows(window.revoke));
    let handle = |window: &Window| Handle {
        revoke: window.revoke,
        drain: drain(stage),
        span,
        grab: scene.grab.clone(),
        on_drain: stage.on(Msg::Drain),
    };
    let edge = window.as_ref().map(|window| window.revoke.after(drain(stage).into()));
    // Where the grip would lie on the lower name.
    let early = edge.filter(|edge| edge.0.saturating_sub(span.base).saturating_mul(4) < span.ticks);
    html! {
        <>
            <div class="swim" data-part-of-run={span.is_part.then_some("")}
                style={format!("--base:{};--ticks:{};--now:{};--workers:{workers}", span.base, span.ticks, now.after(1))}>
                {for ConsumerId::ALL.into_iter().map(|id| side(id, world, story, span, early, &bars))}
                {for window.iter().map(|window| window.under(span))}
                <div class="swim-over">
                    {for story.stalls.iter().filter_map(|&(_, from, to)| slow(from, to, span))}
                    {for window.iter().map(|window| window.over(span))}
                    {for window.iter().filter(|_| edge.is_some_and(|edge| span.shows(edge))).map(|window| handle(window).view())}
                    <span class="swim-now" key="now"></span>
                </div>
                <div class="swim-axis" aria-hidden="true">
                    <span class="swim-axis-name">{"tick"}</span>
                    {for (0..span.ticks).map(|tick| axis_tick(Tick(span.base + tick), now, span))}
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

    fn end(self) -> u64 {
        self.base + self.ticks
    }

    /// The part of a stretch that is on the chart.
    fn part(self, from: Tick, to: Tick) -> Option<(u64, u64)> {
        let (from, to) = (from.0.max(self.base), to.0.min(self.end()));
        (from < to).then_some((from, to))
    }
}

/// What is fixed in this run.
fn note(stage: &Stage<'_, Msg>) -> String {
    let knobs = stage.world(0).knobs();
    let workers = knobs.concurrency();
    match stage.start {
        Start::Brought(_, brought) if workers == 1 => format!("{}: 1 worker each.", brought.title),
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
    /// Whether the one and the other have come.
    has_begun: bool,
    has_ended: bool,
}

/// The window as it was, or else as it will be; nothing where nobody drains.
fn window(scene: &RebalanceScene, stage: &Stage<'_, Msg>, story: &Story) -> Option<Window> {
    let ended = story.drain.and_then(|drain| drain.end);
    let (revoke, deadline) = match scene.drain(stage, story) {
        Some(drain) => (drain.revoked, drain.deadline),
        None if scene.ahead(stage).played.is_some() => return None,
        None => {
            let (revoke, _) = revoke_at(stage)?;
            (revoke, revoke.after(drain(stage).into()))
        }
    };
    let handover = ended.map_or(deadline, |end| end.at);
    Some(Window { revoke, deadline, handover, has_begun: story.drain.is_some(), has_ended: ended.is_some() })
}

/// The bars so far, and those to come: what of them is on the chart.
fn with_what_is_ahead(ahead: &Ahead, story: &Story, span: Span) -> Vec<(Bar, bool)> {
    let so_far = story.bars_between(span.base, span.end()).map(|bar| (bar, false));
    let Some(played) = &ahead.played else { return so_far.collect() };
    let begun: BTreeSet<_> = story.bars().iter().map(Bar::id).collect();
    let ahead = played.story.bars_between(span.base, span.end()).filter(|bar| !begun.contains(&bar.id()));
    so_far.chain(ahead.map(|bar| (bar, true))).collect()
}

/// One consumer: its name and how it stands, its workers, its bars.
///
/// `early`: where the window's grip is, if that is where the lower name would begin.
fn side(
    id: ConsumerId,
    world: &World,
    story: &Story,
    span: Span,
    early: Option<Tick>,
    bars: &[(Bar, bool)],
) -> Html {
    let part = if id == ConsumerId::A { "old-owner" } else { "new-owner" };
    let (status, bad) = status(id, world, story);
    let drawn = bars.iter().filter(|(bar, _)| bar.attempt.consumer == id);
    let own = || story.bars().iter().filter(|bar| bar.attempt.consumer == id);
    let (begun, late) = (own().count(), own().filter(|bar| story.late_from(bar).is_some()).count());
    let records = if begun == 1 { "record" } else { "records" };
    let runs = if late == 1 { "runs" } else { "run" };
    let summary = format!(
        "Consumer {id} {status}. It has begun {begun} {records}, {late} of them {runs} past the handover."
    );
    let past = early.filter(|_| id == ConsumerId::B).map(|edge| format!("--past:{edge}"));
    let workers = world.knobs().concurrency();
    html! {
        <>
            <p class="swim-head" data-side={id.to_string()} data-past={past.as_ref().map(|_| "")} style={past} key={format!("head-{id}")}>
                <b>{"Consumer "}{id.to_string()}</b>{" "}<span class="swim-status" data-bad={bad.then_some("")}>{status}</span>
            </p>
            <div class="swim-workers" data-side={id.to_string()} aria-hidden="true" key={format!("workers-{id}")}>
                {for (1..=workers).map(|worker| html! { <span key={worker} title={format!("{id}’s worker {worker}")}>{worker}</span> })}
            </div>
            // Beside the drawing: not every browser takes the inside of an image for a part of it.
            <span class="visually-hidden" role="img" aria-label={summary} key={format!("told-{id}")} />
            <div class="swim-lanes" data-side={id.to_string()} data-part={part} aria-hidden="true" key={format!("lanes-{id}")}>
                {for drawn.map(|(bar, ahead)| bar_view(bar, *ahead, world.log(), span))}
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
        _ if !world.consumer(id).is_up() => ("is down".to_owned(), false),
        _ if running > 0 => (format!("is out, but {running} still {runs}"), true),
        _ if story.bars().iter().any(|bar| bar.attempt.consumer == id) => ("is out".to_owned(), false),
        _ => ("waits".to_owned(), false),
    }
}

fn bar_view(bar: &Bar, ahead: bool, log: &Log, span: Span) -> Html {
    let Bar { attempt, to, end, stalled, late_from, again } = bar;
    let state = match end {
        _ if ahead => "ahead",
        Some(BarEnd::Over) => "done",
        Some(BarEnd::Cut) => "cut",
        None => "running",
    };
    // An attempt may outlast the run.
    let shown_to = to.0.min(span.end());
    let (consumer, worker) = (attempt.consumer, attempt.worker);
    let fund = full_name(log, attempt.key);
    let title = format!(
        "offset {} ({fund}), {consumer}’s worker {}: ticks {} to {to}{}",
        attempt.offset,
        u64::from(worker.0) + 1,
        attempt.started,
        match (end, late_from) {
            (Some(BarEnd::Cut), _) if !ahead => ", cut off by the crash",
            (_, Some(_)) => ", past the handover",
            (_, None) => "",
        }
    );
    let style = format!("--from:{};--to:{shown_to};--lane:{worker}", attempt.started);
    html! {
        <div class="bar keyed" key={format!("{consumer}{}-{}-{}", attempt.epoch, attempt.offset, attempt.number)}
            data-offset={attempt.offset.to_string()} data-key={hue(attempt.key)} data-state={state} {style} {title}
            data-redelivered={again.then_some("")} data-late={(late_from.is_some() && !ahead).then_some("")}>
            <span class="bar-body">
                {for stalled.map(|(from, to)| stretch("stalled", from, to))}
                {for late_from.map(|from| stretch("late", from, *to))}
            </span>
            <span class="bar-face"><i>{initials(log, attempt.key)}</i><b>{short(attempt.offset, CHIP_DIGITS)}</b></span>
            if late_from.is_some() && state == "done" { <span class="bar-word">{"leaked"}</span> }
        </div>
    }
}

/// What stands on a bar for its key: two letters of a fund's four, which tell it from the others.
fn initials(log: &Log, key: Option<KeyId>) -> String {
    let name = key.and_then(|id| log.key(id)).map(ToString::to_string).unwrap_or_default();
    let is_fund = name.len() == 4 && name.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_fund { name.chars().take(2).collect() } else { letter(log, key) }
}

/// A part of a bar.
fn stretch(kind: &'static str, from: Tick, to: Tick) -> Html {
    html! { <span class="stretch" key={kind} data-kind={kind} style={format!("--start:{from};--end:{to}")}></span> }
}

impl Window {
    /// What lies under the bars: the window, and the region where a bar of A is a leak.
    fn under(&self, span: Span) -> Html {
        let Window { revoke, deadline, handover, .. } = *self;
        let window = deadline.since(revoke);
        let shade = |class: &'static str, key: &'static str, (from, to): (u64, u64)| {
            html! { <div {class} {key} style={format!("--from:{from};--to:{to}")}></div> }
        };
        let (from, to) = span.part(revoke, handover).unwrap_or((revoke.0, revoke.0));
        html! {
            <div class="swim-under" key="under">
                <div class="window" key="window" data-part="drain-window" data-window={window.to_string()}
                    style={format!("--from:{from};--to:{to}")}></div>
                {for span.part(handover, deadline).map(|part| shade("window window-spare", "spare", part))}
                if span.shows(handover) {
                    <div class="leak-zone" key="leak-zone" data-part="leaked" style={format!("--from:{handover}")}></div>
                }
            </div>
        }
    }

    /// What lies over them: its name, where B has nothing to draw yet, and its two ends.
    fn over(&self, span: Span) -> Html {
        let Window { revoke, deadline, handover, has_begun, has_ended } = *self;
        let window = deadline.since(revoke);
        let (from, to) = span.part(revoke, handover).unwrap_or((revoke.0, revoke.0));
        html! {
            <>
                <div class="window-word" key="window-word" data-window={window.to_string()} style={format!("--from:{from};--to:{to}")}>
                    <span>{format!("drain window: {window} ticks")}</span>
                </div>
                {line("revoke", revoke, has_begun, "revoke")}
                if span.shows(handover) {
                    {line("handover", handover, has_ended, if has_ended { "handover" } else { "handover due" })}
                }
            </>
        }
    }
}

/// For how long A's database answers late: a span beside A's lanes.
fn slow(from: Tick, to: Tick, span: Span) -> Option<Html> {
    let (shown_from, shown_to) = span.part(from, to)?;
    let (ticks, unit) = (to.since(from), if to.since(from) == 1 { "tick" } else { "ticks" });
    Some(html! {
        <div class="slow" key={from.0} style={format!("--from:{shown_from};--to:{shown_to}")}>
            <span>{"slow database:"}<wbr />{format!(" +{ticks} {unit}")}</span>
        </div>
    })
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

/// Ticks whose numbers are too wide to stand side by side.
const WIDE: u64 = 1_000;

fn axis_tick(tick: Tick, now: Tick, span: Span) -> Html {
    let is_major = tick.0.is_multiple_of(5);
    // The present's own number needs room too.
    let is_quiet = span.end() > WIDE && tick != now && (!is_major || tick.0.abs_diff(now.0) <= 2);
    html! {
        <span class="axis-tick" key={tick.0} style={format!("--from:{tick}")} data-major={is_major.then_some("")}
            data-quiet={is_quiet.then_some("")} data-now={(tick == now).then_some("")}>{tick.0}</span>
    }
}
