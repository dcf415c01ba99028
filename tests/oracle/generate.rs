//! Random scenario files: small, valid, and made to meet in the corners.
//!
//! The log, the knobs and the inputs are drawn from streams of their own, one part after the
//! other, so that a smaller size of the same seed is much the same story cut short: a difference
//! found at one seed is first looked for at smaller sizes of it, and then by striking lines.

use super::scenario::below;
use rand_pcg::Pcg32;
use std::fmt::Write as _;

/// The largest size of [`scenario_of_size`].
pub const LARGEST: u64 = 12;

/// What a scenario is mostly about.
struct Theme {
    /// Half of the inputs are of these kinds, by their numbers in [`inputs`].
    inputs: &'static [u64],
    /// What a `set` among them turns.
    knobs: &'static [&'static str],
    /// A knob that the theme cannot do without, and values for it.
    needs: Option<(&'static str, &'static [&'static str])>,
    /// The log has records that fail.
    failing: bool,
    /// The log has records without an end.
    endless: bool,
}

const ANYTHING: Theme = Theme {
    inputs: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    knobs: KNOBS,
    needs: None,
    failing: false,
    endless: false,
};

const MAPS: Theme = Theme {
    inputs: &[0, 0, 3, 3, 3, 11, 11],
    knobs: &["commit", "commit", "poll"],
    needs: Some((
        "commit",
        &[
            "{ ack_map = true }",
            "{ every = 2, ack_map = true }",
            "{ offset = \"highest\", ack_map = true }",
            "{ every = 3, offset = \"highest\", ack_map = true }",
            "{ ack_map = true, ack_map_limit = 4 }",
        ],
    )),
    failing: false,
    endless: true,
};

const ROUTES: Theme = Theme {
    inputs: &[2, 6, 11, 11, 11, 11],
    knobs: &["routing", "routing", "retry", "workers", "null_keys"],
    needs: Some(("retry", &["{ delay = 2 }", "{ delay = 4 }", "{ delay = 3, at = \"tail\" }"])),
    failing: true,
    endless: false,
};

const PARKS: Theme = Theme {
    inputs: &[0, 2, 6, 11],
    knobs: &["quarantine", "routing", "retry", "poll"],
    needs: Some((
        "quarantine",
        &[
            "{ after = 1, then = \"park\" }",
            "{ after = 2, then = \"park\" }",
            "{ after = 4, then = \"park\" }",
        ],
    )),
    failing: true,
    endless: false,
};

const HANDOVERS: Theme = Theme {
    inputs: &[3, 5, 6, 8, 8, 8, 11],
    knobs: &["drain", "max_poll_interval", "intake", "commit"],
    needs: Some(("max_poll_interval", &["3", "5", "8"])),
    failing: false,
    endless: false,
};

fn theme(seed: u64) -> &'static Theme {
    match Dice::new(seed, 100).below(8) {
        0 => &MAPS,
        1 | 2 => &ROUTES,
        3 => &PARKS,
        4 => &HANDOVERS,
        _ => &ANYTHING,
    }
}

/// A random valid scenario file, the same for the same seed everywhere.
#[must_use]
pub fn scenario(seed: u64) -> String {
    scenario_of_size(seed, 1 + seed % LARGEST)
}

/// The same story told of a client with ways of its own: what real ones do that the usual one does not. There are
/// more handovers in it, and work that outlives them.
#[must_use]
pub fn scenario_with_ways(seed: u64) -> String {
    scenario_with_ways_of_size(seed, 1 + seed % LARGEST)
}

/// The same of a size.
#[must_use]
pub fn scenario_with_ways_of_size(seed: u64, size: u64) -> String {
    let (log, offsets) = log(seed, size);
    assemble(seed, size, &log, &offsets, true)
}

/// The same with at most `size` records (three times as many where the log is a generated one)
/// and at most `size` drawn inputs, never more than eight.
#[must_use]
pub fn scenario_of_size(seed: u64, size: u64) -> String {
    let (log, offsets) = log(seed, size);
    assemble(seed, size, &log, &offsets, false)
}

fn log(seed: u64, size: u64) -> (String, Vec<u64>) {
    let mut dice = Dice::new(seed, 101);
    let start = if dice.one_in(3) { 1 + dice.below(9) } else { 0 };
    if dice.one_in(5) {
        generated_log(&mut dice, start, size)
    } else {
        listed_log(&mut dice, theme(seed), start, size)
    }
}

