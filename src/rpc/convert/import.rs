//! `ImportMemories`.

use super::call::{Caller, Change, Shared, request_digest};
use super::faults::Faults;
use super::remember::Sent;
use super::results::receipt_sent;
use super::values::{count, timestamp};
use crate::domain::answer::{Answer, AnswerBody, ImportOutcome, ImportResult};
use crate::domain::command::{Body, Import, ImportItem};
use crate::domain::ids::{ImportId, OperationId};
use crate::domain::operation::Method;
use crate::domain::principal::caller_agent;
use crate::domain::refusal::Refusal;
use crate::proto::v1;
use crate::rpc::status;

/// The most items of one call.
const MAX_ITEMS: usize = 1000;

/// Reads an import. A faulty item is answered in its place and is no fault of the call.
pub(in crate::rpc) fn import(
    caller: &Caller,
    mut message: v1::ImportMemoriesRequest,
) -> Result<Change, Refusal> {
    // A UUID means the same in either case.
    message.request_id.make_ascii_lowercase();
    let digest = request_digest(Method::ImportMemories, &message.request_id, &message);
    let v1::ImportMemoriesRequest { import_id, items, request_id, legacy } = message;

    let mut faults = Faults::default();
    let shared = Shared { request_id: &request_id, ..Shared::default() };
    let call = caller.call(&mut faults, Method::ImportMemories, &shared, digest);
    let named = faults.plain("import_id", &import_id, ImportId::parse);
    if legacy && !import_id.is_empty() {
        faults.note("import_id", "must be left out with legacy, which keeps none");
    }
    let import_id = (!legacy).then(|| named.unwrap_or_else(|| caller.new_import_id()));
    if items.is_empty() || items.len() > MAX_ITEMS {
        faults.note("items", format_args!("must hold 1 to {MAX_ITEMS} items"));
        return faults.settle(None);
    }
    let places = items.into_iter().enumerate();
    let items = places.map(|(at, item)| caller.import_item(&format!("items[{at}]"), item)).collect();
    faults.settle(Some(Change::new(call, Body::Import(Import { import_id, items }))))
}

impl Caller {
    fn new_import_id(&self) -> ImportId {
        ImportId::from_stored(format!("imp_{}", self.clock.uuid_v7()))
    }

    fn import_item(&self, path: &str, item: v1::ImportItem) -> ImportItem {
        let v1::ImportItem {
            memory_id,
            subject_id,
            graph_id,
            kind,
            content,
            metadata,
            memory_date,
            agent_id,
            create_time,
        } = item;
        let mut faults = Faults::of_entry(path);
        let sent_id = memory_id.clone();
        let sent = Sent { memory_id, subject_id, graph_id, kind, content, metadata, memory_date };
        let memory = self.new_memory(&mut faults, sent);
        let agent = faults.plain("agent_id", &agent_id, caller_agent);
        let create_time = timestamp(&mut faults, "create_time", create_time);
        ImportItem { sent_id, memory: faults.settle_entry(memory), agent, create_time }
    }
}

/// Writes what became of each item.
pub(in crate::rpc) fn import_response(answer: &Answer) -> v1::ImportMemoriesResponse {
    let (import_id, results): (_, &[ImportResult]) = match &answer.body {
        AnswerBody::Import { import_id, results } => (import_id.as_ref(), results),
        AnswerBody::Memory(..) | AnswerBody::Suppression(_) | AnswerBody::Results(_) => (None, &[]),
    };
    let having = |outcome| count(results.iter().filter(|result| result.outcome == outcome).count());
    v1::ImportMemoriesResponse {
        import_id: import_id.map(ImportId::to_string).unwrap_or_default(),
        requested: count(results.len()),
        saved: having(ImportOutcome::Saved),
        suppressed: having(ImportOutcome::Suppressed),
        already_exists: having(ImportOutcome::AlreadyExists),
        refused: having(ImportOutcome::Refused),
        results: results.iter().map(|result| result_sent(result, answer.operation_id)).collect(),
        audit: Some(receipt_sent(answer)),
        replayed: answer.replayed,
    }
}

fn result_sent(result: &ImportResult, operation: OperationId) -> v1::ImportResult {
    let ImportResult { memory_id, outcome, error } = result;
    let outcome = match outcome {
        ImportOutcome::Saved => v1::ImportOutcome::Saved,
        ImportOutcome::Suppressed => v1::ImportOutcome::Suppressed,
        ImportOutcome::AlreadyExists => v1::ImportOutcome::AlreadyExists,
        ImportOutcome::Refused => v1::ImportOutcome::Refused,
    };
    v1::ImportResult {
        memory_id: memory_id.clone(),
        outcome: outcome.into(),
        error: error.as_ref().map(|refusal| status::of_entry(refusal, Some(operation))),
    }
}
