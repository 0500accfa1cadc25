//! Suppressions, and what they are told by.

use sqlx::PgConnection;
use uuid::Uuid;

use super::codes;
use super::error::StoreError;
use super::gather::column;
use super::rows::hash;
use crate::domain::Timestamp;
use crate::domain::ids::{
    AgentId, GraphId, ImportId, MemoryId, OperationId, PrincipalId, SubjectId, SuppressionId, TenantId,
};
use crate::domain::line::Reason;
use crate::domain::principal::Principal;
use crate::domain::suppression::{Fingerprint, SuppressedMemory, Suppression};

#[derive(sqlx::FromRow)]
pub(super) struct SuppressionRow {
    tenant_id: String,
    suppression_id: Uuid,
    fingerprint: Vec<u8>,
    by_admin: bool,
    memory_id: String,
    subject_id: Option<String>,
    agent_id: String,
    graph_id: String,
    kind: i16,
    import_id: Option<String>,
    operation_id: Uuid,
    principal_id: String,
    create_time: Timestamp,
}

impl SuppressionRow {
    pub(super) fn into_suppression(self) -> Result<(TenantId, Suppression), StoreError> {
        let suppression = Suppression {
            id: SuppressionId(self.suppression_id),
            fingerprint: Fingerprint(hash(&self.fingerprint)?),
            by_admin: self.by_admin,
            of: SuppressedMemory {
                id: MemoryId::from_stored(self.memory_id),
                subject: self.subject_id.map(SubjectId::from_stored),
                agent: AgentId::from_stored(self.agent_id),
                graph: GraphId::from_stored(self.graph_id),
                kind: codes::kind(self.kind)?,
                import: self.import_id.map(ImportId::from_stored),
            },
            operation: OperationId(self.operation_id),
            principal: PrincipalId::from_stored(self.principal_id),
            create_time: self.create_time,
        };
        Ok((TenantId::from_stored(self.tenant_id), suppression))
    }
}

/// Adds suppressions.
pub(super) async fn insert(
    connection: &mut PgConnection,
    suppressions: &[(&str, &Suppression)],
) -> Result<(), StoreError> {
    if suppressions.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/insert_suppressions.sql"))
        .bind(column(suppressions, |(tenant, _)| *tenant))
        .bind(column(suppressions, |(_, suppression)| suppression.id.0))
        .bind(column(suppressions, |(_, suppression)| suppression.fingerprint.0.to_vec()))
        .bind(column(suppressions, |(_, suppression)| suppression.by_admin))
        .bind(column(suppressions, |(_, suppression)| suppression.of.id.as_str()))
        .bind(column(suppressions, |(_, suppression)| suppression.of.subject.as_ref().map(SubjectId::as_str)))
        .bind(column(suppressions, |(_, suppression)| suppression.of.agent.as_str()))
        .bind(column(suppressions, |(_, suppression)| suppression.of.graph.as_str()))
        .bind(column(suppressions, |(_, suppression)| codes::kind_code(suppression.of.kind)))
        .bind(column(suppressions, |(_, suppression)| suppression.of.import.as_ref().map(ImportId::as_str)))
        .bind(column(suppressions, |(_, suppression)| suppression.operation.0))
        .bind(column(suppressions, |(_, suppression)| suppression.principal.as_str()))
        .bind(column(suppressions, |(_, suppression)| suppression.create_time))
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes suppressions.
pub(super) async fn delete(
    connection: &mut PgConnection,
    lifted: &[(&str, SuppressionId)],
) -> Result<(), StoreError> {
    if lifted.is_empty() {
        return Ok(());
    }
    let deleted = sqlx::query(include_str!("sql/delete_suppressions.sql"))
        .bind(column(lifted, |(tenant, _)| *tenant))
        .bind(column(lifted, |(_, suppression)| suppression.0))
        .execute(connection)
        .await?;
    super::batch_writes::all_found(deleted.rows_affected(), lifted.len())
}

/// A page of a list of suppressions.
#[derive(Debug)]
pub struct SuppressionPage<'query> {
    /// Of this subject; none: of any.
    pub subject: Option<&'query SubjectId>,
    /// Only what comes after this one.
    pub after: Option<(Timestamp, SuppressionId)>,
    /// How many at most.
    pub limit: usize,
}

/// A suppression, and why it was made, unless that text was deleted.
pub type ReasonedSuppression = (Suppression, Option<Reason>);

#[derive(sqlx::FromRow)]
struct ReasonedRow {
    #[sqlx(flatten)]
    suppression: SuppressionRow,
    reason: Option<String>,
}

/// The suppressions that exist for the principal, newest first, at most one more than a page holds.
pub async fn list(
    connection: &mut PgConnection,
    principal: &Principal,
    page: &SuppressionPage<'_>,
) -> Result<Vec<ReasonedSuppression>, StoreError> {
    let (after_time, after_id) = page.after.unwrap_or((Timestamp::MAX_UTC, SuppressionId(Uuid::max())));
    let rows: Vec<ReasonedRow> = sqlx::query_as(include_str!("sql/list_suppressions.sql"))
        .bind(principal.tenant.as_str())
        .bind(principal.confined_to().map(AgentId::as_str))
        .bind(principal.id.as_str())
        .bind(page.subject.map(SubjectId::as_str))
        .bind(after_time)
        .bind(after_id.0)
        .bind(i64::try_from(page.limit + 1).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    rows.into_iter()
        .map(|row| Ok((row.suppression.into_suppression()?.1, row.reason.map(Reason::from_stored))))
        .collect()
}

/// Why an operation was called, unless nothing was said or the text was deleted.
pub async fn operation_reason(
    connection: &mut PgConnection,
    tenant: &TenantId,
    operation: OperationId,
) -> Result<Option<Reason>, StoreError> {
    let reason: Option<String> = sqlx::query_scalar(include_str!("sql/operation_reason.sql"))
        .bind(tenant.as_str())
        .bind(operation.0)
        .fetch_optional(connection)
        .await?;
    Ok(reason.map(Reason::from_stored))
}
