//! Checks every claim and every lesson on every broker, and writes docs/conformance.md.

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use conformance::{
    claims::CLAIMS,
    flight,
    harness::{Trouble, cluster::Kind, tansu},
    lessons::LESSONS,
    report::{Chaos, Report, Told},
};

/// Checks at a time: they mostly wait.
const AT_ONCE: usize = 4;

/// Seeds of the flights.
const SEEDS: u64 = 3;

fn main() -> ExitCode {
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make() -> Result<(), Trouble> {
    let brokers = [Kind::Mock, Kind::Tansu];
    let claims: Vec<_> = CLAIMS.iter().flat_map(|claim| brokers.map(|kind| (claim, kind))).collect();
    let claims = all(&claims, |(claim, kind)| {
        println!("{kind:?}: {}", claim.sentence);
        claim.check(*kind).map_err(|error| format!("{} on {kind:?}: {error}", claim.name).into())
    })?;
    let lessons: Vec<_> = LESSONS.iter().flat_map(|lesson| brokers.map(|kind| (lesson, kind))).collect();
    let lessons = all(&lessons, |(lesson, kind)| {
        println!("{kind:?}: {}", lesson.sentence);
        (lesson.learn)(*kind).map_err(|error| format!("{} on {kind:?}: {error}", lesson.name).into())
    })?;
    let calm = flight::fly(None)?;
    let mut chaos = Vec::new();
    for seed in 1..=SEEDS {
        println!("flights, seed {seed}");
        let outcome = flight::fly(Some(seed))?;
        if outcome.rows != calm.rows {
            return Err(format!("seed {seed}: the rows differ from those of a calm day").into());
        }
        chaos.push(Chaos { seed, outcome });
    }
    let report = Report {
        date: output(Command::new("date").args(["-u", "+%Y-%m-%d"])).ok_or("no date")?,
        librdkafka: rdkafka::util::get_rdkafka_version().1,
        tansu: tansu::program().and_then(|program| output(Command::new(program).arg("--version"))),
        claims: claims.chunks(2).map(<[_]>::to_vec).collect(),
        lessons: lessons.chunks(2).map(|told| [told[0].clone(), told[1].clone()]).collect::<Vec<Told>>(),
        chaos,
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance.md");
    fs::write(&file, report.to_markdown())?;
    println!("written: {}", file.display());
    Ok(())
}

/// Does all of it, some at a time; the answers are in the order of the questions.
fn all<T: Sync, A: Send>(
    questions: &[T],
    ask: impl Fn(&T) -> Result<A, Trouble> + Sync,
) -> Result<Vec<A>, Trouble> {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let (place, Some(question)) = {
            let place = next.fetch_add(1, Ordering::Relaxed);
            (place, questions.get(place))
        } {
            let answer = ask(question);
            answers.lock().unwrap_or_else(PoisonError::into_inner).push((place, answer));
        }
    };
    thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
