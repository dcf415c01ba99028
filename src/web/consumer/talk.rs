//! The page's side of the session: a worker of its own, so that sizing for minutes holds up nobody else's request.

use js_sys::{JsString, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Blob, Event, MessageEvent, Worker};
use yew::Callback;

use super::told::Told;
use crate::web::office;

/// What came.
pub(crate) enum Heard {
    /// Something to show, for the request of this number.
    Show(u32, Told),
    /// A file was saved, or was not: a sentence.
    Saved(Result<String, String>),
    /// The worker is no more.
    Closed,
}

/// The worker. Dropped, it stops.
pub(super) struct Talk {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Talk {
    /// Starts the worker; what is asked before it is there waits.
    pub(super) fn open(heard: &Callback<Heard>) -> Option<Talk> {
        let worker = office::worker()?;
        let (told, closed) = (heard.clone(), heard.clone());
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(message) = read(&event.data()) {
                told.emit(message);
            }
        });
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            // Said to the reader by whoever hears of it.
            event.prevent_default();
            closed.emit(Heard::Closed);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Talk { worker, _on_message: on_message, _on_error: on_error })
    }

    /// Asks for something; whether it could be asked.
    pub(super) fn ask<'f>(
        &self,
        id: u32,
        act: &str,
        fields: impl Iterator<Item = (&'f str, &'f str)>,
        file: Option<&Blob>,
    ) -> bool {
        let (message, form) = (Object::new(), Object::new());
        for (name, text) in fields {
            set(&form, name, &text.into());
        }
        set(&message, "kind", &"consumer".into());
        set(&message, "id", &id.into());
        set(&message, "act", &act.into());
        set(&message, "form", &form);
        if let Some(file) = file {
            set(&message, "file", file);
        }
        self.worker.post_message(&message).is_ok()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn read(message: &JsValue) -> Option<Heard> {
    let field = |name: &str| Reflect::get(message, &name.into()).unwrap_or(JsValue::UNDEFINED);
    if field("unloaded").is_truthy() {
        return Some(Heard::Closed);
    }
    if let Ok(json) = field("json").dyn_into::<JsString>() {
        let id = field("consumer").as_f64().unwrap_or_default() as u32;
        return Some(Heard::Show(id, Told::parse(&String::from(json))?));
    }
    let name = field("name").as_string()?;
    Some(Heard::Saved(office::save(message, &name).map(|()| format!("Saved as {name}."))))
}

fn set(object: &Object, name: &str, value: &JsValue) {
    // A plain object takes any property.
    let _ = Reflect::set(object, &name.into(), value);
}
