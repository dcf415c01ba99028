//! The bar under the drawing: play, steps, the timeline with its marks, speed, restart, seed.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};
use yew::{html::Scope, prelude::*};

use super::{Msg, Shell, parts};
use crate::{
    deck::Deck,
    ids::Tick,
    ledger::{Event, EventId, Weight},
    sorted::SortedMap,
    web::{
        scene::capitalised,
        widgets::{Icon, icon_button, select, share},
    },
};

/// The speeds on offer, before "as fast as it goes".
pub(super) const SPEEDS: [f64; 8] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
const SPEED_NAMES: [&str; 8] = ["0.25×", "0.5×", "1×", "2×", "4×", "8×", "16×", "32×"];
pub(super) const NORMAL_SPEED: usize = 2;

/// Marks on a timeline at most: neighbours share one, and the weightiest shows.
const MOST_MARKS: u64 = 120;

/// The bar.
pub(super) fn view(shell: &Shell, link: &Scope<Shell>) -> Html {
    let deck = &shell.deck;
    let (start, end) = (deck.tick() == Tick(0), deck.is_at_end());
    let seed = deck.start().seed();
    html! {
        <div class="transport" role="group" aria-label="Time">
            <button type="button" class="icon-button icon-button-play" data-act="play" aria-label="Play" title="Play, pause"
                aria-pressed={if shell.playing { "true" } else { "false" }} onclick={link.callback(|_| Msg::Play)}>
                {if shell.playing { Icon::Pause } else { Icon::Play }.view()}
            </button>
            {icon_button("back", Icon::Back, "One tick back", start, link.callback(|_| Msg::Back))}
            {icon_button("step", Icon::Step, "One tick forward", end, link.callback(|_| Msg::Step))}
            {timeline(shell, link)}
            <span class="clock"><b>{deck.tick().0}</b>{format!(" / {}", deck.length())}</span>
            <span class="transport-more">
                <label class="speed"><span class="speed-name">{"Speed"}</span>
                    {select("speed", "Speed", speeds(shell.speed), link.callback(Msg::Speed))}
                </label>
                {icon_button("restart", Icon::Restart, "Start again", false, link.callback(|_| Msg::Restart))}
                {for seed.map(|seed| parts::seed(seed, link.callback(Msg::Seed), link.callback(|_| Msg::Roll)))}
            </span>
        </div>
    }
}

fn speeds(chosen: usize) -> Vec<(String, bool)> {
    let names = SPEED_NAMES.into_iter().chain(["fastest"]).map(str::to_owned);
    names.enumerate().map(|(at, name)| (name, at == chosen)).collect()
}

fn timeline(shell: &Shell, link: &Scope<Shell>) -> Html {
    let (now, length) = (shell.deck.tick(), shell.deck.length());
    let oninput = link.batch_callback(|event: InputEvent| {
        let value = event.target_dyn_into::<HtmlInputElement>()?.value().parse::<u64>().ok()?;
        Some(Msg::Seek(Tick(value.saturating_add(1))))
    });
    html! {
        <div class="timeline">
            <input type="range" data-knob="timeline" min="0" max={length.0.to_string()} step="1" value={now.0.to_string()}
                aria-label="Timeline" aria-valuetext={format!("tick {now} of {length}")}
                style={format!("--at:{}", share(now.0, length.0))} {oninput} />
            {shell.marks.view(now, length, link)}
        </div>
    }
}

/// What mattered, on the timeline: as far as this future is known, so that one can go back and forth.
#[derive(Default)]
pub(super) struct Marks {
    /// Of which state of the deck, and how long a timeline.
    of: (u64, Tick),
    /// Which runs were looked at, and how many of their events.
    seen: Vec<(usize, usize)>,
    /// By their place on the timeline.
    marks: SortedMap<u64, Mark>,
}

