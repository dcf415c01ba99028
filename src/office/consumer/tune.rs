//! The reader's settings: a library's defaults, over them what was pasted, over that what was filled in by hand.

use std::fmt;

use serde_json::{Value, json};

use super::{
    bring::Brought,
    form::{BadField, Form, bad},
};
use crate::{
    ledger::{escaped, grouped},
    office::Export,
    settings::{
        self, Dialect, Kind, LIBRARIES, Language, Library, Mention, Name, Origin, Pauses, Read, Settings,
        Together, Weight, Work, skeleton, together, verdicts, write,
    },
    sizing::Commits,
    traffic::Span,
    world::{Knobs, config::Intake},
};

/// The settings of `examples/flights-day.toml`, as the page offers them with that traffic.
///
/// Complete where the engine's defaults are not the example's, so that a report has nothing to remark on.
pub(super) const FLIGHTS: &str = "# More workers than are ever in the air at once.\n\
    kwp.workers=200\nmax.poll.records=100\nkwp.intake.high=500\nkwp.intake.low=250\nkwp.commit.interval.ms=300000\n\
    # Seven minutes.\nkwp.drain.ms=420000\n";

/// What the field of the library holds where what is left open is to have the engine's own defaults.
const NO_LIBRARY: &str = "-";

/// Why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// A field is wrong.
    Field(BadField),
    /// The pasted text, or all of it together.
    Text(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Field(bad) => bad.fmt(f),
            Refused::Text(error) => f.write_str(error),
        }
    }
}

/// Settings, and what they come to in the engine.
#[derive(Clone, Debug)]
pub(super) struct Tuned {
    settings: Settings,
    read: Option<Read>,
    base: Option<&'static Library>,
    /// What they come to in the engine; or why they come to nothing.
    mapped: Result<(Knobs, Commits), String>,
    /// What was decided on the way; nothing where nothing was said.
    notes: Vec<String>,
    work: Option<Work>,
    tick: Span,
}

impl Tuned {
    /// Reads a form: the fields `library`, `text`, and one for each setting, under the name that it is called by.
    pub(super) fn of(form: &Form, brought: Option<&Brought>) -> Result<Tuned, Refused> {
        let named = match form.text("library") {
            "" | NO_LIBRARY => None,
            id => Some(Library::named(id).ok_or_else(|| {
                let ids: Vec<&str> = LIBRARIES.iter().map(|library| library.id).collect();
                Refused::Field(bad("library", format!("expected one of {}", ids.join(", "))))
            })?),
        };
        let text = form.exact("text");
        let has_text =
            text.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let read = match has_text {
            true => Some(
                settings::read("settings", text.as_bytes(), None)
                    .map_err(|error| Refused::Text(error.to_string()))?,
            ),
            false => None,
        };
        let own = by_hand(form).map_err(Refused::Field)?;
        let base = match form.text("library") {
            "" => read.as_ref().map(|read| read.library),
            _ => named,
        };
        let is_said = read.is_some() || base.is_some() || !own.is_empty();
        let tick = brought.map_or(Span::MILLISECOND, Brought::tick);
        let work = brought.map(|brought| Work::in_traffic(&brought.traffic, tick));
        let Together { settings, mapped, notes, .. } = together(&own, read.as_ref(), base, tick, work);
        let mapped = if is_said {
            mapped.map_err(|wrong| wrong.to_string())
        } else {
            Ok((settings::unsaid(brought.map_or(Some(tick), Brought::counted)), Commits::Engine))
        };
        Ok(Tuned {
            settings,
            read,
            base,
            mapped,
            notes: if is_said { notes } else { Vec::new() },
            work,
            tick,
        })
    }

    /// The knobs and how the client commits.
    pub(super) fn mapped(&self) -> Result<(Knobs, Commits), String> {
        self.mapped.clone()
    }

