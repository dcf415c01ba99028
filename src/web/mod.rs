//! The page: mounts each panel at its place in the article.

mod backpressure;
mod chip;
mod dispatch;
mod frames;
mod rebalance;
mod scene;
mod shell;
mod shell_parts;
mod swipe;
mod terms;
mod watermark;
mod widgets;

use web_sys::Document;

use scene::Scene;
use shell::Panel;

/// Mounts the panels into the article's mount points, and lights up drawings for the article's words.
///
/// A page without one of the mounts simply lacks that panel; outside a browser nothing happens.
pub fn start() {
    console_error_panic_hook::set_once();
    let Some(window) = web_sys::window() else { return };
    let Some(document) = window.document() else { return };
    mount::<dispatch::DispatchScene>(&document);
    mount::<watermark::WatermarkScene>(&document);
    mount::<backpressure::BackpressureScene>(&document);
    mount::<rebalance::RebalanceScene>(&document);
    frames::mark_resizing(&window);
    swipe::listen(&document);
    terms::listen(&document);
}

/// Replaces the still picture at a scene's mount by the live panel.
fn mount<S: Scene>(document: &Document) {
    if let Some(mount) = document.get_element_by_id(&format!("panel-{}", S::NAME)) {
        mount.set_inner_html("");
        yew::Renderer::<Panel<S>>::with_root(mount).render();
    }
}
