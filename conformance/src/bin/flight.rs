//! One day of flights, as a process that may come to grief alone. `flight.rs` tells why.

use std::process::ExitCode;

use conformance::chaos::play;

fn main() -> ExitCode {
    let seed = match std::env::args().nth(1).map(|text| text.parse()).transpose() {
        Ok(seed) => seed,
        Err(_) => {
            eprintln!("error: a flight takes a seed, a whole number, or none");
            return ExitCode::from(2);
        }
    };
    match play(seed) {
        Ok(outcome) => {
            print!("{}", outcome.to_lines());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
