//! A consumer's settings: what is understood, what is said of it, and that nothing is lost or let in on the way out.

mod refused;
mod spelled;

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::{
    settings::{
        Dialect, Form, KNOWN, LIBRARIES, Language, Library, Mention, Name, Origin, Read, Settings, Together,
        Value, Weight, Work, for_nothing, knobs, read, settings_of, skeleton, together, unsaid, verdicts,
        write,
    },
    sizing::Commits,
    traffic::Span,
    world::{
        Knobs,
        config::{CommitOffset, Intake, Quarantine, Routing, Then},
    },
};

fn understood(text: &str) -> Read {
    read("t", text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}"))
}

fn told(settings: &Settings) -> Vec<String> {
    settings.iter().map(|(name, value, _)| format!("{}={value}", name.called())).collect()
}

fn hints(mentions: &[Mention]) -> Vec<String> {
    let told = |mention: &Mention| {
        format!("{} {}: {}", mention.line, mention.name, mention.hint.as_deref().unwrap_or_default())
    };
    mentions.iter().map(told).collect()
}

fn refused(bytes: &[u8]) -> String {
    read("t", bytes, None).expect_err("it is refused").to_string()
}

#[test]
fn a_text_of_something_else_is_bad() {
    let weights =
        |text: &str| -> Vec<Weight> { understood(text).verdicts().map(|told| told.weight).collect() };
    assert_eq!(weights("hello world\n"), [Weight::Bad]);
    assert_eq!(weights("server.port=8080\n"), [Weight::Bad]);
    // A consumer that leaves everything at its default is one.
    assert!(weights("bootstrap.servers=b:9092\ngroup.id=g\n").is_empty());
    let python =
        understood("conf = {'group.id': 'g', 'enable.auto.commit': False, 'session.timeout.ms': s}\n");
    assert_eq!((python.form, python.dialect), (Form::Code, Dialect::Librdkafka));
    assert_eq!(told(&python.settings), ["enable.auto.commit=false"]);
    assert_eq!(hints(&python.open), ["1 session.timeout.ms: it holds \"s\""]);
    let told: Vec<Weight> = python.verdicts().map(|told| told.weight).collect();
    assert_eq!(told, [Weight::Doubtful]);
}

/// All verdicts on a text over the defaults of a library, or of the client whose names it uses.
fn all_said(text: &str, library: Option<&str>) -> Vec<(Weight, String)> {
    let read = understood(text);
    let base = library.map_or(read.library, |id| Library::named(id).expect("a library"));
    let settings = together(&Settings::default(), Some(&read), Some(base), Span::MILLISECOND, None).settings;
    let all = read.verdicts().chain(verdicts(&settings, None));
    all.map(|verdict| (verdict.weight, verdict.sentence)).collect()
}

fn says(told: &[(Weight, String)], weight: Weight, part: &str) -> bool {
    told.iter().any(|(own, sentence)| *own == weight && sentence.contains(part))
}

#[test]
fn what_librdkafka_refuses_is_bad() {
    let text = "session.timeout.ms=130000\nmax.poll.interval.ms=120000\n";
    let refuses = "session.timeout.ms 130 s > max.poll.interval.ms 120 s: librdkafka refuses";
    for library in ["librdkafka", "karafka", "kafkaflow"] {
        assert!(says(&all_said(text, Some(library)), Weight::Bad, refuses), "{library}");
    }
    // A session of 45 s is the default.
    assert!(says(
        &all_said("max.poll.interval.ms=5000\n", Some("librdkafka")),
        Weight::Bad,
        "librdkafka refuses"
    ));
    let java = all_said(text, Some("java"));
    assert!(says(&java, Weight::Doubtful, "is missed later") && !says(&java, Weight::Bad, ""), "{java:?}");
}

#[test]
fn placeholders_are_resolved_as_far_as_they_go() {
    let text = "spring:\n  kafka:\n    consumer:\n      enable-auto-commit: ${AC}\n      max-poll-records: ${A:${B:250}}\n      \
                heartbeat-interval: ${S}00\n";
    let read = understood(text);
    assert_eq!(told(&read.settings), ["max.poll.records=250"]);
    assert!(read.invalid.is_empty(), "{:?}", read.invalid);
    assert_eq!(
        hints(&read.open),
        [
            "4 spring.kafka.consumer.enable-auto-commit: it holds \"${AC}\"",
            "6 spring.kafka.consumer.heartbeat-interval: it holds \"${S}00\""
        ]
    );
    assert!(read.verdicts().all(|verdict| verdict.weight == Weight::Doubtful));
}

#[test]
fn what_a_crash_costs_with_auto_commit_is_told_as_it_is_measured() {
    let told = all_said("group.id=g\n", None);
    let expected = "They come at the first poll after 5 s (auto.commit.interval.ms): a crash brings again everything since the \
                    last one";
    assert!(says(&told, Weight::Good, expected), "{told:?}");
}

