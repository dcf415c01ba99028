//! Which column of a file is which: named by its reader, or guessed from the header and told.

use std::fmt;

use super::clock::{decimal, looks_like_date};
use crate::scenario::{cut, shown};

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// From the column whose name is one that such columns usually have.
    #[default]
    Guess,
    /// From the column of this name, spelled as in the header.
    Named(String),
    /// From none.
    Absent,
}

/// Where time, key and work come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Time; it cannot be absent.
    pub time: Pick,
    /// Key; absent: no record has one.
    pub key: Pick,
    /// Work; absent: it is drawn, from [`super::Options::latency`].
    pub work: Pick,
}

impl Columns {
    /// Reads `time=ts,key=user,work=ms`; `key=` and `work=` alone are absent, what is not named is guessed.
    ///
    /// # Errors
    /// A sentence, if it is none.
    pub fn parse(text: &str) -> Result<Columns, String> {
        let mut columns = Columns::default();
        for part in text.split(',') {
            let expected = "name columns like time=ts,key=user,work=ms";
            let (what, name) =
                part.split_once('=').ok_or_else(|| format!("{} has no =: {expected}", shown(part)))?;
            let pick = if name.is_empty() { Pick::Absent } else { Pick::Named(name.to_owned()) };
            match what.trim() {
                "time" if pick == Pick::Absent => return Err(format!("time needs a column: {expected}")),
                "time" => columns.time = pick,
                "key" => columns.key = pick,
                "work" => columns.work = pick,
                other => return Err(format!("there is no {}: {expected}", shown(other))),
            }
        }
        Ok(columns)
    }
}

/// A column that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is: "time", "key" or "work".
    pub what: &'static str,
    /// Its name in the header.
    pub name: String,
    /// Its place in a row, from 0.
    pub index: usize,
    /// Whether its name alone said so.
    pub guessed: bool,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.guessed && super::without_ticks(&self.name) != self.what {
            ", guessed from its name"
        } else {
            ""
        };
        write!(f, "{} is column {}, {}{how}", self.what, self.index + 1, shown(&self.name))
    }
}

/// Names that columns of a kind usually have, the likeliest first.
const TIMES: &[&str] = &[
    "time",
    "timestamp",
    "ts",
    "arrival",
    "arrived",
    "arrivedat",
    "arrivaltime",
    "eventtime",
    "createdat",
    "created",
    "datetime",
    "date",
    "start",
    "startedat",
    "starttime",
    "receivedat",
    "timems",
    "timestampms",
    "tsms",
    "epochms",
    "epoch",
];
const KEYS: &[&str] = &[
    "key",
    "recordkey",
    "messagekey",
    "kafkakey",
    "partitionkey",
    "user",
    "userid",
    "account",
    "accountid",
    "customer",
    "customerid",
    "order",
    "orderid",
    "entity",
    "entityid",
    "aggregateid",
    "device",
    "deviceid",
    "session",
    "sessionid",
    "id",
];
const WORKS: &[&str] = &[
    "work",
    "latency",
    "duration",
    "elapsed",
    "took",
    "processing",
    "processingtime",
    "servicetime",
    "cost",
    "worktime",
    "handling",
    "ms",
];

/// A header's name as the lists above have them: no case, no separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a name is in the list, with or without a unit at its end.
fn rank(name: &str, list: &[&str]) -> Option<usize> {
    const UNITS: [&str; 6] = ["milliseconds", "millis", "ms", "seconds", "sec", "us"];
    let title = name.trim().trim_end_matches([')', ']']);
    let stem = super::tick_in(name).map(|(stem, _)| stem);
    let stem = stem.or(title.rsplit_once(['_', '-', ' ', '.', '(', '[']).map(|(stem, _)| stem));
    let stem = stem.filter(|_| super::Unit::hinted(name).is_some()).map(plain);
    let name = plain(name);
    let exact = list.iter().position(|known| *known == name || Some(*known) == stem.as_deref());
    exact.or_else(|| {
        let stem = UNITS.iter().find_map(|unit| name.strip_suffix(unit))?;
        list.iter().position(|known| *known == stem)
    })
}

/// Numbers from 1 for titles, where a first line is no header but data.
pub(super) fn numbered(first: &[String]) -> Option<Vec<String>> {
    let is_data = |field: &String| looks_like_date(field) || decimal(field, 1).is_ok();
    let is_header = |title: &String| rank(title, TIMES).is_some();
    let is_data = first.iter().any(is_data) && !first.iter().any(is_header);
    is_data.then(|| (1..=first.len()).map(|number| number.to_string()).collect())
}

