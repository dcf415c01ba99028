//! The panel: one component that owns the deck, the frame loop and everything around the drawing, whatever
//! the scene.
//!
//! "Playing" is the reader's wish and "visible" the page's fact; frames run only while both hold, and stop
//! when the component goes. `update` says true only when something changed.

pub(super) mod compare;
pub(super) mod events;
pub(super) mod keys;
mod parts;
pub(super) mod rest;
mod spoken;
pub(super) mod tools;
mod transport;
pub(super) mod why;

use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement};
use yew::{html::Scope, prelude::*};

use self::{
    events::EventList,
    spoken::Spoken,
    tools::Tools,
    transport::{Marks, SPEEDS},
    why::Question,
};
use super::{
    address::{self, Entry},
    desk::{self, Desk},
    frames::{Pace, Sight, now_ms, tick_ms},
    parts::MakeScene,
    scene::{AnyMsg, AnyScene, Effect, Stage},
};
use crate::{
    deck::Deck,
    ids::Tick,
    ledger::{EventId, escaped},
    link::Saved,
    presets::{Panel, Start},
    world::ConfigError,
};

/// At most this many ticks in one frame at a speed, however late the frame came.
const TICKS_PER_FRAME: u32 = 32;

/// As fast as it goes: a frame plays ticks for so long, in milliseconds, and leaves the rest to the drawing.
const BUSY_MS: f64 = 8.0;

/// The farthest into what was never played that is gone at once, in ticks; beyond it the panel goes there frame
/// by frame, and can be stopped.
const AT_ONCE: u64 = 2_000;

/// Movements take this long, or a tick where that is shorter.
const GLIDE_MS: f64 = 300.0;

/// What can happen to a panel.
pub(super) enum Msg {
    Play,
    Back,
    Step,
    Seek(Tick),
    Restart,
    Speed(usize),
    Seed(String),
    Roll,
    Frame(f64),
    Visible(bool),
    Scene(AnyMsg),
    /// Go to an event's moment; what led to it is shown if there is something to ask.
    GoTo(usize, EventId),
    /// Show what led to an event, or nothing any more.
    Ask(Option<Question>),
    Events(events::Msg),
    Compare(bool),
    /// Ends the comparison with the old future.
    TakeBack,
    Keys(bool),
    /// The desk has come, or does not.
    Desk,
    /// It is to be fetched again.
    Again,
    Tools(tools::Msg),
    /// From a scenario that was brought, back to the panel's own run.
    Own,
    /// A link was opened, the reader went back in the browser, or brought a scenario: this is what it says of this
    /// panel.
    Restore(Option<Box<Saved>>, Entry),
}

#[derive(PartialEq, Properties)]
pub(super) struct Props {
    pub(super) panel: Panel,
    /// Makes its scene.
    pub(super) scene: MakeScene,
}

/// A scene with its deck, as the reader plays it.
pub(super) struct Shell {
    panel: Panel,
    deck: Deck,
    scene: Box<dyn AnyScene>,
    /// Draws the old future while two are compared.
    other: Box<dyn AnyScene>,
    playing: bool,
    /// Where the panel is on its way to, in executed ticks, when that is too far to go at once.
    bound_for: Option<Tick>,
    visible: bool,
    /// Whether the focus was somewhere in the panel before it was drawn anew.
    focused: bool,
    speed: usize,
    pace: Pace,
    sight: Option<Sight>,
    root: NodeRef,
    marks: Marks,
    events: EventList,
    question: Option<Question>,
    tools: Tools,
    keys_open: bool,
    spoken: Spoken,
    /// What the reader asked for and cannot have.
    notice: Option<String>,
}

/// Whether a panel can draw what a link asks it to.
fn draws(start: &Start) -> bool {
    match start {
        Start::Brought(panel, brought) => panel.draws(&brought.setup),
        _ => true,
    }
}

