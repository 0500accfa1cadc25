//! Two tenants with the same rows, so that every label, key, version, sequence, name, operation and request id of one is
//! one of the other's too. Whatever is done in one, the other's rows stay as they are, and nothing is seen twice.

use memory_lifecycle::domain::Timestamp;
use memory_lifecycle::domain::ids::{OperationId, TenantId};
use memory_lifecycle::proto::v1::{
    Filter, ForgetMode, ForgetRequest, GetOperationRequest, ListAuditRecordsRequest, ListMemoriesRequest,
    ListOperationsRequest, MemoryKind, Operation, PreviewRequest, RememberRequest, RestoreRequest, Selector,
};
use memory_lifecycle::storage::{heads, read_audit, retention};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection};
use tonic::Status;
use uuid::Uuid;

use super::hush;
use super::methods::forgetting;
use super::scene::{ABROAD, AGENT, ANOTHER, HOME, Scene, bring, correct, keep};
use crate::harness::caller::by_id;
use crate::harness::{Caller, reason};

const REQUEST: &str = "5f0c2a9e-3a34-4a55-9d5e-6a1f8f0c7b21";
const OLD_REQUEST: &str = "5f0c2a9e-3a34-4a55-9d5e-6a1f8f0c7b22";
/// The operation that archived "stored".
const STORING: &str = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";
const ADMINISTRATOR: &str = "administrator";
pub(super) const WHY: &str = "for a reason";

/// Gives a tenant some history.
async fn live(scene: &Scene, tenant: &str) {
    let caller = scene.caller(tenant, AGENT);
    keep(&caller, "asked", MemoryKind::Memory, Some(REQUEST)).await;
    for id in ["read", "corrected", "archived", "erased", "purging"] {
        caller.remember(id, "text").await.unwrap();
    }
    bring(&caller, "brought", "import").await;
    scene.caller(tenant, ANOTHER).remember("another", "text").await.unwrap();
    explained(&caller, "purging").await;
    scene.pass_purge_time(tenant, "purging").await;
    in_graph(&caller, "in-a-graph", "work").await;
    caller.remember("stored", "text").await.unwrap();
    explained(&caller, "stored").await;
    keep(&caller, "old", MemoryKind::Memory, Some(OLD_REQUEST)).await;
    // Of another agent, by an administrator.
    scene.caller(tenant, ANOTHER).remember("administered", "text").await.unwrap();
    explained(&scene.admin(tenant, ADMINISTRATOR), "administered").await;
    hush::live(scene, tenant).await;
    scene.database.execute(SETTLE).await;
}

/// Gives the operation that archived "stored" its name, and makes a request id old enough to be forgotten.
const SETTLE: &str = "
UPDATE operations SET operation_id = '018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e'
WHERE operation_id = (SELECT forget_operation_id FROM memories WHERE memory_id = 'stored');
UPDATE operation_reasons SET operation_id = '018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e'
WHERE operation_id = (SELECT forget_operation_id FROM memories WHERE memory_id = 'stored');
UPDATE audit_records SET operation_id = '018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e'
WHERE operation_id = (SELECT forget_operation_id FROM memories WHERE memory_id = 'stored');
UPDATE memories SET forget_operation_id = '018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e' WHERE memory_id = 'stored';
UPDATE requests SET create_time = now() - interval '31 days'
WHERE request_id = '5f0c2a9e-3a34-4a55-9d5e-6a1f8f0c7b22'";

/// Archives a memory, says why, and answers the operation's id.
async fn explained(caller: &Caller, id: &str) -> String {
    let request = ForgetRequest { reason: WHY.to_owned(), ..forgetting(id, ForgetMode::Soft) };
    caller.lifecycle.clone().forget(request).await.unwrap().into_inner().operation_id
}

/// Makes the twin: all rows again, with other words.
async fn double(connection: &mut PgConnection) {
    for table in tables(connection).await {
        let columns: Vec<String> = sqlx::query_scalar(
            "SELECT column_name::text FROM information_schema.columns
             WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position",
        )
        .bind(&table)
        .fetch_all(&mut *connection)
        .await
        .unwrap();
        let value = |column: &String| match column.as_str() {
            "tenant_id" => format!("'{ABROAD}'"),
            "content" | "reason" => "'of the twin'".to_owned(),
            "answer" => "replace(answer::text, 'asked', 'twins')::json".to_owned(),
            "commit_time" => "commit_time + interval '1 hour'".to_owned(),
            _ => column.clone(),
        };
        let values = columns.iter().map(value).collect::<Vec<_>>().join(", ");
        let statement = format!(
            "INSERT INTO {table} ({}) SELECT {values} FROM {table} WHERE tenant_id = '{HOME}'",
            columns.join(", ")
        );
        // Whoever looks without an index meets the twin's rows first.
        let behind = format!("UPDATE {table} SET tenant_id = tenant_id WHERE tenant_id = '{HOME}'");
        for statement in [statement, behind] {
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await.unwrap();
        }
    }
    for differing in [DIFFER, hush::DIFFER] {
        sqlx::raw_sql(differing).execute(&mut *connection).await.unwrap();
    }
}

