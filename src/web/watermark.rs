//! The commit watermark: a grid of records to tap.

use yew::prelude::*;

use super::scene::{Counter, Effect, Scene, Stage};
use crate::{player::Player, presets::watermark::WatermarkPreset, world::ConfigError};

pub(crate) struct WatermarkScene {
    preset: WatermarkPreset,
}

pub(crate) enum Msg {}

impl Scene for WatermarkScene {
    type Msg = Msg;
    const NAME: &'static str = "watermark";
    const LABEL: &'static str = "Simulation: watermark";
    const TRY: &'static str = "tap a few cells out of order, then press crash.";
    const BADGES: &'static [&'static str] = &["every polled record is in exactly one state"];

    fn opening() -> Self {
        WatermarkScene { preset: WatermarkPreset::default() }
    }

    fn players(&self) -> Result<Vec<Player>, ConfigError> {
        Ok(vec![self.preset.player()?])
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
