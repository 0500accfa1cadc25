//! What a caller asks to be changed: well-formed, not yet decided.

use std::fmt;

use chrono::NaiveDate;

use super::Timestamp;
use super::content::{Content, Metadata};
use super::filter::Filter;
use super::forget::{Cause, Choice, Forget, Mode, Named, Sighting};
use super::ids::{
    AgentId, Etag, GraphId, IdFault, ImportId, MemoryId, OperationId, RequestId, SubjectId, SuppressionId,
    TenantId,
};
use super::line::Reason;
use super::memory::Kind;
use super::operation::Method;
use super::principal::Principal;
use super::refusal::FieldViolation;

/// A call that changes something: who, under which names, and what.
#[derive(Debug, Clone)]
pub struct Command {
    /// Who calls and how the call is named.
    pub call: Call,
    /// What it asks.
    pub body: Body,
}

impl Command {
    /// The sweeper's command: erase those of these memories that are past their purge time.
    pub fn expire(tenant: TenantId, ids: Vec<MemoryId>, operation_id: OperationId) -> Self {
        let call = Call::unnamed(Principal::expiry(tenant), Method::Expire, operation_id);
        Self { call, body: Body::Expire(ids) }
    }

    /// A forget of a list, to be rehearsed only.
    pub fn previewing(
        principal: Principal,
        targets: Vec<Target>,
        filter: Filter,
        mode: Mode,
        cause: Cause,
    ) -> Self {
        let call = Call::unnamed(principal, Method::BatchForget, OperationId(uuid::Uuid::nil()));
        let forget = Forget {
            named: Named::ById,
            targets,
            filter,
            mode,
            cause,
            etag: None,
            single: false,
            verify: false,
        };
        Self { call, body: Body::Forget(forget) }
    }

    /// The tenant whose lane it goes through.
    pub fn tenant(&self) -> &TenantId {
        &self.call.principal.tenant
    }

    /// The ids of all memories it could touch; those of a restore by operation are not known beforehand.
    pub fn memory_ids(&self) -> Vec<&MemoryId> {
        match &self.body {
            Body::Remember(memory) => vec![&memory.id],
            Body::Import(import) => {
                import.items.iter().filter_map(|item| Some(&item.memory.as_ref().ok()?.id)).collect()
            }
            Body::Update(update) => vec![&update.memory_id],
            Body::Forget(forget) => {
                forget.targets.iter().filter_map(|target| target.id.as_ref().ok()).collect()
            }
            Body::Restore(Restore { selection: RestoreSelection::Ids(targets), .. }) => {
                targets.iter().filter_map(|target| target.id.as_ref().ok()).collect()
            }
            Body::Restore(Restore { selection: RestoreSelection::Operation(_), .. }) | Body::Lift(_) => {
                Vec::new()
            }
            Body::Expire(ids) => ids.iter().collect(),
        }
    }

    /// The ids of the memories that are to be read before it is decided: not those that somebody saw, of which only what
    /// changed since is read again.
    pub fn unseen_ids(&self) -> Vec<&MemoryId> {
        let is_seen = self.sighting().is_some_and(|sighting| sighting.set.is_some());
        if is_seen { Vec::new() } else { self.memory_ids() }
    }

    /// Whether it brings new memories in.
    pub fn saves(&self) -> bool {
        matches!(self.body, Body::Remember(_) | Body::Import(_))
    }

    /// The ids of a list as the caller sent them, in the order of the answer's results.
    pub fn sent_ids(&self) -> Vec<&str> {
        match &self.body {
            Body::Import(import) => import.items.iter().map(|item| item.sent_id.as_str()).collect(),
            Body::Forget(forget) => forget.targets.iter().map(|target| target.sent.as_str()).collect(),
            Body::Restore(Restore { selection: RestoreSelection::Ids(targets), .. }) => {
                targets.iter().map(|target| target.sent.as_str()).collect()
            }
            Body::Restore(_) | Body::Remember(_) | Body::Update(_) | Body::Lift(_) | Body::Expire(_) => {
                Vec::new()
            }
        }
    }

    /// The graphs whose existence it asks about or brings about.
    pub fn graphs(&self) -> Vec<&GraphId> {
        match &self.body {
            Body::Remember(memory) => vec![&memory.graph],
            Body::Import(import) => {
                import.items.iter().filter_map(|item| Some(&item.memory.as_ref().ok()?.graph)).collect()
            }
            Body::Forget(forget) => forget.filter.graph.iter().collect(),
            Body::Update(_) | Body::Restore(_) | Body::Lift(_) | Body::Expire(_) => Vec::new(),
        }
    }

    /// The forget that it asks, if it is one.
    pub fn forget(&self) -> Option<&Forget> {
        match &self.body {
            Body::Forget(forget) => Some(forget),
            _ => None,
        }
    }

    /// Whether it suppresses what it forgets.
    pub fn suppresses(&self) -> bool {
        self.forget().is_some_and(|forget| forget.cause == Cause::UserRequest)
    }

    /// How the memories that it forgets were named, if not by their ids.
    pub fn choice(&self) -> Option<&Choice> {
        match &self.forget()?.named {
            Named::ById => None,
            Named::Unseen(choice) | Named::Seen(choice, _) => Some(choice),
        }
    }

