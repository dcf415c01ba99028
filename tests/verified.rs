//! The matrix on the page: what is recorded is what is shown, every example does what its cell says, and the
//! numbers are those that the searches count.
#![cfg(not(target_arch = "wasm32"))]

use keyed_worker_pool::{
    deck::Deck,
    ledger::INVARIANTS,
    link,
    verify::{Configuration, Record, Row, Size, sample, suites},
};

fn recorded() -> Record {
    Record::from_json(include_str!("../docs/verified.json")).expect("docs/verified.json is a record")
}

#[test]
fn the_page_shows_the_record() {
    let record = recorded();
    assert!(
        record.to_html() == include_str!("../www/proof.html"),
        "www/proof.html is not of docs/verified.json"
    );
    assert_eq!(Record::from_json(&record.to_json()), Ok(record));
}

/// The suites' names and bounds are those that are recorded, and each breaks what it is to break and nothing else.
#[test]
fn the_record_is_of_these_suites() {
    let record = recorded();
    assert!(record.command.contains("--large"));
    let suites = suites(Size::Large);
    assert_eq!(record.rows.len(), suites.len());
    for (row, suite) in record.rows.iter().zip(&suites) {
        assert_eq!((row.suite.as_str(), row.bounds.as_str()), (suite.name, suite.bounds.as_str()));
        assert_eq!(row.configurations, suite.configurations.len() as u64, "{}", suite.name);
        assert_eq!(row.breaks.len(), suite.breaks.len(), "{}", suite.name);
        assert!(suite.breaks.iter().all(|sentence| row.breaks.contains_key(*sentence)), "{}", suite.name);
        assert_eq!(row.stuck.is_some(), suite.sticks, "{}", suite.name);
        // What the small systems ask is asked, in all of their states if all of them do; random runs may ask more.
        for invariant in &INVARIANTS {
            let asks = |configuration: &&Configuration| configuration.asked().contains(invariant.sentence);
            let asking = suite.configurations.iter().filter(asks).count() as u64;
            let states = row.asked.get(invariant.sentence).map_or(0, |asked| asked.states);
            let expected = if asking == row.configurations { row.states } else { states.min(row.states - 1) };
            assert_eq!(
                (states, states > 0),
                (expected, asking > 0),
                "{}: {}",
                suite.name,
                invariant.sentence
            );
        }
        // The same number stands among the pinned ones, which tests/exhaustive.rs counts.
        let pinned = include_str!("exhaustive.rs").replace('_', "");
        assert!(pinned.contains(&row.states.to_string()), "{}: {} states", suite.name, row.states);
    }
}

/// Every example opens in its panel, at a tick in which the promise is broken and before which it was not.
#[test]
fn every_example_breaks_what_its_cell_says() {
    for Row { suite, breaks, .. } in recorded().rows {
        for (sentence, shown) in breaks {
            let panels = link::read(&shown.link).expect("a link").expect("of a panel");
            let [saved] = &panels[..] else { panic!("{suite}: one panel") };
            assert_eq!(saved.tick.0, shown.tick, "{suite}: {sentence}");
            let mut deck = Deck::restore(saved).expect("a deck");
            let (place, _) = INVARIANTS
                .iter()
                .enumerate()
                .find(|(_, invariant)| invariant.sentence == sentence)
                .expect("a sentence of the table");
            let broken = |deck: &Deck| {
                let front = &deck.runs()[deck.start().front()];
                front.run().ledger().verdicts().broken_since(place)
            };
            assert_eq!(broken(&deck), Some(saved.tick), "{suite}: {sentence}");
            if saved.tick.0 > 0 {
                deck.seek(saved.tick);
                assert_eq!(broken(&deck), None, "{suite}: {sentence}");
            }
        }
    }
}

/// A link to a run that gets nowhere leads to what its end tells: what is left, or that the owner is gone.
#[test]
fn what_gets_nowhere_says_so_at_its_end() {
    let mut never = 0;
    for (suite, shown) in recorded().rows.into_iter().filter_map(|row| Some((row.suite, row.stuck?))) {
        let panels = link::read(&shown.link).expect("a link").expect("of a panel");
        let deck = Deck::restore(&panels[0]).expect("a deck");
        let mut front = deck.runs()[deck.start().front()].clone();
        front.play_out();
        let world = front.run().world();
        assert!(world.is_settled(), "{suite}");
        match world.left_for_ever() {
            Some(left) => never += left.never,
            None => assert_eq!(world.owner(), None, "{suite}"),
        }
    }
    assert!(never > 0, "none for a record that never ends");
}

/// A thousand random runs of each suite, with every test: nothing breaks that nothing breaks on purpose.
#[test]
fn samples_hold_no_surprise() {
    for suite in suites(Size::Small) {
        let sample = sample(&suite, 1_000, 20_000).expect("its rules suit any log");
        let surprise = sample.surprises.first().map(|surprise| {
            surprise.example.scenario(&surprise.what, &[]).unwrap_or_else(|error| error.to_string())
        });
        assert_eq!(surprise, None, "{}", suite.name);
        assert!(sample.ticks > 1_000 * 5, "{}: {} ticks", suite.name, sample.ticks);
        // What may break does so in the large as well, but for what takes a coincidence.
        let broken = suite.breaks.iter().filter(|sentence| sample.broken.contains_key(*sentence)).count();
        assert!(2 * broken >= suite.breaks.len(), "{}: only {broken} broken", suite.name);
    }
}
