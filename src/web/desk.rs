//! The reader's desk: what is done with a run besides playing it. Links, files, the list of events, what led to
//! one, two futures side by side.
//!
//! None of it is seen at first, so it is a part that comes later (see `parts`): it is fetched when the reader first
//! moves, or when the address has a link. Whoever needs it before it is there waits, and says so.

use std::cell::RefCell;

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{AddEventListenerOptions, Document, File};
use yew::{Callback, Html, html::Scope, platform::spawn_local};

use super::{
    office,
    parts::LoadDesk,
    shell::{Shell, compare, events, keys, rest, tools, why},
};
use crate::{
    deck::Deck,
    link::{self, Saved},
};

/// A sentence for the reader: done, or why not.
pub(super) type Done = Callback<Result<String, String>>;

/// What is said instead of what lies on the desk.
pub(super) const UNLOADED: &str =
    "This part of the page could not be loaded: the network failed, or a file is missing.";

/// The runs of a panel that have badges, and what each is called if there are several.
type Judged = [(usize, &'static str)];

/// What lies on the desk, by the functions that do it: the rest of the page reaches them only through here.
pub struct Desk {
    pub(super) read: fn(&str) -> Result<Option<Vec<Saved>>, String>,
    pub(super) write: fn(&[Saved]) -> Result<String, String>,
    pub(super) copy: fn(&Saved, tools::Copied, Callback<tools::Answer>),
    pub(super) take: fn(&Saved, &'static str, Done),
    pub(super) bring: fn(File, Done),
    pub(super) menu: fn(bool, &Scope<Shell>) -> Html,
    pub(super) keys: fn() -> Html,
    pub(super) events: fn(&events::EventList, usize, &Deck, &Judged, &Scope<Shell>) -> Html,
    pub(super) why: fn(why::Question, &Deck, &Scope<Shell>) -> Html,
    pub(super) compare: fn(&Deck, &Judged, &Scope<Shell>) -> Html,
    pub(super) rest: fn(&Deck) -> Option<String>,
}

static DESK: Desk = Desk {
    read: |fragment| link::read(fragment).map_err(|error| error.to_string()),
    write: |panels| link::write(panels).map_err(|error| error.to_string()),
    copy: tools::copy,
    take: office::take,
    bring: office::bring,
    menu: tools::menu_body,
    keys: keys::list,
    events: events::body,
    why: why::answer,
    compare: compare::bar,
    rest: rest::sentence,
};

impl Desk {
    /// All of it.
    #[must_use]
    pub fn whole() -> &'static Desk {
        &DESK
    }
}

/// Who waits for the desk; it is told, too, that the desk does not come.
type Waiting = Box<dyn FnOnce(Option<&'static Desk>)>;

#[derive(Default)]
struct Fetched {
    load: Option<LoadDesk>,
    desk: Option<&'static Desk>,
    failed: bool,
    waiting: Vec<Waiting>,
}

thread_local! {
    static FETCHED: RefCell<Fetched> = RefCell::default();
}

/// What a reader does before anything else: the desk is fetched then, and is there when it is needed.
const SIGNS: [&str; 6] = ["scroll", "pointermove", "pointerdown", "touchstart", "keydown", "dragenter"];

/// Where the desk comes from; it is fetched when the reader first moves.
pub(super) fn listen(document: &Document, load: LoadDesk) {
    FETCHED.with_borrow_mut(|fetched| fetched.load = Some(load));
    let on_sign = Closure::<dyn FnMut()>::new(|| ask(|_| ()));
    let options = AddEventListenerOptions::new();
    options.set_once(true);
    options.set_passive(true);
    for sign in SIGNS {
        // Without it the desk comes when it is asked for.
        let _ = document.add_event_listener_with_callback_and_add_event_listener_options(
            sign,
            on_sign.as_ref().unchecked_ref(),
            &options,
        );
    }
    on_sign.forget();
}

/// The desk, if it is there.
pub(super) fn get() -> Option<&'static Desk> {
    FETCHED.with_borrow(|fetched| fetched.desk)
}

/// Whether the desk was asked for last without success.
pub(super) fn has_failed() -> bool {
    FETCHED.with_borrow(|fetched| fetched.failed)
}

/// Forgets that, so that it is asked for again.
pub(super) fn again() {
    FETCHED.with_borrow_mut(|fetched| fetched.failed = false);
}

/// Calls `then` with the desk, now or when it has come, or with nothing when it does not come.
pub(super) fn ask(then: impl FnOnce(Option<&'static Desk>) + 'static) {
    if let Some(desk) = get() {
        return then(Some(desk));
    }
    let load = FETCHED.with_borrow_mut(|fetched| {
        fetched.waiting.push(Box::new(then));
        // Somebody else waits already.
        fetched.load.filter(|_| fetched.waiting.len() == 1)
    });
    let Some(load) = load else { return };
    spawn_local(async move {
        let desk = load().await.ok();
        let waiting = FETCHED.with_borrow_mut(|fetched| {
            (fetched.desk, fetched.failed) = (desk, desk.is_none());
            std::mem::take(&mut fetched.waiting)
        });
        waiting.into_iter().for_each(|then| then(desk));
    });
}