#[test]
fn smallrye_is_one_channel_with_half_its_queue() {
    let channel = |rest: &str| format!("mp.messaging.incoming.orders.connector=smallrye-kafka\n{rest}");
    let mapped = |text: &str| {
        let read = understood(text);
        let Together { mapped, .. } =
            together(&Settings::default(), Some(&read), Some(read.library), Span::MILLISECOND, None);
        (mapped.expect("knobs").0, read)
    };
    let (knobs, _) = mapped(&channel(""));
    assert_eq!(knobs.intake, Intake::Pause { high: 1_000, low: 500 });
    let (knobs, read) = mapped(&channel(
        "kafka.max.poll.records=30\nmp.messaging.incoming.prices.max.poll.records=7\n\
         %dev.mp.messaging.incoming.orders.max.poll.records=3\n",
    ));
    // Shared by all channels; the other channel and the other profile are left out, and that is said.
    assert_eq!((knobs.poll, knobs.intake), (30, Intake::Pause { high: 60, low: 30 }));
    let notes = read.notes.join("\n");
    assert!(
        notes.contains("line 4: is for the profile dev") && notes.contains("this is orders; ask for prices"),
        "{notes}"
    );
    let (knobs, _) = mapped(&channel("%prod.mp.messaging.incoming.orders.max.poll.records=9\n"));
    assert_eq!(knobs.poll, 9);
    // One message at a time: the latest acknowledged one is the watermark, committed at once.
    let latest = channel("mp.messaging.incoming.orders.commit-strategy=latest\n");
    assert_eq!(mapped(&latest).0.commit_every, 1);
    let told = all_said(&latest, None);
    assert!(says(&told, Weight::Good, "nothing lies unfinished below it"), "{told:?}");
    let many = channel(
        "mp.messaging.incoming.orders.commit-strategy=latest\nmp.messaging.incoming.orders.ordered=key\n\
         mp.messaging.incoming.orders.ordered.max-concurrency=4\n",
    );
    assert!(says(&all_said(&many, None), Weight::Bad, "loses what lies unfinished"));
}

#[test]
fn a_batch_listener_commits_a_whole_poll() {
    let listener = |kind: &str| {
        format!(
            "spring.kafka.listener.type={kind}\nspring.kafka.listener.ack-mode=MANUAL_IMMEDIATE\n\
                 spring.kafka.listener.poll-timeout=3s\nspring.kafka.listener.idle-event-interval=1s\n"
        )
    };
    let commits = |text: &str| {
        let read = understood(text);
        assert!(read.unknown.is_empty() && read.without_effect.len() == 2, "{:?}", read.unknown);
        let Together { mapped, .. } =
            together(&Settings::default(), Some(&read), Some(read.library), Span::MILLISECOND, None);
        mapped.expect("knobs").1
    };
    assert_eq!(commits(&listener("batch")), Commits::AtPolls { every: 0 });
    assert_eq!(commits(&listener("single")), Commits::Engine);
    let profiled = understood(
        "spring.kafka.consumer.max-poll-records: 5\n---\nspring.config.activate.on-profile: prod\n\
         spring.kafka.consumer.max-poll-records: 9\n",
    );
    assert!(
        profiled.notes.iter().any(|note| note.contains("is for the profile \"prod\"")),
        "{:?}",
        profiled.notes
    );
}

/// Who says marks, and nothing else, has a consumer that reads while it works.
#[test]
fn marks_imply_reading_that_pauses() {
    let text = "kwp.workers=1\nkwp.intake.high=24\nkwp.intake.low=8\nmax.poll.records=4\n";
    let (read, tick) = (understood(text), Span::MILLISECOND);
    let Together { mapped, notes, .. } =
        together(&Settings::default(), Some(&read), Some(read.library), tick, None);
    let (knobs, commits) = mapped.expect("knobs");
    assert_eq!((knobs.workers, knobs.routing, knobs.poll), (1, Routing::Keyed, 4));
    assert_eq!((knobs.intake, commits), (Intake::Pause { high: 24, low: 8 }, Commits::Engine));
    assert!(
        notes.iter().any(|note| note.starts_with("Marks are for reading that goes on beside the work")),
        "{notes:?}"
    );
    // Who says that it blocks has it so.
    let read = understood("kwp.intake.high=24\nkwp.intake.mode=block\n");
    let Together { mapped, .. } = together(&Settings::default(), Some(&read), Some(read.library), tick, None);
    assert_eq!(mapped.expect("knobs").0.intake, Intake::Block);
}

