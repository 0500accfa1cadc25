//! Why a call has no answer.

use crate::domain::refusal::Refusal;
use crate::storage::StoreError;

/// Why a call has no answer. Everything but [`Failure::Refused`] is the infrastructure's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// By rule.
    #[error("refused by rule")]
    Refused(Refusal),
    /// Too much waits already; nothing was changed.
    #[error("too much waits already")]
    Overloaded,
    /// The database is away; nothing was changed.
    #[error("the database is unavailable")]
    StoreUnavailable,
    /// The commit was sent and its outcome could not be learnt.
    #[error("the commit's outcome could not be learnt")]
    OutcomeUnknown,
    /// Others held the tenant for too long, or transactions kept losing; nothing was changed.
    #[error("retries are used up")]
    Conflict,
    /// Others held the tenant for too long for it to be looked at.
    #[error("the tenant could not be looked at in time")]
    Busy,
    /// The database took longer than a call may; nothing was changed.
    #[error("took longer than it may")]
    DeadlineExceeded,
    /// Something that must not happen did; nothing was changed.
    #[error("an internal fault")]
    Internal,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// For everything short of a commit: whatever went wrong there changed nothing.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) | StoreError::UnknownSchema | StoreError::NoConnection => {
                Self::StoreUnavailable
            }
            StoreError::Serialization(_) | StoreError::HeadMissing | StoreError::LockTimeout => {
                Self::Conflict
            }
            StoreError::StatementTimeout => Self::DeadlineExceeded,
            StoreError::Rejected { .. } | StoreError::Impossible(_) => {
                tracing::error!(%error, "the database and the code do not agree");
                Self::Internal
            }
        }
    }
}
