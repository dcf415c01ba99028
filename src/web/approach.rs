//! Panels, and the section on the reader's own consumer, are loaded when the reader comes near: until then their places
//! show the article's still pictures.
//!
//! The first view loads what it shows and nothing else. A panel that the address names is loaded at once, wherever
//! it is; one that cannot be loaded says so in its place, and can be tried again. Whoever prints gets what is there: a
//! browser does not wait, so what is not there says so on paper (www/style.css), and comes for the next time.

use std::cell::{Cell, RefCell};

use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Document, Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit,
    js_sys::{Array, Promise},
};
use yew::platform::spawn_local;

use super::{
    address, notice,
    parts::{Load, LoadConsumer, LoadScene},
    shell::{Props, Shell},
};
use crate::presets::Panel;

/// How near is near: so much of the window's height above and below it. Enough for a part to arrive while somebody
/// scrolls, and less than the first panel is away from the second.
const NEAR: &str = "150% 0px";

const UNLOADED: &str = "This simulation could not be loaded: the network failed, or a file of the page is missing. The article reads well without it.";

/// A frame's address that names none of the panels.
const NO_SUCH: &str = "There is no panel of that name: dispatch, watermark, backpressure and rebalance are. This is the whole article.";

/// What has a place in the article.
#[derive(Clone, Copy, PartialEq)]
enum Spot {
    Panel(Panel),
    /// The reader's own consumer.
    Consumer,
}

impl Spot {
    const COUNT: usize = Panel::ALL.len() + 1;

    fn all() -> impl Iterator<Item = Spot> {
        Panel::ALL.into_iter().map(Spot::Panel).chain([Spot::Consumer])
    }

    fn nth(self) -> usize {
        match self {
            Spot::Panel(panel) => panel as usize,
            Spot::Consumer => Panel::ALL.len(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Spot::Panel(panel) => panel.name(),
            Spot::Consumer => "consumer",
        }
    }

    fn id(self) -> String {
        format!("panel-{}", self.name())
    }

    fn place(self, document: &Document) -> Option<Element> {
        document.get_element_by_id(&self.id())
    }
}

/// How far a place has got.
#[derive(Clone, Copy, Default)]
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
    static LOAD: Cell<Option<Load>> = const { Cell::new(None) };
    static PLACES: RefCell<[Place; Spot::COUNT]> = RefCell::default();
}

/// Watches the panels' places from now on. The first panel of the article is there at once.
///
/// A page without one of the places simply lacks that panel.
pub(super) fn listen(document: &Document, load: Load) {
    LOAD.set(Some(load));
    let on_cross = Closure::<dyn FnMut(Array, IntersectionObserver)>::new(cross);
    let options = IntersectionObserverInit::new();
    options.set_root_margin(NEAR);
    let observer = IntersectionObserver::new_with_options(on_cross.as_ref().unchecked_ref(), &options).ok();
    on_cross.forget();
    if let Some(window) = document.default_view() {
        let on_print = Closure::<dyn Fn()>::new(|| Spot::all().for_each(come));
        let _ = window.add_event_listener_with_callback("beforeprint", on_print.as_ref().unchecked_ref());
        on_print.forget();
    }
    // In somebody else's page there is one panel only (www/theme.js).
    let alone = document.document_element().and_then(|root| root.get_attribute("data-embed"));
    for spot in Spot::all() {
        if alone.as_deref().is_some_and(|name| name != spot.name()) {
            continue;
        }
        let Some(place) = spot.place(document) else { continue };
        set(spot, Place::Still);
        match &observer {
            Some(observer) if spot != Spot::Panel(Panel::Dispatch) => observer.observe(&place),
            // A browser that cannot tell what is near gets everything.
            _ => come(spot),
        }
    }
    named();
    if alone.is_none() && address::asks_for_one() {
        notice::tell(Some(NO_SUCH.to_owned()));
    }
}

/// Loads the panels that the address names.
pub(super) fn named() {
    address::named().for_each(now);
}

/// Loads a panel, unless it is there or on its way.
pub(super) fn now(panel: Panel) {
    come(Spot::Panel(panel));
}

fn set(spot: Spot, place: Place) {
    PLACES.with_borrow_mut(|places| places[spot.nth()] = place);
}

fn come(spot: Spot) {
    let still = PLACES.with_borrow(|places| matches!(places[spot.nth()], Place::Still));
    let document = web_sys::window().and_then(|window| window.document());
    let place = document.and_then(|document| spot.place(&document));
    let (true, Some(load), Some(place)) = (still, LOAD.get(), place) else { return };
    set(spot, Place::Taken);
    let style = style(spot);
    spawn_local(async move {
        let is_there = match spot {
            Spot::Panel(panel) => show(load.scene, panel, style, &place).await,
            Spot::Consumer => show_consumer(load.consumer, style, &place).await,
        };
        if is_there.is_none() {
            set(spot, Place::Still);
            // A place that cannot say so still shows its picture.
            let _ = refuse(&place, spot);
        }
    });
}

async fn show(load: LoadScene, panel: Panel, style: Option<Promise>, place: &Element) -> Option<()> {
    let scene = load(panel).await;
    styled(style).await;
    let scene = scene.ok()?;
    place.set_inner_html("");
    yew::Renderer::<Shell>::with_root_and_props(place.clone(), Props { panel, scene }).render();
    Some(())
}

async fn show_consumer(load: LoadConsumer, style: Option<Promise>, place: &Element) -> Option<()> {
    let mount = load().await;
    styled(style).await;
    mount.ok()?.mount(place.clone());
    Some(())
}

async fn styled(style: Option<Promise>) {
    if let Some(style) = style {
        // What comes without its style sheet is not pretty, and works.
        let _ = JsFuture::from(style).await;
    }
}

/// Has the browser fetch a panel's style sheet, if the page holds it back until then.
fn style(spot: Spot) -> Option<Promise> {
    let document = web_sys::window()?.document()?;
    let held = document.query_selector(&format!("link[data-style={}]", spot.name())).ok()??;
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
            && let Some(spot) = Spot::all().find(|spot| place.id() == spot.id())
        {
            observer.unobserve(&place);
            come(spot);
        }
    }
}

/// Says above the still picture that there will be no more than that, for now. The markup is that of the notices
/// of `www/boot.js`.
fn refuse(place: &Element, spot: Spot) -> Option<()> {
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
        come(spot);
    });
    again.add_event_listener_with_callback("click", on_click.unchecked_ref()).ok()?;
    notice.append_child(&text).ok()?;
    notice.append_child(&again).ok()?;
    place.insert_before(&notice, place.first_child().as_ref()).ok()?;
    Some(())
}
