//! What a panel is to the shell that plays it: settings, runs, a drawing.
//!
//! A scene holds the reader's settings and draws worlds; it never changes one. What a control should do it
//! says as an [`Effect`], and the shell, which owns the players, does it.

use yew::{Callback, Html};

use crate::{
    ids::Tick,
    ledger::{Event, Ledger},
    player::Player,
    world::{ConfigError, Fact, Input, Knob, World},
};

/// One panel.
pub(crate) trait Scene: Sized + 'static {
    /// What its controls say.
    type Msg: 'static;

    /// Its name in the markup: `dispatch`.
    const NAME: &'static str;
    /// Its name for a screen reader.
    const LABEL: &'static str;
    /// One line: what to try.
    const TRY: &'static str;
    /// The invariants it is about, by their sentences.
    const BADGES: &'static [&'static str];
    /// Whether a run is as long as something happens, rather than up to the player's last tick.
    const ENDS_WHEN_SETTLED: bool = false;

    /// The opening settings.
    fn opening() -> Self;

    /// Fresh runs of the present settings, all on one clock.
    fn players(&self) -> Result<Vec<Player>, ConfigError>;

    /// Which of the runs the sentence and the timeline speak of.
    fn main(&self) -> usize {
        0
    }

    /// The runs with badges, and what each is called if there are several.
    fn judged(&self) -> Vec<(usize, &'static str)> {
        vec![(self.main(), "")]
    }

    /// The seed, where the run has one.
    fn seed(&self) -> Option<u64> {
        None
    }

    /// The reader typed or rolled another seed.
    fn set_seed(&mut self, _seed: u64) {}

    /// A control was used.
    fn update(&mut self, msg: Self::Msg, stage: &Stage<'_, Self::Msg>) -> Effect;

    /// Whether a turned knob concerns this run; all of them do unless the runs differ in it.
    fn turns(&self, _player: usize, _knob: Knob) -> bool {
        true
    }

    /// What the panel itself does before each tick that is played (not stepped) and that nothing is recorded
    /// for: a hand that taps, say.
    fn autopilot(&mut self, _stage: &Stage<'_, Self::Msg>) -> Option<Input> {
        None
    }

    /// Whether there is nothing left to play, whatever the timeline's end: playing stops here.
    fn is_finished(&self, _stage: &Stage<'_, Self::Msg>) -> bool {
        false
    }

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

    /// What this tick comes to, and whether that is bad; by default the weightiest event of the main run.
    fn sentence(&self, stage: &Stage<'_, Self::Msg>) -> Option<(String, bool)> {
        stage.sentence(self.main())
    }

    /// The numbers that the article quotes: `data-live` name, text, and whether it is bad.
    fn live(&self, _stage: &Stage<'_, Self::Msg>) -> Vec<(&'static str, String, bool)> {
        Vec::new()
    }

    /// The picture is in the document: time for a canvas. `panel` is the panel's element.
    fn drawn(&mut self, _stage: &Stage<'_, Self::Msg>, _panel: &web_sys::Element) {}
}

/// What a control does to the runs.
pub(crate) enum Effect {
    /// Nothing to see.
    None,
    /// Only the drawing changes.
    Redraw,
    /// Start over with the present settings (another log).
    Restart,
    /// The same moment under the present settings, as if they had been so from the start.
    Rewrite,
    /// Knobs have new values from the next tick on; before anything happened, from the start.
    Turn(Vec<Knob>),
    /// Act, and execute the tick in which the input acts, so that the reader sees it.
    Act(Input),
    /// The same with several inputs in one tick; with none nothing happens.
    ActAll(Vec<Input>),
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

/// The runs as a scene may look at them.
pub(crate) struct Stage<'a, M: 'static> {
    pub(crate) players: &'a [Player],
    /// Whether ticks are being played.
    pub(crate) playing: bool,
    /// Where controls send their messages.
    pub(crate) send: Callback<M>,
}

impl<M: 'static> Stage<'_, M> {
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
        let events = self.ledger(player).events();
        &events[events.partition_point(|event| event.tick < self.tick())..]
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
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
