//! What a panel is to the shell that plays it: controls, a drawing, numbers.
//!
//! A scene draws branches of a deck; it never changes one. What a control should do it says as an [`Effect`],
//! and the shell, which owns the deck, does it. A scene's own fields are the reader's hand (a cell in focus, a
//! canvas), never a setting: those belong to the deck's start, so that a link can name them.

use std::any::Any;

use yew::{Callback, Html};

use crate::{
    deck::Branch,
    ids::Tick,
    ledger::{Event, Ledger},
    player::Player,
    presets::Start,
    world::{Fact, Input, Knob, World},
};

/// One panel.
pub(crate) trait Scene: Sized + 'static {
    /// What its controls say.
    type Msg: 'static;

    /// Its name for a screen reader.
    const LABEL: &'static str;
    /// One line: what to try.
    const TRY: &'static str;
    /// The invariants it is about, by their sentences.
    const BADGES: &'static [&'static str];

    /// With nothing in hand.
    fn new() -> Self;

    /// The runs with badges, and what each is called if there are several.
    fn judged(&self, start: &Start) -> Vec<(usize, &'static str)> {
        vec![(start.front(), "")]
    }

    /// A control was used.
    fn update(&mut self, msg: Self::Msg, stage: &Stage<'_, Self::Msg>) -> Effect;

    /// The settings.
    fn knobs(&self, stage: &Stage<'_, Self::Msg>) -> Html;

    /// The picture.
    fn drawing(&self, stage: &Stage<'_, Self::Msg>) -> Html;

    /// The numbers below it.
    fn counters(&self, stage: &Stage<'_, Self::Msg>) -> Vec<Counter>;

    /// What belongs to these numbers and is none: a bar, a line of explanation.
    fn below(&self, _stage: &Stage<'_, Self::Msg>) -> Html {
        Html::default()
    }

    /// What this tick comes to, and whether that is bad; by default the weightiest event of the run in front.
    fn sentence(&self, stage: &Stage<'_, Self::Msg>) -> Option<(String, bool)> {
        stage.sentence(stage.front())
    }

    /// The numbers that the article quotes: `data-live` name, text, and whether it is bad.
    fn live(&self, _stage: &Stage<'_, Self::Msg>) -> Vec<(&'static str, String, bool)> {
        Vec::new()
    }

    /// The picture is in the document: time for a canvas. `place` is the element that it is in.
    fn drawn(&mut self, _stage: &Stage<'_, Self::Msg>, _place: &web_sys::Element) {}
}

/// What a control does to the runs.
pub(crate) enum Effect {
    /// Nothing to see.
    None,
    /// Only the drawing changes.
    Redraw,
    /// Settings that change nothing in the runs.
    Settle(Start),
    /// Start over from other settings (another log).
    Restart(Start),
    /// The same moment under other settings, as if they had been so from the start.
    Rewrite(Start),
    /// Knobs have new values from the next tick on; before anything happened, from the start.
    Turn(Vec<Knob>),
    /// Act, and execute the tick in which the inputs act, so that the reader sees it; with none nothing happens.
    Act(Vec<Input>),
}

/// A number with a name.
pub(crate) struct Counter {
    /// Its name in the markup: `order-breaks`.
    pub(crate) name: &'static str,
    /// Its name for the reader.
    pub(crate) label: &'static str,
    /// The plain number.
    pub(crate) value: u64,
    /// What stands small behind it: a unit, or what it is measured against.
    pub(crate) unit: String,
    /// Whether a value above 0 is something gone wrong.
    pub(crate) bad: bool,
    /// The `data-part` that it belongs to, or nothing.
    pub(crate) part: &'static str,
}

impl Counter {
    /// A number that only counts.
    pub(crate) fn plain(name: &'static str, label: &'static str, value: u64) -> Counter {
        Counter { name, label, value, unit: String::new(), bad: false, part: "" }
    }

    /// A number that is red as soon as it is not 0.
    pub(crate) fn wrong(name: &'static str, label: &'static str, value: u64) -> Counter {
        Counter { bad: value > 0, ..Counter::plain(name, label, value) }
    }

    /// The same with something small behind it.
    pub(crate) fn with_unit(self, unit: impl Into<String>) -> Counter {
        Counter { unit: unit.into(), ..self }
    }

    /// The same, lit up by the article's words for that part.
    pub(crate) fn of_part(self, part: &'static str) -> Counter {
        Counter { part, ..self }
    }
}

/// A branch of the deck as a scene may look at it.
pub(crate) struct Stage<'a, M: 'static> {
    /// What the runs started from.
    pub(crate) start: &'a Start,
    pub(crate) players: &'a [Player],
    /// Whether ticks are being played.
    pub(crate) playing: bool,
    /// Where controls send their messages.
    pub(crate) send: Callback<M>,
}

impl<'a, M: 'static> Stage<'a, M> {
    /// A branch of the deck.
    pub(crate) fn of(branch: &'a Branch, playing: bool, send: Callback<M>) -> Stage<'a, M> {
        Stage { start: branch.start(), players: branch.runs(), playing, send }
    }

    /// Which of the runs the panel is about.
    pub(crate) fn front(&self) -> usize {
        self.start.front()
    }

    /// One of the runs' world.
    pub(crate) fn world(&self, player: usize) -> &World {
        self.players[player].run().world()
    }

    /// One of the runs' ledger.
    pub(crate) fn ledger(&self, player: usize) -> &Ledger {
        self.players[player].run().ledger()
    }

    /// The tick executed last.
    pub(crate) fn tick(&self) -> Tick {
        let executed = self.players.iter().map(Player::now).max().unwrap_or_default();
        Tick(executed.0.saturating_sub(1))
    }

    /// The events of the tick executed last.
    pub(crate) fn events_now(&self, player: usize) -> &[Event] {
        self.ledger(player).events_from(self.tick())
    }

    /// The weightiest event of the tick executed last, as a sentence, and whether it is bad.
    pub(crate) fn sentence(&self, player: usize) -> Option<(String, bool)> {
        let events = self.events_now(player);
        // The first of the weightiest: what comes later in a tick follows from what came before. But what an
        // input led to says more than the input.
        let says = |event: &&Event| (event.weight(), !matches!(event.fact, Fact::Input(_)));
        let event = events.iter().rev().max_by_key(says)?;
        let bad = event.weight() == crate::ledger::Weight::Wrong;
        let telling = capitalised(&event.telling(self.world(player).log()));
        Some((telling, bad))
    }

    /// A callback that turns an event's value into a message.
    pub(crate) fn on<T: 'static>(&self, message: impl Fn(T) -> M + 'static) -> Callback<T> {
        self.send.reform(message)
    }
}

/// The sentence with its first letter in upper case.
pub(crate) fn capitalised(sentence: &str) -> String {
    let mut sentence = sentence.to_owned();
    // Sentences begin with English words; for other letters the tables alone are 12 KB of the page's module.
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}

/// Any scene, for the one shell that plays them all.
#[allow(unreachable_pub, reason = "public functions have it in their types")]
pub trait AnyScene {
    fn label(&self) -> &'static str;
    fn hint(&self) -> &'static str;
    fn badges(&self) -> &'static [&'static str];
    fn judged(&self, start: &Start) -> Vec<(usize, &'static str)>;
    fn update(&mut self, msg: AnyMsg, stage: &Stage<'_, AnyMsg>) -> Effect;
    fn knobs(&self, stage: &Stage<'_, AnyMsg>) -> Html;
    fn drawing(&self, stage: &Stage<'_, AnyMsg>) -> Html;
    fn counters(&self, stage: &Stage<'_, AnyMsg>) -> Vec<Counter>;
    fn below(&self, stage: &Stage<'_, AnyMsg>) -> Html;
    fn sentence(&self, stage: &Stage<'_, AnyMsg>) -> Option<(String, bool)>;
    fn live(&self, stage: &Stage<'_, AnyMsg>) -> Vec<(&'static str, String, bool)>;
    fn drawn(&mut self, stage: &Stage<'_, AnyMsg>, place: &web_sys::Element);
}

/// A message of some scene.
pub(crate) type AnyMsg = Box<dyn Any>;

impl<S: Scene> AnyScene for S {
    fn label(&self) -> &'static str {
        S::LABEL
    }

    fn hint(&self) -> &'static str {
        S::TRY
    }

    fn badges(&self) -> &'static [&'static str] {
        S::BADGES
    }

    fn judged(&self, start: &Start) -> Vec<(usize, &'static str)> {
        Scene::judged(self, start)
    }

    fn update(&mut self, msg: AnyMsg, stage: &Stage<'_, AnyMsg>) -> Effect {
        match msg.downcast() {
            Ok(msg) => Scene::update(self, *msg, &own(stage)),
            // A scene gets back what it sent.
            Err(_) => Effect::None,
        }
    }

    fn knobs(&self, stage: &Stage<'_, AnyMsg>) -> Html {
        Scene::knobs(self, &own(stage))
    }

    fn drawing(&self, stage: &Stage<'_, AnyMsg>) -> Html {
        Scene::drawing(self, &own(stage))
    }

    fn counters(&self, stage: &Stage<'_, AnyMsg>) -> Vec<Counter> {
        Scene::counters(self, &own(stage))
    }

    fn below(&self, stage: &Stage<'_, AnyMsg>) -> Html {
        Scene::below(self, &own(stage))
    }

    fn sentence(&self, stage: &Stage<'_, AnyMsg>) -> Option<(String, bool)> {
        Scene::sentence(self, &own(stage))
    }

    fn live(&self, stage: &Stage<'_, AnyMsg>) -> Vec<(&'static str, String, bool)> {
        Scene::live(self, &own(stage))
    }

    fn drawn(&mut self, stage: &Stage<'_, AnyMsg>, place: &web_sys::Element) {
        Scene::drawn(self, &own(stage), place);
    }
}

/// The stage with controls that send a scene's own messages.
fn own<'a, M: 'static>(stage: &Stage<'a, AnyMsg>) -> Stage<'a, M> {
    let send = stage.send.reform(|msg: M| Box::new(msg) as AnyMsg);
    Stage { start: stage.start, players: stage.players, playing: stage.playing, send }
}
