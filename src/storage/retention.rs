//! What the sweeper asks: who has something due, and what.

use sqlx::PgConnection;

use super::error::StoreError;
use crate::domain::ids::{MemoryId, TenantId};

/// A tenant, and what there is to sweep.
#[derive(Debug)]
pub struct SweptTenant {
    /// The tenant.
    pub tenant: TenantId,
    /// Whether it has memories past their purge time.
    pub has_due_memories: bool,
    /// Whether it has request ids past their 30 days.
    pub has_old_requests: bool,
}

/// Tenants in the order of their names.
pub async fn due_tenants(
    connection: &mut PgConnection,
    after: Option<&TenantId>,
    limit: usize,
) -> Result<Vec<SweptTenant>, StoreError> {
    let rows: Vec<(String, bool, bool)> = sqlx::query_as(include_str!("sql/due_tenants.sql"))
        .bind(after.map_or("", TenantId::as_str))
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    Ok(rows
        .into_iter()
        .map(|(tenant, has_due_memories, has_old_requests)| SweptTenant {
            tenant: TenantId::from_stored(tenant),
            has_due_memories,
            has_old_requests,
        })
        .collect())
}

/// Memories of a tenant past their purge time, longest first.
pub async fn due_memories(
    connection: &mut PgConnection,
    tenant: &TenantId,
    limit: usize,
) -> Result<Vec<MemoryId>, StoreError> {
    let ids: Vec<String> = sqlx::query_scalar(include_str!("sql/due_memories.sql"))
        .bind(tenant.as_str())
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    Ok(ids.into_iter().map(MemoryId::from_stored).collect())
}

/// Forgets a tenant's request ids after their 30 days, at most so many; answers how many.
pub async fn delete_old_requests(
    connection: &mut PgConnection,
    tenant: &TenantId,
    limit: usize,
) -> Result<u64, StoreError> {
    Ok(sqlx::query(include_str!("sql/delete_old_requests.sql"))
        .bind(tenant.as_str())
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .execute(connection)
        .await?
        .rows_affected())
}
