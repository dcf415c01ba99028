//! The reader's own consumer: a session that holds their traffic and their settings, and answers what is asked.
//!
//! It is told requests and gives replies, and what takes long it does a little of whenever it is told to work: so
//! whoever holds it can look for the next request in between, and a newer one takes an older one's place. It knows no
//! clock, no file and no browser; `worker` (on wasm32) is how the page talks to it.
//!
//! Replies are made to be shown as they are: every number has its unit, every text is text. The page lays them out
//! and computes nothing, so that it says what the command line says.

mod ask;
mod bring;
mod form;
mod sizing;
mod tune;

#[cfg(target_arch = "wasm32")]
pub(super) mod worker;

use std::sync::Arc;

use serde_json::{Value, json};

pub use ask::{Request, Take};
pub use form::{BadField, Form};

use crate::{
    ledger::{escaped, grouped},
    office::Export,
    scenario::BadInput,
    sizing::Question,
    traffic::Reader,
};
use bring::Brought;
use sizing::Sizing;
use tune::Tuned;

/// Bytes of a pasted text that are read at once.
const CHUNK: usize = 1 << 16;

/// What the session has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Something to be shown: an object whose `kind` says what it is; see [`Session`].
    Show(Value),
    /// A file to take away.
    File(Export),
}

impl Reply {
    /// The `kind` of what is to be shown, or "file".
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Reply::Show(value) => value.get("kind").and_then(Value::as_str).unwrap_or_default(),
            Reply::File(_) => "file",
        }
    }

    /// What is to be shown.
    #[must_use]
    pub fn shown(&self) -> Option<&Value> {
        match self {
            Reply::Show(value) => Some(value),
            Reply::File(_) => None,
        }
    }
}

/// Traffic, settings, and what is being found out about them.
///
/// | reply | what it says |
/// |---|---|
/// | `reading` | how far a file was read: `bytes` of `size`, `rows`, `skipped` |
/// | `traffic` | what the traffic is: `pairs`, `columns`, `bad` rows, `notes`, `warnings`, a picture |
/// | `offered` | `settings`, a text, that go well with the traffic |
/// | `settings` | what of the settings was understood, what not, and `verdicts` |
/// | `refused` | `error`, about `traffic`, `settings`, `sizing` or `file`; at a `field`, where one alone is wrong |
/// | `progress` | how far the runs have got, in `permille`; of which `question` |
/// | `base` | the run as things are: a table |
/// | `answer` | to a `question`: `sentences`, a table, `svg`; `complete` or not yet |
/// | `together` | what the recommended workers and marks come to: a `sentence` |
/// | `done`, `stopped` | nothing is under way any more |
#[derive(Debug, Default)]
pub struct Session {
    reading: Option<Reading>,
    brought: Option<Arc<Brought>>,
    settings: Form,
    sizing: Option<Sizing>,
}

/// A file under way.
#[derive(Debug)]
struct Reading {
    name: String,
    reader: Reader,
    size: u64,
    /// A pasted text and how far it was read; a file's bytes come from outside.
    pasted: Option<(Vec<u8>, usize)>,
}

impl Session {
    /// One that has nothing yet.
    #[must_use]
    pub fn new() -> Session {
        Session::default()
    }

    /// Does what is asked, or begins to.
    pub fn ask(&mut self, request: Request) -> Vec<Reply> {
        match request {
            Request::Open { name, size, form } => self.open(name, size, &form, None),
            Request::Paste { text, form } => {
                let bytes = text.into_bytes();
                self.open("pasted.csv".to_owned(), bytes.len() as u64, &form, Some((bytes, 0)))
            }
            Request::Shape(form) => {
                self.drop_traffic();
                let shaped = bring::shaped(&form).map_err(|bad| refused_field("traffic", &bad));
                shaped.map_or_else(|reply| vec![reply], |brought| self.take(brought))
            }
            Request::Flights => {
                self.drop_traffic();
                match bring::flights() {
                    Ok(brought) => {
                        let offered = json!({ "kind": "offered", "settings": tune::FLIGHTS, "library": "-" });
                        let mut replies = self.take(brought);
                        replies.push(Reply::Show(offered));
                        replies
                    }
                    Err(error) => vec![refused("traffic", &error)],
                }
            }
            Request::Settings(form) => {
                self.sizing = None;
                self.settings = form;
                vec![self.tell_settings()]
            }
            Request::Size(form) => self.size(&form),
            Request::Stop => self.stop(),
            Request::Take(take) => vec![self.hand_out(&take)],
        }
    }

