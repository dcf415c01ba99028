//! The drawing of one run: its log, its mailboxes, its workers, its lanes, and the chips that travel between.
//!
//! Elements say what they are and in which row and place they stand (`--r`, `--i`, `--n`); where that is on
//! the screen is for `www/dispatch.css`, which lays the same markup out across or down as the width has it.

use yew::prelude::*;

use super::picture::{Arc, Lane, Picture, Piece, Place, Side, Slot, Tray};
use crate::{
    ids::KeyId,
    web::{
        chip::{Look, face, full_name, hue, letter},
        widgets,
    },
    world::{Attempt, Log, Work, config::Intake},
};

/// What the two drawings have in common, so that they stand line by line beside each other.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// Rows of the taller one.
    pub(super) rows: usize,
    /// Columns of the wider one, where rows become columns.
    pub(super) columns: usize,
    /// Whether ticks are being played.
    pub(super) playing: bool,
}

/// One run under its name.
pub(super) fn pool(picture: &Picture<'_>, title: &'static str, run: &'static str, frame: Frame) -> Html {
    let breaks = counted(picture.order_breaks, "order break", "order breaks");
    let layout = if picture.has_one_queue() { "queue" } else { "boxes" };
    let style = format!(
        "--rows:{};--cols:{};--boxes:{};--lanes:{}{}",
        frame.rows,
        frame.columns,
        picture.trays.len(),
        picture.lanes.len(),
        if has_long_names(picture) { ";--long:1" } else { "" }
    );
    html! {
        <section class="pool" data-run={run} aria-label={format!("{title}, drawn")}>
            <header class="pool-head">
                <h3 class="pool-title">{title}</h3>
                <span class="pool-breaks" data-part="order-break" data-bad={(picture.order_breaks > 0).then_some("")}>{breaks}</span>
            </header>
            // Beside the drawing: not every browser takes the inside of an image for a part of it.
            <span class="visually-hidden" role="img" aria-label={summary(picture, title)} />
            <div class="pool-stage" aria-hidden="true" data-boxes={layout} {style}>
                {labels(picture)}
                {parts(picture, frame.playing)}
                {widgets::list(picture.arcs().iter().map(arc))}
                {widgets::list(picture.pieces.iter().map(|piece| chip(picture, piece)))}
                {widgets::list(ghosts(picture))}
            </div>
        </section>
    }
}

