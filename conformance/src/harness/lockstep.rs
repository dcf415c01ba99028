//! A scenario in the simulator, and real consumers in step with it.
//!
//! Before each tick of the real system the simulated one has executed it. Its facts say what has to be done
//! (which records' work ends, who is killed, how many records a poll returns), and its state what has to come
//! of it. The tick is over when the real members and the broker stand as the simulated ones do; they may take
//! what time they need, and if they never do, that is the finding.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use keyed_worker_pool::{
    ids::{ConsumerId, Offset, Tick},
    ledger::{Keep, Outcome},
    player::Course,
    run::Run,
    scenario::Scenario,
    world::{EndedBy, Fact, Input},
};

use super::{
    Trouble,
    cluster::{Cluster, Kind},
    member::{Orders, Patience, TOPIC},
    notebook::{Entry, Notebook, Said},
    process::Member,
    seen::Seen,
    until,
};
use crate::{consumer::Partition, store::Store};

/// How a crash is brought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// SIGKILL: the group finds out when the session times out.
    Kill,
    /// The consumer is dropped without drain or commit: it leaves the group at once.
    Drop,
}

/// How an eviction is brought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// The process runs and does not poll: `max.poll.interval.ms` passes.
    NotPolling,
    /// SIGSTOP: nothing of the process runs, and its session times out.
    Stopped,
}

/// What a scenario leaves open.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// How crashes come about.
    pub crash: Crash,
    /// How evictions do.
    pub eviction: Eviction,
    /// Whether a first pause lasts longer than the group waits for a poll.
    pub dwell: bool,
}

impl Default for How {
    fn default() -> How {
        How { crash: Crash::Kill, eviction: Eviction::NotPolling, dwell: false }
    }
}

/// How long an owner polls for what is not to come. A record that is to come takes milliseconds.
const IN_VAIN: Duration = Duration::from_secs(1);

/// What came of both.
pub struct Played {
    /// In the simulator.
    pub outcome: Outcome,
    /// On the real client.
    pub seen: Seen,
}

/// Plays the scenario of a file; `None` where there is no such broker.
///
/// # Errors
/// If the two systems part ways, naming the tick and where each stood; or if something does not work at all.
pub fn play(kind: Kind, scenario: &Path, how: How) -> Result<Option<Played>, Trouble> {
    let group = format!("group-{}", next());
    let Some(cluster) = Cluster::start(kind, &group)? else { return Ok(None) };
    let read = Scenario::load(scenario)?;
    let mut stage = Stage::set(&cluster, scenario, &read, how, &group)?;
    let course = Course::new(read.setup.clone(), read.inputs.clone(), read.last);
    let mut run = Run::new(course.setup(), Keep::Events);
    while !course.is_over(&run) && course.step(&mut run) {
        let tick = Tick(run.now().0 - 1);
        stage.follow(&run, tick).map_err(|error| format!("tick {tick}: {error}"))?;
    }
    Ok(Some(Played { outcome: run.outcome(), seen: stage.conclude(&read)? }))
}

fn next() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The real system.
struct Stage<'a> {
    cluster: &'a Cluster,
    scenario: &'a Path,
    how: How,
    group: String,
    patience: Patience,
    rows: PathBuf,
    notebook: Notebook,
    members: BTreeMap<ConsumerId, Member>,
    lives: BTreeMap<ConsumerId, u32>,
    /// Whose revocation has begun, and the notebook's length then.
    draining: Option<(ConsumerId, usize)>,
    /// Whether a pause has lasted as long as it should.
    dwelt: bool,
    /// Who lost the partition and does not know it, and whether it is stopped.
    evicted: Option<(ConsumerId, bool)>,
}

