//! The session in the page's worker.
//!
//! | in | out |
//! |---|---|
//! | `{kind: "consumer", id, act, form, file}`, `act` and `form` those of [`super::Request::named`]; `file`, a `File` or `Blob`, with "open" | any number of `{consumer: id, json}`, `json` a text: what a [`Reply`] shows; `{consumer: id, name, type, bytes}` |
//!
//! Work is done in slices, between which the worker looks for messages: a newer request is there at the next slice,
//! and what was under way for an older one is dropped by the session.

use std::cell::RefCell;

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DedicatedWorkerGlobalScope};

use super::{Form, Reply, Request, Session, refused};
use crate::office::Export;

/// A slice ends after so long.
const SLICE_MS: f64 = 24.0;

/// Between two partial answers: painting one takes as long as a slice or two.
const BETWEEN_MS: f64 = 400.0;

/// Between two numbers of a file's progress.
const READING_MS: f64 = 100.0;

/// Bytes that are read from a file at once.
const CHUNK: f64 = 262_144.0;

#[derive(Default)]
struct Desk {
    session: Session,
    /// The newest request that began something: what is told without having been asked for is told for it.
    newest: f64,
    /// The newest request that brought traffic or stopped it: a file that was opened for an older one is read no
    /// further.
    bringing: f64,
    /// Whether the next slice is asked for.
    is_going: bool,
    /// Steps that fit into a few milliseconds, as far as is known.
    steps: u64,
    told_at: f64,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Does what a message asks.
pub(crate) fn hear(scope: &DedicatedWorkerGlobalScope, message: &JsValue) {
    let id = get(message, "id").as_f64().unwrap_or_default();
    let act = get(message, "act").as_string().unwrap_or_default();
    let request = match Request::named(&act, form(&get(message, "form"))) {
        Ok(request) => request,
        Err(bad) => return tell(scope, id, vec![refused("file", &bad.to_string())]),
    };
    let begins = !matches!(request, Request::Take(_));
    let brings = begins && !matches!(request, Request::Settings(_) | Request::Size(_));
    let opens = matches!(request, Request::Open { .. });
    let replies = DESK.with_borrow_mut(|desk| {
        if begins {
            desk.newest = id;
        }
        if brings {
            desk.bringing = id;
        }
        desk.session.ask(request)
    });
    let goes_on = replies.iter().all(|reply| reply.kind() != "refused");
    tell(scope, id, replies);
    if opens && goes_on {
        let file = get(message, "file").dyn_into::<Blob>();
        spawn_local(read(scope.clone(), id, file.ok()));
    }
    go_on(scope);
}

/// Reads a file to its end, unless something newer has begun.
async fn read(scope: DedicatedWorkerGlobalScope, id: f64, file: Option<Blob>) {
    let is_newest = || DESK.with_borrow(|desk| desk.bringing) == id;
    let size = file.as_ref().map_or(0.0, Blob::size);
    let (mut from, mut told_at) = (0.0, now());
    while from < size {
        let to = (from + CHUNK).min(size);
        let bytes = match &file {
            Some(file) => piece(file, from, to).await,
            None => return,
        };
        if !is_newest() {
            return;
        }
        let replies = DESK.with_borrow_mut(|desk| match bytes {
            Some(bytes) => desk.session.feed(&bytes),
            None => desk.session.fail("the browser cannot read this file any more"),
        });
        let is_over = replies.iter().any(|reply| reply.kind() == "refused");
        if is_over || now() - told_at > READING_MS {
            told_at = now();
            tell(&scope, id, replies);
        }
        if is_over {
            return;
        }
        from = to;
    }
    if is_newest() {
        let replies = DESK.with_borrow_mut(|desk| desk.session.end());
        tell(&scope, id, replies);
    }
}

async fn piece(file: &Blob, from: f64, to: f64) -> Option<Vec<u8>> {
    let piece = file.slice_with_f64_and_f64(from, to).ok()?;
    let buffer = JsFuture::from(piece.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// Has the next slice come after the messages that wait.
fn go_on(scope: &DedicatedWorkerGlobalScope) {
    let asks = DESK.with_borrow_mut(|desk| {
        let asks = !desk.is_going && desk.session.is_busy();
        desk.is_going |= asks;
        asks
    });
    if asks {
        let own = scope.clone();
        let slice = Closure::once_into_js(move || slice(&own));
        // Where there are no timers nothing can be done in slices.
        let _ = scope.set_timeout_with_callback(slice.unchecked_ref());
    }
}

fn slice(scope: &DedicatedWorkerGlobalScope) {
    let begun = now();
    let (id, replies) = DESK.with_borrow_mut(|desk| {
        desk.is_going = false;
        let mut replies = Vec::new();
        let mut at = begun;
        while at - begun < SLICE_MS && desk.session.is_busy() {
            desk.steps = desk.steps.clamp(200, 1_000_000);
            replies.extend(desk.session.work(desk.steps));
            let took = now() - at;
            at += took;
            // So that a slice is made of some such calls, and can end near its time.
            if took < 2.0 {
                desk.steps *= 2;
            } else if took > 8.0 {
                desk.steps /= 2;
            }
        }
        if at - desk.told_at > BETWEEN_MS {
            replies.extend(desk.session.meanwhile());
            desk.told_at = now();
        }
        (desk.newest, replies)
    });
    tell(scope, id, replies);
    go_on(scope);
}

fn tell(scope: &DedicatedWorkerGlobalScope, id: f64, replies: Vec<Reply>) {
    for reply in replies {
        let answer = Object::new();
        let transferred = Array::new();
        set(&answer, "consumer", &id.into());
        match reply {
            Reply::Show(value) => set(&answer, "json", &value.to_string().into()),
            Reply::File(Export { name, media_type, bytes }) => {
                let bytes = Uint8Array::from(&bytes[..]);
                transferred.push(&bytes.buffer());
                set(&answer, "name", &name.into());
                set(&answer, "type", &media_type.into());
                set(&answer, "bytes", &bytes);
            }
        }
        // A page that is gone needs no answer.
        let _ = scope.post_message_with_transfer(&answer, &transferred);
    }
}

/// The fields of a plain object that are texts.
fn form(fields: &JsValue) -> Form {
    let Some(object) = fields.dyn_ref::<Object>() else { return Form::default() };
    let pair = |entry: JsValue| {
        let entry = Array::from(&entry);
        Some((entry.get(0).as_string()?, entry.get(1).as_string()?))
    };
    Object::entries(object).iter().filter_map(pair).collect()
}

fn now() -> f64 {
    js_sys::Date::now()
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

fn set(object: &Object, name: &str, value: &JsValue) {
    // A plain object takes any property.
    let _ = Reflect::set(object, &name.into(), value);
}
