//! `GetMemory` and `ListMemories`, and a memory as it is shown.

use super::faults::Faults;
use super::filter::filter;
use super::metadata::metadata_sent;
use super::values::{digest, kind_sent, origin_sent, page, state_sent, timestamp_sent};
use crate::domain::content::Content;
use crate::domain::filter::Filter;
use crate::domain::ids::{ImportId, MemoryId, SubjectId};
use crate::domain::line::Reason;
use crate::domain::memory::{Archive, Memory, State};
use crate::domain::refusal::Refusal;
use crate::domain::text::Query;
use crate::ops::{ListMemories, Page, RecallQuery, StoredMemory};
use crate::proto::v1;

/// Reads which memory is wanted.
pub(in crate::rpc) fn memory_id(message: &v1::GetMemoryRequest) -> Result<MemoryId, Refusal> {
    let v1::GetMemoryRequest { memory_id } = message;
    let mut faults = Faults::default();
    let memory_id = faults.take("memory_id", MemoryId::parse(memory_id));
    faults.settle(memory_id)
}

/// Reads which memories are wanted.
pub(in crate::rpc) fn list_query(mut message: v1::ListMemoriesRequest) -> Result<ListMemories, Refusal> {
    let size = std::mem::take(&mut message.page_size);
    let token = std::mem::take(&mut message.page_token);
    let arguments = digest("memorylifecycle.v1.MemoryStore/ListMemories", &message);
    let v1::ListMemoriesRequest { filter: sent, show_archived, import_id, page_size: _, page_token: _ } =
        message;

    let mut faults = Faults::default();
    let filter = filter(&mut faults, sent);
    let import = faults.optional("import_id", import_id.as_deref(), ImportId::parse);
    let states = match (filter.states.is_empty(), show_archived) {
        (false, _) => filter.states,
        (true, true) => vec![State::Active, State::Archived],
        (true, false) => vec![State::Active],
    };
    let page = page(&mut faults, size, token, arguments);
    faults.settle(Some(ListMemories { filter: Filter { states, import, ..filter }, page }))
}

/// Reads what is to be recalled.
pub(in crate::rpc) fn recall_query(mut message: v1::RecallMemoriesRequest) -> Result<RecallQuery, Refusal> {
    let size = std::mem::take(&mut message.page_size);
    let token = std::mem::take(&mut message.page_token);
    let arguments = digest("memorylifecycle.v1.MemoryStore/RecallMemories", &message);
    let v1::RecallMemoriesRequest { query, filter: sent, page_size: _, page_token: _ } = message;

    let mut faults = Faults::default();
    let query = faults.take("query", Query::parse(&query));
    let filter = filter(&mut faults, sent);
    if filter.states.iter().any(|state| *state != State::Active) {
        faults.note("filter.states", "must be left out: only active memories are recalled");
    }
    let page = page(&mut faults, size, token, arguments);
    faults.settle(query.map(|query| RecallQuery { query, filter, page }))
}

/// Writes a page of what was recalled.
pub(in crate::rpc) fn recall_response(page: &Page<StoredMemory>) -> v1::RecallMemoriesResponse {
    let Page { items, next_token } = page;
    v1::RecallMemoriesResponse {
        memories: items.iter().map(stored_sent).collect(),
        next_page_token: next_token.clone(),
    }
}

/// Writes the memory that was wanted.
pub(in crate::rpc) fn memory_response(stored: &StoredMemory) -> v1::GetMemoryResponse {
    v1::GetMemoryResponse { memory: Some(stored_sent(stored)) }
}

/// Writes a page of memories.
pub(in crate::rpc) fn list_response(page: &Page<StoredMemory>) -> v1::ListMemoriesResponse {
    let Page { items, next_token } = page;
    v1::ListMemoriesResponse {
        memories: items.iter().map(stored_sent).collect(),
        next_page_token: next_token.clone(),
    }
}

fn stored_sent(stored: &StoredMemory) -> v1::Memory {
    let StoredMemory { memory, content, forget_reason, suppressed } = stored;
    memory_sent(memory, content, forget_reason.as_ref(), *suppressed)
}

/// Writes a memory.
pub(super) fn memory_sent(
    memory: &Memory,
    content: &Content,
    forget_reason: Option<&Reason>,
    suppressed: bool,
) -> v1::Memory {
    let archive = memory.archive();
    let text_of = |reason: &Reason| reason.as_str().to_owned();
    v1::Memory {
        memory_id: memory.id.to_string(),
        subject_id: memory.subject.as_ref().map(SubjectId::to_string).unwrap_or_default(),
        agent_id: memory.agent.to_string(),
        graph_id: memory.graph.to_string(),
        kind: kind_sent(memory.kind),
        origin: origin_sent(Some(memory.origin)),
        import_id: memory.import.as_ref().map(ImportId::to_string).unwrap_or_default(),
        memory_date: memory.date.to_string(),
        content: content.text().to_owned(),
        metadata: metadata_sent(content.metadata()),
        state: state_sent(Some(memory.state())),
        etag: memory.etag().to_string(),
        create_time: Some(timestamp_sent(memory.create_time)),
        update_time: Some(timestamp_sent(memory.update_time)),
        forget_time: archive.map(|archive| timestamp_sent(archive.forget_time)),
        purge_time: archive.and_then(|archive| archive.purge_time).map(timestamp_sent),
        forget_reason: archive.and(forget_reason).map(text_of).unwrap_or_default(),
        forget_operation_id: archive
            .map(|Archive { operation, .. }| operation.to_string())
            .unwrap_or_default(),
        suppressed,
    }
}
