//! What is out of reach is answered, byte for byte, as what does not exist.

use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{
    BatchForgetRequest, ForgetMode, ForgetRequest, GetMemoryRequest, GetOperationRequest,
    ListAuditRecordsRequest, PreviewRequest, RestoreRequest, Selector, UpdateMemoryRequest,
};
use prost::Message;
use tonic::{Response, Status};

use super::stage::{Stage, remember_fact};
use super::wire::{BATCH_FORGET, FORGET, GET_MEMORY, GET_OPERATION, LIST_AUDIT, PREVIEW, RESTORE, UPDATE};
use crate::harness::caller::by_id;
use crate::harness::{Server, settings};

/// All ids have the same length, so that replacing one moves nothing.
const UNKNOWN: &str = "memory-0";
const OF_ANOTHER_TENANT: &str = "memory-1";
const OF_ANOTHER_AGENT: &str = "memory-2";
const SETTLED: &str = "memory-3";
const ARCHIVED_OF_ANOTHER: &str = "memory-4";
const ERASED: &str = "memory-5";
const PAST_ITS_PURGE_TIME: &str = "memory-6";

/// An answer without what is its own: the operation's id and the id that was asked for.
#[derive(Debug, PartialEq)]
struct Seen {
    code: tonic::Code,
    message: String,
    bytes: Vec<u8>,
    headers: Vec<String>,
}

fn seen(answer: Result<Response<Vec<u8>>, Status>, id: &str) -> Seen {
    let (code, message, bytes, metadata) = match answer {
        Ok(response) => {
            let (metadata, bytes, _) = response.into_parts();
            (tonic::Code::Ok, String::new(), bytes, metadata)
        }
        Err(status) => {
            let metadata = status.metadata().clone();
            (status.code(), status.message().to_owned(), status.details().to_vec(), metadata)
        }
    };
    let operation = metadata.get("x-operation-id").map(|id| id.as_bytes().to_vec());
    let bytes = without(&bytes, id.as_bytes());
    let bytes = operation.map_or(bytes.clone(), |operation| without(&bytes, &operation));
    let mut headers: Vec<String> =
        metadata.keys().map(|key| format!("{key:?}")).filter(|key| !key.contains("date")).collect();
    headers.sort();
    Seen { code, message: message.replace(id, "…"), bytes, headers }
}

fn without(bytes: &[u8], part: &[u8]) -> Vec<u8> {
    let mut result = bytes.to_vec();
    while let Some(at) = result.windows(part.len()).position(|window| window == part) {
        result.splice(at..at + part.len(), std::iter::repeat_n(b'*', part.len()));
    }
    result
}

/// Every call that names a memory.
fn calls_on(id: &str) -> Vec<(&'static str, Vec<u8>)> {
    let ids = || vec![id.to_owned()];
    let mut calls = Vec::new();
    for mode in [ForgetMode::Soft, ForgetMode::Hard] {
        let mode = i32::from(mode);
        for validate_only in [false, true] {
            let forget =
                ForgetRequest { selector: by_id(id), mode, validate_only, ..ForgetRequest::default() };
            calls.push((FORGET, forget.encode_to_vec()));
            let batch = BatchForgetRequest {
                memory_ids: ids(),
                mode,
                validate_only,
                ..BatchForgetRequest::default()
            };
            calls.push((BATCH_FORGET, batch.encode_to_vec()));
        }
        let etag = "0000000000000001".to_owned();
        let forget = ForgetRequest { selector: by_id(id), mode, etag, ..ForgetRequest::default() };
        calls.push((FORGET, forget.encode_to_vec()));
        let preview = PreviewRequest { selector: by_id(id), mode, ..PreviewRequest::default() };
        calls.push((PREVIEW, preview.encode_to_vec()));
        let selector = Some(Selector { memory_ids: ids(), ..Selector::default() });
        let preview = PreviewRequest { selector, mode, ..PreviewRequest::default() };
        calls.push((PREVIEW, preview.encode_to_vec()));
    }
    for validate_only in [false, true] {
        let restore = RestoreRequest { memory_ids: ids(), validate_only, ..RestoreRequest::default() };
        calls.push((RESTORE, restore.encode_to_vec()));
    }
    for etag in ["", "0000000000000001"] {
        let update = UpdateMemoryRequest {
            memory_id: id.to_owned(),
            content: Some("other".to_owned()),
            etag: etag.to_owned(),
            ..UpdateMemoryRequest::default()
        };
        calls.push((UPDATE, update.encode_to_vec()));
    }
    calls.push((GET_MEMORY, GetMemoryRequest { memory_id: id.to_owned() }.encode_to_vec()));
    calls
}

async fn stage() -> Stage {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for id in [ERASED, PAST_ITS_PURGE_TIME, "own"] {
        caller.remember(id, "own").await.unwrap();
    }
    caller.forget(ERASED, ForgetMode::Hard).await.unwrap();
    stage.server.caller_of("foreigners", "default").remember(OF_ANOTHER_TENANT, "foreign").await.unwrap();
    let another = stage.server.caller_of("default", "another");
    another.remember(OF_ANOTHER_AGENT, "another's").await.unwrap();
    another.remember(ARCHIVED_OF_ANOTHER, "another's").await.unwrap();
    another.forget(ARCHIVED_OF_ANOTHER, ForgetMode::Soft).await.unwrap();
    remember_fact(&stage.admin("default"), SETTLED, "settled").await;
    // A replica that keeps what is archived for a second only.
    let mut settings = settings();
    settings.retention = Retention::For(chrono::TimeDelta::seconds(1));
    let replica = Server::start_with(&stage.database, settings).await;
    replica.caller().forget(PAST_ITS_PURGE_TIME, ForgetMode::Soft).await.unwrap();
    stage.database.execute("SELECT pg_sleep_until(min(purge_time)) FROM memories").await;
    stage
}

