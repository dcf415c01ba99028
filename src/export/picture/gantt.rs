//! A Gantt chart: time from left to right, a lane for each worker, a bar for each attempt.

use std::collections::BTreeSet;

use super::{
    attempts::{Bar, End, Story},
    scene::{
        ACCENT, Area, DANGER, HAIR, Held, INK, PAPER, QUIET, Rgb, Role, Scene, TIME, TIME_SOFT, WELL, hue_of,
        width,
    },
};
use crate::{
    ids::{ConsumerId, KeyId, Tick},
    ledger::key_name,
    run::Run,
    world::Log,
};

/// Where the lanes begin and end, in pixels.
const LEFT: i32 = 170;
const RIGHT: i32 = 1560;

/// The most ticks that are shown: of a longer run, the last ones.
const MOST_TICKS: u64 = 250;

/// The most workers of a consumer that are shown.
const MOST_LANES: u32 = 16;

/// The most keys whose colours are explained.
const MOST_KEYS: usize = 16;

/// From so many lanes on they are narrower.
const MANY_LANES: u32 = 9;

/// Room for the words at the lines of moments, in rows of this height.
const WORDS: i32 = 24;
const MOST_ROWS: usize = 3;

/// The part of time that is drawn.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u64,
    /// The first tick that is not executed yet.
    to: u64,
}

impl Span {
    fn of(run: &Run) -> Span {
        let to = run.now().0.max(1);
        Span { from: to.saturating_sub(MOST_TICKS), to }
    }

    fn ticks(self) -> u64 {
        self.to - self.from
    }

    /// Where a tick begins.
    fn x(self, tick: u64) -> i32 {
        let past = tick.clamp(self.from, self.to) - self.from;
        LEFT + (past * (RIGHT - LEFT) as u64 / self.ticks()) as i32
    }

    fn shows(self, tick: Tick) -> bool {
        (self.from..=self.to).contains(&tick.0)
    }

    /// Ticks between two numbers of the axis: 1, 2 or 5 times a power of ten, at most some twenty numbers.
    fn step(self) -> u64 {
        let mut step = 1;
        loop {
            for step in [step, step * 2, step * 5] {
                if self.ticks() <= step * 25 {
                    return step;
                }
            }
            step *= 10;
        }
    }
}

/// How lanes and letters are sized.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// A bar's height, and the room above it for a note.
    bar: i32,
    note: i32,
    letters: u32,
}

impl Sizes {
    fn for_lanes(lanes: u32) -> Sizes {
        if lanes < MANY_LANES {
            Sizes { bar: 44, note: 20, letters: 20 }
        } else {
            Sizes { bar: 26, note: 17, letters: 17 }
        }
    }

    fn pitch(self) -> i32 {
        self.bar + self.note
    }
}

/// What of the chart's signs occurs: only that is explained.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    running: bool,
    failed: bool,
    gone: bool,
    broken: bool,
    late: bool,
    window: bool,
    keys: BTreeSet<Option<KeyId>>,
}

