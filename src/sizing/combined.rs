//! All together: workers that are enough with their marks, and marks that are enough for so many workers, in a run of
//! their own.
//!
//! Each answer turns one knob and leaves the others as they are: with marks that starve them, more workers look as if
//! they were needed. So the two are asked in turns, each with what the other has said, until neither changes. Whether
//! it can be followed all at once is not concluded but measured.

use std::sync::Arc;

use super::{
    commits::Commits,
    gauge::Measure,
    pooled::pooled,
    study::{Answer, Study},
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

/// Numbers of workers that are counted anew at most: the second hardly ever differs from the first.
const MOST_TURNS: u32 = 4;

/// The recommended settings, and their runs.
#[derive(Clone, Debug)]
pub struct Combined {
    subject: Arc<Subject>,
    base: Arc<Base>,
    knobs: Knobs,
    commits: Commits,
    /// The workers that are recommended for the marks as they are.
    first: u32,
    /// More workers pay up to so many, for whoever has to catch up.
    pays_up_to: Option<u32>,
    turns: u32,
    stage: Stage,
}

/// What is being found out.
#[derive(Clone, Debug)]
enum Stage {
    /// Which marks, for so many workers.
    Marks(Box<Study>),
    /// How many workers, with such marks.
    Workers(Box<Study>),
    /// What comes of both: with the records as they arrive, where they do; from a backlog. So many are done.
    Runs(Vec<Trial>, usize),
}

impl Combined {
    /// Before its first step; nothing unless there is a number of workers and marks to be put together.
    #[must_use]
    pub fn new(subject: &Arc<Subject>, base: &Arc<Base>, answers: &[Answer]) -> Option<Combined> {
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
            base: base.clone(),
            knobs,
            commits,
            first: named,
            pays_up_to: workers.pays_up_to,
            turns: 0,
            stage: Stage::Runs(Vec::new(), 0),
        };
        combined.stage = if combined.knobs.routing == Routing::Serial {
            // One thread works on one record at a time: marks decide nothing.
            combined.runs()
        } else if named == marks.workers {
            combined.with_marks(marks.named)
        } else {
            combined.for_workers(subject)
        };
        Some(combined)
    }

    /// Which marks, for the workers that are recommended now; beside them, those of `subject`.
    fn for_workers(&self, subject: &Arc<Subject>) -> Stage {
        Stage::Marks(Box::new(Study::of_marks(subject, &self.base, self.knobs.workers)))
    }

    /// The marks are known: are the workers still as many as it takes?
    fn with_marks(&mut self, marks: Option<(u64, u64, u64)>) -> Stage {
        let before = self.knobs.clone();
        if let Some((high, low, poll)) = marks {
            self.knobs.intake = Intake::Pause { high, low };
            self.knobs.poll = poll;
        }
        // They were counted with these.
        let is_counted = self.turns == 0
            && self.knobs.intake == self.subject.knobs().intake
            && self.knobs.poll == self.subject.knobs().poll;
        let is_settled = self.turns > 0 && self.knobs == before;
        if is_counted || is_settled || self.turns == MOST_TURNS {
            return self.runs();
        }
        self.turns += 1;
        Stage::Workers(Box::new(Study::of_workers(&self.now(), &self.base)))
    }

    /// The workers are known: are the marks still right for them?
    fn with_workers(&mut self, answer: &Answer) -> Stage {
        let Answer::Workers(answer) = answer else { return self.runs() };
        let own = self.subject.knobs().concurrency();
        // What somebody has is left alone where it does about as well, and what was only recommended is not.
        let workers = if self.knobs.workers == own { answer.named } else { answer.enough };
        match workers {
            Some(workers) if workers != self.knobs.workers => {
                // One alone is the consumer as it is.
                let knobs = if workers == 1 { self.subject.knobs() } else { &self.knobs };
                (self.knobs, self.commits) = pooled(knobs, self.commits, workers);
                if self.knobs.routing == Routing::Serial {
                    self.runs()
                } else {
                    self.for_workers(&self.now())
                }
            }
            _ => self.runs(),
        }
    }

    /// The same traffic with what is recommended now.
    fn now(&self) -> Arc<Subject> {
        Arc::new(self.subject.with(self.knobs.clone()).committing(self.commits))
    }

    fn runs(&self) -> Stage {
        let case = Case { commits: self.commits, ..self.subject.case(self.knobs.clone()) };
        let backlog = self.subject.backlog_of(case.clone());
        let cases = if self.subject.workload().arrivals { vec![case, backlog] } else { vec![backlog] };
        Stage::Runs(cases.iter().map(Trial::new).collect(), 0)
    }

    /// Goes on for about so many steps; whether all is known.
    pub fn advance(&mut self, steps: u64) -> bool {
        match &mut self.stage {
            Stage::Marks(study) | Stage::Workers(study) => {
                if study.advance(steps).is_complete() {
                    self.conclude();
                }
            }
            Stage::Runs(trials, done) => {
                if let Some(trial) = trials.get_mut(*done)
                    && trial.advance(Tick::MAX, steps.max(1))
                {
                    *done += 1;
                }
            }
        }
        self.is_done()
    }

    /// Goes on from a study that is complete.
    fn conclude(&mut self) {
        self.stage = match &self.stage {
            Stage::Marks(study) => match study.answer() {
                Answer::Marks(answer) => self.with_marks(answer.named),
                _ => self.runs(),
            },
            Stage::Workers(study) => {
                let answer = study.answer();
                self.with_workers(&answer)
            }
            Stage::Runs(..) => return,
        };
    }

    /// Does all that is left, on all threads of the rayon pool that this is called from.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn finish(&mut self) {
        while let Stage::Marks(study) | Stage::Workers(study) = &mut self.stage {
            study.finish(&|_| {});
            self.conclude();
        }
        while !self.advance(u64::MAX) {}
    }

    /// Whether all is known.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(&self.stage, Stage::Runs(trials, done) if *done == trials.len())
    }

    /// The recommended settings, as far as they are known.
    #[must_use]
    pub fn knobs(&self) -> &Knobs {
        &self.knobs
    }

    /// What came of them: as the records arrive, where they do, and from a backlog. Nothing until all is done.
    #[must_use]
    pub fn measures(&self) -> Option<(Measure, Measure)> {
        let Stage::Runs(trials, _) = &self.stage else { return None };
        let (first, last) = (trials.first()?, trials.last()?);
        self.is_done().then(|| (first.measure(), last.measure()))
    }

    /// The same in a sentence.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let (arriving, backlog) = self.measures()?;
        let (subject, base) = (&*self.subject, &*self.base);
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
                ".{} As it is now: p50 {}, p99 {}, {} from a backlog.{} The drain, the crash and the poisoned record above are \
                 those of the settings as they are: take these over, and ask again.",
                self.tell_other_number(),
                unit.span(base.measure.p50),
                unit.span(base.measure.p99),
                rate(&base.catching_up),
                self.tell_slower(&backlog),
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

    /// That another number of workers is enough with these marks than with those that there are.
    fn tell_other_number(&self) -> String {
        if self.knobs.workers == self.first {
            return String::new();
        }
        format!(
            " With these marks that many are enough; above it was {}, with others.",
            grouped(self.first.into())
        )
    }

    /// That a backlog takes longer with what is recommended, and what to do about it.
    fn tell_slower(&self, backlog: &Measure) -> String {
        let (own, now) = (backlog.makespan, self.base.catching_up.makespan);
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
