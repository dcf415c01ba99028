//! The rows of a CSV file, as its bytes arrive.
//!
//! A reader that pulls, as the `csv` crate's, cannot be stopped between two chunks of a file, and to it everything
//! after a quote that is never closed is one field. Here bytes are pushed, a row is given away as soon as it is
//! whole, and where a quote makes no sense one line is given up and reading goes on with the next: a million good
//! rows do not depend on a bad one. Memory is bounded by one row.

/// The longest row: 1 MiB.
pub(crate) const LONGEST_ROW: usize = 1 << 20;

/// The most lines that one row goes over, by line ends within quotes. Whatever goes on for longer is a quote that
/// was never closed; and lines are read again after one, so that this bounds how often.
pub(crate) const MOST_LINES: usize = 100;

/// What is wrong with a row as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// A quote opens so many lines below the row's first, and the field does not end within what a row may have.
    OpenQuote(usize),
    /// A field's closing quote is not followed by the end of the field.
    AfterQuote,
    /// Longer than [`LONGEST_ROW`].
    TooLong,
}

/// The fields of one row, quotes resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'r> {
    bytes: &'r [u8],
    ends: &'r [usize],
}

impl<'r> Fields<'r> {
    /// How many there are, at least one.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The field at `index`.
    pub(crate) fn get(&self, index: usize) -> Option<&'r [u8]> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.bytes.get(start..end)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'r [u8]> + use<'r> {
        let fields = *self;
        (0..fields.len()).filter_map(move |index| fields.get(index))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A quote here opens.
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quote within: a second one stands for one, and anything else must be the field's end.
    Ended,
    /// In a line that is given up.
    Skipping,
}

/// Takes bytes, gives rows.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    delimiter: u8,
    state: State,
    /// The line, from 1, in which the row begins, and the lines it has had since.
    line: usize,
    more_lines: usize,
    /// The row as it came, to be read again from its second line on.
    raw: Vec<u8>,
    /// How many lines below the row's first a quote opened last.
    opened: usize,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// A line feed now belongs to the carriage return before it.
    after_return: bool,
}

impl Rows {
    /// Rows whose fields are separated by `delimiter`; lines are counted from 1.
    pub(crate) fn new(delimiter: u8) -> Rows {
        Rows {
            delimiter,
            state: State::FieldStart,
            line: 1,
            more_lines: 0,
            raw: Vec::new(),
            opened: 0,
            bytes: Vec::new(),
            ends: Vec::new(),
            after_return: false,
        }
    }

