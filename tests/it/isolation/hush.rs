//! The twins' part in sets, recall and suppressions: what is found, hidden, suppressed and lifted in a tenant is its own.

use memory_lifecycle::domain::capability::Capabilities;
use memory_lifecycle::domain::command::{Body, Call, Command};
use memory_lifecycle::domain::facts::{Facts, Head};
use memory_lifecycle::domain::filter::Filter;
use memory_lifecycle::domain::forget::{Cause, Choice, ChosenSet, Forget, Mode, Named, Sighting};
use memory_lifecycle::domain::ids::{AgentId, OperationId, PrincipalId, TenantId};
use memory_lifecycle::domain::operation::Method;
use memory_lifecycle::domain::principal::Principal;
use memory_lifecycle::domain::selection::{Scope, Selection, Set};
use memory_lifecycle::domain::suppression::Fingerprinter;
use memory_lifecycle::proto::v1::{
    self, ForgetCause, ForgetMode, ForgetRequest, ImportItem, ImportMemoriesRequest, LiftSuppressionRequest,
    ListMemoriesRequest, PreviewRequest, RecallMemoriesRequest, RememberRequest, Selector,
};
use memory_lifecycle::storage::batch_facts::{self, FactsByTenant};
use memory_lifecycle::storage::fingerprints;
use sqlx::{ConnectOptions, PgConnection};
use uuid::Uuid;

use super::methods::suppressing;
use super::scene::{ABROAD, HOME, Scene};
use super::twins::WHY;
use crate::harness::caller::by_words;
use crate::harness::{Caller, reason};

const HUSHING: &str = "hushing";
const ECHOING: &str = "echoing";
const SUBJECT: &str = "ann";
const SUPPRESSION: &str = "018f3a5c-7c1e-8b6a-9d2e-3f4a5b6c7d8e";
/// The memories that it adds, of all agents, and the records.
pub(super) const ADDED: [&str; 6] = ["echo", "foreign-words", "hushed", "kept-words", "more-words", "taken"];
pub(super) const RECORDS: i64 = 8;

/// Gives a tenant somebody who asked not to hear of something, and somebody who still says it.
pub(super) async fn live(scene: &Scene, tenant: &str) {
    let (hushing, echoing) = (scene.caller(tenant, HUSHING), scene.caller(tenant, ECHOING));
    for (caller, id) in [(&hushing, "hushed"), (&echoing, "echo")] {
        let request = RememberRequest {
            memory_id: id.to_owned(),
            subject_id: SUBJECT.to_owned(),
            content: "hush now".to_owned(),
            ..RememberRequest::default()
        };
        caller.store.clone().remember(request).await.unwrap();
    }
    let request = ForgetRequest { reason: WHY.to_owned(), ..suppressing("hushed", ForgetMode::Soft) };
    hushing.lifecycle.clone().forget(request).await.unwrap();
    for (caller, id) in [(&hushing, "kept-words"), (&hushing, "more-words"), (&echoing, "foreign-words")] {
        caller.remember(id, "words one").await.unwrap();
    }
    let item = ImportItem {
        memory_id: "taken".to_owned(),
        content: "words of an import".to_owned(),
        ..ImportItem::default()
    };
    let request = ImportMemoriesRequest {
        import_id: "takeout".to_owned(),
        items: vec![item],
        ..ImportMemoriesRequest::default()
    };
    hushing.store.clone().import_memories(request).await.unwrap();
    scene.database.execute(NAME).await;
}

/// Gives the suppression its name.
const NAME: &str = "UPDATE suppressions SET suppression_id = '018f3a5c-7c1e-8b6a-9d2e-3f4a5b6c7d8e'";

/// What only the twin has: another fingerprint of what says the same, and an import.
pub(super) const DIFFER: &str = "
UPDATE memory_contents AS c SET fingerprint = sha256(c.fingerprint)
FROM memories AS m
WHERE m.tenant_id = c.tenant_id AND m.memory_key = c.memory_key AND m.tenant_id = 'abroad' AND m.memory_id = 'taken';
INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state, principal_id,
                           agent_id, commit_time, mode, graph_id, import_id, kind, previous_hash, hash)
