//! A knob by its name, and the values that a sweep turns it to: `workers=1..64*2`.

use super::unit::millionths;
use crate::{
    mechanism::Guard,
    scenario::nearest,
    world::{
        Knobs,
        config::{
            CommitOffset, Intake, LateCommit, NullKeys, PauseAtAssignment, Quarantine, RebalanceProtocol,
            RetryAt, Routing, Then,
        },
    },
};

/// The most values of one knob.
pub const MOST_VALUES: usize = 10_000;

/// A value of a knob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Number(u64),
    /// In millionths of what it is a share of.
    Share(u64),
    /// By its place in the knob's list.
    Word(usize),
}

/// A knob that can be turned by name.
struct Spec {
    name: &'static str,
    /// The least number it takes; nothing: it takes words only.
    least: Option<u64>,
    most: u64,
    words: &'static [&'static str],
    turn: fn(&mut Knobs, Value),
}

const fn number(name: &'static str, least: u64, turn: fn(&mut Knobs, Value)) -> Spec {
    Spec { name, least: Some(least), most: u64::MAX, words: &[], turn }
}

const fn words(name: &'static str, words: &'static [&'static str], turn: fn(&mut Knobs, Value)) -> Spec {
    Spec { name, least: None, most: 0, words, turn }
}

static SPECS: [Spec; 23] = [
    Spec { most: u32::MAX as u64, ..number("workers", 1, |knobs, value| knobs.workers = value.small()) },
    number("poll", 1, |knobs, value| knobs.poll = value.number()),
    number("high", 1, |knobs, value| {
        let high = value.number();
        let low = match knobs.intake {
            Intake::Pause { low, .. } => low,
            Intake::Unbounded | Intake::Block => high / 2,
        };
        knobs.intake = Intake::Pause { high, low };
    }),
    number("low", 0, |knobs, value| {
        let high = knobs.high_mark().unwrap_or(u64::MAX);
        let low = match value {
            Value::Share(millionths) => (u128::from(high) * u128::from(millionths) / 1_000_000) as u64,
            value => value.number(),
        };
        knobs.intake = Intake::Pause { high, low };
    }),
    number("drain", 0, |knobs, value| knobs.drain = value.number()),
    number("commit_every", 1, |knobs, value| knobs.commit_every = value.number()),
    number("ack_map_limit", 0, |knobs, value| knobs.ack_map_limit = value.number()),
    number("retry_delay", 1, |knobs, value| knobs.retry_delay = value.number()),
    Spec {
        words: &["never"],
        ..number("quarantine", 0, |knobs, value| {
            let then = knobs.quarantine.map_or(Then::Continue, |quarantine| quarantine.then);
            knobs.quarantine = value.or_none().map(|after| Quarantine { after, then });
        })
    },
    Spec {
        words: &["none"],
        ..number("heap_ceiling", 0, |knobs, value| knobs.heap_ceiling = value.or_none())
    },
    Spec {
        words: &["none"],
        ..number("max_poll_interval", 2, |knobs, value| knobs.max_poll_interval = value.or_none())
    },
    Spec {
        most: u32::MAX as u64,
        ..number("lanes", 1, |knobs, value| knobs.routing = Routing::Lanes(value.small()))
    },
    words("routing", &["keyed", "shared", "serial"], |knobs, value| {
        knobs.routing = [Routing::Keyed, Routing::Shared, Routing::Serial][value.place(3)];
    }),
    words("null_keys", &["mailbox", "spread"], |knobs, value| {
        knobs.null_keys = [NullKeys::Mailbox, NullKeys::Spread][value.place(2)];
    }),
    words("intake", &["unbounded", "block"], |knobs, value| {
        knobs.intake = [Intake::Unbounded, Intake::Block][value.place(2)];
    }),
    words("ack_map", &["off", "on"], |knobs, value| knobs.ack_map = value.place(2) == 1),
    words("commit_offset", &["watermark", "highest"], |knobs, value| {
        knobs.commit_offset = [CommitOffset::Watermark, CommitOffset::Highest][value.place(2)];
    }),
    words("retry_at", &["head", "tail"], |knobs, value| {
        knobs.retry_at = [RetryAt::Head, RetryAt::Tail][value.place(2)];
    }),
    words("guard", &["newer", "off", "not-older"], |knobs, value| {
        knobs.guard = [Guard::Newer, Guard::Off, Guard::NotOlder][value.place(3)];
    }),
    words("late_commit", &["checked", "sent"], |knobs, value| {
        knobs.late_commit = [LateCommit::Checked, LateCommit::Sent][value.place(2)];
    }),
    words("pause_at_assignment", &["forgotten", "kept"], |knobs, value| {
        knobs.pause_at_assignment = [PauseAtAssignment::Forgotten, PauseAtAssignment::Kept][value.place(2)];
    }),
    number("refetch", 0, |knobs, value| knobs.refetch = value.number()),
    words("rebalance_protocol", &["cooperative", "eager"], |knobs, value| {
        knobs.rebalance_protocol = [RebalanceProtocol::Cooperative, RebalanceProtocol::Eager][value.place(2)];
    }),
];

impl Value {
    fn number(self) -> u64 {
        match self {
            Value::Number(number) | Value::Share(number) => number,
            Value::Word(place) => place as u64,
        }
    }

    fn small(self) -> u32 {
        u32::try_from(self.number()).unwrap_or(u32::MAX)
    }

    fn or_none(self) -> Option<u64> {
        if let Value::Word(_) = self { None } else { Some(self.number()) }
    }

    fn place(self, count: usize) -> usize {
        if let Value::Word(place) = self { place.min(count - 1) } else { 0 }
    }
}

/// A knob and the values that it takes in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dial {
    name: &'static str,
    values: Vec<Value>,
}

