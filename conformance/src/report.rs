//! docs/conformance.md: what the simulator says and what the real client did, side by side.

use crate::{
    chaos::{FAULTS, Outcome},
    claims::{CLAIMS, Finding, Panel},
    lessons::LESSONS,
};

/// What a lesson showed on each broker; `None` where there was no such broker.
pub type Told = [Option<String>; 2];

/// A day of flights with the faults of a seed.
pub struct Chaos {
    /// The seed.
    pub seed: u64,
    /// What came of it.
    pub outcome: Outcome,
}

/// A run of everything.
pub struct Report {
    /// The day, in UTC.
    pub date: String,
    /// The client's version.
    pub librdkafka: String,
    /// Tansu's, where there is one.
    pub tansu: Option<String>,
    /// What came of each claim on each broker.
    pub claims: Vec<Vec<Option<Finding>>>,
    /// And of each lesson.
    pub lessons: Vec<Told>,
    /// The days with faults.
    pub chaos: Vec<Chaos>,
}

const OPENING: &str = "\
# Against the real client

<!-- Written by `cargo xtask conformance`; do not edit. -->

What is told here was checked when it was written, and is checked again by every `cargo xtask test conformance`, on the
brokers that can be had.

The page is about a simulator. Each of its claims below is a scenario in `conformance/scenarios/`, which is played in the
simulator and, at the same time, by real processes: `conformance/src/consumer/` is a consumer over librdkafka that
uses the simulator's own mechanisms (`src/mechanism/`), writes rows to SQLite, and is killed, stopped or made to
rebalance as the scenario says. After every tick the two must agree on position, records in flight, running
attempts, pause and committed offset; at the end, on everything below and on what the scenario expects. Nothing was
timed: a record's work ends when the simulator says so.
";

impl Report {
    /// The file's text.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = OPENING.to_owned();
        text.push_str(&format!("\n{}, {}.\n", self.versions(), self.date));
        for panel in Panel::ALL {
            self.section(panel, &mut text);
        }
        self.brokers(&mut text);
        self.flights(&mut text);
        text
    }

    fn versions(&self) -> String {
        let tansu = match &self.tansu {
            Some(version) => format!("{version}, a Kafka-compatible broker that is not Apache Kafka"),
            None => "not on Tansu, which could not be had".into(),
        };
        format!("librdkafka {} on its own mock cluster and on {tansu}", self.librdkafka)
    }

    fn section(&self, panel: Panel, text: &mut String) {
        text.push_str(&format!("\n## {}\n", panel.title()));
        for (claim, found) in CLAIMS.iter().zip(&self.claims).filter(|(claim, _)| claim.panel == panel) {
            text.push_str(&format!(
                "\n**“{}”** [{}](../conformance/scenarios/{}.toml), `{}`\n\n",
                claim.sentence, claim.scenario, claim.scenario, claim.name
            ));
            text.push_str("| what | simulator | on the mock | on Tansu |\n|---|---|---|---|\n");
            for name in claim.shows {
                let value = |found: &Option<Finding>, predicted: bool| {
                    let result = found.as_ref()?.results.iter().find(|(other, ..)| other == name).cloned()?;
                    Some(if predicted { result.1 } else { result.2 })
                };
                let simulated = found.iter().find_map(|found| value(found, true)).unwrap_or_default();
                text.push_str(&format!("| `{name}` | {simulated} |"));
                for found in found {
                    text.push_str(&format!(" {} |", value(found, false).unwrap_or("not run".into())));
                }
                text.push('\n');
            }
            let besides: Vec<_> = found
                .iter()
                .map(|found| match found {
                    Some(finding) => finding.besides.clone(),
                    None => Some("not run".into()),
                })
                .collect();
            if besides.iter().any(Option::is_some) {
                text.push_str("| besides | |");
                for besides in besides {
                    text.push_str(&format!(" {} |", besides.unwrap_or_default()));
                }
                text.push('\n');
            }
        }
    }

    fn brokers(&self, text: &mut String) {
        text.push_str("\n## What the real client teaches\n");
        for (lesson, told) in LESSONS.iter().zip(&self.lessons) {
            let [mock, tansu] = told.clone().map(|told| told.unwrap_or("not run".into()));
            text.push_str(&format!("\n**{}** `{}`\n\n", lesson.sentence, lesson.name));
            text.push_str(&format!(
                "- on the mock: {mock}\n- on Tansu: {tansu}\n- the model: {}\n",
                lesson.model
            ));
        }
        text.push_str(DIFFERENCES);
    }

    fn flights(&self, text: &mut String) {
        text.push_str(&format!(
            "\n## A day of flights\n\n831 departures, keyed by aircraft, over four partitions, through three processes \
             of `conformance/src/bin/service.rs` on the mock, with {FAULTS} faults each: a process is killed, stopped \
             until the next fault, or replaced. In every run each key's order was kept within every ownership, no \
             record was lost, no ownership began below what had been committed when it asked where to begin, and the \
             rows were those of a day without faults. `CHAOS_SEEDS=50 cargo test -p conformance --test chaos` plays more.\n\n"
        ));
        text.push_str(
            "| seed | ownerships | records done again | writes that the guard refused |\n|---|---|---|---|\n",
        );
        for Chaos { seed, outcome } in &self.chaos {
            text.push_str(&format!(
                "| {seed} | {} | {} | {} |\n",
                outcome.ownerships, outcome.duplicates, outcome.refused
            ));
        }
    }
}

const DIFFERENCES: &str = "
**Between the brokers.** The claims come out alike on both. What differs: the mock refuses every commit while a rebalance
goes on, Tansu accepts the drain's. The mock lets a rebalance last a second less than the session, whoever has joined. A
member that misses a rebalance's deadline wedges Tansu, so the flights, in which that happens all the time, fly on the
mock alone. And the mock aborts, once in some tens of flights, when a member that was stopped asks to join twice: an assertion
of its own, after which a flight is flown again.

**Left to the model.** An owner that was stopped does not know, when it wakes up, that it owns nothing any more: until its
next poll it also *starts* what it had queued. The simulated owner is told at once, and only what ran goes on. The
scenarios leave the stopped owner nothing to start; the flights do not spare it, and the guard holds.
";
