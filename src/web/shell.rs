//! The panel: one component that owns the players, the frame loop and the transport, whatever the scene.
//!
//! "Playing" is the reader's wish and "visible" the page's fact; frames run only while both hold, and stop
//! when the component goes. `update` says true only when something changed.

use web_sys::{Element, HtmlInputElement};
use yew::{html::Scope, prelude::*};

use super::{
    frames::{Pace, Sight, tick_ms},
    scene::{Effect, Scene, Stage},
    widgets::{Icon, icon_button, select},
};
use crate::{
    ids::Tick,
    ledger::{Event, Invariant, Weight},
    player::{Inputs, Player},
    world::{Input, Knob},
};

/// The speeds on offer; 1 is in the middle.
const SPEEDS: [f64; 8] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
const NORMAL_SPEED: usize = 2;

/// At most this many ticks in one frame, however fast.
const TICKS_PER_FRAME: u32 = 32;

/// Events in the list at most: the last ones.
const EVENTS_SHOWN: usize = 200;

/// Movements take this long, or a tick where that is shorter.
const GLIDE_MS: f64 = 300.0;

/// What can happen to a panel.
pub(crate) enum Msg<M> {
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
    Unfold(bool),
    Scene(M),
}

/// A scene with its runs, as the reader plays it.
pub(crate) struct Panel<S: Scene> {
    scene: S,
    players: Vec<Player>,
    /// Where the timeline ends.
    length: Tick,
    playing: bool,
    visible: bool,
    speed: usize,
    pace: Pace,
    sight: Option<Sight>,
    root: NodeRef,
    events_open: bool,
    /// What the reader asked for and cannot have.
    notice: Option<String>,
}

impl<S: Scene> Component for Panel<S> {
    type Message = Msg<S::Msg>;
    type Properties = ();

    fn create(_ctx: &Context<Self>) -> Self {
        let mut panel = Panel {
            scene: S::opening(),
            players: Vec::new(),
            length: Tick(0),
            playing: false,
            visible: false,
            speed: NORMAL_SPEED,
            pace: Pace::default(),
            sight: None,
            root: NodeRef::default(),
            events_open: false,
            notice: None,
        };
        panel.restart();
        panel
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Self::Message) -> bool {
        let changed = match msg {
            Msg::Frame(time_ms) => self.frame(ctx, time_ms),
            Msg::Visible(visible) => {
                self.visible = visible;
                false
            }
            msg => {
                self.notice = None;
                self.control(ctx, msg);
                true
            }
        };
        if self.playing && self.visible {
            self.pace.ask(&ctx.link().callback(Msg::Frame));
        } else {
            self.pace.stop();
        }
        changed
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        if self.players.is_empty() {
            return html! { <section class="panel" data-panel={S::NAME} aria-label={S::LABEL}>{self.sentence_view(None)}</section> };
        }
        let stage = self.stage(ctx);
        let glide_ms = if self.playing { GLIDE_MS.min(tick_ms(SPEEDS[self.speed])) } else { GLIDE_MS };
        let style = format!("--tick:{:.0}ms;--glide:{glide_ms:.0}ms", tick_ms(SPEEDS[self.speed]));
        html! {
            <section class="panel" data-panel={S::NAME} data-tick={stage.tick().to_string()} {style}
                data-playing={self.playing.then_some("")} aria-label={S::LABEL} ref={self.root.clone()}>
                <p class="panel-hint"><strong>{"Try: "}</strong>{S::TRY}</p>
                <div class="knobs">{self.scene.knobs(&stage)}</div>
                <div class="drawing">{self.scene.drawing(&stage)}</div>
                {self.sentence_view(self.scene.sentence(&stage))}
                {self.transport(ctx, &stage)}
                <dl class="counters">{for self.scene.counters(&stage).into_iter().map(super::shell_parts::counter)}</dl>
                {self.scene.below(&stage)}
                <div class="judged">{for self.scene.judged().into_iter().map(|(player, name)| self.badges(player, name))}</div>
                {self.events(ctx, &stage)}
            </section>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first_render: bool) {
        let Some(element) = self.root.cast::<Element>() else { return };
        if first_render {
            self.sight = Sight::of(&element, ctx.link().callback(Msg::Visible));
            self.visible = self.sight.is_none();
        }
        let send = ctx.link().callback(Msg::Scene);
        let stage = stage(&self.players, self.playing, send);
        self.scene.drawn(&stage, &element);
        super::shell_parts::quote(&element, &self.scene.live(&stage));
    }
}

impl<S: Scene> Panel<S> {
    fn stage(&self, ctx: &Context<Self>) -> Stage<'_, S::Msg> {
        stage(&self.players, self.playing, ctx.link().callback(Msg::Scene))
    }

