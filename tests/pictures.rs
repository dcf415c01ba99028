//! Pictures to take away: what is on them, and that they are what they say they are.
#![cfg(not(target_arch = "wasm32"))]

use keyed_worker_pool::{
    export::picture::{Kind, Picture, Role, Subject, WIDTH, compose, paint},
    ids::{ConsumerId, Offset, Tick},
    player::Player,
    presets::{Panel, Start},
    world::{Fact, Input},
};

fn players(start: &Start, tick: u64) -> Vec<Player> {
    let mut players = start.players().expect("an opening");
    for player in &mut players {
        player.seek(Tick(tick + 1));
    }
    players
}

fn subject<'p>(panel: Panel, players: &'p [Player], front: usize) -> Subject<'p> {
    let runs = players.iter().map(|player| (player.setup(), player.run())).collect();
    Subject { panel, title: None, runs, front }
}

/// `cargo test --test pictures -- --ignored` and a look into `target/pictures`.
#[test]
#[ignore = "writes files, to be looked at"]
fn samples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/target/pictures");
    std::fs::create_dir_all(folder).expect("a folder");
    let write = |name: &str, panel, players: &[Player], front| {
        let picture = compose(&subject(panel, players, front));
        for (kind, ending) in [(Kind::Svg, "svg"), (Kind::Png, "png")] {
            std::fs::write(format!("{folder}/{name}.{ending}"), paint(kind, &picture).unwrap()).unwrap();
        }
    };
    for panel in Panel::ALL {
        let start = Start::opening(panel);
        for tick in [3, 16, 34, 119] {
            let mut players = players(&start, tick);
            if panel == Panel::Watermark {
                busy(&mut players[0], tick);
            }
            write(&format!("{}-{tick}", panel.name()), panel, &players, start.front());
        }
    }
    let drain =
        Start::Rebalance(keyed_worker_pool::presets::rebalance::Rebalance { drain: 2, ..Default::default() });
    write("rebalance-drain-2", Panel::Rebalance, &players(&drain, 23), 0);
}

/// Taps, poisons and crashes as a reader might.
fn busy(player: &mut Player, tick: u64) {
    player.seek(Tick(1));
    for now in 1..=tick {
        match now {
            4 => player.act(Input::Poison(Offset(5))),
            25 => player.act(Input::Crash(ConsumerId::A)),
            28 => player.act(Input::Restart(ConsumerId::A)),
            _ => player.act(Input::Complete(Offset(((now * 7) % 19) as i64))),
        }
        player.step();
    }
}

fn svg(picture: &Picture) -> String {
    String::from_utf8(paint(Kind::Svg, picture).expect("a picture")).expect("text")
}

/// The picture as rows of pixels, red, green and blue.
fn pixels(picture: &Picture) -> (u32, u32, Vec<u8>) {
    let file = paint(Kind::Png, picture).expect("a picture");
    let decoder = png::Decoder::new(std::io::Cursor::new(file));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (info.width, info.height, pixels)
}

fn count(player: &Player, wanted: fn(&Fact) -> bool) -> usize {
    player.run().ledger().events().iter().filter(|event| wanted(&event.fact)).count()
}

#[test]
fn every_panel_gives_both_kinds_of_picture() {
    for panel in Panel::ALL {
        let start = Start::opening(panel);
        for tick in [0, 9, 119] {
            let players = players(&start, tick);
            let mut subject = subject(panel, &players, start.front());
            subject.title = Some("<A & B> \"quoted\" \u{1b}[31m");
            let picture = compose(&subject);
            let text = svg(&picture);
            let document = roxmltree::Document::parse(&text).expect("well-formed XML");
            let root = document.root_element();
            assert_eq!(root.attribute("width"), Some("1600"));
            assert_eq!(root.attribute("height"), Some(picture.height.to_string().as_str()));
            let texts: Vec<&str> = root
                .descendants()
                .filter(|node| node.has_tag_name("text"))
                .map(|node| node.text().unwrap_or("").trim())
                .collect();
            assert!(texts.contains(&"<A & B> \"quoted\" \\u{1b}[31m"), "{texts:?}");
            for told in picture.scene.texts() {
                assert!(texts.contains(&told), "{told}");
            }
            let (width, height, pixels) = pixels(&picture);
            assert_eq!((width, height), (WIDTH, picture.height));
            // Letters of the title, and white at all four corners.
            let row = |y: u32| &pixels[(y * width * 3) as usize..((y + 1) * width * 3) as usize];
            assert!((30..60).any(|y| row(y)[40 * 3..300 * 3].iter().any(|channel| *channel < 90)));
            for y in [0, height - 1] {
                assert_eq!((&row(y)[..3], &row(y)[row(y).len() - 3..]), (&[255; 3][..], &[255; 3][..]));
            }
        }
    }
}

