//! Rebalance: the workers of two consumers over time, the drain window between them, and what the store saw.
//!
//! A turned knob rewrites the run from its start and shows the same moment again, so that a reader who drags
//! the window sees at once what a shorter one would have done.

mod bars;
mod chart;
mod handle;
mod store;

use std::{cell::Cell, rc::Rc};

use yew::prelude::*;

use self::bars::{Bar, Story};
use super::{
    scene::{Counter, Effect, Scene, Stage},
    widgets::{Slider, segmented},
};
use crate::{
    mechanism::Guard,
    player::Player,
    presets::rebalance::{REVOKE_AT, Rebalance},
    world::ConfigError,
};

/// The longest window on offer, in ticks.
const LONGEST_DRAIN: u32 = 10;

pub(crate) struct RebalanceScene {
    preset: Rebalance,
    ahead: Ahead,
    /// How far beside the window's edge a pointer took hold of it, in CSS pixels.
    grab: Rc<Cell<f64>>,
}

/// The run of the present settings, played out once per change.
#[derive(Default)]
struct Ahead {
    bars: Vec<Bar>,
    leaked: u64,
}

pub(crate) enum Msg {
    Drain(u32),
    Guard(Guard),
}

impl Scene for RebalanceScene {
    type Msg = Msg;
    const NAME: &'static str = "rebalance";
    const LABEL: &'static str = "Simulation: rebalance";
    const TRY: &'static str =
        "press play; then drag the end of the drain window from 7 ticks to 2, and switch the guard off.";
    const BADGES: &'static [&'static str] = &[
        "no write lands after the handover",
        "a row's version never goes back",
        "after a revoke the old owner starts nothing",
        "nothing after the fence changes tracker or commit",
        "a repeated or stale completion changes nothing",
    ];

    fn opening() -> Self {
        let preset = Rebalance::default();
        RebalanceScene { ahead: Ahead::of(&preset), preset, grab: Rc::default() }
    }

    fn players(&self) -> Result<Vec<Player>, ConfigError> {
        Ok(vec![self.preset.player()?])
    }

    fn update(&mut self, msg: Msg, _stage: &Stage<'_, Msg>) -> Effect {
        let before = self.preset.clone();
        match msg {
            Msg::Drain(ticks) => self.preset.drain = ticks.min(LONGEST_DRAIN).into(),
            Msg::Guard(guard) => self.preset.guard = guard,
        }
        if self.preset == before {
            return Effect::None;
        }
        self.ahead = Ahead::of(&self.preset);
        Effect::Rewrite
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let drain = Slider {
            knob: "drain",
            name: "Drain window",
            unit: if self.preset.drain == 1 { "tick" } else { "ticks" },
            note: self.window_note().into(),
            range: (0, LONGEST_DRAIN),
            value: self.drain(),
            part: "drain-window",
        };
        let guards = [
            (Guard::Off, "off", "off"),
            (Guard::Newer, "newer", "newer"),
            (Guard::NotOlder, "not-older", "not older"),
        ];
        let guard = self.preset.guard;
        html! {
            <>
                {drain.view(stage.on(Msg::Drain))}
                <div class="guard" data-part="guard">
                    {segmented("guard", "Version guard", &guards, guard, &stage.on(Msg::Guard))}
                    <p class="knob-note">{guard_note(guard)}</p>
                </div>
            </>
        }
    }

    fn drawing(&self, stage: &Stage<'_, Msg>) -> Html {
        let story = Story::of(stage.players[0].run());
        html! {
            <>
                {chart::view(self, stage, &story)}
                <div class="store" key="store">
                    {store::cards(stage)}
                    {store::write_log(stage)}
                </div>
            </>
        }
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        let counters = stage.ledger(0).counters();
        let story = Story::of(stage.players[0].run());
        let drained = story.revoked.map_or(0, |begun| story.fenced.unwrap_or(stage.tick()).since(begun));
        vec![
            Counter::wrong("leaked", "leaked writes", counters.leaked),
            Counter::wrong("rows-back", "rows gone back", counters.rows_back),
            Counter::plain("rejected", "writes rejected", counters.rejected),
            Counter::plain("handover-ticks", "ticks from revoke to handover", drained)
                .with_unit(format!("of {}", self.preset.drain)),
            Counter::plain("redelivered", "records redelivered", counters.redelivered),
            Counter::plain("duplicates", "of them done before", counters.duplicates),
            Counter::plain("completed", "attempts finished", counters.completed)
                .with_unit(format!("for {} records", stage.world(0).log().len())),
        ]
    }

    fn sentence(&self, stage: &Stage<'_, Msg>) -> Option<(String, bool)> {
        if stage.players[0].is_over() { Some(summary(stage)) } else { stage.sentence(0) }
    }

    fn live(&self, _stage: &Stage<'_, Msg>) -> Vec<(&'static str, String, bool)> {
        vec![
            ("rebalance.drain", self.preset.drain.to_string(), false),
            ("rebalance.leaks", self.ahead.leaked.to_string(), self.ahead.leaked > 0),
        ]
    }
}

impl RebalanceScene {
    /// The window in force, in ticks.
    fn drain(&self) -> u32 {
        u32::try_from(self.preset.drain).unwrap_or(LONGEST_DRAIN)
    }

    /// What this window comes to at the end of the run.
    fn window_note(&self) -> String {
        let outcome = match self.ahead.leaked {
            0 => "all that runs at the revoke finishes in time".to_owned(),
            1 => "1 write comes too late".to_owned(),
            n => format!("{n} writes come too late"),
        };
        format!(
            "A, revoked at tick {REVOKE_AT}, may still finish what runs. With {}, {outcome}.",
            self.drain()
        )
    }
}

impl Ahead {
    fn of(preset: &Rebalance) -> Ahead {
        let Ok(mut player) = preset.player() else { return Ahead::default() };
        player.play_out();
        let leaked = player.run().ledger().counters().leaked;
        Ahead { bars: Story::of(player.run()).bars, leaked }
    }
}

/// What the run came to, and whether that is bad.
fn summary(stage: &Stage<'_, Msg>) -> (String, bool) {
    let counters = stage.ledger(0).counters();
    let (leaked, back) = (counters.leaked, counters.rows_back);
    let leaks = match (leaked, store::leaks_rejected(stage)) {
        (0, _) => "no write leaked".to_owned(),
        (1, 0) => "1 write leaked and was accepted".to_owned(),
        (1, _) => "1 write leaked and was rejected".to_owned(),
        (n, 0) => format!("{n} writes leaked, none was rejected"),
        (n, rejected) if n == rejected => format!("{n} writes leaked, all {n} were rejected"),
        (n, rejected) => format!("{n} writes leaked, {rejected} of them rejected"),
    };
    let rows = match back {
        0 => "no row went back".to_owned(),
        1 => "1 row went back".to_owned(),
        n => format!("{n} rows went back"),
    };
    (format!("At the end: {leaks}, {rows}."), leaked + back > 0)
}

fn guard_note(guard: Guard) -> &'static str {
    match guard {
        Guard::Off => "The last write wins, however old.",
        Guard::Newer => "A row accepts a version above its own.",
        Guard::NotOlder => "A row accepts its own version again, and any above.",
    }
}
