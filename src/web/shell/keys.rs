//! The keyboard: a few keys for the panel that has the focus, none while somebody types.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, KeyboardEvent};
use yew::{html::Scope, prelude::*};

use super::{Msg, Shell, later};
use crate::ids::Tick;

/// What `aria-keyshortcuts` announces.
pub(super) const SHORTCUTS: &str = "Space ArrowLeft ArrowRight Home End R ?";

/// The keys as the list names them.
const LIST: [(&str, &str); 7] = [
    ("Space", "play, pause"),
    ("←", "one tick back"),
    ("→", "one tick forward"),
    ("Home", "to the beginning"),
    ("End", "as far as was played, then to the end"),
    ("R", "start again"),
    ("?", "this list"),
];

/// What a key says to the panel, whose timeline ends where `end` ticks are executed; `None` where the key
/// belongs to what has the focus, or to the browser.
pub(super) fn message(event: &KeyboardEvent, end: Tick) -> Option<Msg> {
    if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return None;
    }
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let is = |selector: &str| target.matches(selector).unwrap_or(true);
    let types = is("input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select");
    let is_control = is("input");
    let is_pressed = is("button, summary, a, [role=button], input[type=radio], input[type=checkbox]");
    if types || target.closest("dialog").ok().flatten().is_some() {
        return None;
    }
    match event.key().as_str() {
        " " if !is_pressed => Some(Msg::Play),
        "ArrowLeft" if !is_control => Some(Msg::Back),
        "ArrowRight" if !is_control => Some(Msg::Step),
        "Home" if !is_control => Some(Msg::Seek(Tick(1))),
        "End" if !is_control => Some(Msg::Seek(end)),
        "r" | "R" => Some(Msg::Restart),
        "?" => Some(Msg::Keys(true)),
        _ => None,
    }
}

/// The list, in a dialog that Escape closes.
pub(super) fn view(open: bool, link: &Scope<Shell>) -> Html {
    html! {
        <dialog class="keys" aria-label="Keyboard keys" aria-describedby="keys-listed" onclose={link.callback(|_| Msg::Keys(false))}>
            if open {
                <div id="keys-listed">{later(|desk| (desk.keys)(), link)}</div>
                <form method="dialog"><button class="button">{"Close"}</button></form>
            }
        </dialog>
    }
}

/// What is in it.
pub(in crate::web) fn list() -> Html {
    let row = |&(key, what): &(&'static str, &'static str)| {
        html! { <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div> }
    };
    html! {
        <>
            <p>{"While this panel has the focus, and nobody types:"}</p>
            <dl>{for LIST.iter().map(row)}</dl>
        </>
    }
}

/// Opens or closes the dialog in the panel, as it is to be.
pub(super) fn rendered(open: bool, panel: &Element) {
    let found = panel.query_selector("dialog.keys").ok().flatten();
    let Some(dialog) = found.and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok()) else { return };
    match (open, dialog.open()) {
        // Where it cannot be modal it shows nothing, and the keys are in the article as well.
        (true, false) => drop(dialog.show_modal()),
        (false, true) => dialog.close(),
        _ => {}
    }
}
