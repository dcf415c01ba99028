//! What a client refuses to start with, what it gives up without a word, and what counts for nothing.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::{
    settings::{Library, Name, Origin, Settings, Together, Weight, Work, together, verdicts},
    traffic::Span,
    world::config::{Quarantine, Then},
};

use super::{all_said, judged, over, says, told, understood};

#[test]
fn a_group_of_the_newer_protocol_has_no_timeouts_of_its_own() {
    let java = "the Java client refuses to start (ConfigException)";
    for setting in ["session.timeout.ms=30000", "heartbeat.interval.ms=3000"] {
        let told = all_said(&format!("group.protocol=consumer\n{setting}\n"), None);
        assert!(says(&told, Weight::Bad, java), "{setting}: {told:?}");
    }
    let both =
        all_said("group.protocol=consumer\nsession.timeout.ms=30000\nheartbeat.interval.ms=3000\n", None);
    assert!(says(&both, Weight::Bad, "heartbeat.interval.ms and session.timeout.ms beside"), "{both:?}");
    let strategy = "group.protocol=CONSUMER\npartition.assignment.strategy=a.b.RangeAssignor\n";
    let told = all_said(strategy, None);
    assert!(says(&told, Weight::Bad, "partition.assignment.strategy (line 2) beside"), "{told:?}");
    assert!(says(&told, Weight::Bad, java));
    let librdkafka = all_said(&format!("queued.min.messages=9\n{strategy}session.timeout.ms=6000\n"), None);
    assert_eq!(librdkafka.iter().filter(|(_, told)| told.contains("librdkafka refuses to make")).count(), 2);
    // Of defaults that the client leaves out there is nothing to say.
    for text in ["group.protocol=consumer\n", "group.protocol=classic\nsession.timeout.ms=30000\n"] {
        let told = all_said(text, None);
        assert!(!told.iter().any(|(_, told)| told.contains("group.protocol")), "{told:?}");
    }
}

#[test]
fn a_manual_mode_beside_auto_commit_is_refused() {
    let text = |auto: &str, mode: &str| {
        format!("spring.kafka.consumer.enable-auto-commit={auto}\nspring.kafka.listener.ack-mode={mode}\n")
    };
    for mode in ["manual", "MANUAL_IMMEDIATE"] {
        let told = all_said(&text("true", mode), None);
        assert!(says(&told, Weight::Bad, "Spring refuses to start (IllegalStateException)"), "{told:?}");
        assert!(!says(&told, Weight::Good, "enable.auto.commit=true and one thread"), "{told:?}");
        assert!(!says(&all_said(&text("false", mode), None), Weight::Bad, "refuses"));
    }
    assert!(!says(&all_said(&text("true", "batch"), None), Weight::Bad, "refuses"));
    // Spring switches it off where nobody has set it, whatever the client's default.
    let unsaid = all_said("spring.kafka.listener.ack-mode=manual\n", Some("java"));
    assert!(!says(&unsaid, Weight::Bad, "refuses"), "{unsaid:?}");
}

#[test]
fn retries_through_topics_give_up_the_order() {
    let on = "spring.kafka.retry.topic.enabled=true\n";
    let read = understood(on);
    assert!(read.without_effect.is_empty() && read.unknown.is_empty(), "{read:?}");
    let told = all_said(on, None);
    assert!(
        says(&told, Weight::Doubtful, "Non-blocking retries (line 1) give up the order per key"),
        "{told:?}"
    );
    assert!(!says(&told, Weight::Doubtful, "logged and skipped"), "{told:?}");
    let batch = all_said(&format!("spring.kafka.listener.type=batch\n{on}"), None);
    assert!(says(&batch, Weight::Bad, "a batch listener has none"), "{batch:?}");
    let off = all_said("spring.kafka.retry.topic.enabled=false\n", None);
    assert!(!off.iter().any(|(_, told)| told.contains("Non-blocking")), "{off:?}");
    let java = "@RetryableTopic(attempts = \"3\")\n@KafkaListener(topics = \"a\")\nvoid on(String s) {}\n";
    assert!(says(&all_said(java, None), Weight::Doubtful, "give up the order per key"));
}

