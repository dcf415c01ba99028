//! Two futures of one past: what is different about them, in words, above the two drawings.

use yew::{html::Scope, prelude::*};

use super::{Msg, Shell};
use crate::{
    deck::{Deck, Difference},
    ids::Tick,
    ledger::input_telling,
    scenario::Finding,
    web::scene::capitalised,
    world::Input,
};

/// Entries of a list that are shown, and inputs that are told.
const SHOWN: usize = 4;
const MOST_TOLD: usize = 3;

/// The words above the drawings.
pub(in crate::web) fn bar(deck: &Deck, judged: &[(usize, &'static str)], link: &Scope<Shell>) -> Html {
    let Some((_, fork)) = deck.kept() else { return Html::default() };
    let [new, old] = deck.forked_by();
    let one = |&(run, name): &(usize, &'static str)| Some(difference(name, &deck.difference(run)?));
    html! {
        <section class="compare" data-fork={fork.to_string()} aria-label="Two futures">
            <p>
                <b>{opening(fork)}</b>
                {format!("New: {} Old: {}", done(&new, fork), done(&old, fork))}
            </p>
            {for judged.iter().filter_map(one)}
            <p class="compare-acts">
                <button type="button" class="button" data-act="keep-new" onclick={link.callback(|_| Msg::Compare(false))}>{"Keep the new future"}</button>
                <button type="button" class="button" data-act="keep-old" onclick={link.callback(|_| Msg::TakeBack)}>{"Go back to the old one"}</button>
            </p>
        </section>
    }
}

fn opening(fork: Tick) -> String {
    match fork {
        Tick(0) => "Two futures that part at the start. ".to_owned(),
        fork => format!("Two futures that part in tick {fork}. "),
    }
}

/// What an outcome's name in a scenario file means to a reader.
fn label(name: &str) -> String {
    match name {
        "w" => "watermark over time".to_owned(),
        "violated" => "promises broken".to_owned(),
        name => name.replace('_', " "),
    }
}

/// What was done in one future and not in the other.
fn done(inputs: &[(Tick, Input)], fork: Tick) -> String {
    let told = inputs.iter().take(MOST_TOLD).map(|(tick, input)| {
        let told = capitalised(&input_telling(input));
        // "From now on" is said within a tick, and this is said from outside.
        match *tick {
            Tick(0) => told.replace("From now on", "From the start"),
            tick if tick == fork => told.replace("From now on", "From then on"),
            tick => format!("Tick {tick}: {}", told.replace("From now on", "from then on")),
        }
    });
    let told: Vec<_> = told.collect();
    match inputs.len().saturating_sub(MOST_TOLD) {
        _ if inputs.is_empty() => "Without that.".to_owned(),
        0 => told.join(" "),
        more => format!("{} And {more} more.", told.join(" ")),
    }
}

/// The first tick that differs, and what differs of the outcome so far.
fn difference(name: &'static str, difference: &Difference) -> Html {
    let row = |(what, old, new): &(&'static str, Option<Finding>, Option<Finding>)| {
        let common = common(old.as_ref(), new.as_ref());
        html! {
            <tr data-differs={*what}>
                <th scope="row">{label(what)}</th>
                <td>{short(old.as_ref(), common)}</td>
                <td>{short(new.as_ref(), common)}</td>
            </tr>
        }
    };
    let first = match difference.first {
        None => "So far the same things happen in both.".to_owned(),
        Some(tick) => format!("They first differ in tick {tick}."),
    };
    html! {
        <div class="compare-run" data-first={difference.first.map(|tick| tick.to_string())}>
            <p>if !name.is_empty() { <b>{format!("{name}: ")}</b> }{capitalised(&first)}</p>
            if !difference.outcome.is_empty() {
                <div class="compare-table" tabindex="0" role="group" aria-label="What differs so far">
                    <table>
                        <thead><tr><th scope="col">{"so far"}</th><th scope="col">{"old"}</th><th scope="col">{"new"}</th></tr></thead>
                        <tbody>{for difference.outcome.iter().map(row)}</tbody>
                    </table>
                </div>
            }
        </div>
    }
}

/// How many entries two lists have in common from the first on.
fn common(old: Option<&Finding>, new: Option<&Finding>) -> usize {
    let [old, new] = [old, new].map(|finding| finding.and_then(Finding::entries).unwrap_or_default());
    old.iter().zip(&new).take_while(|(old, new)| old == new).count()
}

/// A value; of a list, what comes after the entries that both have, cut short.
fn short(finding: Option<&Finding>, common: usize) -> String {
    let Some(finding) = finding else { return "–".to_owned() };
    let Some(entries) = finding.entries() else { return finding.to_string() };
    if entries.is_empty() {
        return "none".to_owned();
    }
    // The last one that both have, so that it is seen where they part.
    let from = if entries.len() <= SHOWN { 0 } else { common.saturating_sub(1) };
    let shown = &entries[from..(from + SHOWN).min(entries.len())];
    let (before, after) =
        (if from > 0 { "…, " } else { "" }, if from + SHOWN < entries.len() { ", …" } else { "" });
    let count = if entries.len() > SHOWN { format!("{}: ", entries.len()) } else { String::new() };
    format!("{count}{before}{}{after}", shown.join(", "))
}
