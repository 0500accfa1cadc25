//! Reads of operations.

use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::error::StoreError;
use crate::domain::Timestamp;
use crate::domain::answer::Answer;
use crate::domain::ids::{AgentId, OperationId, PrincipalId, RequestId, Sequence, TenantId};
use crate::domain::line::Reason;
use crate::domain::operation::{Method, Operation};
use crate::domain::principal::Principal;

#[derive(sqlx::FromRow)]
struct OperationRow {
    operation_id: Uuid,
    request_id: Option<Uuid>,
    method: String,
    principal_id: String,
    agent_id: String,
    channel: Option<String>,
    commit_time: Timestamp,
    first_sequence: Sequence,
    last_sequence: Sequence,
    other_records: i64,
    answer: Option<Json<Answer>>,
    reason: Option<String>,
    restorable: bool,
}

impl OperationRow {
    fn into_operation(self) -> Operation {
        // One record a transition, so the run of sequences counts the changes, but for what is no change of a memory.
        let memories_changed = match self.first_sequence {
            0 => 0,
            first => self.last_sequence - first + 1 - self.other_records,
        };
        Operation {
            operation_id: OperationId(self.operation_id),
            request_id: self.request_id.map(RequestId),
            method: self.method,
            principal: PrincipalId::from_stored(self.principal_id),
            agent: AgentId::from_stored(self.agent_id),
            commit_time: self.commit_time,
            first_sequence: self.first_sequence,
            last_sequence: self.last_sequence,
            answer: self.answer.map(|answer| answer.0),
            reason: self.reason.map(Reason::from_stored),
            channel: self.channel,
            memories_changed,
            restorable: self.restorable,
        }
    }
}

/// One operation in reach with its answer.
pub async fn get_operation(
    connection: &mut PgConnection,
    principal: &Principal,
    operation: OperationId,
) -> Result<Option<Operation>, StoreError> {
    let row: Option<OperationRow> = sqlx::query_as(include_str!("sql/get_operation.sql"))
        .bind(principal.tenant.as_str())
        .bind(operation.0)
        .bind((!principal.is_admin()).then_some(principal.id.as_str()))
        .bind(principal.confined_to().map(AgentId::as_str))
        .fetch_optional(connection)
        .await?;
    Ok(row.map(OperationRow::into_operation))
}

/// The operation that answered a principal's request id.
pub async fn find_request(
    connection: &mut PgConnection,
    tenant: &TenantId,
    principal: &PrincipalId,
    request: RequestId,
) -> Result<Option<OperationId>, StoreError> {
    let operation: Option<Uuid> = sqlx::query_scalar(include_str!("sql/find_request.sql"))
        .bind(tenant.as_str())
        .bind(principal.as_str())
        .bind(request.0)
        .fetch_optional(connection)
        .await?;
    Ok(operation.map(OperationId))
}

/// A page of a list of operations.
#[derive(Debug)]
pub struct OperationPage {
    /// Only of this method.
    pub method: Option<Method>,
    /// Committed at this time or later.
    pub start_time: Option<Timestamp>,
    /// Committed before this time.
    pub end_time: Option<Timestamp>,
    /// Only what comes after this operation.
    pub after: Option<(Timestamp, Uuid)>,
    /// How many at most.
    pub limit: usize,
}

/// A page of a principal's operations without their answers, newest first.
pub async fn list_operations(
    connection: &mut PgConnection,
    principal: &Principal,
    page: &OperationPage,
) -> Result<Vec<Operation>, StoreError> {
    let (after_time, after_id) = page.after.unwrap_or((Timestamp::MAX_UTC, Uuid::max()));
    let rows: Vec<OperationRow> = sqlx::query_as(include_str!("sql/list_operations.sql"))
        .bind(principal.tenant.as_str())
        .bind(principal.id.as_str())
        .bind(after_time)
        .bind(after_id)
        .bind(page.method.map(Method::name))
        .bind(page.start_time)
        .bind(page.end_time)
        .bind(i64::try_from(page.limit).unwrap_or(i64::MAX))
        .bind(principal.confined_to().map(AgentId::as_str))
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().map(OperationRow::into_operation).collect())
}
