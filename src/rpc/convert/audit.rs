//! `ListAuditRecords`.

use super::faults::Faults;
use super::filter::each;
use super::values::{bound, cause_sent, digest, mode_sent, page, state_sent, timestamp_sent};
use crate::domain::audit::{Action, AuditRecord};
use crate::domain::ids::{ImportId, MemoryId, OperationId, PrincipalId, RequestId, SuppressionId};
use crate::domain::refusal::Refusal;
use crate::ops::{AuditEntry, AuditQuery, Page};
use crate::proto::v1;

/// Reads which records are wanted.
pub(in crate::rpc) fn audit_query(mut message: v1::ListAuditRecordsRequest) -> Result<AuditQuery, Refusal> {
    let size = std::mem::take(&mut message.page_size);
    let token = std::mem::take(&mut message.page_token);
    let arguments = digest("memorylifecycle.v1.AuditLog/ListAuditRecords", &message);
    let v1::ListAuditRecordsRequest {
        memory_id,
        operation_id,
        principal_id,
        actions,
        start_time,
        end_time,
        page_size: _,
        page_token: _,
    } = message;

    let mut faults = Faults::default();
    let query = AuditQuery {
        memory: faults.optional("memory_id", memory_id.as_deref(), MemoryId::parse),
        operation: faults.optional("operation_id", operation_id.as_deref(), OperationId::parse),
        principal: faults.optional("principal_id", principal_id.as_deref(), PrincipalId::parse),
        actions: each(&mut faults, "actions", &actions, action),
        start_time: bound(&mut faults, "start_time", start_time),
        end_time: bound(&mut faults, "end_time", end_time),
        page: page(&mut faults, size, token, arguments),
    };
    faults.settle(Some(query))
}

/// Writes a page of records.
pub(in crate::rpc) fn audit_response(page: Page<AuditEntry>) -> v1::ListAuditRecordsResponse {
    let Page { items, next_token } = page;
    v1::ListAuditRecordsResponse {
        records: items.into_iter().map(record_sent).collect(),
        next_page_token: next_token,
    }
}

fn action(number: i32) -> Result<Action, &'static str> {
    match v1::AuditAction::try_from(number) {
        Ok(v1::AuditAction::Remembered) => Ok(Action::Remembered),
        Ok(v1::AuditAction::Archived) => Ok(Action::Archived),
        Ok(v1::AuditAction::Erased) => Ok(Action::Erased),
        Ok(v1::AuditAction::Restored) => Ok(Action::Restored),
        Ok(v1::AuditAction::Expired) => Ok(Action::Expired),
        Ok(v1::AuditAction::Suppressed) => Ok(Action::Suppressed),
        Ok(v1::AuditAction::SuppressionLifted) => Ok(Action::SuppressionLifted),
        Ok(v1::AuditAction::Updated) => Ok(Action::Updated),
        Ok(v1::AuditAction::Unspecified) | Err(_) => Err("must be one of the actions of AuditAction"),
    }
}

fn record_sent(entry: AuditEntry) -> v1::AuditRecord {
    let AuditEntry { record, reason } = entry;
    let AuditRecord {
        sequence,
        operation_id,
        memory_id,
        action,
        from,
        to,
        principal,
        agent,
        cause,
        reason_digest,
        channel,
        request_id,
        trace_id,
        commit_time,
        mode,
        graph,
        import,
        suppression,
        // Only decides who sees the record.
        kind: _,
        previous_hash,
        hash,
    } = record;
    v1::AuditRecord {
        sequence,
        operation_id: operation_id.to_string(),
        memory_id: memory_id.to_string(),
        action: action.number().into(),
        from_state: state_sent(from),
        to_state: state_sent(to),
        principal_id: principal.to_string(),
        agent_id: agent.to_string(),
        cause: cause_sent(cause),
        reason: reason.map(|reason| reason.as_str().to_owned()).unwrap_or_default(),
        channel: channel.unwrap_or_default(),
        request_id: request_id.as_ref().map(RequestId::to_string).unwrap_or_default(),
        trace_id: trace_id.unwrap_or_default(),
        commit_time: Some(timestamp_sent(commit_time)),
        previous_hash: previous_hash.to_vec(),
        hash: hash.to_vec(),
        mode: mode_sent(mode),
        graph_id: graph.to_string(),
        import_id: import.as_ref().map(ImportId::to_string).unwrap_or_default(),
        suppression_id: suppression.as_ref().map(SuppressionId::to_string).unwrap_or_default(),
        reason_digest: reason_digest.map(|digest| digest.to_vec()).unwrap_or_default(),
    }
}
