//! What a user asked not to hear of again.

use memory_lifecycle::proto::v1::{
    AuditAction, BatchForgetRequest, ForgetCause, ForgetMode, ForgetRequest, ForgetResponse, ImportItem,
    ImportMemoriesRequest, ImportOutcome, LiftSuppressionRequest, LiftSuppressionResponse,
    ListMemoriesRequest, MemoryKind, MemoryState, Outcome, PreviewRequest, RememberRequest, RestoreRequest,
    RestoreResponse, Selector, UpdateMemoryRequest,
};
use tonic::{Code, Status};

use super::stage::remember_fact;
use crate::harness::caller::{by_id, by_words, texts};
use crate::harness::{Caller, Database, Server, reason};
use crate::model::chain;

const SOFT: ForgetMode = ForgetMode::Soft;
const HARD: ForgetMode = ForgetMode::Hard;
const WISH: &str = "she asked for it";

async fn remember(caller: &Caller, id: &str, subject: &str, content: &str) -> Result<(), Status> {
    let request = RememberRequest {
        memory_id: id.to_owned(),
        subject_id: subject.to_owned(),
        content: content.to_owned(),
        ..RememberRequest::default()
    };
    caller.store.clone().remember(request).await.map(|_| ())
}

async fn forget_for_good(caller: &Caller, selector: Option<Selector>, mode: ForgetMode) -> ForgetResponse {
    let request = ForgetRequest {
        selector,
        mode: mode.into(),
        cause: ForgetCause::UserRequest.into(),
        reason: WISH.to_owned(),
        ..ForgetRequest::default()
    };
    caller.lifecycle.clone().forget(request).await.unwrap().into_inner()
}

async fn lift(caller: &Caller, id: &str) -> Result<LiftSuppressionResponse, Status> {
    let request =
        LiftSuppressionRequest { suppression_id: id.to_owned(), ..LiftSuppressionRequest::default() };
    Ok(caller.governance.clone().lift_suppression(request).await?.into_inner())
}

async fn restore(caller: &Caller, id: &str, lift_suppression: bool) -> RestoreResponse {
    let request = RestoreRequest { memory_ids: texts(&[id]), lift_suppression, ..RestoreRequest::default() };
    caller.lifecycle.clone().restore(request).await.unwrap().into_inner()
}

struct Scene {
    server: Server,
    alice: Caller,
    bob: Caller,
    admin: Caller,
}

/// Alice and Bob both know the same of Ann.
async fn start() -> Scene {
    let server = Server::start(&Database::migrated().await).await;
    let (alice, bob) = (server.caller_of("default", "alice"), server.caller_of("default", "bob"));
    let admin = Caller::admin(server.channel.clone(), "default", "admin");
    remember(&alice, "a-ex", "ann", "Her ex is called Tom").await.unwrap();
    remember(&bob, "b-ex", "ann", "her EX is  called Tom").await.unwrap();
    remember(&bob, "b-other", "ben", "Her ex is called Tom").await.unwrap();
    Scene { server, alice, bob, admin }
}