/// A scenario whose log is the CSV file `log.csv`, and that file's text: records that arrive
/// while the run goes on.
#[must_use]
pub fn scenario_with_csv(seed: u64) -> (String, String) {
    let size = 1 + seed % LARGEST;
    let mut dice = Dice::new(seed, 101);
    let start = if dice.one_in(3) { 1 + dice.below(9) } else { 0 };
    let count = (1 + dice.below(LARGEST)).min(size);
    let mut csv = "time,key,work\n".to_owned();
    let mut time = 0;
    for _ in 0..count {
        time += if dice.one_in(2) { 0 } else { dice.below(6) };
        let key = dice.pick(&["A", "A", "B", "c", ""]);
        let work = 1 + dice.below(6);
        let _ = writeln!(csv, "{time},{key},{work}");
    }
    let mut log = "[log]\ncsv = \"log.csv\"\n".to_owned();
    if start > 0 {
        let _ = writeln!(log, "start = {start}");
    }
    let offsets: Vec<u64> = (start..start + count).collect();
    (assemble(seed, size, &log, &offsets, false), csv)
}

fn assemble(seed: u64, size: u64, log: &str, offsets: &[u64], has_ways: bool) -> String {
    let mut ways = Dice::new(seed, 104);
    let mut dice = Dice::new(seed, 102);
    let mut text = format!("title = \"Scenario {seed} of size {size}\"\n");
    if dice.one_in(2) {
        let _ = writeln!(text, "seed = {}", dice.below(1000));
    }
    if !dice.one_in(5) {
        let _ = writeln!(text, "ticks = {}", 10 + dice.below(51));
    }
    if dice.one_in(3) {
        text.push_str("members = [\"A\", \"B\"]\n");
    }
    text.push_str(log);
    text.push_str("[consumer]\n");
    for name in KNOBS {
        // Those that the defaults make dull are nearly always named.
        let often = matches!(*name, "workers" | "routing" | "poll" | "intake" | "commit");
        let value = knob(&mut dice, name);
        if let Some((needed, values)) = theme(seed).needs
            && needed == *name
        {
            let _ = writeln!(text, "{name} = {}", dice.pick(values));
            continue;
        }
        if *name != "guard" && if often { !dice.one_in(6) } else { dice.one_in(2) } {
            let _ = writeln!(text, "{name} = {value}");
        }
    }
    for name in WAYS.iter().filter(|_| has_ways) {
        if !ways.one_in(4) {
            let _ = writeln!(text, "{name} = {}", knob(&mut ways, name));
        }
    }
    if dice.one_in(2) {
        let _ = writeln!(text, "[store]\nguard = {}", knob(&mut dice, "guard"));
    }
    let more = if has_ways { more_handovers(&mut ways, size) } else { Vec::new() };
    text.push_str(&inputs(seed, size, offsets, more));
    text
}

/// Revokes that find something at work, and now and then another way.
fn more_handovers(dice: &mut Dice, size: u64) -> Vec<(u64, String)> {
    let mut inputs = Vec::new();
    for _ in 0..(1 + dice.below(3)).min(size) {
        let tick = dice.below(20);
        let (from, to) = (dice.pick(&["A", "A", "B"]), dice.pick(&["A", "B", "B"]));
        if dice.one_in(2) {
            inputs.push((
                tick,
                format!("{{ stall = {{ consumer = \"{from}\", ticks = {} }} }}", 1 + dice.below(9)),
            ));
        }
        if dice.one_in(2) {
            inputs.push((tick, format!("{{ set = {{ drain = {} }} }}", dice.below(3))));
        }
        inputs.push((tick, format!("{{ revoke = {{ from = \"{from}\", to = \"{to}\" }} }}")));
        if dice.one_in(2) {
            inputs.push((dice.below(20), "\"rebalance\"".to_owned()));
        }
        if dice.one_in(3) {
            let name = dice.pick(WAYS);
            inputs.push((dice.below(20), format!("{{ set = {{ {name} = {} }} }}", knob(dice, name))));
        }
    }
    inputs
}

