//! What is left behind: nothing of the content, and all of the record.

use std::time::Duration;

use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{
    AuditAction, ForgetMode, ImportItem, ImportMemoriesRequest, ListAuditRecordsRequest, RememberRequest,
    UpdateMemoryRequest,
};
use prost_types::Struct;

use crate::calls::hold;
use crate::calls::stage::Stage;
use crate::calls::values::{list, nested, text};
use crate::harness::{Caller, reason, settings};

/// Nowhere else in the database, in no case and as no bytes.
const TRACE: &str = "Quokka-77";

fn metadata() -> Struct {
    let value = list(vec![text(TRACE), nested(TRACE, text("x"))]);
    crate::calls::values::object(TRACE, value)
}

async fn remember(caller: &Caller, id: &str) {
    let request = RememberRequest {
        memory_id: id.to_owned(),
        subject_id: TRACE.to_owned(),
        content: format!("{TRACE} says so"),
        metadata: Some(metadata()),
        request_id: caller_made(id),
        ..RememberRequest::default()
    };
    caller.store.clone().remember(request).await.unwrap();
}

/// A request id made from an id: so that stored answers are looked through as well.
fn caller_made(id: &str) -> String {
    format!("018f3a5c-7c1e-7b6a-9d2e-{:012x}", id.len())
}

#[tokio::test]
async fn nothing_of_a_hard_forgotten_memory_is_left_in_any_table() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    for id in ["a", "aa", "aaa"] {
        remember(&caller, id).await;
    }
    let item = ImportItem {
        memory_id: "imported".to_owned(),
        content: TRACE.to_uppercase(),
        metadata: Some(metadata()),
        ..ImportItem::default()
    };
    let request = ImportMemoriesRequest { items: vec![item], ..ImportMemoriesRequest::default() };
    caller.store.clone().import_memories(request).await.unwrap();
    assert_eq!(stage.tables.with_text(TRACE).await, ["memories", "memory_contents"], "the control");

    // Active; archived and restored before; corrected to something else; imported.
    caller.forget("aa", ForgetMode::Soft).await.unwrap();
    caller.restore(&["aa"]).await.unwrap();
    caller.forget("aa", ForgetMode::Soft).await.unwrap();
    let corrected = UpdateMemoryRequest {
        memory_id: "aaa".to_owned(),
        content: Some("something else".to_owned()),
        metadata: Some(Struct::default()),
        ..UpdateMemoryRequest::default()
    };
    caller.store.clone().update_memory(corrected).await.unwrap();
    caller.forget("a", ForgetMode::Hard).await.unwrap();
    caller.batch_forget(&["aa", "aaa", "imported"], ForgetMode::Hard).await.unwrap();
    assert_eq!(stage.tables.with_text(TRACE).await, Vec::<String>::new());
    // Nor of what the correction had put in its place.
    assert_eq!(stage.tables.with_text("something else").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_correction_leaves_nothing_of_what_it_replaced() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    let request = RememberRequest {
        memory_id: "id".to_owned(),
        content: TRACE.to_owned(),
        metadata: Some(metadata()),
        ..RememberRequest::default()
    };
    caller.store.clone().remember(request).await.unwrap();
    let request = UpdateMemoryRequest {
        memory_id: "id".to_owned(),
        content: Some("other".to_owned()),
        metadata: Some(Struct::default()),
        ..UpdateMemoryRequest::default()
    };
    caller.store.clone().update_memory(request).await.unwrap();
    assert_eq!(stage.tables.with_text(TRACE).await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_of_an_expired_memory_is_left_in_any_table() {
    let mut settings = settings();
    settings.retention = Retention::For(chrono::TimeDelta::seconds(1));
    settings.sweep_interval = Duration::from_millis(100);
    let mut stage = Stage::with(settings).await;
    let caller = stage.caller();
    remember(&caller, "a").await;
    caller.forget("a", ForgetMode::Soft).await.unwrap();
    assert!(!stage.tables.with_text(TRACE).await.is_empty());
    hold::until(async || stage.database.value::<bool>("SELECT NOT EXISTS (SELECT FROM memories)").await)
        .await;
    assert_eq!(stage.tables.with_text(TRACE).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_change_whose_record_cannot_be_written_does_not_happen() {
    let mut stage = Stage::furnished().await;
    let caller = stage.caller();
    for statement in [
        "REVOKE INSERT ON audit_records FROM memory_lifecycle_app",
        "GRANT INSERT ON audit_records TO memory_lifecycle_app; REVOKE INSERT ON operations FROM memory_lifecycle_app",
    ] {
        stage.database.execute(statement).await;
        let failures = [
            caller.forget("kept", ForgetMode::Soft).await.unwrap_err(),
            caller.forget("kept", ForgetMode::Hard).await.unwrap_err(),
            caller.batch_forget(&["kept", "stored"], ForgetMode::Hard).await.unwrap_err(),
            caller.restore(&["stored"]).await.unwrap_err(),
            caller.remember("new", "text").await.unwrap_err(),
        ];
        for status in failures {
            assert_eq!(reason(&status), "INTERNAL");
        }
        stage.tables.assert_unchanged("changes without a record").await;
    }
    stage.database.execute("GRANT INSERT ON operations TO memory_lifecycle_app").await;
    assert_eq!(caller.forget("kept", ForgetMode::Soft).await.unwrap().archived, 1);
}

#[tokio::test]
async fn the_audit_log_answers_by_id_long_after() {
    let mut settings = settings();
    settings.sweep_interval = Duration::from_millis(50);
    let stage = Stage::with(settings).await;
    let caller = stage.caller();
    caller.remember("id", "text").await.unwrap();
    caller.forget("id", ForgetMode::Soft).await.unwrap();
    let request_id = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned();
    let request = RememberRequest { content: "text".to_owned(), request_id, ..RememberRequest::default() };
    caller.store.clone().remember(request).await.unwrap();
    // As if all of it had been a hundred days ago.
    stage
        .database
        .execute(
            "UPDATE audit_records SET commit_time = commit_time - interval '100 days';
             UPDATE operations SET commit_time = commit_time - interval '100 days';
             UPDATE requests SET create_time = create_time - interval '100 days';
             UPDATE tenants SET last_time = last_time - interval '100 days';
             UPDATE memories SET forget_time = forget_time - interval '100 days',
                                 update_time = update_time - interval '100 days',
                                 purge_time = purge_time - interval '100 days' WHERE state = 2;",
        )
        .await;
    // The sweeper has erased the memory and forgotten the request id, and nothing else.
    hold::until(async || {
        stage
            .database
            .value::<bool>("SELECT (SELECT count(*) FROM memories) = 1 AND NOT EXISTS (SELECT FROM requests)")
            .await
    })
    .await;
    let request = ListAuditRecordsRequest { memory_id: Some("id".to_owned()), ..Default::default() };
    let records = caller.audit.clone().list_audit_records(request).await.unwrap().into_inner().records;
    let actions: Vec<_> = records.iter().map(memory_lifecycle::proto::v1::AuditRecord::action).collect();
    assert_eq!(actions, [AuditAction::Expired, AuditAction::Archived, AuditAction::Remembered]);
    assert_eq!(stage.database.value::<i64>("SELECT count(*) FROM operations").await, 4);
}
