//! The grid: a button for each record, the safe part shaded, and the two flags.
//!
//! It reads like a page, twelve to a row or six, whichever the style sheet finds room for; so a place is told
//! for both, and nothing here measures anything until an arrow key is pressed.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::{
    super::{chip::face, scene::Stage, widgets::reading},
    Msg,
    cells::{self, Cell, State},
};
use crate::{
    ids::{ConsumerId, Offset},
    presets::watermark::{CELLS, HIGH, LOW, POLL},
    world::{Log, World},
};

/// Cells to a row: wide, and on a phone. The style sheet has the same two numbers.
const COLUMNS: [i64; 2] = [12, 6];

/// Rows of the narrow layout: the wide one has fewer.
const ROWS: u32 = CELLS.div_ceil(6);

/// The grid with everything on it.
pub(super) fn view(stage: &Stage<'_, Msg>, reached: Offset) -> Html {
    let world = stage.world(0);
    let cells = cells::read(world, stage.ledger(0));
    let ended = cells::owner_ended(stage.events_now(0));
    let cell = |cell: &Cell| cell_view(stage, cell, reached, ended && cell.would_flash());
    let caption = format!(
        "{CELLS} records, each with a key and a worker of its own. A poll brings {POLL}; intake pauses at {HIGH} in flight, resumes at {LOW}."
    );
    html! {
        <div class="wm-field">
            <p class="drawing-label">{caption}</p>
            <div class="wm-stage">
                {safe(world)}
                <div class="wm-grid" role="group" onkeydown={Callback::from(|event| { walk(&event); })} onfocusin={reading(offset_of, stage.on(Msg::Reach))}
                    aria-label="Records by offset. Arrow keys move; Enter or Space completes one.">
                    {for cells.iter().map(cell)}
                </div>
                {flags(world)}
            </div>
        </div>
    }
}

impl Cell {
    fn would_flash(&self) -> bool {
        self.came_again && self.state != State::Lost
    }

    fn label(&self) -> String {
        let notes = [
            (self.is_poisoned, ", poisoned"),
            (self.is_redone, ", done before"),
            (self.came_again, ", came again"),
            (self.at_risk, ", committed and at risk"),
            (self.is_spared, ", named in the acknowledgement map"),
        ];
        let mut label = format!("Offset {}: {}", self.offset, self.state.spoken());
        notes.iter().filter(|(holds, _)| *holds).for_each(|(_, note)| label += note);
        label
    }

    /// The small words on a cell, the weightiest first; one is shown.
    fn note(&self) -> Option<String> {
        if self.state == State::Lost {
            Some("lost".to_owned())
        } else if self.at_risk {
            Some("at risk".to_owned())
        } else if self.failures > 0 {
            Some(format!("failed {}×", self.failures))
        } else if self.is_next {
            Some("next".to_owned())
        } else {
            None
        }
    }
}

fn cell_view(stage: &Stage<'_, Msg>, cell: &Cell, reached: Offset, flashes: bool) -> Html {
    let offset = cell.offset;
    let mark = |holds: bool| holds.then_some("");
    // A record's key plays no part here, and every one has its own: the neutral chip leaves the eye to the state.
    let face = face(stage.world(0).log(), offset, None);
    let again = cell.would_come_again || cell.came_again;
    html! {
        <span class="wm-cell" key={offset.0} data-part={again.then_some("redelivered")}>
            <button type="button" class="chip" data-offset={offset.to_string()} data-state={cell.state.word()}
                data-redelivered={mark(cell.came_again)} data-again={mark(cell.would_come_again)} data-redone={mark(cell.is_redone)}
                data-risk={mark(cell.at_risk)} data-spared={mark(cell.is_spared)} data-poisoned={mark(cell.is_poisoned)}
                data-flash={mark(flashes)} data-part={cell.state.part()} style={cell.quarantine.map(|over| format!("--progress:{over:.3}"))}
                tabindex={if offset == reached { "0" } else { "-1" }} aria-label={cell.label()}
                onclick={stage.on(move |_: MouseEvent| Msg::Tap(offset))}>
                {face}
                if let Some(note) = cell.note() { <small>{note}</small> }
            </button>
        </span>
    }
}

