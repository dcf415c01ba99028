//! Every scenario of `tests/scenarios/`, each a test of its own, by the code that `kwp check` runs.
#![cfg(not(target_arch = "wasm32"))]

use std::{collections::BTreeSet, path::Path};

use keyed_worker_pool::scenario::{Scenario, check};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenarios");

fn holds(file: &str) {
    let scenario = Scenario::load(&Path::new(FOLDER).join(file)).unwrap_or_else(|error| panic!("{error}"));
    assert!(scenario.warnings.is_empty(), "{:?}", scenario.warnings);
    let verdict = check(&scenario).unwrap_or_else(|error| panic!("{error}"));
    assert!(verdict.is_good(), "{file}:\n{verdict}");
}

macro_rules! scenarios {
    ($($name:ident $file:literal)*) => {
        const LISTED: &[&str] = &[$($file),*];
        $(#[test] fn $name() { holds($file); })*
    };
}

scenarios! {
    s01_equal_keys_one_mailbox "01-equal-keys-one-mailbox.toml"
    s02_shared_pool_overtakes "02-shared-pool-overtakes.toml"
    s03_no_key_one_mailbox "03-no-key-one-mailbox.toml"
    s04_no_key_spread "04-no-key-spread.toml"
    s05_hot_key_delays_nobody "05-hot-key-delays-nobody.toml"
    s06_retry_at_the_head "06-retry-at-the-head.toml"
    s07_retry_at_the_tail "07-retry-at-the-tail.toml"
    s08_crash_behind_a_gap "08-crash-behind-a-gap.toml"
    s09_highest_offset_loses "09-highest-offset-loses.toml"
    s10_polled_but_not_started "10-polled-but-not-started.toml"
    s11_transaction_markers_leave_gaps "11-transaction-markers-leave-gaps.toml"
    s12_compacted_log "12-compacted-log.toml"
    s13_the_gap_that_is_a_record "13-the-gap-that-is-a-record.toml"
    s14_poison_fills_the_gate "14-poison-fills-the-gate.toml"
    s15_quarantine_frees_the_gate "15-quarantine-frees-the-gate.toml"
    s16_stop_while_work_is_queued "16-stop-while-work-is-queued.toml"
    s17_unbounded_queue_dies "17-unbounded-queue-dies.toml"
    s18_pause_keeps_it_bounded "18-pause-keeps-it-bounded.toml"
    s19_paused_is_not_gone "19-paused-is-not-gone.toml"
    s20_drain_before_fence "20-drain-before-fence.toml"
    s21_leaked_but_not_stale "21-leaked-but-not-stale.toml"
    s22_zombie_overwrites "22-zombie-overwrites.toml"
    s23_guard_rejects_the_zombie "23-guard-rejects-the-zombie.toml"
    s24_acknowledgement_map "24-acknowledgement-map.toml"
    s25_retry_at_the_tail_of_a_mailbox "25-retry-at-the-tail-of-a-mailbox.toml"
    s26_serial_waits_for_its_retry "26-serial-waits-for-its-retry.toml"
    s27_quarantine_finds_it_in_the_queue "27-quarantine-finds-it-in-the-queue.toml"
    s28_highest_passes_dead_letters "28-highest-passes-dead-letters.toml"
    s29_the_old_owners_attempt_can_fail "29-the-old-owners-attempt-can-fail.toml"
    s30_no_key_no_row_no_leak "30-no-key-no-row-no-leak.toml"
    s31_parked_key "31-parked-key.toml"
    s32_dead_letters_are_no_duplicates "32-dead-letters-are-no-duplicates.toml"
    s33_two_retries_keep_their_order "33-two-retries-keep-their-order.toml"
    s34_late_completions_break_order_too "34-late-completions-break-order-too.toml"
    s35_no_gate_while_draining "35-no-gate-while-draining.toml"
    s36_crash_in_the_drain "36-crash-in-the-drain.toml"
    s37_evicted_to_the_other_member "37-evicted-to-the-other-member.toml"
    s38_tap_and_poison "38-tap-and-poison.toml"
    s39_lanes_make_strangers_wait "39-lanes-make-strangers-wait.toml"
    s40_map_across_two_crashes "40-map-across-two-crashes.toml"
    s41_a_knob_turned "41-a-knob-turned.toml"
    s42_at_risk_is_not_lost "42-at-risk-is-not-lost.toml"
    s43_a_generated_log "43-a-generated-log.toml"
    s44_a_generated_log_keyed "44-a-generated-log-keyed.toml"
    s45_late_rejected_lands "45-late-rejected-lands.toml"
    s46_fewer_workers "46-fewer-workers.toml"
    s47_two_heads_after_reroute "47-two-heads-after-reroute.toml"
    s48_block_after_empty_poll "48-block-after-empty-poll.toml"
    s49_park_spares_earlier "49-park-spares-earlier.toml"
    s50_evict_target_down "50-evict-target-down.toml"
    s51_lost_late_completion "51-lost-late-completion.toml"
    s52_map_at_committed "52-map-at-committed.toml"
    s53_skip_after_full_poll "53-skip-after-full-poll.toml"
    s54_retry_place_at_failure "54-retry-place-at-failure.toml"
    s55_null_keys_overlap "55-null-keys-overlap.toml"
    s56_spread_own_mailbox_after_eviction "56-spread-own-mailbox-after-eviction.toml"
    s57_heap_test_while_paused "57-heap-test-while-paused.toml"
    s58_crash_restart_in_the_drain "58-crash-restart-in-the-drain.toml"
    s59_watermark_after_last_phase "59-watermark-after-last-phase.toml"
    s59a_a_late_commit_goes_back "59a-a-late-commit-goes-back.toml"
    s59b_the_late_commit_is_checked "59b-the-late-commit-is-checked.toml"
    s59c_a_kept_pause_sticks "59c-a-kept-pause-sticks.toml"
    s59d_a_forgotten_pause_does_not "59d-a-forgotten-pause-does-not.toml"
    s60a_concurrent_delivery_breaks_key_order "60a-concurrent-delivery-breaks-key-order.toml"
    s60b_mailboxes_keep_key_order "60b-mailboxes-keep-key-order.toml"
    s61a_ordered_by_the_wrong_key "61a-ordered-by-the-wrong-key.toml"
    s61b_serial_keeps_the_partitions_order "61b-serial-keeps-the-partitions-order.toml"
    s62a_one_in_flight_and_still_reordered "62a-one-in-flight-and-still-reordered.toml"
    s62b_the_retry_keeps_the_head "62b-the-retry-keeps-the-head.toml"
    s63a_commits_that_only_keep_the_largest "63a-commits-that-only-keep-the-largest.toml"
    s63b_commit_up_to_the_first_gap "63b-commit-up-to-the-first-gap.toml"
    s64a_restart_after_the_last_commit "64a-restart-after-the-last-commit.toml"
    s64b_restart_at_the_first_gap "64b-restart-at-the-first-gap.toml"
    s64c_restart_with_the_map "64c-restart-with-the-map.toml"
    s65a_queued_at_the_rebalance_and_lost "65a-queued-at-the-rebalance-and-lost.toml"
    s65b_queued_at_the_rebalance_and_kept "65b-queued-at-the-rebalance-and-kept.toml"
    s66a_commits_too_rarely "66a-commits-too-rarely.toml"
    s66b_commits_as_it_goes "66b-commits-as-it-goes.toml"
    s67_the_last_commit_of_a_release "67-the-last-commit-of-a-release.toml"
    s68_acks_out_of_order_resume "68-acks-out-of-order-resume.toml"
    s69a_a_handled_failure_leaves_a_gap "69a-a-handled-failure-leaves-a-gap.toml"
    s69b_a_dead_letter_fills_the_gap "69b-a-dead-letter-fills-the-gap.toml"
    s70_the_tracker_starts_empty "70-the-tracker-starts-empty.toml"
    s71_paused_and_given_back "71-paused-and-given-back.toml"
    s72_lost_while_paused_and_regained "72-lost-while-paused-and-regained.toml"
    s73_more_failures_than_the_limit "73-more-failures-than-the-limit.toml"
    s74_a_failed_record_holds_no_drain "74-a-failed-record-holds-no-drain.toml"
    s75_assigned_and_revoked_at_once "75-assigned-and-revoked-at-once.toml"
    s76a_a_drain_as_long_as_the_work "76a-a-drain-as-long-as-the-work.toml"
    s76b_a_drain_with_a_bound "76b-a-drain-with-a-bound.toml"
    s77a_processed_by_both_owners "77a-processed-by-both-owners.toml"
    s77b_processed_by_one_owner "77b-processed-by-one-owner.toml"
    s78_the_same_offset_twice_assigned "78-the-same-offset-twice-assigned.toml"
    s79_one_dead_letter_per_record "79-one-dead-letter-per-record.toml"
    s80a_an_object_overwritten_by_a_late_task "80a-an-object-overwritten-by-a-late-task.toml"
    s80b_the_late_task_is_refused "80b-the-late-task-is-refused.toml"
    s81a_evicted_and_still_writing "81a-evicted-and-still-writing.toml"
    s81b_evicted_and_refused "81b-evicted-and-refused.toml"
    s82a_a_poisoned_record_stalls_the_topic "82a-a-poisoned-record-stalls-the-topic.toml"
    s82b_a_poisoned_record_is_set_aside "82b-a-poisoned-record-is-set-aside.toml"
    s83a_a_poisoned_record_pins_the_commit "83a-a-poisoned-record-pins-the-commit.toml"
    s83b_the_map_beside_a_pinned_commit "83b-the-map-beside-a-pinned-commit.toml"
    s84_time_in_the_queue_is_no_failure "84-time-in-the-queue-is-no-failure.toml"
    s85a_its_successors_go_on "85a-its-successors-go-on.toml"
    s85b_its_successors_follow_it "85b-its-successors-follow-it.toml"
    s86a_no_poll_while_the_batch_runs "86a-no-poll-while-the-batch-runs.toml"
    s86b_paused_but_polling "86b-paused-but-polling.toml"
    s87a_the_back_off_outlasts_the_interval "87a-the-back-off-outlasts-the-interval.toml"
    s87b_polling_through_the_back_off "87b-polling-through-the-back-off.toml"
    s88a_an_interval_for_one_record "88a-an-interval-for-one-record.toml"
    s88b_an_interval_for_the_whole_poll "88b-an-interval-for-the-whole-poll.toml"
    s89a_a_queue_without_a_bound "89a-a-queue-without-a-bound.toml"
    s89b_a_queue_with_a_bound "89b-a-queue-with-a-bound.toml"
    s90a_a_bound_beyond_memory "90a-a-bound-beyond-memory.toml"
    s90b_a_bound_within_memory "90b-a-bound-within-memory.toml"
    s91a_the_map_is_too_long "91a-the-map-is-too-long.toml"
    s91b_the_map_just_fits "91b-the-map-just-fits.toml"
    s92_a_map_too_wide_for_a_bitset "92-a-map-too-wide-for-a-bitset.toml"
    s93a_no_key_one_busy_lane "93a-no-key-one-busy-lane.toml"
    s93b_an_id_as_key_six_busy_lanes "93b-an-id-as-key-six-busy-lanes.toml"
    s94a_ten_keys_over_four_lanes "94a-ten-keys-over-four-lanes.toml"
    s94b_ten_keys_with_a_mailbox_each "94b-ten-keys-with-a-mailbox-each.toml"
    s95a_the_prefetch_is_thrown_away "95a-the-prefetch-is-thrown-away.toml"
    s95b_the_low_mark_lasts_until_the_refetch "95b-the-low-mark-lasts-until-the-refetch.toml"
    s96a_everything_is_revoked "96a-everything-is-revoked.toml"
    s96b_only_what_moves_is_revoked "96b-only-what-moves-is-revoked.toml"
}

#[test]
fn the_list_above_is_the_folder() {
    let entries = std::fs::read_dir(FOLDER).expect("the folder of scenarios");
    let there: BTreeSet<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    let listed: BTreeSet<String> = LISTED.iter().map(|file| (*file).to_owned()).collect();
    assert_eq!(there, listed);
}

#[test]
fn the_table_of_reports_names_every_retold_report() {
    let table = include_str!("../docs/reports.md");
    for file in LISTED.iter().filter(|file| **file >= "60") {
        assert!(table.contains(&format!("(../tests/scenarios/{file})")), "{file}");
        let scenario =
            Scenario::load(&Path::new(FOLDER).join(file)).unwrap_or_else(|error| panic!("{error}"));
        let source = scenario.source.unwrap_or_else(|| panic!("{file} names no report"));
        let row = table.lines().find(|line| line.contains(&format!("/{file})"))).expect("found above");
        assert!(row.contains(&format!("[{source}](https://github.com/")), "{file}: {source}");
    }
    for link in table.split("(../tests/scenarios/").skip(1) {
        let file = link.split_once(')').expect("a link's end").0;
        assert!(LISTED.contains(&file), "{file} is not a scenario");
    }
}
