//! A decision in the making: changes, records and the running head, in step.

use std::collections::HashMap;

use super::super::Timestamp;
use super::super::answer::{Answer, AnswerBody, Kept, MemoryResult, Receipt, Shown};
use super::super::audit::{self, Action, AuditRecord};
use super::super::command::Call;
use super::super::content::Content;
use super::super::facts::{Facts, Head};
use super::super::forget::{Cause, Mode};
use super::super::ids::{AgentId, GraphId, ImportId, MemoryId, Sequence, SuppressionId};
use super::super::memory::{Archive, Kind, Memory, State};
use super::super::operation::NewOperation;
use super::super::suppression::{self, Fingerprint, SuppressedMemory, Suppression};
use super::{Change, Decision};

/// A decision in the making.
pub(super) struct Draft<'facts> {
    pub(super) facts: &'facts Facts,
    pub(super) call: &'facts Call,
    pub(super) now: Timestamp,
    head: Head,
    changes: Vec<Change>,
    records: Vec<AuditRecord>,
    /// What this decision has made of memories so far; `None`: erased.
    overlay: HashMap<MemoryId, Option<Memory>>,
    /// What it has made of suppressions so far; `None`: lifted.
    suppressions: HashMap<Fingerprint, Option<Suppression>>,
    suppressed: usize,
    lifted: usize,
    kept: Vec<Kept>,
    body: AnswerBody,
    shown: Option<Box<Shown>>,
}

/// What a record says beside whom it concerns.
#[derive(Clone, Copy)]
struct Entry {
    action: Action,
    from: Option<State>,
    to: Option<State>,
    mode: Option<Mode>,
    cause: Option<Cause>,
    suppression: Option<SuppressionId>,
}

impl Entry {
    fn of(action: Action, from: Option<State>, to: Option<State>) -> Self {
        Self { action, from, to, mode: None, cause: None, suppression: None }
    }
}

/// The memory that a record is about: one that is there, or what is kept of one.
#[derive(Clone, Copy)]
struct Concerned<'memory> {
    id: &'memory MemoryId,
    agent: &'memory AgentId,
    graph: &'memory GraphId,
    kind: Kind,
    import: Option<&'memory ImportId>,
}

impl<'memory> From<&'memory Memory> for Concerned<'memory> {
    fn from(memory: &'memory Memory) -> Self {
        let Memory { id, agent, graph, kind, import, .. } = memory;
        Self { id, agent, graph, kind: *kind, import: import.as_ref() }
    }
}

impl<'memory> From<&'memory SuppressedMemory> for Concerned<'memory> {
    fn from(memory: &'memory SuppressedMemory) -> Self {
        let SuppressedMemory { id, agent, graph, kind, import, .. } = memory;
        Self { id, agent, graph, kind: *kind, import: import.as_ref() }
    }
}

impl<'facts> Draft<'facts> {
    pub(super) fn new(facts: &'facts Facts, call: &'facts Call, now: Timestamp) -> Self {
        Self {
            facts,
            call,
            now,
            head: facts.head,
            changes: Vec::new(),
            records: Vec::new(),
            overlay: HashMap::new(),
            suppressions: HashMap::new(),
            suppressed: 0,
            lifted: 0,
            kept: Vec::new(),
            body: AnswerBody::Results(Vec::new()),
            shown: None,
        }
    }

    /// The memory under this label as this decision has it by now, whoever owns it.
    pub(super) fn memory(&self, id: &MemoryId) -> Option<&Memory> {
        match self.overlay.get(id) {
            Some(memory) => memory.as_ref(),
            None => self.facts.memory(id),
        }
    }

    /// The sequence that the next record will have.
    pub(super) fn next_sequence(&self) -> Sequence {
        self.head.sequence + 1
    }