struct Mark {
    run: usize,
    event: EventId,
    tick: Tick,
    /// The weightiest of neighbours shows, of equal ones that which can be asked about.
    weight: (Weight, bool),
    sentence: String,
}

impl Marks {
    /// Looks at what has come to be known since the last time.
    pub(super) fn note(&mut self, deck: &Deck, judged: &[(usize, &'static str)]) {
        let of = (deck.revision(), deck.length());
        if self.of != of || !self.seen.iter().map(|seen| seen.0).eq(judged.iter().map(|judged| judged.0)) {
            self.marks.clear();
            (self.of, self.seen) = (of, judged.iter().map(|&(run, _)| (run, 0)).collect());
        }
        for (at, &(run, name)) in judged.iter().enumerate() {
            let Some(player) = deck.runs().get(run) else { continue };
            let (events, log) = (player.known_events(), player.setup().log());
            let fresh = events.get(self.seen[at].1..).unwrap_or_default();
            self.seen[at].1 = events.len();
            for event in fresh.iter().filter(|event| is_marked(event)) {
                self.put(deck.length(), run, event, || {
                    let sentence = event.sentence(log);
                    if name.is_empty() { sentence } else { format!("{name}. {sentence}") }
                });
            }
        }
    }

    fn put(&mut self, length: Tick, run: usize, event: &Event, sentence: impl Fn() -> String) {
        let Event { id, tick, .. } = *event;
        let weight = (event.weight(), event.fault().is_some());
        let place = if length.0 <= MOST_MARKS { tick.0 } else { tick.0 * MOST_MARKS / length.0 };
        let outweighs = |mark: &Mark| weight > mark.weight;
        if self.marks.get(&place).is_none_or(outweighs) {
            let mark = Mark { run, event: id, tick, weight, sentence: sentence() };
            self.marks.insert(place, mark);
        }
    }

    /// The marks; the Tab key reaches the last one that is not ahead, and the arrow keys the others.
    fn view(&self, now: Tick, length: Tick, link: &Scope<Shell>) -> Html {
        let reached = self.marks.values().rev().find(|mark| mark.tick <= now).or(self.marks.values().next());
        let reached = reached.map(|mark| mark.tick);
        let onkeydown = Callback::from(|event: KeyboardEvent| {
            let _ = walk(&event);
        });
        let view = |(&place, mark): (&u64, &Mark)| {
            let Mark { run, event, tick, .. } = *mark;
            let bad = (mark.weight.0 == Weight::Wrong).then_some("");
            html! {
                <button type="button" class="mark" key={place} tabindex={if reached == Some(tick) { "0" } else { "-1" }}
                    style={format!("--at:{}", share(tick.0, length.0))} data-bad={bad} data-ahead={(tick > now).then_some("")}
                    data-mark={tick.to_string()} onclick={link.callback(move |_| Msg::GoTo(run, event))}>
                    <span class="mark-tip">{capitalised(&mark.sentence)}</span>
                </button>
            }
        };
        html! {
            <div class="marks" role="group" aria-label="What mattered. Left and right go from mark to mark." {onkeydown}>
                {for self.marks.iter().map(view)}
            </div>
        }
    }
}

/// Whether an event is worth a mark. The first tick is where every run begins.
fn is_marked(event: &Event) -> bool {
    event.weight() > Weight::Plain && event.tick > Tick(0)
}

/// Moves the focus from mark to mark.
fn walk(event: &KeyboardEvent) -> Option<()> {
    let mark = event.target_dyn_into::<Element>()?.closest(".mark").ok()??;
    let to = match event.key().as_str() {
        "ArrowLeft" => mark.previous_element_sibling(),
        "ArrowRight" => mark.next_element_sibling(),
        "Home" => mark.parent_element()?.first_element_child(),
        "End" => mark.parent_element()?.last_element_child(),
        _ => return None,
    };
    event.prevent_default();
    to?.dyn_into::<HtmlElement>().ok()?.focus().ok()
}
