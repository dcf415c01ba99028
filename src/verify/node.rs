//! A state between two ticks, and everything that the next tick can hold.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Configuration, LEAVES_IN_TIME, Troubles, debt::owes};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    ledger::Keep,
    run::Run,
    world::{Input, TaskState, Work, World},
};

/// A run, set to the hour at which equal ones are equal, and the troubles that may still come.
#[derive(Clone, Debug)]
pub(super) struct Node {
    run: Run,
    left: Troubles,
}

/// What one tick holds.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) inputs: Vec<Input>,
    left: Troubles,
    /// Nothing goes wrong, something ends if anything can, and a consumer that is down is restarted.
    pub(super) helps: bool,
    /// The same, and everything ends that can: nobody is passed over for ever.
    pub(super) is_fair: bool,
}

/// Where a state stands on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Something can happen yet.
    Open,
    /// Nothing can, and everything is finished.
    Finished,
    /// Nothing can, and something is not.
    Stuck,
}

impl Node {
    pub(super) fn first(configuration: &Configuration) -> Node {
        Node { run: Run::new(configuration.setup(), Keep::Counters), left: configuration.troubles }
    }

    /// The state after a tick, and what was found broken at its end.
    pub(super) fn after(&self, choice: &Choice, configuration: &Configuration) -> (Node, Vec<&'static str>) {
        let mut run = self.run.clone();
        run.step(&choice.inputs);
        let violated = run.ledger().verdicts().violated().map(|(invariant, _)| invariant.sentence);
        let quarantine = run.world().knobs().quarantine;
        let overdue = quarantine.filter(|letters| overdue(self.run.world(), run.world(), letters.after));
        let overdue = overdue.map(|_| LEAVES_IN_TIME);
        let broken = violated.chain(overdue).collect();
        let Configuration { horizon, modulus, .. } = *configuration;
        let to = horizon.next_multiple_of(modulus) + run.now().0 % modulus;
        run.rebase(Tick(to), horizon);
        (Node { run, left: choice.left }, broken)
    }

    /// 128 bits of everything on which the future depends.
    pub(super) fn key(&self) -> u128 {
        let mut bytes = Bytes(Vec::with_capacity(1024));
        self.left.hash(&mut bytes);
        self.run.hash_outlook(&mut bytes);
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(salt);
            hasher.write(&bytes.0);
            hasher.finish()
        };
        u128::from(half(0)) << 64 | u128::from(half(1))
    }

    pub(super) fn standing(&self) -> Standing {
        let world = self.run.world();
        let down = ConsumerId::ALL.iter().any(|&id| !world.consumer(id).is_up());
        if down || !self.running().is_empty() || !world.is_settled() {
            return Standing::Open;
        }
        let end = world.log().len().checked_sub(1).and_then(|last| world.log().get(last));
        let end = end.map_or(world.log().start(), |record| record.offset.next());
        if world.watermark() == Some(end) { Standing::Finished } else { Standing::Stuck }
    }

    /// Whether something is undone that nothing endless holds back.
    pub(super) fn owes(&self) -> bool {
        owes(self.run.world())
    }

    /// Everything that the next tick can hold, the quiet ones first.
    pub(super) fn choices(&self, configuration: &Configuration) -> Vec<Choice> {
        let running = self.running();
        let down = ConsumerId::ALL.into_iter().find(|&id| !self.run.world().consumer(id).is_up());
        let mut choices = Vec::new();
        for (acts, left) in self.sequences(configuration) {
            let helps = match (&acts[..], down) {
                ([], None) => true,
                ([Input::Restart(id)], Some(down)) => *id == down,
                _ => false,
            };
            for chosen in 0..1_usize << running.len() {
                let ends = running.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
                let inputs = acts.iter().cloned().chain(ends.map(|(_, &offset)| Input::Complete(offset)));
                let helps = helps && (chosen > 0 || running.is_empty());
                let is_fair = helps && chosen + 1 == 1 << running.len();
                choices.push(Choice { inputs: inputs.collect(), left, helps, is_fair });
            }
        }
        choices
    }

    /// The offsets of running attempts that end when the search says so.
    fn running(&self) -> Vec<Offset> {
        let world = self.run.world();
        let mut running: Vec<Offset> = ConsumerId::ALL
            .iter()
            .flat_map(|&id| world.consumer(id).pool().attempts())
            .filter(|attempt| attempt.ends.is_none())
            .map(|attempt| attempt.offset)
            .filter(|&offset| world.log().find(offset).is_some_and(|record| record.work == Work::UntilTapped))
            .collect();
        running.sort_unstable();
        running.dedup();
        running
    }

    /// The troubles and restarts that one tick can hold, with what is left afterwards.
    fn sequences(&self, configuration: &Configuration) -> Vec<(Vec<Input>, Troubles)> {
        let acts = self.acts(configuration);
        let mut sequences = vec![(Vec::new(), self.left)];
        let mut newest = 0..1;
        for _ in 0..configuration.at_once {
            for at in newest.clone() {
                let (before, left) = sequences[at].clone();
                // Who dies can be up again in the same tick.
                let again = before.iter().filter_map(|input| match input {
                    Input::Crash(id) => Some(Input::Restart(*id)),
                    _ => None,
                });
                for act in acts.iter().cloned().chain(again).filter(|act| !before.contains(act)) {
                    if let Some(left) = left.less(&act) {
                        sequences.push(([before.clone(), vec![act]].concat(), left));
                    }
                }
            }
            newest = newest.end..sequences.len();
        }
        sequences
    }

    /// Every trouble, and every restart, that would make a difference now.
    fn acts(&self, configuration: &Configuration) -> Vec<Input> {
        let (world, left) = (self.run.world(), self.left);
        let members = if configuration.is_a_group() { &ConsumerId::ALL[..] } else { &[ConsumerId::A] };
        let mut acts = Vec::new();
        for &id in members {
            let (up, pool) = (world.consumer(id).is_up(), world.consumer(id).pool());
            acts.extend((!up).then_some(Input::Restart(id)));
            acts.extend((up && left.crashes > 0).then_some(Input::Crash(id)));
            let stalls = left.stalls > 0 && pool.will_end_something();
            acts.extend(stalls.then_some(Input::Stall { consumer: id, ticks: 1 }));
        }
        if let Some(from) = world.broker().owner().filter(|_| left.revokes > 0) {
            let draining = world.owner().is_some_and(|(_, session)| session.handover().is_some());
            let revokes = members.iter().filter(|_| !draining).map(|&to| Input::Revoke { from, to });
            acts.extend(revokes);
        }
        if left.poisons > 0 {
            let open = world.log().iter_from(world.log().index_at(world.broker().committed()));
            let offsets = open.map(|record| record.offset).filter(|&offset| !world.is_poisoned(offset));
            acts.extend(offsets.map(Input::Poison));
        }
        if left.turns > 0 {
            let turns = configuration.turns.iter();
            let turned = |turn: &&Vec<_>| world.knobs().with(turn).is_ok_and(|knobs| knobs != *world.knobs());
            acts.extend(turns.filter(turned).cloned().map(Input::Set));
        }
        let stays = world.owner().is_some_and(|(_, session)| session.handover().is_none());
        acts.extend((stays && left.rebalances > 0).then_some(Input::Rebalance));
        acts
    }
}

