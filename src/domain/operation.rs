//! One call that changed something, as it is remembered afterwards.

use super::Timestamp;
use super::answer::Answer;
use super::ids::{AgentId, OperationId, PrincipalId, RequestId, Sequence};
use super::line::Reason;

/// What an operation did: an RPC by its full name, or the expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// `MemoryStore/Remember`.
    Remember,
    /// `MemoryStore/ImportMemories`.
    ImportMemories,
    /// `MemoryStore/UpdateMemory`.
    UpdateMemory,
    /// `MemoryLifecycle/Forget`.
    Forget,
    /// `MemoryLifecycle/BatchForget`.
    BatchForget,
    /// `MemoryLifecycle/Restore`.
    Restore,
    /// `Governance/LiftSuppression`.
    LiftSuppression,
    /// Not a call: memories whose purge time came.
    Expire,
}

impl Method {
    /// Every method, for look-ups by name.
    pub const ALL: [Self; 8] = [
        Self::Remember,
        Self::ImportMemories,
        Self::UpdateMemory,
        Self::Forget,
        Self::BatchForget,
        Self::Restore,
        Self::LiftSuppression,
        Self::Expire,
    ];

    /// The name callers see and filter by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Remember => "memorylifecycle.v1.MemoryStore/Remember",
            Self::ImportMemories => "memorylifecycle.v1.MemoryStore/ImportMemories",
            Self::UpdateMemory => "memorylifecycle.v1.MemoryStore/UpdateMemory",
            Self::Forget => "memorylifecycle.v1.MemoryLifecycle/Forget",
            Self::BatchForget => "memorylifecycle.v1.MemoryLifecycle/BatchForget",
            Self::Restore => "memorylifecycle.v1.MemoryLifecycle/Restore",
            Self::LiftSuppression => "memorylifecycle.v1.Governance/LiftSuppression",
            Self::Expire => "memorylifecycle.v1.Expiry",
        }
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// An operation to be stored: its answer is kept so that the same request can be answered again.
#[derive(Debug, Clone)]
pub struct NewOperation {
    /// Its name.
    pub operation_id: OperationId,
    /// What it did.
    pub method: Method,
    /// Who called.
    pub principal: PrincipalId,
    /// As which agent.
    pub agent: AgentId,
    /// The caller's own name for it, and the digest of what was asked.
    pub request: Option<super::command::Request>,
    /// Context.
    pub channel: Option<String>,
    /// Why.
    pub reason: Option<super::command::SaltedReason>,
    /// The time of its last audit record, or of the decision when nothing changed.
    pub commit_time: Timestamp,
    /// The answer, ids and outcomes only.
    pub answer: Answer,
}

/// A stored operation as reads show it.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Its name.
    pub operation_id: OperationId,
    /// The caller's own name for it, while it is kept.
    pub request_id: Option<RequestId>,
    /// What it did, by name.
    pub method: String,
    /// Who called.
    pub principal: PrincipalId,
    /// As which agent.
    pub agent: AgentId,
    /// When it was committed.
    pub commit_time: Timestamp,
    /// Its first audit record; 0 when nothing changed.
    pub first_sequence: Sequence,
    /// Its last audit record; 0 when nothing changed.
    pub last_sequence: Sequence,
    /// The stored answer; left out in lists.
    pub answer: Option<Answer>,
    /// Why, unless the text was deleted.
    pub reason: Option<Reason>,
    /// Context.
    pub channel: Option<String>,
    /// How many memories it changed.
    pub memories_changed: i64,
    /// Whether something it archived is still archived and within its window.
    pub restorable: bool,
}
