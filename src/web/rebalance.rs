//! Rebalance: A is revoked, B takes over, and the store sees both.

use yew::prelude::*;

use super::scene::{Counter, Effect, Scene, Stage};
use crate::{player::Player, presets::rebalance::Rebalance, world::ConfigError};

pub(crate) struct RebalanceScene {
    preset: Rebalance,
}

pub(crate) enum Msg {}

impl Scene for RebalanceScene {
    type Msg = Msg;
    const NAME: &'static str = "rebalance";
    const LABEL: &'static str = "Simulation: rebalance";
    const TRY: &'static str = "press play, then drag the drain window down to 2 ticks.";
    const BADGES: &'static [&'static str] = &["every polled record is in exactly one state"];

    fn opening() -> Self {
        RebalanceScene { preset: Rebalance::default() }
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
