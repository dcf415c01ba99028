//! What a reader downloads.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Result;
use flate2::{Compression, write::GzEncoder};

/// Compresses as a static host would.
pub(crate) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Prints the site's sizes, raw and gzipped, by kind of file: what the first view takes, and apart from it what
/// is loaded when it is first asked for.
pub(crate) fn print(folder: &Path) -> Result<()> {
    println!("    {:<6}{:>12}{:>12}", "", "bytes", "gzipped");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    let (office, first): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| is_office(path));
    println!("    first view");
    table(&first, &["wasm", "js", "css", "html"])?;
    println!("    loaded when asked for");
    table(&office, &["wasm", "js"])
}

/// Whether a file belongs to the second module.
fn is_office(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("office") || name.starts_with("kwp-office")
}

fn table(files: &[PathBuf], kinds: &[&str]) -> Result<()> {
    let mut sum = (0, 0);
    for kind in kinds {
        let mut size = (0, 0);
        for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == *kind)) {
            let bytes = fs::read(path)?;
            size = (size.0 + bytes.len(), size.1 + gzip(&bytes)?.len());
        }
        println!("    {kind:<6}{:>12}{:>12}", size.0, size.1);
        sum = (sum.0 + size.0, sum.1 + size.1);
    }
    println!("    {:<6}{:>12}{:>12}", "all", sum.0, sum.1);
    Ok(())
}
