//! All together: the workers that are enough, with the marks that are enough for them, in a run of their own.
//!
//! Each answer turns one knob and leaves the others as they are. Whether they can be followed all at once is not
//! concluded but measured; and marks that were judged with other workers are judged anew with these.

use std::sync::Arc;

use super::{
    commits::Commits,
    gauge::Measure,
    jobs::{Jobs, Progress},
    marks,
    pooled::pooled,
    study::Answer,
    subject::{Base, Subject},
    table::counted,
    trial::{Case, Trial},
};
use crate::{
    ids::Tick,
    ledger::grouped,
    world::{
        Knobs,
        config::{Intake, Routing},
    },
};

/// The recommended settings, and their runs.
#[derive(Clone, Debug)]
pub struct Combined {
    subject: Arc<Subject>,
    knobs: Knobs,
    commits: Commits,
    /// More workers pay up to so many, for whoever has to catch up.
    pays_up_to: Option<u32>,
    /// Marks that are being judged with the recommended workers, where they were judged with others.
    marks: Option<(marks::Plan, Jobs)>,
    /// With the records as they arrive, where they do; from a backlog. None before the marks are known.
    trials: Vec<Trial>,
    done: usize,
}

impl Combined {
    /// Before its first step; nothing unless there is a number of workers and marks to be put together.
    #[must_use]
    pub fn new(subject: &Arc<Subject>, answers: &[Answer]) -> Option<Combined> {
        let workers = answers.iter().find_map(|answer| match answer {
            Answer::Workers(answer) => Some(answer),
            _ => None,
        })?;
        let marks = answers.iter().find_map(|answer| match answer {
            Answer::Marks(answer) => Some(answer),
            _ => None,
        })?;
        let named = workers.named?;
        let (knobs, commits) = pooled(subject.knobs(), subject.commits(), named);
        let mut combined = Combined {
            subject: subject.clone(),
            knobs,
            commits,
            pays_up_to: workers.pays_up_to,
            marks: None,
            trials: Vec::new(),
            done: 0,
        };
        if combined.knobs.routing == Routing::Serial {
            // One thread works on one record at a time: marks decide nothing.
            combined.begin(None);
        } else if named == marks.workers {
            combined.begin(marks.named);
        } else {
            let plan = marks::Plan::for_workers(subject, named);
            let jobs = plan.jobs(subject);
            combined.marks = Some((plan, jobs));
        }
        Some(combined)
    }

    /// The marks are known: what is left are the runs.
    fn begin(&mut self, marks: Option<(u64, u64, u64)>) {
        if let Some((high, low, poll)) = marks {
            self.knobs.intake = Intake::Pause { high, low };
            self.knobs.poll = poll;
        }
        let case = Case { commits: self.commits, ..self.subject.case(self.knobs.clone()) };
        let backlog = self.subject.backlog_of(case.clone());
        let cases = if self.subject.workload().arrivals { vec![case, backlog] } else { vec![backlog] };
        self.trials = cases.iter().map(Trial::new).collect();
    }

    /// Goes on for about so many steps of the simulation.
    pub fn advance(&mut self, steps: u64) -> Progress {
        if let Some((plan, jobs)) = &mut self.marks {
            let progress = jobs.advance(steps);
            if !progress.is_complete() {
                return Progress { jobs: progress.jobs + 2, ..progress };
            }
            let named = plan.answer(&self.subject, jobs.found()).named;
            self.marks = None;
            self.begin(named);
        } else if let Some(trial) = self.trials.get_mut(self.done)
            && trial.advance(Tick::MAX, steps.max(1))
        {
            self.done += 1;
        }
        let jobs = self.trials.len();
        Progress { done: self.done, jobs, permille: self.done as u64 * 1000 / jobs.max(1) as u64 }
    }

    /// Does all that is left, on all threads of the rayon pool that this is called from.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn finish(&mut self) {
        if let Some((_, jobs)) = &mut self.marks {
            jobs.finish(&|_| {});
        }
        while !self.advance(u64::MAX).is_complete() {}
    }

    /// The recommended settings, once the marks are known.
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
        let own = subject.knobs();
        let made = if own.concurrency() == 1 && self.knobs.workers > 1 { "keyed mailboxes, " } else { "" };
        let is_same = self.knobs == *own;
        let lead = if is_same { "What you have: " } else { "" };
        let ending = if is_same {
            ". Nothing to change.".to_owned()
        } else {
            format!(
                ". As it is now: p50 {}, p99 {}, {} from a backlog.{} The drain, the crash and the poisoned record above are \
                 those of the settings as they are: take these over, and ask again.",
                unit.span(base.measure.p50),
                unit.span(base.measure.p99),
                rate(&base.catching_up),
                self.tell_slower(base, &backlog),
            )
        };
        Some(format!(
            "{lead}{}, {made}{marks}polls of {}: p50 {}, p99 {}, at most {} in the system; {} from a backlog, with up to \
             {} in flight and {} not committed{ending}",
            counted(self.knobs.concurrency().into(), "worker"),
            grouped(self.knobs.poll),
            unit.span(arriving.p50),
            unit.span(arriving.p99),
            unit.span(arriving.max),
            rate(&backlog),
            grouped(arriving.peak_in_flight.max(backlog.peak_in_flight)),
            grouped(arriving.peak_span.max(backlog.peak_span)),
        ))
    }

    /// That a backlog takes longer with what is recommended, and what to do about it.
    fn tell_slower(&self, base: &Base, backlog: &Measure) -> String {
        let (own, now) = (backlog.makespan, base.catching_up.makespan);
        if own <= now.saturating_add(now / 20) {
            return String::new();
        }
        let more = self.pays_up_to.filter(|&most| most > self.knobs.workers);
        let more = more.map_or(String::new(), |most| {
            format!(" Where that matters, more than these pay up to {}.", counted(most.into(), "worker"))
        });
        format!(" A backlog then takes {} times as long as now.{more}", times(own, now))
    }
}

/// How many times, with one digit behind the point.
fn times(own: u64, now: u64) -> String {
    let tenths = (u128::from(own) * 10 + u128::from(now) / 2) / u128::from(now.max(1));
    format!("{}.{}", tenths / 10, tenths % 10)
}
