//! The questions under way: the run as things are, then the five studies, side by side.
//!
//! Whichever study has got least far goes on next, so that the coarse points of all five come before the fine ones of
//! the first.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Reply,
    ask::{Ending, Take},
    asked,
    bring::Brought,
    form::{BadField, Form, bad},
    show,
    tune::Tuned,
};
use crate::{
    export::picture::{Kind, paint},
    ids::ConsumerId,
    office::Export,
    sizing::{
        Answer, Base, Combined, Commits, Effort, Question, Report, Study, Subject, Survey, Table, Unit,
    },
    world::{Knobs, Setup},
};

/// How much may be asked for: moments of a revoke.
const MOST_REVOKES: u64 = 100_000;

/// A subject, and what is being found out about it.
#[derive(Debug)]
pub(super) struct Sizing {
    subject: Arc<Subject>,
    notes: Vec<String>,
    asked: Vec<Question>,
    effort: Effort,
    survey: Survey,
    base: Option<Arc<Base>>,
    studies: Vec<Asked>,
    /// What the answers come to together, once they are there; nothing where they come to nothing.
    combined: Option<Option<Combined>>,
    stopped: bool,
}

/// A study and how much of it was told.
#[derive(Debug)]
struct Asked {
    study: Study,
    told: usize,
}

impl Sizing {
    pub(super) fn new(
        brought: &Brought,
        tuned: &Tuned,
        (knobs, commits): (Knobs, Commits),
        form: &Form,
    ) -> Result<Sizing, BadField> {
        let revokes = form.number("revokes", (1, MOST_REVOKES))?.unwrap_or(300);
        let seed = form.number("study-seed", (0, u64::MAX))?.unwrap_or(0);
        let wrong = |error: crate::world::ConfigError| bad("settings", error);
        let mut notes = brought.traffic.remarks();
        notes.extend(tuned.remarks());
        let setup = Setup::new(brought.log.clone(), knobs, &[ConsumerId::A]).map_err(wrong)?;
        let subject = Subject::new(&*brought.name, setup, brought.unit(), seed).map_err(wrong)?;
        let subject = subject.committing(commits);
        Ok(Sizing {
            survey: Survey::new(&subject),
            subject: Arc::new(subject),
            notes,
            asked: asked(form),
            effort: Effort { revokes: revokes as usize, ..Effort::default() },
            base: None,
            studies: Vec::new(),
            combined: None,
            stopped: false,
        })
    }

    pub(super) fn is_done(&self) -> bool {
        let studied = self.studies.iter().all(|asked| asked.study.progress().is_complete());
        let combined = self.combined.as_ref();
        let combined = combined.is_some_and(|combined| combined.as_ref().is_none_or(|own| own.is_done()));
        self.stopped || (self.base.is_some() && studied && combined)
    }

    pub(super) fn work(&mut self, steps: u64) -> Vec<Reply> {
        if self.is_done() {
            return Vec::new();
        }
        let Some(base) = &self.base else {
            self.survey.advance(steps);
            return self.survey.base().map_or_else(Vec::new, |base| self.begin(base));
        };
        let open = self.studies.iter_mut().filter(|asked| !asked.study.progress().is_complete());
        let mut replies = Vec::new();
        if let Some(asked) = open.min_by_key(|asked| asked.study.progress().permille) {
            if asked.study.advance(steps).is_complete() {
                replies = vec![asked.tell(self.subject.unit()), self.progress()];
            }
        } else if let Some(Some(combined)) = &mut self.combined {
            combined.advance(steps);
            let sentence = combined.sentence();
            replies.extend(sentence.map(|told| show(json!({ "kind": "together", "sentence": told }))));
        } else {
            self.combined = Some(Combined::new(&self.subject, base, &self.answers()));
        }
        if self.is_done() {
            replies.push(show(json!({ "kind": "done" })));
        }
        replies
    }

    /// The run as it is was made: the studies can begin.
    fn begin(&mut self, base: Base) -> Vec<Reply> {
        let base = Arc::new(base);
        let study = |&question: &Question| Asked {
            study: Study::new(question, &self.subject, &base, self.effort),
            told: 0,
        };
        self.studies = self.asked.iter().map(study).collect();
        self.base = Some(base);
        let mut told =
            self.report(&[]).map_or(Value::Null, |report| table(&report.measured(), self.subject.unit()));
        if let Value::Object(told) = &mut told {
            told.insert("kind".to_owned(), "base".into());
            told.insert("flattery".to_owned(), self.subject.flattery().into());
        }
        vec![show(told), self.progress()]
    }

    pub(super) fn meanwhile(&mut self) -> Vec<Reply> {
        if self.is_done() {
            return Vec::new();
        }
        let unit = self.subject.unit();
        let changed = |asked: &&mut Asked| {
            let progress = asked.study.progress();
            progress.done > asked.told && !progress.is_complete()
        };
        let mut replies: Vec<Reply> =
            self.studies.iter_mut().filter(changed).take(1).map(|asked| asked.tell(unit)).collect();
        replies.push(self.progress());
        replies
    }

