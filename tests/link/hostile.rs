//! What is no link, and what the page says about it: each sentence is what a reader sees.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::link::read;

use super::restored;

fn sentence(link: &str) -> String {
    match read(link) {
        Err(error) => error.to_string(),
        Ok(read) => panic!("{link:?} reads as {read:?}"),
    }
}

fn packed(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

#[test]
fn text_that_is_no_link() {
    let long = "x".repeat(100);
    let pairs = [
        ("=", "The link does not begin with its version, `v=1`, but with `=`."),
        ("#a=b", "The link does not begin with its version, `v=1`, but with `a=b`."),
        ("panel=dispatch", "The link does not begin with its version, `v=1`, but with `panel=dispatch`."),
        ("&v=1", "The link does not begin with its version, `v=1`, but with ``."),
        ("##v=1", "The link does not begin with its version, `v=1`, but with `#v=1`."),
        ("V=1&panel=dispatch", "The link does not begin with its version, `v=1`, but with `V=1`."),
        (
            "<b>=\u{202e}\0",
            "The link does not begin with its version, `v=1`, but with `<b>=\\u{202e}\\u{0}`.",
        ),
        ("v=3&panel=dispatch", "The link is of version 3, and this page reads up to version 1."),
        ("v=3&never=heard&of", "The link is of version 3, and this page reads up to version 1."),
        ("v=0", "The link's version is `0`, and versions are numbers from 1 on."),
        ("v=", "The link's version is ``, and versions are numbers from 1 on."),
        ("v=one", "The link's version is `one`, and versions are numbers from 1 on."),
        ("v=-1", "The link's version is `-1`, and versions are numbers from 1 on."),
        ("v=1", "The link names no panel."),
        ("v=1&", "The link has an `&` with nothing after it."),
        ("v=1&panel=dispatch&", "The link has an `&` with nothing after it."),
        ("v=1&&panel=dispatch", "The link has an `&` with nothing after it."),
        ("v=1&panel", "The link's `panel` has no value."),
        ("v=1&panel=dispatch&playing", "The link's `playing` has no value."),
        ("v=1&tick=5", "The link's `tick` comes before any panel."),
        ("v=1&v=1", "The link's `v` comes before any panel."),
        (
            "v=1&panel=foo",
            "The link names the panel `foo`; there are dispatch, watermark, backpressure and rebalance.",
        ),
        (
            "v=1&panel=",
            "The link names the panel ``; there are dispatch, watermark, backpressure and rebalance.",
        ),
        (
            "v=1&panel=Dispatch",
            "The link names the panel `Dispatch`; there are dispatch, watermark, backpressure and rebalance.",
        ),
        ("v=1&panel=dispatch&panel=dispatch", "The link names the panel `dispatch` twice."),
        ("v=1&panel=dispatch&foo=1", "The link sets `foo`, which its dispatch panel does not have."),
        ("v=1&panel=dispatch&v=1", "The link sets `v`, which its dispatch panel does not have."),
        ("v=1&panel=dispatch&=1", "The link sets ``, which its dispatch panel does not have."),
        (
            "v=1&panel=rebalance&workers=4",
            "The link sets `workers`, which its rebalance panel does not have.",
        ),
        ("v=1&panel=dispatch&seed=1&seed=2", "The link sets `seed` of its dispatch panel twice."),
        ("v=1&panel=watermark&tick=1&tick=1", "The link sets `tick` of its watermark panel twice."),
    ];
    for (link, expected) in pairs {
        assert_eq!(sentence(link), expected, "{link}");
    }
    let cut = format!("The link's `{}…` has no value.", "x".repeat(40));
    assert_eq!(sentence(&format!("v=1&{long}")), cut);
    let too_long = format!("v=1&panel=dispatch&acts={}", "A".repeat(60_000));
    assert_eq!(sentence(&too_long), "The link is longer than 60,000 characters.");
}

#[test]
fn settings_that_no_control_offers() {
    let pairs = [
        ("dispatch&workers=900", "The link's `workers` is 900, and that goes from 1 to 8."),
        ("dispatch&workers=0", "The link's `workers` is 0, and that goes from 1 to 8."),
        ("dispatch&workers=", "The link's `workers` is ``, and that is a number from 1 to 8."),
        ("dispatch&workers=-1", "The link's `workers` is `-1`, and that is a number from 1 to 8."),
        ("dispatch&workers=+1", "The link's `workers` is `+1`, and that is a number from 1 to 8."),
        ("dispatch&workers=4.0", "The link's `workers` is `4.0`, and that is a number from 1 to 8."),
        ("dispatch&workers=٤", "The link's `workers` is `٤`, and that is a number from 1 to 8."),
        ("dispatch&keys=9", "The link's `keys` is 9, and that goes from 1 to 8."),
        ("dispatch&skew=4", "The link's `skew` is 4, and that goes from 0 to 3."),
        (
            "dispatch&seed=18446744073709551616",
            "The link's `seed` is `18446744073709551616`, and that is a number from 0 to 18446744073709551615.",
        ),
        (
            "dispatch&routing=lanes.5",
            "The link's `routing` is `lanes.5`, and that is keyed, serial, shared or lanes.4.",
        ),
        ("watermark&commit=lowest", "The link's `commit` is `lowest`, and that is watermark or highest."),
        ("watermark&map=yes", "The link's `map` is `yes`, and that is 0 or 1."),
        ("watermark&every=0", "The link's `every` is 0, and that goes from 1 to 10."),
        ("watermark&quarantine=13", "The link's `quarantine` is 13, and that goes from 1 to 12."),
        ("watermark&tap=2", "The link's `tap` is `2`, and that is 0 or 1."),
        ("backpressure&fetch=25", "The link's `fetch` is 25, and that goes from 1 to 24."),
        ("backpressure&drain=13", "The link's `drain` is 13, and that goes from 1 to 12."),
        ("backpressure&mode=stop", "The link's `mode` is `stop`, and that is pause, unbounded or block."),
        ("rebalance&drain=11", "The link's `drain` is 11, and that goes from 0 to 10."),
        ("rebalance&guard=on", "The link's `guard` is `on`, and that is off, newer or not-older."),
        ("dispatch&tick=250", "The link's `tick` is 250, and that goes from 0 to 249."),
        ("rebalance&tick=24", "The link's `tick` is 24, and that goes from 0 to 23."),
        ("rebalance&playing=true", "The link's `playing` is `true`, and that is 0 or 1."),
        ("rebalance&compare=2", "The link's `compare` is `2`, and that is 0 or 1."),
        ("rebalance&fork=25", "The link's `fork` is 25, and that goes from 0 to 24."),
        (
            "rebalance&compare=1&fork=3",
            "The link has both `compare` and `fork`, and a panel has one of them.",
        ),
        ("rebalance&old.drain=2", "The link's `old.drain` belongs to a `fork`, and there is none."),
        ("rebalance&old.acts=", "The link's `old.acts` belongs to a `fork`, and there is none."),
        ("rebalance&fork=2&old.drain=99", "The link's `old.drain` is 99, and that goes from 0 to 10."),
        ("rebalance&fork=2&old.tick=1", "The link sets `old.tick`, which its rebalance panel does not have."),
        (
            "rebalance&fork=0&old.before=",
            "The link sets `old.before`, which its rebalance panel does not have.",
        ),
        (
            "rebalance&fork=2&old.scenario=AA",
            "The link sets `old.scenario`, which its rebalance panel does not have.",
        ),
    ];
    for (rest, expected) in pairs {
        assert_eq!(sentence(&format!("v=1&panel={rest}")), expected, "{rest}");
    }
}

#[test]
fn acts_that_cannot_be() {
    let text = [
        ("AA==", "In the link's `acts` there is a `=` at place 3, which does not belong there."),
        ("A+", "In the link's `acts` there is a `+` at place 2, which does not belong there."),
        ("A%41", "In the link's `acts` there is a `%` at place 2, which does not belong there."),
        ("AAé", "In the link's `acts` there is a `é` at place 3, which does not belong there."),
        ("\n", "In the link's `acts` there is a `\\n` at place 1, which does not belong there."),
        ("A", "The link is cut off: its `acts` end in the middle."),
        ("AB", "The link is cut off: its `acts` end in the middle."),
    ];
    for (acts, expected) in text {
        assert_eq!(sentence(&format!("v=1&panel=dispatch&acts={acts}")), expected, "{acts}");
    }
    let bytes: [(&[u8], &str); 16] = [
        (&[0x80], "The link is cut off: its `acts` end in the middle."),
        (&[8], "The link is cut off: its `acts` end in the middle."),
        (&[10, 0], "The link is cut off: its `acts` end in the middle."),
        (&[14, 2, 0, 1], "The link is cut off: its `acts` end in the middle."),
        // More knobs than there can be bytes.
        (
            &[14, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            "The link is cut off: its `acts` end in the middle.",
        ),
        (&[11, 2], "In the link's `acts` the number of a consumer is 2, and that goes from 0 to 1."),
        (&[13, 0, 9], "In the link's `acts` the number of a consumer is 9, and that goes from 0 to 1."),
        (&[8, 1], "In the link's `acts` an offset is none of those from 0 to 9223372036854775806."),
        (
            &[8, 254, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            "In the link's `acts` an offset is none of those from 0 to 9223372036854775806.",
        ),
        (
            &[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
            "In the link's `acts` a number has more than 64 bits.",
        ),
        (
            &[128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0],
            "In the link's `acts` a number has more than 64 bits.",
        ),
        (&[224, 15, 0], "In the link's `acts` the tick of an input is 252, and that goes from 0 to 251."),
        (
            &[248, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0],
            "In the link's `acts` the tick of an input is 2305843009213693951, and that goes from 0 to 251.",
        ),
        (
            &[10, 0, 193, 132, 61],
            "In the link's `acts` the length of a stall is 1000001, and that goes from 0 to 1000000.",
        ),
        (&[14, 1, 20, 0], "In the link's `acts` the kind of a knob is 20, and that goes from 0 to 19."),
        (
            &[14, 1, 0, 129, 8],
            "In the link's `acts` the number of workers is 1025, and that goes from 0 to 1024.",
        ),
    ];
    for (acts, expected) in bytes {
        assert_eq!(sentence(&format!("v=1&panel=dispatch&acts={}", packed(acts))), expected, "{acts:?}");
    }
    let many = packed(&[3, 0].repeat(10_001));
    let expected = "In the link's `acts` there are more than 10,000 inputs.";
    assert_eq!(sentence(&format!("v=1&panel=dispatch&acts={many}")), expected);
    let late = format!("v=1&panel=rebalance&fork=12&old.before={}", packed(&[99, 0]));
    let expected = "In the link's `old.before` the tick of an input is 12, and that goes from 0 to 11.";
    assert_eq!(sentence(&late), expected);
    let late = format!("v=1&panel=rebalance&fork=12&old.acts={}", packed(&[115, 0]));
    let expected = "In the link's `old.acts` the tick of an input is 26, and that goes from 12 to 25.";
    assert_eq!(sentence(&late), expected);
}

#[test]
fn knobs_that_cannot_be() {
    let bytes: [(&[u8], &str); 11] = [
        (&[1, 4], "the kind of routing is 4, and that goes from 0 to 3"),
        (&[1, 3, 129, 8], "the number of lanes is 1025, and that goes from 0 to 1024"),
        (&[2, 2], "the place of records without a key is 2, and that goes from 0 to 1"),
        (&[4, 2], "the place of a retry is 2, and that goes from 0 to 1"),
        (&[5, 145, 78], "the number of records a poll is 10001, and that goes from 0 to 10000"),
        (&[6, 3], "the kind of intake is 3, and that goes from 0 to 2"),
        (&[7, 2], "the switch of a limit is 2, and that goes from 0 to 1"),
        (&[10, 2], "the kind of commit is 2, and that goes from 0 to 1"),
        (&[11, 2], "the acknowledgement map's switch is 2, and that goes from 0 to 1"),
        (&[13, 1, 2], "what follows a dead letter is 2, and that goes from 0 to 1"),
        (&[15, 3], "the kind of guard is 3, and that goes from 0 to 2"),
    ];
    for (knob, expected) in bytes {
        let acts = packed(&[&[14, 1], knob].concat());
        let expected = format!("In the link's `acts` {expected}.");
        assert_eq!(sentence(&format!("v=1&panel=dispatch&acts={acts}")), expected, "{knob:?}");
    }
}

#[test]
fn scenarios_that_cannot_be() {
    let bytes: [(&[u8], &str); 19] = [
        (&[], "The link is cut off: its `scenario` ends in the middle."),
        (&[0], "In the link's `scenario` there is no log."),
        (&[128, 1], "In the link's `scenario` the number of its parts is 128, and that goes from 0 to 127."),
        (&[1, 200, 1], "The link is cut off: its `scenario` ends in the middle."),
        (&[1, 2, 255, 254], "In the link's `scenario` the title is not text."),
        (
            &[2, 161, 141, 6],
            "In the link's `scenario` the last tick is 100001, and that goes from 0 to 100000.",
        ),
        (&[4, 2], "In the link's `scenario` the place of the run in front is 2, and that goes from 0 to 1."),
        (&[8, 2], "In the link's `scenario` the members' number is 2, and that goes from 0 to 1."),
        (&[16, 1, 0, 0], "In the link's `scenario` consumer.workers is 0, but must be at least 1."),
        (
            &[16, 1, 6, 0, 8, 8],
            "In the link's `scenario` consumer.intake.pause.low is 8, but must be below the high mark, 8.",
        ),
        (&[32, 0, 2], "In the link's `scenario` the kind of log is 2, and that goes from 0 to 1."),
        (
            &[32, 255, 255, 255, 255, 255, 255, 255, 255, 127, 1, 0, 0],
            "In the link's `scenario` the log's start is 9223372036854775807, and that goes from 0 to \
             9223372036854775806.",
        ),
        (
            &[32, 0, 0, 7, 193, 132, 61, 1, 0, 1, 0],
            "In the link's `scenario` the number of records is 1000001, and that goes from 0 to 1000000.",
        ),
        (
            &[32, 0, 0, 7, 1, 145, 78, 0, 1, 0],
            "In the link's `scenario` the number of keys is 10001, and that goes from 1 to 10000.",
        ),
        (
            &[32, 0, 0, 7, 1, 144, 78, 0, 1, 0],
            "In the link's `scenario` log.generate.keys is 10000, but a draw has 32 bits: use a smaller range or fewer keys.",
        ),
        // More keys and more records than there can be bytes.
        (
            &[32, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            "The link is cut off: its `scenario` ends in the middle.",
        ),
        (
            &[32, 0, 1, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 32, 0],
            "The link is cut off: its `scenario` ends in the middle.",
        ),
        (
            &[32, 0, 1, 0, 1, 32, 1],
            "In the link's `scenario` the number of a key is 1, and that goes from 0 to 0.",
        ),
        (&[32, 0, 1, 0, 0, 7], "In the link's `scenario` something follows after its end."),
    ];
    for (scenario, expected) in bytes {
        let link = format!("v=1&panel=dispatch&scenario={}", packed(scenario));
        assert_eq!(sentence(&link), expected, "{scenario:?}");
    }
    let records: [(&[u8], &str); 4] = [
        (&[128, 1, 0], "the kind of a record is 128, and that goes from 0 to 127"),
        (&[16, 0, 0], "log.records[0].work is 0, but must be at least 1"),
        (
            &[33, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            "an offset is none of those from 0 to 9223372036854775806",
        ),
        (
            &[34, 0, 255, 255, 255, 255, 255, 1],
            "the number of failures is 68719476735, and that goes from 0 to 4294967295",
        ),
    ];
    for (record, expected) in records {
        let scenario = packed(&[&[32, 0, 1, 0, 1], record].concat());
        let expected = format!("In the link's `scenario` {expected}.");
        assert_eq!(sentence(&format!("v=1&panel=rebalance&scenario={scenario}")), expected, "{record:?}");
    }
    let link = format!("v=1&panel=dispatch&scenario={}&workers=4", packed(&[32, 0, 1, 0, 0]));
    assert_eq!(sentence(&link), "The link sets `workers`, which its dispatch panel does not have.");
}

/// Knobs turned under way that break a rule are the world's to ignore, and it says so.
#[test]
fn a_turned_knob_that_breaks_a_rule_is_ignored_in_the_run() {
    let link = format!("v=1&panel=watermark&tick=3&acts={}", packed(&[14, 1, 0, 0, 8, 4]));
    let panels = read(&link).unwrap().unwrap();
    let player = &restored(&panels[0])[0];
    let events = player.run().ledger().events();
    let said = events.iter().map(|event| event.sentence(player.setup().log()));
    assert_eq!(said.filter(|sentence| sentence.contains("ignored")).count(), 1);
    assert_eq!(player.knobs().workers, player.setup().knobs().workers);
}

/// As much as 60,000 characters can ask for, and none of it is there.
#[test]
fn counts_that_lie_cost_nothing() {
    let most = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
    let knobs = [&[14][..], &most, &[0, 1].repeat(20_000)].concat();
    assert_eq!(
        sentence(&format!("v=1&panel=dispatch&acts={}", packed(&knobs))),
        "The link is cut off: its `acts` end in the middle."
    );
    // One long key for very many records.
    let key = [&[32, 0, 1, 1, 144, 78][..], &[b'x'; 10_000]].concat();
    let records = [&key[..], &[160, 156, 1], &[32, 1].repeat(17_000)].concat();
    assert_eq!(
        sentence(&format!("v=1&panel=dispatch&scenario={}", packed(&records))),
        "The link is cut off: its `scenario` ends in the middle."
    );
    let records = [&key[..], &[232, 132, 1], &[32, 1].repeat(17_000)].concat();
    let panels = read(&format!("v=1&panel=dispatch&scenario={}", packed(&records))).unwrap().unwrap();
    let log = restored(&panels[0])[0].setup().log().clone();
    assert_eq!((log.len(), log.key_count()), (17_000, 1));
}
