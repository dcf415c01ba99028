//! The commit watermark: a grid of records to finish in any order, and what a crash would make of it.
//!
//! Settings and controls only: what each cell shows is read off the world in `cells`, and drawn in `grid` and
//! `promise`. Where a finger or a key goes is the reader's, so the roving focus is a setting of the panel.

mod cells;
mod grid;
mod promise;

use yew::prelude::*;

use super::{
    scene::{Counter, Effect, Scene, Stage, capitalised},
    widgets::{Slider, segmented, switch},
};
use crate::{
    ids::{ConsumerId, Offset},
    ledger::{Event, Weight},
    presets::{
        Start,
        watermark::{LONGEST_COMMIT_EVERY, LONGEST_QUARANTINE, Watermark},
    },
    world::{
        Fact, Ignored, Input, Knob, Knobs, World,
        config::{CommitOffset, Quarantine, Then},
    },
};

/// Sentences of one tick at most.
const SENTENCES: usize = 3;

pub(crate) struct WatermarkScene {
    /// The next cell tapped is poisoned.
    poisoning: bool,
    /// The one cell of the grid that the Tab key reaches.
    reached: Option<Offset>,
    /// What the last quarantine did with the rest of its key, for when there is one again.
    then: Then,
}

pub(crate) enum Msg {
    Commit(CommitOffset),
    AckMap(bool),
    Every(u32),
    Quarantine(u32),
    TapsItself(bool),
    Tap(Offset),
    Reach(Offset),
    Poison(bool),
    FinishOthers,
    Crash,
    Restart,
}

