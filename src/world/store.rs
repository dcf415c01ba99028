//! The database: one row per key, each holding the version (offset) of the record that last wrote it.

use crate::{
    ids::{KeyId, Offset},
    mechanism::Guard,
};

/// A row of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// The version that it holds.
    pub version: Offset,
    /// The highest version it ever held. Above `version`: the row went back.
    pub highest: Offset,
}

/// The rows, by key number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    rows: Vec<Option<Row>>,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteResult {
    /// The version the row had, if there was a row.
    pub held: Option<Offset>,
    /// Whether the guard let the write through.
    pub accepted: bool,
}

impl Store {
    /// Writes `version` to the row of `key`, if the guard admits it.
    pub fn write(&mut self, key: KeyId, version: Offset, guard: Guard) -> WriteResult {
        let at = key.0 as usize;
        if at >= self.rows.len() {
            self.rows.resize(at + 1, None);
        }
        let row = &mut self.rows[at];
        let held = row.map(|row| row.version);
        let accepted = guard.admits(held, version);
        if accepted {
            let highest = row.map_or(version, |row| row.highest.max(version));
            *row = Some(Row { version, highest });
        }
        WriteResult { held, accepted }
    }

    /// The rows, by key id.
    pub fn rows(&self) -> impl Iterator<Item = (KeyId, Row)> + '_ {
        (0..).map(KeyId).zip(&self.rows).filter_map(|(key, row)| Some((key, (*row)?)))
    }

    /// One row.
    #[must_use]
    pub fn row(&self, key: KeyId) -> Option<Row> {
        self.rows.get(key.0 as usize).copied().flatten()
    }
}