#[tokio::test]
async fn nobody_recalls_it_any_more_and_nobody_saves_it() {
    let Scene { server, alice, bob, .. } = start().await;
    assert_eq!(bob.recall("tom").await.unwrap(), ["b-other", "b-ex"]);
    let response = forget_for_good(&alice, by_id("a-ex"), SOFT).await;
    assert_eq!((response.archived, response.suppressions), (1, 1));
    assert_eq!(bob.recall("tom").await.unwrap(), ["b-other"], "of another subject it is something else");
    let hidden = bob.get("b-ex").await.unwrap();
    assert_eq!((hidden.state(), hidden.suppressed), (MemoryState::Active, true), "hidden, not touched");
    let request = ListMemoriesRequest::default();
    let listed = bob.store.clone().list_memories(request).await.unwrap().into_inner().memories;
    assert!(listed.iter().all(|memory| memory.suppressed == (memory.memory_id == "b-ex")));

    for same in ["Her ex is called Tom", "HER EX IS CALLED TOM", "her ex\u{200b} is\n called  tom"] {
        let status = remember(&bob, "again", "ann", same).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::FailedPrecondition, "CONTENT_SUPPRESSED")
        );
    }
    let item = |id: &str, content: &str| ImportItem {
        memory_id: id.to_owned(),
        subject_id: "ann".to_owned(),
        content: content.to_owned(),
        ..ImportItem::default()
    };
    let items =
        vec![item("i1", "her ex is called tom"), item("i2", "Her ex is called Tim"), item("a-ex", "x")];
    let request = ImportMemoriesRequest { items, ..ImportMemoriesRequest::default() };
    let imported = alice.store.clone().import_memories(request).await.unwrap().into_inner();
    assert_eq!(
        (imported.requested, imported.saved, imported.suppressed, imported.already_exists, imported.refused),
        (3, 1, 1, 1, 0)
    );
    assert_eq!(imported.results[0].outcome(), ImportOutcome::Suppressed);
    let update = UpdateMemoryRequest {
        memory_id: "i2".to_owned(),
        content: Some("Her ex is called TOM".to_owned()),
        ..UpdateMemoryRequest::default()
    };
    let status = alice.store.clone().update_memory(update).await.unwrap_err();
    assert_eq!(reason(&status), "CONTENT_SUPPRESSED");
    assert!(
        remember(&server.caller_of("elsewhere", "alice"), "x", "ann", "Her ex is called Tom").await.is_ok()
    );
}

#[tokio::test]
async fn a_correction_bars_nothing() {
    let Scene { server: _server, alice, bob, .. } = start().await;
    alice.forget("a-ex", SOFT).await.unwrap();
    assert_eq!(bob.recall("ex").await.unwrap().len(), 2);
    remember(&alice, "anew", "ann", "Her ex is called Tom").await.unwrap();
    assert!(alice.suppressions().await.unwrap().is_empty());
}

#[tokio::test]
async fn lifted_it_is_recalled_and_saved_again() {
    let Scene { server: _server, alice, bob, .. } = start().await;
    let forgotten = forget_for_good(&alice, by_id("a-ex"), HARD).await;
    let listed = alice.suppressions().await.unwrap();
    let [suppression] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((suppression.subject_id.as_str(), suppression.reason.as_str()), ("ann", WISH));
    assert_eq!(suppression.operation_id, forgotten.operation_id);
    let answer = lift(&alice, &suppression.suppression_id).await.unwrap();
    assert_eq!(answer.suppression.unwrap(), *suppression);
    assert!(answer.audit.unwrap().confirmed);
    assert_eq!(bob.recall("tom").await.unwrap(), ["b-other", "b-ex"]);
    assert!(!bob.get("b-ex").await.unwrap().suppressed);
    remember(&alice, "anew", "ann", "Her ex is called Tom").await.unwrap();
    let status = lift(&alice, &suppression.suppression_id).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "SUPPRESSION_NOT_FOUND"));
}

#[tokio::test]
async fn it_is_listed_and_lifted_by_those_whom_it_concerns() {
    let Scene { server: _server, alice, bob, admin, .. } = start().await;
    forget_for_good(&alice, by_id("a-ex"), SOFT).await;
    let id = alice.suppressions().await.unwrap()[0].suppression_id.clone();
    assert!(bob.suppressions().await.unwrap().is_empty());
    assert_eq!(admin.suppressions().await.unwrap().len(), 1);
    assert_eq!(reason(&lift(&bob, &id).await.unwrap_err()), "SUPPRESSION_NOT_FOUND");
    // Made for a memory of Bob's by somebody else, it is his to see and not to lift.
    forget_for_good(&admin, by_id("b-other"), SOFT).await;
    let id = bob.suppressions().await.unwrap()[0].suppression_id.clone();
    let status = lift(&bob, &id).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "CAPABILITY_MISSING"));
    let refused = restore(&bob, "b-other", true).await;
    assert_eq!((refused.refused, refused.suppressions_lifted), (1, 0));
    assert!(lift(&admin, &id).await.is_ok());
}