/// Draws the chart of a run from `top` on; where it ends, in pixels.
pub(super) fn draw(scene: &mut Scene, mut top: i32, run: &Run, seen: &mut Seen) -> i32 {
    let story = Story::of(run.ledger().events());
    let span = Span::of(run);
    let sides: Vec<(ConsumerId, u32)> =
        ConsumerId::ALL.iter().filter_map(|&id| side(id, run, &story)).collect();
    let lanes: u32 = sides.iter().map(|(_, workers)| workers).sum();
    let sizes = Sizes::for_lanes(lanes);
    let rows = words(scene, top, span, &story);
    top += rows * WORDS;
    let bottom = top + lanes as i32 * sizes.pitch() + (sides.len() as i32 - 1) * sizes.note + sizes.note / 2;
    windows(scene, (top, bottom), span, &story, seen);
    let mut lanes: Vec<(Area, Vec<Placed<'_>>)> = Vec::new();
    let mut y = top;
    for &(consumer, workers) in &sides {
        let named = if sides.len() > 1 { format!("{consumer} ") } else { String::new() };
        for worker in 0..workers {
            let lane = Area { x: LEFT, y: y + sizes.note, w: RIGHT - LEFT, h: sizes.bar };
            let name = format!("{named}worker {}", worker + 1);
            scene.text((LEFT - 16, lane.y + lane.h / 2), Held::Right, &name, 20, QUIET);
            ground(scene, lane, span, &story);
            let on_lane = |bar: &&Bar| bar.attempt.consumer == consumer && bar.attempt.worker.0 == worker;
            let bars = story.bars.iter().filter(on_lane).filter_map(|bar| Placed::on(lane, span, bar));
            lanes.push((lane, bars.collect()));
            y += sizes.pitch();
        }
        y += sizes.note;
    }
    let placed = || lanes.iter().flat_map(|(_, bars)| bars);
    for bar in placed() {
        seen.see(bar.bar);
        bar.body(scene);
    }
    // Lines over the bars, words over the lines.
    moments(scene, (top, bottom), span, &story);
    placed().for_each(|bar| bar.face(scene, sizes, run.world().log()));
    lanes.iter().for_each(|(lane, bars)| notes(scene, *lane, bars, sizes));
    axis(scene, bottom, span) + 8
}

/// The lanes of a consumer, if it has any: those that were used, and those that it may use.
fn side(id: ConsumerId, run: &Run, story: &Story) -> Option<(ConsumerId, u32)> {
    let own = story.bars.iter().filter(|bar| bar.attempt.consumer == id);
    let used = own.map(|bar| bar.attempt.worker.0.saturating_add(1)).max();
    let member = run.world().broker().is_member(id);
    if used.is_none() && !member {
        return None;
    }
    Some((id, used.unwrap_or(0).max(run.world().knobs().concurrency()).clamp(1, MOST_LANES)))
}

/// A lane without its bars, quiet within a window.
fn ground(scene: &mut Scene, lane: Area, span: Span, story: &Story) {
    scene.fill(lane, WELL, Role::Ground);
    for &(from, to) in &story.windows {
        let (from, to) = (span.x(from.0), span.x(to.map_or(span.to, |to| to.0)));
        scene.fill(Area { x: from, w: to - from, ..lane }, TIME_SOFT, Role::Ground);
    }
}

fn windows(scene: &mut Scene, (top, bottom): (i32, i32), span: Span, story: &Story, seen: &mut Seen) {
    for &(from, to) in &story.windows {
        let (from, to) = (span.x(from.0), span.x(to.map_or(span.to, |to| to.0)));
        seen.window |= to > from;
        scene.fill(Area { x: from, y: top, w: to - from, h: bottom - top }, TIME_SOFT, Role::Ground);
    }
}

/// What is said above the bars of a lane, none over another.
fn notes(scene: &mut Scene, lane: Area, bars: &[Placed<'_>], sizes: Sizes) {
    let (mut free, size) = (LEFT, sizes.letters - 2);
    for placed in bars {
        let Some((note, bad)) = note(placed.bar) else { continue };
        let (w, h) = (width(&note, size), size as i32);
        let at = placed.late.map_or(placed.area.x, |line| line + 6).max(free).min(RIGHT - w).max(LEFT);
        free = at + w + 10;
        let y = lane.y - sizes.note / 2;
        scene.fill(Area { x: at, y: y - h / 2, w, h }, PAPER, Role::Ground);
        if bad {
            scene.bold((at, y), Held::Left, &note, size, DANGER);
        } else {
            scene.text((at, y), Held::Left, &note, size, QUIET);
        }
    }
}

/// A bar in its place.
struct Placed<'s> {
    bar: &'s Bar,
    area: Area,
    /// Where it becomes too late.
    late: Option<i32>,
}

impl Seen {
    fn see(&mut self, bar: &Bar) {
        self.keys.insert(bar.attempt.key);
        self.running |= bar.end == End::Running;
        self.failed |= bar.end == End::Failed;
        self.gone |= bar.end == End::Gone;
        self.broken |= bar.after.is_some();
        self.late |= bar.late_from.is_some();
    }
}

impl<'s> Placed<'s> {
    /// Where on its lane it is, if the chart gets that far back.
    fn on(lane: Area, span: Span, bar: &'s Bar) -> Option<Placed<'s>> {
        let (started, end) = (bar.attempt.started.0, bar.ended.map_or(span.to, |tick| tick.0));
        if end <= span.from {
            return None;
        }
        let x = span.x(started);
        // A gap between neighbours.
        let area = Area { x: x + 1, w: (span.x(end) - x - 2).max(2), ..lane };
        let late = bar.late_from.map(|from| span.x(from.0.max(started)));
        Some(Placed { bar, area, late })
    }

    fn body(&self, scene: &mut Scene) {
        let Placed { bar, area, late } = *self;
        let hue = hue_of(bar.attempt.key);
        let fill = if bar.end == End::Done { hue.fill } else { hue.soft };
        scene.fill(area, fill, Role::Attempt);
        if let Some(x) = late {
            let late = Area { x, w: area.x + area.w - x, ..area };
            scene.fill(late, DANGER, Role::Late);
        }
        match bar.end {
            End::Done => {}
            End::Running => scene.frame(area, if late.is_some() { DANGER } else { hue.text }, 2),
            End::Failed => {
                scene.hatch(area, hue.text);
                scene.frame(area, hue.text, 2);
            }
            End::Gone => {
                scene.frame(area, hue.text, 2);
                let Area { x, y, w, h } = area;
                scene.stroke((x, y), (x + w, y + h), DANGER, 3);
                scene.stroke((x, y + h), (x + w, y), DANGER, 3);
            }
        }
        if bar.after.is_some() {
            scene.frame(area, PAPER, 5);
            scene.frame(area, DANGER, 4);
        }
    }

    /// Offset and key, as far as there is room for them.
    fn face(&self, scene: &mut Scene, sizes: Sizes, log: &Log) {
        let Placed { bar, area, late } = *self;
        let hue = hue_of(bar.attempt.key);
        let offset = bar.attempt.offset.to_string();
        let key = bar.attempt.key.and_then(|id| log.key(id)).map_or("-".to_owned(), key_name);
        // Where the bar is in two parts, on the wider one.
        let split = late.map_or(area.x + area.w, |x| x.max(area.x));
        let on_late = split - area.x < area.x + area.w - split;
        let (from, to) = if on_late { (split, area.x + area.w) } else { (area.x, split) };
        let colour = match bar.end {
            _ if on_late => PAPER,
            End::Done => hue.on_fill,
            End::Running | End::Failed | End::Gone => hue.text,
        };
        let (room, middle, size) = (to - from - 6, i32::midpoint(from, to), sizes.letters);
        let two_lines = sizes.bar >= 40;
        let both = format!("{offset} {key}");
        let half = area.y + area.h / 2;
        let mut lines: Vec<(i32, String, u32, bool)> = Vec::new();
        if two_lines && width(&offset, size) <= room {
            let has_key = width(&key, size - 2) <= room;
            lines.push((if has_key { half - 8 } else { half }, offset, size, true));
            if has_key {
                lines.push((half + 10, key, size - 2, false));
            }
        } else if !two_lines && width(&both, size) <= room {
            lines.push((half, both, size, false));
        } else if width(&offset, size - 4) <= room {
            lines.push((half, offset, size - 4, false));
        }
        if matches!(bar.end, End::Failed | End::Gone) {
            // Letters need a ground without strokes.
            for (y, text, size, _) in &lines {
                let w = width(text, *size) + 8;
                let h = *size as i32;
                scene.fill(Area { x: middle - w / 2, y: y - h / 2, w, h }, hue.soft, Role::Ground);
            }
        }
        for (y, text, size, bold) in lines {
            if bold {
                scene.bold((middle, y), Held::Middle, &text, size, colour);
            } else {
                scene.text((middle, y), Held::Middle, &text, size, colour);
            }
        }
    }
}

/// What is said above a bar, and whether it is bad.
fn note(bar: &Bar) -> Option<(String, bool)> {
    if let Some(after) = bar.after {
        return Some((format!("{after} before {}", bar.attempt.offset), true));
    }
    match (bar.late_from, bar.late_write, bar.end) {
        (_, Some(true), _) => Some(("leaked".to_owned(), true)),
        (_, Some(false), _) => Some(("leaked, rejected".to_owned(), true)),
        (Some(_), None, End::Running) => Some(("runs on".to_owned(), true)),
        (_, _, End::Failed) => Some(("failed".to_owned(), false)),
        _ => None,
    }
}

/// The words of the moments, in as many rows as keep them apart; how many rows those are.
fn words(scene: &mut Scene, top: i32, span: Span, story: &Story) -> i32 {
    let mut ends = [LEFT; MOST_ROWS];
    let mut rows = 0;
    for moment in merged(span, story) {
        let long = width(&moment.1, 18);
        let x = (span.x(moment.0.0) + 6).min(RIGHT - long);
        let Some(row) = ends.iter().position(|end| *end <= x) else { continue };
        ends[row] = x + long + 16;
        rows = rows.max(row as i32 + 1);
        let colour = if moment.2 { DANGER } else { TIME };
        let y = top + WORDS / 2 + row as i32 * WORDS;
        scene.bold((x, y), Held::Left, &moment.1, 18, colour);
    }
    rows
}

/// The moments that are shown, those of one tick together.
fn merged(span: Span, story: &Story) -> Vec<(Tick, String, bool)> {
    let mut merged: Vec<(Tick, String, bool)> = Vec::new();
    for moment in story.moments.iter().filter(|moment| span.shows(moment.tick)) {
        match merged.last_mut().filter(|last| last.0 == moment.tick) {
            Some(last) => {
                last.1 = format!("{}, {}", last.1, moment.words);
                last.2 |= moment.bad;
            }
            None => merged.push((moment.tick, moment.words.clone(), moment.bad)),
        }
    }
    merged
}

fn moments(scene: &mut Scene, (top, bottom): (i32, i32), span: Span, story: &Story) {
    for (tick, _, bad) in merged(span, story) {
        scene.dashes(span.x(tick.0), (top, bottom), if bad { DANGER } else { TIME }, 3);
    }
}

fn axis(scene: &mut Scene, y: i32, span: Span) -> i32 {
    scene.fill(Area { x: LEFT, y, w: RIGHT - LEFT, h: 2 }, QUIET, Role::Ground);
    let step = span.step();
    for tick in (span.from.next_multiple_of(step)..=span.to).step_by(step as usize) {
        let x = span.x(tick);
        scene.fill(Area { x: x - 1, y, w: 2, h: 9 }, QUIET, Role::Ground);
        scene.text((x, y + 22), Held::Middle, &tick.to_string(), 18, INK);
    }
    scene.text((LEFT - 16, y + 22), Held::Right, "tick", 18, QUIET);
    y + 36
}

/// Explains the signs that occur; where that ends, in pixels.
pub(super) fn legend(scene: &mut Scene, top: i32, seen: &Seen, log: &Log) -> i32 {
    const SIGN: Area = Area { x: LEFT, y: 0, w: 34, h: 22 };
    let hue = hue_of(seen.keys.iter().next().copied().flatten());
    type Sign<'a> = (bool, &'a str, fn(&mut Scene, Area, super::scene::Hue));
    let signs: [Sign<'_>; 7] = [
        (true, "a bar is one attempt: its record’s offset, and its key", |scene, area, hue| {
            scene.fill(area, hue.fill, Role::Ground);
        }),
        (seen.running, "still running at this tick", |scene, area, hue| {
            scene.fill(area, hue.soft, Role::Ground);
            scene.frame(area, hue.text, 2);
        }),
        (seen.failed, "failed", |scene, area, hue| {
            scene.fill(area, hue.soft, Role::Ground);
            scene.hatch(area, hue.text);
            scene.frame(area, hue.text, 2);
        }),
        (seen.gone, "gone with its process", |scene, area, hue| {
            scene.fill(area, hue.soft, Role::Ground);
            scene.frame(area, hue.text, 2);
            scene.stroke((area.x, area.y), (area.x + area.w, area.y + area.h), DANGER, 3);
            scene.stroke((area.x, area.y + area.h), (area.x + area.w, area.y), DANGER, 3);
        }),
        (seen.broken, "order break: “7 before 5” finished 5 after 7, of one key", |scene, area, hue| {
            scene.fill(area, hue.fill, Role::Ground);
            scene.frame(area, PAPER, 5);
            scene.frame(area, DANGER, 4);
        }),
        (seen.window, "drain: the revoked owner may finish what runs", |scene, area, _| {
            scene.fill(area, TIME_SOFT, Role::Ground);
            scene.frame(area, TIME, 2);
        }),
        (seen.late, "past the end of its ownership: its write leaks", |scene, area, _| {
            scene.fill(area, DANGER, Role::Ground);
        }),
    ];
    let mut flow = Flow { x: LEFT, y: top };
    for (_, words, sign) in signs.iter().filter(|(seen, ..)| *seen) {
        let (x, y) = flow.next(SIGN.w + 10 + width(words, 18));
        sign(scene, Area { x, y, ..SIGN }, hue);
        scene.text((x + SIGN.w + 10, y + 11), Held::Left, words, 18, INK);
    }
    flow.line();
    for key in seen.keys.iter().take(MOST_KEYS) {
        let name = match key.and_then(|id| log.key(id)) {
            Some(key) => key_name(key),
            None => "no key".to_owned(),
        };
        let (x, y) = flow.next(SIGN.h + 8 + width(&name, 18));
        scene.fill(Area { x, y, w: SIGN.h, h: SIGN.h }, hue_of(*key).fill, Role::Ground);
        scene.text((x + SIGN.h + 8, y + 11), Held::Left, &name, 18, INK);
    }
    if let Some(more) = seen.keys.len().checked_sub(MOST_KEYS).filter(|more| *more > 0) {
        let words = format!("and {more} more keys");
        let (x, y) = flow.next(width(&words, 18));
        scene.text((x, y + 11), Held::Left, &words, 18, QUIET);
    }
    flow.y + 34
}

/// Things of different widths, as many a line as fit.
struct Flow {
    x: i32,
    y: i32,
}

impl Flow {
    /// Where the next one begins, which is so wide.
    fn next(&mut self, wide: i32) -> (i32, i32) {
        if self.x > LEFT && self.x + wide > RIGHT {
            self.line();
        }
        let at = (self.x, self.y);
        self.x += wide + 36;
        at
    }

    /// A new line, unless this one is empty.
    fn line(&mut self) {
        if self.x > LEFT {
            (self.x, self.y) = (LEFT, self.y + 34);
        }
    }
}

/// The rule between the two charts of a comparison.
pub(super) fn rule(scene: &mut Scene, y: i32) {
    scene.fill(Area { x: 40, y, w: RIGHT - 40, h: 2 }, HAIR, Role::Ground);
}

/// A heading, and what it came to.
pub(super) fn heading(scene: &mut Scene, y: i32, name: &str, result: &str, bad: bool) {
    const SIZE: u32 = 26;
    scene.bold((LEFT, y), Held::Left, name, SIZE, ACCENT);
    let colour: Rgb = if bad { DANGER } else { QUIET };
    scene.text((LEFT + width(name, SIZE) + 24, y), Held::Left, result, 20, colour);
}