SELECT tenant_id, 1000, operation_id, memory_id, 1, 0, 1, 'hushing', 'hushing', commit_time, 0, graph_id, 'elsewhere',
       1, previous_hash, hash
FROM audit_records WHERE tenant_id = 'abroad' AND sequence = 1";

/// Takes the fingerprints of a memory that both tenants have and that lost its own.
pub(super) async fn add_fingerprints(scene: &Scene, connection: &mut PgConnection) {
    scene
        .database
        .execute(
            "UPDATE memory_contents AS c SET fingerprint = NULL FROM memories AS m
             WHERE m.tenant_id = c.tenant_id AND m.memory_key = c.memory_key AND m.memory_id = 'corrected'",
        )
        .await;
    let fingerprinter = Fingerprinter::new([8; 32]);
    let mut through = scene.proxy.connect().connect().await.unwrap();
    fingerprints::add_missing(&mut through, &fingerprinter, 100).await.unwrap();
    for tenant in [HOME, ABROAD] {
        let found: Vec<u8> = sqlx::query_scalar(
            "SELECT c.fingerprint FROM memory_contents AS c JOIN memories AS m USING (tenant_id, memory_key)
             WHERE m.tenant_id = $1 AND m.memory_id = 'corrected'",
        )
        .bind(tenant)
        .fetch_one(&mut *connection)
        .await
        .unwrap();
        let wanted = fingerprinter.of(&TenantId::parse(tenant).unwrap(), None, "text");
        assert_eq!(found, wanted.0, "{tenant}");
    }
    // What the twin lacks keeps nobody at home from suppressing anything.
    let statement = "UPDATE memory_contents AS c SET fingerprint = NULL FROM memories AS m
                     WHERE m.tenant_id = c.tenant_id AND m.memory_key = c.memory_key
                       AND m.tenant_id = 'abroad' AND m.memory_id = 'corrected'";
    scene.database.execute(statement).await;
}

async fn previewed(caller: &Caller, selector: Selector) -> (i64, i64, String) {
    let request = PreviewRequest {
        selector: Some(selector),
        cause: ForgetCause::UserRequest.into(),
        ..PreviewRequest::default()
    };
    let preview = caller.lifecycle.clone().preview(request).await.unwrap().into_inner();
    assert_eq!(i64::try_from(preview.items.len()).unwrap(), preview.matched);
    (preview.matched, preview.suppressions, preview.confirmation_token)
}

fn of_import(import: &str) -> Selector {
    Selector { import_id: Some(import.to_owned()), ..Selector::default() }
}

