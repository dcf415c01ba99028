//! The same pool in general-purpose simulators: `benches/peers`, with what it needs.
//!
//! Not one of the checks, and not part of any build of the product: it fetches crates and a Python package of its own.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    process::{cargo, command, exists, run, say},
    project, tools,
};

/// Installs SimPy into a folder that git ignores, builds the rest, and prints the table.
pub(crate) fn peers() -> Result<()> {
    let folder = project::root().join("benches/peers");
    let target = project::target().join("peers");
    let python = python(&target)?;
    tools::wasm_target()?;
    let manifest = folder.join("Cargo.toml");
    let cargo = |subcommand: &str| {
        let mut cargo = cargo();
        cargo.current_dir(&folder).args([subcommand, "--locked", "--manifest-path"]).arg(&manifest);
        cargo.arg("--target-dir").arg(&target);
        cargo
    };
    say("building the peers (two minutes the first time)");
    run(cargo("build").args(["--lib", "--profile", "page", "--target", tools::WASM_TARGET]))?;
    let module = target.join(tools::WASM_TARGET).join("page/peers.wasm");
    if tools::wasm_opt()? {
        run(command("wasm-opt").args(["-Oz", "-o"]).arg(&module).arg(&module))?;
    }
    run(cargo("run").args(["--release", "--"]).arg(module).arg(python))
}

/// A Python of our own, with the packages of `requirements.txt`.
fn python(target: &Path) -> Result<PathBuf> {
    anyhow::ensure!(exists("python3"), "SimPy needs Python 3; `python3` is not on the PATH");
    let home = target.join("python");
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
