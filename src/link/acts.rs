//! Inputs by tick as bytes, in the order in which they act: two bytes for a tap.
//!
//! Each is (ticks since the one before) * 8 + its kind, then what it names; offsets as the distance from the
//! offset named last. Ticks are kept up to the one after the run's last, in which knobs can still be turned; what
//! comes later is moved to the tick after that: it never acts, but a run with something still to come is not
//! over.

use super::{
    LONGEST_STALL, MOST_INPUTS,
    bytes::{Packing, Unpacking, place},
    error::{Flaw, LinkError},
    knobs,
};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    player::Inputs,
    world::Input,
};

/// The latest tick of an input in the link of a run that ends after tick `last`.
pub(super) fn latest(last: Tick) -> Tick {
    last.after(2)
}

const COMPLETE: u64 = 0;
const POISON: u64 = 1;
const STALL: u64 = 2;
const CRASH: u64 = 3;
const RESTART: u64 = 4;
const REVOKE: u64 = 5;
const SET: u64 = 6;
const REBALANCE: u64 = 7;

/// How many bits of a number the kind takes.
const KIND_BITS: u32 = 3;

/// Appends the inputs from tick `from` on of a run that ends after tick `last`.
pub(super) fn pack(packing: &mut Packing, inputs: &Inputs, from: Tick, last: Tick) {
    let (mut now, mut near) = (from, Offset(0));
    for (tick, input) in inputs.range(from..).flat_map(|(tick, inputs)| inputs.iter().map(move |i| (tick, i)))
    {
        let tick = (*tick).min(latest(last));
        let head = |kind: u64| (tick.since(now) << KIND_BITS) | kind;
        let member = |consumer: &ConsumerId| place(&ConsumerId::ALL, consumer);
        match input {
            Input::Complete(offset) | Input::Poison(offset) => {
                let kind = if matches!(input, Input::Complete(_)) { COMPLETE } else { POISON };
                packing.number(head(kind));
                packing.signed(offset.0.wrapping_sub(near.0));
                near = *offset;
            }
            Input::Stall { consumer, ticks } => packing.numbers(&[head(STALL), member(consumer), *ticks]),
            Input::Crash(consumer) => packing.numbers(&[head(CRASH), member(consumer)]),
            Input::Restart(consumer) => packing.numbers(&[head(RESTART), member(consumer)]),
            Input::Revoke { from, to } => packing.numbers(&[head(REVOKE), member(from), member(to)]),
            Input::Set(turned) => {
                packing.numbers(&[head(SET), turned.len() as u64]);
                turned.iter().for_each(|&knob| packing.numbers(&knobs::numbers(knob)));
            }
            Input::Rebalance => packing.number(head(REBALANCE)),
        }
        now = tick;
    }
}

/// The counterpart of [`pack`]: all inputs up to the end of the bytes, none of them later than tick `latest`.
///
/// Knobs beyond a link's bounds are refused here. Those that break a rule of the engine are not: the world
/// ignores them, and says so.
pub(super) fn unpack(bytes: &mut Unpacking<'_>, from: Tick, latest: Tick) -> Result<Inputs, LinkError> {
    let mut inputs = Inputs::new();
    let (mut now, mut near, mut count) = (from, Offset(0), 0);
    while !bytes.is_at_end() {
        count += 1;
        if count > MOST_INPUTS {
            return Err(bytes.wrong(Flaw::TooMany));
        }
        let head = bytes.number()?;
        now = now.after(head >> KIND_BITS);
        if now > latest {
            let (what, least, most) = ("the tick of an input", from.0, latest.0);
            return Err(bytes.wrong(Flaw::OutOfRange { what, value: now.0, least, most }));
        }
        let input = input(bytes, head & ((1 << KIND_BITS) - 1), &mut near)?;
        inputs.entry(now).or_default().push(input);
    }
    Ok(inputs)
}

fn input(bytes: &mut Unpacking<'_>, kind: u64, near: &mut Offset) -> Result<Input, LinkError> {
    Ok(match kind {
        COMPLETE => Input::Complete(offset(bytes, near)?),
        POISON => Input::Poison(offset(bytes, near)?),
        STALL => Input::Stall {
            consumer: member(bytes)?,
            ticks: bytes.within("the length of a stall", 0..=LONGEST_STALL)?,
        },
        CRASH => Input::Crash(member(bytes)?),
        RESTART => Input::Restart(member(bytes)?),
        REVOKE => Input::Revoke { from: member(bytes)?, to: member(bytes)? },
        SET => {
            let count = bytes.number()?;
            Input::Set((0..count).map(|_| knobs::unpack(bytes)).collect::<Result<_, _>>()?)
        }
        // Three bits hold no other number than `REBALANCE`.
        _ => Input::Rebalance,
    })
}

fn member(bytes: &mut Unpacking<'_>) -> Result<ConsumerId, LinkError> {
    bytes.choice("the number of a consumer", &ConsumerId::ALL)
}

/// An offset beside the one named last.
fn offset(bytes: &mut Unpacking<'_>, near: &mut Offset) -> Result<Offset, LinkError> {
    let distance = bytes.signed()?;
    let offset = near.0.checked_add(distance).map(Offset);
    match offset.filter(|offset| (Offset(0)..=Offset::MAX).contains(offset)) {
        Some(offset) => {
            *near = offset;
            Ok(offset)
        }
        None => Err(bytes.wrong(Flaw::NoOffset)),
    }
}
