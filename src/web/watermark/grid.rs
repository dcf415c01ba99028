//! The grid: a button for each record, the safe part shaded, and the two flags.
//!
//! It reads like a page, twelve to a row or six, whichever the style sheet finds room for; so a place is told
//! for both, and nothing here measures anything until an arrow key is pressed.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::{
    super::{
        chip::face,
        scene::Stage,
        widgets::{counted, reading},
    },
    Msg,
    cells::{self, Cell, Window},
};
use crate::{
    ids::{ConsumerId, Offset},
    standing::Standing,
    world::{Knobs, World, config::Intake},
};

/// Cells to a row: wide, and on a phone. The style sheet has the same two numbers.
const COLUMNS: [u64; 2] = [12, 6];

/// The grid with everything on it.
pub(super) fn view(stage: &Stage<'_, Msg>, reached: Offset) -> Html {
    let world = stage.world(0);
    let cells = cells::read(world, stage.ledger(0));
    let ended = cells::owner_ended(stage.events_now(0));
    let cell = |cell: &Cell| cell_view(stage, cell, reached, ended && cell.would_flash());
    let caption = caption(world.log().len(), world.log().key_count() as u64, world.knobs());
    let window = Window::of(world);
    html! {
        <div class="wm-field">
            <p class="drawing-label">{caption}</p>
            <div class="wm-stage">
                {safe(world, window)}
                <div class="wm-grid" role="group" onkeydown={Callback::from(|event| { walk(&event); })} onfocusin={reading(offset_of, stage.on(Msg::Reach))}
                    aria-label="Records by offset. Arrow keys move; Enter or Space completes one.">
                    {for cells.iter().map(cell)}
                </div>
                {flags(world, window)}
            </div>
        </div>
    }
}

/// What is fixed in this run.
fn caption(records: u64, keys: u64, knobs: &Knobs) -> String {
    let each = if keys == records && u64::from(knobs.workers) >= records {
        "each with a key and a worker of its own".to_owned()
    } else {
        let (keys, workers) =
            (counted(keys, "key", "keys"), counted(knobs.workers.into(), "worker", "workers"));
        format!("{keys}, {workers}")
    };
    let intake = match knobs.intake {
        Intake::Pause { high, low } => format!("intake pauses at {high} in flight, resumes at {low}"),
        Intake::Unbounded => "intake never pauses".to_owned(),
        Intake::Block => "the next poll waits for the whole batch".to_owned(),
    };
    format!("{}, {each}. A poll brings {}; {intake}.", counted(records, "record", "records"), knobs.poll)
}

impl Cell {
    fn would_flash(&self) -> bool {
        self.came_again && self.state != Standing::Lost
    }

    fn label(&self) -> String {
        let notes = [
            (self.is_poisoned, ", poisoned"),
            (self.is_redone, ", done before"),
            (self.came_again, ", came again"),
            (self.at_risk, ", committed and at risk"),
            (self.is_spared, ", named in the acknowledgement map"),
        ];
        // What is read on the cell comes first and alike, for those who tell a program what they see.
        let mut label = format!("Offset {}", self.offset);
        let (note, state) = (self.note(), cells::spoken(self.state));
        note.iter().for_each(|note| label += &format!(" {note}"));
        if note.as_deref() != Some(state) {
            label += &format!(": {state}");
        }
        notes.iter().filter(|(holds, _)| *holds).for_each(|(_, note)| label += note);
        label
    }

    /// The small words on a cell, the weightiest first; one is shown.
    fn note(&self) -> Option<String> {
        if self.state == Standing::Lost {
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
            <button type="button" class="chip" data-offset={offset.to_string()} data-state={cells::word(cell.state)}
                data-redelivered={mark(cell.came_again)} data-again={mark(cell.would_come_again)} data-redone={mark(cell.is_redone)}
                data-risk={mark(cell.at_risk)} data-spared={mark(cell.is_spared)} data-poisoned={mark(cell.is_poisoned)}
                data-flash={mark(flashes)} data-part={cells::part(cell.state)} style={cell.quarantine.map(|over| format!("--progress:{over:.3}"))}
                tabindex={if offset == reached { "0" } else { "-1" }} aria-label={cell.label()}
                onclick={stage.on(move |_: MouseEvent| Msg::Tap(offset))}>
                {face}
                if let Some(note) = cell.note() { {" "}<small>{note}</small> }
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
        Some(Standing::Done) => "is done already: a second completion changes nothing.",
        Some(Standing::Unpolled) => "is not polled yet: there is nothing to complete.",
        Some(Standing::Quarantined) => "is quarantined: there is nothing to complete.",
        Some(Standing::Lost) => "is lost: nobody will read it again.",
        Some(Standing::Failed | Standing::Open) | None => "was not running, so the tap changed nothing.",
    };
    format!("Offset {offset} {why}")
}

// The promise, drawn.

/// The shade below the committed offset, a stripe to each row of the narrow layout: the wide one has fewer.
fn safe(world: &World, window: Window) -> Html {
    let committed = window.cell(world.log(), world.broker().committed());
    let stripe = |row: u64| html! { <i style={format!("--r:{row}")}></i> };
    html! {
        <div class="wm-safe" aria-hidden="true" data-part="committed" style={format!("--wm-safe:{committed}")}>
            {for (0..window.count.div_ceil(COLUMNS[1])).map(stripe)}
        </div>
    }
}

fn flags(world: &World, window: Window) -> Html {
    let committed = world.broker().committed();
    // A process that is down has no watermark; the next one begins at the committed offset.
    let low = world.watermark().unwrap_or(committed);
    let cell = |offset: Offset| window.cell(world.log(), offset);
    let flag = |name: &'static str, at: Offset, gone: bool| {
        html! {
            <span class="flag wm-flag" data-flag={name} data-part={name} data-at={at.to_string()} data-gone={gone.then_some("")}
                style={place(window.count, cell(at), cell(low))} aria-hidden={gone.then_some("true")}>
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
fn place(cells: u64, at: u64, low: u64) -> String {
    // Where all is finished it stands behind the last cell.
    let spot = |cell: u64, columns: u64| match cell == cells && cells > 0 {
        true => ((cell - 1) / columns, (cell - 1) % columns + 1),
        false => (cell / columns, cell % columns),
    };
    let layout = |columns: u64| {
        let (row, column) = spot(at, columns);
        // The cloth hangs to the left of its pole where there is no room to the right.
        let flip = i32::from(column + 1 >= columns);
        // The committed flag stands below its row, unless the watermark's cloth is there.
        let up = i32::from(spot(low, columns).0 == row + 1);
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
