//! The small pieces of every panel below its drawing, and the numbers it lends to the article.

use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use crate::{
    ids::Tick,
    ledger::Invariant,
    player::Player,
    web::{
        scene::{Counter, capitalised},
        widgets::{Icon, icon_button, reading},
    },
};

/// A number with its name.
pub(super) fn counter(counter: Counter) -> Html {
    let Counter { name, label, value, unit, bad, part } = counter;
    html! {
        <div class="counter" data-counter={name} data-value={value.to_string()} data-bad={bad.then_some("")}
            data-part={(!part.is_empty()).then_some(part)}>
            <dt>{label}</dt>
            <dd>{value} if !unit.is_empty() { {" "}<small>{unit}</small> }</dd>
        </div>
    }
}

/// The invariants that a panel is about, as one of its runs keeps them, and whatever else that run has broken:
/// a panel that was lent to another subject says nothing is kept that is not.
pub(super) fn badges(player: &Player, name: &'static str, sentences: &[&'static str]) -> Html {
    let verdicts = player.run().ledger().verdicts();
    let own = sentences.iter().map(|&sentence| {
        let since = Invariant::named(sentence).and_then(|(place, _)| verdicts.broken_since(place));
        badge(sentence, since)
    });
    let others = verdicts.violated().filter(|(invariant, _)| !sentences.contains(&invariant.sentence));
    let badges = own.chain(others.map(|(invariant, since)| badge(invariant.sentence, Some(since))));
    html! {
        <section class="judged-run" aria-label={(!name.is_empty()).then_some(name)}>
            if !name.is_empty() { <p class="badges-of">{name}</p> }
            <ul class="badges" data-run={name}>{for badges}</ul>
        </section>
    }
}

/// An invariant: kept, or broken since a tick.
fn badge(sentence: &'static str, since: Option<Tick>) -> Html {
    let verdict = if since.is_some() { "broken" } else { "kept" };
    html! {
        <li class="badge" data-invariant={sentence} data-state={verdict} data-verdict={verdict}
            data-since={since.map(|tick| tick.to_string())}>
            {capitalised(sentence).replace("<=", "≤")}
            <span class="since">
                {since.map_or_else(|| " (kept)".to_owned(), |tick| format!(" (broken since tick {tick})"))}
            </span>
        </li>
    }
}

/// The seed, to type or to roll.
pub(super) fn seed(seed: u64, on_text: Callback<String>, on_roll: Callback<MouseEvent>) -> Html {
    let typed = |event: Event| Some(event.target_dyn_into::<HtmlInputElement>()?.value());
    let onchange = reading(typed, on_text);
    html! {
        <>
            <label class="seed">{"Seed "}
                <input class="field" data-knob="seed" inputmode="numeric" value={seed.to_string()} {onchange} />
            </label>
            {icon_button("roll", Icon::Dice, "Another seed", false, on_roll)}
        </>
    }
}

/// Brings the numbers that the article quotes up to date.
pub(super) fn quote(panel: &Element, numbers: &[(&'static str, String, bool)]) {
    let Some(document) = panel.owner_document() else { return };
    for (name, text, bad) in numbers {
        let Ok(Some(quoted)) = document.query_selector(&format!("[data-live=\"{name}\"]")) else { continue };
        if quoted.text_content().as_deref() != Some(text) {
            quoted.set_text_content(Some(text));
        }
        let _ = if *bad { quoted.set_attribute("data-bad", "") } else { quoted.remove_attribute("data-bad") };
    }
}