#[test]
fn properties_of_the_java_client_are_understood() {
    let text = "# consumer\nbootstrap.servers=localhost:9092\nkey.deserializer=x\nmax.poll.records = 100\n\
                max.poll.intervall.ms=5\nenable.auto.commit: false\nsession.timeout.ms=ten\nqueued.min.messages=5\n\
                sasl.jaas.config=secret password=\"hunter2\"\nmax.poll.records=200\nutterly.else=1\n";
    let read = understood(text);
    assert_eq!((read.form, read.dialect), (Form::Properties, Dialect::Librdkafka));
    let read =
        keyed_worker_pool::settings::read("t", text.as_bytes(), Some(Dialect::Java)).expect("settings");
    assert_eq!(told(&read.settings), ["max.poll.records=200", "enable.auto.commit=false"]);
    assert_eq!(read.settings.iter().next().map(|(.., origin)| origin), Some(Origin::Line(10)));
    assert_eq!(
        hints(&read.invalid),
        ["7 session.timeout.ms: it holds \"ten\"; expected milliseconds, from 1 to 2147483647"]
    );
    assert_eq!(
        hints(&read.unknown),
        [
            "5 max.poll.intervall.ms: did you mean max.poll.interval.ms?",
            "8 queued.min.messages: a name of librdkafka",
            "11 utterly.else: "
        ]
    );
    assert_eq!(read.without_effect.len(), 3);
    assert_eq!(read.notes, ["max.poll.records is set in line 4 and again in line 10, which counts"]);
    assert!(!format!("{read:?}").contains("hunter2"), "a password is kept");
}

#[test]
fn yaml_of_spring_is_understood() {
    let text = "server:\n  port: 80\nspring:\n  kafka:\n    bootstrap-servers: b:9092\n    consumer:\n      \
                maxPollRecords: ${POLL:50}\n      enable-auto-commit: false\n      fetch-max-wait: 2s\n      \
                fetch-min-size: 1KB\n      properties:\n        max.poll.interval.ms: 600000\n        \
                \"[session.timeout.ms]\": 30000\n        max:\n          partition.fetch.bytes: 1024\n    listener:\n      \
                concurrency: 3\n      ack-mode: MANUAL_IMMEDIATE\n      ack-mod: x\n    producer:\n      acks: all\n";
    let read = understood(text);
    assert_eq!((read.form, read.dialect, read.elsewhere), (Form::Yaml, Dialect::Spring, 1));
    assert_eq!(
        told(&read.settings),
        [
            "max.poll.records=50",
            "max.poll.interval.ms=600000",
            "session.timeout.ms=30000",
            "enable.auto.commit=false",
            "max.partition.fetch.bytes=1024",
            "fetch.min.bytes=1024",
            "fetch.max.wait.ms=2000",
            "spring.kafka.listener.concurrency=3",
            "spring.kafka.listener.ack-mode=manual-immediate",
        ]
    );
    assert_eq!(
        hints(&read.unknown),
        ["19 spring.kafka.listener.ack-mod: did you mean spring.kafka.listener.ack-mode?"]
    );
    assert_eq!(read.without_effect.len(), 2);
    assert_eq!(
        read.notes,
        ["line 7: spring.kafka.consumer.maxPollRecords is a placeholder, read as its default"]
    );
}

#[test]
fn librdkafka_is_understood_as_lines_and_as_json() {
    let text = "metadata.broker.list=b\nenable.auto.offset.store=false\nqueued.min.messages=1000\nmax.poll.records=5\n\
                fetch.message.max.bytes=2048\n";
    let lines = understood(text);
    let json = understood(
        "{\"metadata.broker.list\": \"b\", \"enable.auto.offset.store\": false, \"queued.min.messages\": \"1000\",\n \
         \"max.poll.records\": 5,\n\"fetch.message.max.bytes\": 2048}",
    );
    for read in [&lines, &json] {
        assert_eq!(read.dialect, Dialect::Librdkafka);
        assert_eq!(
            told(&read.settings),
            ["enable.auto.offset.store=false", "max.partition.fetch.bytes=2048", "queued.min.messages=1000"]
        );
        assert_eq!(
            read.unknown[0].hint.as_deref(),
            Some("a name of the Java client, which is kwp.poll.records here")
        );
    }
    assert_eq!((json.form, json.unknown[0].line), (Form::Json, 2));
}

#[test]
fn names_of_libraries_are_understood_where_they_mean_the_same() {
    let text = "decaton.partition.concurrency=8\ndecaton.max.pending.records=500\ndecaton.commit.interval.ms=100\n\
                decaton.group.rebalance.timeout.ms=2000\nmp.messaging.incoming.orders.max.poll.records=7\n";
    let read = understood(text);
    assert_eq!(
        told(&read.settings),
        [
            "max.poll.records=7",
            "kwp.workers=8",
            "kwp.intake.high=500",
            "kwp.commit.interval.ms=100",
            "kwp.drain.ms=2000"
        ]
    );
}