    pub(super) fn save(&mut self, memory: Memory, content: Content, fingerprint: Fingerprint) {
        self.record(&Entry::of(Action::Remembered, None, Some(State::Active)), (&memory).into());
        self.overlay.insert(memory.id.clone(), Some(memory.clone()));
        self.changes.push(Change::Save(memory, content, fingerprint));
    }

    /// Archives an active memory and gives its new image; one that is not active stays as it is.
    pub(super) fn archive(&mut self, memory: Memory, purge_time: Option<Timestamp>, cause: Cause) -> Memory {
        let archive = Archive { forget_time: self.now, purge_time, operation: self.call.operation_id };
        match memory.archived(archive, self.next_sequence()) {
            Ok(memory) => {
                let entry = Entry::of(Action::Archived, Some(State::Active), Some(State::Archived));
                let entry = Entry { mode: Some(Mode::Soft), cause: Some(cause), ..entry };
                self.record(&entry, (&memory).into());
                self.replace(memory.clone());
                memory
            }
            Err(memory) => *memory,
        }
    }

    /// Brings an archived memory back and gives its new image; one that is active stays as it is.
    pub(super) fn restore(&mut self, memory: Memory) -> Memory {
        match memory.restored(self.now, self.next_sequence()) {
            Ok(memory) => {
                let entry = Entry::of(Action::Restored, Some(State::Archived), Some(State::Active));
                self.record(&entry, (&memory).into());
                self.replace(memory.clone());
                memory
            }
            Err(memory) => *memory,
        }
    }

    /// Erases a memory because somebody asked for it, and why.
    pub(super) fn erase(&mut self, memory: Memory, cause: Cause) {
        let entry = Entry::of(Action::Erased, Some(memory.state()), Some(State::Erased));
        self.remove(Entry { mode: Some(Mode::Hard), cause: Some(cause), ..entry }, memory);
    }

    /// Erases a memory because its purge time came.
    pub(super) fn expire(&mut self, memory: Memory) {
        self.remove(Entry::of(Action::Expired, Some(memory.state()), Some(State::Erased)), memory);
    }

    fn remove(&mut self, entry: Entry, memory: Memory) {
        self.record(&entry, (&memory).into());
        self.overlay.insert(memory.id.clone(), None);
        self.changes.push(Change::Erase(memory));
    }

    /// Gives a memory, already at the next sequence, another content.
    pub(super) fn rewrite(&mut self, memory: Memory, content: Content, fingerprint: Fingerprint) {
        let entry = Entry::of(Action::Updated, Some(State::Active), Some(State::Active));
        self.record(&entry, (&memory).into());
        self.overlay.insert(memory.id.clone(), Some(memory.clone()));
        self.changes.push(Change::Rewrite(memory, content, fingerprint));
    }

    fn replace(&mut self, memory: Memory) {
        self.overlay.insert(memory.id.clone(), Some(memory.clone()));
        self.changes.push(Change::Replace(memory));
    }

    /// The suppression of a content as this decision has it by now, if one stands.
    pub(super) fn suppression(&self, fingerprint: &Fingerprint) -> Option<&Suppression> {
        match self.suppressions.get(fingerprint) {
            Some(suppression) => suppression.as_ref(),
            None => self.facts.suppression(fingerprint),
        }
    }

    /// Suppresses what a memory says, unless that is already so. What somebody without `memory:admin` suppressed, somebody who
    /// has it suppresses anew: for settled facts too, and not to be lifted by whoever it was before.
    pub(super) fn suppress(&mut self, memory: &Memory, fingerprint: Fingerprint) {
        let by_admin = self.call.principal.is_admin();
        let standing = self.suppression(&fingerprint);
        if standing.is_some_and(|standing| standing.by_admin || !by_admin) {
            return;
        }
        let made_now = || suppression::name(&self.facts.tenant, self.next_sequence());
        let suppression = Suppression {
            id: standing.map_or_else(made_now, |standing| standing.id),
            fingerprint,
            by_admin,
            // Whom it concerned before, it still does.
            of: standing.map_or_else(|| memory.into(), |standing| standing.of.clone()),
            operation: self.call.operation_id,
            principal: self.call.principal.id.clone(),
            create_time: self.now,
        };
        let entry = Entry {
            cause: Some(Cause::UserRequest),
            suppression: Some(suppression.id),
            ..Entry::of(Action::Suppressed, None, None)
        };
        self.record(&entry, memory.into());
        self.suppressed += 1;
        self.suppressions.insert(fingerprint, Some(suppression.clone()));
        self.changes.push(Change::Suppress(suppression));
    }

