//! `cargo xtask`: everything that is done to this project, by one command each.
//!
//! Not part of the product: nothing here is compiled into the page or into `kwp`.

mod browsers;
mod build;
mod conformance;
mod fuzz;
mod glue;
mod modules;
mod mutants;
mod offline;
mod peers;
mod process;
mod profile;
mod project;
mod release;
mod report;
mod serve;
mod sizes;
mod test;
mod tools;

use std::{path::PathBuf, process::ExitCode};

use lexopt::prelude::*;

const USAGE: &str = "\
cargo xtask COMMAND

  serve    build the page and serve it on this machine
             --port N     first port to try (default 8080)
  build    build the static site
  release  build the site and kwp, and pack both into an archive (target/release-archive)
  test     every check; or only the named groups: lint, native, wasm, conformance, browser
             --built      browser: test the site as it lies in --dist, without building it
             ARG...       after a --, passed on to the browser tests' runner (node --test)
  conformance
           check the page's claims on librdkafka once more, and write docs/conformance.md
  profile  measure in a real Chromium what the page costs while it loads, plays, and does not (some minutes;
           worth something on a machine at rest)
             --built      the site as it lies in --dist, without building it
  fuzz     look for bytes that break what reads links, scenarios, traces, traffic and settings; or only the named:
           link, scenario, trace, traffic, settings. Needs a nightly toolchain
             --seconds N  how long for each (default 60; 0: until stopped)
  mutants  change the engine in hundreds of small ways, one at a time, and tell which changes no test notices
           and docs/mutants.md does not explain (an hour or two; reports in target/mutants)
             --shard K/N  only every Nth change, from the Kth (0 is the first) on
             ARG...       after a --, passed on to cargo-mutants
  peers    run the same pool in this engine, in NeXosim and in SimPy, and compare (see docs/performance.md)

Options of serve, build, release and test:
  --dist DIR   where the site goes (default dist)
  --dev        an unoptimised page, built in seconds
  -h, --help   this text

Tools that are missing are installed into target/tools. CHROME=/path/to/chromium names the browser for the
tests.";

/// The command line, parsed.
struct Arguments {
    command: Option<String>,
    groups: Vec<String>,
    site: build::Site,
    port: u16,
    built: bool,
    seconds: u32,
    shard: Option<String>,
    passed_on: Vec<String>,
}

fn parse() -> Result<Arguments, lexopt::Error> {
    let mut parser = lexopt::Parser::from_env();
    let mut arguments = Arguments {
        command: None,
        groups: Vec::new(),
        site: build::Site { dist: PathBuf::from("dist"), dev: false },
        port: 8080,
        built: false,
        seconds: fuzz::SECONDS,
        shard: None,
        passed_on: Vec::new(),
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => arguments.command = None,
            Long("dev") => arguments.site.dev = true,
            Long("dist") => arguments.site.dist = parser.value()?.into(),
            Long("port") => arguments.port = parser.value()?.parse()?,
            Long("built") => arguments.built = true,
            Long("seconds") => arguments.seconds = parser.value()?.parse()?,
            Long("shard") => arguments.shard = Some(parser.value()?.string()?),
            Value(word) if arguments.command.is_none() => arguments.command = Some(word.string()?),
            Value(word) => {
                let word = word.string()?;
                let all = arguments.command.as_deref() == Some("mutants");
                let passed_on = all || word.starts_with('-') || word.contains(['/', '.']);
                if passed_on { &mut arguments.passed_on } else { &mut arguments.groups }.push(word);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(arguments)
}

fn main() -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let site = &arguments.site;
    let result = match arguments.command.as_deref() {
        Some("build") => build::build(site).map(|()| ExitCode::SUCCESS),
        Some("serve") => serve::serve(site, arguments.port).map(|()| ExitCode::SUCCESS),
        Some("peers") => peers::peers().map(|()| ExitCode::SUCCESS),
        Some("release") => release::release(site).map(|()| ExitCode::SUCCESS),
        // For trunk, when it has put everything else in place.
        Some("modules") => modules::make().map(|()| ExitCode::SUCCESS),
        Some("mutants") => {
            mutants::mutants(arguments.shard.as_deref(), &arguments.passed_on).map(|()| ExitCode::SUCCESS)
        }
        Some("test") => test::test(&arguments.groups, site, arguments.built, &arguments.passed_on),
        Some("conformance") => conformance::report().map(|()| ExitCode::SUCCESS),
        Some("profile") => profile::profile(site, arguments.built).map(|()| ExitCode::SUCCESS),
        Some("fuzz") => fuzz::fuzz(&arguments.groups, arguments.seconds).map(|()| ExitCode::SUCCESS),
        Some(other) => {
            eprintln!("error: there is no command {other:?}\n\n{USAGE}");
            return ExitCode::from(2);
        }
        None => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
    };
    result.unwrap_or_else(|error| {
        eprintln!("\nerror: {error:#}");
        ExitCode::FAILURE
    })
}
