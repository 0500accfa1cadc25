//! Fingerprints of what was saved without one, by a binary that knew nothing of them.

use sqlx::PgConnection;

use super::error::StoreError;
use super::gather::column;
use crate::domain::ids::{MemoryKey, SubjectId, TenantId};
use crate::domain::suppression::Fingerprinter;

/// Whether a tenant has memories without one: what they say could not be hidden yet.
pub async fn are_missing(connection: &mut PgConnection, tenant: &TenantId) -> Result<bool, StoreError> {
    Ok(sqlx::query_scalar(include_str!("sql/lacks_fingerprints.sql"))
        .bind(tenant.as_str())
        .fetch_one(connection)
        .await?)
}

/// Adds the fingerprints of some of what has none; answers how many there were. Nothing is decided on a fingerprint that is
/// not there, so this needs no head.
pub async fn add_missing(
    connection: &mut PgConnection,
    fingerprinter: &Fingerprinter,
    limit: usize,
) -> Result<usize, StoreError> {
    let rows: Vec<(String, MemoryKey, Option<String>, String)> =
        sqlx::query_as(include_str!("sql/without_fingerprint.sql"))
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&mut *connection)
            .await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let taken = |(tenant, _, subject, normalized): &(String, MemoryKey, Option<String>, String)| {
        let (tenant, subject) =
            (TenantId::from_stored(tenant.clone()), subject.clone().map(SubjectId::from_stored));
        fingerprinter.of(&tenant, subject.as_ref(), normalized).0.to_vec()
    };
    sqlx::query(include_str!("sql/add_fingerprints.sql"))
        .bind(column(&rows, |(tenant, ..)| tenant.clone()))
        .bind(column(&rows, |(_, key, ..)| *key))
        .bind(column(&rows, |(.., normalized)| normalized.clone()))
        .bind(column(&rows, taken))
        .execute(connection)
        .await?;
    Ok(rows.len())
}
