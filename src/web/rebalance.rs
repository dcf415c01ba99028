//! Rebalance: the workers of two consumers over time, the drain window between them, and what the store saw.
//!
//! A turned knob rewrites the run from its start and shows the same moment again, so that a reader who drags
//! the window sees at once what a shorter one would have done.

mod bars;
mod chart;
mod handle;
mod store;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use yew::prelude::*;

use self::bars::{Bar, Story};
use super::{
    scene::{Counter, Effect, Scene, Stage},
    widgets::{Slider, segmented},
};
use crate::{
    ids::Tick,
    mechanism::Guard,
    player::Inputs,
    presets::Start,
    world::{Input, Knob},
};

/// The longest window on offer, in ticks.
const LONGEST_DRAIN: u32 = 10;

/// A run is played ahead for the drawing if it is no longer than this, in ticks.
const LONGEST_AHEAD: Tick = Tick(1_000);

#[derive(Default)]
pub(crate) struct RebalanceScene {
    ahead: RefCell<Option<Rc<Ahead>>>,
    /// How far beside the window's edge a pointer took hold of it, in CSS pixels.
    grab: Rc<Cell<f64>>,
}

/// The run of the present settings, played out once per change.
#[derive(Default)]
struct Ahead {
    of: Option<(Start, Inputs)>,
    bars: Vec<Bar>,
    leaked: u64,
}

pub(crate) enum Msg {
    Drain(u32),
    Guard(Guard),
}

impl Scene for RebalanceScene {
    type Msg = Msg;
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

    fn new() -> Self {
        RebalanceScene::default()
    }

    fn update(&mut self, msg: Msg, stage: &Stage<'_, Msg>) -> Effect {
        let knob = match msg {
            Msg::Drain(ticks) => Knob::Drain(ticks.min(LONGEST_DRAIN).into()),
            Msg::Guard(guard) => Knob::Guard(guard),
        };
        let turned = stage.start.clone().turned(&[knob]);
        if turned == *stage.start { Effect::None } else { Effect::Rewrite(turned) }
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let (window, guard) = (drain(stage), stage.players[0].setup().knobs().guard);
        let drain = Slider {
            knob: "drain",
            name: "Drain window",
            unit: if window == 1 { "tick" } else { "ticks" },
            note: self.window_note(stage).into(),
            range: (0, LONGEST_DRAIN),
            value: window,
            part: "drain-window",
        };
        let guards = [
            (Guard::Off, "off", "off"),
            (Guard::Newer, "newer", "newer"),
            (Guard::NotOlder, "not-older", "not older"),
        ];
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
                .with_unit(format!("of {}", drain(stage))),
            Counter::plain("redelivered", "records redelivered", counters.redelivered),
            Counter::plain("duplicates", "of them done before", counters.duplicates),
            Counter::plain("completed", "attempts finished", counters.completed)
                .with_unit(format!("for {} records", stage.world(0).log().len())),
        ]
    }

    fn sentence(&self, stage: &Stage<'_, Msg>) -> Option<(String, bool)> {
        if stage.players[0].is_over() { Some(summary(stage)) } else { stage.sentence(0) }
    }

    fn live(&self, stage: &Stage<'_, Msg>) -> Vec<(&'static str, String, bool)> {
        let leaked = self.ahead(stage).leaked;
        vec![
            ("rebalance.drain", drain(stage).to_string(), false),
            ("rebalance.leaks", leaked.to_string(), leaked > 0),
        ]
    }
}

impl RebalanceScene {
    /// The run of the present settings, played out.
    fn ahead(&self, stage: &Stage<'_, Msg>) -> Rc<Ahead> {
        let player = &stage.players[0];
        let known = self.ahead.borrow().clone();
        let is_of = |ahead: &Rc<Ahead>| {
            ahead.of.as_ref().is_some_and(|(start, acts)| (start, acts) == (stage.start, player.acts()))
        };
        if let Some(known) = known.filter(is_of) {
            return known;
        }
        let mut ahead = Ahead { of: Some((stage.start.clone(), player.acts().clone())), ..Ahead::default() };
        if player.last() <= LONGEST_AHEAD {
            let mut player = player.clone();
            player.play_out();
            ahead.leaked = player.run().ledger().counters().leaked;
            ahead.bars = Story::of(player.run()).bars;
        }
        let ahead = Rc::new(ahead);
        *self.ahead.borrow_mut() = Some(ahead.clone());
        ahead
    }

    /// What this window comes to at the end of the run.
    fn window_note(&self, stage: &Stage<'_, Msg>) -> String {
        let Some(revoke) = revoke_at(stage) else {
            return "Nobody is revoked in this run.".to_owned();
        };
        let outcome = match self.ahead(stage).leaked {
            0 => "all that runs at the revoke finishes in time".to_owned(),
            1 => "1 write comes too late".to_owned(),
            n => format!("{n} writes come too late"),
        };
        format!("A, revoked at tick {revoke}, may still finish what runs. With {}, {outcome}.", drain(stage))
    }
}

/// The window that the run begins with, in ticks.
fn drain(stage: &Stage<'_, Msg>) -> u32 {
    u32::try_from(stage.players[0].setup().knobs().drain).unwrap_or(u32::MAX)
}

/// When the run first takes the partition from somebody.
fn revoke_at(stage: &Stage<'_, Msg>) -> Option<Tick> {
    let player = &stage.players[0];
    let revokes = |(tick, inputs): (&Tick, &Vec<Input>)| {
        inputs.iter().any(|input| matches!(input, Input::Revoke { .. })).then_some(*tick)
    };
    let first = |inputs: &Inputs| inputs.iter().find_map(revokes);
    [first(player.script()), first(player.acts())].into_iter().flatten().min()
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
