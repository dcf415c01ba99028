//! The system itself: one struct that is world, broker, store and ledger at once, and one method
//! for each phase of the tick.

use super::Outcome;
use super::scenario::{Fails, Guard, Input, Intake, Knobs, Place, Record, Routing, Scenario, Work};
use std::collections::{BTreeMap, BTreeSet};

const ONE_WORKER: &str = "one key, one worker";
const KEY_ORDER: &str = "a key's records complete in offset order";
const ONE_STATE: &str = "every polled record is in exactly one state";
const NO_IDLER: &str = "no worker idles beside a record it may run";
const FINISHED_BELOW: &str = "nothing below the committed offset is unfinished";
const CHAIN: &str = "committed <= watermark <= position";
const NEVER_BACK: &str = "watermark and committed offset never go back";
const FENCE: &str = "nothing after the fence changes tracker or commit";
const MARKS: &str = "in flight stays below high + poll";
const HEAP: &str = "in flight never exceeds the heap ceiling";
const POLLS: &str = "a poll at least every max.poll.interval";
const GATE_CLOSED: &str = "a partition is paused only while its owner's gate is closed";
const BRINGS: &str = "a poll through an open gate brings what there is";
const STAYS: &str = "what stays with its owner is not revoked";
const NO_LATE_WRITE: &str = "no write lands after the handover";
const VERSIONS: &str = "a row's version never goes back";

struct World<'a> {
    scenario: &'a Scenario,
    knobs: Knobs,
    tick: u64,

    // The broker.
    committed: i64,
    /// The offsets in the metadata of the last commit, ascending; empty where there is no map.
    stored_map: Vec<i64>,
    /// None only between a crash in a drain and phase 5 of that tick.
    owner: Option<usize>,
    epoch: u64,
    drain: Option<Drain>,

    consumers: [Consumer; 2],
    /// What the owner knows in its epoch; none while it is down.
    owned: Option<Owned>,
    poisoned: BTreeSet<i64>,
    rows: BTreeMap<String, i64>,

    // The ledger.
    ever_completed: BTreeSet<i64>,
    ever_dead: BTreeSet<i64>,
    /// For each epoch what its attempts completed, late ones included.
    completed_in: BTreeMap<u64, Vec<i64>>,
    lost: BTreeSet<i64>,
    last_noted: Option<i64>,
    /// The `high` of the last `pause` that was in force and is no longer.
    former_high: Option<u64>,
    /// Epoch, watermark and committed offset at the end of the last judged tick.
    last_judged: Option<(u64, i64, i64)>,
    outcome: Outcome,
}

struct Drain {
    to: usize,
    ends_at: u64,
}

struct Consumer {
    member: bool,
    up: bool,
    attempts: Vec<Attempt>,
    /// Ended ownerships that nobody asks whether they have ended, with their epochs, the oldest first.
    unaware: Vec<(u64, Owned)>,
    /// The client was told to pause the partition, and has not been told to resume it since.
    remembers_a_pause: bool,
}

struct Attempt {
    worker: usize,
    offset: i64,
    epoch: u64,
    /// None: until tapped, or never.
    ends: Option<u64>,
    fails: bool,
}

/// "Pause state, batch, tracker, attempts and timers start empty with every assignment."
struct Owned {
    position: i64,
    /// What the stored map said at the assignment.
    inherited: Vec<i64>,
    paused: bool,
    /// The client has it paused from an earlier ownership; the gate knows nothing of it.
    paused_before: bool,
    /// "the first N polls after a resume find nothing": none does before this tick.
    nothing_before: u64,
    /// The offsets of the last poll that returned any.
    batch: Vec<i64>,
    last_poll: u64,
    polled: BTreeMap<i64, Polled>,
    mailboxes: BTreeMap<Mailbox, Vec<i64>>,
    /// For each parked key the lowest offset that parked it.
    parked: BTreeMap<String, i64>,
    /// The offset and the map that this ownership committed last; at first, those it began with.
    said: (i64, Vec<i64>),
}

