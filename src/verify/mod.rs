//! Small systems, checked in every way that they can go.
//!
//! A run is one history; a promise is about all of them. Where everything is small (a handful of records, two
//! or three workers, one or two troubles) all histories can be visited: at every tick the search lets any set
//! of running attempts end, or none, and any trouble strike that is left, and it goes on from every state that
//! comes of it until there are no new ones. What it steps is the world itself, and what it asks is the table
//! of invariants; nothing is modelled a second time.
//!
//! No bound on time is needed: waiting longer changes nothing in the end, so that states that differ only in
//! the clock's position are one, and the search ends by itself.

#![deny(clippy::float_arithmetic, clippy::disallowed_types)]

mod can;
mod configuration;
mod crossed;
mod debt;
mod dice;
mod example;
mod node;
mod random;
mod record;
mod report;
mod search;
mod small;
mod suites;
mod ways;

pub use can::asked_by;
pub use configuration::{Configuration, Troubles};
pub use example::Example;
pub use random::{Sample, sample};
pub use record::{Asked, NoRecord, Record, Row, Shown};
pub use report::{Report, Surprise};
pub use search::{MOST_STATES, explore};
pub use suites::{Size, suites};

/// What is asked beside the table of invariants: a failing record pins the watermark no longer than this.
pub const LEAVES_IN_TIME: &str =
    "a failing record leaves when its quarantine ends, or with the attempt then running";

/// Configurations that have one subject.
#[derive(Clone, Debug)]
pub struct Suite {
    /// What it is about.
    pub name: &'static str,
    /// What is varied, and how far: a sentence.
    pub bounds: String,
    /// The sentences of the invariants that break in it, in the table's order; all others hold throughout.
    pub breaks: Vec<&'static str>,
    /// Whether some of it gets nowhere, for a reason that lies in its configuration.
    pub sticks: bool,
    /// Whether random runs draw their rules anew, each from all there are: else they keep a configuration's.
    pub is_crossed: bool,
    /// What is explored, one after the other.
    pub configurations: Vec<Configuration>,
}

/// Explores every configuration of a suite, up to the first in which something happens that should not.
#[must_use]
pub fn run(suite: &Suite) -> Report {
    let mut report = Report::default();
    for configuration in &suite.configurations {
        report.add(explore(configuration));
        if !report.surprises.is_empty() {
            break;
        }
    }
    report
}
