//! The page's second module, which `www/office.js` starts in a worker: see `office`.

/// Answers the page's messages from now on.
#[cfg(target_arch = "wasm32")]
fn main() {
    keyed_worker_pool::office::worker::start();
}

/// Of no use outside a browser, and built for none: the feature `office` is for the page's build alone.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("kwp-office is a part of the page, which `cargo xtask build` makes; the program is kwp");
}