fn listed_log(dice: &mut Dice, theme: &Theme, start: u64, size: u64) -> (String, Vec<u64>) {
    let count = (1 + dice.below(LARGEST)).min(size);
    let mut records = Vec::new();
    let mut offsets = Vec::new();
    let mut offset = start;
    // Every third log is of one key only, so that its records meet.
    let keys: &[&str] = if dice.one_in(3) { &["A"] } else { &["A", "A", "B", "c", "-", "-", ""] };
    let endless = dice.one_in(3) || theme.endless;
    let failing = dice.one_in(2) || theme.failing;
    for _ in 0..count {
        offset += match dice.below(12) {
            0 => 1,
            1 => 1 + dice.below(3),
            2 if dice.one_in(4) => 700,
            _ => 0,
        };
        let key = dice.pick(keys);
        let longest = if dice.one_in(4) { 12 } else { 4 };
        let work = match dice.below(6) {
            0 if endless => "tap".to_owned(),
            1 if endless && dice.one_in(2) => "never".to_owned(),
            _ => (1 + dice.below(longest)).to_string(),
        };
        // None: fails always.
        let fails = match dice.below(6) {
            0 if failing => None,
            1 | 2 if failing => Some(1 + dice.below(3)),
            _ => Some(0),
        };
        // An empty key has no short form of its own.
        if key.is_empty() || dice.one_in(8) {
            let mut fields = vec![format!("offset = {offset}")];
            if key != "-" {
                fields.push(format!("key = \"{key}\""));
            }
            let quoted = work.starts_with(char::is_alphabetic);
            fields.push(if quoted { format!("work = \"{work}\"") } else { format!("work = {work}") });
            match fails {
                None => fields.push("fails = \"always\"".to_owned()),
                Some(0) => {}
                Some(n) => fields.push(format!("fails = {n}")),
            }
            records.push(format!("{{ {} }}", fields.join(", ")));
        } else {
            let fails = match fails {
                None => "!".to_owned(),
                Some(0) => String::new(),
                Some(n) => format!("!{n}"),
            };
            records.push(format!("\"{offset}:{key}*{work}{fails}\""));
        }
        offsets.push(offset);
        offset += 1;
    }
    let mut text = "[log]\n".to_owned();
    if start > 0 {
        let _ = writeln!(text, "start = {start}");
    }
    let _ = writeln!(text, "records = [{}]", records.join(", "));
    (text, offsets)
}

fn generated_log(dice: &mut Dice, start: u64, size: u64) -> (String, Vec<u64>) {
    let count = (1 + dice.below(3 * LARGEST)).min(3 * size);
    let keys = if dice.one_in(10) { 30 } else { 1 + dice.below(5) };
    let skew = dice.below(4);
    let lowest = 1 + dice.below(3);
    let highest = lowest + dice.below(6);
    let mut text = "[log]\n".to_owned();
    if start > 0 {
        let _ = writeln!(text, "start = {start}");
    }
    let _ = writeln!(
        text,
        "generate = {{ count = {count}, keys = {keys}, skew = {skew}, work = [{lowest}, {highest}] }}"
    );
    (text, (start..start + count).collect())
}

const KNOBS: &[&str] = &[
    "workers",
    "routing",
    "null_keys",
    "retry",
    "poll",
    "intake",
    "heap_ceiling",
    "max_poll_interval",
    "commit",
    "quarantine",
    "drain",
    "guard",
];

/// What clients differ in; scenarios without ways leave it as it is.
const WAYS: &[&str] = &["late_commit", "pause_at_assignment", "refetch", "rebalance_protocol"];

fn knob(dice: &mut Dice, name: &str) -> String {
    match name {
        "workers" => (1 + dice.below(5)).to_string(),
        "routing" => match dice.below(5) {
            0 | 1 => "\"keyed\"".to_owned(),
            2 => "\"shared\"".to_owned(),
            3 => "\"serial\"".to_owned(),
            _ => format!("{{ lanes = {} }}", 1 + dice.below(4)),
        },
        "null_keys" => dice.pick(&["\"mailbox\"", "\"spread\""]).to_owned(),
        "retry" => {
            let delay = format!("delay = {}", 1 + dice.below(5));
            let at = dice.pick(&["at = \"head\"", "at = \"tail\""]);
            some_of(dice, &[delay, at.to_owned()])
        }
        "poll" => {
            let polls = ["1", "2", "2", "3", "4", "6", "500"];
            dice.pick(&polls).to_owned()
        }
        "intake" => match dice.below(5) {
            0 => "\"unbounded\"".to_owned(),
            1 | 2 => "\"block\"".to_owned(),
            _ => {
                let high = 1 + dice.below(6);
                let low = dice.below(high);
                format!("{{ pause = {{ high = {high}, low = {low} }} }}")
            }
        },
        "heap_ceiling" => {
            if dice.one_in(3) {
                (1 + dice.below(10)).to_string()
            } else {
                "\"none\"".to_owned()
            }
        }
        "max_poll_interval" => {
            if dice.one_in(3) {
                "\"none\"".to_owned()
            } else {
                (2 + dice.below(9)).to_string()
            }
        }
        "commit" => {
            let every = format!("every = {}", if dice.one_in(2) { 1 } else { 1 + dice.below(9) });
            let offset = dice.pick(&["offset = \"watermark\"", "offset = \"highest\""]);
            let ack_map = dice.pick(&["ack_map = true", "ack_map = true", "ack_map = false"]);
            let limit = dice.pick(&["1", "4", "8", "12", "4096"]);
            let limit = format!("ack_map_limit = {limit}");
            some_of(dice, &[every, offset.to_owned(), ack_map.to_owned(), limit])
        }
        "quarantine" => match dice.below(4) {
            0 => "\"never\"".to_owned(),
            1 => (1 + dice.below(8)).to_string(),
            _ => {
                let after = 1 + dice.below(6);
                let then = dice.pick(&["continue", "park", "park"]);
                format!("{{ after = {after}, then = \"{then}\" }}")
            }
        },
        "drain" => dice.below(11).to_string(),
        "guard" => dice.pick(&["\"off\"", "\"newer\"", "\"not-older\""]).to_owned(),
        "late_commit" => dice.pick(&["\"sent\"", "\"sent\"", "\"checked\""]).to_owned(),
        "rebalance_protocol" => dice.pick(&["\"eager\"", "\"eager\"", "\"cooperative\""]).to_owned(),
        "refetch" => dice.pick(&["0", "1", "2", "3", "5"]).to_owned(),
        "pause_at_assignment" => dice.pick(&["\"kept\"", "\"kept\"", "\"forgotten\""]).to_owned(),
        other => unreachable!("no knob {other}"),
    }
}

