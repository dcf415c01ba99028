//! How long links are, and what becomes of those that would be too long.

use std::sync::Arc;

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    link::{LONGEST, LinkError, MOST_INPUTS, Saved, TooLong, read, write},
    player::Inputs,
    presets::{Brought, Panel, Start, watermark::hand},
    world::{Fails, Generated, Input, Knobs, Log, NewRecord, Setup, Work, config::Intake},
};

use super::{opening, restored};

/// A grid like the watermark panel's, with room for more taps than that has ticks.
fn long_grid() -> Start {
    let cells = (0..240).map(|cell| NewRecord {
        offset: Offset(cell),
        key: Some(Generated::key_name(cell as u32 + 1)),
        work: Work::UntilTapped,
        fails: Fails::First(0),
        since: Tick(0),
    });
    let log = Log::from_records(Offset(0), cells).unwrap();
    let knobs =
        Knobs { workers: 48, poll: 12, intake: Intake::Pause { high: 48, low: 36 }, ..Knobs::default() };
    let setup = Setup::new(Arc::new(log), knobs, &[ConsumerId::A]).unwrap();
    let brought =
        Brought { title: "A long grid".to_owned(), setup, script: Inputs::new(), last: Tick(300), front: 0 };
    Start::Brought(Panel::Watermark, brought)
}

/// The acts alone, as a link has them.
fn acts(link: &str) -> &str {
    let (_, acts) = link.split_once("acts=").expect("a link with acts");
    acts.split('&').next().unwrap_or(acts)
}

#[test]
fn two_hundred_taps_are_short() {
    for seed in 0..20 {
        let start = long_grid();
        let mut player = start.players().unwrap().remove(0);
        player.step();
        for _ in 0..200 {
            let offset = hand(seed, player.run().world()).expect("an open cell");
            player.act(Input::Complete(offset));
            player.step();
        }
        let saved =
            Saved { start, acts: player.acts().clone(), tick: Tick(200), ..opening(Panel::Watermark) };
        let link = write(std::slice::from_ref(&saved)).unwrap();
        assert!(acts(&link).len() <= 650, "{} characters", acts(&link).len());
        let read = read(&link).unwrap().unwrap();
        assert_eq!(read, [saved]);
        let events = restored(&read[0])[0].run().ledger().events().to_vec();
        assert_eq!(events, player.run().ledger().events());
    }
}

#[test]
fn two_hundred_taps_on_the_panel_are_a_short_link() {
    let mut acts = Inputs::new();
    for tap in 0..200 {
        acts.entry(Tick(tap * 119 / 199)).or_default().push(Input::Complete(Offset((tap * 37 % 48) as i64)));
    }
    let link = write(&[Saved { acts, ..opening(Panel::Watermark) }]).unwrap();
    assert!(link.len() < 600, "{} characters", link.len());
}

#[test]
fn a_link_that_would_be_too_long_is_not_written() {
    let Start::Brought(panel, brought) = long_grid() else { unreachable!("a grid is brought") };
    let title = "x".repeat(LONGEST);
    let start = Start::Brought(panel, Brought { title, ..brought });
    let error = write(&[Saved { start, ..opening(panel) }]).unwrap_err();
    assert_eq!(error, TooLong::Characters(81_773));
    assert_eq!(error.to_string(), "This takes a link of 81,773 characters, and a link has at most 60,000.");
}

#[test]
fn more_inputs_than_can_be_read_are_not_written() {
    let crashes = vec![Input::Crash(ConsumerId::A); MOST_INPUTS];
    let mut saved = Saved { acts: Inputs::from([(Tick(3), crashes)]), ..opening(Panel::Dispatch) };
    let link = write(std::slice::from_ref(&saved)).unwrap();
    assert_eq!(read(&link), Ok(Some(vec![saved.clone()])));
    saved.acts.entry(Tick(4)).or_default().push(Input::Crash(ConsumerId::A));
    let error = write(&[saved]).unwrap_err();
    assert_eq!(error, TooLong::Inputs(10_001));
    let sentence = "This takes a link with 10,001 inputs, and a panel in a link has at most 10,000.";
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn a_link_of_the_greatest_length_is_read_and_no_longer_one() {
    let link = format!("v=1&panel=dispatch&acts={}", "A".repeat(LONGEST));
    assert_eq!(read(&link), Err(LinkError::TooLong));
    // Characters count, not bytes.
    let name = "ü".repeat(LONGEST - "v=1&panel=".len());
    assert!(matches!(read(&format!("v=1&panel={name}")), Err(LinkError::UnknownPanel(_))));
    assert_eq!(read(&format!("v=1&panel={name}ü")), Err(LinkError::TooLong));
}