#[test]
fn a_channel_of_smallrye_is_understood() {
    let text = "mp.messaging.incoming.orders.connector=smallrye-kafka\nmp.messaging.incoming.orders.topic=orders\n\
                mp.messaging.incoming.orders.ordered=key\nmp.messaging.incoming.orders.ordered.max-concurrency=32\n\
                mp.messaging.incoming.orders.max-queue-size-factor=3\nmp.messaging.incoming.orders.max.poll.records=100\n\
                mp.messaging.incoming.orders.commit-strategy=latest\nmp.messaging.incoming.orders.concurrency=zero\n\
                mp.messaging.incoming.orders.oredred=key\n";
    let read = understood(text);
    assert_eq!(read.library.id, "smallrye");
    assert_eq!(
        told(&read.settings),
        [
            "max.poll.records=100",
            "kwp.workers=32",
            "kwp.routing=keyed",
            "kwp.intake.high=300",
            "kwp.intake.low=100",
            "kwp.commit.interval.ms=1",
            "kwp.commit.offset=highest"
        ]
    );
    assert_eq!(
        hints(&read.invalid),
        ["8 mp.messaging.incoming.orders.concurrency: it holds \"zero\"; expected a whole number from 1 on"]
    );
    assert_eq!(hints(&read.unknown).len(), 1);
    assert_eq!(read.without_effect.len(), 2);
    // Two batches of five hundred, unless somebody says how large a batch is.
    let few = understood("mp.messaging.incoming.a.max-queue-size-factor=2\n");
    assert_eq!(told(&few.settings), ["kwp.intake.high=1000", "kwp.intake.low=500"]);
    // As many batches as nobody says, too, of as many records as somebody says.
    let unsaid = understood("mp.messaging.incoming.a.max.poll.records=100\n");
    assert_eq!(told(&unsaid.settings), ["max.poll.records=100", "kwp.intake.high=200", "kwp.intake.low=100"]);
    let age = understood("mp.messaging.incoming.a.throttled.unprocessed-record-max-age.ms=60000\n");
    assert_eq!((age.unknown.len(), age.without_effect.len()), (0, 1));
    assert_eq!(understood("decaton.partition.concurrency=8\n").library.id, "decaton");
    assert_eq!(understood("max.poll.records=8\n").library.id, "java");
}

#[test]
fn lengths_of_time_that_nobody_says_are_no_ticks() {
    let knobs = unsaid(Some(Span::MILLISECOND));
    assert_eq!((knobs.drain, knobs.commit_every, knobs.retry_delay), (5_000, 5_000, 1_000));
    let minute = Span::parse("1m").ok();
    let knobs = unsaid(minute);
    assert_eq!((knobs.drain, knobs.commit_every, knobs.retry_delay), (1, 1, 1));
    assert_eq!(unsaid(None), Knobs::default());
}

#[test]
fn what_is_no_settings_is_refused_with_a_reason() {
    assert!(refused(b"").contains("there is no setting in it"));
    assert!(refused(b"# only a comment\n").contains("there is no setting in it"));
    assert!(refused(b"a=\xff").contains("not UTF-8"));
    assert!(refused(b"\xff\xfea\0=\0").contains("UTF-16"));
    assert!(refused(b"\x7fELF\0").contains("no text"));
    assert!(refused(&[b'a'; 300 << 10]).contains("longer than 256 KiB"));
    let told = refused(b"spring:\n  kafka:\n   - x\n  y: [\n");
    assert!(told.starts_with("t:") && told.contains("not to be read"), "{told}");
    assert!(refused(b"{\"a\": ").contains("not to be read"));
    assert_eq!(understood("\u{feff}max.poll.records=5\r\n").settings.number(Name::PollRecords), Some(5));
    let aliases = "---\na: &a x\n".to_owned() + &"b: *a\n".repeat(1000);
    assert_eq!(read("t", aliases.as_bytes(), Some(Dialect::Java)).expect("settings").unknown.len(), 1_001);
}

/// The sentences about these settings over a library's defaults, with their weights.
fn judged(library: &str, text: &str, work: Option<Work>) -> Vec<String> {
    let defaults = Library::named(library).expect("a library").settings();
    let own = if text.is_empty() { Settings::default() } else { understood(text).settings };
    let settings = own.over(&defaults);
    verdicts(&settings, work)
        .into_iter()
        .map(|verdict| format!("{:?}: {}", verdict.weight, verdict.sentence))
        .collect()
}

fn has(verdicts: &[String], sentence: &str) {
    assert!(verdicts.iter().any(|verdict| verdict == sentence), "{sentence}\nin {verdicts:#?}");
}

