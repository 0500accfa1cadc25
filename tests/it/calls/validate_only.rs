//! `validate_only`: what would be, and nothing else.

use memory_lifecycle::proto::v1::{
    AuditReceipt, BatchForgetRequest, BatchForgetResponse, ForgetMode, ForgetRequest, ForgetResponse,
    ForgetStatus, MemoryResult, RestoreRequest, RestoreResponse,
};
use prost_types::Timestamp;

use super::stage::{Stage, texts};
use super::wire::{BATCH_FORGET, FORGET, RESTORE, read};
use crate::harness::caller::by_id;

/// The results without the moments that only the real call settles, and the operation that errors name.
fn timeless(results: &[MemoryResult]) -> Vec<MemoryResult> {
    let mut results = results.to_vec();
    for result in &mut results {
        result.forget_time = result.forget_time.map(|_| Timestamp::default());
        result.purge_time = result.purge_time.map(|_| Timestamp::default());
        result.error = result.error.take().map(|mut error| {
            error.details.clear();
            error
        });
    }
    results
}

fn unconfirmed() -> AuditReceipt {
    AuditReceipt::default()
}

#[tokio::test]
async fn a_forget_is_rehearsed_and_then_answers_the_same() {
    for (id, mode) in [
        ("kept", ForgetMode::Soft),
        ("kept", ForgetMode::Hard),
        ("stored", ForgetMode::Soft),
        ("stored", ForgetMode::Hard),
    ] {
        let mut stage = Stage::furnished().await;
        let request = ForgetRequest { selector: by_id(id), mode: mode.into(), ..ForgetRequest::default() };
        let rehearsal = ForgetRequest { validate_only: true, ..request.clone() };
        let would: ForgetResponse = read(&stage.call(FORGET, &rehearsal).await.unwrap());
        stage.tables.assert_unchanged("a rehearsed forget").await;
        assert!(would.validate_only && !would.replayed);
        assert_eq!(would.status(), ForgetStatus::Unspecified);
        assert_eq!((would.audit.clone(), would.commit_time), (Some(unconfirmed()), None));
        let did: ForgetResponse = read(&stage.call(FORGET, &request).await.unwrap());
        assert_eq!(timeless(&would.results), timeless(&did.results));
        let same = ForgetResponse {
            operation_id: did.operation_id.clone(),
            status: did.status,
            results: did.results.clone(),
            audit: did.audit.clone(),
            commit_time: did.commit_time,
            validate_only: false,
            ..would
        };
        assert_eq!(same, did, "{id} {mode:?}");
    }
}

#[tokio::test]
async fn a_batch_is_rehearsed_and_then_answers_the_same() {
    let mut stage = Stage::furnished().await;
    let request = BatchForgetRequest {
        memory_ids: texts(&["kept", "stored", "another", "a b", "kept", "unknown"]),
        ..BatchForgetRequest::default()
    };
    let rehearsal = BatchForgetRequest { validate_only: true, ..request.clone() };
    let would: BatchForgetResponse = read(&stage.call(BATCH_FORGET, &rehearsal).await.unwrap());
    stage.tables.assert_unchanged("a rehearsed batch").await;
    assert!(would.validate_only);
    assert_eq!((would.status(), would.audit.clone()), (ForgetStatus::Unspecified, Some(unconfirmed())));
    let did: BatchForgetResponse = read(&stage.call(BATCH_FORGET, &request).await.unwrap());
    assert_eq!(timeless(&would.results), timeless(&did.results));
    assert_eq!((would.requested, would.archived, would.already_forgotten), (6, 1, 2));
    assert_eq!((did.requested, did.archived, did.already_forgotten), (6, 1, 2));
    assert_eq!((would.not_found, would.refused), (did.not_found, did.refused));
}

#[tokio::test]
async fn a_restore_is_rehearsed_and_then_answers_the_same() {
    let mut stage = Stage::furnished().await;
    let operation = stage.caller().get("stored").await.unwrap().forget_operation_id;
    let by_ids = RestoreRequest {
        memory_ids: texts(&["stored", "kept", "another", "a b", "stored"]),
        ..RestoreRequest::default()
    };
    let by_operation = RestoreRequest { operation_id: Some(operation), ..RestoreRequest::default() };
    for request in [by_operation, by_ids] {
        let rehearsal = RestoreRequest { validate_only: true, ..request.clone() };
        let would: RestoreResponse = read(&stage.call(RESTORE, &rehearsal).await.unwrap());
        stage.tables.assert_unchanged("a rehearsed restore").await;
        assert!(would.validate_only);
        assert_eq!((would.audit.clone(), would.commit_time, would.restored), (Some(unconfirmed()), None, 1));
        let did: RestoreResponse = read(&stage.call(RESTORE, &request).await.unwrap());
        assert_eq!(timeless(&would.results), timeless(&did.results));
        assert_eq!((would.requested, did.restored), (did.requested, 1));
        stage.caller().forget("stored", ForgetMode::Soft).await.unwrap();
        stage.tables.note().await;
    }
}

#[tokio::test]
async fn a_rehearsal_is_refused_for_what_the_call_would_be() {
    let mut stage = Stage::furnished().await;
    let forget = |id: &str| ForgetRequest { selector: by_id(id), validate_only: true, ..Default::default() };
    stage.refused(FORGET, &forget("unknown"), "MEMORY_NOT_FOUND", &[]).await;
    stage.refused(FORGET, &forget("a b"), "INVALID_FIELD", &["selector.memory_id"]).await;
    let outdated = ForgetRequest { etag: "00000000000000ff".to_owned(), ..forget("kept") };
    stage.refused(FORGET, &outdated, "ETAG_MISMATCH", &[]).await;
}

#[tokio::test]
async fn a_rehearsal_takes_no_request_id_up() {
    let mut stage = Stage::furnished().await;
    let request_id = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned();
    let request = ForgetRequest { selector: by_id("kept"), request_id, ..ForgetRequest::default() };
    let rehearsal = ForgetRequest { validate_only: true, ..request.clone() };
    stage.call(FORGET, &rehearsal).await.unwrap();
    stage.tables.assert_unchanged("a rehearsal with a request_id").await;
    let did: ForgetResponse = read(&stage.call(FORGET, &request).await.unwrap());
    assert_eq!((did.archived, did.replayed), (1, false));
}
