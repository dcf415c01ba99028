//! How traffic was read: what came of bad rows, and what else its reader should know.

use std::fmt;

use super::{Found, Unit};
use crate::scenario::cut;

/// Bad rows that are kept, to be shown.
pub const KEPT_ROWS: usize = 20;

/// A row that is not as it should be, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// Its line, from 1.
    pub line: usize,
    /// The column by its name in the header, where one alone is wrong.
    pub column: Option<String>,
    /// What is wrong, and what was expected.
    pub reason: String,
    /// What was done: `None`: the row was skipped; otherwise what it was read as.
    pub read_as: Option<String>,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = &self.column {
            write!(f, ", column {}", cut(column))?;
        }
        write!(f, ": {}", self.reason)?;
        match &self.read_as {
            Some(what) => write!(f, " (read as {what})"),
            None => f.write_str(" (skipped)"),
        }
    }
}

/// How traffic was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows below the header, those that are bad included.
    pub rows: u64,
    /// Rows that were skipped because something in them makes no sense.
    pub skipped: u64,
    /// Rows that were used although something in them had to be read as something else.
    pub read_as: u64,
    /// Rows beyond the most that there may be, which were left out.
    pub left_out: u64,
    /// Rows that came before one that is later, and were sorted.
    pub out_of_order: u64,
    /// The first of the bad rows, [`KEPT_ROWS`] at most.
    pub bad: Vec<BadRow>,
    /// Which column is what; empty for traffic that was drawn.
    pub columns: Vec<Found>,
    /// What numbers were taken for, and why, in sentences: by the title, or because somebody said so.
    pub taken: Vec<String>,
    /// The same where nothing said it.
    pub assumed: Vec<String>,
    /// Everything else worth knowing, in sentences.
    pub notes: Vec<String>,
    /// What makes no sense as it was read, in sentences.
    pub doubts: Vec<String>,
    /// What numbers of time and of work were taken for; nothing for traffic that was drawn.
    pub units: Option<(Unit, Unit)>,
}

impl Report {
    pub(super) fn skip(&mut self, row: impl FnOnce() -> BadRow) {
        self.skipped += 1;
        self.keep(row);
    }

    pub(super) fn keep(&mut self, row: impl FnOnce() -> BadRow) {
        if self.bad.len() < KEPT_ROWS {
            self.bad.push(row());
        }
    }
}