#[test]
fn a_batch_against_the_poll_interval() {
    let with = |work: Work| judged("java", "", Some(work));
    has(
        &with(Work::of(800)),
        "Bad: 500 records x 800 ms = 400 s > max.poll.interval.ms 300 s: evicted every batch that is full.",
    );
    has(
        &with(Work::of(600)),
        "Good: 500 records x 600 ms = 300 s at p99 <= max.poll.interval.ms 300 s: a full batch is done in time.",
    );
    has(
        &with(Work { p50: 20, p99: 900, max: 2_000, bytes: None }),
        "Doubtful: 500 records x 20 ms = 10 s <= max.poll.interval.ms 300 s, but at p99 500 records x 900 ms = 450 s: \
         evicted when everything is slow at once.",
    );
    has(
        &with(Work { p50: 20, p99: 100, max: 301_000, bytes: None }),
        "Bad: One record of 301 s > max.poll.interval.ms 300 s: evicted by that one alone.",
    );
    has(
        &judged("java", "", None),
        "Doubtful: A full batch has 300 s until the next poll is due: 500 records leave 600 ms for each, on average.",
    );
    let pool = "kwp.workers=10\nkwp.routing=keyed\nenable.auto.commit=false\n";
    has(
        &judged("java", pool, Some(Work::of(8_000))),
        "Bad: 500 records x 8 s / 10 workers = 400 s > max.poll.interval.ms 300 s: evicted every batch that is full.",
    );
}

#[test]
fn heartbeats_against_the_session() {
    let with = |text: &str| judged("java", text, None);
    has(
        &with(""),
        "Good: session.timeout.ms 45 s / heartbeat.interval.ms 3 s = 15 heartbeats before it counts as dead.",
    );
    has(
        &with("session.timeout.ms=6000\nheartbeat.interval.ms=3000"),
        "Doubtful: session.timeout.ms 6 s / heartbeat.interval.ms 3 s = 2: fewer than 3 heartbeats, and one that is \
         lost can look like a death.",
    );
    has(
        &with("session.timeout.ms=3000"),
        "Bad: heartbeat.interval.ms 3 s >= session.timeout.ms 3 s: dead before its first.",
    );
    has(
        &with("max.poll.interval.ms=10000"),
        "Doubtful: session.timeout.ms 45 s > max.poll.interval.ms 10 s: a process that died is missed later than one \
         that is only slow.",
    );
}

#[test]
fn drain_marks_and_commits_of_a_pool() {
    let work = Work { p50: 20, p99: 400, max: 3_000, bytes: Some(2_048) };
    let verdicts =
        judged("decaton", "decaton.partition.concurrency=8\ndecaton.max.pending.records=50", Some(work));
    has(
        &verdicts,
        "Doubtful: Drain window 1 s >= p99 of the work 400 ms, but < the longest 3 s: now and then a write leaks.",
    );
    has(
        &verdicts,
        "Doubtful: One poll of 100 passes the high mark of 50 by itself: 50 - 1 + 100 = 149 records in flight at most.",
    );
    has(&verdicts, "Good: 149 records in flight x 2 KiB = 298 KiB held at most.");
    has(
        &verdicts,
        "Good: Polling goes on while records are worked on (paused or not), so that max.poll.interval.ms bounds no \
         record's work.",
    );
    let verdicts =
        judged("java", "kwp.workers=4\nkwp.routing=shared\nkwp.drain.ms=300000\nkwp.guard=off", Some(work));
    has(
        &verdicts,
        "Bad: enable.auto.commit=true with work beside the polling thread: it commits what was handed out, finished or \
         not; a crash loses what was still running.",
    );
    has(
        &verdicts,
        "Bad: Drain window 300 s >= max.poll.interval.ms 300 s: the callback that drains runs within a poll, so that \
         the owner is evicted while it waits.",
    );
    has(&verdicts, "Bad: One queue for 4 workers: records of one key overtake each other.");
    has(&verdicts, "Bad: No guard on the store: a write that leaks can overwrite a newer one.");
    assert!(
        verdicts
            .is_sorted_by_key(|verdict| ["Bad", "Dou", "Goo"].iter().position(|w| verdict.starts_with(w)))
    );
    has(
        &judged("parallel-consumer", "", None),
        "Good: 531 records in flight: a map of 92 bytes as bits <= the limit of 4 KiB.",
    );
    has(
        &judged("parallel-consumer", "kwp.intake.high=50000", None),
        "Doubtful: 50,499 records in flight: a map of 8.2 KiB as bits > the limit of 4 KiB: commits may go without it.",
    );
    has(
        &judged("librdkafka", "", None),
        "Doubtful: enable.auto.offset.store=true: a record is committed once it is handed out, so that a crash while \
         it is worked on can lose it.",
    );
}

