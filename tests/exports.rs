//! What is taken away is the run itself: a scenario file that parses to the same run and plays it to the last
//! event, and events that say the same in every form.
#![cfg(not(target_arch = "wasm32"))]

mod oracle;

use std::path::Path;

use keyed_worker_pool::{
    export::{
        csv, json,
        scenario::{Story, write},
    },
    ids::{Offset, Tick},
    ledger::Keep,
    player::Inputs,
    presets::{Panel, Start},
    run::Run,
    scenario::{Scenario, Source, play},
    world::{
        ConfigError, Fails, Generated, Input, Key, Knob, Knobs, Log, NewRecord, Setup, Work,
        config::{CommitOffset, Quarantine, RetryAt, Then},
    },
};

fn parsed(text: &str) -> Scenario {
    let source = Source { name: "x.toml".to_owned(), text: text.to_owned(), marked: false };
    Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn written(scenario: &Scenario) -> String {
    let story = Story {
        title: scenario.title.as_deref(),
        source: scenario.source.as_deref(),
        comment: &["written by a test"],
        panel: None,
        setup: &scenario.setup,
        inputs: &scenario.inputs,
        last: scenario.last,
    };
    write(&story).unwrap_or_else(|error| panic!("{}: {error}", scenario.file))
}

fn told(run: &Run) -> String {
    json::lines(run.ledger().events(), run.world().log())
}

fn played(scenario: &Scenario) -> Run {
    play(scenario, Keep::Events, |_| true).expect("a small run")
}

/// Writes the scenario, reads it back, and compares what it says.
fn comes_back(scenario: &Scenario) -> Scenario {
    let text = written(scenario);
    let again = parsed(&text);
    assert_eq!(again.setup, scenario.setup, "{text}");
    let mut acting = scenario.inputs.clone();
    acting.retain(|tick, _| *tick <= scenario.last);
    assert_eq!(again.inputs, acting, "{text}");
    assert_eq!((again.last, &again.title, &again.source), (scenario.last, &scenario.title, &scenario.source));
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    assert!(text.lines().all(|line| line.chars().count() <= 110 || !line.contains("\", \"")), "{text}");
    again
}

#[test]
fn random_scenarios_come_back() {
    for seed in 0..1_500 {
        let scenario = parsed(&oracle::generate::scenario(seed));
        let again = comes_back(&scenario);
        if seed % 5 == 0 {
            assert_eq!(told(&played(&again)), told(&played(&scenario)), "seed {seed}");
        }
    }
}

#[test]
fn every_scenario_of_the_tests_plays_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let files = keyed_worker_pool::scenario::files(&folder).expect("the folder");
    assert!(files.len() >= 118, "{}", files.len());
    for file in files {
        let scenario = Scenario::load(&file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(told(&played(&comes_back(&scenario))), told(&played(&scenario)), "{}", file.display());
    }
}

fn setup(records: impl IntoIterator<Item = NewRecord>) -> Result<Setup, ConfigError> {
    let log = Log::from_records(Offset(0), records)?;
    Setup::new(log.into(), Knobs::default(), &[keyed_worker_pool::ids::ConsumerId::A])
}

fn record(offset: i64, key: Option<Key>) -> NewRecord {
    NewRecord { offset: Offset(offset), key, work: Work::Ticks(1), fails: Fails::First(0), since: Tick(0) }
}

fn alone(setup: &Setup, inputs: &Inputs) -> Result<String, String> {
    let story = Story { title: None, source: None, comment: &[], panel: None, setup, inputs, last: Tick(9) };
    write(&story).map_err(|error| error.to_string())
}

#[test]
fn any_key_that_is_text_comes_back() {
    let keys =
        ["-", "", "a:b*c!2", "\"quoted\" \\", "tab\tnew\nline", "\u{202e}\u{1b}[31m", "ключ", "=1+1", "'"];
    let records = (0..).zip(keys).flat_map(|(at, key)| {
        [Work::Ticks(3), Work::UntilTapped, Work::Never].into_iter().zip(0..).flat_map(move |(work, nth)| {
            [Fails::First(0), Fails::First(7), Fails::Always].into_iter().zip(0..).map(
                move |(fails, third)| NewRecord {
                    work,
                    fails,
                    ..record(at * 9 + nth * 3 + third, Some(key.into()))
                },
            )
        })
    });
    let setup = setup(records.chain([record(1_000, None)])).expect("a log");
    let text = alone(&setup, &Inputs::new()).expect("text");
    assert_eq!(parsed(&text).setup, setup, "{text}");
    assert!(text.is_ascii() || text.contains("ключ"));
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
}

#[test]
fn the_order_in_which_knobs_are_turned_comes_back() {
    let every = [
        Knob::AckMap(true),
        Knob::Drain(3),
        Knob::CommitOffset(CommitOffset::Highest),
        Knob::RetryAt(RetryAt::Tail),
        Knob::RetryDelay(2),
        Knob::Quarantine(Some(Quarantine { after: 5, then: Then::Park })),
        Knob::CommitEvery(2),
        Knob::Workers(2),
    ];
    for turn in 0..every.len() {
        let mut turned = every.to_vec();
        turned.rotate_left(turn);
        let inputs = Inputs::from([(Tick(3), vec![Input::Set(turned.clone()), Input::Set(Vec::new())])]);
        let text = alone(&setup([record(0, None)]).expect("a log"), &inputs).expect("text");
        assert_eq!(parsed(&text).inputs, inputs, "{text}");
    }
}

#[test]
fn what_a_file_cannot_say_is_refused_in_a_sentence() {
    let refused = |setup: &Setup, inputs: &Inputs, what: &str| {
        let sentence = alone(setup, inputs).expect_err(what);
        assert!(sentence.contains(what) && sentence.ends_with('.'), "{sentence}");
    };
    let none = Inputs::new();
    let late = NewRecord { since: Tick(4), ..record(1, None) };
    refused(&setup([record(0, None), late]).unwrap(), &none, "arrive over time");
    refused(&setup([record(7, Some(Key::new(*b"a\xff")))]).unwrap(), &none, "key of offset 7 is not UTF-8");
    let plain = setup([record(0, None)]).unwrap();
    refused(
        &plain.turned(&[Knob::Drain(u64::MAX)]).unwrap(),
        &none,
        "the drain window is 18446744073709551615",
    );
    let set = |knobs: Vec<Knob>| Inputs::from([(Tick(2), vec![Input::Set(knobs)])]);
    refused(&plain, &set(vec![Knob::Drain(1), Knob::Drain(2)]), "turns a knob twice");
    refused(&plain, &set(vec![Knob::Workers(0)]), "At tick 2 consumer.workers is 0");
    // What would act after the last tick is no obstacle.
    let mut later = set(vec![]);
    later.insert(Tick(10), vec![Input::Set(vec![Knob::Workers(0)])]);
    assert!(alone(&plain, &later).is_ok());
    let seed = Generated::new(u64::MAX, 3, 2, 1, (1, 2)).unwrap();
    let log = Log::generated(Offset(0), seed).unwrap();
    let drawn = Setup::new(log.into(), Knobs::default(), &[keyed_worker_pool::ids::ConsumerId::A]).unwrap();
    refused(&drawn, &none, "the seed is 18446744073709551615");
}

#[test]
fn a_file_reads_like_one_that_a_person_wrote() {
    let start = Start::opening(Panel::Rebalance);
    let player = &start.players().expect("an opening")[0];
    let story = Story {
        title: Some("Rebalance"),
        source: None,
        comment: &["Taken from the page."],
        panel: Some(Panel::Rebalance),
        setup: player.setup(),
        inputs: player.script(),
        last: Tick(23),
    };
    let text = write(&story).expect("text");
    let expected = r#"# Taken from the page.

title = "Rebalance"
ticks = 23
members = ["A", "B"]

[log]
records = [
  "100:CRUX*2", "101:DUNE*3", "102:DUNE*1", "103:ALPS*1", "104:ECHO*3", "105:ECHO*2", "106:ALPS*1",
  "107:ALPS*1", "108:DUNE*3", "109:ALPS*3", "110:ECHO*3", "111:ALPS*3", "112:CRUX*1", "113:ALPS*1",
  "114:ECHO*1", "115:DUNE*1", "116:ECHO*1", "117:DUNE*1", "118:DUNE*2", "119:ECHO*1", "120:ECHO*2",
  "121:BALT*2",
]
start = 100

[consumer]
workers = 4
poll = 3
intake = { pause = { high = 10, low = 5 } }
drain = 7

[store]
guard = "newer"

[[at]]
tick = 8
do = { stall = { consumer = "A", ticks = 7 } }

[[at]]
tick = 10
do = { revoke = { from = "A", to = "B" } }
"#;
    assert_eq!(text, expected);
}

#[test]
fn a_recipe_stays_a_recipe() {
    let start = Start::opening(Panel::Dispatch);
    let player = &start.players().expect("an opening")[1];
    let story = Story {
        title: None,
        source: None,
        comment: &[],
        panel: Some(Panel::Dispatch),
        setup: player.setup(),
        inputs: player.script(),
        last: Tick(34),
    };
    let text = write(&story).expect("text");
    let expected = r#"seed = 223
ticks = 34

[log]
generate = { count = 40, keys = 6, skew = 1, work = [1, 6] }

[consumer]
workers = 4
routing = "keyed"
poll = 4
intake = { pause = { high = 16, low = 12 } }
"#;
    assert_eq!(text, expected);
}

#[test]
fn a_spreadsheet_gets_a_row_for_each_event() {
    let text = "[log]\nrecords = [\"0:-*1\", { offset = 1, key = \"a,\\\"b\\\"\", work = 2, fails = 1 }, \"2:=1+1*9\"]\n\
                [[at]]\ntick = 2\ndo = { crash = \"A\" }\n";
    let run = played(&parsed(text));
    let (events, log) = (run.ledger().events(), run.world().log());
    let whole = csv::header() + &csv::rows(events, log);
    assert!(whole.ends_with("\r\n"));
    let mut reader = ::csv::Reader::from_reader(whole.as_bytes());
    assert_eq!(reader.headers().expect("a header").iter().collect::<Vec<_>>(), csv::COLUMNS);
    let column = |name: &str| csv::COLUMNS.iter().position(|column| *column == name).expect("a column");
    let rows: Vec<::csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("rows");
    assert_eq!(rows.len(), events.len());
    let objects: Vec<serde_json::Value> =
        json::lines(events, log).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (row, object) in rows.iter().zip(&objects) {
        let cell = |name: &str| row[column(name)].to_owned();
        for name in ["id", "tick"] {
            assert_eq!(cell(name), object[name].to_string());
        }
        for name in ["kind", "sentence"] {
            assert_eq!(Some(cell(name).as_str()), object[name].as_str());
        }
        for name in ["consumer", "worker", "epoch", "offset", "attempt", "in_flight"] {
            let value = &object[name];
            let told = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert!(value.is_null() || cell(name) == told, "{name}: {row:?} {object}");
        }
        let causes: Vec<u64> = cell("causes").split(' ').filter_map(|cause| cause.parse().ok()).collect();
        assert_eq!(serde_json::json!(causes), object["causes"]);
    }
    let kinds = |kind: &str| rows.iter().filter(|row| &row[column("kind")] == kind).collect::<Vec<_>>();
    let started = kinds("started");
    assert_eq!(&started[0][column("key")], "");
    assert_eq!(&started[1][column("key")], "\"a,\\\"b\\\"\"");
    assert_eq!(&started[2][column("key")], "'=1+1", "a formula is told as text");
    assert_eq!(&kinds("crashed")[0][column("weight")], "wrong");
    assert_eq!(&kinds("polled")[0][column("in_flight")], "3");
}
