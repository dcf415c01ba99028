//! The outcome of a run for people.

use super::out::{BAD, GOOD, HEAD, ODD, Paper, paint};
use crate::{
    ids::KeyId,
    ledger::{Counters, INVARIANTS, IgnoredInput, Keep, Outcome, escaped, key_name},
    run::Run,
    scenario::{Exhausted, Finding, Scenario, findings, play},
    workload::{Workload, hundredths},
    world::{Log, config::Routing},
};

/// Entries of a list that are shown.
const SHOWN: usize = 10;

/// The longest log whose work is added up: a second or two.
const LONGEST_SUM: u64 = 100_000_000;

/// Prints the report.
pub(super) fn print(
    scenario: &Scenario,
    run: &Run,
    outcome: &Outcome,
    routings: bool,
    paper: &mut Paper,
) -> Result<(), Exhausted> {
    heading(scenario, run, paper);
    leftovers(run, paper);
    idle_inputs(run, paper);
    paper.line("");
    for (name, finding) in findings(outcome) {
        paper.line(format!("  {name:<15} {}", finding.as_ref().map_or_else(|| absent(name), short)));
    }
    paper.line("");
    invariants(run, paper);
    paper.line("");
    let workload = (scenario.setup.log().len() <= LONGEST_SUM).then(|| Workload::of(scenario.setup.log()));
    pace(scenario, run, finished(outcome), workload.as_ref(), paper);
    if routings || workload.is_some_and(|workload| workload.arrivals) {
        paper.line("");
        compare(scenario, paper)?;
    }
    Ok(())
}

fn heading(scenario: &Scenario, run: &Run, paper: &mut Paper) {
    let title = scenario.title.as_deref().unwrap_or(&scenario.file);
    paper.line(paint(HEAD, escaped(title)));
    if let Some(source) = &scenario.source {
        paper.line(format!("after {}", escaped(source)));
    }
    let (records, keys) = (run.world().log().len(), run.world().log().key_count());
    let last = run.now().0.saturating_sub(1);
    let end = if last < scenario.last.0 { "nothing can change any more" } else { "the last tick" };
    paper.line(format!(
        "{records} {}, {keys} {}; ticks 0 to {last}: {end}",
        plural(records, "record", "records"),
        plural(keys as u64, "key", "keys")
    ));
}

fn invariants(run: &Run, paper: &mut Paper) {
    let verdicts = run.ledger().verdicts();
    let broken = verdicts.violated().count();
    let kept = INVARIANTS.len() - broken;
    if broken == 0 {
        paper.line(format!("{} all {kept} invariants", paint(GOOD, "kept")));
        return;
    }
    paper.line(format!("{} {kept} of {} invariants", paint(GOOD, "kept"), INVARIANTS.len()));
    for (invariant, tick) in verdicts.violated() {
        let excuse = match invariant.broken_by {
            "" => "no setting excuses it".to_owned(),
            by => format!("broken on purpose by {by}"),
        };
        paper.line(format!("{} since tick {tick}: {} ({excuse})", paint(BAD, "broken"), invariant.sentence));
    }
}

/// What the run left undone.
fn leftovers(run: &Run, paper: &mut Paper) {
    let (world, log) = (run.world(), run.world().log());
    let Some((_, session)) = world.owner() else { return };
    let (in_flight, unread) = (session.in_flight(), log.len().saturating_sub(session.next_index()));
    if in_flight == 0 && unread == 0 {
        return;
    }
    let stuck = if world.is_settled() { ", and nothing that could end ever will: stuck" } else { "" };
    let paused = if session.is_paused() { ", intake paused" } else { "" };
    paper.line(format!(
        "{} {in_flight} in flight, {unread} not yet read{paused}{stuck}",
        paint(ODD, "unfinished")
    ));
}

/// Inputs that changed nothing.
fn idle_inputs(run: &Run, paper: &mut Paper) {
    for line in ignored_lines(run.ledger().ignored()) {
        paper.line(format!("{} {line}", paint(ODD, "ignored")));
    }
}

/// Inputs that changed nothing, the first few with their reasons: a line each.
pub(super) fn ignored_lines(ignored: &[IgnoredInput]) -> Vec<String> {
    const TOLD: usize = 3;
    let mut lines: Vec<_> = ignored.iter().take(TOLD).map(IgnoredInput::sentence).collect();
    match ignored.len().saturating_sub(TOLD) {
        0 => {}
        1 => lines.push("and 1 more input".to_owned()),
        more => lines.push(format!("and {more} more inputs")),
    }
    lines
}

