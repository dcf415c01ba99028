//! Everything at once: rules drawn from all there are, under troubles of every kind.
//!
//! The other suites vary one mechanism each and leave the rest as it usually is. What goes wrong only where two or
//! three of them meet (a retry that waits while its partition is handed over, a pause under lanes that are turned into
//! one queue) is looked for here. All combinations are too many to visit, so they are drawn, and each one drawn is
//! visited whole.

use std::sync::Arc;

use super::{Configuration, Size, Suite, Troubles, dice::Dice};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::INVARIANTS,
    mechanism::Guard,
    world::{
        Fails, Knob, Knobs, Log, NewRecord, Setup, Work,
        config::{CommitOffset, Intake, NullKeys, Quarantine, RetryAt, Routing, Then},
    },
};

/// Rules, logs and troubles draw from streams of their own.
const RULES_STREAM: u64 = 21;
const LOG_STREAM: u64 = 22;
const TROUBLE_STREAM: u64 = 23;

/// How large the numbers of small systems are: threads, records of a poll, ticks of a timer.
const SMALL: u64 = 2;

/// Records of a small system.
const RECORDS: i64 = 3;

/// What nothing breaks but a client's ways, which are not crossed here.
const BY_CLIENTS_WAYS: [&str; 5] = [
    "watermark and committed offset never go back",
    "a partition is paused only while its owner's gate is closed",
    "a poll through an open gate brings what there is",
    "nothing after the fence changes tracker or commit",
    "what stays with its owner is not revoked",
];

/// Systems drawn: as many as can be visited whole in seconds, and in a minute.
const CROSSED_SMALL: u64 = 300;
const CROSSED_LARGE: u64 = 600;

/// Rules drawn from all there are, whose numbers go up to `most` or a little above.
pub(super) fn draw_knobs(dice: &mut Dice, most: u64) -> Knobs {
    let high = 1 + dice.below(most);
    let pause = Intake::Pause { high, low: dice.below(high) };
    let lanes = Routing::Lanes(2 + dice.below(most - 1) as u32);
    let letters = Quarantine { after: dice.below(most + 1), then: dice.pick(&[Then::Continue, Then::Park]) };
    let some = |dice: &mut Dice, value: u64| dice.one_in(2).then_some(value);
    let (ceiling, interval) = (1 + dice.below(2 * most), 2 + dice.below(2 * most));
    Knobs {
        workers: 1 + dice.below(most) as u32,
        routing: dice.pick(&[Routing::Keyed, Routing::Keyed, Routing::Shared, Routing::Serial, lanes]),
        null_keys: dice.pick(&[NullKeys::Mailbox, NullKeys::Spread]),
        retry_delay: 1 + dice.below(most),
        retry_at: dice.pick(&[RetryAt::Head, RetryAt::Head, RetryAt::Tail]),
        poll: if dice.one_in(4) { 500 } else { 1 + dice.below(most) },
        intake: dice.pick(&[pause, pause, pause, Intake::Unbounded, Intake::Block]),
        heap_ceiling: some(dice, ceiling),
        max_poll_interval: some(dice, interval),
        commit_every: 1 + dice.below(most),
        commit_offset: dice.pick(&[CommitOffset::Watermark, CommitOffset::Watermark, CommitOffset::Highest]),
        ack_map: dice.one_in(2),
        ack_map_limit: if dice.one_in(4) { 4 } else { 4096 },
        quarantine: dice.one_in(2).then_some(letters),
        drain: dice.below(2 * most),
        guard: dice.pick(&[Guard::Newer, Guard::NotOlder, Guard::Off]),
        ..Knobs::default()
    }
}

