//! What is to be said of settings, in sentences with the arithmetic in them.
//!
//! Each verdict is arithmetic on the settings and, where it is known, on how long the work takes. None of them says
//! that anything is safe.

use super::{
    Name, Origin, Settings, assignor, failing,
    value::{length, size},
};
use crate::{
    ledger::grouped,
    traffic::{Span, Traffic, counted},
};

/// How much a verdict weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// This cannot go well.
    Bad,
    /// This can go wrong, or costs more than it seems.
    Doubtful,
    /// This adds up.
    Good,
}

/// A sentence about settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How much it weighs.
    pub weight: Weight,
    /// The sentence, with its arithmetic.
    pub sentence: String,
    /// The settings that it is about.
    pub about: Vec<Name>,
}

/// How long the work of a record takes, in milliseconds, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Half of the records take at most this.
    pub p50: u64,
    /// 99 of 100 take at most this.
    pub p99: u64,
    /// The longest.
    pub max: u64,
    /// Bytes of a record in memory, if they are known.
    pub bytes: Option<u64>,
}

impl Work {
    /// Every record takes so long.
    #[must_use]
    pub fn of(millis: u64) -> Work {
        Work { p50: millis, p99: millis, max: millis, bytes: None }
    }

    /// The work of this traffic, where a tick is `tick` long.
    #[must_use]
    pub fn in_traffic(traffic: &Traffic, tick: Span) -> Work {
        let summary = traffic.summary();
        let millis = |ticks: u64| {
            let millis = (u128::from(ticks) * u128::from(tick.nanos())).div_ceil(1_000_000);
            u64::try_from(millis).unwrap_or(u64::MAX)
        };
        Work {
            p50: millis(summary.work_p50),
            p99: millis(summary.work_p99),
            max: millis(summary.work_max),
            bytes: None,
        }
    }
}

/// Whether the client commits offsets of records that are still worked on: it commits by itself what it has handed
/// out, and they are handed to other threads.
pub(super) fn commits_what_is_handed_out(settings: &Settings) -> bool {
    settings.flag(Name::AutoCommit) == Some(true)
        && settings.flag(Name::StoreOffsets) != Some(false)
        && is_pool(settings)
}

/// Whether records are worked on beside the thread that polls.
fn is_pool(settings: &Settings) -> bool {
    let workers = settings.number(Name::Workers).unwrap_or(1);
    let is_serial = settings.word(Name::Routing) == Some("serial");
    (workers > 1 && !is_serial) || settings.word(Name::Intake).is_some_and(|intake| intake != "block")
}

/// Whether several records can be worked on at a time.
fn is_pool_of_many(settings: &Settings) -> bool {
    settings.number(Name::Workers).unwrap_or(4) > 1 && settings.word(Name::Routing) != Some("serial")
}

/// Says what is to be said of one matter.
type Judge = fn(&Settings, Option<Work>, &mut Vec<Verdict>);

/// Everything that is to be said, the worst first.
#[must_use]
pub fn verdicts(settings: &Settings, work: Option<Work>) -> Vec<Verdict> {
    let judges: [Judge; 9] = [batch, liveness, serial, drain, marks, commits, failing::judge, memory, order];
    let mut verdicts = Vec::new();
    for judge in judges {
        judge(settings, work, &mut verdicts);
    }
    verdicts.sort_by_key(|verdict| verdict.weight);
    verdicts
}

fn say(verdicts: &mut Vec<Verdict>, weight: Weight, about: &[Name], sentence: String) {
    verdicts.push(Verdict { weight, sentence, about: about.to_vec() });
}

