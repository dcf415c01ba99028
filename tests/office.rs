//! What the page's office does, by the functions that its worker calls: exports of random runs that the command
//! line plays again, and scenarios that a page can show.
#![cfg(not(target_arch = "wasm32"))]

mod oracle;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use keyed_worker_pool::{
    export::json,
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    link::{self, Compare, Old, Saved},
    office::{What, export, import},
    player::{Inputs, Player},
    presets::{Panel, Start, dispatch::Dispatch},
    scenario::{Scenario, Source, play},
    world::{Input, Knob, config::CommitOffset},
};

/// A fixed sequence of choices for each seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// What a reader might do on a panel.
fn act(dice: &mut Dice, panel: Panel) -> Input {
    let consumer = if dice.below(2) == 0 { ConsumerId::A } else { ConsumerId::B };
    let offset = Offset(dice.below(48) as i64 + if panel == Panel::Rebalance { 90 } else { 0 });
    match dice.below(9) {
        0 | 1 => Input::Complete(offset),
        2 => Input::Poison(offset),
        3 => Input::Crash(ConsumerId::A),
        4 => Input::Restart(ConsumerId::A),
        5 => Input::Stall { consumer, ticks: dice.below(9) },
        6 => Input::Revoke { from: consumer, to: consumer.other() },
        7 => Input::Set(vec![
            Knob::AckMap(true),
            Knob::Drain(dice.below(9)),
            Knob::CommitOffset(CommitOffset::Highest),
        ]),
        _ => Input::Set(vec![Knob::Workers(1 + dice.below(8) as u32)]),
    }
}

fn random(seed: u64, panel: Panel) -> Saved {
    let mut dice = Dice(seed);
    let start = Start::opening(panel).seeded(dice.below(300));
    let tick = Tick(dice.below(if panel == Panel::Rebalance { 24 } else { 60 }));
    let mut acts = Inputs::new();
    for _ in 0..dice.below(9) {
        acts.entry(Tick(dice.below(tick.0 + 1))).or_default().push(act(&mut dice, panel));
    }
    Saved { start, acts, tick, playing: false, compare: Compare::Off }
}

fn linked(saved: &Saved) -> String {
    link::write(std::slice::from_ref(saved)).expect("a link")
}

fn text(link: &str, run: usize, what: What) -> String {
    String::from_utf8(export(link, run, what).unwrap_or_else(|error| panic!("{error}")).bytes).expect("text")
}

/// The runs as the page has them.
fn on_the_page(saved: &Saved) -> Vec<Player> {
    let players = saved.start.players().expect("a start").into_iter();
    let played = |player: Player| {
        let mut player = player.with_acts(saved.acts.clone());
        player.seek(saved.tick.after(1));
        player
    };
    players.map(played).collect()
}

