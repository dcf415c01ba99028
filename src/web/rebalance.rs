//! Rebalance: the workers of two consumers over time, the drain window between them, and what the store saw.
//!
//! A turned knob rewrites the run from its start and shows the same moment again, so that a reader who drags
//! the window sees at once what a shorter one would have done.

mod bars;
mod chart;
mod handle;
mod store;

use std::{
    cell::{Cell, Ref, RefCell},
    rc::Rc,
};

use yew::prelude::*;

use self::bars::{Drain, DrainEnd, Story};
use super::{
    scene::{Counter, Effect, Scene, Stage},
    widgets::{Slider, segmented, switch},
};
use crate::{
    ids::{ConsumerId, Tick},
    mechanism::Guard,
    player::Inputs,
    presets::{Start, rebalance},
    world::{
        EndedBy, Input, Knob,
        config::{LateCommit, PauseAtAssignment, RebalanceProtocol},
    },
};

/// The longest window on offer, in ticks, as sliders count.
const LONGEST_DRAIN: u32 = rebalance::LONGEST_DRAIN as u32;

/// A run is played ahead for the drawing if it is no longer than this, in ticks.
const LONGEST_AHEAD: Tick = Tick(1_000);

#[derive(Default)]
pub(crate) struct RebalanceScene {
    ahead: RefCell<Option<Rc<Ahead>>>,
    story: RefCell<Known>,
    /// How far beside the window's edge a pointer took hold of it, in CSS pixels.
    grab: Rc<Cell<f64>>,
}

/// The run of the present settings, played out once per change, if it is short enough.
struct Ahead {
    of: (Start, Inputs),
    played: Option<Played>,
}

/// What a run comes to.
struct Played {
    story: Story,
    leaked: u64,
}

/// What has been told of the run so far, and of which run.
#[derive(Default)]
struct Known {
    of: Option<(Start, Inputs)>,
    story: Story,
}

