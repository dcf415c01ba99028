//! What the members said, in the order in which it arrived.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyed_worker_pool::ids::{ConsumerId, Offset};

/// What a member says of itself. Epochs are its own count, from 1 in each process.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields are what their types say
pub enum Said {
    /// It reads its topic from there.
    Assigned {
        epoch: u64,
        at: Offset,
    },
    /// It got the topic on which it idles.
    Idles,
    TakenIn {
        epoch: u64,
        offset: Offset,
    },
    Started {
        epoch: u64,
        offset: Offset,
    },
    Ended {
        epoch: u64,
        offset: Offset,
        succeeded: bool,
        late: bool,
    },
    /// A write, as the guard judged it.
    Wrote {
        offset: Offset,
        accepted: bool,
    },
    Paused,
    Resumed,
    DrainBegan {
        running: usize,
    },
    /// `lost`: without drain and commit.
    OwnershipEnded {
        epoch: u64,
        running: usize,
        lost: bool,
    },
    Committed {
        to: Offset,
    },
    CommitRefused {
        to: Offset,
        code: String,
    },
    /// A record from a paused partition.
    Unasked {
        offset: Offset,
    },
    /// The client complained.
    Trouble(String),
    /// It polled as it was told.
    Went,
    /// It does nothing until it is told to go on.
    Held,
    /// It tried to commit, as it was told.
    HasCommitted,
    /// Said for it: its process was killed.
    Died,
    /// How it stands: position and offsets in flight, if it owns the partition.
    Stands {
        owned: Option<(Offset, Vec<Offset>)>,
        paused: bool,
        running: Vec<Offset>,
    },
}

/// An entry: who said what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Whose.
    pub member: ConsumerId,
    /// Which of its processes, from 0.
    pub life: u32,
    /// What.
    pub said: Said,
}

/// Shared by the threads that listen to the members.
#[derive(Clone, Default)]
pub struct Notebook {
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Notebook {
    /// One more entry.
    pub fn add(&self, entry: Entry) {
        self.lock().push(entry);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// All of them.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().clone()
    }

    /// The first from a place on that answers to a description.
    pub fn find(&self, from: usize, mut is: impl FnMut(&Entry) -> bool) -> Option<Entry> {
        self.lock().iter().skip(from).find(|entry| is(entry)).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Said {
    /// As a line between processes.
    #[must_use]
    pub fn to_line(&self) -> String {
        let list = |offsets: &[Offset]| {
            let all: Vec<_> = offsets.iter().map(Offset::to_string).collect();
            format!("[{}]", all.join(","))
        };
        match self {
            Said::Assigned { epoch, at } => format!("assigned {epoch} {at}"),
            Said::Idles => "idles".into(),
            Said::TakenIn { epoch, offset } => format!("taken-in {epoch} {offset}"),
            Said::Started { epoch, offset } => format!("started {epoch} {offset}"),
            Said::Ended { epoch, offset, succeeded, late } => {
                format!("ended {epoch} {offset} {succeeded} {late}")
            }
            Said::Wrote { offset, accepted } => format!("wrote {offset} {accepted}"),
            Said::Paused => "paused".into(),
            Said::Resumed => "resumed".into(),
            Said::DrainBegan { running } => format!("drain-began {running}"),
            Said::OwnershipEnded { epoch, running, lost } => {
                format!("ownership-ended {epoch} {running} {lost}")
            }
            Said::Committed { to } => format!("committed {to}"),
            Said::CommitRefused { to, code } => format!("commit-refused {to} {code}"),
            Said::Unasked { offset } => format!("unasked {offset}"),
            Said::Trouble(what) => format!("trouble {}", what.replace('\n', " ")),
            Said::Went => "went".into(),
            Said::Held => "held".into(),
            Said::HasCommitted => "has-committed".into(),
            Said::Died => "died".into(),
            Said::Stands { owned, paused, running } => {
                let (position, open) = match owned {
                    Some((position, open)) => (position.to_string(), list(open)),
                    None => ("-".into(), "-".into()),
                };
                format!("stands {position} {open} {paused} {}", list(running))
            }
        }
    }

    /// Back from a line; `None` if it is no such line.
    #[must_use]
    pub fn from_line(line: &str) -> Option<Said> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split(' ');
        let mut word = || words.next();
        let offset = |word: Option<&str>| word?.parse().ok().map(Offset);
        let list = |word: Option<&str>| {
            let inner = word?.strip_prefix('[')?.strip_suffix(']')?;
            inner
                .split(',')
                .filter(|one| !one.is_empty())
                .map(|one| offset(Some(one)))
                .collect::<Option<Vec<_>>>()
        };
        Some(match kind {
            "assigned" => Said::Assigned { epoch: word()?.parse().ok()?, at: offset(word())? },
            "idles" => Said::Idles,
            "taken-in" => Said::TakenIn { epoch: word()?.parse().ok()?, offset: offset(word())? },
            "started" => Said::Started { epoch: word()?.parse().ok()?, offset: offset(word())? },
            "ended" => Said::Ended {
                epoch: word()?.parse().ok()?,
                offset: offset(word())?,
                succeeded: word()?.parse().ok()?,
                late: word()?.parse().ok()?,
            },
            "wrote" => Said::Wrote { offset: offset(word())?, accepted: word()?.parse().ok()? },
            "paused" => Said::Paused,
            "resumed" => Said::Resumed,
            "drain-began" => Said::DrainBegan { running: word()?.parse().ok()? },
            "ownership-ended" => Said::OwnershipEnded {
                epoch: word()?.parse().ok()?,
                running: word()?.parse().ok()?,
                lost: word()?.parse().ok()?,
            },
            "committed" => Said::Committed { to: offset(word())? },
            "commit-refused" => Said::CommitRefused { to: offset(word())?, code: word()?.into() },
            "unasked" => Said::Unasked { offset: offset(word())? },
            "trouble" => Said::Trouble(rest.into()),
            "went" => Said::Went,
            "held" => Said::Held,
            "has-committed" => Said::HasCommitted,
            "died" => Said::Died,
            "stands" => {
                let (position, open) = (word(), word());
                let owned = if position == Some("-") { None } else { Some((offset(position)?, list(open)?)) };
                Said::Stands { owned, paused: word()?.parse().ok()?, running: list(word())? }
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_as_they_went() {
        let (epoch, offset, at, to) = (3, Offset(7), Offset(0), Offset(9));
        let owned = Some((to, vec![offset, Offset(8)]));
        let all = [
            Said::Assigned { epoch, at },
            Said::Idles,
            Said::TakenIn { epoch, offset },
            Said::Started { epoch, offset },
            Said::Ended { epoch, offset, succeeded: true, late: false },
            Said::Wrote { offset, accepted: false },
            Said::Paused,
            Said::Resumed,
            Said::DrainBegan { running: 2 },
            Said::OwnershipEnded { epoch, running: 1, lost: true },
            Said::Committed { to },
            Said::CommitRefused { to, code: "UNKNOWN_MEMBER_ID".into() },
            Said::Unasked { offset },
            Said::Trouble("two words".into()),
            Said::Went,
            Said::Held,
            Said::HasCommitted,
            Said::Died,
            Said::Stands { owned, paused: true, running: vec![offset] },
            Said::Stands { owned: None, paused: false, running: vec![] },
        ];
        for said in all {
            assert_eq!(Said::from_line(&said.to_line()), Some(said.clone()), "{said:?}");
        }
        assert_eq!(Said::from_line("nonsense"), None);
        assert_eq!(Said::from_line("assigned x 0"), None);
    }
}
