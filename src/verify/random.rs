//! Large systems on random histories: what a search through all of them cannot reach.
//!
//! A sample takes a suite's configurations from the first to the last, keeps their rules, and gives each another life:
//! a log of dozens of records, work that ends by itself, troubles by the handful. Where everything is crossed, each
//! run has rules of its own. A promise that was only sampled is not proved: so many runs did not break it, and that
//! is all.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Configuration, Example, Suite, Surprise, Troubles,
    crossed::{draw_knobs, draw_turn},
    dice::Dice,
};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::Inputs,
    run::Run,
    world::{ConfigError, Fails, Generated, Input, Knob, Knobs, Log, NewRecord, Record, Setup, Work},
};

/// Ticks of a run at most: a livelock goes on for ever.
const MOST_TICKS: u64 = 300;

/// Troubles come in one of the first so many ticks.
const BUSY_TICKS: u64 = 80;

/// The most records, keys, and ticks of work.
const MOST_RECORDS: u64 = 40;
const MOST_KEYS: u64 = 6;
const MOST_WORK: u64 = 6;

/// The most of each kind of trouble, where there is any.
const MOST_TROUBLES: u64 = 4;

/// The most of each number among rules that are drawn, but for some that go a little above.
const MOST_OF_RULES: u64 = 6;

/// Logs and troubles draw from streams of their own, and so do rules.
const LOG_STREAM: u64 = 11;
const TROUBLE_STREAM: u64 = 12;
const RULES_STREAM: u64 = 13;

/// What came of a sample.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Runs played.
    pub runs: u64,
    /// Ticks executed.
    pub ticks: u64,
    /// In how many runs each invariant was put to the test: rules and troubles could break it, or a fault.
    pub asked: BTreeMap<&'static str, u64>,
    /// In how many runs each invariant was broken that may be, with the shortest of these runs.
    pub broken: BTreeMap<&'static str, (u64, Example)>,
    /// What broke that may not.
    pub surprises: Vec<Surprise>,
}

/// Plays `runs` random runs under the suite's rules; the same for the same `seed` everywhere.
///
/// # Errors
/// Never for the suites there are: their rules suit any log.
pub fn sample(suite: &Suite, runs: u64, seed: u64) -> Result<Sample, ConfigError> {
    let mut sample = Sample { runs, ..Sample::default() };
    for nth in 0..runs {
        Life::nth(suite, nth, runs, seed)?.live(&mut sample);
    }
    Ok(sample)
}

/// A configuration's rules with another log, and the troubles that come.
struct Life {
    configuration: Configuration,
    inputs: Inputs,
}

/// What lives have in common with the small system that they are drawn for.
struct Rules {
    kinds: Kinds,
    knobs: Knobs,
    is_a_group: bool,
    /// At least one of each kind that there may be.
    troubles: Troubles,
    turns: Vec<Vec<Knob>>,
}

/// The kinds of records that a log may have, beside those that take their time and succeed.
struct Kinds {
    start: Offset,
    keyless: bool,
    failing: bool,
    for_ever: bool,
    endless: bool,
}

impl Rules {
    fn of(small: &Configuration) -> Rules {
        let (log, is_a_group) = (small.setup().log(), small.is_a_group());
        let any = |what: fn(&Record) -> bool| log.iter_from(0).any(|record| what(&record));
        let kinds = Kinds {
            start: log.start(),
            keyless: any(|record| record.key.is_none()),
            failing: any(|record| record.fails != Fails::First(0)),
            for_ever: any(|record| record.fails == Fails::Always),
            endless: any(|record| record.work == Work::Never),
        };
        let (knobs, turns) = (small.setup().knobs().clone(), small.turns.clone());
        Rules { kinds, knobs, is_a_group, troubles: small.troubles, turns }
    }

    /// Drawn from all there are. Each kind of trouble and of record is missing as often as not, so that no promise
    /// is always broken.
    fn draw(dice: &mut Dice) -> Rules {
        let knobs = draw_knobs(dice, MOST_OF_RULES);
        let turns: Vec<_> = (0..3).map(|_| draw_turn(dice, MOST_OF_RULES, &knobs)).collect();
        let mut maybe = || u8::from(dice.one_in(2));
        let (crashes, revokes, poisons, stalls, turned) = (maybe(), maybe(), maybe(), maybe(), maybe());
        let troubles = Troubles { crashes, revokes, poisons, stalls, turns: turned, rebalances: 0 };
        let mut maybe = || dice.one_in(2);
        let (keyless, failing, for_ever, endless) = (maybe(), maybe(), maybe(), maybe());
        let kinds = Kinds { start: Offset(0), keyless, failing, for_ever, endless };
        Rules { kinds, knobs, is_a_group: maybe() || revokes > 0, troubles, turns }
    }
}

