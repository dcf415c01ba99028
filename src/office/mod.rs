//! The office: what the page has done for it out of sight, by a module of its own in a worker.
//!
//! Reading scenarios and writing files is much code for a rare wish, and playing a run from its beginning takes
//! time; so neither is in the module of the first view, and neither holds up a frame. Page and office talk in
//! links: a link names a run completely, and the office plays it again.
//!
//! Here is what is done, a function of plain values that runs anywhere; `worker`, which is there on wasm32
//! alone, is how it is asked for.

pub mod consumer;
mod export;
mod import;

#[cfg(target_arch = "wasm32")]
pub mod worker;

pub use export::{Export, What, export};
pub use import::{Import, import};

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A run as a file to take away.
    Export {
        /// A link of the panel; the export covers the run up to its tick.
        link: String,
        /// Which of the panel's runs, by its place; those of an old future that is kept come after the others.
        run: usize,
        /// As what.
        what: What,
    },
    /// A scenario file to be shown.
    Import {
        /// What the file is called.
        name: String,
        /// What is in it.
        text: String,
    },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A file.
    Exported(Export),
    /// A link.
    Imported(Import),
}

/// Does it.
///
/// # Errors
/// In words for the reader: why it cannot be done, and what can.
pub fn serve(request: &Request) -> Result<Reply, String> {
    match request {
        Request::Export { link, run, what } => export(link, *run, *what).map(Reply::Exported),
        Request::Import { name, text } => import(name, text).map(Reply::Imported),
    }
}
