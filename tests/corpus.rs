//! What the fuzzer has kept of links, scenarios, traces, traffic and settings, checked again, and thousands of damaged copies.
//!
//! `cargo xtask fuzz` looks for bytes that nobody thought of; here its finds are gone through on every run of the
//! tests, without the fuzzer and its compiler. Bytes that fail are left in a file, to be kept in `fuzz/corpus`.
#![cfg(not(target_arch = "wasm32"))]

mod checks;

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use checks::mutate::Mutator;

/// Damaged copies of each kind of text.
const DAMAGED: usize = 8_000;

struct Kind {
    name: &'static str,
    check: fn(&[u8]) -> bool,
    corpus: Vec<(PathBuf, Vec<u8>)>,
    mutator: Mutator,
}

impl Kind {
    fn read(name: &'static str, check: fn(&[u8]) -> bool) -> Kind {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let folder = fuzz.join("corpus").join(name);
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        let corpus = files.into_iter().map(|path| {
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path, bytes)
        });
        let dictionary = fuzz.join("dictionaries").join(name).with_extension("dict");
        let dictionary = fs::read_to_string(dictionary).expect("a dictionary");
        Kind { name, check, corpus: corpus.collect(), mutator: Mutator::new(1, &dictionary) }
    }

    /// Checks everything that was kept, then damaged copies of what is as it should be; how many of all these are:
    /// those that were kept, and the copies.
    fn go_through(&mut self, change: fn(&mut Mutator, &[u8], &[u8]) -> Vec<u8>) -> (usize, usize) {
        let is_good = |(path, bytes): &&(PathBuf, Vec<u8>)| self.checked(bytes, &path.display().to_string());
        let good: Vec<_> = self.corpus.iter().filter(is_good).cloned().collect();
        let is_good = |at: &usize| {
            let (path, bytes) = &good[at % good.len()];
            let other = self.mutator.below(self.corpus.len());
            let damaged = change(&mut self.mutator, bytes, &self.corpus[other].1);
            self.checked(&damaged, &format!("number {at}, from {}", path.display()))
        };
        (good.len(), (0..DAMAGED).filter(is_good).count())
    }

    fn checked(&self, bytes: &[u8], what: &str) -> bool {
        catch_unwind(AssertUnwindSafe(|| (self.check)(bytes))).unwrap_or_else(|_| {
            let left = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failed-{}", self.name));
            fs::write(&left, bytes).expect("a place for what failed");
            panic!("{what}: the bytes are in {}", left.display());
        })
    }
}

fn bytes(mutator: &mut Mutator, text: &[u8], other: &[u8]) -> Vec<u8> {
    mutator.damaged(text.to_vec(), other)
}

/// As bytes, or in what is packed into it.
fn link(mutator: &mut Mutator, text: &[u8], other: &[u8]) -> Vec<u8> {
    if mutator.below(4) > 0 {
        let choice = mutator.below(8);
        let link = String::from_utf8_lossy(text);
        let changed = checks::link::repacked(&link, choice, |packed| mutator.damaged(packed, &[]));
        if let Some(link) = changed {
            return link.into_bytes();
        }
    }
    bytes(mutator, text, other)
}

/// Goes through a kind, and sees to it that this is no empty exercise.
fn go_through(mut kind: Kind, change: fn(&mut Mutator, &[u8], &[u8]) -> Vec<u8>) {
    let all = kind.corpus.len();
    let (good, damaged) = kind.go_through(change);
    assert!(good >= 20 && all - good >= 20, "of {all} that were kept {good} can be read");
    assert!(damaged >= DAMAGED / 20 && DAMAGED - damaged >= DAMAGED / 20, "of the damaged ones {damaged}");
}

#[test]
fn links() {
    go_through(Kind::read("link", checks::link::check), link);
}

#[test]
fn scenarios() {
    go_through(Kind::read("scenario", checks::scenario::check), bytes);
}

#[test]
fn traces() {
    go_through(Kind::read("trace", checks::trace::check), bytes);
}

#[test]
fn traffic() {
    go_through(Kind::read("traffic", checks::traffic::check), bytes);
}

#[test]
fn settings() {
    go_through(Kind::read("settings", checks::settings::check), bytes);
}