fn counted(number: u64, one: &str, many: &str) -> String {
    match number {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}

/// Whether the names of the lanes need more room than a letter does.
fn has_long_names(picture: &Picture<'_>) -> bool {
    let keys = (0..picture.log.key_count() as u32).map(KeyId);
    picture.keyless_row.is_some()
        || keys.into_iter().any(|key| letter(picture.log, Some(key)).chars().count() > 2)
}

/// The drawing in one sentence.
fn summary(picture: &Picture<'_>, title: &str) -> String {
    let records = picture.log.len();
    format!(
        "{title} at tick {}: {} of {records} {} done{}, {} running, {} waiting, {}.",
        picture.tick,
        picture.done,
        if records == 1 { "record" } else { "records" },
        match picture.dead {
            0 => String::new(),
            dead => format!(", {}", counted(dead, "dead letter", "dead letters")),
        },
        picture.running(),
        picture.waiting(),
        counted(picture.order_breaks, "order break", "order breaks"),
    )
}

/// The names of the four parts.
fn labels(picture: &Picture<'_>) -> Html {
    let boxes = if picture.has_one_queue() { "queue" } else { "mailboxes" };
    let intake = match picture.knobs.intake {
        _ if picture.next_index() >= picture.log.len() => "all polled".to_owned(),
        Intake::Pause { low, .. } if picture.paused => format!("paused until {low} in flight"),
        _ => "next to be polled".to_owned(),
    };
    let label = |at: &'static str, text: &str| html! { <span class="pool-label" data-at={at}>{text.to_owned()}</span> };
    html! {
        <>
            {label("log", "log")}
            {label("next", &intake)}
            {label("mailbox", boxes)}
            {label("worker", "workers")}
            {label("lane", if picture.dead == 0 { "done, in this order" } else { "done or dead-lettered, in this order" })}
        </>
    }
}

/// All that records move through.
fn parts(picture: &Picture<'_>, playing: bool) -> Html {
    html! {
        <>
            <span class="pool-log" data-part="log" data-paused={picture.paused.then_some("")} />
            {widgets::list(picture.trays.iter().map(|tray| mailbox(picture.log, tray)))}
            {widgets::list((0..).zip(&picture.slots).map(|(row, slot)| worker(row, slot, &progress(picture, slot, playing))))}
            {widgets::list((0..).zip(&picture.lanes).map(|(row, lane)| completions(picture, row, lane)))}
        </>
    }
}

fn mailbox(log: &Log, tray: &Tray) -> Html {
    html! {
        <span class="pool-mailbox" data-part="mailbox" data-busy={tray.busy.then_some("")} key={format!("m{}", tray.row)}
            style={format!("--r:{}", tray.row)}>
            <span class="pool-keys" title={names(log, tray)}>{keys(log, tray)}</span>
            if tray.more > 0 { <span class="pool-more">{format!("+{}", tray.more)}</span> }
        </span>
    }
}

/// Whose mailbox it is: the letters of as many keys as have room.
fn keys(log: &Log, tray: &Tray) -> Html {
    const ROOM: usize = 3;
    if tray.keyless {
        // In one line: how many more there are stands below.
        return html! { <b class="pool-keyless" title="no key">{"none"}</b> };
    }
    let widths = tray.keys.iter().map(|&key| letter(log, Some(key)).chars().count());
    let all: usize = widths.clone().sum();
    // The sign for those left out takes a place too.
    let room = if all > ROOM { ROOM - 1 } else { ROOM };
    let ends = widths.scan(0, |end, width| {
        *end += width;
        Some(*end)
    });
    let shown = ends.take_while(|&end| end <= room).count().max(1).min(tray.keys.len());
    html! {
        <>
            {for tray.keys.iter().take(shown).map(|&key| key_letter(log, key))}
            if shown < tray.keys.len() { <b>{"…"}</b> }
        </>
    }
}

/// The names of a mailbox's keys in full, where that says more.
fn names(log: &Log, tray: &Tray) -> Option<String> {
    let names: Vec<String> = tray.keys.iter().map(|&key| full_name(log, Some(key))).collect();
    let is_plain = names.len() < 2 && names.iter().all(|name| name.chars().count() == 1);
    (!is_plain).then(|| names.join(", "))
}

fn no_key() -> Html {
    html! { <b class="pool-keyless">{"no key"}</b> }
}

fn key_letter(log: &Log, key: KeyId) -> Html {
    let style = format!("color:var(--key-{}-text)", hue(Some(key)));
    html! { <b {style}>{letter(log, Some(key))}</b> }
}

fn worker(row: u32, slot: &Slot, progress: &str) -> Html {
    // Each attempt has a ring of its own, so that none turns back to where the next one starts.
    let key = slot.attempt.map_or_else(|| format!("w{row}"), |attempt| format!("w{row}-{}", attempt.offset));
    html! {
        <span class="ring pool-worker" data-part="worker" data-bad={slot.overlap.then_some("")} {key}
            style={format!("--r:{row};--progress:{progress}")}>
            <span class="pool-number">{row + 1}</span>
        </span>
    }
}

/// How far an attempt is; while ticks are played, how far it will be when this one is over.
fn progress(picture: &Picture<'_>, slot: &Slot, playing: bool) -> String {
    let Some(Attempt { started, ends: Some(ends), .. }) = slot.attempt else { return "0".to_owned() };
    let elapsed = picture.tick.since(started) + u64::from(playing);
    widgets::share(elapsed, ends.since(started))
}

fn completions(picture: &Picture<'_>, row: u32, lane: &Lane) -> Html {
    let (log, left_out) = (picture.log, lane.left_out());
    let keyless = picture.keyless_row == Some(row);
    let name = (!keyless).then(|| full_name(log, Some(KeyId(row)))).filter(|name| name.chars().count() > 1);
    html! {
        <span class="pool-lane" data-part="lane" key={format!("l{row}")} style={format!("--r:{row}")}>
            <span class="pool-keys" title={name}>{if keyless { no_key() } else { key_letter(log, KeyId(row)) }}</span>
            if left_out > 0 { <span class="pool-more">{format!("+{left_out}")}</span> }
        </span>
    }
}

/// Drawn where it happened: from the later record to the one that came after it.
fn arc(arc: &Arc) -> Html {
    let Arc { row, from, to, of, later, earlier, words } = arc;
    let text = format!("{later} before {earlier}");
    html! {
        <span class="pool-arc" data-part="order-break" title={text.clone()} key={earlier.0}
            style={format!("--r:{row};--i:{from};--j:{to};--n:{of}")}>
            if let Some(side) = words {
                <span class="pool-arc-words" data-left={(*side == Side::Left).then_some("")}>{text}</span>
            }
        </span>
    }
}

fn chip(picture: &Picture<'_>, piece: &Piece) -> Html {
    let (at, row, nth, of) = match piece.place {
        Place::Log(ahead) => ("log", 0, ahead, 1),
        Place::Mailbox { row, depth } => ("mailbox", row, depth.min(picture.box_places()), 1),
        Place::Worker(worker) => ("worker", worker, 0, 1),
        Place::Lane { row, at, of } => ("lane", row, at, of),
        Place::Aside => ("aside", 0, 0, 1),
    };
    let state = match piece.place {
        Place::Log(_) => "logged",
        Place::Mailbox { .. } => Look::Queued.word(),
        Place::Worker(_) => Look::Running.word(),
        Place::Lane { .. } if piece.dead => Look::Quarantined.word(),
        Place::Lane { .. } => Look::Done.word(),
        Place::Aside => Look::Failed.word(),
    };
    html! {
        <span class="chip" key={piece.offset.0} data-offset={piece.offset.to_string()} data-key={hue(piece.key)} data-at={at}
            data-state={state} data-hidden={piece.hidden.then_some("")} data-behind={(nth > 0).then_some("")} data-broken={piece.after.map(|_| "")}
            title={title(picture.log, piece)} style={format!("--r:{row};--i:{nth};--n:{of}")}>
            {face(picture.log, piece.offset, piece.key)}
        </span>
    }
}

fn title(log: &Log, piece: &Piece) -> String {
    let key = match piece.key {
        Some(_) => format!("key {}", full_name(log, piece.key)),
        None => "no key".to_owned(),
    };
    match piece.work {
        Work::Ticks(ticks) => {
            format!("offset {}, {key}, {} of work", piece.offset, widgets::counted(ticks, "tick", "ticks"))
        }
        Work::UntilTapped | Work::Never => format!("offset {}, {key}", piece.offset),
    }
}

/// Records that were polled are still in the log: dimmed, behind the next one.
fn ghosts<'a>(picture: &'a Picture<'_>) -> impl Iterator<Item = Html> + 'a {
    const SHOWN: u64 = 8;
    let next = picture.next_index();
    let first = next.saturating_sub(SHOWN);
    (first..next).zip(picture.pieces.iter().skip(first as usize)).map(move |(index, piece)| {
        let behind = index as i64 - next as i64;
        let gone = (behind < -3).then_some("");
        html! {
            <span class="chip" key={format!("g{}", piece.offset)} data-key={hue(piece.key)} data-at="log" data-state="logged"
                data-ghost="" data-hidden={gone} style={format!("--i:{behind}")}>
                {face(picture.log, piece.offset, piece.key)}
            </span>
        }
    })
}
