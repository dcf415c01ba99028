//! Small changes to the engine, one at a time: which of them does no test notice?
//!
//! `.cargo/mutants.toml` says what is changed. docs/mutants.md lists the changes that no test notices because
//! there is nothing to notice; any other that gets through is an error.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result, bail};

use crate::{
    process::{cargo, say},
    project, tools,
};

/// The core's tests, quick ones first. Most changes turn the one number of the first pass's few hundred random runs
/// into another; what gets through a pass goes on to the next.
const PASSES: [&[&str]; 3] = [
    &["--test=everywhere"],
    &["--test=core", "--test=presets", "--test=scenarios", "--test=twins", "--test=world"],
    &["--lib", "--test=differential", "--test=metamorphic", "--test=player", "--test=why_always"],
];

/// Exit codes of a cargo-mutants that did its work: all noticed, some not, some only by running into the limit.
const DONE: [i32; 3] = [0, 2, 3];

/// Makes the changes of one shard (`K/N`: every Nth change, from the Kth on), or all of them.
pub(crate) fn mutants(shard: Option<&str>, passed_on: &[String]) -> Result<()> {
    tools::cargo_mutants()?;
    let folder = project::root().join("target/mutants");
    let output = folder.join(shard.map_or("all".to_owned(), |shard| shard.replace('/', "-of-")));
    fs::create_dir_all(&output).with_context(|| format!("creating {}", output.display()))?;
    let (mut uncompiled, mut noticed, mut stopped) = (0, 0, 0);
    let mut missed: Vec<String> = Vec::new();
    for (pass, tests) in PASSES.iter().enumerate() {
        say(&format!("pass {} of {}: {}", pass + 1, PASSES.len(), tests.join(" ")));
        let mut command = cargo();
        command.args(["mutants", "--no-times", "--output"]).arg(&output);
        if pass > 0 {
            command.args(missed.iter().map(|name| format!("--re=^{}$", escaped(name))));
        } else if let Some(shard) = shard {
            command.args(["--sharding", "round-robin", "--shard", shard]);
        }
        // As an argument of every cargo: else each change would be built into all of the project's tests.
        command.args(tests.iter().map(|test| format!("--cargo-arg={test}"))).args(passed_on);
        // One folder for all copies of the sources: what does not change is compiled once.
        command.env("CARGO_TARGET_DIR", folder.join("build"));
        let status = command.status().context("could not start cargo-mutants")?;
        if !status.code().is_some_and(|code| DONE.contains(&code)) {
            bail!("cargo-mutants gave up ({status}); {} says why", output.join("mutants.out/log").display());
        }
        let listed = |verdict: &str| names(&output.join("mutants.out").join(verdict));
        uncompiled += listed("unviable.txt")?.len();
        noticed += listed("caught.txt")?.len();
        stopped += listed("timeout.txt")?.len();
        missed = listed("missed.txt")?;
        if missed.is_empty() {
            break;
        }
    }
    let all = uncompiled + noticed + stopped + missed.len();
    say(&format!(
        "{all} changes: {uncompiled} do not compile, {noticed} noticed, {stopped} noticed by a time limit, {} not \
         noticed",
        missed.len()
    ));
    judge(&missed)
}

/// The changes that a file of cargo-mutants names.
fn names(file: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// A name as a regular expression that matches it alone.
fn escaped(name: &str) -> String {
    let special = |letter: char| !letter.is_alphanumeric() && !" <>=:/_-'&!,\"".contains(letter);
    name.chars().flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter])).collect()
}

/// Survivors must be on the list.
fn judge(missed: &[String]) -> Result<()> {
    let list =
        fs::read_to_string(project::root().join("docs/mutants.md")).context("reading docs/mutants.md")?;
    let survivors: BTreeSet<String> = missed.iter().map(|name| without_place(name)).collect();
    let unknown: Vec<_> = survivors.iter().filter(|name| !list.contains(&format!("`{name}`"))).collect();
    if unknown.is_empty() {
        say("docs/mutants.md tells of each that was not noticed why there is nothing to notice");
        return Ok(());
    }
    for name in &unknown {
        println!("    {name}");
    }
    bail!("no test notices the changes above ({}), and docs/mutants.md does not say why", unknown.len())
}

/// A change's name without line and column, which every edit moves.
fn without_place(name: &str) -> String {
    match name.splitn(4, ':').collect::<Vec<_>>()[..] {
        [file, _, _, what] => format!("{file}:{what}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{escaped, without_place};

    #[test]
    fn a_name_is_a_pattern_for_itself() {
        let name = "src/a.rs:1:2: replace F::g -> Box<dyn X+'_> with (0, *b)";
        assert_eq!(escaped(name), r"src/a\.rs:1:2: replace F::g -> Box<dyn X\+'_> with \(0, \*b\)");
    }

    #[test]
    fn a_name_keeps_its_file_and_its_function() {
        let name = "src/mechanism/gate.rs:41:37: replace >= with < in PauseGate::test";
        assert_eq!(without_place(name), "src/mechanism/gate.rs: replace >= with < in PauseGate::test");
    }
}
