//! What is sized: a log, a consumer's settings, and the run that they make as they are.

use std::sync::Arc;

use super::{
    commits::Commits,
    gauge::{From, Measure},
    jobs::Progress,
    pooled::pooled,
    table::counted,
    trial::{Case, Trial},
    unit::Unit,
};
use crate::{
    ids::{ConsumerId, KeyId, Tick},
    ledger::{grouped, key_name},
    player::Inputs,
    workload::{Workload, span_of_work},
    world::{ConfigError, Fails, Generated, Knobs, Log, NewRecord, Setup, Work},
};

/// Somebody's traffic and settings.
#[derive(Clone, Debug)]
pub struct Subject {
    name: String,
    setup: Setup,
    unit: Unit,
    seed: u64,
    commits: Commits,
    workload: Workload,
    span: (u64, u64),
    /// The same records, all there from the beginning: the same log where they are anyway.
    backlog: Arc<Log>,
    last: Tick,
}

impl Subject {
    /// `name` is what to call it; `seed` is what moments are drawn from. Takes time in proportion to the log.
    ///
    /// # Errors
    /// If the log cannot be one whose records are all there from the beginning; never, for a log that is one.
    pub fn new(name: impl Into<String>, setup: Setup, unit: Unit, seed: u64) -> Result<Subject, ConfigError> {
        let log = setup.log();
        let workload = Workload::of(log);
        let backlog = if workload.arrivals { Arc::new(caught_up(log)?) } else { log.clone() };
        let last = longest(log, setup.knobs(), &workload);
        let span = span_of_work(log).unwrap_or((0, 0));
        let knobs = setup.knobs();
        let unit = unit.paced(workload.total.records, workload.bound(knobs.concurrency(), knobs.null_keys));
        Ok(Subject {
            name: name.into(),
            unit,
            seed,
            commits: Commits::Engine,
            span,
            backlog,
            last,
            workload,
            setup,
        })
    }

    /// The same, whose client commits in this way.
    #[must_use]
    pub fn committing(self, commits: Commits) -> Subject {
        Subject { commits, ..self }
    }

    /// The same traffic with other settings.
    pub(super) fn with(&self, knobs: Knobs) -> Subject {
        Subject { setup: self.case(knobs).setup, ..self.clone() }
    }

    /// What to call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The log and the settings as they are.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// How long a tick is.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// How much work there is.
    #[must_use]
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The shortest and the longest work of a record, in ticks.
    #[must_use]
    pub fn span_of_work(&self) -> (u64, u64) {
        self.span
    }

