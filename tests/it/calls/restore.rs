//! Restore.

use memory_lifecycle::proto::v1::{
    AuditAction, ForgetMode, Memory, MemoryState, Outcome, RememberRequest, RestoreRequest, RestoreResponse,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};

use super::stage::{Stage, texts};
use crate::harness::{Caller, reason, scaled};

async fn restore(caller: &Caller, request: RestoreRequest) -> RestoreResponse {
    caller.lifecycle.clone().restore(request).await.unwrap().into_inner()
}

fn by_operation(operation: &str) -> RestoreRequest {
    RestoreRequest { operation_id: Some(operation.to_owned()), ..RestoreRequest::default() }
}

fn outcomes(answer: &RestoreResponse) -> Vec<(&str, Outcome)> {
    answer.results.iter().map(|result| (result.memory_id.as_str(), result.outcome())).collect()
}

#[tokio::test]
async fn a_restored_memory_is_active_and_as_it_was() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let before = caller.remember("id", "text").await.unwrap();
    caller.forget("id", ForgetMode::Soft).await.unwrap();
    let request = RestoreRequest {
        memory_ids: texts(&["id"]),
        reason: "by mistake".to_owned(),
        channel: "settings".to_owned(),
        ..RestoreRequest::default()
    };
    let answer = restore(&caller, request).await;
    assert_eq!((answer.requested, answer.restored), (1, 1));
    let result = &answer.results[0];
    assert_eq!((result.outcome(), result.state()), (Outcome::Restored, MemoryState::Active));
    assert_eq!((result.purge_time, result.forget_time), (None, None));
    let after = caller.get("id").await.unwrap();
    assert_eq!(after, Memory { etag: after.etag.clone(), update_time: answer.commit_time, ..before });
    let record = caller.audit_records().await.unwrap().pop().unwrap();
    assert_eq!(
        (record.action(), record.sequence),
        (AuditAction::Restored, answer.audit.unwrap().last_sequence)
    );
    assert_eq!((record.from_state(), record.to_state()), (MemoryState::Archived, MemoryState::Active));
    assert_eq!((record.reason.as_str(), record.channel.as_str()), ("by mistake", "settings"));
}

#[tokio::test]
async fn each_id_has_its_result_in_the_order_of_the_request() {
    use Outcome::{AlreadyActive, NotFound, Refused, Restored};

    let stage = Stage::furnished().await;
    let ids = ["kept", "unknown", "stored", "another", "settled", "a b"];
    let answer = stage.caller().restore(&ids).await.unwrap();
    let wanted = [AlreadyActive, NotFound, Restored, NotFound, NotFound, Refused];
    assert_eq!(outcomes(&answer), ids.into_iter().zip(wanted).collect::<Vec<_>>());
    assert_eq!((answer.requested, answer.restored, answer.already_active), (6, 1, 1));
    assert_eq!((answer.not_found, answer.refused, answer.unknown), (3, 1, 0));
}

#[tokio::test]
async fn by_operation_comes_back_what_that_forget_archived_and_archives_still() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for id in ["a", "b", "c", "d", "e"] {
        caller.remember(id, "text").await.unwrap();
    }
    caller.forget("e", ForgetMode::Soft).await.unwrap();
    let forget = caller.batch_forget(&["d", "b", "a", "c", "e"], ForgetMode::Soft).await.unwrap();
    // One restored and forgotten again by another, one erased: no longer this forget's.
    caller.restore(&["b"]).await.unwrap();
    let later = caller.forget("b", ForgetMode::Soft).await.unwrap();
    caller.forget("c", ForgetMode::Hard).await.unwrap();
    let answer = restore(&caller, by_operation(&forget.operation_id)).await;
    assert_eq!(outcomes(&answer), [("a", Outcome::Restored), ("d", Outcome::Restored)]);
    assert_eq!((answer.requested, answer.restored), (2, 2));
    // Nothing is left of it, which is no error: the operation is the caller's.
    let again = restore(&caller, by_operation(&forget.operation_id)).await;
    assert_eq!((again.requested, again.results.len()), (0, 0));
    let answer = restore(&caller, by_operation(&later.operation_id)).await;
    assert_eq!(outcomes(&answer), [("b", Outcome::Restored)]);
}

