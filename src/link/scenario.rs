//! A scenario that was brought, as bytes: what of it differs from another one, or from a blank one.
//!
//! It begins with a number whose bits say which parts follow, and the parts follow in the order of their bits.
//! An old future's scenario is mostly the new one's, and then takes a few bytes.

use std::sync::Arc;

use super::{
    MOST_TICKS, acts,
    bytes::{Packing, Unpacking},
    error::{Flaw, LinkError},
    knobs, log,
};
use crate::{
    ids::{ConsumerId, Tick},
    player::Inputs,
    presets::{Brought, Panel},
    world::{Knobs, Log, Setup},
};

const TITLE: u64 = 1;
const LAST: u64 = 2;
const FRONT: u64 = 4;
const MEMBERS: u64 = 8;
const KNOBS: u64 = 16;
const LOG: u64 = 32;
const SCRIPT: u64 = 64;
const ALL: u64 = 127;

/// A scenario taken apart. The blank one has no log.
#[derive(Default)]
struct Parts {
    title: String,
    last: Tick,
    front: usize,
    with_b: bool,
    knobs: Knobs,
    log: Option<Arc<Log>>,
    script: Inputs,
}

impl Parts {
    fn of(brought: &Brought) -> Parts {
        let Brought { title, setup, script, last, front } = brought.clone();
        let (with_b, knobs, log) = (setup.with_b(), setup.knobs().clone(), Some(setup.log().clone()));
        Parts { title, last, front, with_b, knobs, log, script }
    }

    fn brought(self, bytes: &Unpacking<'_>) -> Result<Brought, LinkError> {
        let Parts { title, last, front, with_b, knobs, log, script } = self;
        let log = log.ok_or_else(|| bytes.wrong(Flaw::NoLog))?;
        let members = &ConsumerId::ALL[..if with_b { 2 } else { 1 }];
        let setup = Setup::new(log, knobs, members).map_err(|error| bytes.wrong(Flaw::Config(error)))?;
        Ok(Brought { title, setup, script, last, front })
    }
}

/// What of a scenario differs from `usual`, or from a blank one.
pub(super) fn pack(brought: &Brought, usual: Option<&Brought>) -> String {
    let (own, usual) = (Parts::of(brought), usual.map_or_else(Parts::default, Parts::of));
    let differs = |part, differs| if differs { part } else { 0 };
    let parts = differs(TITLE, own.title != usual.title)
        | differs(LAST, own.last != usual.last)
        | differs(FRONT, own.front != usual.front)
        | differs(MEMBERS, own.with_b != usual.with_b)
        | differs(KNOBS, own.knobs != usual.knobs)
        | differs(LOG, own.log != usual.log)
        | differs(SCRIPT, own.script != usual.script);
    let mut packing = Packing::default();
    packing.number(parts);
    for part in (0..7).map(|bit| 1 << bit).filter(|part| parts & part != 0) {
        match (part, &own.log) {
            (TITLE, _) => packing.bytes(own.title.as_bytes()),
            (LAST, _) => packing.number(own.last.0),
            (FRONT, _) => packing.number(own.front as u64),
            (MEMBERS, _) => packing.choice(&[false, true], &own.with_b),
            (KNOBS, _) => pack_knobs(&mut packing, &own.knobs, &usual.knobs),
            (LOG, Some(log)) => log::pack(&mut packing, log),
            // The last part, so that its end is that of the bytes.
            _ => acts::pack(&mut packing, &own.script, Tick(0), own.last),
        }
    }
    packing.text()
}

fn pack_knobs(packing: &mut Packing, knobs: &Knobs, usual: &Knobs) {
    let pairs = knobs::listed(knobs).into_iter().zip(knobs::listed(usual));
    let turned: Vec<_> = pairs.filter(|(own, usual)| own != usual).map(|(own, _)| own).collect();
    packing.number(turned.len() as u64);
    turned.into_iter().for_each(|knob| packing.numbers(&knobs::numbers(knob)));
}

/// The counterpart of [`pack`], in `panel`.
pub(super) fn unpack(
    key: &str,
    text: &str,
    panel: Panel,
    usual: Option<&Brought>,
) -> Result<Brought, LinkError> {
    let mut bytes = Unpacking::of(key, text)?;
    let mut own = usual.map_or_else(Parts::default, Parts::of);
    let parts = bytes.within("the number of its parts", 0..=ALL)?;
    for part in (0..7).map(|bit| 1 << bit).filter(|part| parts & part != 0) {
        match part {
            TITLE => {
                let title = str::from_utf8(bytes.bytes()?).map(str::to_owned);
                own.title = title.map_err(|_| bytes.wrong(Flaw::Title))?;
            }
            LAST => own.last = Tick(bytes.within("the last tick", 0..=MOST_TICKS)?),
            FRONT => {
                let runs = panel.runs() as u64;
                own.front = bytes.within("the place of the run in front", 0..=runs - 1)? as usize;
            }
            MEMBERS => own.with_b = bytes.choice("the members' number", &[false, true])?,
            KNOBS => own.knobs = unpack_knobs(&mut bytes, &own.knobs)?,
            LOG => own.log = Some(log::unpack(&mut bytes)?),
            _ => own.script = acts::unpack(&mut bytes, Tick(0), acts::latest(own.last))?,
        }
    }
    if !bytes.is_at_end() {
        return Err(bytes.wrong(Flaw::GoesOn));
    }
    own.brought(&bytes)
}

fn unpack_knobs(bytes: &mut Unpacking<'_>, usual: &Knobs) -> Result<Knobs, LinkError> {
    let count = bytes.number()?;
    let turned = (0..count).map(|_| knobs::unpack(bytes)).collect::<Result<Vec<_>, _>>()?;
    usual.with(&turned).map_err(|error| bytes.wrong(Flaw::Config(error)))
}