/// What only the twin has: a graph, and a request id that is old enough to be forgotten.
const DIFFER: &str = "
INSERT INTO graphs (tenant_id, graph_id) VALUES ('abroad', 'play');
UPDATE requests SET create_time = now() - interval '31 days' WHERE tenant_id = 'abroad'";

/// The tables that hold what belongs to tenants, those that others refer to first.
async fn tables(connection: &mut PgConnection) -> Vec<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.columns
         WHERE table_schema = 'public' AND column_name = 'tenant_id'
         ORDER BY table_name = 'memory_contents', table_name",
    )
    .fetch_all(connection)
    .await
    .unwrap();
    assert!(tables.len() >= 8, "every table is found");
    tables
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
    let mut rows = Vec::new();
    for table in tables(connection).await {
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
async fn use_everything(scene: &Scene) {
    let (caller, admin) = (scene.caller(HOME, AGENT), scene.admin(HOME, ADMINISTRATOR));
    read_everything(&caller, &admin).await;
    let stored = caller.get("stored").await.unwrap();
    assert_eq!((stored.content.as_str(), stored.forget_reason.as_str()), ("text", WHY));
    keep(&caller, "asked", MemoryKind::Memory, Some(REQUEST)).await; // A repeated call.
    former_administrator(scene).await;
    assert_eq!(reason(&forget_in_graph(&caller, "read", "play").await), "GRAPH_NOT_FOUND");
    correct(&caller, "corrected", "other").await;
    let operation = explained(&caller, "archived").await;
    assert_eq!(caller.get("archived").await.unwrap().forget_reason, WHY);
    assert!(restorable(&caller, &operation).await);
    assert_eq!(restored_by(&caller, &operation).await, 1);
    // Of the twin it still is.
    assert_eq!(restored_by(&caller, STORING).await, 1);
    assert!(!restorable(&caller, STORING).await);
    let operations = operations_of(&caller).await;
    let storing = operations.iter().find(|operation| operation.operation_id == STORING).unwrap();
    assert!(!storing.restorable);
    assert_eq!(caller.forget("erased", ForgetMode::Hard).await.unwrap().erased, 1);
    assert!(caller.forget("purging", ForgetMode::Hard).await.is_err());
    in_graph(&caller, "new-graph", "play").await;
    assert_eq!(caller.batch_forget(&["brought", "read"], ForgetMode::Soft).await.unwrap().archived, 2);
    assert_eq!(caller.restore(&["read", "brought"]).await.unwrap().restored, 2);
}

/// Whoever administered sees its calls still, and nothing that it could restore no longer.
async fn former_administrator(scene: &Scene) {
    let (former, admin) = (scene.caller(HOME, ADMINISTRATOR), scene.admin(HOME, ADMINISTRATOR));
    let records = former.audit_records().await.unwrap();
    assert_eq!(records.len(), 1);
    let operation = &records[0].operation_id;
    for (caller, can_restore) in [(&former, false), (&admin, true)] {
        assert_eq!(restorable(caller, operation).await, can_restore);
        let restorable: Vec<bool> =
            operations_of(caller).await.iter().map(|operation| operation.restorable).collect();
        assert_eq!(restorable, [can_restore]);
    }
}

async fn operations_of(caller: &Caller) -> Vec<Operation> {
    let request = ListOperationsRequest::default();
    caller.lifecycle.clone().list_operations(request).await.unwrap().into_inner().operations
}

async fn forget_in_graph(caller: &Caller, id: &str, graph: &str) -> Status {
    let filter = Some(Filter { graph_id: Some(graph.to_owned()), ..Filter::default() });
    let selector = Some(Selector { filter, ..by_id(id).unwrap() });
    let request = ForgetRequest { selector, ..ForgetRequest::default() };
    caller.lifecycle.clone().forget(request).await.unwrap_err()
}

async fn restorable(caller: &Caller, operation: &str) -> bool {
    let request = GetOperationRequest { operation_id: Some(operation.to_owned()), request_id: None };
    let found = caller.lifecycle.clone().get_operation(request).await.unwrap().into_inner();
    let found = found.operation.unwrap();
    assert_eq!(found.reason, WHY);
    found.restorable
}

async fn restored_by(caller: &Caller, operation: &str) -> i64 {
    let request = RestoreRequest { operation_id: Some(operation.to_owned()), ..RestoreRequest::default() };
    caller.lifecycle.clone().restore(request).await.unwrap().into_inner().restored
}

/// What the sweeper and the fence after a lost COMMIT ask, of the tenant alone.
async fn sweep(scene: &Scene) {
    let mut connection = scene.proxy.connect().connect().await.unwrap();
    let tenant = TenantId::parse(HOME).unwrap();
    assert!(retention::due_memories(&mut connection, &tenant, 100).await.unwrap().is_empty(), "was met");
    assert_eq!(retention::delete_old_requests(&mut connection, &tenant, 100).await.unwrap(), 1);
    let operation: Uuid =
        scene.database.value("SELECT operation_id FROM operations ORDER BY commit_time LIMIT 1").await;
    let found = heads::find_operations(&mut connection, &[(tenant.clone(), OperationId(operation))]).await;
    assert_eq!(found.unwrap(), 1);
    let head = heads::read_head(&mut connection, &tenant).await.unwrap();
    assert!(head.sequence > 15, "the head of the one that went on, and not of its twin");
    let soon: Timestamp = scene.database.value("SELECT now() + interval '30 minutes'").await;
    let found = read_audit::find_sequence_at(&mut connection, &tenant, soon).await;
    assert_eq!(found.unwrap(), None, "only the twin's log goes on so long");
}

async fn read_everything(caller: &Caller, admin: &Caller) {
    let mine = ["archived", "asked", "brought", "corrected", "erased", "in-a-graph", "old", "read", "stored"];
    let listed = caller.list_all().await.unwrap().into_iter().map(|memory| memory.memory_id);
    assert_eq!(sorted(listed), mine);
    let mut all: Vec<String> = mine.iter().map(|id| (*id).to_owned()).collect();
    all.extend(["another".to_owned(), "administered".to_owned()]);
    all.extend(hush::ADDED.map(str::to_owned));
    let listed = admin.list_all().await.unwrap().into_iter().map(|memory| memory.memory_id);
    assert_eq!(sorted(listed), sorted(all.into_iter()));
    let read = caller.get("read").await.unwrap();
    assert_eq!((read.memory_id.as_str(), read.content.as_str()), ("read", "text"));

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
    let operations = operations_of(caller).await;
    assert_eq!(operations.len(), 12);

    // One agent's records, all, and those under one label.
    let mut records = caller.audit_records().await.unwrap();
    assert_eq!(records.len(), 12);
    assert_eq!(records.pop().unwrap().memory_id, "old");
    assert_eq!(records.pop().unwrap().reason, WHY);
    let sequences = admin.audit_records().await.unwrap().into_iter().map(|record| record.sequence);
    assert_eq!(sequences.collect::<Vec<_>>(), (1..=15 + hush::RECORDS).collect::<Vec<_>>());
    let of_memory = ListAuditRecordsRequest {
        memory_id: Some("purging".to_owned()),
        ..ListAuditRecordsRequest::default()
    };
    assert_eq!(
        caller.audit.clone().list_audit_records(of_memory).await.unwrap().into_inner().records.len(),
        2
    );
    let last = operations.first().unwrap();
    let of_operation = ListAuditRecordsRequest {
        operation_id: Some(last.operation_id.clone()),
        start_time: last.commit_time,
        ..ListAuditRecordsRequest::default()
    };
    let records = caller.audit.clone().list_audit_records(of_operation).await.unwrap().into_inner().records;
    assert_eq!(records.len(), 1);
}

/// Everything is done in a tenant while its twin looks on; fails when the twin feels it, or is seen.
pub(super) async fn check(scene: &Scene) {
    live(scene, HOME).await;
    let mut connection = scene.database.superuser().await;
    double(&mut connection).await;
    hush::add_fingerprints(scene, &mut connection).await;
    let before = rows_of(&mut connection, ABROAD).await;
    scene.ran().await;
    use_everything(scene).await;
    hush::check(scene).await;
    hush::look_again(scene).await;
    sweep(scene).await;
    assert_eq!(rows_of(&mut connection, ABROAD).await, before, "the rows of the twin");
    for ran in scene.ran().await {
        let is_single = ["-- lock_head", "-- load_requests"].iter().any(|begin| ran.text.starts_with(begin));
        assert!(!is_single || ran.rows <= 1, "there is only one: {ran:?}");
    }
}

#[tokio::test]
async fn nothing_that_is_done_in_a_tenant_is_seen_or_felt_in_its_twin() {
    check(&Scene::new().await).await;
}

#[tokio::test]
async fn reads_leave_all_rows_alone() {
    let scene = Scene::new().await;
    live(&scene, HOME).await;
    let mut connection = scene.database.superuser().await;
    let before = rows_of(&mut connection, HOME).await;
    read_everything(&scene.caller(HOME, AGENT), &scene.admin(HOME, ADMINISTRATOR)).await;
    assert_eq!(rows_of(&mut connection, HOME).await, before);
}
