//! Backpressure: three modes of intake at the same rates.

use yew::prelude::*;

use super::scene::{Counter, Effect, Scene, Stage};
use crate::{player::Player, presets::backpressure::Backpressure, world::ConfigError};

pub(crate) struct BackpressureScene {
    preset: Backpressure,
}

pub(crate) enum Msg {}

impl Scene for BackpressureScene {
    type Msg = Msg;
    const NAME: &'static str = "backpressure";
    const LABEL: &'static str = "Simulation: backpressure";
    const TRY: &'static str = "press play, then choose another mode.";
    const BADGES: &'static [&'static str] = &["every polled record is in exactly one state"];

    fn opening() -> Self {
        BackpressureScene { preset: Backpressure::default() }
    }

    fn players(&self) -> Result<Vec<Player>, ConfigError> {
        Ok(vec![self.preset.player(crate::presets::backpressure::MODES[0])?])
    }

    fn update(&mut self, msg: Msg, _stage: &Stage<'_, Msg>) -> Effect {
        match msg {}
    }

    fn knobs(&self, _stage: &Stage<'_, Msg>) -> Html {
        html! {}
    }

    fn drawing(&self, _stage: &Stage<'_, Msg>) -> Html {
        html! {}
    }

    fn counters(&self, stage: &Stage<'_, Msg>) -> Vec<Counter> {
        vec![Counter::plain("completed", "records finished", stage.ledger(0).counters().completed)]
    }
}
