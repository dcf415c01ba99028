//! Under the grid: what a crash now would bring, the buttons, and what the last commit carried.

use yew::prelude::*;

use super::{super::scene::Stage, Msg, cells::Promise};
use crate::{
    ids::ConsumerId,
    ledger::{Ledger, grouped},
    world::World,
};

/// "Crash now: 9 come again, 5 of them already done."
pub(super) fn line(world: &World, ledger: &Ledger) -> Html {
    let promise @ Promise { again, done, lost } = Promise::of(world, ledger);
    let committed = world.broker().committed();
    let opening = match world.owner() {
        Some(_) => "Crash now:".to_owned(),
        None => format!("{} is down. From {committed} on,", ConsumerId::A),
    };
    html! {
        <p class="wm-promise" id="wm-promise" data-part="redelivered">
            {opening}{" "}
            <b data-counter="crash-again" data-value={again.to_string()}>{come_again(again)}</b>
            <span data-counter="crash-done" data-value={done.to_string()}>{already_done(promise)}</span>
            <b data-counter="crash-lost" data-value={lost.to_string()} data-bad={(lost > 0).then_some("")}>{are_lost(lost)}</b>
            {"."}
        </p>
    }
}

fn come_again(again: u64) -> String {
    match again {
        0 => "nothing comes again".to_owned(),
        1 => "1 comes again".to_owned(),
        _ => format!("{again} come again"),
    }
}

fn already_done(promise: Promise) -> String {
    match (promise.again, promise.done) {
        (0, _) => String::new(),
        (1, 0) => ", not done yet".to_owned(),
        (1, _) => ", already done".to_owned(),
        (_, 0) => ", none of them done".to_owned(),
        (again, done) if again == done => ", all of them already done".to_owned(),
        (_, done) => format!(", {done} of them already done"),
    }
}

fn are_lost(lost: u64) -> String {
    match lost {
        0 => String::new(),
        1 => ", and 1 is lost".to_owned(),
        _ => format!(", and {lost} are lost"),
    }
}

/// What the reader can do besides tapping.
pub(super) fn buttons(stage: &Stage<'_, Msg>, poisoning: bool) -> Html {
    let up = stage.world(0).owner().is_some();
    let (crash, restart) = (format!("Crash {}", ConsumerId::A), format!("Restart {}", ConsumerId::A));
    let hint = if poisoning {
        "Tap the cell to poison; Escape leaves."
    } else {
        "A poisoned record fails every attempt; a retry comes 1 tick after."
    };
    html! {
        <div class="wm-acts">
            {act("crash", crash, up, !up, None, stage.on(|_| Msg::Crash))}
            {act("restart-a", restart, !up, up, None, stage.on(|_| Msg::Restart))}
            {act("finish-others", "Finish all open but the first".to_owned(), false, !up, None, stage.on(|_| Msg::FinishOthers))}
            {act("poison", "Poison a cell".to_owned(), false, false, Some(poisoning), stage.on(move |_| Msg::Poison(!poisoning)))}
            <p class="wm-hint" role="status">{hint}</p>
        </div>
    }
}

/// A button that keeps the focus when it has nothing to do.
fn act(
    name: &'static str,
    label: String,
    strong: bool,
    idle: bool,
    pressed: Option<bool>,
    onclick: Callback<MouseEvent>,
) -> Html {
    let spoken = |holds: bool| if holds { "true" } else { "false" };
    html! {
        <button type="button" class={classes!("button", strong.then_some("button-strong"))} data-act={name}
            aria-disabled={idle.then_some("true")} aria-pressed={pressed.map(spoken)}
            aria-describedby={(name == "crash").then_some("wm-promise")} {onclick}>
            {label}
        </button>
    }
}

/// The acknowledgement map as the broker has it.
pub(super) fn metadata(world: &World) -> Html {
    let (broker, limit) = (world.broker(), world.knobs().ack_map_limit);
    let map = broker.ack_map();
    let text = (!map.is_empty()).then(|| map.encode(broker.committed(), limit)).flatten();
    let bytes = text.as_ref().map_or(0, |text| text.text().len());
    html! {
        <div class="wm-map" data-part="ack-map" data-map-bytes={bytes.to_string()}>
            <span class="drawing-label">{"Metadata of the last commit"}</span>
            if let Some(text) = &text {
                <code>{text.text()}</code>
            } else {
                <span>{"empty"}</span>
            }
            <span class="drawing-label">{format!("{bytes} of {} bytes", grouped(limit))}</span>
        </div>
    }
}
