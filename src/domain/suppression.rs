//! Suppressions: what somebody asked never to hear again.
//!
//! A suppression stands for one content of one subject, in all of a tenant: whatever says the same of the same subject is not
//! recalled, whichever agent or import brought it, and is not saved again. The content itself is not kept, only a keyed
//! fingerprint of it.

use hmac::Mac;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Timestamp;
use super::ids::{
    AgentId, GraphId, ImportId, MemoryId, OperationId, PrincipalId, Sequence, SubjectId, SuppressionId,
    TenantId,
};
use super::keyed;
use super::memory::{Kind, Memory};
use super::principal::Principal;

/// Stands for a content of a subject. Only who has the key can tell for which, and only by guessing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 32]);

/// Not shown: whoever has the key could confirm a guess by it.
impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Fingerprint(…)")
    }
}

/// Takes fingerprints. All replicas, and all that ever serve the same database, share the key: under another one, what was
/// suppressed before can be saved again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprinter([u8; 32]);

impl std::fmt::Debug for Fingerprinter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Fingerprinter(…)")
    }
}

/// Keeps these keys and fingerprints apart from anything else made with the same key.
const TENANT_KEY: &[u8] = b"memorylifecycle.v1 fingerprints of tenant ";
const CONTENT: &[u8] = b"memorylifecycle.v1 content 1";

impl Fingerprinter {
    /// Takes them with this key.
    pub fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The fingerprint of a normalised text about a subject: HMAC-SHA-256 under a key of the tenant's own. What has no subject
    /// is about the subject "".
    pub fn of(&self, tenant: &TenantId, subject: Option<&SubjectId>, normalized: &str) -> Fingerprint {
        let tenant_key = mac(&self.0, &[TENANT_KEY, tenant.as_str().as_bytes()]);
        let subject = subject.map_or("", SubjectId::as_str).as_bytes();
        let length = (subject.len() as u64).to_be_bytes();
        Fingerprint(mac(&tenant_key, &[CONTENT, &length, subject, normalized.as_bytes()]))
    }
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = keyed::mac(key);
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// A suppression that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// Its name.
    pub id: SuppressionId,
    /// What it bars.
    pub fingerprint: Fingerprint,
    /// Whether settled facts are barred too: only whoever has `memory:admin` can bar them.
    pub by_admin: bool,
    /// The memory whose forget made it, as it was then: what the log says of the suppression it says of this memory.
    pub of: SuppressedMemory,
    /// The operation that made it.
    pub operation: OperationId,
    /// Who called it.
    pub principal: PrincipalId,
    /// When.
    pub create_time: Timestamp,
}

/// What is kept of the memory that a suppression was made for: whom it concerns and where it stood, and nothing of what it
/// said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressedMemory {
    /// Its label.
    pub id: MemoryId,
    /// Whom or what it was about.
    pub subject: Option<SubjectId>,
    /// Its owner.
    pub agent: AgentId,
    /// Its graph.
    pub graph: GraphId,
    /// What kind of thing it was.
    pub kind: Kind,
    /// The import that brought it.
    pub import: Option<ImportId>,
}

impl From<&Memory> for SuppressedMemory {
    fn from(memory: &Memory) -> Self {
        let Memory { id, subject, agent, graph, kind, import, .. } = memory.clone();
        Self { id, subject, agent, graph, kind, import }
    }
}

impl Suppression {
    /// Whether it bars a memory of this kind from being recalled and saved.
    pub fn bars(&self, kind: Kind) -> bool {
        self.by_admin || kind != Kind::Fact
    }

    /// Whether it exists for this principal at all: it concerns a memory that it reaches, or came of a call of its own.
    pub fn concerns(&self, principal: &Principal) -> bool {
        let reaches =
            principal.reaches_agent(&self.of.agent) && (principal.is_admin() || self.of.kind != Kind::Fact);
        reaches || self.is_by(principal)
    }

    /// Whether this principal may lift it: whose own call made it, and who may do anything.
    pub fn may_be_lifted_by(&self, principal: &Principal) -> bool {
        principal.is_admin() || self.is_by(principal)
    }

    fn is_by(&self, principal: &Principal) -> bool {
        self.principal == principal.id
    }
}

/// The name of the suppression that is recorded under this sequence of the tenant's log.
pub fn name(tenant: &TenantId, recorded: Sequence) -> SuppressionId {
    let mut hasher = Sha256::new();
    hasher.update(b"memorylifecycle.v1 suppression");
    hasher.update(recorded.to_be_bytes());
    hasher.update(tenant.as_str().as_bytes());
    let digest: [u8; 32] = hasher.finalize().into();
    let mut bytes = [0; 16];
    for (byte, digested) in bytes.iter_mut().zip(digest) {
        *byte = digested;
    }
    SuppressionId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// A suppression as an answer shows it: names and times only, so that it can be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownSuppression {
    /// Its name.
    pub id: SuppressionId,
    /// Whom or what it is about.
    pub subject: Option<SubjectId>,
    /// The operation that made it.
    pub operation: OperationId,
    /// When.
    pub create_time: Timestamp,
}

impl From<&Suppression> for ShownSuppression {
    fn from(suppression: &Suppression) -> Self {
        Self {
            id: suppression.id,
            subject: suppression.of.subject.clone(),
            operation: suppression.operation,
            create_time: suppression.create_time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::normalize;
    use super::*;

    fn of(key: u8, tenant: &str, subject: Option<&str>, text: &str) -> Fingerprint {
        let subject = subject.map(|subject| SubjectId::parse(subject).unwrap());
        Fingerprinter::new([key; 32]).of(
            &TenantId::parse(tenant).unwrap(),
            subject.as_ref(),
            &normalize(text),
        )
    }

    #[test]
    fn what_says_the_same_of_the_same_subject_has_the_same_fingerprint() {
        let known = of(1, "t", Some("s"), "She likes Café");
        assert_eq!(of(1, "t", Some("s"), " she  likes\ncafe\u{301} "), known);
        for other in [
            of(2, "t", Some("s"), "She likes Café"),
            of(1, "u", Some("s"), "She likes Café"),
            of(1, "t", Some("r"), "She likes Café"),
            of(1, "t", None, "She likes Café"),
            of(1, "t", None, "sShe likes Café"),
            of(1, "t", Some("s"), "She likes cafe"),
        ] {
            assert_ne!(other, known);
        }
    }

    #[test]
    fn each_record_names_another_suppression() {
        let (one, other) = (TenantId::parse("t").unwrap(), TenantId::parse("u").unwrap());
        assert_eq!(name(&one, 1), name(&one, 1));
        assert_ne!(name(&one, 1), name(&one, 2));
        assert_ne!(name(&one, 1), name(&other, 1));
        assert_eq!(name(&one, 1).0.get_version_num(), 8);
    }
}