/// Why a header will not do.
pub(super) struct NoColumn {
    pub(super) message: String,
    pub(super) expected: String,
}

/// The column that `pick` means, `None` where it is to be absent.
pub(super) fn find(
    what: &'static str,
    pick: &Pick,
    header: &[String],
    taken: &[Found],
) -> Result<Option<Found>, NoColumn> {
    let found = |index: usize, guessed| Found { what, name: header[index].clone(), index, guessed };
    let index = match pick {
        Pick::Absent => return Ok(None),
        Pick::Named(name) => {
            let index = header.iter().position(|title| title == name);
            found(index.ok_or_else(|| missing(what, name, header))?, false)
        }
        Pick::Guess => {
            let list = match what {
                "time" => TIMES,
                "key" => KEYS,
                _ => WORKS,
            };
            let is_free = |index: usize| taken.iter().all(|found| found.index != index);
            let ranks = (0..header.len()).filter(|&index| is_free(index));
            let best = ranks.filter_map(|index| Some((rank(&header[index], list)?, index))).min();
            let (_, index) = best.ok_or_else(|| unguessed(what, header))?;
            found(index, true)
        }
    };
    if header.iter().filter(|title| **title == index.name).count() > 1 {
        return Err(NoColumn {
            message: format!("the header has two columns called {}", shown(&index.name)),
            expected: format!("one column for the {what}, with a name of its own"),
        });
    }
    if let Some(other) = taken.iter().find(|other| other.index == index.index) {
        return Err(NoColumn {
            message: format!("column {} cannot be both {} and {what}", shown(&index.name), other.what),
            expected: "a column for each".to_owned(),
        });
    }
    Ok(Some(index))
}

fn missing(what: &str, name: &str, header: &[String]) -> NoColumn {
    let near = header.iter().max_by(|one, other| {
        let likeness = |title: &str| strsim::jaro_winkler(title, name);
        likeness(one).total_cmp(&likeness(other))
    });
    let near = near.filter(|title| strsim::jaro_winkler(title, name) > 0.7);
    let hint = near.map_or(String::new(), |title| format!("; the nearest is {}", shown(title)));
    NoColumn {
        message: format!("the header has no column {} for the {what}{hint}", shown(name)),
        expected: format!("one of its columns: {}", listed(header)),
    }
}

fn unguessed(what: &str, header: &[String]) -> NoColumn {
    // Nobody calls a column so: the first line was data.
    let message = if header.iter().all(|title| title.parse::<u64>().is_ok()) {
        format!("no column for the {what}: the first line is data, so that columns go by their numbers")
    } else {
        format!("no column for the {what}: the header is {}", listed(header))
    };
    let or = match what {
        "key" => ", or `key=` for records without one",
        "work" => ", or `work=` and a latency to draw it from",
        _ => "",
    };
    NoColumn {
        message,
        expected: format!("a column called {what}, or the name of the right one ({what}=NAME){or}"),
    }
}

fn listed(header: &[String]) -> String {
    cut(&header.iter().map(|title| cut(title)).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(header: &[&str]) -> [Option<usize>; 3] {
        let header: Vec<String> = header.iter().map(|&title| title.to_owned()).collect();
        let mut taken = Vec::new();
        ["time", "key", "work"].map(|what| {
            let found = find(what, &Pick::Guess, &header, &taken).ok().flatten()?;
            taken.push(found.clone());
            Some(found.index)
        })
    }

    #[test]
    fn usual_names_are_found() {
        assert_eq!(guessed(&["time", "key", "work"]), [Some(0), Some(1), Some(2)]);
        assert_eq!(guessed(&["Duration_MS", "User ID", "Created-At"]), [Some(2), Some(1), Some(0)]);
        assert_eq!(guessed(&["id", "ts", "order_id", "latency (s)"]), [Some(1), Some(2), Some(3)]);
        assert_eq!(guessed(&["time_s", "key", "work_ticks_10ms"]), [Some(0), Some(1), Some(2)]);
        assert_eq!(guessed(&["times", "key", "works"]), [None, Some(1), None]);
        assert_eq!(guessed(&["a", "b"]), [None, None, None]);
    }

    #[test]
    fn columns_are_named_in_one_word() {
        let columns = Columns::parse("time=ts,key=,work=took ms").ok();
        let expected = Columns {
            time: Pick::Named("ts".to_owned()),
            key: Pick::Absent,
            work: Pick::Named("took ms".to_owned()),
        };
        assert_eq!(columns, Some(expected));
        for bad in ["", "ts", "time=", "when=ts"] {
            assert!(Columns::parse(bad).is_err(), "{bad}");
        }
    }
}
