//! Settings as people spell them: in brackets, in the environment, with underscores, in code.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::settings::{Dialect, Form, Name, Weight, Work, together, verdicts};

use super::{Settings, Span, all_said, hints, judged, says, told, understood};

/// The verdicts on a text with the defaults that it implies.
fn with_work(text: &str, millis: u64) -> Vec<(Weight, String)> {
    let read = understood(text);
    let work = Some(Work::of(millis));
    let settings =
        together(&Settings::default(), Some(&read), Some(read.library), Span::MILLISECOND, work).settings;
    let all = read.verdicts().chain(verdicts(&settings, work));
    all.map(|verdict| (verdict.weight, verdict.sentence)).collect()
}

#[test]
fn brackets_are_dots() {
    for name in ["spring.kafka.properties", "spring.kafka.consumer.properties"] {
        let text = format!("{name}[max.poll.interval.ms]=60000\n");
        let read = understood(&text);
        assert_eq!(
            (told(&read.settings), read.unknown.len()),
            (vec!["max.poll.interval.ms=60000".to_owned()], 0)
        );
        assert!(says(
            &with_work(&text, 200),
            Weight::Bad,
            "500 records x 200 ms = 100 s > max.poll.interval.ms 60 s"
        ));
    }
    let read = understood(
        "spring.kafka.properties[group.protocol]=consumer\n\
                           spring.kafka.properties[partition.assignment.strategy]=a.RangeAssignor\n",
    );
    assert_eq!(read.contradictions.len(), 1, "{read:?}");
}

#[test]
fn variables_of_the_environment_are_spring_s() {
    let read = understood(
        "SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS=2000\nexport SPRING_KAFKA_PROPERTIES_MAX_POLL_INTERVAL_MS=\"60000\"\n\
         SPRING_KAFKA_LISTENER_CONCURRENCY=3\nSPRING_KAFKA_CONSUMER_GROUP_ID=g\nSPRING_KAFKA_LISTENER_ACKMODE=RECORD\n\
         SPRING_KAFKA_CONSUMER_MAX_PIL_RECORDS=1\nPATH=/bin\n",
    );
    assert_eq!((read.form, read.dialect), (Form::Properties, Dialect::Spring));
    assert_eq!(
        told(&read.settings),
        [
            "max.poll.records=2000",
            "max.poll.interval.ms=60000",
            "spring.kafka.listener.concurrency=3",
            "spring.kafka.listener.ack-mode=record"
        ]
    );
    assert_eq!((read.unknown.len(), read.without_effect.len(), read.elsewhere), (1, 1, 1), "{read:?}");
    let compose =
        understood("services:\n  app:\n    environment:\n      - SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS=7\n");
    assert_eq!(told(&compose.settings), ["max.poll.records=7"]);
    let pod = "env:\n  - name: SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS\n    value: \"9\"\n  - name: OTHER\n    value: x\n";
    let pod = understood(pod);
    assert_eq!((told(&pod.settings), pod.dialect), (vec!["max.poll.records=9".to_owned()], Dialect::Spring));
}

const AIOKAFKA: &str = "consumer = AIOKafkaConsumer(\n    \"orders\",\n    bootstrap_servers=\"kafka:9092\",\n    \
                        enable_auto_commit=False,\n    max_poll_records=500,\n    max_poll_interval_ms=120000,\n    \
                        session_timeout_ms=10000,\n    heartbeat_interval_ms=4000,\n    loop=loop,\n)\n";

#[test]
fn underscores_are_dots() {
    let read = understood(AIOKAFKA);
    assert_eq!((read.form, read.dialect, read.library.id), (Form::Code, Dialect::Java, "aiokafka"));
    assert_eq!(
        told(&read.settings),
        [
            "max.poll.records=500",
            "max.poll.interval.ms=120000",
            "session.timeout.ms=10000",
            "heartbeat.interval.ms=4000",
            "enable.auto.commit=false"
        ]
    );
    assert_eq!((hints(&read.unknown), read.without_effect.len()), (vec!["9 loop: ".to_owned()], 1));
    assert!(read.notes.iter().any(|note| note.contains("names with underscores")), "{:?}", read.notes);
    let told = with_work(AIOKAFKA, 800);
    assert!(
        says(&told, Weight::Bad, "500 records x 800 ms = 400 s > max.poll.interval.ms 120 s"),
        "{told:?}"
    );
    assert!(says(&told, Weight::Doubtful, "10 s / heartbeat.interval.ms 4 s = 2"), "{told:?}");
    // Its own defaults: commits of what was handed out, from a task of its own.
    let own = all_said("c = AIOKafkaConsumer('t', max_poll_interval_ms=60000)\n", None);
    assert!(says(
        &own,
        Weight::Doubtful,
        "enable.auto.commit=true on a timer of its own: a record is committed once"
    ));
    assert!(says(&own, Weight::Good, "session.timeout.ms 10 s"), "{own:?}");
    let plain =
        understood("conf = {'max_poll_records': 50, 'group_id': 'g'}\nc = KafkaConsumer('t', **conf)\n");
    assert_eq!((told_of(&plain), plain.library.id), (vec!["max.poll.records=50".to_owned()], "java"));
    assert_eq!(told_of(&understood("max_poll_records=50\nenable_auto_commit=false\n")).len(), 2);
}

fn told_of(read: &keyed_worker_pool::settings::Read) -> Vec<String> {
    told(&read.settings)
}

