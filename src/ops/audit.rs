//! Reading the audit log.

use super::page::PageRequest;
use crate::domain::Timestamp;
use crate::domain::audit::{Action, AuditRecord};
use crate::domain::ids::{MemoryId, OperationId, PrincipalId};
use crate::domain::line::Reason;

/// A record with the reason's text, unless there was none or it was deleted.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    /// The record.
    pub record: AuditRecord,
    /// Why.
    pub reason: Option<Reason>,
}

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

impl super::Ops {
    /// A page of audit records, newest first.
    pub async fn list_audit_records(&self, _principal: &crate::domain::principal::Principal, _query: AuditQuery) -> Result<super::Page<AuditEntry>, super::Failure> {
        Err(super::Failure::Internal)
    }
}
