//! Panels are loaded when the reader comes near: until then their places show the article's still pictures.
//!
//! The first view loads what it shows and nothing else. A panel that the address names is loaded at once, wherever
//! it is; one that cannot be loaded says so in its place, and can be tried again.

use std::cell::{Cell, RefCell};

use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Document, Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit,
    js_sys::{Array, Promise},
};
use yew::platform::spawn_local;

use super::{
    address,
    parts::LoadScene,
    shell::{Props, Shell},
};
use crate::presets::Panel;

/// How near is near: so much of the window's height above and below it. Enough for a part to arrive while somebody
/// scrolls, and less than the first panel is away from the second.
const NEAR: &str = "150% 0px";

const UNLOADED: &str = "This simulation could not be loaded: the network failed, or a file of the page is missing. The article reads well without it.";

/// A panel's place in the article.
#[derive(Default)]
enum Place {
    /// There is none, or nothing is to come of it.
    #[default]
    Gone,
    /// The still picture.
    Still,
    /// The panel is on its way, or there.
    Taken,
}

thread_local! {
    static LOAD: Cell<Option<LoadScene>> = const { Cell::new(None) };
    static PLACES: RefCell<[Place; Panel::ALL.len()]> = RefCell::default();
}

/// Watches the panels' places from now on. The first panel of the article is there at once.
///
/// A page without one of the places simply lacks that panel.
pub(super) fn listen(document: &Document, load: LoadScene) {
    LOAD.set(Some(load));
    let on_cross = Closure::<dyn FnMut(Array, IntersectionObserver)>::new(cross);
    let options = IntersectionObserverInit::new();
    options.set_root_margin(NEAR);
    let observer = IntersectionObserver::new_with_options(on_cross.as_ref().unchecked_ref(), &options).ok();
    on_cross.forget();
    // In somebody else's page there is one panel only (www/theme.js).
    let alone = document.document_element().and_then(|root| root.get_attribute("data-embed"));
    for panel in Panel::ALL {
        if alone.as_deref().is_some_and(|name| name != panel.name()) {
            continue;
        }
        let Some(place) = place(document, panel) else { continue };
        PLACES.with_borrow_mut(|places| places[panel as usize] = Place::Still);
        match &observer {
            Some(observer) if panel != Panel::Dispatch => observer.observe(&place),
            // A browser that cannot tell what is near gets everything.
            _ => now(panel),
        }
    }
    named();
}

/// Loads the panels that the address names.
pub(super) fn named() {
    address::named().for_each(now);
}

/// Loads a panel, unless it is there or on its way.
pub(super) fn now(panel: Panel) {
    let still = PLACES.with_borrow(|places| matches!(places[panel as usize], Place::Still));
    let document = web_sys::window().and_then(|window| window.document());
    let place = document.and_then(|document| place(&document, panel));
    let (true, Some(load), Some(place)) = (still, LOAD.get(), place) else { return };
    PLACES.with_borrow_mut(|places| places[panel as usize] = Place::Taken);
    let style = style(panel);
    spawn_local(async move {
        let scene = load(panel).await;
        if let Some(style) = style {
            // A panel without its style sheet is not pretty, and works.
            let _ = JsFuture::from(style).await;
        }
        match scene {
            Ok(scene) => {
                place.set_inner_html("");
                yew::Renderer::<Shell>::with_root_and_props(place, Props { panel, scene }).render();
            }
            Err(_) => {
                PLACES.with_borrow_mut(|places| places[panel as usize] = Place::Still);
                // A place that cannot say so still shows its picture.
                let _ = refuse(&place, panel);
            }
        }
    });
}

/// Has the browser fetch a panel's style sheet, if the page holds it back until then.
fn style(panel: Panel) -> Option<Promise> {
    let document = web_sys::window()?.document()?;
    let held = document.query_selector(&format!("link[data-style={}]", panel.name())).ok()??;
    Some(Promise::new(&mut |come, _| {
        let _ = held.add_event_listener_with_callback("load", &come);
        let _ = held.add_event_listener_with_callback("error", &come);
        let _ = held.set_attribute("rel", "stylesheet");
        let _ = held.remove_attribute("data-style");
    }))
}

/// Something has come near.
fn cross(entries: Array, observer: IntersectionObserver) {
    for entry in entries.iter().filter_map(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok()) {
        let place = entry.target();
        if entry.is_intersecting()
            && let Some(panel) = Panel::ALL.into_iter().find(|panel| place.id() == id(*panel))
        {
            observer.unobserve(&place);
            now(panel);
        }
    }
}

/// Says above the still picture that there will be no more than that, for now. The markup is that of the notices
/// of `www/boot.js`.
fn refuse(place: &Element, panel: Panel) -> Option<()> {
    let document = place.owner_document()?;
    let element = |name: &str| document.create_element(name).ok();
    let (notice, text, again) = (element("div")?, element("p")?, element("button")?);
    notice.set_class_name("boot-notice");
    notice.set_attribute("role", "alert").ok()?;
    notice.set_attribute("data-boot", "unloaded").ok()?;
    text.set_text_content(Some(UNLOADED));
    again.set_text_content(Some("Try again"));
    again.set_attribute("type", "button").ok()?;
    again.set_attribute("data-act", "again").ok()?;
    let gone = notice.clone();
    let on_click = Closure::once_into_js(move || {
        gone.remove();
        now(panel);
    });
    again.add_event_listener_with_callback("click", on_click.unchecked_ref()).ok()?;
    notice.append_child(&text).ok()?;
    notice.append_child(&again).ok()?;
    place.insert_before(&notice, place.first_child().as_ref()).ok()?;
    Some(())
}

fn place(document: &Document, panel: Panel) -> Option<Element> {
    document.get_element_by_id(&id(panel))
}

fn id(panel: Panel) -> String {
    format!("panel-{}", panel.name())
}
