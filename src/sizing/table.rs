//! Rows of numbers, for people, spreadsheets and programs.
//!
//! One table, three ways to print it: as text and HTML with the reader's units, as CSV and JSON with plain
//! numbers, times in ticks. All of them are the same bytes on the page and on the command line.

use std::fmt::Write;

use csv::{Terminator, WriterBuilder};
use serde_json::{Number, Value};

use super::unit::{Unit, three_digits};
use crate::{export::json::Object, ledger::grouped};

/// What stands in a place of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing: it was not found out, or there is none.
    Empty,
    /// Words.
    Text(String),
    /// A number of things.
    Count(u64),
    /// Ticks.
    Span(u64),
    /// Records in so many ticks.
    Rate(u64, u64),
    /// A share, in millionths.
    Share(u64),
    /// A number of things on average, in hundredths.
    Hundredths(u64),
}

impl Cell {
    /// `part` of `whole` as a share.
    #[must_use]
    pub fn share(part: u64, whole: u64) -> Cell {
        match whole {
            0 => Cell::Empty,
            _ => Cell::Share((u128::from(part) * 1_000_000 / u128::from(whole)) as u64),
        }
    }

    /// As a reader reads it.
    #[must_use]
    pub fn shown(&self, unit: Unit) -> String {
        match self {
            Cell::Empty => "-".to_owned(),
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => grouped(*count),
            Cell::Span(ticks) => unit.span(*ticks),
            Cell::Rate(records, ticks) => unit.rate(*records, *ticks),
            Cell::Share(millionths) => percent(*millionths),
            Cell::Hundredths(hundredths) => {
                format!("{}.{:02}", grouped(hundredths / 100), hundredths % 100)
            }
        }
    }

    /// As a program reads it: ticks, records per tick, shares of 1; empty for nothing.
    #[must_use]
    pub fn plain(&self) -> String {
        match self {
            Cell::Empty | Cell::Rate(_, 0) => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Count(number) | Cell::Span(number) => number.to_string(),
            Cell::Rate(records, ticks) => decimal(u128::from(*records) * 1_000_000 / u128::from(*ticks)),
            Cell::Share(millionths) => decimal(u128::from(*millionths)),
            Cell::Hundredths(hundredths) => decimal(u128::from(*hundredths) * 10_000),
        }
    }

    fn value(&self) -> Value {
        match self {
            Cell::Empty | Cell::Rate(_, 0) => Value::Null,
            Cell::Text(text) => text.as_str().into(),
            Cell::Count(number) | Cell::Span(number) => (*number).into(),
            // Written out, so that no float's printing is asked.
            Cell::Rate(..) | Cell::Share(_) | Cell::Hundredths(_) => {
                self.plain().parse::<f64>().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
            }
        }
    }
}

/// Millionths as "1.5 %".
pub(super) fn percent(millionths: u64) -> String {
    match millionths {
        1..100 => "under 0.01 %".to_owned(),
        millionths => format!("{} %", three_digits(millionths.into(), 10_000)),
    }
}

/// "1 record", "2 records".
pub(super) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn decimal(millionths: u128) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A column: its name for programs, and its head for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// `p99`
    pub name: &'static str,
    /// "p99 in the system"
    pub head: &'static str,
}

/// Rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What stands in each column.
    pub columns: Vec<Column>,
    /// As many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// The row of the settings as they are, if it is there.
    pub marked: Option<usize>,
}

impl Table {
    /// An empty one: `(name, head)` of each column.
    #[must_use]
    pub fn with(columns: &[(&'static str, &'static str)]) -> Table {
        let columns = columns.iter().map(|&(name, head)| Column { name, head }).collect();
        Table { columns, ..Table::default() }
    }

    /// RFC 4180, with a header.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut writer =
            WriterBuilder::new().terminator(Terminator::Any(b'\n')).flexible(true).from_writer(Vec::new());
        // Writing into memory does not fail.
        let _ = writer.write_record(self.columns.iter().map(|column| column.name));
        for row in &self.rows {
            let _ = writer.write_record(row.iter().map(Cell::plain));
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// An array of objects, one a line.
    #[must_use]
    pub fn json(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| format!("  {}", self.object(row))).collect();
        if rows.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", rows.join(",\n")) }
    }

    fn object(&self, row: &[Cell]) -> Object {
        Object(self.columns.iter().map(|column| column.name).zip(row.iter().map(Cell::value)).collect())
    }

    /// Columns side by side; the row of the settings as they are has an arrow.
    #[must_use]
    pub fn text(&self, unit: Unit) -> String {
        let heads: Vec<String> = self.columns.iter().map(|column| column.head.to_owned()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| cell.shown(unit)).collect());
        let lines: Vec<Vec<String>> = [heads].into_iter().chain(rows).collect();
        let width =
            |at: usize| lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..self.columns.len()).map(|at| width(at).unwrap_or(0)).collect();
        let mut text = String::new();
        for (nth, line) in lines.iter().enumerate() {
            let mark = if nth > 0 && self.marked == Some(nth - 1) { '>' } else { ' ' };
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
            let _ = writeln!(text, "{mark} {}", cells.join("  "));
        }
        text
    }

    /// A `<table>`.
    #[must_use]
    pub fn html(&self, unit: Unit) -> String {
        let mut html = "<table>\n<thead><tr>".to_owned();
        for column in &self.columns {
            let _ = write!(html, "<th scope=\"col\">{}</th>", markup(column.head));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for (at, row) in self.rows.iter().enumerate() {
            let mark = if self.marked == Some(at) { " class=\"now\"" } else { "" };
            let _ = write!(html, "<tr{mark}>");
            for (nth, cell) in row.iter().enumerate() {
                let text = markup(&cell.shown(unit));
                let _ = match nth {
                    0 => write!(html, "<th scope=\"row\">{text}</th>"),
                    _ => write!(html, "<td>{text}</td>"),
                };
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table>\n");
        html
    }
}

/// A text within HTML, in an attribute too.
pub(super) fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::with(&[("workers", "workers"), ("rate", "throughput"), ("p99", "p99 <x>")]);
        table.rows.push(vec![Cell::Count(1_200), Cell::Rate(1, 8), Cell::Span(3)]);
        table.rows.push(vec![Cell::Text("a,\"b\"".to_owned()), Cell::Rate(1, 0), Cell::Empty]);
        table.marked = Some(1);
        table
    }

    #[test]
    fn one_table_in_four_ways() {
        let table = table();
        assert_eq!(table.csv(), "workers,rate,p99\n1200,0.125,3\n\"a,\"\"b\"\"\",,\n");
        assert_eq!(
            table.json(),
            "[\n  {\"workers\":1200,\"rate\":0.125,\"p99\":3},\n  {\"workers\":\"a,\\\"b\\\"\",\"rate\":null,\"p99\":null}\n]"
        );
        let text = table.text(Unit::of_micros(1_000));
        assert!(
            text.contains("1,200  125 records/s     3 ms") && text.lines().nth(2).unwrap().starts_with('>'),
            "{text}"
        );
        let html = table.html(Unit::TICKS);
        assert!(
            html.contains("p99 &lt;x&gt;")
                && html.contains("<tr class=\"now\"><th scope=\"row\">a,&quot;b&quot;")
        );
    }

    #[test]
    fn shares_are_percent() {
        let told =
            [0, 7, 10_000, 123_456, 1_000_000].map(|millionths| Cell::Share(millionths).shown(Unit::TICKS));
        assert_eq!(told, ["0 %", "under 0.01 %", "1 %", "12.3 %", "100 %"]);
        assert_eq!(Cell::share(1, 8).plain(), "0.125");
    }
}
