//! From an explanation to a decision: what a consumer's settings do with somebody's own traffic.
//!
//! Five questions (workers, marks, drain window, crash, quarantine), each a list of independent runs and an
//! answer made of them: a table, sentences, a chart. And sweeps over any knob. The engine is the one that the
//! panels show; what is new is that a run is only measured, that idle ticks are passed over, and that runs can
//! be done in slices or on all cores, with the same results to the byte.
//!
//! Nothing of this is simulated time of a real machine: a tick is what the traffic says it is, a worker does
//! one record at a time, and a poll, a commit and a dispatch cost nothing. What comes out is what waiting,
//! order and intake make of the work, which is a bound on what a real consumer can do, and as a rule close to it.

mod arrivals;
mod axes;
mod bits;
mod chance;
mod combined;
mod commits;
mod crash;
mod dial;
mod drain;
mod gauge;
mod jobs;
mod marks;
mod metric;
mod moments;
mod pooled;
mod quarantine;
mod report;
mod study;
mod subject;
mod sweep;
mod table;
mod trial;
mod unit;
mod workers;

pub use arrivals::arrivals;
pub use chance::upper_bound;
pub use combined::Combined;
pub use commits::Commits;
pub use crash::CrashAnswer;
pub use dial::{Dial, MOST_VALUES};
pub use drain::{DrainAnswer, DrainRow};
pub use gauge::{From, Measure};
pub use jobs::Progress;
pub use marks::{MarksAnswer, MarksRow};
pub use metric::{Condition, METRICS, Metric};
pub use moments::{CrashMoment, Revoked};
pub use pooled::{marks_for, poll_for};
pub use quarantine::{QuarantineAnswer, QuarantineRow};
pub use report::Report;
pub use study::{Answer, Effort, Question, Study};
pub use subject::{Base, Subject, Survey};
pub use sweep::{MOST_RUNS, Sweep};
pub use table::{Cell, Column, Table};
pub use trial::Case;
pub use unit::Unit;
pub use workers::{WorkersAnswer, WorkersRow};