/// Why a tap on this cell changed nothing.
pub(super) fn why_nothing_happened(stage: &Stage<'_, Msg>, offset: Offset) -> String {
    let world = stage.world(0);
    if world.owner().is_none() {
        return format!(
            "{} is down, so nothing of offset {offset} runs: the tap changes nothing.",
            ConsumerId::A
        );
    }
    let cells = cells::read(world, stage.ledger(0));
    let why = match cells.iter().find(|cell| cell.offset == offset).map(|cell| cell.state) {
        Some(State::Done) => "is done already: a second completion changes nothing.",
        Some(State::Unpolled) => "is not polled yet: there is nothing to complete.",
        Some(State::Quarantined) => "is quarantined: there is nothing to complete.",
        Some(State::Lost) => "is lost: nobody will read it again.",
        Some(State::Failed | State::Open) | None => "was not running, so the tap changed nothing.",
    };
    format!("Offset {offset} {why}")
}

// The promise, drawn.

/// The shade below the committed offset, a stripe to each row.
fn safe(world: &World) -> Html {
    let committed = world.broker().committed().0 - world.log().start().0;
    let stripe = |row: u32| html! { <i style={format!("--r:{row}")}></i> };
    html! {
        <div class="wm-safe" aria-hidden="true" data-part="committed" style={format!("--wm-safe:{committed}")}>
            {for (0..ROWS).map(stripe)}
        </div>
    }
}

fn flags(world: &World) -> Html {
    let committed = world.broker().committed();
    // A process that is down has no watermark; the next one begins at the committed offset.
    let low = world.watermark().unwrap_or(committed);
    let flag = |name: &'static str, at: Offset, gone: bool| {
        html! {
            <span class="flag wm-flag" data-flag={name} data-part={name} data-at={at.to_string()} data-gone={gone.then_some("")}
                style={place(world.log(), at, low)} aria-hidden={gone.then_some("true")}>
                {name}{" "}<b>{at.0}</b>
            </span>
        }
    };
    html! {
        <>
            {flag("watermark", low, world.watermark().is_none())}
            {flag("committed", committed, false)}
        </>
    }
}

/// Row, column, side and height of a flag in both layouts, as custom properties: `--c12`, `--c6` and so on.
fn place(log: &Log, at: Offset, low: Offset) -> String {
    let index = |offset: Offset| (offset.min(cells::end(log)).0 - log.start().0).max(0);
    let spot = |index: i64, columns: i64| match index == i64::from(CELLS) {
        true => ((index - 1) / columns, columns),
        false => (index / columns, index % columns),
    };
    let layout = |columns: i64| {
        let (row, column) = spot(index(at), columns);
        // The cloth hangs to the left of its pole where there is no room to the right.
        let flip = i32::from(column >= columns - 1);
        // The committed flag stands below its row, unless the watermark's cloth is there.
        let up = i32::from(spot(index(low), columns).0 == row + 1);
        format!("--r{columns}:{row};--c{columns}:{column};--f{columns}:{flip};--u{columns}:{up};")
    };
    COLUMNS.map(layout).concat()
}

// The keyboard.

/// The offset of the cell that has the focus now.
fn offset_of(event: FocusEvent) -> Option<Offset> {
    let cell = event.target_dyn_into::<Element>()?;
    cell.get_attribute("data-offset")?.parse().ok().map(Offset)
}

/// Moves the focus as an arrow key says; `None` for other keys, and at the edge.
fn walk(event: &KeyboardEvent) -> Option<()> {
    let from = event.target_dyn_into::<Element>()?;
    let grid = from.closest(".wm-grid").ok()??;
    let found = grid.query_selector_all("button").ok()?;
    let cells: Vec<HtmlElement> =
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect();
    let top = |cell: &HtmlElement| cell.get_bounding_client_rect().top();
    let first_row = top(cells.first()?);
    let columns = cells.iter().take_while(|cell| top(cell) == first_row).count();
    let at = cells.iter().position(|cell| cell.is_same_node(Some(&from)))?;
    let to = match event.key().as_str() {
        "ArrowLeft" => at.checked_sub(1),
        "ArrowRight" => Some(at + 1),
        "ArrowUp" => at.checked_sub(columns),
        "ArrowDown" => Some(at + columns),
        "Home" => Some(at - at % columns.max(1)),
        "End" => Some(at - at % columns.max(1) + columns.saturating_sub(1)),
        _ => return None,
    };
    event.prevent_default();
    cells.get(to?)?.focus().ok()
}
