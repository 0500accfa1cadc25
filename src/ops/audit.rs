//! Reading the audit log.

use serde::{Deserialize, Serialize};

use super::page::{Page, PageRequest};
use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::audit::Action;
use crate::domain::ids::{MemoryId, OperationId, PrincipalId, Sequence};
use crate::domain::principal::Principal;
use crate::storage::pool::DbConnection;
pub use crate::storage::read_audit::AuditEntry;
use crate::storage::read_audit::{self, AuditPage};

/// Records to be read: all conditions must be met.
#[derive(Debug, Clone)]
pub struct AuditQuery {
    /// Of the memories under this label.
    pub memory: Option<MemoryId>,
    /// Of this operation.
    pub operation: Option<OperationId>,
    /// Of this principal's calls.
    pub principal: Option<PrincipalId>,
    /// Of these actions; none given: of any.
    pub actions: Vec<Action>,
    /// At this time or later.
    pub start_time: Option<Timestamp>,
    /// Before this time.
    pub end_time: Option<Timestamp>,
    /// Which page.
    pub page: PageRequest,
}

/// Where a page of records ended.
#[derive(Serialize, Deserialize)]
struct Position(Sequence);

impl Ops {
    /// A page of audit records that concern the caller's own memories and calls, newest first; all of the
    /// tenant's for an administrator. What concerns nobody in reach is an empty list, like what does not exist.
    pub async fn list_audit_records(
        &self,
        principal: &Principal,
        query: AuditQuery,
    ) -> Result<Page<AuditEntry>, Failure> {
        let position: Option<Position> = self.pager.position(principal, &query.page)?;
        let mut connection = self.store.read_connection().await?;
        let (from, before) = bounds(&mut connection, principal, &query, position).await?;
        let page = AuditPage {
            reach: (!principal.is_admin()).then_some((&principal.agent, &principal.id)),
            memory: query.memory.as_ref(),
            operation: query.operation,
            principal: query.principal.as_ref(),
            actions: &query.actions,
            from,
            before,
            limit: query.page.size + 1,
        };
        let entries = read_audit::list_audit(&mut connection, &principal.tenant, &page).await?;
        Ok(self.pager.page_of_surplus(principal, &query.page, entries, |last| Position(last.record.sequence)))
    }
}

/// The sequences that can come into question: times grow with sequences, an operation's records are one run.
async fn bounds(
    connection: &mut DbConnection,
    principal: &Principal,
    query: &AuditQuery,
    position: Option<Position>,
) -> Result<(Sequence, Sequence), Failure> {
    let tenant = &principal.tenant;
    let mut from = 1;
    let mut before = position.map_or(Sequence::MAX, |position| position.0);
    if let Some(time) = query.start_time {
        let first = read_audit::find_sequence_at(connection, tenant, time).await?;
        from = from.max(first.unwrap_or(Sequence::MAX));
    }
    if let Some(time) = query.end_time {
        let first_after = read_audit::find_sequence_at(connection, tenant, time).await?;
        before = before.min(first_after.unwrap_or(Sequence::MAX));
    }
    if let Some(operation) = query.operation {
        let (first, last) =
            read_audit::operation_range(connection, principal, operation).await?.unwrap_or_default();
        from = from.max(first);
        before = before.min(last.saturating_add(1));
    }
    Ok((from, before))
}
