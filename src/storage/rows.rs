//! Rows as the database has them. Private to storage: an impossible one becomes an error, not a panic.

use chrono::NaiveDate;
use uuid::Uuid;

use super::codes;
use super::error::StoreError;
use crate::domain::Timestamp;
use crate::domain::audit::{AuditRecord, Hash};
use crate::domain::content::Content;
use crate::domain::ids::{
    AgentId, GraphId, ImportId, MemoryId, OperationId, PrincipalId, RequestId, SubjectId, SuppressionId,
    TenantId,
};
use crate::domain::memory::{Archive, Lifecycle, Memory, State};

#[derive(sqlx::FromRow)]
pub(super) struct MemoryRow {
    pub(super) tenant_id: String,
    memory_key: i64,
    memory_id: String,
    subject_id: Option<String>,
    agent_id: String,
    graph_id: String,
    kind: i16,
    origin: i16,
    import_id: Option<String>,
    memory_date: NaiveDate,
    state: i16,
    version: i64,
    create_time: Timestamp,
    update_time: Timestamp,
    forget_time: Option<Timestamp>,
    purge_time: Option<Timestamp>,
    forget_operation_id: Option<Uuid>,
}

impl MemoryRow {
    pub(super) fn into_memory(self) -> Result<(TenantId, Memory), StoreError> {
        let lifecycle = match (codes::state(self.state)?, self.forget_time, self.forget_operation_id) {
            (Some(State::Active), None, None) => Lifecycle::Active,
            (Some(State::Archived), Some(forget_time), Some(operation)) => Lifecycle::Archived(Archive {
                forget_time,
                purge_time: self.purge_time,
                operation: OperationId(operation),
            }),
            _ => return Err(StoreError::Impossible("a state without its timestamps")),
        };
        let memory = Memory {
            key: self.memory_key,
            id: MemoryId::from_stored(self.memory_id),
            subject: self.subject_id.map(SubjectId::from_stored),
            agent: AgentId::from_stored(self.agent_id),
            graph: GraphId::from_stored(self.graph_id),
            kind: codes::kind(self.kind)?,
            origin: codes::origin(self.origin)?,
            import: self.import_id.map(ImportId::from_stored),
            date: self.memory_date,
            lifecycle,
            version: self.version,
            create_time: self.create_time,
            update_time: self.update_time,
        };
        Ok((TenantId::from_stored(self.tenant_id), memory))
    }
}

#[derive(sqlx::FromRow)]
pub(super) struct ContentRow {
    content: String,
    metadata: Option<Vec<u8>>,
    normalized: String,
    normalization_version: i16,
}

impl ContentRow {
    pub(super) fn into_content(self) -> Content {
        Content::from_stored(self.content, self.metadata, self.normalized, self.normalization_version)
    }
}

#[derive(sqlx::FromRow)]
pub(super) struct AuditRow {
    sequence: i64,
    operation_id: Uuid,
    memory_id: String,
    action: i16,
    from_state: i16,
    to_state: i16,
    principal_id: String,
    agent_id: String,
    cause: i16,
    reason_digest: Option<Vec<u8>>,
    channel: Option<String>,
    request_id: Option<Uuid>,
    trace_id: Option<String>,
    commit_time: Timestamp,
    mode: i16,
    graph_id: String,
    import_id: Option<String>,
    suppression_id: Option<Uuid>,
    kind: i16,
    previous_hash: Vec<u8>,
    hash: Vec<u8>,
}

impl AuditRow {
    pub(super) fn into_record(self) -> Result<AuditRecord, StoreError> {
        Ok(AuditRecord {
            sequence: self.sequence,
            operation_id: OperationId(self.operation_id),
            memory_id: MemoryId::from_stored(self.memory_id),
            action: codes::action(self.action)?,
            from: codes::state(self.from_state)?,
            to: codes::state(self.to_state)?,
            principal: PrincipalId::from_stored(self.principal_id),
            agent: AgentId::from_stored(self.agent_id),
            cause: codes::cause(self.cause)?,
            reason_digest: self.reason_digest.as_deref().map(hash).transpose()?,
            channel: self.channel,
            request_id: self.request_id.map(RequestId),
            trace_id: self.trace_id,
            commit_time: self.commit_time,
            mode: codes::mode(self.mode)?,
            graph: GraphId::from_stored(self.graph_id),
            import: self.import_id.map(ImportId::from_stored),
            suppression: self.suppression_id.map(SuppressionId),
            kind: codes::kind(self.kind)?,
            previous_hash: hash(&self.previous_hash)?,
            hash: hash(&self.hash)?,
        })
    }
}

/// A digest column's 32 bytes.
pub(super) fn hash(bytes: &[u8]) -> Result<Hash, StoreError> {
    bytes.try_into().map_err(|_| StoreError::Impossible("a digest that has not 32 bytes"))
}
