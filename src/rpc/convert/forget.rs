//! `Forget` and `BatchForget`.

use super::call::{Caller, Change, Shared, request_digest};
use super::faults::Faults;
use super::filter::{filter, targets};
use super::results::{commit_time_sent, receipt_sent, results_sent, status_sent};
use super::selector::{Selected, names_a_set, selected};
use super::values::{cause, count, mode, timestamp_sent};
use crate::domain::answer::{Answer, Outcome};
use crate::domain::command::Body;
use crate::domain::confirmation::Token;
use crate::domain::forget::{Choice, ChosenSet, Forget, Named};
use crate::domain::ids::Etag;
use crate::domain::operation::Method;
use crate::domain::refusal::Refusal;
use crate::ops::Verification;
use crate::proto::v1;

/// Reads a forget of one memory, or of a set.
pub(in crate::rpc) fn forget(caller: &Caller, mut message: v1::ForgetRequest) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    let digest = request_digest(Method::Forget, &message.request_id, &message);
    let v1::ForgetRequest {
        selector,
        mode: sent_mode,
        cause: sent_cause,
        reason,
        confirmation_token,
        request_id,
        etag,
        channel,
        validate_only,
        verify,
    } = message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, reason: &reason, channel: &channel };
    let call = caller.call(&mut faults, Method::Forget, &shared, digest);
    if selector.as_ref().is_some_and(names_ids_only) {
        faults.note("selector.memory_ids", "is for Preview; use BatchForget to forget several memories");
    }
    let selected = selected(&mut faults, selector, sent_mode, sent_cause);
    let token = faults.plain("confirmation_token", &confirmation_token, token);
    let etag = faults.plain("etag", &etag, Etag::parse);
    if let (Some(_), Some(Selected::Set(..))) = (etag, &selected) {
        faults.note("etag", "goes with memory_id or target; a set has the versions of its preview");
    }
    let (mode, cause) = (mode(&mut faults, sent_mode), cause(&mut faults, sent_cause));
    let of = |named, targets, filter, single| {
        Body::Forget(Forget { named, targets, filter, mode, cause, etag, single, verify })
    };
    let body = selected.map(|selected| match selected {
        Selected::One(target, filter) => of(Named::ById, vec![target], filter, true),
        // A fault was noted.
        Selected::Many(targets, filter) => of(Named::ById, targets, filter, false),
        Selected::Target(target, filter) => {
            of(Named::Unseen(Box::new(Choice::Target(target))), Vec::new(), filter, true)
        }
        Selected::Set(set, asked) => {
            let filter = set.filter.clone();
            of(
                Named::Unseen(Box::new(Choice::Set(ChosenSet { set, asked, token }))),
                Vec::new(),
                filter,
                false,
            )
        }
    });
    faults.settle(body.map(|body| Change::or_rehearsal(call, body, validate_only)))
}

/// Whether a selector has a list of ids, and nothing else that selects.
fn names_ids_only(selector: &v1::Selector) -> bool {
    let names_one = selector.memory_id.is_some() || selector.target.is_some();
    !selector.memory_ids.is_empty() && !names_one && !names_a_set(selector)
}

/// The longest token that is looked at.
const MAX_TOKEN_BYTES: usize = 1024;

fn token(sent: &str) -> Result<Token, &'static str> {
    if sent.trim().is_empty() {
        return Err("must not be blank");
    }
    if sent.len() > MAX_TOKEN_BYTES {
        return Err("must have at most 1024 characters");
    }
    Ok(Token::new(sent.to_owned()))
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
        cause: sent_cause,
        reason,
        request_id,
        channel,
        validate_only,
        verify,
        filter: sent_filter,
    } = message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, reason: &reason, channel: &channel };
    let call = caller.call(&mut faults, Method::BatchForget, &shared, digest);
    let body = Body::Forget(Forget {
        named: Named::ById,
        targets: targets(&mut faults, "memory_ids", memory_ids),
        filter: filter(&mut faults, sent_filter),
        mode: mode(&mut faults, sent_mode),
        cause: cause(&mut faults, sent_cause),
        etag: None,
        single: false,
        verify,
    });
    faults.settle(Some(Change::or_rehearsal(call, body, validate_only)))
}

/// Writes what a forget of one memory did.
pub(in crate::rpc) fn forget_response(
    answer: &Answer,
    verification: Option<Verification>,
) -> v1::ForgetResponse {
    v1::ForgetResponse {
        operation_id: answer.operation_id.to_string(),
        status: status_sent(answer),
        matched: count(answer.body.results().len()),
        archived: count(answer.count(Outcome::Archived)),
        erased: count(answer.count(Outcome::Erased)),
        already_forgotten: count(answer.count(Outcome::AlreadyForgotten)),
        refused: count(answer.count(Outcome::Refused)),
        results: results_sent(answer),
        suppressions: count(answer.suppressed),
        audit: Some(receipt_sent(answer)),
        commit_time: commit_time_sent(answer),
        replayed: answer.replayed,
        validate_only: answer.validate_only,
        verification: verification.map(verification_sent),
    }
}

/// Writes what a forget of a list did.
pub(in crate::rpc) fn batch_forget_response(
    answer: &Answer,
    verification: Option<Verification>,
) -> v1::BatchForgetResponse {
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
        suppressions: count(answer.suppressed),
        audit: Some(receipt_sent(answer)),
        commit_time: commit_time_sent(answer),
        replayed: answer.replayed,
        validate_only: answer.validate_only,
        verification: verification.map(verification_sent),
    }
}

/// Says whether it is to be looked again after the commit.
pub(in crate::rpc) trait Verifies {
    /// Whether it is.
    fn verifies(&self) -> bool;
}

impl Verifies for v1::ForgetRequest {
    fn verifies(&self) -> bool {
        self.verify
    }
}

impl Verifies for v1::BatchForgetRequest {
    fn verifies(&self) -> bool {
        self.verify
    }
}

fn verification_sent(verification: Verification) -> v1::Verification {
    let Verification { verify_time, still_recallable, same_content_elsewhere } = verification;
    v1::Verification {
        verify_time: Some(timestamp_sent(verify_time)),
        still_recallable: count(still_recallable),
        same_content_elsewhere: count(same_content_elsewhere),
    }
}