pub(crate) enum Msg {
    Drain(u32),
    Guard(Guard),
    LateCommit(bool),
    KeepPauses(bool),
    Protocol(RebalanceProtocol),
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
        "watermark and committed offset never go back",
        "a partition is paused only while its owner's gate is closed",
        "a repeated or stale completion changes nothing",
        "what stays with its owner is not revoked",
    ];

    fn new() -> Self {
        RebalanceScene::default()
    }

    fn update(&mut self, msg: Msg, stage: &Stage<'_, Msg>) -> Effect {
        let knob = match msg {
            Msg::Drain(ticks) => Knob::Drain(ticks.min(LONGEST_DRAIN).into()),
            Msg::Guard(guard) => Knob::Guard(guard),
            Msg::LateCommit(true) => Knob::LateCommit(LateCommit::Sent),
            Msg::LateCommit(false) => Knob::LateCommit(LateCommit::Checked),
            Msg::KeepPauses(true) => Knob::PauseAtAssignment(PauseAtAssignment::Kept),
            Msg::KeepPauses(false) => Knob::PauseAtAssignment(PauseAtAssignment::Forgotten),
            Msg::Protocol(protocol) => Knob::RebalanceProtocol(protocol),
        };
        let turned = stage.start.clone().turned(&[knob]);
        if turned == *stage.start { Effect::None } else { Effect::Rewrite(turned) }
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let knobs = stage.players[0].setup().knobs();
        let (window, guard, protocol) = (drain(stage), knobs.guard, knobs.rebalance_protocol);
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
        let protocols = [
            (RebalanceProtocol::Cooperative, "cooperative", "cooperative"),
            (RebalanceProtocol::Eager, "eager", "eager"),
        ];
        html! {
            <>
                {drain.view(stage.on(Msg::Drain))}
                <div class="guard" data-part="guard">
                    {segmented("guard", "Version guard", &guards, guard, &stage.on(Msg::Guard))}
                    <p class="knob-note">{guard_note(guard)}</p>
                </div>
                <div class="protocol" data-part="protocol">
                    {segmented("protocol", "Protocol", &protocols, protocol, &stage.on(Msg::Protocol))}
                    <p class="knob-note">{protocol_note(stage, protocol)}</p>
                </div>
                <div>
                    <div data-part="late-commit">
                        {switch("late-commit", "Late commits", "an ended ownership goes on committing", sends_late(stage), stage.on(Msg::LateCommit))}
                    </div>
                    <div data-part="kept-pause">
                        {switch("keep-pauses", "Keep pauses", pauses_note(stage), keeps_pauses(stage), stage.on(Msg::KeepPauses))}
                    </div>
                </div>
            </>
        }
    }

    fn drawing(&self, stage: &Stage<'_, Msg>) -> Html {
        let story = self.story(stage);
        html! {
            <>
                {chart::view(self, stage, &story)}
                <div class="store" key="store">
                    {store::cards(stage, &story)}
                    {store::write_log(stage, &story)}
                </div>
            </>
        }
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        let counters = stage.ledger(0).counters();
        let drain_ticks = |drain: Drain| {
            let window = drain.deadline.since(drain.revoked);
            (drain.end.map_or(stage.tick(), |end| end.at).since(drain.revoked), window)
        };
        let (drained, window) = self.story(stage).drain.map_or((0, drain(stage).into()), drain_ticks);
        let late = Counter::wrong("late-commits", "late commits", counters.late_commits);
        let late = (sends_late(stage) || counters.late_commits > 0).then_some(late);
        let told = vec![
            Counter::wrong("leaked", "leaked writes", counters.leaked),
            Counter::wrong("rows-back", "rows gone back", counters.rows_back),
            Counter::plain("rejected", "writes rejected", counters.rejected),
            Counter::plain("handover-ticks", "ticks from revoke to handover", drained)
                .with_unit(format!("of {window}")),
            Counter::plain("redelivered", "records redelivered", counters.redelivered),
            Counter::plain("duplicates", "of them done before", counters.duplicates),
            Counter::plain("completed", "attempts finished", counters.completed).with_unit(
                match stage.world(0).log().len() {
                    1 => "for 1 record".to_owned(),
                    records => format!("for {records} records"),
                },
            ),
        ];
        told.into_iter().chain(late).collect()
    }

    fn sentence(&self, stage: &Stage<'_, Msg>) -> Option<(String, bool)> {
        if stage.players[0].is_over() { Some(summary(stage, &self.story(stage))) } else { stage.sentence(0) }
    }

    fn live(&self, stage: &Stage<'_, Msg>) -> Vec<(&'static str, String, bool)> {
        let so_far = stage.ledger(0).counters().leaked;
        let leaked = self.ahead(stage).played.as_ref().map_or(so_far, |played| played.leaked);
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
        if let Some(known) = known.filter(|ahead| is_of(&ahead.of, stage)) {
            return known;
        }
        let played = (player.last() <= LONGEST_AHEAD).then(|| {
            let mut player = player.clone();
            player.play_out();
            player.exhausted().is_none().then(|| Played {
                story: Story::of(player.run()),
                leaked: player.run().ledger().counters().leaked,
            })
        });
        let of = (stage.start.clone(), player.acts().clone());
        let ahead = Rc::new(Ahead { of, played: played.flatten() });
        *self.ahead.borrow_mut() = Some(ahead.clone());
        ahead
    }

    /// The story so far: going on from what was told before, where it is the same run.
    fn story(&self, stage: &Stage<'_, Msg>) -> Ref<'_, Story> {
        let player = &stage.players[0];
        {
            let mut known = self.story.borrow_mut();
            let goes_on =
                known.of.as_ref().is_some_and(|of| is_of(of, stage)) && known.story.begins(player.run());
            if !goes_on {
                *known = Known { of: Some((stage.start.clone(), player.acts().clone())), ..Known::default() };
            }
            known.story.go_on(player.run());
        }
        Ref::map(self.story.borrow(), |known| &known.story)
    }

    /// The first drain: as it will be where that is known, else as it was so far.
    fn drain(&self, stage: &Stage<'_, Msg>, so_far: &Story) -> Option<Drain> {
        self.ahead(stage).played.as_ref().map_or(so_far.drain, |played| played.story.drain)
    }

    /// What this window comes to, as far as that is known.
    fn window_note(&self, stage: &Stage<'_, Msg>) -> String {
        let ahead = self.ahead(stage);
        let drain = self.drain(stage, &self.story(stage));
        let Some((revoke, from)) = drain.map(|drain| (drain.revoked, drain.from)).or(revoke_at(stage)) else {
            return "Nobody is revoked in this run.".to_owned();
        };
        let opening = format!("{from}, revoked at tick {revoke}, may still finish what runs");
        match (drain, &ahead.played) {
            (None, None) => format!("{opening}."),
            (None, Some(_)) => format!("{from} has nothing to drain when it is revoked at tick {revoke}."),
            (Some(Drain { end: None, .. }), None) => format!("{opening}."),
            (Some(Drain { end: None, .. }), Some(_)) => {
                format!("{opening}; the run ends before the handover.")
            }
            (Some(drain @ Drain { end: Some(end), .. }), _) => match end.by {
                EndedBy::Handover => {
                    let window = drain.deadline.since(drain.revoked);
                    let all_in_time = ahead.played.as_ref().is_some_and(|played| played.all_in_time(end));
                    format!("{opening}. With {window}, {}.", too_late(end.leaked, all_in_time))
                }
                EndedBy::Crash => format!("{opening}, but dies at tick {}.", end.at),
                EndedBy::Eviction => {
                    format!("{opening}, but is evicted at tick {}: {}.", end.at, too_late(end.leaked, false))
                }
            },
        }
    }
}

