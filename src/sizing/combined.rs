//! All together: the workers that are enough, with the marks that are enough, in a run of their own.
//!
//! Each answer turns one knob and leaves the others as they are. Whether they can be followed all at once is not
//! concluded but measured.

use super::{
    gauge::Measure,
    jobs::Progress,
    pooled::{marks_for, poll_for, pooled},
    study::Answer,
    subject::{Base, Subject},
    table::counted,
    trial::Trial,
};
use crate::{
    ids::Tick,
    ledger::grouped,
    world::{Knobs, config::Intake},
};

/// The recommended settings, and their runs.
#[derive(Clone, Debug)]
pub struct Combined {
    knobs: Knobs,
    /// With the records as they arrive, where they do; from a backlog.
    trials: Vec<Trial>,
    done: usize,
}

impl Combined {
    /// Before its first step; nothing unless there is a number of workers and marks to be put together.
    #[must_use]
    pub fn new(subject: &Subject, answers: &[Answer]) -> Option<Combined> {
        let workers = answers.iter().find_map(|answer| match answer {
            Answer::Workers(answer) => answer.enough,
            _ => None,
        })?;
        let (high, low, poll) = answers.iter().find_map(|answer| match answer {
            Answer::Marks(answer) => answer.enough,
            _ => None,
        })?;
        let (mut knobs, commits) = pooled(subject.knobs(), subject.commits(), workers);
        if knobs.concurrency() > 1 {
            // Marks that were judged with fewer workers are raised with them.
            let least = if workers > subject.knobs().concurrency() { marks_for(workers) } else { (0, 0) };
            knobs.intake = Intake::Pause { high: high.max(least.0), low: low.max(least.1) };
            knobs.poll = poll.max(if least.0 > high { poll_for(least.0) } else { 0 });
        }
        let case = super::trial::Case { commits, ..subject.case(knobs.clone()) };
        let backlog = subject.backlog_of(case.clone());
        let cases = if subject.workload().arrivals { vec![case, backlog] } else { vec![backlog] };
        Some(Combined { knobs, trials: cases.iter().map(Trial::new).collect(), done: 0 })
    }

    /// Goes on for about so many steps of the simulation.
    pub fn advance(&mut self, steps: u64) -> Progress {
        if let Some(trial) = self.trials.get_mut(self.done)
            && trial.advance(Tick::MAX, steps.max(1))
        {
            self.done += 1;
        }
        let jobs = self.trials.len();
        Progress { done: self.done, jobs, permille: self.done as u64 * 1000 / jobs.max(1) as u64 }
    }

    /// Does all that is left.
    pub fn finish(&mut self) {
        while !self.advance(u64::MAX).is_complete() {}
    }

    /// The recommended settings.
    #[must_use]
    pub fn knobs(&self) -> &Knobs {
        &self.knobs
    }

    /// What came of them: as the records arrive, where they do, and from a backlog. Nothing until all is done.
    #[must_use]
    pub fn measures(&self) -> Option<(Measure, Measure)> {
        let (first, last) = (self.trials.first()?, self.trials.last()?);
        (self.done == self.trials.len()).then(|| (first.measure(), last.measure()))
    }

    /// The same in a sentence.
    #[must_use]
    pub fn sentence(&self, subject: &Subject, base: &Base) -> Option<String> {
        let (arriving, backlog) = self.measures()?;
        let unit = subject.unit();
        let rate = |measure: &Measure| unit.rate(measure.finished, measure.makespan);
        let marks = match self.knobs.intake {
            Intake::Pause { high, low } => {
                format!("a high mark of {}, a low one of {}, ", grouped(high), grouped(low))
            }
            _ => String::new(),
        };
        let made = if subject.knobs().concurrency() == 1 && self.knobs.workers > 1 {
            "keyed mailboxes, "
        } else {
            ""
        };
        Some(format!(
            "{}, {made}{marks}polls of {}: p50 {}, p99 {}, at most {} in the system; {} from a backlog, with up to {} in \
             flight and {} not committed. As it is now: p99 {}, {} from a backlog. The drain, the crash and the poisoned \
             record above are those of the settings as they are: take these over, and ask again.",
            counted(self.knobs.workers.into(), "worker"),
            grouped(self.knobs.poll),
            unit.span(arriving.p50),
            unit.span(arriving.p99),
            unit.span(arriving.max),
            rate(&backlog),
            grouped(arriving.peak_in_flight.max(backlog.peak_in_flight)),
            grouped(arriving.peak_span.max(backlog.peak_span)),
            unit.span(base.measure.p99),
            rate(&base.catching_up),
        ))
    }
}
