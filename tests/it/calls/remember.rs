//! Remember.

use memory_lifecycle::proto::v1::{
    AuditAction, ForgetMode, Memory, MemoryKind, MemoryOrigin, MemoryState, RememberRequest, RememberResponse,
};

use super::stage::Stage;
use super::values::{number, object};
use crate::harness::{Caller, reason};

async fn remember(caller: &Caller, request: RememberRequest) -> RememberResponse {
    caller.store.clone().remember(request).await.unwrap().into_inner()
}

fn saying(content: &str) -> RememberRequest {
    RememberRequest { content: content.to_owned(), ..RememberRequest::default() }
}

#[tokio::test]
async fn metadata_that_is_small_as_json_and_large_as_protobuf_is_kept() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    // Two bytes of JSON a number, eleven of protobuf.
    let list = prost_types::ListValue { values: vec![number(1.0); 8_000] };
    let value = prost_types::Value { kind: Some(prost_types::value::Kind::ListValue(list)) };
    let metadata = Some(object("numbers", value));
    let request = RememberRequest { memory_id: "m".to_owned(), metadata: metadata.clone(), ..saying("text") };
    remember(&caller, request).await;
    assert_eq!(caller.get("m").await.unwrap().metadata, metadata);
}

#[tokio::test]
async fn everything_said_is_kept_and_shown() {
    let stage = Stage::new().await;
    let caller = stage.server.caller_of("acme", "auth0|alice");
    let request = RememberRequest {
        memory_id: "note.1:a_b-c".to_owned(),
        subject_id: "Zoë Müller".to_owned(),
        graph_id: "people".to_owned(),
        kind: MemoryKind::Todo.into(),
        content: "  Call\n\"Zoë\" – 50 % off \u{1f4de} ".to_owned(),
        metadata: Some(object("priority", number(1.5))),
        memory_date: "1999-12-31".to_owned(),
        request_id: String::new(),
    };
    let answer = remember(&caller, request.clone()).await;
    let shown = answer.memory.unwrap();
    let now = shown.create_time;
    let wanted = Memory {
        memory_id: request.memory_id,
        subject_id: request.subject_id,
        agent_id: "auth0|alice".to_owned(),
        graph_id: request.graph_id,
        kind: MemoryKind::Todo.into(),
        origin: MemoryOrigin::Saved.into(),
        import_id: String::new(),
        memory_date: request.memory_date,
        content: request.content,
        metadata: request.metadata,
        state: MemoryState::Active.into(),
        etag: "0000000000000001".to_owned(),
        create_time: now,
        update_time: now,
        forget_time: None,
        purge_time: None,
        forget_reason: String::new(),
        forget_operation_id: String::new(),
        suppressed: false,
    };
    assert!(now.is_some());
    assert_eq!(shown, wanted);
    assert_eq!(caller.get("note.1:a_b-c").await.unwrap(), wanted);
    assert!(!answer.replayed);
    let audit = answer.audit.unwrap();
    assert_eq!((audit.first_sequence, audit.last_sequence, audit.confirmed), (1, 1, true));
    let records = caller.audit_records().await.unwrap();
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!(record.hash, audit.head_hash);
    assert_eq!(record.action(), AuditAction::Remembered);
    assert_eq!((record.from_state(), record.to_state()), (MemoryState::Unspecified, MemoryState::Active));
    assert_eq!((record.agent_id.as_str(), record.principal_id.as_str()), ("auth0|alice", "auth0|alice"));
    assert_eq!((record.graph_id.as_str(), record.commit_time), ("people", now));
}

#[tokio::test]
async fn what_is_left_out_takes_its_default() {
    let stage = Stage::new().await;
    let memory = remember(&stage.caller(), saying("text")).await.memory.unwrap();
    let uuid = memory.memory_id.strip_prefix("mem_").unwrap();
    assert_eq!(uuid::Uuid::parse_str(uuid).unwrap().get_version_num(), 7);
    assert_eq!((memory.graph_id.as_str(), memory.kind()), ("default", MemoryKind::Memory));
    assert_eq!((memory.subject_id.as_str(), memory.metadata), ("", None));
    let day =
        stage.database.value::<String>("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text").await;
    assert_eq!(memory.memory_date, day);
}

#[tokio::test]
async fn an_id_is_taken_until_the_memory_is_erased() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let first = caller.remember("id", "first").await.unwrap();
    assert_eq!(reason(&caller.remember("id", "first").await.unwrap_err()), "ALREADY_EXISTS");
    caller.forget("id", ForgetMode::Soft).await.unwrap();
    assert_eq!(reason(&caller.remember("id", "second").await.unwrap_err()), "ALREADY_EXISTS");
    assert_eq!(caller.get("id").await.unwrap().content, "first");
    caller.forget("id", ForgetMode::Hard).await.unwrap();
    let second = stage.server.caller_of("default", "another").remember("id", "second").await.unwrap();
    assert_eq!((second.content.as_str(), second.agent_id.as_str()), ("second", "another"));
    assert_ne!(second.etag, first.etag, "an etag never comes again");
    assert!(second.etag > first.etag);
    assert_eq!(reason(&caller.get("id").await.unwrap_err()), "MEMORY_NOT_FOUND");
}

#[tokio::test]
async fn a_fact_is_saved_by_an_administrator_and_out_of_reach_of_its_own_agent() {
    let stage = Stage::new().await;
    let request =
        RememberRequest { memory_id: "fact".to_owned(), kind: MemoryKind::Fact.into(), ..saying("settled") };
    let status = stage.caller().store.remember(request.clone()).await.unwrap_err();
    assert_eq!(reason(&status), "PROTECTED_KIND");
    let saved = remember(&stage.admin("default"), request.clone()).await.memory.unwrap();
    assert_eq!((saved.kind(), saved.agent_id.as_str()), (MemoryKind::Fact, "default"));
    assert_eq!(reason(&stage.caller().get("fact").await.unwrap_err()), "MEMORY_NOT_FOUND");
    assert_eq!(stage.caller().list_all().await.unwrap(), []);
    assert_eq!(stage.admin("other").list_all().await.unwrap(), [saved]);
    // The kind comes before the id: whoever may not save a fact does not learn that the id is taken.
    let status = stage.caller().store.remember(request).await.unwrap_err();
    assert_eq!(reason(&status), "PROTECTED_KIND");
}

#[tokio::test]
async fn the_same_id_in_two_tenants_is_two_memories() {
    let stage = Stage::new().await;
    let (one, other) = (stage.server.caller_of("one", "a"), stage.server.caller_of("other", "a"));
    one.remember("id", "one's").await.unwrap();
    other.remember("id", "other's").await.unwrap();
    one.forget("id", ForgetMode::Hard).await.unwrap();
    assert_eq!(other.get("id").await.unwrap().content, "other's");
}
