//! Many faults at once, and messages of too many bytes.

use std::collections::HashSet;

use memory_lifecycle::proto::v1::{
    Filter, ForgetRequest, ImportItem, ImportMemoriesRequest, ImportMemoriesResponse, ListMemoriesRequest,
    RememberRequest, Selector,
};
use prost::Message;
use tonic::codec::CompressionEncoding;

use super::CANARY;
use crate::calls::stage::{INVALID_FIELD, Stage, assert_well_told};
use crate::calls::wire::{FORGET, IMPORT, LIST_MEMORIES, METHODS, REMEMBER, field, read};
use crate::harness::{reason, violations};

#[tokio::test]
async fn every_fault_is_named_at_once() {
    let mut stage = Stage::furnished().await;
    let filter = Filter {
        subject_id: Some(" ".to_owned()),
        graph_id: Some(String::new()),
        memory_date: Some("2026-02-30".to_owned()),
        kinds: vec![9],
        states: vec![9],
        origin: Some(9),
        ..Filter::default()
    };
    let request = ForgetRequest {
        selector: Some(Selector {
            memory_id: Some(CANARY.to_owned() + "/"),
            filter: Some(filter),
            ..Selector::default()
        }),
        mode: 9,
        reason: format!("{CANARY}\n"),
        request_id: CANARY.to_owned(),
        etag: CANARY.to_owned(),
        channel: " ".to_owned(),
        cause: 9,
        confirmation_token: "\t".to_owned(),
        validate_only: false,
        verify: false,
    };
    let fields = [
        "request_id",
        "reason",
        "channel",
        "selector.memory_id",
        "selector.filter.subject_id",
        "selector.filter.graph_id",
        "selector.filter.memory_date",
        "selector.filter.kinds[0]",
        "selector.filter.states[0]",
        "selector.filter.origin",
        "confirmation_token",
        "etag",
        "cause",
        "mode",
    ];
    let status = stage.refused(FORGET, &request, INVALID_FIELD, &fields).await;
    assert!(status.message().starts_with("14 fields are at fault"), "{}", status.message());
}

#[tokio::test]
async fn of_a_hundred_faults_the_first_twenty_are_named_and_all_counted() {
    let mut stage = Stage::furnished().await;
    let filter = Filter { kinds: vec![99; 100], ..Filter::default() };
    let request = ListMemoriesRequest { filter: Some(filter), ..ListMemoriesRequest::default() };
    let fields: Vec<String> = (0..20).map(|at| format!("filter.kinds[{at}]")).collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let status = stage.refused(LIST_MEMORIES, &request, INVALID_FIELD, &fields).await;
    assert!(status.message().contains("100"), "{}", status.message());
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused_by_every_method() {
    let mut stage = Stage::furnished().await;
    let identity = stage.caller().identity;
    for path in METHODS {
        let limit = if path == IMPORT { 8 << 20 } else { 1 << 20 };
        // A field that no message has: whatever the message, it is only too long.
        let mut message = field(1000, &vec![b'a'; limit]);
        message.truncate(limit + 1);
        let status = stage.call_as(&identity, path, message).await.unwrap_err();
        assert_eq!((reason(&status).as_str(), violations(&status)), (INVALID_FIELD, vec![]), "{path}");
        assert!(status.message().contains(&limit.to_string()), "{path}: {}", status.message());
        assert_well_told(path, &status);
    }
    stage.tables.assert_unchanged("messages over the limit").await;
}

#[tokio::test]
async fn a_message_of_just_the_limit_is_read() {
    let stage = Stage::new().await;
    let request = RememberRequest { content: "text".to_owned(), ..RememberRequest::default() };
    let mut message = request.encode_to_vec();
    let padding = (1 << 20) - message.len();
    // The key of field 1000 takes two bytes, a length of this size three.
    message.extend(field(1000, &vec![b'a'; padding - 5]));
    assert_eq!(message.len(), 1 << 20);
    stage.call_as(&stage.caller().identity, REMEMBER, message).await.unwrap();

    let items = vec![ImportItem { content: "text".to_owned(), ..ImportItem::default() }];
    let mut message = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() }.encode_to_vec();
    // A length of this size takes four.
    let padding = (8 << 20) - message.len();
    message.extend(field(1000, &vec![b'a'; padding - 6]));
    assert_eq!(message.len(), 8 << 20);
    let answer = stage.call_as(&stage.caller().identity, IMPORT, message).await.unwrap();
    assert_eq!(read::<ImportMemoriesResponse>(&answer).saved, 1);
}

#[tokio::test]
async fn a_page_of_long_memories_ends_before_it_outgrows_an_answer() {
    let mut stage = Stage::new().await;
    let items = vec![ImportItem { content: "text".to_owned(), ..ImportItem::default() }; 140];
    let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
    stage.call(IMPORT, &request).await.unwrap();
    stage.database.execute("UPDATE memory_contents SET content = repeat('a', 65536)").await;
    stage.tables.note().await;
    let list = |page_size| ListMemoriesRequest { page_size, ..ListMemoriesRequest::default() };
    let mut pages = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListMemoriesRequest { page_token, ..list(1000) };
        let page = stage.caller().store.list_memories(request).await.unwrap().into_inner();
        pages.push(page.memories);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    // 48 of 64 KiB are 3 MiB.
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [48, 48, 44]);
    let ids: HashSet<String> = pages.into_iter().flatten().map(|memory| memory.memory_id).collect();
    assert_eq!(ids.len(), 140, "each once");
}

#[tokio::test]
async fn a_message_that_inflates_over_the_limit_is_refused_and_a_smaller_one_read() {
    let mut stage = Stage::furnished().await;
    let mut client = stage.caller().store.send_compressed(CompressionEncoding::Gzip);
    let saying = |content: String| RememberRequest { content, ..RememberRequest::default() };
    // A few kilobytes on the wire.
    let status = client.remember(saying("a".repeat(32 << 20))).await.unwrap_err();
    assert_eq!((reason(&status).as_str(), violations(&status)), (INVALID_FIELD, vec![]));
    assert_well_told(REMEMBER, &status);
    stage.tables.assert_unchanged("a message that inflates").await;
    client.remember(saying("a".repeat(10_000))).await.unwrap();
}
