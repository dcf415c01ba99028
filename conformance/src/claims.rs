//! What the page says, each sentence with the scenario that shows it.
//!
//! A claim is checked by playing its scenario in the simulator and on the real client, tick by tick, and by
//! comparing what came of both. What only a real client can tell (what the broker answered to a commit that came
//! too late, say) a claim checks besides.

use std::path::{Path, PathBuf};

use crate::harness::{
    Trouble,
    cluster::Kind,
    lockstep::{Crash, Eviction, How, Played, play},
    seen::Seen,
};

/// A section of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Panel {
    /// Shared pool or keyed mailboxes.
    Dispatch,
    /// The commit watermark.
    Watermark,
    /// Backpressure.
    Backpressure,
    /// Rebalance.
    Rebalance,
}

impl Panel {
    /// All, in the page's order.
    pub const ALL: [Panel; 4] = [Panel::Dispatch, Panel::Watermark, Panel::Backpressure, Panel::Rebalance];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Panel::Dispatch => "Dispatch",
            Panel::Watermark => "The commit watermark",
            Panel::Backpressure => "Backpressure",
            Panel::Rebalance => "Rebalance",
        }
    }
}

/// A sentence and its check.
pub struct Claim {
    /// What the test is called.
    pub name: &'static str,
    /// Where it stands.
    pub panel: Panel,
    /// As the page has it.
    pub sentence: &'static str,
    /// The scenario, without `.toml`.
    pub scenario: &'static str,
    /// What the scenario leaves open.
    pub how: How,
    /// Which results show it.
    pub shows: &'static [&'static str],
    /// What must hold on the real client alone, and its telling.
    pub also: fn(&Seen) -> Result<Option<String>, String>,
}

/// What came of a check: `(name, predicted, observed)` for all that can be compared, and what the real client
/// told besides.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The comparison.
    pub results: Vec<(&'static str, String, String)>,
    /// The rest.
    pub besides: Option<String>,
}

const BY_KILL: How = How { crash: Crash::Kill, eviction: Eviction::NotPolling, dwell: false };

/// The claims, in the page's order.
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "mailboxes_keep_each_keys_order",
        panel: Panel::Dispatch,
        sentence: "Order now holds by construction: every key’s completion lane ascends, whatever the service \
                   times.",
        scenario: "dispatch-keyed",
        how: BY_KILL,
        shows: &["completions", "order_breaks", "rows"],
        also: nothing_else,
    },
    Claim {
        name: "a_shared_pool_breaks_the_order",
        panel: Panel::Dispatch,
        sentence: "That is an order break: a record that completes after a later record of its own key.",
        scenario: "dispatch-shared",
        how: BY_KILL,
        shows: &["completions", "order_breaks", "overlaps"],
        also: nothing_else,
    },
    Claim {
        name: "a_failed_record_keeps_the_head",
        panel: Panel::Dispatch,
        sentence: "A record that failed keeps the head of its mailbox until its retry settles; sent to the tail, \
                   it would break the order again.",
        scenario: "dispatch-retry",
        how: BY_KILL,
        shows: &["completions", "order_breaks"],
        also: nothing_else,
    },
    Claim {
        name: "committed_is_where_a_successor_starts",
        panel: Panel::Watermark,
        sentence: "A committed offset is one number, and it is a promise to whoever owns the partition next: \
                   start here, everything below is finished.",
        scenario: "committed-is-the-start",
        how: BY_KILL,
        shows: &["committed", "redelivered", "completions"],
        also: nothing_else,
    },
    Claim {
        name: "a_killed_process_repeats_and_loses_nothing",
        panel: Panel::Watermark,
        sentence: "Commit that, and a crash can only repeat records, never skip them",
        scenario: "crash-behind-a-gap",
        how: BY_KILL,
        shows: &["redelivered", "duplicates", "lost"],
        also: nothing_else,
    },
    Claim {
        name: "a_dropped_consumer_repeats_and_loses_nothing",
        panel: Panel::Watermark,
        sentence: "Commit that, and a crash can only repeat records, never skip them",
        scenario: "crash-behind-a-gap",
        how: How { crash: Crash::Drop, ..BY_KILL },
        shows: &["redelivered", "duplicates", "lost"],
        also: nothing_else,
    },
    Claim {
        name: "committing_the_highest_loses",
        panel: Panel::Watermark,
        sentence: "Committing the highest finished offset is a bug that waits for a bad day.",
        scenario: "commit-highest",
        how: BY_KILL,
        shows: &["committed", "redelivered", "lost"],
        also: nothing_else,
    },
    Claim {
        name: "paused_and_polling_stays",
        panel: Panel::Backpressure,
        sentence: "pause() makes poll() return no records from the partitions named, resume() undoes it, and \
                   every empty poll restarts the timer.",
        scenario: "pause-and-resume",
        how: How { dwell: true, ..BY_KILL },
        shows: &["pauses", "resumes", "evictions", "redelivered"],
        also: nothing_unasked,
    },
    Claim {
        name: "not_polling_is_evicted",
        panel: Panel::Backpressure,
        sentence: "Exceed it and the client leaves the group. The unfinished batch is delivered to another member, \
                   where it may take just as long.",
        scenario: "not-polling",
        how: BY_KILL,
        shows: &["evictions", "redelivered", "leaked", "rejected"],
        also: commit_refused,
    },
    Claim {
        name: "a_paused_partition_given_back_is_read",
        panel: Panel::Backpressure,
        sentence: "Begin every assignment with the gate open.",
        scenario: "paused-and-given-back",
        how: BY_KILL,
        shows: &["pauses", "resumes", "redelivered", "completions"],
        also: nothing_unasked,
    },
    Claim {
        name: "a_kept_pause_is_never_undone",
        panel: Panel::Backpressure,
        sentence: "librdkafka keeps it, and a partition that comes back paused is never read again.",
        scenario: "paused-and-kept",
        how: BY_KILL,
        shows: &["pauses", "resumes", "committed", "completions"],
        also: nothing_unasked,
    },
    Claim {
        name: "a_paused_partition_that_moves_is_read",
        panel: Panel::Backpressure,
        sentence: "Begin every assignment with the gate open.",
        scenario: "paused-and-moved",
        how: BY_KILL,
        shows: &["pauses", "resumes", "redelivered", "completions"],
        also: nothing_unasked,
    },
    Claim {
        name: "a_drain_within_its_window_counts",
        panel: Panel::Rebalance,
        sentence: "Use it in order: start nothing more, wait for what runs, commit the watermark, forget the rest.",
        scenario: "drain-long-enough",
        how: BY_KILL,
        shows: &["redelivered", "duplicates", "leaked", "completions"],
        also: nothing_else,
    },
    Claim {
        name: "a_drain_too_short_leaks_and_the_guard_refuses",
        panel: Panel::Rebalance,
        sentence: "With the guard on, those that are not newer are rejected.",
        scenario: "drain-too-short-guarded",
        how: BY_KILL,
        shows: &["leaked", "rejected", "rows"],
        also: nothing_else,
    },
    Claim {
        name: "without_the_guard_a_row_goes_back",
        panel: Panel::Rebalance,
        sentence: "Switch it off and a row goes back.",
        scenario: "drain-too-short-unguarded",
        how: BY_KILL,
        shows: &["leaked", "rejected", "rows"],
        also: nothing_else,
    },
    Claim {
        name: "an_ended_ownership_commits_nothing",
        panel: Panel::Rebalance,
        sentence: "so number the ownerships, and let what an ended one finishes commit nothing.",
        scenario: "late-commit",
        how: BY_KILL,
        shows: &["committed", "leaked", "redelivered", "completions"],
        also: nothing_else,
    },
    Claim {
        name: "a_late_commit_is_accepted_and_goes_back",
        panel: Panel::Rebalance,
        sentence: "If it is still a member and only lost the partition, a late commit is accepted and the committed \
                   offset goes back;",
        scenario: "late-commit-sent",
        how: BY_KILL,
        shows: &["committed", "leaked", "redelivered", "completions"],
        also: commit_went_back,
    },
    Claim {
        name: "a_stopped_owners_commit_is_refused_and_its_write_is_not",
        panel: Panel::Rebalance,
        sentence: "It never fences a database write.",
        scenario: "stopped-owner-unguarded",
        how: How { eviction: Eviction::Stopped, ..BY_KILL },
        shows: &["evictions", "leaked", "rejected", "rows"],
        also: commit_refused,
    },
    Claim {
        name: "the_guard_refuses_a_stopped_owners_write",
        panel: Panel::Rebalance,
        sentence: "So the row defends itself.",
        scenario: "stopped-owner-guarded",
        how: How { eviction: Eviction::Stopped, ..BY_KILL },
        shows: &["evictions", "leaked", "rejected", "rows"],
        also: commit_refused,
    },
];