    /// Takes some more bytes, and gives every row that is whole now to `take`, with its line. Lines of nothing are
    /// no rows.
    ///
    /// # Errors
    /// The first one of `take`; what is left of `bytes` is not read then.
    pub(crate) fn feed<E>(
        &mut self,
        bytes: &[u8],
        take: &mut impl FnMut(usize, Result<Fields<'_>, Broken>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut again: Vec<u8> = Vec::new();
        let (mut from_again, mut from_bytes) = (0, 0);
        loop {
            let byte = if let Some(&byte) = again.get(from_again) {
                from_again += 1;
                byte
            } else if let Some(&byte) = bytes.get(from_bytes) {
                from_bytes += 1;
                byte
            } else {
                return Ok(());
            };
            if let Some(broken) = self.step(byte, take)? {
                again = self.give_up(broken, &again[from_again..], take)?;
                from_again = 0;
            }
        }
    }

    /// There is nothing more: gives the last row, if its line had no end.
    ///
    /// # Errors
    /// As [`Rows::feed`].
    pub(crate) fn finish<E>(
        &mut self,
        take: &mut impl FnMut(usize, Result<Fields<'_>, Broken>) -> Result<(), E>,
    ) -> Result<(), E> {
        while self.state == State::Quoted {
            let again = self.give_up(Broken::OpenQuote(self.opened), &[], take)?;
            self.feed(&again, take)?;
        }
        if !self.raw.is_empty() {
            self.end_row(take)?;
        }
        Ok(())
    }

    /// One byte more.
    fn step<E>(
        &mut self,
        byte: u8,
        take: &mut impl FnMut(usize, Result<Fields<'_>, Broken>) -> Result<(), E>,
    ) -> Result<Option<Broken>, E> {
        if std::mem::take(&mut self.after_return) && byte == b'\n' {
            return Ok(None);
        }
        let ends_line = matches!(byte, b'\n' | b'\r');
        if ends_line && self.state != State::Quoted {
            self.after_return = byte == b'\r';
            self.end_row(take)?;
            return Ok(None);
        }
        if self.state == State::Skipping {
            return Ok(None);
        }
        self.raw.push(byte);
        self.state = match (self.state, byte) {
            (State::FieldStart, b'"') => {
                self.opened = self.more_lines;
                State::Quoted
            }
            (State::Quoted, b'"') => State::Ended,
            (State::Quoted, _) => {
                self.more_lines += usize::from(byte == b'\n');
                self.bytes.push(byte);
                State::Quoted
            }
            (State::Ended, b'"') => {
                self.bytes.push(byte);
                State::Quoted
            }
            (_, delimiter) if delimiter == self.delimiter => {
                self.ends.push(self.bytes.len());
                State::FieldStart
            }
            (State::Ended, _) => return Ok(Some(Broken::AfterQuote)),
            _ => {
                self.bytes.push(byte);
                State::Unquoted
            }
        };
        let is_long = self.raw.len() > LONGEST_ROW;
        Ok(match self.state {
            State::Quoted if is_long || self.more_lines >= MOST_LINES => Some(Broken::OpenQuote(self.opened)),
            _ if is_long => Some(Broken::TooLong),
            _ => None,
        })
    }

    fn end_row<E>(
        &mut self,
        take: &mut impl FnMut(usize, Result<Fields<'_>, Broken>) -> Result<(), E>,
    ) -> Result<(), E> {
        let line = self.line;
        let is_row = !self.raw.is_empty() && self.state != State::Skipping;
        self.line += self.more_lines + 1;
        let taken = if is_row {
            self.ends.push(self.bytes.len());
            take(line, Ok(Fields { bytes: &self.bytes, ends: &self.ends }))
        } else {
            Ok(())
        };
        self.start_row();
        taken
    }

    fn start_row(&mut self) {
        self.state = State::FieldStart;
        self.more_lines = 0;
        self.raw.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    /// Gives up the first line of a row that makes no sense. What has to be read again: its other lines, and `after`
    /// them.
    fn give_up<E>(
        &mut self,
        broken: Broken,
        after: &[u8],
        take: &mut impl FnMut(usize, Result<Fields<'_>, Broken>) -> Result<(), E>,
    ) -> Result<Vec<u8>, E> {
        let told = take(self.line, Err(broken));
        let again = match self.raw.iter().position(|&byte| byte == b'\n') {
            Some(end) if self.more_lines > 0 => {
                self.line += 1;
                let again = [&self.raw[end + 1..], after].concat();
                self.start_row();
                again
            }
            // The line is not at its end yet.
            _ => {
                self.start_row();
                self.state = State::Skipping;
                after.to_vec()
            }
        };
        told.map(|()| again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row as a line of its fields, read in chunks of `size` bytes.
    fn rows(text: &[u8], size: usize) -> Vec<String> {
        let mut told = Vec::new();
        let mut take = |line: usize, row: Result<Fields<'_>, Broken>| {
            told.push(match row {
                Ok(fields) => {
                    let fields: Vec<_> = fields.iter().map(|field| String::from_utf8_lossy(field)).collect();
                    format!("{line}: {}", fields.join("|"))
                }
                Err(broken) => format!("{line}: {broken:?}"),
            });
            Ok::<(), ()>(())
        };
        let mut rows = Rows::new(b',');
        for chunk in text.chunks(size) {
            rows.feed(chunk, &mut take).unwrap();
        }
        rows.finish(&mut take).unwrap();
        told
    }

    #[test]
    fn rows_come_whatever_the_chunks() {
        let text = b"a,b\r\n\n1,\"x,\"\"y\"\"\n z\"\r2,5\" disk,\n,,\n\"\",q";
        let expected = ["1: a|b", "3: 1|x,\"y\"\n z", "5: 2|5\" disk|", "6: ||", "7: |q"];
        for size in 1..text.len() + 1 {
            assert_eq!(rows(text, size), expected, "chunks of {size}");
        }
        assert!(rows(b"", 1).is_empty() && rows(b"\n\r\n\r", 2).is_empty());
    }

    #[test]
    fn a_quote_without_an_end_costs_its_line() {
        for size in [1, 3, 1000] {
            assert_eq!(rows(b"a\n\"b\nc,d\ne", size), ["1: a", "2: OpenQuote(0)", "3: c|d", "4: e"]);
            assert_eq!(rows(b"a\n\"b\"x,y\nc\n", size), ["1: a", "2: AfterQuote", "3: c"]);
            assert_eq!(
                rows(b"\"b\nq\"x\n\"c\n\"\"\"\nd\n", size),
                ["1: AfterQuote", "2: q\"x", "3: c\n\"", "5: d"]
            );
            assert_eq!(rows(b"a\n\"b", size), ["1: a", "2: OpenQuote(0)"]);
        }
        let long = format!("\"open,1\n{}", "x,1\n".repeat(MOST_LINES * 3));
        let told = rows(long.as_bytes(), 64);
        assert_eq!(
            (told.len(), &told[0][..], &told[1][..]),
            (MOST_LINES * 3 + 1, "1: OpenQuote(0)", "2: x|1")
        );
    }

    #[test]
    fn a_line_without_an_end_costs_itself() {
        let long = "y".repeat(LONGEST_ROW + 10);
        for text in [format!("a\n{long}\nb"), format!("a\n\"{long}\nb")] {
            let told = rows(text.as_bytes(), 1000);
            assert_eq!((told.len(), &told[2][..]), (3, "3: b"), "{:?}", &told[1]);
        }
    }

    /// The worst that can be thought of: every line opens a quote that the lines after it never close for good.
    #[test]
    fn reading_again_is_bounded() {
        let text = "0,a\",\"b\n".repeat(20_000);
        let told = rows(text.as_bytes(), 4096);
        assert!(told.len() >= 19_000, "{}", told.len());
    }
}
