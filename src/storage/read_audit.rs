//! Reads of the audit log.

use sqlx::PgConnection;
use sqlx::{FromRow, Postgres, query::QueryAs};

use super::error::StoreError;
use super::rows::AuditRow;
use crate::domain::Timestamp;
use crate::domain::audit::{Action, AuditRecord};
use crate::domain::ids::{AgentId, MemoryId, OperationId, PrincipalId, Sequence, TenantId};
use crate::domain::line::Reason;
use crate::domain::principal::Principal;

/// A record with the reason's text, unless there was none or it was deleted.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    /// The record.
    pub record: AuditRecord,
    /// Why.
    pub reason: Option<Reason>,
}

#[derive(FromRow)]
struct AuditEntryRow {
    #[sqlx(flatten)]
    record: AuditRow,
    reason: Option<String>,
}

/// A page of a list of audit records.
#[derive(Debug)]
pub struct AuditPage<'query> {
    /// Whose memories and whose calls it may show; none: everybody's.
    pub reach: Option<(&'query AgentId, &'query PrincipalId)>,
    /// Under this label.
    pub memory: Option<&'query MemoryId>,
    /// Of this operation.
    pub operation: Option<OperationId>,
    /// Of this principal's calls.
    pub principal: Option<&'query PrincipalId>,
    /// Of these actions; none given: of any.
    pub actions: &'query [Action],
    /// From this sequence on.
    pub from: Sequence,
    /// Before this sequence.
    pub before: Sequence,
    /// How many at most.
    pub limit: usize,
}

/// A page of audit records, newest first.
pub async fn list_audit(
    connection: &mut PgConnection,
    tenant: &TenantId,
    page: &AuditPage<'_>,
) -> Result<Vec<AuditEntry>, StoreError> {
    let (agent, principal) = page.reach.unzip();
    let (agent, principal) = (agent.map(AgentId::as_str), principal.map(PrincipalId::as_str));
    let query = match (page.memory, page.reach) {
        (Some(memory), _) => common(include_str!("sql/list_audit_of_memory.sql"), tenant, page)
            .bind(memory.as_str())
            .bind(agent)
            .bind(principal),
        (None, Some(_)) => {
            common(include_str!("sql/list_audit_of_caller.sql"), tenant, page).bind(agent).bind(principal)
        }
        (None, None) => common(include_str!("sql/list_audit_of_tenant.sql"), tenant, page),
    };
    let rows = query.fetch_all(connection).await?;
    rows.into_iter()
        .map(|row| {
            Ok(AuditEntry { record: row.record.into_record()?, reason: row.reason.map(Reason::from_stored) })
        })
        .collect()
}

type AuditQuery<'query> = QueryAs<'query, Postgres, AuditEntryRow, sqlx::postgres::PgArguments>;

/// The parameters that the three statements share.
fn common<'query>(
    statement: &'static str,
    tenant: &'query TenantId,
    page: &AuditPage<'query>,
) -> AuditQuery<'query> {
    let actions: Option<Vec<i16>> =
        (!page.actions.is_empty()).then(|| page.actions.iter().map(|action| action.number()).collect());
    sqlx::query_as(statement)
        .bind(tenant.as_str())
        .bind(page.from)
        .bind(page.before)
        .bind(page.operation.map(|operation| operation.0))
        .bind(page.principal.map(PrincipalId::as_str))
        .bind(actions)
        .bind(i64::try_from(page.limit).unwrap_or(i64::MAX))
}

/// The first record at or after a time; none: all records are before it.
pub async fn find_sequence_at(
    connection: &mut PgConnection,
    tenant: &TenantId,
    time: Timestamp,
) -> Result<Option<Sequence>, StoreError> {
    Ok(sqlx::query_scalar(include_str!("sql/find_sequence_at.sql"))
        .bind(tenant.as_str())
        .bind(time)
        .fetch_optional(connection)
        .await?)
}

/// The first and the last record of an operation that wrote one in reach.
pub async fn operation_range(
    connection: &mut PgConnection,
    principal: &Principal,
    operation: OperationId,
) -> Result<Option<(Sequence, Sequence)>, StoreError> {
    Ok(sqlx::query_as(include_str!("sql/operation_range.sql"))
        .bind(principal.tenant.as_str())
        .bind(operation.0)
        .bind(principal.confined_to().map(AgentId::as_str))
        .bind(principal.confined_to().map(|_| principal.id.as_str()))
        .fetch_optional(connection)
        .await?)
}
