//! Something that is done a little later, unless it is dropped before.

use wasm_bindgen::{JsCast, closure::Closure};

/// A timer of the browser's.
pub(super) struct Later {
    id: i32,
    _run: Closure<dyn FnMut()>,
}

impl Later {
    /// Runs it once, so many milliseconds from now; nothing where there is no window.
    pub(super) fn new(millis: i32, run: impl FnMut() + 'static) -> Option<Later> {
        let run = Closure::<dyn FnMut()>::new(run);
        let window = web_sys::window()?;
        let timer = run.as_ref().unchecked_ref();
        let id = window.set_timeout_with_callback_and_timeout_and_arguments_0(timer, millis).ok()?;
        Some(Later { id, _run: run })
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_timeout_with_handle(self.id);
        }
    }
}
