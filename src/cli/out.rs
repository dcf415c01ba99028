//! Standard output as a command line needs it: buffered, coloured where that is wanted, and forgiving of a
//! reader who has gone (`kwp run ... | head`).

use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
};

use anstyle::{AnsiColor, Style};

/// What is good.
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// What is not.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is worth a look.
pub(super) const ODD: Style = AnsiColor::Yellow.on_default();
/// Headings.
pub(super) const HEAD: Style = Style::new().bold();

/// Standard output, or what stands in for it.
pub(super) struct Paper {
    out: BufWriter<Box<dyn Write>>,
    /// Why nothing can be written any more.
    torn: Option<io::Error>,
}

impl Paper {
    /// Standard output: anstream drops the colours where there is no terminal or `NO_COLOR` is set.
    pub(super) fn stdout() -> Paper {
        Paper { out: BufWriter::with_capacity(1 << 16, Box::new(anstream::stdout().lock())), torn: None }
    }

    /// Writes a line, if anybody still reads.
    pub(super) fn line(&mut self, text: impl Display) {
        self.text(format_args!("{text}\n"));
    }

    /// Writes lines that have their ends, if anybody still reads.
    pub(super) fn text(&mut self, text: impl Display) {
        if self.torn.is_none()
            && let Err(error) = write!(self.out, "{text}")
        {
            self.torn = Some(error);
        }
    }

    /// Whether there is no use in writing more.
    pub(super) fn is_torn(&self) -> bool {
        self.torn.is_some()
    }

    /// Whether everything so far was written, or would have been to a reader who has gone.
    pub(super) fn flush(&mut self) -> bool {
        if self.torn.is_none()
            && let Err(error) = self.out.flush()
        {
            self.torn = Some(error);
        }
        self.torn.as_ref().is_none_or(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Everything is on its way. A reader who has gone is no error: they had what they wanted.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let error = match self.torn.take() {
            Some(error) => error,
            None => match self.out.flush() {
                Ok(()) => return Ok(()),
                Err(error) => error,
            },
        };
        // What is left in the buffer must not be tried again when it is dropped.
        let _ = self.out.into_parts();
        if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
    }
}

/// A line on standard error; if that is closed, nobody is told.
pub(super) fn complain(style: Style, word: &str, text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{style}{word}{style:#}: {text}");
}

/// The exit code of what a command came to; what cannot be done is said, and is 2.
pub(super) fn failed<E: Display>(came: Result<u8, E>) -> u8 {
    came.unwrap_or_else(|error| {
        complain(BAD, "error", error);
        2
    })
}

/// `text` in a style.
pub(super) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
