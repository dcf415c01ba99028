//! [`Mailboxes`] and [`FifoQueue`] against plain lists.

use keyed_worker_pool::{
    ids::Offset,
    mechanism::{FifoQueue, Mailboxes, Place},
};
use proptest::prelude::*;

/// One mailbox: who is in it, and what waits, head first.
#[derive(Clone, Default)]
struct TwinBox {
    busy: u32,
    waiting: Vec<Waiting>,
}

#[derive(Clone, Copy)]
struct Waiting {
    offset: i64,
    /// It failed and keeps its turn.
    kept: bool,
    /// And it is not yet due.
    held: bool,
}

#[derive(Default)]
struct Twin {
    boxes: [TwinBox; 3],
}

impl Twin {
    /// Behind the failed ones of lower offset at the very front, before everything else.
    fn hold_head(&mut self, key: usize, offset: i64) {
        let waiting = &mut self.boxes[key].waiting;
        let before = waiting.iter().take_while(|other| other.kept && other.offset < offset).count();
        waiting.insert(before, Waiting { offset, kept: true, held: true });
    }

    fn push(&mut self, key: usize, offset: i64) {
        self.boxes[key].waiting.push(Waiting { offset, kept: false, held: false });
    }

    fn ready(&self) -> Option<(usize, i64)> {
        let heads = self.boxes.iter().enumerate().filter(|(_, mailbox)| mailbox.busy == 0);
        let heads = heads.filter_map(|(key, mailbox)| Some((key, *mailbox.waiting.first()?)));
        let ready = heads.filter(|(_, head)| !head.held);
        ready.map(|(key, head)| (key, head.offset)).min_by_key(|&(_, offset)| offset)
    }

    fn take(&mut self) -> Option<(usize, i64)> {
        let (key, offset) = self.ready()?;
        self.boxes[key].waiting.remove(0);
        self.boxes[key].busy += 1;
        Some((key, offset))
    }
}

#[derive(Clone, Debug)]
enum Call {
    Push(usize),
    Take,
    /// The n-th of those at work finishes, or fails and keeps the head.
    Finish(usize),
    Fail(usize),
    Reopen(usize),
    Remove(usize),
    Occupy(usize),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![
        5 => (0..3usize).prop_map(Call::Push),
        5 => Just(Call::Take),
        2 => (0..4usize).prop_map(Call::Finish),
        3 => (0..4usize).prop_map(Call::Fail),
        2 => (0..6usize).prop_map(Call::Reopen),
        2 => (0..6usize).prop_map(Call::Remove),
        1 => (0..3usize).prop_map(Call::Occupy),
    ];
    prop::collection::vec(call, 0..150)
}

proptest! {
    #[test]
    fn mailboxes_answer_as_their_twin(calls in calls()) {
        let (mut mailboxes, mut twin) = (Mailboxes::default(), Twin::default());
        let mut next = 0;
        // What is at work, and what waits with its place.
        let mut working: Vec<(usize, i64)> = Vec::new();
        let mut places: Vec<(usize, i64, Place)> = Vec::new();
        for call in calls {
            match call {
                Call::Push(key) => {
                    places.push((key, next, mailboxes.push(key, Offset(next))));
                    twin.push(key, next);
                    next += 1;
                }
                Call::Take => {
                    let taken = mailboxes.take().map(|taken| (taken.key, taken.offset.0));
                    prop_assert_eq!(taken, twin.take());
                    working.extend(taken);
                    places.retain(|&(_, offset, _)| Some(offset) != taken.map(|(_, offset)| offset));
                }
                Call::Finish(at) if at < working.len() => {
                    let (key, _) = working.remove(at);
                    mailboxes.release(&key);
                    twin.boxes[key].busy -= 1;
                }
                Call::Fail(at) if at < working.len() => {
                    let (key, offset) = working.remove(at);
                    mailboxes.release(&key);
                    twin.boxes[key].busy -= 1;
                    places.push((key, offset, mailboxes.hold_head(key, Offset(offset))));
                    twin.hold_head(key, offset);
                }
                Call::Reopen(at) if at < places.len() => {
                    let (key, offset, place) = places[at];
                    mailboxes.reopen(&key, place);
                    let waiting = twin.boxes[key].waiting.iter_mut().find(|other| other.offset == offset);
                    waiting.expect("it waits").held = false;
                }
                Call::Remove(at) if at < places.len() => {
                    let (key, offset, place) = places.remove(at);
                    prop_assert!(mailboxes.remove(&key, place));
                    prop_assert!(!mailboxes.remove(&key, place));
                    twin.boxes[key].waiting.retain(|other| other.offset != offset);
                }
                Call::Occupy(key) => {
                    mailboxes.occupy(key);
                    twin.boxes[key].busy += 1;
                    working.push((key, next));
                    next += 1;
                }
                Call::Finish(_) | Call::Fail(_) | Call::Reopen(_) | Call::Remove(_) => {}
            }
            prop_assert_eq!(mailboxes.has_ready(), twin.ready().is_some());
            let waiting: usize = twin.boxes.iter().map(|mailbox| mailbox.waiting.len()).sum();
            prop_assert_eq!(mailboxes.len(), waiting);
            prop_assert_eq!(mailboxes.is_empty(), waiting == 0);
            let seen: Vec<(usize, u32, Vec<i64>)> = mailboxes
                .iter()
                .map(|(key, busy, waiting)| (key, busy, waiting.map(|offset| offset.0).collect()))
                .collect();
            let used = twin.boxes.iter().enumerate().filter(|(_, b)| b.busy > 0 || !b.waiting.is_empty());
            let twin_seen: Vec<(usize, u32, Vec<i64>)> = used
                .map(|(key, b)| (key, b.busy, b.waiting.iter().map(|waiting| waiting.offset).collect()))
                .collect();
            prop_assert_eq!(seen, twin_seen);
        }
    }

    #[test]
    fn a_queue_answers_as_its_twin(calls in prop::collection::vec(0..8usize, 0..150)) {
        let (mut queue, mut twin): (FifoQueue, Vec<(i64, Place)>) = (FifoQueue::default(), Vec::new());
        for (offset, call) in calls.into_iter().enumerate() {
            let offset = offset as i64;
            match call {
                0..=2 => twin.push((offset, queue.push(Offset(offset)))),
                3 => twin.insert(0, (offset, queue.push_front(Offset(offset)))),
                4 if !twin.is_empty() => {
                    let (_, place) = twin.remove(twin.len() / 2);
                    prop_assert!(queue.remove(place));
                }
                _ => {
                    let head = if twin.is_empty() { None } else { Some(Offset(twin.remove(0).0)) };
                    prop_assert_eq!(queue.take(), head);
                }
            }
            prop_assert_eq!(queue.len(), twin.len());
            prop_assert_eq!(queue.is_empty(), twin.is_empty());
            let waiting: Vec<i64> = queue.iter().map(|offset| offset.0).collect();
            prop_assert_eq!(waiting, twin.iter().map(|&(offset, _)| offset).collect::<Vec<_>>());
        }
    }
}
