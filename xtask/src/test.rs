//! Every check of the project, one after the other, and a summary.

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    browsers,
    build::{Site, build},
    conformance,
    process::{Failed, cargo, coloured, command, exists, run, run_reading, say},
    project, sizes, tools,
};

/// What a person can ask for by name.
const GROUPS: [&str; 5] = ["lint", "native", "wasm", "conformance", "browser"];

/// Tests counted in what a step's programs print.
#[derive(Clone, Copy, Default)]
struct Count {
    passed: u64,
    failed: u64,
}

/// One line of the summary.
struct Step {
    name: &'static str,
    count: Count,
    failed: bool,
    took: Duration,
}

/// What a step does; it counts the tests it has run.
type Work<'a> = Box<dyn Fn(&mut Count) -> Result<()> + 'a>;

/// What a step is, before it has run.
struct Plan<'a> {
    group: &'static str,
    name: &'static str,
    /// Said while it runs.
    what: &'static str,
    /// Said when it fails.
    fix: &'static str,
    run: Work<'a>,
}

/// Runs the named groups of checks, or all of them.
pub(crate) fn test(groups: &[String], site: &Site, built: bool, passed_on: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = groups.iter().find(|group| !GROUPS.contains(&group.as_str())) {
        bail!("there is no group of checks {unknown:?}; there are {}", GROUPS.join(", "));
    }
    let wanted = |group: &str| groups.is_empty() || groups.iter().any(|name| name == group);
    let mut steps = Vec::new();
    for plan in plans(site, built, passed_on).iter().filter(|plan| wanted(plan.group)) {
        say(plan.what);
        let started = Instant::now();
        let mut count = Count::default();
        let result = (plan.run)(&mut count);
        if let Err(error) = &result {
            println!("\nFAILED {}: {error:#}", plan.name);
            // An error with words of its own (a tool that is missing, say) has said what to do.
            if error.chain().next().is_some_and(|outermost| outermost.is::<Failed>()) {
                println!("  to fix: {}", plan.fix);
            }
            println!();
        }
        steps.push(Step { name: plan.name, count, failed: result.is_err(), took: started.elapsed() });
    }
    Ok(summary(&steps))
}