/// Finds, forgets, suppresses and lifts, at home.
pub(super) async fn check(scene: &Scene) {
    let (hushing, echoing) = (scene.caller(HOME, HUSHING), scene.caller(HOME, ECHOING));
    let admin = scene.admin(HOME, "administrator");
    assert!(echoing.recall("hush").await.unwrap().is_empty());
    assert!(echoing.get("echo").await.unwrap().suppressed);
    let request = RecallMemoriesRequest { query: "words".to_owned(), ..RecallMemoriesRequest::default() };
    let recalled = hushing.store.clone().recall_memories(request).await.unwrap().into_inner();
    let shown = recalled.memories.iter().map(|memory| (memory.memory_id.as_str(), memory.content.as_str()));
    let wanted = [("taken", "words of an import"), ("more-words", "words one"), ("kept-words", "words one")];
    assert_eq!(shown.collect::<Vec<_>>(), wanted);
    assert_eq!(recalled.next_page_token, "", "each was met once");
    let filter = v1::Filter { agent_id: Some(ECHOING.to_owned()), ..v1::Filter::default() };
    let request = ListMemoriesRequest { filter: Some(filter), ..ListMemoriesRequest::default() };
    let listed = admin.store.clone().list_memories(request).await.unwrap().into_inner().memories;
    assert_eq!(listed.len(), 2);

    let all = Selector { scope: Some(v1::Scope::All.into()), ..Selector::default() };
    assert_eq!(previewed(&hushing, all).await.0, 3);
    let (matched, suppressions, token) = previewed(&hushing, by_words("words")).await;
    assert_eq!((matched, suppressions), (3, 2));
    assert_eq!(previewed(&hushing, of_import("takeout")).await.0, 1);
    let unknown = PreviewRequest { selector: Some(of_import("elsewhere")), ..PreviewRequest::default() };
    assert_eq!(reason(&hushing.lifecycle.clone().preview(unknown).await.unwrap_err()), "IMPORT_NOT_FOUND");

    let request =
        ForgetRequest { verify: true, ..super::methods::forgetting("kept-words", ForgetMode::Soft) };
    let response = hushing.lifecycle.clone().forget(request).await.unwrap().into_inner();
    let verification = response.verification.unwrap();
    assert_eq!((verification.still_recallable, verification.same_content_elsewhere), (0, 1));
    assert_eq!(hushing.restore(&["kept-words"]).await.unwrap().restored, 1);
    let request = ForgetRequest {
        selector: Some(by_words("words")),
        cause: ForgetCause::UserRequest.into(),
        confirmation_token: token,
        ..ForgetRequest::default()
    };
    let status = hushing.lifecycle.clone().forget(request.clone()).await.unwrap_err();
    assert_eq!(reason(&status), "SELECTION_CHANGED", "a memory has another version");
    let (_, _, token) = previewed(&hushing, by_words("words")).await;
    let request = ForgetRequest { confirmation_token: token, ..request };
    let response = hushing.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert_eq!((response.archived, response.suppressions), (3, 2));

    let listed = hushing.suppressions().await.unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!((listed[2].suppression_id.as_str(), listed[2].reason.as_str()), (SUPPRESSION, WHY));
    let request = LiftSuppressionRequest {
        suppression_id: SUPPRESSION.to_owned(),
        ..LiftSuppressionRequest::default()
    };
    let answer = hushing.governance.clone().lift_suppression(request).await.unwrap().into_inner();
    assert_eq!(answer.suppression.unwrap().reason, WHY);
    // Of the twin it still is.
    assert_eq!(echoing.recall("hush").await.unwrap(), ["echo"]);
    assert!(!echoing.get("echo").await.unwrap().suppressed);
    for caller in [&echoing, &admin] {
        let echo = caller.list_all().await.unwrap().into_iter().find(|memory| memory.memory_id == "echo");
        assert!(!echo.unwrap().suppressed);
    }
    assert_eq!(hushing.restore(&["hushed"]).await.unwrap().restored, 1);
    assert_eq!(previewed(&hushing, by_words("hush")).await.1, 1);
}

/// What a forget under the lock looks at again, of the tenant alone.
pub(super) async fn look_again(scene: &Scene) {
    let mut connection = scene.proxy.connect().connect().await.unwrap();
    let tenant = TenantId::parse(HOME).unwrap();
    let set = Set { selection: Selection::Scope(Scope::All), filter: Filter::default() };
    let chosen = ChosenSet { set: set.clone(), asked: [0; 32], token: None };
    let sighting = Sighting { sequence: 0, set: Some(set), members: Vec::new(), vacant: None, refusal: None };
    let principal = Principal {
        tenant: tenant.clone(),
        agent: AgentId::parse(HUSHING).unwrap(),
        id: PrincipalId::parse(HUSHING).unwrap(),
        capabilities: Capabilities::NONE,
    };
    let forget = Forget {
        named: Named::Seen(Box::new(Choice::Set(chosen)), Box::new(sighting)),
        targets: Vec::new(),
        filter: Filter::default(),
        mode: Mode::Soft,
        cause: Cause::Correction,
        etag: None,
        single: false,
        verify: false,
    };
    let command = Command {
        call: Call {
            principal,
            method: Method::Forget,
            operation_id: OperationId(Uuid::nil()),
            expiry_operation_id: OperationId(Uuid::nil()),
            request: None,
            reason: None,
            channel: None,
            trace_id: None,
        },
        body: Body::Forget(forget),
    };
    let head = Head { sequence: 1, ..Head::EMPTY };
    let mut facts = FactsByTenant::from([(tenant.clone(), Facts::new(tenant.clone(), head))]);
    let fingerprinter = Fingerprinter::new([8; 32]);
    batch_facts::load(&mut connection, &mut facts, &[&command], &fingerprinter).await.unwrap();
    assert_eq!(facts[&tenant].changed_since(0).count(), 4, "all of that agent, and nobody else's");
}