    /// Takes the next bytes of the file that is open.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Reply> {
        let Some(reading) = &mut self.reading else { return Vec::new() };
        match reading.reader.feed(bytes) {
            Ok(()) => vec![reading.progress()],
            Err(error) => vec![self.give_up(&error)],
        }
    }

    /// The file that is open has no more bytes.
    pub fn end(&mut self) -> Vec<Reply> {
        let Some(Reading { name, reader, .. }) = self.reading.take() else { return Vec::new() };
        let titles = reader.titles().to_vec();
        match reader.finish() {
            Ok(traffic) => match Brought::new(name, traffic, titles) {
                Ok(brought) => self.take(brought),
                Err(error) => vec![refused("traffic", &error.to_string())],
            },
            Err(error) => vec![unreadable(&error, &titles)],
        }
    }

    /// The file that is open cannot be read any further.
    pub fn fail(&mut self, reason: &str) -> Vec<Reply> {
        match self.reading.take() {
            Some(reading) => vec![refused("traffic", &format!("{}: {reason}", escaped(&reading.name)))],
            None => Vec::new(),
        }
    }

    /// Whether there is work to do.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.pasted.is_some())
            || self.sizing.as_ref().is_some_and(|sizing| !sizing.is_done())
    }

    /// Goes on for about so many steps of the simulation, or with the next piece of a pasted text.
    pub fn work(&mut self, steps: u64) -> Vec<Reply> {
        if let Some(reading) = &mut self.reading
            && let Some((text, at)) = &mut reading.pasted
        {
            let end = (*at + CHUNK).min(text.len());
            let fed = reading.reader.feed(&text[*at..end]);
            *at = end;
            let is_over = end == text.len();
            return match fed {
                Err(error) => vec![self.give_up(&error)],
                Ok(()) if is_over => self.end(),
                Ok(()) => vec![reading.progress()],
            };
        }
        self.sizing.as_mut().map_or_else(Vec::new, |sizing| sizing.work(steps))
    }

    /// The answers as far as the runs have got, those that have changed since they were told last.
    pub fn meanwhile(&mut self) -> Vec<Reply> {
        self.sizing.as_mut().map_or_else(Vec::new, Sizing::meanwhile)
    }

    fn open(&mut self, name: String, size: u64, form: &Form, pasted: Option<(Vec<u8>, usize)>) -> Vec<Reply> {
        self.drop_traffic();
        match bring::options(form) {
            Ok(options) => {
                let reader = Reader::new(escaped(&name), options);
                let reading = self.reading.insert(Reading { name, reader, size, pasted });
                vec![reading.progress()]
            }
            Err(bad) => vec![refused_field("traffic", &bad)],
        }
    }

    fn give_up(&mut self, error: &BadInput) -> Reply {
        let titles = self.reading.take().map_or_else(Vec::new, |reading| reading.reader.titles().to_vec());
        unreadable(error, &titles)
    }

    fn drop_traffic(&mut self) {
        (self.reading, self.brought, self.sizing) = (None, None, None);
    }

    /// Verdicts and ticks depend on the traffic, so the settings are told anew.
    fn take(&mut self, brought: Brought) -> Vec<Reply> {
        let told = brought.told();
        self.brought = Some(Arc::new(brought));
        vec![Reply::Show(told), self.tell_settings()]
    }

    fn tell_settings(&self) -> Reply {
        match Tuned::of(&self.settings, self.brought.as_deref()) {
            Ok(tuned) => Reply::Show(tuned.told()),
            Err(tune::Refused::Field(bad)) => refused_field("settings", &bad),
            Err(tune::Refused::Text(error)) => refused("settings", &error),
        }
    }

    fn size(&mut self, form: &Form) -> Vec<Reply> {
        self.sizing = None;
        let Some(brought) = self.brought.clone() else {
            return vec![refused(
                "sizing",
                "There is no traffic yet: open a file, shape some, or take the flights day.",
            )];
        };
        let tuned = match Tuned::of(&self.settings, Some(&brought)) {
            Ok(tuned) => tuned,
            Err(tune::Refused::Field(bad)) => return vec![refused_field("settings", &bad)],
            Err(tune::Refused::Text(error)) => return vec![refused("settings", &error)],
        };
        let mapped = match tuned.mapped() {
            Ok(mapped) => mapped,
            Err(wrong) => return vec![refused("sizing", &wrong)],
        };
        match Sizing::new(&brought, &tuned, mapped, form) {
            Ok(sizing) => vec![self.sizing.insert(sizing).progress()],
            Err(bad) => vec![refused_field("sizing", &bad)],
        }
    }

    fn stop(&mut self) -> Vec<Reply> {
        let was_reading = self.reading.take().is_some();
        let mut replies = self.sizing.as_mut().map_or_else(Vec::new, Sizing::stop);
        replies.push(show(json!({ "kind": "stopped", "reading": was_reading })));
        replies
    }

    fn hand_out(&self, take: &Take) -> Reply {
        let file = match take {
            Take::Trace => self.brought.as_deref().map(|brought| {
                Ok(Export {
                    name: "trace.csv".to_owned(),
                    media_type: "text/csv;charset=utf-8",
                    bytes: brought.traffic.csv().collect::<String>().into_bytes(),
                })
            }),
            Take::Settings(form) => Some(
                Tuned::of(&self.settings, self.brought.as_deref())
                    .map_err(|refused| refused.to_string())
                    .and_then(|tuned| tuned.file(form)),
            ),
            Take::Report | Take::Numbers(..) | Take::Chart(..) => {
                self.sizing.as_ref().map(|sizing| sizing.file(take))
            }
        };
        match file {
            Some(Ok(file)) => Reply::File(file),
            Some(Err(error)) => refused("file", &error),
            None => refused("file", "There is nothing to take away yet."),
        }
    }
}

