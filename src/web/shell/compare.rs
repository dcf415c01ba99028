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

/// Entries of a list that are shown.
const SHOWN: usize = 4;

/// The words above the drawings.
pub(super) fn bar(deck: &Deck, judged: &[(usize, &'static str)], link: &Scope<Shell>) -> Html {
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

fn done(inputs: &[Input], fork: Tick) -> String {
    if inputs.is_empty() {
        return "nothing is done there.".to_owned();
    }
    let told: Vec<_> = inputs.iter().map(input_telling).collect();
    let told = told.join(" ");
    // "From now on" is said of a tick, and this is said from outside.
    if fork == Tick(0) { told.replace("from now on", "from the start") } else { told }
}

/// The first tick that differs, and what differs of the outcome so far.
fn difference(name: &'static str, difference: &Difference) -> Html {
    let row = |(what, old, new): &(&'static str, Option<Finding>, Option<Finding>)| {
        html! {
            <tr data-differs={*what}>
                <th scope="row">{label(what)}</th>
                <td>{short(old.as_ref())}</td>
                <td>{short(new.as_ref())}</td>
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

/// A value, its list cut short.
fn short(finding: Option<&Finding>) -> String {
    let Some(finding) = finding else { return "–".to_owned() };
    match finding.entries() {
        None => finding.to_string(),
        Some(entries) if entries.is_empty() => "none".to_owned(),
        Some(entries) if entries.len() <= SHOWN => entries.join(", "),
        Some(entries) => format!("{}: {}, …", entries.len(), entries[..SHOWN].join(", ")),
    }
}
