//! A panel's transport without a page: going back, acting, comparing, and coming back to what was saved.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use keyed_worker_pool::{
    deck::Deck,
    ids::{ConsumerId, Offset, Tick},
    ledger::Event,
    link::Compare,
    presets::{Panel, Start, rebalance::Rebalance, watermark::Watermark},
    world::{Input, Knob, config::CommitOffset},
};

fn events(deck: &Deck) -> Vec<Event> {
    deck.runs().iter().flat_map(|run| run.run().ledger().events().to_vec()).collect()
}

fn played_to(deck: &mut Deck, tick: u64) {
    while deck.tick() < Tick(tick) && deck.advance() {}
}

#[test]
fn every_panel_opens_at_the_end_of_tick_0_and_plays_to_its_end() {
    for (panel, length) in Panel::ALL.into_iter().zip([None, Some(119), Some(119), Some(23)]) {
        let mut deck = Deck::opening(panel);
        assert_eq!((deck.tick(), deck.start()), (Tick(0), &Start::opening(panel)));
        assert!(length.is_none_or(|length| deck.length() == Tick(length)), "{panel:?}");
        while !deck.is_played_out() {
            assert!(deck.advance());
        }
        assert!(deck.tick() <= deck.length());
        assert!(deck.is_at_end() || panel == Panel::Watermark);
    }
}

#[test]
fn the_dispatch_panel_lasts_as_long_as_its_work() {
    let mut deck = Deck::opening(Panel::Dispatch);
    played_to(&mut deck, u64::MAX);
    let last = deck.runs().iter().filter_map(|run| run.run().ledger().counters().last_completion).max();
    assert_eq!(Some(deck.length()), last);
}

#[test]
fn a_hand_that_taps_is_recorded_and_replayed() {
    let mut deck = Deck::opening(Panel::Watermark);
    played_to(&mut deck, 30);
    let (before, acts) = (events(&deck), deck.branch().acts().clone());
    assert_eq!(acts.len(), 30);
    deck.seek(Tick(12));
    played_to(&mut deck, 30);
    assert_eq!((events(&deck), deck.branch().acts()), (before, &acts));
}

#[test]
fn acting_in_the_past_drops_the_old_future_and_comparing_keeps_it() {
    for comparing in [false, true] {
        let mut deck = Deck::opening(Panel::Watermark);
        deck.compare(comparing);
        played_to(&mut deck, 20);
        let old = events(&deck);
        deck.seek(Tick(11));
        assert!(deck.act(&[Input::Crash(ConsumerId::A)]));
        assert_eq!(deck.branch().acts().keys().max(), Some(&Tick(11)));
        let kept = deck.kept().map(|(_, fork)| fork);
        assert_eq!(kept, comparing.then_some(Tick(11)));
        played_to(&mut deck, 20);
        if let Some((branch, _)) = deck.kept() {
            let events: Vec<Event> =
                branch.runs().iter().flat_map(|run| run.run().ledger().events().to_vec()).collect();
            assert_eq!(events, old, "the old future goes on as it was");
        }
    }
}

#[test]
fn what_differs_between_two_futures_is_named() {
    let mut deck = Deck::opening(Panel::Watermark);
    deck.compare(true);
    deck.act(&[Input::Complete(Offset(3))]);
    let kept = deck.kept().map(|(_, fork)| fork);
    assert_eq!(kept, Some(Tick(1)), "an act at the newest moment has an old future too: the one without it");
    let difference = deck.difference(0).unwrap();
    assert_eq!(difference.first, Some(Tick(1)));
    let names: Vec<_> = difference.outcome.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, ["completions", "rows"]);
    assert_eq!(deck.forked_by(), [vec![(Tick(1), Input::Complete(Offset(3)))], vec![]]);
    assert_eq!(deck.difference(1), None, "there is no such run");
}

