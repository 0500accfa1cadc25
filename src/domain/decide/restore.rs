//! Bringing archived memories back.

use super::super::answer::{MemoryResult, Outcome};
use super::super::command::{Restore, RestoreSelection, Target};
use super::super::filter::Filter;
use super::super::ids::OperationId;
use super::super::memory::{Lifecycle, Memory, State};
use super::super::refusal::Refusal;
use super::draft::Draft;
use super::forget::{refused, well_formed};

pub(super) fn decide(draft: &mut Draft<'_>, restore: &Restore) -> Result<(), Refusal> {
    let results = match &restore.selection {
        RestoreSelection::Ids(targets) => targets.iter().map(|target| by_id(draft, target)).collect(),
        RestoreSelection::Operation(operation) => by_operation(draft, *operation)?,
    };
    draft.answer_results(results);
    Ok(())
}

fn by_id(draft: &mut Draft<'_>, target: &Target) -> MemoryResult {
    let found = well_formed(target).and_then(|id| {
        draft.facts.find(&draft.call.principal, id, &Filter::default())?;
        draft.memory(id).cloned().ok_or(Refusal::MemoryNotFound)
    });
    match found {
        Ok(memory) => restore(draft, memory),
        Err(refusal) => refused(target, refusal),
    }
}

fn by_operation(draft: &mut Draft<'_>, operation: OperationId) -> Result<Vec<MemoryResult>, Refusal> {
    let principal = &draft.call.principal;
    let memories: Vec<Memory> = draft
        .facts
        .archived_by(operation)
        .into_iter()
        .filter(|memory| principal.reaches(memory))
        .cloned()
        .collect();
    // A memory in reach names the operation that archived it, so whoever sees it may restore by that name,
    // whoever called it. Without one, the operation itself must be in reach.
    if memories.is_empty() && !draft.facts.has_operation(operation, principal) {
        return Err(Refusal::OperationNotFound);
    }
    Ok(memories.into_iter().map(|memory| restore(draft, memory)).collect())
}

fn restore(draft: &mut Draft<'_>, memory: Memory) -> MemoryResult {
    match memory.lifecycle {
        Lifecycle::Active => MemoryResult::of(&memory, Outcome::AlreadyActive, State::Active),
        Lifecycle::Archived(_) => MemoryResult::of(&draft.restore(memory), Outcome::Restored, State::Active),
    }
}
