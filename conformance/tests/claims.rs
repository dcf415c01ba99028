//! Each claim of the page on the real client, by name, on each broker.

#![cfg(not(target_arch = "wasm32"))]

use std::io::Write as _;

use conformance::{
    claims::{CLAIMS, Claim, Panel},
    harness::{bounded, cluster::Kind},
    lessons::LESSONS,
};

fn check(name: &str, kind: Kind) {
    let claim = Claim::named(name).expect("a claim of this name");
    match bounded(name, 10, move || claim.check(kind)) {
        Ok(Some(_)) => {}
        Ok(None) => {
            // Past the test runner, which shows nothing of what passes.
            let _ = writeln!(std::io::stderr(), "SKIPPED {name}: there is no Tansu here");
        }
        Err(error) => panic!("“{}” does not hold on {kind:?}: {error}", claim.sentence),
    }
}

macro_rules! claims {
    ($($name:ident)*) => {
        mod on_the_mock {
            $(#[test] fn $name() { super::check(stringify!($name), super::Kind::Mock); })*
        }
        mod on_tansu {
            $(#[test] fn $name() { super::check(stringify!($name), super::Kind::Tansu); })*
        }
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

claims! {
    mailboxes_keep_each_keys_order
    a_shared_pool_breaks_the_order
    a_failed_record_keeps_the_head
    committed_is_where_a_successor_starts
    a_killed_process_repeats_and_loses_nothing
    a_dropped_consumer_repeats_and_loses_nothing
    committing_the_highest_loses
    paused_and_polling_stays
    not_polling_is_evicted
    a_paused_partition_given_back_is_read
    a_kept_pause_is_never_undone
    a_paused_partition_that_moves_is_read
    a_drain_within_its_window_counts
    a_drain_too_short_leaks_and_the_guard_refuses
    without_the_guard_a_row_goes_back
    an_ended_ownership_commits_nothing
    a_late_commit_is_accepted_and_goes_back
    a_stopped_owners_commit_is_refused_and_its_write_is_not
    the_guard_refuses_a_stopped_owners_write
}

#[test]
fn every_claim_is_tested() {
    let all: Vec<_> = CLAIMS.iter().map(|claim| claim.name).collect();
    assert_eq!(NAMES, all);
}

/// The page's text, without its tags.
fn page() -> String {
    let mut text = String::new();
    for piece in include_str!("../../index.html").split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    words(&text)
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences are those of the page, so that neither changes without the other.
#[test]
fn every_claim_stands_on_the_page() {
    let text = page();
    for claim in CLAIMS {
        assert!(text.contains(&words(claim.sentence)), "the page does not say “{}”", claim.sentence);
    }
}

/// The page names the client that is compiled here, under each panel; the report is of these claims.
#[test]
fn page_and_report_are_of_this_client() {
    let version = rdkafka::util::get_rdkafka_version().1;
    let release = version.rsplit_once('.').map_or(version.as_str(), |(release, _)| release);
    let checked = format!("Checked against librdkafka {release}");
    assert_eq!(page().matches(&checked).count(), Panel::ALL.len(), "{checked}");
    let report = include_str!("../../docs/conformance.md");
    assert!(report.contains(&format!("librdkafka {version}")), "`cargo xtask conformance` writes it anew");
    for sentence in
        CLAIMS.iter().map(|claim| claim.sentence).chain(LESSONS.iter().map(|lesson| lesson.sentence))
    {
        assert!(report.contains(sentence), "`cargo xtask conformance` writes it anew: “{sentence}”");
    }
}

/// What the scenarios expect is what the simulator says.
#[test]
fn every_scenario_comes_out_as_expected() {
    for claim in CLAIMS {
        let scenario = keyed_worker_pool::scenario::Scenario::load(&claim.file()).expect("a scenario");
        let verdict = keyed_worker_pool::scenario::check(&scenario).expect("a run that ends");
        assert!(verdict.is_good(), "{}", claim.scenario);
    }
}
