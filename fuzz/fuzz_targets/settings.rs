//! Any bytes, read as settings.

#![no_main]

use keyed_worker_pool_fuzz::checks::settings::check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
});