#[tokio::test]
async fn a_restore_needs_to_lift_it() {
    let Scene { server: _server, alice, bob, .. } = start().await;
    let operation = forget_for_good(&alice, by_id("a-ex"), SOFT).await.operation_id;
    let refused = restore(&alice, "a-ex", false).await;
    assert_eq!((refused.requested, refused.restored, refused.refused), (1, 0, 1));
    assert_eq!(refused.results[0].outcome(), Outcome::Refused);
    assert!(refused.results[0].error.as_ref().unwrap().message.contains("suppress"));
    let request = RestoreRequest { operation_id: Some(operation), ..RestoreRequest::default() };
    let refused = alice.lifecycle.clone().restore(request).await.unwrap().into_inner();
    assert_eq!((refused.restored, refused.refused), (0, 1));
    let restored = restore(&alice, "a-ex", true).await;
    assert_eq!((restored.restored, restored.suppressions_lifted), (1, 1));
    assert_eq!(alice.recall("tom").await.unwrap(), ["a-ex"]);
    assert_eq!(bob.recall("tom").await.unwrap().len(), 2);
}

#[tokio::test]
async fn one_stands_for_each_content_however_often_it_is_met() {
    let Scene { server: _server, alice, .. } = start().await;
    remember(&alice, "a-twin", "ann", "her ex is called tom").await.unwrap();
    remember(&alice, "a-more", "ann", "She moved").await.unwrap();
    let preview = PreviewRequest {
        selector: Some(Selector { memory_ids: texts(&["a-ex", "a-twin", "a-more"]), ..Selector::default() }),
        cause: ForgetCause::UserRequest.into(),
        ..PreviewRequest::default()
    };
    assert_eq!(alice.lifecycle.clone().preview(preview).await.unwrap().into_inner().suppressions, 2);
    let request = BatchForgetRequest {
        memory_ids: texts(&["a-ex", "a-twin", "a-more", "a-ex"]),
        cause: ForgetCause::UserRequest.into(),
        ..BatchForgetRequest::default()
    };
    let response = alice.lifecycle.clone().batch_forget(request).await.unwrap().into_inner();
    assert_eq!((response.archived, response.already_forgotten, response.suppressions), (3, 1, 2));
    assert_eq!(alice.suppressions().await.unwrap().len(), 2);
    // Asked for again, nothing is written.
    let again = forget_for_good(&alice, by_id("a-ex"), SOFT).await;
    assert_eq!((again.already_forgotten, again.suppressions, again.audit.unwrap().first_sequence), (1, 0, 0));
}

#[tokio::test]
async fn an_archived_memory_can_be_suppressed_later() {
    let Scene { server: _server, alice, bob, .. } = start().await;
    alice.forget("a-ex", SOFT).await.unwrap();
    let response = forget_for_good(&alice, by_id("a-ex"), SOFT).await;
    assert_eq!((response.already_forgotten, response.suppressions), (1, 1));
    assert_eq!(bob.recall("tom").await.unwrap(), ["b-other"]);
}

#[tokio::test]
async fn a_set_is_suppressed_as_a_whole() {
    let Scene { server: _server, alice, bob, .. } = start().await;
    remember(&alice, "a-more", "ann", "Tom called").await.unwrap();
    let request = PreviewRequest {
        selector: Some(by_words("tom")),
        cause: ForgetCause::UserRequest.into(),
        ..PreviewRequest::default()
    };
    let preview = alice.lifecycle.clone().preview(request).await.unwrap().into_inner();
    assert_eq!((preview.matched, preview.suppressions), (2, 2));
    let request = ForgetRequest {
        selector: Some(by_words("tom")),
        cause: ForgetCause::UserRequest.into(),
        confirmation_token: preview.confirmation_token,
        ..ForgetRequest::default()
    };
    let response = alice.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert_eq!((response.archived, response.suppressions), (2, 2));
    assert_eq!(bob.recall("tom").await.unwrap(), ["b-other"]);
}

