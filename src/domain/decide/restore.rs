//! Bringing archived memories back.

use super::super::answer::{MemoryResult, Outcome};
use super::super::command::{Restore, RestoreSelection, Target};
use super::super::filter::Filter;
use super::super::ids::OperationId;
use super::super::memory::{Lifecycle, Memory, State};
use super::super::refusal::Refusal;
use super::draft::Draft;
use super::forget::{refused, well_formed};
use super::lift::may_lift;

pub(super) fn decide(draft: &mut Draft<'_>, restore: &Restore) -> Result<(), Refusal> {
    let results = match &restore.selection {
        RestoreSelection::Ids(targets) => {
            targets.iter().map(|target| by_id(draft, target, restore.lift_suppression)).collect()
        }
        RestoreSelection::Operation(operation) => by_operation(draft, *operation, restore.lift_suppression)?,
    };
    draft.answer_results(results);
    Ok(())
}

fn by_id(draft: &mut Draft<'_>, target: &Target, lifts: bool) -> MemoryResult {
    let found = well_formed(target).and_then(|id| {
        draft.facts.find(&draft.call.principal, id, &Filter::default())?;
        draft.memory(id).cloned().ok_or(Refusal::MemoryNotFound)
    });
    found.and_then(|memory| restore(draft, memory, lifts)).unwrap_or_else(|refusal| refused(target, refusal))
}

fn by_operation(
    draft: &mut Draft<'_>,
    operation: OperationId,
    lifts: bool,
) -> Result<Vec<MemoryResult>, Refusal> {
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
    let each = memories.into_iter().map(|memory| {
        let id = memory.id.as_str().to_owned();
        restore(draft, memory, lifts)
            .unwrap_or_else(|refusal| MemoryResult::without_memory(id, Outcome::Refused, Some(refusal)))
    });
    Ok(each.collect())
}

fn restore(draft: &mut Draft<'_>, memory: Memory, lifts: bool) -> Result<MemoryResult, Refusal> {
    let Lifecycle::Archived(_) = memory.lifecycle else {
        return Ok(MemoryResult::of(&memory, Outcome::AlreadyActive, State::Active));
    };
    // Loaded with every archived memory that may be restored; without it nothing is known of suppressions.
    let fingerprint = *draft.facts.fingerprint(memory.key).ok_or(Refusal::MemoryNotFound)?;
    let standing = draft.suppression(&fingerprint).filter(|standing| standing.bars(memory.kind)).cloned();
    if let Some(suppression) = standing {
        if !lifts {
            return Err(Refusal::ContentSuppressed);
        }
        may_lift(draft, &suppression)?;
        draft.lift(suppression);
    }
    Ok(MemoryResult::of(&draft.restore(memory), Outcome::Restored, State::Active))
}
