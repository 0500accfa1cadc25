//! `GetOperation` and `ListOperations`.

use super::faults::Faults;
use super::filter::exactly_one;
use super::results::results_sent;
use super::values::{bound, digest, page, timestamp_sent};
use crate::domain::ids::{OperationId, RequestId};
use crate::domain::line::Reason;
use crate::domain::operation::{Method, Operation};
use crate::domain::refusal::Refusal;
use crate::ops::{OperationName, OperationsQuery, Page};
use crate::proto::v1;

/// Reads which operation is wanted.
pub(in crate::rpc) fn operation_name(message: &v1::GetOperationRequest) -> Result<OperationName, Refusal> {
    let v1::GetOperationRequest { operation_id, request_id } = message;
    let mut faults = Faults::default();
    let selecting = [("operation_id", operation_id.is_some()), ("request_id", request_id.is_some())];
    exactly_one(&mut faults, &selecting);
    let operation = faults.optional("operation_id", operation_id.as_deref(), OperationId::parse);
    let request = faults.optional("request_id", request_id.as_deref(), RequestId::parse);
    let name = operation.map(OperationName::Operation).or(request.map(OperationName::Request));
    faults.settle(name)
}

/// Reads which operations are wanted; none: those of a method that does not exist, of which there are none.
pub(in crate::rpc) fn operations_query(
    mut message: v1::ListOperationsRequest,
) -> Result<Option<OperationsQuery>, Refusal> {
    let size = std::mem::take(&mut message.page_size);
    let token = std::mem::take(&mut message.page_token);
    let arguments = digest("memorylifecycle.v1.MemoryLifecycle/ListOperations", &message);
    let v1::ListOperationsRequest { method: sent, start_time, end_time, page_size: _, page_token: _ } =
        message;

    let mut faults = Faults::default();
    let method = sent.as_deref().and_then(Method::from_name);
    let is_unknown = sent.is_some() && method.is_none();
    if sent.is_some_and(|sent| sent.trim().is_empty()) {
        faults.note("method", "must not be empty or blank");
    }
    if is_unknown && !token.is_empty() {
        faults.note("page_token", "must be left out: no operation is of this method");
    }
    let query = OperationsQuery {
        method,
        start_time: bound(&mut faults, "start_time", start_time),
        end_time: bound(&mut faults, "end_time", end_time),
        page: page(&mut faults, size, token, arguments),
    };
    faults.settle(Some((!is_unknown).then_some(query)))
}

/// Writes the operation that was wanted.
pub(in crate::rpc) fn operation_response(operation: &Operation) -> v1::GetOperationResponse {
    v1::GetOperationResponse { operation: Some(operation_sent(operation)) }
}

/// Writes a page of operations.
pub(in crate::rpc) fn operations_response(page: Option<Page<Operation>>) -> v1::ListOperationsResponse {
    let Some(Page { items, next_token }) = page else { return v1::ListOperationsResponse::default() };
    v1::ListOperationsResponse {
        operations: items.iter().map(operation_sent).collect(),
        next_page_token: next_token,
    }
}

fn operation_sent(operation: &Operation) -> v1::Operation {
    let Operation {
        operation_id,
        request_id,
        method,
        principal: _, // Only the caller's own are shown, by agent.
        agent,
        commit_time,
        first_sequence,
        last_sequence,
        answer,
        reason,
        channel,
        memories_changed,
        restorable,
    } = operation;
    v1::Operation {
        operation_id: operation_id.to_string(),
        request_id: request_id.as_ref().map(RequestId::to_string).unwrap_or_default(),
        method: method.clone(),
        agent_id: agent.to_string(),
        commit_time: Some(timestamp_sent(*commit_time)),
        first_sequence: *first_sequence,
        last_sequence: *last_sequence,
        results: answer.as_ref().map(results_sent).unwrap_or_default(),
        reason: reason.as_ref().map(|reason: &Reason| reason.as_str().to_owned()).unwrap_or_default(),
        channel: channel.clone().unwrap_or_default(),
        memories_changed: *memories_changed,
        restorable: *restorable,
    }
}
