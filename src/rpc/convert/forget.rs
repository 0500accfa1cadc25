//! `Forget` and `BatchForget`.

use super::call::{Caller, Change, Shared, request_digest};
use super::faults::Faults;
use super::filter::{exactly_one, filter, single_target, targets};
use super::results::{commit_time_sent, receipt_sent, results_sent, status_sent};
use super::values::{count, mode};
use crate::domain::answer::{Answer, Outcome};
use crate::domain::command::{Body, Forget};
use crate::domain::ids::Etag;
use crate::domain::operation::Method;
use crate::domain::refusal::Refusal;
use crate::proto::v1;

/// Reads a forget of one memory.
pub(in crate::rpc) fn forget(caller: &Caller, mut message: v1::ForgetRequest) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    let digest = request_digest(Method::Forget, &message.request_id, &message);
    let v1::ForgetRequest { selector, mode: sent_mode, reason, request_id, etag, channel, validate_only } =
        message;
    let v1::Selector { memory_id, memory_ids, filter: sent_filter } = selector.unwrap_or_default();

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, reason: &reason, channel: &channel };
    let call = caller.call(&mut faults, Method::Forget, &shared, digest);
    let (targets, filter) = faults.within("selector", |faults| {
        if memory_id.is_none() && !memory_ids.is_empty() {
            faults.note("memory_ids", "is for Preview; use BatchForget to forget several memories");
        }
        let selecting = [("memory_id", memory_id.is_some()), ("memory_ids", !memory_ids.is_empty())];
        exactly_one(faults, &selecting);
        let target = memory_id.map(|sent| single_target(faults, "memory_id", sent));
        (target.into_iter().collect(), filter(faults, sent_filter))
    });
    let body = Body::Forget(Forget {
        targets,
        filter,
        mode: mode(&mut faults, sent_mode),
        etag: faults.plain("etag", &etag, Etag::parse),
        single: true,
    });
    faults.settle(Some(Change::or_rehearsal(call, body, validate_only)))
}

/// Reads a forget of a list.
pub(in crate::rpc) fn batch_forget(
    caller: &Caller,
    mut message: v1::BatchForgetRequest,
) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    let digest = request_digest(Method::BatchForget, &message.request_id, &message);
    let v1::BatchForgetRequest {
        memory_ids,
        mode: sent_mode,
        reason,
        request_id,
        channel,
        validate_only,
        filter: sent_filter,
    } = message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, reason: &reason, channel: &channel };
    let call = caller.call(&mut faults, Method::BatchForget, &shared, digest);
    let body = Body::Forget(Forget {
        targets: targets(&mut faults, "memory_ids", memory_ids),
        filter: filter(&mut faults, sent_filter),
        mode: mode(&mut faults, sent_mode),
        etag: None,
        single: false,
    });
    faults.settle(Some(Change::or_rehearsal(call, body, validate_only)))
}

/// Writes what a forget of one memory did.
pub(in crate::rpc) fn forget_response(answer: &Answer) -> v1::ForgetResponse {
    v1::ForgetResponse {
        operation_id: answer.operation_id.to_string(),
        status: status_sent(answer),
        matched: count(answer.body.results().len()),
        archived: count(answer.count(Outcome::Archived)),
        erased: count(answer.count(Outcome::Erased)),
        already_forgotten: count(answer.count(Outcome::AlreadyForgotten)),
        refused: count(answer.count(Outcome::Refused)),
        results: results_sent(answer),
        audit: Some(receipt_sent(answer)),
        commit_time: commit_time_sent(answer),
        replayed: answer.replayed,
        validate_only: answer.validate_only,
    }
}

/// Writes what a forget of a list did.
pub(in crate::rpc) fn batch_forget_response(answer: &Answer) -> v1::BatchForgetResponse {
    v1::BatchForgetResponse {
        operation_id: answer.operation_id.to_string(),
        status: status_sent(answer),
        requested: count(answer.body.results().len()),
        archived: count(answer.count(Outcome::Archived)),
        erased: count(answer.count(Outcome::Erased)),
        already_forgotten: count(answer.count(Outcome::AlreadyForgotten)),
        not_found: count(answer.count(Outcome::NotFound)),
        refused: count(answer.count(Outcome::Refused)),
        unknown: count(answer.count(Outcome::Unknown)),
        results: results_sent(answer),
        audit: Some(receipt_sent(answer)),
        commit_time: commit_time_sent(answer),
        replayed: answer.replayed,
        validate_only: answer.validate_only,
    }
}
