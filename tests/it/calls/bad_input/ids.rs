//! Ids, names, UUIDs and etags.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, Filter, ForgetRequest, GetMemoryRequest, GetOperationRequest, ImportItem,
    ImportMemoriesRequest, ListAuditRecordsRequest, ListMemoriesRequest, PreviewRequest, RememberRequest,
    RestoreRequest, UpdateMemoryRequest,
};
use prost::Message;

use super::{filter_refused, ill_formed_ids, ill_formed_names, ill_formed_uuids};
use crate::calls::stage::{INVALID_FIELD, Stage, texts};
use crate::calls::wire::{
    BATCH_FORGET, FORGET, GET_MEMORY, GET_OPERATION, IMPORT, LIST_AUDIT, LIST_MEMORIES, PREVIEW, REMEMBER,
    RESTORE, UPDATE,
};
use crate::harness::caller::by_id;

#[tokio::test]
async fn a_single_id_that_is_empty_blank_ill_formed_or_too_long_is_named() {
    let mut stage = Stage::furnished().await;
    let mut ids = ill_formed_ids();
    ids.push(String::new());
    for id in ids {
        let get = GetMemoryRequest { memory_id: id.clone() };
        stage.refused(GET_MEMORY, &get, INVALID_FIELD, &["memory_id"]).await;
        let update = UpdateMemoryRequest { memory_id: id.clone(), ..UpdateMemoryRequest::default() };
        stage.refused(UPDATE, &update, INVALID_FIELD, &["memory_id"]).await;
        let forget = ForgetRequest { selector: by_id(&id), ..ForgetRequest::default() };
        stage.refused(FORGET, &forget, INVALID_FIELD, &["selector.memory_id"]).await;
        let preview = PreviewRequest { selector: by_id(&id), ..PreviewRequest::default() };
        stage.refused(PREVIEW, &preview, INVALID_FIELD, &["selector.memory_id"]).await;
        let audit =
            ListAuditRecordsRequest { memory_id: Some(id.clone()), ..ListAuditRecordsRequest::default() };
        stage.refused(LIST_AUDIT, &audit, INVALID_FIELD, &["memory_id"]).await;
    }
}

#[tokio::test]
async fn an_id_to_save_under_and_the_names_beside_it_are_named() {
    let mut stage = Stage::furnished().await;
    let remember = || RememberRequest { content: "text".to_owned(), ..RememberRequest::default() };
    for id in ill_formed_ids() {
        let request = RememberRequest { memory_id: id.clone(), ..remember() };
        stage.refused(REMEMBER, &request, INVALID_FIELD, &["memory_id"]).await;
        let request = RememberRequest { graph_id: id.clone(), ..remember() };
        stage.refused(REMEMBER, &request, INVALID_FIELD, &["graph_id"]).await;
        let items = vec![ImportItem { content: "text".to_owned(), ..ImportItem::default() }];
        let request = ImportMemoriesRequest { import_id: id, items, ..ImportMemoriesRequest::default() };
        stage.refused(IMPORT, &request, INVALID_FIELD, &["import_id"]).await;
    }
    for name in ill_formed_names() {
        let request = RememberRequest { subject_id: name, ..remember() };
        stage.refused(REMEMBER, &request, INVALID_FIELD, &["subject_id"]).await;
    }
}

#[tokio::test]
async fn an_id_or_name_in_a_filter_is_named() {
    let mut stage = Stage::furnished().await;
    for id in ill_formed_ids().into_iter().chain([String::new()]) {
        let filter = Filter { graph_id: Some(id.clone()), ..Filter::default() };
        filter_refused(&mut stage, filter, &["graph_id"]).await;
        let request = ListMemoriesRequest { import_id: Some(id), ..ListMemoriesRequest::default() };
        stage.refused(LIST_MEMORIES, &request, INVALID_FIELD, &["import_id"]).await;
    }
    for name in ill_formed_names().into_iter().chain([String::new()]) {
        let filter =
            Filter { subject_id: Some(name.clone()), agent_id: Some(name.clone()), ..Filter::default() };
        filter_refused(&mut stage, filter, &["subject_id", "agent_id"]).await;
        let request =
            ListAuditRecordsRequest { principal_id: Some(name), ..ListAuditRecordsRequest::default() };
        stage.refused(LIST_AUDIT, &request, INVALID_FIELD, &["principal_id"]).await;
    }
}