/// Whether a batch is done before the next poll is due.
fn batch(settings: &Settings, work: Option<Work>, verdicts: &mut Vec<Verdict>) {
    let Some(interval) = settings.number(Name::PollInterval) else { return };
    let about = [Name::PollRecords, Name::PollInterval, Name::Workers];
    if settings.word(Name::Intake) != Some("block") {
        let sentence = "Polling goes on while records are worked on (paused or not), so that \
                        max.poll.interval.ms bounds no record's work."
            .to_owned();
        say(verdicts, Weight::Good, &about[1..2], sentence);
        return;
    }
    let poll = settings.number(Name::PollRecords).unwrap_or(1).max(1);
    let is_serial = settings.word(Name::Routing) == Some("serial");
    let workers = if is_serial { 1 } else { settings.number(Name::Workers).unwrap_or(1).max(1) };
    let turns = poll.div_ceil(workers);
    let by = if workers > 1 { format!(" / {} workers", grouped(workers)) } else { String::new() };
    let limit = length(interval);
    // A client that hands out single messages has calls that take several, and no property for how many.
    let is_guessed = poll == 1 && matches!(settings.0.get(&Name::PollRecords), Some((_, Origin::Default(_))));
    let said = |sentence: String| match is_guessed {
        true => format!(
            "If you take single messages (poll(), getone()): {sentence} For batches (consume(n), getmany()) say how many, by \
             kwp.poll.records."
        ),
        false => sentence,
    };
    let Some(work) = work else {
        let each = length(interval / turns);
        let sentence = format!(
            "A full batch has {limit} until the next poll is due: {}{by} {} {each} for each, on average.",
            counted(poll, "record"),
            if poll == 1 { "leaves" } else { "leave" }
        );
        say(verdicts, Weight::Doubtful, &about, said(sentence));
        return;
    };
    let product = |millis: u64| {
        let all = turns.saturating_mul(millis);
        (all, format!("{} x {}{by} = {}", counted(poll, "record"), length(millis), length(all)))
    };
    let [(usual, told), (slow, told_slow)] = [work.p50, work.p99].map(product);
    if usual > interval {
        let sentence = format!("{told} > max.poll.interval.ms {limit}: evicted every batch that is full.");
        say(verdicts, Weight::Bad, &about, said(sentence));
    } else if work.max > interval {
        let longest = length(work.max);
        let sentence =
            format!("One record of {longest} > max.poll.interval.ms {limit}: evicted by that one alone.");
        say(verdicts, Weight::Bad, &about, sentence);
    } else if slow > interval {
        let sentence = format!(
            "{told} <= max.poll.interval.ms {limit}, but at p99 {told_slow}: evicted when everything is slow at once."
        );
        say(verdicts, Weight::Doubtful, &about, said(sentence));
    } else {
        let sentence =
            format!("{told_slow} at p99 <= max.poll.interval.ms {limit}: a full batch is done in time.");
        say(verdicts, Weight::Good, &about, said(sentence));
    }
}

/// Whether heartbeats, session and polls fit together.
fn liveness(settings: &Settings, _: Option<Work>, verdicts: &mut Vec<Verdict>) {
    let about = [Name::Heartbeat, Name::SessionTimeout];
    let (session, heartbeat) = (settings.number(Name::SessionTimeout), settings.number(Name::Heartbeat));
    if settings.word(Name::GroupProtocol) == Some("consumer") {
        let said: Vec<&str> =
            about.into_iter().filter(|name| settings.is_said(*name)).map(Name::called).collect();
        if !said.is_empty() {
            let refuses = assignor::refuses(is_of_librdkafka(settings));
            let sentence = format!("{} beside group.protocol=consumer: {refuses}", said.join(" and "));
            say(verdicts, Weight::Bad, &[about[0], about[1], Name::GroupProtocol], sentence);
        }
        return;
    }
    if let (Some(session), Some(heartbeat)) = (session, heartbeat) {
        let (told, every) = (length(session), length(heartbeat));
        let missed = session / heartbeat.max(1);
        if heartbeat >= session {
            let sentence =
                format!("heartbeat.interval.ms {every} >= session.timeout.ms {told}: dead before its first.");
            say(verdicts, Weight::Bad, &about, sentence);
        } else if missed < 3 {
            let sentence = format!(
                "session.timeout.ms {told} / heartbeat.interval.ms {every} = {missed}: fewer than 3 heartbeats, and \
                 one that is lost can look like a death."
            );
            say(verdicts, Weight::Doubtful, &about, sentence);
        } else {
            let sentence = format!(
                "session.timeout.ms {told} / heartbeat.interval.ms {every} = {missed} heartbeats before it \
                         counts as dead."
            );
            say(verdicts, Weight::Good, &about, sentence);
        }
    }
    if let (Some(session), Some(interval)) = (session, settings.number(Name::PollInterval))
        && session > interval
    {
        let told =
            format!("session.timeout.ms {} > max.poll.interval.ms {}", length(session), length(interval));
        // Only librdkafka has this setting. It checks the two before it makes a client.
        let (weight, end) = if settings.number(Name::QueuedMessages).is_some() {
            (Weight::Bad, "librdkafka refuses to make such a client.")
        } else {
            (Weight::Doubtful, "a process that died is missed later than one that is only slow.")
        };
        say(verdicts, weight, &[Name::SessionTimeout, Name::PollInterval], format!("{told}: {end}"));
    }
}