/// A knob, or two, to be turned: as other rules have them.
pub(super) fn draw_turn(dice: &mut Dice, most: u64, rules: &Knobs) -> Vec<Knob> {
    let mut others = draw_knobs(dice, most).differences(rules);
    let count = 1 + dice.below(2);
    // Whoever draws the rules that there are turns something anyway.
    let mut turn = vec![Knob::Drain(rules.drain + 1)];
    for nth in 0..count {
        if !others.is_empty() {
            let knob = others.swap_remove(dice.below(others.len() as u64) as usize);
            if nth == 0 { turn[0] = knob } else { turn.push(knob) }
        }
    }
    turn
}

/// Systems drawn from all rules crossed.
pub(super) fn crossed(size: Size) -> Suite {
    let (count, kinds) = size.pick((CROSSED_SMALL, 2), (CROSSED_LARGE, 3));
    let configurations = (0..count).map(|nth| draw(nth, kinds)).collect();
    let all = INVARIANTS.iter().filter(|invariant| !invariant.broken_by.is_empty());
    let all = all.map(|invariant| invariant.sentence).filter(|sentence| !BY_CLIENTS_WAYS.contains(sentence));
    Suite {
        name: "everything at once",
        bounds: format!(
            "{count} systems drawn from all rules crossed: {RECORDS} records over 1 or 2 keys or none, that end at any \
             tick, take 1 or 2, fail once or always, or are stuck; every routing, intake, guard and commit, retries at \
             the head and the tail, with and without heap ceiling, poll interval, quarantine (what always fails in a \
             shared queue or at the tail has one) and acknowledgement map, which may not fit; 1 or 2 workers, timers of \
             some ticks; in each {} of a crash, a revoke, a poison, a stall and a turned knob or two, at any tick and in \
             any order",
            if kinds == 2 { "2" } else { "3 (2 where owners may end again and again of themselves)" }
        ),
        breaks: all.collect(),
        sticks: true,
        is_crossed: true,
        configurations,
    }
}

/// One system, with so many kinds of trouble.
fn draw(seed: u64, kinds: u64) -> Configuration {
    let mut knobs = draw_knobs(&mut Dice::new(seed, RULES_STREAM), SMALL);
    let log = draw_log(&mut Dice::new(seed, LOG_STREAM));
    let mut dice = Dice::new(seed, TROUBLE_STREAM);
    let mut troubles = Troubles::default();
    let mut left = vec![0, 1, 2, 3, 4];
    for _ in 0..kinds {
        let kind = left.swap_remove(dice.below(left.len() as u64) as usize);
        let Troubles { crashes, revokes, poisons, stalls, turns, .. } = &mut troubles;
        *[crashes, revokes, poisons, stalls, turns][kind] = 1;
    }
    let mut turn = draw_turn(&mut dice, SMALL, &knobs);
    if fails_for_ever(&log, troubles)
        && (queues_anew(&knobs) || knobs.with(&turn).is_ok_and(|knobs| queues_anew(&knobs)))
    {
        let after = dice.below(SMALL + 1);
        knobs.quarantine.get_or_insert(Quarantine { after, then: Then::Continue });
        turn.retain(|knob| *knob != Knob::Quarantine(None));
    }
    let members = if dice.one_in(4) { &[ConsumerId::A][..] } else { &ConsumerId::ALL };
    let setup = Setup::new(log, knobs, members).expect("knobs that make sense");
    let configuration = Configuration::new(setup).with_troubles(troubles, 1);
    let configuration = configuration.with_turns(vec![turn], troubles.turns).expect("turns that make sense");
    // Each end leaves attempts running, in every way there is: with a third trouble that is too much to visit.
    if configuration.may_end_again && kinds > 2 { draw(seed, 2) } else { configuration }
}

fn fails_for_ever(log: &Log, troubles: Troubles) -> bool {
    troubles.poisons > 0 || log.iter_from(0).any(|record| record.fails == Fails::Always)
}

/// Whether a record that fails gets a new number in its queue each time. One that does so for ever would make a new
/// state of each attempt, and a quarantine is given to it; with an old number, as in a mailbox, it needs none.
fn queues_anew(knobs: &Knobs) -> bool {
    knobs.routing == Routing::Shared || knobs.retry_at == RetryAt::Tail
}

