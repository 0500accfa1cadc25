//! Restore.

use super::call::{Caller, Change, Shared, request_digest};
use super::faults::Faults;
use super::filter::{exactly_one, targets};
use super::results::{commit_time_sent, receipt_sent, results_sent};
use super::values::count;
use crate::domain::answer::{Answer, Outcome};
use crate::domain::command::{Body, Restore, RestoreSelection};
use crate::domain::ids::OperationId;
use crate::domain::operation::Method;
use crate::domain::refusal::Refusal;
use crate::proto::v1;

/// Reads a restore.
pub(in crate::rpc) fn restore(caller: &Caller, mut message: v1::RestoreRequest) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    let digest = request_digest(Method::Restore, &message.request_id, &message);
    let v1::RestoreRequest {
        memory_ids,
        operation_id,
        lift_suppression,
        reason,
        request_id,
        channel,
        validate_only,
    } = message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, reason: &reason, channel: &channel };
    let call = caller.call(&mut faults, Method::Restore, &shared, digest);
    let has_ids = !memory_ids.is_empty();
    exactly_one(&mut faults, &[("memory_ids", has_ids), ("operation_id", operation_id.is_some())]);
    let by_ids = has_ids.then(|| RestoreSelection::Ids(targets(&mut faults, "memory_ids", memory_ids)));
    let by_operation = faults
        .optional("operation_id", operation_id.as_deref(), OperationId::parse)
        .map(RestoreSelection::Operation);
    let selection = by_ids.or(by_operation);
    let change = selection.map(|selection| {
        Change::or_rehearsal(call, Body::Restore(Restore { selection, lift_suppression }), validate_only)
    });
    faults.settle(change)
}

/// Writes what a restore did.
pub(in crate::rpc) fn restore_response(answer: &Answer) -> v1::RestoreResponse {
    v1::RestoreResponse {
        operation_id: answer.operation_id.to_string(),
        requested: count(answer.body.results().len()),
        restored: count(answer.count(Outcome::Restored)),
        already_active: count(answer.count(Outcome::AlreadyActive)),
        not_found: count(answer.count(Outcome::NotFound)),
        refused: count(answer.count(Outcome::Refused)),
        unknown: count(answer.count(Outcome::Unknown)),
        results: results_sent(answer),
        suppressions_lifted: count(answer.lifted),
        audit: Some(receipt_sent(answer)),
        commit_time: commit_time_sent(answer),
        replayed: answer.replayed,
        validate_only: answer.validate_only,
    }
}