/// Whether a record that failed more than `after` ticks ago is in flight, and either on no worker or on one only since
/// this tick, in which its time was up: an attempt that ran before is not cut short.
fn overdue(before: &World, world: &World, after: u64) -> bool {
    let Some((owner, session)) = world.owner() else { return false };
    // Who fails is not started again before the next tick.
    let ran_before = |offset: Offset| {
        let mut attempts = before.consumer(owner).pool().attempts();
        attempts.any(|attempt| attempt.offset == offset && attempt.epoch == session.epoch())
    };
    session.tracker().iter().any(|(offset, task)| {
        // `now` is the tick to come: the last one has had its chance.
        let ended = task.first_failed.is_some_and(|failed| failed.after(after) < world.now());
        ended && !(task.state == TaskState::Running && ran_before(offset))
    })
}

/// A hasher that keeps what it is fed.
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        verify::{Size, suites},
        world::draw_below,
    };
    use rand_pcg::Pcg32;

    /// Sentences, without the commas between them.
    type Broken = Vec<&'static str>;

    /// What a run found broken in the tick that it has just executed, for the first time.
    fn broken_now(run: &Run) -> Broken {
        let violated = run.ledger().verdicts().violated();
        violated.filter(|(_, since)| since.after(1) == run.now()).map(|(kept, _)| kept.sentence).collect()
    }

    fn rebased(run: &Run, configuration: &Configuration) -> Run {
        let mut run = run.clone();
        let Configuration { horizon, modulus, .. } = *configuration;
        run.rebase(Tick(horizon.next_multiple_of(modulus) + run.now().0 % modulus), horizon);
        run
    }

    /// The ground that the search stands on: a run that is set back after every tick, and the same run left
    /// alone, do the same and are judged the same, however long they go on.
    #[test]
    fn nothing_depends_on_the_hour() {
        let (mut walks, mut broken) = (0, 0);
        for configuration in
            suites(Size::Small).iter().flat_map(|suite| suite.configurations.iter().step_by(7))
        {
            let mut dice = Pcg32::new(walks, 1);
            let mut node = Node::first(configuration);
            let mut alone = node.run.clone();
            let mut known = Broken::new();
            for _ in 0..60 {
                let mut choices = node.choices(configuration);
                let choice = choices.swap_remove(draw_below(&mut dice, choices.len() as u64) as usize);
                alone.step(&choice.inputs);
                let (after, mut found) = node.after(&choice, configuration);
                found.retain(|sentence| !known.contains(sentence));
                assert_eq!(found, broken_now(&alone));
                known.extend(found);
                node = after;
                assert_eq!(node.run.world(), rebased(&alone, configuration).world());
                let again = Node { run: rebased(&alone, configuration), left: node.left };
                assert_eq!(node.key(), again.key());
            }
            walks += 1;
            broken += known.len();
        }
        assert!(walks > 500 && broken > 100, "{walks} walks, {broken} breaks");
    }

    #[test]
    fn a_record_that_stays_too_long_is_seen() {
        let suites = suites(Size::Small);
        let suite = suites.iter().find(|suite| suite.name == "what never ends").unwrap();
        let fails = suite.configurations.iter().find(|configuration| {
            let first = configuration.setup().log().get(0);
            first.is_some_and(|record| record.fails == crate::world::Fails::Always)
        });
        let mut run = Run::new(fails.unwrap().setup(), Keep::Counters);
        let mut step = |inputs: &[Input]| {
            let before = run.world().clone();
            run.step(inputs);
            [0, 1].map(|after| overdue(&before, run.world(), after))
        };
        // It starts, fails in tick 1, and in tick 2 it is due again and starts, although the time of both is up.
        let ends = [Input::Complete(Offset(0))];
        assert_eq!([&[], &ends[..], &[]].map(&mut step), [[false; 2], [true, false], [true; 2]]);
        // What ran before the time was up may go on; and so it seems from here.
        assert_eq!(step(&[]), [false; 2]);
    }
}