impl Played {
    /// Whether no attempt of the epoch reached beyond its end.
    fn all_in_time(&self, end: DrainEnd) -> bool {
        let is_late = |bar: &bars::Bar| bar.attempt.epoch == end.epoch && self.story.late_from(bar).is_some();
        !self.story.bars().iter().any(is_late)
    }
}

/// What became of the writes of a drain.
fn too_late(leaked: u64, all_in_time: bool) -> String {
    match leaked {
        0 if all_in_time => "all that runs at the revoke finishes in time".to_owned(),
        0 => "no write comes too late".to_owned(),
        1 => "1 write comes too late".to_owned(),
        n => format!("{n} writes come too late"),
    }
}

/// Whether these are the settings and the acts of the stage.
fn is_of(of: &(Start, Inputs), stage: &Stage<'_, Msg>) -> bool {
    (&of.0, &of.1) == (stage.start, stage.players[0].acts())
}

/// The window that the run begins with, in ticks.
fn drain(stage: &Stage<'_, Msg>) -> u32 {
    u32::try_from(stage.players[0].setup().knobs().drain).unwrap_or(u32::MAX)
}

/// Whether the run begins without a check of late commits.
fn sends_late(stage: &Stage<'_, Msg>) -> bool {
    stage.players[0].setup().knobs().late_commit == LateCommit::Sent
}

/// Whether the run begins with a client that keeps pauses.
fn keeps_pauses(stage: &Stage<'_, Msg>) -> bool {
    stage.players[0].setup().knobs().pause_at_assignment == PauseAtAssignment::Kept
}

fn pauses_note(stage: &Stage<'_, Msg>) -> &'static str {
    match stage.start {
        Start::Rebalance(_) => "and the partition comes back to A at tick 18",
        _ => "beyond their assignment",
    }
}

/// What a rebalance revokes.
fn protocol_note(stage: &Stage<'_, Msg>, protocol: RebalanceProtocol) -> String {
    match (protocol, stage.start) {
        (RebalanceProtocol::Cooperative, _) => "A rebalance revokes what moves, and nothing else.".to_owned(),
        (RebalanceProtocol::Eager, Start::Rebalance(preset)) => {
            let at = preset.rebalance_at();
            format!(
                "A rebalance revokes all there is: somebody joins at tick {at}, and the owner gets its own back."
            )
        }
        (RebalanceProtocol::Eager, _) => "A rebalance revokes all there is, what stays included.".to_owned(),
    }
}

const _: () = assert!(rebalance::BACK_AT.0 == 18, "the note names it");

/// When somebody is first told to give the partition up, and who.
fn revoke_at(stage: &Stage<'_, Msg>) -> Option<(Tick, ConsumerId)> {
    let player = &stage.players[0];
    let revoke = |(tick, inputs): (&Tick, &Vec<Input>)| {
        inputs.iter().find_map(|input| match input {
            Input::Revoke { from, .. } => Some((*tick, *from)),
            _ => None,
        })
    };
    let first = |inputs: &Inputs| inputs.iter().find_map(revoke);
    [first(player.script()), first(player.acts())].into_iter().flatten().min()
}

/// What the run came to, and whether that is bad.
fn summary(stage: &Stage<'_, Msg>, story: &Story) -> (String, bool) {
    let counters = stage.ledger(0).counters();
    let (leaked, back) = (counters.leaked, counters.rows_back);
    let leaks = match (leaked, story.leaks_rejected) {
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
