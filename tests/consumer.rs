//! The session behind "Your consumer": what it shows is what the command line prints, whatever it is asked and in
//! whatever order, and a newer request takes an older one's place.
#![cfg(not(target_arch = "wasm32"))]

use std::{fs, path::PathBuf, process::Command};

use keyed_worker_pool::{
    office::consumer::{Form, Reply, Request, Session},
    scenario::Scenario,
};
use serde_json::Value;

fn form(fields: &[(&str, &str)]) -> Form {
    fields.iter().copied().collect()
}

/// Asks, and works until there is nothing left to do.
fn all(session: &mut Session, request: Request) -> Vec<Reply> {
    let mut replies = session.ask(request);
    while session.is_busy() {
        replies.extend(session.work(5_000));
        replies.extend(session.meanwhile());
    }
    replies
}

fn open(session: &mut Session, name: &str, bytes: &[u8], fields: &[(&str, &str)]) -> Vec<Reply> {
    let size = bytes.len() as u64;
    let mut replies = session.ask(Request::Open { name: name.to_owned(), size, form: form(fields) });
    for chunk in bytes.chunks(7) {
        replies.extend(session.feed(chunk));
    }
    replies.extend(session.end());
    replies
}

fn last<'r>(replies: &'r [Reply], kind: &str) -> &'r Value {
    let found = replies.iter().rev().find(|reply| reply.kind() == kind);
    let kinds: Vec<_> = replies.iter().map(Reply::kind).collect();
    found.and_then(Reply::shown).unwrap_or_else(|| panic!("no {kind} in {kinds:?}: {replies:?}"))
}

fn file(session: &mut Session, fields: &[(&str, &str)]) -> (String, String) {
    let request = Request::named("take", form(fields)).unwrap();
    match &session.ask(request)[..] {
        [Reply::File(file)] => (file.name.clone(), String::from_utf8_lossy(&file.bytes).into_owned()),
        other => panic!("{other:?}"),
    }
}

/// A folder of its own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("kwp-consumer-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const QUESTIONS: [&str; 5] = ["workers", "marks", "drain", "crash", "quarantine"];

/// Everything that the session hands out is what `kwp size` writes, to the byte.
fn same_as_kwp(session: &mut Session, folder: &Folder, arguments: &[&str]) {
    let (report, data) = (folder.0.join("report.html"), folder.0.join("data"));
    let kwp = Command::new(env!("CARGO_BIN_EXE_kwp"))
        .arg("size")
        .args(arguments)
        .arg("--output")
        .arg(&report)
        .arg("--data")
        .arg(&data)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(kwp.status.success(), "{}", String::from_utf8_lossy(&kwp.stderr));
    for question in QUESTIONS {
        for what in ["csv", "json", "svg"] {
            let (name, text) = file(session, &[("what", what), ("question", question)]);
            let expected = fs::read(data.join(&name)).unwrap();
            assert!(text == String::from_utf8_lossy(&expected), "{name} differs");
        }
    }
    let (_, html) = file(session, &[("what", "report")]);
    assert!(html == fs::read_to_string(report).unwrap(), "the reports differ");
}

#[test]
fn the_flights_day_is_sized_as_kwp_sizes_its_example() {
    let mut session = Session::new();
    let offered = session.ask(Request::Flights);
    let text = last(&offered, "offered")["settings"].as_str().unwrap();
    assert_eq!(last(&offered, "traffic")["records"], 831);
    let told = session.ask(Request::Settings(form(&[("text", text), ("library", "-")])));
    assert_eq!(last(&told, "settings")["now"]["kwp.workers"], "200");
    let replies = all(&mut session, Request::Size(form(&[("revokes", "40")])));
    assert_eq!(replies.last().map(Reply::kind), Some("done"));
    let folder = Folder::new("flights");
    same_as_kwp(&mut session, &folder, &["examples/flights-day.toml", "--tick", "1min", "--revokes", "40"]);
}