/// An inline table of some of the fields, at least one.
fn some_of(dice: &mut Dice, fields: &[String]) -> String {
    let always = dice.below(fields.len() as u64);
    let mut kept = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if dice.one_in(2) || index as u64 == always {
            kept.push(field.clone());
        }
    }
    format!("{{ {} }}", kept.join(", "))
}

fn inputs(seed: u64, size: u64, offsets: &[u64], more: Vec<(u64, String)>) -> String {
    let mut dice = Dice::new(seed, 103);
    let count = dice.below(9).min(size);
    // In every other scenario the inputs crowd into a few ticks.
    let span = if dice.one_in(2) { 6 } else { 30 };
    let mut inputs = more;
    let mut drawn = 0;
    while drawn < count {
        drawn += 1;
        let tick = dice.below(span);
        let offset = offsets[dice.below(offsets.len() as u64) as usize];
        let consumer = dice.pick(&["A", "A", "B"]);
        let other = dice.pick(&["A", "B", "B"]);
        let theme = if dice.one_in(2) { theme(seed) } else { &ANYTHING };
        let what = match theme.inputs[dice.below(theme.inputs.len() as u64) as usize] {
            0 | 1 => format!("{{ complete = {offset} }}"),
            2 => format!("{{ poison = {offset} }}"),
            3 | 4 => {
                // A crash without a restart soon ends the story.
                if !dice.one_in(3) && drawn < count {
                    drawn += 1;
                    inputs.push((tick + dice.below(6), format!("{{ restart = \"{consumer}\" }}")));
                }
                format!("{{ crash = \"{consumer}\" }}")
            }
            5 => format!("{{ restart = \"{consumer}\" }}"),
            6 | 7 => {
                let ticks = 1 + dice.below(12);
                format!("{{ stall = {{ consumer = \"{consumer}\", ticks = {ticks} }} }}")
            }
            8..=10 => format!("{{ revoke = {{ from = \"{consumer}\", to = \"{other}\" }} }}"),
            _ => {
                let first = dice.pick(theme.knobs);
                let second = dice.pick(KNOBS);
                let mut knobs = vec![format!("{first} = {}", knob(&mut dice, first))];
                if second != first && dice.one_in(3) {
                    knobs.push(format!("{second} = {}", knob(&mut dice, second)));
                }
                format!("{{ set = {{ {} }} }}", knobs.join(", "))
            }
        };
        inputs.push((tick, what));
    }
    // By tick; those of one tick stay as they were drawn.
    inputs.sort_by_key(|(tick, _)| *tick);
    let mut text = String::new();
    for (tick, what) in inputs {
        let _ = write!(text, "[[at]]\ntick = {tick}\ndo = {what}\n");
    }
    text
}

struct Dice(Pcg32);

impl Dice {
    fn new(seed: u64, stream: u64) -> Self {
        Self(Pcg32::new(seed, stream))
    }

    fn below(&mut self, n: u64) -> u64 {
        below(&mut self.0, n)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}
