//! What a reader can set on each panel, by its name in links: one list, for writing and for reading.

use std::ops::RangeInclusive;

use super::{error::LinkError, fields::Fields};
use crate::{
    mechanism::Guard,
    presets::{
        Start,
        backpressure::{Backpressure, LONGEST_REFETCH, MOST_DRAIN, MOST_FETCH},
        dispatch::{Dispatch, LANES, MOST_KEYS, MOST_SKEW, MOST_WORKERS},
        rebalance::{LONGEST_DRAIN, Rebalance},
        watermark::{LONGEST_COMMIT_EVERY, LONGEST_QUARANTINE, Watermark},
    },
    world::config::{CommitOffset, LateCommit, PauseAtAssignment, RebalanceProtocol, Routing},
};

const ROUTINGS: &[(&str, Routing)] = &[
    ("keyed", Routing::Keyed),
    ("serial", Routing::Serial),
    ("shared", Routing::Shared),
    ("lanes.4", Routing::Lanes(LANES)),
];
const _: () = assert!(LANES == 4, "another number of lanes needs another name, beside the old one");
const COMMITS: &[(&str, CommitOffset)] =
    &[("watermark", CommitOffset::Watermark), ("highest", CommitOffset::Highest)];
const MODES: &[(&str, usize)] = &[("pause", 0), ("unbounded", 1), ("block", 2)];
const GUARDS: &[(&str, Guard)] =
    &[("off", Guard::Off), ("newer", Guard::Newer), ("not-older", Guard::NotOlder)];
const LATE_COMMITS: &[(&str, LateCommit)] = &[("checked", LateCommit::Checked), ("sent", LateCommit::Sent)];
const PAUSES: &[(&str, PauseAtAssignment)] =
    &[("forgotten", PauseAtAssignment::Forgotten), ("kept", PauseAtAssignment::Kept)];
const PROTOCOLS: &[(&str, RebalanceProtocol)] =
    &[("cooperative", RebalanceProtocol::Cooperative), ("eager", RebalanceProtocol::Eager)];
const SWITCH: &[(&str, bool)] = &[("0", false), ("1", true)];
const SEEDS: RangeInclusive<u64> = 0..=u64::MAX;

/// What goes through a preset's settings.
trait Visit {
    /// A number within a range.
    fn number<N>(&mut self, key: &'static str, range: RangeInclusive<u64>, value: &mut N) -> Outcome
    where
        N: Copy + Into<u64> + TryFrom<u64>;

    /// One of some values.
    fn choice<T: Copy + PartialEq>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
        value: &mut T,
    ) -> Outcome;
}

type Outcome = Result<(), LinkError>;

/// Goes through the settings of a preset; a scenario has none.
fn visit(start: &mut Start, visitor: &mut impl Visit) -> Outcome {
    match start {
        Start::Dispatch(Dispatch { workers, keys, skew, routing, seed }) => {
            visitor.number("workers", 1..=MOST_WORKERS.into(), workers)?;
            visitor.number("keys", 1..=MOST_KEYS.into(), keys)?;
            visitor.number("skew", 0..=MOST_SKEW.into(), skew)?;
            visitor.choice("routing", ROUTINGS, routing)?;
            visitor.number("seed", SEEDS, seed)
        }
        Start::Watermark(Watermark { commit, ack_map, commit_every, quarantine, taps_itself, seed }) => {
            visitor.choice("commit", COMMITS, commit)?;
            visitor.choice("map", SWITCH, ack_map)?;
            visitor.number("every", 1..=LONGEST_COMMIT_EVERY, commit_every)?;
            visitor.number("quarantine", 1..=LONGEST_QUARANTINE, quarantine)?;
            visitor.choice("tap", SWITCH, taps_itself)?;
            visitor.number("seed", SEEDS, seed)
        }
        Start::Backpressure(Backpressure { fetch, drain, seed, mode, refetch }) => {
            visitor.number("fetch", 1..=MOST_FETCH, fetch)?;
            visitor.number("drain", 1..=MOST_DRAIN.into(), drain)?;
            visitor.choice("mode", MODES, mode)?;
            visitor.number("refetch", 0..=LONGEST_REFETCH, refetch)?;
            visitor.number("seed", SEEDS, seed)
        }
        Start::Rebalance(Rebalance { drain, guard, late_commit, pause_at_assignment, protocol, seed }) => {
            visitor.number("drain", 0..=LONGEST_DRAIN, drain)?;
            visitor.choice("guard", GUARDS, guard)?;
            visitor.choice("late", LATE_COMMITS, late_commit)?;
            visitor.choice("pauses", PAUSES, pause_at_assignment)?;
            visitor.choice("protocol", PROTOCOLS, protocol)?;
            visitor.number("seed", SEEDS, seed)
        }
        Start::Brought(..) => Ok(()),
    }
}

/// The settings of `start` that differ from those of `usual`, a preset of the same panel, as text. What has no
/// name, because no control offers it, is left out.
pub(super) fn differing(start: &Start, usual: &Start) -> Vec<(&'static str, String)> {
    let pairs = listed(start).into_iter().zip(listed(usual));
    pairs.filter(|(own, usual)| own != usual && !own.1.is_empty()).map(|(own, _)| own).collect()
}

/// Takes a preset's settings from a link, each with a prefix before its name.
pub(super) fn read(start: &mut Start, fields: &mut Fields<'_>, prefix: &str) -> Outcome {
    visit(start, &mut Reading { fields, prefix })
}

fn listed(start: &Start) -> Vec<(&'static str, String)> {
    let mut listing = Listing(Vec::new());
    // It only looks, and finds nothing wrong.
    visit(&mut start.clone(), &mut listing).map_or_else(|_| Vec::new(), |()| listing.0)
}

/// Writes every setting down.
struct Listing(Vec<(&'static str, String)>);

impl Visit for Listing {
    fn number<N>(&mut self, key: &'static str, _range: RangeInclusive<u64>, value: &mut N) -> Outcome
    where
        N: Copy + Into<u64> + TryFrom<u64>,
    {
        self.0.push((key, (*value).into().to_string()));
        Ok(())
    }

    fn choice<T: Copy + PartialEq>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
        value: &mut T,
    ) -> Outcome {
        let name = choices.iter().find(|(_, choice)| choice == value).map(|&(name, _)| name);
        self.0.push((key, name.unwrap_or_default().to_owned()));
        Ok(())
    }
}

/// Sets what the link names.
struct Reading<'f, 'a> {
    fields: &'f mut Fields<'a>,
    prefix: &'f str,
}

impl Visit for Reading<'_, '_> {
    fn number<N>(&mut self, key: &'static str, range: RangeInclusive<u64>, value: &mut N) -> Outcome
    where
        N: Copy + Into<u64> + TryFrom<u64>,
    {
        let number = self.fields.number(&format!("{}{key}", self.prefix), range)?;
        if let Some(number) = number.and_then(|number| N::try_from(number).ok()) {
            *value = number;
        }
        Ok(())
    }

    fn choice<T: Copy + PartialEq>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
        value: &mut T,
    ) -> Outcome {
        let chosen = self.fields.choice(&format!("{}{key}", self.prefix), choices)?;
        *value = chosen.unwrap_or(*value);
        Ok(())
    }
}