impl Life {
    /// One of `runs`, which are spread over all of the suite's configurations.
    fn nth(suite: &Suite, nth: u64, runs: u64, seed: u64) -> Result<Life, ConfigError> {
        let seed = seed.wrapping_add(nth);
        let rules = if suite.is_crossed {
            Rules::draw(&mut Dice::new(seed, RULES_STREAM))
        } else {
            let at = u128::from(nth) * suite.configurations.len() as u128 / u128::from(runs);
            Rules::of(&suite.configurations[at as usize])
        };
        Life::draw(rules, seed)
    }

    fn draw(rules: Rules, seed: u64) -> Result<Life, ConfigError> {
        let log = Arc::new(draw_log(&rules.kinds, &mut Dice::new(seed, LOG_STREAM))?);
        let (inputs, troubles) = draw_troubles(&rules, &log, &mut Dice::new(seed, TROUBLE_STREAM));
        let members = if rules.is_a_group { &ConsumerId::ALL[..] } else { &[ConsumerId::A] };
        let setup = Setup::new(log, rules.knobs, members)?;
        let configuration = Configuration::new(setup).with_troubles(troubles, 1);
        let configuration = configuration.with_turns(rules.turns, troubles.turns)?;
        Ok(Life { configuration, inputs })
    }

    fn live(self, sample: &mut Sample) {
        let Life { configuration, inputs } = self;
        let mut run = Run::new(configuration.setup(), Keep::Counters);
        let last_input = inputs.keys().next_back().copied();
        while run.now().0 < MOST_TICKS {
            run.step(inputs.get(&run.now()).map_or(&[], Vec::as_slice));
            if last_input.is_none_or(|last| run.now() > last) && run.world().is_settled() {
                break;
            }
        }
        sample.ticks += run.now().0;
        for &sentence in configuration.asked() {
            *sample.asked.entry(sentence).or_default() += 1;
        }
        for (invariant, tick) in run.ledger().verdicts().violated() {
            let sentence = invariant.sentence;
            let mut until = inputs.clone();
            until.split_off(&tick.after(1));
            let example = Example { setup: configuration.setup().clone(), inputs: until, last: tick };
            if configuration.may_break().contains(sentence) {
                let (runs, shortest) = sample.broken.entry(sentence).or_insert_with(|| (0, example.clone()));
                *runs += 1;
                if example.size() < shortest.size() {
                    *shortest = example;
                }
            } else {
                let what = format!("nothing breaks it on purpose: {sentence}");
                sample.surprises.push(Surprise { what, example });
            }
        }
    }
}

/// A log with keyless, failing and endless records as far as there may be some.
fn draw_log(kinds: &Kinds, dice: &mut Dice) -> Result<Log, ConfigError> {
    let &Kinds { start, keyless, failing, for_ever, endless } = kinds;
    let (count, keys) = (1 + dice.below(MOST_RECORDS), 1 + dice.below(MOST_KEYS));
    let mut offset = start;
    let records: Vec<NewRecord> = (0..count)
        .map(|_| {
            // A gap now and then, as compaction leaves it.
            offset = Offset(offset.0 + 1 + i64::from(dice.one_in(8)));
            let key = Generated::key_name(1 + dice.below(keys) as u32);
            let work = Work::Ticks(1 + dice.below(MOST_WORK));
            NewRecord {
                offset,
                key: (!(keyless && dice.one_in(4))).then_some(key),
                work: if endless && dice.one_in(12) { Work::Never } else { work },
                fails: match () {
                    () if for_ever && dice.one_in(12) => Fails::Always,
                    () if failing && dice.one_in(4) => Fails::First(1 + dice.below(2) as u32),
                    () => Fails::First(0),
                },
                since: Tick(0),
            }
        })
        .collect();
    Log::from_records(start, records)
}