impl Reading {
    fn progress(&self) -> Reply {
        let progress = self.reader.progress();
        show(json!({
            "kind": "reading",
            "name": escaped(&self.name),
            "bytes": progress.bytes,
            "size": self.size,
            "rows": grouped(progress.rows),
            "skipped": grouped(progress.skipped),
            "full": progress.is_full,
        }))
    }
}

fn show(value: Value) -> Reply {
    Reply::Show(value)
}

fn refused(about: &str, error: &str) -> Reply {
    show(json!({ "kind": "refused", "about": about, "error": error }))
}

fn refused_field(about: &str, bad: &BadField) -> Reply {
    show(json!({ "kind": "refused", "about": about, "error": bad.reason, "field": bad.field }))
}

/// A file that will not do; its columns, if it has some, so that others can be chosen.
fn unreadable(error: &BadInput, titles: &[String]) -> Reply {
    let titles = bring::titles(titles);
    show(json!({ "kind": "refused", "about": "traffic", "error": error.to_string(), "titles": titles }))
}

/// The questions that a form asks: those that are ticked, all where none is.
fn asked(form: &Form) -> Vec<Question> {
    let some: Vec<Question> = Question::ALL.into_iter().filter(|asked| form.is_on(asked.name())).collect();
    if some.is_empty() { Question::ALL.to_vec() } else { some }
}
