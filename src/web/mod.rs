//! The page: mounts each panel at its place in the article.

mod address;
mod approach;
mod backpressure;
mod chip;
mod consumer;
mod desk;
mod dispatch;
mod drop;
mod frames;
mod notice;
mod office;
pub mod parts;
mod rebalance;
mod scene;
mod shell;
mod swipe;
mod terms;
mod watermark;
mod widgets;

/// Mounts the panels into the article's places for them, as the address says and as the reader comes near, and
/// lights up drawings for the article's words. `load` fetches what is not there yet.
///
/// Outside a browser nothing happens.
pub fn start(load: parts::Load) {
    console_error_panic_hook::set_once();
    let Some(window) = web_sys::window() else { return };
    let Some(document) = window.document() else { return };
    desk::listen(&document, load.desk);
    let place = document.clone();
    address::listen(&window, move || approach::listen(&place, load));
    frames::mark_resizing(&window);
    drop::listen(&document);
    swipe::listen(&document);
    terms::listen(&document);
}
