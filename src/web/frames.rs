//! When ticks are played: a frame loop that can be stopped, and whether the panel can be seen.

use gloo_render::{AnimationFrame, request_animation_frame};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, js_sys::Array};
use yew::Callback;

/// The pace of a run: ticks per second at speed 1.
const TICKS_PER_SECOND: f64 = 2.5;

/// A frame that came late pays for this much at most: a tab that was hidden does not catch up.
const LONGEST_FRAME_MS: f64 = 250.0;

/// Turns frames into ticks. Frames run only while somebody holds this and asks for the next one.
#[derive(Default)]
pub(crate) struct Pace {
    handle: Option<AnimationFrame>,
    last_frame_ms: Option<f64>,
    /// Ticks that time has earned and that were not played yet.
    owed: f64,
}

impl Pace {
    /// Asks for a frame, unless one is on its way.
    pub(crate) fn ask(&mut self, on_frame: &Callback<f64>) {
        if self.handle.is_none() {
            let on_frame = on_frame.clone();
            self.handle = Some(request_animation_frame(move |time_ms| on_frame.emit(time_ms)));
        }
    }

    /// No more frames; the next one asked for starts afresh.
    pub(crate) fn stop(&mut self) {
        *self = Pace::default();
    }

    /// A frame came: how many ticks to play in it.
    pub(crate) fn ticks(&mut self, time_ms: f64, speed: f64) -> u32 {
        self.handle = None;
        let elapsed_ms = self.last_frame_ms.map_or(0.0, |last| (time_ms - last).clamp(0.0, LONGEST_FRAME_MS));
        self.last_frame_ms = Some(time_ms);
        self.owed += elapsed_ms / tick_ms(speed);
        let ticks = self.owed.floor();
        self.owed -= ticks;
        ticks as u32
    }
}

/// Milliseconds that a tick takes at a speed.
pub(crate) fn tick_ms(speed: f64) -> f64 {
    1000.0 / (TICKS_PER_SECOND * speed)
}

/// Tells whenever an element comes into view or leaves it, as long as it is held.
pub(crate) struct Sight {
    observer: IntersectionObserver,
    _on_change: Closure<dyn FnMut(Array)>,
}

impl Sight {
    /// Watches `element`. `None` in a browser that cannot: then it counts as seen.
    pub(crate) fn of(element: &Element, on_change: Callback<bool>) -> Option<Sight> {
        let closure = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            let last = entries.pop().dyn_into::<IntersectionObserverEntry>();
            if let Ok(entry) = last {
                on_change.emit(entry.is_intersecting());
            }
        });
        let observer = IntersectionObserver::new(closure.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Sight { observer, _on_change: closure })
    }
}

impl Drop for Sight {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
