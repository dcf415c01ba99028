//! The page's address: what its fragment says of the panels, and how they are told when it changes.
//!
//! Whatever a reader does is written there after a moment, because browsers throttle such calls: as a new
//! entry of the history where it changed a run, in place where only time passed.

use std::cell::RefCell;

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Element, Event, MouseEvent, Window};
use yew::Callback;

use super::{
    approach,
    desk::{self, Desk},
    frames::now_ms,
    notice,
};
use crate::{
    ids::Tick,
    link::Saved,
    presets::{Panel, Start},
};

/// What the reader did is written at once, unless something was just before: then after a moment of rest, as
/// where only time passed; at the latest after so long, in milliseconds. While a panel plays it is not rest that is
/// waited for: with every new address a browser does more than it takes to draw a tick.
const REST_MS: i32 = 300;
const REST_PLAYING_MS: i32 = 1_000;
const LATEST_MS: f64 = 1_500.0;

/// Whether a change deserves an entry of its own in the browser's history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    /// Only time passed.
    #[default]
    Same,
    /// The run is another one.
    New,
}

/// Tells a panel what it is to be, and whether that is a step of the reader's own.
type Tell = Callback<(Option<Saved>, Entry)>;

thread_local! {
    static ADDRESS: RefCell<Address> = RefCell::default();
}

#[derive(Default)]
struct Address {
    /// Panels that are not as they opened, in the order of [`Panel::ALL`].
    saved: [Option<Saved>; Panel::ALL.len()],
    /// How each panel is told that it is to be as a link says, or as it opened.
    tell: [Option<Tell>; Panel::ALL.len()],
    /// The fragment as it was last read or written, without its `#`.
    fragment: String,
    /// What is to be written, and since when.
    due: Option<(Entry, f64)>,
    /// When something the reader did was last written at once.
    done_ms: Option<f64>,
    /// The panel that a link has just led to, until it takes the focus.
    led_to: Option<Panel>,
    timer: Option<i32>,
    on_timer: Option<Closure<dyn FnMut()>>,
}

/// Listens to the address from now on, and reads the one that the page was opened with; then it is time for the
/// panels to join. A link is read with what lies on the desk, so that may take a moment.
pub(super) fn listen(window: &Window, then: impl FnOnce() + 'static) {
    let fresh = is_fresh(window);
    let on_timer = Closure::<dyn FnMut()>::new(flush);
    ADDRESS.with_borrow_mut(|address| address.on_timer = Some(on_timer));
    let on_change = Closure::<dyn FnMut()>::new(follow);
    for event in ["popstate", "hashchange"] {
        // Without it the back button changes the address only.
        let _ = window.add_event_listener_with_callback(event, on_change.as_ref().unchecked_ref());
    }
    on_change.forget();
    let on_click = Closure::<dyn Fn(Event)>::new(follow_again);
    let _ = window.add_event_listener_with_callback("click", on_click.as_ref().unchecked_ref());
    on_click.forget();
    // Whoever leaves at once finds everything again.
    let on_leave = Closure::<dyn FnMut()>::new(flush);
    let _ = window.add_event_listener_with_callback("pagehide", on_leave.as_ref().unchecked_ref());
    on_leave.forget();
    let opened = window.clone();
    when_readable(&fragment(window), move || {
        let first = read(&opened);
        // A link that somebody sent leads to its panel; a reload stays where the reader was.
        if let (true, Some(panel)) = (fresh, first) {
            scroll_to(panel);
        }
        then();
    });
}

/// Brings a panel into view.
pub(super) fn scroll_to(panel: Panel) {
    let document = web_sys::window().and_then(|window| window.document());
    let mount = document.and_then(|document| document.get_element_by_id(&format!("panel-{}", panel.name())));
    if let Some(mount) = mount {
        mount.scroll_into_view();
    }
}

/// A panel is there: what the address says of it, and how to tell it more.
pub(super) fn join(panel: Panel, tell: Tell) -> Option<Saved> {
    ADDRESS.with_borrow_mut(|address| {
        address.tell[panel as usize] = Some(tell);
        address.saved[panel as usize].clone()
    })
}

/// Whether a link has just led to this panel: it is to have the focus. Asked once.
pub(super) fn leads_to(panel: Panel) -> bool {
    ADDRESS.with_borrow_mut(|address| address.led_to.take_if(|led_to| *led_to == panel).is_some())
}