struct Polled {
    state: State,
    /// "Attempts are counted per (offset, epoch)."
    attempts: u64,
    first_failed: Option<u64>,
    /// It failed last with `at = "head"`.
    failed_at_head: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Queued,
    Running,
    Waiting {
        due: u64,
        at: Place,
    },
    /// Polled after its key was parked: in no queue, dead-lettered in the next phase 3.
    Parked,
    Done,
    Dead,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Mailbox {
    SharedQueue,
    Everything,
    Key(String),
    Lane(u64),
    WithoutKey,
    Alone(i64),
}

pub fn run(scenario: &Scenario) -> Outcome {
    let mut world = World::new(scenario);
    loop {
        world.phase_1_inputs();
        world.phase_2_ends();
        world.phase_3_timers();
        world.phase_4_watermark();
        world.phase_5_commit_and_drain();
        world.phase_6_poll();
        world.phase_7_gate();
        world.phase_8_dispatch();
        world.judge();
        if world.tick == scenario.ticks || !world.can_change() {
            break;
        }
        world.tick += 1;
    }
    world.close()
}

impl<'a> World<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        let mut world = Self {
            scenario,
            knobs: scenario.knobs.clone(),
            tick: 0,
            committed: scenario.start,
            stored_map: Vec::new(),
            owner: None,
            epoch: 0,
            drain: None,
            consumers: [
                Consumer {
                    member: true,
                    up: true,
                    attempts: Vec::new(),
                    unaware: Vec::new(),
                    remembers_a_pause: false,
                },
                Consumer {
                    member: scenario.b_is_member,
                    up: true,
                    attempts: Vec::new(),
                    unaware: Vec::new(),
                    remembers_a_pause: false,
                },
            ],
            owned: None,
            poisoned: BTreeSet::new(),
            rows: BTreeMap::new(),
            ever_completed: BTreeSet::new(),
            ever_dead: BTreeSet::new(),
            completed_in: BTreeMap::new(),
            lost: BTreeSet::new(),
            last_noted: None,
            former_high: None,
            last_judged: None,
            outcome: Outcome::default(),
        };
        // "A owns the partition at tick 0"
        world.assign(0);
        world
    }

    // ----------------------------------------------------------------- phase 1

    /// "inputs of this tick, in the order given"
    fn phase_1_inputs(&mut self) {
        for (tick, input) in &self.scenario.inputs {
            if *tick == self.tick {
                self.input(input);
            }
        }
    }

    fn input(&mut self, input: &Input) {
        // "a consumer joins at the tick of the first input that names it, even if that input is
        // then ignored"
        match input {
            Input::Crash(c) | Input::Restart(c) | Input::Stall { consumer: c, .. } => {
                self.consumers[*c].member = true;
            }
            Input::Revoke { from, to } => {
                self.consumers[*from].member = true;
                self.consumers[*to].member = true;
            }
            Input::Complete(_) | Input::Poison(_) | Input::Set(_) | Input::Rebalance => {}
        }
        match input {
            Input::Complete(offset) => {
                // "running attempts of that offset end in this tick's phase 2 (with whatever
                // outcome they have); ignored, and reported so, for anything not running"
                for attempt in self.consumers.iter_mut().flat_map(|c| &mut c.attempts) {
                    if attempt.offset == *offset {
                        attempt.ends = Some(self.tick);
                    }
                }
            }
            Input::Poison(offset) => {
                // "running attempts of that offset end, failed, in this tick's phase 2, and every
                // later one fails"
                self.poisoned.insert(*offset);
                for attempt in self.consumers.iter_mut().flat_map(|c| &mut c.attempts) {
                    if attempt.offset == *offset {
                        attempt.ends = Some(self.tick);
                        attempt.fails = true;
                    }
                }
            }
            Input::Stall { consumer, ticks } => {
                // "adds ticks to all that runs on that consumer, what would end in this tick
                // included; attempts until tapped or never are not stalled"
                // Reading: once tapped or poisoned earlier in this tick, an attempt has an end
                // and is stalled like any other.
                for attempt in &mut self.consumers[*consumer].attempts {
                    attempt.ends = attempt.ends.map(|ends| ends.saturating_add(*ticks));
                }
            }
            Input::Crash(consumer) => self.crash(*consumer),
            Input::Restart(consumer) => {
                // "a crashed consumer is up; if it owns the partition it is assigned again at C"
                if !self.consumers[*consumer].up {
                    self.consumers[*consumer].up = true;
                    if self.owner == Some(*consumer) {
                        self.assign(*consumer);
                    }
                }
            }
            Input::Revoke { from, to } => {
                // "ignored while another drain runs or where `from` is not the owner"
                if self.drain.is_some() || self.owner != Some(*from) {
                    return;
                }
                if self.consumers[*from].up {
                    // "starts a drain"; "at the latest at T + drain as it was at T"
                    // Reading: as it was when the input came, between the inputs of its tick.
                    let ends_at = self.tick.saturating_add(self.knobs.drain);
                    self.drain = Some(Drain { to: *to, ends_at });
                } else {
                    // "from an owner that is down it assigns at once"
                    self.assign(*to);
                }
            }
            Input::Rebalance => {
                // "while draining or orphaned: ignored as a revoke is; nobody up who owns it: ignored"
                let owner = self.owner.filter(|owner| self.consumers[*owner].up);
                let Some(owner) = owner.filter(|_| self.drain.is_none()) else { return };
                // "cooperative: nothing is revoked; eager: exactly as a revoke from the owner to itself"
                if self.knobs.takes_everything {
                    self.violate(STAYS);
                    self.input(&Input::Revoke { from: owner, to: owner });
                }
            }
            Input::Set(knobs) => self.set(knobs),
        }
    }

    /// "changes knobs from this tick on of both consumers and the guard"
    fn set(&mut self, changes: &toml::Table) {
        let before = self.knobs.clone();
        let applied = self.knobs.apply(changes);
        debug_assert!(applied.is_ok(), "the scenario was parsed with the same function");
        // Who checks from now on has nothing more to say for ownerships that have ended.
        if !self.knobs.late_commits {
            self.consumers.iter_mut().for_each(|consumer| consumer.unaware.clear());
        }
        let left_pause = match (before.intake, self.knobs.intake) {
            (Intake::Pause { high, .. }, Intake::Unbounded | Intake::Block) => {
                self.former_high = Some(high);
                true
            }
            _ => false,
        };
        // "leaving `pause` while paused counts as a resume"
        if left_pause
            && let Some(owned) = &mut self.owned
            && owned.paused
        {
            owned.paused = false;
            // This tick's poll is the first one after it.
            owned.nothing_before = self.tick + self.knobs.refetch;
            self.outcome.resumes += 1;
        }
        // "another `routing` or `null_keys` re-routes what is queued or waiting"
        if before.routing != self.knobs.routing || before.spread != self.knobs.spread {
            self.reroute();
        }
    }

    /// "re-routes what is queued or waiting, in offset order"
    fn reroute(&mut self) {
        let Some(mut owned) = self.owned.take() else { return };
        owned.mailboxes.clear();
        for (offset, polled) in &owned.polled {
            let enters = match polled.state {
                State::Queued => true,
                // "a failed record keeps the head of its mailbox"; "in the shared queue it waits
                // outside", and so does what will join a tail.
                State::Waiting { at: Place::Head, .. } => self.knobs.routing != Routing::Shared,
                _ => false,
            };
            if enters {
                let mailbox = self.mailbox(*offset);
                owned.mailboxes.entry(mailbox).or_default().push(*offset);
            }
        }
        self.owned = Some(owned);
    }

    /// "A crash keeps C, the dead letters and the rows; attempts and all else are gone, and the
    /// process stays down."
    fn crash(&mut self, consumer: usize) {
        if !self.consumers[consumer].up {
            return;
        }
        self.consumers[consumer].up = false;
        self.consumers[consumer].attempts.clear();
        self.consumers[consumer].unaware.clear();
        self.consumers[consumer].remembers_a_pause = false;
        self.outcome.crashed_at.get_or_insert(self.tick);
        if self.owner == Some(consumer) {
            self.end_owner();
            // "A crash during a drain: no commit; nobody owns the partition until the target
            // gets it in that tick's phase 5."
            if self.drain.is_some() {
                self.owner = None;
            }
        }
    }

    // ------------------------------------------------------- owners come and go

    /// A new epoch: the consumer owns the partition from C on.
    fn assign(&mut self, consumer: usize) {
        self.epoch += 1;
        self.owner = Some(consumer);
        self.drain = None;
        let remembers = std::mem::take(&mut self.consumers[consumer].remembers_a_pause);
        // "a target that is down owns it and reads nothing until restarted"
        self.owned = self.consumers[consumer].up.then(|| Owned {
            position: self.committed,
            // "a successor honours whatever is stored"
            inherited: self.stored_map.clone(),
            paused: false,
            paused_before: remembers && self.knobs.pauses_kept,
            // "assignment reads at once"
            nothing_before: 0,
            batch: Vec::new(),
            // "an assignment counts as a poll"
            last_poll: self.tick,
            polled: BTreeMap::new(),
            mailboxes: BTreeMap::new(),
            parked: BTreeMap::new(),
            said: (self.committed, self.stored_map.clone()),
        });
    }

    /// The epoch of an owner that is up ends, by crash, eviction or handover.
    fn end_owner(&mut self) -> Option<Owned> {
        let owned = self.owned.take()?;
        // A process that is down remembers nothing.
        if let Some(owner) = self.owner {
            let consumer = &mut self.consumers[owner];
            let paused = owned.paused || owned.paused_before;
            consumer.remembers_a_pause = consumer.up && self.knobs.pauses_kept && paused;
        }
        for record in &self.scenario.log {
            let offset = record.offset;
            // "the logged offsets from C up to its position, less those an acknowledgement map
            // spares"
            if offset >= self.committed && offset < owned.position && !self.stored_map.contains(&offset) {
                self.outcome.redelivered.push(offset);
                // "a redelivered offset that had already completed (a dead letter is no
                // completion)"
                if self.ever_completed.contains(&offset) {
                    self.outcome.duplicates.push(offset);
                }
            }
            // "an offset from `log.start` up to C that no attempt of any epoch has completed and
            // that was never dead-lettered"
            if offset >= self.scenario.start && offset < self.committed && !self.ever_finished(offset) {
                self.lost.insert(offset);
            }
        }
        Some(owned)
    }

    fn ever_finished(&self, offset: i64) -> bool {
        self.ever_completed.contains(&offset) || self.ever_dead.contains(&offset)
    }

    fn is_late(&self, attempt: &Attempt) -> bool {
        self.owned.is_none() || attempt.epoch != self.epoch
    }

    // ----------------------------------------------------------------- phase 2

    /// "attempts that end now (started at t with work d: t+d)"
    fn phase_2_ends(&mut self) {
        // "consumers in id order (A, B), offsets ascending, workers ascending"
        for consumer in 0..2 {
            let running = std::mem::take(&mut self.consumers[consumer].attempts);
            let (mut ending, going_on): (Vec<_>, Vec<_>) =
                running.into_iter().partition(|attempt| attempt.ends == Some(self.tick));
            self.consumers[consumer].attempts = going_on;
            ending.sort_by_key(|attempt| (attempt.offset, attempt.worker));
            for attempt in ending {
                if attempt.fails {
                    self.failed(&attempt);
                } else {
                    self.succeeded(&attempt);
                }
            }
        }
    }

    fn succeeded(&mut self, attempt: &Attempt) {
        let offset = attempt.offset;
        let late = self.is_late(attempt);
        self.outcome.completions.push(format!("{offset}@{}", self.tick));

        // "a completion while a later offset of the same key has already completed in an attempt
        // of the same epoch (late ones of an old owner included; records without a key never
        // count)"
        let key = self.record(offset).key.clone();
        let before = self.completed_in.entry(attempt.epoch).or_default().clone();
        if key.is_some() && before.iter().any(|other| *other > offset && self.record(*other).key == key) {
            self.outcome.order_breaks += 1;
            self.violate(KEY_ORDER);
        }
        self.completed_in.entry(attempt.epoch).or_default().push(offset);
        self.ever_completed.insert(offset);

        // "Success: done"; "a stale result changes no tracker, no commit"
        if !late && let Some(owned) = &mut self.owned {
            owned.polled.get_mut(&offset).expect("it was polled to be started").state = State::Done;
        }
        // Without a check of its own, a consumer marks it in the tracker of the ended ownership.
        for consumer in &mut self.consumers {
            for (epoch, owned) in &mut consumer.unaware {
                if *epoch == attempt.epoch {
                    owned.polled.get_mut(&offset).expect("it was polled to be started").state = State::Done;
                }
            }
        }
        // "and the row is written through the guard"; "A record without a key writes no row."
        if let Some(key) = key {
            self.write(key, offset, late);
        }
    }

    fn write(&mut self, key: String, version: i64, late: bool) {
        let note = format!("{version}@{}", self.tick);
        // "a row that does not exist is older than offset 0"
        let existing = self.rows.get(&key).copied().unwrap_or(-1);
        // "`off` (last write wins), `newer` (accept if version > row version), `not-older` (>=)"
        let accepted = match self.knobs.guard {
            Guard::Off => true,
            Guard::Newer => version > existing,
            Guard::NotOlder => version >= existing,
        };
        // "a row write, accepted or rejected, by an attempt whose epoch had already ended; only
        // an accepted one *lands*"
        if late {
            self.outcome.leaked.push(note.clone());
            if accepted {
                self.violate(NO_LATE_WRITE);
            }
        }
        if accepted {
            if version < existing {
                self.violate(VERSIONS);
            }
            self.rows.insert(key, version);
        } else {
            self.outcome.rejected.push(note);
        }
    }

    fn failed(&mut self, attempt: &Attempt) {
        // "An attempt of an old epoch succeeds (writes, leaks) or fails alike, frees its worker,
        // and changes nothing else"
        if self.is_late(attempt) {
            return;
        }
        let offset = attempt.offset;
        let mailbox = self.mailbox(offset);
        let Some(owned) = &mut self.owned else { return };
        let polled = owned.polled.get_mut(&offset).expect("it was polled to be started");
        polled.first_failed.get_or_insert(self.tick);
        // "the retry is due at now + delay"; "Delay and place are fixed at the failure."
        let due = self.tick.saturating_add(self.knobs.retry_delay);
        polled.state = State::Waiting { due, at: self.knobs.retry_at };
        polled.failed_at_head = self.knobs.retry_at == Place::Head;
        // "a failed record keeps the head of its mailbox, which stays closed to later ones until
        // it is terminal; in the shared queue it waits outside"
        if polled.failed_at_head && mailbox != Mailbox::SharedQueue {
            // Reading: the head is the very front, where several that failed keep offset order. One that a
            // re-route has put behind others does not hold the head, and nobody stands back for it.
            let contents = owned.mailboxes.entry(mailbox).or_default();
            let place = contents
                .iter()
                .take_while(|other| **other < offset && owned.polled[other].failed_at_head)
                .count();
            contents.insert(place, offset);
        }
    }

    // ----------------------------------------------------------------- phase 3

    /// "timers: quarantine, then retries that become due, then max.poll.interval"
    fn phase_3_timers(&mut self) {
        self.quarantine();
        self.retries_due();
        self.max_poll_interval();
    }

    fn quarantine(&mut self) {
        let Some(mut owned) = self.owned.take() else { return };
        let offsets: Vec<i64> = owned.polled.keys().copied().collect();
        for offset in offsets {
            let key = self.record(offset).key.clone();
            let polled = &owned.polled[&offset];
            // "not on a worker (waiting or queued alike; an attempt is never cut short)"
            if matches!(polled.state, State::Running | State::Done | State::Dead) {
                continue;
            }
            // "from that tick to the end of the epoch no record of that key with a higher offset
            // starts: those queued or waiting are dead-lettered in the same phase 3, those polled
            // afterwards in the next, those running when their attempt fails"
            let parked = is_parked(&owned, key.as_ref(), offset);
            // "A record that failed first at f is dead-lettered at f + q, or at the first phase 3
            // after that in which it is not on a worker"; "timers use the value now in force"
            let expired = match (polled.first_failed, self.knobs.quarantine) {
                (Some(failed), Some(after)) => self.tick >= failed.saturating_add(after),
                _ => false,
            };
            if !parked && !expired {
                continue;
            }
            owned.polled.get_mut(&offset).expect("from its own keys").state = State::Dead;
            // "A dead-lettered record leaves its queue at once."
            for contents in owned.mailboxes.values_mut() {
                contents.retain(|other| *other != offset);
            }
            self.outcome.quarantined.push(offset);
            self.ever_dead.insert(offset);
            // "a record without a key parks nothing"
            if expired
                && self.knobs.park
                && let Some(key) = key
            {
                let lowest = owned.parked.entry(key).or_insert(offset);
                *lowest = offset.min(*lowest);
            }
        }
        self.owned = Some(owned);
    }

    fn retries_due(&mut self) {
        let Some(mut owned) = self.owned.take() else { return };
        let mut to_the_front = Vec::new();
        let offsets: Vec<i64> = owned.polled.keys().copied().collect();
        for offset in offsets {
            let polled = owned.polled.get_mut(&offset).expect("from its own keys");
            let State::Waiting { due, at } = polled.state else { continue };
            if due > self.tick {
                continue;
            }
            polled.state = State::Queued;
            match at {
                // In a mailbox it has kept its place; from outside the shared queue it comes in.
                Place::Head if self.knobs.routing == Routing::Shared => to_the_front.push(offset),
                Place::Head => {}
                // "due, it joins the tail of its mailbox or queue"
                Place::Tail => {
                    let mailbox = self.mailbox(offset);
                    owned.mailboxes.entry(mailbox).or_default().push(offset);
                }
            }
        }
        // "re-enters at the front (several due in one tick keep offset order, the lowest in
        // front)"
        if !to_the_front.is_empty() {
            let queue = owned.mailboxes.entry(Mailbox::SharedQueue).or_default();
            to_the_front.append(queue);
            *queue = to_the_front;
        }
        self.owned = Some(owned);
    }

    fn max_poll_interval(&mut self) {
        let (Some(interval), Some(evicted), Some(owned)) =
            (self.knobs.max_poll_interval, self.owner, &self.owned)
        else {
            return;
        };
        // "expired when ticks since the last poll >= the interval; draining consumers too"
        if self.tick - owned.last_poll < interval {
            return;
        }
        self.outcome.evictions += 1;
        self.violate(POLLS);
        // "no drain, no commit, the epoch ends, running attempts go on and leak"
        self.end_owner();
        // Out of the group: whatever it says is refused.
        self.consumers[evicted].unaware.clear();
        let other = 1 - evicted;
        let next = match &self.drain {
            // "the partition goes at once, at C, to the target of a pending revoke (up or down)"
            Some(drain) => drain.to,
            // "else to the other member if there is one that is up"
            None if self.consumers[other].member && self.consumers[other].up => other,
            // "else back to the evicted one, which rejoins"
            None => evicted,
        };
        self.assign(next);
    }

    // ----------------------------------------------------------------- phase 4

    fn phase_4_watermark(&mut self) {
        // "the owner's watermark after phase 4 each time it differs from the last noted by
        // anybody, value@tick"
        if let Some(owned) = &self.owned {
            let watermark = watermark(owned);
            if self.last_noted != Some(watermark) {
                self.last_noted = Some(watermark);
                self.outcome.w.push(format!("{watermark}@{}", self.tick));
            }
        }
    }

    // ----------------------------------------------------------------- phase 5

    /// "commit, when due and when offset or map changed (a draining owner commits too); then the
    /// drain test"
    fn phase_5_commit_and_drain(&mut self) {
        // "every n ticks, at ticks divisible by n"
        for consumer in 0..2 {
            if self.tick.is_multiple_of(self.knobs.commit_every) {
                if self.owner == Some(consumer) {
                    self.commit();
                }
                self.late_commits(consumer);
            }
            // Of the others nothing more will come.
            let mut unaware = std::mem::take(&mut self.consumers[consumer].unaware);
            unaware.retain(|(epoch, owned)| {
                self.next_commit(owned).is_some()
                    || self.consumers[consumer].attempts.iter().any(|attempt| attempt.epoch == *epoch)
            });
            self.consumers[consumer].unaware = unaware;
        }
        // Reading: commit and drain test are two steps, so who is assigned in the second does not
        // commit in the first, whichever of the two consumers it is.
        let Some(drain) = &self.drain else { return };
        let (to, ends_at) = (drain.to, drain.ends_at);
        let Some(owner) = self.owner else {
            // "nobody owns the partition until the target gets it in that tick's phase 5"
            self.assign(to);
            return;
        };
        // "a revoke at T ends at the first tick >= T at which no attempt of the *current* epoch
        // runs, at the latest at T + drain as it was at T"
        let still_runs = self.consumers[owner].attempts.iter().any(|attempt| attempt.epoch == self.epoch);
        if !still_runs || self.tick >= ends_at {
            // "It ends by: watermark, commit, fence (epoch ends), forget; the new owner is
            // assigned at C in that same tick."
            self.commit();
            let ended = self.end_owner();
            if self.knobs.late_commits
                && still_runs
                && let Some(owned) = ended
            {
                self.consumers[owner].unaware.push((self.epoch, owned));
            }
            self.assign(to);
        }
    }

    fn commit(&mut self) {
        if let Some((offset, map)) = self.owned.as_ref().and_then(|owned| self.next_commit(owned)) {
            self.owned.as_mut().expect("it has just spoken").said = (offset, map.clone());
            self.committed = offset;
            self.stored_map = map;
        }
    }

    /// The ended ownerships of a consumer commit what they have got to: the broker asks who commits, not whether
    /// the partition is theirs.
    fn late_commits(&mut self, consumer: usize) {
        for at in 0..self.consumers[consumer].unaware.len() {
            let Some(said) = self.next_commit(&self.consumers[consumer].unaware[at].1) else { continue };
            self.consumers[consumer].unaware[at].1.said = said.clone();
            if said != (self.committed, self.stored_map.clone()) {
                self.outcome.late_commits.push(format!("{}@{}", said.0, self.tick));
                self.violate(FENCE);
                (self.committed, self.stored_map) = said;
            }
        }
    }

    /// What a commit of this ownership would say now; none where "offset or map" has not changed since its last.
    fn next_commit(&self, owned: &Owned) -> Option<(i64, Vec<i64>)> {
        let terminal: Vec<i64> = owned
            .polled
            .iter()
            .filter(|(_, polled)| is_terminal(polled.state))
            .map(|(offset, _)| *offset)
            .collect();
        // "`watermark`, or `highest` (the bug to show: highest terminal offset of the epoch + 1)"
        let wanted = if self.knobs.commit_highest {
            terminal.last().map_or(owned.said.0, |highest| highest + 1)
        } else {
            watermark(owned)
        };
        // "Within an epoch C never goes back."
        let offset = wanted.max(owned.said.0);
        let mut map = Vec::new();
        if self.knobs.ack_map {
            // "the terminal offsets at or above C travel in the commit's metadata"; inherited
            // ones "stay in later maps until W passes them"
            let low = watermark(owned);
            map.extend(terminal);
            map.extend(owned.inherited.iter().copied().filter(|inherited| *inherited >= low));
            map.retain(|finished| *finished >= offset);
            map.sort_unstable();
            map.dedup();
            // "if that exceeds `ack_map_limit` the commit goes without it"
            if encoded_length(offset, &map) > self.knobs.ack_map_limit {
                map.clear();
            }
        }
        // "Switched off, the next due commit drops the stored map": the map is empty then.
        ((offset, &map) != (owned.said.0, &owned.said.1)).then_some((offset, map))
    }

    // ----------------------------------------------------------------- phase 6

    /// "poll, at most `poll` records (none while paused), unless blocked or draining; then, after
    /// any poll, the heap test (that poll still counts)"
    fn phase_6_poll(&mut self) {
        if self.drain.is_some() || self.is_blocked() {
            return;
        }
        let (Some(owner), Some(mut owned)) = (self.owner, self.owned.take()) else { return };
        owned.last_poll = self.tick;
        // "the consumer goes on polling, with no records, while paused"
        let is_open = !owned.paused && !owned.paused_before;
        if is_open && self.tick < owned.nothing_before {
            let log = &self.scenario.log;
            // "although a record is visible to it"
            if log.iter().any(|record| record.offset >= owned.position && record.time <= self.tick) {
                self.outcome.empty_polls += 1;
                self.violate(BRINGS);
            }
        } else if is_open {
            let mut taken = Vec::new();
            // "a poll passes over them until it holds `poll` records or the log ends, and the
            // position stops at the last record taken or passed"
            for record in &self.scenario.log {
                if taken.len() == self.knobs.poll || record.time > self.tick {
                    break;
                }
                if record.offset < owned.position {
                    continue;
                }
                // "last polled offset + 1, gaps or not"
                owned.position = record.offset + 1;
                if !owned.inherited.contains(&record.offset) {
                    taken.push(record.offset);
                }
            }
            for offset in &taken {
                // "those polled afterwards in the next (they enter no queue and hold nobody
                // back)"
                let parked = is_parked(&owned, self.record(*offset).key.as_ref(), *offset);
                let state = if parked { State::Parked } else { State::Queued };
                owned.polled.insert(
                    *offset,
                    Polled { state, attempts: 0, first_failed: None, failed_at_head: false },
                );
                if !parked {
                    let mailbox = self.mailbox(*offset);
                    owned.mailboxes.entry(mailbox).or_default().push(*offset);
                }
            }
            if !taken.is_empty() {
                owned.batch = taken;
            }
        }
        let in_flight = in_flight(&owned);
        self.owned = Some(owned);
        self.outcome.peak_in_flight = self.outcome.peak_in_flight.max(in_flight);
        // "in flight > ceiling after a poll kills the process (a crash, out of memory)"
        if self.knobs.heap_ceiling.is_some_and(|ceiling| in_flight > ceiling) {
            // Reading: the table says that `unbounded` breaks this one, and it can be seen to do
            // so only by its crash.
            self.violate(HEAP);
            self.crash(owner);
        }
    }

    /// "polls again only when every record of the last poll that returned any is terminal"
    fn is_blocked(&self) -> bool {
        self.knobs.intake == Intake::Block
            && self.owned.as_ref().is_some_and(|owned| {
                owned.batch.iter().any(|offset| !is_terminal(owned.polled[offset].state))
            })
    }

    // ----------------------------------------------------------------- phase 7

    /// "pause / resume test (not while draining)"
    fn phase_7_gate(&mut self) {
        let (Intake::Pause { high, low }, None, Some(owned)) =
            (self.knobs.intake, &self.drain, &mut self.owned)
        else {
            return;
        };
        // "pause when in flight >= high, resume when <= low, nothing in between"
        let in_flight = in_flight(owned);
        if !owned.paused && in_flight >= high {
            owned.paused = true;
            // "a new pause while refetching starts over"
            owned.nothing_before = 0;
            self.outcome.pauses += 1;
        } else if owned.paused && in_flight <= low {
            owned.paused = false;
            // The next tick's poll is the first one after it.
            owned.nothing_before = self.tick + 1 + self.knobs.refetch;
            self.outcome.resumes += 1;
        }
    }

    // ----------------------------------------------------------------- phase 8

    fn phase_8_dispatch(&mut self) {
        while let Some((owner, mailbox, offset)) = self.next_start() {
            self.start(owner, &mailbox, offset);
        }
    }

    /// The next record that a worker may run, if a worker is free.
    fn next_start(&self) -> Option<(usize, Mailbox, i64)> {
        let owner = self.owner?;
        let owned = self.owned.as_ref()?;
        // "A draining consumer starts nothing."
        if self.drain.is_some() {
            return None;
        }
        // "while fewer than `workers` attempts run on that consumer, old epochs included";
        // `serial` has "one worker": its one mailbox sees to that.
        let attempts = &self.consumers[owner].attempts;
        if attempts.len() >= self.knobs.workers {
            return None;
        }
        let mut best: Option<(usize, Mailbox, i64)> = None;
        for (mailbox, contents) in &owned.mailboxes {
            let Some(head) = contents.first() else { continue };
            // "closed to later ones until it is terminal"
            if owned.polled[head].state != State::Queued {
                continue;
            }
            // "at most one worker in a mailbox at a time, old-epoch attempts on that consumer
            // included"; in the shared queue "any free worker takes the head"
            let busy = attempts.iter().any(|attempt| self.mailbox(attempt.offset) == *mailbox);
            if busy && *mailbox != Mailbox::SharedQueue {
                continue;
            }
            // "of all ready mailboxes, the head with the lowest offset"
            if best.as_ref().is_none_or(|(_, _, lowest)| head < lowest) {
                best = Some((owner, mailbox.clone(), *head));
            }
        }
        best
    }

    fn start(&mut self, owner: usize, mailbox: &Mailbox, offset: i64) {
        let record = self.record(offset).clone();
        let Some(owned) = &mut self.owned else { return };
        if let Some(contents) = owned.mailboxes.get_mut(mailbox) {
            contents.remove(0);
        }
        let polled = owned.polled.get_mut(&offset).expect("only polled records are in mailboxes");
        polled.state = State::Running;
        polled.attempts += 1;
        // "A record may also fail its first n attempts in an epoch, or all."
        let poisoned = self.poisoned.contains(&offset);
        let fails = poisoned
            || match record.fails {
                Fails::First(n) => polled.attempts <= n,
                Fails::Always => true,
            };
        let ends = match record.work {
            Work::Ticks(work) => Some(self.tick.saturating_add(work)),
            // "(after one tick where its work was until tapped or never)"
            Work::Tap | Work::Never if poisoned => Some(self.tick + 1),
            Work::Tap | Work::Never => None,
        };
        // "a start while another attempt for the same key runs on that consumer, old epochs
        // included; records without a key never count"
        let attempts = &self.consumers[owner].attempts;
        if record.key.is_some() && attempts.iter().any(|other| self.record(other.offset).key == record.key) {
            self.outcome.overlaps += 1;
            self.violate(ONE_WORKER);
        }
        // "the lowest free worker"
        let attempts = &mut self.consumers[owner].attempts;
        let mut worker = 0;
        while attempts.iter().any(|attempt| attempt.worker == worker) {
            worker += 1;
        }
        attempts.push(Attempt { worker, offset, epoch: self.epoch, ends, fails });
    }

    // ----------------------------------------------------------------- routing

    /// The mailbox of a logged offset under the routing now in force.
    fn mailbox(&self, offset: i64) -> Mailbox {
        match (self.knobs.routing, &self.record(offset).key) {
            (Routing::Shared, _) => Mailbox::SharedQueue,
            // "one mailbox for everything and one worker"
            (Routing::Serial, _) => Mailbox::Everything,
            // "one FIFO mailbox per key"
            (Routing::Keyed, Some(key)) => Mailbox::Key(key.clone()),
            // "mailbox = (Kafka's murmur2 of the key & 0x7fffffff) mod n"
            (Routing::Lanes(n), Some(key)) => {
                Mailbox::Lane(u64::from(murmur2(key.as_bytes()) & 0x7fff_ffff) % n)
            }
            // "Records without a key, in `keyed` and `lanes`: one mailbox of their own for all,
            // or each offset its own"
            (Routing::Keyed | Routing::Lanes(_), None) if self.knobs.spread => Mailbox::Alone(offset),
            (Routing::Keyed | Routing::Lanes(_), None) => Mailbox::WithoutKey,
        }
    }

    fn record(&self, offset: i64) -> &'a Record {
        let log = &self.scenario.log;
        log.iter().find(|record| record.offset == offset).expect("only logged offsets are asked for")
    }

    // --------------------------------------------------------------- judgement

    fn violate(&mut self, invariant: &str) {
        self.outcome.violated.insert(invariant.to_owned());
    }

    /// "judged at the end of each tick (for an owner that is up)"
    ///
    /// Reading: that is said of what speaks of the owner's state now. What is a fact of the
    /// ledger (an overlap, an order break, a late write that landed, a row gone back, an
    /// eviction) was noted where it happened and counts whoever is down by the end of the tick.
    fn judge(&mut self) {
        let (Some(owner), Some(owned)) = (self.owner, &self.owned) else { return };
        let watermark = watermark(owned);
        let in_flight = in_flight(owned);
        let mut broken = Vec::new();

        if owned.paused_before {
            broken.push(GATE_CLOSED);
        }
        let mut below = self
            .scenario
            .log
            .iter()
            .filter(|record| record.offset >= self.scenario.start && record.offset < self.committed);
        if below.any(|record| !self.ever_finished(record.offset)) {
            broken.push(FINISHED_BELOW);
        }
        if !(self.committed <= watermark && watermark <= owned.position) {
            broken.push(CHAIN);
        }
        // "never (within an epoch)"
        if self.last_judged.is_some_and(|(epoch, old_watermark, old_committed)| {
            epoch == self.epoch && (watermark < old_watermark || self.committed < old_committed)
        }) {
            broken.push(NEVER_BACK);
        }
        // "unbounded and block have no marks to keep unless a `pause` was in force before, whose
        // marks then count"
        // Reading: judged of what is in flight at the end of the tick, by the knobs now in force.
        let high = match self.knobs.intake {
            Intake::Pause { high, .. } => Some(high),
            Intake::Unbounded | Intake::Block => self.former_high,
        };
        if high.is_some_and(|high| in_flight >= high.saturating_add(self.knobs.poll as u64)) {
            broken.push(MARKS);
        }
        if self.knobs.heap_ceiling.is_some_and(|ceiling| in_flight > ceiling) {
            broken.push(HEAP);
        }
        if self.next_start().is_some() {
            broken.push(NO_IDLER);
        }
        let places = |offset: i64| {
            let queued = owned.mailboxes.values().flatten().filter(|other| **other == offset).count();
            let running = self.consumers[owner]
                .attempts
                .iter()
                .filter(|attempt| attempt.epoch == self.epoch && attempt.offset == offset)
                .count();
            (queued, running)
        };
        let in_one_state = owned.polled.iter().all(|(offset, polled)| {
            let expected = match polled.state {
                State::Queued => (1, 0),
                State::Waiting { at: Place::Head, .. } if self.knobs.routing != Routing::Shared => (1, 0),
                State::Running => (0, 1),
                State::Waiting { .. } | State::Parked | State::Done | State::Dead => (0, 0),
            };
            places(*offset) == expected
        });
        if !in_one_state {
            broken.push(ONE_STATE);
        }
        self.last_judged = Some((self.epoch, watermark, self.committed));
        for invariant in broken {
            self.violate(invariant);
        }
    }

    // --------------------------------------------------------------------- end

    /// "The run ends after `ticks`, or earlier when no input is left and nothing can change any
    /// more; a commit not yet due and a watermark not yet noted are changes still to come."
    fn can_change(&self) -> bool {
        let scenario = self.scenario;
        let inputs_left = scenario.inputs.iter().any(|(tick, _)| *tick > self.tick);
        // Reading: an arrival that no poll will ever see changes nothing; `unread` below asks for the others.
        let attempts_end =
            self.consumers.iter().flat_map(|c| &c.attempts).any(|attempt| attempt.ends.is_some());
        let mut unaware = self.consumers.iter().flat_map(|c| &c.unaware);
        if inputs_left || attempts_end || unaware.any(|(_, owned)| self.next_commit(owned).is_some()) {
            return true;
        }
        let Some(owned) = &self.owned else { return false };
        // A drain ends, and a consumer that does not poll is evicted.
        if self.drain.is_some() || (self.is_blocked() && self.knobs.max_poll_interval.is_some()) {
            return true;
        }
        let timers_run = owned.polled.values().any(|polled| match polled.state {
            State::Waiting { .. } | State::Parked => true,
            State::Queued => polled.first_failed.is_some() && self.knobs.quarantine.is_some(),
            State::Running | State::Done | State::Dead => false,
        });
        let unread = scenario.log.iter().any(|record| record.offset >= owned.position);
        let polls = unread && !owned.paused && !owned.paused_before && !self.is_blocked();
        timers_run || polls || self.next_commit(owned).is_some() || self.last_noted != Some(watermark(owned))
    }

    fn close(mut self) -> Outcome {
        self.outcome.committed = self.committed;
        self.outcome.watermark = self.owned.as_ref().map(watermark);
        self.outcome.position = self.owned.as_ref().map(|owned| owned.position);
        self.outcome.lost = self.lost.into_iter().collect();
        self.outcome.quarantined.sort_unstable();
        self.outcome.rows = self.rows;
        self.outcome.last_tick = self.tick;
        self.outcome
    }
}

