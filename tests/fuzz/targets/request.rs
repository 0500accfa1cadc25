//! Messages: the first byte says to which method, the rest is the message.
#![no_main]

use std::sync::{LazyLock, Mutex};

use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use memory_lifecycle_fuzz::{METHODS, Server};

static SERVER: LazyLock<Mutex<Server>> = LazyLock::new(|| Mutex::new(Server::new(true)));

fuzz_target!(|data: &[u8]| {
    let Some((first, message)) = data.split_first() else { return };
    let path = METHODS[usize::from(*first) % METHODS.len()];
    let mut headers = HeaderMap::new();
    // Nothing is refused for want of a right.
    headers.insert("x-admin", HeaderValue::from_static("true"));
    SERVER.lock().expect("nobody panicked").call(path, headers, message);
});
