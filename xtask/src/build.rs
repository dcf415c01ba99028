//! Builds the static site with trunk.

use std::{path::PathBuf, time::Instant};

use anyhow::{Context, Result};

use crate::{
    process::{command, run, say},
    project, sizes, tools,
};

/// Where a site goes, and how it is made.
pub(crate) struct Site {
    /// The folder, relative to the repository's root unless absolute.
    pub(crate) dist: PathBuf,
    /// Unoptimised, for a quick look.
    pub(crate) dev: bool,
}

impl Site {
    /// The folder itself.
    pub(crate) fn folder(&self) -> PathBuf {
        project::root().join(&self.dist)
    }
}

/// Installs what is missing, builds the site, and prints what a reader will download.
pub(crate) fn build(site: &Site) -> Result<()> {
    tools::wasm_target()?;
    tools::trunk()?;
    let shrink = !site.dev && tools::wasm_opt()?;
    if !site.dev && !shrink {
        say("no Node.js here: building without wasm-opt; the page works, its module is larger");
    }

    let started = Instant::now();
    let how =
        if site.dev { "unoptimised, seconds" } else { "optimised; a minute the first time, then seconds" };
    say(&format!("building the page ({how})"));
    let mut trunk = command("trunk");
    trunk.args(["build", "--dist"]).arg(site.folder());
    // The hook that compiles the modules hears of this.
    trunk.args(["--release", if site.dev { "false" } else { "true" }]);
    // The compiler's words tell a person more than trunk's own call stack.
    trunk.env("RUST_BACKTRACE", "0");
    // trunk takes NO_COLOR's value for a boolean.
    if std::env::var_os("NO_COLOR").is_some() {
        trunk.env("NO_COLOR", "true");
    }
    run(&mut trunk).context("the page does not build; the compiler's words are above")?;

    let seconds = started.elapsed().as_secs_f64();
    say(&format!("the site is in {} ({seconds:.1} s)", site.dist.display()));
    sizes::print(&site.folder())
}
