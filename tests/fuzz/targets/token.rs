//! Bearer tokens: nothing is accepted but the one that the issuer signed. What begins with `@` is that token with changes: two
//! bytes for the place, one for what stands there instead. Anything else is a token as it is.
#![no_main]

use std::sync::{LazyLock, Mutex};

use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use memory_lifecycle_fuzz::{Server, valid_token};

static STAGE: LazyLock<Mutex<(Server, String)>> =
    LazyLock::new(|| Mutex::new((Server::new(false), valid_token())));

fuzz_target!(|data: &[u8]| {
    let stage = STAGE.lock().expect("nobody panicked");
    let (server, valid) = &*stage;
    let token = match data.split_first() {
        Some((b'@', changes)) => changed(valid, changes),
        _ => data.to_vec(),
    };
    let Ok(value) = HeaderValue::from_bytes(&[b"Bearer ", &token[..]].concat()) else { return };
    let headers = HeaderMap::from_iter([(http::header::AUTHORIZATION, value)]);
    // White space around a header's value is none of it, and neither is that before a token.
    let is_valid = token.trim_ascii() == valid.as_bytes();
    assert_eq!(server.lets_in(&headers), is_valid, "{}", String::from_utf8_lossy(&token));
});

fn changed(valid: &str, changes: &[u8]) -> Vec<u8> {
    let mut token = valid.as_bytes().to_vec();
    for change in changes.chunks_exact(3) {
        let place = usize::from(u16::from_be_bytes([change[0], change[1]])) % token.len();
        token[place] = change[2];
    }
    token
}
