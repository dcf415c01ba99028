//! What a scenario file can get wrong, and what is said about it; and that nothing whatever makes the reader
//! panic.
#![cfg(not(target_arch = "wasm32"))]

use std::{fs, path::Path};

use keyed_worker_pool::{
    ids::Offset,
    ledger::Keep,
    scenario::{BadInput, Scenario, Source, blessed, play},
};

fn parse(text: &str) -> Result<Scenario, BadInput> {
    let source = Source::from_reader("x.toml", text.as_bytes())?;
    Scenario::parse(&source, Path::new("/nowhere"))
}

/// Lines of a scenario that is otherwise in order.
fn told(lines: &str) -> String {
    match parse(lines) {
        Ok(_) => panic!("this was accepted:\n{lines}"),
        Err(error) => error.to_string(),
    }
}

/// With a log in lines 1 and 2.
fn told_after_log(lines: &str) -> String {
    told(&format!("[log]\nrecords = [\"0:A*1\"]\n{lines}\n"))
}

#[test]
fn the_place_and_what_was_expected_are_named() {
    let error = told_after_log("[consumer]\nrouting = \"keyd\"");
    let expected = "x.toml:4:11: `consumer.routing` is \"keyd\": did you mean \"keyed\"?
  |
4 | routing = \"keyd\"
  |           ^^^^^^
  = expected \"keyed\", \"shared\", \"serial\" or { lanes = 8 }";
    assert_eq!(error, expected);
}

#[test]
fn a_misspelt_key_gets_the_nearest_right_one() {
    for (lines, message) in [
        (
            "tick = 20\n[log]\nrecords = []",
            ":1:1: unknown key \"tick\" at the top of a scenario: did you mean `ticks`?",
        ),
        ("[logs]\nrecords = []", "did you mean `log`?"),
        ("[log]\nrecord = []", ":2:1: unknown key \"record\" in `log`: did you mean `records`?"),
        ("[log]\nrecords = [{ offset = 1, wrok = 2 }]", "did you mean `work`?"),
        ("[log]\ngenerate = { cuont = 1, keys = 1, work = [1, 1] }", "did you mean `count`?"),
        ("[log]\nrecords = []\nticks = 4", "\"ticks\" in `log`: it belongs at the top of the file"),
    ] {
        assert!(told(lines).contains(message), "{}", told(lines));
    }
    for (lines, message) in [
        ("[consumer]\nworker = 2", ":4:1: unknown key \"worker\" in `consumer`: did you mean `workers`?"),
        ("[consumer]\nmax.poll.interval = 2", "did you mean `max_poll_interval`?"),
        ("[consumer]\nheap_celing = 2", "did you mean `heap_ceiling`?"),
        ("[consumer]\nguard = \"off\"", "it belongs in [store]"),
        ("[[at]]\ntick = 1\ndo = { rebalance = \"A\" }", "in quotes: `do = \"rebalance\"`"),
        ("[consumer]\nack_map = true", "it belongs in `consumer.commit`"),
        ("[consumer]\nretry = { dealy = 2 }", "in `consumer.retry`: did you mean `delay`?"),
        ("[consumer]\nrouting = { lane = 2 }", "did you mean `lanes`?"),
        ("[consumer]\nintake = { pause = { hihg = 2, low = 1 } }", "did you mean `high`?"),
        ("[consumer]\nquarantine = { after = 2, than = \"park\" }", "did you mean `then`?"),
        ("[consumer]\nquarantine = { after = 2, then = \"prak\" }", "did you mean \"park\"?"),
        ("[store]\ngaurd = \"off\"", "did you mean `guard`?"),
        ("[store]\nguard = \"not_older\"", "did you mean \"not-older\"?"),
        ("[[at]]\ntik = 2", "in `at[0]`: did you mean `tick`?"),
        (
            "[[at]]\ntick = 2\ndo = { crsh = \"A\" }",
            ":5:8: unknown key \"crsh\" in `at[0].do`: did you mean `crash`?",
        ),
        ("[[at]]\ntick = 2\ndo = { set = { drian = 2 } }", "in `at[0].do.set`: did you mean `drain`?"),
        ("[[at]]\ntick = 2\ndo = { revoke = { form = \"A\", to = \"B\" } }", "did you mean `from`?"),
        ("[expect]\ncommited = 2", "in `expect`: did you mean `committed`?"),
        ("[expect]\nviolated = [\"one key one worker\"]", "did you mean \"one key, one worker\"?"),
    ] {
        assert!(told_after_log(lines).contains(message), "{}", told_after_log(lines));
    }
}

