//! Traffic from anybody: a complaint, or rows that add up and come back as a trace of the engine.

use keyed_worker_pool::{
    ids::Offset,
    scenario::{BadInput, read_trace},
    traffic::{Columns, Digest, KEPT_ROWS, Latency, Options, Pick, Reader, Span, Traffic, Unit},
};

/// Bytes of a complaint, and of a sentence about a row.
const LONGEST_COMPLAINT: usize = 2_000;

/// Checks traffic; whether it is some. It is read in ticks, in milliseconds, with hashed keys and with drawn work.
pub fn check(bytes: &[u8]) -> bool {
    let millis = Options { time: Unit::Milliseconds, work: Unit::Milliseconds, ..Options::default() };
    let hashed =
        Options { tick: Span::from_nanos(7_000_000), digest: Some(Digest::new("")), ..millis.clone() };
    let drawn = Options {
        latency: Latency::uniform(1, 9).ok().map(|latency| (latency, 1)),
        columns: Columns { work: Pick::Absent, ..Columns::default() },
        ..Options::default()
    };
    let read = [Options::default(), millis, hashed, drawn].map(|options| read_both(bytes, &options));
    read.into_iter().flatten().map(adds_up).count() > 0
}

/// The same comes of it, whatever the pieces.
fn read_both(bytes: &[u8], options: &Options) -> Option<Traffic> {
    let (whole, pieces) = (read(bytes, usize::MAX, options), read(bytes, 5, options));
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => {
            assert_eq!(whole, pieces);
            Some(whole)
        }
        (Err(whole), Err(pieces)) => {
            assert_eq!(whole, pieces);
            super::is_complaint(&whole.to_string(), LONGEST_COMPLAINT);
            None
        }
        (whole, pieces) => panic!("{whole:?}, in pieces {pieces:?}"),
    }
}

fn read(bytes: &[u8], size: usize, options: &Options) -> Result<Traffic, BadInput> {
    let mut reader = Reader::new("any.csv", options.clone());
    for piece in bytes.chunks(size) {
        reader.feed(piece)?;
    }
    reader.finish()
}

fn adds_up(traffic: Traffic) {
    let (report, summary) = (traffic.report(), traffic.summary());
    assert_eq!(report.rows, traffic.len() as u64 + report.skipped + report.left_out);
    assert!(report.bad.len() as u64 <= (report.skipped + report.read_as).min(KEPT_ROWS as u64));
    for row in &report.bad {
        super::is_complaint(&row.to_string(), LONGEST_COMPLAINT);
    }
    assert!(summary.work_p50 <= summary.work_p99 && summary.work_p99 <= summary.work_max);
    assert!(summary.peak >= 1 && summary.peak <= summary.rows && summary.single <= summary.keys);
    let told = format!("{summary}\n{}", summary.warnings().join("\n"));
    super::is_complaint(&told, LONGEST_COMPLAINT);
    let log = traffic.log(Offset(7)).expect("a log");
    let again: String = traffic.csv().collect();
    let trace = read_trace("any.csv", Offset(7), again.as_bytes());
    assert_eq!(trace.as_ref(), Ok(&log), "{again}");
}
