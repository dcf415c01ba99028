//! The event list under each panel: every event of this future as a sentence, to be filtered and gone to.

use std::cell::RefCell;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};
use yew::{html::Scope, prelude::*};

use super::{Msg as ShellMsg, Shell, later, why::Question};
use crate::{
    deck::Deck,
    ids::Tick,
    ledger::{Event, EventId, Weight},
    player::Player,
    web::{
        scene::capitalised,
        widgets::{list, reading, segmented},
    },
};

/// Events shown before the one that the reader stands at, and after it.
const SHOWN: (usize, usize) = (120, 80);

/// What the reader wants of the list.
pub(crate) enum Msg {
    Unfold(bool),
    Least(Weight),
    Text(String),
    Run(usize),
}

/// What is shown of the events.
pub(in crate::web) struct EventList {
    open: bool,
    least: Weight,
    text: String,
    /// Whose events, by the run's place in the deck; `None`: of the run in front.
    run: Option<usize>,
    found: RefCell<Found>,
    /// The tick that the list was last scrolled to.
    scrolled: Option<Tick>,
}

/// Which events the filter lets through: added to as more become known.
#[derive(Default)]
struct Found {
    of: Option<(u64, usize, Weight, String)>,
    seen: usize,
    ids: Vec<EventId>,
}

impl Default for EventList {
    fn default() -> EventList {
        EventList {
            open: false,
            least: Weight::Plain,
            text: String::new(),
            run: None,
            found: RefCell::default(),
            scrolled: None,
        }
    }
}

impl EventList {
    pub(super) fn update(&mut self, msg: Msg) {
        match msg {
            Msg::Unfold(open) => self.open = open,
            Msg::Least(least) => self.least = least,
            Msg::Text(text) => self.text = text,
            Msg::Run(run) => self.run = Some(run),
        }
        self.scrolled = None;
    }