#[test]
fn every_library_has_sources_verdicts_and_knobs() {
    for library in LIBRARIES {
        let settings = library.settings();
        assert!(!settings.is_empty());
        for (name, value, origin) in settings.iter() {
            let Origin::Default(source) = origin else { panic!("{name:?} of {} has no source", library.id) };
            assert!(!source.file.is_empty() && !source.place.is_empty());
            assert!(!name.known().kind.told(value).is_empty());
        }
        let mapping =
            knobs(&settings, Span::MILLISECOND).unwrap_or_else(|error| panic!("{}: {error}", library.id));
        assert!(mapping.knobs.check().is_ok());
        assert!(!verdicts(&settings, Some(Work::of(20))).is_empty());
    }
}

#[test]
fn milliseconds_become_ticks() {
    let settings = understood(
        "max.poll.records=100\nmax.poll.interval.ms=300000\nenable.auto.commit=false\nkwp.workers=8\nkwp.routing=lanes\n\
         kwp.lanes=32\nkwp.intake.high=500\nkwp.intake.low=100\nkwp.drain.ms=2004\nkwp.commit.interval.ms=4\n\
         kwp.commit.ack-map=true\nkwp.quarantine.after.ms=60000\nkwp.quarantine.then=park\nkwp.retry.delay.ms=0\n",
    );
    let tick = Span::from_nanos(10_000_000).expect("a span");
    let mapping = knobs(&settings.settings, tick).expect("knobs");
    let expected = Knobs {
        workers: 8,
        routing: Routing::Lanes(32),
        retry_delay: 1,
        poll: 100,
        intake: Intake::Pause { high: 500, low: 100 },
        max_poll_interval: Some(30_000),
        commit_every: 1,
        ack_map: true,
        quarantine: Some(Quarantine { after: 6_000, then: Then::Park }),
        drain: 200,
        ..Knobs::default()
    };
    assert_eq!(mapping.knobs, expected);
    assert_eq!(
        mapping.notes,
        [
            "kwp.commit.interval.ms is 4 ms; in ticks of 10 ms that is 1",
            "kwp.drain.ms is 2.004 s; in ticks of 10 ms that is 200"
        ]
    );
    let auto = understood(
        "enable.auto.commit=true\nkwp.workers=4\nkwp.routing=keyed\nauto.commit.interval.ms=5000\n",
    );
    let mapping = knobs(&auto.settings, tick).expect("knobs");
    assert_eq!((mapping.knobs.commit_offset, mapping.knobs.commit_every), (CommitOffset::Highest, 500));
    let wrong = understood("kwp.intake.high=5\nkwp.intake.low=5\n");
    assert!(knobs(&wrong.settings, tick).is_err());
}

#[test]
fn what_is_written_reads_back_the_same() {
    let mut all = Settings::default();
    for known in &KNOWN {
        let candidates = [
            "7", "true", "consumer", "manual", "lanes", "spread", "block", "tail", "highest", "park", "off",
            "batch",
        ];
        let values = [Value::Number(7), Value::Flag(true)]
            .into_iter()
            .chain(candidates.into_iter().map(Value::Word))
            .find(|value| all.set(known.name, *value, Origin::Found));
        assert!(values.is_some(), "{:?}", known.name);
    }
    for library in LIBRARIES.iter().map(|library| library.settings()).chain([all]) {
        for dialect in Dialect::ALL {
            for form in [Form::Properties, Form::Yaml, Form::Json] {
                let text = write(&library, dialect, form);
                let read = read("t", text.as_bytes(), Some(dialect))
                    .unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert!(
                    read.unknown.is_empty() && read.invalid.is_empty() && read.elsewhere == 0,
                    "{read:?}\n{text}"
                );
                let expected = library.iter().filter(|(name, ..)| name.spelled(dialect).is_some());
                let expected: Vec<_> = expected.map(|(name, value, _)| (name, value)).collect();
                let found: Vec<_> = read.settings.iter().map(|(name, value, _)| (name, value)).collect();
                assert_eq!(found, expected, "{text}");
            }
        }
    }
}

#[test]
fn knobs_come_back_through_settings() {
    let tick = Span::from_nanos(10_000_000).expect("a span");
    for knobs_before in [
        Knobs { max_poll_interval: Some(500), ..Knobs::default() },
        Knobs {
            workers: 9,
            routing: Routing::Lanes(3),
            intake: Intake::Block,
            heap_ceiling: Some(99),
            quarantine: Some(Quarantine { after: 5, then: Then::Park }),
            commit_offset: CommitOffset::Highest,
            ..Knobs::default()
        },
        Knobs { routing: Routing::Serial, intake: Intake::Unbounded, ack_map: true, ..Knobs::default() },
    ] {
        let settings = settings_of(&knobs_before, tick);
        let text = write(&settings, Dialect::Java, Form::Properties);
        let again = understood(&text).settings;
        assert_eq!(knobs(&again, tick).expect("knobs").knobs, knobs_before, "{text}");
    }
}

