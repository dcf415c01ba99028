//! The search: breadth first, so that what it finds it finds in the fewest ticks.
//!
//! Of a state that was met only 128 bits are kept (two SipHashes of all of it), who was before it, and by which
//! choice: that is enough to know it again and to tell how to get there. Among ten million states the odds
//! that two have the same bits are below one in 10^24.

use rustc_hash::FxHashMap;

use super::{
    Configuration, Example, LEAVES_IN_TIME, Report, Surprise,
    node::{Node, Standing},
    ways::{Dead, Debts, Ways},
};
use crate::{ids::Tick, player::Inputs};

/// A state's number, in the order in which they were met.
pub(super) type StateId = u32;

/// The most states that a configuration may have: a search that gets there would not end, because something
/// grows that should not.
pub const MOST_STATES: usize = 500_000;

/// How a state was first reached: from which one, by which of its choices.
type Step = (StateId, u32);

struct Search<'c> {
    configuration: &'c Configuration,
    /// Looked up and never walked through.
    known: FxHashMap<u128, StateId>,
    /// By state; the first one has none before it.
    steps: Vec<Option<Step>>,
    ways: Ways,
    debts: Debts,
    report: Report,
}

/// Visits every state of one configuration that can be reached.
#[must_use]
pub fn explore(configuration: &Configuration) -> Report {
    let mut search = Search {
        configuration,
        known: FxHashMap::default(),
        steps: Vec::new(),
        ways: Ways::default(),
        debts: Debts::default(),
        report: Report { configurations: 1, ..Report::default() },
    };
    let first = Node::first(configuration);
    let mut layer = Vec::new();
    search.meet(first, None, &mut layer);
    while !layer.is_empty() {
        let mut next = Vec::new();
        for (id, node) in layer {
            if search.steps.len() > MOST_STATES {
                return search.break_off(id);
            }
            search.go_on(id, &node, &mut next);
        }
        layer = next;
    }
    search.conclude()
}

impl Search<'_> {
    /// A state that was reached; it is put into the next layer if it is a new one.
    fn meet(&mut self, node: Node, step: Option<Step>, next: &mut Vec<(StateId, Node)>) -> StateId {
        let new = self.steps.len() as StateId;
        let id = *self.known.entry(node.key()).or_insert(new);
        if id == new {
            self.steps.push(step);
            next.push((id, node));
        }
        id
    }

    /// Everything that the tick after a state can hold. States come in the order of their numbers.
    fn go_on(&mut self, id: StateId, node: &Node, next: &mut Vec<(StateId, Node)>) {
        let standing = node.standing();
        let mut helped = Vec::new();
        // Where everything gets to its end, it has none.
        let in_debt = self.configuration.may_stick && !self.configuration.may_end_again;
        for (number, choice) in (0..).zip(node.choices(self.configuration)) {
            let (after, broken) = node.after(&choice, self.configuration);
            self.report.ticks += 1;
            for sentence in broken {
                if !self.report.broken.contains_key(sentence) {
                    let example = self.example(id, Some(number));
                    self.report.broken.insert(sentence, example);
                }
            }
            let to = self.meet(after, Some((id, number)), next);
            if choice.helps && standing == Standing::Open {
                helped.push(to);
            }
            if choice.is_fair && in_debt {
                self.debts.push(to, node.owes());
            }
        }
        self.ways.push(standing, helped);
    }

    /// The run that led to a state, and one choice further.
    fn example(&self, state: StateId, last: Option<u32>) -> Example {
        let mut numbers: Vec<u32> = last.into_iter().collect();
        let mut at = state;
        while let Some((before, number)) = self.steps[at as usize] {
            numbers.push(number);
            at = before;
        }
        let mut node = Node::first(self.configuration);
        let mut inputs = Inputs::new();
        let ticks = numbers.len() as u64;
        for (tick, number) in (0..).zip(numbers.into_iter().rev()) {
            let choice = node.choices(self.configuration).swap_remove(number as usize);
            node = node.after(&choice, self.configuration).0;
            if !choice.inputs.is_empty() {
                inputs.insert(Tick(tick), choice.inputs);
            }
        }
        Example { setup: self.configuration.setup().clone(), inputs, last: Tick(ticks.saturating_sub(1)) }
    }

    fn break_off(mut self, state: StateId) -> Report {
        self.report.states = self.steps.len() as u64;
        let what = format!("there are more than {MOST_STATES} states, and no end to them in sight");
        self.report.surprises.push(Surprise { what, example: self.example(state, None) });
        self.report
    }

    fn conclude(mut self) -> Report {
        self.report.states = self.steps.len() as u64;
        self.report.asked =
            self.configuration.asked.iter().map(|&sentence| (sentence, self.report.states)).collect();
        let mut surprises = Vec::new();
        match self.ways.walk() {
            Ok(longest) => self.report.longest_way = longest,
            Err(dead) => {
                let (state, what) = match dead {
                    Dead::End(state) => (state, "nothing more happens, and records are unfinished"),
                    Dead::Circle(state) => {
                        (state, "the same happens over and over, and records are unfinished")
                    }
                };
                let example = self.example(state, None);
                if !self.configuration.may_stick {
                    surprises.push(Surprise { what: what.to_owned(), example: example.clone() });
                }
                self.report.stuck_configurations = 1;
                self.report.stuck = Some(example);
            }
        }
        if let Some(state) = self.debts.never_paid() {
            let what = "a record could finish, nothing endless is before it, and it never does".to_owned();
            surprises.push(Surprise { what, example: self.example(state, None) });
        }
        for (&sentence, example) in &self.report.broken {
            if !self.configuration.may_break.contains(sentence) {
                let what = match sentence {
                    LEAVES_IN_TIME => format!("not so: {sentence}"),
                    _ => format!("broken, and nothing breaks it on purpose: {sentence}"),
                };
                surprises.push(Surprise { what, example: example.clone() });
            }
        }
        self.report.surprises = surprises;
        self.report
    }
}