fn plans<'a>(site: &'a Site, built: bool, passed_on: &'a [String]) -> Vec<Plan<'a>> {
    vec![
        Plan {
            group: "lint",
            name: "formatting",
            what: "formatting",
            fix: "`cargo fmt --all`, and the same in fuzz/, which is a workspace of its own",
            run: Box::new(|_| {
                tools::component("rustfmt", "fmt")?;
                run(cargo().args(["fmt", "--all", "--check"]))?;
                run(cargo().args(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
            }),
        },
        Plan {
            group: "lint",
            name: "clippy, native",
            what: "clippy, native: all targets, warnings are errors (a minute the first time)",
            fix: "mend what clippy names; some of it `cargo clippy --fix` does",
            run: Box::new(|_| {
                tools::component("clippy", "clippy")?;
                run(cargo().args([
                    "clippy",
                    "--workspace",
                    "--exclude",
                    "conformance",
                    "--all-targets",
                    "--locked",
                    "--",
                    "-D",
                    "warnings",
                ]))
            }),
        },
        Plan {
            group: "lint",
            name: "clippy, wasm32",
            what: "clippy, wasm32: the page and its tests, warnings are errors (a minute the first time)",
            fix: "mend what clippy names; a test that cannot run on wasm32 opens with \
                  #![cfg(not(target_arch = \"wasm32\"))]",
            run: Box::new(|_| {
                tools::component("clippy", "clippy")?;
                tools::wasm_target()?;
                run(cargo()
                    .args([
                        "clippy",
                        "--lib",
                        "--bins",
                        "--features",
                        "office",
                        "--tests",
                        "--locked",
                        "--target",
                        tools::WASM_TARGET,
                    ])
                    .args(["--", "-D", "warnings"]))
            }),
        },
        Plan {
            group: "lint",
            name: "documentation",
            what: "documentation builds without warnings",
            fix: "mend the links and examples that rustdoc names",
            run: Box::new(|_| {
                run(cargo()
                    .args(["doc", "--workspace", "--exclude", "conformance", "--no-deps", "--locked"])
                    .env("RUSTDOCFLAGS", "-D warnings"))
            }),
        },
        Plan {
            group: "lint",
            name: "dependencies",
            what: "dependencies: lock files, licences, sources, no two versions of one crate, known faults (see deny.toml)",
            fix: "another version, another crate, or a line in deny.toml that says why",
            run: Box::new(|_| dependencies()),
        },
        Plan {
            group: "native",
            name: "native tests",
            what: "native tests (a minute the first time)",
            fix: "`cargo test NAME` runs one of them",
            run: Box::new(|count| {
                let all = ["test", "--workspace", "--exclude", "conformance"];
                let tests = ["--lib", "--bins", "--tests", "--locked", "--no-fail-fast"];
                counted(cargo().args(all).args(tests), count)
            }),
        },
        Plan {
            group: "native",
            name: "doctests",
            what: "the examples in the documentation",
            fix: "`cargo test --doc NAME` runs one of them",
            run: Box::new(|count| counted(cargo().args(["test", "--doc", "--locked"]), count)),
        },
        Plan {
            group: "wasm",
            name: "tests on wasm32",
            what: "the core's tests on wasm32, in Node (a minute the first time)",
            fix: "`cargo xtask test wasm` repeats them; a test that passes natively and fails here means that \
                  the engine is not the same on both",
            run: Box::new(on_wasm32),
        },
        Plan {
            group: "conformance",
            name: "clippy, consumer",
            what: "the real consumer: clippy and documentation (the first time librdkafka is compiled, some 4 min)",
            fix: "mend what clippy or rustdoc names",
            run: Box::new(|_| conformance::lint()),
        },
        Plan {
            group: "conformance",
            name: "conformance",
            what: "the page's claims on librdkafka (a minute)",
            fix: "`cargo test -p conformance NAME` repeats one of them; a failure tells at which tick the real \
                  client and the simulator part ways",
            run: Box::new(|count| counted(&mut conformance::tests()?, count)),
        },
        Plan {
            group: "browser",
            name: "browser tests",
            what: "browser tests, on the built site in a real Chromium; the main facts in Firefox and WebKit too",
            fix: "`cargo xtask test browser --built -- --test-name-pattern=NAME` repeats one of them",
            run: Box::new(move |count| in_browser(site, built, passed_on, count)),
        },
        Plan {
            group: "browser",
            name: "budget",
            what: "what the first view transfers",
            fix: "load later what the first view does not show (src/main.rs), or make it smaller; the budgets are in \
                  xtask/src/sizes.rs",
            run: Box::new(move |_| {
                if site.dev {
                    say("an unoptimised page has no budget");
                    return Ok(());
                }
                sizes::check(&site.folder())
            }),
        },
    ]
}

/// What deny.toml asks of the dependencies. The list of known faults changes every day and lies elsewhere: where it
/// cannot be had, the other checks still count.
fn dependencies() -> Result<()> {
    APART.iter().try_for_each(|manifest| locks(manifest))?;
    tools::cargo_deny()?;
    run(cargo().args(["deny", "check", "bans", "licenses", "sources"]))?;
    if run(cargo().args(["deny", "fetch", "db"])).is_err() {
        say("SKIPPED: whether a dependency has a known fault; the list of them could not be fetched");
        return Ok(());
    }
    run(cargo().args(["deny", "check", "--disable-fetch", "advisories"]))
}

/// Packages with a lock file of their own, which no other step reads.
const APART: [&str; 2] = ["benches/peers/Cargo.toml", "fuzz/Cargo.toml"];

/// Whether a package's lock file has all that the product has come to need.
fn locks(manifest: &str) -> Result<()> {
    let update = ["update", "--workspace", "--manifest-path", manifest];
    let looked = cargo().args(update).args(["--locked", "--quiet"]).output()?;
    let complaint = String::from_utf8_lossy(&looked.stderr);
    if !looked.status.success() && complaint.contains("lock file") {
        bail!("the lock file beside {manifest} is out of date; run `cargo {}`", update.join(" "));
    }
    if !looked.status.success() {
        say(&format!(
            "SKIPPED: whether the lock file beside {manifest} is up to date: {}",
            complaint.trim_end()
        ));
    }
    Ok(())
}

/// Runs the test targets that are written for both (see tests/core.rs).
fn on_wasm32(count: &mut Count) -> Result<()> {
    if !exists("node") {
        bail!("Node.js, 20 or newer, runs these tests; it is not on the PATH");
    }
    tools::wasm_target()?;
    tools::wasm_bindgen()?;
    let targets = targets_for_wasm32(&project::root().join("tests"))?;
    if targets.is_empty() {
        bail!("no file of tests/ names wasm_bindgen_test");
    }
    let named = targets.iter().flat_map(|target| ["--test", target]);
    counted(
        cargo()
            .args(["test", "--locked", "--no-fail-fast", "--target", tools::WASM_TARGET])
            .args(named)
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner"),
        count,
    )
}

/// The names of the test targets whose root file mentions `wasm_bindgen_test`.
fn targets_for_wasm32(tests: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(tests).with_context(|| format!("reading {}", tests.display()))? {
        let path = entry?.path();
        let root = if path.is_dir() { path.join("main.rs") } else { path.clone() };
        let source = if root.extension().is_some_and(|kind| kind == "rs") {
            fs::read_to_string(&root)
        } else {
            continue;
        };
        if source.is_ok_and(|source| source.contains("wasm_bindgen_test")) {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn in_browser(site: &Site, built: bool, passed_on: &[String], count: &mut Count) -> Result<()> {
    if !exists("node") || !exists("npm") {
        bail!("the browser tests need Node.js, 20 or newer, with npm; install it and run again");
    }
    let chrome = browsers::chromium()?;
    let others = browsers::others();
    tools::npm("tests/browser", "the browser tests' drivers (npm's playwright-core and selenium-webdriver)")?;
    if !built {
        build(site)?;
    }
    // What a reader takes away from the page is run again by it.
    run(cargo().args(["build", "--locked", "--bin", "kwp"])).context("kwp does not build")?;
    let kwp = project::target().join("debug/kwp");
    let folder = project::root().join("tests/browser");
    let mut files: Vec<_> = fs::read_dir(&folder)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".test.mjs"))
        .collect();
    files.sort();
    // A person may name files among the words passed on.
    let (named, options): (Vec<_>, Vec<_>) = passed_on.iter().partition(|word| word.ends_with(".mjs"));
    if !named.is_empty() {
        files.retain(|file| named.iter().any(|name| name.ends_with(file.as_str())));
    }
    say(&format!("{chrome} opens the pages of {} test files", files.len()));
    counted(
        command("node")
            .current_dir(&folder)
            .args(["--test", "--test-reporter=spec", "--test-concurrency=2", "--test-timeout=300000"])
            .args(options)
            .args(files)
            .env("CHROME", chrome)
            .envs(others)
            .env("DIST", site.folder())
            .env("KWP", kwp),
        count,
    )
}

/// Runs a program and counts the tests that it reports.
fn counted(command: &mut Command, count: &mut Count) -> Result<()> {
    if coloured() {
        command.env("CARGO_TERM_COLOR", "always").env("FORCE_COLOR", "1");
    }
    run_reading(command, |line| count.add(line))
}

impl Count {
    /// Adds a line of a test runner's report: Rust's ("test result: ok. 3 passed; 0 failed; ...") or Node's
    /// ("ℹ pass 3").
    fn add(&mut self, line: &str) {
        let line = plain(line);
        if let Some(result) = line.strip_prefix("test result: ") {
            let numbers: Vec<u64> = result.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            if let [passed, failed, ..] = numbers[..] {
                self.passed += passed;
                self.failed += failed;
            }
            return;
        }
        let mut words = line.split_whitespace().skip_while(|word| matches!(*word, "ℹ" | "#"));
        match (words.next(), words.next().and_then(|word| word.parse::<u64>().ok()), words.next()) {
            (Some("pass"), Some(number), None) => self.passed += number,
            (Some("fail" | "cancelled"), Some(number), None) => self.failed += number,
            _ => {}
        }
    }
}

/// A line without its colours.
fn plain(line: &str) -> String {
    let mut pieces = line.split("\x1b[");
    let first = pieces.next().unwrap_or_default();
    let rest = pieces.map(|piece| piece.split_once('m').map_or(piece, |(_, text)| text));
    std::iter::once(first).chain(rest).collect()
}

/// Prints the table, and on a line of its own how many checks passed and failed: tests, and steps that have
/// none.
fn summary(steps: &[Step]) -> ExitCode {
    println!("\n    {:<18}{:<8}{:>8}{:>10}", "step", "result", "tests", "seconds");
    let (mut passed, mut failed) = (0, 0);
    for step in steps {
        let Count { passed: good, failed: bad } = step.count;
        // A step that failed counts as a failure even if all tests that it got to passed.
        passed += if good + bad == 0 { u64::from(!step.failed) } else { good };
        failed += bad.max(u64::from(step.failed));
        let result = if step.failed { "FAILED" } else { "ok" };
        let tests = if good + bad == 0 { "-".into() } else { (good + bad).to_string() };
        println!("    {:<18}{result:<8}{tests:>8}{:>10.1}", step.name, step.took.as_secs_f64());
    }
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::{Count, plain};

    fn count(lines: &[&str]) -> (u64, u64) {
        let mut count = Count::default();
        lines.iter().for_each(|line| count.add(line));
        (count.passed, count.failed)
    }

    #[test]
    fn both_runners_reports_are_counted() {
        let rust = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out";
        assert_eq!(
            count(&["running 4 tests", rust, "test result: ok. 2 passed; 0 failed; 0 ignored"]),
            (5, 1)
        );
        assert_eq!(count(&["ℹ tests 5", "ℹ pass 4", "ℹ fail 1", "# pass 1", "ℹ pass 3 of them"]), (5, 1));
    }

    #[test]
    fn colours_hide_nothing() {
        assert_eq!(plain("\x1b[34mℹ pass 3\x1b[39m"), "ℹ pass 3");
        assert_eq!(count(&["test result: \x1b[32mok\x1b[0m. 2 passed; 0 failed;"]), (2, 0));
    }
}
