//! What the consumer does when the broker does not do what it should.

#![cfg(not(target_arch = "wasm32"))]

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use conformance::{
    consumer::{Consumer, Event, Failed, Host, Partition, Record, Settings},
    harness::{
        bounded,
        cluster::{Cluster, Kind},
        until,
    },
};
use keyed_worker_pool::ids::{Offset, Tick};
use rdkafka::{
    ClientConfig,
    types::{RDKafkaApiKey, RDKafkaRespErr},
};

const TOPIC: &str = "trouble";
const GROUP: &str = "troubled";

/// What was done, and where reading went back to.
#[derive(Clone)]
struct Seen(Arc<Mutex<(Vec<Offset>, Vec<Offset>)>>, Instant);

impl Seen {
    fn new() -> Seen {
        Seen(Arc::default(), Instant::now())
    }
}

impl Host for Seen {
    fn now(&self) -> Tick {
        Tick(self.1.elapsed().as_millis() as u64)
    }

    fn handle(&self, _: &Partition, record: &Record) -> Result<(), Failed> {
        self.0.lock().unwrap().0.push(record.offset);
        Ok(())
    }

    fn told(&self, event: Event<'_>) {
        if let Event::WentBack { to, .. } = event {
            self.0.lock().unwrap().1.push(to);
        }
    }
}

/// Ten records in one partition, and how to read them.
fn ten() -> (Cluster, ClientConfig) {
    let cluster = Cluster::start(Kind::Mock, GROUP).unwrap().expect("the mock is always there");
    cluster.create_topic(TOPIC, 1).unwrap();
    let records = (0..10u8).map(|n| (None, vec![n]));
    cluster.append(&Partition::new(TOPIC, 0), records).unwrap();
    cluster.flush().unwrap();
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", cluster.servers())
        .set("group.id", GROUP)
        .set("auto.offset.reset", "earliest");
    (cluster, config)
}

const SETTINGS: Settings = Settings { commit_every: 50, drain: 1_000, ..Settings::RECOMMENDED };

#[test]
fn a_consumer_that_cannot_learn_where_to_begin_says_so_and_ends() {
    let (cluster, config) = ten();
    let refusals = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED; 3];
    cluster.refuse(RDKafkaApiKey::OffsetFetch, &refusals).unwrap();
    let error = bounded("a consumer that fails", 1, move || {
        let mut consumer = Consumer::start(&config, SETTINGS, Seen::new()).unwrap();
        consumer.subscribe(&[TOPIC]).unwrap();
        let error = loop {
            if let Err(error) = consumer.step(Duration::from_millis(20)) {
                break error;
            }
        };
        // It lets go, too.
        drop(consumer);
        error.to_string()
    });
    assert!(error.contains("authorization") || error.contains("Authorization"), "{error}");
}

#[test]
fn where_the_log_was_made_anew_reading_begins_anew() {
    let (cluster, config) = ten();
    let partition = Partition::new(TOPIC, 0);
    // The log that this was committed for had more records.
    cluster.commit(&partition, 100).unwrap();
    let (done, back) = bounded("a consumer of another log", 2, move || {
        let seen = Seen::new();
        let mut consumer = Consumer::start(&config, SETTINGS, seen.clone()).unwrap();
        consumer.subscribe(&[TOPIC]).unwrap();
        until("the ten to be committed", || {
            consumer.step(Duration::from_millis(20))?;
            Ok((cluster.committed(&partition)? == Some(10)).then_some(()))
        })
        .unwrap();
        seen.0.lock().unwrap().clone()
    });
    assert_eq!((done.len(), back), (10, vec![Offset(0)]), "{done:?}");
}

/// The group has assigned the partition, and nobody has polled yet to hear of it.
#[test]
fn a_consumer_that_ends_before_it_heard_of_its_assignment_ends() {
    let (_cluster, config) = ten();
    bounded("a consumer that ends", 1, move || {
        let consumer = Consumer::start(&config, SETTINGS, Seen::new()).unwrap();
        consumer.subscribe(&[TOPIC]).unwrap();
        // Longer than the mock takes to assign, which it does unasked.
        thread::sleep(Duration::from_secs(2));
    });
}

#[test]
fn settings_of_which_nothing_can_come_are_refused() {
    let config = ClientConfig::new();
    for settings in [Settings { workers: 0, ..SETTINGS }, Settings { poll: 0, ..SETTINGS }] {
        let error = Consumer::start(&config, settings, Seen::new()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("nothing would be"), "{error}");
    }
}
