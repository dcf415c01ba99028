//! What cannot be configured, by field, value and rule: refused when it is built, so that a tick cannot fail.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::sync::Arc;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    world::{
        ConfigError, Fails, Generated, Knob, Knobs, Log, NewRecord, Setup, Work,
        config::{Intake, Routing, Rule},
    },
};

fn refused<T: std::fmt::Debug>(built: Result<T, ConfigError>, field: &str, value: &str, rule: Rule) {
    let error = built.expect_err(field);
    assert_eq!((error.field.as_str(), error.value.as_str(), error.rule), (field, value, rule), "{error}");
}

fn record(offset: i64, work: Work, since: u64) -> NewRecord {
    NewRecord { offset: Offset(offset), key: None, work, fails: Fails::First(0), since: Tick(since) }
}

fn log(records: impl IntoIterator<Item = NewRecord>) -> Result<Log, ConfigError> {
    Log::from_records(Offset(0), records)
}

#[test]
fn knobs() {
    for (knob, field, value, rule) in [
        (Knob::Workers(0), "consumer.workers", "0", Rule::AtLeast(1)),
        (Knob::Routing(Routing::Lanes(0)), "consumer.routing.lanes", "0", Rule::AtLeast(1)),
        (Knob::RetryDelay(0), "consumer.retry.delay", "0", Rule::AtLeast(1)),
        (Knob::Poll(0), "consumer.poll", "0", Rule::AtLeast(1)),
        (
            Knob::Intake(Intake::Pause { high: 8, low: 8 }),
            "consumer.intake.pause.low",
            "8",
            Rule::BelowHigh(8),
        ),
        (
            Knob::Intake(Intake::Pause { high: 0, low: 0 }),
            "consumer.intake.pause.low",
            "0",
            Rule::BelowHigh(0),
        ),
        (Knob::MaxPollInterval(Some(1)), "consumer.max_poll_interval", "1", Rule::AtLeast(2)),
        (Knob::CommitEvery(0), "consumer.commit.every", "0", Rule::AtLeast(1)),
    ] {
        refused(Knobs::default().with(&[knob]), field, value, rule);
    }
    assert!(Knobs::default().check().is_ok());
}

#[test]
fn logs() {
    let one = Work::Ticks(1);
    refused(log([record(-1, one, 0)]), "log.records[0].offset", "-1", Rule::Offset);
    let beyond = i64::MAX.to_string();
    refused(log([record(i64::MAX, one, 0)]), "log.records[0].offset", &beyond, Rule::Offset);
    assert!(log([record(i64::MAX - 1, one, 0)]).is_ok());
    refused(log([record(3, one, 0), record(3, one, 0)]), "log.records[1].offset", "3", Rule::Above(3));
    refused(log([record(3, one, 0), record(2, one, 0)]), "log.records[1].offset", "2", Rule::Above(3));
    refused(log([record(0, Work::Ticks(0), 0)]), "log.records[0].work", "0", Rule::AtLeast(1));
    refused(log([record(0, one, 5), record(1, one, 4)]), "log.records[1].time", "4", Rule::AtLeast(5));
    refused(Log::from_records(Offset(-1), []), "log.start", "-1", Rule::Offset);
}

#[test]
fn generated_logs() {
    refused(Generated::new(0, 1, 0, 0, (1, 1)), "log.generate.keys", "0", Rule::AtLeast(1));
    refused(Generated::new(0, 1, 1, 0, (0, 1)), "log.generate.work", "0", Rule::AtLeast(1));
    refused(Generated::new(0, 1, 1, 0, (4, 3)), "log.generate.work", "3", Rule::AtLeast(4));
    refused(Generated::new(0, 1, 4_295, 0, (1, 1)), "log.generate.keys", "4295", Rule::DrawWithin32Bits);
    assert!(Generated::new(0, 1, 4_294, 0, (1, 1)).is_ok());
    let wide = (1, (1 << 32) + 1);
    refused(Generated::new(0, 1, 1, 0, wide), "log.generate.work", "4294967297", Rule::DrawWithin32Bits);
}

#[test]
fn members() {
    let log = Arc::new(log([]).unwrap());
    for members in [&[][..], &[ConsumerId::B], &[ConsumerId::A, ConsumerId::A]] {
        let error = Setup::new(log.clone(), Knobs::default(), members).expect_err("no such group");
        assert_eq!((error.field.as_str(), error.rule), ("members", Rule::Members));
    }
    assert!(Setup::new(log, Knobs::default(), &[ConsumerId::B, ConsumerId::A]).is_ok());
}
