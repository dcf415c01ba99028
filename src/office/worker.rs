//! The office at work: messages of the page in, answers out.
//!
//! | in | out |
//! |---|---|
//! | `{id, kind: "export", link, run, what}`, `what` one of toml, csv, jsonl, svg, png | `{id, ok: true, name, type, bytes}`, `bytes` a `Uint8Array` |
//! | `{id, kind: "import", name, text}` | `{id, ok: true, link, warnings}`, `warnings` an array of sentences |
//! | `{id, kind: "consumer", ...}` | see `consumer::worker` |
//! | either | `{id, ok: false, error}`, `error` a text for the reader, which may have several lines |
//!
//! `www/office.js` starts it, and keeps what comes before it is there.

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::{Export, Import, Reply, Request, What, serve};

/// Answers every message from now on.
pub fn start() {
    console_error_panic_hook::set_once();
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
    let desk = scope.clone();
    let answer =
        Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| answer(&desk, &event.data()));
    scope.set_onmessage(Some(answer.as_ref().unchecked_ref()));
    // It works as long as its worker lives.
    answer.forget();
}

fn answer(scope: &DedicatedWorkerGlobalScope, message: &JsValue) {
    if get(message, "kind") == "consumer" {
        return super::consumer::worker::hear(scope, message);
    }
    let answer = Object::new();
    set(&answer, "id", &get(message, "id"));
    let transferred = Array::new();
    let served = request(message).and_then(|request| serve(&request));
    set(&answer, "ok", &served.is_ok().into());
    match served {
        Ok(Reply::Exported(Export { name, media_type, bytes })) => {
            let bytes = Uint8Array::from(&bytes[..]);
            transferred.push(&bytes.buffer());
            set(&answer, "name", &name.into());
            set(&answer, "type", &media_type.into());
            set(&answer, "bytes", &bytes);
        }
        Ok(Reply::Imported(Import { link, warnings })) => {
            set(&answer, "link", &link.into());
            set(&answer, "warnings", &warnings.into_iter().map(JsValue::from).collect::<Array>());
        }
        Err(error) => set(&answer, "error", &error.into()),
    }
    // A page that is gone needs no answer.
    let _ = scope.post_message_with_transfer(&answer, &transferred);
}

fn request(message: &JsValue) -> Result<Request, String> {
    let text =
        |name: &str| get(message, name).as_string().ok_or_else(|| format!("The message has no `{name}`."));
    match text("kind")?.as_str() {
        "export" => {
            let run = get(message, "run").as_f64().unwrap_or(0.0);
            let what = text("what")?;
            let what = What::named(&what).ok_or_else(|| format!("Nothing is exported as \"{what}\"."))?;
            // A float becomes the nearest number that there is, and too large a one names no run.
            Ok(Request::Export { link: text("link")?, run: run as usize, what })
        }
        "import" => Ok(Request::Import { name: text("name")?, text: text("text")? }),
        other => Err(format!("The office knows nothing of \"{other}\".")),
    }
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

fn set(object: &Object, name: &str, value: &JsValue) {
    // A plain object takes any property.
    let _ = Reflect::set(object, &name.into(), value);
}
