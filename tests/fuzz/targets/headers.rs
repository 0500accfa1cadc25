//! The metadata of a call: who calls, for how long, in which trace. Values stand between zero bytes, in the order of `NAMES`; what
//! follows them is sent a second time.
#![no_main]

use std::sync::{LazyLock, Mutex};

use http::{HeaderMap, HeaderName, HeaderValue};
use libfuzzer_sys::fuzz_target;
use memory_lifecycle_fuzz::Server;
use tonic::Code;

const NAMES: [&str; 7] = [
    "authorization",
    "traceparent",
    "grpc-timeout",
    "x-tenant-id",
    "x-agent-id",
    "x-admin",
    "x-capabilities",
];

static SERVER: LazyLock<Mutex<Server>> = LazyLock::new(|| Mutex::new(Server::new(true)));

fuzz_target!(|data: &[u8]| {
    let mut headers = HeaderMap::new();
    for (value, name) in data.split(|byte| *byte == 0).zip(NAMES.iter().cycle()).take(2 * NAMES.len()) {
        if let (false, Ok(value)) = (value.is_empty(), HeaderValue::from_bytes(value)) {
            headers.append(HeaderName::from_static(name), value);
        }
    }
    let server = SERVER.lock().expect("nobody panicked");
    let status = server.call("/memorylifecycle.v1.MemoryStore/ListMemories", headers, &[]);
    let expected = [
        Code::Unavailable,
        Code::InvalidArgument,
        Code::Unauthenticated,
        Code::PermissionDenied,
        Code::DeadlineExceeded,
    ];
    assert!(expected.contains(&status.code()), "{status:?}");
});
