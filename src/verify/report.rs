//! What came of a search.

use std::{collections::BTreeMap, fmt};

use super::{Example, Suite};
use crate::ledger::INVARIANTS;

/// What came of exploring one configuration, or several.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many configurations were explored.
    pub configurations: u64,
    /// States that can be reached, each counted once for its configuration: everything on which the future
    /// depends, between two ticks.
    pub states: u64,
    /// Ticks executed: every choice in every state.
    pub ticks: u64,
    /// Ticks from anywhere to the end at most, if something ends in every tick in which anything can and
    /// nothing more goes wrong; configurations in which some way gets nowhere are not counted.
    pub longest_way: u64,
    /// How many configurations there are in which some way gets nowhere.
    pub stuck_configurations: u64,
    /// States of configurations that put an invariant to the test, by its sentence.
    pub asked: BTreeMap<&'static str, u64>,
    /// What was broken, by its sentence, with the shortest run that breaks it.
    pub broken: BTreeMap<&'static str, Example>,
    /// The shortest run after which nothing more happens, or the same over and over, while records are
    /// unfinished.
    pub stuck: Option<Example>,
    /// What should not have happened.
    pub surprises: Vec<Surprise>,
}

/// Something that no setting allows.
#[derive(Clone, Debug)]
pub struct Surprise {
    /// A sentence.
    pub what: String,
    /// The shortest run that shows it.
    pub example: Example,
}

impl Report {
    /// Adds what came of another configuration.
    pub fn add(&mut self, other: Report) {
        self.configurations += other.configurations;
        self.states += other.states;
        self.ticks += other.ticks;
        self.stuck_configurations += other.stuck_configurations;
        self.longest_way = self.longest_way.max(other.longest_way);
        for (sentence, states) in other.asked {
            *self.asked.entry(sentence).or_default() += states;
        }
        for (sentence, example) in other.broken {
            let known = self.broken.entry(sentence).or_insert_with(|| example.clone());
            if example.size() < known.size() {
                *known = example;
            }
        }
        let shorter = |a: Example, b: Example| if b.size() < a.size() { b } else { a };
        self.stuck = match (self.stuck.take(), other.stuck) {
            (Some(a), Some(b)) => Some(shorter(a, b)),
            (a, b) => a.or(b),
        };
        self.surprises.extend(other.surprises);
    }

    /// The broken invariants, in the table's order.
    #[must_use]
    pub fn breaks(&self) -> Vec<&'static str> {
        let sentences = INVARIANTS.iter().map(|invariant| invariant.sentence);
        sentences.filter(|sentence| self.broken.contains_key(sentence)).collect()
    }

    /// Whether the suite found what it is to find, and nothing else.
    ///
    /// # Errors
    /// Says what is otherwise.
    pub fn check(&self, suite: &Suite) -> Result<(), Difference> {
        if let Some(Surprise { what, example }) = self.surprises.first() {
            let scenario = example.scenario(what, &[]).unwrap_or_else(|error| error.to_string());
            return Err(Difference(format!("{}: {what}\n\n{scenario}", suite.name)));
        }
        let (found, expected) = (self.breaks(), &suite.breaks);
        if found != *expected {
            return Err(Difference(format!("{}: broken {found:?}, not {expected:?}", suite.name)));
        }
        if self.stuck.is_some() != suite.sticks {
            let some = if suite.sticks { "every run gets to its end" } else { "some run gets nowhere" };
            return Err(Difference(format!("{}: {some}", suite.name)));
        }
        Ok(())
    }
}

/// How a report differs from what its suite is to find: a sentence, and a scenario that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference(String);

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Difference {}
