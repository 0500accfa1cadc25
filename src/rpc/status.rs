//! The one place that makes a [`Status`]: with code, text and details as the contract's `ErrorReason` describes them.

use std::collections::HashMap;
use std::fmt::Display;

use http::HeaderMap;
use prost::Message;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt, pb};

use super::fault::Fault;
use crate::domain::ids::OperationId;
use crate::domain::refusal::{FieldViolation, Refusal};
use crate::ops::Failure;
use crate::proto::v1::ErrorReason;

/// The most bytes a request may have.
pub(crate) const MAX_REQUEST_BYTES: usize = 1024 * 1024;
/// The most bytes a request of `ImportMemories` may have.
pub(crate) const MAX_IMPORT_BYTES: usize = 8 * 1024 * 1024;

const DOMAIN: &str = "memorylifecycle.v1";
const OPERATION_ID: &str = "operation_id";
/// How many fields at fault the details name.
const MOST_VIOLATIONS: usize = 20;
/// How many bytes the fields at fault may take: with all the rest, the details stay below 4 KiB.
const MOST_VIOLATION_BYTES: usize = 3 * 1024;
/// The most bytes of a message: what it says beyond is in the details.
const MOST_MESSAGE_BYTES: usize = 512;

/// The Status of a call that has no answer. `operation` is that of a call that changes something.
pub(crate) fn of_failure(failure: &Failure, operation: Option<OperationId>) -> Status {
    write(Fault::of_failure(failure), operation)
}

/// The Status of a call that was refused by rule.
pub(crate) fn of_refusal(refusal: &Refusal, operation: Option<OperationId>) -> Status {
    write(Fault::of_refusal(refusal), operation)
}

/// What a call for this entry of a list alone would answer, as a message.
pub(crate) fn of_entry(refusal: &Refusal, operation: Option<OperationId>) -> pb::Status {
    // The details of a Status are this very message, encoded.
    pb::Status::decode(of_refusal(refusal, operation).details()).unwrap_or_default()
}

/// The answer while more calls are being served than the server takes.
pub(crate) fn overloaded(operation: Option<OperationId>) -> Status {
    write(Fault::overloaded(), operation)
}

/// The answer to a call of whom it is not known whose it is.
pub(crate) fn unauthenticated(cause: &impl Display, operation: Option<OperationId>) -> Status {
    write(Fault::unauthenticated(cause), operation)
}

/// The answer while credentials cannot be checked.
pub(crate) fn credentials_unavailable(operation: Option<OperationId>) -> Status {
    write(Fault::credentials_unavailable(), operation)
}

/// The answer when the time has run out.
pub(crate) fn deadline_exceeded(operation: Option<OperationId>) -> Status {
    write(Fault::deadline_exceeded(operation.is_some()), operation)
}

/// The answer to a request that cannot be decoded, with the field at fault if it is known.
pub(crate) fn undecodable(path: Option<String>, fault: &'static str) -> Status {
    let fault = match path {
        Some(path) => {
            let message = format!("the request cannot be decoded: {path} {fault}");
            Fault::invalid(message, vec![FieldViolation::new(path, fault)])
        }
        None => Fault::invalid(format!("the request cannot be decoded: it {fault}"), Vec::new()),
    };
    write(fault, None)
}

/// The answer to a request of more bytes than the limit.
pub(crate) fn too_large(limit: usize) -> Status {
    let message = format!("the request has more than {limit} bytes, which is the limit; send less at once");
    write(Fault::invalid(message, Vec::new()), None)
}

/// The Status with which the contract answers in place of the one in these headers, if that lacks something: tonic's own
/// errors have no details, and the codec's do not know the operation. Told apart by code, not by text:
/// tonic answers a message over its limit with `OUT_OF_RANGE`, one that inflates over it with `RESOURCE_EXHAUSTED`, and one
/// whose framing or compression is broken with `INTERNAL`. `UNIMPLEMENTED` stays as it is.
pub(crate) fn completed(headers: &HeaderMap, limit: usize, operation: Option<OperationId>) -> Option<Status> {
    let status = Status::from_header_map(headers).filter(|status| status.code() != Code::Ok)?;
    let ours = match status.get_details_error_info() {
        Some(info) if operation.is_none() || info.metadata.contains_key(OPERATION_ID) => return None,
        Some(_) => status,
        None => match status.code() {
            Code::OutOfRange | Code::ResourceExhausted => too_large(limit),
            Code::Internal => undecodable(None, "is not one whole, well-formed gRPC message"),
            _ => return None,
        },
    };
    Some(with_operation(&ours, operation))
}

/// The code of an answer with these headers, and the contract's reason if it is an error of the contract.
pub(crate) fn outcome(headers: &HeaderMap) -> (Code, Option<String>) {
    // An answer without a status in its headers sends one after the message: by then nothing can be refused any more.
    let Some(status) = Status::from_header_map(headers) else { return (Code::Ok, None) };
    (status.code(), status.get_details_error_info().map(|info| info.reason))
}

