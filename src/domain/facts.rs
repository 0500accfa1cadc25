//! What is known of one tenant while its head is locked: loaded once, then kept current by each decision, so
//! that the next command of the batch sees what the ones before it did.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use super::Timestamp;
use super::answer::Answer;
use super::audit::{AuditRecord, GENESIS, Hash};
use super::command::{Command, Request};
use super::content::Content;
use super::decide::{Change, Decision};
use super::filter::Filter;
use super::ids::{
    GraphId, MemoryId, MemoryKey, OperationId, PrincipalId, RequestId, Sequence, SuppressionId, TenantId,
};
use super::memory::Memory;
use super::operation::NewOperation;
use super::principal::Principal;
use super::refusal::Refusal;
use super::suppression::{Fingerprint, Suppression};
use super::text::Query;

/// Where a tenant's audit log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The last record's sequence; 0 when there is none.
    pub sequence: Sequence,
    /// The last record's hash.
    pub hash: Hash,
    /// The last record's time; no later record is before it.
    pub last_time: Option<Timestamp>,
}

impl Head {
    /// The head of a tenant without records.
    pub const EMPTY: Self = Self { sequence: 0, hash: GENESIS, last_time: None };

    /// The time of a decision: the database's clock, but never before the last record.
    pub fn time_of_decision(&self, clock: Timestamp) -> Timestamp {
        self.last_time.map_or(clock, |last| last.max(clock))
    }
}

/// A request id that was used before: what was asked under it, and what was answered.
#[derive(Clone)]
pub struct AnsweredRequest {
    /// SHA-256 of method and message.
    pub digest: [u8; 32],
    /// The stored answer.
    pub answer: Answer,
}

/// Without the digest, by which a guess at what was asked could be checked.
impl fmt::Debug for AnsweredRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("AnsweredRequest").field(&self.answer).finish()
    }
}

/// One tenant's facts, and the changes decided on them.
#[derive(Debug)]
pub struct Facts {
    /// The tenant.
    pub tenant: TenantId,
    /// Where its log ends, decisions included.
    pub head: Head,
    memories: HashMap<MemoryId, Memory>,
    contents: HashMap<MemoryKey, Content>,
    fingerprints: HashMap<MemoryKey, Fingerprint>,
    words: HashMap<MemoryKey, Query>,
    suppressions: HashMap<Fingerprint, Suppression>,
    graphs: HashSet<GraphId>,
    requests: HashMap<(PrincipalId, RequestId), AnsweredRequest>,
    operations: HashMap<OperationId, PrincipalId>,
    stored_versions: HashMap<MemoryKey, Sequence>,
    stored_suppressions: HashMap<SuppressionId, Suppression>,
    touched: BTreeSet<MemoryKey>,
    written_contents: BTreeSet<MemoryKey>,
    touched_suppressions: BTreeSet<SuppressionId>,
    new_graphs: BTreeSet<GraphId>,
    new_records: Vec<AuditRecord>,
    new_operations: Vec<NewOperation>,
}

impl Facts {
    /// A tenant of which nothing but its head is known yet.
    pub fn new(tenant: TenantId, head: Head) -> Self {
        Self {
            tenant,
            head,
            memories: HashMap::new(),
            contents: HashMap::new(),
            fingerprints: HashMap::new(),
            words: HashMap::new(),
            suppressions: HashMap::new(),
            graphs: HashSet::new(),
            requests: HashMap::new(),
            operations: HashMap::new(),
            stored_versions: HashMap::new(),
            stored_suppressions: HashMap::new(),
            touched: BTreeSet::new(),
            written_contents: BTreeSet::new(),
            touched_suppressions: BTreeSet::new(),
            new_graphs: BTreeSet::new(),
            new_records: Vec::new(),
            new_operations: Vec::new(),
        }
    }

    /// Adds a stored memory.
    pub fn know_memory(&mut self, memory: Memory) {
        self.stored_versions.insert(memory.key, memory.version);
        self.memories.insert(memory.id.clone(), memory);
    }

    /// Takes back what was known under a label: there is nothing under it, or nothing in reach.
    pub fn know_nothing_of(&mut self, id: &MemoryId) {
        if let Some(memory) = self.memories.remove(id) {
            self.stored_versions.remove(&memory.key);
        }
    }

    /// Adds a stored memory's content.
    pub fn know_content(&mut self, key: MemoryKey, content: Content) {
        self.contents.insert(key, content);
    }

    /// Adds the fingerprint of a stored memory's content.
    pub fn know_fingerprint(&mut self, key: MemoryKey, fingerprint: Fingerprint) {
        self.fingerprints.insert(key, fingerprint);
    }

