//! Dispatch: the shared pool and, beside it, another routing of the same log.

use std::sync::Arc;

use yew::prelude::*;

use super::{
    scene::{Counter, Effect, Scene, Stage},
    widgets::{Slider, segmented},
};
use crate::{
    player::Player,
    presets::dispatch::Dispatch,
    world::{ConfigError, Knob, config::Routing},
};

pub(crate) struct DispatchScene {
    preset: Dispatch,
}

pub(crate) enum Msg {
    Routing(Routing),
    Workers(u32),
    Keys(u32),
    Skew(u32),
}

impl Scene for DispatchScene {
    type Msg = Msg;
    const NAME: &'static str = "dispatch";
    const LABEL: &'static str = "Simulation: dispatch";
    const TRY: &'static str = "press play and watch the two pools work on the same log.";
    const BADGES: &'static [&'static str] =
        &["one key, one worker", "a key's records complete in offset order"];
    const ENDS_WHEN_SETTLED: bool = true;

    fn opening() -> Self {
        DispatchScene { preset: Dispatch::default() }
    }

    fn players(&self) -> Result<Vec<Player>, ConfigError> {
        let log = self.preset.log()?;
        let through = |routing| self.preset.player(Arc::clone(&log), routing);
        Ok(vec![through(Routing::Shared)?, through(self.preset.routing)?])
    }

    fn main(&self) -> usize {
        1
    }

    fn judged(&self) -> Vec<(usize, &'static str)> {
        vec![(0, "Shared pool"), (1, "Mailboxes")]
    }

    fn seed(&self) -> Option<u64> {
        Some(self.preset.seed)
    }

    fn set_seed(&mut self, seed: u64) {
        self.preset.seed = seed;
    }

    fn turns(&self, player: usize, knob: Knob) -> bool {
        player == 1 || !matches!(knob, Knob::Routing(_))
    }

    fn update(&mut self, msg: Msg, _stage: &Stage<'_, Msg>) -> Effect {
        match msg {
            Msg::Routing(routing) => {
                self.preset.routing = routing;
                Effect::Turn(vec![Knob::Routing(routing)])
            }
            Msg::Workers(workers) => {
                self.preset.workers = workers;
                Effect::Turn(vec![Knob::Workers(workers)])
            }
            Msg::Keys(keys) => {
                self.preset.keys = keys;
                Effect::Restart
            }
            Msg::Skew(skew) => {
                self.preset.skew = skew;
                Effect::Restart
            }
        }
    }

    fn knobs(&self, stage: &Stage<'_, Msg>) -> Html {
        let routings = [
            (Routing::Keyed, "keyed", "keyed"),
            (Routing::Serial, "serial", "serial"),
            (Routing::Lanes(4), "lanes", "4 lanes"),
            (Routing::Shared, "shared", "shared"),
        ];
        let workers = Slider {
            knob: "workers",
            name: "Workers",
            unit: "threads",
            note: "each runs one record at a time".into(),
            range: (1, 8),
            value: self.preset.workers,
            part: "worker",
        };
        html! {
            <>
                {segmented("routing", "Beside the shared pool", &routings, self.preset.routing, &stage.on(Msg::Routing))}
                {workers.view(stage.on(Msg::Workers))}
            </>
        }
    }

    fn drawing(&self, _stage: &Stage<'_, Msg>) -> Html {
        html! {}
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        let counters = stage.ledger(0).counters();
        vec![Counter::wrong("shared-order-breaks", "order breaks, shared", counters.order_breaks)]
    }
}
