//! Links with damage: bits flipped, ends cut off, pieces put in. None of them panics, and what reads plays.

use rand::Rng;
use rand_pcg::Pcg32;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{checks::link::check, golden};

/// What is put into links: what they are made of, and what they are not.
const PIECES: [&str; 24] = [
    "&",
    "=",
    "&&",
    "panel=",
    "&panel=rebalance",
    "&v=1",
    "&tick=",
    "&fork=3",
    "&compare=1",
    "&old.drain=2",
    "&old.acts=",
    "&acts=",
    "&scenario=",
    "A",
    "_",
    "-",
    "~",
    "ü",
    "\u{202e}",
    "\0",
    "9",
    "99999999999",
    "%",
    "\u{1f980}",
];

fn below(dice: &mut Pcg32, n: usize) -> usize {
    ((u64::from(dice.next_u32()) * n as u64) >> 32) as usize
}

/// A character's beginning, at random.
fn cut(dice: &mut Pcg32, text: &str) -> usize {
    let mut at = below(dice, text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn damaged(dice: &mut Pcg32, link: &str) -> String {
    let at = cut(dice, link);
    let (before, after) = link.split_at(at);
    match below(dice, 10) {
        0 => {
            let mut bytes = link.as_bytes().to_vec();
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << below(dice, 7);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => before.to_owned(),
        2 => after.to_owned(),
        3 => format!("{before}{}{after}", PIECES[below(dice, PIECES.len())]),
        4 => {
            let end = at + cut(dice, after);
            format!("{before}{}", &link[end..])
        }
        // One character of base64url for another: the bytes inside change, and stay bytes.
        _ => {
            let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
            let letter = char::from(alphabet[below(dice, alphabet.len())]);
            let rest = after.chars().skip(1).collect::<String>();
            format!("{before}{letter}{rest}")
        }
    }
}

#[test]
fn damaged_links_never_panic_and_what_reads_plays() {
    let mut dice = Pcg32::new(1, 1);
    let mut played = 0;
    for link in golden::LINKS.map(|(link, _)| link) {
        for _ in 0..1_000 {
            let mut text = link.to_owned();
            for _ in 0..=below(&mut dice, 4) / 2 {
                text = damaged(&mut dice, &text);
            }
            played += usize::from(check(text.as_bytes()));
        }
    }
    assert!(played > 500, "only {played} were links still");
}

#[test]
fn every_beginning_of_a_link_is_refused_or_plays() {
    for (link, _) in golden::LINKS {
        for end in 0..=link.len() {
            check(&link.as_bytes()[..end]);
        }
    }
}