#[tokio::test]
async fn settled_facts_are_hidden_by_administrators_only() {
    let Scene { server: _server, alice, admin, bob, .. } = start().await;
    let fact = RememberRequest {
        memory_id: "fact".to_owned(),
        subject_id: "ann".to_owned(),
        content: "Her ex is called Tom".to_owned(),
        kind: MemoryKind::Fact.into(),
        ..RememberRequest::default()
    };
    admin.store.clone().remember(fact).await.unwrap();
    forget_for_good(&alice, by_id("a-ex"), SOFT).await;
    assert_eq!(admin.recall("tom").await.unwrap(), ["fact", "b-other"]);
    // An administrator's takes its place, under the same name.
    let id = alice.suppressions().await.unwrap()[0].suppression_id.clone();
    assert_eq!(forget_for_good(&admin, by_id("b-ex"), SOFT).await.suppressions, 1);
    assert_eq!(admin.recall("tom").await.unwrap(), ["b-other"]);
    let listed = admin.suppressions().await.unwrap();
    assert_eq!((listed.len(), listed[0].suppression_id.as_str()), (1, id.as_str()));
    assert_eq!(reason(&lift(&alice, &id).await.unwrap_err()), "CAPABILITY_MISSING", "no longer hers to lift");
    assert_eq!(alice.suppressions().await.unwrap().len(), 1, "and still of her concern");
    assert_eq!(reason(&lift(&bob, &id).await.unwrap_err()), "SUPPRESSION_NOT_FOUND");
    remember_fact(&admin, "other-fact", "something else").await;
}

#[tokio::test]
async fn the_log_says_what_was_suppressed_and_lifted_and_why() {
    let Scene { server: _server, alice, admin, .. } = start().await;
    forget_for_good(&alice, by_id("a-ex"), SOFT).await;
    let id = alice.suppressions().await.unwrap()[0].suppression_id.clone();
    lift(&alice, &id).await.unwrap();
    let log = admin.audit_records().await.unwrap();
    chain::verify("default", &log).unwrap();
    let of_suppression: Vec<_> = log.iter().filter(|record| !record.suppression_id.is_empty()).collect();
    let said: Vec<_> = of_suppression
        .iter()
        .map(|record| (record.action(), record.cause(), record.memory_id.as_str(), record.agent_id.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (AuditAction::Suppressed, ForgetCause::UserRequest, "a-ex", "alice"),
            (AuditAction::SuppressionLifted, ForgetCause::Unspecified, "a-ex", "alice"),
        ]
    );
    assert!(of_suppression.iter().all(|record| record.suppression_id == id));
    assert_eq!(of_suppression[0].reason, WISH);
    let archived = log.iter().find(|record| record.action() == AuditAction::Archived).unwrap();
    assert_eq!(archived.cause(), ForgetCause::UserRequest);
}

#[tokio::test]
async fn nothing_is_promised_while_what_is_stored_has_no_fingerprint() {
    let database = Database::migrated().await;
    let settings = crate::harness::ServerSettings {
        sweep_interval: std::time::Duration::from_secs(1),
        ..crate::harness::settings()
    };
    let server = Server::start_with(&database, settings).await;
    let (alice, bob) = (server.caller_of("default", "alice"), server.caller_of("default", "bob"));
    remember(&alice, "a", "ann", "said").await.unwrap();
    remember(&bob, "b", "ann", "Said").await.unwrap();
    // As an old binary left them; the sweeper comes by in a second.
    database.execute("UPDATE memory_contents SET fingerprint = NULL").await;
    let request = ForgetRequest {
        selector: by_id("a"),
        cause: ForgetCause::UserRequest.into(),
        ..ForgetRequest::default()
    };
    let mut refused = 0;
    loop {
        match alice.lifecycle.clone().forget(request.clone()).await {
            Ok(_) => break,
            Err(status) => assert_eq!(reason(&status), "STORE_UNAVAILABLE"),
        }
        refused += 1;
        assert!(refused < 100_000, "the sweeper never came");
    }
    assert!(bob.recall("said").await.unwrap().is_empty());
}
