//! Any bytes, read as links. Every other time the mutator works on the bytes that a link has packed into
//! base64url, where a changed byte is another act and not a broken letter.

#![no_main]

use keyed_worker_pool_fuzz::checks::link::{check, repacked};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let link = std::str::from_utf8(&data[..size]).ok().filter(|_| seed % 2 == 0);
    let changed = link.and_then(|link| repacked(link, (seed / 2) as usize, |bytes| mutated(bytes, max_size)));
    match changed.filter(|link| link.len() <= max_size) {
        Some(link) => {
            data[..link.len()].copy_from_slice(link.as_bytes());
            link.len()
        }
        None => fuzzer_mutate(data, size, max_size),
    }
});

fn mutated(mut bytes: Vec<u8>, most: usize) -> Vec<u8> {
    let size = bytes.len();
    bytes.resize(most.max(size), 0);
    let size = fuzzer_mutate(&mut bytes, size, most.max(size));
    bytes.truncate(size);
    bytes
}