#[test]
fn skeletons_have_the_numbers_and_nothing_else() {
    let settings = understood(
        "max.poll.records=123\nkwp.workers=17\nkwp.intake.high=1001\nkwp.intake.low=501\nkwp.drain.ms=2345\n\
         kwp.commit.interval.ms=678\nkwp.retry.delay.ms=91\nkwp.quarantine.after.ms=60001\nclient.id=\"; rm -rf /\n",
    );
    for language in [Language::Java, Language::Go, Language::Rust] {
        let text = skeleton(&settings.settings, language);
        for number in ["123", "17", "1001", "501", "2345", "678", "91", "60001"] {
            assert!(text.contains(number), "{number} is not in {language:?}");
        }
        assert!(!text.contains("rm -rf") && !text.contains("@w") && !text.contains("@d"));
        for mechanism in ["mailbox", "atermark", "pause", "version", "deadline", "fence"] {
            assert!(text.contains(mechanism), "{mechanism} is not in {language:?}");
        }
        // Whatever the numbers, they are numbers of the language.
        let mut largest = settings.settings.clone();
        for known in &KNOWN {
            largest.set(known.name, Value::Number(i64::MAX.unsigned_abs()), Origin::Found);
        }
        assert!(!skeleton(&largest, language).contains('@') || language == Language::Java);
    }
}

#[test]
fn a_drain_that_nobody_sets_is_told_of() {
    has(
        &judged("parallel-consumer", "", None),
        "Doubtful: Nothing says how long a revoked owner waits for what is running (kwp.drain.ms): what does not end in \
         that time leaks its write.",
    );
    let java = Library::named("java").expect("a library").settings();
    let mapping = knobs(&java, Span::MILLISECOND).expect("knobs");
    assert_eq!((mapping.knobs.drain, mapping.knobs.max_poll_interval), (299_999, Some(300_000)));
    assert!(mapping.notes[0].starts_with("a rebalance waits for the next poll"), "{:?}", mapping.notes);
}

/// A text over a library's defaults, a tick being a millisecond.
fn over(library: &str, text: &str) -> Together {
    let read = (!text.is_empty()).then(|| understood(text));
    together(&Settings::default(), read.as_ref(), Library::named(library), Span::MILLISECOND, None)
}

#[test]
fn more_workers_than_one_are_no_loop_of_one_thread() {
    let made = over("java", "max.poll.records=500\nkwp.workers=8\n");
    let (made_knobs, commits) = made.mapped.clone().expect("knobs");
    assert_eq!((made_knobs.workers, made_knobs.routing), (8, Routing::Keyed));
    assert_eq!((made_knobs.intake, commits), (Intake::Pause { high: 24, low: 8 }, Commits::Engine));
    assert_eq!((made_knobs.commit_offset, made_knobs.commit_every), (CommitOffset::Watermark, 5_000));
    let note = &made.notes[1];
    for part in ["8 workers", "keyed mailboxes", "pauses at 24 in flight and resumes at 8", "watermark"] {
        assert!(note.contains(part), "{part} is not in {note}");
    }
    // The verdicts are of the same consumer: nothing is handled between two polls.
    let judged: Vec<String> =
        verdicts(&made.settings, Some(Work::of(800))).into_iter().map(|verdict| verdict.sentence).collect();
    assert!(!judged.iter().any(|told| told.contains("evicted") || told.contains("one thread")), "{judged:?}");
    // The same with the routing said; what is said stays.
    assert_eq!(
        over("java", "kwp.workers=8\nkwp.routing=keyed\n").mapped,
        over("java", "kwp.workers=8").mapped
    );
    let said = over("java", "kwp.workers=8\nkwp.intake.mode=block\nenable.auto.commit=true\n");
    let (said, commits) = said.mapped.expect("knobs");
    assert_eq!((said.routing, said.intake), (Routing::Keyed, Intake::Block));
    assert_eq!(commits, Commits::AtPolls { every: 5_000 });
    let serial = over("java", "kwp.workers=8\nkwp.routing=serial\n").mapped.expect("knobs").0;
    assert_eq!((serial.routing, serial.intake), (Routing::Serial, Intake::Block));
    let one = over("java", "kwp.workers=1\n");
    assert_eq!(one.mapped.expect("knobs").0.routing, Routing::Serial);
    // Single messages are taken as they are wanted, and a container's commits are no pool's.
    let loose = over("librdkafka", "kwp.workers=16\n").mapped.expect("knobs");
    assert_eq!((loose.0.poll, loose.0.intake), (12, Intake::Pause { high: 48, low: 16 }));
    assert_eq!(loose.1, Commits::Engine);
    let spring = over("spring", "kwp.workers=4\n");
    assert_eq!(spring.settings.word(Name::AckMode), None);
    let flow = over("kafkaflow", "kwp.workers=8\n").mapped.expect("knobs").0;
    assert_eq!((flow.routing, flow.intake), (Routing::Lanes(8), Intake::Pause { high: 24, low: 8 }));
}

