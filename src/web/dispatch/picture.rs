//! Where each record of a run stands in the drawing: in the log, a mailbox, on a worker, or in its lane.
//!
//! Read off the world and the ledger, and nothing else: no markup here, no lengths. Places are rows and
//! counts, because what they come to in pixels depends on the width, and that is the style sheet's business.

use crate::{
    ids::{KeyId, Offset, Tick},
    ledger::{Event, Remark},
    player::Player,
    sorted::SortedMap,
    world::{Attempt, Fact, Input, Knob, Knobs, Log, MailboxId, Work, World, config::Routing},
};

/// Records of a lane that are drawn; of a longer one the first place goes to the number of those left out.
const LANE_PLACES: u32 = 18;

/// Waiting records that are drawn: of a mailbox per key or lane, and of a single queue.
const BOX_PLACES: u32 = 4;
const QUEUE_PLACES: u32 = 9;

/// Places that a lane has before they close up, and how many of those the words beside an arc cover.
const LOOSE_PLACES: u32 = 11;
const WORDS_COVER: f64 = 2.8;

/// Where a record is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the log, this many records behind the next one to be polled.
    Log(u32),
    /// In a mailbox (by its row), this many behind the head.
    Mailbox { row: u32, depth: u32 },
    /// On a worker.
    Worker(u32),
    /// In its key's completion lane.
    Lane { row: u32, at: u32, of: u32 },
    /// Nowhere: failed, and waiting outside any queue.
    Aside,
}

/// A record of the log, with its place.
pub(super) struct Piece {
    pub(super) offset: Offset,
    pub(super) key: Option<KeyId>,
    pub(super) work: Work,
    pub(super) place: Place,
    /// Whether the place is beyond what is drawn.
    pub(super) hidden: bool,
    /// The later offset of its key that was done before it.
    pub(super) after: Option<Offset>,
    /// Whether it was dead-lettered.
    pub(super) dead: bool,
}

/// A mailbox, or the one queue.
pub(super) struct Tray {
    pub(super) row: u32,
    pub(super) keys: Vec<KeyId>,
    /// Whether it is that of the records without a key.
    pub(super) keyless: bool,
    /// Whether a worker is in it, so that nobody else may take from it.
    pub(super) busy: bool,
    /// Waiting records that are not drawn.
    pub(super) more: u32,
}

/// A worker thread.
pub(super) struct Slot {
    pub(super) attempt: Option<Attempt>,
    /// Whether another worker is at the same key.
    pub(super) overlap: bool,
}

/// A key's completions.
#[derive(Default)]
pub(super) struct Lane {
    done: Vec<Done>,
}

struct Done {
    offset: Offset,
    /// The later offset that was done before it.
    after: Option<Offset>,
    /// Whether that was in the tick executed last.
    just_now: bool,
    /// Whether it was dead-lettered instead.
    dead: bool,
}

/// An order break in a lane, from the later record to the one that came after it.
pub(super) struct Arc {
    pub(super) row: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) of: u32,
    pub(super) later: Offset,
    pub(super) earlier: Offset,
    /// Where there is room for words.
    pub(super) words: Option<Side>,
}

/// A side of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// One run, as it is to be drawn.
pub(super) struct Picture<'a> {
    pub(super) world: &'a World,
    pub(super) log: &'a Log,
    /// The knobs as the next tick has them.
    pub(super) knobs: Knobs,
    /// The tick executed last.
    pub(super) tick: Tick,
    pub(super) pieces: Vec<Piece>,
    pub(super) trays: Vec<Tray>,
    pub(super) slots: Vec<Slot>,
    pub(super) lanes: Vec<Lane>,
    pub(super) paused: bool,
    pub(super) order_breaks: u64,
    pub(super) overlaps: u64,
    pub(super) done: u64,
    /// Dead letters written.
    pub(super) dead: u64,
    /// The lane of the records without a key, if there are any: the last one.
    pub(super) keyless_row: Option<u32>,
    /// Ticks of work done so far, in attempts that still run too.
    pub(super) work_done: u64,
    /// See [`elapsed`].
    pub(super) elapsed: u64,
}

