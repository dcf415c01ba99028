//! `kwp settings`: what a consumer's settings say, what is to be said of them, and how they are written elsewhere.

use std::{io, io::Read as _};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{
    file::Given,
    out::{BAD, GOOD, HEAD, ODD, Paper, failed, paint},
    run::Format,
};
use crate::{
    export::json::Object,
    ledger::escaped,
    scenario::{BadInput, open},
    settings::{
        Dialect, Form, LIBRARIES, LONGEST_SETTINGS, Language, Library, Mention, Origin, Pauses, Read,
        Settings, Source, Together, Verdict, Weight, Work, for_nothing, read, scenario, skeleton, together,
        verdicts, write,
    },
    sizing::Commits,
    traffic::{Span, counted},
    world::Knobs,
};

/// Arguments of `kwp settings`.
#[derive(Args, Debug)]
pub(super) struct SettingsArgs {
    /// A file of consumer properties (Java, Spring, librdkafka; YAML or JSON too), or - for standard input
    #[arg(value_name = "FILE", required_unless_present = "library")]
    file: Option<Given>,

    /// Fill in the defaults of this library; without a file, show them with their sources
    #[arg(long, value_name = "NAME", value_parser = library)]
    library: Option<&'static Library>,

    /// Whose names the file uses, where that is not to be found out
    #[arg(long, value_enum, value_name = "DIALECT")]
    dialect: Option<Names>,

    /// How long the work of a record takes: 800ms, or p50, p99 and the longest: 20ms,400ms,3s
    #[arg(long, value_name = "LENGTH", value_parser = work)]
    work: Option<Work>,

    /// Bytes of a record in memory
    #[arg(long, value_name = "BYTES", requires = "work")]
    bytes: Option<u64>,

    /// How long a tick is, for --export scenario
    #[arg(long, value_name = "LENGTH", value_parser = tick, default_value = "1ms")]
    tick: Span,

    /// Write the settings instead: as properties, as the [consumer] of a scenario, or as the beginning of a consumer
    #[arg(long, value_enum, value_name = "WHAT")]
    export: Option<Export>,