#[test]
fn clients_commit_as_they_do() {
    let commits = |library: &str, text: &str| over(library, text).mapped.expect("knobs").1;
    assert_eq!(commits("java", ""), Commits::AtPolls { every: 5_000 });
    assert_eq!(commits("franz-go", ""), Commits::Batches { every: 5_000 });
    assert_eq!(commits("kafkajs", ""), Commits::AtPolls { every: 0 });
    assert_eq!(commits("spring", ""), Commits::AtPolls { every: 0 });
    assert_eq!(commits("spring", "spring.kafka.listener.ack-mode=record"), Commits::Engine);
    assert_eq!(commits("librdkafka", ""), Commits::HandedOut { every: 5_000 });
    assert_eq!(commits("karafka", ""), Commits::Batches { every: 5_000 });
    for library in ["parallel-consumer", "decaton", "smallrye", "kafkaflow", "sarama"] {
        assert_eq!(commits(library, ""), Commits::Engine, "{library}");
    }
    let own = over("java", "enable.auto.commit=false");
    assert_eq!(own.mapped.expect("knobs").1, Commits::AtPolls { every: 0 });
    assert!(own.notes.iter().any(|note| note.contains("after each batch, before the next poll")));
    let timed = over("spring", "spring.kafka.listener.ack-mode=time");
    assert!(timed.notes.iter().any(|note| note.contains("at least what is told here")), "{:?}", timed.notes);
}

#[test]
fn what_makes_no_sense_is_bad() {
    let read = understood("max.poll.records=-5\nmax.poll.interval.ms=abc\nfoo=1\n");
    let judged: Vec<_> = read.verdicts().map(|verdict| (verdict.weight, verdict.sentence)).collect();
    assert_eq!(judged.len(), 2);
    assert_eq!(judged[0].0, Weight::Bad);
    assert!(
        judged[0].1.starts_with("max.poll.records (line 1) makes no sense: it holds \"-5\""),
        "{judged:?}"
    );
    assert_eq!(for_nothing(&read).len(), 3);
    // Marks that cannot be: the names that were typed, and their lines.
    let wrong = over("java", "kwp.workers=4\nkwp.intake.high=3\nkwp.intake.low=10\n").mapped;
    let wrong = wrong.expect_err("the low mark is above the high one").to_string();
    assert!(wrong.starts_with("kwp.intake.low is 10 (line 3)"), "{wrong}");
    assert!(wrong.contains("kwp.intake.high is 3 (line 2)"), "{wrong}");
    let blocking = judged_of("kwp.intake.mode=block\nkwp.intake.high=3\nkwp.intake.low=10\n");
    has(&blocking, "Bad: Low mark 10 >= high mark 3: it never resumes.");
    has(
        &blocking,
        "Doubtful: There are marks, but reading is block (kwp.intake.mode): they count for nothing.",
    );
}

fn judged_of(text: &str) -> Vec<String> {
    judged("java", text, None)
}

#[test]
fn bad_weighs_most() {
    assert!(Weight::Bad < Weight::Doubtful && Weight::Doubtful < Weight::Good);
}

#[test]
fn an_eager_assignor_is_told_of() {
    let eager = |text: &str| {
        let told = understood(text).notes.into_iter().find(|note| note.contains("a rebalance is eager"));
        told.map(|note| note.split(" a rebalance").next().unwrap_or_default().to_owned())
    };
    const JAVA: &str = "partition.assignment.strategy=org.apache.kafka.clients.consumer.";
    for (value, says) in [
        ("RangeAssignor", Some("RangeAssignor")),
        ("RangeAssignor, org.apache.kafka.clients.consumer.CooperativeStickyAssignor", Some("RangeAssignor")),
        ("StickyAssignor", Some("StickyAssignor")),
        ("CooperativeStickyAssignor", None),
    ] {
        let says = says.map(|assignor| format!("line 2: with {assignor}"));
        assert_eq!(eager(&format!("max.poll.records=5\n{JAVA}{value}")), says, "{value}");
    }
    let librdkafka = |value: &str| {
        eager(&format!("queued.min.messages=9\npartition.assignment.strategy={value}")).is_some()
    };
    assert_eq!([librdkafka("range,roundrobin"), librdkafka("cooperative-sticky")], [true, false]);
    assert_eq!(
        eager(&format!("group.protocol=consumer\n{JAVA}RangeAssignor")),
        None,
        "no assignor of the client's"
    );
    let spring = "spring.kafka.consumer.properties.partition.assignment.strategy: a.b.RoundRobinAssignor";
    assert_eq!(eager(spring).as_deref(), Some("line 1: with RoundRobinAssignor"));
}
