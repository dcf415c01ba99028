//! Kafka's murmur2, the hash behind its default partitioner.
//!
//! The 32-bit murmur2 with the seed and the byte order of `org.apache.kafka.common.utils.Utils.murmur2`;
//! crates that offer murmur2 differ in one of the two, so it is written out here and pinned by the values
//! of Kafka's own unit test.

/// The hash of `data`. Kafka masks it with `0x7fffffff` before taking it modulo the partition count.
#[must_use]
pub fn murmur2(data: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    const SEED: u32 = 0x9747_b28c;
    let mut hash = SEED ^ data.len() as u32;
    let (words, tail) = data.as_chunks::<4>();
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    for (place, &byte) in tail.iter().enumerate() {
        hash ^= u32::from(byte) << (8 * place);
    }
    if !tail.is_empty() {
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ hash >> 15
}

#[cfg(test)]
mod tests {
    use super::murmur2;

    /// The cases of Kafka's `UtilsTest.testMurmur2`.
    #[test]
    fn agrees_with_kafka() {
        for (text, hash) in [
            ("21", -973932308),
            ("foobar", -790332482),
            ("a-little-bit-long-string", -985981536),
            ("a-little-bit-longer-string", -1486304829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
            ("abc", 479470107),
        ] {
            assert_eq!(murmur2(text.as_bytes()) as i32, hash, "{text}");
        }
    }
}