impl Claim {
    /// The claim of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Claim> {
        CLAIMS.iter().find(|claim| claim.name == name)
    }

    /// Where its scenario lies.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        scenarios().join(format!("{}.toml", self.scenario))
    }

    /// Checks it on that broker; `None` if there is no such broker here.
    ///
    /// # Errors
    /// If it does not hold, or could not be checked.
    pub fn check(&self, kind: Kind) -> Result<Option<Finding>, Trouble> {
        let Some(Played { outcome, seen }) = play(kind, &self.file(), self.how)? else { return Ok(None) };
        let results = seen.beside(&outcome);
        let differences: Vec<_> = results
            .iter()
            .filter(|(_, predicted, observed)| predicted != observed)
            .map(|(name, predicted, observed)| format!("{name}: predicted {predicted}, observed {observed}"))
            .collect();
        if !differences.is_empty() {
            return Err(differences.join("\n").into());
        }
        let besides = (self.also)(&seen)?;
        Ok(Some(Finding { results, besides }))
    }
}

/// The folder of the scenarios.
#[must_use]
pub fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

fn nothing_else(seen: &Seen) -> Result<Option<String>, String> {
    if seen.refused.is_empty() && seen.moved_back.is_empty() {
        return Ok(None);
    }
    Err(format!("commits refused: {:?}; commits that went back: {:?}", seen.refused, seen.moved_back))
}

fn nothing_unasked(seen: &Seen) -> Result<Option<String>, String> {
    match seen.unasked {
        0 => nothing_else(seen),
        some => Err(format!("{some} records came from a paused partition")),
    }
}

fn commit_went_back(seen: &Seen) -> Result<Option<String>, String> {
    // Others may be refused in the midst of a rebalance, and be made again after it.
    match seen.moved_back.as_slice() {
        [to] => Ok(Some(format!("the late commit is accepted: back to {to}"))),
        other => Err(format!("one commit should have gone back, not {other:?}; refused: {:?}", seen.refused)),
    }
}

fn commit_refused(seen: &Seen) -> Result<Option<String>, String> {
    match seen.refused.as_slice() {
        [code] if seen.moved_back.is_empty() => Ok(Some(format!("the late commit is refused: `{code}`"))),
        other => Err(format!("one commit should have been refused, not {other:?}")),
    }
}