#[test]
fn wrong_types_and_values_are_refused() {
    let digits = "an integer from 0 to 9223372036854775807";
    let from_1 = "an integer from 1 to 9223372036854775807";
    for (lines, message, expected) in [
        ("[consumer]\nworkers = \"four\"", ":4:11: `consumer.workers` is the string \"four\"", "an integer"),
        ("[consumer]\nworkers = 4.0", "is 4.0, which is no integer", "an integer from 1 to 4294967295"),
        (
            "[consumer]\nworkers = -1",
            "`consumer.workers` is the number -1",
            "an integer from 1 to 4294967295",
        ),
        ("[consumer]\nrouting = { lanes = -1 }", "is the number -1", "an integer from 1 to 4294967295"),
        ("[consumer]\nmax_poll_interval = -1", "is the number -1", "\"none\" or an integer from 2 on"),
        ("[consumer]\nworkers = true", "is true", "an integer"),
        ("[consumer]\nworkers = [1]", "is an array", "an integer"),
        ("[consumer]\nworkers = 1979-05-27", "is a date or time", "an integer"),
        ("[consumer]\nworkers = 0", "`consumer.workers` is 0", "at least 1"),
        ("[consumer]\nworkers = 4294967296", "is the number 4294967296", "from 1 to 4294967295"),
        ("[consumer]\nrouting = { lanes = 0 }", "`consumer.routing.lanes` is 0", "at least 1"),
        ("[consumer]\nrouting = {}", "`consumer.routing` has no `lanes`", "{ lanes = 8 }"),
        ("[consumer]\nretry = { delay = 0 }", "`consumer.retry.delay` is 0", "at least 1"),
        ("[consumer]\nretry = 1", "`consumer.retry` is the number 1", "{ delay = 1, at = \"head\" }"),
        ("[consumer]\npoll = 0", "`consumer.poll` is 0", "at least 1"),
        ("[consumer]\npoll = -1", "`consumer.poll` is the number -1", from_1),
        ("[consumer]\npoll = 9223372036854775808", "is the number 9223372036854775808", from_1),
        (
            "[consumer]\nintake = { pause = { high = 4, low = 4 } }",
            ":4:38: `consumer.intake.pause.low` is 4",
            "below the high one, which is 4",
        ),
        (
            "[consumer]\nintake = { pause = { high = 4 } }",
            "`consumer.intake.pause` has no `low`",
            "both marks",
        ),
        (
            "[consumer]\nintake = \"pause\"",
            "`consumer.intake` is \"pause\"",
            "{ pause = { high = 24, low = 8 } }",
        ),
        ("[consumer]\nheap_ceiling = \"nonee\"", "did you mean \"none\"?", "a number"),
        ("[consumer]\nheap_ceiling = -3", "is the number -3", "\"none\" or an integer"),
        ("[consumer]\nmax_poll_interval = 1", "`consumer.max_poll_interval` is 1", "at least 2"),
        ("[consumer]\ncommit = { every = 0 }", "`consumer.commit.every` is 0", "at least 1"),
        ("[consumer]\ncommit = { ack_map = \"yes\" }", "is the string \"yes\"", "true or false"),
        ("[consumer]\nquarantine = { then = \"park\" }", "`consumer.quarantine` has no `after`", "\"never\""),
        ("[consumer]\nquarantine = false", "is false", "\"never\", a number of ticks"),
        ("[[at]]\ndo = { crash = \"A\" }", ":3:1: `at[0]` has no `tick`", "tick = 2"),
        ("[[at]]\ntick = 2", "`at[0]` has no `do`", "{ crash = \"A\" }"),
        ("[[at]]\ntick = 2\ndo = {}", "`at[0].do` is empty", "one input"),
        (
            "[[at]]\ntick = 2\ndo = { crash = \"A\", restart = \"A\" }",
            "`at[0].do` has 2 keys",
            "only one input",
        ),
        ("[[at]]\ntick = 2\ndo = [{ crash = \"A\" }]", "`at[0].do` is an array", "one input"),
        ("[[at]]\ntick = 2\ndo = { crash = \"C\" }", "`at[0].do.crash` is \"C\"", "\"A\" or \"B\""),
        ("[[at]]\ntick = 2\ndo = { complete = -1 }", "is the number -1", "from 0 to 9223372036854775806"),
        ("[[at]]\ntick = 2\ndo = { stall = { consumer = \"A\" } }", "has no `ticks`", "ticks = 9"),
        ("[at]\ntick = 2", "`at` is a table", "[[at]]"),
        ("[expect]\ncommitted = \"2\"", "is the string \"2\"", digits),
        ("[expect]\ncompletions = [\"1-2\"]", ":4:16: `expect.completions[0]`", "\"offset@tick\" each"),
        ("[expect]\nredelivered = 3", "`expect.redelivered` is the number 3", "an array of offsets"),
        ("[expect]\nrows = [1]", "`expect.rows` is an array", "versions by key"),
        ("[expect]\nviolated = [1]", "is the number 1", "a string"),
        ("[consumer]\npoll = 1\npoll = 2", ":5:1: this is not TOML: duplicate key", "each key once"),
    ] {
        let error = told_after_log(lines);
        assert!(error.contains(message) && error.contains(expected), "{message} / {expected}\n{error}");
    }
}