impl Scene for WatermarkScene {
    type Msg = Msg;
    const LABEL: &'static str = "Simulation: watermark";
    const TRY: &'static str = "tap cells out of order, leave the first one open, then press Crash.";
    const BADGES: &'static [&'static str] = &[
        "nothing below the committed offset is unfinished",
        "committed <= watermark <= position",
        "watermark and committed offset never go back",
        "a repeated or stale completion changes nothing",
        "every polled record is in exactly one state",
    ];

    fn new() -> Self {
        WatermarkScene { poisoning: false, reached: None, then: Then::Continue }
    }

    fn update(&mut self, msg: Msg, stage: &Stage<'_, Msg>) -> Effect {
        let up = stage.world(0).owner().is_some();
        match msg {
            Msg::Commit(commit) => Effect::Turn(vec![Knob::CommitOffset(commit)]),
            Msg::AckMap(on) => Effect::Turn(vec![Knob::AckMap(on)]),
            Msg::Every(ticks) => Effect::Turn(vec![Knob::CommitEvery(ticks.into())]),
            Msg::Quarantine(ticks) => {
                self.then = knobs(stage).quarantine.map_or(self.then, |quarantine| quarantine.then);
                let quarantine = Quarantine { after: ticks.into(), then: self.then };
                // One beyond the longest stands for never.
                let is_never = ticks > longest_quarantine(stage);
                Effect::Turn(vec![Knob::Quarantine((!is_never).then_some(quarantine))])
            }
            Msg::TapsItself(on) => match stage.start {
                Start::Watermark(preset) => {
                    Effect::Settle(Start::Watermark(Watermark { taps_itself: on, ..preset.clone() }))
                }
                _ => Effect::None,
            },
            Msg::Poison(on) => self.redraw(|scene| scene.poisoning = on),
            Msg::Reach(offset) => self.redraw(|scene| scene.reached = Some(offset)),
            Msg::Tap(offset) => {
                self.reached = Some(offset);
                let poisons = std::mem::take(&mut self.poisoning);
                Effect::Act(vec![if poisons { Input::Poison(offset) } else { Input::Complete(offset) }])
            }
            Msg::FinishOthers => Effect::Act(all_open_but_the_first(stage.world(0))),
            Msg::Crash if up => Effect::Act(vec![Input::Crash(ConsumerId::A)]),
            Msg::Restart if !up => Effect::Act(vec![Input::Restart(ConsumerId::A)]),
            Msg::Crash | Msg::Restart => Effect::None,
        }
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let commits = [
            (CommitOffset::Watermark, "watermark", "the watermark"),
            (CommitOffset::Highest, "highest", "the highest finished + 1"),
        ];
        let knobs = knobs(stage);
        let quarantine = quarantine_slider(&knobs, stage);
        let never = knobs.quarantine.is_none().then_some("never");
        let taps = taps_itself(stage);
        html! {
            <>
                {segmented("commit", "A commit names", &commits, knobs.commit_offset, &stage.on(Msg::Commit))}
                {every_slider(&knobs).view(stage.on(Msg::Every))}
                {quarantine.saying(never, stage.on(Msg::Quarantine))}
                <div class="wm-switches">
                    <span data-part="ack-map">
                        {switch("ack-map", "Acknowledgement map", "travels with the commit", knobs.ack_map, stage.on(Msg::AckMap))}
                    </span>
                    {for taps.map(|taps| switch("autopilot", "Tap for me", "one cell a tick while playing; the seed sets only their order", taps, stage.on(Msg::TapsItself)))}
                </div>
            </>
        }
    }

    fn drawing(&self, stage: &Stage<'_, Msg>) -> Html {
        let world = stage.world(0);
        let down = world.owner().is_none();
        let escaped = |event: KeyboardEvent| (event.key() == "Escape").then_some(Msg::Poison(false));
        let onkeydown = super::widgets::reading(escaped, stage.send.clone());
        html! {
            <div class="wm" data-down={down.then_some("")} data-poisoning={self.poisoning.then_some("")} {onkeydown}>
                {grid::view(stage, self.reached.unwrap_or(world.log().start()))}
                {promise::line(world, stage.ledger(0))}
                <div class="wm-side">
                    {promise::buttons(stage, self.poisoning)}
                    {promise::metadata(world)}
                </div>
            </div>
        }
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        let (world, counters) = (stage.world(0), stage.ledger(0).counters());
        let committed = world.broker().committed();
        let in_flight = world.owner().map_or(0, |(_, session)| session.in_flight());
        // What a process knows is gone with it; a restarted one begins at the committed offset.
        let known = |name, label, offset: Option<Offset>| {
            let counter = Counter::plain(name, label, number(offset.unwrap_or(committed)));
            if offset.is_some() { counter } else { counter.with_unit("on restart") }
        };
        vec![
            Counter::plain("committed", "committed", number(committed)).of_part("committed"),
            known("watermark", "watermark", world.watermark()).of_part("watermark"),
            known("position", "position", world.position()),
            Counter::plain("in-flight", "in flight", in_flight).of_part("in-flight"),
            Counter::plain("completed", "completions", counters.completed).of_part("done"),
            Counter::plain("quarantined", "quarantined", counters.quarantined).of_part("quarantined"),
            Counter::plain("redelivered", "came again", counters.redelivered).of_part("redelivered"),
            Counter::plain("duplicates", "already done", counters.duplicates).with_unit("of these"),
            Counter::wrong("lost", "lost", counters.lost),
        ]
    }

    fn sentence(&self, stage: &Stage<'_, Msg>) -> Option<(String, bool)> {
        let events = stage.events_now(0);
        let bad = events.iter().any(|event| event.weight() == Weight::Wrong);
        if let Some(offset) = tapped_in_vain(events) {
            return Some((grid::why_nothing_happened(stage, offset), false));
        }
        let log = stage.world(0).log();
        let told: Vec<String> = events
            .iter()
            .filter(|event| is_told(event))
            .take(SENTENCES)
            .map(|event| capitalised(&event.telling(log)))
            .collect();
        (!told.is_empty()).then(|| (told.join(" "), bad))
    }
}

impl WatermarkScene {
    fn redraw(&mut self, change: impl FnOnce(&mut Self)) -> Effect {
        change(self);
        Effect::Redraw
    }
}

