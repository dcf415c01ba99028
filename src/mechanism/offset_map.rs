//! The acknowledgement map: finished offsets above the committed one, in the commit's metadata.
//!
//! A commit can carry a string beside the offset (`OffsetAndMetadata` in Kafka's client). Put the finished
//! offsets above the watermark there, and a successor need not redo them. The broker keeps at most
//! `offset.metadata.max.bytes`, 4,096 by default; hence the two encodings, of which the shorter is taken.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::ids::Offset;

/// Finished offsets as ascending runs `(start, end)`, `end` not finished. Cheap to clone.
///
/// ```
/// use keyed_worker_pool::{ids::Offset, mechanism::OffsetMap};
///
/// let map = OffsetMap::from_runs([(Offset(3), Offset(6)), (Offset(9), Offset(10))]);
/// assert!(map.contains(Offset(5)) && !map.contains(Offset(6)));
///
/// let encoded = map.encode(Offset(2), 4096).expect("it fits");
/// assert_eq!(OffsetMap::decode(Offset(2), encoded.text()), Some(map));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OffsetMap {
    runs: Arc<[(Offset, Offset)]>,
}

/// An encoded map: what travels in the commit's metadata.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EncodedMap(String);

impl EncodedMap {
    /// Padded base64 of one byte for the encoding (0: bit set, 1: run lengths) and then the map.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

const BIT_SET: u8 = 0;
const RUN_LENGTHS: u8 = 1;

/// More than any map in the wild spans; a decoder must not be talked into more memory than this.
const MAX_DECODED_RUNS: usize = 1 << 20;

/// The shorter encoding of a map, without the byte that says which it is.
struct Body {
    /// `None`: the bit set is not longer.
    run_lengths: Option<Vec<u8>>,
    bit_set_len: u64,
    len: u64,
}

/// The length of a body with that byte in padded base64.
fn text_len(body_len: u64) -> u64 {
    body_len.saturating_add(1).div_ceil(3).saturating_mul(4)
}

impl OffsetMap {
    /// From runs `(start, end)`: ascending, not empty; runs that touch are joined.
    #[must_use]
    pub fn from_runs(runs: impl IntoIterator<Item = (Offset, Offset)>) -> OffsetMap {
        let mut joined: Vec<(Offset, Offset)> = Vec::new();
        for (start, end) in runs {
            match joined.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => joined.push((start, end)),
            }
        }
        OffsetMap { runs: joined.into() }
    }

    /// Whether nothing is finished.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The finished runs `(start, end)`, ascending.
    #[must_use]
    pub fn runs(&self) -> &[(Offset, Offset)] {
        &self.runs
    }

    /// Whether `offset` is finished: O(log runs).
    #[must_use]
    pub fn contains(&self, offset: Offset) -> bool {
        self.run_at(offset).is_some()
    }

    /// The end of the finished run that `offset` lies in, if it lies in one.
    #[must_use]
    pub fn run_at(&self, offset: Offset) -> Option<Offset> {
        let after = self.runs.partition_point(|&(start, _)| start <= offset);
        let (_, end) = *self.runs.get(after.checked_sub(1)?)?;
        (offset < end).then_some(end)
    }

    /// What of the map lies at or above `bound`.
    #[must_use]
    pub fn at_or_above(&self, bound: Offset) -> OffsetMap {
        if self.runs.first().is_none_or(|&(start, _)| start >= bound) {
            return self.clone();
        }
        OffsetMap::from_runs(
            self.runs.iter().filter(|&&(_, end)| end > bound).map(|&(start, end)| (start.max(bound), end)),
        )
    }

    /// The two maps as one; no offset may be in both.
    #[must_use]
    pub fn union(&self, other: &OffsetMap) -> OffsetMap {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        let (mut ours, mut theirs) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        let runs = std::iter::from_fn(|| match (ours.peek(), theirs.peek()) {
            (Some(our), Some(their)) if their < our => theirs.next(),
            (None, _) => theirs.next(),
            (Some(_), _) => ours.next(),
        });
        OffsetMap::from_runs(runs.copied())
    }

