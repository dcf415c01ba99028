//! Real traffic: the flights of `examples/`, and what the report says of them.
#![cfg(not(target_arch = "wasm32"))]

use std::path::Path;

use keyed_worker_pool::{
    ledger::{Counters, Keep},
    scenario::{Scenario, check, play},
    workload::Workload,
    world::config::{NullKeys, Routing},
};

fn example(name: &str) -> Scenario {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).with_extension("toml");
    let scenario = Scenario::load(&file).unwrap_or_else(|error| panic!("{error}"));
    let verdict = check(&scenario).expect("it fits");
    assert!(verdict.is_good(), "{verdict}");
    scenario
}

fn counters(scenario: &Scenario, routing: Routing) -> Counters {
    play(&scenario.routed(routing), Keep::Counters, |_| true).expect("it fits").ledger().counters().clone()
}

/// Makespan, peak in flight, order breaks, overlaps.
fn figures(scenario: &Scenario, routing: Routing) -> (u64, u64, u64, u64) {
    let counters = counters(scenario, routing);
    let makespan = counters.makespan().expect("something completed");
    (makespan, counters.peak_in_flight, counters.order_breaks, counters.overlaps)
}

#[test]
fn a_day_of_flights() {
    let day = example("flights-day");
    let workload = Workload::of(day.setup.log());
    assert_eq!((workload.total.records, workload.total.work), (831, 140_981));
    let (hottest, load) = workload.hottest(NullKeys::Mailbox).expect("a hottest key");
    let name = hottest.and_then(|key| day.setup.log().key(key)).map(ToString::to_string);
    assert_eq!((name.as_deref(), load.work), (Some("N779JB"), 704));
    assert_eq!(workload.parallelism_hundredths(NullKeys::Mailbox), Some(20_025));
    assert_eq!(workload.bound(200, NullKeys::Mailbox), 705);
    assert_eq!(workload.total.earliest_finish, 1696);

    // 200 workers are enough: the last flight lands when it can, 1379 minutes after the first took off.
    assert_eq!(figures(&day, Routing::Keyed), (1379, 171, 0, 0));
    // An aircraft is never in the air twice, so at this pace even a shared pool keeps its order.
    assert_eq!(figures(&day, Routing::Shared), (1379, 171, 0, 0));
    assert_eq!(figures(&day, Routing::Serial), (140_981, 550, 0, 0));
    assert_eq!(figures(&day, Routing::Lanes(8)), (22_066, 550, 0, 0));
}

#[test]
fn a_month_of_flights() {
    let month = example("flights-january");
    let workload = Workload::of(month.setup.log());
    assert_eq!((workload.total.records, workload.total.work), (26_398, 4_070_239));
    assert_eq!(workload.parallelism_hundredths(NullKeys::Mailbox), Some(34_970));
    assert_eq!(figures(&month, Routing::Keyed), (44_523, 176, 0, 0));
    // Eight times one aircraft is said to have left before it had arrived.
    assert_eq!(figures(&month, Routing::Shared), (44_523, 176, 0, 8));
}

#[test]
fn after_an_outage_the_routing_matters() {
    let outage = example("flights-outage");
    assert_eq!(figures(&outage, Routing::Keyed), (44_523, 2_497, 0, 0));
    assert_eq!(figures(&outage, Routing::Shared), (44_523, 2_494, 70, 783));
}
