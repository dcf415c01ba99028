//! Keys that nobody is to see, replaced by a salted hash as they are read.
//!
//! That is pseudonymisation, not anonymisation: equal keys stay equal, so that order and skew are kept, and whoever
//! has the salt and a list of candidates can find out which key is which. How often each occurs, and when, is kept
//! too. HMAC-SHA-256, so that without the salt a list of candidates is of no use.

use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::world::Key;

/// Bytes of the hash that are kept: two of a million keys come together with a chance of about one in 37 million.
const KEPT: usize = 8;

/// What hashes keys. The same salt gives the same hashes, everywhere and always.
#[derive(Clone)]
pub struct Digest(Hmac<Sha256>);

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Digest")
    }
}

impl Digest {
    /// Hashes with this salt, of any length; it is the secret.
    #[must_use]
    pub fn new(salt: &str) -> Digest {
        // An HMAC has a key of any length; the error is of other constructions.
        let keyed = Hmac::<Sha256>::new_from_slice(salt.as_bytes());
        Digest(keyed.unwrap_or_else(|_| Hmac::<Sha256>::new(&Default::default())))
    }

    /// The key's hash: 16 hexadecimal digits.
    pub(super) fn of(&self, key: &[u8]) -> Key {
        let mut hmac = self.0.clone();
        hmac.update(key);
        let mut text = String::with_capacity(2 * KEPT);
        for byte in hmac.finalize().into_bytes().iter().take(KEPT) {
            let _ = write!(text, "{byte:02x}");
        }
        Key::from(&text[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    #[test]
    fn a_known_hash() {
        assert_eq!(Digest::new("Jefe").of(b"what do ya want for nothing?").to_string(), "5bdcc146bf60754e");
    }

    #[test]
    fn other_salts_hash_otherwise() {
        let (one, other) = (Digest::new("a"), Digest::new("b"));
        assert_eq!(one.of(b"x"), Digest::new("a").of(b"x"));
        assert!(one.of(b"x") != other.of(b"x") && one.of(b"x") != one.of(b"y"));
        assert_eq!(Digest::new(&"long".repeat(100)).of(b"").bytes().len(), 16);
    }
}