/// "*in an epoch*: done, or quarantined with its dead letter written"
fn is_terminal(state: State) -> bool {
    matches!(state, State::Done | State::Dead)
}

/// "polled in this epoch and not terminal (queued + running + waiting to retry)"
fn in_flight(owned: &Owned) -> u64 {
    owned.polled.values().filter(|polled| !is_terminal(polled.state)).count() as u64
}

/// "the lowest in-flight offset; the position where nothing is in flight"
fn watermark(owned: &Owned) -> i64 {
    let mut in_flight = owned.polled.iter().filter(|(_, polled)| !is_terminal(polled.state));
    in_flight.next().map_or(owned.position, |(offset, _)| *offset)
}

/// "no record of that key *with a higher offset* starts"
fn is_parked(owned: &Owned, key: Option<&String>, offset: i64) -> bool {
    key.and_then(|key| owned.parked.get(key)).is_some_and(|lowest| *lowest < offset)
}

/// "the smaller of a bitset from C to the highest terminal offset and run lengths as unsigned
/// LEB128 (first run: unfinished; gaps count as unfinished), one byte to say which, in padded
/// base64"
fn encoded_length(committed: i64, map: &[i64]) -> u64 {
    let Some(highest) = map.last() else { return 0 };
    let bits = (highest - committed) as u64 + 1;
    let bitset = bits.div_ceil(8);

    let mut runs = Vec::new();
    let mut next = committed;
    let mut finished_run = 0;
    for offset in map {
        if *offset > next || runs.is_empty() {
            if !runs.is_empty() {
                runs.push(finished_run);
            }
            runs.push((offset - next) as u64);
            finished_run = 0;
        }
        finished_run += 1;
        next = offset + 1;
    }
    runs.push(finished_run);
    let run_lengths: u64 = runs.into_iter().map(leb128_length).sum();

    let bytes = 1 + bitset.min(run_lengths);
    bytes.div_ceil(3) * 4
}

