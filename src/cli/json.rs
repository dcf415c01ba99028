//! The outcome of a run for other programs.

use serde_json::Value;

use crate::{
    export::json::Object,
    ledger::Outcome,
    scenario::{Finding, findings},
};

/// The outcome under the names of `[expect]`; what is absent is left out.
pub(super) fn outcome(outcome: &Outcome) -> Object {
    let named = |(name, finding): (&'static str, Option<Finding>)| Some((name, finding_value(finding?)));
    Object(findings(outcome).into_iter().filter_map(named).collect())
}

fn finding_value(finding: Finding) -> Value {
    match finding {
        Finding::Number(number) => number.into(),
        Finding::Offsets(offsets) => offsets.into(),
        Finding::Stamps(stamps) => stamps.iter().map(ToString::to_string).collect(),
        Finding::Rows(rows) => rows.into_iter().map(|(key, version)| (key, Value::from(version))).collect(),
        Finding::Sentences(sentences) => sentences.into_iter().collect(),
    }
}
