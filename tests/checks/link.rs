//! A link from anybody: a sentence, or panels that can be written, read again and played.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use keyed_worker_pool::{
    ids::Tick,
    link::{Compare, LONGEST, Saved, TooLong, read, write},
    player::{Inputs, Player},
    presets::Start,
};

/// Bytes of a complaint about a link.
const LONGEST_COMPLAINT: usize = 800;

/// Checks a link; whether it is one.
pub fn check(bytes: &[u8]) -> bool {
    let link = String::from_utf8_lossy(bytes);
    let panels = match read(&link) {
        Ok(None) => return false,
        Ok(Some(panels)) => panels,
        Err(error) => {
            let sentence = error.to_string();
            super::is_complaint(&sentence, LONGEST_COMPLAINT);
            assert!(sentence.ends_with('.') && sentence.lines().count() == 1, "{sentence:?}");
            return false;
        }
    };
    is_written(&link, &panels);
    for saved in &panels {
        plays(saved);
    }
    true
}

/// What was read can be written, means the same, and is written the same way again.
fn is_written(link: &str, panels: &[Saved]) {
    let again = match write(panels) {
        Ok(again) => again,
        // Another order of the keys takes other numbers for them, and those can be longer by a byte each.
        Err(TooLong::Characters(_)) if link.len() > LONGEST / 2 => return,
        Err(error) => panic!("{error}"),
    };
    assert!(again.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"=&.-_".contains(&byte)), "{again}");
    assert_eq!(read(&again).as_ref().map(Option::as_deref), Ok(Some(panels)));
    assert_eq!(write(panels), Ok(again));
}

/// Every run that a panel shows plays, and going back is exact.
fn plays(saved: &Saved) {
    let mut players = restored(&saved.start, &saved.acts);
    if let Compare::Kept(old) = &saved.compare {
        players.extend(restored(&old.start, &old.acts));
    }
    for player in players {
        let mut player = super::played(player);
        let (there, before) = (player.now(), player.run().world().clone());
        player.seek(Tick(there.0 / 2));
        player.seek(there);
        assert!(player.now() == there && *player.run().world() == before, "back at tick {there}");
    }
}

fn restored(start: &Start, acts: &Inputs) -> Vec<Player> {
    let players = start.players().expect("whatever is read can be played");
    players.into_iter().map(|player| player.with_acts(acts.clone())).collect()
}

/// Settings of a link whose values are bytes in base64url.
const PACKED: [&str; 5] = ["scenario", "acts", "old.scenario", "old.acts", "old.before"];

/// The link with the bytes of one packed setting changed; `choice` says of which. Letters of base64url that are
/// changed one by one seldom say something else that can be read.
pub fn repacked(link: &str, choice: usize, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Option<String> {
    let mut parts: Vec<String> = link.split('&').map(str::to_owned).collect();
    let is_packed = |part: &String| part.split_once('=').is_some_and(|(key, _)| PACKED.contains(&key));
    let places: Vec<usize> = (0..parts.len()).filter(|&at| is_packed(&parts[at])).collect();
    let place = *places.get(choice.checked_rem(places.len())?)?;
    let (key, value) = parts[place].split_once('=')?;
    let bytes = URL_SAFE_NO_PAD.decode(value).ok()?;
    parts[place] = format!("{key}={}", URL_SAFE_NO_PAD.encode(change(bytes)));
    Some(parts.join("&"))
}
