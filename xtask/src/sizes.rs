//! What a reader downloads.

use std::{fs, io::Write, path::Path};

use anyhow::Result;
use flate2::{Compression, write::GzEncoder};

/// Compresses as a static host would.
pub(crate) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Prints the site's sizes, raw and gzipped, by kind of file.
pub(crate) fn print(folder: &Path) -> Result<()> {
    println!("    {:<6}{:>12}{:>12}", "", "bytes", "gzipped");
    let mut sum = (0, 0);
    for kind in ["wasm", "js", "css", "html"] {
        let mut size = (0, 0);
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == kind) {
                let bytes = fs::read(&path)?;
                size = (size.0 + bytes.len(), size.1 + gzip(&bytes)?.len());
            }
        }
        println!("    {kind:<6}{:>12}{:>12}", size.0, size.1);
        sum = (sum.0 + size.0, sum.1 + size.1);
    }
    println!("    {:<6}{:>12}{:>12}", "all", sum.0, sum.1);
    Ok(())
}
