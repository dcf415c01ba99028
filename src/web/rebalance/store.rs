//! What the store saw: a card per fund's row, and the log of all writes.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::{Msg, bars::Story};
use crate::{
    ids::{KeyId, Offset, Tick},
    ledger::Event,
    web::{
        chip::{full_name, hue, short},
        scene::Stage,
        widgets::list,
    },
    world::{Attempt, Fact, Log},
};

/// A write, as the ledger has it.
struct Write<'a> {
    tick: Tick,
    attempt: &'a Attempt,
    key: KeyId,
    held: Option<Offset>,
    accepted: bool,
    late: bool,
}

impl<'a> Write<'a> {
    fn of(event: &'a Event) -> Option<Write<'a>> {
        let Fact::Wrote { attempt, key, held, accepted, late } = &event.fact else { return None };
        Some(Write { tick: event.tick, attempt, key: *key, held: *held, accepted: *accepted, late: *late })
    }

    /// The newer version that it replaced.
    fn overwrote(&self) -> Option<Offset> {
        self.held.filter(|&held| self.accepted && held > self.attempt.offset)
    }

    /// What became of it: in a word for the markup, in a word for the reader, and what a wide page adds.
    fn result(&self) -> (&'static str, String, String) {
        let held = self.held.unwrap_or_default();
        let same = self.held == Some(self.attempt.offset);
        match (self.accepted, self.overwrote()) {
            (false, _) => ("rejected", "rejected".to_owned(), format!(": row holds {held}")),
            (true, Some(newer)) => ("overwrote", format!("overwrote {newer}"), ", a newer one".to_owned()),
            (true, None) if same => ("accepted", "accepted".to_owned(), ", same version".to_owned()),
            (true, None) => ("accepted", "accepted".to_owned(), String::new()),
        }
    }
}

/// Cards and entries of the write log at most: a scenario may have any number.
const MOST_CARDS: usize = 24;
const MOST_WRITES: usize = 200;

/// Characters of a version that have room in the log's column.
const VERSION_DIGITS: usize = 6;

/// A fund's full name.
fn fund(log: &Log, key: KeyId) -> String {
    full_name(log, Some(key))
}

/// A card per row that the log can write.
pub(super) fn cards(stage: &Stage<'_, Msg>, story: &Story) -> Html {
    let log = stage.world(0).log();
    let mut keys: Vec<_> = (0..log.key_count()).filter_map(|id| u32::try_from(id).ok()).map(KeyId).collect();
    keys.sort_by_key(|&key| fund(log, key));
    // Of many rows, those that were written last.
    if keys.len() > MOST_CARDS {
        let mut last: Vec<(usize, KeyId)> =
            story.accepted.iter().map(|(&key, &place)| (place, key)).collect();
        last.sort_unstable_by(|one, other| other.cmp(one));
        let written: BTreeSet<KeyId> = last.into_iter().map(|(_, key)| key).take(MOST_CARDS).collect();
        keys.retain(|key| written.contains(key));
    }
    html! {
        <ul class="nav-rows" aria-label="Fund rows" key="rows">{for keys.into_iter().map(|key| card(stage, story, key))}</ul>
    }
}

fn card(stage: &Stage<'_, Msg>, story: &Story, key: KeyId) -> Html {
    let log = stage.world(0).log();
    let row = stage.world(0).store().row(key);
    let went_back = row.filter(|row| row.version < row.highest);
    let events = stage.ledger(0).events();
    let last = story.accepted.get(&key).and_then(|&place| Write::of(events.get(place)?));
    html! {
        <li class="nav-row keyed" key={key.0} data-part="row" data-row={fund(log, key)} data-key={hue(Some(key))}
            data-version={row.map(|row| row.version.to_string())} data-highest={row.map(|row| row.highest.to_string())}
            data-bad={went_back.map(|_| "")}>
            <span class="nav-fund" title={fund(log, key)}>{fund(log, key)}</span>
            <b class="nav-version" title={row.map(|row| row.version.to_string())}>{row.map_or_else(|| "–".to_owned(), |row| short(row.version, VERSION_DIGITS))}</b>
            <small class="nav-by">{last.map_or_else(|| "no row yet".to_owned(), |write| {
                format!("by {}, tick {}", write.attempt.consumer, write.tick)
            })}</small>
            if let Some(row) = went_back { <small class="nav-was">{"was "}<s title={row.highest.to_string()}>{short(row.highest, VERSION_DIGITS)}</s></small> }
        </li>
    }
}

/// Every write so far, the first on top; of very many the last ones.
pub(super) fn write_log(stage: &Stage<'_, Msg>, story: &Story) -> Html {
    let log = stage.world(0).log();
    let now = stage.tick();
    let events = stage.ledger(0).events();
    let shown = story.writes.iter().skip(story.writes.len().saturating_sub(MOST_WRITES));
    let writes = shown.filter_map(|&place| Write::of(events.get(place)?));
    let nothing = story.writes.is_empty();
    html! {
        <div class="write-log" data-part="write-log" tabindex="0" role="region" aria-label="Write log" key="write-log">
            <table class="table">
                <thead><tr>
                    <th scope="col">{"tick"}</th><th scope="col">{"by"}</th>
                    <th scope="col">{"fund"}</th><th scope="col">{"version"}</th><th scope="col">{"the write was"}</th>
                </tr></thead>
                <tbody>
                    {list(writes.map(|write| row(&write, log, now)))}
                    if nothing { <tr key="nothing"><td colspan="5" class="write-none">{"Nothing was written yet."}</td></tr> }
                </tbody>
            </table>
        </div>
    }
}

fn row(write: &Write<'_>, log: &Log, now: Tick) -> Html {
    let attempt = write.attempt;
    let (word, text, more) = write.result();
    let bad = write.late || write.overwrote().is_some();
    html! {
        <tr key={format!("{}-{}", attempt.epoch, attempt.offset)} data-write={attempt.offset.to_string()} data-result={word}
            data-leaked={write.late.then_some("")} data-bad={bad.then_some("")} data-now={(write.tick == now).then_some("")}
            data-part={write.late.then_some("leaked")}>
            <td>{write.tick.0}</td>
            <td>{attempt.consumer.to_string()}</td>
            <td class="write-fund" title={fund(log, write.key)}>{fund(log, write.key)}</td>
            <td><span class="version keyed" data-key={hue(Some(write.key))} title={attempt.offset.to_string()}>{short(attempt.offset, VERSION_DIGITS)}</span></td>
            <td>if write.late { <strong class="write-leaked">{"leaked"}</strong>{" "} }{text}<span class="write-more">{more}</span></td>
        </tr>
    }
}