/// Whether these are librdkafka's, which alone has such a queue.
fn is_of_librdkafka(settings: &Settings) -> bool {
    settings.number(Name::QueuedMessages).is_some()
}

/// Whether there are workers that have nothing to do.
fn serial(settings: &Settings, _: Option<Work>, verdicts: &mut Vec<Verdict>) {
    let workers = settings.number(Name::Workers).unwrap_or(1);
    if workers > 1 && settings.word(Name::Routing) == Some("serial") {
        let sentence = format!(
            "{} workers, but routing is serial (kwp.routing): one of them works at a time, and the others count for nothing.",
            grouped(workers)
        );
        say(verdicts, Weight::Doubtful, &[Name::Workers, Name::Routing], sentence);
    }
}

/// Whether what runs at a revoke can end.
fn drain(settings: &Settings, work: Option<Work>, verdicts: &mut Vec<Verdict>) {
    if !is_pool(settings) {
        return;
    }
    let Some(drain) = settings.number(Name::Drain) else {
        let sentence =
            "Nothing says how long a revoked owner waits for what is running (kwp.drain.ms): what does not \
                        end in that time leaks its write."
                .to_owned();
        say(verdicts, Weight::Doubtful, &[Name::Drain], sentence);
        return;
    };
    let window = length(drain);
    if let Some(interval) = settings.number(Name::PollInterval)
        && drain >= interval
    {
        let sentence = format!(
            "Drain window {window} >= max.poll.interval.ms {}: the callback that drains runs within a poll, so that \
             the owner is evicted while it waits.",
            length(interval)
        );
        say(verdicts, Weight::Bad, &[Name::Drain, Name::PollInterval], sentence);
    }
    let Some(work) = work else {
        if drain == 0 {
            let sentence =
                "Drain window 0 ms: whatever runs at a revoke goes on after the handover and leaks its \
                            write."
                    .to_owned();
            say(verdicts, Weight::Bad, &[Name::Drain], sentence);
        }
        return;
    };
    let [p99, max] = [work.p99, work.max].map(length);
    if drain < work.p99 {
        let sentence =
            format!("Drain window {window} < p99 of the work {p99}: records that run at a revoke leak.");
        say(verdicts, Weight::Bad, &[Name::Drain], sentence);
    } else if drain < work.max {
        let sentence = format!(
            "Drain window {window} >= p99 of the work {p99}, but < the longest {max}: now and then a write leaks."
        );
        say(verdicts, Weight::Doubtful, &[Name::Drain], sentence);
    } else {
        let sentence =
            format!("Drain window {window} >= the longest work {max}: what runs at a revoke can end.");
        say(verdicts, Weight::Good, &[Name::Drain], sentence);
    }
}

/// The most that can be in flight, by the marks.
fn most_in_flight(settings: &Settings) -> Option<u64> {
    let high = settings.number(Name::High)?;
    Some((high - 1).saturating_add(settings.number(Name::PollRecords).unwrap_or(1)))
}

