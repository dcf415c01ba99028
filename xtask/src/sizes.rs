//! What a reader downloads, and how much that may be.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use flate2::{Compression, write::GzEncoder};

/// What the first view may take, gzipped, in units of 1,000 bytes: of one kind of file, or of all. Whoever makes the
/// page smaller makes these smaller too.
const BUDGETS: [(&str, usize); 5] = [("wasm", 198), ("js", 12), ("css", 15), ("html", 11), ("all", 235)];

/// Kinds of files, as the table has them.
const KINDS: [&str; 4] = ["wasm", "js", "css", "html"];

/// Compresses as a static host would.
pub(crate) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Bytes of some files: as they are, and gzipped.
#[derive(Clone, Copy, Default)]
struct Size {
    raw: usize,
    gzipped: usize,
}

/// Prints the site's sizes by kind of file: what the first view takes, and apart from it what is loaded when the
/// reader comes near it or asks for it.
pub(crate) fn print(folder: &Path) -> Result<()> {
    println!("    {:<6}{:>12}{:>12}", "", "bytes", "gzipped");
    let (first, later) = files(folder)?;
    println!("    first view");
    table(&first)?;
    println!("    loaded later");
    table(&later)?;
    Ok(())
}

/// Prints what the first view takes of its budget.
///
/// # Errors
/// If that is more than there is.
pub(crate) fn check(folder: &Path) -> Result<()> {
    let (first, _) = files(folder)?;
    println!("    {:<6}{:>12}{:>12}", "", "gzipped", "budget");
    let mut over = Vec::new();
    for (kind, budget) in BUDGETS {
        let kinds = if kind == "all" { &KINDS[..] } else { &[kind] };
        let mut gzipped = 0;
        for kind in kinds {
            gzipped += size(&first, kind)?.gzipped;
        }
        let budget = budget * 1_000;
        println!("    {kind:<6}{gzipped:>12}{budget:>12}");
        if gzipped > budget {
            over.push(format!("{kind} by {} bytes", gzipped - budget));
        }
    }
    if over.is_empty() { Ok(()) } else { bail!("the first view is over its budget: {}", over.join(", ")) }
}

/// The site's files: those that the page asks for at once, itself among them, and the rest.
fn files(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let page = fs::read_to_string(folder.join("index.html"))?;
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    let at_once = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name == "index.html" || asked(&page).any(|tag| tag.contains(&format!("./{name}")))
    };
    Ok(files.into_iter().partition(at_once))
}

/// The tags of the page that make a browser fetch what they name: scripts, and links that say what for.
fn asked(page: &str) -> impl Iterator<Item = &str> {
    let tags = page.split('<').filter_map(|piece| piece.split_once('>')).map(|(tag, _)| tag);
    tags.filter(|tag| tag.starts_with("script") || tag.starts_with("link") && tag.contains(" rel="))
}

fn table(files: &[PathBuf]) -> Result<()> {
    let mut sum = Size::default();
    for kind in KINDS {
        let Size { raw, gzipped } = size(files, kind)?;
        println!("    {kind:<6}{raw:>12}{gzipped:>12}");
        sum = Size { raw: sum.raw + raw, gzipped: sum.gzipped + gzipped };
    }
    println!("    {:<6}{:>12}{:>12}", "all", sum.raw, sum.gzipped);
    Ok(())
}

fn size(files: &[PathBuf], kind: &str) -> Result<Size> {
    let mut size = Size::default();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == kind)) {
        let bytes = fs::read(path)?;
        size.raw += bytes.len();
        size.gzipped += gzip(&bytes)?.len();
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn what_the_page_holds_back_is_not_asked_for() {
        let page = r#"<link rel=stylesheet href=./a.css><link data-style="b" href=./b.css ><script src=./c.js></script>"#;
        let asked: Vec<_> = asked(page).collect();
        assert_eq!(asked, ["link rel=stylesheet href=./a.css", "script src=./c.js"]);
    }
}
