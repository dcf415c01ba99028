//! Finds the browsers for the tests, or installs them where Debian's apt can.
//!
//! Chromium must be there. Firefox and WebKit are other engines for the main facts: what cannot be had is left out,
//! and said.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{process::say, tools};

/// Where browsers of Chromium's family are found, besides the PATH.
const PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// Firefox's names on the PATH, and where WebKitGTK's packages put its browser.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];
const MINI_BROWSERS: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser",
    "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.0/MiniBrowser",
];

/// Chromium's path: `CHROME`, else one that is installed, else one that apt installs now.
pub(crate) fn chromium() -> Result<String> {
    if let Some(path) = std::env::var("CHROME").ok().filter(|path| !path.is_empty()) {
        if !Path::new(&path).exists() {
            bail!("CHROME names {path}, which is not there");
        }
        return Ok(path);
    }
    if let Some(path) = find() {
        return Ok(path);
    }
    tools::apt("Chromium", &["chromium", "fonts-liberation"]).context(
        "the browser tests need Chromium or Chrome: install one (Debian: `apt-get install chromium`), \
         or name it: `CHROME=/path/to/chrome cargo xtask test`",
    )?;
    find().context("apt installed chromium, but it is not on the PATH")
}

/// What `tests/browser/harness/engines.mjs` asks of the environment, for each other engine that can be had.
pub(crate) fn others() -> Vec<(&'static str, String)> {
    let mut variables = Vec::new();
    for (name, engine) in [("Firefox", firefox as fn() -> Result<[_; 2]>), ("WebKit", webkit)] {
        match engine() {
            Ok(found) => variables.extend(found),
            Err(error) => say(&format!("SKIPPED: the browser tests in {name}: {error:#}")),
        }
    }
    variables
}

/// Debian has the browser and not its driver, which is a crate.
fn firefox() -> Result<[(&'static str, String); 2]> {
    let find = || FIREFOX.iter().find_map(|name| on_path(name));
    let firefox = match find() {
        Some(path) => path,
        None => tools::apt("Firefox", &["firefox-esr"])
            .and_then(|()| find().context("apt installed firefox-esr, but it is not on the PATH"))?,
    };
    tools::geckodriver()?;
    Ok([("FIREFOX", firefox), ("GECKODRIVER", on_path("geckodriver").context("it is not on the PATH")?)])
}

/// Debian has both, and a display in memory.
fn webkit() -> Result<[(&'static str, String); 2]> {
    let find = || {
        let browser = MINI_BROWSERS.iter().find(|place| Path::new(place).exists())?;
        let display = std::env::var_os("DISPLAY").is_some() || on_path("Xvfb").is_some();
        let driver = on_path("WebKitWebDriver").filter(|_| display)?;
        Some([("WEBKITDRIVER", driver), ("MINIBROWSER", (*browser).to_owned())])
    };
    match find() {
        Some(found) => Ok(found),
        None => tools::apt("WebKit", &["webkit2gtk-driver", "xvfb"]).and_then(|()| {
            find().context("apt installed webkit2gtk-driver, but its browser is not where it was")
        }),
    }
}

fn find() -> Option<String> {
    let placed = || PLACES.iter().find(|place| Path::new(place).exists()).map(ToString::to_string);
    NAMES.iter().find_map(|name| on_path(name)).or_else(placed)
}

/// Where a program is, on the PATH with the project's own tools first.
fn on_path(name: &str) -> Option<String> {
    let folders = crate::process::path();
    let path = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())?;
    path.to_str().map(str::to_string)
}