/// Whether marks, batches and workers fit together.
fn marks(settings: &Settings, _: Option<Work>, verdicts: &mut Vec<Verdict>) {
    let pauses = !matches!(settings.word(Name::Intake), Some("block" | "unbounded"));
    if settings.word(Name::Intake) == Some("unbounded") {
        let sentence = "Nothing bounds what is read: a slow spell fills the memory.".to_owned();
        say(verdicts, Weight::Bad, &[Name::Intake], sentence);
    }
    if !pauses && (settings.is_said(Name::High) || settings.is_said(Name::Low)) {
        let mode = settings.word(Name::Intake).unwrap_or_default();
        let sentence =
            format!("There are marks, but reading is {mode} (kwp.intake.mode): they count for nothing.");
        say(verdicts, Weight::Doubtful, &[Name::Intake, Name::High, Name::Low], sentence);
    }
    if let (Some(high), Some(low), false) = (settings.number(Name::High), settings.number(Name::Low), pauses)
        && low >= high
    {
        let sentence = format!("Low mark {} >= high mark {}: it never resumes.", grouped(low), grouped(high));
        say(verdicts, Weight::Bad, &[Name::Low, Name::High], sentence);
    }
    let (Some(high), true) = (settings.number(Name::High), pauses) else { return };
    let workers = settings.number(Name::Workers).unwrap_or(1);
    if let Some(low) = settings.number(Name::Low) {
        let about = [Name::Low, Name::High, Name::Workers];
        if low >= high {
            let sentence =
                format!("Low mark {} >= high mark {}: it never resumes.", grouped(low), grouped(high));
            say(verdicts, Weight::Bad, &about[..2], sentence);
        } else if low < workers && workers > 1 {
            let sentence = format!(
                "Low mark {} < {} workers: some run dry before reading resumes.",
                grouped(low),
                grouped(workers)
            );
            say(verdicts, Weight::Doubtful, &about, sentence);
        }
    }
    if high < workers {
        let sentence = format!(
            "High mark {} < {} workers: reading can pause before all of them have work.",
            grouped(high),
            grouped(workers)
        );
        say(verdicts, Weight::Doubtful, &[Name::High, Name::Workers], sentence);
    }
    let (Some(most), Some(poll)) = (most_in_flight(settings), settings.number(Name::PollRecords)) else {
        return;
    };
    let sum = format!("{} - 1 + {} = {}", grouped(high), grouped(poll), grouped(most));
    if poll > high {
        let sentence = format!(
            "One poll of {} passes the high mark of {} by itself: {sum} records in flight at most.",
            grouped(poll),
            grouped(high)
        );
        say(verdicts, Weight::Doubtful, &[Name::High, Name::PollRecords], sentence);
    } else {
        let sentence = format!("{sum} records in flight at most: high mark - 1 + max.poll.records.");
        say(verdicts, Weight::Good, &[Name::High, Name::PollRecords], sentence);
    }
}

/// Whether commits name what is finished.
fn commits(settings: &Settings, _: Option<Work>, verdicts: &mut Vec<Verdict>) {
    let about = [Name::AutoCommit, Name::Workers];
    let is_auto = settings.flag(Name::AutoCommit) == Some(true);
    if let Some(mode @ ("manual" | "manual-immediate")) = settings.word(Name::AckMode)
        && is_auto
        && settings.is_said(Name::AutoCommit)
    {
        let sentence = format!(
            "enable.auto.commit=true with ack-mode {mode}: Spring refuses to start (IllegalStateException), because a manual mode \
             leaves commits to the listener."
        );
        say(verdicts, Weight::Bad, &[Name::AutoCommit, Name::AckMode], sentence);
    } else if commits_what_is_handed_out(settings) {
        let sentence =
            "enable.auto.commit=true with work beside the polling thread: it commits what was handed out, \
                        finished or not; a crash loses what was still running."
                .to_owned();
        say(verdicts, Weight::Bad, &about, sentence);
    } else if settings.flag(Name::AutoCommit) == Some(true) && settings.flag(Name::StoreOffsets) == Some(true)
    {
        // aiokafka commits so too, and has no such setting.
        let setting = match is_of_librdkafka(settings) {
            true => "enable.auto.offset.store=true",
            false => "enable.auto.commit=true on a timer of its own",
        };
        let sentence = format!(
            "{setting}: a record is committed once it is handed out, so that a crash while it is worked on can lose it."
        );
        say(verdicts, Weight::Doubtful, &[Name::AutoCommit, Name::StoreOffsets], sentence);
    } else if settings.flag(Name::AutoCommit) == Some(true) && settings.flag(Name::StoreOffsets).is_none() {
        let every = length(settings.number(Name::AutoCommitInterval).unwrap_or(5_000));
        let when = match settings.flag(Name::CommitBeside) {
            Some(true) => format!("every {every}"),
            _ => format!("at the first poll after {every}"),
        };
        let sentence = format!(
            "enable.auto.commit=true and one thread that polls and works: commits cover what earlier polls returned, and \
             that is done. They come {when} (auto.commit.interval.ms): a crash brings again everything since the last one, \
             many batches where they are short, and the batch that is being worked on."
        );
        say(verdicts, Weight::Good, &[Name::AutoCommit, Name::AutoCommitInterval], sentence);
    }
    if settings.word(Name::CommitOffset) == Some("highest") && !is_pool_of_many(settings) {
        let sentence = "Commits name the highest finished offset: with one record at a time nothing lies unfinished below it, \
                        and nothing is lost by that."
            .to_owned();
        say(verdicts, Weight::Good, &[Name::CommitOffset], sentence);
    } else if settings.word(Name::CommitOffset) == Some("highest") {
        let sentence =
            "Commits name the highest finished offset: a crash loses what lies unfinished below it."
                .to_owned();
        say(verdicts, Weight::Bad, &[Name::CommitOffset], sentence);
    }
    if settings.flag(Name::AckMap) == Some(true)
        && let Some(most) = most_in_flight(settings)
    {
        // A bit for each, a byte to say which form, in base64.
        let bytes = (most.div_ceil(8).saturating_add(1)).div_ceil(3).saturating_mul(4);
        let limit = settings.number(Name::AckMapLimit).unwrap_or(4096);
        let told = format!("{} records in flight: a map of {} as bits", grouped(most), size(bytes));
        let (weight, end) = if bytes > limit {
            (Weight::Doubtful, format!("> the limit of {}: commits may go without it.", size(limit)))
        } else {
            (Weight::Good, format!("<= the limit of {}.", size(limit)))
        };
        say(verdicts, weight, &[Name::AckMap, Name::High, Name::PollRecords], format!("{told} {end}"));
    }
}