    /// One message from a control.
    fn control(&mut self, ctx: &Context<Self>, msg: Msg<S::Msg>) {
        match msg {
            Msg::Play => {
                self.playing = !self.playing;
                if self.playing && self.is_played_out(ctx) {
                    self.restart();
                }
            }
            Msg::Step => {
                self.playing = false;
                self.step();
            }
            Msg::Back => self.pause_at(Tick(self.now().0.saturating_sub(1))),
            Msg::Seek(executed) => self.pause_at(executed),
            Msg::Restart => {
                self.playing = false;
                self.restart();
            }
            Msg::Speed(speed) => self.speed = speed.min(SPEEDS.len() - 1),
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
            Msg::Unfold(open) => self.events_open = open,
            Msg::Scene(msg) => {
                let stage = stage(&self.players, self.playing, ctx.link().callback(Msg::Scene));
                let effect = self.scene.update(msg, &stage);
                self.apply(effect);
            }
            Msg::Frame(_) | Msg::Visible(_) => {}
        }
    }

    fn reseed(&mut self, seed: u64) {
        self.scene.set_seed(seed);
        self.restart();
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::None | Effect::Redraw => {}
            Effect::Restart => self.restart(),
            Effect::Rewrite => self.rewrite(),
            // Nothing has happened yet: the settings have the knobs' new values, and begin with them.
            Effect::Turn(_) if is_opening(&self.players) => self.restart(),
            Effect::Turn(knobs) => self.turn(&knobs),
            Effect::Act(input) => self.act_now(&[input]),
            Effect::ActAll(inputs) => self.act_now(&inputs),
        }
    }

    fn act_now(&mut self, inputs: &[Input]) {
        if self.is_at_end() {
            self.notice = Some("This run is over: go back, or start it again.".to_owned());
        } else if !inputs.is_empty() {
            inputs.iter().for_each(|input| self.act(input));
            self.step();
        }
    }

    fn act(&mut self, input: &Input) {
        for player in &mut self.players {
            player.act(input.clone());
        }
    }

    fn turn(&mut self, knobs: &[Knob]) {
        for (index, player) in self.players.iter_mut().enumerate() {
            let concern = |knob: &Knob| self.scene.turns(index, *knob);
            let turned: Vec<Knob> = knobs.iter().copied().filter(concern).collect();
            if !turned.is_empty() {
                player.turn(turned);
            }
        }
        self.measure();
    }

    // Time.

    /// How many ticks were executed.
    fn now(&self) -> Tick {
        self.players.iter().map(Player::now).max().unwrap_or_default()
    }

    fn is_at_end(&self) -> bool {
        self.now() > self.length
    }

    /// Whether there is nothing left to play.
    fn is_played_out(&self, ctx: &Context<Self>) -> bool {
        self.is_at_end() || self.scene.is_finished(&self.stage(ctx))
    }

    /// Whether the reader went back and what was done from here on is still to come: it plays as it was.
    fn is_replaying(&self) -> bool {
        let recorded = |player: &Player| player.acts().range(player.now()..).next().is_some();
        self.players.iter().any(recorded)
    }

    /// To the end of tick 0 under the present settings: what a reader sees first.
    fn restart(&mut self) {
        self.begin(Vec::new());
    }

    /// The same moment under the present settings, with what the reader did in each run.
    fn rewrite(&mut self) {
        let now = self.now();
        self.begin(self.players.iter().map(|player| player.acts().clone()).collect());
        self.seek(now);
    }

    fn begin(&mut self, acts: Vec<Inputs>) {
        match self.scene.players() {
            Ok(players) => {
                let acts = acts.into_iter().chain(std::iter::repeat_with(Inputs::new));
                self.players =
                    players.into_iter().zip(acts).map(|(player, acts)| player.with_acts(acts)).collect();
                self.measure();
                self.step();
            }
            // The controls offer no such settings; a link might.
            Err(error) => self.notice = Some(format!("These settings cannot be: {error}.")),
        }
    }

    /// Finds where the timeline ends.
    fn measure(&mut self) {
        let ends = self.players.iter().map(|player| {
            if !S::ENDS_WHEN_SETTLED {
                return player.last();
            }
            let mut ahead = player.clone();
            ahead.play_out();
            Tick(ahead.now().0.saturating_sub(1))
        });
        self.length = ends.max().unwrap_or_default();
    }

    fn step(&mut self) -> bool {
        if self.is_at_end() {
            return false;
        }
        for player in &mut self.players {
            player.step();
        }
        true
    }

    /// Goes to where so many ticks have been executed: at least one, as at the opening.
    fn seek(&mut self, executed: Tick) {
        let executed = Tick(executed.0.clamp(1, self.length.0 + 1));
        for player in &mut self.players {
            player.seek(executed);
        }
    }

    /// The reader goes there, and wants to look.
    fn pause_at(&mut self, executed: Tick) {
        self.playing = false;
        self.seek(executed);
    }

    fn frame(&mut self, ctx: &Context<Self>, time_ms: f64) -> bool {
        let ticks = self.pace.ticks(time_ms, SPEEDS[self.speed]).min(TICKS_PER_FRAME);
        for _ in 0..ticks {
            let stage = stage(&self.players, self.playing, ctx.link().callback(Msg::Scene));
            if !self.is_replaying()
                && let Some(input) = self.scene.autopilot(&stage)
            {
                self.act(&input);
            }
            self.step();
            if self.is_played_out(ctx) {
                self.playing = false;
                break;
            }
        }
        ticks > 0
    }

    // The parts below the drawing.

    fn sentence_view(&self, sentence: Option<(String, bool)>) -> Html {
        let tick = self.now().0.saturating_sub(1);
        let (text, bad) = match (&self.notice, sentence) {
            (Some(notice), _) => (notice.clone(), false),
            (None, Some(sentence)) => sentence,
            (None, None) => ("Nothing happened in this tick.".to_owned(), false),
        };
        // While playing, sentences come too fast to be read out.
        let live = if self.playing { "off" } else { "polite" };
        html! {
            <p class="sentence" data-bad={bad.then_some("")} aria-live={live}>
                <span class="tick">{format!("tick {tick}")}</span>
                <span class="sentence-text">{text}</span>
            </p>
        }
    }

    fn transport(&self, ctx: &Context<Self>, stage: &Stage<'_, S::Msg>) -> Html {
        let link = ctx.link();
        let (now, length) = (stage.tick(), self.length);
        let play_label = if self.playing { "Pause" } else { "Play" };
        let at_end = self.is_at_end();
        html! {
            <div class="transport">
                <button type="button" class="icon-button icon-button-play" data-act="play" aria-label={play_label} title={play_label}
                    aria-pressed={if self.playing { "true" } else { "false" }} onclick={link.callback(|_| Msg::Play)}>
                    {if self.playing { Icon::Pause } else { Icon::Play }.view()}
                </button>
                {icon_button("back", Icon::Back, "One tick back", now == Tick(0), link.callback(|_| Msg::Back))}
                {icon_button("step", Icon::Step, "One tick forward", at_end, link.callback(|_| Msg::Step))}
                {self.timeline(link, now, length)}
                <span class="clock"><b>{now.0}</b>{format!(" / {length}")}</span>
                <span class="transport-more">
                    <label class="speed"><span class="speed-name">{"Speed"}</span>
                        {select("speed", "Speed", self.speeds(), link.callback(Msg::Speed))}
                    </label>
                    {icon_button("restart", Icon::Restart, "Start again", false, link.callback(|_| Msg::Restart))}
                    {for self.scene.seed().map(|seed| super::shell_parts::seed(seed, link.callback(Msg::Seed), link.callback(|_| Msg::Roll)))}
                </span>
            </div>
        }
    }

    fn speeds(&self) -> Vec<(String, bool)> {
        let name = |(at, speed): (usize, &f64)| (format!("{speed}×"), at == self.speed);
        SPEEDS.iter().enumerate().map(name).collect()
    }

    fn timeline(&self, link: &Scope<Self>, now: Tick, length: Tick) -> Html {
        let share = |tick: Tick| tick.0 as f64 / length.0.max(1) as f64;
        let oninput = link.batch_callback(|event: InputEvent| {
            let value = event.target_dyn_into::<HtmlInputElement>()?.value().parse::<u64>().ok()?;
            Some(Msg::Seek(Tick(value.saturating_add(1))))
        });
        let mark = |(event, text): (&Event, String)| {
            let tick = event.tick;
            let bad = event.weight() == Weight::Wrong;
            html! {
                <button type="button" class="mark" key={tick.0} tabindex="-1" style={format!("--at:{:.4}", share(tick))}
                    data-bad={bad.then_some("")} title={text.clone()} aria-label={text}
                    onclick={link.callback(move |_| Msg::Seek(tick.after(1)))} />
            }
        };
        html! {
            <div class="timeline">
                <div class="marks">{for self.marks().into_iter().map(mark)}</div>
                <input type="range" data-knob="timeline" min="0" max={length.0.to_string()} step="1" value={now.0.to_string()}
                    aria-label="Timeline" aria-valuetext={format!("tick {now} of {length}")}
                    style={format!("--at:{:.4}", share(now))} {oninput} />
            </div>
        }
    }

    /// The weightiest event of each tick that has one worth a mark, in the runs that are judged.
    fn marks(&self) -> Vec<(&Event, String)> {
        let mut marks: Vec<&Event> = Vec::new();
        for (player, _) in self.scene.judged() {
            let events = self.players[player].run().ledger().events();
            marks
                .extend(events.iter().filter(|event| event.weight() > Weight::Plain && event.tick > Tick(0)));
        }
        marks.sort_by_key(|event| (event.tick, std::cmp::Reverse(event.weight())));
        marks.dedup_by_key(|event| event.tick);
        let log = self.players[0].setup().log();
        marks.into_iter().map(|event| (event, event.sentence(log))).collect()
    }

    fn badges(&self, player: usize, name: &'static str) -> Html {
        let verdicts = self.players[player].run().ledger().verdicts();
        let badge = |&sentence: &&'static str| {
            let since = Invariant::named(sentence).and_then(|(place, _)| verdicts.broken_since(place));
            super::shell_parts::badge(sentence, since)
        };
        html! {
            <section class="judged-run" aria-label={(!name.is_empty()).then_some(name)}>
                if !name.is_empty() { <p class="badges-of">{name}</p> }
                <ul class="badges" data-run={name}>{for S::BADGES.iter().map(badge)}</ul>
            </section>
        }
    }

    fn events(&self, ctx: &Context<Self>, stage: &Stage<'_, S::Msg>) -> Html {
        let link = ctx.link();
        let ontoggle = link.batch_callback(|event: yew::Event| {
            let open = event.target_dyn_into::<Element>()?.has_attribute("open");
            Some(Msg::Unfold(open))
        });
        let main = self.scene.main();
        let (events, log, now) = (stage.ledger(main).events(), stage.world(main).log(), stage.tick());
        let row = |event: &Event| {
            let tick = event.tick;
            let bad = event.weight() == Weight::Wrong;
            html! {
                <li class="event" key={event.id.0} aria-current={(tick == now).then_some("true")} data-bad={bad.then_some("")}>
                    <span class="tick">{format!("tick {tick}")}</span>
                    <span>{super::scene::capitalised(&event.telling(log))}</span>
                </li>
            }
        };
        html! {
            <details class="fold" {ontoggle}>
                <summary>{format!("Events ({})", events.len())}</summary>
                if self.events_open {
                    <ol class="events" tabindex="0" aria-label="Events, the latest first">
                        {for events.iter().rev().take(EVENTS_SHOWN).map(row)}
                    </ol>
                }
            </details>
        }
    }
}

/// Whether nothing has happened yet but the first tick.
fn is_opening(players: &[Player]) -> bool {
    players.iter().all(|player| player.now() <= Tick(1) && player.acts().is_empty())
}

fn stage<M>(players: &[Player], playing: bool, send: Callback<M>) -> Stage<'_, M> {
    Stage { players, playing, send }
}