    /// Encodes the map relative to the committed offset `from` (every run lies at or above it): the shorter
    /// of a bit set from `from` to the highest finished offset, and run lengths as unsigned LEB128, the
    /// first run unfinished. `None` if that is longer than `limit` bytes; a map far too long is not even
    /// built.
    #[must_use]
    pub fn encode(&self, from: Offset, limit: u64) -> Option<EncodedMap> {
        let Body { run_lengths, bit_set_len, .. } = self.body(from, limit)?;
        let mut bytes = Vec::new();
        match run_lengths {
            Some(run_lengths) => {
                bytes.push(RUN_LENGTHS);
                bytes.extend(run_lengths);
            }
            None => {
                bytes.push(BIT_SET);
                bytes.resize(bit_set_len as usize + 1, 0);
                for &(start, end) in self.runs.iter() {
                    for bit in start.0 - from.0..end.0 - from.0 {
                        bytes[1 + bit as usize / 8] |= 1 << (bit % 8);
                    }
                }
            }
        }
        Some(EncodedMap(STANDARD.encode(bytes)))
    }

    /// The length in bytes of what [`OffsetMap::encode`] writes, found without writing it.
    #[must_use]
    pub fn encoded_len(&self, from: Offset, limit: u64) -> Option<u64> {
        self.body(from, limit).map(|body| text_len(body.len))
    }

    fn body(&self, from: Offset, limit: u64) -> Option<Body> {
        let span = u64::try_from(self.runs.last().map_or(0, |&(_, end)| end.0 - from.0)).ok()?;
        let bit_set_len = span.div_ceil(8);
        let run_lengths = self.run_lengths(from, limit.min(bit_set_len));
        let len = run_lengths.as_ref().map_or(bit_set_len, |bytes| bytes.len() as u64);
        (text_len(len) <= limit).then_some(Body { run_lengths, bit_set_len, len })
    }

    /// Reads what [`OffsetMap::encode`] wrote for the same `from`; `None` for anything else.
    #[must_use]
    pub fn decode(from: Offset, text: &str) -> Option<OffsetMap> {
        let bytes = STANDARD.decode(text).ok()?;
        let (&encoding, body) = bytes.split_first()?;
        let runs = match encoding {
            BIT_SET => decode_bit_set(from, body)?,
            RUN_LENGTHS => decode_run_lengths(from, body)?,
            _ => return None,
        };
        Some(OffsetMap::from_runs(runs))
    }

    /// The lengths of unfinished and finished runs in turn, or `None` once that takes `limit` bytes.
    fn run_lengths(&self, from: Offset, limit: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut at = from;
        for &(start, end) in self.runs.iter() {
            push_leb128(&mut bytes, (start.0 - at.0) as u64);
            push_leb128(&mut bytes, (end.0 - start.0) as u64);
            at = end;
            if bytes.len() as u64 >= limit {
                return None;
            }
        }
        Some(bytes)
    }
}

fn push_leb128(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn decode_bit_set(from: Offset, body: &[u8]) -> Option<Vec<(Offset, Offset)>> {
    let mut runs = Vec::new();
    for bit in 0..body.len() * 8 {
        if body[bit / 8] >> (bit % 8) & 1 == 1 {
            let offset = Offset(from.0.checked_add(bit as i64)?);
            runs.push((offset, offset.next()));
        }
    }
    Some(runs)
}

fn decode_run_lengths(from: Offset, body: &[u8]) -> Option<Vec<(Offset, Offset)>> {
    let mut runs = Vec::new();
    let (mut at, mut finished, mut length, mut shift) = (from, false, 0u64, 0);
    for &byte in body {
        if shift > 56 || runs.len() >= MAX_DECODED_RUNS {
            return None;
        }
        length |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            let end = Offset(at.0.checked_add(i64::try_from(length).ok()?)?);
            if finished && at < end {
                runs.push((at, end));
            }
            (at, finished, length, shift) = (end, !finished, 0, 0);
        }
    }
    (shift == 0).then_some(runs)
}
