//! The heads: one row a tenant, locked first by every write.

use sqlx::PgConnection;

use super::error::StoreError;
use super::pool::FENCE_WAIT;
use super::rows::hash;
use crate::domain::Timestamp;
use crate::domain::facts::Head;
use crate::domain::ids::{OperationId, TenantId};

#[derive(sqlx::FromRow)]
struct HeadRow {
    tenant_id: String,
    head_sequence: i64,
    head_hash: Vec<u8>,
    last_time: Option<Timestamp>,
}

/// Gives tenants their head rows. To be run on its own, while no head is held.
pub async fn insert_missing_heads(
    connection: &mut PgConnection,
    tenants: &[&TenantId],
) -> Result<(), StoreError> {
    sqlx::query(include_str!("sql/insert_missing_heads.sql"))
        .bind(texts(tenants))
        .execute(connection)
        .await?;
    Ok(())
}

/// Takes the heads that are free; those that somebody else holds are missing from the answer.
pub async fn lock_heads(
    connection: &mut PgConnection,
    tenants: &[&TenantId],
) -> Result<Vec<(TenantId, Head)>, StoreError> {
    let rows: Vec<HeadRow> =
        sqlx::query_as(include_str!("sql/lock_heads.sql")).bind(texts(tenants)).fetch_all(connection).await?;
    rows.into_iter().map(into_head).collect()
}

/// Takes the heads, waiting for them at most the connection's `lock_timeout`.
pub async fn lock_head_waiting(
    connection: &mut PgConnection,
    tenants: &[&TenantId],
) -> Result<Vec<(TenantId, Head)>, StoreError> {
    let rows: Vec<HeadRow> = sqlx::query_as(include_str!("sql/lock_head_waiting.sql"))
        .bind(texts(tenants))
        .fetch_all(connection)
        .await?;
    rows.into_iter().map(into_head).collect()
}

/// Waits longer for locks, in this transaction only: what a fence needs to outlast a lost transaction.
pub async fn wait_as_fence(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("SELECT set_config('lock_timeout', $1, true)")
        .bind(FENCE_WAIT.as_millis().to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Where a tenant's log ends, without holding it.
pub async fn read_head(connection: &mut PgConnection, tenant: &TenantId) -> Result<Head, StoreError> {
    let row: Option<HeadRow> = sqlx::query_as(include_str!("sql/read_head.sql"))
        .bind(tenant.as_str())
        .fetch_optional(connection)
        .await?;
    Ok(row.map(into_head).transpose()?.map_or(Head::EMPTY, |(_, head)| head))
}

/// How many of these operations were committed.
pub async fn find_operations(
    connection: &mut PgConnection,
    operations: &[(TenantId, OperationId)],
) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar(include_str!("sql/find_operations.sql"))
        .bind(operations.iter().map(|(tenant, _)| tenant.as_str()).collect::<Vec<_>>())
        .bind(operations.iter().map(|(_, operation)| operation.0).collect::<Vec<_>>())
        .fetch_one(connection)
        .await?)
}

fn texts(tenants: &[&TenantId]) -> Vec<String> {
    tenants.iter().map(|tenant| tenant.as_str().to_owned()).collect()
}

fn into_head(row: HeadRow) -> Result<(TenantId, Head), StoreError> {
    let head = Head { sequence: row.head_sequence, hash: hash(&row.head_hash)?, last_time: row.last_time };
    Ok((TenantId::from_stored(row.tenant_id), head))
}