fn draw_log(dice: &mut Dice) -> Arc<Log> {
    let gap = i64::from(dice.one_in(4));
    let records = (0..RECORDS).map(|nth| NewRecord {
        offset: Offset(nth * (1 + gap)),
        // Of two lanes A is in the first and D in the second.
        key: dice.pick(&[Some("A"), Some("A"), Some("D"), None]).map(Into::into),
        work: match dice.below(8) {
            0 => Work::Never,
            1 | 2 => Work::Ticks(1 + dice.below(2)),
            _ => Work::UntilTapped,
        },
        fails: match dice.below(6) {
            0 => Fails::Always,
            1 => Fails::First(1),
            _ => Fails::First(0),
        },
        since: Tick(0),
    });
    Arc::new(Log::from_records(Offset(0), records.collect::<Vec<_>>()).expect("ascending offsets"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is crossed: the mechanisms and troubles that a configuration has.
    fn features(configuration: &Configuration) -> Vec<&'static str> {
        let (setup, troubles) = (configuration.setup(), configuration.troubles);
        let knobs = setup.knobs();
        let any =
            |what: fn(&crate::world::Record) -> bool| setup.log().iter_from(0).any(|record| what(&record));
        let has = [
            ("keyed", knobs.routing == Routing::Keyed),
            ("shared", knobs.routing == Routing::Shared),
            ("serial", knobs.routing == Routing::Serial),
            ("lanes", matches!(knobs.routing, Routing::Lanes(_))),
            ("retries", any(|record| record.fails != Fails::First(0))),
            ("tail", knobs.retry_at == RetryAt::Tail),
            ("stuck", any(|record| record.work == Work::Never)),
            ("keyless", any(|record| record.key.is_none())),
            ("pause", matches!(knobs.intake, Intake::Pause { .. })),
            ("block", knobs.intake == Intake::Block),
            ("unbounded", knobs.intake == Intake::Unbounded),
            ("ceiling", knobs.heap_ceiling.is_some()),
            ("interval", knobs.max_poll_interval.is_some()),
            ("highest", knobs.commit_offset == CommitOffset::Highest),
            ("map", knobs.ack_map),
            ("park", knobs.quarantine.is_some_and(|letters| letters.then == Then::Park)),
            ("letters", knobs.quarantine.is_some_and(|letters| letters.then == Then::Continue)),
            ("newer", knobs.guard == Guard::Newer),
            ("not older", knobs.guard == Guard::NotOlder),
            ("off", knobs.guard == Guard::Off),
            ("crash", troubles.crashes > 0),
            ("revoke", troubles.revokes > 0),
            ("poison", troubles.poisons > 0),
            ("stall", troubles.stalls > 0),
            ("turn", troubles.turns > 0),
        ];
        has.into_iter().filter_map(|(name, has)| has.then_some(name)).collect()
    }

    /// Every two of them meet in some system that is visited whole, unless they exclude each other.
    #[test]
    fn every_two_mechanisms_meet() {
        const EXCLUSIVE: [&[&str]; 4] = [
            &["keyed", "shared", "serial", "lanes"],
            &["pause", "block", "unbounded"],
            &["park", "letters"],
            &["newer", "not older", "off"],
        ];
        let suite = crossed(Size::Small);
        let met: Vec<_> = suite.configurations.iter().map(features).collect();
        let names = features_named(&met);
        assert_eq!(names.len(), 25);
        for (nth, one) in names.iter().enumerate() {
            for other in &names[nth + 1..] {
                let exclude = EXCLUSIVE.iter().any(|few| few.contains(one) && few.contains(other));
                let meet = met.iter().any(|features| features.contains(one) && features.contains(other));
                assert!(meet != exclude, "{one} and {other}");
            }
        }
    }

    fn features_named(met: &[Vec<&'static str>]) -> Vec<&'static str> {
        let mut names: Vec<_> = met.iter().flatten().copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
