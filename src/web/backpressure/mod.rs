//! Backpressure: three modes of intake at the same rates, each a run of its own on one clock.
//!
//! The mode only chooses which run is in front: nothing starts over, and the others stay in the chart.

mod chart;
mod glance;
mod limits;
mod past;
mod surface;
mod tank;

use std::{
    cell::{Ref, RefCell},
    sync::Arc,
};

use yew::prelude::*;

use self::{
    glance::{Gate, Glance},
    limits::Limits,
    past::Past,
    surface::Surface,
};
use super::{
    scene::{Counter, Effect, Scene, Stage},
    widgets::{Slider, segmented},
};
use crate::{
    player::Player,
    presets::{
        Start,
        backpressure::{CEILING, HIGH, LONGEST_REFETCH, LOW, MODES, MOST_DRAIN, MOST_FETCH},
    },
    workload::span_of_work,
    world::{Knob, Log, config::Intake},
};

/// What the modes are called, in the order of [`MODES`].
const NAMES: [&str; 3] = ["pause", "unbounded", "block"];

/// Records side by side in a pipe at most: as many as the tank is wide.
const WIDEST: u64 = MOST_FETCH;

#[derive(Default)]
pub(crate) struct BackpressureScene {
    surface: Option<Surface>,
    work: RefCell<Option<Span>>,
    past: RefCell<Past>,
}

/// What attempts take, and of which log that was read: it may be long.
struct Span {
    of: Arc<Log>,
    work: Option<(u64, u64)>,
}

pub(crate) enum Msg {
    Mode(usize),
    Fetch(u32),
    Drain(u32),
    Refetch(u32),
    /// The canvas has another size, or the page other colours.
    Resurface,
}

impl Scene for BackpressureScene {
    type Msg = Msg;
    const LABEL: &'static str = "Simulation: backpressure";
    const TRY: &'static str = "press play, then choose another mode: the three run side by side.";
    const BADGES: &'static [&'static str] = &[
        "in flight stays below high + poll",
        "in flight never exceeds the heap ceiling",
        "a poll at least every max.poll.interval",
        "a poll through an open gate brings what there is",
        "no write lands after the handover",
        "watermark and committed offset never go back",
    ];

    fn new() -> Self {
        BackpressureScene::default()
    }

    fn update(&mut self, msg: Msg, stage: &Stage<'_, Msg>) -> Effect {
        match msg {
            Msg::Mode(mode) => Effect::Settle(stage.start.clone().fronted(mode)),
            Msg::Fetch(fetch) => Effect::Turn(vec![Knob::Poll(fetch.into())]),
            Msg::Drain(drain) => Effect::Turn(vec![Knob::Workers(drain)]),
            Msg::Refetch(ticks) => Effect::Turn(vec![Knob::Refetch(ticks.into())]),
            Msg::Resurface => {
                if let Some(surface) = &mut self.surface {
                    surface.outdated();
                }
                Effect::Redraw
            }
        }
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let (fetch, drain) = rates(stage);
        let work = self.work(stage);
        let even = matches!(stage.start, Start::Backpressure(_)) && work == Some((1, 1));
        let modes = [0, 1, 2].map(|mode| (mode, NAMES[mode], NAMES[mode]));
        let fetches = Slider {
            knob: "fetch",
            name: "Fetch",
            unit: "records per poll",
            note: "one poll a tick, if intake lets it".into(),
            range: (1, MOST_FETCH as u32),
            value: fetch as u32,
            part: "fetch",
        };
        let drains = Slider {
            knob: "drain",
            name: "Drain",
            unit: match (even, drain) {
                (true, _) => "records per tick",
                (false, 1) => "worker",
                (false, _) => "workers",
            },
            note: workers_note(drain, work).into(),
            range: (1, MOST_DRAIN),
            value: drain,
            part: "drain-rate",
        };
        let refetch = refetch(stage);
        let refetches = Slider {
            knob: "refetch",
            name: "Refetch after a resume",
            unit: if refetch == 1 { "tick" } else { "ticks" },
            note: refetch_note(intake(stage), refetch).into(),
            range: (0, LONGEST_REFETCH as u32),
            value: u32::try_from(refetch).unwrap_or(u32::MAX),
            part: "refetch",
        };
        html! {
            <>
                <div class="mode-knob">
                    {segmented("mode", "Intake", &modes, stage.front(), &stage.on(Msg::Mode))}
                    <p class="knob-note mode-note">{mode_note(intake(stage), fetch, drain, even)}</p>
                </div>
                {fetches.view(stage.on(Msg::Fetch))}
                {drains.view(stage.on(Msg::Drain))}
                {refetches.view(stage.on(Msg::Refetch))}
            </>
        }
    }

    fn drawing(&self, stage: &Stage<'_, Msg>) -> Html {
        let glance = Glance::of(stage, stage.front());
        let (fetch, drain) = rates(stage);
        let limits = Limits::of(stage);
        let ceiling = limits.ceiling.unwrap_or(limits.top);
        let (fetch, drain) = (fetch.min(WIDEST), u64::from(drain).min(WIDEST));
        let style = format!("--top:{};--ceiling:{ceiling};--fetch:{fetch};--drain:{drain}", limits.top);
        html! {
            <div class="depth" {style}>
                {tank::head(&glance, &limits)}
                {tank::view(stage, stage.front(), &glance, &limits, self.past(stage).reached)}
                {chart::view(stage, stage.front(), &limits)}
                {limits.note(stage)}
            </div>
        }
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        let counters = stage.ledger(stage.front()).counters();
        let glance = Glance::of(stage, stage.front());
        let since_poll = Counter::plain("ticks-since-poll", "ticks since the last poll", glance.since_poll)
            .with_unit(if glance.gate == Gate::Down { "at death" } else { "" });
        let empty = Counter::wrong("empty-polls", "empty polls", counters.empty_polls);
        let empty = (refetch(stage) > 0 || counters.empty_polls > 0).then_some(empty);
        let counters = [
            Counter::plain("in-flight", "in flight", glance.in_flight),
            Counter::plain("peak-in-flight", "peak in flight", counters.peak_in_flight),
            Counter::plain("pauses", "pauses", counters.pauses),
            Counter::plain("resumes", "resumes", counters.resumes),
            Counter { bad: glance.evicted.is_some(), ..since_poll },
            Counter::wrong("evictions", "evictions", counters.evictions),
            Counter::wrong("crashes", "crashes", counters.crashes),
            Counter::plain("completed", "completed", counters.completed),
        ];
        counters.into_iter().chain(empty).collect()
    }

    fn sentence(&self, stage: &Stage<'_, Msg>) -> Option<(String, bool)> {
        glance::sentence(stage, stage.front())
    }

    fn live(&self, _stage: &Stage<'_, Msg>) -> Vec<(&'static str, String, bool)> {
        let quoted =
            [("backpressure.high", HIGH), ("backpressure.low", LOW), ("backpressure.ceiling", CEILING)];
        quoted.into_iter().map(|(name, value)| (name, value.to_string(), false)).collect()
    }

    fn drawn(&mut self, stage: &Stage<'_, Msg>, place: &web_sys::Element) {
        if self.surface.as_ref().is_none_or(|surface| !surface.is_in(place)) {
            self.surface = Surface::find(place, stage.on(|()| Msg::Resurface));
        }
        if let Some(surface) = &mut self.surface {
            let past = self.past.get_mut();
            past.go_on(stage, stage.front());
            surface.paint(&chart::data(stage, stage.front(), &Limits::of(stage), &past.evictions));
        }
    }
}

