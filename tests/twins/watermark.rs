//! [`Watermark`] against a list of offsets, each finished or not.

use keyed_worker_pool::{ids::Offset, mechanism::Watermark};
use proptest::prelude::*;

/// Every offset ever polled, in order, and whether it is finished.
struct Twin {
    start: i64,
    polled: Vec<(i64, bool)>,
    passed_to: i64,
}

impl Twin {
    fn position(&self) -> i64 {
        let last = self.polled.last().map_or(self.start, |&(offset, _)| offset + 1);
        last.max(self.passed_to)
    }

    fn low(&self) -> i64 {
        let open = self.polled.iter().find(|(_, finished)| !finished);
        open.map_or(self.position(), |&(offset, _)| offset)
    }

    fn finish(&mut self, offset: i64) -> bool {
        let open = self.polled.iter_mut().find(|(other, finished)| *other == offset && !finished);
        open.map(|(_, finished)| *finished = true).is_some()
    }

    fn finished_above_low(&self) -> Vec<i64> {
        let above = self.polled.iter().filter(|&&(offset, finished)| finished && offset > self.low());
        above.map(|&(offset, _)| offset).collect()
    }
}

#[derive(Clone, Debug)]
enum Call {
    /// Polls the offset that lies so far above the position.
    Poll(i64),
    Pass(i64),
    /// Finishes the offset that lies so far from the start, polled or not.
    Finish(i64),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![
        4 => prop_oneof![6 => Just(0i64), 1 => 1..4i64].prop_map(Call::Poll),
        1 => (0..3i64).prop_map(Call::Pass),
        5 => (0..60i64).prop_map(Call::Finish),
    ];
    prop::collection::vec(call, 0..120)
}

proptest! {
    #[test]
    fn answers_as_its_twin(start in prop_oneof![0..1000i64, Just(i64::MAX - 1000)], calls in calls()) {
        let mut tracker = Watermark::starting_at(Offset(start));
        let mut twin = Twin { start, polled: Vec::new(), passed_to: start };
        for call in calls {
            match call {
                Call::Poll(above) => {
                    let offset = twin.position() + above;
                    tracker.polled(Offset(offset), offset);
                    twin.polled.push((offset, false));
                }
                Call::Pass(above) => {
                    twin.passed_to = twin.position() + above;
                    tracker.pass_to(Offset(twin.passed_to));
                }
                Call::Finish(offset) => {
                    let offset = start + offset;
                    prop_assert_eq!(tracker.finish(Offset(offset)).is_some(), twin.finish(offset));
                }
            }
            prop_assert_eq!(tracker.low(), Offset(twin.low()));
            prop_assert_eq!(tracker.position(), Offset(twin.position()));
            let open: Vec<i64> = tracker.iter().map(|(_, &payload)| payload).collect();
            let twin_open: Vec<i64> =
                twin.polled.iter().filter(|(_, finished)| !finished).map(|&(offset, _)| offset).collect();
            prop_assert_eq!(tracker.in_flight(), twin_open.len());
            prop_assert_eq!(open, twin_open);
            let finished: Vec<i64> =
                tracker.finished().runs().flat_map(|(from, to)| from..to).collect();
            prop_assert_eq!(finished, twin.finished_above_low());
            let highest = twin.polled.iter().filter(|(_, finished)| *finished).map(|&(offset, _)| offset).max();
            prop_assert_eq!(tracker.highest_finished(), highest.map(Offset));
        }
    }
}

/// Pinned, with a million finished above: one run of finished offsets, not a million entries.
#[test]
fn a_pinned_watermark_keeps_intervals() {
    let mut tracker = Watermark::starting_at(Offset(0));
    tracker.polled(Offset(0), ());
    for offset in 1..=1_000_000 {
        tracker.polled(Offset(offset), ());
        assert!(tracker.finish(Offset(offset)).is_some());
    }
    assert_eq!(tracker.low(), Offset(0));
    assert_eq!(tracker.in_flight(), 1);
    assert_eq!(tracker.finished().run_count(), 1);
    assert!(tracker.finish(Offset(0)).is_some());
    assert_eq!(tracker.low(), Offset(1_000_001));
    assert!(tracker.finished().is_empty());
}
