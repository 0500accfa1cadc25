//! GetOperation and ListOperations.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, ForgetMode, GetOperationRequest, ListOperationsRequest, Operation, Outcome,
    RememberRequest, UpdateMemoryRequest,
};
use prost_types::Timestamp;
use tonic::Status;

use super::stage::{Stage, texts};
use crate::harness::{Caller, reason};

const REQUEST: &str = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";

async fn by_id(caller: &Caller, id: &str) -> Result<Operation, Status> {
    let request = GetOperationRequest { operation_id: Some(id.to_owned()), request_id: None };
    Ok(caller.lifecycle.clone().get_operation(request).await?.into_inner().operation.unwrap())
}

async fn by_request(caller: &Caller, id: &str) -> Result<Operation, Status> {
    let request = GetOperationRequest { operation_id: None, request_id: Some(id.to_owned()) };
    Ok(caller.lifecycle.clone().get_operation(request).await?.into_inner().operation.unwrap())
}

async fn list(caller: &Caller, request: ListOperationsRequest) -> Vec<Operation> {
    caller.lifecycle.clone().list_operations(request).await.unwrap().into_inner().operations
}

#[tokio::test]
async fn an_operation_tells_what_was_done() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let request = BatchForgetRequest {
        memory_ids: texts(&["kept", "stored", "unknown", "a b"]),
        reason: "why".to_owned(),
        channel: "chat".to_owned(),
        request_id: REQUEST.to_uppercase(),
        ..BatchForgetRequest::default()
    };
    let answer = caller.lifecycle.clone().batch_forget(request).await.unwrap().into_inner();
    let operation = by_id(&caller, &answer.operation_id).await.unwrap();
    let audit = answer.audit.unwrap();
    assert_eq!((&operation.operation_id, operation.request_id.as_str()), (&answer.operation_id, REQUEST));
    assert_eq!(operation.method, "memorylifecycle.v1.MemoryLifecycle/BatchForget");
    assert_eq!((operation.agent_id.as_str(), operation.commit_time), ("default", answer.commit_time));
    let sequences = (operation.first_sequence, operation.last_sequence);
    assert_eq!(sequences, (audit.first_sequence, audit.last_sequence));
    assert_eq!((operation.reason.as_str(), operation.channel.as_str()), ("why", "chat"));
    assert_eq!((operation.memories_changed, operation.restorable), (1, true));
    // Just what was answered, but for what was sent in place of an id.
    assert_eq!(operation.results[..3], answer.results[..3]);
    assert_eq!(operation.results[3].outcome(), Outcome::Refused);
    assert_eq!(by_request(&caller, REQUEST).await.unwrap(), operation);
    assert_eq!(by_request(&caller, &REQUEST.to_uppercase()).await.unwrap(), operation);
    assert_eq!(by_id(&stage.admin("administrator"), &answer.operation_id).await.unwrap(), operation);
}

#[tokio::test]
async fn restorable_as_long_as_something_it_archived_is_archived_by_it() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let operation = caller.forget("kept", ForgetMode::Soft).await.unwrap().operation_id;
    assert!(by_id(&caller, &operation).await.unwrap().restorable);
    caller.restore(&["kept"]).await.unwrap();
    let again = caller.forget("kept", ForgetMode::Soft).await.unwrap().operation_id;
    assert!(!by_id(&caller, &operation).await.unwrap().restorable);
    assert!(by_id(&caller, &again).await.unwrap().restorable);
    let hard = caller.forget("kept", ForgetMode::Hard).await.unwrap().operation_id;
    assert!(!by_id(&caller, &again).await.unwrap().restorable);
    assert!(!by_id(&caller, &hard).await.unwrap().restorable);
}