fn leb128_length(mut n: u64) -> u64 {
    let mut bytes = 1;
    while n >= 128 {
        n /= 128;
        bytes += 1;
    }
    bytes
}

/// Kafka's murmur2, as in `org.apache.kafka.common.utils.Utils`.
fn murmur2(data: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let mut hash = 0x9747_b28c ^ data.len() as u32;
    let mut words = data.chunks_exact(4);
    for word in &mut words {
        let mut k = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        k = k.wrapping_mul(M);
        k ^= k >> 24;
        k = k.wrapping_mul(M);
        hash = hash.wrapping_mul(M);
        hash ^= k;
    }
    let rest = words.remainder();
    if rest.len() == 3 {
        hash ^= u32::from(rest[2]) << 16;
    }
    if rest.len() >= 2 {
        hash ^= u32::from(rest[1]) << 8;
    }
    if !rest.is_empty() {
        hash ^= u32::from(rest[0]);
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kafka's own test vectors.
    #[test]
    fn murmur2_is_kafkas() {
        assert_eq!(murmur2(b"21") as i32, -973_932_308);
        assert_eq!(murmur2(b"foobar") as i32, -790_332_482);
        assert_eq!(murmur2(b"a-little-bit-long-string") as i32, -985_981_536);
        assert_eq!(murmur2(b"a-little-bit-longer-string") as i32, -1_486_304_829);
        assert_eq!(murmur2(b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8") as i32, -58_897_971);
    }

    #[test]
    fn maps_have_the_length_of_their_base64() {
        // From 10: open, done, done, open, done. A bitset takes one byte, four runs take four.
        assert_eq!(encoded_length(10, &[11, 12, 14]), 4);
        // 1000 open, 1 done: a bitset takes 126 bytes, the runs three.
        assert_eq!(encoded_length(0, &[1000]), 8);
        // The first run may be empty.
        assert_eq!(encoded_length(5, &[5]), 4);
        assert_eq!(encoded_length(5, &[]), 0);
    }
}