fn with_operation(status: &Status, operation: Option<OperationId>) -> Status {
    let mut details = status.get_error_details();
    if let Some(info) = details.error_info().cloned() {
        details.set_error_info(info.reason, info.domain, with_id(info.metadata, operation));
    }
    in_order(Status::with_error_details(status.code(), status.message(), details))
}

/// An `ErrorInfo` whose entries stand in order when they are written.
#[derive(Clone, PartialEq, prost::Message)]
struct OrderedErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: std::collections::BTreeMap<String, String>,
}

/// The same Status with the entries of its `ErrorInfo` in order, so that the same answer is always the same bytes.
fn in_order(status: Status) -> Status {
    let Ok(mut whole) = pb::Status::decode(status.details()) else { return status };
    for detail in whole.details.iter_mut().filter(|detail| detail.type_url.ends_with("/google.rpc.ErrorInfo"))
    {
        if let Ok(info) = OrderedErrorInfo::decode(&*detail.value) {
            detail.value = info.encode_to_vec();
        }
    }
    let details = whole.encode_to_vec().into();
    Status::with_details_and_metadata(status.code(), status.message(), details, status.metadata().clone())
}

fn with_id(mut metadata: HashMap<String, String>, operation: Option<OperationId>) -> HashMap<String, String> {
    metadata.extend(operation.map(|operation| (OPERATION_ID.to_owned(), operation.to_string())));
    metadata
}

fn write(fault: Fault, operation: Option<OperationId>) -> Status {
    let Fault { code, reason, message, violations, retry, entries, candidates } = fault;
    let metadata = entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut details = ErrorDetails::with_error_info(name(reason), DOMAIN, with_id(metadata, operation));
    let mut left = MOST_VIOLATION_BYTES;
    for violation in violations.into_iter().take(MOST_VIOLATIONS) {
        // What a field takes beside its texts: tags and lengths.
        let size = violation.field.len() + violation.description.len() + 16;
        let Some(rest) = left.checked_sub(size) else { break };
        left = rest;
        details.add_bad_request_violation(violation.field, violation.description);
    }
    for candidate in candidates.into_iter().take(MOST_VIOLATIONS) {
        details.add_precondition_failure_violation("AMBIGUOUS_TARGET", candidate, "could be meant");
    }
    if let Some(delay) = retry {
        details.set_retry_info(Some(delay));
    }
    in_order(Status::with_error_details(code, shortened(message), details))
}

/// The reason as errors name it.
fn name(reason: ErrorReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("ERROR_REASON_").unwrap_or(name)
}

