//! What bounds the runs: marks, heap, interval; and how high and how long the drawings are.

use yew::prelude::*;

use super::Msg;
use crate::{
    ids::Tick,
    presets::{
        Start,
        backpressure::{CEILING, MOST_FETCH},
    },
    web::scene::Stage,
    world::config::Intake,
};

/// The bounds that the three runs share.
pub(super) struct Limits {
    /// The marks of the run that pauses.
    pub(super) marks: Option<(u64, u64)>,
    /// Records that the heap holds.
    pub(super) ceiling: Option<u64>,
    /// Ticks without a poll after which the owner is evicted.
    pub(super) interval: Option<u64>,
    /// The highest depth that is drawn.
    pub(super) top: u64,
    /// The last tick that is drawn.
    pub(super) last: Tick,
}

/// A line across the tank and the chart, with its name.
pub(super) struct Level {
    /// What it is called, and its part.
    pub(super) name: &'static str,
    /// How many records it stands for.
    pub(super) value: u64,
    /// How far its name is from its line, as a share of the drawing's height.
    pub(super) lift: f64,
}

/// The height of a name, as a share of the drawing's.
const LABEL: f64 = 0.055;

impl Limits {
    pub(super) fn of(stage: &Stage<'_, Msg>) -> Limits {
        let knobs = stage.players.first().map(|player| player.setup().knobs().clone()).unwrap_or_default();
        let marks = match knobs.intake {
            Intake::Pause { high, low } => Some((high, low)),
            Intake::Unbounded | Intake::Block => None,
        };
        let top = match stage.start {
            // A poll may find the heap full to the ceiling and bring this much.
            Start::Backpressure(_) => CEILING + MOST_FETCH,
            _ => {
                let peaks =
                    stage.players.iter().map(|player| player.run().ledger().counters().peak_in_flight);
                let highest = peaks.chain(knobs.heap_ceiling).chain(marks.map(|(high, _)| high)).max();
                let highest = highest.unwrap_or(0);
                // The names at the pipe need room above.
                highest.saturating_add(highest / 4 + 4)
            }
        };
        let last = stage.players.iter().map(|player| player.last()).max().unwrap_or_default();
        Limits { marks, ceiling: knobs.heap_ceiling, interval: knobs.max_poll_interval, top, last }
    }

    /// The lines across the tank and the chart.
    pub(super) fn levels(&self) -> Vec<Level> {
        let (high, low) = self.marks.unzip();
        let all = [("ceiling", self.ceiling), ("high", high), ("low", low)];
        let shown = all.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let level = |(name, value): (&'static str, u64)| Level { name, value, lift: 0.0 };
        let mut levels: Vec<Level> = shown.filter(|level| level.1 <= self.top).map(level).collect();
        levels.sort_by_key(|level| std::cmp::Reverse(level.value));
        self.part(&mut levels);
        levels
    }

    /// Moves names apart that would lie on each other: downwards, but not below the ground.
    fn part(&self, levels: &mut [Level]) {
        let at = |level: &Level| level.value as f64 / self.top.max(1) as f64;
        let mut roof = f64::INFINITY;
        for level in levels.iter_mut() {
            level.lift = (roof - at(level)).min(0.0);
            roof = at(level) + level.lift - LABEL;
        }
        let mut floor = 0.0_f64;
        for level in levels.iter_mut().rev() {
            level.lift = level.lift.max(floor - at(level));
            floor = at(level) + level.lift + LABEL;
        }
    }

    /// What is fixed in these runs.
    pub(super) fn note(&self, stage: &Stage<'_, Msg>) -> Html {
        let keys = match stage.start {
            Start::Brought(..) => "",
            _ => " The records have no key: they are grey, and none waits for another.",
        };
        let marks = self.marks.map(|(high, low)| format!("High mark {high}, low mark {low}"));
        let heap = self
            .ceiling
            .map(|ceiling| format!("{} {ceiling} records", if marks.is_some() { "heap" } else { "Heap" }));
        let interval = self
            .interval
            .map(|ticks| html! { <><code>{"max.poll.interval"}</code>{format!(" {ticks} ticks")}</> });
        let bounds = [marks.map(Html::from), heap.map(Html::from), interval].into_iter().flatten();
        let bounds = (0..)
            .zip(bounds)
            .map(|(place, bound)| html! { <>{if place == 0 { " " } else { ", " }}{bound}</> });
        let bounds: Vec<Html> = bounds.collect();
        let end = if bounds.is_empty() { "" } else { "." };
        html! {
            <p class="drawing-label depth-note">{format!("One poll a tick.{keys}")}{for bounds}{end}</p>
        }
    }
}
