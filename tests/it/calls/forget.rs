//! Forget.

use memory_lifecycle::proto::v1::{
    AuditAction, Filter, ForgetMode, ForgetRequest, ForgetResponse, ForgetStatus, MemoryOrigin, MemoryState,
    Outcome, RememberRequest, Selector,
};
use tonic::Response;

use super::stage::Stage;
use crate::harness::caller::by_id;
use crate::harness::{Caller, reason};

fn forget(id: &str) -> ForgetRequest {
    ForgetRequest { selector: by_id(id), ..ForgetRequest::default() }
}

async fn sent(caller: &Caller, request: ForgetRequest) -> Response<ForgetResponse> {
    caller.lifecycle.clone().forget(request).await.unwrap()
}

#[tokio::test]
async fn a_soft_forget_archives_and_says_all_about_it() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let before = caller.remember("id", "text").await.unwrap();
    let request = ForgetRequest {
        reason: "not true any more".to_owned(),
        channel: "chat".to_owned(),
        etag: before.etag.clone(),
        ..forget("id")
    };
    let response = sent(&caller, request).await;
    let operation = response.metadata().get("x-operation-id").unwrap().to_str().unwrap().to_owned();
    let answer = response.into_inner();
    assert_eq!(answer.operation_id, operation);
    assert_eq!(uuid::Uuid::parse_str(&operation).unwrap().get_version_num(), 7);
    assert_eq!(answer.status(), ForgetStatus::Forgotten);
    assert_eq!((answer.matched, answer.archived, answer.erased), (1, 1, 0));
    assert_eq!((answer.already_forgotten, answer.refused), (0, 0));
    assert!(!answer.replayed && !answer.validate_only);
    let after = caller.get("id").await.unwrap();
    let [result] = answer.results.as_slice() else { panic!("{:?}", answer.results) };
    assert_eq!((result.memory_id.as_str(), result.outcome()), ("id", Outcome::Archived));
    assert_eq!((result.state(), &result.error), (MemoryState::Archived, &None));
    assert_eq!((result.agent_id.as_str(), result.origin()), ("default", MemoryOrigin::Saved));
    assert_eq!((result.forget_time, result.purge_time), (after.forget_time, after.purge_time));
    assert_eq!(answer.commit_time, after.forget_time);

    assert_eq!((after.state(), after.update_time), (MemoryState::Archived, after.forget_time));
    assert_eq!((after.forget_reason.as_str(), &after.forget_operation_id), ("not true any more", &operation));
    assert!(after.etag > before.etag);
    let kept_for = after.purge_time.unwrap().seconds - after.forget_time.unwrap().seconds;
    assert_eq!(kept_for, 30 * 24 * 60 * 60);
    assert_eq!((&after.content, after.create_time), (&before.content, before.create_time));

    let record = caller.audit_records().await.unwrap().pop().unwrap();
    let audit = answer.audit.unwrap();
    assert_eq!((audit.first_sequence, audit.last_sequence, audit.confirmed), (2, 2, true));
    assert_eq!((audit.head_hash, record.operation_id.as_str()), (record.hash.clone(), operation.as_str()));
    assert_eq!((record.action(), record.mode()), (AuditAction::Archived, ForgetMode::Soft));
    assert_eq!((record.from_state(), record.to_state()), (MemoryState::Active, MemoryState::Archived));
    assert_eq!((record.reason.as_str(), record.channel.as_str()), ("not true any more", "chat"));
}

#[tokio::test]
async fn forgetting_softly_again_changes_nothing_and_says_when_it_was() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    caller.remember("id", "text").await.unwrap();
    let first = caller.forget("id", ForgetMode::Soft).await.unwrap();
    let before = caller.get("id").await.unwrap();
    stage.tables.note_except("operations").await;
    let again = caller.forget("id", ForgetMode::Soft).await.unwrap();
    assert_eq!(again.status(), ForgetStatus::Forgotten);
    assert_eq!((again.matched, again.archived, again.already_forgotten), (1, 0, 1));
    assert_eq!(again.results[0].outcome(), Outcome::AlreadyForgotten);
    assert_eq!(again.results[0].purge_time, first.results[0].purge_time, "it never moves");
    let audit = again.audit.unwrap();
    assert_eq!((audit.first_sequence, audit.last_sequence, audit.confirmed), (0, 0, true));
    assert_eq!(again.commit_time, None);
    stage.tables.assert_unchanged("a second soft forget").await;
    assert_eq!(caller.get("id").await.unwrap(), before);
}

