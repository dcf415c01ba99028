//! Finds the browser for the tests, or installs it where Debian's apt can.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::process::{command, exists, output, run, say};

/// Where browsers of Chromium's family are found, besides the PATH.
const PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// The browser's path: `CHROME`, else one that is installed, else one that apt installs now.
pub(crate) fn find_or_install() -> Result<String> {
    if let Some(path) = std::env::var("CHROME").ok().filter(|path| !path.is_empty()) {
        if !Path::new(&path).exists() {
            bail!("CHROME names {path}, which is not there");
        }
        return Ok(path);
    }
    if let Some(path) = find() {
        return Ok(path);
    }
    install().context(
        "the browser tests need Chromium or Chrome: install one (Debian: `apt-get install chromium`), \
         or name it: `CHROME=/path/to/chrome cargo xtask test`",
    )?;
    find().context("apt installed chromium, but it is not on the PATH")
}

fn find() -> Option<String> {
    let on_path = |name: &str| {
        let folders = std::env::var_os("PATH")?;
        let path =
            std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())?;
        path.to_str().map(str::to_string)
    };
    let placed = || PLACES.iter().find(|place| Path::new(place).exists()).map(ToString::to_string);
    NAMES.iter().find_map(|name| on_path(name)).or_else(placed)
}

fn install() -> Result<()> {
    if !exists("apt-get") {
        bail!("there is no browser of Chromium's family here, and no apt to install it with");
    }
    let root = output(command("id").arg("-u")).is_some_and(|id| id == "0");
    if !root && output(command("sudo").args(["-n", "true"])).is_none() {
        bail!("there is no browser of Chromium's family here, and installing one needs root");
    }
    let apt = |arguments: &[&str]| {
        let mut apt = if root { command("apt-get") } else { command("sudo") };
        if !root {
            apt.args(["-n", "apt-get"]);
        }
        run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    say("installing Chromium with apt (a minute)");
    let install = ["install", "-y", "-q", "--no-install-recommends", "chromium", "fonts-liberation"];
    // The package lists of a fresh machine are often empty or old: look at them only when that shows.
    apt(&install).or_else(|_| apt(&["update", "-q"]).and_then(|()| apt(&install)))
}
