//! `[[at]]`: what is done to the run, and when.

use std::collections::BTreeMap;

use super::{
    knobs,
    source::BadInput,
    value::{Document, Value},
};
use crate::{
    ids::{ConsumerId, Offset, Tick},
    player::Inputs,
    world::{Input, Knobs},
};

const INPUTS: &[&str] = &["complete", "poison", "stall", "crash", "restart", "revoke", "set"];

const EXPECTED: &str = "one input: { crash = \"A\" }, { restart = \"A\" }, { complete = 5 }, { poison = 5 }, { stall = { consumer = \"A\", ticks = 9 } }, { revoke = { from = \"A\", to = \"B\" } }, { set = { drain = 2 } } or \"rebalance\"";

/// The inputs by tick, those of one tick in the order of the file; and every setting of the knobs there
/// will be. `set`s are replayed in the order in which they will act, so that a bad one is refused here.
pub(super) fn read(
    document: &Document<'_>,
    entries: &[Value<'_>],
    knobs: &Knobs,
) -> Result<(Inputs, Vec<Knobs>), BadInput> {
    let mut inputs: BTreeMap<Tick, Vec<(Input, String)>> = BTreeMap::new();
    for entry in entries {
        let entry = entry.table(&["tick", "do"], "an input: tick = 2 and do = { crash = \"A\" }")?;
        let tick = entry.need("tick", "the tick of the input: tick = 2")?.number(u64::MAX)?;
        let what = entry.need("do", EXPECTED)?;
        inputs.entry(Tick(tick)).or_default().push((input(&what)?, format!("{}.set", what.path())));
    }
    let mut settings = vec![knobs.clone()];
    for (input, path) in inputs.values().flatten() {
        if let (Input::Set(turned), Some(now)) = (input, settings.last()) {
            settings.push(now.with(turned).map_err(|error| document.refused(&error, Some(path)))?);
        }
    }
    let plain = |(tick, inputs): (Tick, Vec<(Input, String)>)| {
        (tick, inputs.into_iter().map(|(input, _)| input).collect())
    };
    Ok((inputs.into_iter().map(plain).collect(), settings))
}

fn input(what: &Value<'_>) -> Result<Input, BadInput> {
    // It names nobody, and there is nothing to say of it.
    if what.as_text().is_some() {
        what.word(&[("rebalance", ())], "a table: { crash = \"A\" }")?;
        return Ok(Input::Rebalance);
    }
    let (name, value) = what.table(INPUTS, EXPECTED)?.only(EXPECTED)?;
    Ok(match name {
        "complete" => Input::Complete(offset(&value)?),
        "poison" => Input::Poison(offset(&value)?),
        "crash" => Input::Crash(consumer(&value)?),
        "restart" => Input::Restart(consumer(&value)?),
        "stall" => {
            let expected = "{ consumer = \"A\", ticks = 9 }";
            let table = value.table(&["consumer", "ticks"], expected)?;
            Input::Stall {
                consumer: consumer(&table.need("consumer", expected)?)?,
                ticks: table.need("ticks", expected)?.number(u64::MAX)?,
            }
        }
        "revoke" => {
            let expected = "{ from = \"A\", to = \"B\" }";
            let table = value.table(&["from", "to"], expected)?;
            Input::Revoke {
                from: consumer(&table.need("from", expected)?)?,
                to: consumer(&table.need("to", expected)?)?,
            }
        }
        // The table knows no other than `set`.
        _ => {
            let both = [knobs::CONSUMER, knobs::STORE].concat();
            let table = value.table(&both, "the knobs to turn: { drain = 2 }")?;
            Input::Set(knobs::turned(&table)?)
        }
    })
}

/// The name of a member.
pub(super) fn consumer(value: &Value<'_>) -> Result<ConsumerId, BadInput> {
    value.word(&[("A", ConsumerId::A), ("B", ConsumerId::B)], "")
}

fn offset(value: &Value<'_>) -> Result<Offset, BadInput> {
    value.integer(0, Offset::MAX.0).map(Offset)
}