/// A panel is as it says now.
pub(super) fn put(panel: Panel, saved: Saved, entry: Entry) {
    let rest_ms = if saved.playing { REST_PLAYING_MS } else { REST_MS };
    let saved = (!is_opening(&saved)).then_some(saved);
    let at_once = ADDRESS.with_borrow_mut(|address| {
        if address.saved[panel as usize] == saved {
            return false;
        }
        address.saved[panel as usize] = saved;
        address.write_soon(entry, rest_ms);
        entry == Entry::New && address.begins_something()
    });
    // What was done by then survives whatever comes next, a reload too.
    if at_once {
        flush();
    }
}

/// Makes one panel as `saved` says, wherever the reader is: a scenario was brought.
pub(super) fn show(saved: Saved) {
    let panel = saved.start.panel();
    // What was there before is a step back from here, however quickly this follows.
    flush();
    let tell = ADDRESS.with_borrow_mut(|address| {
        address.done_ms = None;
        address.tell[panel as usize].clone()
    });
    match tell {
        Some(tell) => tell.emit((Some(saved), Entry::New)),
        // It joins when it is loaded, and finds this.
        None => {
            put(panel, saved, Entry::New);
            approach::now(panel);
        }
    }
    scroll_to(panel);
}

/// The panels that the address names.
pub(super) fn named() -> impl Iterator<Item = Panel> {
    let named = ADDRESS.with_borrow(|address| address.saved.each_ref().map(Option::is_some));
    Panel::ALL.into_iter().zip(named).filter_map(|(panel, named)| named.then_some(panel))
}

/// The address of this page with one panel in it as `saved` says.
///
/// # Errors
/// If the link would be too long: a sentence for the reader.
pub(super) fn link_to(saved: &Saved) -> Result<String, String> {
    let desk = desk::get().ok_or_else(|| desk::UNLOADED.to_owned())?;
    let fragment = (desk.write)(std::slice::from_ref(saved))?;
    let location = web_sys::window().map(|window| window.location());
    let page = location.and_then(|location| location.href().ok()).unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default();
    Ok(if fragment.is_empty() { page.to_owned() } else { format!("{page}#{fragment}") })
}

/// Whether this page's address asks for one panel alone, whichever (www/theme.js).
pub(super) fn asks_for_one() -> bool {
    let search = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    search.starts_with("?panel=") || search.contains("&panel=")
}

fn is_opening(saved: &Saved) -> bool {
    *saved == Saved::at(Start::opening(saved.start.panel()), Tick(0))
}

impl Address {
    /// Whether the reader begins to do something, rather than goes on with it, as with a slider that is dragged:
    /// all of that is one entry of the history.
    fn begins_something(&mut self) -> bool {
        let now_ms = now_ms();
        let goes_on = self.done_ms.is_some_and(|done_ms| now_ms - done_ms < f64::from(REST_MS));
        self.done_ms = Some(now_ms);
        if let (true, Some((entry, _))) = (goes_on, &mut self.due) {
            *entry = Entry::Same;
        }
        !goes_on
    }

    fn write_soon(&mut self, entry: Entry, rest_ms: i32) {
        let Some(window) = web_sys::window() else { return };
        let now_ms = now_ms();
        let (before, since_ms) = self.due.unwrap_or((Entry::Same, now_ms));
        self.due = Some((before.max(entry), since_ms));
        if now_ms - since_ms > LATEST_MS && self.timer.is_some() {
            return;
        }
        if let Some(timer) = self.timer.take() {
            window.clear_timeout_with_handle(timer);
        }
        let Some(on_timer) = &self.on_timer else { return };
        let on_timer = on_timer.as_ref().unchecked_ref();
        self.timer = window.set_timeout_with_callback_and_timeout_and_arguments_0(on_timer, rest_ms).ok();
    }
}

/// Writes the address, as soon as it can be written.
fn flush() {
    let is_due = ADDRESS.with_borrow_mut(|address| {
        address.timer = None;
        address.due.is_some()
    });
    if is_due {
        desk::ask(|desk| desk.into_iter().for_each(write));
    }
}

fn write(desk: &Desk) {
    ADDRESS.with_borrow_mut(|address| {
        let Some((entry, _)) = address.due.take() else { return };
        let panels: Vec<Saved> = address.saved.iter().flatten().cloned().collect();
        // What is too long for an address stays out of it; the copy button says so.
        let Ok(fragment) = (desk.write)(&panels) else { return };
        if fragment == address.fragment {
            return;
        }
        let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else { return };
        let target = if fragment.is_empty() { here() } else { format!("#{fragment}") };
        // The state tells a reload from a link that was just opened.
        let state = JsValue::from_bool(true);
        let written = match entry {
            Entry::New => history.push_state_with_url(&state, "", Some(&target)),
            Entry::Same => history.replace_state_with_url(&state, "", Some(&target)),
        };
        // A browser that is asked too often refuses: the next change tries again.
        if written.is_ok() {
            address.fragment = fragment;
        }
    });
}

