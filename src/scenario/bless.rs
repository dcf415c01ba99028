//! Writing an outcome into a scenario's `[expect]`, and leaving everything else in the file as it is.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::{
    Scenario,
    expect::{Finding, findings},
    source::{BadInput, Source},
};
use crate::ledger::Outcome;

/// The file with the outcome under the names that its `[expect]` has; under every name, if it has none.
/// What is absent from the outcome is struck from the file.
///
/// # Errors
/// If the text is not the scenario's.
pub fn blessed(source: &Source, scenario: &Scenario, outcome: &Outcome) -> Result<String, BadInput> {
    let no_toml = |error: toml_edit::TomlError| {
        source.complaint(error.span().unwrap_or(0..0), error.message().to_owned(), "TOML")
    };
    let mut document: DocumentMut = source.text.parse().map_err(no_toml)?;
    let item = document.entry("expect").or_insert_with(|| {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        Item::Table(table)
    });
    let Some(table) = item.as_table_like_mut() else {
        return Err(BadInput::whole(&source.name, "`expect` is no table", "[expect]"));
    };
    let differences = scenario.expect.differences(outcome);
    for (name, finding) in findings(outcome) {
        // What is right stays as it is spelt.
        if scenario.expect.is_empty() || differences.iter().any(|difference| difference.name == name) {
            set(table, name, finding.as_ref());
        }
    }
    let text = document.to_string();
    let crlf = source.text.matches("\r\n").count();
    if crlf > 0 && crlf == source.text.matches('\n').count() {
        return Ok(text.replace("\r\n", "\n").replace('\n', "\r\n"));
    }
    Ok(text)
}

/// Puts a value in the place of the old one, whose comment stays.
fn set(table: &mut dyn TableLike, name: &str, finding: Option<&Finding>) {
    let Some(finding) = finding else {
        table.remove(name);
        return;
    };
    let mut new = value(finding);
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(name, Item::Value(new));
        }
    }
}

fn value(finding: &Finding) -> Value {
    match finding {
        Finding::Number(number) => Value::from(*number),
        Finding::Offsets(offsets) => Value::Array(offsets.iter().copied().collect::<Array>()),
        Finding::Stamps(stamps) => Value::Array(stamps.iter().map(ToString::to_string).collect()),
        Finding::Sentences(sentences) => Value::Array(sentences.iter().collect()),
        Finding::Rows(rows) => {
            let mut table = InlineTable::new();
            for (key, version) in rows {
                table.insert(key, Value::from(*version));
            }
            Value::InlineTable(table)
        }
    }
}