#[test]
fn logs_are_checked() {
    for (lines, message, expected) in [
        ("title = \"x\"", "x.toml: the scenario has no log", "a table [log]"),
        ("[log]", "`log` has no records", "exactly one of"),
        ("log = 3", ":1:7: `log` is the number 3", "exactly one of"),
        (
            "[log]\nrecords = []\ncsv = \"t.csv\"",
            ":3:7: `log` has both `records` and `csv`",
            "exactly one of",
        ),
        (
            "[log]\ncsv = \"t.csv\"",
            ":2:7: no trace at \"/nowhere/t.csv\": there is no such file",
            "relative to this scenario",
        ),
        ("[log]\nrecords = []\nstart = -1", "`log.start` is the number -1", "from 0 to 9223372036854775806"),
        ("[log]\nrecords = [3]", "`log.records[0]` is the number 3", "\"offset:key*work\""),
        ("[log]\nrecords = [\"0:A*3\", \"1:B\"]", ":2:21: \"1:B\" has no asterisk", "\"offset:key*work\""),
        ("[log]\nrecords = [\"0:A*3\", \"0:B*1\"]", ":2:21: `log.records[1].offset` is 0", "one above 0"),
        ("[log]\nrecords = [\"0:A*0\"]", "`log.records[0].work` is 0", "at least 1"),
        ("[log]\nrecords = [{ offset = 1, work = 0 }]", ":2:33: `log.records[0].work` is 0", "at least 1"),
        ("[log]\nrecords = [{ offset = 1 }]", "`log.records[0]` has no `work`", "\"offset:key*work\""),
        (
            "[log]\nrecords = [{ offset = 9223372036854775807, work = 1 }]",
            "is the number 9223372036854775807",
            "9223372036854775806",
        ),
        ("[log]\nrecords = [\"0:A*18446744073709551616\"]", "too large", "offset:key*work"),
        (
            "[log]\nrecords = [{ offset = 1, work = -1 }]",
            "`log.records[0].work` is the number -1",
            "\"tap\", \"never\" or a number of ticks from 1 to 9223372036854775807",
        ),
        (
            "[log]\nrecords = [{ offset = 1, work = 1, fails = -1 }]",
            "`log.records[0].fails` is the number -1",
            "\"always\" or the number of its first attempts that fail, from 0 to 4294967295",
        ),
        ("[log]\nrecords = [{ offset = 1, work = \"tapp\" }]", "did you mean \"tap\"?", "\"never\""),
        ("[log]\nrecords = [{ offset = 1, work = 1, fails = \"all\" }]", "is \"all\"", "\"always\""),
        (
            "[log]\nrecords = [{ offset = 1, key = 3, work = 1 }]",
            "`log.records[0].key` is the number 3",
            "a string",
        ),
        (
            "[log]\ngenerate = { count = 1, keys = 0, work = [1, 1] }",
            "`log.generate.keys` is 0",
            "at least 1",
        ),
        (
            "[log]\ngenerate = { count = 1, keys = 9999, work = [1, 1] }",
            "`log.generate.keys` is 9999",
            "fewer keys",
        ),
        (
            "[log]\ngenerate = { count = 1, keys = 1000001, work = [1, 1] }",
            "is the number 1000001",
            "to 1000000",
        ),
        (
            "[log]\ngenerate = { count = 1, keys = 1, work = [0, 1] }",
            "`log.generate.work` is 0",
            "at least 1",
        ),
        (
            "[log]\ngenerate = { count = 1, keys = 1, work = [6, 1] }",
            "`log.generate.work` is 1",
            "at least 6",
        ),
        ("[log]\ngenerate = { count = 1, keys = 1, work = 6 }", "is the number 6", "[1, 6]"),
        ("[log]\ngenerate = { keys = 1, work = [1, 1] }", "has no `count`", "count = 40"),
        (
            "[log]\nstart = 9223372036854775800\ngenerate = { count = 8, keys = 1, work = [1, 1] }",
            ":3:22: `log.generate.count` is 8",
            "at most 7: offsets from `log.start`, which is 9223372036854775800, to 9223372036854775806",
        ),
        ("ticks = 100000001\n[log]\nrecords = []", "`ticks` is the number 100000001", "from 0 to 100000000"),
        ("members = [\"B\"]\n[log]\nrecords = []", "`members` is [\"B\"]", "[\"A\"] or [\"A\", \"B\"]"),
        ("members = [\"A\", \"A\"]\n[log]\nrecords = []", "`members` is [\"A\", \"A\"]", "[\"A\"] or"),
        ("members = [\"C\"]\n[log]\nrecords = []", "`members[0]` is \"C\"", "\"A\" or \"B\""),
        ("title = 3\n[log]\nrecords = []", "`title` is the number 3", "a string"),
        ("ticks = \n[log]", ":1:9: this is not TOML", ""),
    ] {
        let error = told(lines);
        assert!(error.contains(message) && error.contains(expected), "{message} / {expected}\n{error}");
    }
}