impl<'a> Stage<'a> {
    fn set(
        cluster: &'a Cluster,
        file: &'a Path,
        scenario: &Scenario,
        how: How,
        group: &str,
    ) -> Result<Stage<'a>, Trouble> {
        let log = scenario.setup.log();
        let partition = Partition::new(TOPIC, 0);
        if log.iter_from(0).zip(0..).any(|(record, place)| record.offset != Offset(place)) {
            return Err("a real log begins at 0 and has no gaps".into());
        }
        cluster.create_topic(TOPIC, 1)?;
        for id in ConsumerId::ALL {
            cluster.create_topic(&idle(id), 1)?;
        }
        let keyed = log.iter_from(0).map(|record| record.key.and_then(|id| log.key(id)));
        let values = (0..).map(|offset: i64| format!("value {offset}").into_bytes());
        cluster.append(&partition, keyed.map(|key| key.map(|key| key.bytes())).zip(values))?;
        cluster.flush()?;
        let inputs = || scenario.inputs.values().flatten();
        let crashes = inputs().any(|input| matches!(input, Input::Crash(_)));
        let expires = scenario.setup.knobs().max_poll_interval.is_some();
        let patience = patience(crashes || expires || how.dwell);
        let rows = std::env::temp_dir().join(format!("kwp-conformance-{}-{group}", std::process::id()));
        std::fs::create_dir_all(&rows)?;
        let mut stage = Stage {
            cluster,
            scenario: file,
            how,
            group: group.to_owned(),
            patience,
            rows,
            notebook: Notebook::default(),
            members: BTreeMap::new(),
            lives: BTreeMap::new(),
            draining: None,
            dwelt: !how.dwell,
            evicted: None,
        };
        let with_b =
            scenario.setup.with_b() || inputs().any(|input| input.names().any(|id| id == ConsumerId::B));
        if with_b {
            stage.start(ConsumerId::B)?;
            stage.subscribe(ConsumerId::B, &[&idle(ConsumerId::B)])?;
            stage.hear(ConsumerId::B, 0, "its idle topic", |said| *said == Said::Idles)?;
        }
        stage.start(ConsumerId::A)?;
        stage.assign(ConsumerId::A)?;
        Ok(stage)
    }

    /// Does in the real system what happened in the simulated one in this tick, and waits until they agree.
    fn follow(&mut self, run: &Run, tick: Tick) -> Result<(), Trouble> {
        let facts: Vec<_> = run.ledger().events_from(tick).iter().map(|event| &event.fact).collect();
        for fact in &facts {
            if let Fact::Crashed { consumer, .. } = fact {
                self.crash(*consumer)?;
            }
        }
        self.end_work(run, tick, &facts)?;
        for fact in &facts {
            match **fact {
                Fact::Restarted { consumer } => {
                    self.start(consumer)?;
                    self.order(consumer, &format!("now {tick}"))?;
                }
                Fact::Evicted { consumer, .. } => self.evict(consumer)?,
                Fact::OwnerEnded { consumer, by: EndedBy::Handover, .. } => self.hand_over(consumer)?,
                Fact::Assigned { consumer, up: true, .. } if tick > Tick(0) => self.assign(consumer)?,
                _ => {}
            }
        }
        for fact in &facts {
            if let Fact::Committed { consumer, late: true, .. } = **fact {
                self.commit(consumer)?;
            }
        }
        self.poll(run, &facts)?;
        self.agree(run)?;
        if facts.iter().any(|fact| matches!(fact, Fact::Assigned { paused: true, .. })) {
            self.poll_in_vain(run)?;
        }
        if !self.dwelt && run.world().owner().is_some_and(|(_, session)| session.is_paused()) {
            self.dwelt = true;
            // Time has to pass here: it is what the claim is about. All the while nothing may change.
            let end = Instant::now() + Duration::from_millis(self.patience.interval.into()) * 3 / 2;
            while Instant::now() < end {
                self.agree(run)?;
            }
        }
        Ok(())
    }

    /// The clock, the work that ends, and the revocation that begins: in the order in which they must reach a
    /// process that acts on them at once. What ends in the tick in which a drain does is still to count, and a
    /// drain without a window is over as soon as it begins.
    fn end_work(&mut self, run: &Run, tick: Tick, facts: &[&Fact]) -> Result<(), Trouble> {
        let drained = self.draining.map(|(id, _)| id);
        for id in self.awake() {
            if Some(id) != drained {
                self.order(id, &format!("now {tick}"))?;
            }
        }
        let begun = facts.iter().find_map(|fact| match fact {
            Fact::DrainBegan { from, to, .. } => Some((*from, *to)),
            _ => None,
        });
        let window = run.world().knobs().drain > 0;
        if let Some((from, to)) = begun
            && window
        {
            self.revoke(from, to)?;
        }
        for fact in facts {
            match fact {
                Fact::Completed { attempt, .. } => self.end(attempt.consumer, attempt.offset, true)?,
                Fact::Failed { attempt, .. } => self.end(attempt.consumer, attempt.offset, false)?,
                _ => {}
            }
        }
        if let Some((from, to)) = begun
            && !window
        {
            self.revoke(from, to)?;
        }
        match drained {
            Some(id) if self.members.contains_key(&id) => self.order(id, &format!("now {tick}")),
            _ => Ok(()),
        }
    }

    fn start(&mut self, id: ConsumerId) -> Result<(), Trouble> {
        let orders = Orders {
            servers: self.cluster.servers().to_owned(),
            group: self.group.clone(),
            name: id.to_string(),
            rows: self.rows.join("rows.db"),
            scenario: self.scenario.to_owned(),
            patience: self.patience,
        };
        let life = self.lives.entry(id).and_modify(|life| *life += 1).or_default();
        self.members.insert(id, Member::start(&orders, id, *life, &self.notebook)?);
        Ok(())
    }

    fn crash(&mut self, id: ConsumerId) -> Result<(), Trouble> {
        let Some(mut member) = self.members.remove(&id) else { return Ok(()) };
        match self.how.crash {
            Crash::Kill => member.kill()?,
            Crash::Drop => {
                member.order("abandon")?;
                member.ends()?;
            }
        }
        self.draining = self.draining.filter(|(whose, _)| *whose != id);
        self.notebook.add(Entry { member: id, life: self.life(id), said: Said::Died });
        Ok(())
    }

    /// The group takes the partition from a member that has no part in it: it does not poll, or does not run.
    fn evict(&mut self, id: ConsumerId) -> Result<(), Trouble> {
        let from = self.notebook.len();
        let stopped = self.how.eviction == Eviction::Stopped;
        // Held, so that it does not come back to the group before it is asked to.
        self.order(id, "hold")?;
        self.hear(id, from, "that it is held", |said| *said == Said::Held)?;
        if stopped {
            self.members.get(&id).ok_or("no such member")?.stop()?;
        }
        self.evicted = Some((id, stopped));
        // The other member sees the group change when this one falls out of it.
        self.hear(id.other(), from, "the eviction", |said| *said == Said::Idles)?;
        Ok(())
    }

    /// The subscriptions change so that the partition moves.
    fn revoke(&mut self, from: ConsumerId, to: ConsumerId) -> Result<(), Trouble> {
        let heard = self.notebook.len();
        self.draining = Some((from, heard));
        if from == to {
            self.subscribe(from, &[TOPIC, &idle(from)])?;
        } else {
            self.subscribe(from, &[&idle(from)])?;
        }
        self.hear(from, heard, "the revocation", |said| matches!(said, Said::DrainBegan { .. }))?;
        Ok(())
    }

    fn hand_over(&mut self, from: ConsumerId) -> Result<(), Trouble> {
        let Some((_, heard)) = self.draining.take() else { return Ok(()) };
        let ended = |said: &Said| matches!(said, Said::OwnershipEnded { lost: false, .. });
        self.hear(from, heard, "the end of the drain", ended)?;
        self.hear(from, heard, "its idle topic", |said| *said == Said::Idles)?;
        Ok(())
    }

    /// `to` asks for the topic, if it has not yet, and gets it.
    fn assign(&mut self, to: ConsumerId) -> Result<(), Trouble> {
        let heard = self.notebook.len();
        let entries = self.notebook.entries();
        let own = entries.iter().rev().filter(|entry| entry.member == to && entry.life == self.life(to));
        let last = own.map(|entry| &entry.said).find_map(|said| match said {
            Said::Assigned { .. } => Some(true),
            Said::OwnershipEnded { .. } => Some(false),
            _ => None,
        });
        // A revocation in favour of its own owner has brought it back already.
        if last == Some(true) {
            return Ok(());
        }
        self.subscribe(to, &[TOPIC])?;
        self.hear(to, heard, "its assignment", |said| matches!(said, Said::Assigned { .. }))?;
        Ok(())
    }

    /// A record's work ends.
    fn end(&mut self, id: ConsumerId, offset: Offset, succeeds: bool) -> Result<(), Trouble> {
        if self.evicted == Some((id, true)) {
            self.members.get(&id).ok_or("no such member")?.wake()?;
            self.evicted = Some((id, false));
        }
        let heard = self.notebook.len();
        self.order(id, &format!("{} {offset}", if succeeds { "finish" } else { "fail" }))?;
        let ended = |said: &Said| matches!(said, Said::Ended { offset: other, .. } if *other == offset);
        self.hear(id, heard, "the end of an attempt", ended)?;
        if self.evicted == Some((id, false)) {
            // It believes itself the owner still.
            self.commit(id)?;
        }
        Ok(())
    }

    /// A member that owns nothing any more commits what it has got to.
    fn commit(&mut self, id: ConsumerId) -> Result<(), Trouble> {
        let heard = self.notebook.len();
        self.order(id, "commit")?;
        self.hear(id, heard, "its commit", |said| *said == Said::HasCommitted)?;
        Ok(())
    }

    /// The owner polls what the simulated one has polled, and tests its gate.
    fn poll(&mut self, run: &Run, facts: &[&Fact]) -> Result<(), Trouble> {
        let Some((owner, session)) = run.world().owner() else { return Ok(()) };
        if session.handover().is_some() {
            return Ok(());
        }
        let taken = facts.iter().find_map(|fact| match fact {
            Fact::Polled { consumer, taken, .. } if *consumer == owner => Some(*taken),
            _ => None,
        });
        let heard = self.notebook.len();
        self.order(owner, &format!("go {}", taken.unwrap_or(0)))?;
        self.hear(owner, heard, "its poll", |said| *said == Said::Went)?;
        Ok(())
    }

    /// The owner's gate is open, and its client has the partition paused still: it asks for records time and
    /// again, far longer than they would take to come, and stands where it stood.
    fn poll_in_vain(&mut self, run: &Run) -> Result<(), Trouble> {
        let Some((owner, _)) = run.world().owner() else { return Ok(()) };
        let end = Instant::now() + IN_VAIN;
        while Instant::now() < end {
            let heard = self.notebook.len();
            self.order(owner, &format!("try {}", run.world().knobs().poll))?;
            self.hear(owner, heard, "its poll", |said| *said == Said::Went)?;
            self.agree(run)?;
        }
        Ok(())
    }

    /// Waits until every member, and the broker, stand where the simulated ones do.
    fn agree(&mut self, run: &Run) -> Result<(), Trouble> {
        let world = run.world();
        for id in self.awake() {
            let running = || {
                let mut all: Vec<_> =
                    world.consumer(id).pool().attempts().map(|attempt| attempt.offset).collect();
                all.sort_unstable();
                all
            };
            let session = world.consumer(id).session();
            let predicted = Said::Stands {
                owned: session.map(|session| {
                    let tracker = session.tracker();
                    (tracker.position(), tracker.iter().map(|(offset, _)| offset).collect())
                }),
                // What its gate says: a consumer does not know of a pause that its client has kept.
                paused: session.is_some_and(|session| session.is_paused() && !session.is_still_paused()),
                running: running(),
            };
            let unaware = self.evicted.is_some_and(|(whose, _)| whose == id);
            let mut last = None;
            let agreed = until("agreement", || {
                let heard = self.notebook.len();
                self.order(id, "state")?;
                let stands = |said: &Said| matches!(said, Said::Stands { .. });
                let said = self.hear(id, heard, "how it stands", stands)?;
                let same = match (&said, &predicted) {
                    (Said::Stands { running, .. }, Said::Stands { running: others, .. }) if unaware => {
                        running == others
                    }
                    _ => said == predicted,
                };
                last = Some(said);
                Ok(same.then_some(()))
            });
            agreed.map_err(|_| {
                let last = last.as_ref().map(Said::to_line).unwrap_or_default();
                format!("{id} {last}, and in the simulator {}", predicted.to_line())
            })?;
        }
        let predicted = world.broker().committed();
        let mut last = Offset(0);
        let agreed = until("agreement", || {
            last = self.committed()?;
            Ok((last == predicted).then_some(()))
        });
        Ok(agreed.map_err(|_| format!("committed is {last}, and in the simulator {predicted}"))?)
    }

    fn committed(&self) -> Result<Offset, Trouble> {
        Ok(Offset(self.cluster.committed(&Partition::new(TOPIC, 0))?.unwrap_or(0)))
    }

    fn conclude(mut self, scenario: &Scenario) -> Result<Seen, Trouble> {
        let committed = self.committed()?;
        let store = Store::open(&self.rows.join("rows.db"), scenario.setup.knobs().guard)?;
        let rows = store.versions()?.into_iter().collect();
        let seen = Seen::of(&self.notebook.entries(), scenario.setup.log(), committed, rows);
        self.members.clear();
        Ok(seen)
    }

    fn life(&self, id: ConsumerId) -> u32 {
        self.lives.get(&id).copied().unwrap_or_default()
    }

    fn awake(&self) -> Vec<ConsumerId> {
        let stopped = |id: &ConsumerId| self.evicted == Some((*id, true));
        self.members.keys().copied().filter(|id| !stopped(id)).collect()
    }

    fn subscribe(&mut self, id: ConsumerId, topics: &[&str]) -> Result<(), Trouble> {
        self.order(id, &format!("subscribe {}", topics.join(" ")))
    }

    fn order(&mut self, id: ConsumerId, order: &str) -> Result<(), Trouble> {
        let member = self.members.get_mut(&id).ok_or_else(|| format!("{id} is down"))?;
        member.order(order).map_err(|error| format!("{id} has ended: {error}").into())
    }

    /// Waits for what a member says, in its present life and from a place in the notebook on.
    fn hear(
        &self,
        id: ConsumerId,
        from: usize,
        what: &str,
        is: impl Fn(&Said) -> bool,
    ) -> Result<Said, Trouble> {
        let life = self.life(id);
        let heard = until(&format!("{id} to tell {what}"), || {
            Ok(self.notebook.find(from, |entry| entry.member == id && entry.life == life && is(&entry.said)))
        });
        heard.map(|entry| entry.said).map_err(|error| {
            let all: Vec<_> = self.notebook.entries().into_iter().skip(from).collect();
            format!("{error}; said since: {all:?}").into()
        })
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.members.clear();
        let _ = std::fs::remove_dir_all(&self.rows);
    }
}

/// How long the group waits: not long where somebody is to be given up, but shorter sessions lose members for no
/// reason; and not very long elsewhere, because the mock's rebalances last a second less than a session, whoever
/// has joined.
fn patience(tight: bool) -> Patience {
    if tight {
        Patience { session: 1_500, interval: 2_500 }
    } else {
        Patience { session: 2_000, interval: 60_000 }
    }
}

fn idle(id: ConsumerId) -> String {
    format!("idle-{id}")
}
