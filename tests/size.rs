//! `kwp size` and `kwp sweep` as their users meet them.
#![cfg(not(target_arch = "wasm32"))]

mod folder;

use std::{fmt::Write, fs, path::Path, process::Command};

use folder::Folder;

fn written(folder: &Folder, name: &str, content: impl AsRef<[u8]>) -> String {
    text(&folder.write(name, content))
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

struct Said {
    status: i32,
    out: String,
    err: String,
}

fn kwp(args: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_kwp"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .args(args)
        .output()
        .expect("kwp runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!err.contains("panicked"), "{err}");
    Said {
        status: output.status.code().expect("an exit code"),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err,
    }
}

/// 300 records of 30 keys, one of them hot.
fn trace() -> String {
    let mut trace = "time,key,work\n".to_owned();
    for n in 0..300u64 {
        let key =
            if n.is_multiple_of(4) { "<hot> & \"bold\"".to_owned() } else { format!("k{}", n * 7 % 29) };
        let _ = writeln!(trace, "{},\"{}\",{}", n * 3, key.replace('"', "\"\""), 1 + n * 5 % 17);
    }
    trace
}

const SCENARIO: &str = "seed = 4\n[log]\ngenerate = { count = 120, keys = 7, skew = 1, work = [1, 6] }\n\
                        [consumer]\nworkers = 3\npoll = 8\n";

#[test]
fn a_report_is_one_file_that_needs_nothing_else() {
    let folder = Folder::new("size-report");
    let file = written(&folder, "mine.csv", trace());
    let (report, data) = (text(&folder.0.join("report.html")), text(&folder.0.join("data")));
    let said = kwp(&["size", &file, "--tick", "1ms", "--revokes", "59", "-o", &report, "--data", &data]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(said.err, "", "no bar where there is no terminal");
    assert!(said.out.contains("How many workers pay?") && !said.out.contains("safe"), "{}", said.out);
    let html = fs::read_to_string(&report).expect("a report");
    for outside in ["src=", "http-equiv=\"refresh\"", "@import", "url(", "<script", "<link", "<hot>"] {
        assert!(!html.contains(outside), "{outside}");
    }
    let links = html.matches("http").count() - html.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(links, 1, "but for the names of SVG only the policy is about http");
    // Five charts, each a drawing that can be read as XML.
    let drawings: Vec<&str> = html.split("<svg").skip(1).collect();
    assert_eq!(drawings.len(), 5);
    for drawing in drawings {
        let drawing = format!("<svg{}", drawing.split_once("</svg>").expect("an end").0);
        roxmltree::Document::parse(&(drawing + "</svg>")).expect("well-formed");
    }
    for name in ["workers", "marks", "drain", "crash", "quarantine"] {
        assert!(html.contains(&format!("<section id=\"{name}\">")));
        let csv = fs::read_to_string(format!("{data}/{name}.csv")).expect("numbers");
        let json = fs::read_to_string(format!("{data}/{name}.json")).expect("numbers");
        let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("an array");
        assert_eq!(csv.lines().count(), rows.len() + 1);
        assert!(fs::read(format!("{data}/{name}.png")).expect("a chart").starts_with(b"\x89PNG"));
        assert!(fs::read_to_string(format!("{data}/{name}.svg")).expect("a chart").starts_with("<svg"));
    }
    assert!(!html.contains("style=\""), "the policy allows one style sheet");
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let folder = Folder::new("size-threads");
    let file = written(&folder, "mine.csv", trace());
    let on = |threads: &str| {
        let report = text(&folder.0.join(format!("{threads}.html")));
        let said = kwp(&["size", &file, "--threads", threads, "--revokes", "30", "-o", &report]);
        assert_eq!(said.status, 0, "{}", said.err);
        (said.out, fs::read(report).expect("a report"))
    };
    assert_eq!(on("1"), on("3"));
    let scenario = written(&folder, "s.toml", SCENARIO);
    let sweep = |threads: &str, format: &str, chart: &str| {
        let chart = text(&folder.0.join(format!("{threads}-{format}{chart}")));
        let args = ["sweep", &scenario, "--vary", "workers=1..5", "--vary", "low=0,50%", "--seeds", "1..3"];
        let args = [&args[..], &["--threads", threads, "--format", format, "--chart", &chart]].concat();
        let said = kwp(&args);
        assert_eq!(said.status, 0, "{}", said.err);
        (said.out, fs::read(chart).expect("a chart"))
    };
    for (format, chart) in [("csv", ".svg"), ("json", ".png"), ("text", ".svg")] {
        let one = sweep("1", format, chart);
        assert_eq!(one, sweep("4", format, chart));
        // The rows stand in the order of the combinations.
        assert!(format != "csv" || one.0.starts_with("workers,low,seed,throughput,p50,"), "{}", one.0);
        assert!(format != "csv" || one.0.lines().count() == 31);
    }
}

#[test]
fn a_row_of_a_sweep_is_what_kwp_run_says() {
    let folder = Folder::new("size-row");
    let scenario = written(&folder, "s.toml", SCENARIO);
    let said = kwp(&["sweep", &scenario, "--vary", "workers=2,3", "--format", "json"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&said.out).expect("an array");
    let said = kwp(&["run", &scenario, "--format", "json"]);
    let run: serde_json::Value = serde_json::from_str(&said.out).expect("an object");
    for name in ["peak_in_flight", "pauses", "order_breaks", "overlaps", "evictions"] {
        assert_eq!(rows[1][name], run[name], "{name}");
    }
    assert_eq!(rows[1]["finished"], run["completions"].as_array().expect("a list").len());
}

#[test]
fn a_condition_that_holds_fails() {
    let folder = Folder::new("size-conditions");
    let scenario = written(&folder, "s.toml", SCENARIO);
    let sweep = |condition: &str| {
        kwp(&["sweep", &scenario, "--vary", "workers=1,2", "--tick", "1ms", "--fail-if", condition])
    };
    let good = sweep("lost > 0");
    assert_eq!((good.status, good.err.as_str()), (0, ""));
    assert!(good.out.contains("no condition holds of any of 2 runs"));
    let failed = sweep("p99 > 1ms");
    assert_eq!(failed.status, 1);
    assert!(
        failed.err.contains("failed: p99 > 1ms: p99 is") && failed.err.contains("with workers=1"),
        "{}",
        failed.err
    );
    let file = written(&folder, "t.csv", trace());
    let size = |condition: &str| {
        kwp(&["size", &file, "--tick", "1ms", "--only", "workers", "--fail-if", condition]).status
    };
    assert_eq!((size("max > 1h"), size("max > 1ms")), (0, 1));
}

#[test]
fn settings_are_properties_too() {
    let folder = Folder::new("size-properties");
    let (csv, properties) = (
        written(&folder, "t.csv", trace()),
        written(
            &folder,
            "c.properties",
            "max.poll.records=20\nkwp.workers=6\nkwp.drain.ms=30\nmax.pol.records=3\nkwp.routing=keyed\n",
        ),
    );
    let report = text(&folder.0.join("r.html"));
    let args = [
        "size",
        &csv,
        "--unit",
        "ms",
        "--only",
        "drain",
        "--revokes",
        "9",
        "--config",
        &properties,
        "-o",
        &report,
    ];
    let said = kwp(&args);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("line 4: max.pol.records is not known"), "{}", said.out);
    let html = fs::read_to_string(&report).expect("a report");
    for pair in
        ["workers</th><td>6<", "records per poll</th><td>20<", "drain window</th><td>30 ms<", "<td>5 min<"]
    {
        assert!(html.contains(pair), "{pair}");
    }
    let said = kwp(&["size", &csv, "--unit", "ticks", "--only", "drain", "--config", &properties]);
    assert!(said.status == 2 && said.err.contains("expected --tick"), "{}", said.err);
    let said = kwp(&["size", &csv, "--tick", "1ms", "--only", "crash", "--library", "java"]);
    assert!(said.status == 0 && !said.out.contains("warning"), "{}{}", said.out, said.err);
    // With a minute a tick the same work takes minutes, and the client is evicted in the middle of every batch.
    let said =
        kwp(&["size", &csv, "--unit", "ticks", "--tick", "1m", "--only", "crash", "--library", "java"]);
    assert!(said.out.contains("The consumer was evicted "), "{}", said.out);
}

#[test]
fn a_text_that_is_no_settings_fails() {
    let folder = Folder::new("settings-nothing");
    let kafkajs =
        "const consumer = kafka.consumer({ groupId: 'g', sessionTimeout: 30000 })\nawait consumer.run()\n";
    for (name, content) in [("hello.txt", "hello world\n"), ("consumer.js", kafkajs)] {
        let file = written(&folder, name, content);
        let said = kwp(&["settings", &file]);
        assert_eq!(said.status, 1, "{}", said.out);
        assert!(said.out.contains("bad       Nothing in this text was understood"), "{}", said.out);
        let csv = written(&folder, "t.csv", trace());
        let said = kwp(&["size", &csv, "--only", "workers", "--config", &file]);
        assert!(said.status == 2 && said.err.contains("Nothing in this text was understood"), "{}", said.err);
    }
    // A dictionary of a program is understood by its quoted names.
    let python =
        "conf = {\n    'bootstrap.servers': 'b',\n    'enable.auto.commit': False,\n}\nc = Consumer(conf)\n";
    let said = kwp(&["settings", &written(&folder, "consumer.py", python)]);
    assert_eq!(said.status, 0, "{}", said.out);
    assert!(
        said.out.contains("names of librdkafka") && said.out.contains("line 3    enable.auto.commit = false")
    );
}

#[test]
fn settings_that_make_no_sense_fail() {
    let folder = Folder::new("settings-no-sense");
    let bad = written(&folder, "b.properties", "max.poll.records=-5\nmax.poll.interval.ms=abc\n");
    let said = kwp(&["settings", &bad]);
    assert_eq!(said.status, 1, "{}", said.out);
    assert!(said.out.contains("max.poll.records (line 1) makes no sense"), "{}", said.out);
    let said = kwp(&["settings", &bad, "--format", "json"]);
    assert!(said.status == 1 && said.out.contains("\"weight\":\"bad\""), "{}", said.out);
    // What was implied is told where the settings are, too.
    let pool = written(&folder, "p.properties", "max.poll.records=500\nkwp.workers=8\n");
    let said = kwp(&["settings", &pool]);
    assert!(said.out.contains("note: 8 workers are no loop of one thread"), "{}", said.out);
    assert!(said.out.contains("implied   kwp.routing = keyed"), "{}", said.out);
}

#[test]
fn a_crash_of_a_client_that_commits_batches_is_told_as_such() {
    let folder = Folder::new("size-batches");
    let mut trace = "time,key,work\n".to_owned();
    (0..1_000).for_each(|n| {
        let _ = writeln!(trace, "{},k{},50", n * 10, n % 10);
    });
    let file = written(&folder, "simple.csv", trace);
    let size = |library: &str| {
        let said = kwp(&["size", &file, "--unit", "ms", "--library", library, "--only", "workers,crash"]);
        assert_eq!(said.status, 0, "{}", said.err);
        said.out
    };
    // 1, 5, 25, 125, 500: a crash at the end of the fourth batch of 500 does it all again.
    let spring = size("spring");
    assert!(
        spring.contains("and with commits at every poll, of what earlier polls returned, a crash brings"),
        "{spring}"
    );
    assert!(spring.contains("500 in the worst"), "{spring}");
    let librdkafka = size("librdkafka");
    assert!(librdkafka.contains("it loses up to 1 record:"), "{librdkafka}");
    // Ten seconds of arrivals, a record every 10 ms: five workers, by the last interval too.
    assert!(spring.contains("to keep up takes 5 workers at least"), "{spring}");
}

#[test]
fn a_timer_of_ones_own_commits_whether_anybody_polls() {
    let folder = Folder::new("size-timer");
    // 3 s, then 60 s, then 1 s: the second batch is polled at 3 s, and lasts until 64 s.
    let file = written(&folder, "t.csv", "time,key,work\n0,A,3000\n1,B,60000\n2,C,1000\n");
    let crash = |library: &str| kwp(&["size", &file, "--library", library, "--only", "crash"]).out;
    // A poll commits, at 64 s at the earliest: nothing is committed before all is done.
    let java = crash("java");
    assert!(java.contains("brings 3 records again (median") && java.contains("3 in the worst"), "{java}");
    // The timer commits at 5 s what the first poll returned.
    let franz = crash("franz-go");
    assert!(franz.contains("brings 2 records again (median") && franz.contains("3 in the worst"), "{franz}");
    // KafkaJS commits after every batch: at 3 s.
    let kafkajs = crash("kafkajs");
    assert!(kafkajs.contains("brings 2 records again (median"), "{kafkajs}");
    // The trace is over before the second commit, which is said.
    let short = written(&folder, "short.csv", "time,key,work\n0,A,20\n10,B,20\n1000,C,20\n");
    let told = kwp(&["size", &short, "--library", "java", "--only", "crash,quarantine"]).out;
    assert_eq!(
        told.matches("These records arrive within 1 s, and commits are 5 s apart").count(),
        2,
        "{told}"
    );
}

#[test]
fn what_spring_gives_up_is_not_tried_for_ever() {
    let folder = Folder::new("size-skips");
    let mut trace = "time,key,work\n".to_owned();
    (0..200).for_each(|n| {
        let _ = writeln!(trace, "{},k{},80", n * 100, n % 5);
    });
    let file = written(&folder, "even.csv", trace);
    let size = |library: &str| {
        kwp(&["size", &file, "--unit", "ms", "--library", library, "--only", "quarantine"]).out
    };
    let spring = size("spring");
    // Nine more attempts of 80 ms, a tick apart.
    assert!(spring.contains("Yours of 729 ms:") && !spring.contains("You have none now"), "{spring}");
    assert!(spring.contains("up after 10 attempts: it is logged and skipped, and lost unless"), "{spring}");
    assert!(size("java").contains("You have none now"));
}

#[test]
fn lag_that_shows_is_told() {
    let folder = Folder::new("size-lag");
    let mut trace = "time,key,work\n".to_owned();
    for n in 0..80u64 {
        let _ = writeln!(trace, "{},k{},100", n / 8 * 1_000, n % 8);
    }
    let file = written(&folder, "bursts.csv", trace);
    let config = written(&folder, "c.properties", "spring.kafka.consumer.max-poll-records=200\n");
    let data = text(&folder.0.join("data"));
    let said = kwp(&["size", &file, "--config", &config, "--only", "quarantine,drain", "--data", &data]);
    assert!(!said.out.contains("No timer of up to"), "{}", said.out);
    let rows = fs::read_to_string(format!("{data}/quarantine.json")).expect("numbers");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).expect("an array");
    let lag = |at: usize| rows[at]["peak_lag"].as_u64().expect("a number");
    assert!(lag(rows.len() - 2) * 20 > lag(0) * 21, "it rises with the timer: {rows:?}");
    let about = fs::read_to_string(format!("{data}/about.json")).expect("what the numbers are");
    let about: serde_json::Value = serde_json::from_str(&about).expect("an object");
    assert_eq!((&about["tick_us"], &about["records"]), (&1_000.into(), &80.into()));
    // A batch that outlasts max.poll.interval.ms: thrown out, and nothing else is claimed.
    let config = written(&folder, "d.properties", "max.poll.records=100\nmax.poll.interval.ms=500\n");
    let said = kwp(&["size", &file, "--config", &config, "--only", "drain"]);
    assert!(said.out.contains("the batch outlasts max.poll.interval.ms"), "{}", said.out);
    assert!(!said.out.contains("nothing leaks by it"), "{}", said.out);
    let pool = written(&folder, "p.properties", "kwp.workers=4\nmax.poll.records=4\n");
    kwp(&["size", &file, "--config", &pool, "--only", "drain", "--data", &data]);
    let rows = fs::read_to_string(format!("{data}/drain.json")).expect("numbers");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).expect("an array");
    assert!(rows[0]["redelivered_mean"].is_number(), "{rows:?}");
}

#[test]
fn what_cannot_be_used_is_said() {
    let folder = Folder::new("size-bad");
    let (scenario, csv) = (written(&folder, "s.toml", SCENARIO), written(&folder, "t.csv", trace()));
    let empty = written(&folder, "empty.csv", "time,key,work\n");
    let broken = written(&folder, "broken.toml", "[log]\nrecords = [\"0:A*1\"]\n[consumer]\nworker = 3\n");
    let sweep = |args: &[&str]| kwp(&[&["sweep", &scenario], args].concat());
    let size = |args: &[&str]| kwp(&[&["size", &csv, "--only", "workers"], args].concat());
    for (said, expected) in [
        (sweep(&[]), "--vary"),
        (sweep(&["--vary", "worker=1"]), "did you mean workers?"),
        (sweep(&["--vary", "workers=9..1"]), "goes down"),
        (sweep(&["--vary", "high=4"]), "must be below the high mark"),
        (sweep(&["--vary", "workers=1", "--vary", "workers=2"]), "varied twice"),
        (sweep(&["--vary", "workers=1..1000", "--vary", "drain=0..2000"]), "more than 1000000 runs"),
        (sweep(&["--vary", "workers=1", "--seeds", "9..1"]), "expected seeds"),
        (sweep(&["--vary", "workers=1", "--fail-if", "p9 > 1"]), "did you mean p99?"),
        (sweep(&["--vary", "workers=1", "--fail-if", "p99 > 1s"]), "give --tick"),
        (sweep(&["--vary", "workers=1", "--tick", "soon"]), "expected the length of a tick"),
        (sweep(&["--vary", "workers=1", "--chart", "x.gif"]), ".svg or .png"),
        (sweep(&["--vary", "workers=1", "--chart", "x.svg", "--plot", "speed"]), "no number is called"),
        (kwp(&["sweep", &broken, "--vary", "workers=1"]), "broken.toml:4:1"),
        (kwp(&["sweep", &text(&folder.0.join("none.toml")), "--vary", "workers=1"]), "there is no such file"),
        (size(&["--fail-if", "max"]), "has no relation"),
        (size(&["--config", &broken]), "broken.toml:4:1"),
        (size(&["--threads", "0"]), "--threads"),
        (size(&["--revokes", "0"]), "--revokes"),
        (size(&["--only", "luck"]), "luck"),
        (size(&["-o", &text(&folder.0.join("no/such/folder.html"))]), "the report cannot be written"),
        (kwp(&["size", &empty]), "empty.csv"),
        (kwp(&["size", &text(&folder.0.join("none.csv"))]), "there is no such file"),
        (kwp(&["size", &text(&folder.0.join(""))]), "directory"),
    ] {
        assert_eq!(said.status, 2, "{expected}: {}", said.out);
        assert!(said.err.contains(expected), "{expected}: {}", said.err);
    }
}

#[test]
fn a_million_rows_are_sized() {
    let folder = Folder::new("size-million");
    let mut trace = "time,key,work\n".to_owned();
    for n in 0..1_000_000u64 {
        let _ = writeln!(trace, "{},user {},{}", n / 2 * 3, n * 2_654_435_761 % 40_009, 1 + n * 40_503 % 97);
    }
    let file = written(&folder, "million.csv", trace);
    let config = written(
        &folder,
        "c.toml",
        "[log]\nrecords = [\"0:A*1\"]\n[consumer]\nworkers = 48\nintake = { pause = { high = 800, low = 400 } }\n",
    );
    let began = std::time::Instant::now();
    let said = kwp(&[
        "size",
        &file,
        "--config",
        &config,
        "--tick",
        "1ms",
        "--only",
        "crash",
        "--fail-if",
        "unfinished > 0",
    ]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("without an acknowledgement map a crash brings "), "{}", said.out);
    // Generous: the machine may be busy with other things. What is meant is seconds.
    assert!(began.elapsed().as_secs() < 240, "{:?}", began.elapsed());
}
