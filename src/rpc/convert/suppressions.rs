//! `ListSuppressions` and `LiftSuppression`.

use super::call::{Caller, Change, Shared, request_digest};
use super::faults::Faults;
use super::results::receipt_sent;
use super::values::{digest, page, timestamp_sent};
use crate::domain::answer::{Answer, AnswerBody};
use crate::domain::command::Body;
use crate::domain::ids::{SubjectId, SuppressionId};
use crate::domain::line::Reason;
use crate::domain::operation::Method;
use crate::domain::refusal::Refusal;
use crate::domain::suppression::ShownSuppression;
use crate::ops::{Page, ReasonedSuppression, SuppressionsQuery};
use crate::proto::v1;

/// Reads which suppressions are wanted.
pub(in crate::rpc) fn suppressions_query(
    mut message: v1::ListSuppressionsRequest,
) -> Result<SuppressionsQuery, Refusal> {
    let size = std::mem::take(&mut message.page_size);
    let token = std::mem::take(&mut message.page_token);
    let arguments = digest("memorylifecycle.v1.Governance/ListSuppressions", &message);
    let v1::ListSuppressionsRequest { subject_id, page_size: _, page_token: _ } = message;

    let mut faults = Faults::default();
    let subject = faults.optional("subject_id", subject_id.as_deref(), SubjectId::parse);
    let page = page(&mut faults, size, token, arguments);
    faults.settle(Some(SuppressionsQuery { subject, page }))
}

/// Writes a page of suppressions.
pub(in crate::rpc) fn suppressions_response(
    page: &Page<ReasonedSuppression>,
) -> v1::ListSuppressionsResponse {
    let Page { items, next_token } = page;
    v1::ListSuppressionsResponse {
        suppressions: items
            .iter()
            .map(|(suppression, reason)| suppression_sent(&suppression.into(), reason.as_ref()))
            .collect(),
        next_page_token: next_token.clone(),
    }
}

/// Reads which suppression is to be lifted.
pub(in crate::rpc) fn lift(
    caller: &Caller,
    mut message: v1::LiftSuppressionRequest,
) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    message.suppression_id.make_ascii_lowercase();
    let digest = request_digest(Method::LiftSuppression, &message.request_id, &message);
    let v1::LiftSuppressionRequest { suppression_id, reason, request_id } = message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, reason: &reason, ..Shared::default() };
    let call = caller.call(&mut faults, Method::LiftSuppression, &shared, digest);
    let suppression = faults.take("suppression_id", SuppressionId::parse(&suppression_id));
    faults.settle(suppression.map(|suppression| Change::new(call, Body::Lift(suppression))))
}

/// Writes what was lifted.
pub(in crate::rpc) fn lift_response(answer: &Answer) -> v1::LiftSuppressionResponse {
    let suppression = match &answer.body {
        AnswerBody::Suppression(lifted) => Some(suppression_sent(lifted, answer.suppression_reason.as_ref())),
        AnswerBody::Memory(..) | AnswerBody::Import { .. } | AnswerBody::Results(_) => None,
    };
    v1::LiftSuppressionResponse { suppression, audit: Some(receipt_sent(answer)) }
}

fn suppression_sent(suppression: &ShownSuppression, reason: Option<&Reason>) -> v1::Suppression {
    let ShownSuppression { id, subject, operation, create_time } = suppression;
    v1::Suppression {
        suppression_id: id.to_string(),
        subject_id: subject.as_ref().map(SubjectId::to_string).unwrap_or_default(),
        operation_id: operation.to_string(),
        create_time: Some(timestamp_sent(*create_time)),
        reason: reason.map(|reason| reason.as_str().to_owned()).unwrap_or_default(),
    }
}