    /// Adds words of a stored memory, by which it can be looked for when it is gone.
    pub fn know_words(&mut self, key: MemoryKey, words: Query) {
        self.words.insert(key, words);
    }

    /// Adds a suppression that stands.
    pub fn know_suppression(&mut self, suppression: Suppression) {
        self.stored_suppressions.insert(suppression.id, suppression.clone());
        self.suppressions.insert(suppression.fingerprint, suppression);
    }

    /// Adds a graph that exists.
    pub fn know_graph(&mut self, graph: GraphId) {
        self.graphs.insert(graph);
    }

    /// Adds a request id that was used before.
    pub fn know_request(&mut self, principal: PrincipalId, id: RequestId, request: AnsweredRequest) {
        self.requests.insert((principal, id), request);
    }

    /// Adds an operation that exists, with who called it.
    pub fn know_operation(&mut self, operation: OperationId, principal: PrincipalId) {
        self.operations.insert(operation, principal);
    }

    /// The memory under this label, whoever owns it.
    pub fn memory(&self, id: &MemoryId) -> Option<&Memory> {
        self.memories.get(id)
    }

    /// A memory's content, where it was loaded.
    pub fn content(&self, key: MemoryKey) -> Option<&Content> {
        self.contents.get(&key)
    }

    /// The fingerprint of a memory's content, where it was loaded or saved.
    pub fn fingerprint(&self, key: MemoryKey) -> Option<&Fingerprint> {
        self.fingerprints.get(&key)
    }

    /// Words of a memory, where they were loaded.
    pub fn words(&self, key: MemoryKey) -> Option<&Query> {
        self.words.get(&key)
    }

    /// The suppression of a content, if one stands.
    pub fn suppression(&self, fingerprint: &Fingerprint) -> Option<&Suppression> {
        self.suppressions.get(fingerprint)
    }

    /// The suppression of this name, if it stands and exists for the principal.
    pub fn suppression_named(&self, id: SuppressionId, principal: &Principal) -> Option<&Suppression> {
        self.suppressions.values().find(|suppression| suppression.id == id && suppression.concerns(principal))
    }

    /// The memories known to have changed after this sequence, each with its content where that is known.
    pub fn changed_since(&self, sequence: Sequence) -> impl Iterator<Item = (&Memory, Option<&Content>)> {
        let changed = self.memories.values().filter(move |memory| memory.version > sequence);
        changed.map(|memory| (memory, self.contents.get(&memory.key)))
    }

    /// Whether the graph exists.
    pub fn has_graph(&self, graph: &GraphId) -> bool {
        graph.is_default() || self.graphs.contains(graph)
    }

    /// Whether the operation exists for this principal.
    pub fn has_operation(&self, operation: OperationId, principal: &Principal) -> bool {
        self.operations.get(&operation).is_some_and(|caller| principal.is_admin() || *caller == principal.id)
    }

    /// The memories that the operation archived and that are still archived by it, by id.
    pub fn archived_by(&self, operation: OperationId) -> Vec<&Memory> {
        let mut memories: Vec<&Memory> = self
            .memories
            .values()
            .filter(|memory| memory.archive().is_some_and(|archive| archive.operation == operation))
            .collect();
        memories.sort_by(|one, other| one.id.cmp(&other.id));
        memories
    }

    /// The one memory that is meant, in reach and as asserted; everything else is not found.
    pub fn find(&self, principal: &Principal, id: &MemoryId, filter: &Filter) -> Result<&Memory, Refusal> {
        self.memory(id)
            .filter(|memory| principal.reaches(memory) && filter.admits(memory))
            .ok_or(Refusal::MemoryNotFound)
    }

    /// The stored answer, if the command's request id was used before: for the same request its answer, for
    /// another a refusal.
    pub fn answered(&self, command: &Command) -> Option<Result<&Answer, Refusal>> {
        let Request { id, digest } = command.call.request.as_ref()?;
        let earlier = self.requests.get(&(command.call.principal.id.clone(), *id))?;
        Some(if earlier.digest == *digest { Ok(&earlier.answer) } else { Err(Refusal::RequestIdReused) })
    }

    /// The memories that the command could touch and whose purge time has come, by id. Of those out of reach
    /// only what stands in the way of a save: everything else answers, and does, as if they did not exist.
    pub fn due_for(&self, command: &Command, now: Timestamp) -> Vec<Memory> {
        let named = command.memory_ids().into_iter().filter_map(|id| self.memory(id));
        let by_operation = command.restored_operation().map(|id| self.archived_by(id)).unwrap_or_default();
        let due: BTreeMap<&MemoryId, &Memory> = named
            .chain(by_operation)
            .filter(|memory| memory.is_due(now))
            .filter(|memory| command.saves() || command.call.principal.reaches(memory))
            .map(|memory| (&memory.id, memory))
            .collect();
        due.into_values().cloned().collect()
    }

