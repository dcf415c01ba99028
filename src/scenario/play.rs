//! Playing a scenario to its end, within the bounds of a machine.

use std::fmt;

use super::{Scenario, source::BadInput, value::Document};
use crate::{
    ledger::Keep,
    player::Course,
    run::Run,
    world::{Knobs, Log},
};

/// The most records that a run may hold in flight.
pub const MOST_IN_FLIGHT: u64 = 10_000_000;

/// The most entries that a run's lists, and the most events that it may leave behind.
pub const MOST_NOTES: u64 = 20_000_000;

/// A run that would need more memory than is sensible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    tick: u64,
    what: &'static str,
    most: u64,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exhausted { tick, what, most } = self;
        write!(f, "stopped after tick {tick}: the run holds more than {most} {what}")?;
        write!(
            f,
            "\n  = expected a shorter or smaller one: lower `ticks`, `log.generate.count` or `consumer.poll`"
        )
    }
}

impl std::error::Error for Exhausted {}

/// Plays the scenario; `watch` sees the run after every tick, and ends it early by answering `false`.
///
/// # Errors
/// If it outgrows [`MOST_IN_FLIGHT`] or [`MOST_NOTES`].
pub fn play(scenario: &Scenario, keep: Keep, mut watch: impl FnMut(&Run) -> bool) -> Result<Run, Exhausted> {
    let course = Course::new(scenario.setup.clone(), scenario.inputs.clone(), scenario.last);
    let mut run = Run::new(course.setup(), keep);
    while !course.is_over(&run) && course.step(&mut run) {
        check_growth(&run, keep)?;
        if !watch(&run) {
            break;
        }
    }
    Ok(run)
}

fn check_growth(run: &Run, keep: Keep) -> Result<(), Exhausted> {
    let exhausted = |what, most| Exhausted { tick: run.now().0.saturating_sub(1), what, most };
    if run.world().owner().is_some_and(|(_, session)| session.in_flight() > MOST_IN_FLIGHT) {
        return Err(exhausted("records in flight", MOST_IN_FLIGHT));
    }
    let counters = run.ledger().counters();
    let notes = counters.completed + counters.redelivered + counters.quarantined + counters.leaked;
    if keep >= Keep::Outcome && notes > MOST_NOTES {
        return Err(exhausted("entries in the lists of its outcome", MOST_NOTES));
    }
    if run.ledger().events().len() as u64 > MOST_NOTES {
        return Err(exhausted("events", MOST_NOTES));
    }
    Ok(())
}

/// Refuses what a single poll could not hold: the only growth that cannot be watched tick by tick.
pub(super) fn check_size(document: &Document<'_>, log: &Log, settings: &[Knobs]) -> Result<(), BadInput> {
    let poll = settings.iter().map(|knobs| knobs.poll).max().unwrap_or(0);
    if log.len().min(poll) <= MOST_IN_FLIGHT {
        return Ok(());
    }
    Err(document.at("log.generate.count").complaint(
        format!("one poll could return {} records", log.len().min(poll)),
        format!("`consumer.poll`, or the number of records, to be at most {MOST_IN_FLIGHT}"),
    ))
}