fn shortened(mut message: String) -> String {
    if message.len() > MOST_MESSAGE_BYTES {
        message.truncate(message.floor_char_boundary(MOST_MESSAGE_BYTES));
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use tonic::{Code, Status};
    use tonic_types::{StatusExt, pb};
    use uuid::Uuid;

    use super::*;
    use crate::domain::capability::Capability;

    const OPERATION: Option<OperationId> = Some(OperationId(Uuid::from_u128(7)));

    fn reason(status: &Status) -> String {
        let info = status.get_details_error_info().expect("every error has an ErrorInfo");
        assert_eq!(info.domain, "memorylifecycle.v1");
        info.reason
    }

    fn id_in(status: &Status) -> Option<String> {
        status.get_details_error_info().and_then(|info| info.metadata.get("operation_id").cloned())
    }

    #[test]
    fn the_details_of_a_hundred_faults_stay_below_4_kib_and_name_twenty() {
        let violations: Vec<_> = (0..100)
            .map(|n| FieldViolation::new(format!("items[{n}].metadata"), "must be shorter ".repeat(6)))
            .collect();
        let status = of_refusal(&Refusal::InvalidFields(violations), OPERATION);
        assert!(status.details().len() < 4096, "{}", status.details().len());
        assert_eq!(status.get_details_bad_request().unwrap().field_violations.len(), 20);
        assert!(status.message().starts_with("100 fields are at fault"), "{}", status.message());
    }

    #[test]
    fn long_faults_are_left_out_rather_than_break_the_limit() {
        let violations = vec![FieldViolation::new("f".repeat(900), "d".repeat(900)); 20];
        let status = of_refusal(&Refusal::InvalidFields(violations), OPERATION);
        assert!(status.details().len() < 4096, "{}", status.details().len());
        assert!(status.message().len() < 600);
    }

    #[test]
    fn every_refusal_has_its_code_and_reason() {
        use Refusal as R;
        for (refusal, code, name) in [
            (R::field("a", "is wrong"), Code::InvalidArgument, "INVALID_FIELD"),
            (R::SelectorRequired, Code::InvalidArgument, "SELECTOR_REQUIRED"),
            (R::SelectorConflict(vec!["a".into(), "b".into()]), Code::InvalidArgument, "SELECTOR_CONFLICT"),
            (R::UnknownMode(9), Code::InvalidArgument, "UNKNOWN_MODE"),
            (R::RequestIdReused, Code::InvalidArgument, "REQUEST_ID_REUSED"),
            (R::MemoryNotFound, Code::NotFound, "MEMORY_NOT_FOUND"),
            (R::GraphNotFound, Code::NotFound, "GRAPH_NOT_FOUND"),
            (R::OperationNotFound, Code::NotFound, "OPERATION_NOT_FOUND"),
            (R::SelectionChanged(None), Code::Aborted, "SELECTION_CHANGED"),
            (R::EtagMismatch, Code::Aborted, "ETAG_MISMATCH"),
            (R::ProtectedKind, Code::PermissionDenied, "PROTECTED_KIND"),
            (R::AlreadyExists, Code::AlreadyExists, "ALREADY_EXISTS"),
            (R::CapabilityMissing(Capability::MemoryAdmin), Code::PermissionDenied, "CAPABILITY_MISSING"),
            (R::MemoryNotActive, Code::FailedPrecondition, "MEMORY_NOT_ACTIVE"),
        ] {
            let status = of_refusal(&refusal, None);
            assert_eq!((status.code(), reason(&status).as_str()), (code, name));
            assert_eq!(id_in(&status), None, "only what changes something names an operation");
        }
    }

    #[test]
    fn every_failure_has_its_code_its_reason_and_says_when_to_repeat() {
        for (failure, code, name, repeats) in [
            (Failure::Overloaded, Code::ResourceExhausted, "OVERLOADED", true),
            (Failure::StoreUnavailable, Code::Unavailable, "STORE_UNAVAILABLE", true),
            (Failure::OutcomeUnknown, Code::Unavailable, "OUTCOME_UNKNOWN", true),
            (Failure::Conflict, Code::Aborted, "CONFLICT", true),
            (Failure::DeadlineExceeded, Code::DeadlineExceeded, "DEADLINE_EXCEEDED", false),
            (Failure::Internal, Code::Internal, "INTERNAL", false),
        ] {
            let status = of_failure(&failure, OPERATION);
            assert_eq!((status.code(), reason(&status).as_str()), (code, name));
            assert_eq!(status.get_details_retry_info().is_some(), repeats, "{name}");
            assert_eq!(id_in(&status), OPERATION.map(|id| id.to_string()));
        }
    }

    #[test]
    fn the_same_error_is_always_the_same_bytes() {
        let missing = || of_refusal(&Refusal::CapabilityMissing(Capability::MemoryErase), OPERATION);
        for _ in 0..50 {
            assert_eq!(missing().details(), missing().details());
        }
    }

    #[test]
    fn an_entry_of_a_list_carries_the_same_status() {
        let status = of_refusal(&Refusal::MemoryNotFound, OPERATION);
        let entry = of_entry(&Refusal::MemoryNotFound, OPERATION);
        assert_eq!(entry.code, i32::from(status.code()));
        assert_eq!(entry.message, status.message());
        assert_eq!(pb::Status::decode(status.details()).unwrap(), entry);
    }

    fn headers(status: &Status) -> HeaderMap {
        status.clone().into_http::<()>().headers().clone()
    }

    #[test]
    fn errors_of_tonic_get_the_contracts_details() {
        let large = completed(&headers(&Status::out_of_range("x")), 1024, OPERATION).unwrap();
        assert_eq!((large.code(), reason(&large).as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
        assert!(large.message().contains("1024"), "{}", large.message());
        assert_eq!(id_in(&large), OPERATION.map(|id| id.to_string()));

        let inflated = completed(&headers(&Status::resource_exhausted("x")), 1024, None).unwrap();
        assert_eq!(inflated.code(), Code::InvalidArgument);
        let broken = completed(&headers(&Status::internal("x")), 1024, None).unwrap();
        assert_eq!(broken.code(), Code::InvalidArgument);
        assert!(completed(&headers(&Status::unimplemented("x")), 1024, None).is_none());
        assert!(completed(&HeaderMap::new(), 1024, OPERATION).is_none());
    }

    #[test]
    fn the_codecs_errors_get_the_operation_and_keep_the_rest() {
        let codec = undecodable(Some("reason".to_owned()), "is not valid UTF-8");
        let whole = completed(&headers(&codec), 1024, OPERATION).unwrap();
        assert_eq!((whole.code(), whole.message()), (codec.code(), codec.message()));
        let fields = whole.get_details_bad_request().unwrap().field_violations;
        assert_eq!(fields[0].field, "reason");
        assert_eq!(id_in(&whole), OPERATION.map(|id| id.to_string()));
        assert!(completed(&headers(&whole), 1024, OPERATION).is_none(), "what is complete stays");
    }

    #[test]
    fn the_outcome_is_read_from_the_headers() {
        assert_eq!(outcome(&HeaderMap::new()), (Code::Ok, None));
        let refused = of_refusal(&Refusal::EtagMismatch, None);
        assert_eq!(outcome(&headers(&refused)), (Code::Aborted, Some("ETAG_MISMATCH".to_owned())));
    }
}