    /// What is worth knowing in a report: what was decided, and what counts for nothing.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.notes.iter().cloned().chain(self.read.iter().flat_map(settings::for_nothing)).collect()
    }

    /// What the client makes of a pause, as a row beside the settings.
    fn pauses(&self) -> Option<Value> {
        let Pauses { way, meaning, source } = self.base?.pauses()?;
        Some(json!([Pauses::CALLED, way, meaning, source.to_string()]))
    }

    /// Everything that the page shows of them.
    pub(super) fn told(&self) -> Value {
        let rows: Vec<Value> = self
            .settings
            .iter()
            .map(|(name, value, origin)| {
                row(name.called_in(self.read.as_ref().map(|read| read.dialect)), name, value, origin)
            })
            .chain(self.pauses())
            .collect();
        let read = self.read.as_ref();
        let mentions = |list: fn(&Read) -> &Vec<Mention>| -> Vec<Value> {
            read.map_or_else(Vec::new, |read| list(read).iter().map(mention).collect())
        };
        let verdicts: Vec<Value> = read
            .iter()
            .flat_map(|read| read.verdicts())
            .chain(verdicts(&self.settings, self.work))
            .map(|verdict| json!([weight(verdict.weight), verdict.sentence]))
            .collect();
        let notes: Vec<&String> = read.iter().flat_map(|read| &read.notes).chain(&self.notes).collect();
        json!({
            "kind": "settings",
            "dialect": read.map(|read| read.dialect.name()),
            "library": self.base.map(|library| json!([library.name, library.note])),
            "rows": rows,
            "invalid": mentions(|read| &read.invalid),
            "open": mentions(|read| &read.open),
            "unknown": mentions(|read| &read.unknown),
            "without": mentions(|read| &read.without_effect),
            "elsewhere": read.map_or(0, |read| read.elsewhere),
            "verdicts": verdicts,
            "notes": notes,
            "wrong": self.mapped.as_ref().err(),
            "now": self.now(),
            "measured": self.work.is_some(),
        })
    }

    /// The settings that can be turned by hand, as they stand: field and value.
    fn now(&self) -> Value {
        let millis = |ticks: u64| {
            let millis = u128::from(ticks) * u128::from(self.tick.nanos()) / 1_000_000;
            grouped(u64::try_from(millis).unwrap_or(u64::MAX))
        };
        let Ok((knobs, _)) = &self.mapped else { return Value::Null };
        let (high, low) = match knobs.intake {
            Intake::Pause { high, low } => (grouped(high), grouped(low)),
            Intake::Unbounded | Intake::Block => ("none".to_owned(), "none".to_owned()),
        };
        let quarantine = knobs.quarantine.map_or("never".to_owned(), |quarantine| millis(quarantine.after));
        json!({
            "kwp.workers": grouped(knobs.concurrency().into()),
            "max.poll.records": grouped(knobs.poll),
            "kwp.intake.high": high,
            "kwp.intake.low": low,
            "kwp.commit.interval.ms": millis(knobs.commit_every),
            "kwp.drain.ms": millis(knobs.drain),
            "kwp.quarantine.after.ms": quarantine,
        })
    }

    /// The settings as a file: properties of a dialect, or the beginning of a consumer.
    pub(super) fn file(&self, form: &str) -> Result<Export, String> {
        // What was said, over what the engine took where nothing was.
        let (knobs, commits) = self.mapped.clone()?;
        let found = settings::settings_of(&knobs, self.tick);
        // Commits at polls have no interval of one's own.
        let found = if commits == Commits::Engine { found } else { found.without(Name::CommitEvery) };
        // Nor has a client that blocks a drain window: it waits for its batch.
        let found = if knobs.intake == Intake::Block { found.without(Name::Drain) } else { found };
        let settings = self.settings.over(&found);
        let (name, media_type, text) = match form {
            "java" => (
                "consumer.properties",
                "text/plain;charset=utf-8",
                write(&settings, Dialect::Java, settings::Form::Properties),
            ),
            "spring" => (
                "application.yml",
                "application/yaml",
                write(&settings, Dialect::Spring, settings::Form::Yaml),
            ),
            "librdkafka" => (
                "librdkafka.properties",
                "text/plain;charset=utf-8",
                write(&settings, Dialect::Librdkafka, settings::Form::Properties),
            ),
            "skeleton-java" => ("KeyedConsumer.java", "text/x-java", skeleton(&settings, Language::Java)),
            "skeleton-go" => ("keyed_consumer.go", "text/x-go", skeleton(&settings, Language::Go)),
            "skeleton-rust" => ("keyed_consumer.rs", "text/x-rust", skeleton(&settings, Language::Rust)),
            "scenario" => ("consumer.toml", "application/toml", settings::scenario(&settings, self.tick)?),
            other => return Err(format!("Settings are not written as {other:?}.")),
        };
        Ok(Export { name: name.to_owned(), media_type, bytes: text.into_bytes() })
    }
}

/// What is filled in by hand.
fn by_hand(form: &Form) -> Result<Settings, BadField> {
    let mut settings = Settings::default();
    for known in &settings::KNOWN {
        let field = known.name.called();
        let text = form.text(field);
        let value = match known.kind {
            Kind::Millis(low, high) | Kind::Count(low, high) | Kind::Bytes(low, high) => {
                form.number(field, (low, high))?.map(settings::Value::Number)
            }
            _ if text.is_empty() => None,
            Kind::Flag => Some(settings::Value::Flag(match text {
                "true" | "on" => true,
                "false" | "off" => false,
                _ => return Err(bad(field, "expected true or false")),
            })),
            Kind::Word(words) => {
                let word = words.iter().find(|word| **word == text);
                Some(settings::Value::Word(
                    word.ok_or_else(|| bad(field, format!("expected {}", words.join(", "))))?,
                ))
            }
        };
        if let Some(value) = value {
            settings.set(known.name, value, Origin::Found);
        }
    }
    Ok(settings)
}

fn row(called: &str, name: Name, value: settings::Value, origin: Origin) -> Value {
    let known = name.known();
    let from = match origin {
        Origin::Line(line) => format!("line {line}"),
        Origin::Default(source) => source.to_string(),
        Origin::Found => "by hand".to_owned(),
        Origin::Implied => "implied by the others".to_owned(),
    };
    json!([called, known.kind.told(value), known.meaning, from])
}

fn mention(mention: &Mention) -> Value {
    json!([grouped(mention.line as u64), escaped(&mention.name), mention.hint.as_deref().map(escaped)])
}

fn weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Bad => "bad",
        Weight::Doubtful => "doubtful",
        Weight::Good => "good",
    }
}
