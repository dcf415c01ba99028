//! The found settings as the beginning of a consumer in Java, Go or Rust.
//!
//! Each is a file that compiles as it stands, with the mechanisms under their names: a mailbox per key, the watermark,
//! the pause gate, the bounded drain in the revoke callback, the version guard. Only numbers are filled in.

use super::{
    Name, Settings,
    engine::{COMMIT_EVERY, DRAIN, RETRY_DELAY},
};

/// A language to write it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Java 17, with kafka-clients.
    Java,
    /// Go 1.18, with whatever client stands behind an interface.
    Go,
    /// Rust 2021 or later, likewise, with nothing but the standard library.
    Rust,
}

/// The most that a language's length of time holds in milliseconds: Go counts nanoseconds in 63 bits.
const LONGEST: u64 = i64::MAX.unsigned_abs() / 1_000_000;

/// Writes it. What the settings leave open is filled in as for a run (4 workers, marks 24 and 8, a drain of 5 seconds),
/// and named at the top.
#[must_use]
pub fn skeleton(settings: &Settings, language: Language) -> String {
    let template = match language {
        Language::Java => include_str!("skeleton/java.txt"),
        Language::Go => include_str!("skeleton/go.txt"),
        Language::Rust => include_str!("skeleton/rust.txt"),
    };
    let number = |name: Name, default: u64| settings.number(name).unwrap_or(default);
    let millis = |name: Name, default: u64| number(name, default).min(LONGEST);
    let high = number(Name::High, 24);
    let low = number(Name::Low, (high / 3).min(high - 1));
    // A pool that commits by itself needs an interval; the client's own is the habit.
    let commit =
        settings.number(Name::CommitEvery).unwrap_or_else(|| number(Name::AutoCommitInterval, COMMIT_EVERY));
    let filled = [
        ("@workers@", number(Name::Workers, 4)),
        ("@high@", high),
        ("@low@", low),
        ("@poll@", number(Name::PollRecords, 500)),
        ("@commit@", commit.min(LONGEST)),
        ("@drain@", millis(Name::Drain, DRAIN)),
        ("@retry@", millis(Name::RetryDelay, RETRY_DELAY).max(1)),
        ("@quarantine@", millis(Name::QuarantineAfter, 0)),
    ];
    let numbers = [
        (Name::Workers, filled[0].1),
        (Name::High, filled[1].1),
        (Name::Low, filled[2].1),
        (Name::Drain, filled[5].1),
        (Name::RetryDelay, filled[6].1),
    ];
    let open: Vec<String> = numbers
        .into_iter()
        .filter(|(name, _)| settings.number(*name).is_none())
        .map(|(name, number)| format!("{} = {number}", name.called()))
        .collect();
    let comment = match language {
        Language::Java | Language::Go => "//",
        Language::Rust => "//!",
    };
    let open = match open[..] {
        [] => String::new(),
        _ => format!("{comment} Your settings leave open, and so it is filled in: {}.\n", open.join(", ")),
    };
    let threads = crate::traffic::counted(filled[0].1, "thread");
    let goroutines = crate::traffic::counted(filled[0].1, "goroutine");
    let text = template.replace("@open@", &open);
    let text = text.replace("@workers@ threads", &threads).replace("@workers@ goroutines", &goroutines);
    filled.iter().fold(text, |text, (place, number)| text.replace(place, &number.to_string()))
}
