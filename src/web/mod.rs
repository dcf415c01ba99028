//! The page: mounts each panel at its place in the article.

use yew::prelude::*;

/// Mounts the panels into the article's mount points.
///
/// # Panics
///
/// Outside a browser window.
pub fn start() {
    console_error_panic_hook::set_once();
    let document = web_sys::window().and_then(|window| window.document()).expect("a browser's document");
    if let Some(mount) = document.get_element_by_id("panel-dispatch") {
        yew::Renderer::<Placeholder>::with_root(mount).render();
    }
}

/// Stands where the first panel will be.
#[component]
fn Placeholder() -> Html {
    html! { <section class="panel" data-panel="dispatch" data-tick="0" /> }
}
