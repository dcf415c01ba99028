//! What is read out while a panel plays: how its numbers stand, when they have changed, and no more than one such
//! sentence a second on the whole page. Its sentences come too fast to be read out; while stepping, they are.

use std::cell::Cell;

use yew::prelude::*;

use crate::{ids::Tick, web::scene::Counter};

/// From one to the next, whichever panels they are of.
const EVERY_MS: f64 = 1_000.0;

thread_local! {
    /// When the last one was told.
    static LAST_MS: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// The last that was told.
#[derive(Default)]
pub(super) struct Spoken {
    text: String,
    values: Vec<u64>,
}

impl Spoken {
    /// Ticks were played: tells of the counters that have changed since it last did, if it is time.
    pub(super) fn note(&mut self, time_ms: f64, tick: Tick, counters: impl FnOnce() -> Vec<Counter>) {
        if time_ms - LAST_MS.get() < EVERY_MS {
            return;
        }
        let counters = counters();
        let before =
            std::mem::replace(&mut self.values, counters.iter().map(|counter| counter.value).collect());
        let changed =
            counters.iter().enumerate().filter(|&(at, counter)| before.get(at) != Some(&counter.value));
        let told: Vec<_> = changed
            .map(|(_, counter)| format!("{} {} {}", counter.label, counter.value, counter.unit))
            .collect();
        if !told.is_empty() {
            LAST_MS.set(time_ms);
            self.text = format!("Tick {tick}: {}.", told.join(", "));
        }
    }

    /// The sentence, for ears only; nothing while the panel does not play.
    pub(super) fn view(&self, playing: bool) -> Html {
        html! { <p class="visually-hidden" role="status">{if playing { self.text.as_str() } else { "" }}</p> }
    }
}
