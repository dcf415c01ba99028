//! `kwp why`: from an event that should not have happened, back to the decision that made it possible.

use clap::Args;
use serde_json::json;

use super::{
    file::Given,
    out::{BAD, HEAD, Paper, complain, paint},
    run::{Format, load},
};
use crate::{
    export::json::Object,
    ledger::{Event, EventId, Fault, Keep, Why, escaped, why},
    scenario::play,
    world::Log,
};

/// Columns of a line of text.
const WIDTH: usize = 80;

/// Arguments of `kwp why`.
#[derive(Args, Debug)]
pub(super) struct WhyArgs {
    /// A scenario file, or - for standard input
    #[arg(value_name = "FILE")]
    file: Given,

    /// The number of the event to ask about; without it, list the events that can be asked about
    ///
    /// These are order breaks, overlaps, owners that ended with records to come again or lost for good, leaked
    /// and stale writes, evictions, and ends for want of memory. The number is the id in --events jsonl.
    #[arg(long, value_name = "N")]
    event: Option<u64>,

    /// How to print the answer: as sentences, or as one JSON object
    ///
    /// With --event: event, fault, chain (the event itself first, each with id, tick and sentence) and decision
    /// (sentence, tick, and the event that turned the knob or was the input, or null). Without it: faults, each
    /// with id, tick, fault and sentence.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// 0: it was answered; 2: it cannot be, or the scenario cannot be run.
pub(super) fn run(args: &WhyArgs, paper: &mut Paper) -> u8 {
    match try_run(args, paper) {
        Ok(()) => 0,
        Err(error) => {
            complain(BAD, "error", error);
            2
        }
    }
}

fn try_run(args: &WhyArgs, paper: &mut Paper) -> Result<(), Box<dyn std::error::Error>> {
    let scenario = load(&args.file)?;
    let file = escaped(&scenario.file);
    let run = play(&scenario, Keep::Events, |_| true).map_err(|error| format!("{file}: {error}"))?;
    let told = Told { events: run.ledger().events(), log: run.world().log() };
    let Some(number) = args.event else {
        match args.format {
            Format::Text => told.list(paper),
            Format::Json => paper.line(format!("{:#}", told.list_json())),
        }
        return Ok(());
    };
    let event = run.ledger().event(EventId(number)).ok_or_else(|| {
        let last = told.events.len().saturating_sub(1);
        format!("{file}: there is no event {number}: the last one of this run is {last}")
    })?;
    let answer = event.fault().zip(why(told.events, event.id, &scenario.setup));
    let (fault, why) = answer.ok_or_else(|| format!("{file}: {}", told.in_order(event)))?;
    match args.format {
        Format::Text => told.answer(event, fault, &why, paper),
        Format::Json => paper.line(format!("{:#}", told.answer_json(event, fault, &why))),
    }
    Ok(())
}

/// What happened, and to which records.
struct Told<'a> {
    events: &'a [Event],
    log: &'a Log,
}

impl<'a> Told<'a> {
    fn faults(&self) -> impl Iterator<Item = (&'a Event, Fault)> {
        self.events.iter().filter_map(|event| Some((event, event.fault()?)))
    }

    fn chain(&self, why: &Why) -> impl Iterator<Item = &'a Event> {
        let place = |id: &EventId| usize::try_from(id.0).ok();
        why.chain.iter().filter_map(move |id| self.events.get(place(id)?))
    }

    fn list(&self, paper: &mut Paper) {
        if self.faults().next().is_none() {
            paper.line("Everything was in order: there is no event to ask about.");
            return;
        }
        self.table(self.faults().map(|(event, _)| event), paper);
    }

    fn list_json(&self) -> Object {
        let entry = |(event, fault): (&Event, Fault)| json!({ "id": event.id.0, "tick": event.tick.0, "fault": fault.name(), "sentence": event.telling(self.log) });
        Object(vec![("faults", self.faults().map(entry).collect())])
    }

    fn answer(&self, event: &Event, fault: Fault, why: &Why, paper: &mut Paper) {
        paper.line(paint(HEAD, format!("Event {}: {fault}", event.id)));
        self.table(self.chain(why), paper);
        paper.line("");
        hang("decision: ", &why.decision.sentence, paper);
    }

    fn answer_json(&self, event: &Event, fault: Fault, why: &Why) -> Object {
        let entry = |event: &Event| json!({ "id": event.id.0, "tick": event.tick.0, "sentence": event.telling(self.log) });
        let decision = json!({
            "sentence": why.decision.sentence,
            "tick": why.decision.tick.0,
            "event": why.decision.event.map(|event| event.0),
        });
        Object(vec![
            ("event", event.id.0.into()),
            ("fault", fault.name().into()),
            ("chain", self.chain(why).map(entry).collect()),
            ("decision", decision),
        ])
    }

    /// Events with their numbers and ticks, long sentences wrapped beside them.
    fn table(&self, events: impl Iterator<Item = &'a Event>, paper: &mut Paper) {
        paper.line("  event   tick");
        for event in events {
            if paper.is_torn() {
                break;
            }
            hang(&format!("{:>7} {:>6}  ", event.id.0, event.tick.0), &event.telling(self.log), paper);
        }
    }

    /// That nothing is wrong with an event, and which ones near it can be asked about.
    fn in_order(&self, event: &Event) -> String {
        let before = self.faults().map(|(fault, _)| fault.id).take_while(|&id| id < event.id).last();
        let after = self.faults().map(|(fault, _)| fault.id).find(|&id| id > event.id);
        let nearest: Vec<String> = before.into_iter().chain(after).map(|id| id.to_string()).collect();
        let asked = match nearest.as_slice() {
            [] => "no event of this run can be asked about".to_owned(),
            near => format!("the nearest that can be asked about: {}", near.join(" and ")),
        };
        format!("event {} is in order\n  = {}\n  = {asked}", event.id, event.sentence(self.log))
    }
}

/// A text beside its label, in lines of [`WIDTH`] columns where its words allow it.
fn hang(label: &str, text: &str, paper: &mut Paper) {
    let (mut line, mut filled) = (label.to_owned(), label.len());
    let mut words = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        if words > 0 && filled + 1 + width > WIDTH {
            paper.line(&line);
            (line, filled, words) = (" ".repeat(label.len()), label.len(), 0);
        }
        if words > 0 {
            line.push(' ');
            filled += 1;
        }
        line.push_str(word);
        filled += width;
        words += 1;
    }
    paper.line(line);
}