/// The events that `kwp run` tells of a scenario file, by the functions that it calls.
fn told_by_kwp(file: &str) -> String {
    let source = Source { name: "x.toml".to_owned(), text: file.to_owned(), marked: false };
    let scenario = Scenario::parse(&source, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{file}"));
    assert!(scenario.warnings.is_empty(), "{:?}", scenario.warnings);
    let run = play(&scenario, Keep::Events, |_| true).expect("a small run");
    json::lines(run.ledger().events(), run.world().log())
}

#[test]
fn the_command_line_plays_what_was_on_the_page_to_the_last_event() {
    for panel in Panel::ALL {
        for seed in 0..40 {
            let saved = random(seed * 4 + panel as u64, panel);
            let link = linked(&saved);
            for (run, player) in on_the_page(&saved).iter().enumerate() {
                let page = json::lines(player.run().ledger().events(), player.run().world().log());
                assert_eq!(player.now(), saved.tick.after(1));
                assert_eq!(text(&link, run, What::Jsonl), page);
                let file = text(&link, run, What::Toml);
                assert_eq!(told_by_kwp(&file), page, "{panel:?}, seed {seed}, run {run}\n{file}");
            }
        }
    }
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_program_prints_the_very_bytes() {
    let folder = Folder(std::env::temp_dir().join(format!("kwp-office-{}", std::process::id())));
    fs::create_dir_all(&folder.0).expect("a folder");
    for panel in Panel::ALL {
        let saved = random(7, panel);
        let link = linked(&saved);
        for run in 0..on_the_page(&saved).len() {
            let exported = export(&link, run, What::Toml).expect("a scenario");
            let file = folder.0.join(&exported.name);
            fs::write(&file, &exported.bytes).expect("a file");
            for (format, what) in [("jsonl", What::Jsonl), ("csv", What::Csv)] {
                let kwp = Command::new(env!("CARGO_BIN_EXE_kwp"))
                    .args(["run", "--events", format])
                    .arg(&file)
                    .output()
                    .expect("kwp runs");
                assert!(kwp.stderr.is_empty(), "{}", String::from_utf8_lossy(&kwp.stderr));
                assert_eq!(
                    kwp.stdout,
                    export(&link, run, what).expect("events").bytes,
                    "{panel:?} {run} {format}"
                );
            }
        }
    }
}

#[test]
fn files_are_named_after_panel_run_and_tick() {
    let name = |saved: &Saved, run, what| {
        let exported = export(&linked(saved), run, what).unwrap_or_else(|error| panic!("{error}"));
        assert!(!exported.bytes.is_empty());
        (exported.name, exported.media_type)
    };
    let saved = |panel| Saved { acts: Inputs::new(), tick: Tick(34), ..random(1, panel) };
    let dispatch = saved(Panel::Dispatch);
    assert_eq!(name(&dispatch, 1, What::Csv), ("dispatch-tick-34.csv".to_owned(), "text/csv;charset=utf-8"));
    assert_eq!(
        name(&dispatch, 0, What::Toml),
        ("dispatch-shared-pool-tick-34.toml".to_owned(), "application/toml")
    );
    let backpressure = saved(Panel::Backpressure);
    assert_eq!(name(&backpressure, 0, What::Png), ("backpressure-tick-34.png".to_owned(), "image/png"));
    assert_eq!(name(&backpressure, 1, What::Svg).0, "backpressure-unbounded-tick-34.svg");
    let old = Old { start: dispatch.start.clone(), acts: Inputs::new(), fork: Tick(3) };
    let forked = Saved { compare: Compare::Kept(old), ..dispatch };
    assert_eq!(name(&forked, 3, What::Jsonl).0, "dispatch-keyed-mailboxes-before-tick-34.jsonl");
    assert_eq!(name(&forked, 2, What::Svg).0, "dispatch-shared-pool-before-tick-34.svg");
}

#[test]
fn what_cannot_be_exported_is_said() {
    let link = linked(&random(1, Panel::Watermark));
    let said = |link: &str, run| export(link, run, What::Csv).expect_err("nothing to export");
    assert_eq!(said(&link, 5), "The panel has 1 runs, and no run 5.");
    assert_eq!(said("", 0), "The link names no panel.");
    assert!(said("v=1&panel=nowhere", 0).contains("nowhere"));
}

// Scenarios that are brought.

fn brought(name: &str, text: &str) -> (Saved, Vec<String>) {
    let import = import(name, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut panels = link::read(&import.link).expect("a link").expect("a panel");
    assert_eq!(panels.len(), 1);
    (panels.remove(0), import.warnings)
}

#[test]
fn the_scenarios_of_the_tests_are_played_on_the_page_as_by_kwp() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    for file in keyed_worker_pool::scenario::files(&folder).expect("the folder") {
        let text = fs::read_to_string(&file).expect("a scenario");
        let scenario = Scenario::load(&file).unwrap_or_else(|error| panic!("{error}"));
        let (saved, warnings) = brought("dropped.toml", &text);
        assert!(warnings.is_empty(), "{warnings:?}");
        let Start::Brought(panel, brought) = &saved.start else { panic!("a preset") };
        assert_eq!(Some(&brought.title), scenario.title.as_ref());
        let run = play(&scenario, Keep::Events, |_| true).expect("a small run");
        let mut own = saved.start.players().expect("runs").swap_remove(saved.start.front());
        own.play_out();
        let told = |run: &keyed_worker_pool::run::Run| json::lines(run.ledger().events(), run.world().log());
        if !(*panel == Panel::Dispatch
            && brought.setup.knobs().routing == keyed_worker_pool::world::config::Routing::Shared)
        {
            assert_eq!(told(own.run()), told(&run), "{}", file.display());
        }
        assert!(!scenario.is_open || own.last() == run.now(), "{}", file.display());
    }
}

#[test]
fn random_scenarios_go_to_the_page_and_back() {
    for seed in 0..300 {
        let (saved, _) = brought("random.toml", &oracle::generate::scenario(seed));
        let Start::Brought(_, brought) = &saved.start else { panic!("a preset") };
        let end = Saved { tick: brought.last, ..saved.clone() };
        let file = text(&linked(&end), saved.start.front(), What::Toml);
        let mut own = end.start.players().expect("runs").swap_remove(saved.start.front());
        own.seek(brought.last.after(1));
        assert_eq!(told_by_kwp(&file), json::lines(own.run().ledger().events(), own.run().world().log()));
    }
}

#[test]
fn a_scenario_without_a_title_is_called_by_its_file() {
    let (saved, warnings) = brought(
        "late again.toml",
        "ticks = 4\n[log]\nrecords = [\"0:A*2\"]\n[[at]]\ntick = 9\ndo = { crash = \"A\" }\n",
    );
    let Start::Brought(panel, brought) = saved.start else { panic!("a preset") };
    assert_eq!((brought.title.as_str(), brought.last), ("late again", Tick(4)));
    // What never acts is not what the run is about.
    assert_eq!(panel, Panel::Dispatch);
    assert_eq!(warnings.len(), 1);
}

#[test]
fn bad_and_large_scenarios_are_refused_in_words() {
    let said = |text: &str| import("x.toml", text).expect_err("it is refused");
    assert_eq!(
        said("[log]\nrecord = []\n"),
        "x.toml:2:1: unknown key \"record\" in `log`: did you mean `records`?\n  |\n2 | record = []\n  | ^^^^^^\n  \
         = expected `records`, `generate`, `csv` or `start`"
    );
    let trace = said("[log]\ncsv = \"flights.csv\"\n");
    assert!(
        trace.contains("\"flights.csv\"") && trace.contains("the page reads single files only"),
        "{trace}"
    );
    for (large, why) in [
        ("ticks = 100001\n[log]\nrecords = []\n", "100000 is the last"),
        (
            "[log]\ngenerate = { count = 200000, keys = 50, work = [1, 1] }\n[consumer]\nworkers = 99\npoll = 9000\n",
            "events",
        ),
        (
            "ticks = 50\n[log]\ngenerate = { count = 900000, keys = 5, work = [9, 9] }\n[consumer]\npoll = 9000\nintake = \"unbounded\"\n",
            "in flight",
        ),
        (
            "[log]\ngenerate = { count = 2000000, keys = 5, work = [9, 9] }\n[consumer]\nintake = \"block\"\nroute = 3\n",
            "route",
        ),
        ("ticks = 5\n[log]\nrecords = [\"0:A*1\"]\n[consumer]\nworkers = 5000\n", "5000"),
    ] {
        let said = said(large);
        assert!(said.contains(why), "{said}");
        assert!(said.contains("`kwp run` does it.") || why == "route", "{said}");
    }
}

#[test]
fn presets_and_links_of_the_page_are_what_is_exported() {
    let preset = Dispatch { workers: 8, seed: 77, ..Dispatch::default() };
    let saved = Saved { start: Start::Dispatch(preset), tick: Tick(20), ..random(3, Panel::Dispatch) };
    let file = text(&linked(&Saved { acts: Inputs::new(), ..saved }), 1, What::Toml);
    for line in ["seed = 77", "workers = 8", "ticks = 20", "title = \"Dispatch: keyed mailboxes\""] {
        assert!(file.lines().any(|other| other == line), "{line}\n{file}");
    }
    assert!(file.starts_with("# From the page of The Keyed Worker Pool: its dispatch panel"), "{file}");
}
