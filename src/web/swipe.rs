//! Sliders under a finger: one that moves along a slider drags it, one that moves across it scrolls the page.
//!
//! The style sheet leaves vertical movement to the browser (`touch-action: pan-y`), but a slider takes its new
//! value as soon as it is touched, before anybody can know which of the two it will be. So what it says is
//! held back until the finger has moved along, or has lifted; if the browser scrolls instead, it was nothing.

use std::{cell::RefCell, rc::Rc};

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Document, Event, EventInit, HtmlInputElement, PointerEvent};

/// A finger that moved so far along has decided, in CSS pixels.
const DECIDED: i32 = 6;

/// A slider under a finger that has not decided yet.
struct Held {
    slider: HtmlInputElement,
    /// Its value before it was touched.
    before: String,
    /// The value that it took at the touch.
    wanted: Option<String>,
    /// Where the finger came down.
    at: (i32, i32),
}

/// Watches every slider of the document.
pub(crate) fn listen(document: &Document) {
    let held: Rc<RefCell<Option<Held>>> = Rc::default();
    for kind in ["pointerdown", "pointermove", "pointerup", "pointercancel", "input"] {
        let held = Rc::clone(&held);
        let listener = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            // Busy only while a slider's own event is sent from below: that one is to pass.
            let Ok(mut slot) = held.try_borrow_mut() else { return };
            react(kind, &event, &mut slot);
        });
        // In the capturing phase, before the page hears of it. Without it a swipe turns the slider it crosses.
        let _ =
            document.add_event_listener_with_callback_and_bool(kind, listener.as_ref().unchecked_ref(), true);
        listener.forget();
    }
}

fn react(kind: &str, event: &Event, slot: &mut Option<Held>) {
    if kind == "input" {
        if let Some(held) = slot.as_mut().filter(|held| is_target(event, &held.slider)) {
            event.stop_immediate_propagation();
            held.wanted = Some(held.slider.value());
            held.slider.set_value(&held.before);
        }
        return;
    }
    let Some(pointer) = event.dyn_ref::<PointerEvent>().filter(|pointer| pointer.pointer_type() == "touch")
    else {
        return;
    };
    match kind {
        "pointerdown" => *slot = Held::of(pointer),
        "pointermove" if !slot.as_ref().is_some_and(|held| held.is_dragged(pointer)) => {}
        "pointercancel" => *slot = None,
        _ => {
            if let Some(held) = slot.take() {
                held.release();
            }
        }
    }
}

fn is_target(event: &Event, slider: &HtmlInputElement) -> bool {
    event.target().as_ref() == Some(slider.as_ref())
}

impl Held {
    fn of(pointer: &PointerEvent) -> Option<Held> {
        let slider: HtmlInputElement = pointer.target()?.dyn_into().ok()?;
        let before = slider.value();
        let at = (pointer.client_x(), pointer.client_y());
        (slider.type_() == "range").then_some(Held { slider, before, wanted: None, at })
    }

    fn is_dragged(&self, pointer: &PointerEvent) -> bool {
        let along = (pointer.client_x() - self.at.0).abs();
        along > DECIDED && along > (pointer.client_y() - self.at.1).abs()
    }

    /// The slider says now what it was not to say before.
    fn release(self) {
        let Some(wanted) = self.wanted else { return };
        self.slider.set_value(&wanted);
        let bubbling = EventInit::new();
        bubbling.set_bubbles(true);
        if let Ok(event) = Event::new_with_event_init_dict("input", &bubbling) {
            // An event that nobody could cancel tells nothing by its answer.
            let _ = self.slider.dispatch_event(&event);
        }
    }
}