    /// What was found of the memories that it forgets and that were not named by their ids.
    pub fn sighting(&self) -> Option<&Sighting> {
        match &self.forget()?.named {
            Named::Seen(_, sighting) => Some(sighting),
            Named::ById | Named::Unseen(_) => None,
        }
    }

    /// The operation whose memories it restores, if it names one.
    pub fn restored_operation(&self) -> Option<OperationId> {
        match &self.body {
            Body::Restore(Restore { selection: RestoreSelection::Operation(operation), .. }) => {
                Some(*operation)
            }
            _ => None,
        }
    }
}

/// Who calls, and under which names.
#[derive(Debug, Clone)]
pub struct Call {
    /// Who.
    pub principal: Principal,
    /// Which RPC, or the sweeper.
    pub method: Method,
    /// This call's name.
    pub operation_id: OperationId,
    /// The name of the expiry that this call brings about when it meets memories past their purge time.
    pub expiry_operation_id: OperationId,
    /// The caller's own name for the call, with a digest of what it asked.
    pub request: Option<Request>,
    /// Why, in the caller's words, with the salt that hides it in the audit chain.
    pub reason: Option<SaltedReason>,
    /// Context for the audit log; decides nothing.
    pub channel: Option<String>,
    /// The trace the call belongs to, 32 hexadecimal digits.
    pub trace_id: Option<String>,
}

impl Call {
    /// A call that brought nothing with it: no request id, no reason, no channel, no trace.
    fn unnamed(principal: Principal, method: Method, operation_id: OperationId) -> Self {
        Self {
            principal,
            method,
            operation_id,
            expiry_operation_id: operation_id,
            request: None,
            reason: None,
            channel: None,
            trace_id: None,
        }
    }
}

/// A request id and what was asked under it.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// The caller's name for the call.
    pub id: RequestId,
    /// SHA-256 of method and message.
    pub digest: [u8; 32],
}

/// Without the digest, by which a guess at what was asked could be checked.
impl fmt::Debug for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Request").field(&self.id).finish()
    }
}

/// A reason and 16 random bytes that keep its digest from being guessed.
#[derive(Clone)]
pub struct SaltedReason {
    /// The reason.
    pub text: Reason,
    /// The salt.
    pub salt: [u8; 16],
}

/// Without the salt, by which a guess at the reason could be checked.
impl fmt::Debug for SaltedReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("SaltedReason").field(&self.text).finish()
    }
}

/// What a call asks.
#[derive(Debug, Clone)]
pub enum Body {
    /// Save one memory.
    Remember(NewMemory),
    /// Save many, each with a result of its own.
    Import(Import),
    /// Correct one in place.
    Update(Update),
    /// Forget some.
    Forget(Forget),
    /// Bring some back.
    Restore(Restore),
    /// Let a content be learnt and recalled again.
    Lift(SuppressionId),
    /// Erase what is past its purge time.
    Expire(Vec<MemoryId>),
}

/// A memory to be saved.
#[derive(Debug, Clone)]
pub struct NewMemory {
    /// The caller's label, or one made for it.
    pub id: MemoryId,
    /// Whom or what it is about.
    pub subject: Option<SubjectId>,
    /// Where it lives.
    pub graph: GraphId,
    /// What kind of thing it is.
    pub kind: Kind,
    /// What it says.
    pub content: Content,
    /// Its day; the UTC day of saving when unset.
    pub date: Option<NaiveDate>,
}

/// Memories to be saved by one import.
#[derive(Debug, Clone)]
pub struct Import {
    /// The import's id; `None` for one older than import ids.
    pub import_id: Option<ImportId>,
    /// The items, in request order.
    pub items: Vec<ImportItem>,
}

/// One memory of an import.
#[derive(Debug, Clone)]
pub struct ImportItem {
    /// The id as the caller sent it; empty when the server made one.
    pub sent_id: String,
    /// The memory, or the item's faults.
    pub memory: Result<NewMemory, Vec<FieldViolation>>,
    /// The owner, when an administrator imports for others.
    pub agent: Option<AgentId>,
    /// When it was first saved, when an administrator moves a store in.
    pub create_time: Option<Timestamp>,
}

/// A correction of one memory.
#[derive(Debug, Clone)]
pub struct Update {
    /// Which.
    pub memory_id: MemoryId,
    /// The version the caller saw.
    pub etag: Option<Etag>,
    /// The new text, without an attachment; unset: stays.
    pub content: Option<Content>,
    /// The new attachment; unset: stays.
    pub metadata: Option<Metadata>,
}

/// One id of a list, ill-formed ones included, since they get a result of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// As the caller sent it.
    pub sent: String,
    /// As an id, or why it is none.
    pub id: Result<MemoryId, IdFault>,
    /// Its place in the request, for error texts, for example `memory_ids[3]`.
    pub field: String,
}

/// A restore.
#[derive(Debug, Clone)]
pub struct Restore {
    /// What to bring back.
    pub selection: RestoreSelection,
    /// Whether suppressions that stand in the way are lifted, by whoever may.
    pub lift_suppression: bool,
}

/// What to bring back.
#[derive(Debug, Clone)]
pub enum RestoreSelection {
    /// These memories, in request order.
    Ids(Vec<Target>),
    /// All that one forget archived and that is still archived by it.
    Operation(OperationId),
}
