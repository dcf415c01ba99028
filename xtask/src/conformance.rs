//! The page's claims on the real client: what has to be there, and what is run.
//!
//! `conformance/` is no default member of the workspace, because it compiles librdkafka from C: minutes, once.
//! Everything here uses one profile, so that it stays once.

use std::process::Command;

use anyhow::Result;

use crate::{
    process::{cargo, run, say},
    tools,
};

/// Clippy and rustdoc, as for the rest of the workspace.
pub(crate) fn lint() -> Result<()> {
    tools::component("clippy", "clippy")?;
    tools::compilers()?;
    run(cargo().args(["clippy", "-p", "conformance", "--all-targets", "--locked", "--", "-D", "warnings"]))?;
    run(cargo()
        .args(["doc", "-p", "conformance", "--no-deps", "--locked"])
        .env("RUSTDOCFLAGS", "-D warnings"))
}

/// The command that runs the tests.
pub(crate) fn tests() -> Result<Command> {
    prepare()?;
    let mut command = cargo();
    command.args(["test", "-p", "conformance", "--lib", "--bins", "--tests", "--locked", "--no-fail-fast"]);
    // They mostly wait for sessions to expire.
    command.args(["--", "--test-threads", "4"]);
    Ok(command)
}

/// Checks all claims and writes what came of it into docs/conformance.md.
pub(crate) fn report() -> Result<()> {
    prepare()?;
    // Its processes are programs of the same package.
    run(cargo().args(["build", "-p", "conformance", "--locked", "--bins"]))?;
    run(cargo().args(["run", "-p", "conformance", "--locked", "--bin", "report"]))
}

fn prepare() -> Result<()> {
    tools::compilers()?;
    // Without the second broker the first has to do; but nobody is to overlook that.
    if let Err(error) = tools::tansu() {
        say("==================================================================================");
        say("SKIPPED: nothing is checked on Tansu, only on librdkafka's mock cluster.");
        say(&format!("Tansu could not be fetched: {error:#}"));
        say("==================================================================================");
    }
    Ok(())
}
