//! What the page costs: first paint, what blocks, and the main thread's time while it plays and while it does not.
//!
//! Not one of the checks of `test`: times depend on the machine and on what else it does. What does not depend on it,
//! frames and timers that nobody should ask for, the browser tests count.

use anyhow::{Result, bail};

use crate::{
    browsers,
    build::{Site, build},
    process::{command, exists, run, say},
    project, tools,
};

/// Builds the site, unless it is there, and prints the table.
pub(crate) fn profile(site: &Site, built: bool) -> Result<()> {
    if !exists("node") || !exists("npm") {
        bail!("Node.js, 20 or newer, with npm drives the browser; install it and run again");
    }
    let chrome = browsers::chromium()?;
    tools::npm("tests/browser", "the browser tests' driver (npm's playwright-core)")?;
    if !built {
        build(site)?;
    }
    say("measuring, three times at each throttle (some six minutes)");
    run(command("node")
        .current_dir(project::root().join("tests/browser"))
        .arg("profile.mjs")
        .arg("--dist")
        .arg(site.folder())
        .env("CHROME", chrome))
}
