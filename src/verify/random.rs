//! Large systems on random histories: what a search through all of them cannot reach.
//!
//! A sample takes a suite's configurations in turn, keeps their rules, and gives each another life: a log of
//! dozens of records, work that ends by itself, troubles by the handful. A promise that was only sampled is not
//! proved: so many runs did not break it, and that is all.

use std::{collections::BTreeMap, sync::Arc};

use rand_pcg::Pcg32;

use super::{Configuration, Example, Suite, Surprise, Troubles};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    player::Inputs,
    run::Run,
    world::{ConfigError, Fails, Generated, Input, Log, NewRecord, Setup, Work, draw_below},
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

/// Logs and troubles draw from streams of their own.
const LOG_STREAM: u64 = 11;
const TROUBLE_STREAM: u64 = 12;

/// What came of a sample.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Runs played.
    pub runs: u64,
    /// Ticks executed.
    pub ticks: u64,
    /// In how many runs each invariant was broken that may be.
    pub broken: BTreeMap<&'static str, u64>,
    /// What broke that may not.
    pub surprises: Vec<Surprise>,
}

/// Plays `runs` random runs under the suite's rules; the same for the same `seed` everywhere.
///
/// # Errors
/// Never for the suites there are: their rules suit any log.
pub fn sample(suite: &Suite, runs: u64, seed: u64) -> Result<Sample, ConfigError> {
    let mut sample = Sample { runs, ..Sample::default() };
    for (nth, configuration) in (0..runs).zip(suite.configurations.iter().cycle()) {
        Life::draw(configuration, seed.wrapping_add(nth))?.live(&mut sample);
    }
    Ok(sample)
}

/// A configuration's rules with another log, and the troubles that come.
struct Life {
    configuration: Configuration,
    inputs: Inputs,
}

impl Life {
    fn draw(of: &Configuration, seed: u64) -> Result<Life, ConfigError> {
        let small = of.setup();
        let log = Arc::new(draw_log(small.log(), &mut Dice::new(seed, LOG_STREAM))?);
        let members = if of.is_a_group() { &ConsumerId::ALL[..] } else { &[ConsumerId::A] };
        let setup = Setup::new(log, small.knobs().clone(), members)?;
        let (inputs, troubles) = draw_troubles(of, setup.log(), &mut Dice::new(seed, TROUBLE_STREAM));
        let configuration = Configuration::new(setup).with_troubles(troubles, 1);
        let configuration = configuration.with_turns(of.turns.clone(), troubles.turns)?;
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
        for (invariant, tick) in run.ledger().verdicts().violated() {
            let sentence = invariant.sentence;
            if configuration.may_break().contains(sentence) {
                *sample.broken.entry(sentence).or_default() += 1;
            } else {
                let setup = configuration.setup().clone();
                let example = Example { setup, inputs: inputs.clone(), last: tick };
                let what = format!("nothing breaks it on purpose: {sentence}");
                sample.surprises.push(Surprise { what, example });
            }
        }
    }
}

/// A log like a small one: it has keyless, failing and endless records if that has some.
fn draw_log(small: &Log, dice: &mut Dice) -> Result<Log, ConfigError> {
    let any = |what: fn(&crate::world::Record) -> bool| small.iter_from(0).any(|record| what(&record));
    let keyless = any(|record| record.key.is_none());
    let failing = any(|record| record.fails != Fails::First(0));
    let for_ever = any(|record| record.fails == Fails::Always);
    let endless = any(|record| record.work == Work::Never);
    let (count, keys) = (1 + dice.below(MOST_RECORDS), 1 + dice.below(MOST_KEYS));
    let mut offset = small.start();
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
    Log::from_records(small.start(), records)
}

/// Troubles of the kinds that the small system has, more of them and anywhere; and how many there are of each.
fn draw_troubles(of: &Configuration, log: &Log, dice: &mut Dice) -> (Inputs, Troubles) {
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
    };
    let group = of.is_a_group();
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
    (inputs, troubles)
}

struct Dice(Pcg32);

impl Dice {
    fn new(seed: u64, stream: u64) -> Dice {
        Dice(Pcg32::new(seed, stream))
    }

    fn below(&mut self, n: u64) -> u64 {
        draw_below(&mut self.0, n)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}
