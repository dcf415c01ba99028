//! `kwp size`: what a consumer's settings do with a trace, as a report.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Args, ValueEnum};

use super::{
    file::Given,
    out::{BAD, GOOD, HEAD, ODD, Paper, complain, failed, paint},
    progress::{Cores, Watched},
    run::{load, save},
    settings::{as_knobs, library},
    sweep::conditions,
    traffic::{self, ReadingArgs},
};
use crate::{
    export::{
        json::Object,
        picture::{Kind, Picture, paint as draw},
    },
    ids::{ConsumerId, Offset},
    ledger::escaped,
    scenario::Scenario,
    settings::{Library, Work, unsaid},
    sizing::{Answer, Combined, Commits, Effort, Question, Report, Study, Subject, Survey, Unit},
    world::Setup,
};

/// Arguments of `kwp size`.
#[derive(Args, Debug)]
pub(super) struct SizeArgs {
    /// Traffic: a CSV file with a header, or - for standard input; or a scenario file (.toml), whose log and
    /// settings are taken
    ///
    /// Numbers of a CSV file are milliseconds, unless a title (took_s, time_ticks) or --unit says otherwise.
    #[arg(value_name = "TRACE")]
    trace: Given,

    #[command(flatten)]
    reading: ReadingArgs,

    /// The settings: consumer properties (Java, Spring, librdkafka), or a scenario file (.toml) whose [consumer] and
    /// [store] are taken
    ///
    /// Properties are in milliseconds: where the trace counts ticks, --tick says how long one is.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Settings that --config does not give, and all of them without it: the defaults of this library
    #[arg(long, value_name = "NAME", value_parser = library)]
    library: Option<&'static Library>,

    /// Write the report into this file: one HTML file that needs nothing else
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the numbers (CSV, JSON) and the charts (SVG, PNG) of each answer into this folder
    ///
    /// Times are in ticks, paces in records per tick; about.json says how many microseconds a tick is.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,

    /// Only these questions
    #[arg(long, value_enum, value_delimiter = ',', value_name = "QUESTIONS")]
    only: Vec<Asked>,

    /// Moments at which the partition is revoked, for every drain window
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    revokes: u32,

    /// Fail, with exit code 1, if this holds of the run with the settings as they are: 'p99 > 200'
    ///
    /// Times are in ticks, or with --tick also as 'p99 > 1.5s'. Given several times: if any holds.
    #[arg(long = "fail-if", value_name = "CONDITION")]
    fail_if: Vec<String>,