impl Component for Shell {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let panel = ctx.props().panel;
        let restore = ctx
            .link()
            .callback(|(saved, entry): (Option<Saved>, Entry)| Msg::Restore(saved.map(Box::new), entry));
        let mut shell = Shell {
            panel,
            deck: Deck::opening(panel),
            scene: ctx.props().scene.make(),
            other: ctx.props().scene.make(),
            playing: false,
            bound_for: None,
            visible: false,
            focused: false,
            speed: transport::NORMAL_SPEED,
            pace: Pace::default(),
            sight: None,
            root: NodeRef::default(),
            marks: Marks::default(),
            events: EventList::default(),
            question: None,
            tools: Tools::default(),
            keys_open: false,
            spoken: Spoken::default(),
            notice: None,
        };
        if let Some(saved) = address::join(panel, restore) {
            shell.restore(Some(&saved));
        }
        shell
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        self.focused = self.root.cast::<Element>().is_some_and(|panel| has_focus(&panel));
        let changed = match msg {
            Msg::Frame(time_ms) => self.frame(time_ms),
            Msg::Visible(visible) => {
                self.visible = visible;
                false
            }
            Msg::Tools(msg) => self.tools.update(msg, &self.deck, self.playing, ctx.link()),
            Msg::Events(msg) => {
                self.events.update(msg);
                true
            }
            Msg::Desk => true,
            Msg::Again => {
                desk::again();
                true
            }
            Msg::Keys(open) => std::mem::replace(&mut self.keys_open, open) != open,
            msg => {
                self.notice = None;
                self.tools.quiet();
                self.control(ctx, msg);
                true
            }
        };
        if (self.playing || self.bound_for.is_some()) && self.visible {
            let speed = self.speed().filter(|_| self.bound_for.is_none());
            self.pace.ask(speed, &ctx.link().callback(Msg::Frame));
        } else {
            self.pace.stop();
        }
        changed
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let stage = self.stage(link.callback(Msg::Scene));
        let tick_ms = tick_ms(self.speed().unwrap_or(SPEEDS[SPEEDS.len() - 1]));
        let glide_ms = if self.playing { GLIDE_MS.min(tick_ms) } else { GLIDE_MS };
        let style = format!("--tick:{}ms;--glide:{}ms", tick_ms as u32, glide_ms as u32);
        let judged = self.judged();
        html! {
            <section class="panel" data-panel={self.panel.name()} data-tick={self.deck.tick().to_string()} {style}
                data-playing={self.playing.then_some("")} aria-label={self.scene.label()} ref={self.root.clone()}
                tabindex="0" aria-keyshortcuts={keys::SHORTCUTS} onkeydown={self.on_key(ctx)}>
                <div class="panel-head">
                    {self.hint(link)}
                    {self.tools.view(self.deck.is_comparing(), link)}
                </div>
                <div class="knobs">{self.scene.knobs(&stage)}</div>
                {self.drawings(&stage, link)}
                {self.sentence_view(ctx, &stage)}
                // One node, whether it is there or not: those beside it stay what they are, and keep the focus.
                {self.question.map(|question| later(|desk| (desk.why)(question, &self.deck, link), link)).unwrap_or_default()}
                {transport::view(self, link)}
                <dl class="counters">{for self.scene.counters(&stage).into_iter().map(parts::counter)}</dl>
                {self.scene.below(&stage)}
                <div class="judged">{for judged.iter().map(|&(run, name)| parts::badges(&self.deck.runs()[run], name, self.scene.badges()))}</div>
                {self.events.view(&self.deck, &judged, link)}
                {keys::view(self.keys_open, link)}
            </section>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first_render: bool) {
        let Some(element) = self.root.cast::<Element>() else { return };
        if first_render {
            self.sight = Sight::of(&element, ctx.link().callback(Msg::Visible));
            self.visible = self.sight.is_none();
        }
        let stage = Stage::of(self.deck.branch(), self.playing, ctx.link().callback(Msg::Scene));
        if let Ok(Some(place)) = element.query_selector("[data-future=new]") {
            self.scene.drawn(&stage, &place);
        }
        parts::quote(&element, &self.scene.live(&stage));
        if let (Some((branch, _)), Ok(Some(place))) =
            (self.deck.kept(), element.query_selector("[data-future=old]"))
        {
            self.other.drawn(&Stage::of(branch, self.playing, Callback::noop()), &place);
        }
        self.events.rendered(&element);
        // What had the focus may be gone; its place is the panel then, so that the keys go on. Whoever followed a
        // link to the panel means it by the next key.
        if address::leads_to(self.panel) || self.focused && !has_focus(&element) {
            element.dyn_ref::<HtmlElement>().map(focus);
        }
        keys::rendered(self.keys_open, &element);
    }
}