#[test]
fn a_bar_for_each_attempt_and_a_word_for_each_order_break() {
    let start = Start::opening(Panel::Dispatch);
    for tick in [0, 12, 40, 249] {
        let players = players(&start, tick);
        let picture = compose(&subject(Panel::Dispatch, &players, 1));
        let started = |player: &Player| count(player, |fact| matches!(fact, Fact::Started(_)));
        assert_eq!(picture.scene.count(Role::Attempt), players.iter().map(started).sum::<usize>());
        let breaks = picture.scene.texts().filter(|text| text.contains(" before ")).count();
        // One more explains the word.
        let broken = players[0].run().ledger().counters().order_breaks;
        assert_eq!(breaks as u64, broken + u64::from(broken > 0));
        assert_eq!(players[1].run().ledger().counters().order_breaks, 0);
    }
    let picture = compose(&subject(Panel::Dispatch, &players(&start, 40), 1));
    assert!(picture.scene.texts().any(|text| text == "5 before 4"));
}

#[test]
fn what_leaks_is_red_past_the_handover() {
    let preset = keyed_worker_pool::presets::rebalance::Rebalance { drain: 2, ..Default::default() };
    let players = players(&Start::Rebalance(preset), 23);
    let picture = compose(&subject(Panel::Rebalance, &players, 0));
    assert_eq!(picture.scene.count(Role::Late), 3);
    let texts: Vec<&str> = picture.scene.texts().collect();
    assert_eq!(texts.iter().filter(|text| **text == "leaked, rejected").count(), 3);
    for word in
        ["revoke", "handover", "A stalls, +7", "A worker 1", "B worker 4", "drain window 2, guard newer"]
    {
        assert!(texts.contains(&word), "{word}: {texts:?}");
    }
}

#[test]
fn the_grid_has_a_cell_for_each_record_and_two_flags() {
    let mut players = players(&Start::opening(Panel::Watermark), 0);
    busy(&mut players[0], 20);
    let (world, ledger) = (players[0].run().world(), players[0].run().ledger());
    let picture = compose(&subject(Panel::Watermark, &players, 0));
    assert_eq!(picture.scene.count(Role::Cell), 48);
    let flags = [
        format!("watermark {}", world.watermark().expect("an owner")),
        format!("committed {}", world.broker().committed()),
    ];
    for flag in flags {
        assert!(picture.scene.texts().any(|text| text == flag), "{flag}");
    }
    assert_eq!(ledger.quarantined(), [Offset(5)]);
}

#[test]
fn the_chart_has_ghosts_marks_and_what_befell_the_run() {
    let start = Start::opening(Panel::Backpressure);
    let players = players(&start, 119);
    for (front, deaths, evictions) in [(0, 0, 0), (1, 1, 0), (2, 0, 19)] {
        let chart = compose(&subject(Panel::Backpressure, &players, front)).chart.expect("a chart").data;
        assert_eq!((chart.ghosts.len(), chart.deaths.len(), chart.evictions.len()), (2, deaths, evictions));
        assert_eq!(chart.high.is_empty(), front != 0);
        assert_eq!(chart.ceiling, [[(0, 72), (119, 72)]]);
        assert!(chart.top > 82);
    }
}

#[test]
fn long_runs_and_large_logs_still_fit() {
    use keyed_worker_pool::{
        ledger::Keep,
        player::Inputs,
        world::{Generated, Knobs, Log, Setup},
    };
    let recipe = Generated::new(1, 3_000, 40, 1, (1, 9)).expect("a recipe");
    let log = Log::generated(Offset(1_000_000_000), recipe).expect("a log");
    let knobs = Knobs { workers: 40, ..Knobs::default() };
    let setup = Setup::new(log.into(), knobs, &[ConsumerId::A, ConsumerId::B]).expect("a setup");
    let mut player = Player::new(setup, Inputs::new(), Tick(2_000), Keep::Events);
    player.play_out();
    for panel in Panel::ALL {
        let picture = compose(&subject(panel, std::slice::from_ref(&player), 0));
        assert!((300..4_000).contains(&picture.height), "{panel:?}: {}", picture.height);
        assert!(roxmltree::Document::parse(&svg(&picture)).is_ok());
        assert!(pixels(&picture).2.len() > 1_000_000);
    }
}
