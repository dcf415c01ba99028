//! Links: written and read, old ones for ever, bad ones with a sentence and never a panic.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[path = "../checks/mod.rs"]
mod checks;
mod golden;
mod hostile;
mod length;
mod mutated;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../oracle/mod.rs"]
mod oracle;
#[cfg(not(target_arch = "wasm32"))]
mod random;

use keyed_worker_pool::{
    ids::Tick,
    link::{Compare, Saved, read, write},
    player::{Inputs, Player},
    presets::{Panel, Start},
};

/// The runs of a start with what the reader did, as they are after `executed` ticks.
fn played(start: &Start, acts: &Inputs, executed: Tick) -> Vec<Player> {
    let players = start.players().expect("whatever is read can be played");
    let there = |player: Player| {
        let mut player = player.with_acts(acts.clone());
        player.seek(executed);
        player
    };
    players.into_iter().map(there).collect()
}

/// All runs that a panel shows: the kept ones after the others.
fn restored(saved: &Saved) -> Vec<Player> {
    let executed = saved.tick.after(1);
    let mut players = played(&saved.start, &saved.acts, executed);
    if let Compare::Kept(old) = &saved.compare {
        players.extend(played(&old.start, &old.acts, executed));
    }
    players
}

/// The opening of a panel.
fn opening(panel: Panel) -> Saved {
    Saved {
        start: Start::opening(panel),
        acts: Inputs::new(),
        tick: Tick(0),
        playing: false,
        compare: Compare::Off,
    }
}

#[test]
fn no_panels_and_plain_anchors_are_no_link() {
    assert_eq!(write(&[]), Ok(String::new()));
    for fragment in ["", "#", "watermark", "#watermark", "#dispatch&rebalance", "%3D", "ünïcödé"] {
        assert_eq!(read(fragment), Ok(None), "{fragment}");
    }
}

#[test]
fn what_is_as_it_opens_is_left_out() {
    let link = write(&Panel::ALL.map(opening)).unwrap();
    assert_eq!(link, "v=1&panel=dispatch&panel=watermark&panel=backpressure&panel=rebalance");
    assert_eq!(read(&format!("#{link}")), Ok(Some(Panel::ALL.map(opening).to_vec())));
}

#[test]
fn a_start_knows_the_length_and_the_number_of_its_runs() {
    for panel in Panel::ALL {
        let start = Start::opening(panel);
        let players = start.players().unwrap();
        assert_eq!(players.len(), panel.runs(), "{panel:?}");
        assert!(players.iter().all(|player| player.last() == start.last()), "{panel:?}");
    }
}
