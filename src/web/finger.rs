//! A range input under a finger: one that moves along it drags it, one that moves across it scrolls the page.
//!
//! Left to itself a browser sets a range to wherever it is touched, also by a finger that only wants to scroll.
//! So where fingers are the pointers (see `.range` in panel.css), the input hears nothing of them; what encloses
//! it does, and gives the input its value and an event as a mouse would have.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, HtmlInputElement, PointerEvent};
use yew::prelude::*;

/// Less than this is a tap, in CSS pixels.
const SLOP: i32 = 6;

/// The thumb's width on a touch screen, as in panel.css: its middle never reaches the ends.
const THUMB: f64 = 24.0;

/// Where the finger came down, and whether it has begun to drag: kept on the element, because whatever is drawn
/// anew meanwhile must not forget it.
const FROM: &str = "data-from";
const DRAGS: &str = "data-drags";

/// A range input, ready for fingers.
pub(crate) fn range(input: Html) -> Html {
    let hear = |react: fn(&PointerEvent, &Element) -> Option<()>| {
        Callback::from(move |event: PointerEvent| {
            if let Some(element) = enclosing(&event) {
                react(&event, &element);
            }
        })
    };
    html! {
        <span class="range" onpointerdown={hear(down)} onpointermove={hear(moved)} onpointerup={hear(up)} onpointercancel={hear(gone)}>
            {input}
        </span>
    }
}

fn enclosing(event: &PointerEvent) -> Option<Element> {
    // On the input itself the browser is at work.
    event.target_dyn_into::<Element>().filter(|element| element.class_list().contains("range"))
}

fn down(event: &PointerEvent, element: &Element) -> Option<()> {
    element.set_pointer_capture(event.pointer_id()).ok()?;
    element.set_attribute(FROM, &format!("{} {}", event.client_x(), event.client_y())).ok()
}

fn moved(event: &PointerEvent, element: &Element) -> Option<()> {
    let (along, across) = way(event, element)?;
    if !element.has_attribute(DRAGS) {
        if along < SLOP || along < across {
            return None;
        }
        element.set_attribute(DRAGS, "").ok()?;
    }
    set(event, element)
}

fn up(event: &PointerEvent, element: &Element) -> Option<()> {
    let (along, across) = way(event, element)?;
    let tapped = along < SLOP && across < SLOP;
    let ends = element.has_attribute(DRAGS) || tapped;
    gone(event, element);
    if ends { set(event, element) } else { None }
}

fn gone(_event: &PointerEvent, element: &Element) -> Option<()> {
    element.remove_attribute(DRAGS).ok()?;
    element.remove_attribute(FROM).ok()
}

/// How far the finger is from where it came down; `None` where none did.
fn way(event: &PointerEvent, element: &Element) -> Option<(i32, i32)> {
    let from = element.get_attribute(FROM)?;
    let (x, y) = from.split_once(' ')?;
    let distance = |now: i32, then: &str| Some((now - then.parse::<i32>().ok()?).abs());
    Some((distance(event.client_x(), x)?, distance(event.client_y(), y)?))
}

/// The input's value is what the finger points at.
fn set(event: &PointerEvent, element: &Element) -> Option<()> {
    let input: HtmlInputElement = element.query_selector("input").ok()??.dyn_into().ok()?;
    let (min, max) = (input.min().parse::<f64>().ok()?, input.max().parse::<f64>().ok()?);
    let bounds = element.get_bounding_client_rect();
    let along = f64::from(event.client_x()) - bounds.left() - THUMB / 2.0;
    let share = (along / (bounds.width() - THUMB).max(1.0)).clamp(0.0, 1.0);
    let value = (min + share * (max - min)).round();
    if input.value_as_number() == value {
        return None;
    }
    input.set_value_as_number(value);
    let told = EventInit::new();
    told.set_bubbles(true);
    let event = Event::new_with_event_init_dict("input", &told).ok()?;
    input.dispatch_event(&event).ok().map(drop)
}
