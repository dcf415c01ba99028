//! [`OffsetMap`] against a set of offsets, and its encoding against the arithmetic of its definition.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::STANDARD};
use keyed_worker_pool::{ids::Offset, mechanism::OffsetMap};
use proptest::prelude::*;

fn map(offsets: &BTreeSet<i64>) -> OffsetMap {
    OffsetMap::from_runs(offsets.iter().map(|&offset| (Offset(offset), Offset(offset + 1))))
}

/// One flag per offset from `from` to the highest.
fn flags(from: i64, offsets: &BTreeSet<i64>) -> Vec<bool> {
    let end = offsets.last().map_or(from, |&highest| highest + 1);
    (from..end).map(|offset| offsets.contains(&offset)).collect()
}

/// Bytes of the shorter encoding: the bit set, or the lengths of runs that begin with an unfinished one.
fn body_len(flags: &[bool]) -> usize {
    let mut run_bytes = 0;
    let (mut current, mut length) = (false, 0u64);
    let leb128_len = |value: u64| (64 - value.max(1).leading_zeros()).div_ceil(7) as usize;
    for &flag in flags {
        if flag != current {
            run_bytes += leb128_len(length);
            (current, length) = (flag, 0);
        }
        length += 1;
    }
    run_bytes += leb128_len(length);
    run_bytes.min(flags.len().div_ceil(8))
}

proptest! {
    #[test]
    fn answers_as_its_twin(
        from in 0..1_000_000i64,
        above in prop::collection::btree_set(prop_oneof![0..40i64, 0..4000i64], 1..80),
        bound in 0..40i64,
    ) {
        let offsets: BTreeSet<i64> = above.iter().map(|offset| from + offset).collect();
        let map = map(&offsets);
        for offset in from..from + 42 {
            prop_assert_eq!(map.contains(Offset(offset)), offsets.contains(&offset));
        }
        let runs = map.runs().iter().flat_map(|&(start, end)| start.0..end.0);
        prop_assert_eq!(runs.collect::<BTreeSet<_>>(), offsets.clone());
        prop_assert!(map.runs().windows(2).all(|pair| pair[0].1 < pair[1].0));
        let encoded = map.encode(Offset(from), u64::MAX).expect("no limit");
        let length = (1 + body_len(&flags(from, &offsets))).div_ceil(3) * 4;
        prop_assert_eq!(encoded.text().len(), length);
        prop_assert_eq!(OffsetMap::decode(Offset(from), encoded.text()), Some(map.clone()));
        prop_assert!(map.encode(Offset(from), length as u64).is_some());
        prop_assert!(map.encode(Offset(from), length as u64 - 1).is_none());

        let bound = from + bound;
        let kept: BTreeSet<i64> = offsets.iter().copied().filter(|&offset| offset >= bound).collect();
        let dropped: BTreeSet<i64> = offsets.difference(&kept).copied().collect();
        prop_assert_eq!(map.at_or_above(Offset(bound)), self::map(&kept));
        prop_assert_eq!(self::map(&kept).union(&self::map(&dropped)), map);
    }

    /// Whatever a broker hands back, reading it ends, and neither panics nor takes much memory.
    #[test]
    fn reads_anything(text in "[A-Za-z0-9+/=]{0,200}", from in 0..=i64::MAX) {
        let _ = OffsetMap::decode(Offset(from), &text);
    }
}

/// A map of run lengths, written by hand.
fn read(lengths: &[u8]) -> Option<OffsetMap> {
    let bytes: Vec<u8> = std::iter::once(1).chain(lengths.iter().copied()).collect();
    OffsetMap::decode(Offset(0), &STANDARD.encode(bytes))
}

fn runs(map: Option<OffsetMap>) -> Option<Vec<(i64, i64)>> {
    Some(map?.runs().iter().map(|&(start, end)| (start.0, end.0)).collect())
}

#[test]
fn an_empty_run_is_no_run() {
    assert_eq!(runs(read(&[1, 0, 1, 1])), Some(vec![(2, 3)]));
}

/// Nine bytes carry 63 bits, which is all that an offset has; a tenth is nothing but a way to go on for ever.
#[test]
fn a_length_takes_nine_bytes_at_most() {
    let far = Offset(1 << 62);
    let map = OffsetMap::from_runs([(far, far.next())]);
    let encoded = map.encode(Offset(0), 4096).expect("it is short");
    assert_eq!(OffsetMap::decode(Offset(0), encoded.text()), Some(map));
    assert_eq!(runs(read(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1])), Some(vec![(0, 1)]));
    assert_eq!(read(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1]), None);
}

#[test]
fn a_map_has_a_million_runs_at_most() {
    let alternating = |runs: usize| [1].repeat(2 * runs);
    assert_eq!(runs(read(&alternating(1 << 20))).map(|runs| runs.len()), Some(1 << 20));
    assert!(read(&alternating((1 << 20) + 1)).is_none());
}
