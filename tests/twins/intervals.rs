//! [`Intervals`] against a set of members.

use std::collections::BTreeSet;

use keyed_worker_pool::mechanism::Intervals;
use proptest::prelude::*;

proptest! {
    #[test]
    fn answers_as_its_twin(
        inserted in prop::collection::vec(0..50i64, 0..60),
        bound in 0..50i64,
        (from, to) in (0..50i64, 0..50i64),
    ) {
        let (mut set, mut twin) = (Intervals::default(), BTreeSet::new());
        for member in inserted {
            prop_assert_eq!(set.insert(member), twin.insert(member));
        }
        for member in -1..51 {
            prop_assert_eq!(set.contains(member), twin.contains(&member));
        }
        prop_assert!(set.holes(from, to).all(|(start, end)| start < end));
        let holes: Vec<i64> = set.holes(from, to).flat_map(|(start, end)| start..end).collect();
        let twin_holes: Vec<i64> = (from..to).filter(|member| !twin.contains(member)).collect();
        prop_assert_eq!(holes, twin_holes);
        set.remove_below(bound);
        twin.retain(|&member| member >= bound);
        let members: Vec<i64> = set.runs().flat_map(|(start, end)| start..end).collect();
        prop_assert_eq!(members, twin.into_iter().collect::<Vec<_>>());
        // Runs neither touch nor overlap.
        let runs: Vec<_> = set.runs().collect();
        prop_assert!(runs.windows(2).all(|pair| pair[0].1 < pair[1].0));
        prop_assert_eq!(set.run_count(), runs.len());
    }
}
