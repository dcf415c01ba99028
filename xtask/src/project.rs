//! Where things are.

use std::path::{Path, PathBuf};

/// The repository's root folder: the one above this crate.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = here.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    here.parent().map(Path::to_path_buf).unwrap_or(here)
}

/// Installed tools, with a `bin` of their own; git ignores it, and `cargo clean` takes it along.
pub(crate) fn tools() -> PathBuf {
    root().join("target/tools")
}
