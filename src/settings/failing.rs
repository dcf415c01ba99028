//! What becomes of a record that keeps failing, where a library gives up by itself: Spring's error handler.
//!
//! It counts attempts, and the engine's quarantine is a time: the nearest is the time that so many attempts take.

use super::{
    Name, Origin, Settings, Value, Verdict, Weight, Work,
    library::{SPRING_ATTEMPTS, SPRING_FAILURES},
    value::length,
};
use crate::traffic::Span;

impl Settings {
    /// Whether a failing record is skipped after so many attempts, because nobody has said what else is to be done.
    fn skips(&self) -> bool {
        let retry = self.0.get(&Name::RetryDelay);
        let is_default = |(_, origin): &(Value, Origin)| *origin == Origin::Default(&SPRING_FAILURES);
        retry.is_some_and(is_default) && !self.is_said(Name::QuarantineAfter)
    }

    /// These, where somebody else than the library decides what becomes of a failing record.
    #[must_use]
    pub(super) fn without_skipping(self) -> Settings {
        if self.skips() { self.without(Name::RetryDelay) } else { self }
    }

    /// These, with the quarantine that is nearest to so many attempts of such work, where a tick is `tick` long; and
    /// that it is so, in a sentence.
    #[must_use]
    pub(super) fn with_attempts(mut self, work: Option<Work>, tick: Span) -> (Settings, Option<String>) {
        let Some(work) = work.filter(|_| self.skips()) else { return (self, None) };
        let again = SPRING_ATTEMPTS - 1;
        // The engine's shortest delay before an attempt is a tick.
        let delays = u128::from(tick.nanos()).saturating_mul(again.into()).div_ceil(1_000_000);
        let delays = u64::try_from(delays).unwrap_or(u64::MAX);
        let after = work.p50.saturating_mul(again).saturating_add(delays).min(i64::MAX.unsigned_abs());
        self.0.insert(Name::QuarantineAfter, (Value::Number(after), Origin::Implied));
        self.0.entry(Name::QuarantineThen).or_insert((Value::Word("continue"), Origin::Implied));
        let note = format!(
            "Spring gives a failing record up after {SPRING_ATTEMPTS} attempts: it is logged and skipped, and lost unless a \
             recoverer is configured. The engine's quarantine is a time: {} after the first \
             failure, which is how long the others take at p50 of the work, {} (kwp.quarantine.after.ms).",
            length(after),
            length(work.p50)
        );
        (self, Some(note))
    }
}

/// That a failing record is skipped, where it is.
pub(super) fn judge(settings: &Settings, _: Option<Work>, verdicts: &mut Vec<Verdict>) {
    if !settings.skips() {
        return;
    }
    let what = match settings.word(Name::ListenerType) {
        Some("batch") => {
            "A batch that keeps failing is tried ten times without a pause, then all of it (or the one record that a \
             BatchListenerFailedException names)"
        }
        _ => "A record that keeps failing is tried ten times without a pause, then it",
    };
    let sentence = format!(
        "{what} is logged and skipped, and the offset committed (Spring's DefaultErrorHandler): silent loss unless a recoverer \
         (DeadLetterPublishingRecoverer) is configured, and later records of the key go on."
    );
    verdicts.push(Verdict { weight: Weight::Doubtful, sentence, about: vec![Name::RetryDelay] });
}
