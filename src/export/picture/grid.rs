//! The log as a grid: each record's state, what is committed, and where the watermark stands.

use super::scene::{
    ACCENT, Area, DANGER, HAIR, Held, INK, PAPER, QUIET, Rgb, Role, Scene, WELL, hue_of, width,
};
use crate::{ids::Offset, run::Run, standing::Standing, world::Record};

const LEFT: i32 = 40;
const RIGHT: i32 = 1560;

/// The most records that are shown: of a longer log, those around the committed offset.
const MOST: u64 = 480;

/// Room above a row for the watermark's flag, and below it for the committed offset's.
const FLAG: i32 = 34;

fn standing(run: &Run, index: u64, record: &Record) -> Standing {
    let is_dead = run.ledger().quarantined().contains(&record.offset);
    Standing::of(run.world(), run.ledger(), index, record.offset, is_dead)
}

/// How cells are laid out.
#[derive(Clone, Copy, Debug)]
struct Layout {
    columns: i32,
    w: i32,
    h: i32,
    letters: u32,
}

impl Layout {
    fn for_records(count: u64) -> Layout {
        let (columns, h, letters) = match count {
            0..=60 => (12, 66, 26),
            61..=240 => (20, 48, 20),
            _ => (30, 36, 16),
        };
        Layout { columns, w: (RIGHT - LEFT) / columns, h, letters }
    }

    fn pitch(self) -> i32 {
        self.h + 2 * FLAG
    }

    /// The cell at a place, and the whole of its square.
    fn square(self, top: i32, at: usize) -> Area {
        let at = i32::try_from(at).unwrap_or(i32::MAX);
        let (row, column) = (at / self.columns, at % self.columns);
        Area { x: LEFT + column * self.w, y: top + FLAG + row * self.pitch(), w: self.w, h: self.h }
    }
}

/// Draws the grid from `top` on; where it ends, in pixels.
pub(super) fn draw(scene: &mut Scene, top: i32, run: &Run) -> i32 {
    let world = run.world();
    let (log, committed) = (world.log(), world.broker().committed());
    let first = match log.len() {
        0..=MOST => 0,
        long => log.index_at(committed).saturating_sub(MOST / 4).min(long - MOST),
    };
    let records: Vec<(u64, Record)> = (first..).zip(log.iter_from(first)).take(MOST as usize).collect();
    let layout = Layout::for_records(records.len() as u64);
    for (at, (index, record)) in records.iter().enumerate() {
        let square = layout.square(top, at);
        if record.offset < committed {
            // Safe: below what a successor reads.
            scene.fill(Area { y: square.y - 8, h: square.h + 16, ..square }, WELL, Role::Ground);
        }
        cell(scene, square, layout, record, standing(run, *index, record));
    }
    let place = |offset: Offset| records.iter().position(|(_, record)| record.offset >= offset);
    if let Some(watermark) = world.watermark() {
        flag(
            scene,
            layout,
            top,
            (place(watermark), records.len()),
            &format!("watermark {watermark}"),
            Side::Above,
        );
    }
    flag(
        scene,
        layout,
        top,
        (place(committed), records.len()),
        &format!("committed {committed}"),
        Side::Below,
    );
    let rows = i32::try_from(records.len().div_ceil(layout.columns as usize)).unwrap_or(1).max(1);
    top + rows * layout.pitch()
}

fn cell(scene: &mut Scene, square: Area, layout: Layout, record: &Record, state: Standing) {
    let hue = hue_of(record.key);
    let area = Area { x: square.x + 5, w: square.w - 10, ..square };
    let (fill, frame, letters): (Rgb, Rgb, Rgb) = match state {
        Standing::Done => (hue.fill, hue.fill, hue.on_fill),
        Standing::Open | Standing::Failed => (PAPER, hue.text, hue.text),
        Standing::Quarantined => (hue.soft, hue.text, INK),
        Standing::Lost => (PAPER, DANGER, DANGER),
        Standing::Unpolled => (PAPER, HAIR, QUIET),
    };
    scene.fill(area, fill, Role::Cell);
    if state == Standing::Failed {
        scene.hatch(area, hue.text);
    }
    scene.frame(area, frame, if state == Standing::Unpolled { 1 } else { 3 });
    if state == Standing::Quarantined {
        let (left, right) = ((area.x, area.y + area.h), (area.x + area.w, area.y));
        scene.stroke(left, right, hue.text, 3);
        scene.stroke((area.x, area.y), (area.x + area.w, area.y + area.h), hue.text, 3);
    }
    let middle = (area.x + area.w / 2, area.y + area.h / 2);
    let offset = record.offset.to_string();
    let text = if state == Standing::Lost { format!("{offset} lost") } else { offset };
    let size =
        if width(&text, layout.letters) + 8 > area.w { layout.letters * 3 / 4 } else { layout.letters };
    if matches!(state, Standing::Failed | Standing::Quarantined) {
        let (w, h) = (width(&text, size) + 10, size as i32);
        scene.fill(Area { x: middle.0 - w / 2, y: middle.1 - h / 2, w, h }, fill, Role::Ground);
    }
    match state {
        Standing::Open | Standing::Failed | Standing::Lost => {
            scene.bold(middle, Held::Middle, &text, size, letters)
        }
        _ => scene.text(middle, Held::Middle, &text, size, letters),
    }
}

/// On which side of the row a flag stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

/// A pole at the left edge of a record's square, with a word; after the last record if it is beyond it.
fn flag(
    scene: &mut Scene,
    layout: Layout,
    top: i32,
    (at, count): (Option<usize>, usize),
    words: &str,
    side: Side,
) {
    let (square, x) = match (at, count.checked_sub(1)) {
        (Some(at), _) => {
            let square = layout.square(top, at);
            (square, square.x)
        }
        (None, Some(last)) => {
            let square = layout.square(top, last);
            (square, square.x + square.w)
        }
        (None, None) => (layout.square(top, 0), LEFT),
    };
    let colour = if side == Side::Above { ACCENT } else { INK };
    let (y, pole) = match side {
        Side::Above => {
            (square.y - FLAG + 4, Area { x: x - 2, y: square.y - FLAG + 4, w: 4, h: square.h + FLAG - 4 })
        }
        Side::Below => {
            (square.y + square.h + 6, Area { x: x - 2, y: square.y, w: 4, h: square.h + FLAG - 4 })
        }
    };
    scene.fill(pole, colour, Role::Ground);
    let cloth = Area { x, y, w: width(words, 18) + 16, h: 24 };
    // At the right edge the cloth hangs to the left of its pole.
    let cloth = if cloth.x + cloth.w > RIGHT + 30 { Area { x: x - cloth.w, ..cloth } } else { cloth };
    scene.fill(cloth, colour, Role::Ground);
    scene.text((cloth.x + 8, y + 12), Held::Left, words, 18, PAPER);
}

/// Explains the cells; where that ends, in pixels.
pub(super) fn legend(scene: &mut Scene, top: i32) -> i32 {
    let words = "Each cell is a record, with its offset. Filled: done. Outlined: in flight. Hatched: failed, waiting to be \
                 tried again. Crossed: quarantined, its dead letter is written. Faint: not polled. Shaded: below the \
                 committed offset, so that no successor reads it. Red: lost, committed and never done.";
    top + scene.paragraph((LEFT, top), RIGHT, words, 20)
}