/// How fast it went, and how fast it could have gone.
fn pace(scenario: &Scenario, run: &Run, finished: u64, workload: Option<&Workload>, paper: &mut Paper) {
    let counters = run.ledger().counters();
    let (knobs, log) = (scenario.setup.knobs(), run.world().log());
    let mut row = |name: &str, text: String| paper.line(format!("  {name:<15} {text}"));
    match counters.makespan() {
        Some(ticks) => {
            row("makespan", format!("{} from the first poll to the last completion", ticks_of(ticks)))
        }
        None => row("makespan", "nothing completed".to_owned()),
    }
    row("throughput", format!("{} records per tick", throughput(finished, counters)));
    let Some(workload) = workload else {
        return row("total work", "not added up: the log is too long".to_owned());
    };
    let endless = match workload.endless {
        0 => String::new(),
        n => format!(", and {n} {} without an end", plural(n, "record", "records")),
    };
    row("total work", format!("{}{endless}", sum_of(workload.total.work)));
    let Some((hottest, load)) = workload.hottest(knobs.null_keys) else { return };
    row(
        "hottest key",
        format!("{}, {} in {}", named(hottest, log), sum_of(load.work), records(load.records)),
    );
    let workers = knobs.workers;
    row(
        "bound",
        format!(
            "{}: no keyed pool of {workers} {} is faster, max(total work / workers, hottest key's work)",
            sum_of(workload.bound(workers, knobs.null_keys)),
            plural(workers.into(), "worker", "workers")
        ),
    );
    // A sum that was cut has no ratio to another.
    let parallelism = workload.parallelism_hundredths(knobs.null_keys);
    if let Some(parallel) = parallelism.filter(|_| workload.total.work < u64::MAX) {
        row(
            "parallelism",
            format!("{} at most, whatever the workers: total work / hottest key's work", decimal(parallel)),
        );
    }
    if let (true, Some((key, load))) = (workload.arrivals, workload.last_to_finish(knobs.null_keys)) {
        row(
            "earliest finish",
            format!(
                "tick {}: as records arrive, {} cannot be done before",
                load.earliest_finish,
                named(key, log)
            ),
        );
    }
}

/// The same scenario under each routing.
fn compare(scenario: &Scenario, paper: &mut Paper) -> Result<(), Exhausted> {
    let routings = [
        ("keyed", Routing::Keyed),
        ("shared", Routing::Shared),
        ("serial", Routing::Serial),
        ("lanes 8", Routing::Lanes(8)),
    ];
    let head = [
        "routing",
        "makespan",
        "records/tick",
        "peak in flight",
        "order breaks",
        "overlaps",
        "records finished",
    ];
    let line = |cells: [&str; 7]| {
        let [name, rest @ ..] = cells;
        let rest: Vec<_> = rest
            .iter()
            .zip(&head[1..])
            .map(|(cell, head)| format!("{cell:>width$}", width = head.len()))
            .collect();
        format!("  {name:<8} {}", rest.join("  "))
    };
    paper.line(paint(HEAD, line(head)));
    for (name, routing) in routings {
        let run = play(&scenario.routed(routing), Keep::Outcome, |_| true)?;
        let finished = finished(&run.outcome());
        let counters = run.ledger().counters();
        let makespan = counters.makespan().map_or("-".to_owned(), |ticks| ticks.to_string());
        paper.line(line([
            name,
            &makespan,
            &throughput(finished, counters),
            &counters.peak_in_flight.to_string(),
            &counters.order_breaks.to_string(),
            &counters.overlaps.to_string(),
            &finished.to_string(),
        ]));
    }
    Ok(())
}

/// Records that were finished at least once: one that comes again counts no second time.
fn finished(outcome: &Outcome) -> u64 {
    let mut offsets: Vec<_> = outcome.completions.iter().map(|stamp| stamp.offset).collect();
    offsets.sort_unstable();
    offsets.dedup();
    offsets.len() as u64
}

/// Records finished per tick of the makespan.
fn throughput(finished: u64, counters: &Counters) -> String {
    let rate = counters.makespan().and_then(|ticks| hundredths(finished, ticks));
    rate.map_or("-".to_owned(), decimal)
}

/// `242` as `2.42`.
fn decimal(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn named(key: Option<KeyId>, log: &Log) -> String {
    match key.and_then(|id| log.key(id)) {
        Some(key) if key.bytes().is_empty() => "the empty key".to_owned(),
        Some(key) => key_name(key),
        None => "the records without a key".to_owned(),
    }
}

fn ticks_of(ticks: u64) -> String {
    format!("{ticks} {}", plural(ticks, "tick", "ticks"))
}

/// A sum of work, which may have been cut.
fn sum_of(ticks: u64) -> String {
    format!("{}{}", if ticks == u64::MAX { "at least " } else { "" }, ticks_of(ticks))
}

fn records(count: u64) -> String {
    format!("{count} {}", plural(count, "record", "records"))
}

fn plural(count: u64, one: &'static str, more: &'static str) -> &'static str {
    if count == 1 { one } else { more }
}

fn absent(name: &str) -> String {
    match name {
        "crashed_at" => "never",
        _ => "none: the owner is down",
    }
    .to_owned()
}

/// A value, its list cut short.
fn short(finding: &Finding) -> String {
    match finding.entries() {
        None => finding.to_string(),
        Some(entries) if entries.is_empty() => "none".to_owned(),
        Some(entries) if entries.len() <= SHOWN => entries.join(", "),
        Some(entries) => format!("{}: {} and so on", entries.len(), entries[..SHOWN].join(", ")),
    }
}
