//! Where things are.

use std::path::{Path, PathBuf};

/// The repository's root folder: the one above this crate.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = here.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    here.parent().map(Path::to_path_buf).unwrap_or(here)
}

/// Where cargo puts what it builds, unless it is told otherwise by a setting that only cargo reads.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Installed tools, with a `bin` of their own; git ignores it, and `cargo clean` takes it along.
pub(crate) fn tools() -> PathBuf {
    root().join("target/tools")
}
