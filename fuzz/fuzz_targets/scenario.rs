//! Any bytes, read as scenario files.

#![no_main]

use keyed_worker_pool_fuzz::checks::scenario::check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
});
