//! The rows, in SQLite: one per key, and beside them a log of all writes.
//!
//! The guard is the `WHERE` of an upsert. It decides inside the database, because nobody outside can: between a
//! look at the row and a write to it, somebody else may have written.
//!
//! A row's version is an offset, and offsets compare within one partition only. That is enough as long as a key stays in
//! its partition; where it can move (partitions are added, a topic is made anew), put the epoch of that move in front of
//! the offset, or a key's new records are refused for ever.

use std::{path::Path, time::Duration};

use keyed_worker_pool::{ids::Offset, mechanism::Guard};
use rusqlite::{Connection, OptionalExtension, Result, TransactionBehavior, params};

/// A connection to the rows, for one thread at a time.
pub struct Store {
    connection: Connection,
    guard: Guard,
}

/// A write as it was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Who tried.
    pub member: String,
    /// Of which partition the record was.
    pub partition: i32,
    /// The record, and the version that the write would give the row.
    pub offset: Offset,
    /// The row.
    pub key: Vec<u8>,
    /// The version that the row had.
    pub held: Option<Offset>,
    /// Whether the guard let it through.
    pub accepted: bool,
}

impl Store {
    /// Opens the rows, and makes the file if it is not there.
    ///
    /// # Errors
    /// If SQLite cannot.
    pub fn open(file: &Path, guard: Guard) -> Result<Store> {
        let connection = Connection::open(file)?;
        // Several processes write: each waits for its turn. Nothing here has to survive a power cut.
        connection.busy_timeout(Duration::from_secs(30))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "off")?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS entry (key BLOB PRIMARY KEY, value BLOB, version INTEGER) STRICT;
             CREATE TABLE IF NOT EXISTS write (number INTEGER PRIMARY KEY, member TEXT, part INTEGER,
                                               version INTEGER, key BLOB, held INTEGER, accepted INTEGER) STRICT;",
        )?;
        Ok(Store { connection, guard })
    }

    /// Writes a record's row, if the guard lets it through; whether it did.
    ///
    /// # Errors
    /// If SQLite cannot.
    pub fn write(
        &mut self,
        by: &str,
        partition: i32,
        offset: Offset,
        key: &[u8],
        value: &[u8],
    ) -> Result<bool> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let held: Option<i64> = transaction
            .query_row("SELECT version FROM entry WHERE key = ?1", [key], |row| row.get(0))
            .optional()?;
        let accepted = transaction.execute(upsert(self.guard), params![key, value, offset.0])? == 1;
        transaction.execute(
            "INSERT INTO write (member, part, version, key, held, accepted) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![by, partition, offset.0, key, held, accepted],
        )?;
        transaction.commit()?;
        Ok(accepted)
    }

    /// The rows' versions, by key.
    ///
    /// # Errors
    /// If SQLite cannot.
    pub fn versions(&self) -> Result<Vec<(Vec<u8>, Offset)>> {
        let mut rows = self.connection.prepare("SELECT key, version FROM entry ORDER BY key")?;
        rows.query_map([], |row| Ok((row.get(0)?, Offset(row.get(1)?))))?.collect()
    }

    /// The rows' values, by key.
    ///
    /// # Errors
    /// If SQLite cannot.
    pub fn values(&self) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut rows = self.connection.prepare("SELECT key, value FROM entry ORDER BY key")?;
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// How many records were written at least once, accepted or not.
    ///
    /// # Errors
    /// If SQLite cannot.
    pub fn distinct(&self) -> Result<u64> {
        let count = "SELECT count(*) FROM (SELECT DISTINCT part, version FROM write)";
        self.connection.query_row(count, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
    }

    /// All writes, in the order in which they happened.
    ///
    /// # Errors
    /// If SQLite cannot.
    pub fn writes(&self) -> Result<Vec<Write>> {
        let mut rows = self
            .connection
            .prepare("SELECT member, part, version, key, held, accepted FROM write ORDER BY number")?;
        let write = |row: &rusqlite::Row<'_>| {
            let (offset, held): (i64, Option<i64>) = (row.get(2)?, row.get(4)?);
            Ok(Write {
                member: row.get(0)?,
                partition: row.get(1)?,
                offset: Offset(offset),
                key: row.get(3)?,
                held: held.map(Offset),
                accepted: row.get(5)?,
            })
        };
        rows.query_map([], write)?.collect()
    }
}

/// A guard as SQL. What it lets through is what [`Guard::admits`].
fn upsert(guard: Guard) -> &'static str {
    macro_rules! upsert {
        ($condition:literal) => {
            concat!(
                "INSERT INTO entry (key, value, version) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE ",
                "SET value = excluded.value, version = excluded.version ",
                $condition
            )
        };
    }
    match guard {
        Guard::Off => upsert!(""),
        Guard::Newer => upsert!("WHERE entry.version < excluded.version"),
        Guard::NotOlder => upsert!("WHERE entry.version <= excluded.version"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_in_sql_is_the_mechanism() -> Result<()> {
        for guard in [Guard::Off, Guard::Newer, Guard::NotOlder] {
            for (held, version) in [(5, 4), (5, 5), (5, 6), (0, 0)] {
                let mut store = Store::open(Path::new(":memory:"), guard)?;
                assert!(store.write("a", 0, Offset(held), b"k", b"old")?, "there was no row");
                let accepted = store.write("b", 0, Offset(version), b"k", b"new")?;
                assert_eq!(accepted, guard.admits(Some(Offset(held)), Offset(version)), "{guard:?}");
                let value: &[u8] = if accepted { b"new" } else { b"old" };
                assert_eq!(store.values()?, [(b"k".to_vec(), value.to_vec())]);
                assert_eq!(store.writes()?[1].held, Some(Offset(held)));
            }
        }
        Ok(())
    }
}
