//! A file that is dropped anywhere on the page. The desk opens it; that the browser does not leave the page for it
//! is seen to from the start.

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Document, DragEvent, File};

use super::{desk, notice};

/// A file dropped anywhere on the page is opened.
pub(super) fn listen(document: &Document) {
    let on_drag = Closure::<dyn Fn(DragEvent)>::new(|event: DragEvent| {
        if carries_files(&event) {
            event.prevent_default();
        }
    });
    let on_drop = Closure::<dyn Fn(DragEvent)>::new(|event: DragEvent| {
        if let Some(file) = dropped_file(&event) {
            event.prevent_default();
            desk::ask(move |desk| {
                let told = |result: Result<String, String>| notice::tell(result.err());
                match desk {
                    Some(desk) => (desk.bring)(file, told.into()),
                    None => notice::tell(Some(desk::UNLOADED.to_owned())),
                }
            });
        }
    });
    // Without them a file can still be chosen in a panel's menu.
    let _ = document.add_event_listener_with_callback("dragover", on_drag.as_ref().unchecked_ref());
    let _ = document.add_event_listener_with_callback("drop", on_drop.as_ref().unchecked_ref());
    on_drag.forget();
    on_drop.forget();
}

fn dropped_file(event: &DragEvent) -> Option<File> {
    event.data_transfer()?.files()?.get(0)
}

fn carries_files(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|data| data.types());
    types.is_some_and(|types| types.includes(&JsValue::from("Files"), 0))
}