    /// How to print: as text, or as one JSON object
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Names {
    Java,
    Spring,
    Librdkafka,
}

impl Names {
    fn dialect(self) -> Dialect {
        match self {
            Names::Java => Dialect::Java,
            Names::Spring => Dialect::Spring,
            Names::Librdkafka => Dialect::Librdkafka,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Export {
    /// Properties of the Java client
    Properties,
    /// Spring Boot's application.yml
    Spring,
    /// Spring Boot's application.properties
    SpringProperties,
    /// Properties of librdkafka
    Librdkafka,
    /// The same as JSON
    LibrdkafkaJson,
    /// A scenario of the engine, with a small log
    Scenario,
    /// A consumer in Java, with kafka-clients
    Java,
    /// A consumer in Go
    Go,
    /// A consumer in Rust
    Rust,
}

/// The library with this id.
pub(super) fn library(id: &str) -> Result<&'static Library, String> {
    Library::named(id).ok_or_else(|| {
        let names: Vec<_> = LIBRARIES.iter().map(|library| library.id).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn tick(text: &str) -> Result<Span, String> {
    Span::parse(text).map_err(|_| "expected a length of time with its unit, such as 10ms or 1s".to_owned())
}

fn work(text: &str) -> Result<Work, String> {
    let expected = "expected 800ms, or three lengths that rise: 20ms,400ms,3s";
    let lengths = text.split(',').map(|length| Span::parse(length.trim()).map(Span::millis));
    let lengths: Vec<u64> = lengths.collect::<Result<_, _>>().map_err(|_| expected.to_owned())?;
    match lengths[..] {
        [length] => Ok(Work::of(length)),
        [p50, p99, max] if p50 <= p99 && p99 <= max => Ok(Work { p50, p99, max, bytes: None }),
        _ => Err(expected.to_owned()),
    }
}

/// 0: nothing is bad; 1: a verdict is; 2: the file cannot be read.
pub(super) fn run(args: &SettingsArgs, paper: &mut Paper) -> u8 {
    failed(try_run(args, paper))
}

fn try_run(args: &SettingsArgs, paper: &mut Paper) -> Result<u8, Box<dyn std::error::Error>> {
    let read = args.file.as_ref().map(|file| load(file, args.dialect)).transpose()?;
    let base = base_of(args.library, read.as_ref());
    let work = args.work.map(|work| Work { bytes: args.bytes, ..work });
    let Together { settings, notes, mapped, .. } =
        together(&Settings::default(), read.as_ref(), base, args.tick, work);
    if let Some(export) = args.export {
        paper.text(exported(export, &settings, args.tick)?);
        return Ok(0);
    }
    let invalid = read.iter().flat_map(Read::verdicts);
    let verdicts: Vec<Verdict> = invalid.chain(verdicts(&settings, work)).collect();
    let notes = match mapped {
        Ok(_) => notes,
        // A verdict says so too, but not where.
        Err(wrong) => vec![wrong.to_string()],
    };
    let is_bad = verdicts.iter().any(|verdict| verdict.weight == Weight::Bad);
    match args.format {
        Format::Json => {
            paper.line(format!("{:#}", as_json(read.as_ref(), base, &settings, &verdicts, &notes)));
        }
        Format::Text => print(read.as_ref(), base, &settings, &verdicts, &notes, paper),
    }
    Ok(u8::from(is_bad))
}

/// The library that was named, or the client whose names the file uses.
fn base_of(named: Option<&'static Library>, read: Option<&Read>) -> Option<&'static Library> {
    named.or_else(|| Some(read?.library))
}

/// The engine's knobs for a file of settings, or for the defaults of a library, where a tick is `tick` long and this is
/// the work, if it is known; with what is to be said of them.
pub(super) fn as_knobs(
    file: Option<&Given>,
    library: Option<&'static Library>,
    tick: Span,
    work: Option<Work>,
) -> Result<(Knobs, Commits, Vec<String>), Box<dyn std::error::Error>> {
    let read = file.map(|file| load(file, None)).transpose()?;
    if let Some(nothing) = read.as_ref().and_then(Read::nothing) {
        return Err(format!("{nothing} Expected consumer properties: name=value lines, YAML or JSON").into());
    }
    let base = base_of(library, read.as_ref());
    let Together { mapped, mut notes, .. } = together(&Settings::default(), read.as_ref(), base, tick, work);
    let (knobs, commits) = mapped?;
    notes.extend(read.iter().flat_map(for_nothing));
    Ok((knobs, commits, notes))
}

fn load(given: &Given, dialect: Option<Names>) -> Result<Read, BadInput> {
    let (name, source): (String, Box<dyn io::Read>) = match given {
        Given::Stdin => ("standard input".to_owned(), Box::new(io::stdin().lock())),
        Given::Path(path) => {
            let name = path.display().to_string();
            let file = open(path).map_err(|error| BadInput::unreadable(name.clone(), &error))?;
            (name, Box::new(file))
        }
    };
    let mut bytes = Vec::new();
    let most = LONGEST_SETTINGS as u64 + 1;
    source.take(most).read_to_end(&mut bytes).map_err(|error| BadInput::unreadable(&name, &error))?;
    read(&name, &bytes, dialect.map(Names::dialect))
}

fn exported(export: Export, settings: &Settings, tick: Span) -> Result<String, Box<dyn std::error::Error>> {
    Ok(match export {
        Export::Properties => write(settings, Dialect::Java, Form::Properties),
        Export::Spring => write(settings, Dialect::Spring, Form::Yaml),
        Export::SpringProperties => write(settings, Dialect::Spring, Form::Properties),
        Export::Librdkafka => write(settings, Dialect::Librdkafka, Form::Properties),
        Export::LibrdkafkaJson => write(settings, Dialect::Librdkafka, Form::Json),
        Export::Scenario => scenario(settings, tick)?,
        Export::Java => skeleton(settings, Language::Java),
        Export::Go => skeleton(settings, Language::Go),
        Export::Rust => skeleton(settings, Language::Rust),
    })
}

fn print(
    read: Option<&Read>,
    base: Option<&'static Library>,
    settings: &Settings,
    verdicts: &[Verdict],
    notes: &[String],
    paper: &mut Paper,
) {
    if let Some(read) = read {
        paper.line(format!("names of {}", read.dialect.name()));
    }
    if let Some(base) = base {
        let ending = if read.is_some() { ", where the file says nothing" } else { "" };
        paper.line(format!("defaults of {}{ending}\n  {}", base.name, base.note));
    }
    paper.line(paint(HEAD, "\nunderstood"));
    let mut sources: Vec<&Source> = Vec::new();
    let mut documented = |source: &'static Source| {
        if read.is_some() {
            return "default".to_owned();
        }
        let at = sources.iter().position(|other| *other == source);
        let at = at.unwrap_or_else(|| {
            sources.push(source);
            sources.len() - 1
        });
        format!("[{}]", at + 1)
    };
    for (name, value, origin) in settings.iter() {
        let known = name.known();
        let place = match origin {
            Origin::Line(line) => format!("line {line}"),
            Origin::Default(source) => documented(source),
            Origin::Found => "found".to_owned(),
            Origin::Implied => "implied".to_owned(),
        };
        let called = name.called_in(read.map(|read| read.dialect));
        paper.line(format!("  {place:<9} {called} = {}: {}", known.kind.told(value), known.meaning));
    }
    if let Some(Pauses { way, meaning, source }) = base.and_then(Library::pauses) {
        paper.line(format!("  {:<9} {} {way}: {meaning}", documented(source), Pauses::CALLED));
    }
    if !sources.is_empty() {
        paper.line(paint(HEAD, "\nwhere that is documented"));
    }
    for (source, number) in sources.iter().zip(1..) {
        paper.line(format!("  [{number}] {source}"));
    }
    if let Some(read) = read {
        mentions("not valid", &read.invalid, paper);
        mentions("decided elsewhere", &read.open, paper);
        mentions("not understood", &read.unknown, paper);
        mentions("known, and nothing here depends on it", &read.without_effect, paper);
        if read.elsewhere > 0 {
            let (count, were) =
                (counted(read.elsewhere as u64, "setting"), if read.elsewhere == 1 { "was" } else { "were" });
            paper.line(format!("\n{count} of other things than Kafka {were} passed over"));
        }
        for note in &read.notes {
            paper.line(format!("note: {note}"));
        }
    }
    for note in notes {
        paper.line(format!("note: {note}"));
    }
    paper.line(paint(HEAD, "\nverdicts"));
    for verdict in verdicts {
        let (style, word) = match verdict.weight {
            Weight::Bad => (BAD, "bad"),
            Weight::Doubtful => (ODD, "doubtful"),
            Weight::Good => (GOOD, "adds up"),
        };
        paper.line(format!("  {} {}", paint(style, format!("{word:<9}")), verdict.sentence));
    }
}

fn mentions(what: &str, mentions: &[Mention], paper: &mut Paper) {
    if mentions.is_empty() {
        return;
    }
    paper.line(paint(HEAD, format!("\n{what}")));
    for mention in mentions {
        let hint = mention.hint.as_ref().map_or(String::new(), |hint| format!(": {}", escaped(hint)));
        paper.line(format!("  line {:<4} {}{hint}", mention.line, mention.name));
    }
}

fn as_json(
    read: Option<&Read>,
    base: Option<&'static Library>,
    settings: &Settings,
    verdicts: &[Verdict],
    notes: &[String],
) -> Object {
    let entries = settings.iter().map(|(name, value, origin)| {
        let (line, source) = match origin {
            Origin::Line(line) => (Some(line), None),
            Origin::Default(source) => (None, Some(source.to_string())),
            Origin::Found | Origin::Implied => (None, None),
        };
        let called = name.called_in(read.map(|read| read.dialect));
        json!({ "name": called, "value": value.to_string(), "line": line, "source": source })
    });
    let list = |mentions: Option<&Vec<Mention>>| -> serde_json::Value {
        let entry =
            |mention: &Mention| json!({ "name": mention.name, "line": mention.line, "hint": mention.hint });
        mentions.into_iter().flatten().map(entry).collect()
    };
    let verdicts = verdicts.iter().map(|verdict| {
        let about: Vec<_> = verdict.about.iter().map(|name| name.called()).collect();
        json!({ "weight": format!("{:?}", verdict.weight).to_lowercase(), "sentence": verdict.sentence, "about": about })
    });
    Object(vec![
        ("dialect", read.map(|read| read.dialect.name()).into()),
        ("library", base.map(|base| base.id).into()),
        ("settings", entries.collect()),
        ("invalid", list(read.map(|read| &read.invalid))),
        ("open", list(read.map(|read| &read.open))),
        ("unknown", list(read.map(|read| &read.unknown))),
        ("without_effect", list(read.map(|read| &read.without_effect))),
        ("notes", notes.to_vec().into()),
        ("verdicts", verdicts.collect()),
    ])
}
