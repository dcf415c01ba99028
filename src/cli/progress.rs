//! How far something has got, and on how many cores it is done.

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::sizing::Progress;

/// On how many cores.
#[derive(Args, Debug)]
pub(super) struct Cores {
    /// Threads to run on; the results are the same with any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Cores {
    /// The threads.
    pub(super) fn pool(&self) -> Result<ThreadPool, String> {
        // None at all means one for each core.
        let threads = self.threads.map_or(0, usize::from);
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| format!("the threads cannot be started: {error}"))
    }
}

/// A bar on standard error, if that is a terminal; nothing otherwise.
pub(super) struct Watched(ProgressBar);

impl Watched {
    /// `what` is counted.
    pub(super) fn new(what: &'static str) -> Watched {
        // The target draws nothing where there is no terminal.
        let bar = ProgressBar::with_draw_target(Some(1_000), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        Watched(bar)
    }

    /// It has got so far.
    pub(super) fn tell(&self, progress: Progress) {
        self.0.set_position(progress.permille);
        self.0.set_message(format!("{} of {} runs", progress.done, progress.jobs));
    }

    /// What comes next, in a word or two.
    pub(super) fn name(&self, what: &'static str) {
        self.0.reset();
        self.0.set_message(what);
    }

    /// Away with it.
    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