impl<'a> Picture<'a> {
    /// The run as it stands.
    pub(super) fn of(player: &'a Player) -> Picture<'a> {
        let (world, ledger) = (player.run().world(), player.run().ledger());
        let log = world.log().as_ref();
        let counters = ledger.counters();
        let tick = Tick(world.now().0.saturating_sub(1));
        let mut picture = Picture {
            world,
            log,
            knobs: player.knobs(),
            tick,
            pieces: Vec::new(),
            trays: Vec::new(),
            slots: Vec::new(),
            lanes: Vec::new(),
            paused: world.owner().is_some_and(|(_, session)| session.is_paused()),
            order_breaks: counters.order_breaks,
            overlaps: counters.overlaps,
            done: counters.completed,
            dead: counters.quarantined,
            keyless_row: has_keyless(log).then_some(log.key_count() as u32),
            work_done: 0,
            elapsed: elapsed(player),
        };
        let mut places = SortedMap::default();
        picture.lay_lanes(player, &mut places);
        picture.lay_mailboxes(&mut places);
        picture.lay_workers(&mut places);
        picture.lay_log(&places);
        picture
    }

    /// Whether every record is done, or dead-lettered.
    pub(super) fn is_done(&self) -> bool {
        self.done + self.dead >= self.log.len()
    }

    /// Whether one queue is all there is.
    pub(super) fn has_one_queue(&self) -> bool {
        matches!(self.world.knobs().routing, Routing::Shared | Routing::Serial)
    }

    /// How many of a mailbox's records are drawn.
    pub(super) fn box_places(&self) -> u32 {
        if self.has_one_queue() { QUEUE_PLACES } else { BOX_PLACES }
    }

    fn lay_lanes(&mut self, player: &Player, places: &mut SortedMap<Offset, Place>) {
        let count = self.log.key_count() + usize::from(self.keyless_row.is_some());
        self.lanes.resize_with(count, Lane::default);
        for event in player.run().ledger().events() {
            let (offset, key, dead) = match &event.fact {
                Fact::Completed { attempt, .. } => {
                    self.work_done += event.tick.since(attempt.started);
                    (attempt.offset, attempt.key, false)
                }
                Fact::DeadLettered { offset, index, .. } => {
                    (*offset, self.log.get(*index).and_then(|record| record.key), true)
                }
                _ => continue,
            };
            let after = match event.remark {
                Some(Remark::OrderBreak { after }) => Some(after),
                _ => None,
            };
            let row = key.map(|key| key.0).or(self.keyless_row);
            if let Some(lane) = row.and_then(|row| self.lanes.get_mut(row as usize)) {
                lane.done.push(Done { offset, after, just_now: event.tick == self.tick, dead });
            }
        }
        for (row, lane) in (0..).zip(&self.lanes) {
            for (nth, done) in (0..).zip(&lane.done) {
                places.insert(done.offset, Place::Lane { row, at: lane.place(nth), of: lane.places() });
            }
        }
    }

    fn lay_mailboxes(&mut self, places: &mut SortedMap<Offset, Place>) {
        self.trays = trays(self.log, self.world.knobs().routing, self.keyless_row.is_some());
        let keyless = (0..).zip(&self.trays).find(|(_, tray)| tray.keyless).map_or(0, |(row, _)| row);
        // Records that have a mailbox each are drawn in one.
        let mut spread = 0;
        let room = self.box_places();
        let Some((_, session)) = self.world.owner() else { return };
        for queue in session.queues() {
            let row = match queue.mailbox {
                Some(MailboxId::Key(key)) => key.0,
                Some(MailboxId::Lane(lane)) => lane,
                Some(MailboxId::Keyless | MailboxId::Own(_)) => keyless,
                Some(MailboxId::Everything) | None => 0,
            };
            let is_own = matches!(queue.mailbox, Some(MailboxId::Own(_)));
            let first = if is_own { spread } else { 0 };
            for (depth, &offset) in (first..).zip(&queue.waiting) {
                places.insert(offset, Place::Mailbox { row, depth });
            }
            let waiting = first + queue.waiting.len() as u32;
            if is_own {
                spread = waiting;
            }
            if let Some(tray) = self.trays.get_mut(row as usize) {
                // Such a mailbox is closed to nobody else.
                tray.busy = queue.busy > 0 && !is_own;
                tray.more = waiting.saturating_sub(room);
            }
        }
    }

    fn lay_workers(&mut self, places: &mut SortedMap<Offset, Place>) {
        let attempts = || {
            crate::ids::ConsumerId::ALL.into_iter().flat_map(|id| self.world.consumer(id).pool().attempts())
        };
        let busy = attempts().map(|attempt| attempt.worker.0 + 1).max().unwrap_or(0);
        let mut slots = Vec::new();
        slots.resize_with(self.knobs.concurrency().max(busy) as usize, || Slot {
            attempt: None,
            overlap: false,
        });
        let mut work_done = 0;
        for attempt in attempts() {
            work_done += self.tick.since(attempt.started);
            places.insert(attempt.offset, Place::Worker(attempt.worker.0));
            let same_key = attempts().filter(|other| other.key.is_some() && other.key == attempt.key).count();
            if let Some(slot) = slots.get_mut(attempt.worker.0 as usize) {
                *slot = Slot { attempt: Some(*attempt), overlap: same_key > 1 };
            }
        }
        self.work_done += work_done;
        self.slots = slots;
    }

    fn lay_log(&mut self, places: &SortedMap<Offset, Place>) {
        let next = self.next_index();
        let room = self.box_places();
        // An attempt that ended late may have completed a record that is a dead letter.
        let mut done = SortedMap::default();
        for &Done { offset, after, dead, .. } in self.lanes.iter().flat_map(|lane| &lane.done) {
            let (broke, is_dead) = done.or_insert(offset, (None, false));
            *broke = after.or(*broke);
            *is_dead |= dead;
        }
        for (index, record) in (0..).zip(self.log.iter_from(0)) {
            let place = match places.get(&record.offset) {
                Some(&place) => place,
                None if index >= next => Place::Log((index - next) as u32),
                None => Place::Aside,
            };
            let hidden = match place {
                Place::Mailbox { depth, .. } => depth >= room,
                Place::Lane { row, .. } => {
                    self.lanes.get(row as usize).is_some_and(|lane| lane.is_left_out(record.offset))
                }
                Place::Aside => true,
                Place::Log(_) | Place::Worker(_) => false,
            };
            let (after, dead) = done.get(&record.offset).copied().unwrap_or_default();
            let (offset, key, work) = (record.offset, record.key, record.work);
            self.pieces.push(Piece { offset, key, work, place, hidden, after, dead });
        }
    }

    /// Index in the log of the next record to be polled.
    pub(super) fn next_index(&self) -> u64 {
        self.world.owner().map_or(0, |(_, session)| session.next_index())
    }

    /// The order breaks that are drawn, lane by lane.
    pub(super) fn arcs(&self) -> Vec<Arc> {
        (0..).zip(&self.lanes).flat_map(|(row, lane)| lane.arcs(row)).collect()
    }

    /// Records that wait in a queue.
    pub(super) fn waiting(&self) -> usize {
        self.pieces.iter().filter(|piece| matches!(piece.place, Place::Mailbox { .. })).count()
    }

    /// Workers that are busy.
    pub(super) fn running(&self) -> usize {
        self.slots.iter().filter(|slot| slot.attempt.is_some()).count()
    }
}

impl Lane {
    /// Completions that are not drawn: the first ones.
    pub(super) fn left_out(&self) -> u32 {
        let done = self.done.len() as u32;
        if done > LANE_PLACES { done + 1 - LANE_PLACES } else { 0 }
    }

