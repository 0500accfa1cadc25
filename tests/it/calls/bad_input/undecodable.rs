//! Bytes that are no message of the contract.

use prost::Message;

use super::CANARY;
use crate::calls::stage::{INVALID_FIELD, Stage};
use crate::calls::wire::{
    BATCH_FORGET, FORGET, GET_MEMORY, IMPORT, LIST_AUDIT, METHODS, PREVIEW, REMEMBER, RESTORE, UPDATE, field,
};

/// A text that is not UTF-8.
fn broken() -> Vec<u8> {
    [CANARY.as_bytes(), b"\xff\xfe"].concat()
}

#[tokio::test]
async fn a_text_that_is_not_utf8_is_the_callers_fault_and_named() {
    let mut stage = Stage::furnished().await;
    let identity = stage.caller().identity;
    let text = broken();
    let inner = |number, inner: u32| field(number, &field(inner, &text));
    let in_filter = |number| field(number, &field(10, &field(2, &text)));
    let in_metadata = |number| field(number, &field(1, &field(1, &text)));
    let cases: Vec<(&'static str, Vec<u8>, &str)> = vec![
        (GET_MEMORY, field(1, &text), "memory_id"),
        (REMEMBER, field(1, &text), "memory_id"),
        (REMEMBER, field(5, &text), "content"),
        (REMEMBER, in_metadata(6), "metadata"),
        (REMEMBER, field(8, &text), "request_id"),
        (UPDATE, field(3, &text), "content"),
        (UPDATE, in_metadata(4), "metadata"),
        (FORGET, inner(1, 1), "selector.memory_id"),
        (FORGET, inner(1, 6), "selector.memory_ids"),
        (FORGET, in_filter(1), "selector.filter.graph_id"),
        (FORGET, field(5, &text), "reason"),
        (FORGET, field(9, &text), "channel"),
        (PREVIEW, field(6, &text), "page_token"),
        (BATCH_FORGET, field(1, &text), "memory_ids"),
        (BATCH_FORGET, field(10, &field(3, &text)), "filter.memory_date"),
        (RESTORE, field(1, &text), "memory_ids"),
        (IMPORT, inner(2, 5), "items.content"),
        (LIST_AUDIT, field(3, &text), "principal_id"),
    ];
    for (path, message, name) in cases {
        stage.refused_as(&identity, path, message, INVALID_FIELD, &[name]).await;
    }
}

#[tokio::test]
async fn bytes_that_are_no_message_are_the_callers_fault() {
    let mut stage = Stage::furnished().await;
    let identity = stage.caller().identity;
    // A key of no field, a length beyond the end, a varint without end, an end of a group that never began.
    let broken: [&[u8]; 4] = [b"\x00", b"\x0a\x7fcanary-4f1d", &[0xff; 11], b"\x0c"];
    for path in METHODS {
        for message in broken {
            let status = stage.call_as(&identity, path, message.to_vec()).await.unwrap_err();
            assert_eq!(crate::harness::reason(&status), INVALID_FIELD, "{path}");
            crate::calls::stage::assert_well_told(path, &status);
        }
    }
    stage.tables.assert_unchanged("broken messages").await;
}

#[tokio::test]
async fn metadata_nested_past_what_can_be_decoded_is_named() {
    let mut stage = Stage::furnished().await;
    let identity = stage.caller().identity;
    let mut value = field(3, CANARY.as_bytes());
    for _ in 0..200 {
        value = field(6, &field(1, &value));
    }
    let metadata = field(1, &[field(1, b"k"), field(2, &value)].concat());
    stage.refused_as(&identity, REMEMBER, field(6, &metadata), INVALID_FIELD, &["metadata"]).await;
}

#[tokio::test]
async fn an_unknown_field_does_no_harm() {
    let stage = Stage::furnished().await;
    let request = memory_lifecycle::proto::v1::GetMemoryRequest { memory_id: "kept".to_owned() };
    let message = [request.encode_to_vec(), field(1000, b"later")].concat();
    stage.call_as(&stage.caller().identity, GET_MEMORY, message).await.unwrap();
}
