//! The experiment: a scenario played in the simulator and, in step with it, by real consumers on a real broker.
//!
//! The members are processes, so that they can be killed and stopped like those of a service. What takes time
//! in the simulator (a record's work) waits here until it is told to end, and a tick is over when the real
//! system stands where the simulated one does. So nothing sleeps and nothing races: what differs is a finding.

pub mod cluster;
pub mod lockstep;
pub mod member;
pub mod notebook;
pub mod process;
pub mod seen;
pub mod tansu;

use std::{
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};

/// How long anything may take before it is taken for broken: more than a loaded machine needs, less than a
/// person's patience.
pub const CAP: Duration = Duration::from_secs(40);

/// What went wrong, for a person.
pub type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// Waits until `look` finds something.
///
/// # Errors
/// If it has not after [`CAP`], naming what was waited for.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Result<Option<T>, Trouble>) -> Result<T, Trouble> {
    let deadline = Instant::now() + CAP;
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if Instant::now() > deadline {
            return Err(format!("waited {} s in vain for {what}", CAP.as_secs()).into());
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Does something in a thread of its own, for at most so many times [`CAP`]: a client that hangs is a failure with a
/// name, and not an afternoon.
///
/// # Panics
/// If it hangs, or panics.
pub fn bounded<T: Send + 'static>(what: &str, caps: u32, does: impl FnOnce() -> T + Send + 'static) -> T {
    let (thread, deadline) = (thread::spawn(does), Instant::now() + caps * CAP);
    while !thread.is_finished() {
        assert!(Instant::now() < deadline, "{what} hangs");
        thread::sleep(Duration::from_millis(2));
    }
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
