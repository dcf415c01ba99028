//! What a reader takes away from a run: the run itself as a scenario file, its events for a spreadsheet or
//! another program, and a picture.
//!
//! Everything here is a function of plain values (a setup, its inputs, a played run) and returns text or bytes:
//! the command line writes them to files, the page hands them to the browser. They are much code for a rare
//! wish, so the page keeps them in a module of its own, which is loaded when it is first asked for.

pub mod csv;
pub mod json;
pub mod picture;
pub mod scenario;
