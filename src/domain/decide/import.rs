//! Saving many memories, each with a result of its own.

use super::super::answer::{AnswerBody, ImportOutcome, ImportResult};
use super::super::command::{Import, ImportItem, NewMemory};
use super::super::memory::Origin;
use super::super::policy::Policy;
use super::super::refusal::Refusal;
use super::draft::Draft;
use super::remember::{Provenance, save};

pub(super) fn decide(draft: &mut Draft<'_>, import: &Import, policy: &Policy) {
    let results = import.items.iter().map(|item| decide_item(draft, import, item, policy)).collect();
    draft.answer(AnswerBody::Import { import_id: import.import_id.clone(), results });
}

fn decide_item(draft: &mut Draft<'_>, import: &Import, item: &ImportItem, policy: &Policy) -> ImportResult {
    let new: &NewMemory = match &item.memory {
        Ok(new) => new,
        Err(violations) => {
            return ImportResult {
                memory_id: item.sent_id.clone(),
                outcome: ImportOutcome::Refused,
                error: Some(Refusal::InvalidFields(violations.clone())),
            };
        }
    };
    let provenance = Provenance {
        agent: item.agent.clone().unwrap_or_else(|| draft.call.principal.agent.clone()),
        origin: Origin::Imported,
        import: import.import_id.clone(),
        create_time: item.create_time.unwrap_or(draft.now),
    };
    let (outcome, error) = match save(draft, new, provenance, policy) {
        Ok(_) => (ImportOutcome::Saved, None),
        Err(Refusal::AlreadyExists) => (ImportOutcome::AlreadyExists, Some(Refusal::AlreadyExists)),
        Err(Refusal::ContentSuppressed) => (ImportOutcome::Suppressed, Some(Refusal::ContentSuppressed)),
        Err(refusal) => (ImportOutcome::Refused, Some(refusal)),
    };
    ImportResult { memory_id: new.id.as_str().to_owned(), outcome, error }
}
