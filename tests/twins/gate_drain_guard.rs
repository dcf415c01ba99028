//! [`PauseGate`], [`Drain`] and [`Guard`] against their definitions.

use keyed_worker_pool::{
    ids::{Offset, Tick},
    mechanism::{Drain, GateMove, Guard, PauseGate},
};
use proptest::prelude::*;

/// Looks back over all depths so far: paused since the last one at the high mark, unless one at the low mark
/// came after it.
fn paused_after(depths: &[u64], high: u64, low: u64) -> bool {
    let last = |reached: &dyn Fn(u64) -> bool| depths.iter().rposition(|&depth| reached(depth));
    match (last(&|depth| depth >= high), last(&|depth| depth <= low)) {
        (Some(paused), Some(resumed)) => paused > resumed,
        (paused, None) => paused.is_some(),
        (None, Some(_)) => false,
    }
}

proptest! {
    #[test]
    fn the_gate_answers_as_its_twin(depths in prop::collection::vec(0..40u64, 0..60), low in 0..20u64, gap in 1..15u64) {
        let high = low + gap;
        let mut gate = PauseGate::default();
        let mut before = false;
        for seen in 1..=depths.len() {
            let moved = gate.test(depths[seen - 1], high, low);
            let paused = paused_after(&depths[..seen], high, low);
            let expected = match (before, paused) {
                (false, true) => Some(GateMove::Pause),
                (true, false) => Some(GateMove::Resume),
                _ => None,
            };
            prop_assert_eq!(moved, expected);
            prop_assert_eq!(gate.is_paused(), paused);
            before = paused;
        }
        prop_assert_eq!(gate.open(), before.then_some(GateMove::Resume));
        prop_assert!(!gate.is_paused());
    }

    #[test]
    fn a_drain_ends_with_the_work_or_with_its_window(
        begun in 0..100u64,
        window in prop_oneof![0..20u64, Just(u64::MAX)],
        ends in prop::collection::vec(0..40u64, 0..6),
    ) {
        let drain = Drain::begin(Tick(begun), window);
        let over = (begun..begun + 60).find(|&now| {
            drain.is_over(Tick(now), ends.iter().filter(|&&end| begun + end > now).count())
        });
        let last_end = ends.iter().map(|&end| begun + end).max().unwrap_or(begun);
        prop_assert_eq!(over, Some(last_end.min(begun.saturating_add(window))));
    }

    #[test]
    fn the_guard_is_a_comparison(row in prop::option::of(0..5i64), version in 0..5i64) {
        let held = row.unwrap_or(-1);
        let row = row.map(Offset);
        prop_assert!(Guard::Off.admits(row, Offset(version)));
        prop_assert_eq!(Guard::Newer.admits(row, Offset(version)), version > held);
        prop_assert_eq!(Guard::NotOlder.admits(row, Offset(version)), version >= held);
    }
}
