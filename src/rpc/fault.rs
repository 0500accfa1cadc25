//! What an error says before it is a Status: code, reason and text for each way a call can fail.
//!
//! The texts say what is wrong and what to do. They never repeat a value of the request, the content of a memory or
//! anything of the database, and for what is unknown and what is out of reach they are the same.

use std::fmt::Display;
use std::time::Duration;

use tonic::Code;

use crate::domain::refusal::{FieldViolation, Refusal};
use crate::ops::Failure;
use crate::proto::v1::ErrorReason;

/// An error, ready to be written as a Status.
#[derive(Debug)]
pub(super) struct Fault {
    /// The gRPC code, always the same for a reason.
    pub(super) code: Code,
    /// The contract's reason.
    pub(super) reason: ErrorReason,
    /// The text for people.
    pub(super) message: String,
    /// The fields at fault.
    pub(super) violations: Vec<FieldViolation>,
    /// When the same call is worth repeating.
    pub(super) retry: Option<Duration>,
    /// More entries of `ErrorInfo.metadata`.
    pub(super) entries: Vec<(&'static str, String)>,
    /// Ids that the call could have meant.
    pub(super) candidates: Vec<String>,
}

impl Fault {
    pub(super) fn new(code: Code, reason: ErrorReason, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            violations: Vec::new(),
            retry: None,
            entries: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// A request at fault as a whole, or with the fields named.
    pub(super) fn invalid(message: impl Into<String>, violations: Vec<FieldViolation>) -> Self {
        Self { violations, ..Self::new(Code::InvalidArgument, ErrorReason::InvalidField, message) }
    }

    fn retry_after(self, delay: Duration) -> Self {
        Self { retry: Some(delay), ..self }
    }

    /// More calls than the server takes.
    pub(super) fn overloaded() -> Self {
        let message = "the server has more calls than it takes; nothing was changed; repeat the call later";
        Self::new(Code::ResourceExhausted, ErrorReason::Overloaded, message)
            .retry_after(Duration::from_secs(1))
    }

    /// It is not known who calls.
    pub(super) fn unauthenticated(cause: &impl Display) -> Self {
        Self::new(
            Code::Unauthenticated,
            ErrorReason::Unauthenticated,
            format!("{cause}; nothing was looked up"),
        )
    }

    /// What it takes to check a credential is not there.
    pub(super) fn credentials_unavailable() -> Self {
        let message = "the credential cannot be checked at the moment, as what it is checked against is away; nothing was \
                       changed; repeat the call later";
        Self::new(Code::Unavailable, ErrorReason::StoreUnavailable, message)
            .retry_after(Duration::from_secs(2))
    }

    /// The time ran out.
    pub(super) fn deadline_exceeded(changes: bool) -> Self {
        let message = if changes {
            "the deadline passed before the answer; a change that had begun still completes: look the operation up \
             with GetOperation, or repeat the call with the same request_id"
        } else {
            "the deadline passed before the answer; repeat the call with more time"
        };
        Self::new(Code::DeadlineExceeded, ErrorReason::DeadlineExceeded, message)
    }

    /// What an infrastructure's failure says.
    pub(super) fn of_failure(failure: &Failure) -> Self {
        match failure {
            Failure::Refused(refusal) => Self::of_refusal(refusal),
            Failure::Overloaded => Self::overloaded(),
            Failure::StoreUnavailable => Self::new(
                Code::Unavailable,
                ErrorReason::StoreUnavailable,
                "the database cannot be used, it is away or its schema does not fit; nothing was changed; repeat the call later",
            )
            .retry_after(Duration::from_secs(2)),
            Failure::OutcomeUnknown => Self::new(
                Code::Unavailable,
                ErrorReason::OutcomeUnknown,
                "whether the change was committed could not be learnt; repeat the call with the same request_id, or \
                 look the operation up with GetOperation",
            )
            .retry_after(Duration::from_secs(1)),
            Failure::Conflict => Self::new(
                Code::Aborted,
                ErrorReason::Conflict,
                "the change met others again and again and was given up; nothing was changed; repeat the call",
            )
            .retry_after(Duration::from_millis(200)),
            Failure::Busy => Self::new(
                Code::Aborted,
                ErrorReason::Conflict,
                "the tenant is being changed and could not be looked at in time; ask again",
            )
            .retry_after(Duration::from_secs(1)),
            Failure::DeadlineExceeded => Self::new(
                Code::DeadlineExceeded,
                ErrorReason::DeadlineExceeded,
                "the database took longer than a call may; nothing was changed; repeat the call or ask for less",
            ),
            Failure::Internal => Self::new(
                Code::Internal,
                ErrorReason::Internal,
                "a fault of the server; nothing was changed; report it with the time of the call and, if it has one, its operation_id",
            ),
        }
    }

    /// What a refusal by rule says.
    pub(super) fn of_refusal(refusal: &Refusal) -> Self {
        let (code, reason, message) = match refusal {
            Refusal::InvalidFields(violations) => {
                return Self::invalid(fields_at_fault(violations), violations.clone());
            }
            Refusal::SelectorConflict(names) => (
                Code::InvalidArgument,
                ErrorReason::SelectorConflict,
                format!("exactly one must be present, and these are: {}", names.join(", ")),
            ),
            Refusal::UnknownMode(number) => (
                Code::InvalidArgument,
                ErrorReason::UnknownMode,
                format!("mode {number} is unknown to this release; use FORGET_MODE_SOFT or FORGET_MODE_HARD"),
            ),
            Refusal::CapabilityMissing(capability) => {
                let name = capability.name();
                let message = format!("the call, or one of its fields, needs the capability {name}");
                let fault = Self::new(Code::PermissionDenied, ErrorReason::CapabilityMissing, message);
                return Self { entries: vec![("capability", name.to_owned())], ..fault };
            }
            Refusal::SelectionChanged(_)
            | Refusal::ConfirmationRequired(_)
            | Refusal::SelectionTooLarge { .. }
            | Refusal::AmbiguousTarget { .. } => return Self::of_selection(refusal),
            plain => {
                let (code, reason, message) = of_plain(plain);
                (code, reason, message.to_owned())
            }
        };
        Self::new(code, reason, message)
    }
}

impl Fault {
    /// What a refusal of a set says, or of words that mean several memories.
    fn of_selection(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::SelectionChanged(Some(now)) => Self {
                entries: vec![
                    ("matched", now.matched.to_string()),
                    ("would_archive", now.would_archive.to_string()),
                    ("would_erase", now.would_erase.to_string()),
                    ("already_forgotten", now.already_forgotten.to_string()),
                ],
                ..Self::new(
                    Code::Aborted,
                    ErrorReason::SelectionChanged,
                    format!(
                        "the set is not what was previewed any more, it has {} memories now; nothing was changed; preview it \
                         again",
                        now.matched
                    ),
                )
            },
            Refusal::ConfirmationRequired(matched) => Self {
                entries: vec![("matched", matched.to_string())],
                ..Self::new(
                    Code::FailedPrecondition,
                    ErrorReason::ConfirmationRequired,
                    format!(
                        "a set of {matched} memories is forgotten only with the confirmation_token of a Preview of it; nothing \
                         was changed"
                    ),
                )
            },
            Refusal::SelectionTooLarge { count, limit } => Self {
                entries: vec![("count", count.to_string()), ("limit", limit.to_string())],
                ..Self::new(
                    Code::FailedPrecondition,
                    ErrorReason::SelectionTooLarge,
                    format!(
                        "the set has {count} memories and one call forgets at most {limit}; nothing was changed; narrow it"
                    ),
                )
            },
            Refusal::AmbiguousTarget { candidates, count } => Self {
                entries: vec![("count", count.to_string())],
                candidates: candidates.iter().map(ToString::to_string).collect(),
                ..Self::new(
                    Code::FailedPrecondition,
                    ErrorReason::AmbiguousTarget,
                    format!("target fits {count} memories; nothing was changed; say which with memory_id"),
                )
            },
            _ => Self::new(
                Code::Aborted,
                ErrorReason::SelectionChanged,
                "the selection is not that of the first page any more; start again without a page_token",
            ),
        }
    }
}

/// The refusals whose text is always the same.
fn of_plain(refusal: &Refusal) -> (Code, ErrorReason, &'static str) {
    match refusal {
        Refusal::SelectorRequired => (
            Code::InvalidArgument,
            ErrorReason::SelectorRequired,
            "nothing is selected; exactly one of the request's selecting fields must be present",
        ),
        Refusal::RequestIdReused => (
            Code::InvalidArgument,
            ErrorReason::RequestIdReused,
            "this request_id stands for an earlier request that was another; nothing was changed; make up a new one",
        ),
        Refusal::MemoryNotFound => (
            Code::NotFound,
            ErrorReason::MemoryNotFound,
            "there is no such memory in the caller's reach that meets the filter",
        ),
        Refusal::GraphNotFound => {
            (Code::NotFound, ErrorReason::GraphNotFound, "nothing was ever put into a graph of this name")
        }
        Refusal::OperationNotFound => (
            Code::NotFound,
            ErrorReason::OperationNotFound,
            "no such operation of the caller has committed so far; repeating its request_id settles it",
        ),
        Refusal::ConfirmationInvalid => (
            Code::InvalidArgument,
            ErrorReason::ConfirmationInvalid,
            "the confirmation_token was not given to this caller for this selector, mode and cause; nothing was changed; preview \
             again",
        ),
        Refusal::ConfirmationExpired => (
            Code::FailedPrecondition,
            ErrorReason::ConfirmationExpired,
            "the confirmation_token's ten minutes are over; nothing was changed; preview again",
        ),
        Refusal::ImportNotFound => (
            Code::NotFound,
            ErrorReason::ImportNotFound,
            "no import of this name ever brought a memory into the caller's reach",
        ),
        Refusal::EtagMismatch => (
            Code::Aborted,
            ErrorReason::EtagMismatch,
            "the memory changed since the etag was read; nothing was changed; read it again and decide anew",
        ),
        Refusal::ProtectedKind => (
            Code::PermissionDenied,
            ErrorReason::ProtectedKind,
            "saving a settled fact needs the capability memory:admin",
        ),
        Refusal::AlreadyExists => (
            Code::AlreadyExists,
            ErrorReason::AlreadyExists,
            "the memory_id is taken in the tenant; use another, or leave it out to get one",
        ),
        Refusal::MemoryNotActive => (
            Code::FailedPrecondition,
            ErrorReason::MemoryNotActive,
            "the memory is archived and only active ones can be corrected; restore it first",
        ),
        Refusal::ContentSuppressed => (
            Code::FailedPrecondition,
            ErrorReason::ContentSuppressed,
            "somebody asked not to hear of this content again, and it is suppressed for its subject; lift the suppression \
             first, if that is meant",
        ),
        Refusal::SuppressionNotFound => (
            Code::NotFound,
            ErrorReason::SuppressionNotFound,
            "no suppression of this name stands that concerns the caller's memories or calls",
        ),
        // Their texts depend on what they carry; `of_refusal` has them.
        Refusal::InvalidFields(_)
        | Refusal::SelectorConflict(_)
        | Refusal::UnknownMode(_)
        | Refusal::SelectionChanged(_)
        | Refusal::ConfirmationRequired(_)
        | Refusal::SelectionTooLarge { .. }
        | Refusal::AmbiguousTarget { .. }
        | Refusal::CapabilityMissing(_) => (Code::Internal, ErrorReason::Internal, "a fault of the server"),
    }
}

/// The first fault in full, and how many there are.
fn fields_at_fault(violations: &[FieldViolation]) -> String {
    match violations {
        [] => "the request is at fault".to_owned(),
        [FieldViolation { field, description }] => format!("{field} {description}"),
        [FieldViolation { field, description }, ..] => {
            format!("{} fields are at fault, the first: {field} {description}", violations.len())
        }
    }
}
