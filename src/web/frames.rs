//! When ticks are played: a frame loop that can be stopped, and whether the panel can be seen.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use gloo_render::{AnimationFrame, request_animation_frame};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Document, Element, IntersectionObserver, IntersectionObserverEntry, Window, js_sys::Array};
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
