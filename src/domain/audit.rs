//! The audit record, its canonical encoding and the hash chain.
//!
//! `docs/audit-encoding.md` describes the encoding byte by byte; a change here is a new format version.

use sha2::{Digest, Sha256};

use super::Timestamp;
use super::forget::{Cause, Mode};
use super::ids::{
    AgentId, GraphId, ImportId, MemoryId, OperationId, PrincipalId, RequestId, Sequence, SuppressionId,
    TenantId,
};
use super::memory::{Kind, State};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// The hash before a tenant's first record.
pub const GENESIS: Hash = [0; 32];

/// The format version the encoding begins with.
pub const FORMAT_VERSION: u8 = 1;

/// What happened to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Saved.
    Remembered,
    /// Softly forgotten.
    Archived,
    /// Forgotten for good.
    Erased,
    /// Brought back.
    Restored,
    /// Erased because its purge time came.
    Expired,
    /// Its content was suppressed.
    Suppressed,
    /// A suppression that it was the reason of was lifted.
    SuppressionLifted,
    /// Corrected in place.
    Updated,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 8] = [
        Self::Remembered,
        Self::Archived,
        Self::Erased,
        Self::Restored,
        Self::Expired,
        Self::Suppressed,
        Self::SuppressionLifted,
        Self::Updated,
    ];

    /// The number the contract gives it.
    pub fn number(self) -> i16 {
        match self {
            Self::Remembered => 1,
            Self::Archived => 2,
            Self::Erased => 3,
            Self::Restored => 4,
            Self::Expired => 5,
            Self::Suppressed => 6,
            Self::SuppressionLifted => 7,
            Self::Updated => 12,
        }
    }
}

/// The number the contract gives a state; 0 for none.
pub fn state_number(state: Option<State>) -> i16 {
    match state {
        None => 0,
        Some(State::Active) => 1,
        Some(State::Archived) => 2,
        Some(State::Erased) => 4,
    }
}

/// The number the contract gives a forget mode; 0 for none.
pub fn mode_number(mode: Option<Mode>) -> i16 {
    match mode {
        None => 0,
        Some(Mode::Soft) => 1,
        Some(Mode::Hard) => 2,
    }
}

/// The number the contract gives a cause; 0 for none.
pub fn cause_number(cause: Option<Cause>) -> i16 {
    match cause {
        None => 0,
        Some(Cause::Correction) => 1,
        Some(Cause::UserRequest) => 2,
    }
}

/// One state transition of one memory, or what else happened to it, as it stands in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its place in the tenant's log.
    pub sequence: Sequence,
    /// The call that did it.
    pub operation_id: OperationId,
    /// The memory's label.
    pub memory_id: MemoryId,
    /// What happened.
    pub action: Action,
    /// The state before; none before a memory is saved.
    pub from: Option<State>,
    /// The state after.
    pub to: Option<State>,
    /// Who called.
    pub principal: PrincipalId,
    /// Whose memory it is.
    pub agent: AgentId,
    /// Why the memory was forgotten; none with what forgets nothing, and in records from before causes were kept.
    pub cause: Option<Cause>,
    /// The salted digest of the reason; the text stands elsewhere and can be deleted.
    pub reason_digest: Option<Hash>,
    /// Context.
    pub channel: Option<String>,
    /// The caller's own name for the call.
    pub request_id: Option<RequestId>,
    /// The trace the call belonged to.
    pub trace_id: Option<String>,
    /// When, by the database's clock under the tenant's lock.
    pub commit_time: Timestamp,
    /// How the memory was forgotten.
    pub mode: Option<Mode>,
    /// The memory's graph.
    pub graph: GraphId,
    /// The import that brought the memory.
    pub import: Option<ImportId>,
    /// The suppression that was made or lifted.
    pub suppression: Option<SuppressionId>,
    /// What kind of memory it is. Only decides who may see the record, so it is not part of the hash.
    pub kind: Kind,
    /// The hash of the record before.
    pub previous_hash: Hash,
    /// The hash of this record.
    pub hash: Hash,
}

impl AuditRecord {
    /// The record with its hash set to what its other fields say.
    pub fn sealed(mut self, tenant: &TenantId) -> Self {
        self.hash = self.computed_hash(tenant);
        self
    }

    /// SHA-256 of the hash before and this record's canonical encoding.
    pub fn computed_hash(&self, tenant: &TenantId) -> Hash {
        let mut hasher = Sha256::new();
        hasher.update(self.previous_hash);
        hasher.update(self.encoded(tenant));
        hasher.finalize().into()
    }

    /// The canonical encoding: the format version, then each field that is set, by ascending number.
    pub fn encoded(&self, tenant: &TenantId) -> Vec<u8> {
        let mut encoding = Encoding::new();
        encoding.text(0, tenant.as_str());
        encoding.integer(1, self.sequence);
        encoding.text(2, &self.operation_id.to_string());
        encoding.text(3, self.memory_id.as_str());
        encoding.integer(4, self.action.number().into());
        encoding.integer(5, state_number(self.from).into());
        encoding.integer(6, state_number(self.to).into());
        encoding.text(7, self.principal.as_str());
        encoding.text(8, self.agent.as_str());
        encoding.integer(9, cause_number(self.cause).into());
        encoding.bytes(10, self.reason_digest.as_ref().map_or(&[], |digest| digest.as_slice()));
        encoding.text(11, self.channel.as_deref().unwrap_or(""));
        encoding.text(12, &self.request_id.map(|id| id.to_string()).unwrap_or_default());
        encoding.text(13, self.trace_id.as_deref().unwrap_or(""));
        encoding.integer(14, self.commit_time.timestamp_micros());
        encoding.integer(17, mode_number(self.mode).into());
        encoding.text(19, self.graph.as_str());
        encoding.text(20, self.import.as_ref().map_or("", ImportId::as_str));
        encoding.text(22, &self.suppression.map(|id| id.to_string()).unwrap_or_default());
        encoding.0
    }
}

/// The digest that stands for a reason in the chain: SHA-256 of salt and text.
pub fn reason_digest(salt: &[u8; 16], reason: &str) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(salt);
    hasher.update(reason.as_bytes());
    hasher.finalize().into()
}

/// Field after field: number (2 bytes), length (4 bytes), value; numbers big-endian. What is empty or zero
/// is left out, so that fields added later leave the encoding of older records as it is.
struct Encoding(Vec<u8>);

impl Encoding {
    fn new() -> Self {
        Self(vec![FORMAT_VERSION])
    }

    fn bytes(&mut self, field: u16, value: &[u8]) {
        if value.is_empty() {
            return;
        }
        // Every field is bounded far below 4 GiB; saturating keeps the function total.
        let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
        self.0.extend_from_slice(&field.to_be_bytes());
        self.0.extend_from_slice(&length.to_be_bytes());
        self.0.extend_from_slice(value);
    }

    fn text(&mut self, field: u16, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    fn integer(&mut self, field: u16, value: i64) {
        if value != 0 {
            self.bytes(field, &value.to_be_bytes());
        }
    }
}
