//! Random numbers, the same for the same seed everywhere.

use rand_pcg::Pcg32;

use crate::world::draw_below;

pub(super) struct Dice(Pcg32);

impl Dice {
    /// Each purpose has a stream of its own.
    pub(super) fn new(seed: u64, stream: u64) -> Dice {
        Dice(Pcg32::new(seed, stream))
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        draw_below(&mut self.0, n)
    }

    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}
