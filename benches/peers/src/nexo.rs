//! The pool as NeXosim would have it: a model for the consumer, one for each worker, and messages between them.
//!
//! A tick is two units of time, so that a record that ends at a tick is known before the consumer polls and
//! dispatches in it.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use nexosim::{
    model::{Context, Model, schedulable},
    ports::Output,
    simulation::{Mailbox, SimInit},
    time::MonotonicTime,
};
use serde::{Deserialize, Serialize};

use peers::{HIGH, KEYS, LOW, Outcome, POLL, RECORDS, Record, WORKERS};

/// Half a tick.
const HALF: Duration = Duration::from_millis(1);

/// A thread: told what to do, it says when that is done.
#[derive(Serialize, Deserialize)]
struct Worker {
    number: usize,
    done: Output<usize>,
}

#[Model]
impl Worker {
    async fn start(&mut self, work: u64, context: &Context<Self>) {
        // Starts lie half a tick after completions.
        let until = HALF * (2 * work as u32 - 1);
        context.schedule_event(until, schedulable!(Self::finish), ()).expect("work takes time");
    }

    #[nexosim(schedulable)]
    async fn finish(&mut self) {
        self.done.send(self.number).await;
    }
}

/// Polls, holds the mailboxes and gives records to workers, each tick.
#[derive(Serialize, Deserialize)]
struct Consumer {
    start: Vec<Output<u64>>,
    log: Vec<Record>,
    tick: u64,
    position: usize,
    in_flight: usize,
    paused: bool,
    /// One queue for each key; the head stays in it while it runs.
    mailboxes: Vec<VecDeque<usize>>,
    /// Heads that may start, the lowest offset first.
    ready: BinaryHeap<Reverse<usize>>,
    free: BinaryHeap<Reverse<usize>>,
    running: Vec<usize>,
    #[serde(skip)]
    outcome: Outcome,
    #[serde(skip)]
    told: Arc<Mutex<Outcome>>,
}

#[Model]
impl Consumer {
    #[nexosim(init)]
    async fn init(&mut self, context: &Context<Self>) {
        context.schedule_event(HALF, schedulable!(Self::step), ()).expect("half a tick is in the future");
    }

    async fn done(&mut self, worker: usize) {
        let offset = self.running[worker];
        self.outcome.finish(offset as u64, self.tick);
        self.in_flight -= 1;
        self.free.push(Reverse(worker));
        let mailbox = &mut self.mailboxes[self.log[offset].0 as usize];
        mailbox.pop_front();
        self.ready.extend(mailbox.front().map(|&next| Reverse(next)));
    }

    #[nexosim(schedulable)]
    async fn step(&mut self, _: (), context: &Context<Self>) {
        self.poll();
        self.paused = if self.paused { self.in_flight > LOW } else { self.in_flight >= HIGH };
        while let (Some(&Reverse(offset)), Some(&Reverse(worker))) = (self.ready.peek(), self.free.peek()) {
            self.ready.pop();
            self.free.pop();
            self.running[worker] = offset;
            self.start[worker].send(self.log[offset].1).await;
        }
        self.tick += 1;
        if self.outcome.finished < self.log.len() as u64 {
            context.schedule_event(2 * HALF, schedulable!(Self::step), ()).expect("a tick is in the future");
        } else {
            *self.told.lock().expect("nobody panics with it") = self.outcome;
        }
    }

    fn poll(&mut self) {
        if self.paused {
            return;
        }
        let end = (self.position + POLL).min(self.log.len());
        for offset in self.position..end {
            let mailbox = &mut self.mailboxes[self.log[offset].0 as usize];
            if mailbox.is_empty() {
                self.ready.push(Reverse(offset));
            }
            mailbox.push_back(offset);
        }
        self.in_flight += end - self.position;
        self.position = end;
    }
}

/// Runs a log to its end.
pub(crate) fn run(log: &[Record]) -> Outcome {
    let told = Arc::new(Mutex::new(Outcome::default()));
    let consumer_mailbox = Mailbox::new();
    let mut bench = SimInit::with_num_threads(1);
    let mut start = Vec::new();
    for number in 0..WORKERS {
        let mut worker = Worker { number, done: Output::default() };
        worker.done.connect(Consumer::done, &consumer_mailbox);
        let mailbox = Mailbox::new();
        let mut output = Output::default();
        output.connect(Worker::start, &mailbox);
        start.push(output);
        bench = bench.add_model(worker, mailbox, &format!("worker {number}"));
    }
    let consumer = Consumer {
        start,
        log: log.to_vec(),
        tick: 0,
        position: 0,
        in_flight: 0,
        paused: false,
        mailboxes: vec![VecDeque::new(); KEYS as usize],
        ready: BinaryHeap::new(),
        free: (0..WORKERS).map(Reverse).collect(),
        running: vec![0; WORKERS],
        outcome: Outcome::default(),
        told: Arc::clone(&told),
    };
    let mut simulation = bench
        .add_model(consumer, consumer_mailbox, "consumer")
        .init(MonotonicTime::EPOCH)
        .expect("a simulation");
    // Nothing takes longer than six ticks a record, one after the other.
    simulation.step_until(HALF * (12 * RECORDS as u32)).expect("the simulation goes on");
    *told.lock().expect("nobody panics with it")
}
