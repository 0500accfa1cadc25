//! `Remember` and `UpdateMemory`.

use super::call::{Caller, Change, Shared, request_digest};
use super::faults::Faults;
use super::memories::memory_sent;
use super::metadata::metadata;
use super::results::receipt_sent;
use super::values::{date, kind_to_save};
use crate::domain::answer::{Answer, AnswerBody, Shown};
use crate::domain::command::{Body, NewMemory, Update};
use crate::domain::content::{Content, Metadata};
use crate::domain::ids::{Etag, GraphId, MemoryId, SubjectId};
use crate::domain::operation::Method;
use crate::domain::refusal::Refusal;
use crate::proto::v1;

/// The fields that make a memory, as Remember and an item of an import send them.
pub(super) struct Sent {
    pub(super) memory_id: String,
    pub(super) subject_id: String,
    pub(super) graph_id: String,
    pub(super) kind: i32,
    pub(super) content: String,
    pub(super) metadata: Option<prost_types::Struct>,
    pub(super) memory_date: String,
}

impl Caller {
    /// Reads a memory to be saved; one without an id is given one.
    pub(super) fn new_memory(&self, faults: &mut Faults, sent: Sent) -> Option<NewMemory> {
        let Sent { memory_id, subject_id, graph_id, kind, content, metadata: attachment, memory_date } = sent;
        let id = if memory_id.is_empty() {
            Some(MemoryId::from_stored(format!("mem_{}", self.clock.uuid_v7())))
        } else {
            faults.take("memory_id", MemoryId::parse(&memory_id))
        };
        let subject = faults.plain("subject_id", &subject_id, SubjectId::parse);
        let graph = faults.plain("graph_id", &graph_id, GraphId::parse);
        let kind = faults.take("kind", kind_to_save(kind));
        let metadata = metadata(faults, "metadata", attachment.as_ref())
            .filter(|metadata| !metadata.encoded().is_empty());
        let content = faults.take("content", Content::new(content, metadata));
        let date = faults.plain("memory_date", &memory_date, date);
        Some(NewMemory {
            id: id?,
            subject,
            graph: graph.unwrap_or_else(GraphId::default_graph),
            kind: kind?,
            content: content?,
            date,
        })
    }
}

/// Reads a memory to be saved.
pub(in crate::rpc) fn remember(caller: &Caller, mut message: v1::RememberRequest) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    let digest = request_digest(Method::Remember, &message.request_id, &message);
    let v1::RememberRequest {
        memory_id,
        subject_id,
        graph_id,
        kind,
        content,
        metadata,
        memory_date,
        request_id,
    } = message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, ..Shared::default() };
    let call = caller.call(&mut faults, Method::Remember, &shared, digest);
    let sent = Sent { memory_id, subject_id, graph_id, kind, content, metadata, memory_date };
    let memory = caller.new_memory(&mut faults, sent);
    faults.settle(memory.map(|memory| Change::new(call, Body::Remember(memory))))
}

/// Reads a correction.
pub(in crate::rpc) fn update(
    caller: &Caller,
    mut message: v1::UpdateMemoryRequest,
) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    let digest = request_digest(Method::UpdateMemory, &message.request_id, &message);
    let v1::UpdateMemoryRequest { memory_id, etag, content, metadata: attachment, reason, request_id } =
        message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, reason: &reason, ..Shared::default() };
    let call = caller.call(&mut faults, Method::UpdateMemory, &shared, digest);
    let memory_id = faults.take("memory_id", MemoryId::parse(&memory_id));
    let etag = faults.plain("etag", &etag, Etag::parse);
    let content = content.and_then(|text| faults.take("content", Content::new(text, None)));
    let metadata: Option<Metadata> = metadata(&mut faults, "metadata", attachment.as_ref());
    let update = memory_id.map(|memory_id| Update { memory_id, etag, content, metadata });
    faults.settle(update.map(|update| Change::new(call, Body::Update(update))))
}

/// Writes the memory as saved.
pub(in crate::rpc) fn remember_response(answer: &Answer) -> v1::RememberResponse {
    v1::RememberResponse {
        memory: shown(answer),
        audit: Some(receipt_sent(answer)),
        replayed: answer.replayed,
    }
}

/// Writes the memory as corrected.
pub(in crate::rpc) fn update_response(answer: &Answer) -> v1::UpdateMemoryResponse {
    v1::UpdateMemoryResponse {
        memory: shown(answer),
        audit: Some(receipt_sent(answer)),
        replayed: answer.replayed,
    }
}

/// The memory as it is now, or only its id when it is gone.
fn shown(answer: &Answer) -> Option<v1::Memory> {
    match (&answer.memory, &answer.body) {
        (Some(shown), _) => {
            let Shown { memory, content, forget_reason, suppressed } = &**shown;
            Some(memory_sent(memory, content, forget_reason.as_ref(), *suppressed))
        }
        (None, AnswerBody::Memory(id, _)) => {
            Some(v1::Memory { memory_id: id.to_string(), ..v1::Memory::default() })
        }
        (None, AnswerBody::Suppression(_) | AnswerBody::Import { .. } | AnswerBody::Results(_)) => None,
    }
}