#[test]
fn a_set_is_judged_by_the_knobs_then_in_force() {
    let at = |tick: u64, set: &str| format!("[[at]]\ntick = {tick}\ndo = {{ set = {{ {set} }} }}");
    // In the file the later one stands first.
    let lines = [at(9, "intake = { pause = { high = 5, low = 5 } }"), at(3, "workers = 2")].join("\n");
    let error = told_after_log(&lines);
    assert!(error.contains(":5:53: `at[0].do.set.intake.pause.low` is 5"), "{error}");
    let error = told_after_log(&[at(3, "workers = 2"), at(3, "commit = { every = 0 }")].join("\n"));
    assert!(error.contains(":8:35: `at[1].do.set.commit.every` is 0"), "{error}");
}

#[test]
fn an_unusual_file_can_be_in_order() {
    for text in [
        "\u{feff}[log]\r\nrecords = [ \"0:A*1\" ,\r\n]\r\n",
        "log.records = []",
        "log = { records = [\"0:a:b*c*1!\", \"1:*tap\", \"2:-*never!2\", { offset = 9_000, key = \"-\", work = 0x2 }] }",
        "at = []\n[log]\nstart = 9223372036854775806\nrecords = []",
        "[log]\ngenerate = { count = 0, keys = 3, skew = 4294967295, work = [1, 4294967296] }",
        "[log]\ngenerate = { count = 9223372036854775807, keys = 1, work = [1, 1] }",
        "[log]\nstart = 9223372036854775800\ngenerate = { count = 7, keys = 1, work = [1, 1] }",
        "members = [\"B\", \"A\"]\n[[at]]\ntick = 0\ndo.set = {}\n[log]\nrecords = []\n[consumer]\n[expect]\n[store]",
    ] {
        if let Err(error) = parse(text) {
            panic!("{error}");
        }
    }
}

#[test]
fn a_generated_log_may_end_at_the_last_offset() {
    let log =
        "ticks = 9\n[log]\nstart = 9223372036854775800\ngenerate = { count = 7, keys = 1, work = [1, 1] }";
    let run = play(&parse(log).unwrap_or_else(|error| panic!("{error}")), Keep::Outcome, |_| true);
    let outcome = run.expect("a small run").outcome();
    assert_eq!((outcome.committed, outcome.completions.len()), (Offset(i64::MAX), 7));
}

/// Reads, and if there is something to play plays the beginning.
fn survives(text: &[u8]) {
    let Ok(source) = Source::from_reader("x.toml", text) else { return };
    match Scenario::parse(&source, Path::new("/nowhere")) {
        Err(error) => assert!(error.to_string().starts_with("x.toml:"), "{error}"),
        Ok(scenario) => {
            if let Ok(run) = play(&scenario, Keep::Events, |run| run.now().0 < 300) {
                let outcome = run.outcome();
                blessed(&source, &scenario, &outcome).expect("what was read can be written");
            }
        }
    }
}

#[test]
fn damaged_files_do_not_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut seed = 1u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    for entry in fs::read_dir(folder).expect("the scenarios") {
        let text = fs::read(entry.expect("an entry").path()).expect("a scenario");
        for end in 0..text.len() {
            survives(&text[..end]);
        }
        for _ in 0..60 {
            let mut text = text.clone();
            for _ in 0..=random(3) {
                let at = random(text.len());
                match random(4) {
                    0 => text[at] = random(256) as u8,
                    1 => text[at] = b"0123456789-\"[]{}=,.!*:@"[random(23)],
                    2 => drop(text.remove(at)),
                    _ => text.insert(at, b"0123456789-\"[]{}=,.!*:@"[random(23)]),
                }
            }
            survives(&text);
        }
    }
}
