//! A run that shows something, as short as there is one.

use crate::{
    export::scenario::{Story, Unwritable, write},
    ids::Tick,
    ledger::Keep,
    player::Inputs,
    run::Run,
    world::Setup,
};

/// A run that shows something in its last tick.
#[derive(Clone, Debug)]
pub struct Example {
    /// What it starts from.
    pub setup: Setup,
    /// Everything that is done to it.
    pub inputs: Inputs,
    /// The tick in which it shows.
    pub last: Tick,
}

impl Example {
    /// The run after its last tick.
    #[must_use]
    pub fn play(&self, keep: Keep) -> Run {
        let mut run = Run::new(&self.setup, keep);
        while run.now() <= self.last {
            let inputs = self.inputs.get(&run.now());
            run.step(inputs.map_or(&[], Vec::as_slice));
        }
        run
    }

    /// The run as a scenario file.
    ///
    /// # Errors
    /// As [`write()`]; a search whose records are in the log from the start finds none that cannot be written.
    pub fn scenario(&self, title: &str, comment: &[&str]) -> Result<String, Unwritable> {
        let Example { setup, inputs, last } = self;
        write(&Story { title: Some(title), source: None, comment, panel: None, setup, inputs, last: *last })
    }

    /// How much there is to it: shorter first, then quieter, then with fewer records.
    pub(super) fn size(&self) -> (Tick, usize, u64) {
        (self.last, self.inputs.values().map(Vec::len).sum(), self.setup.log().len())
    }
}