#[tokio::test]
async fn a_request_id_that_is_no_uuid_is_named() {
    let mut stage = Stage::furnished().await;
    for id in ill_formed_uuids() {
        let request_id = id.clone();
        let items = vec![ImportItem { content: "text".to_owned(), ..ImportItem::default() }];
        let messages: [(&str, Vec<u8>); 6] = [
            (REMEMBER, {
                let content = "text".to_owned();
                RememberRequest { content, request_id, ..RememberRequest::default() }.encode_to_vec()
            }),
            (IMPORT, {
                let request_id = id.clone();
                ImportMemoriesRequest { items, request_id, ..ImportMemoriesRequest::default() }
                    .encode_to_vec()
            }),
            (UPDATE, {
                let (memory_id, request_id) = ("kept".to_owned(), id.clone());
                UpdateMemoryRequest { memory_id, request_id, ..UpdateMemoryRequest::default() }
                    .encode_to_vec()
            }),
            (FORGET, {
                let (selector, request_id) = (by_id("kept"), id.clone());
                ForgetRequest { selector, request_id, ..ForgetRequest::default() }.encode_to_vec()
            }),
            (BATCH_FORGET, {
                let (memory_ids, request_id) = (texts(&["kept"]), id.clone());
                BatchForgetRequest { memory_ids, request_id, ..BatchForgetRequest::default() }.encode_to_vec()
            }),
            (RESTORE, {
                let (memory_ids, request_id) = (texts(&["stored"]), id.clone());
                RestoreRequest { memory_ids, request_id, ..RestoreRequest::default() }.encode_to_vec()
            }),
        ];
        let identity = stage.caller().identity;
        for (path, message) in messages {
            stage.refused_as(&identity, path, message, INVALID_FIELD, &["request_id"]).await;
        }
    }
}

#[tokio::test]
async fn an_operation_id_that_is_no_uuid_is_named() {
    let mut stage = Stage::furnished().await;
    for id in ill_formed_uuids().into_iter().chain([String::new()]) {
        let request =
            GetOperationRequest { operation_id: Some(id.clone()), ..GetOperationRequest::default() };
        stage.refused(GET_OPERATION, &request, INVALID_FIELD, &["operation_id"]).await;
        let request = GetOperationRequest { request_id: Some(id.clone()), ..GetOperationRequest::default() };
        stage.refused(GET_OPERATION, &request, INVALID_FIELD, &["request_id"]).await;
        let request = RestoreRequest { operation_id: Some(id.clone()), ..RestoreRequest::default() };
        stage.refused(RESTORE, &request, INVALID_FIELD, &["operation_id"]).await;
        let request =
            ListAuditRecordsRequest { operation_id: Some(id), ..ListAuditRecordsRequest::default() };
        stage.refused(LIST_AUDIT, &request, INVALID_FIELD, &["operation_id"]).await;
    }
}

#[tokio::test]
async fn an_etag_that_no_read_returned_is_named() {
    let mut stage = Stage::furnished().await;
    let whole = stage.caller().get("kept").await.unwrap().etag;
    let ill_formed = [
        " ".to_owned(),
        "canary-4f1d".to_owned(),
        whole[1..].to_owned(),
        format!("{whole}0"),
        format!("\"{whole}\""),
        "000000000000000A".to_owned(),
        "ffffffffffffffff".to_owned(),
        "+00000000000001f".to_owned(),
    ];
    for etag in ill_formed {
        let request =
            ForgetRequest { selector: by_id("kept"), etag: etag.clone(), ..ForgetRequest::default() };
        stage.refused(FORGET, &request, INVALID_FIELD, &["etag"]).await;
        let (memory_id, content) = ("kept".to_owned(), Some("other".to_owned()));
        let request = UpdateMemoryRequest { memory_id, etag, content, ..UpdateMemoryRequest::default() };
        stage.refused(UPDATE, &request, INVALID_FIELD, &["etag"]).await;
    }
}
