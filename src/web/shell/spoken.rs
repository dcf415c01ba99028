//! What is read out: while one steps, every tick's sentence; while a panel plays, what went wrong or else what just
//! happened, and so seldom that it can be said to its end. A text for ears alone, so that it is never there in two states.

use std::cell::Cell;

use yew::prelude::*;

use crate::ids::Tick;

/// From one sentence of a panel that plays to the next, whichever panels they are of: so long it takes to say one.
const EVERY_MS: f64 = 5_000.0;

thread_local! {
    /// When the last one was told.
    static LAST_MS: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// What a panel says.
#[derive(Default)]
pub(super) struct Spoken {
    /// Whether the reader has done something with the panel: nobody is told of one that has only come near.
    is_asked: bool,
    /// What is told while it plays.
    text: String,
    /// What went wrong since then.
    wrong: Option<String>,
}

impl Spoken {
    /// A tick was played, and this is what it comes to, and whether that is bad.
    pub(super) fn note(&mut self, time_ms: f64, tick: Tick, sentence: Option<(String, bool)>) {
        let Some((sentence, is_bad)) = sentence else { return };
        let told = told(tick, &sentence);
        if is_bad {
            self.wrong = Some(told.clone());
        }
        if time_ms - LAST_MS.get() >= EVERY_MS {
            LAST_MS.set(time_ms);
            self.text = self.wrong.take().unwrap_or(told);
        }
    }

    /// A control was used: what was told of other moments is over.
    pub(super) fn forget(&mut self) {
        *self = Spoken { is_asked: true, ..Spoken::default() };
    }

    /// The text; of a panel that stands, what this tick comes to.
    pub(super) fn view(&self, playing: bool, tick: Tick, sentence: &str) -> Html {
        let text = match (self.is_asked, playing) {
            (false, _) => String::new(),
            (true, true) => self.text.clone(),
            (true, false) => told(tick, sentence),
        };
        html! { <p class="visually-hidden" role="status">{text}</p> }
    }
}

fn told(tick: Tick, sentence: &str) -> String {
    format!("Tick {tick}: {sentence}")
}