    /// Stops; what was found stays.
    pub(super) fn stop(&mut self) -> Vec<Reply> {
        let unit = self.subject.unit();
        let was_done = self.is_done();
        self.stopped = true;
        if was_done {
            return Vec::new();
        }
        self.studies
            .iter_mut()
            .filter(|asked| asked.study.progress().done > 0)
            .map(|asked| asked.tell(unit))
            .collect()
    }

    pub(super) fn progress(&self) -> Reply {
        let permille = if self.base.is_none() {
            0
        } else {
            let sum: u64 = self.studies.iter().map(|asked| asked.study.progress().permille).sum();
            sum.checked_div(self.studies.len() as u64).unwrap_or(1000)
        };
        let (done, jobs) = self.studies.iter().fold((0, 0), |(done, jobs), asked| {
            let progress = asked.study.progress();
            (done + progress.done, jobs + progress.jobs)
        });
        let each: Vec<Value> = self
            .studies
            .iter()
            .map(|asked| json!([asked.study.question().name(), asked.study.progress().permille]))
            .collect();
        show(
            json!({ "kind": "progress", "permille": permille, "done": done, "jobs": jobs, "questions": each }),
        )
    }

    fn answers(&self) -> Vec<Answer> {
        self.studies
            .iter()
            .filter(|asked| asked.study.progress().done > 0)
            .map(|asked| asked.study.answer())
            .collect()
    }

    fn report<'r>(&'r self, answers: &'r [Answer]) -> Option<Report<'r>> {
        let base = self.base.as_deref()?;
        let combined = self.combined.iter().flatten().next();
        let together = combined.and_then(|combined| combined.sentence());
        Some(Report { subject: &self.subject, base, answers, notes: &self.notes, together })
    }

    pub(super) fn file(&self, take: &Take) -> Result<Export, String> {
        let answers = self.answers();
        let not_yet = || "This was not found out yet.".to_owned();
        let answer = |question: Question| {
            answers.iter().find(|answer| answer.question() == question).ok_or_else(not_yet)
        };
        let (name, media_type, bytes) = match take {
            Take::Report => {
                let report = self.report(&answers).ok_or_else(not_yet)?;
                let html = report.html().map_err(|error| error.to_string())?;
                ("your-consumer.html".to_owned(), "text/html;charset=utf-8", html.into_bytes())
            }
            Take::Numbers(question, Ending::Csv) => {
                let csv = answer(*question)?.table().csv();
                (format!("{question}.csv"), "text/csv;charset=utf-8", csv.into_bytes())
            }
            Take::Numbers(question, Ending::Json) => {
                let json = answer(*question)?.table().json() + "\n";
                (format!("{question}.json"), "application/json", json.into_bytes())
            }
            Take::Chart(question, kind) => {
                let plot = answer(*question)?.plot().ok_or_else(not_yet)?;
                let bytes = paint(*kind, &plot.into()).map_err(|error| error.to_string())?;
                match kind {
                    Kind::Svg => (format!("{question}.svg"), "image/svg+xml", bytes),
                    Kind::Png => (format!("{question}.png"), "image/png", bytes),
                }
            }
            Take::Trace | Take::Settings(_) => return Err(not_yet()),
        };
        Ok(Export { name, media_type, bytes })
    }
}

impl Asked {
    fn tell(&mut self, unit: Unit) -> Reply {
        let progress = self.study.progress();
        self.told = progress.done;
        let answer = self.study.answer();
        let plot = answer.plot();
        let alt = plot.as_ref().map(|plot| format!("Chart. {}", plot.title));
        let svg = plot.and_then(|plot| paint(Kind::Svg, &plot.into()).ok());
        let mut told = table(&answer.table(), unit);
        if let Value::Object(told) = &mut told {
            let mut set = |name: &str, value: Value| told.insert(name.to_owned(), value);
            set("kind", "answer".into());
            set("question", answer.question().name().into());
            set("title", answer.question().title().into());
            set("complete", progress.is_complete().into());
            set("done", progress.done.into());
            set("jobs", progress.jobs.into());
            set("sentences", answer.sentences().to_vec().into());
            set("alt", alt.into());
            set("svg", svg.and_then(|bytes| String::from_utf8(bytes).ok()).into());
        }
        show(told)
    }
}

/// A table as its reader reads it.
fn table(table: &Table, unit: Unit) -> Value {
    let heads: Vec<&str> = table.columns.iter().map(|column| column.head).collect();
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(|cell| cell.shown(unit)).collect()).collect();
    json!({ "heads": heads, "rows": rows, "marked": table.marked })
}
