//! Backpressure: three modes of intake at the same rates, each a run of its own on one clock.
//!
//! The mode only chooses which run is in front: nothing starts over, and the others stay in the chart.

mod chart;
mod glance;
mod surface;
mod tank;

use yew::prelude::*;

use self::{
    glance::{Gate, Glance},
    surface::Surface,
};
use super::{
    scene::{Counter, Effect, Scene, Stage},
    widgets::{Slider, segmented},
};
use crate::{
    player::Player,
    presets::backpressure::{
        Backpressure, CEILING, HIGH, LOW, MAX_POLL_INTERVAL, MODES, MOST_DRAIN, MOST_FETCH,
    },
    world::{ConfigError, Input, Knob, config::Intake},
};

/// What the modes are called, in the order of [`MODES`].
const NAMES: [&str; 3] = ["pause", "unbounded", "block"];

/// The highest depth that can be: a poll may find the heap full to the ceiling and bring this much.
const TOP: u64 = CEILING + MOST_FETCH;

/// The lines across the tank and the chart: what each is called, its part, and how many records it stands for.
const LEVELS: [(&str, &str, u64); 3] =
    [("ceiling", "ceiling", CEILING), ("high", "high", HIGH), ("low", "low", LOW)];

pub(crate) struct BackpressureScene {
    /// What the sliders show, and what a restart begins with.
    preset: Backpressure,
    /// The mode in front, by its place in [`MODES`].
    mode: usize,
    surface: Option<Surface>,
}

pub(crate) enum Msg {
    Mode(usize),
    Fetch(u32),
    Drain(u32),
    /// The canvas has another size, or the page other colours.
    Resurface,
}

