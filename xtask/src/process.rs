//! Running other programs: on a PATH with the project's own tools first, with errors that name the command.

use std::{
    error::Error,
    ffi::OsString,
    fmt,
    io::{BufRead, BufReader, IsTerminal, Write},
    process::{Command, ExitStatus, Stdio},
};

use anyhow::{Context, Result};

use crate::project;

/// A program that ran and said no; why, it has printed itself.
#[derive(Debug)]
pub(crate) struct Failed {
    command: String,
    status: ExitStatus,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed ({})", self.command, self.status)
    }
}

impl Error for Failed {}

/// Tells the person at the terminal what is being done.
pub(crate) fn say(what: &str) {
    println!("==> {what}");
}

/// A command in the repository's root, with the project's tools first on its PATH.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(project::root()).env("PATH", path()).stdin(Stdio::null());
    // Cargo tells a program that it runs about that program's package; the next cargo must not believe it.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// A cargo command, by the cargo (and so the toolchain) that runs this program.
pub(crate) fn cargo() -> Command {
    command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
}

/// The PATH that programs get: the project's own tools first.
pub(crate) fn path() -> OsString {
    let own = [project::tools().join("bin"), project::root().join("xtask/npm/node_modules/.bin")];
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&inherited))).unwrap_or(inherited)
}

/// Runs a command with its output where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("could not start `{}`", shown(command)))?;
    if !status.success() {
        return Err(Failed { command: shown(command), status }.into());
    }
    Ok(())
}

/// Runs a command, shows its standard output as it comes, and hands every line of it to `line`.
pub(crate) fn run_reading(command: &mut Command, mut line: impl FnMut(&str)) -> Result<()> {
    command.stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("could not start `{}`", shown(command)))?;
    let output = child.stdout.take().context("no output to read")?;
    for read in BufReader::new(output).split(b'\n') {
        let text = String::from_utf8_lossy(&read?).into_owned();
        println!("{text}");
        std::io::stdout().flush()?;
        line(&text);
    }
    let status = child.wait()?;
    if !status.success() {
        return Err(Failed { command: shown(command), status }.into());
    }
    Ok(())
}

/// What a command prints, trimmed; nothing if it is missing or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Whether a program is on the PATH and answers `--version`.
pub(crate) fn exists(program: &str) -> bool {
    output(command(program).arg("--version")).is_some()
}

/// Whether a person is watching, so that programs whose output is read may still colour it.
pub(crate) fn coloured() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
