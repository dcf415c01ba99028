//! One consumer of an experiment, as a process that can be killed. `harness/member.rs` tells what it does.

use std::process::ExitCode;

use conformance::harness::member::{Orders, live};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some(orders) = Orders::from_arguments(&arguments) else {
        eprintln!("error: a member is started by the experiment, not by hand");
        return ExitCode::from(2);
    };
    match live(&orders) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