#[test]
fn the_value_that_counts_is_the_one_that_is_judged() {
    let read = understood("max.poll.records=0\nmax.poll.records=10\n");
    assert_eq!((told(&read.settings), read.invalid.len()), (vec!["max.poll.records=10".to_owned()], 0));
    assert_eq!(read.notes, ["max.poll.records is set in line 1 and again in line 2, which counts"]);
    assert_eq!(read.verdicts().count(), 0);
    let read = understood("max.poll.records=10\nmax.poll.records=0\n");
    assert_eq!((read.settings.is_empty(), read.invalid.len()), (true, 1));
    // Spring puts what is for consumers over what is for all clients, wherever it stands.
    let read = understood(
        "spring.kafka.consumer.properties.max.poll.interval.ms=5\nspring.kafka.properties.max.poll.interval.ms=7\n",
    );
    assert_eq!(told(&read.settings), ["max.poll.interval.ms=5"]);
    assert_eq!(read.notes, ["max.poll.interval.ms is set in line 2 and again in line 1, which counts"]);
}

#[test]
fn workers_of_a_serial_consumer_count_for_nothing() {
    let sentence = "8 workers, but routing is serial (kwp.routing): one of them works at a time";
    let told = all_said("kwp.workers=8\nkwp.routing=serial\n", None);
    assert!(says(&told, Weight::Doubtful, sentence), "{told:?}");
    for text in ["kwp.workers=8\n", "kwp.workers=1\nkwp.routing=serial\n", "max.poll.records=5\n"] {
        let told = all_said(text, None);
        assert!(!told.iter().any(|(_, told)| told.contains("routing is serial")), "{text}: {told:?}");
    }
}

#[test]
fn spring_skips_what_keeps_failing() {
    let skips = "tried ten times without a pause, then it is logged and skipped, and the offset committed";
    let told = all_said("spring.kafka.consumer.max-poll-records=5\n", None);
    assert!(
        says(&told, Weight::Doubtful, skips) && says(&told, Weight::Doubtful, "silent loss unless"),
        "{told:?}"
    );
    let batch = all_said("spring.kafka.listener.type=batch\n", None);
    assert!(says(&batch, Weight::Doubtful, "A batch that keeps failing"), "{batch:?}");
    // Who says what is done has it so.
    for text in [
        "spring.kafka.listener.concurrency=2\nkwp.quarantine.after.ms=5\n",
        "spring.kafka.listener.concurrency=2\nkwp.retry.delay.ms=5\n",
        "kwp.workers=4\n",
        "f.setCommonErrorHandler(handler);\np.put(\"max.poll.records\", 5);\n",
    ] {
        let told = all_said(text, Some("spring"));
        assert!(!told.iter().any(|(_, told)| told.contains("logged and skipped")), "{text}: {told:?}");
    }
    assert!(judged("java", "", None).iter().all(|told| !told.contains("skipped")));
}

#[test]
fn ten_attempts_are_the_time_that_they_take() {
    let spring = Library::named("spring");
    let with = |work: Option<Work>, tick: Span| together(&Settings::default(), None, spring, tick, work);
    let Together { settings, mapped, notes, .. } = with(Some(Work::of(80)), Span::MILLISECOND);
    let (knobs, _) = mapped.expect("knobs");
    // Nine more after the first failure, a tick apart.
    assert_eq!(knobs.quarantine, Some(Quarantine { after: 9 * 81, then: Then::Continue }));
    assert_eq!(knobs.retry_delay, 1);
    assert_eq!(
        settings.iter().find(|(name, ..)| *name == Name::QuarantineAfter).map(|(.., origin)| origin),
        Some(Origin::Implied)
    );
    assert!(
        notes.iter().any(|note| note.contains("up after 10 attempts: it is logged and skipped")),
        "{notes:?}"
    );
    // It is Spring's loss all the same.
    assert!(verdicts(&settings, None).iter().any(|verdict| verdict.sentence.contains("silent loss")));
    let coarse = with(Some(Work::of(60_000)), Span::parse("1m").expect("a span")).mapped.expect("knobs").0;
    assert_eq!(coarse.quarantine.map(|quarantine| quarantine.after), Some(18));
    // Nobody knows how long attempts take, or the library gives nothing up.
    assert_eq!(with(None, Span::MILLISECOND).mapped.expect("knobs").0.quarantine, None);
    let java =
        together(&Settings::default(), None, Library::named("java"), Span::MILLISECOND, Some(Work::of(80)));
    assert_eq!(java.mapped.expect("knobs").0.quarantine, None);
    let said = over("spring", "kwp.quarantine.after.ms=5\n").mapped.expect("knobs").0;
    assert_eq!(said.quarantine.map(|quarantine| quarantine.after), Some(5));
}
