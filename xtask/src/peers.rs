//! The same pool in general-purpose simulators: `benches/peers`, with what it needs.
//!
//! Not one of the checks, and not part of any build of the product: it fetches crates and a Python package of its own.

use anyhow::{Context, Result};

use crate::{
    process::{cargo, command, exists, run, say},
    project,
};

/// Installs SimPy into a folder that git ignores, builds the rest, and prints the table.
pub(crate) fn peers() -> Result<()> {
    let folder = project::root().join("benches/peers");
    let python = python()?;
    say("building the peers (a minute the first time)");
    run(cargo()
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(project::target().join("peers"))
        .arg("--")
        .arg(python)
        .arg(folder.join("pool.py")))
}

/// A Python of our own, with the packages of `requirements.txt`.
fn python() -> Result<std::path::PathBuf> {
    anyhow::ensure!(exists("python3"), "SimPy needs Python 3; `python3` is not on the PATH");
    let home = project::target().join("peers/python");
    let python = home.join("bin/python");
    if !python.exists() {
        run(command("python3").args(["-m", "venv"]).arg(&home)).context(
            "no virtual environment; on Debian, `apt install python3-venv` brings what is missing",
        )?;
    }
    run(command(&python.to_string_lossy()).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--requirement",
        "benches/peers/requirements.txt",
    ]))?;
    Ok(python)
}
