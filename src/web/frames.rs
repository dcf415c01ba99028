//! When ticks are played: a frame loop that can be stopped, and whether the panel can be seen.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Document, Element, IntersectionObserver, IntersectionObserverEntry, Window, js_sys::Array};
use yew::Callback;

/// The pace of a run: ticks per second at speed 1.
const TICKS_PER_SECOND: f64 = 2.5;

/// A moment that came late pays for this much of the delay at most: a tab that was hidden does not catch up.
const LONGEST_FRAME_MS: f64 = 250.0;

/// A tick that is farther away than this is waited for; within it, frames are counted.
const LONG_WAIT_MS: f64 = 50.0;

/// What is to come next.
enum Coming {
    Frame { _held: AnimationFrame },
    Moment { _held: Timeout },
}

/// Turns time into ticks. Time runs only while somebody holds this and asks for the next moment: a frame where ticks
/// follow each other closely, and otherwise the moment of the next tick, so that between two the page has nothing to
/// do. Ticks are beats of the page's clock: panels that play at one speed are drawn in one frame, which costs little
/// more than a frame for one of them.
#[derive(Default)]
pub(crate) struct Pace {
    coming: Option<Coming>,
    last_ms: Option<f64>,
    /// What is waited for beyond a frame.
    wait_ms: f64,
}

impl Pace {
    /// Asks for the next moment, unless one is on its way. At no speed, or a high one, it is the next frame.
    pub(crate) fn ask(&mut self, speed: Option<f64>, on_moment: &Callback<f64>) {
        if self.coming.is_some() {
            return;
        }
        let on_moment = on_moment.clone();
        let next_ms = speed.zip(self.last_ms).map_or(0.0, |(speed, last_ms)| {
            let tick_ms = tick_ms(speed);
            // `%` would bring a function of its own to the page.
            ((last_ms / tick_ms).floor() + 1.0) * tick_ms - last_ms
        });
        self.wait_ms = if next_ms > LONG_WAIT_MS { next_ms } else { 0.0 };
        self.coming = Some(if self.wait_ms > 0.0 {
            let moment = Timeout::new(next_ms.ceil() as u32, move || on_moment.emit(now_ms()));
            Coming::Moment { _held: moment }
        } else {
            Coming::Frame { _held: request_animation_frame(move |time_ms| on_moment.emit(time_ms)) }
        });
    }

    /// No more of them; the next one asked for starts afresh.
    pub(crate) fn stop(&mut self) {
        *self = Pace::default();
    }

    /// The moment came: how many ticks to play in it.
    pub(crate) fn ticks(&mut self, time_ms: f64, speed: f64) -> u32 {
        self.coming = None;
        let tick_ms = tick_ms(speed);
        let beats = |ms: f64| (ms / tick_ms).floor();
        // A frame is told when it began, which may be before a moment that was told last.
        let last_ms = self.last_ms.unwrap_or(time_ms);
        let now_ms = time_ms.max(last_ms);
        self.last_ms = Some(now_ms);
        let most = beats(self.wait_ms + LONGEST_FRAME_MS).max(1.0);
        (beats(now_ms) - beats(last_ms)).min(most) as u32
    }
}

/// Milliseconds since the page was opened; 0 where there is no clock.
pub(crate) fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// Milliseconds that a tick takes at a speed.
pub(crate) fn tick_ms(speed: f64) -> f64 {
    1000.0 / (TICKS_PER_SECOND * speed)
}

/// Tells whether an element can be seen, whenever that may have changed, as long as it is held: it is within
/// the window, and the window's tab is in front.
pub(crate) struct Sight {
    observer: IntersectionObserver,
    document: Document,
    _on_cross: Closure<dyn FnMut(Array)>,
    on_tab: Closure<dyn FnMut()>,
}

const TAB: &str = "visibilitychange";

impl Sight {
    /// Watches `element`. `None` in a browser that cannot: then it counts as seen.
    pub(crate) fn of(element: &Element, on_change: Callback<bool>) -> Option<Sight> {
        let document = element.owner_document()?;
        let within = Rc::new(Cell::new(false));
        let tell = {
            let (within, document) = (Rc::clone(&within), document.clone());
            move || on_change.emit(within.get() && !document.hidden())
        };
        let on_tab = Closure::<dyn FnMut()>::new(tell.clone());
        let on_cross = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            if let Ok(entry) = entries.pop().dyn_into::<IntersectionObserverEntry>() {
                within.set(entry.is_intersecting());
                tell();
            }
        });
        let observer = IntersectionObserver::new(on_cross.as_ref().unchecked_ref()).ok()?;
        document.add_event_listener_with_callback(TAB, on_tab.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Sight { observer, document, _on_cross: on_cross, on_tab })
    }
}

impl Drop for Sight {
    fn drop(&mut self) {
        self.observer.disconnect();
        // A document that is gone has no listeners left to remove.
        let _ = self.document.remove_event_listener_with_callback(TAB, self.on_tab.as_ref().unchecked_ref());
    }
}

/// Marks the document while its window is being resized, so that the style sheet lets nothing glide then.
pub(crate) fn mark_resizing(window: &Window) {
    let Some(root) = window.document().and_then(|document| document.document_element()) else { return };
    let frames: Rc<RefCell<[Option<AnimationFrame>; 2]>> = Rc::default();
    let on_resize = Closure::<dyn FnMut()>::new(move || {
        let _ = root.set_attribute("data-resizing", "");
        // The first frame lays the page out anew; in the one after it things may glide again.
        let (root, held) = (root.clone(), Rc::clone(&frames));
        let first = request_animation_frame(move |_| {
            let second = request_animation_frame(move |_| {
                let _ = root.remove_attribute("data-resizing");
            });
            held.borrow_mut()[1] = Some(second);
        });
        frames.borrow_mut()[0] = Some(first);
    });
    // Without it a resized drawing glides into place: untidy, and no more than that.
    let _ = window.add_event_listener_with_callback("resize", on_resize.as_ref().unchecked_ref());
    on_resize.forget();
}
