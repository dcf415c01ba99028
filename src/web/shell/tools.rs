//! What a reader can do with a run besides playing it: compare, send it, take it away, bring another one.

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Clipboard, Element, HtmlInputElement, Node};
use yew::{html::Scope, platform::spawn_local, prelude::*};

use super::{Msg as ShellMsg, Shell, later};
use crate::{
    deck::Deck,
    link::Saved,
    web::{
        address,
        desk::{self, Desk},
    },
};

/// What came of a request, and a link to be copied by hand.
pub(in crate::web) type Answer = (Result<String, String>, Option<String>);

/// What can be taken away: what the office calls it, and what the reader reads.
const WHATS: [(&str, &str, &str); 5] = [
    ("toml", "Scenario file", "for kwp run, .toml"),
    ("csv", "Events", "for a spreadsheet, .csv"),
    ("jsonl", "Events", "for a program, .jsonl"),
    ("svg", "Picture", "for print, .svg"),
    ("png", "Picture", "for a slide, .png"),
];

/// What can be put on the clipboard.
#[derive(Clone, Copy)]
pub(in crate::web) enum Copied {
    /// The run's address.
    Link,
    /// The markup that puts the panel with this run into a page of the reader's own.
    Frame,
}

/// What the reader wants, and what comes of it.
pub(crate) enum Msg {
    Copy(Copied),
    Take(&'static str),
    Bring(web_sys::File),
    /// It is done, or why not; a link that could not be copied is there to be copied by hand.
    Done(Result<String, String>, Option<String>),
    /// The menu was opened or closed.
    Unfold(bool),
}

/// The state of the tools: what they said last.
#[derive(Default)]
pub(super) struct Tools {
    open: bool,
    busy: bool,
    said: Option<Result<String, String>>,
    by_hand: Option<String>,
}

impl Tools {
    pub(super) fn update(&mut self, msg: Msg, deck: &Deck, playing: bool, link: &Scope<Shell>) -> bool {
        let done = link.callback(|(result, by_hand)| ShellMsg::Tools(Msg::Done(result, by_hand)));
        match msg {
            Msg::Copy(what) => {
                let saved = deck.saved(playing);
                with_desk(done, move |desk, done| (desk.copy)(&saved, what, done));
            }
            Msg::Take(what) => {
                self.busy = true;
                let saved = deck.saved(playing);
                with_desk(done, move |desk, done| {
                    (desk.take)(&saved, what, done.reform(|result| (result, None)))
                });
            }
            Msg::Bring(file) => {
                self.busy = true;
                with_desk(done, move |desk, done| (desk.bring)(file, done.reform(|result| (result, None))));
            }
            Msg::Done(result, by_hand) => {
                (self.busy, self.said, self.by_hand) = (false, Some(result), by_hand);
            }
            Msg::Unfold(open) => {
                self.open = open;
                if !open {
                    (self.said, self.by_hand) = (None, None);
                }
            }
        }
        true
    }

    /// Something else is done: what was said is over.
    pub(super) fn quiet(&mut self) {
        if !self.open && !self.busy {
            (self.said, self.by_hand) = (None, None);
        }
    }

    pub(super) fn view(&self, comparing: bool, link: &Scope<Shell>) -> Html {
        let pressed = if comparing { "true" } else { "false" };
        html! {
            <div class="tools" role="group" aria-label="This run">
                <button type="button" class="tool" data-act="compare" aria-pressed={pressed}
                    title="Keep the old future beside the new one when something is done in the past"
                    onclick={link.callback(move |_| ShellMsg::Compare(!comparing))}>{"Compare"}</button>
                <button type="button" class="tool" data-act="copy-link" title="Copy a link to exactly this"
                    onclick={link.callback(|_| ShellMsg::Tools(Msg::Copy(Copied::Link)))}>{"Copy link"}</button>
                {self.menu(link)}
                <button type="button" class="tool" data-act="keys" aria-label="Keyboard keys" title="Keyboard keys"
                    onclick={link.callback(|_| ShellMsg::Keys(true))}>{"?"}</button>
                {self.answer()}
            </div>
        }
    }

    fn menu(&self, link: &Scope<Shell>) -> Html {
        let ontoggle = link.batch_callback(|event: yew::Event| {
            let open = event.target_dyn_into::<Element>()?.has_attribute("open");
            Some(ShellMsg::Tools(Msg::Unfold(open)))
        });
        let close = || ShellMsg::Tools(Msg::Unfold(false));
        let onfocusout = link.batch_callback(move |event: FocusEvent| {
            let menu = event.current_target()?.dyn_into::<Node>().ok()?;
            let to = event.related_target().and_then(|to| to.dyn_into::<Node>().ok());
            (!menu.contains(to.as_ref())).then(close)
        });
        let onkeydown =
            link.batch_callback(move |event: KeyboardEvent| (event.key() == "Escape").then(close));
        html! {
            <details class="menu" open={self.open} {ontoggle} {onfocusout} {onkeydown}>
                <summary class="tool">{"Save, open"}</summary>
                if self.open {
                    {later(|desk| (desk.menu)(self.busy, link), link)}
                }
            </details>
        }
    }