    fn is_left_out(&self, offset: Offset) -> bool {
        self.done.iter().take(self.left_out() as usize).any(|done| done.offset == offset)
    }

    /// The place of the nth completion.
    fn place(&self, nth: u32) -> u32 {
        match self.left_out() {
            0 => nth,
            left_out => (nth + 1).saturating_sub(left_out),
        }
    }

    /// How many places the lane takes.
    fn places(&self) -> u32 {
        (self.done.len() as u32).min(LANE_PLACES)
    }

    fn arcs(&self, row: u32) -> Vec<Arc> {
        let nth = |offset: Offset| (0..).zip(&self.done).find(|(_, done)| done.offset == offset);
        let arc = |(to, done): (u32, &Done)| {
            let later = done.after?;
            let (from, to) = (self.place(nth(later)?.0), self.place(to));
            (to > 0).then_some(Arc {
                row,
                from,
                to,
                of: self.places(),
                later,
                earlier: done.offset,
                words: None,
            })
        };
        let mut arcs: Vec<Arc> = (0..).zip(&self.done).filter_map(arc).collect();
        self.place_words(&mut arcs);
        arcs
    }

    /// Finds room for each arc's words, the newest first, where they run into nothing else.
    fn place_words(&self, arcs: &mut [Arc]) {
        let places = f64::from(self.places().max(LOOSE_PLACES));
        let cover = WORDS_COVER * places / f64::from(LOOSE_PLACES);
        let mut taken: Vec<(f64, f64)> =
            arcs.iter().map(|arc| (f64::from(arc.from), f64::from(arc.to))).collect();
        for arc in arcs.iter_mut().rev() {
            let (from, to) = (f64::from(arc.from) - 0.1, f64::from(arc.to) + 0.1);
            let sides = [(Side::Right, (to, to + cover)), (Side::Left, (from - cover, from))];
            let is_free = |&(_, (start, end)): &(Side, (f64, f64))| {
                start >= -0.5
                    && end <= places - 0.5
                    && taken.iter().all(|&(other_start, other_end)| end <= other_start || other_end <= start)
            };
            if let Some((side, span)) = sides.into_iter().find(is_free) {
                arc.words = Some(side);
                taken.push(span);
            }
        }
        // What happened just now is told even over older arcs, for as long as this tick lasts.
        let newest_break = self.done.iter().rev().find(|done| done.after.is_some());
        if let (Some(newest), Some(Done { just_now: true, .. })) = (arcs.last_mut(), newest_break) {
            let side = if f64::from(newest.from) < cover { Side::Right } else { Side::Left };
            newest.words.get_or_insert(side);
        }
    }
}

/// Ticks from the first poll to the last completion or dead letter.
fn until_the_last(player: &Player) -> Option<u64> {
    let ledger = player.run().ledger();
    let ends = |event: &&Event| matches!(event.fact, Fact::Completed { .. } | Fact::DeadLettered { .. });
    let last = ledger.events().iter().rev().find(ends)?;
    Some(last.tick.since(ledger.counters().first_poll?))
}

/// Whether a log has records without a key.
fn has_keyless(log: &Log) -> bool {
    log.iter_from(0).any(|record| record.key.is_none())
}

/// Ticks from the first poll until now, or until the last completion or dead letter once all is done.
pub(super) fn elapsed(player: &Player) -> u64 {
    let (world, counters) = (player.run().world(), player.run().ledger().counters());
    let makespan = match world.log().len() {
        records if counters.completed >= records => counters.makespan(),
        records if counters.completed + counters.quarantined >= records => until_the_last(player),
        _ => None,
    };
    let until_now =
        || counters.first_poll.map_or(0, |first| Tick(world.now().0.saturating_sub(1)).since(first));
    makespan.unwrap_or_else(until_now)
}

/// The most workers that a run has had: with fewer of them from some tick on, it may still beat what they could
/// have done alone.
pub(super) fn most_workers(player: &Player) -> u32 {
    let acts = player.acts().range(..player.now()).flat_map(|(_, inputs)| inputs);
    let turned = acts.filter_map(|input| match input {
        Input::Set(knobs) => Some(knobs),
        _ => None,
    });
    let workers = turned.flatten().filter_map(|knob| match knob {
        Knob::Workers(workers) => Some(*workers),
        _ => None,
    });
    let ends = [player.setup().knobs().workers, player.knobs().workers, 1];
    workers.chain(ends).max().unwrap_or(1)
}

/// The mailboxes of a routing, empty; one for the shared queue.
fn trays(log: &Log, routing: Routing, keyless: bool) -> Vec<Tray> {
    let keys = || (0..log.key_count() as u32).map(KeyId);
    let tray = |row: u32, keys: Vec<KeyId>| Tray { row, keys, keyless: false, busy: false, more: 0 };
    let mut trays: Vec<Tray> = match routing {
        Routing::Keyed => keys().map(|key| tray(key.0, vec![key])).collect(),
        Routing::Lanes(lanes) => (0..lanes)
            .map(|lane| tray(lane, keys().filter(|&key| log.key_hash(key) % lanes.max(1) == lane).collect()))
            .collect(),
        Routing::Shared | Routing::Serial => return vec![tray(0, Vec::new())],
    };
    if keyless {
        trays.push(Tray { keyless: true, ..tray(trays.len() as u32, Vec::new()) });
    }
    trays
}
