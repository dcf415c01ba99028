//! The page: mounts each panel at its place in the article.

mod address;
mod backpressure;
mod chip;
mod dispatch;
mod frames;
mod notice;
mod office;
mod rebalance;
mod scene;
mod shell;
mod swipe;
mod terms;
mod watermark;
mod widgets;

use web_sys::Document;

use crate::presets::Panel;
use shell::{Props, Shell};

/// Mounts the panels into the article's mount points, as the address says, and lights up drawings for the
/// article's words.
///
/// A page without one of the mounts simply lacks that panel; outside a browser nothing happens.
pub fn start() {
    console_error_panic_hook::set_once();
    let Some(window) = web_sys::window() else { return };
    let Some(document) = window.document() else { return };
    address::listen(&window);
    for panel in Panel::ALL {
        mount(&document, panel);
    }
    frames::mark_resizing(&window);
    office::listen(&document);
    swipe::listen(&document);
    terms::listen(&document);
}

/// Replaces the still picture at a panel's mount by the live panel.
fn mount(document: &Document, panel: Panel) {
    if let Some(mount) = document.get_element_by_id(&format!("panel-{}", panel.name())) {
        mount.set_inner_html("");
        yew::Renderer::<Shell>::with_root_and_props(mount, Props { panel }).render();
    }
}