#[tokio::test]
async fn a_memory_out_of_reach_is_answered_like_an_unknown_one() {
    let mut stage = stage().await;
    // Meeting what is past its purge time erases it, which is a change of its own: it has to come last.
    let ids =
        [OF_ANOTHER_TENANT, OF_ANOTHER_AGENT, SETTLED, ARCHIVED_OF_ANOTHER, ERASED, PAST_ITS_PURGE_TIME];
    for id in ids {
        let unknown = calls_on(UNKNOWN);
        for ((path, unknown), (_, other)) in unknown.into_iter().zip(calls_on(id)) {
            let identity = stage.caller().identity;
            let wanted = seen(stage.call_as(&identity, path, unknown).await, UNKNOWN);
            if id != PAST_ITS_PURGE_TIME {
                stage.tables.note_except("operations").await;
            }
            let got = seen(stage.call_as(&identity, path, other).await, id);
            assert_eq!(got, wanted, "{path} on {id}");
            if id != PAST_ITS_PURGE_TIME {
                stage.tables.assert_unchanged(path).await;
            }
        }
    }
}

#[tokio::test]
async fn the_audit_log_and_the_operations_of_others_are_answered_like_unknown_ones() {
    let stage = stage().await;
    let identity = stage.caller().identity;
    let audit = |id: &str| {
        let request =
            ListAuditRecordsRequest { memory_id: Some(id.to_owned()), ..ListAuditRecordsRequest::default() };
        request.encode_to_vec()
    };
    let wanted = seen(stage.call_as(&identity, LIST_AUDIT, audit(UNKNOWN)).await, UNKNOWN);
    assert_eq!((wanted.code, wanted.bytes.len()), (tonic::Code::Ok, 0));
    for id in [OF_ANOTHER_TENANT, OF_ANOTHER_AGENT, ARCHIVED_OF_ANOTHER] {
        let got = seen(stage.call_as(&identity, LIST_AUDIT, audit(id)).await, id);
        assert_eq!(got, wanted, "{id}");
    }

    let unknown = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned();
    let foreigners = stage.server.caller_of("foreigners", "default");
    let another = stage.server.caller_of("default", "another");
    for other in [foreigners, another] {
        let records = other.audit_records().await.unwrap();
        let theirs = records.last().unwrap().operation_id.clone();
        let by_operation =
            |id: &String| GetOperationRequest { operation_id: Some(id.clone()), request_id: None };
        let wanted = seen(stage.call(GET_OPERATION, &by_operation(&unknown)).await, &unknown);
        assert_eq!(wanted.code, tonic::Code::NotFound);
        assert_eq!(seen(stage.call(GET_OPERATION, &by_operation(&theirs)).await, &theirs), wanted);
        let restore =
            |id: &String| RestoreRequest { operation_id: Some(id.clone()), ..RestoreRequest::default() };
        let wanted = seen(stage.call(RESTORE, &restore(&unknown)).await, &unknown);
        assert_eq!(wanted.code, tonic::Code::NotFound);
        assert_eq!(seen(stage.call(RESTORE, &restore(&theirs)).await, &theirs), wanted);
        let request = |id: &String| ListAuditRecordsRequest {
            operation_id: Some(id.clone()),
            ..ListAuditRecordsRequest::default()
        };
        let wanted = seen(stage.call(LIST_AUDIT, &request(&unknown)).await, &unknown);
        assert_eq!(seen(stage.call(LIST_AUDIT, &request(&theirs)).await, &theirs), wanted);
    }
}

#[tokio::test]
async fn an_id_taken_out_of_reach_is_told_when_saving_and_only_its_being_taken() {
    let stage = Stage::furnished().await;
    for id in ["kept", "stored", "another", "settled"] {
        let status = stage.caller().remember(id, "mine").await.unwrap_err();
        assert_eq!(crate::harness::reason(&status), "ALREADY_EXISTS", "{id}");
    }
    // Another tenant's id is free.
    stage.caller().remember("foreign", "mine").await.unwrap();
}

#[tokio::test]
async fn an_administrator_reaches_the_tenant_and_no_further() {
    let stage = Stage::furnished().await;
    let admin = stage.admin("administrator");
    for id in ["kept", "stored", "another", "settled"] {
        assert_eq!(admin.get(id).await.unwrap().memory_id, id);
    }
    let status = admin.get("foreign").await.unwrap_err();
    assert_eq!(crate::harness::reason(&status), "MEMORY_NOT_FOUND");
    let answer = admin.batch_forget(&["another", "settled", "foreign"], ForgetMode::Soft).await.unwrap();
    assert_eq!((answer.archived, answer.not_found), (2, 1));
}
