//! The engine's tests run twice: natively, and on wasm32 in Node, where the page will run it.
//!
//! The convention, for every file of `tests/` that needs nothing but the engine: the two lines below, then
//! `#[test]` as usual. `cargo xtask test` runs on wasm32 whatever test target's root file names
//! `wasm_bindgen_test`. A target that needs files, threads or a library that wasm32 lacks opens with
//! `#![cfg(not(target_arch = "wasm32"))]` instead.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn integers_are_as_wide_here_as_there() {
    assert_eq!((u64::from(u32::MAX) * 1_000_000) >> 32, 999_999);
}