#[test]
fn names_that_are_merely_known_are_not_understood() {
    let weights =
        |text: &str| -> Vec<Weight> { understood(text).verdicts().map(|told| told.weight).collect() };
    assert_eq!(weights("bootstrap.servers=b\nmax.pole.recs=5\n"), [Weight::Bad]);
    assert!(weights("bootstrap.servers=b\ngroup.id=g\n").is_empty());
}

fn karafka(messages: &str) -> String {
    format!(
        "class KarafkaApp < Karafka::App\n  setup do |config|\n    config.kafka = {{\n      'bootstrap.servers': ENV['KAFKA'],\n      \
         'max.poll.interval.ms': 300_000\n    }}\n    config.concurrency = 10\n    config.max_messages = {messages}\n    \
         config.pause_timeout = 2_000\n    config.odd = 1\n  end\n  routes.draw do\n    topic :orders do\n      \
         dead_letter_queue(topic: 'dlq', max_retries: 3)\n      virtual_partitions(max_partitions: 10)\n    end\n  end\nend\n"
    )
}

#[test]
fn karafka_is_read_by_its_own_names() {
    let text = karafka("1000");
    let read = understood(&text);
    assert_eq!((read.dialect, read.library.id), (Dialect::Librdkafka, "karafka"));
    assert_eq!(
        told(&read.settings),
        ["max.poll.records=1000", "max.poll.interval.ms=300000", "kwp.retry.delay.ms=2000"]
    );
    let known: Vec<&str> = read.without_effect.iter().map(|mention| mention.name.as_str()).collect();
    assert_eq!(known, ["bootstrap.servers", "karafka.concurrency"]);
    let unknown: Vec<&str> = read.unknown.iter().map(|mention| mention.name.as_str()).collect();
    assert_eq!(unknown, ["karafka.odd", "dead_letter_queue", "virtual_partitions"]);
    assert!(hints(&read.unknown)[1].contains("set kwp.quarantine.after.ms"));
    assert!(
        says(&with_work(&text, 2_000), Weight::Bad, "1,000 records x 2 s = 2000 s >"),
        "{:?}",
        with_work(&text, 2_000)
    );
    let bare = karafka("1000").replace("dead_letter_queue", "max_messages 5\n      dead_letter_queue");
    assert_eq!(understood(&bare).settings.number(Name::PollRecords), Some(5));
}

#[test]
fn what_a_loop_takes_at_a_time_is_read_or_told() {
    let conf =
        "conf = {'max.poll.interval.ms': 300000, 'enable.auto.offset.store': True}\nc = Consumer(conf)\n";
    let batch = format!("{conf}msgs = c.consume(num_messages=500, timeout=1.0)\n");
    assert!(says(
        &with_work(&batch, 800),
        Weight::Bad,
        "500 records x 800 ms = 400 s > max.poll.interval.ms 300 s"
    ));
    // Who is not known to take several is told what was assumed.
    let single = with_work(conf, 800);
    let assumed = "If you take single messages (poll(), getone()): 1 record x 800 ms = 800 ms at p99";
    assert!(
        says(&single, Weight::Good, assumed) && says(&single, Weight::Good, "kwp.poll.records"),
        "{single:?}"
    );
    let said = with_work(&format!("{conf}m = c.consume(num_messages=1)\n"), 800);
    assert!(!said.iter().any(|(_, told)| told.contains("If you take")), "{said:?}");
    assert!(judged("karafka", "", None).iter().all(|told| !told.contains("If you take")));
    let read = understood("max.poll.interval.ms=60000\nqueued.min.messages=5\nkwp.poll.records=9\n");
    assert_eq!(read.settings.number(Name::PollRecords), Some(9));
}

#[test]
fn java_is_read_by_calls_and_constants() {
    let text = "Properties p = new Properties();\np.put(\"bootstrap.servers\",\"k:9092\");\n\
                p.put(\"max.poll.records\", \"1000\");\np.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 60000);\n\
                p.setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, \"false\");\n\
                // p.put(\"session.timeout.ms\", \"1\");\np.put(\"heartbeat.interval.ms\", beat());\n";
    let read = understood(text);
    assert_eq!((read.form, read.dialect, read.library.id), (Form::Code, Dialect::Java, "java"));
    assert_eq!(
        told(&read.settings),
        ["max.poll.records=1000", "max.poll.interval.ms=60000", "enable.auto.commit=false"]
    );
    assert_eq!(hints(&read.open), ["7 heartbeat.interval.ms: it holds \"beat()\""]);
    assert_eq!((read.unknown.len(), read.without_effect.len()), (0, 1));
    let spring = understood(&format!(
        "{text}factory.setConcurrency(6);\nnew ConcurrentKafkaListenerContainerFactory();\n"
    ));
    assert_eq!(spring.library.id, "spring");
    assert_eq!(
        hints(&spring.unknown),
        ["8 setConcurrency: is set in code: say spring.kafka.listener.concurrency"]
    );
    let alone = understood("props[ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG] = false\n");
    assert_eq!(
        (alone.dialect, told(&alone.settings)),
        (Dialect::Java, vec!["enable.auto.commit=false".to_owned()])
    );
}

#[test]
fn a_channel_s_concurrency_has_no_name_of_spring_s() {
    assert_eq!(Name::Consumers.called_in(Some(Dialect::Java)), "concurrency");
    assert_eq!(Name::Consumers.called_in(Some(Dialect::Spring)), "spring.kafka.listener.concurrency");
    let read = understood(
        "mp.messaging.incoming.prices.connector=smallrye-kafka\nmp.messaging.incoming.prices.concurrency=4\n",
    );
    assert_eq!(read.settings.number(Name::Consumers), Some(4));
}