/// The knobs as the next tick has them.
fn knobs(stage: &Stage<'_, Msg>) -> Knobs {
    stage.players.first().map(crate::player::Player::knobs).unwrap_or_default()
}

/// Whether the panel taps for the reader, where it can.
fn taps_itself(stage: &Stage<'_, Msg>) -> Option<bool> {
    match stage.start {
        Start::Watermark(preset) => Some(preset.taps_itself),
        _ => None,
    }
}

fn every_slider(knobs: &Knobs) -> Slider {
    let value = small(knobs.commit_every);
    Slider {
        knob: "commit-every",
        name: "Commit every",
        unit: if value == 1 { "tick" } else { "ticks" },
        note: "more often: less comes again".into(),
        range: (1, small(LONGEST_COMMIT_EVERY).max(value)),
        value,
        part: "",
    }
}

/// The quarantine, up to the longest on offer; and one place beyond it where a run may do without: the preset's
/// settings always name a number of ticks.
fn quarantine_slider(knobs: &Knobs, stage: &Stage<'_, Msg>) -> Slider {
    let longest = longest_quarantine(stage);
    let may_be_never = knobs.quarantine.is_none() || matches!(stage.start, Start::Brought(..));
    let value = knobs.quarantine.map_or(longest + 1, |quarantine| small(quarantine.after));
    Slider {
        knob: "quarantine",
        name: "Quarantine after",
        unit: if value == 1 { "tick" } else { "ticks" },
        note: "from first failure to dead letter".into(),
        range: (1, longest + u32::from(may_be_never)),
        value,
        part: "quarantined",
    }
}

/// The quarantines that the run has had: now, and at its beginning.
fn quarantines(stage: &Stage<'_, Msg>) -> impl Iterator<Item = Quarantine> {
    let began = stage.players.first().and_then(|player| player.setup().knobs().quarantine);
    [knobs(stage).quarantine, began].into_iter().flatten()
}

/// The longest quarantine on offer, in ticks: a scenario may have a longer one than the preset.
fn longest_quarantine(stage: &Stage<'_, Msg>) -> u32 {
    let own = quarantines(stage).map(|quarantine| small(quarantine.after)).max().unwrap_or(0);
    // There is always a place beyond it.
    own.clamp(small(LONGEST_QUARANTINE), u32::MAX - 1)
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn number(offset: Offset) -> u64 {
    u64::try_from(offset.0).unwrap_or_default()
}

/// Everything in flight that could be finished now, except the lowest.
fn all_open_but_the_first(world: &World) -> Vec<Input> {
    let Some((_, session)) = world.owner() else { return Vec::new() };
    let open = session.tracker().iter().map(|(offset, _)| offset).skip(1);
    open.filter(|&offset| !world.is_poisoned(offset)).map(Input::Complete).collect()
}

/// Whether an event belongs into the sentence of its tick: what was done, and how far the promise moved.
fn is_told(event: &Event) -> bool {
    match &event.fact {
        // Each has a fact of its own that says more; and the rows are another panel's.
        Fact::Input(Input::Crash(_) | Input::Restart(_) | Input::Set(_)) => false,
        Fact::Crashed { .. } | Fact::Wrote { .. } => false,
        Fact::WatermarkNoted { .. } | Fact::Committed { .. } | Fact::Polled { .. } | Fact::Input(_) => true,
        Fact::Failed { .. } | Fact::Ignored(_) => true,
        _ => event.weight() > Weight::Plain,
    }
}

/// The offset of a tap that nothing came of.
fn tapped_in_vain(events: &[Event]) -> Option<Offset> {
    events.windows(2).find_map(|pair| match pair {
        [
            Event { fact: Fact::Input(Input::Complete(offset)), .. },
            Event { fact: Fact::Ignored(Ignored::NotRunning), .. },
        ] => Some(*offset),
        _ => None,
    })
}