#[test]
fn a_knob_written_into_the_past_is_compared_from_the_start() {
    let mut deck = Deck::opening(Panel::Rebalance);
    deck.compare(true);
    played_to(&mut deck, 23);
    deck.rewrite(deck.start().clone().turned(&[Knob::Drain(2)])).unwrap();
    assert_eq!(deck.kept().map(|(_, fork)| fork), Some(Tick(0)));
    assert_eq!(deck.forked_by(), [2, 7].map(|ticks| vec![(Tick(0), Input::Set(vec![Knob::Drain(ticks)]))]));
    // Both are told of the drain in tick 10, with another deadline.
    let difference = deck.difference(0).unwrap();
    assert_eq!(difference.first, Some(Tick(10)));
    assert!(difference.outcome.iter().any(|(name, old, new)| *name == "leaked" && old != new));
    // Dragging on changes the new future only; its fork stays.
    deck.rewrite(deck.start().clone().turned(&[Knob::Drain(3)])).unwrap();
    let kept = deck.kept().unwrap().0.start().clone();
    assert_eq!(kept, Start::Rebalance(Rebalance::default()));
    deck.take_back();
    assert_eq!(*deck.start(), Start::Rebalance(Rebalance::default()));
    assert_eq!(deck.tick(), Tick(23));
}

#[test]
fn an_act_before_the_fork_forks_anew() {
    let mut deck = Deck::opening(Panel::Watermark);
    deck.compare(true);
    played_to(&mut deck, 20);
    deck.seek(Tick(15));
    deck.act(&[Input::Complete(Offset(0))]);
    let first = deck.branch().acts().clone();
    deck.seek(Tick(5));
    deck.act(&[Input::Crash(ConsumerId::A)]);
    let (kept, fork) = deck.kept().unwrap();
    assert_eq!((fork, kept.acts()), (Tick(5), &first));
}

#[test]
fn a_turned_knob_is_what_a_restart_begins_with_unless_the_reader_went_back_before_it() {
    let mut deck = Deck::opening(Panel::Watermark);
    played_to(&mut deck, 5);
    deck.turn(&[Knob::CommitOffset(CommitOffset::Highest)]).unwrap();
    deck.step();
    let highest = Start::Watermark(Watermark { commit: CommitOffset::Highest, ..Watermark::default() });
    assert_eq!(deck.as_turned(), highest);
    deck.seek(Tick(3));
    assert_eq!(deck.as_turned(), Start::opening(Panel::Watermark));
    deck.seek(Tick(7));
    deck.restart().unwrap();
    assert_eq!((deck.start(), deck.tick()), (&highest, Tick(0)));
    assert!(deck.branch().acts().is_empty());
}

#[test]
fn at_the_opening_a_knob_is_a_setting() {
    let mut deck = Deck::opening(Panel::Backpressure);
    deck.turn(&[Knob::Poll(5)]).unwrap();
    assert!(deck.branch().acts().is_empty());
    assert!(deck.runs().iter().all(|run| run.setup().knobs().poll == 5));
    let before = deck.saved(false);
    assert!(deck.turn(&[Knob::Poll(0)]).is_err());
    assert_eq!(deck.saved(false), before, "what breaks a rule changes nothing");
}

#[test]
fn what_was_saved_comes_back_whole() {
    let mut deck = Deck::opening(Panel::Watermark);
    deck.compare(true);
    played_to(&mut deck, 25);
    deck.seek(Tick(9));
    deck.act(&[Input::Poison(Offset(4))]);
    played_to(&mut deck, 18);
    let saved = deck.saved(true);
    assert!(matches!(saved.compare, Compare::Kept(_)));
    let back = Deck::restore(&saved).unwrap();
    assert_eq!(back.saved(true), saved);
    assert_eq!(events(&back), events(&deck));
    assert_eq!(back.difference(0), deck.difference(0));
}

#[test]
fn the_revision_changes_exactly_when_a_known_future_does() {
    let mut deck = Deck::opening(Panel::Watermark);
    played_to(&mut deck, 10);
    let revision = deck.revision();
    deck.seek(Tick(4));
    deck.advance();
    deck.seek(Tick(11));
    assert_eq!(deck.revision(), revision, "moving about changes nothing");
    deck.seek(Tick(4));
    deck.act(&[Input::Complete(Offset(1))]);
    assert_ne!(deck.revision(), revision);
}
