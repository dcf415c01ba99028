//! What of a run's past is drawn besides its line: read off the events as they come, because a run may be long.

use super::Msg;
use crate::{ids::Offset, player::Inputs, presets::Start, web::scene::Stage, world::Fact};

/// Evictions and their consequences, up to now.
#[derive(Default)]
pub(super) struct Past {
    /// Of which run, by its place; and how many of its events were read.
    of: Option<(usize, Start, Inputs)>,
    told: usize,
    /// When the owner was evicted.
    pub(super) evictions: Vec<u64>,
    /// Where owners that are gone had got to: what lies below comes again.
    pub(super) reached: Offset,
}

impl Past {
    /// Up to now: from where it was if this is the same run, no earlier.
    pub(super) fn go_on(&mut self, stage: &Stage<'_, Msg>, run: usize) {
        let (player, events) = (&stage.players[run], stage.ledger(run).events());
        let is_of = |(place, start, acts): &(usize, Start, Inputs)| {
            (*place, start, acts) == (run, stage.start, player.acts())
        };
        if !self.of.as_ref().is_some_and(is_of) || self.told > events.len() {
            let of = Some((run, stage.start.clone(), player.acts().clone()));
            *self = Past { of, ..Past::default() };
        }
        for event in &events[self.told..] {
            match event.fact {
                Fact::Evicted { .. } => self.evictions.push(event.tick.0),
                Fact::OwnerEnded { position, .. } => self.reached = self.reached.max(position),
                _ => {}
            }
        }
        self.told = events.len();
    }
}
