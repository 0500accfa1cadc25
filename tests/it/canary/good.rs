//! Calls as they should be, by which marked texts come into every method.

use std::collections::BTreeMap;

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, Filter, ForgetMode, ForgetRequest, ForgetResponse, GetMemoryRequest,
    GetOperationRequest, ImportItem, ImportMemoriesRequest, ListAuditRecordsRequest, ListMemoriesRequest,
    ListMemoriesResponse, ListOperationsRequest, PreviewRequest, RememberRequest, RestoreRequest, Selector,
    UpdateMemoryRequest,
};
use prost::Message;
use prost_types::value::Kind;
use prost_types::{Struct, Value};

use super::drive::Driver;
use super::marked::{
    CHANNEL, CONTENT, GRAPH, MEMORY_ID, METADATA_KEY, METADATA_VALUE, OTHER_CONTENT, REASON, SUBJECT,
};
use crate::calls::wire::{
    BATCH_FORGET, FORGET, GET_MEMORY, GET_OPERATION, IMPORT, LIST_AUDIT, LIST_MEMORIES, LIST_OPERATIONS,
    PREVIEW, REMEMBER, RESTORE, UPDATE,
};

/// Calls every method.
pub async fn calls(driver: &mut Driver) {
    save(driver).await;
    read(driver).await;
    change(driver).await;
}

pub fn remember(id: &str) -> RememberRequest {
    RememberRequest {
        memory_id: id.to_owned(),
        subject_id: SUBJECT.to_owned(),
        graph_id: GRAPH.to_owned(),
        content: CONTENT.to_owned(),
        metadata: Some(metadata()),
        ..RememberRequest::default()
    }
}

pub fn metadata() -> Struct {
    let text = |text: &str| Value { kind: Some(Kind::StringValue(text.to_owned())) };
    let inner = Struct { fields: BTreeMap::from([(METADATA_KEY.to_owned(), text(METADATA_VALUE))]) };
    let inner = Value { kind: Some(Kind::StructValue(inner)) };
    Struct {
        fields: BTreeMap::from([
            (METADATA_KEY.to_owned(), text(METADATA_VALUE)),
            ("inner".to_owned(), inner),
        ]),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as the requests' field takes it")]
pub fn selector(id: &str) -> Option<Selector> {
    let filter = Filter {
        subject_id: Some(SUBJECT.to_owned()),
        graph_id: Some(GRAPH.to_owned()),
        ..Filter::default()
    };
    Some(Selector { memory_id: Some(id.to_owned()), filter: Some(filter), ..Selector::default() })
}

pub fn forget(id: &str) -> ForgetRequest {
    ForgetRequest {
        selector: selector(id),
        reason: REASON.to_owned(),
        channel: CHANNEL.to_owned(),
        ..ForgetRequest::default()
    }
}

async fn save(driver: &mut Driver) {
    driver.done(REMEMBER, &remember(MEMORY_ID)).await;
    driver.done(REMEMBER, &remember("")).await;
    let item = |content: &str| ImportItem {
        subject_id: SUBJECT.to_owned(),
        content: content.to_owned(),
        metadata: Some(metadata()),
        ..ImportItem::default()
    };
    // The last is refused by itself.
    let items = vec![item(CONTENT), item(OTHER_CONTENT), item(&(CONTENT.to_owned() + "\0"))];
    driver.done(IMPORT, &ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() }).await;
    let update = UpdateMemoryRequest {
        memory_id: MEMORY_ID.to_owned(),
        content: Some(OTHER_CONTENT.to_owned()),
        metadata: Some(metadata()),
        reason: REASON.to_owned(),
        ..UpdateMemoryRequest::default()
    };
    driver.done(UPDATE, &update).await;
}

async fn read(driver: &mut Driver) {
    driver.done(GET_MEMORY, &GetMemoryRequest { memory_id: MEMORY_ID.to_owned() }).await;
    let mut list = ListMemoriesRequest { page_size: 1, ..ListMemoriesRequest::default() };
    let first = driver.done(LIST_MEMORIES, &list).await;
    list.page_token = ListMemoriesResponse::decode(first.as_slice()).unwrap().next_page_token;
    assert!(!list.page_token.is_empty());
    driver.done(LIST_MEMORIES, &list).await;
    let preview = PreviewRequest { selector: selector(MEMORY_ID), ..PreviewRequest::default() };
    driver.done(PREVIEW, &preview).await;
}

async fn change(driver: &mut Driver) {
    let rehearsed = ForgetRequest { validate_only: true, ..forget(MEMORY_ID) };
    driver.done(FORGET, &rehearsed).await;
    let forgotten = driver.done(FORGET, &forget(MEMORY_ID)).await;
    let operation = ForgetResponse::decode(forgotten.as_slice()).unwrap().operation_id;
    let named = GetOperationRequest { operation_id: Some(operation), ..GetOperationRequest::default() };
    driver.done(GET_OPERATION, &named).await;
    driver.done(LIST_OPERATIONS, &ListOperationsRequest::default()).await;
    let memory_ids = vec![MEMORY_ID.to_owned()];
    let restore = RestoreRequest {
        memory_ids: memory_ids.clone(),
        reason: REASON.to_owned(),
        ..RestoreRequest::default()
    };
    driver.done(RESTORE, &restore).await;
    let batch = BatchForgetRequest {
        memory_ids,
        mode: ForgetMode::Soft.into(),
        reason: REASON.to_owned(),
        channel: CHANNEL.to_owned(),
        ..BatchForgetRequest::default()
    };
    driver.done(BATCH_FORGET, &batch).await;
    let of_memory = ListAuditRecordsRequest {
        memory_id: Some(MEMORY_ID.to_owned()),
        ..ListAuditRecordsRequest::default()
    };
    driver.done(LIST_AUDIT, &of_memory).await;
    let hard = ForgetRequest { mode: ForgetMode::Hard.into(), ..forget(MEMORY_ID) };
    driver.done(FORGET, &hard).await;
}