    /// Makes a decision part of the facts.
    pub fn apply(&mut self, decision: Decision) {
        for change in decision.changes {
            match change {
                Change::Save(memory, content, fingerprint) => {
                    if !self.has_graph(&memory.graph) {
                        self.new_graphs.insert(memory.graph.clone());
                        self.graphs.insert(memory.graph.clone());
                    }
                    self.write_content(memory.key, content, fingerprint);
                    self.put(memory);
                }
                Change::Replace(memory) => self.put(memory),
                Change::Rewrite(memory, content, fingerprint) => {
                    self.write_content(memory.key, content, fingerprint);
                    self.put(memory);
                }
                Change::Suppress(suppression) => {
                    self.touched_suppressions.insert(suppression.id);
                    self.suppressions.insert(suppression.fingerprint, suppression);
                }
                Change::Lift(suppression) => {
                    self.touched_suppressions.insert(suppression.id);
                    self.suppressions.remove(&suppression.fingerprint);
                }
                Change::Erase(memory) => {
                    self.touched.insert(memory.key);
                    self.contents.remove(&memory.key);
                    self.memories.remove(&memory.id);
                }
            }
        }
        self.head = decision.head;
        self.new_records.extend(decision.records);
        let operation = decision.operation;
        if let Some(Request { id, digest }) = &operation.request {
            let earlier = AnsweredRequest { digest: *digest, answer: operation.answer.clone() };
            self.requests.insert((operation.principal.clone(), *id), earlier);
        }
        self.operations.insert(operation.operation_id, operation.principal.clone());
        self.new_operations.push(operation);
    }

    fn write_content(&mut self, key: MemoryKey, content: Content, fingerprint: Fingerprint) {
        self.written_contents.insert(key);
        self.contents.insert(key, content);
        self.fingerprints.insert(key, fingerprint);
    }

    fn put(&mut self, memory: Memory) {
        self.touched.insert(memory.key);
        self.memories.insert(memory.id.clone(), memory);
    }

    /// What the decisions come to: each key's final image once.
    pub fn changes(&self) -> Changes<'_> {
        let current: HashMap<MemoryKey, &Memory> =
            self.memories.values().map(|memory| (memory.key, memory)).collect();
        let mut changes = Changes {
            erased: Vec::new(),
            saved: Vec::new(),
            replaced: Vec::new(),
            rewritten: Vec::new(),
            lifted: self
                .touched_suppressions
                .iter()
                .filter(|id| self.stored_suppressions.contains_key(id))
                .copied()
                .collect(),
            suppressed: self
                .suppressions
                .values()
                .filter(|suppression| self.touched_suppressions.contains(&suppression.id))
                .collect(),
            graphs: self.new_graphs.iter().collect(),
            records: &self.new_records,
            operations: &self.new_operations,
        };
        for key in &self.touched {
            let written = self.contents.get(key).zip(self.fingerprints.get(key));
            let written = written.filter(|_| self.written_contents.contains(key));
            match (self.stored_versions.get(key), current.get(key)) {
                (Some(&version), Some(memory)) => {
                    changes.replaced.push((version, *memory));
                    changes.rewritten.extend(written.map(|(content, print)| (*key, content, print)));
                }
                (Some(&version), None) => changes.erased.push((version, *key)),
                (None, Some(memory)) => {
                    changes.saved.extend(written.map(|(content, print)| (*memory, content, print)));
                }
                // Saved and erased by the same batch: nothing to write but the records.
                (None, None) => {}
            }
        }
        changes
    }
}

/// The writes of one tenant's decisions, each row once. Versions guard against writing over anything but
/// what was loaded.
#[derive(Debug)]
pub struct Changes<'facts> {
    /// Rows to remove: stored version and key.
    pub erased: Vec<(Sequence, MemoryKey)>,
    /// Rows to add.
    pub saved: Vec<(&'facts Memory, &'facts Content, &'facts Fingerprint)>,
    /// Rows to replace: stored version and new image.
    pub replaced: Vec<(Sequence, &'facts Memory)>,
    /// Contents to replace.
    pub rewritten: Vec<(MemoryKey, &'facts Content, &'facts Fingerprint)>,
    /// Suppressions to remove: those that were lifted, and those that another image takes the place of.
    pub lifted: Vec<SuppressionId>,
    /// Suppressions to add.
    pub suppressed: Vec<&'facts Suppression>,
    /// Graphs that now exist.
    pub graphs: Vec<&'facts GraphId>,
    /// Audit records, in order.
    pub records: &'facts [AuditRecord],
    /// Operations, in order.
    pub operations: &'facts [NewOperation],
}

impl Changes<'_> {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}