impl Dial {
    /// The names there are.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SPECS.iter().map(|spec| spec.name)
    }

    /// Reads `workers=1..16`, `drain=0..100+10`, `high=8..512*2`, `low=25%,50%`, `routing=keyed,shared` or
    /// `quarantine=never,10..1000*10`.
    ///
    /// # Errors
    /// Says what is wrong and what was expected.
    pub fn parse(text: &str) -> Result<Dial, String> {
        let (name, values) = text.split_once('=').ok_or_else(|| {
            format!("{text:?} names no values; expected a knob and values, as workers=1..16")
        })?;
        let spec = SPECS.iter().find(|spec| spec.name == name.trim()).ok_or_else(|| {
            let hint = nearest(name, Dial::names()).map(|near| format!(": did you mean {near}?"));
            let names: Vec<_> = Dial::names().collect();
            format!(
                "no knob is called {name:?}{}; expected one of {}",
                hint.unwrap_or_default(),
                names.join(", ")
            )
        })?;
        let mut all = Vec::new();
        for part in values.split(',') {
            spec.read(part.trim(), &mut all).map_err(|error| format!("{text:?}: {error}"))?;
            if all.len() > MOST_VALUES {
                return Err(format!(
                    "{text:?} has more than {MOST_VALUES} values; expected fewer, or a larger step"
                ));
            }
        }
        Ok(Dial { name: spec.name, values: all })
    }

    /// What is turned.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many values there are; at least one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn spec(&self) -> Option<&'static Spec> {
        SPECS.iter().find(|spec| spec.name == self.name)
    }

    /// The value at a place, as it was written.
    #[must_use]
    pub fn label(&self, at: usize) -> String {
        match self.values.get(at) {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Share(millionths)) => super::table::percent(*millionths).replace(' ', ""),
            Some(Value::Word(place)) => self
                .spec()
                .and_then(|spec| spec.words.get(*place))
                .map_or(String::new(), |word| (*word).to_owned()),
            None => String::new(),
        }
    }

    /// The number at a place, where it is one: for the axis of a chart.
    #[must_use]
    pub fn number(&self, at: usize) -> Option<u64> {
        match self.values.get(at)? {
            Value::Number(number) => Some(*number),
            Value::Share(millionths) => Some(millionths / 10_000),
            Value::Word(_) => None,
        }
    }

    /// Turns the knob to the value at a place. A low mark that is a share is one of the high mark as it stands.
    pub fn turn(&self, knobs: &mut Knobs, at: usize) {
        if let (Some(spec), Some(&value)) = (self.spec(), self.values.get(at)) {
            (spec.turn)(knobs, value);
        }
    }

    /// Knobs that look at others come later.
    pub(super) fn turn_of_order(&self) -> u8 {
        u8::from(self.name == "low")
    }
}

impl Spec {
    fn expected(&self) -> String {
        let words = self.words.join(", ");
        match (self.least, self.words) {
            (None, _) => format!("expected {words}"),
            (Some(least), []) => {
                format!("expected numbers from {least} on, as 1..16, 1..64*2, 0..100+10 or 1,2,5")
            }
            (Some(least), _) => format!("expected numbers from {least} on, as 1..16 or 1,2,5, or {words}"),
        }
    }

