//! Why? What led to an event, back to the decision that made it possible: sentences to jump along.

use yew::{html::Scope, prelude::*};

use super::{Msg, Shell};
use crate::{
    deck::Deck,
    ids::Tick,
    ledger::{Event, EventId, Weight, why},
    web::scene::capitalised,
};

/// An event that the reader asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// In which of the deck's runs.
    pub(super) run: usize,
    pub(super) event: EventId,
}

/// What can be asked about the tick executed last, in the run that the panel is about if it has something;
/// where there is nothing in it and yet something `bad` to say, about the last fault there was.
pub(super) fn question(deck: &Deck, judged: &[(usize, &'static str)], bad: bool) -> Option<Question> {
    let front = deck.start().front();
    let last = |run: usize| {
        let events = deck.runs().get(run)?.run().ledger().events();
        let wrong = |event: &&Event| event.weight() == Weight::Wrong && event.fault().is_some();
        let fault = events.iter().rev().find(wrong)?;
        Some(Question { run, event: fault.id })
    };
    of_run(deck, front)
        .or_else(|| judged.iter().find_map(|&(run, _)| of_run(deck, run)))
        .or_else(|| if bad { last(front) } else { None })
}

/// What can be asked about the tick executed last of one run.
pub(super) fn of_run(deck: &Deck, run: usize) -> Option<Question> {
    let now = deck.runs().get(run)?.run().ledger().events_from(deck.tick());
    let fault = now.iter().filter(|event| event.fault().is_some()).max_by_key(|event| {
        // The first of the weightiest: what comes later in a tick follows from it.
        (event.weight(), std::cmp::Reverse(event.id))
    })?;
    Some(Question { run, event: fault.id })
}

/// Opens the answer, or closes it.
pub(super) fn button(question: Question, open: bool, link: &Scope<Shell>) -> Html {
    let onclick = link.callback(move |_| Msg::Ask((!open).then_some(question)));
    html! {
        <>
            {" "}
            <button type="button" class="why-button" data-act="why" aria-expanded={if open { "true" } else { "false" }} {onclick}>
                {"Why?"}
            </button>
        </>
    }
}

/// The answer: the event, each cause, the decision; each can be gone to.
pub(in crate::web) fn answer(question: Question, deck: &Deck, link: &Scope<Shell>) -> Html {
    let Some(player) = deck.runs().get(question.run) else { return Html::default() };
    let events = player.known_events();
    let Some(answer) = why(events, question.event, player.setup()) else { return Html::default() };
    let log = player.setup().log();
    let found: Vec<&Event> = answer.chain.iter().filter_map(|id| events.get(id.0 as usize)).collect();
    let step = |event: &&Event| row(event.tick, capitalised(&event.telling(log)), "", deck.tick(), link);
    let decision = &answer.decision;
    html! {
        <section class="why" aria-label="Why it happened">
            <div class="why-head">
                <h3>{"Why?"}</h3>
                <button type="button" class="why-close" data-act="why-close" aria-label="Close" onclick={link.callback(|_| Msg::Ask(None))}>{"×"}</button>
            </div>
            <ol class="why-chain">
                {for found.iter().map(step)}
                {row(decision.tick, decision.sentence.clone(), "decision", deck.tick(), link)}
            </ol>
        </section>
    }
}

fn row(tick: Tick, sentence: String, kind: &'static str, now: Tick, link: &Scope<Shell>) -> Html {
    html! {
        <li data-kind={(!kind.is_empty()).then_some(kind)}>
            <button type="button" class="jump" data-jump={tick.to_string()} aria-current={(tick == now).then_some("true")}
                title={format!("Go to tick {tick}")} onclick={link.callback(move |_| Msg::Seek(tick.after(1)))}>
                <span class="tick">{format!("tick {tick}")}</span>
                <span>
                    if kind == "decision" { <b>{"The decision: "}</b> }
                    {sentence}
                </span>
            </button>
        </li>
    }
}
