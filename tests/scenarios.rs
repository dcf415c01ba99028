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
}

#[test]
fn the_list_above_is_the_folder() {
    let entries = std::fs::read_dir(FOLDER).expect("the folder of scenarios");
    let there: BTreeSet<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    let listed: BTreeSet<String> = LISTED.iter().map(|file| (*file).to_owned()).collect();
    assert_eq!(there, listed);
}
