//! Settings from anybody: a complaint, or settings that can be judged, mapped, written and read again.

use keyed_worker_pool::{
    settings::{Dialect, Form, Language, Read, Work, knobs, read, skeleton, verdicts, write},
    traffic::Span,
};

/// Bytes of a complaint, and of any sentence.
const LONGEST: usize = 1_000;

/// Checks settings; whether anything in them was understood.
pub fn check(bytes: &[u8]) -> bool {
    let dialects = [None, Some(Dialect::Java), Some(Dialect::Spring), Some(Dialect::Librdkafka)];
    let read = dialects.map(|dialect| match read("any", bytes, dialect) {
        Ok(read) => Some(read),
        Err(error) => {
            super::is_complaint(&error.to_string(), LONGEST);
            None
        }
    });
    read.iter().flatten().filter(|read| adds_up(read)).count() > 0
}

fn adds_up(read: &Read) -> bool {
    for mention in read.invalid.iter().chain(&read.unknown).chain(&read.without_effect) {
        assert!(mention.line > 0 && mention.name.len() <= LONGEST);
        super::shows(&mention.name);
        if let Some(hint) = &mention.hint {
            super::is_complaint(hint, LONGEST);
        }
    }
    for note in &read.notes {
        super::is_complaint(note, LONGEST);
    }
    let settings = &read.settings;
    for work in [None, Some(Work { p50: 20, p99: 400, max: u64::MAX, bytes: Some(u64::MAX) })] {
        for verdict in verdicts(settings, work) {
            super::is_complaint(&verdict.sentence, LONGEST);
        }
    }
    for tick in [1, 1_000_000, u64::MAX >> 1].map(|nanos| Span::from_nanos(nanos).expect("a span")) {
        if let Ok(mapping) = knobs(settings, tick) {
            assert!(mapping.knobs.check().is_ok());
        }
    }
    for language in [Language::Java, Language::Go, Language::Rust] {
        assert!(skeleton(settings, language).len() < 20_000);
    }
    for form in [Form::Properties, Form::Yaml, Form::Json] {
        let text = write(settings, read.dialect, form);
        let again = keyed_worker_pool::settings::read("again", text.as_bytes(), Some(read.dialect));
        let again = again
            .map(|again| again.settings.iter().map(|(name, value, _)| (name, value)).collect::<Vec<_>>());
        let before: Vec<_> = settings.iter().map(|(name, value, _)| (name, value)).collect();
        if !settings.is_empty() {
            assert_eq!(again, Ok(before), "{text}");
        }
    }
    !settings.is_empty()
}