/// Troubles of the kinds that there may be, more of them and anywhere; and how many there are of each.
fn draw_troubles(of: &Rules, log: &Log, dice: &mut Dice) -> (Inputs, Troubles) {
    let mut inputs = Inputs::new();
    let mut come = |tick: u64, input| inputs.entry(Tick(tick)).or_default().push(input);
    let count = |small: u8, dice: &mut Dice| if small == 0 { 0 } else { dice.below(1 + MOST_TROUBLES) as u8 };
    let small = of.troubles;
    let troubles = Troubles {
        crashes: count(small.crashes, dice),
        revokes: count(small.revokes, dice),
        poisons: count(small.poisons, dice),
        stalls: count(small.stalls, dice),
        turns: if of.turns.is_empty() { 0 } else { count(small.turns, dice) },
        rebalances: count(small.rebalances, dice),
    };
    let group = of.is_a_group;
    let member = |dice: &mut Dice| if group && dice.one_in(2) { ConsumerId::B } else { ConsumerId::A };
    for _ in 0..troubles.crashes {
        let (tick, id) = (dice.below(BUSY_TICKS), member(dice));
        come(tick, Input::Crash(id));
        come(tick + dice.below(6), Input::Restart(id));
    }
    for _ in 0..troubles.revokes {
        let (from, to) = (member(dice), member(dice));
        come(dice.below(BUSY_TICKS), Input::Revoke { from, to });
    }
    for _ in 0..troubles.poisons {
        let record = log.get(dice.below(log.len()));
        let offset = record.map_or(log.start(), |record| record.offset);
        come(dice.below(BUSY_TICKS), Input::Poison(offset));
    }
    for _ in 0..troubles.stalls {
        come(
            dice.below(BUSY_TICKS),
            Input::Stall { consumer: member(dice), ticks: 1 + dice.below(MOST_WORK) },
        );
    }
    for _ in 0..troubles.turns {
        let turn = &of.turns[dice.below(of.turns.len() as u64) as usize];
        come(dice.below(BUSY_TICKS), Input::Set(turn.clone()));
    }
    for _ in 0..troubles.rebalances {
        come(dice.below(BUSY_TICKS), Input::Rebalance);
    }
    (inputs, troubles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::{Size, suites};

    /// A sample much smaller than its suite has something of every part of it.
    #[test]
    fn a_sample_is_spread_over_its_suite() {
        let suites = suites(Size::Small);
        let named = |name| suites.iter().find(|suite| suite.name == name).expect("a suite");
        let lives =
            |name| (0..1_000).map(move |nth| Life::nth(named(name), nth, 1_000, 0).expect("rules that suit"));
        let poisoned = lives("quarantine").filter(|life| life.configuration.troubles.poisons > 0).count();
        assert!(poisoned > 10, "{poisoned} poisoned among the quarantined");
        let poisoned =
            lives("what never ends").filter(|life| life.configuration.troubles.poisons > 0).count();
        assert!(poisoned > 5, "{poisoned} poisoned among the endless");
        // It ends where the suite does.
        let suite = named("retries at the head and at the tail");
        let life = Life::nth(suite, 999, 1_000, 0).expect("rules that suit");
        let last = &suite.configurations[suite.configurations.len() * 999 / 1_000..];
        let knobs = life.configuration.setup().knobs();
        assert!(last.iter().any(|configuration| configuration.setup().knobs() == knobs), "{knobs:?}");
    }

    /// Where everything is crossed, every two troubles meet, and none is in every run.
    #[test]
    fn crossed_lives_cross_all_troubles() {
        let suites = suites(Size::Small);
        let suite = suites.iter().find(|suite| suite.is_crossed).expect("a suite");
        let lives = (0..1_000).map(|nth| Life::nth(suite, nth, 1_000, 0).expect("rules that suit"));
        let kinds: Vec<_> = lives
            .map(|life| {
                let Troubles { crashes, revokes, poisons, stalls, turns, .. } = life.configuration.troubles;
                [crashes, revokes, poisons, stalls, turns].map(|count| count > 0)
            })
            .collect();
        for one in 0..5 {
            assert!(kinds.iter().any(|kinds| !kinds[one]));
            for other in 0..5 {
                assert!(
                    kinds.iter().filter(|kinds| kinds[one] && kinds[other]).count() > 50,
                    "{one} and {other}"
                );
            }
        }
    }
}
