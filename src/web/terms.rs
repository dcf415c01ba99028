//! Words of the article that light up their part of a drawing.
//!
//! The words are outside every panel, and the parts come and go with each drawing; so a word only notes its
//! part's name at the panel's mount (`data-lit`), and the style sheet does the rest.

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Document, Element, Event, HtmlElement, KeyboardEvent};

/// Listens to the whole document for words that are hovered, focused, or tapped.
pub(crate) fn listen(document: &Document) {
    for kind in ["pointerover", "pointerout", "focusin", "focusout", "click", "keydown"] {
        let listener = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            if let Some(term) = term_of(&event) {
                react(kind, &event, &term);
            }
        });
        // A listener that cannot be added leaves the words plain; nothing else depends on it.
        let _ = document.add_event_listener_with_callback(kind, listener.as_ref().unchecked_ref());
        listener.forget();
    }
}

fn term_of(event: &Event) -> Option<HtmlElement> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest(".term[data-part]").ok()??.dyn_into().ok()
}

fn react(kind: &str, event: &Event, term: &HtmlElement) {
    match kind {
        "pointerover" | "focusin" => light(term, true),
        "pointerout" | "focusout" => light(term, is_pinned(term)),
        "click" => pin(term),
        _ => {
            let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
            if matches!(key.as_deref(), Some("Enter" | " ")) {
                event.prevent_default();
                pin(term);
            }
        }
    }
}

fn is_pinned(term: &HtmlElement) -> bool {
    term.get_attribute("aria-pressed").as_deref() == Some("true")
}

/// A tapped word stays lit until it is tapped again.
fn pin(term: &HtmlElement) {
    let pinned = !is_pinned(term);
    let _ = term.set_attribute("aria-pressed", if pinned { "true" } else { "false" });
    light(term, pinned);
}

fn light(term: &HtmlElement, on: bool) {
    let (Some(panel), Some(part)) = (term.get_attribute("data-panel"), term.get_attribute("data-part"))
    else {
        return;
    };
    let document = term.owner_document();
    let Some(mount) = document.and_then(|document| document.get_element_by_id(&format!("panel-{panel}")))
    else {
        return;
    };
    let _ = if on { mount.set_attribute("data-lit", &part) } else { mount.remove_attribute("data-lit") };
}
