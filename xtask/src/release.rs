//! One archive with what a person needs who has no compiler: the site, `kwp`, and their papers.
//!
//! Its files come in one order, with one owner and no times, so the same sources give the same archive twice on one
//! machine.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};

use crate::{
    build::{Site, build},
    process::{cargo, output, run, say},
    project,
};

/// What goes in beside the site and `kwp`.
const PAPERS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Builds the site and `kwp`, and packs both.
pub(crate) fn release(site: &Site) -> Result<()> {
    build(site)?;
    say("building kwp");
    run(cargo().args(["build", "--release", "--locked", "--bin", "kwp"]))?;
    let name = name()?;
    let folder = project::target().join("release-archive");
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let archive = folder.join(format!("{name}.tar.gz"));
    let file = File::create(&archive).with_context(|| format!("writing {}", archive.display()))?;
    let size =
        pack(file, &contents(site)?, &name).with_context(|| format!("packing {}", archive.display()))?;
    say(&format!("{} ({:.1} MB)", archive.display(), size as f64 / 1e6));
    Ok(())
}

/// The archive's name and its one folder's: what it is, which version, for which machines.
fn name() -> Result<String> {
    let version = output(cargo().args(["pkgid", "--package", "keyed-worker-pool"]))
        .and_then(|id| id.rsplit_once(['#', '@']).map(|(_, version)| version.trim().to_owned()))
        .context("cargo does not tell the version")?;
    let host = output(crate::process::command("rustc").args(["--version", "--verbose"]))
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned)))
        .context("rustc does not tell its host")?;
    Ok(format!("keyed-worker-pool-{version}-{host}"))
}

/// Each file's place in the archive and on this machine, in the archive's order.
fn contents(site: &Site) -> Result<Vec<(PathBuf, PathBuf)>> {
    let root = project::root();
    let mut files = Vec::new();
    add(&site.folder(), Path::new("dist"), &mut files)?;
    files.push(("kwp".into(), project::target().join("release/kwp")));
    files.extend(PAPERS.map(|paper| (paper.into(), root.join(paper))));
    files.sort();
    Ok(files)
}

/// A folder's files, and those of the folders in it.
fn add(folder: &Path, place: &Path, files: &mut Vec<(PathBuf, PathBuf)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        let place = place.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            add(&entry.path(), &place, files)?;
        } else {
            files.push((place, entry.path()));
        }
    }
    Ok(())
}

/// Writes the archive; the answer is its size in bytes.
fn pack(file: File, files: &[(PathBuf, PathBuf)], name: &str) -> Result<u64> {
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    archive.mode(tar::HeaderMode::Deterministic);
    for (place, path) in files {
        archive.append_path_with_name(path, Path::new(name).join(place))?;
    }
    let mut file = archive.into_inner()?.finish()?;
    file.flush()?;
    Ok(file.metadata()?.len())
}