#[tokio::test]
async fn a_hard_forget_erases_active_and_archived_memories_and_frees_the_id() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for archived_first in [false, true] {
        caller.remember("id", "text").await.unwrap();
        if archived_first {
            caller.forget("id", ForgetMode::Soft).await.unwrap();
        }
        let answer = caller.forget("id", ForgetMode::Hard).await.unwrap();
        assert_eq!(answer.status(), ForgetStatus::Forgotten);
        assert_eq!((answer.matched, answer.erased), (1, 1));
        let result = &answer.results[0];
        assert_eq!((result.outcome(), result.state()), (Outcome::Erased, MemoryState::Erased));
        assert_eq!((result.purge_time, result.forget_time), (None, None));
        let record = caller.audit_records().await.unwrap().pop().unwrap();
        assert_eq!((record.action(), record.mode()), (AuditAction::Erased, ForgetMode::Hard));
        let from = if archived_first { MemoryState::Archived } else { MemoryState::Active };
        assert_eq!((record.from_state(), record.to_state()), (from, MemoryState::Erased));
        assert_eq!(reason(&caller.get("id").await.unwrap_err()), "MEMORY_NOT_FOUND");
        let again = caller.forget("id", ForgetMode::Hard).await.unwrap_err();
        assert_eq!(reason(&again), "MEMORY_NOT_FOUND");
    }
    assert_eq!(stage.database.value::<i64>("SELECT count(*) FROM memories").await, 0);
    assert_eq!(stage.database.value::<i64>("SELECT count(*) FROM memory_contents").await, 0);
}

#[tokio::test]
async fn a_stale_etag_changes_nothing() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    let first = caller.remember("id", "text").await.unwrap();
    caller.forget("id", ForgetMode::Soft).await.unwrap();
    caller.restore(&["id"]).await.unwrap();
    stage.tables.note().await;
    for mode in [ForgetMode::Soft, ForgetMode::Hard] {
        let request = ForgetRequest { etag: first.etag.clone(), mode: mode.into(), ..forget("id") };
        let status = caller.lifecycle.clone().forget(request).await.unwrap_err();
        assert_eq!(reason(&status), "ETAG_MISMATCH");
    }
    stage.tables.assert_unchanged("a stale etag").await;
    // An etag of an erased memory fits none that comes after it.
    let last = caller.get("id").await.unwrap();
    caller.forget("id", ForgetMode::Hard).await.unwrap();
    caller.remember("id", "text").await.unwrap();
    let request = ForgetRequest { etag: last.etag, ..forget("id") };
    assert_eq!(reason(&caller.lifecycle.clone().forget(request).await.unwrap_err()), "ETAG_MISMATCH");
}

#[tokio::test]
async fn a_filter_beside_an_id_is_an_assertion() {
    let mut stage = Stage::new().await;
    let caller = stage.caller();
    let request = RememberRequest {
        memory_id: "id".to_owned(),
        content: "text".to_owned(),
        subject_id: "zoë".to_owned(),
        graph_id: "people".to_owned(),
        memory_date: "2020-02-29".to_owned(),
        ..RememberRequest::default()
    };
    let saved = caller.store.clone().remember(request).await.unwrap().into_inner().memory.unwrap();
    let time = saved.create_time;
    stage.tables.note().await;
    let text = |text: &str| Some(text.to_owned());
    let wrong = [
        Filter { subject_id: text("somebody"), ..Filter::default() },
        Filter { graph_id: text("default"), ..Filter::default() },
        Filter { memory_date: text("2020-02-28"), ..Filter::default() },
        Filter { kinds: vec![2, 3], ..Filter::default() },
        Filter { states: vec![MemoryState::Archived.into()], ..Filter::default() },
        Filter { origin: Some(MemoryOrigin::Imported.into()), ..Filter::default() },
        Filter { create_time_to: time, ..Filter::default() },
    ];
    let with = |filter: Filter| ForgetRequest {
        selector: Some(Selector { filter: Some(filter), ..by_id("id").unwrap() }),
        ..ForgetRequest::default()
    };
    for filter in wrong {
        let status = caller.lifecycle.clone().forget(with(filter)).await.unwrap_err();
        assert_eq!(reason(&status), "MEMORY_NOT_FOUND");
    }
    let unknown = Filter { graph_id: text("unknown"), ..Filter::default() };
    let status = caller.lifecycle.clone().forget(with(unknown)).await.unwrap_err();
    assert_eq!(reason(&status), "GRAPH_NOT_FOUND");
    stage.tables.assert_unchanged("filters that do not fit").await;
    let fits = Filter {
        subject_id: text("zoë"),
        graph_id: text("people"),
        memory_date: text("2020-02-29"),
        kinds: vec![1],
        states: vec![MemoryState::Active.into()],
        origin: Some(MemoryOrigin::Saved.into()),
        create_time_from: time,
        ..Filter::default()
    };
    assert_eq!(sent(&caller, with(fits)).await.into_inner().archived, 1);
}

#[tokio::test]
async fn an_administrator_forgets_facts_and_other_agents_memories() {
    let stage = Stage::furnished().await;
    let admin = stage.admin("administrator");
    for id in ["settled", "another"] {
        let answer = admin.forget(id, ForgetMode::Soft).await.unwrap();
        assert_eq!(answer.archived, 1);
    }
    let records = admin.audit_records().await.unwrap();
    let record = records.last().unwrap();
    assert_eq!((record.principal_id.as_str(), record.agent_id.as_str()), ("administrator", "another"));
}
