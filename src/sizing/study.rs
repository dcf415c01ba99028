//! A question, the runs that answer it, and the answer as far as they have got.

use std::{fmt, sync::Arc};

use super::{
    crash::{self, CrashAnswer},
    drain::{self, DrainAnswer},
    jobs::{Jobs, Progress},
    marks::{self, MarksAnswer},
    quarantine::{self, QuarantineAnswer},
    subject::{Base, Subject},
    table::Table,
    workers::{self, WorkersAnswer},
};
use crate::export::picture::Plot;

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// Where more workers stop paying.
    Workers,
    /// What the high and the low mark cost and save.
    Marks,
    /// Which drain window leaks nothing, and how sure that is.
    Drain,
    /// What a crash costs, with and without the acknowledgement map.
    Crash,
    /// How long a poisoned key may hold the commit back.
    Quarantine,
}

impl Question {
    /// All of them, in the order of a report.
    pub const ALL: [Question; 5] =
        [Question::Workers, Question::Marks, Question::Drain, Question::Crash, Question::Quarantine];

    /// Its name in addresses and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Question::Workers => "workers",
            Question::Marks => "marks",
            Question::Drain => "drain",
            Question::Crash => "crash",
            Question::Quarantine => "quarantine",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Question> {
        Question::ALL.into_iter().find(|question| question.name() == name)
    }

    /// What is asked, in words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Question::Workers => "How many workers pay?",
            Question::Marks => "Which marks?",
            Question::Drain => "How long a drain?",
            Question::Crash => "What does a crash cost?",
            Question::Quarantine => "How long may a poisoned record stay?",
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effort {
    /// Moments at which the partition is revoked, for every drain window. None of 300 leaked: the chance is below
    /// 1 %.
    pub revokes: usize,
    /// Moments at which a crash is looked at.
    pub crashes: usize,
    /// Records that are poisoned, one after the other, for every quarantine timer.
    pub poisons: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { revokes: 300, crashes: 240, poisons: 3 }
    }
}

/// What a question tries.
#[derive(Clone, Debug)]
enum Plan {
    Workers(workers::Plan),
    Marks(marks::Plan),
    Drain(drain::Plan),
    Crash(crash::Plan),
    Quarantine(quarantine::Plan),
}

/// A question under way.
///
/// ```
/// use std::sync::Arc;
/// use keyed_worker_pool::{ids::*, sizing::*, world::*};
///
/// let recipe = Generated::new(1, 500, 20, 1, (1, 6))?;
/// let log = Arc::new(Log::generated(Offset(0), recipe)?);
/// let setup = Setup::new(log, Knobs::default(), &[ConsumerId::A])?;
/// let subject = Arc::new(Subject::new("mine", setup, Unit::TICKS, 0)?);
/// let base = Arc::new(Survey::of(&subject).expect("a run"));
/// let mut study = Study::new(Question::Workers, &subject, &base, Effort::default());
/// while !study.advance(10_000).is_complete() {}         // a slice; an answer is there after each
/// println!("{}", study.answer().sentences()[0]);
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Study {
    question: Question,
    subject: Arc<Subject>,
    base: Arc<Base>,
    plan: Plan,
    jobs: Jobs,
    /// Of a thousand, what was done before the jobs that were added last, and how many jobs that were.
    before: (u64, usize),
}

impl Study {
    /// Before its first run.
    #[must_use]
    pub fn new(question: Question, subject: &Arc<Subject>, base: &Arc<Base>, effort: Effort) -> Study {
        let (plan, jobs) = match question {
            Question::Workers => return Study::of_workers(subject, base),
            Question::Marks => {
                let plan = marks::Plan::new(subject);
                let jobs = plan.jobs(subject);
                (Plan::Marks(plan), jobs)
            }
            Question::Drain => {
                let plan = drain::Plan::new(subject, base, effort);
                let jobs = plan.jobs(subject, base);
                (Plan::Drain(plan), jobs)
            }
            Question::Crash => {
                let plan = crash::Plan::new(subject, base, effort);
                let jobs = plan.jobs(subject);
                (Plan::Crash(plan), jobs)
            }
            Question::Quarantine => {
                let plan = quarantine::Plan::new(subject, base, effort);
                let jobs = plan.jobs(subject);
                (Plan::Quarantine(plan), jobs)
            }
        };
        Study::with(question, (plan, jobs), (subject, base))
    }

    /// How many workers pay.
    pub(super) fn of_workers(subject: &Arc<Subject>, base: &Arc<Base>) -> Study {
        let plan = workers::Plan::new(subject);
        let jobs = plan.jobs(subject);
        Study::with(Question::Workers, (Plan::Workers(plan), jobs), (subject, base))
    }

    /// Which marks, for so many workers.
    pub(super) fn of_marks(subject: &Arc<Subject>, base: &Arc<Base>, workers: u32) -> Study {
        let plan = marks::Plan::for_workers(subject, workers);
        let jobs = plan.jobs(subject);
        Study::with(Question::Marks, (Plan::Marks(plan), jobs), (subject, base))
    }

