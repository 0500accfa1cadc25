//! Two tenants with the same history, so that every label, key, version, sequence, name and request id of one is one of
//! the other's too. Whatever is done in one, the other's rows stay as they are, and neither sees anything twice.

use memory_lifecycle::proto::v1::{
    Filter, ForgetMode, GetOperationRequest, ListAuditRecordsRequest, ListMemoriesRequest,
    ListOperationsRequest, MemoryKind, PreviewRequest, RememberRequest, RestoreRequest, Selector,
};
use sqlx::{AssertSqlSafe, PgConnection};

use super::scene::{ABROAD, AGENT, ANOTHER, HOME, Scene, archive, bring, correct, keep};
use crate::harness::Caller;

const REQUEST: &str = "5f0c2a9e-3a34-4a55-9d5e-6a1f8f0c7b21";

/// The same for every tenant.
async fn live(scene: &Scene, tenant: &str) {
    let caller = scene.caller(tenant, AGENT);
    keep(&caller, "asked", MemoryKind::Memory, Some(REQUEST)).await;
    for id in ["read", "corrected", "archived", "erased", "purging"] {
        caller.remember(id, "text").await.unwrap();
    }
    bring(&caller, "brought", "import").await;
    scene.caller(tenant, ANOTHER).remember("another", "text").await.unwrap();
    archive(&caller, "purging").await;
    scene.pass_purge_time(tenant, "purging").await;
    in_graph(&caller, "in-a-graph", "work").await;
}

async fn in_graph(caller: &Caller, id: &str, graph: &str) {
    let request = RememberRequest {
        memory_id: id.to_owned(),
        content: "text".to_owned(),
        graph_id: graph.to_owned(),
        ..RememberRequest::default()
    };
    caller.store.clone().remember(request).await.unwrap();
}

/// All rows of a tenant in all tables, as text.
async fn rows_of(connection: &mut PgConnection, tenant: &str) -> Vec<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.columns
         WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name",
    )
    .fetch_all(&mut *connection)
    .await
    .unwrap();
    assert!(tables.len() >= 8, "every table is read");
    let mut rows = Vec::new();
    for table in tables {
        let statement = format!("SELECT t::text FROM {table} AS t WHERE tenant_id = $1 ORDER BY 1");
        let found: Vec<String> = sqlx::query_scalar(AssertSqlSafe(statement))
            .bind(tenant)
            .fetch_all(&mut *connection)
            .await
            .unwrap();
        rows.extend(found.into_iter().map(|row| format!("{table} {row}")));
    }
    rows
}

fn sorted(ids: impl Iterator<Item = String>) -> Vec<String> {
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids
}

/// What every method does with what is its caller's.
async fn use_everything(scene: &Scene, tenant: &str) {
    let (caller, admin) = (scene.caller(tenant, AGENT), scene.admin(tenant, "administrator"));
    read_everything(&caller, &admin).await;
    keep(&caller, "asked", MemoryKind::Memory, Some(REQUEST)).await; // A repeated call.
    correct(&caller, "corrected", "other").await;
    let operation = archive(&caller, "archived").await;
    let by_operation =
        RestoreRequest { operation_id: Some(operation.clone()), ..RestoreRequest::default() };
    let shown = |id: String| GetOperationRequest { operation_id: Some(id), request_id: None };
    let shown = caller.lifecycle.clone().get_operation(shown(operation)).await.unwrap().into_inner();
    assert!(shown.operation.unwrap().restorable);
    assert_eq!(caller.lifecycle.clone().restore(by_operation).await.unwrap().into_inner().restored, 1);
    assert_eq!(caller.forget("erased", ForgetMode::Hard).await.unwrap().erased, 1);
    assert!(caller.forget("purging", ForgetMode::Hard).await.is_err());
    in_graph(&caller, "new-graph", "play").await;
    assert_eq!(caller.batch_forget(&["brought", "read"], ForgetMode::Soft).await.unwrap().archived, 2);
    assert_eq!(caller.restore(&["read", "brought"]).await.unwrap().restored, 2);
}