#[test]
fn shaped_traffic_is_sized_as_kwp_sizes_its_trace() {
    let fields = [
        ("rate", "40"),
        ("seconds", "20"),
        ("keys", "30"),
        ("skew", "1"),
        ("burst-times", "4"),
        ("burst-every", "5"),
        ("burst-length", "500"),
        ("latency", "long-tail"),
        ("p50", "20"),
        ("p99", "300"),
        ("max", "900"),
    ];
    let mut session = Session::new();
    let shaped = session.ask(Request::Shape(form(&fields)));
    assert_eq!(last(&shaped, "traffic")["records"], 800);
    let replies = all(&mut session, Request::Size(form(&[("revokes", "30")])));
    let answers = QUESTIONS.map(|question| {
        let is_last = |reply: &&Reply| reply.shown().is_some_and(|told| told["question"] == question);
        replies.iter().rev().find(is_last).and_then(Reply::shown).unwrap().clone()
    });
    for answer in &answers {
        assert!(answer["complete"] == true && !answer["sentences"].as_array().unwrap().is_empty());
        assert!(
            answer["svg"].as_str().unwrap().contains("</svg>")
                && !answer["rows"].as_array().unwrap().is_empty()
        );
    }
    // Coarse answers come before whole ones, those of the last question before the whole of the first.
    let partial = |question: &str| {
        replies
            .iter()
            .position(|reply| reply.shown().is_some_and(|told| told["question"] == question))
            .unwrap()
    };
    let whole =
        replies.iter().position(|reply| reply.shown().is_some_and(|told| told["complete"] == true)).unwrap();
    assert!(QUESTIONS.iter().any(|question| partial(question) < whole));
    let folder = Folder::new("shaped");
    let (name, trace) = file(&mut session, &[("what", "trace")]);
    assert_eq!(name, "trace.csv");
    // A report's title is the file's name.
    let trace_file = folder.0.join("shaped.csv");
    fs::write(&trace_file, trace).unwrap();
    same_as_kwp(&mut session, &folder, &[trace_file.to_str().unwrap(), "--revokes", "30"]);
}

