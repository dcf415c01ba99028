//! `kwp`, the keyed worker pool on the command line.

mod check;
mod file;
mod json;
mod out;
mod progress;
mod report;
mod run;
mod settings;
mod size;
mod sweep;
mod traffic;
mod verify;
mod why;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use out::{BAD, Paper, complain};

const AFTER: &str = "\
Exit codes: 0 good; 1 an expectation, an invariant or a --fail-if failed; 2 bad usage or input.
Colours follow the terminal, and NO_COLOR.

A scenario (kwp example prints one with every key):

  ticks = 20                     # the last tick; default: until nothing can change
  [log]
  records = [\"0:A*3\", \"1:B*1\"]   # offset:key*work; or generate, or a csv file
  [consumer]
  workers = 2
  routing = \"shared\"             # any worker takes the next one: no order per key
  [[at]]
  tick = 2
  do = { crash = \"A\" }
  [expect]
  redelivered = [0, 1]

Examples:

  kwp run scenario.toml                   what comes of it
  kwp run --events text scenario.toml     and how
  kwp run --chart depth.svg scenario.toml
  kwp why scenario.toml                   which events went wrong
  kwp why --event 31 scenario.toml        and which decision let that one happen
  kwp check scenarios/                    whether it is what the files expect
  kwp sweep scenario.toml --vary workers=1..32*2
  kwp size trace.csv --output report.html";

/// Every key of a scenario file, explained.
const EXAMPLE: &str = include_str!("example.toml");

/// Runs a simulated Kafka consumer with a pool of workers, and checks what it does
///
/// One consumer, one partition, many worker threads: what order do records of one key run in, what does a
/// crash bring again, what bounds memory, what leaks past a rebalance? A scenario file says what is in the
/// log, how the consumer is set and what happens to it; the run is the same on every machine, every time.
#[derive(Parser, Debug)]
#[command(name = "kwp", version, after_help = AFTER, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run a scenario and report what came of it
    ///
    /// The report names everything that [expect] can, the invariants that were broken (some are, on purpose),
    /// and how the pace compares with what the keys allow.
    Run(run::RunArgs),
    /// Ask why something went wrong
    ///
    /// The shortest chain of causes from an event that should not have happened back to the decision that made
    /// it possible: a knob as it stood, with since when, or an input. Without --event, the events that can be
    /// asked about.
    Why(why::WhyArgs),
    /// Compare scenarios with what they expect
    ///
    /// A scenario fails if something under its [expect] came out otherwise. It also fails if an invariant is
    /// broken that no setting breaks on purpose, whether or not it says anything about `violated`. Other
    /// broken invariants are mentioned where the file has no `violated`.
    Check(check::CheckArgs),
    /// Read traffic of your own and say what it is
    ///
    /// A CSV file from your monitoring: when each record arrived, its key, how long it took. Columns are guessed or
    /// named, times are numbers (of milliseconds, unless a title or --unit says otherwise) or dates, rows that make no
    /// sense are skipped and told of. What comes out is a summary, and with --output the trace that a scenario and
    /// kwp size read (csv = "trace.csv").
    Traffic(traffic::TrafficArgs),
    /// Read a consumer's settings and judge them
    ///
    /// Properties of the Java client, of Spring or of librdkafka, or a library's defaults with their sources. What is
    /// understood is told with its meaning, what is not is listed; verdicts come with their arithmetic, and exit
    /// code 1 says that one of them is bad: as it is where nothing at all was understood. Code that hands a client a
    /// map with quoted names (a dictionary of Python, 'enable.auto.commit': False) is read by those names. --export writes the settings in another form.
    Settings(settings::SettingsArgs),
    /// Verify every promise against every mechanism
    ///
    /// Small systems are explored to the last state: every order in which records can finish, every place for the
    /// troubles that a suite has: a crash, a revoke, a poison, a stall, a turned knob. Larger ones are sampled at
    /// random. What breaks on purpose is shown with the shortest run that breaks it; a promise that nothing in a
    /// suite could break is not asked there; anything else that broke would be a fault, and exit code 1.
    Verify(verify::VerifyArgs),
    /// Size a consumer for a trace of your own: workers, marks, drain window, crash, quarantine
    ///
    /// Plays the trace under many settings and tells where more workers stop paying, which marks are enough, which
    /// drain window leaks nothing and how sure that is, what a crash costs, and what a poisoned record holds
    /// back. With --output, a report with charts: kwp size trace.csv --output report.html
    Size(size::SizeArgs),
    /// Run a scenario with knobs over ranges, and compare the numbers
    ///
    /// Every combination is a run of its own, on all cores; the same bytes come out with any number of them:
    /// kwp sweep scenario.toml --vary workers=1..64*2 --vary routing=keyed,shared --format csv
    Sweep(sweep::SweepArgs),
    /// Print a scenario with every key there is, explained
    ///
    /// It runs as it stands: kwp example > my.toml; kwp check my.toml
    Example,
    /// Print a completion script for a shell
    ///
    /// For example: kwp completions bash > ~/.local/share/bash-completion/completions/kwp
    Completions {
        /// Which shell
        shell: Shell,
    },
}

/// The command line, from its arguments to its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut paper = Paper::stdout();
    let status = match &cli.command {
        Command::Run(args) => run::run(args, &mut paper),
        Command::Why(args) => why::run(args, &mut paper),
        Command::Check(args) => check::run(args, &mut paper),
        Command::Traffic(args) => traffic::run(args, &mut paper),
        Command::Settings(args) => settings::run(args, &mut paper),
        Command::Verify(args) => verify::run(args, &mut paper),
        Command::Size(args) => size::run(args, &mut paper),
        Command::Sweep(args) => sweep::run(args, &mut paper),
        Command::Example => {
            paper.line(EXAMPLE.trim_end());
            0
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "kwp", &mut script);
            paper.line(String::from_utf8_lossy(&script).trim_end());
            0
        }
    };
    match paper.finish() {
        Ok(()) => ExitCode::from(status),
        Err(error) => {
            complain(BAD, "error", format!("standard output: {error}"));
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        scenario::{NAMES, Scenario, Source, check},
        world::Knobs,
    };

    #[test]
    fn the_example_shows_the_defaults_and_comes_true() {
        let source = Source::from_reader("example.toml", EXAMPLE.as_bytes()).unwrap();
        let scenario =
            Scenario::parse(&source, std::path::Path::new("")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(*scenario.setup.knobs(), Knobs::default());
        assert_eq!(scenario.expect.len(), NAMES);
        let verdict = check(&scenario).unwrap();
        assert!(verdict.is_good(), "{verdict}");
    }

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
