//! Settings that a text says more than once: the last one counts, and what Spring puts over the others.

use std::collections::BTreeMap;

use super::{
    Dialect, Name,
    lookup::{find, plain_name},
    text::Entry,
};

/// Of entries that set the same, the one that counts, in the place of the last; the others are told of.
pub(super) fn of_each(dialect: Dialect, entries: Vec<Entry>, notes: &mut Vec<String>) -> Vec<Entry> {
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    let mut places: BTreeMap<Name, usize> = BTreeMap::new();
    for entry in entries {
        let Some(known) = find(dialect, plain_name(dialect, &entry.name)) else {
            kept.push(entry);
            continue;
        };
        let Some(&place) = places.get(&known.name) else {
            places.insert(known.name, kept.len());
            kept.push(entry);
            continue;
        };
        let before = &mut kept[place];
        let (counts, other) = match rank(&entry.name) >= rank(&before.name) {
            true => (entry.line, std::mem::replace(before, entry).line),
            false => (before.line, entry.line),
        };
        let name = known.name.called_in(Some(dialect));
        notes.push(format!("{name} is set in line {other} and again in line {counts}, which counts"));
    }
    kept
}

/// What Spring puts over what: the properties of all clients, those that it has names for, those of the consumer.
fn rank(name: &str) -> u8 {
    match name {
        _ if name.starts_with("spring.kafka.properties.") => 0,
        _ if name.starts_with("spring.kafka.consumer.properties.") => 2,
        _ => 1,
    }
}
