//! More workers than one over a client that has one: what that implies.
//!
//! The defaults of most clients are those of a loop: one thread polls, works, polls again. Who says that there are
//! several workers has another consumer, in which those defaults have no place: its records must reach the workers
//! somehow, the loop must not wait for them, and what was handed out is not what is finished. What was said stays.

use super::{Name, Origin, Settings, Value};
use crate::{
    ledger::grouped,
    sizing::{marks_for, poll_for},
};

impl Settings {
    /// Whether somebody has set this, and it is no default.
    #[must_use]
    pub fn is_said(&self, name: Name) -> bool {
        matches!(self.0.get(&name), Some((_, Origin::Line(_) | Origin::Found)))
    }

    /// Whether this has a default that can give way.
    fn gives_way(&self, name: Name, value: Value) -> bool {
        self.get(name) == Some(value) && !self.is_said(name)
    }

    fn imply(&mut self, name: Name, value: Value) {
        self.0.insert(name, (value, Origin::Implied));
    }

    /// These, where defaults of a loop with one thread have given way to what several workers need; and what was
    /// changed, in a sentence.
    #[must_use]
    pub fn with_a_pool(mut self) -> (Settings, Option<String>) {
        let workers = self.number(Name::Workers).unwrap_or(1);
        let routing = self.word(Name::Routing);
        let is_asked = if self.is_said(Name::Routing) {
            routing != Some("serial")
        } else {
            self.is_said(Name::Workers) && routing == Some("serial")
        };
        let is_pool = workers > 1 && is_asked;
        // Marks are said for reading that pauses at them.
        let is_marked = (self.is_said(Name::High) || self.is_said(Name::Low))
            && !self.is_said(Name::Routing)
            && self.gives_way(Name::Intake, Value::Word("block"));
        if !is_pool && !is_marked {
            return (self, None);
        }
        let mut changed = Vec::new();
        if self.gives_way(Name::Routing, Value::Word("serial")) {
            self.imply(Name::Routing, Value::Word("keyed"));
            changed.push("records go to keyed mailboxes (kwp.routing)".to_owned());
        }
        if self.gives_way(Name::Intake, Value::Word("block")) {
            self.imply(Name::Intake, Value::Word("pause"));
            let (high, low) = marks_for(u32::try_from(workers).unwrap_or(u32::MAX));
            if self.number(Name::High).or(self.number(Name::Low)).is_none() {
                self.imply(Name::High, Value::Number(high));
                self.imply(Name::Low, Value::Number(low));
                changed.push(format!(
                    "reading pauses at {} in flight and resumes at {} (kwp.intake.high, kwp.intake.low)",
                    grouped(high),
                    grouped(low)
                ));
            } else {
                changed.push("reading pauses at the marks".to_owned());
            }
            // A client that hands out single messages hands out as many as are wanted.
            if self.gives_way(Name::PollRecords, Value::Number(1)) {
                let poll = poll_for(self.number(Name::High).unwrap_or(high));
                self.imply(Name::PollRecords, Value::Number(poll));
                changed.push(format!("up to {} records are taken at a time", grouped(poll)));
            }
        }
        let commits = [(Name::AutoCommit, Value::Flag(true)), (Name::StoreOffsets, Value::Flag(true))];
        let gave_way = commits.map(|(name, value)| {
            let gives_way = self.gives_way(name, value);
            if gives_way {
                self.imply(name, Value::Flag(false));
            }
            gives_way
        });
        if gave_way[0] && !self.is_said(Name::CommitBeside) {
            self.0.remove(&Name::CommitBeside);
        }
        let is_contained = self.word(Name::AckMode).is_some() && !self.is_said(Name::AckMode);
        if is_contained {
            self.0.remove(&Name::AckMode);
            self = self.without_skipping();
        }
        if gave_way[0] || is_contained {
            changed.push("the watermark of what is finished is committed, by your own code".to_owned());
        }
        let told = (!changed.is_empty()).then(|| {
            let why = match is_pool {
                true => format!("{} workers are no loop of one thread", grouped(workers)),
                false => "Marks are for reading that goes on beside the work: that is no loop of one thread"
                    .to_owned(),
            };
            format!("{why}, which the defaults are for. In their place: {}.", changed.join("; "))
        });
        (self, told)
    }
}