impl Shell {
    fn stage(&self, send: Callback<AnyMsg>) -> Stage<'_, AnyMsg> {
        Stage::of(self.deck.branch(), self.playing, send)
    }

    /// Ticks per tick of the normal pace; `None`: as fast as it goes.
    fn speed(&self) -> Option<f64> {
        SPEEDS.get(self.speed).copied()
    }

    /// Keys of the panel, while it has the focus. The deck's ends are read when one is pressed.
    fn on_key(&self, ctx: &Context<Self>) -> Callback<KeyboardEvent> {
        let end = self.deck.end();
        ctx.link().batch_callback(move |event: KeyboardEvent| {
            let msg = keys::message(&event, end);
            if msg.is_some() {
                event.prevent_default();
            }
            msg
        })
    }

    fn hint(&self, link: &Scope<Self>) -> Html {
        match self.deck.start() {
            Start::Brought(_, brought) => html! {
                <p class="panel-hint">
                    <strong>{"Opened: "}</strong>{escaped(&brought.title)}{". "}
                    <button type="button" class="why-button" data-act="own" onclick={link.callback(|_| Msg::Own)}>{"Back to the panel’s own run"}</button>
                </p>
            },
            _ => html! { <p class="panel-hint"><strong>{"Try: "}</strong>{self.scene.hint()}</p> },
        }
    }

    /// One message from a control; the address is told what came of it.
    fn control(&mut self, ctx: &Context<Self>, msg: Msg) {
        let entry = match &msg {
            // A place in time is no step worth going back to in the browser; whatever changes the run is.
            Msg::Play
            | Msg::Back
            | Msg::Step
            | Msg::Seek(_)
            | Msg::GoTo(..)
            | Msg::Speed(_)
            | Msg::Ask(_) => Entry::Same,
            Msg::Restore(_, entry) => *entry,
            _ => Entry::New,
        };
        self.bound_for = None;
        self.obey(ctx, msg);
        self.spoken.forget();
        self.tell(entry);
    }

    /// The runs with badges, and what each is called if there are several.
    fn judged(&self) -> Vec<(usize, &'static str)> {
        self.scene.judged(self.deck.start())
    }

    /// The deck has changed: the timeline and the address are told.
    fn tell(&mut self, entry: Entry) {
        self.marks.note(&self.deck, &self.judged());
        address::put(self.panel, self.saved(), entry);
    }

    fn obey(&mut self, ctx: &Context<Self>, msg: Msg) {
        match msg {
            Msg::Play => {
                self.playing = !self.playing;
                if self.playing && self.deck.is_played_out() {
                    self.restart();
                }
            }
            Msg::Step => {
                self.playing = false;
                self.deck.step();
            }
            Msg::Back => self.pause_at(self.deck.tick()),
            Msg::Seek(executed) => self.pause_at(executed),
            Msg::GoTo(run, event) => self.go_to(run, event),
            Msg::Restart => {
                self.playing = false;
                self.restart();
            }
            Msg::Speed(speed) => {
                self.speed = speed.min(SPEEDS.len());
                // The next tick comes as it says from now on.
                self.pace.stop();
            }
            Msg::Seed(text) => match text.trim().parse() {
                Ok(seed) => self.reseed(seed),
                Err(_) => {
                    let most = u64::MAX;
                    self.notice = Some(format!(
                        "A seed is a whole number from 0 to {most}; “{text}” is none, so the old one stays."
                    ));
                }
            },
            Msg::Roll => self.reseed((web_sys::js_sys::Math::random() * 10_000.0) as u64),
            Msg::Ask(question) => self.question = question,
            Msg::Compare(on) => self.deck.compare(on),
            Msg::TakeBack => {
                self.deck.take_back();
                self.deck.compare(false);
            }
            Msg::Restore(saved, _) => self.restore(saved.as_deref()),
            Msg::Own => {
                self.playing = false;
                let done = self.deck.restart_from(Start::opening(self.panel));
                self.unless(done);
                self.question = None;
            }
            Msg::Scene(msg) => {
                let stage = Stage::of(self.deck.branch(), self.playing, ctx.link().callback(Msg::Scene));
                let effect = self.scene.update(msg, &stage);
                self.apply(effect);
            }
            // These change no run, and were dealt with.
            Msg::Frame(_)
            | Msg::Visible(_)
            | Msg::Events(_)
            | Msg::Keys(_)
            | Msg::Desk
            | Msg::Again
            | Msg::Tools(_) => {}
        }
    }

    fn apply(&mut self, effect: Effect) {
        let done = match effect {
            Effect::None | Effect::Redraw => return,
            Effect::Settle(start) => {
                self.deck.settle(start);
                Ok(())
            }
            Effect::Restart(start) => self.deck.restart_from(start),
            Effect::Rewrite(start) => self.deck.rewrite(start),
            Effect::Turn(knobs) => self.deck.turn(&knobs),
            Effect::Act(inputs) => {
                if !self.deck.act(&inputs) {
                    self.notice = Some("This run is over: go back, or start it again.".to_owned());
                }
                Ok(())
            }
        };
        self.unless(done);
        self.question = None;
    }

    fn reseed(&mut self, seed: u64) {
        let done = self.deck.restart_from(self.deck.as_turned().seeded(seed));
        self.unless(done);
        self.question = None;
    }

    fn restart(&mut self) {
        let done = self.deck.restart();
        self.unless(done);
        self.question = None;
    }

    /// The controls offer no settings that cannot be; a scenario may have some.
    fn unless(&mut self, done: Result<(), ConfigError>) {
        if let Err(error) = done {
            self.notice = Some(format!("These settings cannot be: {error}."));
        }
    }

    fn restore(&mut self, saved: Option<&Saved>) {
        (self.question, self.playing) = (None, false);
        if saved.is_some_and(|saved| !draws(&saved.start)) {
            self.notice =
                Some("The link holds a scenario that is too large for this panel to draw.".to_owned());
            self.deck = Deck::opening(self.panel);
            return;
        }
        let Some(saved) = saved else {
            self.deck = Deck::opening(self.panel);
            return;
        };
        let is_far = saved.tick.0 > AT_ONCE;
        match if is_far { Deck::restore_beginning(saved) } else { Deck::restore(saved) } {
            Ok(deck) => {
                self.deck = deck;
                self.playing = saved.playing;
                self.bound_for = is_far.then_some(saved.tick.after(1));
            }
            Err(error) => self.notice = Some(format!("The link's settings cannot be: {error}.")),
        }
    }

    // Time.

    /// The reader goes there, and wants to look.
    fn pause_at(&mut self, executed: Tick) {
        self.playing = false;
        let at_once = Tick(self.deck.known().0.max(self.deck.now().0) + AT_ONCE);
        self.bound_for = Some(executed).filter(|&to| to.min(self.deck.length().after(1)) > at_once);
        if self.bound_for.is_none() {
            self.deck.seek(executed);
        }
    }

    fn go_to(&mut self, run: usize, event: EventId) {
        let Some(player) = self.deck.runs().get(run) else { return };
        let Some(found) = player.known_events().get(event.0 as usize) else { return };
        let (tick, fault) = (found.tick, found.fault());
        self.pause_at(tick.after(1));
        // Of a mark that stands for several events, that which can be asked about.
        let asked =
            if fault.is_some() { Some(Question { run, event }) } else { why::of_run(&self.deck, run) };
        if asked.is_some() {
            self.question = asked;
        }
    }

    fn frame(&mut self, time_ms: f64) -> bool {
        let earned = self.pace.ticks(time_ms, self.speed().unwrap_or(1.0));
        let played = match (self.bound_for, self.speed()) {
            (Some(to), _) => self.go_on_to(to),
            (None, Some(_)) => self.play_while(|played| played < earned.min(TICKS_PER_FRAME)),
            (None, None) => {
                let end = now_ms() + BUSY_MS;
                self.play_while(|played| played == 0 || now_ms() < end)
            }
        };
        if played {
            self.tell(Entry::Same);
            let stage = Stage::of(self.deck.branch(), self.playing, Callback::noop());
            self.spoken.note(time_ms, self.deck.tick(), self.scene.sentence(&stage));
        }
        played
    }

    /// A frame on the way to a tick that is far away.
    fn go_on_to(&mut self, to: Tick) -> bool {
        let end = now_ms() + BUSY_MS;
        while self.deck.now() < to && now_ms() < end {
            if !self.deck.step() {
                self.bound_for = None;
                break;
            }
        }
        if self.deck.now() >= to {
            self.bound_for = None;
        }
        true
    }

    /// What it takes to come back here, or to where the panel is on its way to.
    fn saved(&self) -> Saved {
        let saved = self.deck.saved(self.playing);
        let bound_for = self.bound_for.map(|to| Tick(to.0.saturating_sub(1)));
        Saved { tick: bound_for.unwrap_or(saved.tick), ..saved }
    }

    /// Plays ticks as long as `goes_on`, told how many were, allows; whether there were any.
    fn play_while(&mut self, goes_on: impl Fn(u32) -> bool) -> bool {
        let mut played = 0;
        while goes_on(played) {
            if !self.deck.advance() {
                self.playing = false;
                return true;
            }
            played += 1;
            if self.deck.is_played_out() {
                self.playing = false;
                return true;
            }
        }
        played > 0
    }

    // The parts around the drawing.

    fn drawings(&self, stage: &Stage<'_, AnyMsg>, link: &Scope<Self>) -> Html {
        let new =
            html! { <div class="drawing" data-future="new" key="new">{self.scene.drawing(stage)}</div> };
        match self.deck.kept() {
            None => html! { <div class="futures" key="futures">{new}</div> },
            Some((branch, _)) => {
                let old = Stage::of(branch, self.playing, Callback::noop());
                html! {
                    <div class="futures" data-two="" key="futures">
                        {later(|desk| (desk.compare)(&self.deck, &self.judged(), link), link)}
                        {new}
                        <div class="drawing" data-future="old" key="old" inert={true}>{self.other.drawing(&old)}</div>
                    </div>
                }
            }
        }
    }

    fn sentence_view(&self, ctx: &Context<Self>, stage: &Stage<'_, AnyMsg>) -> Html {
        let tick = self.deck.tick();
        let (text, bad) = match (&self.notice, self.scene.sentence(stage)) {
            (Some(notice), _) => (notice.clone(), false),
            (None, Some(sentence)) => sentence,
            (None, None) => ("Nothing happened in this tick.".to_owned(), false),
        };
        let text = text + &desk::get().and_then(|desk| (desk.rest)(&self.deck)).unwrap_or_default();
        let asked = why::question(&self.deck, &self.judged(), bad);
        html! {
            <div class="sentence" data-bad={bad.then_some("")}>
                {self.spoken.view(self.playing, tick, &text)}
                <span class="tick" aria-hidden="true">{format!("tick {tick}")}</span>
                <p class="sentence-text">
                    <span aria-hidden="true">{text}</span>
                    {asked.map(|question| why::button(question, self.question == Some(question), ctx.link())).unwrap_or_default()}
                </p>
            </div>
        }
    }
}

/// A part of the panel that lies on the desk; until that has come, the wait for it.
fn later(view: impl FnOnce(&Desk) -> Html, link: &Scope<Shell>) -> Html {
    match desk::get() {
        Some(desk) => view(desk),
        None if desk::has_failed() => html! {
            <p class="later" role="status">
                {desk::UNLOADED}{" "}
                <button type="button" class="why-button" data-act="again" onclick={link.callback(|_| Msg::Again)}>{"Try again"}</button>
            </p>
        },
        None => {
            let come = link.callback(|()| Msg::Desk);
            desk::ask(move |_| come.emit(()));
            html! { <p class="later" role="status">{"Loading …"}</p> }
        }
    }
}

/// Whether the focus is in a panel.
fn has_focus(panel: &Element) -> bool {
    let focused = panel.owner_document().and_then(|document| document.active_element());
    focused.is_some_and(|focused| panel.contains(Some(&focused)))
}

/// Gives a panel the focus, and scrolls nothing.
fn focus(panel: &HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // Where that cannot be, the focus is lost, and no more than that.
    let _ = panel.focus_with_options(&options);
}