impl Scene for BackpressureScene {
    type Msg = Msg;
    const NAME: &'static str = "backpressure";
    const LABEL: &'static str = "Simulation: backpressure";
    const TRY: &'static str = "press play, then choose another mode: the three run side by side.";
    const BADGES: &'static [&'static str] = &[
        "in flight stays below high + poll",
        "in flight never exceeds the heap ceiling",
        "a poll at least every max.poll.interval",
        "no write lands after the handover",
        "watermark and committed offset never go back",
    ];

    fn opening() -> Self {
        BackpressureScene { preset: Backpressure::default(), mode: 0, surface: None }
    }

    fn players(&self) -> Result<Vec<Player>, ConfigError> {
        MODES.into_iter().map(|mode| self.preset.player(mode)).collect()
    }

    fn main(&self) -> usize {
        self.mode
    }

    fn update(&mut self, msg: Msg, _stage: &Stage<'_, Msg>) -> Effect {
        match msg {
            Msg::Mode(mode) => {
                self.mode = mode.min(MODES.len() - 1);
                Effect::Redraw
            }
            Msg::Fetch(fetch) => {
                self.preset.fetch = fetch.into();
                Effect::Turn(vec![Knob::Poll(self.preset.fetch)])
            }
            Msg::Drain(drain) => {
                self.preset.drain = drain;
                Effect::Turn(vec![Knob::Workers(drain)])
            }
            Msg::Resurface => {
                if let Some(surface) = &mut self.surface {
                    surface.outdated();
                }
                Effect::Redraw
            }
        }
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let Backpressure { fetch, drain, .. } = rates(stage);
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
            unit: "records per tick",
            note: workers_note(drain).into(),
            range: (1, MOST_DRAIN),
            value: drain,
            part: "drain-rate",
        };
        html! {
            <>
                <div class="mode-knob">
                    {segmented("mode", "Intake", &modes, self.mode, &stage.on(Msg::Mode))}
                    <p class="knob-note mode-note">{mode_note(MODES[self.mode], fetch, drain)}</p>
                </div>
                {fetches.view(stage.on(Msg::Fetch))}
                {drains.view(stage.on(Msg::Drain))}
            </>
        }
    }

    fn drawing(&self, stage: &Stage<'_, Msg>) -> Html {
        let glance = Glance::of(stage, self.mode);
        let Backpressure { fetch, drain, .. } = rates(stage);
        let style = format!("--top:{TOP};--ceiling:{CEILING};--fetch:{fetch};--drain:{drain}");
        html! {
            <div class="depth" {style}>
                {tank::head(&glance)}
                {tank::view(stage, self.mode, &glance)}
                {chart::view(stage, self.mode)}
                <p class="drawing-label depth-note">
                    {format!("One poll a tick. The records have no key: they are grey, and none waits for another. \
                        High mark {HIGH}, low mark {LOW}, heap {CEILING} records, ")}
                    <code>{"max.poll.interval"}</code>{format!(" {MAX_POLL_INTERVAL} ticks.")}
                </p>
            </div>
        }
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        let counters = stage.ledger(self.mode).counters();
        let glance = Glance::of(stage, self.mode);
        let since_poll = Counter::plain("ticks-since-poll", "ticks since the last poll", glance.since_poll)
            .with_unit(if glance.gate == Gate::Down { "at death" } else { "" });
        vec![
            Counter::plain("in-flight", "in flight", glance.in_flight),
            Counter::plain("peak-in-flight", "peak in flight", counters.peak_in_flight),
            Counter::plain("pauses", "pauses", counters.pauses),
            Counter::plain("resumes", "resumes", counters.resumes),
            Counter { bad: glance.evicted.is_some(), ..since_poll },
            Counter::wrong("evictions", "evictions", counters.evictions),
            Counter::wrong("crashes", "crashes", counters.crashes),
            Counter::plain("completed", "completed", counters.completed),
        ]
    }

    fn sentence(&self, stage: &Stage<'_, Msg>) -> Option<(String, bool)> {
        glance::sentence(stage, self.mode)
    }

    fn live(&self, _stage: &Stage<'_, Msg>) -> Vec<(&'static str, String, bool)> {
        let quoted =
            [("backpressure.high", HIGH), ("backpressure.low", LOW), ("backpressure.ceiling", CEILING)];
        quoted.into_iter().map(|(name, value)| (name, value.to_string(), false)).collect()
    }

    fn drawn(&mut self, stage: &Stage<'_, Msg>, panel: &web_sys::Element) {
        // After going back the sliders show what was in force then; so does a restart.
        self.preset = rates(stage);
        if self.surface.as_ref().is_none_or(|surface| !surface.is_in(panel)) {
            self.surface = Surface::find(panel, stage.on(|()| Msg::Resurface));
        }
        if let Some(surface) = &mut self.surface {
            surface.paint(&chart::data(stage, self.mode));
        }
    }
}

/// The rates from the next tick on: those in force, unless a slider was moved since.
fn rates(stage: &Stage<'_, Msg>) -> Backpressure {
    let knobs = stage.world(0).knobs();
    let mut rates = Backpressure { fetch: knobs.poll, drain: knobs.workers, ..Backpressure::default() };
    let Some(player) = stage.players.first() else { return rates };
    for input in player.acts().get(&player.now()).into_iter().flatten() {
        let Input::Set(knobs) = input else { continue };
        for knob in knobs {
            match *knob {
                Knob::Poll(fetch) => rates.fetch = fetch,
                Knob::Workers(drain) => rates.drain = drain,
                _ => {}
            }
        }
    }
    rates
}

fn workers_note(workers: u32) -> String {
    let unit = if workers == 1 { "worker" } else { "workers" };
    format!("{workers} {unit}, one tick per record")
}

fn mode_note(mode: Intake, fetch: u64, drain: u32) -> String {
    match mode {
        Intake::Pause { high, low } => {
            // Not broken across lines: a sum.
            let most = format!("{high}\u{a0}−\u{a0}1\u{a0}+\u{a0}{fetch}\u{a0}=\u{a0}{}", high - 1 + fetch);
            format!("no records from {high} in flight until {low} are left: at most {most}")
        }
        Intake::Unbounded => "every poll takes records, whatever is in flight".to_owned(),
        Intake::Block => {
            let ticks = fetch.div_ceil(u64::from(drain.max(1)));
            let unit = if ticks == 1 { "tick" } else { "ticks" };
            format!("no poll until the batch is finished: {fetch} records take {ticks} {unit}")
        }
    }
}
