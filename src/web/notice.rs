//! A sentence for the whole page, where the reader is: what was wrong with the link it was opened with.

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Document, Element};

/// Its element's id.
const ID: &str = "page-notice";

/// Shows a sentence until the reader closes it, or takes the one that is shown away.
pub(super) fn tell(sentence: Option<String>) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    if let Some(old) = document.get_element_by_id(ID) {
        old.remove();
    }
    if let Some(sentence) = sentence {
        // A page that cannot show it still shows its panels.
        let _ = show(&document, &sentence);
    }
}

fn show(document: &Document, sentence: &str) -> Option<()> {
    let element = |name: &str| document.create_element(name).ok();
    let (notice, text, close) = (element("div")?, element("p")?, element("button")?);
    notice.set_id(ID);
    notice.set_class_name("page-notice");
    notice.set_attribute("role", "alert").ok()?;
    text.set_text_content(Some(sentence));
    close.set_text_content(Some("Close"));
    close.set_class_name("button");
    close.set_attribute("type", "button").ok()?;
    let gone: Element = notice.clone();
    let on_close = Closure::once_into_js(move || gone.remove());
    close.add_event_listener_with_callback("click", on_close.unchecked_ref()).ok()?;
    notice.append_child(&text).ok()?;
    notice.append_child(&close).ok()?;
    document.body()?.append_child(&notice).ok()?;
    Some(())
}
