//! The fuzzer: bytes that nobody thought of, for everything that reads what strangers send.
//!
//! Not one of the checks of `test`: it takes as long as it is given, and a compiler that is not the project's. What
//! it has found lies in `fuzz/corpus`, and `tests/corpus.rs` goes through all of that with every other test.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::{
    process::{command, run, say},
    project, tools,
};

/// One fuzz target a reader, and the longest text that it is given, in bytes: longer ones find nothing else, later.
const TARGETS: [(&str, u32); 5] =
    [("link", 2_048), ("scenario", 4_096), ("trace", 1_024), ("traffic", 1_024), ("settings", 1_024)];

/// What a target may take: seconds an input, MiB in all, and MiB at once.
const SECONDS_AN_INPUT: u32 = 10;
const MEMORY_MIB: u32 = 1_024;
const ALLOCATION_MIB: u32 = 128;

/// Seconds a target runs, unless told otherwise.
pub(crate) const SECONDS: u32 = 60;

/// Runs the named targets, or all of them, for so many seconds each.
pub(crate) fn fuzz(names: &[String], seconds: u32) -> Result<()> {
    let known = |name: &String| TARGETS.iter().any(|(target, _)| target == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        bail!("there is no fuzz target {unknown:?}; there are {}", TARGETS.map(|(name, _)| name).join(", "));
    }
    tools::nightly()?;
    tools::cargo_fuzz()?;
    for (target, longest) in TARGETS {
        if names.is_empty() || names.iter().any(|name| name == target) {
            say(&format!("fuzzing {target} for {seconds} seconds (built first, some 6 min the first time)"));
            one(target, longest, seconds)?;
        }
    }
    Ok(())
}

fn one(target: &str, longest: u32, seconds: u32) -> Result<()> {
    // The fuzzer keeps what is new in the first folder; what is committed is only read.
    let kept = project::target().join("fuzz/corpus").join(target);
    fs::create_dir_all(&kept).with_context(|| format!("making {}", kept.display()))?;
    run(command("rustup")
        .args(["run", tools::NIGHTLY, "cargo", "fuzz", "run", "--fuzz-dir", "fuzz", "--target-dir"])
        .arg(project::target().join("fuzz"))
        .arg(target)
        .arg(&kept)
        .arg(format!("fuzz/corpus/{target}"))
        .arg("--")
        .arg(format!("-dict=fuzz/dictionaries/{target}.dict"))
        .arg(format!("-max_len={longest}"))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={SECONDS_AN_INPUT}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
        .arg(format!("-malloc_limit_mb={ALLOCATION_MIB}"))
        .arg("-print_final_stats=1"))
    .with_context(|| {
        format!(
            "{target} found something, which it has told above. Its bytes are in fuzz/artifacts/{target}: copy \
             them to fuzz/corpus/{target}, and `cargo test --test corpus` fails until it is mended"
        )
    })
}