    fn read(&self, part: &str, all: &mut Vec<Value>) -> Result<(), String> {
        let wrong = || format!("{part:?} is no value of {}; {}", self.name, self.expected());
        if let Some(place) = self.words.iter().position(|word| *word == part) {
            all.push(Value::Word(place));
            return Ok(());
        }
        let (Some(least), most) = (self.least, self.most) else { return Err(wrong()) };
        if let Some(share) = part.strip_suffix('%').filter(|_| self.name == "low") {
            let millionths =
                millionths(share.trim()).filter(|&share| share < 100_000_000).ok_or_else(wrong)?;
            all.push(Value::Share((millionths / 100) as u64));
            return Ok(());
        }
        let number =
            |text: &str| text.trim().parse::<u64>().ok().filter(|&number| number >= least && number <= most);
        let Some((from, rest)) = part.split_once("..") else {
            all.push(Value::Number(number(part).ok_or_else(wrong)?));
            return Ok(());
        };
        let (to, step) = match rest.find(['+', '*']) {
            Some(at) => (&rest[..at], &rest[at..]),
            None => (rest, "+1"),
        };
        let (Some(from), Some(to)) = (number(from), number(to)) else { return Err(wrong()) };
        let by = step[1..].trim().parse::<u64>().ok();
        let multiplies = step.starts_with('*');
        let by = by.filter(|&by| by > u64::from(multiplies)).ok_or_else(wrong)?;
        if from > to {
            return Err(format!("{part:?} goes down; {}", self.expected()));
        }
        if multiplies && from == 0 {
            return Err(format!("{part:?} multiplies zero; expected to begin above it, as in 0,1..64*2"));
        }
        let next = |&at: &u64| if multiplies { at.checked_mul(by) } else { at.checked_add(by) };
        let values = std::iter::successors(Some(from), next).take_while(|&at| at <= to);
        all.extend(values.take(MOST_VALUES + 1).map(Value::Number));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> String {
        let dial = Dial::parse(text).unwrap_or_else(|error| panic!("{error}"));
        (0..dial.len()).map(|at| dial.label(at)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(labels("workers=1..4"), "1 2 3 4");
        assert_eq!(labels("workers = 1..20*3, 40"), "1 3 9 40");
        assert_eq!(labels("drain=0..10+4"), "0 4 8");
        assert_eq!(labels("low=25%,50%,0"), "25% 50% 0");
        assert_eq!(labels("quarantine=never,10..1000*10"), "never 10 100 1000");
        assert_eq!(labels("routing=shared,keyed"), "shared keyed");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let told = |text| Dial::parse(text).unwrap_err();
        assert!(told("workers").contains("names no values"));
        assert!(told("worker=1").contains("did you mean workers?"));
        assert!(told("workers=0").contains("expected numbers from 1 on"));
        assert!(told("workers=5..1").contains("goes down"));
        assert!(told("workers=1..5*1").contains("is no value of workers"));
        assert!(told("drain=0..5*2").contains("multiplies zero"));
        assert!(told("routing=hashed").contains("expected keyed, shared, serial"));
        assert!(told("drain=0..9999999").contains("more than 10000 values"));
        assert!(told("workers=9999999999").contains("is no value"));
    }

    #[test]
    fn every_knob_turns_what_it_is_named_after() {
        let turned = |text: &str| {
            let mut knobs = Knobs::default();
            Dial::parse(text).unwrap().turn(&mut knobs, 0);
            knobs
        };
        let base = Knobs::default();
        for (text, expected) in [
            ("workers=9", Knobs { workers: 9, ..base.clone() }),
            ("poll=9", Knobs { poll: 9, ..base.clone() }),
            ("high=90", Knobs { intake: Intake::Pause { high: 90, low: 8 }, ..base.clone() }),
            ("low=25%", Knobs { intake: Intake::Pause { high: 24, low: 6 }, ..base.clone() }),
            ("drain=3", Knobs { drain: 3, ..base.clone() }),
            ("commit_every=5", Knobs { commit_every: 5, ..base.clone() }),
            ("ack_map=on", Knobs { ack_map: true, ..base.clone() }),
            ("ack_map_limit=64", Knobs { ack_map_limit: 64, ..base.clone() }),
            ("retry_delay=4", Knobs { retry_delay: 4, ..base.clone() }),
            ("retry_at=tail", Knobs { retry_at: RetryAt::Tail, ..base.clone() }),
            (
                "quarantine=7",
                Knobs { quarantine: Some(Quarantine { after: 7, then: Then::Continue }), ..base.clone() },
            ),
            ("heap_ceiling=72", Knobs { heap_ceiling: Some(72), ..base.clone() }),
            ("max_poll_interval=30", Knobs { max_poll_interval: Some(30), ..base.clone() }),
            ("lanes=8", Knobs { routing: Routing::Lanes(8), ..base.clone() }),
            ("routing=serial", Knobs { routing: Routing::Serial, ..base.clone() }),
            ("null_keys=spread", Knobs { null_keys: NullKeys::Spread, ..base.clone() }),
            ("intake=block", Knobs { intake: Intake::Block, ..base.clone() }),
            ("commit_offset=highest", Knobs { commit_offset: CommitOffset::Highest, ..base.clone() }),
            ("guard=off", Knobs { guard: Guard::Off, ..base.clone() }),
            ("late_commit=sent", Knobs { late_commit: LateCommit::Sent, ..base.clone() }),
            (
                "pause_at_assignment=kept",
                Knobs { pause_at_assignment: PauseAtAssignment::Kept, ..base.clone() },
            ),
            ("refetch=3", Knobs { refetch: 3, ..base.clone() }),
            (
                "rebalance_protocol=eager",
                Knobs { rebalance_protocol: RebalanceProtocol::Eager, ..base.clone() },
            ),
        ] {
            assert_eq!(turned(text), expected, "{text}");
        }
        assert_eq!(turned("quarantine=never"), base);
        assert_eq!(Dial::names().count(), 23);
    }
}
