//! A flight in a process of its own: the mock broker aborts the process that it is in when it meets what it does not
//! expect, and a flight is full of that.
//!
//! librdkafka's mock asserts that a member does not join again while its last request to join is unanswered
//! (`rdkafka_mock_cgrp.c`). One that was stopped does just that, now and then, when it wakes up. That says nothing
//! about the client or about us; the flight is flown again, and says so.

use std::{
    io::Read,
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    process::{Command, ExitStatus, Stdio},
    thread,
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{
    chaos::Outcome,
    harness::{Trouble, process::program},
};

/// How often the mock may fall over in one flight.
const TRIES: u32 = 5;

/// What the mock says when it falls over that assertion.
const FELL_OVER: &str = "Assertion `!member->resp' failed";

/// Flies the day with the faults of a seed, or with none, and judges it.
///
/// # Errors
/// If something does not hold, naming the seed; if the mock falls over again and again.
pub fn fly(seed: Option<u64>) -> Result<Outcome, Trouble> {
    for _ in 0..TRIES {
        let (status, output, complaints) = fly_once(seed)?;
        if status.success() {
            return Outcome::from_lines(&output)
                .ok_or_else(|| format!("this is no outcome: {output}").into());
        }
        let abort = status.signal() == Some(Signal::ABORT.as_raw());
        if !(abort && complaints.contains(FELL_OVER)) {
            return Err(complaints.into());
        }
        eprintln!("the mock broker fell over an assertion of its own; once more: {}", complaints.trim_end());
    }
    Err(format!("the mock broker fell over {TRIES} times").into())
}

/// The flight's end, and what it wrote to standard output and error.
fn fly_once(seed: Option<u64>) -> Result<(ExitStatus, String, String), Trouble> {
    let mut child = Command::new(program("flight")?)
        .args(seed.map(|seed| seed.to_string()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // With the services that it starts, and may leave behind.
        .process_group(0)
        .spawn()?;
    let output = reading(child.stdout.take());
    let complaints = reading(child.stderr.take());
    let status = child.wait()?;
    // After a good flight there is nobody left.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    Ok((status, text(output), text(complaints)))
}

fn reading(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read until it broke is what there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

impl Outcome {
    /// As lines of text: the counts, then a row a line.
    #[must_use]
    pub fn to_lines(&self) -> String {
        let mut lines = format!("{} {} {}\n", self.duplicates, self.refused, self.ownerships);
        for (key, value) in &self.rows {
            lines += &format!("{} {}\n", String::from_utf8_lossy(key), String::from_utf8_lossy(value));
        }
        lines
    }

    /// Back from them; `None` if they are not.
    #[must_use]
    pub fn from_lines(lines: &str) -> Option<Outcome> {
        let mut lines = lines.lines();
        let mut counts = lines.next()?.split(' ').map(|count| count.parse().ok());
        let mut count = || counts.next().flatten();
        let (duplicates, refused, ownerships) = (count()?, count()?, count()?);
        let row = |line: &str| line.split_once(' ').map(|(key, value)| (key.into(), value.into()));
        Some(Outcome { rows: lines.map(row).collect::<Option<_>>()?, duplicates, refused, ownerships })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_comes_back_from_its_lines() {
        let row = |key: &str, value: &str| (key.as_bytes().to_vec(), value.as_bytes().to_vec());
        let outcome = Outcome {
            rows: vec![row("N1", "12"), row("N2", "7")],
            duplicates: 3,
            refused: 2,
            ownerships: 70,
        };
        assert_eq!(Outcome::from_lines(&outcome.to_lines()), Some(outcome));
        assert_eq!(Outcome::from_lines("3 2\n"), None);
    }
}
