//! The end of the drain window, to take hold of: by mouse, finger or keyboard.
//!
//! It says the same as the slider among the knobs. The chart runs to the right, or downwards where the page is
//! narrow; which of the two, the window's edge itself tells: it is a line across time.

use std::{cell::Cell, rc::Rc};

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::{LONGEST_DRAIN, chart::Span};
use crate::ids::Tick;

/// A handle to draw.
pub(super) struct Handle {
    /// Where the window begins.
    pub(super) revoke: Tick,
    /// The window now, in ticks.
    pub(super) drain: u32,
    /// The stretch of time on the chart.
    pub(super) span: Span,
    /// How far beside the edge the pointer took hold.
    pub(super) grab: Rc<Cell<f64>>,
    /// Gets each new window.
    pub(super) on_drain: Callback<u32>,
}

impl Handle {
    /// The edge, with its grip.
    pub(super) fn view(self) -> Html {
        let drain = self.drain;
        let unit = if drain == 1 { "tick" } else { "ticks" };
        html! {
            <div class="edge" key="edge" role="slider" tabindex="0" data-handle="drain" data-part="drain-window"
                style={format!("--tick-at:{}", self.revoke.after(drain.into()))}
                aria-label="End of the drain window" aria-valuemin="0" aria-valuemax={LONGEST_DRAIN.to_string()}
                aria-valuenow={drain.to_string()} aria-valuetext={format!("{drain} {unit}")}
                onpointerdown={self.on_down()} onpointermove={self.on_move()} onkeydown={self.on_key()}>
                <span class="edge-hit"></span>
                <span class="grip" title="Drag: the drain window">
                    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="M7 5l-5 5 5 5zM13 5l5 5-5 5z" /></svg>
                </span>
            </div>
        }
    }

    fn on_down(&self) -> Callback<PointerEvent> {
        let grab = Rc::clone(&self.grab);
        let ahead = self.revoke.after(self.drain.into()).0.saturating_sub(self.span.base);
        let share = ahead as f64 / self.span.ticks.max(1) as f64;
        Callback::from(move |event: PointerEvent| {
            let Some(hold) = Hold::of(&event).filter(|_| event.button() == 0) else { return };
            grab.set(hold.along - hold.length * share);
            // Without a capture the pointer merely has to stay on the handle.
            let _ = hold.handle.set_pointer_capture(event.pointer_id());
        })
    }

    fn on_move(&self) -> Callback<PointerEvent> {
        let (grab, drain, ticks) = (Rc::clone(&self.grab), self.drain, self.span.ticks);
        let revoke = self.revoke.0 as f64 - self.span.base as f64;
        let on_drain = self.on_drain.clone();
        Callback::from(move |event: PointerEvent| {
            let Some(hold) = Hold::of(&event) else { return };
            if !hold.handle.has_pointer_capture(event.pointer_id()) || hold.length <= 0.0 {
                return;
            }
            let tick = (hold.along - grab.get()) / hold.length * ticks as f64;
            // A cast of a float stays within the type's range.
            let wanted = ((tick - revoke).round().max(0.0) as u32).min(LONGEST_DRAIN);
            if wanted != drain {
                on_drain.emit(wanted);
            }
        })
    }

    fn on_key(&self) -> Callback<KeyboardEvent> {
        let (drain, on_drain) = (self.drain, self.on_drain.clone());
        Callback::from(move |event: KeyboardEvent| {
            let wanted = match event.key().as_str() {
                "ArrowRight" | "ArrowUp" => drain.saturating_add(1),
                "ArrowLeft" | "ArrowDown" => drain.saturating_sub(1),
                "PageUp" => drain.saturating_add(3),
                "PageDown" => drain.saturating_sub(3),
                "Home" => 0,
                "End" => LONGEST_DRAIN,
                _ => return,
            };
            event.prevent_default();
            on_drain.emit(wanted.min(LONGEST_DRAIN));
        })
    }
}

/// A pointer on the handle.
struct Hold {
    handle: Element,
    /// Where it is on the time axis, in CSS pixels from its beginning.
    along: f64,
    /// The time axis, in CSS pixels.
    length: f64,
}

impl Hold {
    fn of(event: &PointerEvent) -> Option<Hold> {
        let handle = event.target()?.dyn_into::<Element>().ok()?.closest("[data-handle]").ok()??;
        let edge = handle.get_bounding_client_rect();
        let chart = handle.closest(".swim-over").ok()??.get_bounding_client_rect();
        let (along, length) = if edge.width() < edge.height() {
            (f64::from(event.client_x()) - chart.left(), chart.width())
        } else {
            (f64::from(event.client_y()) - chart.top(), chart.height())
        };
        Some(Hold { handle, along, length })
    }
}