    pub(super) fn commits(&self) -> Commits {
        self.commits
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn knobs(&self) -> &Knobs {
        self.setup.knobs()
    }

    pub(super) fn records(&self) -> u64 {
        let log = self.setup.log();
        log.len().saturating_sub(log.index_at(log.start()))
    }

    /// From the first arrival to the last, in ticks.
    pub(super) fn arrivals_span(&self) -> u64 {
        let log = self.setup.log();
        let at = |index: u64| log.get(index).map_or(0, |record| record.since.0);
        at(log.len().saturating_sub(1)).saturating_sub(at(log.index_at(log.start())))
    }

    /// The log with other settings, as it arrives.
    pub(super) fn case(&self, knobs: Knobs) -> Case {
        self.case_of(self.setup.log().clone(), knobs)
    }

    /// The same, all of it there from the beginning: how fast the consumer catches up.
    pub(super) fn catching_up(&self, knobs: Knobs) -> Case {
        self.backlog_of(self.case(knobs))
    }

    /// A case's settings, with all records there from the beginning.
    pub(super) fn backlog_of(&self, case: Case) -> Case {
        let own = self.case_of(self.backlog.clone(), case.setup.knobs().clone());
        Case { from: From::Poll, commits: case.commits, ..own }
    }

    /// Another log of the same kind, where the log is drawn; otherwise the same one.
    pub(super) fn redrawn(&self, nth: u64) -> Case {
        let log = self.setup.log();
        let other = log.recipe().and_then(|recipe| redrawn(recipe, recipe.seed().wrapping_add(nth)));
        let other = other.and_then(|recipe| Log::generated(log.start(), recipe).ok());
        self.case_of(other.map_or(log.clone(), Arc::new), self.knobs().clone())
    }

    /// The log with so many workers, as it arrives: a pool, where there are several.
    pub(super) fn pooled(&self, knobs: &Knobs, workers: u32) -> Case {
        let (knobs, commits) = pooled(knobs, self.commits, workers);
        Case { commits, ..self.case(knobs) }
    }

    /// A sentence about the settings as they are, with whose they are in front.
    pub(super) fn yours(&self, sentence: &str) -> String {
        let knobs = self.knobs();
        let workers = counted(knobs.concurrency().into(), "worker");
        let mut letters = sentence.chars();
        let first = letters.next().map(|letter| letter.to_ascii_lowercase());
        let rest: String = first.into_iter().chain(letters).collect();
        format!("With your {workers} and polls of {}, {rest}", grouped(knobs.poll))
    }

    /// The fewest workers that do so much work in the time in which it arrives: the last record needs an interval of
    /// its own, too.
    pub(super) fn least_workers(&self) -> u64 {
        let (work, records) = (self.workload.total.work, u128::from(self.records()));
        let between = records.saturating_sub(1);
        let span = u128::from(self.arrivals_span());
        let least = (u128::from(work) * between).div_ceil((span * records).max(1));
        u64::try_from(least).unwrap_or(u64::MAX).max(1)
    }

    fn case_of(&self, log: Arc<Log>, knobs: Knobs) -> Case {
        // The knobs come from checked ones by turns that keep the rules.
        let setup = Setup::new(log, knobs, &[ConsumerId::A]).unwrap_or_else(|_| self.setup.clone());
        let from = if self.workload.arrivals { From::Arrival } else { From::Poll };
        Case { setup, inputs: Arc::new(Inputs::new()), last: self.last, from, commits: self.commits }
    }

    /// The key with the most work, told in words, and its work.
    pub(super) fn hottest(&self) -> Option<(String, u64)> {
        let (key, load) = self.workload.hottest(self.knobs().null_keys)?;
        Some((self.key_words(key), load.work))
    }

    pub(super) fn key_words(&self, key: Option<KeyId>) -> String {
        match key.and_then(|id| self.setup.log().key(id)) {
            Some(key) => format!("key {}", key_name(key)),
            None => "the records without a key".to_owned(),
        }
    }

    /// Records of a key, or of those without one.
    pub(super) fn records_of(&self, key: Option<KeyId>) -> u64 {
        let log = self.setup.log();
        log.iter_from(log.index_at(log.start())).filter(|record| record.key == key).count() as u64
    }

    /// That the records arrive within so short a time that no commit falls into it, or hardly one: `what` is then told as
    /// less than it is in the long run. Nothing where they arrive over a long time, or are all there.
    pub(super) fn tell_short(&self, what: &str) -> Option<String> {
        let every = match self.commits {
            Commits::Engine => self.knobs().commit_every,
            Commits::AtPolls { every } | Commits::Batches { every } | Commits::HandedOut { every } => every,
        };
        let span = self.arrivals_span();
        (self.workload.arrivals && every > 1 && span < every.saturating_mul(2)).then(|| {
            format!(
                "These records arrive within {}, and commits are {} apart: {what} has no time to become as large as it does in \
                 the long run. Traffic over several times that long tells more.",
                self.unit.span(span),
                self.unit.span(every),
            )
        })
    }

    /// A warning, where nearly every record has a key of its own: the keys then hold nothing back, and the
    /// traffic flatters every consumer.
    #[must_use]
    pub fn flattery(&self) -> Option<String> {
        let used = self.workload.keys.iter().filter(|load| load.records > 0).count() as u64;
        let keyed: u64 = self.workload.keys.iter().map(|load| load.records).sum();
        (keyed >= 10 && used * 10 >= keyed * 9).then(|| {
            format!(
                "{used} keys for {keyed} records: nearly every record has a key of its own, so that order costs \
                 nothing here, and every figure flatters. Check whether this is the key that your topic has."
            )
        })
    }
}

/// The recipe with another seed.
pub(super) fn redrawn(recipe: &Generated, seed: u64) -> Option<Generated> {
    Generated::new(seed, recipe.count(), recipe.keys(), recipe.skew(), recipe.work()).ok()
}

fn caught_up(log: &Log) -> Result<Log, ConfigError> {
    let records = log.iter_from(0).map(|record| NewRecord {
        offset: record.offset,
        key: record.key.and_then(|id| log.key(id).cloned()),
        work: record.work,
        fails: record.fails,
        since: Tick(0),
    });
    Log::from_records(log.start(), records)
}

/// The last tick of a run: enough for one worker to get through everything, unless something never ends.
fn longest(log: &Log, knobs: &Knobs, workload: &Workload) -> Tick {
    let (mut last, mut retries) = (0, 0u64);
    for record in log.iter_from(0) {
        last = record.since.0;
        if let (Fails::First(failures), Work::Ticks(_)) = (record.fails, record.work) {
            retries = retries.saturating_add(failures.into());
        }
    }
    let delays = retries.saturating_mul(knobs.retry_delay);
    let rounds = workload.total.records.saturating_mul(4).saturating_add(10_000);
    let all =
        [workload.total.work, delays, rounds, knobs.commit_every, knobs.quarantine.map_or(0, |q| q.after)];
    Tick(all.into_iter().fold(last, u64::saturating_add))
}

/// The run as things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// As the records arrive.
    pub measure: Measure,
    /// With all of them there from the beginning; the same where they are anyway.
    pub catching_up: Measure,
}