/// The page's address without a fragment.
fn here() -> String {
    let location = web_sys::window().map(|window| window.location());
    let part = |read: fn(&web_sys::Location) -> Result<String, JsValue>| {
        location.as_ref().and_then(|location| read(location).ok()).unwrap_or_default()
    };
    part(web_sys::Location::pathname) + &part(web_sys::Location::search)
}

/// The address has changed: the panels follow it.
fn follow() {
    let Some(window) = web_sys::window() else { return };
    let fragment = fragment(&window);
    let known = ADDRESS.with_borrow(|address| address.fragment == fragment);
    if known {
        return;
    }
    if is_anchor(&fragment) {
        // A place of the article: the panels stay as they are, and the address says so again.
        ADDRESS.with_borrow_mut(|address| {
            address.fragment = fragment;
            if address.saved.iter().any(Option::is_some) {
                address.write_soon(Entry::Same, REST_MS);
            }
        });
        return;
    }
    when_readable(&fragment, move || {
        // Whoever follows a link wants to see where it leads; whoever goes back is where he was.
        lead(&window, is_fresh(&window));
    });
}

/// A click on a link to where the address is already: the browser tells nobody, but the reader may be elsewhere on
/// the page, and the panel at another tick.
fn follow_again(event: Event) {
    let Some(window) = web_sys::window() else { return };
    let elsewhere = |click: &MouseEvent| click.ctrl_key() || click.meta_key() || click.shift_key();
    if event.dyn_ref().is_some_and(elsewhere) {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let link = target.and_then(|target| target.closest("a[href^='#v=']").ok()?);
    let here = window.location().hash().ok();
    if link.is_some_and(|link| link.get_attribute("href") == here) {
        when_readable(&fragment(&window), move || lead(&window, true));
    }
}

/// The panels become what the address says, and the first of them comes into view if that is to be.
fn lead(window: &Window, into_view: bool) {
    let first = read(window).filter(|_| into_view);
    // Before they are told: they may be drawn at once.
    ADDRESS.with_borrow_mut(|address| address.led_to = first);
    let told: Vec<_> = ADDRESS
        .with_borrow(|address| address.tell.iter().cloned().zip(address.saved.iter().cloned()).collect());
    for (tell, saved) in told {
        if let Some(tell) = tell {
            tell.emit((saved, Entry::Same));
        }
    }
    approach::named();
    if let Some(panel) = first {
        scroll_to(panel);
    }
}

/// Whether the address is not one that was written here: a link was opened.
fn is_fresh(window: &Window) -> bool {
    window.history().and_then(|history| history.state()).is_ok_and(|state| state.is_null())
}

/// Reads the address; the first panel that it names.
fn read(window: &Window) -> Option<Panel> {
    let fragment = fragment(window);
    let panels = match desk::get() {
        _ if !is_link(&fragment) => Ok(None),
        Some(desk) => (desk.read)(&fragment),
        None => Err(desk::UNLOADED.to_owned()),
    };
    let (panels, wrong) = match panels {
        Ok(panels) => (panels.unwrap_or_default(), None),
        Err(wrong) => (Vec::new(), Some(wrong)),
    };
    notice::tell(wrong.map(|wrong| format!("{wrong} The panels show how they open instead.")));
    let first = panels.first().map(|saved| saved.start.panel());
    ADDRESS.with_borrow_mut(|address| {
        address.fragment = fragment;
        address.due = None;
        address.saved = Default::default();
        for saved in panels {
            let panel = saved.start.panel();
            address.saved[panel as usize] = Some(saved);
        }
    });
    first
}

/// The fragment, without its `#`; what somebody's program wrote as `%3D` is read as it was.
fn fragment(window: &Window) -> String {
    let fragment = window.location().hash().unwrap_or_default();
    let fragment = fragment.strip_prefix('#').unwrap_or(&fragment);
    let decoded = if fragment.contains('%') { js_sys::decode_uri_component(fragment).ok() } else { None };
    decoded.map_or_else(|| fragment.to_owned(), String::from)
}

/// Whether a fragment names a place of the article.
fn is_anchor(fragment: &str) -> bool {
    !fragment.is_empty() && !is_link(fragment)
}

/// Whether a fragment is to be read as a link, however that goes.
fn is_link(fragment: &str) -> bool {
    fragment.contains('=')
}

/// Calls `then` as soon as the fragment can be read, or cannot for want of what reads it.
fn when_readable(fragment: &str, then: impl FnOnce() + 'static) {
    if is_link(fragment) { desk::ask(move |_| then()) } else { then() }
}
