//! The page's side of the office: a worker with the second module, which reads scenario files and writes what
//! a reader takes away. It is loaded when it is first asked for; the page and it understand each other by links.

use std::cell::RefCell;

use js_sys::{Array, JsString, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    Blob, BlobPropertyBag, Event, File, HtmlAnchorElement, MessageEvent, Url, Worker, WorkerOptions,
    WorkerType,
};
use yew::{Callback, platform::spawn_local};

use super::address;
use crate::{
    link::{self, Saved},
    sorted::SortedMap,
};

/// The largest file that is read: more than any link can hold.
const LARGEST_FILE: f64 = 1_000_000.0;

thread_local! {
    static OFFICE: RefCell<Option<Office>> = const { RefCell::new(None) };
}

/// The worker, and who waits for an answer.
struct Office {
    worker: Worker,
    waiting: SortedMap<u32, Callback<Result<JsValue, String>>>,
    asked: u32,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// Takes a run away as a file, which the browser saves; `done` gets a sentence.
pub(super) fn take(saved: &Saved, what: &'static str, done: Callback<Result<String, String>>) {
    let link = match link::write(std::slice::from_ref(&Saved { playing: false, ..saved.clone() })) {
        Ok(link) => link,
        Err(error) => return done.emit(Err(error.to_string())),
    };
    let run = u32::try_from(saved.start.front()).unwrap_or(0);
    let request = [
        ("kind", JsValue::from("export")),
        ("link", link.into()),
        ("run", run.into()),
        ("what", what.into()),
    ];
    let answered = move |answer: Result<JsValue, String>| {
        let saved = answer.and_then(|answer| {
            let name = text(&answer, "name");
            save(&answer, &name).map(|()| format!("Saved as {name}."))
        });
        done.emit(saved);
    };
    ask(&request, answered.into());
}

/// Reads a scenario file and shows it in the panel that it fits; `done` gets a sentence.
pub(super) fn bring(file: File, done: Callback<Result<String, String>>) {
    if file.size() > LARGEST_FILE {
        return done.emit(Err(format!(
            "{} is larger than a page can play: up to a megabyte. kwp run takes it.",
            file.name()
        )));
    }
    spawn_local(async move {
        match wasm_bindgen_futures::JsFuture::from(file.text()).await {
            Ok(text) if is_no_text(&text) => {
                done.emit(Err(format!("{} is no text in UTF-8, so it is no scenario.", file.name())));
            }
            Ok(text) => read(file.name(), text, done),
            Err(_) => done.emit(Err(format!("{} cannot be read.", file.name()))),
        }
    });
}

/// Whether a file's content was not read as text: what is not UTF-8 becomes a character that says so.
fn is_no_text(text: &JsValue) -> bool {
    text.as_string().is_none_or(|text| text.contains(['\0', '\u{fffd}']))
}

fn read(name: String, content: JsValue, done: Callback<Result<String, String>>) {
    let request = [("kind", JsValue::from("import")), ("name", name.clone().into()), ("text", content)];
    let answered = move |answer: Result<JsValue, String>| {
        let shown = answer.and_then(|answer| match link::read(&text(&answer, "link")) {
            Ok(Some(panels)) => {
                panels.into_iter().for_each(address::show);
                Ok(format!("{name} is open.{}", warnings(&answer)))
            }
            Ok(None) => Err(format!("{name} holds no run.")),
            Err(error) => Err(error.to_string()),
        });
        done.emit(shown);
    };
    ask(&request, answered.into());
}

/// What is odd about a file without being wrong, a line each.
fn warnings(answer: &JsValue) -> String {
    let told = Reflect::get(answer, &"warnings".into()).ok().and_then(|told| told.dyn_into::<Array>().ok());
    let told = told.unwrap_or_default();
    told.iter().filter_map(|line| Some(format!("\n{}", line.as_string()?))).collect()
}

/// Sends a request, and remembers who asked.
fn ask(request: &[(&str, JsValue)], answered: Callback<Result<JsValue, String>>) {
    let message = Object::new();
    let asked = OFFICE.with_borrow_mut(|office| {
        if office.is_none() {
            *office = Office::open();
        }
        let office = office.as_mut()?;
        office.asked = office.asked.wrapping_add(1);
        for (name, value) in request.iter().chain([&("id", office.asked.into())]) {
            Reflect::set(&message, &JsValue::from(*name), value).ok()?;
        }
        office.worker.post_message(&message).ok()?;
        office.waiting.insert(office.asked, answered.clone());
        Some(())
    });
    if asked.is_none() {
        answered.emit(Err(CLOSED.to_owned()));
    }
}

/// A worker with the second module, which it loads; what it is sent waits for that.
pub(super) fn worker() -> Option<Worker> {
    let document = web_sys::window()?.document()?;
    let meta = document.query_selector("meta[name=office]").ok()??;
    let base = document.base_uri().ok()??;
    let address = Url::new_with_base(&meta.get_attribute("content")?, &base).ok()?.href();
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    Worker::new_with_options(&address, &options).ok()
}

const CLOSED: &str = "The part of the page that reads and writes files could not be loaded, or stopped. Is the network there? Try again.";

impl Office {
    fn open() -> Option<Office> {
        let worker = worker()?;
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| hear(&event.data()));
        let on_error = Closure::<dyn FnMut(Event)>::new(|event: Event| {
            // Said to the reader by whoever waits.
            event.prevent_default();
            close();
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let waiting = SortedMap::default();
        Some(Office { worker, waiting, asked: 0, _on_message: on_message, _on_error: on_error })
    }
}

/// An answer. A worker without its module is of no more use: the next request starts another.
fn hear(answer: &JsValue) {
    let field = |name: &str| Reflect::get(answer, &JsValue::from(name)).unwrap_or(JsValue::UNDEFINED);
    if field("unloaded").is_truthy() {
        return close();
    }
    let id = field("id").as_f64().unwrap_or_default() as u32;
    let waiting = OFFICE.with_borrow_mut(|office| office.as_mut()?.waiting.remove(&id));
    if let Some(answered) = waiting {
        let ok = field("ok").is_truthy();
        answered.emit(if ok { Ok(answer.clone()) } else { Err(text(answer, "error")) });
    }
}

/// The worker could not be loaded, or stopped: whoever waits is told, and the next request starts another.
fn close() {
    let office = OFFICE.with_borrow_mut(Option::take);
    if let Some(office) = office {
        office.worker.terminate();
        office.waiting.values().for_each(|answered| answered.emit(Err(CLOSED.to_owned())));
    }
}

fn text(answer: &JsValue, name: &str) -> String {
    let value = Reflect::get(answer, &JsValue::from(name)).ok();
    value.and_then(|value| value.dyn_into::<JsString>().ok()).map(String::from).unwrap_or_default()
}

/// Gives the reader a file: an answer's `bytes` of its `type`.
pub(super) fn save(answer: &JsValue, name: &str) -> Result<(), String> {
    let save = || {
        let bytes = Reflect::get(answer, &"bytes".into())?.dyn_into::<Uint8Array>()?;
        let options = BlobPropertyBag::new();
        options.set_type(&text(answer, "type"));
        let parts = Array::of1(&bytes);
        let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &options)?;
        let url = Url::create_object_url_with_blob(&blob)?;
        let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::UNDEFINED)?;
        let anchor = document.create_element("a")?.dyn_into::<HtmlAnchorElement>()?;
        anchor.set_href(&url);
        anchor.set_download(name);
        anchor.click();
        Url::revoke_object_url(&url)
    };
    save().map_err(|_: JsValue| format!("The browser did not save {name}."))
}