#[tokio::test]
async fn a_list_is_the_callers_newest_first_and_without_results() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    caller.remember("id", "text").await.unwrap();
    let update = UpdateMemoryRequest {
        memory_id: "id".to_owned(),
        content: Some("other".to_owned()),
        ..UpdateMemoryRequest::default()
    };
    caller.store.clone().update_memory(update).await.unwrap();
    caller.forget("id", ForgetMode::Soft).await.unwrap();
    caller.restore(&["id"]).await.unwrap();
    caller.batch_forget(&["unknown"], ForgetMode::Soft).await.unwrap();
    stage.server.caller_of("default", "another").remember("theirs", "text").await.unwrap();
    stage.admin("administrator").forget("id", ForgetMode::Hard).await.unwrap();
    // What was refused is no operation.
    caller.forget("unknown", ForgetMode::Soft).await.unwrap_err();

    let all = list(&caller, ListOperationsRequest::default()).await;
    let methods: Vec<_> = all.iter().map(|operation| operation.method.rsplit('/').next().unwrap()).collect();
    assert_eq!(methods, ["BatchForget", "Restore", "Forget", "UpdateMemory", "Remember"]);
    assert!(all.iter().all(|operation| operation.results.is_empty()));
    let changed: Vec<_> = all.iter().map(|operation| operation.memories_changed).collect();
    assert_eq!(changed, [0, 1, 1, 1, 1]);

    let method = |name: &str| ListOperationsRequest {
        method: Some(format!("memorylifecycle.v1.MemoryLifecycle/{name}")),
        ..ListOperationsRequest::default()
    };
    assert_eq!(list(&caller, method("Forget")).await, [all[2].clone()]);
    assert_eq!(list(&caller, method("Unknown")).await, []);
    let start_time = all[2].commit_time;
    let from = ListOperationsRequest { start_time, ..ListOperationsRequest::default() };
    assert_eq!(list(&caller, from.clone()).await, all[..3]);
    let end_time = all[0].commit_time;
    assert_eq!(list(&caller, ListOperationsRequest { end_time, ..from }).await, all[1..3]);

    let mut paged = Vec::new();
    let mut request = ListOperationsRequest { page_size: 2, ..ListOperationsRequest::default() };
    loop {
        let page = caller.lifecycle.clone().list_operations(request.clone()).await.unwrap().into_inner();
        paged.extend(page.operations);
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    assert_eq!(paged, all);
}

#[tokio::test]
async fn an_administrators_list_is_its_own_too() {
    let stage = Stage::furnished().await;
    let admin = stage.admin("administrator");
    assert_eq!(list(&admin, ListOperationsRequest::default()).await, []);
    admin.forget("kept", ForgetMode::Soft).await.unwrap();
    assert_eq!(list(&admin, ListOperationsRequest::default()).await.len(), 1);
}

#[tokio::test]
async fn an_unknown_one_is_not_found() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    assert_eq!(reason(&by_id(&caller, REQUEST).await.unwrap_err()), "OPERATION_NOT_FOUND");
    assert_eq!(reason(&by_request(&caller, REQUEST).await.unwrap_err()), "OPERATION_NOT_FOUND");
    // A request id is its principal's alone.
    let request = RememberRequest {
        content: "text".to_owned(),
        request_id: REQUEST.to_owned(),
        ..RememberRequest::default()
    };
    caller.store.clone().remember(request).await.unwrap();
    by_request(&caller, REQUEST).await.unwrap();
    let another = stage.server.caller_of("default", "another");
    assert_eq!(reason(&by_request(&another, REQUEST).await.unwrap_err()), "OPERATION_NOT_FOUND");
    let admin = stage.admin("administrator");
    assert_eq!(reason(&by_request(&admin, REQUEST).await.unwrap_err()), "OPERATION_NOT_FOUND");
    // A tenant that never wrote has no head to hold.
    let new = stage.server.caller_of("new", "default");
    assert_eq!(reason(&by_id(&new, REQUEST).await.unwrap_err()), "OPERATION_NOT_FOUND");
}

#[tokio::test]
async fn a_time_before_or_after_everything_lists_all_or_nothing() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
    let (early, late) = (at(0), at(253_402_300_799));
    let count = list(&caller, ListOperationsRequest::default()).await.len();
    // Three as this agent; the fourth is the administrator's of the same name.
    assert_eq!(count, 4);
    let within = ListOperationsRequest { start_time: early, end_time: late, ..Default::default() };
    assert_eq!(list(&caller, within).await.len(), count);
    let never = ListOperationsRequest { start_time: late, end_time: early, ..Default::default() };
    assert_eq!(list(&caller, never).await, []);
}
