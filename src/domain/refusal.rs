//! Everything a call can be refused for by rule. Infrastructure failing is not here: see `lane::Failure`.

use serde::{Deserialize, Serialize};

use super::capability::Capability;
use super::ids::MemoryId;

/// One field at fault: its path in the request and what is wrong with it. Never repeats the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldViolation {
    /// The path, for example `memory_ids[3]` or `selector.filter.memory_date`.
    pub field: String,
    /// What is wrong and what would be right.
    pub description: String,
}

impl FieldViolation {
    /// Names the field and the fault.
    pub fn new(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self { field: field.into(), description: description.into() }
    }
}

/// What a forget of a set would come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetCounts {
    /// How many memories it has.
    pub matched: usize,
    /// How many would be archived.
    pub would_archive: usize,
    /// How many would be erased.
    pub would_erase: usize,
    /// How many a soft forget would find archived.
    pub already_forgotten: usize,
}

/// Why a call, or one id of a list, was refused. Each is one of the contract's `ErrorReason`s.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// Fields at fault, all of them.
    InvalidFields(Vec<FieldViolation>),
    /// No selector was given.
    SelectorRequired,
    /// More than one selector was given; names them.
    SelectorConflict(Vec<String>),
    /// A forget mode that does not exist; carries its number.
    UnknownMode(i32),
    /// The request id belongs to another request.
    RequestIdReused,
    /// Unknown, erased, or out of reach: the same answer.
    MemoryNotFound,
    /// No such graph in the tenant.
    GraphNotFound,
    /// No such operation in reach.
    OperationNotFound,
    /// The set is another than the one that was previewed or than that of the first page; with a token, what it is now.
    SelectionChanged(Option<SetCounts>),
    /// A set is forgotten only with the token of a preview of it; carries its size.
    ConfirmationRequired(usize),
    /// The token was forged, is another caller's, or was given for another request.
    ConfirmationInvalid,
    /// The token's life is over.
    ConfirmationExpired,
    /// The set has more memories than one call may forget.
    SelectionTooLarge {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Nothing in reach was ever brought by an import of this name.
    ImportNotFound,
    /// The words fit several memories.
    AmbiguousTarget {
        /// Some of them, newest first.
        candidates: Vec<MemoryId>,
        /// How many there are.
        count: usize,
    },
    /// The memory changed since the etag was read.
    EtagMismatch,
    /// Saving a settled fact without the right to.
    ProtectedKind,
    /// The id is taken in the tenant.
    AlreadyExists,
    /// The credential lacks a capability.
    CapabilityMissing(Capability),
    /// The memory is archived.
    MemoryNotActive,
    /// The content is suppressed for its subject.
    ContentSuppressed,
    /// No such suppression in reach.
    SuppressionNotFound,
}

impl Refusal {
    /// A refusal for one field.
    pub fn field(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self::InvalidFields(vec![FieldViolation::new(field, description)])
    }
}