impl Base {
    /// What goes wrong with the settings as they are, worst first, a sentence each: whoever reads an answer should
    /// know it before.
    #[must_use]
    pub fn troubles(&self, subject: &Subject) -> Vec<String> {
        let run = &self.measure;
        let endless = subject.workload().endless;
        let (unfinished, all) = (run.unfinished.saturating_sub(endless), subject.records());
        let times =
            |count: u64| if count == 1 { "once".to_owned() } else { format!("{} times", grouped(count)) };
        let told = [
            (
                unfinished,
                format!(
                    "With the settings as they are {} of {} records were not finished when the run was stopped, after {}: the \
                     consumer gets nowhere, and the answers below say little until that is mended.",
                    grouped(unfinished),
                    grouped(all),
                    subject.unit().span(run.end),
                ),
            ),
            (
                run.crashes,
                "The process ran out of memory: more records were in flight than the heap ceiling."
                    .to_owned(),
            ),
            (
                run.evictions,
                format!(
                    "The consumer was evicted {}: it polled less often than every max.poll.interval, {}, and what it had not \
                     committed came again.",
                    times(run.evictions),
                    subject
                        .knobs()
                        .max_poll_interval
                        .map_or("none".to_owned(), |ticks| subject.unit().span(ticks)),
                ),
            ),
            (run.lost, format!("{} committed and never processed: lost.", counted(run.lost, "record"))),
            (
                run.order_breaks,
                format!(
                    "The order of a key was broken {}: a later record of it was done before an earlier one.",
                    times(run.order_breaks)
                ),
            ),
        ];
        told.into_iter().filter(|(count, _)| *count > 0).map(|(_, sentence)| sentence).collect()
    }
}

/// Finds out what comes of the settings as they are, a slice at a time.
#[derive(Clone, Debug)]
pub struct Survey {
    trials: Vec<Trial>,
    done: usize,
}

impl Survey {
    /// Before its first step.
    #[must_use]
    pub fn new(subject: &Subject) -> Survey {
        let knobs = subject.knobs();
        let mut cases = vec![subject.case(knobs.clone())];
        if subject.workload().arrivals {
            cases.push(subject.catching_up(knobs.clone()));
        }
        Survey { trials: cases.iter().map(Trial::new).collect(), done: 0 }
    }

    /// Goes on for about so many steps of the simulation.
    pub fn advance(&mut self, steps: u64) -> Progress {
        if let Some(trial) = self.trials.get_mut(self.done)
            && trial.advance(Tick::MAX, steps.max(1))
        {
            self.done += 1;
        }
        let under_way = self.trials.get(self.done).map_or(0, Trial::permille);
        let jobs = self.trials.len();
        Progress { done: self.done, jobs, permille: (self.done as u64 * 1000 + under_way) / jobs as u64 }
    }

    /// What was found, when all is done.
    #[must_use]
    pub fn base(&self) -> Option<Base> {
        if self.done < self.trials.len() {
            return None;
        }
        let (first, last) = (self.trials.first()?, self.trials.last()?);
        Some(Base { measure: first.measure(), catching_up: last.measure() })
    }

    /// All of it at once.
    #[must_use]
    pub fn of(subject: &Subject) -> Option<Base> {
        let mut survey = Survey::new(subject);
        while !survey.advance(u64::MAX).is_complete() {}
        survey.base()
    }
}
