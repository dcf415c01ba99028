//! The outcome of a run for people.

use super::out::{BAD, GOOD, HEAD, ODD, Paper, paint};
use crate::{
    ids::KeyId,
    ledger::{Counters, INVARIANTS, Keep, Outcome, escaped, key_name},
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
    paper.line("");
    for (name, finding) in findings(outcome) {
        paper.line(format!("  {name:<15} {}", finding.as_ref().map_or_else(|| absent(name), short)));
    }
    paper.line("");
    invariants(run, paper);
    paper.line("");
    let workload = (scenario.setup.log().len() <= LONGEST_SUM).then(|| Workload::of(scenario.setup.log()));
    pace(scenario, run, workload.as_ref(), paper);
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

/// How fast it went, and how fast it could have gone.
fn pace(scenario: &Scenario, run: &Run, workload: Option<&Workload>, paper: &mut Paper) {
    let counters = run.ledger().counters();
    let (knobs, log) = (scenario.setup.knobs(), run.world().log());
    let mut row = |name: &str, text: String| paper.line(format!("  {name:<15} {text}"));
    match counters.makespan() {
        Some(ticks) => {
            row("makespan", format!("{} from the first poll to the last completion", ticks_of(ticks)))
        }
        None => row("makespan", "nothing completed".to_owned()),
    }
    row("throughput", format!("{} records per tick", throughput(counters)));
    let Some(workload) = workload else {
        return row("total work", "not added up: the log is too long".to_owned());
    };
    let endless = match workload.endless {
        0 => String::new(),
        n => format!(", and {n} {} without an end", plural(n, "record", "records")),
    };
    row("total work", format!("{}{endless}", ticks_of(workload.total.work)));
    let Some((hottest, load)) = workload.hottest(knobs.null_keys) else { return };
    row(
        "hottest key",
        format!("{}, {} in {}", named(hottest, log), ticks_of(load.work), records(load.records)),
    );
    let workers = knobs.workers;
    row(
        "bound",
        format!(
            "{}: no keyed pool of {workers} {} is faster, max(total work / workers, hottest key's work)",
            ticks_of(workload.bound(workers, knobs.null_keys)),
            plural(workers.into(), "worker", "workers")
        ),
    );
    if let Some(parallel) = workload.parallelism_hundredths(knobs.null_keys) {
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
    let head =
        ["routing", "makespan", "records/tick", "peak in flight", "order breaks", "overlaps", "completed"];
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
        let run = play(&scenario.routed(routing), Keep::Counters, |_| true)?;
        let counters = run.ledger().counters();
        let makespan = counters.makespan().map_or("-".to_owned(), |ticks| ticks.to_string());
        paper.line(line([
            name,
            &makespan,
            &throughput(counters),
            &counters.peak_in_flight.to_string(),
            &counters.order_breaks.to_string(),
            &counters.overlaps.to_string(),
            &counters.completed.to_string(),
        ]));
    }
    Ok(())
}

/// Completions per tick of the makespan.
fn throughput(counters: &Counters) -> String {
    let rate = counters.makespan().and_then(|ticks| hundredths(counters.completed, ticks));
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