    #[command(flatten)]
    cores: Cores,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Asked {
    Workers,
    Marks,
    Drain,
    Crash,
    Quarantine,
}

impl From<Asked> for Question {
    fn from(asked: Asked) -> Question {
        match asked {
            Asked::Workers => Question::Workers,
            Asked::Marks => Question::Marks,
            Asked::Drain => Question::Drain,
            Asked::Crash => Question::Crash,
            Asked::Quarantine => Question::Quarantine,
        }
    }
}

/// 0: done; 1: a condition holds; 2: it cannot be done.
pub(super) fn run(args: &SizeArgs, paper: &mut Paper) -> u8 {
    failed(try_run(args, paper))
}

/// What is to be sized.
struct Named {
    /// What to call it.
    name: String,
    setup: Setup,
    commits: Commits,
    unit: Unit,
    /// What numbers of the trace were taken for.
    units: Vec<String>,
    /// What is worth knowing about the files.
    notes: Vec<String>,
}

/// The traffic and the settings that were named.
fn named(args: &SizeArgs) -> Result<Named, Box<dyn std::error::Error>> {
    let is_scenario =
        |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let (mut notes, mut units) = (Vec::new(), Vec::new());
    let mut tick = args.reading.tick();
    let mut work = None;
    let (name, log, own) = match &args.trace {
        Given::Path(path) if is_scenario(path) => {
            let scenario = load(&args.trace)?;
            if !scenario.inputs.is_empty() {
                notes.push("The scenario's inputs are left out: every question brings its own.".to_owned());
            }
            let name = scenario.title.clone().unwrap_or_else(|| scenario.file.clone());
            (name, scenario.setup.log().clone(), scenario.setup.knobs().clone())
        }
        given => {
            let traffic = traffic::load(given, &args.reading)?;
            tick = traffic.tick().or(tick);
            work = tick.map(|tick| Work::in_traffic(&traffic, tick));
            units.extend(traffic.report().taken.iter().cloned());
            notes.extend(traffic.remarks());
            let name = match given {
                Given::Path(path) => {
                    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
                }
                Given::Stdin => "standard input".to_owned(),
            };
            (name, Arc::new(traffic.log(Offset(0))?), unsaid(tick))
        }
    };
    let (knobs, commits) = match (&args.config, args.library) {
        (Some(path), _) if is_scenario(path) => {
            let scenario = Scenario::load(path)?;
            notes.push(format!("Settings from {}.", scenario.file));
            (scenario.setup.knobs().clone(), Commits::Engine)
        }
        (None, None) => (own, Commits::Engine),
        (config, library) => {
            let tick = tick.ok_or(
                "properties and libraries count milliseconds, and the trace counts ticks; expected --tick, which says \
                 how long one is",
            )?;
            notes.extend(config.iter().map(|path| format!("Settings from {}.", path.display())));
            let given = config.clone().map(Given::Path);
            let (knobs, commits, decided) = as_knobs(given.as_ref(), library, tick, work)?;
            notes.extend(decided);
            (knobs, commits)
        }
    };
    if log.is_empty() {
        return Err(
            format!("{}: there are no records; expected at least one to size by", escaped(&name)).into()
        );
    }
    let unit = tick.map_or(Unit::TICKS, |tick| Unit::of_nanos(tick.nanos()));
    Ok(Named { name, setup: Setup::new(log, knobs, &[ConsumerId::A])?, commits, unit, units, notes })
}

fn try_run(args: &SizeArgs, paper: &mut Paper) -> Result<u8, Box<dyn std::error::Error>> {
    let Named { name, setup, commits, unit, units, notes } = named(args)?;
    let conditions = conditions(&args.fail_if, unit)?;
    let subject = Arc::new(Subject::new(name, setup, unit, args.reading.seed())?.committing(commits));
    let unit = subject.unit();
    let pool = args.cores.pool()?;
    let watched = Watched::new("as it is");
    let base = Survey::of(&subject).ok_or("the run could not be made")?;
    let base = Arc::new(base);
    let effort = Effort { revokes: args.revokes as usize, ..Effort::default() };
    let mut answers = Vec::new();
    for question in asked(args) {
        watched.name(question.name());
        let mut study = Study::new(question, &subject, &base, effort);
        pool.install(|| study.finish(&|progress| watched.tell(progress)));
        answers.push(study.answer());
    }
    let together = Combined::new(&subject, &base, &answers).and_then(|mut combined| {
        watched.name("all together");
        pool.install(|| combined.finish());
        combined.sentence()
    });
    watched.end();

    let report = Report { subject: &subject, base: &base, answers: &answers, notes: &notes, together };
    tell(&report, &units, unit, paper);
    if let Some(path) = &args.output {
        save("report", path, report.html()?.as_bytes())?;
    }
    if let Some(folder) = &args.data {
        save_data(folder, &subject, &answers)?;
    }
    let mut broken = false;
    for condition in conditions.iter().filter(|condition| condition.holds(&base.measure)) {
        complain(BAD, "failed", format!("{condition}: {}", condition.found(&base.measure, unit)));
        broken = true;
    }
    if !broken && !conditions.is_empty() {
        paper.line(format!("{} no condition holds", paint(GOOD, "good")));
    }
    Ok(u8::from(broken))
}

/// What the numbers of a folder are: for a program that has nothing else.
fn about(subject: &Subject) -> Object {
    let tick = subject.unit().micros();
    Object(vec![
        ("trace", escaped(subject.name()).into()),
        ("records", subject.setup().log().len().into()),
        ("tick_us", tick.into()),
        ("times", "ticks".into()),
        ("paces", "records per tick".into()),
        ("shares", "parts of 1".into()),
        ("made_by", concat!("kwp ", env!("CARGO_PKG_VERSION")).into()),
    ])
}

fn asked(args: &SizeArgs) -> Vec<Question> {
    let only: Vec<Question> = args.only.iter().map(|&asked| asked.into()).collect();
    Question::ALL.into_iter().filter(|question| only.is_empty() || only.contains(question)).collect()
}

/// The sentences; the tables and charts are in the report.
fn tell(report: &Report<'_>, units: &[String], unit: Unit, paper: &mut Paper) {
    paper.line(paint(HEAD, escaped(report.subject.name())));
    for warning in report.warnings() {
        paper.line(format!("{} {warning}", paint(ODD, "warning")));
    }
    for note in units.iter().chain(report.notes) {
        paper.line(escaped(note));
    }
    paper.line("");
    paper.text(report.measured().text(unit));
    for answer in report.answers {
        paper.line("");
        paper.line(paint(HEAD, answer.question().title()));
        for sentence in answer.sentences() {
            paper.line(format!("  {sentence}"));
        }
    }
    if let Some(together) = &report.together {
        paper.line("");
        paper.line(paint(HEAD, "All together"));
        paper.line(format!("  {together}"));
    }
}

fn save_data(folder: &Path, subject: &Subject, answers: &[Answer]) -> Result<(), Box<dyn std::error::Error>> {
    let shown = escaped(&folder.display().to_string());
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("{shown}: the folder cannot be made: {error}"))?;
    save("numbers", &folder.join("about.json"), format!("{:#}\n", about(subject)).as_bytes())?;
    for answer in answers {
        let name = answer.question().name();
        let mut tables = vec![(name.to_owned(), answer.table())];
        if let Answer::Crash(crash) = answer {
            tables.push((format!("{name}-moments"), crash.moments()));
        }
        for (name, table) in tables {
            save("numbers", &folder.join(format!("{name}.csv")), table.csv().as_bytes())?;
            save("numbers", &folder.join(format!("{name}.json")), (table.json() + "\n").as_bytes())?;
        }
        if let Some(plot) = answer.plot() {
            let picture = Picture::from(plot);
            save("chart", &folder.join(format!("{name}.svg")), &draw(Kind::Svg, &picture)?)?;
            save("chart", &folder.join(format!("{name}.png")), &draw(Kind::Png, &picture)?)?;
        }
    }
    Ok(())
}