    /// Lifts a suppression that stands.
    pub(super) fn lift(&mut self, suppression: Suppression) {
        let entry = Entry::of(Action::SuppressionLifted, None, None);
        self.record(&Entry { suppression: Some(suppression.id), ..entry }, (&suppression.of).into());
        self.lifted += 1;
        self.suppressions.insert(suppression.fingerprint, None);
        self.changes.push(Change::Lift(suppression));
    }

    /// Whether anything was recorded so far.
    pub(super) fn changes_something(&self) -> bool {
        !self.records.is_empty()
    }

    /// Keeps words of a memory for as long as the call lasts.
    pub(super) fn keep(&mut self, kept: Kept) {
        self.kept.push(kept);
    }

    fn record(&mut self, entry: &Entry, memory: Concerned<'_>) {
        let call = self.call;
        let Entry { action, from, to, mode, cause, suppression } = *entry;
        let record = AuditRecord {
            sequence: self.next_sequence(),
            operation_id: call.operation_id,
            memory_id: memory.id.clone(),
            action,
            from,
            to,
            principal: call.principal.id.clone(),
            agent: memory.agent.clone(),
            cause,
            reason_digest: call
                .reason
                .as_ref()
                .map(|reason| audit::reason_digest(&reason.salt, reason.text.as_str())),
            channel: call.channel.clone(),
            request_id: call.request.as_ref().map(|request| request.id),
            trace_id: call.trace_id.clone(),
            commit_time: self.now,
            mode,
            graph: memory.graph.clone(),
            import: memory.import.cloned(),
            suppression,
            kind: memory.kind,
            previous_hash: self.head.hash,
            hash: audit::GENESIS,
        }
        .sealed(&self.facts.tenant);
        self.head = Head { sequence: record.sequence, hash: record.hash, last_time: Some(self.now) };
        self.records.push(record);
    }

    pub(super) fn answer_results(&mut self, results: Vec<MemoryResult>) {
        self.body = AnswerBody::Results(results);
    }

    pub(super) fn answer(&mut self, body: AnswerBody) {
        self.body = body;
    }

    /// The memory that the answer shows.
    pub(super) fn show(&mut self, memory: Memory, content: Content, suppressed: bool) {
        self.shown = Some(Box::new(Shown { memory, content, forget_reason: None, suppressed }));
    }

    pub(super) fn finish(self) -> Decision {
        let sequence_of = |record: Option<&AuditRecord>| record.map_or(0, |record| record.sequence);
        let answer = Answer {
            operation_id: self.call.operation_id,
            commit_time: self.now,
            receipt: Receipt {
                first_sequence: sequence_of(self.records.first()),
                last_sequence: sequence_of(self.records.last()),
                head_hash: self.head.hash,
            },
            body: self.body,
            suppressed: self.suppressed,
            lifted: self.lifted,
            kept: self.kept,
            memory: self.shown,
            suppression_reason: None,
            replayed: false,
            validate_only: false,
        };
        let operation = NewOperation {
            operation_id: self.call.operation_id,
            method: self.call.method,
            principal: self.call.principal.id.clone(),
            agent: self.call.principal.agent.clone(),
            request: self.call.request.clone(),
            channel: self.call.channel.clone(),
            reason: self.call.reason.clone(),
            commit_time: self.now,
            answer: answer.for_storage(),
        };
        Decision { changes: self.changes, records: self.records, head: self.head, operation, answer }
    }
}