    fn with(
        question: Question,
        (plan, jobs): (Plan, Jobs),
        (subject, base): (&Arc<Subject>, &Arc<Base>),
    ) -> Study {
        Study { question, subject: subject.clone(), base: base.clone(), plan, jobs, before: (0, 0) }
    }

    /// What is asked.
    #[must_use]
    pub fn question(&self) -> Question {
        self.question
    }

    /// How far it has got. Where a first look is to be followed by a closer one, there may be more jobs later.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let progress = self.jobs.progress();
        if progress.is_complete() {
            return progress;
        }
        // A closer look takes up half of what is left of the bar, the first one two thirds of it.
        let (before, jobs) = self.before;
        let (done, all) = (progress.done - jobs, progress.jobs - jobs);
        let own = (done as u64 * 1000 + self.jobs.under_way()) / all.max(1) as u64;
        Progress { permille: before + (self.share() - before) * own / 1000, ..progress }
    }

    /// Of a thousand, what is done when the jobs that are known are.
    fn share(&self) -> u64 {
        match (&self.plan, self.before.0) {
            (Plan::Workers(_), 0) => 667,
            (Plan::Workers(_), before) => before + (1000 - before) / 2,
            _ => 1000,
        }
    }

    /// Goes on for about so many steps of the simulation, a step being a tick in which something happens: on a
    /// usual machine a microsecond or less each, several in a browser. The settings that tell most come first.
    pub fn advance(&mut self, steps: u64) -> Progress {
        if self.jobs.advance(steps).is_complete() {
            self.look_closer();
        }
        self.progress()
    }

    /// Does all that is left on all threads of the rayon pool that this is called from; `tell` hears of every run
    /// that is done.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn finish(&mut self, tell: &(dyn Fn(Progress) + Sync)) {
        self.jobs.finish(tell);
        while self.look_closer() {
            self.jobs.finish(tell);
        }
    }

    /// Adds the jobs that what was found makes worth while; whether there are any.
    fn look_closer(&mut self) -> bool {
        let Plan::Workers(plan) = &mut self.plan else { return false };
        let known = self.jobs.progress().jobs;
        let more = plan.closer(&self.subject, self.jobs.found());
        if more.is_empty() {
            return false;
        }
        self.before = (self.share(), known);
        self.jobs.extend(more);
        true
    }

    /// The answer that the runs so far give; without a run, one that says so.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let (subject, base, found) = (&*self.subject, &*self.base, self.jobs.found());
        match &self.plan {
            Plan::Workers(plan) => Answer::Workers(plan.answer(subject, found)),
            Plan::Marks(plan) => Answer::Marks(plan.answer(subject, found)),
            Plan::Drain(plan) => Answer::Drain(plan.answer(subject, found)),
            Plan::Crash(plan) => Answer::Crash(plan.answer(subject, found)),
            Plan::Quarantine(plan) => Answer::Quarantine(plan.answer(subject, base, found)),
        }
    }
}

/// An answer: typed rows, and how to show them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each is the answer to the question of the same name
pub enum Answer {
    Workers(WorkersAnswer),
    Marks(MarksAnswer),
    Drain(DrainAnswer),
    Crash(CrashAnswer),
    Quarantine(QuarantineAnswer),
}

impl Answer {
    /// What it answers.
    #[must_use]
    pub fn question(&self) -> Question {
        match self {
            Answer::Workers(_) => Question::Workers,
            Answer::Marks(_) => Question::Marks,
            Answer::Drain(_) => Question::Drain,
            Answer::Crash(_) => Question::Crash,
            Answer::Quarantine(_) => Question::Quarantine,
        }
    }

    /// What to take from it: the first sentence is the answer, the others what it rests on.
    #[must_use]
    pub fn sentences(&self) -> &[String] {
        match self {
            Answer::Workers(answer) => &answer.sentences,
            Answer::Marks(answer) => &answer.sentences,
            Answer::Drain(answer) => &answer.sentences,
            Answer::Crash(answer) => &answer.sentences,
            Answer::Quarantine(answer) => &answer.sentences,
        }
    }

    /// The numbers.
    #[must_use]
    pub fn table(&self) -> Table {
        match self {
            Answer::Workers(answer) => answer.table(),
            Answer::Marks(answer) => answer.table(),
            Answer::Drain(answer) => answer.table(),
            Answer::Crash(answer) => answer.table(),
            Answer::Quarantine(answer) => answer.table(),
        }
    }

    /// The chart; nothing while there is nothing to draw.
    #[must_use]
    pub fn plot(&self) -> Option<Plot> {
        let plot = match self {
            Answer::Workers(answer) => answer.plot(),
            Answer::Marks(answer) => answer.plot(),
            Answer::Drain(answer) => answer.plot(),
            Answer::Crash(answer) => answer.plot(),
            Answer::Quarantine(answer) => answer.plot(),
        };
        let has_points =
            plot.graphs.iter().flat_map(|graph| &graph.lines).any(|line| !line.points.is_empty());
        has_points.then_some(plot)
    }
}