/// How the run in front takes records in.
fn intake(stage: &Stage<'_, Msg>) -> Intake {
    let front = stage.players.get(stage.front());
    front.map_or(MODES[0], |player| player.setup().knobs().intake)
}

/// Records fetched and workers, as the next tick has them.
fn rates(stage: &Stage<'_, Msg>) -> (u64, u32) {
    let knobs = stage.players.first().map(Player::knobs).unwrap_or_default();
    (knobs.poll, knobs.workers)
}

/// Ticks from a resume until polls bring records again, as the next tick has it.
fn refetch(stage: &Stage<'_, Msg>) -> u64 {
    stage.players.first().map_or(0, |player| player.knobs().refetch)
}

impl BackpressureScene {
    /// The past of the run in front.
    fn past(&self, stage: &Stage<'_, Msg>) -> Ref<'_, Past> {
        self.past.borrow_mut().go_on(stage, stage.front());
        self.past.borrow()
    }

    /// The shortest and the longest work of the log, in ticks.
    fn work(&self, stage: &Stage<'_, Msg>) -> Option<(u64, u64)> {
        let log = stage.world(stage.front()).log();
        let mut known = self.work.borrow_mut();
        match &*known {
            Some(span) if Arc::ptr_eq(&span.of, log) => span.work,
            _ => known.insert(Span { of: log.clone(), work: span_of_work(log) }).work,
        }
    }
}

fn workers_note(workers: u32, work: Option<(u64, u64)>) -> String {
    let unit = if workers == 1 { "worker" } else { "workers" };
    match work {
        None => format!("{workers} {unit}"),
        Some((1, 1)) => format!("{workers} {unit}, one tick per record"),
        Some((least, most)) if least == most => format!("{workers} {unit}, {most} ticks per record"),
        Some((least, most)) => format!("{workers} {unit}, {least} to {most} ticks per record"),
    }
}

/// What becomes of what the client had fetched ahead.
fn refetch_note(mode: Intake, refetch: u64) -> String {
    match (mode, refetch) {
        (Intake::Pause { .. }, 0) => "the client keeps what it had fetched ahead through a pause".to_owned(),
        (Intake::Pause { low, .. }, _) => {
            format!("a pause throws the prefetch away: meanwhile the low mark’s {low} have to last")
        }
        (Intake::Unbounded | Intake::Block, _) => "this mode never pauses: nothing is thrown away".to_owned(),
    }
}

/// What a mode does; where a worker finishes one record a tick, how long a batch takes too.
fn mode_note(mode: Intake, fetch: u64, drain: u32, even: bool) -> String {
    match mode {
        Intake::Pause { high, low } => {
            // Not broken across lines: a sum.
            let most = format!(
                "{high}\u{a0}−\u{a0}1\u{a0}+\u{a0}{fetch}\u{a0}=\u{a0}{}",
                (high - 1).saturating_add(fetch)
            );
            format!("no records from {high} in flight until {low} are left: at most {most}")
        }
        Intake::Unbounded => "every poll takes records, whatever is in flight".to_owned(),
        Intake::Block if even => {
            let ticks = fetch.div_ceil(u64::from(drain.max(1)));
            let (take, unit) = (
                if fetch == 1 { "record takes" } else { "records take" },
                if ticks == 1 { "tick" } else { "ticks" },
            );
            format!("no poll until the batch is finished: {fetch} {take} {ticks} {unit}")
        }
        Intake::Block => "no poll until the batch is finished".to_owned(),
    }
}