/// A file that says nothing of units: the page and the command line take it for the same.
#[test]
fn a_file_without_units_is_sized_as_kwp_sizes_it() {
    let text = (0..100)
        .fold("time,key,work\n".to_owned(), |text, at| text + &format!("{},k{},30\n", at * 50, at % 5));
    let dates = "timestamp,user,duration\n2024-03-31T01:00:00Z,ann,12ms\n2024-03-31T01:00:00.030Z,bob,0.02s\n\
                 2024-03-31T01:00:00.040Z,ann,7\n";
    let folder = Folder::new("untitled");
    for (name, text) in [("plain.csv", text.as_str()), ("dates.csv", dates)] {
        let mut session = Session::new();
        let replies = open(&mut session, name, text.as_bytes(), &[]);
        let notes = last(&replies, "traffic")["notes"].to_string();
        assert!(notes.contains("numbers of work are taken for milliseconds: no title says"), "{notes}");
        all(&mut session, Request::Size(form(&[("revokes", "20")])));
        let file = folder.0.join(name);
        fs::write(&file, text).unwrap();
        same_as_kwp(&mut session, &folder, &[file.to_str().unwrap(), "--revokes", "20"]);
        // And so is the trace that the page hands out, without a word.
        let trace = folder.0.join("trace").with_file_name(format!("trace-{name}"));
        fs::write(&trace, self::file(&mut session, &[("what", "trace")]).1).unwrap();
        let data = folder.0.join("trace-data");
        let kwp = Command::new(env!("CARGO_BIN_EXE_kwp"))
            .args(["size", "--revokes", "20", trace.to_str().unwrap(), "--data"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(kwp.status.success(), "{}", String::from_utf8_lossy(&kwp.stderr));
        for question in QUESTIONS {
            let (name, csv) = self::file(&mut session, &[("what", "csv"), ("question", question)]);
            assert!(csv == fs::read_to_string(data.join(&name)).unwrap(), "{name} differs");
        }
    }
}

#[test]
fn slices_of_any_size_come_to_the_same() {
    let report = |steps: u64| {
        let mut session = Session::new();
        session.ask(Request::Shape(form(&[
            ("rate", "30"),
            ("seconds", "5"),
            ("p99", "100"),
            ("max", "200"),
        ])));
        session.ask(Request::Size(form(&[("revokes", "10")])));
        while session.is_busy() {
            session.work(steps);
        }
        file(&mut session, &[("what", "report")]).1
    };
    let whole = report(u64::MAX);
    assert!(whole == report(50) && whole == report(1_777));
}

#[test]
fn only_what_is_ticked_is_asked() {
    let mut session = Session::new();
    session.ask(Request::Shape(form(&[("rate", "20"), ("seconds", "3")])));
    let replies = all(&mut session, Request::Size(form(&[("drain", "on"), ("revokes", "5")])));
    let asked: Vec<&Value> = replies.iter().filter_map(|reply| reply.shown()?.get("question")).collect();
    assert!(!asked.is_empty() && asked.iter().all(|question| **question == "drain"));
}

#[test]
fn bad_rows_are_told_with_line_column_and_reason() {
    let csv = b"when,who,took\n2024-01-01T00:00:00Z,a,5\n2024-01-01T00:00:01Z,b,soon\n2024-01-01T00:00:01Z\n\
                2024-01-01T00:00:02Z,\"<b>x</b>\",0\n";
    let mut session = Session::new();
    let columns = [("time-column", "=when"), ("key-column", "=who"), ("work-column", "=took")];
    let replies = open(&mut session, "<i>mine</i>.csv", csv, &columns);
    let told = last(&replies, "traffic");
    assert_eq!(told["titles"], serde_json::json!([["when", "when"], ["who", "who"], ["took", "took"]]));
    assert_eq!(told["bad"][0][0], "3");
    assert_eq!(told["bad"][0][1], "took");
    assert!(told["bad"][0][2].as_str().unwrap().contains("\"soon\""), "{told}");
    assert_eq!(told["bad"][1][1], Value::Null);
    assert_eq!(told["bad"][2][3], "read as one tick");
    assert_eq!(told["skipped"], "2");
}

#[test]
fn a_file_without_the_right_columns_tells_which_it_has() {
    let mut session = Session::new();
    let replies = open(&mut session, "mine.csv", b"when,who,took\n1,a,5\n", &[]);
    let told = last(&replies, "refused");
    assert_eq!(told["about"], "traffic");
    assert_eq!(told["titles"], serde_json::json!([["when", "when"], ["who", "who"], ["took", "took"]]));
    assert!(told["error"].as_str().unwrap().starts_with("mine.csv:1: no column for the time"), "{told}");
}

#[test]
fn wrong_files_of_every_kind_are_refused() {
    for (bytes, expected) in [
        (&b""[..], "the file is empty"),
        (b"PK\x03\x04 and so on\n", "ZIP archive"),
        (b"\x1f\x8b\x08\n", "compressed"),
        (b"\xff\xfet\0i\0m\0e\0\n", "UTF-16"),
        (b"PAR1....\n", "Parquet"),
        (b"time\0,key\n", "bytes that are 0"),
        (b"time,key,work\n", "nothing below it"),
        (b"time,key,work\nx,y,z\n", "none of its 1 row can be used"),
    ] {
        let mut session = Session::new();
        let replies = open(&mut session, "t.csv", bytes, &[]);
        let told = last(&replies, "refused");
        assert!(told["error"].as_str().unwrap().contains(expected), "{told}");
        assert!(!session.is_busy());
        let sized = session.ask(Request::Size(Form::default()));
        assert_eq!(last(&sized, "refused")["about"], "sizing");
    }
}

#[test]
fn fields_that_make_no_sense_are_named() {
    let mut session = Session::new();
    for (field, text) in
        [("rate", "many"), ("rate", "0"), ("keys", "9999999"), ("skew", "-1"), ("p50", "1.5")]
    {
        let replies = session.ask(Request::Shape(form(&[(field, text)])));
        assert_eq!(last(&replies, "refused")["field"], field);
    }
    let replies = session.ask(Request::Shape(form(&[("rate", "100000"), ("seconds", "3600")])));
    assert!(last(&replies, "refused")["error"].as_str().unwrap().contains("records"));
    let replies = open(&mut session, "t.csv", b"time,key,work\n1,a,1\n", &[("tick", "soon")]);
    assert_eq!(last(&replies, "refused")["field"], "tick");
    let replies = session.ask(Request::Settings(form(&[("kwp.workers", "0")])));
    assert_eq!(last(&replies, "refused")["field"], "kwp.workers");
    assert!(Request::named("dance", Form::default()).is_err());
    assert!(Request::named("take", form(&[("what", "csv"), ("question", "why")])).is_err());
}

#[test]
fn a_newer_request_takes_an_older_ones_place() {
    let mut session = Session::new();
    session.ask(Request::Shape(form(&[("rate", "200"), ("seconds", "60")])));
    session.ask(Request::Size(Form::default()));
    session.work(10);
    assert!(session.is_busy());
    let stopped = session.ask(Request::Stop);
    assert_eq!(stopped.last().map(Reply::kind), Some("stopped"));
    assert!(!session.is_busy() && session.work(10).is_empty());
    session.ask(Request::Size(Form::default()));
    assert!(session.is_busy());
    session.ask(Request::Settings(form(&[("kwp.workers", "9")])));
    assert!(!session.is_busy(), "answers for other settings are not wanted any more");
    let text = "time,key,work\n".to_owned() + &"1,a,1\n".repeat(50_000);
    session.ask(Request::Paste { text, form: Form::default() });
    session.work(1);
    assert!(session.is_busy());
    let replies = session.ask(Request::Flights);
    assert_eq!(last(&replies, "traffic")["records"], 831);
    assert!(!session.is_busy());
}

#[test]
fn settings_are_judged_by_the_traffic() {
    let mut session = Session::new();
    let text = "max.poll.records=500\nmax.poll.interval.ms=300000\nfavourite.colour=red\nfetch.min.bytes=x\n";
    let fields = [("text", text), ("library", "java"), ("kwp.workers", "1")];
    session.ask(Request::Settings(form(&fields)));
    let shaped = [("rate", "5"), ("seconds", "20"), ("latency", "fixed"), ("fixed", "800")];
    let replies = session.ask(Request::Shape(form(&shaped)));
    let told = last(&replies, "settings");
    assert_eq!(told["measured"], true);
    assert_eq!(told["unknown"][0][1], "favourite.colour");
    assert_eq!(told["invalid"][0][1], "fetch.min.bytes");
    let bad: Vec<&str> = told["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|verdict| verdict[0] == "bad")
        .filter_map(|verdict| verdict[1].as_str())
        .collect();
    assert!(bad.iter().any(|sentence| sentence.contains("400 s")), "{told:#}");
    for (wanted, expected) in [
        ("java", "max.poll.interval.ms=300000"),
        ("spring", "max-poll-records: 500"),
        ("librdkafka", "max.poll.interval.ms=300000"),
        ("skeleton-java", "class"),
        ("skeleton-go", "package"),
        ("skeleton-rust", "fn "),
    ] {
        let (name, text) = file(&mut session, &[("what", "settings"), ("form", wanted)]);
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn what_a_text_leaves_open_has_the_defaults_of_the_client_whose_names_it_uses() {
    let mut session = Session::new();
    let text = "max.poll.records=50\n";
    let told = session.ask(Request::Settings(form(&[("text", text)])));
    assert_eq!(last(&told, "settings")["library"][0], "plain Java client");
    let told = session.ask(Request::Settings(form(&[("text", text), ("library", "-")])));
    assert_eq!(last(&told, "settings")["library"], Value::Null);
}

#[test]
fn settings_are_sized_as_kwp_sizes_them() {
    let mut session = Session::new();
    session.ask(Request::Shape(form(&[("rate", "40"), ("seconds", "10"), ("p99", "300"), ("max", "900")])));
    let text = "max.poll.records=50\nkwp.workers=6\nkwp.routing=keyed\nkwp.intake=pause\nkwp.drain.ms=200\n";
    session.ask(Request::Settings(form(&[("text", text)])));
    all(&mut session, Request::Size(form(&[("workers", "on"), ("drain", "on"), ("revokes", "20")])));
    let folder = Folder::new("settings");
    let (trace, config) = (folder.0.join("shaped.csv"), folder.0.join("consumer.properties"));
    fs::write(&trace, file(&mut session, &[("what", "trace")]).1).unwrap();
    fs::write(&config, text).unwrap();
    let data = folder.0.join("data");
    let kwp = Command::new(env!("CARGO_BIN_EXE_kwp"))
        .args(["size", "--tick", "1ms", "--only", "workers,drain", "--revokes", "20", "--config"])
        .args([&config, &trace])
        .arg("--data")
        .arg(&data)
        .output()
        .unwrap();
    assert!(kwp.status.success(), "{}", String::from_utf8_lossy(&kwp.stderr));
    for question in ["workers", "drain"] {
        let (name, csv) = file(&mut session, &[("what", "csv"), ("question", question)]);
        assert!(csv == fs::read_to_string(data.join(&name)).unwrap(), "{name} differs");
    }
}

#[test]
fn the_offered_settings_are_those_of_the_example() {
    let mut session = Session::new();
    let offered = session.ask(Request::Flights);
    let text = last(&offered, "offered")["settings"].as_str().unwrap();
    let read = keyed_worker_pool::settings::read("t", text.as_bytes(), None).unwrap();
    let minute = keyed_worker_pool::traffic::Span::parse("1m").unwrap();
    let knobs = keyed_worker_pool::settings::knobs(&read.settings, minute).unwrap().knobs;
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/flights-day.toml");
    assert_eq!(&knobs, Scenario::load(&path).unwrap().setup.knobs());
}

#[test]
fn hashed_keys_leave_nothing_of_the_keys() {
    let mut session = Session::new();
    let csv = b"time,key,work\n1,account-4711,5\n2,account-4711,5\n";
    open(&mut session, "t.csv", csv, &[("hash-keys", "on"), ("salt", "pepper")]);
    let (_, trace) = file(&mut session, &[("what", "trace")]);
    assert!(!trace.contains("4711") && trace.lines().count() == 3);
}

#[test]
fn a_million_rows_are_read_in_pieces() {
    let mut session = Session::new();
    let mut replies =
        session.ask(Request::Open { name: "big.csv".to_owned(), size: 0, form: Form::default() });
    replies.extend(session.feed(b"time,key,work\n"));
    for block in 0..1_000u64 {
        let rows: String =
            (0..1_000).map(|n| format!("{},{},{}\n", block * 1_000 + n, n * 7 % 5_000, 1 + n % 30)).collect();
        replies = session.feed(rows.as_bytes());
        assert_eq!(replies.len(), 1);
    }
    assert_eq!(last(&replies, "reading")["rows"], "1,000,000");
    let replies = session.end();
    assert_eq!(last(&replies, "traffic")["records"], 1_000_000);
    session.ask(Request::Size(form(&[("workers", "on")])));
    session.work(1_000);
    assert!(session.is_busy());
}
