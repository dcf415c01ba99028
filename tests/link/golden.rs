//! Links of version 1 that people have sent each other, and what they show.
//!
//! They must be readable for ever, and show the same for ever: a change here breaks somebody's link. Add links;
//! never change one. A preset that has to change gets a new version of links, and version 1 keeps the old one.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::link::{Saved, read, write};

use super::restored;

/// A link, and the fingerprint of the runs that it restores.
pub(crate) const LINKS: [(&str, u64); 23] = [
    // An opening.
    ("v=1&panel=dispatch", 2_482_395_308_280_905_137),
    // Workers turned down under way, and playing.
    ("v=1&panel=dispatch&workers=8&seed=77&tick=34&playing=1&acts=PgEAAg", 6_502_103_019_817_539_661),
    // All settings of the panel, at its end.
    ("v=1&panel=dispatch&keys=8&skew=3&routing=serial&tick=249", 13_089_559_486_836_808_086),
    // Armed for a comparison.
    ("v=1&panel=dispatch&keys=1&skew=0&routing=lanes.4&seed=0&tick=20&compare=1", 10_906_863_596_919_665_302),
    // Every act and every knob.
    (
        "v=1&panel=dispatch&routing=shared&seed=18446744073709551615&tick=60&acts=EAYJAw4QAAYBAwMCAQMCBAEFBQYACQMHASgIAQwJAwoBCwEMQA0BAQQOAw8CEgAEGwAUABUAAV0BABYKAQEGAQcACAANAAsADwAKAAQAAgAjAAQAHgMBAgYCDQEAAj4CAQAPAQ",
        11_284_945_915_499_619_883,
    ),
    // A row of taps.
    (
        "v=1&panel=watermark&tick=30&acts=CAoICggKCAoICggKCAoICggKCFUICggKCAoICggKCAoICggKCAoIVQgKCAoICggKCAoICggKCAoIVQ",
        4_356_217_211_908_453_710,
    ),
    // A poisoned record, a crash and a restart.
    (
        "v=1&panel=watermark&commit=highest&map=1&every=3&quarantine=2&tap=0&seed=5&tick=25&acts=CQAICggBMwAcABAGAAE",
        2_252_243_456_807_085_179,
    ),
    // The old future beside the new one, with the acts before the fork in common.
    (
        "v=1&panel=watermark&tick=40&acts=CA4IDggOCA4IDggOCFEIDggOCA4IDg&fork=6&old.acts=ACQIFggWCEkIFggWCBYIFghJCBYIFggWCEkIFg",
        1_410_006_574_018_783_508,
    ),
    // One that has nothing but settings.
    ("v=1&panel=backpressure&fetch=24&drain=12&mode=block&seed=5&tick=60", 9_441_201_783_966_887_849),
    // A knob turned after the last tick.
    (
        "v=1&panel=backpressure&mode=unbounded&tick=119&playing=1&acts=9gECBQMABtYFAQUY",
        12_483_099_558_319_999_212,
    ),
    // A client that refetches after every resume.
    ("v=1&panel=backpressure&refetch=9&tick=60", 2_088_029_718_296_393_164),
    // One that does so from tick 3 on.
    ("v=1&panel=backpressure&tick=60&acts=HgESBQ", 10_027_309_599_933_659_910),
    // The three late writes of the article.
    ("v=1&panel=rebalance&drain=2&guard=off&tick=23", 17_605_724_651_792_564_772),
    // What late commits come to.
    ("v=1&panel=rebalance&drain=2&late=sent&tick=23", 6_234_382_064_458_124_510),
    // A pause that is kept, and comes back with the partition.
    ("v=1&panel=rebalance&pauses=kept&tick=23", 11_193_117_582_067_981_271),
    // A rebalance that revokes what stays.
    ("v=1&panel=rebalance&protocol=eager&tick=23", 10_611_499_114_925_911_717),
    // The protocol turned at tick 3, and somebody who joins at tick 14.
    ("v=1&panel=rebalance&drain=2&tick=23&acts=HgETAV8", 9_400_938_524_039_132_969),
    // Late commits sent from tick 3 on.
    ("v=1&panel=rebalance&drain=1&tick=20&acts=HgEQAQ", 5_872_135_860_399_647_582),
    // Both with their own settings from the start.
    (
        "v=1&panel=rebalance&drain=0&seed=9&tick=18&fork=0&old.drain=10&old.guard=not-older&old.seed=0",
        13_174_541_332_863_418_638,
    ),
    // Both with their own acts before the fork.
    ("v=1&panel=rebalance&tick=22&acts=GwE&fork=12&old.before=JAE&old.acts=GwA", 15_958_018_320_092_352_524),
    // A scenario with every kind of record.
    (
        "v=1&panel=rebalance&scenario=eyJFdmVyeSBraW5kIG9mIHJlY29yZCwg4oCccXVvdGVk4oCdKAEQAAYBAwMCAQMCBAEFBQYACQMHASgIAQwJAwoBCwEMQA0BAQQOAw8CKAEEA29sZAFBAAjQutC70Y7RhwcZASYpAgF6AgIBAAEXAw6QBQACCAQcAgcoVj0AAesBAQ&tick=40&acts=oAH6Cg",
        4_530_041_628_550_580_323,
    ),
    // One drawn by a recipe, and what it was with more workers.
    (
        "v=1&panel=dispatch&scenario=NqCNBgEBAAiAoJSljR0A____________ATweAgIH&tick=70&fork=20&old.scenario=EAIAAwUG&old.acts=KwA",
        17_887_862_199_616_880_017,
    ),
    // All panels.
    (
        "v=1&panel=dispatch&tick=5&panel=watermark&tick=9&acts=EAwIBggGCAYIBggGCAY&panel=backpressure&tick=12&playing=1&panel=rebalance&tick=13&compare=1",
        4_815_843_362_199_945_454,
    ),
];

/// FNV-1a over every sentence of every run up to the restored moment: one changed word is another number.
fn fingerprint(panels: &[Saved]) -> u64 {
    let runs = panels.iter().flat_map(restored);
    let sentences = runs.flat_map(|player| {
        let log = player.setup().log();
        let events = player.run().ledger().events();
        events.iter().map(|event| format!("{} {}\n", event.tick, event.sentence(log))).collect::<Vec<_>>()
    });
    sentences
        .collect::<String>()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn links_of_version_1_show_what_they_showed() {
    for (link, pinned) in LINKS {
        let panels = read(link).unwrap_or_else(|error| panic!("{error}\n{link}")).expect("a link");
        assert_eq!(fingerprint(&panels), pinned, "{link}");
    }
}

#[test]
fn links_of_version_1_are_written_as_they_were() {
    for (link, _) in LINKS {
        let panels = read(link).unwrap_or_else(|error| panic!("{error}\n{link}")).expect("a link");
        assert_eq!(write(&panels).as_deref(), Ok(link));
    }
}