#[tokio::test]
async fn an_operation_that_is_unknown_or_another_callers_is_not_found() {
    let mut stage = Stage::furnished().await;
    let another = stage.server.caller_of("default", "another");
    let theirs = another.forget("another", ForgetMode::Soft).await.unwrap().operation_id;
    stage.tables.note().await;
    for operation in [theirs.as_str(), "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e"] {
        let status = stage.caller().lifecycle.clone().restore(by_operation(operation)).await.unwrap_err();
        assert_eq!(reason(&status), "OPERATION_NOT_FOUND");
    }
    stage.tables.assert_unchanged("restores by unknown operations").await;
    // An administrator's forget of an agent's memory: the agent sees its name on the memory, and may restore by it.
    let admin = stage.admin("administrator");
    let theirs = admin.batch_forget(&["kept", "settled"], ForgetMode::Soft).await.unwrap().operation_id;
    let answer = restore(&stage.caller(), by_operation(&theirs)).await;
    assert_eq!(outcomes(&answer), [("kept", Outcome::Restored)]);
    let answer = restore(&admin, by_operation(&theirs)).await;
    assert_eq!(outcomes(&answer), [("settled", Outcome::Restored)]);
}

/// A value as JSON can say it: small, but of every kind and a few levels deep.
fn value() -> impl Strategy<Value = Value> {
    let text = || any::<String>().prop_map(|text| text.replace('\0', ""));
    let leaf = prop_oneof![
        Just(Kind::NullValue(0)),
        any::<bool>().prop_map(Kind::BoolValue),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Kind::NumberValue),
        text().prop_map(Kind::StringValue),
    ];
    let leaf = leaf.prop_map(|kind| Value { kind: Some(kind) });
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let object =
            btree_map(text(), inner.clone(), 0..4).prop_map(|fields| Kind::StructValue(Struct { fields }));
        let list = vec(inner, 0..4).prop_map(|values| Kind::ListValue(ListValue { values }));
        prop_oneof![object, list].prop_map(|kind| Value { kind: Some(kind) })
    })
}

fn memory() -> impl Strategy<Value = RememberRequest> {
    let id = "[A-Za-z0-9._:-]{1,128}";
    let metadata = proptest::option::of(btree_map("[^\\x00]{0,8}", value(), 1..5));
    let content = "[^\\x00]{0,60}[a-z\u{4e2d}\u{1f9e0}][^\\x00]{0,60}";
    let subject = proptest::option::of("[a-zé\u{4e2d}]( ?[a-zé@|]){0,20}");
    (id, subject, id, 0..4_i32, content, metadata).prop_map(
        |(memory_id, subject, graph_id, kind, content, metadata)| RememberRequest {
            memory_id,
            subject_id: subject.unwrap_or_default(),
            graph_id,
            kind,
            content,
            metadata: metadata.map(|fields| Struct { fields }),
            ..RememberRequest::default()
        },
    )
}

#[test]
fn any_memory_comes_back_exactly_as_it_was() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stage = runtime.block_on(Stage::new());
    let cases = u32::try_from(scaled(2000, 150)).unwrap();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let tenants = std::cell::Cell::new(0);
    let result = TestRunner::new(config).run(&memory(), |request| {
        // A tenant of its own, so that shrunk ids are free.
        tenants.set(tenants.get() + 1);
        let caller = stage.server.caller_of(&format!("tenant-{}", tenants.get()), "default");
        runtime.block_on(archive_and_restore(&caller, request)).map_err(TestCaseError::fail)
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

async fn archive_and_restore(caller: &Caller, request: RememberRequest) -> Result<(), String> {
    let id = request.memory_id.clone();
    let sent = request.clone();
    let saved = caller.store.clone().remember(request).await.map_err(|status| format!("{status:?}"))?;
    let before = saved.into_inner().memory.unwrap();
    if (&before.content, &before.metadata) != (&sent.content, &sent.metadata) {
        return Err(format!("saved as {before:?}"));
    }
    caller.forget(&id, ForgetMode::Soft).await.unwrap();
    let archived = caller.get(&id).await.unwrap();
    caller.restore(&[&id]).await.unwrap();
    let after = caller.get(&id).await.unwrap();
    let wanted = Memory { etag: after.etag.clone(), update_time: after.update_time, ..before.clone() };
    let stays = |memory: &Memory| (memory.content.clone(), memory.metadata.clone(), memory.create_time);
    if after != wanted || stays(&archived) != stays(&before) || after.etag == before.etag {
        return Err(format!("{before:?} came back as {after:?}"));
    }
    Ok(())
}
