//! What a session can be asked, and how a request is spelled in a message.

use super::form::{BadField, Form, bad};
use crate::{export::picture::Kind, sizing::Question};

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Reads a file; its bytes follow.
    Open {
        /// What it is called.
        name: String,
        /// How many bytes it has.
        size: u64,
        /// How it is to be read.
        form: Form,
    },
    /// Reads a text.
    Paste {
        /// All of it.
        text: String,
        /// How it is to be read.
        form: Form,
    },
    /// Draws traffic from a form's numbers.
    Shape(Form),
    /// Takes the flights day.
    Flights,
    /// Takes settings from now on, and judges them.
    Settings(Form),
    /// Answers the questions.
    Size(Form),
    /// Stops whatever is under way; what was found stays.
    Stop,
    /// Makes a file.
    Take(Take),
}

/// A file to take away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// The traffic as the engine's trace, which `kwp size` reads.
    Trace,
    /// The settings: "java", "spring", "librdkafka", "toml", or a skeleton's language.
    Settings(String),
    /// All of it as one HTML file.
    Report,
    /// The numbers of an answer: as CSV, or as JSON.
    Numbers(Question, Ending),
    /// The chart of an answer.
    Chart(Question, Kind),
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// For a spreadsheet.
    Csv,
    /// For a program.
    Json,
}

impl Request {
    /// The request called `act`, with its form. What is opened is named by the fields `name` and `size`, what is
    /// pasted is in `text`, what is taken in `what` and, where it is an answer's, `question`.
    ///
    /// # Errors
    /// If there is no such request.
    pub fn named(act: &str, form: Form) -> Result<Request, BadField> {
        Ok(match act {
            "open" => {
                let size = form.number("size", (0, u64::MAX))?.unwrap_or(0);
                Request::Open { name: form.exact("name").to_owned(), size, form }
            }
            "paste" => Request::Paste { text: form.exact("text").to_owned(), form },
            "shape" => Request::Shape(form),
            "flights" => Request::Flights,
            "settings" => Request::Settings(form),
            "size" => Request::Size(form),
            "stop" => Request::Stop,
            "take" => Request::Take(Take::of(&form)?),
            _ => return Err(bad("act", format!("the office knows nothing of {act:?}"))),
        })
    }
}

impl Take {
    fn of(form: &Form) -> Result<Take, BadField> {
        let question = || {
            Question::named(form.text("question"))
                .ok_or_else(|| bad("question", "expected workers, marks, drain, crash or quarantine"))
        };
        Ok(match form.text("what") {
            "trace" => Take::Trace,
            "report" => Take::Report,
            "csv" => Take::Numbers(question()?, Ending::Csv),
            "json" => Take::Numbers(question()?, Ending::Json),
            "svg" => Take::Chart(question()?, Kind::Svg),
            "png" => Take::Chart(question()?, Kind::Png),
            "settings" => Take::Settings(form.text("form").to_owned()),
            other => return Err(bad("what", format!("nothing is taken away as {other:?}"))),
        })
    }
}
