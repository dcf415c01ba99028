//! `kwp` as its users meet it: exit codes, what it prints, what it writes, and what it says of bad input.
#![cfg(not(target_arch = "wasm32"))]

mod folder;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Output, Stdio},
    thread,
};

use keyed_worker_pool::verify::{Record, Size, suites};

use folder::Folder;

fn kwp() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kwp"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

struct Said {
    status: i32,
    out: String,
    err: String,
}

fn said(output: &Output) -> Said {
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!err.contains("panicked"), "{err}");
    Said {
        status: output.status.code().expect("an exit code"),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err,
    }
}

fn run(args: &[&str]) -> Said {
    said(&kwp().args(args).output().expect("kwp runs"))
}

fn scenario(name: &str) -> String {
    format!("{}/tests/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn fed(args: &[&str], input: &str) -> Said {
    let mut child = kwp()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kwp runs");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("it reads");
    said(&child.wait_with_output().expect("it ends"))
}

// What it prints.

#[test]
fn a_report_names_everything_that_can_be_expected() {
    let said = run(&["run", &scenario("09-highest-offset-loses")]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for line in [
        "Committing the highest completed offset loses what is still in flight",
        "  committed       4",
        "  watermark       none: the owner is down",
        "  lost            2",
        "  completions     1@1, 3@1",
        "  crashed_at      2",
        "kept 16 of 18 invariants",
        "broken since tick 1: nothing below the committed offset is unfinished",
        "  makespan        1 tick",
        "  throughput      2.00 records per tick",
        "  hottest key     B, 5 ticks in 1 record",
        "  bound           5 ticks",
        "  parallelism     1.40 at most",
    ] {
        assert!(said.out.lines().any(|other| other.starts_with(line)), "{line}\n{}", said.out);
    }
}

#[test]
fn json_has_the_names_of_expect_and_nothing_else() {
    let said = run(&["run", "--format", "json", &scenario("09-highest-offset-loses")]);
    let outcome: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&said.out).expect("JSON");
    let mut names: Vec<_> = outcome.keys().map(String::as_str).collect();
    names.sort_unstable();
    // The owner is down: no watermark, no position.
    let expected = [
        "committed",
        "completions",
        "crashed_at",
        "duplicates",
        "evictions",
        "leaked",
        "lost",
        "order_breaks",
        "overlaps",
        "pauses",
        "peak_in_flight",
        "quarantined",
        "redelivered",
        "rejected",
        "resumes",
        "rows",
        "violated",
        "w",
    ];
    assert_eq!(names, expected);
    assert_eq!(outcome["rows"], serde_json::json!({ "A": 1, "C": 3 }));
    assert_eq!(outcome["w"], serde_json::json!(["1@0", "2@1"]));
}

#[test]
fn events_are_sentences_or_json_lines() {
    let file = scenario("22-zombie-overwrites");
    let sentences = run(&["run", "--events", "text", &file]).out;
    assert!(sentences.starts_with("Tick 0: A owns the partition"), "{sentences}");
    assert!(sentences.contains("\nTick 22: A wrote version 1 to row K after the handover: a leaked write"));
    assert!(sentences.contains("\n  committed       3\n"), "the report follows");

    let lines = run(&["run", "--events", "jsonl", "--format", "json", &file]).out;
    let values: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (outcome, events) = values.split_last().expect("lines");
    assert_eq!(outcome["committed"], 3);
    for (id, event) in (0u64..).zip(events) {
        assert_eq!(event["id"], id);
        assert!(event["causes"].as_array().expect("causes").iter().all(|cause| cause.as_u64() < Some(id)));
    }
    let leak = events.iter().find(|event| event["kind"] == "wrote" && event["late"] == true).expect("a leak");
    assert_eq!((&leak["tick"], &leak["held"], &leak["accepted"]), (&22.into(), &2.into(), &true.into()));
    assert!(leak["sentence"].as_str().is_some_and(|sentence| sentence.ends_with("the row went back.")));

    assert_eq!(run(&["run", "--events", "text", "--format", "json", &file]).status, 2);
}

#[test]
fn why_goes_back_to_the_decision() {
    let said = run(&["why", &scenario("09-highest-offset-loses"), "--event", "14"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let answer = "\
Event 14: loss
  event   tick
     14      2  A died with 4 committed: nothing comes again; lost for good: 2.
     11      1  A committed 4.
      8      1  A's worker 3 finished offset 3 (key C).

decision: commit = highest, from the start: a commit names the offset after the
          highest finished one, whatever is unfinished below it.
";
    assert_eq!(said.out, answer);
}

#[test]
fn why_lists_what_can_be_asked_about() {
    let said = run(&["why", &scenario("02-shared-pool-overtakes")]);
    let list = "  event   tick
      4      0  A's worker 2 started offset 1 (key K) while offset 0 of the same
                key still runs: overlap.
      7      3  A's worker 1 finished offset 0 (key K), after offset 1 of the
                same key: order break.
";
    assert_eq!((said.status, said.out.as_str()), (0, list));
    let said = fed(&["why", "-"], "[log]\nrecords = [\"0:A*1\"]\n");
    assert_eq!((said.status, said.out.lines().count()), (0, 1));
    assert!(said.out.starts_with("Everything was in order"), "{}", said.out);
}

#[test]
fn why_as_json_has_the_same_in_parts() {
    let file = scenario("02-shared-pool-overtakes");
    let list = run(&["why", "--format", "json", &file]).out;
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    let faults = list["faults"].as_array().expect("a list");
    let met: Vec<_> = faults.iter().map(|fault| (&fault["id"], &fault["fault"])).collect();
    assert_eq!(met, [(&4.into(), &"overlap".into()), (&7.into(), &"order break".into())]);

    let answer = run(&["why", "--event", "7", "--format", "json", &file]).out;
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!((&answer["event"], &answer["fault"]), (&7.into(), &"order break".into()));
    let chain = answer["chain"].as_array().expect("a chain");
    let ids: Vec<_> = chain.iter().map(|event| (&event["id"], &event["tick"])).collect();
    assert_eq!(ids, [(&7.into(), &3.into()), (&5.into(), &1.into()), (&4.into(), &0.into())]);
    assert_eq!(chain[1]["sentence"], "A's worker 2 finished offset 1 (key K).");
    let decision = &answer["decision"];
    assert_eq!((&decision["tick"], &decision["event"]), (&0.into(), &serde_json::Value::Null));
    assert!(decision["sentence"].as_str().is_some_and(|sentence| sentence.starts_with("routing = shared")));
}

#[test]
fn why_answers_for_faults_only() {
    let file = scenario("02-shared-pool-overtakes");
    let said = run(&["why", &file, "--event", "999"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(said.err.ends_with("there is no event 999: the last one of this run is 10\n"), "{}", said.err);
    let said = run(&["why", &file, "--event", "5"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    let reason = ": event 5 is in order\n  = Tick 1: A's worker 2 finished offset 1 (key K).\n  \
                  = the nearest that can be asked about: 4 and 7\n";
    assert!(said.err.ends_with(reason), "{}", said.err);
    let said = fed(&["why", "-", "--event", "0"], "[log]\nrecords = [\"0:A*1\"]\n");
    assert!(
        said.status == 2 && said.err.ends_with("  = no event of this run can be asked about\n"),
        "{}",
        said.err
    );
    assert_eq!(run(&["why", &file, "--event", "-1"]).status, 2);
    assert_eq!(run(&["why", "missing.toml"]).status, 2);
}

#[test]
fn a_scenario_can_come_from_standard_input() {
    let said = fed(&["run", "-"], "[log]\nrecords = [\"0:A*1\"]\n");
    assert_eq!((said.status, said.out.lines().next()), (0, Some("standard input")));
    let said = fed(&["check", "-"], "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 2\n");
    assert_eq!(said.status, 1);
    let said = fed(&["run", "-"], "[log]\nrecords = 1\n");
    assert!(
        said.err.starts_with("error: standard input:2:11: `log.records` is the number 1"),
        "{}",
        said.err
    );
}

#[test]
fn colours_are_for_terminals() {
    let file = scenario("01-equal-keys-one-mailbox");
    assert!(!run(&["check", &file]).out.contains('\u{1b}'));
    let forced = kwp().args(["check", &file]).env("CLICOLOR_FORCE", "1").output().expect("kwp runs");
    assert!(said(&forced).out.contains('\u{1b}'));
    let dull = kwp().args(["check", &file]).env("NO_COLOR", "1").output().expect("kwp runs");
    assert!(!said(&dull).out.contains('\u{1b}'));
}

#[test]
fn every_shell_has_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = run(&["completions", shell]);
        assert!(said.status == 0 && said.out.contains("kwp"), "{shell}");
    }
    assert_eq!(run(&["completions", "csh"]).status, 2);
}

#[test]
fn help_says_what_exit_codes_mean() {
    let said = run(&["--help"]);
    assert!(said.status == 0 && said.out.contains("1 an expectation, an invariant or a --fail-if failed"));
    assert_eq!(fed(&["check", "-"], &run(&["example"]).out).status, 0);
    assert_eq!(run(&["--version"]).out.trim(), concat!("kwp ", env!("CARGO_PKG_VERSION")));
    assert_eq!(run(&[]).status, 2);
    assert_eq!(run(&["check"]).status, 2);
    assert_eq!(run(&["run", "--frmat", "json", "x"]).status, 2);
}

/// Everything that could steer a terminal, or could not be seen on it.
const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{9b}31m\r\u{85}\u{202e}\u{2066}\u{200b}\u{2028}\u{2029}\u{feff}";

fn is_tame(text: &str) -> bool {
    let steers = |c: char| (c.is_control() && c != '\n') || (!c.is_ascii() && HOSTILE.contains(c));
    !text.chars().any(steers)
}

#[test]
fn nothing_in_a_file_steers_the_terminal() {
    let folder = Folder::new("hostile");
    let toml: String = HOSTILE.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect();
    let key = format!("{toml}\\nK");
    let content = format!(
        "title = \"{key}\"\nsource = \"{key}\"\n[log]\nrecords = [\"0:{key}*1\", \"1:*1\", \"2:-*1\"]\n[expect]\nrows = {{ \"{key}\" = 5, A = 1 }}\n"
    );
    let file = folder.write(&format!("{HOSTILE}\n.toml"), &content);
    let late = folder.write(
        &format!("{HOSTILE}late.toml"),
        "ticks = 1\n[log]\nrecords = []\n[[at]]\ntick = 9\ndo = { crash = \"A\" }\n",
    );
    let bad =
        folder.write("bad.toml", format!("[log]\nrecords = []\n[expect]\nrows = {{ \"{key}\" = \"x\" }}\n"));
    for args in [
        &["run", text(&file)][..],
        &["run", "--events", "text", text(&file)],
        &["check", text(&file)],
        &["check", text(&late)],
        &["check", text(&bad)],
        &["run", "--chart", &format!("{HOSTILE}.gif"), text(&file)],
        &["run", "--chart", &format!("no/{HOSTILE}.svg"), text(&file)],
        &["check", &format!("no/{HOSTILE}")],
        &["check", "--bless", text(&file)],
    ] {
        let said = run(args);
        assert!(is_tame(&said.out) && is_tame(&said.err), "{args:?}\n{:?}\n{:?}", said.out, said.err);
    }
    let sentences = run(&["run", "--events", "text", text(&file)]).out;
    for line in [
        r#"started offset 0 (key "\u{1b}]0;x\u{7}\u{9b}31m\r\u{85}\u{202e}\u{2066}\u{200b}\u{2028}\u{2029}\u{feff}\nK")."#,
        "started offset 1 (empty key).",
        "started offset 2 (no key).",
    ] {
        assert!(sentences.lines().any(|other| other.ends_with(line)), "{line}\n{sentences}");
    }
    folder.write("bad.toml", content);
    let said = run(&["check", text(&bad)]);
    assert!(
        said.out.contains(
            r#"\u{feff}\nK": 5 expected, 0 found; A: 1 expected, no row found; "": no row expected, 1 found"#
        ),
        "{}",
        said.out
    );

    let lines = run(&["run", "--events", "jsonl", text(&bad)]).out;
    let started = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
    let started = lines.lines().map(started).find(|event| event["kind"] == "started").expect("a start");
    assert_eq!(started["key"], format!("{HOSTILE}\nK"), "programs get the key itself");
}

#[test]
fn a_long_difference_is_cut_short() {
    let folder = Folder::new("long-difference");
    let offsets: Vec<_> = (0..40).map(|offset| format!("\"{offset}@1\"")).collect();
    let rows: Vec<_> = (0..40).map(|row| format!("R{row:02} = 1")).collect();
    let file = folder.write(
        "x.toml",
        format!(
            "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncompletions = [{}]\nrows = {{ {} }}\n",
            offsets.join(", "),
            rows.join(", ")
        ),
    );
    let said = run(&["check", text(&file)]);
    for line in [
        r#"expected ["0@1", "1@1", "2@1", "3@1", "4@1", "5@1", "6@1", "7@1", "8@1", "9@1", and 30 more]"#,
        "the first 1 agree, then 1@1 expected, the end found",
        "expected { R00 = 1, R01 = 1, R02 = 1, R03 = 1, R04 = 1, R05 = 1, R06 = 1, R07 = 1, R08 = 1, R09 = 1, and 30 more }",
        "got { A = 0 }",
    ] {
        assert!(said.out.lines().any(|other| other.trim() == line), "{line}\n{}", said.out);
    }
    assert!(said.out.contains("R09: 1 expected, no row found; and 31 more"), "{}", said.out);
}

#[test]
fn inputs_that_changed_nothing_are_told() {
    let folder = Folder::new("ignored");
    let at = |tick: u64, what: &str| format!("[[at]]\ntick = {tick}\ndo = {{ {what} }}\n");
    let inputs = [
        at(1, "poison = 7"),
        at(1, "restart = \"A\""),
        at(2, "complete = 0"),
        at(2, "revoke = { from = \"B\", to = \"A\" }"),
    ];
    let log = "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 1\n";
    let file = folder.write("x.toml", log.to_owned() + &inputs.concat() + &at(3, "complete = 0"));
    let told = [
        "poison offset 7 at tick 1: the log holds no such offset",
        "restart A at tick 1: it is up already",
        "complete offset 0 at tick 2: nothing of it runs",
        "and 2 more inputs",
    ];
    let report = run(&["run", text(&file)]).out;
    let lines: Vec<_> = report.lines().filter_map(|line| line.strip_prefix("ignored ")).collect();
    assert_eq!(lines, told, "{report}");
    let said = run(&["check", text(&file)]);
    let lines: Vec<_> = said.out.lines().filter_map(|line| line.strip_prefix("     ignored: ")).collect();
    assert_eq!((said.status, &lines[..]), (0, &told[..]), "{}", said.out);
}

#[test]
fn a_sum_that_is_cut_says_so() {
    let huge = i64::MAX;
    let content = format!("ticks = 1\n[log]\nrecords = [\"0:A*{huge}\", \"1:A*{huge}\", \"2:A*{huge}\"]\n");
    let said = fed(&["run", "-"], &content);
    for line in [
        "  total work      at least 18446744073709551615 ticks",
        "  hottest key     A, at least 18446744073709551615 ticks in 3 records",
        "  bound           at least 18446744073709551615 ticks: no keyed pool",
    ] {
        assert!(said.out.lines().any(|other| other.starts_with(line)), "{line}\n{}", said.out);
    }
    assert!(!said.out.contains("parallelism"), "{}", said.out);
}

#[test]
fn a_record_that_comes_again_is_finished_once() {
    let folder = Folder::new("again");
    let file = folder.write(
        "x.toml",
        "[log]\nrecords = [\"0:A*5\", \"1:B*1\", \"2:C*1\"]\n[[at]]\ntick = 3\ndo = { crash = \"A\" }\n[[at]]\ntick = 5\ndo = { restart = \"A\" }\n",
    );
    let said = run(&["run", "--routings", text(&file)]);
    assert!(said.out.contains("completions     1@1, 2@1, 1@6, 2@6, 0@10\n"), "{}", said.out);
    assert!(said.out.contains("throughput      0.30 records per tick\n"), "{}", said.out);
    let rows: Vec<Vec<_>> = said.out.lines().map(|line| line.split_whitespace().collect()).collect();
    let keyed = rows.iter().find(|row| row.first() == Some(&"keyed")).expect("a row");
    assert_eq!(keyed[..], ["keyed", "10", "0.30", "3", "0", "0", "3"]);
    assert!(said.out.contains("  overlaps  records finished\n"), "{}", said.out);
    for format in [&["--format", "json"], &["--events", "jsonl"]] {
        let said = run(&[&["run", "--routings"], &format[..], &[text(&file)]].concat());
        assert_eq!((said.status, said.out.as_str()), (2, ""));
        assert!(said.err.contains("the comparison of routings is text"), "{}", said.err);
    }
}

// Pipes.

#[test]
fn a_reader_may_leave_early() {
    let folder = Folder::new("pipe");
    let long = "[log]\ngenerate = { count = 100000, keys = 50, skew = 0, work = [1, 4] }\n";
    let file = folder.write("long.toml", long);
    for args in
        [&["run", "--events", "jsonl"][..], &["run", "--events", "text"], &["run", "--format", "json"]]
    {
        let mut child = kwp()
            .args(args)
            .arg(&file)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kwp runs");
        let mut first = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut first).expect("a line");
        let mut err = String::new();
        child.stderr.take().expect("its errors").read_to_string(&mut err).expect("text");
        assert_eq!(err, "");
        assert!(child.wait().expect("it ends").success());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output =
        kwp().args(["run", &scenario("01-equal-keys-one-mailbox")]).stdout(full).output().expect("kwp runs");
    let said = said(&output);
    assert_eq!(said.status, 2);
    assert!(said.err.starts_with("error: standard output: "), "{}", said.err);
}

// Check and bless.

#[test]
fn a_difference_is_shown_by_name() {
    let folder = Folder::new("difference");
    let file = folder.write(
        "off.toml",
        "[log]\nrecords = [\"0:A*1\", \"1:A*1\", \"2:B*9\"]\n[[at]]\ntick = 3\ndo = { crash = \"A\" }\n[expect]\ncommitted = 7\ncompletions = [\"0@1\", \"1@3\"]\nwatermark = 2\nrows = { A = 1, C = 4 }\nviolated = [\"one key, one worker\"]\ncrashed_at = 3\n",
    );
    let said = run(&["check", text(&file)]);
    assert_eq!(said.status, 1);
    for line in [
        "line 7: committed",
        "expected 7",
        "got 2",
        "line 8: completions",
        "the first 1 agree, then 1@3 expected, 1@2 found",
        "line 9: watermark",
        "got nothing: the owner is down at the end",
        "C: 4 expected, no row found",
        "kept: one key, one worker",
    ] {
        assert!(said.out.lines().any(|other| other.trim() == line), "{line}\n{}", said.out);
    }
    assert!(!said.out.contains("crashed_at"), "{}", said.out);
}

#[test]
fn many_files_have_one_verdict() {
    let folder = Folder::new("many");
    let good = folder.write("a.toml", "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 1\n");
    folder.write("notes.txt", "not a scenario");
    let all = text(&folder.0).to_owned();
    assert_eq!(run(&["check", &all]).status, 0);
    folder.write("b.toml", "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 0\n");
    let said = run(&["check", &all]);
    assert_eq!(said.status, 1);
    assert!(said.out.ends_with("2 scenarios: 1 good, 1 failed\n"), "{}", said.out);
    folder.write("c.toml", "[log]\n");
    let said = run(&["check", text(&good), &all]);
    assert_eq!(said.status, 2);
    assert!(said.out.ends_with("4 scenarios: 2 good, 1 failed, 1 unusable\n"), "{}", said.out);
}

#[test]
fn broken_invariants_that_nobody_mentions_are_remarks() {
    let folder = Folder::new("remarks");
    let log = "[log]\nrecords = [\"0:A*3\", \"1:A*1\"]\n[consumer]\nrouting = \"shared\"\n";
    let file = folder.write("x.toml", format!("{log}[expect]\ncommitted = 2\n"));
    let said = run(&["check", text(&file)]);
    assert_eq!(said.status, 0);
    assert!(
        said.out.contains("broken at tick 0, nothing expected of it: one key, one worker"),
        "{}",
        said.out
    );
    let file = folder.write("y.toml", format!("{log}[expect]\nviolated = []\n"));
    assert_eq!(run(&["check", text(&file)]).status, 1);
}

#[test]
fn blessing_keeps_comments_and_layout() {
    let folder = Folder::new("bless");
    let before = "# a story\nticks   =  9 # short\n\n[log]\nrecords = [\n  \"0:A*2\", # first\n  \"1:A*1\",\n]\n\n[expect]   # what comes\ncompletions = [\"0@9\"]  # all of it\ncommitted = 0x2\nposition = 5\nwatermark = 1\n[consumer]\nworkers = 2\n";
    let after = "# a story\nticks   =  9 # short\n\n[log]\nrecords = [\n  \"0:A*2\", # first\n  \"1:A*1\",\n]\n\n[expect]   # what comes\ncompletions = [\"0@2\", \"1@3\"]  # all of it\ncommitted = 0x2\nposition = 2\nwatermark = 2\n[consumer]\nworkers = 2\n";
    for (name, ending, mark) in
        [("unix.toml", "\n", ""), ("dos.toml", "\r\n", ""), ("marked.toml", "\n", "\u{feff}")]
    {
        let spelt = |text: &str| mark.to_owned() + &text.replace('\n', ending);
        let file = folder.write(name, spelt(before));
        let said = run(&["check", "--bless", text(&file)]);
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(said.out.contains("line 11: completions") && said.out.contains("blessed"), "{}", said.out);
        assert_eq!(fs::read_to_string(&file).expect("the file"), spelt(after));
        let again = run(&["check", text(&file)]);
        assert_eq!((again.status, again.out.starts_with("good ")), (0, true));
    }
    assert_eq!(fs::read_dir(&folder.0).expect("the folder").count(), 3, "nothing else is left behind");
}

#[test]
fn blessing_a_file_that_expects_nothing_writes_everything() {
    let folder = Folder::new("bless-all");
    let file = folder.write(
        "x.toml",
        "[log]\nrecords = [\"0:A b*2\", \"1:*1\", \"2:-*1\"]\n[[at]]\ntick = 4\ndo = { crash = \"A\" }",
    );
    assert_eq!(run(&["check", "--bless", text(&file)]).status, 0);
    let blessed = fs::read_to_string(&file).expect("the file");
    assert!(blessed.contains("\n\n[expect]\ncommitted = 3\n"), "{blessed}");
    assert!(blessed.contains("rows = { \"\" = 1, \"A b\" = 0 }\n"), "{blessed}");
    assert!(!blessed.contains("watermark"), "the owner is down: {blessed}");
    assert_eq!(run(&["check", text(&file)]).status, 0);
}

#[test]
fn a_bad_file_is_not_blessed() {
    let folder = Folder::new("bless-bad");
    let content = "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 5\ncommited = 5\n";
    let file = folder.write("x.toml", content);
    assert_eq!(run(&["check", "--bless", text(&file)]).status, 2);
    assert_eq!(fs::read_to_string(&file).expect("the file"), content);
    assert_eq!(fed(&["check", "--bless", "-"], "[log]\nrecords = []\n").status, 2);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_blessed_keeps_its_permissions_and_a_read_only_one_its_content() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("bless-mode");
    let content = "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 5\n";
    let file = folder.write("x.toml", content);
    let mode = |mode: u32| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    mode(0o444);
    let said = run(&["check", "--bless", text(&file)]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("x.toml: it cannot be written: it is read-only"), "{}", said.err);
    assert_eq!(fs::read_to_string(&file).expect("the file"), content);
    mode(0o640);
    let link = folder.0.join("link.toml");
    symlink("x.toml", &link).expect("a link");
    assert_eq!(run(&["check", "--bless", text(&link)]).status, 0);
    assert!(fs::read_to_string(&file).expect("the file").ends_with("committed = 1\n"));
    assert_eq!(fs::metadata(&file).expect("the file").permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::read_dir(&folder.0).expect("the folder").count(), 2, "nothing else is left behind");
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_shown_is_not_written() {
    let folder = Folder::new("bless-full");
    let content = "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 5\n";
    let file = folder.write("x.toml", content);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let said = said(&kwp().args(["check", "--bless", text(&file)]).stdout(full).output().expect("kwp runs"));
    assert_eq!(said.status, 2);
    assert!(said.err.starts_with("error: standard output: "), "{}", said.err);
    assert_eq!(fs::read_to_string(&file).expect("the file"), content);
}

#[test]
fn blessing_rewrites_no_value_that_is_right() {
    let folder = Folder::new("bless-inner");
    let right = "completions = [\n  \"0@2\", # first\n  \"1@3\",\n]\n";
    let before = format!(
        "[log]\nrecords = [\"0:A*2\", \"1:A*1\"]\n[expect]\n{right}w = [\n  \"0@0\", # gone\n] # kept\n"
    );
    let file = folder.write("x.toml", &before);
    assert_eq!(run(&["check", "--bless", text(&file)]).status, 0);
    let after = fs::read_to_string(&file).expect("the file");
    assert!(after.contains(right), "{after}");
    assert!(after.ends_with("w = [\"0@0\", \"1@2\", \"2@3\"] # kept\n"), "{after}");
}

// Charts.

#[test]
fn charts_are_svg_or_png() {
    let folder = Folder::new("chart");
    let file = scenario("18-pause-keeps-it-bounded");
    let (svg, png) = (folder.0.join("depth.svg"), folder.0.join("depth.PNG"));
    assert_eq!(run(&["run", "--chart", text(&svg), &file]).status, 0);
    assert_eq!(run(&["run", "--chart", text(&png), &file]).status, 0);
    let drawn = fs::read_to_string(&svg).expect("the picture");
    assert!(drawn.starts_with("<svg ") && drawn.trim_end().ends_with("</svg>"));
    assert!(drawn.contains("high mark 10") && drawn.contains("low mark 4") && drawn.contains("<polyline"));
    let bytes = fs::read(&png).expect("the picture");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("pixels");
    let dark = pixels.chunks(3).filter(|pixel| pixel.iter().all(|&part| part < 120)).count();
    assert!(dark > 500, "there are letters: {dark}");

    assert_eq!(run(&["run", "--chart", "depth.gif", &file]).status, 2);
    let nowhere = folder.0.join("none/depth.svg");
    let said = run(&["run", "--chart", text(&nowhere), &file]);
    assert!(said.status == 2 && said.err.contains("the chart cannot be written"), "{}", said.err);
    assert_eq!(fs::read_dir(&folder.0).expect("the folder").count(), 2, "nothing else is left behind");
}

// Bad input.

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new("unreadable");
    let latin = folder.write("latin.toml", b"title = \"caf\xe9\"\n");
    let empty = folder.write("empty.toml", "");
    let blank = folder.write("blank.toml", "\u{feff}  \r\n");
    for (path, message) in [
        (text(&folder.0), "this is a directory"),
        ("no/such.toml", "no/such.toml: there is no such file"),
        (text(&latin), "latin.toml:1:13: not UTF-8 from here on"),
        (text(&empty), "the file is empty"),
        (text(&blank), "the file is empty"),
    ] {
        let said = run(&["run", path]);
        assert_eq!((said.status, said.out.as_str()), (2, ""));
        assert!(said.err.contains(message), "{message}\n{}", said.err);
    }
    let said = run(&["check", text(&folder.0.join("none"))]);
    assert_eq!(said.status, 2);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_read_and_never_written() {
    let folder = Folder::new("special");
    let pipe = folder.0.join("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let feed = |content: &'static str| {
        let pipe = pipe.clone();
        thread::spawn(move || fs::write(pipe, content))
    };
    let writer = feed("[log]\nrecords = [\"0:A*1\"]\n");
    let said = run(&["run", text(&pipe)]);
    assert!(said.status == 0 && said.out.contains("committed"), "{}{}", said.out, said.err);
    assert!(writer.join().is_ok_and(|written| written.is_ok()));
    let trace = folder.write("x.toml", "[log]\ncsv = \"pipe.toml\"\n[expect]\ncommitted = 2\n");
    let writer = feed("time,key,work\n0,A,1\n0,B,1\n");
    let said = run(&["check", text(&trace)]);
    assert!(said.status == 0, "{}{}", said.out, said.err);
    assert!(writer.join().is_ok_and(|written| written.is_ok()));
    // Nobody writes into the pipe now: a folder's reader does not wait for somebody who does.
    folder.write("x.toml", "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 1\n");
    let said = run(&["check", text(&folder.0)]);
    assert!(said.status == 0, "{}{}", said.out, said.err);
    for (file, message) in
        [("/dev/null", "/dev/null: the file is empty"), ("/dev/zero", "the file is longer than 16 MiB")]
    {
        let said = run(&["run", file]);
        assert!(said.status == 2 && said.err.contains(message), "{message}\n{}", said.err);
    }
    let chart = folder.0.join("pipe.svg");
    fs::rename(&pipe, &chart).expect("another name");
    let said = run(&["run", "--chart", text(&chart), &scenario("01-equal-keys-one-mailbox")]);
    assert!(said.status == 2 && said.err.contains("it is not a regular file"), "{}", said.err);
}

#[cfg(unix)]
#[test]
fn a_folder_hides_nothing_but_hidden_files() {
    let folder = Folder::new("folder");
    folder.write("a.toml", "[log]\nrecords = [\"0:A*1\"]\n[expect]\ncommitted = 1\n");
    folder.write(".b.toml", "not a scenario");
    folder.write("c.toml~", "not a scenario");
    fs::create_dir(folder.0.join("d.toml")).expect("a folder");
    let said = run(&["check", text(&folder.0)]);
    assert_eq!((said.status, said.out.lines().count(), said.err.as_str()), (0, 1, ""));
    std::os::unix::fs::symlink("nowhere.toml", folder.0.join("e.toml")).expect("a link");
    let said = run(&["check", text(&folder.0)]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("e.toml: there is no such file"), "{}", said.err);
    assert!(said.out.ends_with("2 scenarios: 1 good, 1 unusable\n"), "{}", said.out);
}

#[test]
fn a_bad_trace_is_named_with_its_line() {
    let folder = Folder::new("trace");
    let file = folder.write("x.toml", "[log]\nstart = 4\ncsv = \"trace.csv\"\n[expect]\ncommitted = 6\n");
    let told = |trace: &[u8]| {
        folder.write("trace.csv", trace);
        run(&["check", text(&file)])
    };
    assert_eq!(told(b"time,key,work\r\n1,A,1\r\n1,,3\r\n").status, 0);
    for (trace, message) in [
        (&b""[..], "trace.csv:1: the file is empty"),
        (b"key,time,work\n", "trace.csv:1: the header is \"key,time,work\""),
        (b"time,key,work\n1,A,1\nx,A,1\n", "trace.csv:3: column time holds \"x\""),
        (b"time,key,work\n1,A,0\n", "trace.csv:2: column work holds \"0\""),
        (b"time,key,work\n9,A,1\n8,A,1\n", "trace.csv:3: column time goes back from 9 to 8"),
        (b"time,key,work\n9,A\n", "trace.csv:2: this line has 2 fields"),
        (b"time,key,work\n1,\xff,1\n", "trace.csv:2: not UTF-8"),
    ] {
        let said = told(trace);
        assert_eq!(said.status, 2);
        assert!(
            said.err.contains(message) && said.err.contains("\n  = expected "),
            "{message}\n{}",
            said.err
        );
    }
    fs::remove_file(folder.0.join("trace.csv")).expect("the trace");
    let said = run(&["run", text(&file)]);
    assert!(said.err.contains("x.toml:3:7: no trace at "), "{}", said.err);
}

#[test]
fn an_input_after_the_end_is_a_warning() {
    let folder = Folder::new("late");
    let file = folder.write(
        "x.toml",
        "ticks = 5\n[log]\nrecords = [\"0:A*1\"]\n[[at]]\ntick = 9\ndo = { crash = \"A\" }\n",
    );
    let said = run(&["run", text(&file)]);
    assert_eq!(said.status, 0);
    assert!(said.err.contains("line 4: this input comes after tick 5"), "{}", said.err);
}

#[test]
fn a_run_without_end_is_reported() {
    let folder = Folder::new("stuck");
    let file = folder.write(
        "x.toml",
        "[log]\nrecords = [\"0:A*never\", \"1:B*1\", \"2:C*1\"]\n[consumer]\npoll = 1\nintake = { pause = { high = 1, low = 0 } }\n",
    );
    let said = run(&["run", text(&file)]);
    let line =
        "unfinished 1 in flight, 2 not yet read, intake paused, and nothing that could end ever will: stuck";
    assert!(said.status == 0 && said.out.contains(line), "{}", said.out);
}

#[test]
fn a_run_that_would_not_fit_is_stopped() {
    let folder = Folder::new("large");
    let log =
        |count: &str| format!("[log]\ngenerate = {{ count = {count}, keys = 3, skew = 0, work = [1, 2] }}\n");
    let one_poll = log("100000000") + "[consumer]\npoll = 100000000\nintake = \"unbounded\"\n";
    let file = folder.write("x.toml", one_poll);
    let said = run(&["run", text(&file)]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("one poll could return 100000000 records"), "{}", said.err);
}

#[test]
fn events_for_a_spreadsheet_come_alone() {
    let file = scenario("22-zombie-overwrites");
    let said = run(&["run", "--events", "csv", &file]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let lines = run(&["run", "--events", "jsonl", &file]).out;
    let mut rows = said.out.lines();
    assert_eq!(
        rows.next(),
        Some("id,tick,kind,weight,consumer,worker,epoch,offset,key,attempt,in_flight,sentence,causes")
    );
    assert_eq!(rows.count(), lines.lines().count());
    assert!(said.out.ends_with("\r\n"));
    for other in [&["--format", "json"][..], &["--routings"]] {
        let said = run(&[&["run", "--events", "csv", &file], other].concat());
        assert_eq!(said.status, 2);
        assert!(said.err.contains("csv") || said.err.contains("CSV"), "{}", said.err);
    }
}

#[test]
fn a_picture_is_of_what_the_scenario_is_about() {
    let folder = Folder::new("picture");
    for (name, words) in [
        ("02-shared-pool-overtakes", " before "),
        ("21-leaked-but-not-stale", "handover"),
        ("17-unbounded-queue-dies", "records in flight"),
        ("08-crash-behind-a-gap", "committed "),
    ] {
        let file = folder.0.join(format!("{name}.svg"));
        let said = run(&["run", "--picture", text(&file), &scenario(name)]);
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        let picture = fs::read_to_string(&file).expect("a picture");
        assert!(roxmltree::Document::parse(&picture).is_ok() && picture.contains(words), "{name}");
    }
    let said = run(&["run", "--picture", "depth.gif", &scenario("02-shared-pool-overtakes")]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("must end in .svg or .png"), "{}", said.err);
}

#[test]
fn verify_fills_a_matrix_with_examples_that_can_be_opened() {
    let folder = Folder::new("verify");
    let (record, table) = (folder.0.join("record.json"), folder.0.join("table.html"));
    let files = ["--record", text(&record), "--table", text(&table)];
    let said = run(&[&["verify", "shared", "pool", "--runs", "50"], &files[..]].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("42923 states exhausted, 50 random runs"), "{}", said.out);
    assert!(
        said.out.contains("a key's records complete in offset order (#v=1&panel=dispatch"),
        "{}",
        said.out
    );
    let read = fs::read_to_string(&record).expect("a record");
    let read = Record::from_json(&read).expect("of kwp verify");
    assert_eq!((read.rows.len(), read.command.as_str()), (1, r#"kwp verify "shared" "pool" --runs 50"#));
    assert_eq!(fs::read_to_string(&table).expect("a table"), read.to_html());

    // Rows of one suite go to their place among those of the whole command.
    let whole = Record { command: "kwp verify --runs 50".to_owned(), rows: read.rows };
    fs::write(&record, whole.to_json()).expect("a record");
    let said = run(&["verify", "late", "commits", "--runs", "50", "--record", text(&record)]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let merged = Record::from_json(&fs::read_to_string(&record).expect("a record")).expect("of kwp verify");
    let names: Vec<_> = merged.rows.iter().map(|row| row.suite.as_str()).collect();
    assert_eq!((names, &merged.command), (vec!["a shared pool", "late commits"], &whole.command));
    assert_eq!(merged.rows[0], whole.rows[0]);

    let said = run(&["verify", "--list"]);
    assert_eq!((said.status, said.out.lines().count()), (0, 2 * suites(Size::Small).len()));
    let said = run(&["verify", "no such suite"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(said.err.contains("--list shows them"), "{}", said.err);
}

/// What breaks a promise is named as what it is: the intake of the one pauses, the drain of the other ends before
/// the interval does.
#[test]
fn the_cause_of_a_broken_promise_covers_what_happened() {
    let said = run(&["run", &scenario("90a-a-bound-beyond-memory")]);
    assert!(said.out.contains("marks or polls larger than the heap"), "{}", said.out);
    let folder = Folder::new("drain");
    let drain = folder.write(
        "drain.toml",
        "members = [\"A\", \"B\"]\n[log]\nrecords = [\"0:A*tap\"]\n[consumer]\ndrain = 1\nmax_poll_interval = 2\n\
         [[at]]\ntick = 1\ndo = { revoke = { from = \"A\", to = \"B\" } }\n",
    );
    let said = run(&["run", text(&drain)]);
    assert!(said.out.contains("a drain of the interval less one tick, or longer"), "{}", said.out);
}

/// Whoever asked for files learns before the search whether he can have them.
#[test]
fn verify_refuses_files_that_it_could_not_write_before_it_searches() {
    let folder = Folder::new("verify-files");
    let (one, same) = (folder.0.join("one"), folder.0.join(".").join("one"));
    let read_only = folder.write("read-only.json", "{}");
    let mut permissions = fs::metadata(&read_only).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&read_only, permissions).expect("its owner may");
    for (args, message) in [
        (&["--record", "/no/such/folder/x.json"][..], "/no/such/folder/x.json: "),
        (&["--table", text(&read_only)], "read-only.json: it is read-only"),
        (&["--record", text(&one), "--table", text(&same)], "name the same file"),
        (&["--list", "--record", text(&one)], "cannot be used with"),
    ] {
        let said = run(&[&["verify", "what never ends", "--runs", "1"], args].concat());
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{args:?}");
        assert!(said.err.contains(message), "{message}\n{}", said.err);
    }
    assert_eq!(fs::read_dir(&folder.0).expect("the folder").count(), 1);
}

#[test]
fn verify_goes_on_when_nobody_reads_it() {
    let folder = Folder::new("verify-torn");
    let record = folder.0.join("record.json");
    let mut child = kwp()
        .args(["verify", "never", "--runs", "1", "--record", text(&record)])
        .stdout(Stdio::piped())
        .spawn()
        .expect("kwp runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let read = fs::read_to_string(&record).expect("a record");
    assert!(keyed_worker_pool::verify::Record::from_json(&read).is_ok_and(|record| record.rows.len() == 1));
}

#[test]
fn traffic_is_read_told_and_written() {
    let folder = Folder::new("traffic");
    let text = "ts;user;took\n2024-03-31T01:00:00Z;ann;20\n2024-03-31T01:00:01Z;bob;-5\n2024-03-31T01:00:02Z;ann;31\n";
    let file = folder.write("mine.csv", text);
    let (file, trace) = (file.to_str().expect("UTF-8"), folder.0.join("trace.csv"));
    let options = ["--unit", "ms", "--tick", "10ms"];
    let said = run(&[&["traffic", file, "-o", trace.to_str().expect("UTF-8")][..], &options].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    for told in [
        "key is column 2, \"user\", guessed from its name\n",
        "records        2\n",
        "span           2,010 ms\n",
        "1 of 3 rows were skipped\n  line 3, column took: \"-5\", which is below zero; expected a number of milli",
    ] {
        assert!(said.out.contains(told), "{told}: {}", said.out);
    }
    assert_eq!(
        fs::read_to_string(&trace).expect("a trace"),
        "time_ticks_10ms,key,work_ticks_10ms\n0,ann,2\n200,ann,3\n"
    );
    let hashed = run(&[&["traffic", file, "-o", "-", "--hash-keys", "--salt", "x"][..], &options].concat());
    assert!(
        hashed.status == 0
            && hashed.out.starts_with("time_ticks_10ms,key,work_ticks_10ms\n0,")
            && !hashed.out.contains("ann")
    );
    let json = run(&[&["traffic", file, "--format", "json"][..], &options].concat());
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((&json["records"], &json["bad"][0]["line"]), (&2.into(), &3.into()));
    // What was written is a log of the engine.
    let scenario = folder.write("mine.toml", "[log]\ncsv = \"trace.csv\"\n");
    assert_eq!(run(&["run", scenario.to_str().expect("UTF-8")]).status, 0);
}

#[test]
fn traffic_that_is_none_is_refused() {
    let folder = Folder::new("no-traffic");
    let file = folder.write("mine.csv", "a,b\n1,2\n");
    let file = file.to_str().expect("UTF-8");
    let said = run(&["traffic", file]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(said.err.contains("mine.csv:1: no column for the time: the header is a, b"), "{}", said.err);
    for args in [
        &["--unit", "weeks"][..],
        &["--tick", "0ms"],
        &["--columns", "when=a"],
        &["--latency", "3..2"],
        &["--salt", "x"],
    ] {
        let said = run(&[&["traffic", file][..], args].concat());
        assert!(said.status == 2 && said.err.starts_with("error: "), "{args:?}: {}", said.err);
    }
    assert_eq!(run(&["traffic", folder.0.to_str().expect("UTF-8")]).status, 2);
}

#[test]
fn settings_are_read_judged_and_written() {
    let folder = Folder::new("settings");
    let file =
        folder.write("c.properties", "max.poll.records=500\nmax.poll.intervall.ms=1\nsession.timeout.ms=x\n");
    let file = file.to_str().expect("UTF-8");
    let said = run(&["settings", file, "--work", "800ms"]);
    assert_eq!((said.status, said.err.as_str()), (1, ""));
    for told in [
        "names of the Java client\n",
        "  line 1    max.poll.records = 500: records that one poll returns at most\n",
        "  default   max.poll.interval.ms = 300 s: ",
        "  line 3    session.timeout.ms: it holds \"x\"; expected milliseconds, from 1 to 2147483647\n",
        "  line 2    max.poll.intervall.ms: did you mean max.poll.interval.ms?\n",
        "  bad       500 records x 800 ms = 400 s > max.poll.interval.ms 300 s: evicted every batch that is full.\n",
    ] {
        assert!(said.out.contains(told), "{told}: {}", said.out);
    }
    // A value that makes no sense fails however short the work is.
    assert_eq!(run(&["settings", file, "--work", "20ms"]).status, 1);
    let fine = folder.write("fine.properties", "max.poll.records=500\n");
    assert_eq!(run(&["settings", fine.to_str().expect("UTF-8"), "--work", "20ms"]).status, 0);
    let json = run(&["settings", file, "--work", "800ms", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((&json["verdicts"][0]["weight"], &json["settings"][0]["line"]), (&"bad".into(), &1.into()));
    // What is exported is read again, and a scenario runs.
    let spring = run(&["settings", file, "--export", "spring"]);
    let spring = folder.write("application.yml", spring.out);
    let said = run(&["settings", spring.to_str().expect("UTF-8")]);
    assert!(
        said.out.contains("names of Spring Boot") && !said.out.contains("not understood"),
        "{}",
        said.out
    );
    let scenario = run(&["settings", "--library", "decaton", "--export", "scenario"]);
    let scenario = folder.write("s.toml", scenario.out);
    assert_eq!(run(&["run", scenario.to_str().expect("UTF-8")]).status, 0);
    assert!(
        run(&["settings", "--library", "decaton", "--export", "go"])
            .out
            .contains("high        = int64(10000)")
    );
}

#[test]
fn defaults_of_libraries_name_their_sources() {
    let said = run(&["settings", "--library", "librdkafka"]);
    assert_eq!(said.status, 0);
    assert!(
        said.out.contains("confluentinc/librdkafka CONFIGURATION.md at 0093671a01: the table"),
        "{}",
        said.out
    );
    let said = run(&["settings", "--library", "sidekiq"]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("expected one of java, spring, parallel-consumer, decaton"), "{}", said.err);
    assert_eq!(run(&["settings"]).status, 2);
    assert_eq!(run(&["settings", "no-such-file"]).status, 2);
}