    /// The list, folded or not.
    pub(super) fn view(&self, deck: &Deck, judged: &[(usize, &'static str)], link: &Scope<Shell>) -> Html {
        let run = self.run.filter(|run| judged.iter().any(|judged| judged.0 == *run));
        let run = run.unwrap_or(deck.start().front());
        let Some(player) = deck.runs().get(run) else { return Html::default() };
        let ontoggle = link.batch_callback(|event: yew::Event| {
            let open = event.target_dyn_into::<Element>()?.has_attribute("open");
            Some(ShellMsg::Events(Msg::Unfold(open)))
        });
        html! {
            <details class="fold" data-fold="events" {ontoggle}>
                <summary>{format!("Events ({})", player.run().ledger().events().len())}</summary>
                if self.open {
                    {later(|desk| (desk.events)(self, run, deck, judged, link), link)}
                }
            </details>
        }
    }

    fn filters(&self, run: usize, judged: &[(usize, &'static str)], link: &Scope<Shell>) -> Html {
        let send = |to: fn(Weight) -> Msg| link.callback(move |weight| ShellMsg::Events(to(weight)));
        let weights = [
            (Weight::Plain, "all", "all"),
            (Weight::Notable, "notable", "notable"),
            (Weight::Wrong, "wrong", "wrong"),
        ];
        let typed = |event: InputEvent| Some(event.target_dyn_into::<HtmlInputElement>()?.value());
        let oninput = reading(typed, link.callback(|text| ShellMsg::Events(Msg::Text(text))));
        let runs: Vec<_> = judged.iter().map(|&(run, name)| (run, name, name)).collect();
        html! {
            <div class="filters">
                if runs.len() > 1 {
                    {segmented("events-of", "Events of", &runs, run, &link.callback(|run| ShellMsg::Events(Msg::Run(run))))}
                }
                {segmented("events-least", "Show", &weights, self.least, &send(Msg::Least))}
                <label class="filter-text">{"With the words"}
                    <input class="field" data-knob="events-text" type="search" placeholder="offset 7, key C, polled" {oninput} />
                </label>
            </div>
        }
    }

    fn list(&self, deck: &Deck, run: usize, player: &Player, link: &Scope<Shell>) -> Html {
        let events = player.known_events();
        let log = player.setup().log();
        let mut found = self.found.borrow_mut();
        found.look(self, deck.revision(), run, player);
        let now = deck.tick();
        let here =
            found.ids.partition_point(|id| events.get(id.0 as usize).is_some_and(|event| event.tick <= now));
        let (from, to) = (here.saturating_sub(SHOWN.0), (here + SHOWN.1).min(found.ids.len()));
        let shown = found.ids[from..to].iter().filter_map(|id| events.get(id.0 as usize));
        let row = |event: &Event| row(event, run, capitalised(&event.telling(log)), now, link);
        let (before, after) = (from, found.ids.len() - to);
        html! {
            <ol class="events" tabindex="0" aria-label="Events, by tick" data-found={found.ids.len().to_string()}>
                if found.ids.is_empty() { <li class="events-more">{"No event so far is like that."}</li> }
                if before > 0 { <li class="events-more">{format!("{before} earlier ones: go back to see them")}</li> }
                {list(shown.map(row))}
                if after > 0 { <li class="events-more">{format!("{after} later ones: go on to see them")}</li> }
            </ol>
        }
    }

    /// Brings the tick that the reader stands at into the list's view, whenever it is another one.
    pub(super) fn rendered(&mut self, panel: &Element) {
        if !self.open {
            return;
        }
        let tick = panel.get_attribute("data-tick").and_then(|tick| tick.parse().ok()).map(Tick);
        if self.scrolled == tick {
            return;
        }
        self.scrolled = tick;
        let find = |selector| panel.query_selector(selector).ok()??.dyn_into::<HtmlElement>().ok();
        let Some(list) = find(".events") else { return };
        let row = find(".events [aria-current]").or_else(|| find(".events [data-ahead]"));
        // The list scrolls, never the page.
        let top = row.map_or(list.scroll_height(), |row| row.offset_top() - list.client_height() / 3);
        list.set_scroll_top(top);
    }
}

/// What the list shows when it is not folded; `run` is the one whose events they are.
pub(in crate::web) fn body(
    list: &EventList,
    run: usize,
    deck: &Deck,
    judged: &[(usize, &'static str)],
    link: &Scope<Shell>,
) -> Html {
    let Some(player) = deck.runs().get(run) else { return Html::default() };
    html! {
        <>
            {list.filters(run, judged, link)}
            {list.list(deck, run, player, link)}
        </>
    }
}

impl Found {
    /// Looks through what has come to be known since the last time.
    fn look(&mut self, list: &EventList, revision: u64, run: usize, player: &Player) {
        let text = list.text.trim().to_lowercase();
        let of = (revision, run, list.least, text.clone());
        if self.of.as_ref() != Some(&of) {
            *self = Found { of: Some(of), ..Found::default() };
        }
        let (events, log) = (player.known_events(), player.setup().log());
        let fits = |event: &&Event| {
            event.weight() >= list.least
                && (text.is_empty() || event.sentence(log).to_lowercase().contains(&text))
        };
        let fresh = events.get(self.seen..).unwrap_or_default();
        self.ids.extend(fresh.iter().filter(fits).map(|event| event.id));
        self.seen = events.len();
    }
}

fn row(event: &Event, run: usize, sentence: String, now: Tick, link: &Scope<Shell>) -> Html {
    let Event { id, tick, .. } = *event;
    let bad = (event.weight() == Weight::Wrong).then_some("");
    let why = event.fault().is_some().then(|| {
        let onclick = link.callback(move |_| ShellMsg::Ask(Some(Question { run, event: id })));
        html! { <button type="button" class="why-button" data-act="why" {onclick}>{"Why?"}</button> }
    });
    html! {
        <li class="event" key={id.0} aria-current={(tick == now).then_some("true")} data-bad={bad} data-ahead={(tick > now).then_some("")}
            data-event={id.0.to_string()}>
            <button type="button" class="jump" title={format!("Go to tick {tick}")} onclick={link.callback(move |_| ShellMsg::Seek(tick.after(1)))}>
                <span class="tick">{format!("tick {tick}")}</span>
                <span>{sentence}</span>
            </button>
            {for why}
        </li>
    }
}
