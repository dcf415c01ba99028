//! Numbers as bytes, and bytes as text that survives in a chat.
//!
//! Unsigned LEB128 makes small numbers short, and the numbers of a run are small; base64url has no character
//! that a mail program or a chat would change.

use std::ops::RangeInclusive;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::error::{Flaw, LinkError, quoted};

/// Bytes being put together.
#[derive(Debug, Default)]
pub(super) struct Packing(Vec<u8>);

impl Packing {
    /// Seven bits a byte, the lowest first; the top bit says that more follow.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Several of them.
    pub(super) fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|&number| self.number(number));
    }

    /// A number of either sign: 0, -1, 1, -2 and so on, counted from 0.
    pub(super) fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    /// A value by its place in a table that has it.
    pub(super) fn choice<T: PartialEq>(&mut self, choices: &[T], value: &T) {
        self.number(place(choices, value));
    }

    /// Bytes, after their number.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// All of it as text.
    pub(super) fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.0)
    }
}

/// The place of a value in a table that has it.
pub(super) fn place<T: PartialEq>(choices: &[T], value: &T) -> u64 {
    choices.iter().position(|choice| choice == value).unwrap_or_default() as u64
}

/// Bytes being taken apart: each number costs at least one of them, so that no count can ask for more than the
/// link is long.
pub(super) struct Unpacking<'k> {
    /// Which setting of the link they are from.
    key: &'k str,
    bytes: Vec<u8>,
    at: usize,
}

impl<'k> Unpacking<'k> {
    /// The bytes of a setting.
    pub(super) fn of(key: &'k str, text: &str) -> Result<Unpacking<'k>, LinkError> {
        let packed = Unpacking { key, bytes: Vec::new(), at: 0 };
        let belongs = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if let Some((place, c)) = text.chars().enumerate().find(|&(_, c)| !belongs(c)) {
            return Err(packed.wrong(Flaw::Character(quoted(c.encode_utf8(&mut [0; 4])), place + 1)));
        }
        // All characters are right, so that only the number of them can be wrong, and the bits of the last one.
        match URL_SAFE_NO_PAD.decode(text) {
            Ok(bytes) => Ok(Unpacking { bytes, ..packed }),
            Err(_) => Err(packed.wrong(Flaw::CutOff)),
        }
    }

    /// A complaint about them.
    pub(super) fn wrong(&self, flaw: Flaw) -> LinkError {
        LinkError::Packed(self.key.to_owned(), flaw)
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// The counterpart of [`Packing::number`].
    pub(super) fn number(&mut self) -> Result<u64, LinkError> {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or_else(|| self.wrong(Flaw::CutOff))?;
            self.at += 1;
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || bits << shift >> shift != bits {
                return Err(self.wrong(Flaw::Overflow));
            }
            number |= bits << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(number)
    }

    /// A number within a range; `what` it is, with its article.
    pub(super) fn within(
        &mut self,
        what: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<u64, LinkError> {
        let value = self.number()?;
        if range.contains(&value) {
            return Ok(value);
        }
        let (least, most) = range.into_inner();
        Err(self.wrong(Flaw::OutOfRange { what, value, least, most }))
    }

    /// A number of 32 bits, likewise.
    pub(super) fn small(&mut self, what: &'static str, range: RangeInclusive<u32>) -> Result<u32, LinkError> {
        let (least, most) = range.into_inner();
        let value = self.within(what, least.into()..=most.into())?;
        Ok(u32::try_from(value).unwrap_or(most))
    }

    /// The counterpart of [`Packing::signed`].
    pub(super) fn signed(&mut self) -> Result<i64, LinkError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The counterpart of [`Packing::choice`].
    pub(super) fn choice<T: Copy>(&mut self, what: &'static str, choices: &[T]) -> Result<T, LinkError> {
        let place = self.within(what, 0..=choices.len() as u64 - 1)?;
        choices.get(place as usize).copied().ok_or_else(|| self.wrong(Flaw::Overflow))
    }

    /// The counterpart of [`Packing::bytes`].
    pub(super) fn bytes(&mut self) -> Result<&[u8], LinkError> {
        let length = self.number()?;
        let left = self.bytes.len() - self.at;
        let Some(length) = usize::try_from(length).ok().filter(|&length| length <= left) else {
            return Err(self.wrong(Flaw::CutOff));
        };
        let from = self.at;
        self.at += length;
        Ok(&self.bytes[from..self.at])
    }
}
