//! UpdateMemory.

use memory_lifecycle::proto::v1::{
    AuditAction, ForgetMode, Memory, MemoryState, UpdateMemoryRequest, UpdateMemoryResponse,
};
use prost_types::Struct;

use super::stage::Stage;
use super::values::{number, object};
use crate::harness::{Caller, reason};

async fn update(caller: &Caller, request: UpdateMemoryRequest) -> UpdateMemoryResponse {
    caller.store.clone().update_memory(request).await.unwrap().into_inner()
}

fn of(id: &str) -> UpdateMemoryRequest {
    UpdateMemoryRequest { memory_id: id.to_owned(), ..UpdateMemoryRequest::default() }
}

fn to(id: &str, content: &str) -> UpdateMemoryRequest {
    UpdateMemoryRequest { content: Some(content.to_owned()), ..of(id) }
}

#[tokio::test]
async fn a_correction_changes_the_text_the_etag_and_the_time_and_nothing_else() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let before = caller.remember("id", "before").await.unwrap();
    let request = UpdateMemoryRequest { reason: "typo".to_owned(), ..to("id", "after") };
    let answer = update(&caller, request).await;
    let after = answer.memory.unwrap();
    assert!(after.etag > before.etag);
    let time = |memory: &Memory| memory.update_time.map(|time| (time.seconds, time.nanos));
    assert!(time(&after) > time(&before));
    let wanted = Memory {
        content: "after".to_owned(),
        etag: after.etag.clone(),
        update_time: after.update_time,
        ..before
    };
    assert_eq!(after, wanted);
    assert_eq!(caller.get("id").await.unwrap(), wanted);
    let record = caller.audit_records().await.unwrap().pop().unwrap();
    assert_eq!(record.action(), AuditAction::Updated);
    assert_eq!((record.from_state(), record.to_state()), (MemoryState::Active, MemoryState::Active));
    assert_eq!((record.reason.as_str(), record.sequence), ("typo", answer.audit.unwrap().last_sequence));
}

#[tokio::test]
async fn what_is_unset_stays_and_an_empty_struct_leaves_none() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    caller.remember("id", "text").await.unwrap();
    let metadata = object("k", number(1.0));
    let with_metadata = |metadata: Struct| UpdateMemoryRequest { metadata: Some(metadata), ..of("id") };
    let memory = update(&caller, with_metadata(metadata.clone())).await.memory.unwrap();
    assert_eq!((memory.content.as_str(), memory.metadata.as_ref()), ("text", Some(&metadata)));
    let memory = update(&caller, to("id", "other")).await.memory.unwrap();
    assert_eq!((memory.content.as_str(), memory.metadata.as_ref()), ("other", Some(&metadata)));
    let memory = update(&caller, with_metadata(Struct::default())).await.memory.unwrap();
    assert_eq!((memory.content.as_str(), memory.metadata.as_ref()), ("other", None));
    assert_eq!(caller.get("id").await.unwrap(), memory);
}

#[tokio::test]
async fn equal_content_and_metadata_change_nothing() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    caller.remember("id", "text").await.unwrap();
    let metadata = Some(object("k", number(1.0)));
    let before = update(&caller, UpdateMemoryRequest { metadata: metadata.clone(), ..of("id") }).await;
    stage.tables.note_except("operations").await;
    for request in [of("id"), to("id", "text"), UpdateMemoryRequest { metadata, ..to("id", "text") }] {
        let answer = update(&caller, request).await;
        assert_eq!(answer.memory, before.memory);
        let audit = answer.audit.unwrap();
        assert_eq!((audit.first_sequence, audit.last_sequence, audit.confirmed), (0, 0, true));
        assert!(audit.head_hash.is_empty());
    }
    stage.tables.assert_unchanged("updates that say the same").await;
}

#[tokio::test]
async fn a_stale_etag_or_an_archived_memory_is_refused() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    let first = caller.remember("id", "one").await.unwrap();
    let request = UpdateMemoryRequest { etag: first.etag.clone(), ..to("id", "two") };
    let second = update(&caller, request.clone()).await.memory.unwrap();
    stage.tables.note().await;
    let status = caller.store.clone().update_memory(request).await.unwrap_err();
    assert_eq!(reason(&status), "ETAG_MISMATCH");
    stage.tables.assert_unchanged("a stale etag").await;

    caller.forget("id", ForgetMode::Soft).await.unwrap();
    stage.tables.note().await;
    for request in [to("id", "three"), to("id", "two"), of("id")] {
        let status = caller.store.clone().update_memory(request).await.unwrap_err();
        assert_eq!(reason(&status), "MEMORY_NOT_ACTIVE");
    }
    // The etag is looked at first.
    let outdated = UpdateMemoryRequest { etag: second.etag, ..to("id", "three") };
    let status = caller.store.clone().update_memory(outdated).await.unwrap_err();
    assert_eq!(reason(&status), "ETAG_MISMATCH");
    stage.tables.assert_unchanged("an update of an archived memory").await;
}
