//! Purge times: from then on a memory is as erased, for every read and command, swept or not.

use std::time::Duration;

use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{
    AuditAction, ForgetMode, ForgetRequest, MemoryState, Outcome, PreviewRequest, RestoreRequest, Selector,
    UpdateMemoryRequest,
};

use super::hold;
use super::stage::{Stage, texts};
use crate::harness::caller::by_id;
use crate::harness::{reason, settings};

async fn stage(retention: Retention, sweep_interval: Duration) -> Stage {
    let mut settings = settings();
    settings.retention = retention;
    settings.sweep_interval = sweep_interval;
    Stage::with(settings).await
}

fn a_second() -> Retention {
    Retention::For(chrono::TimeDelta::seconds(1))
}

const RARELY: Duration = Duration::from_hours(1);

/// Archives these memories in one forget and waits, on the database's clock, until they are past their purge time.
async fn outlast(stage: &Stage, ids: &[&str]) -> String {
    let caller = stage.caller();
    for id in ids {
        caller.remember(id, "text").await.unwrap();
    }
    let answer = caller.batch_forget(ids, ForgetMode::Soft).await.unwrap();
    stage.database.execute("SELECT pg_sleep_until(max(purge_time)) FROM memories").await;
    answer.operation_id
}

#[tokio::test]
async fn every_read_treats_it_as_erased_before_it_is_swept() {
    let mut stage = stage(a_second(), RARELY).await;
    let operation = outlast(&stage, &["one", "two"]).await;
    stage.tables.note().await;
    let caller = stage.caller();
    assert_eq!(reason(&caller.get("one").await.unwrap_err()), "MEMORY_NOT_FOUND");
    assert_eq!(caller.list_all().await.unwrap(), []);
    assert_eq!(stage.admin("administrator").list_all().await.unwrap(), []);
    let one = PreviewRequest { selector: by_id("one"), ..PreviewRequest::default() };
    assert_eq!(reason(&caller.lifecycle.clone().preview(one).await.unwrap_err()), "MEMORY_NOT_FOUND");
    let selector = Some(Selector { memory_ids: texts(&["one", "two"]), ..Selector::default() });
    let both = PreviewRequest { selector, mode: ForgetMode::Hard.into(), ..PreviewRequest::default() };
    let preview = caller.lifecycle.clone().preview(both).await.unwrap().into_inner();
    assert_eq!((preview.matched, preview.items[0].would_be()), (0, Outcome::NotFound));
    let request = memory_lifecycle::proto::v1::GetOperationRequest {
        operation_id: Some(operation),
        ..Default::default()
    };
    let shown = caller.lifecycle.clone().get_operation(request).await.unwrap().into_inner();
    assert!(!shown.operation.unwrap().restorable);
    let rehearsal = ForgetRequest { selector: by_id("one"), validate_only: true, ..ForgetRequest::default() };
    assert_eq!(reason(&caller.lifecycle.clone().forget(rehearsal).await.unwrap_err()), "MEMORY_NOT_FOUND");
    stage.tables.assert_unchanged("reads of what is past its purge time").await;
}

#[tokio::test]
async fn every_command_that_meets_it_erases_it_first_and_once() {
    let stage = stage(a_second(), RARELY).await;
    let ids = ["soft", "hard", "batch", "restored", "updated", "saved", "by-operation"];
    let operation = outlast(&stage, &ids).await;
    let caller = stage.caller();
    for (id, mode) in [("soft", ForgetMode::Soft), ("hard", ForgetMode::Hard)] {
        assert_eq!(reason(&caller.forget(id, mode).await.unwrap_err()), "MEMORY_NOT_FOUND");
    }
    let answer = caller.batch_forget(&["batch", "batch"], ForgetMode::Hard).await.unwrap();
    assert_eq!((answer.requested, answer.not_found), (2, 2));
    let answer = caller.restore(&["restored"]).await.unwrap();
    assert_eq!((answer.requested, answer.not_found), (1, 1));
    let request = UpdateMemoryRequest { memory_id: "updated".to_owned(), ..Default::default() };
    assert_eq!(reason(&caller.store.clone().update_memory(request).await.unwrap_err()), "MEMORY_NOT_FOUND");
    // Its id is free again, and what is saved under it inherits nothing.
    let saved = caller.remember("saved", "anew").await.unwrap();
    assert_eq!((saved.content.as_str(), saved.state()), ("anew", MemoryState::Active));
    let request = RestoreRequest { operation_id: Some(operation), ..RestoreRequest::default() };
    let answer = caller.lifecycle.clone().restore(request).await.unwrap().into_inner();
    assert_eq!((answer.requested, answer.restored), (0, 0));
    let records = caller.audit_records().await.unwrap();
    for id in ids {
        let expired: Vec<_> = records
            .iter()
            .filter(|record| record.memory_id == id && record.action() == AuditAction::Expired)
            .collect();
        let [record] = expired.as_slice() else { panic!("{id}: {expired:?}") };
        assert_eq!((record.from_state(), record.to_state()), (MemoryState::Archived, MemoryState::Erased));
        assert_eq!((record.principal_id.as_str(), record.agent_id.as_str()), ("system:expiry", "default"));
    }
    assert_eq!(stage.database.value::<i64>("SELECT count(*) FROM memories").await, 1);
    assert_eq!(stage.database.value::<i64>("SELECT count(*) FROM memory_contents").await, 1);
}