async fn read_everything(caller: &Caller, admin: &Caller) {
    let mine = ["archived", "asked", "brought", "corrected", "erased", "in-a-graph", "read"];
    let listed = caller.list_all().await.unwrap().into_iter().map(|memory| memory.memory_id);
    assert_eq!(sorted(listed), mine);
    let mut all: Vec<String> = mine.iter().map(|id| (*id).to_owned()).collect();
    all.push("another".to_owned());
    let listed = admin.list_all().await.unwrap().into_iter().map(|memory| memory.memory_id);
    assert_eq!(sorted(listed), sorted(all.into_iter()));
    assert_eq!(caller.get("read").await.unwrap().memory_id, "read");

    let filter = Some(Filter { graph_id: Some("play".to_owned()), ..Filter::default() });
    let unknown_graph = ListMemoriesRequest { filter, ..ListMemoriesRequest::default() };
    assert!(caller.store.clone().list_memories(unknown_graph).await.is_err(), "no graph of another tenant");

    let selector = Some(Selector { memory_ids: vec!["read".to_owned()], ..Selector::default() });
    let request = PreviewRequest { selector, ..PreviewRequest::default() };
    let preview = caller.lifecycle.clone().preview(request).await.unwrap().into_inner();
    assert_eq!((preview.matched, preview.items.len()), (1, 1));

    let by_request = GetOperationRequest { operation_id: None, request_id: Some(REQUEST.to_owned()) };
    let found = caller.lifecycle.clone().get_operation(by_request).await.unwrap().into_inner();
    assert_eq!(found.operation.unwrap().request_id, REQUEST);
    let operations =
        caller.lifecycle.clone().list_operations(ListOperationsRequest::default()).await.unwrap();
    let operations = operations.into_inner().operations;
    assert_eq!(operations.len(), 9);

    // One agent's records, all, and those under one label.
    assert_eq!(caller.audit_records().await.unwrap().len(), 9);
    let sequences = admin.audit_records().await.unwrap().into_iter().map(|record| record.sequence);
    assert_eq!(sequences.collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    let of_memory =
        ListAuditRecordsRequest { memory_id: Some("purging".to_owned()), ..ListAuditRecordsRequest::default() };
    assert_eq!(caller.audit.clone().list_audit_records(of_memory).await.unwrap().into_inner().records.len(), 2);
    let last = operations.first().unwrap();
    let of_operation = ListAuditRecordsRequest {
        operation_id: Some(last.operation_id.clone()),
        start_time: last.commit_time,
        ..ListAuditRecordsRequest::default()
    };
    let records = caller.audit.clone().list_audit_records(of_operation).await.unwrap().into_inner().records;
    assert_eq!(records.len(), 1);
}

#[tokio::test]
async fn nothing_that_is_done_in_a_tenant_is_seen_or_felt_in_its_twin() {
    let scene = Scene::new().await;
    for tenant in [HOME, ABROAD] {
        live(&scene, tenant).await;
    }
    let mut connection = scene.database.superuser().await;
    for (tenant, twin) in [(HOME, ABROAD), (ABROAD, HOME)] {
        let before = rows_of(&mut connection, twin).await;
        use_everything(&scene, tenant).await;
        assert_eq!(rows_of(&mut connection, twin).await, before, "the rows of {twin}");
    }
    crate::lanes::assert_log_explains_rows(&scene.database).await;
}

#[tokio::test]
async fn rehearsals_and_previews_of_a_tenant_leave_all_rows_alone() {
    let scene = Scene::new().await;
    live(&scene, HOME).await;
    let mut connection = scene.database.superuser().await;
    let before = rows_of(&mut connection, HOME).await;
    read_everything(&scene.caller(HOME, AGENT), &scene.admin(HOME, "administrator")).await;
    assert_eq!(rows_of(&mut connection, HOME).await, before);
}
