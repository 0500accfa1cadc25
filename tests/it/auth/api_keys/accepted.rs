//! What a key is good for: exactly what was said when it was made.

use memory_lifecycle::domain::capability::{Capabilities, Capability};
use memory_lifecycle::proto::v1::{ForgetMode, ForgetRequest, ListAuditRecordsRequest};

use super::stage::{Holder, alice, make, principal, server};
use crate::harness::caller::by_id;
use crate::harness::{Database, reason};

const REQUEST: &str = "00000000-0000-4000-8000-000000000001";

#[tokio::test]
async fn a_key_stands_for_its_tenant_agent_and_principal() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let holder = Holder::of(&server, &make(&database, &alice()).await.text);
    let saved = holder.remember("first").await.unwrap();
    assert_eq!(saved.agent_id, "alice");
    let page = holder.audit.clone().list_audit_records(ListAuditRecordsRequest::default()).await;
    let records = page.unwrap().into_inner().records;
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!((record.principal_id.as_str(), record.agent_id.as_str()), ("auth0|alice", "alice"));
    assert_eq!(database.value::<String>("SELECT tenant_id FROM audit_records").await, "acme");
    server.stop().await;
}

/// A call for each capability that this release asks for, and what it takes.
async fn answers(holder: &Holder) -> Vec<(Capability, Result<(), String>)> {
    let forget = |mode: ForgetMode| {
        let request =
            ForgetRequest { selector: by_id("none"), mode: mode.into(), ..ForgetRequest::default() };
        let mut lifecycle = holder.lifecycle.clone();
        async move { lifecycle.forget(request).await }
    };
    let said = |status: tonic::Status| match reason(&status).as_str() {
        "MEMORY_NOT_FOUND" => Ok(()),
        other => Err(other.to_owned()),
    };
    let list = holder.audit.clone().list_audit_records(ListAuditRecordsRequest::default()).await;
    vec![
        (Capability::MemoryRead, holder.get("none").await.map(drop).or_else(said)),
        (Capability::MemoryWrite, forget(ForgetMode::Soft).await.map(drop).or_else(said)),
        (Capability::MemoryErase, forget(ForgetMode::Hard).await.map(drop).or_else(said)),
        (Capability::AuditRead, list.map(drop).or_else(said)),
    ]
}

#[tokio::test]
async fn a_key_may_do_exactly_what_its_capabilities_say() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    for held in Capability::ALL {
        let key = make(&database, &principal("acme", "alice", "alice", held.into())).await;
        for (needed, answer) in answers(&Holder::of(&server, &key.text)).await {
            let expected = if needed == held { Ok(()) } else { Err("CAPABILITY_MISSING".to_owned()) };
            assert_eq!(answer, expected, "{needed:?} with {held:?}");
        }
    }
    let key = make(&database, &principal("acme", "alice", "alice", Capabilities::ALL)).await;
    for (needed, answer) in answers(&Holder::of(&server, &key.text)).await {
        assert_eq!(answer, Ok(()), "{needed:?} with all");
    }
    server.stop().await;
}

#[tokio::test]
async fn metadata_beside_a_key_changes_nothing() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let key = make(&database, &principal("acme", "alice", "alice", Capability::MemoryWrite.into())).await;
    let more = [
        ("x-tenant-id", "globex"),
        ("x-agent-id", "mallory"),
        ("x-admin", "true"),
        ("x-capabilities", "memory:read memory:admin"),
    ];
    let holder = Holder::with(&server, &key.text, &more);
    assert_eq!(holder.remember("first").await.unwrap().agent_id, "alice");
    assert_eq!(reason(&holder.get("first").await.unwrap_err()), "CAPABILITY_MISSING");
    let where_: String = database.value("SELECT tenant_id || ' ' || principal_id FROM audit_records").await;
    assert_eq!(where_, "acme alice");
    server.stop().await;
}

#[tokio::test]
async fn keys_of_one_tenant_reach_nothing_of_another() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let ours = Holder::of(&server, &make(&database, &alice()).await.text);
    let theirs = principal("globex", "alice", "auth0|alice", Capabilities::ALL);
    let theirs = Holder::of(&server, &make(&database, &theirs).await.text);
    ours.remember("first").await.unwrap();
    assert_eq!(reason(&theirs.get("first").await.unwrap_err()), "MEMORY_NOT_FOUND");
    theirs.remember("first").await.unwrap();
    assert_eq!(ours.get("first").await.unwrap().agent_id, "alice");
    server.stop().await;
}

#[tokio::test]
async fn two_keys_of_a_principal_share_its_request_ids() {
    let database = Database::migrated().await;
    let server = server(&database).await;
    let mut operations = Vec::new();
    for id in ["auth0|alice", "auth0|alice", "auth0|another"] {
        let key = make(&database, &principal("acme", "alice", id, Capabilities::ALL)).await;
        let holder = Holder::of(&server, &key.text);
        if operations.is_empty() {
            holder.remember("first").await.unwrap();
        }
        let request = ForgetRequest {
            selector: by_id("first"),
            mode: ForgetMode::Soft.into(),
            request_id: REQUEST.to_owned(),
            ..ForgetRequest::default()
        };
        let answer = holder.lifecycle.clone().forget(request).await.unwrap();
        let operation = answer.metadata().get("x-operation-id").unwrap().to_str().unwrap();
        operations.push(operation.to_owned());
    }
    assert_eq!(operations[0], operations[1], "the second key replays the call of the first");
    assert_ne!(operations[0], operations[2], "another principal's request id is its own");
    server.stop().await;
}