/// What is held in memory.
fn memory(settings: &Settings, work: Option<Work>, verdicts: &mut Vec<Verdict>) {
    if let Some(kbytes) = settings.number(Name::QueuedKbytes) {
        let fetch = settings.number(Name::PartitionFetchBytes).unwrap_or(0);
        let sentence = format!(
            "librdkafka queues up to {} ahead of the application (queued.max.messages.kbytes), and one fetch of {} \
             beyond.",
            size(kbytes << 10),
            size(fetch)
        );
        say(verdicts, Weight::Good, &[Name::QueuedKbytes, Name::PartitionFetchBytes], sentence);
    } else if let (Some(all), Some(one)) =
        (settings.number(Name::FetchMaxBytes), settings.number(Name::PartitionFetchBytes))
        && one > all
    {
        let sentence = format!(
            "max.partition.fetch.bytes {} > fetch.max.bytes {}: one partition can fill the whole fetch, and the others \
             wait.",
            size(one),
            size(all)
        );
        say(verdicts, Weight::Doubtful, &[Name::PartitionFetchBytes, Name::FetchMaxBytes], sentence);
    }
    let bytes = work.and_then(|work| work.bytes);
    if let (Some(bytes), Some(most)) = (bytes, most_in_flight(settings)) {
        let sentence = format!(
            "{} records in flight x {} = {} held at most.",
            grouped(most),
            size(bytes),
            size(most.saturating_mul(bytes))
        );
        say(verdicts, Weight::Good, &[Name::High, Name::PollRecords], sentence);
    }
}

/// What becomes of the order of a key's records.
fn order(settings: &Settings, _: Option<Work>, verdicts: &mut Vec<Verdict>) {
    let workers = settings.number(Name::Workers).unwrap_or(1);
    if settings.word(Name::Routing) == Some("shared") && workers > 1 {
        let sentence =
            format!("One queue for {} workers: records of one key overtake each other.", grouped(workers));
        say(verdicts, Weight::Bad, &[Name::Routing, Name::Workers], sentence);
    }
    if settings.word(Name::RetryAt) == Some("tail") {
        let sentence = "A failed record goes to the tail: later ones of its key overtake it.".to_owned();
        say(verdicts, Weight::Bad, &[Name::RetryAt], sentence);
    }
    if settings.word(Name::Guard) == Some("off") {
        let sentence = "No guard on the store: a write that leaks can overwrite a newer one.".to_owned();
        say(verdicts, Weight::Bad, &[Name::Guard], sentence);
    }
}
