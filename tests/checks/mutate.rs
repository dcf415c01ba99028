//! Cheap, deterministic damage: the same seed does the same harm everywhere.

use rand::Rng;
use rand_pcg::Pcg32;

/// Numbers at the edges of what types and formats can hold.
const NUMBERS: [&str; 10] = [
    "0",
    "1",
    "-1",
    "127",
    "4294967295",
    "4294967296",
    "9223372036854775806",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999",
];

/// What damages one kind of text.
pub struct Mutator {
    dice: Pcg32,
    /// Pieces of the format, from its dictionary.
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// `dictionary` is in libFuzzer's format: `"word"` a line, with `\"`, `\\` and `\xNN`.
    pub fn new(seed: u64, dictionary: &str) -> Mutator {
        let words = dictionary.lines().filter_map(word).collect();
        Mutator { dice: Pcg32::new(seed, 1), words }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.dice.next_u32()) * n as u64) >> 32) as usize
    }

    /// Does one or two things to a text; `other` is another one of its kind.
    pub fn damaged(&mut self, mut text: Vec<u8>, other: &[u8]) -> Vec<u8> {
        for _ in 0..=self.below(4) / 3 {
            self.damage(&mut text, other);
        }
        text
    }

    fn damage(&mut self, text: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(text.len() + 1);
        let end = at + self.below((text.len() - at).min(24) + 1);
        match self.below(8) {
            0 => drop(text.drain(at..end)),
            1 => text.truncate(at),
            2 => {
                let again = text[at..end].to_vec();
                text.splice(at..at, again);
            }
            3 => {
                if let Some(byte) = text.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
            4 => {
                let from = self.below(other.len() + 1);
                let to = from + self.below((other.len() - from).min(64) + 1);
                text.splice(at..end, other[from..to].iter().copied());
            }
            5 => self.renumber(text, at),
            _ => {
                let word = self.below(self.words.len().max(1));
                let word = self.words.get(word).cloned().unwrap_or_default();
                text.splice(at..if self.below(2) == 0 { at } else { end }, word);
            }
        }
    }

    /// Another number for the next one after a place.
    fn renumber(&mut self, text: &mut Vec<u8>, at: usize) {
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let Some(from) = text[at..].iter().position(is_digit).map(|more| at + more) else { return };
        let digits = text[from..].iter().take_while(|byte| is_digit(byte)).count();
        let number = match self.below(3) {
            0 => NUMBERS[self.below(NUMBERS.len())].to_owned(),
            _ => self.below(40).to_string(),
        };
        text.splice(from..from + digits, number.into_bytes());
    }
}

fn word(line: &str) -> Option<Vec<u8>> {
    let mut rest = line.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut word = Vec::new();
    while let Some(c) = rest.chars().next() {
        let hex = rest.get(2..4).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (bytes, length) = match (c, hex) {
            ('\\', Some(byte)) if rest.starts_with("\\x") => (vec![byte], 4),
            ('\\', _) => (rest.get(1..2)?.as_bytes().to_vec(), 2),
            _ => (c.to_string().into_bytes(), c.len_utf8()),
        };
        word.extend(bytes);
        rest = rest.get(length..)?;
    }
    Some(word)
}