    /// What came of it.
    fn answer(&self) -> Html {
        let (text, bad) = match (&self.said, self.busy) {
            (_, true) => ("At work …", false),
            (Some(Ok(text)), _) => (text.as_str(), false),
            (Some(Err(text)), _) => (text.as_str(), true),
            (None, _) => ("", false),
        };
        html! {
            <div class="tools-answer" role="status" data-bad={bad.then_some("")}>
                if !text.is_empty() { <p class="tools-said">{text}</p> }
                if let Some(link) = &self.by_hand {
                    <input class="field" aria-label="The link" readonly={true} value={link.clone()} />
                }
            </div>
        }
    }
}

/// Does something that takes the desk, or says that it cannot be done.
fn with_desk(done: Callback<Answer>, act: impl FnOnce(&Desk, Callback<Answer>) + 'static) {
    desk::ask(move |desk| match desk {
        Some(desk) => act(desk, done),
        None => done.emit((Err(desk::UNLOADED.to_owned()), None)),
    });
}

/// A frame that shows a panel at what a link says, as high as the panel is now; docs/hosting.md tells how a page
/// follows its height.
fn frame(link: &str, panel: &str) -> String {
    let (page, fragment) = link.split_once('#').unwrap_or((link, ""));
    let page = page.split('?').next().unwrap_or(page);
    let address = format!("{page}?panel={panel}#{fragment}").replace('&', "&amp;").replace('"', "&quot;");
    let shown = web_sys::window().and_then(|window| window.document()).and_then(|document| {
        document.query_selector(&format!("section.panel[data-panel={panel}]")).ok().flatten()
    });
    let height = shown.map_or(900.0, |shown| shown.get_bounding_client_rect().height().ceil());
    format!(
        "<iframe src=\"{address}\" title=\"Simulation: {panel}\" width=\"100%\" height=\"{height}\" \
         style=\"border: 0\" loading=\"lazy\"></iframe>"
    )
}

/// What is in the menu; `busy` while one of its things is done.
pub(in crate::web) fn menu_body(busy: bool, link: &Scope<Shell>) -> Html {
    let take = |&(what, name, note): &(&'static str, &'static str, &'static str)| {
        html! {
            <li><button type="button" data-take={what} disabled={busy} onclick={link.callback(move |_| ShellMsg::Tools(Msg::Take(what)))}>
                {name}{" "}<small>{note}</small>
            </button></li>
        }
    };
    let onchange = link.batch_callback(|event: yew::Event| {
        let input = event.target_dyn_into::<HtmlInputElement>()?;
        let file = input.files()?.get(0)?;
        // The same file can be chosen again, after it was put right.
        input.set_value("");
        Some(ShellMsg::Tools(Msg::Bring(file)))
    });
    html! {
        <div class="menu-body" tabindex="-1">
            <p>{"This run, up to the current tick:"}</p>
            <ul>{for WHATS.iter().map(take)}</ul>
            <ul><li><button type="button" data-act="copy-frame" onclick={link.callback(|_| ShellMsg::Tools(Msg::Copy(Copied::Frame)))}>
                {"Copy HTML "}<small>{"this panel in a page of yours"}</small>
            </button></li></ul>
            <label class="menu-file">{"Open a scenario file "}<small>{"or drop one on the page"}</small>
                <input type="file" data-act="open-scenario" accept=".toml,text/plain" {onchange} />
            </label>
        </div>
    }
}

/// Puts a link, or a frame for it, on the clipboard, or where it can be copied by hand.
pub(in crate::web) fn copy(saved: &Saved, what: Copied, done: Callback<Answer>) {
    let link = address::link_to(saved).map(|link| match what {
        Copied::Link => link,
        Copied::Frame => frame(&link, saved.start.panel().name()),
    });
    let link = match link {
        Ok(link) => link,
        Err(error) => return done.emit((Err(error), None)),
    };
    let by_hand = |link: String| (Ok("Copy it from here:".to_owned()), Some(link));
    let Some(clipboard) = clipboard() else { return done.emit(by_hand(link)) };
    spawn_local(async move {
        let copied = JsFuture::from(clipboard.write_text(&link)).await;
        let length = link.chars().count();
        done.emit(match copied {
            Ok(_) if matches!(what, Copied::Frame) => (Ok("The HTML is copied.".to_owned()), None),
            Ok(_) => (Ok(format!("The link is copied: {length} characters.")), None),
            Err(_) => by_hand(link),
        });
    });
}

/// The clipboard, which a page that was not loaded safely does not have.
fn clipboard() -> Option<Clipboard> {
    let navigator = web_sys::window()?.navigator();
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).ok()?;
    clipboard.is_truthy().then(|| clipboard.unchecked_into())
}
