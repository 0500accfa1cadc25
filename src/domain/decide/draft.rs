//! A decision in the making: changes, records and the running head, in step.

use std::collections::HashMap;

use super::super::Timestamp;
use super::super::answer::{Answer, AnswerBody, MemoryResult, Receipt, Shown};
use super::super::audit::{self, Action, AuditRecord};
use super::super::command::{Call, Mode};
use super::super::content::Content;
use super::super::facts::{Facts, Head};
use super::super::ids::{MemoryId, Sequence};
use super::super::memory::{Archive, Memory, State};
use super::super::operation::NewOperation;
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
    body: AnswerBody,
    shown: Option<Box<Shown>>,
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

    pub(super) fn save(&mut self, memory: Memory, content: Content) {
        self.record(Action::Remembered, &memory, None, Some(State::Active), None);
        self.overlay.insert(memory.id.clone(), Some(memory.clone()));
        self.changes.push(Change::Save(memory, content));
    }

    /// Archives an active memory and gives its new image; one that is not active stays as it is.
    pub(super) fn archive(&mut self, memory: Memory, purge_time: Option<Timestamp>) -> Memory {
        let archive = Archive { forget_time: self.now, purge_time, operation: self.call.operation_id };
        match memory.archived(archive, self.next_sequence()) {
            Ok(memory) => {
                let (from, to) = (Some(State::Active), Some(State::Archived));
                self.record(Action::Archived, &memory, from, to, Some(Mode::Soft));
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
                let (from, to) = (Some(State::Archived), Some(State::Active));
                self.record(Action::Restored, &memory, from, to, None);
                self.replace(memory.clone());
                memory
            }
            Err(memory) => *memory,
        }
    }

    pub(super) fn erase(&mut self, memory: Memory, action: Action, mode: Option<Mode>) {
        self.record(action, &memory, Some(memory.state()), Some(State::Erased), mode);
        self.overlay.insert(memory.id.clone(), None);
        self.changes.push(Change::Erase(memory));
    }

    /// Gives a memory, already at the next sequence, another content.
    pub(super) fn rewrite(&mut self, memory: Memory, content: Content) {
        self.record(Action::Updated, &memory, Some(State::Active), Some(State::Active), None);
        self.overlay.insert(memory.id.clone(), Some(memory.clone()));
        self.changes.push(Change::Rewrite(memory, content));
    }

    fn replace(&mut self, memory: Memory) {
        self.overlay.insert(memory.id.clone(), Some(memory.clone()));
        self.changes.push(Change::Replace(memory));
    }

    fn record(
        &mut self,
        action: Action,
        memory: &Memory,
        from: Option<State>,
        to: Option<State>,
        mode: Option<Mode>,
    ) {
        let call = self.call;
        let record = AuditRecord {
            sequence: self.next_sequence(),
            operation_id: call.operation_id,
            memory_id: memory.id.clone(),
            action,
            from,
            to,
            principal: call.principal.id.clone(),
            agent: memory.agent.clone(),
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
            import: memory.import.clone(),
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
    pub(super) fn show(&mut self, memory: Memory, content: Content) {
        self.shown = Some(Box::new(Shown { memory, content, forget_reason: None }));
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
            memory: self.shown,
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