#[tokio::test]
async fn the_sweeper_erases_without_any_call() {
    let stage = stage(a_second(), Duration::from_millis(100)).await;
    let caller = stage.caller();
    for tenant in ["one", "two"] {
        let caller = stage.server.caller_of(tenant, "default");
        caller.remember("id", "text").await.unwrap();
        caller.forget("id", ForgetMode::Soft).await.unwrap();
    }
    caller.remember("stays", "text").await.unwrap();
    hold::until(async || {
        stage.database.value::<bool>("SELECT NOT EXISTS (SELECT FROM memories WHERE state = 2)").await
    })
    .await;
    for tenant in ["one", "two"] {
        let records = stage.server.caller_of(tenant, "default").audit_records().await.unwrap();
        let actions: Vec<_> = records.iter().map(memory_lifecycle::proto::v1::AuditRecord::action).collect();
        assert_eq!(actions, [AuditAction::Remembered, AuditAction::Archived, AuditAction::Expired]);
        // Never before its time, by the database's clock.
        assert!(records[2].commit_time.unwrap().seconds > records[1].commit_time.unwrap().seconds);
    }
    assert_eq!(caller.list_all().await.unwrap().len(), 1);
    assert_eq!(stage.database.value::<i64>("SELECT count(*) FROM memory_contents").await, 1);
}

#[tokio::test]
async fn a_tenant_that_cannot_be_swept_keeps_no_other_from_it() {
    let stage = stage(a_second(), Duration::from_secs(1)).await;
    let caller_of = |tenant: &str| stage.server.caller_of(tenant, "default");
    for tenant in ["a-held", "b-free"] {
        caller_of(tenant).remember("memory", "text").await.unwrap();
    }
    caller_of("a-held").forget("memory", ForgetMode::Soft).await.unwrap();
    let held = hold::head(&stage.database, "a-held").await;
    caller_of("b-free").forget("memory", ForgetMode::Soft).await.unwrap();
    let rows = "SELECT count(*) FROM memories WHERE tenant_id = 'b-free'";
    hold::until(async || stage.database.value::<i64>(rows).await == 0).await;
    let kept = "SELECT count(*) FROM memories WHERE tenant_id = 'a-held'";
    assert_eq!(stage.database.value::<i64>(kept).await, 1, "its head is held, so nobody erased it");
    held.release().await;
    hold::until(async || stage.database.value::<i64>(kept).await == 0).await;
}

#[tokio::test]
async fn without_an_end_nothing_expires() {
    let stage = stage(Retention::Never, Duration::from_millis(50)).await;
    let caller = stage.caller();
    caller.remember("id", "text").await.unwrap();
    let answer = caller.forget("id", ForgetMode::Soft).await.unwrap();
    assert_eq!(answer.results[0].purge_time, None);
    assert!(answer.results[0].forget_time.is_some());
    assert_eq!(caller.get("id").await.unwrap().purge_time, None);
    assert_eq!(caller.restore(&["id"]).await.unwrap().restored, 1);
}

#[tokio::test]
async fn a_purge_time_moves_only_with_a_new_forget() {
    let stage = stage(Retention::For(chrono::TimeDelta::hours(1)), RARELY).await;
    let caller = stage.caller();
    caller.remember("id", "text").await.unwrap();
    let first = caller.forget("id", ForgetMode::Soft).await.unwrap().results[0].purge_time;
    for _ in 0..2 {
        let again = caller.forget("id", ForgetMode::Soft).await.unwrap().results[0].purge_time;
        let shown = caller.get("id").await.unwrap().purge_time;
        let listed = caller.list_all().await.unwrap()[0].purge_time;
        assert_eq!((again, shown, listed), (first, first, first));
    }
    caller.restore(&["id"]).await.unwrap();
    let second = caller.forget("id", ForgetMode::Soft).await.unwrap().results[0].purge_time;
    let micros = |time: Option<prost_types::Timestamp>| time.map(|time| (time.seconds, time.nanos));
    assert!(micros(second) > micros(first));
}
