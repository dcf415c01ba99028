//! Whether everything gets somewhere.
//!
//! From every state on, whatever was done before, let nothing more go wrong, let a consumer that is down be
//! restarted, and let something end in every tick in which anything can: anything, in any order. Then every way
//! must lead to the end. The ways are a graph; a way that leads to no end leads to a state where nothing
//! happens any more, or in a circle.

use super::{node::Standing, search::StateId};

/// The ways from every state, by its number.
#[derive(Debug, Default)]
pub(super) struct Ways {
    standings: Vec<Standing>,
    /// Where each state's ways begin in `to`.
    begins: Vec<usize>,
    to: Vec<StateId>,
}

/// The one way from every state on which everything ends that can, in every tick, so that nobody is passed over; and
/// whether something is undone that nothing endless holds back.
#[derive(Debug, Default)]
pub(super) struct Debts {
    to: Vec<StateId>,
    owes: Vec<bool>,
}

impl Debts {
    /// The next state's.
    pub(super) fn push(&mut self, to: StateId, owes: bool) {
        self.to.push(to);
        self.owes.push(owes);
    }

    /// A state that comes again and again, and in which something is undone; the one met first, if there are any.
    pub(super) fn never_paid(&self) -> Option<StateId> {
        // By which walk each state was met first, from 1.
        let mut walks = vec![0; self.to.len()];
        let mut found: Option<StateId> = None;
        for (walk, start) in (1..).zip(0..self.to.len()) {
            let mut at = start;
            while walks[at] == 0 {
                walks[at] = walk;
                at = self.to[at] as usize;
            }
            if walks[at] != walk {
                continue;
            }
            // The walk has come back to its own way: from here on it goes round.
            let circle = at;
            loop {
                if self.owes[at] && found.is_none_or(|found| (at as StateId) < found) {
                    found = Some(at as StateId);
                }
                at = self.to[at] as usize;
                if at == circle {
                    break;
                }
            }
        }
        found
    }
}

/// Where a way leads that does not lead to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dead {
    /// Nothing happens any more.
    End(StateId),
    /// The same states come again.
    Circle(StateId),
}

/// What is known of a state during the walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    /// The walk came through here and has not gone back yet.
    Open,
    /// Ticks to the end at most.
    Done(u64),
}

impl Ways {
    /// The next state's.
    pub(super) fn push(&mut self, standing: Standing, to: Vec<StateId>) {
        self.standings.push(standing);
        self.begins.push(self.to.len());
        self.to.extend(to);
    }

    /// Walks all ways: how many ticks the longest takes to the end; or a state that is a dead end, or on a
    /// circle, one that was met early.
    pub(super) fn walk(&self) -> Result<u64, Dead> {
        let mut marks = vec![Mark::New; self.standings.len()];
        let stuck = self.standings.iter().position(|&standing| standing == Standing::Stuck);
        let mut dead = stuck.map(|state| Dead::End(state as StateId));
        let mut longest = 0;
        for from in 0..self.standings.len() as StateId {
            if marks[from as usize] == Mark::New {
                self.walk_from(from, &mut marks, &mut dead);
            }
            if let Mark::Done(ticks) = marks[from as usize] {
                longest = longest.max(ticks);
            }
        }
        dead.map_or(Ok(longest), Err)
    }

    fn walk_from(&self, from: StateId, marks: &mut [Mark], dead: &mut Option<Dead>) {
        // A state, and how many of its ways were walked.
        let mut path = vec![(from, 0)];
        marks[from as usize] = Mark::Open;
        while let Some((state, walked)) = path.last_mut() {
            let Some(&to) = self.of(*state).get(*walked) else {
                let ahead = self.of(*state).iter().map(|&to| match marks[to as usize] {
                    Mark::Done(ticks) => ticks + 1,
                    Mark::New | Mark::Open => 0,
                });
                marks[*state as usize] = Mark::Done(ahead.max().unwrap_or(0));
                path.pop();
                continue;
            };
            *walked += 1;
            match marks[to as usize] {
                Mark::New => {
                    marks[to as usize] = Mark::Open;
                    path.push((to, 0));
                }
                Mark::Open => {
                    let known = dead.map(|(Dead::End(state) | Dead::Circle(state))| state);
                    if known.is_none_or(|known| to < known) {
                        *dead = Some(Dead::Circle(to));
                    }
                }
                Mark::Done(_) => {}
            }
        }
    }

    fn of(&self, state: StateId) -> &[StateId] {
        let state = state as usize;
        let end = self.begins.get(state + 1).copied().unwrap_or(self.to.len());
        &self.to[self.begins[state]..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(states: &[(Standing, &[StateId])]) -> Result<u64, Dead> {
        let mut ways = Ways::default();
        states.iter().for_each(|&(standing, to)| ways.push(standing, to.to_vec()));
        ways.walk()
    }

    #[test]
    fn the_longest_way_to_the_end_counts() {
        use Standing::{Finished, Open};
        let states = [(Open, &[1, 2][..]), (Open, &[2]), (Open, &[3]), (Finished, &[])];
        assert_eq!(ways(&states), Ok(3));
    }

    #[test]
    fn a_debt_counts_where_it_is_never_paid() {
        let never_paid = |states: &[(StateId, bool)]| {
            let mut debts = Debts::default();
            states.iter().for_each(|&(to, owes)| debts.push(to, owes));
            debts.never_paid()
        };
        // On the way to where all is done, and where all is done.
        assert_eq!(never_paid(&[(1, true), (2, true), (2, false)]), None);
        assert_eq!(never_paid(&[(1, false), (1, true)]), Some(1));
        // On a circle, and on a way that leads into one that was walked before.
        assert_eq!(never_paid(&[(1, false), (2, false), (1, true), (0, true)]), Some(2));
    }

    #[test]
    fn dead_ends_and_circles_are_found() {
        use Standing::{Finished, Open, Stuck};
        assert_eq!(ways(&[(Open, &[1, 2]), (Finished, &[]), (Stuck, &[])]), Err(Dead::End(2)));
        assert_eq!(
            ways(&[(Open, &[1, 3]), (Open, &[2]), (Open, &[1]), (Finished, &[])]),
            Err(Dead::Circle(1))
        );
        assert_eq!(ways(&[(Open, &[0])]), Err(Dead::Circle(0)));
    }
}
