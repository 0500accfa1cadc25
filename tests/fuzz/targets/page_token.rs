//! Page tokens: none is accepted that the server did not make. The first byte says of which list.
#![no_main]

use std::sync::{LazyLock, Mutex};

use http::HeaderMap;
use libfuzzer_sys::fuzz_target;
use memory_lifecycle::proto::v1::{
    ListAuditRecordsRequest, ListMemoriesRequest, ListOperationsRequest, PreviewRequest, Selector,
};
use memory_lifecycle_fuzz::Server;
use prost::Message;
use tonic::Code;

static SERVER: LazyLock<Mutex<Server>> = LazyLock::new(|| Mutex::new(Server::new(true)));

fuzz_target!(|data: &[u8]| {
    let Some((first, token)) = data.split_first() else { return };
    let Ok(page_token) = String::from_utf8(token.to_vec()) else { return };
    let is_empty = page_token.is_empty();
    let (path, message) = match first % 4 {
        0 => {
            let request = ListMemoriesRequest { page_token, ..ListMemoriesRequest::default() };
            ("/memorylifecycle.v1.MemoryStore/ListMemories", request.encode_to_vec())
        }
        1 => {
            let request = ListOperationsRequest { page_token, ..ListOperationsRequest::default() };
            ("/memorylifecycle.v1.MemoryLifecycle/ListOperations", request.encode_to_vec())
        }
        2 => {
            let request = ListAuditRecordsRequest { page_token, ..ListAuditRecordsRequest::default() };
            ("/memorylifecycle.v1.AuditLog/ListAuditRecords", request.encode_to_vec())
        }
        _ => {
            let selector = Some(Selector { memory_id: Some("m".to_owned()), ..Selector::default() });
            let request = PreviewRequest { selector, page_token, ..PreviewRequest::default() };
            ("/memorylifecycle.v1.MemoryLifecycle/Preview", request.encode_to_vec())
        }
    };
    let status = SERVER.lock().expect("nobody panicked").call(path, HeaderMap::new(), &message);
    let expected = if is_empty { Code::Unavailable } else { Code::InvalidArgument };
    assert_eq!(status.code(), expected, "{status:?}");
});
