//! Forgetting a set of one or many.

use std::collections::HashMap;

use super::super::answer::{MemoryResult, Outcome};
use super::super::audit::Action;
use super::super::command::{Forget, Mode, Target};
use super::super::ids::MemoryId;
use super::super::memory::{Lifecycle, Memory, State};
use super::super::policy::Policy;
use super::super::refusal::Refusal;
use super::draft::Draft;

pub(super) fn decide(draft: &mut Draft<'_>, forget: &Forget, policy: &Policy) -> Result<(), Refusal> {
    let mut results = Vec::with_capacity(forget.targets.len());
    // What this call erased itself: asked for again, it is forgotten already rather than unknown.
    let mut erased: HashMap<MemoryId, Memory> = HashMap::new();
    for target in &forget.targets {
        match decide_one(draft, forget, target, policy, &mut erased) {
            Ok(result) => results.push(result),
            Err(refusal) if forget.single => return Err(refusal),
            Err(refusal) => results.push(refused(target, refusal)),
        }
    }
    draft.answer_results(results);
    Ok(())
}

/// The result of an id whose call alone would have been answered with an error.
pub(super) fn refused(target: &Target, refusal: Refusal) -> MemoryResult {
    let outcome = if refusal == Refusal::MemoryNotFound { Outcome::NotFound } else { Outcome::Refused };
    MemoryResult::without_memory(target.sent.clone(), outcome, Some(refusal))
}

/// The id of a target, or its fault as a refusal.
pub(super) fn well_formed(target: &Target) -> Result<&MemoryId, Refusal> {
    target.id.as_ref().map_err(|fault| Refusal::field(&target.field, fault.to_string()))
}

fn decide_one(
    draft: &mut Draft<'_>,
    forget: &Forget,
    target: &Target,
    policy: &Policy,
    erased: &mut HashMap<MemoryId, Memory>,
) -> Result<MemoryResult, Refusal> {
    let id = well_formed(target)?;
    if forget.filter.graph.as_ref().is_some_and(|graph| !draft.facts.has_graph(graph)) {
        return Err(Refusal::GraphNotFound);
    }
    if let Some(memory) = erased.get(id) {
        return Ok(MemoryResult::of(memory, Outcome::AlreadyForgotten, State::Erased));
    }
    // The assertion is of the memory as it was before the call; a repeated id was admitted the first time.
    draft.facts.find(&draft.call.principal, id, &forget.filter)?;
    let memory = draft.memory(id).cloned().ok_or(Refusal::MemoryNotFound)?;
    if forget.etag.is_some_and(|etag| etag != memory.etag()) {
        return Err(Refusal::EtagMismatch);
    }
    Ok(match (forget.mode, &memory.lifecycle) {
        (Mode::Soft, Lifecycle::Active) => {
            let purge_time = policy.retention.purge_time(draft.now);
            MemoryResult::of(&draft.archive(memory, purge_time), Outcome::Archived, State::Archived)
        }
        (Mode::Soft, Lifecycle::Archived(_)) => {
            MemoryResult::of(&memory, Outcome::AlreadyForgotten, State::Archived)
        }
        (Mode::Hard, _) => {
            draft.erase(memory.clone(), Action::Erased, Some(Mode::Hard));
            let result = MemoryResult::of(&memory, Outcome::Erased, State::Erased);
            erased.insert(memory.id.clone(), memory);
            result
        }
    })
}
