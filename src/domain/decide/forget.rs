//! Forgetting a set of one or many.

use std::collections::HashMap;

use super::super::answer::{Kept, MemoryResult, Outcome};
use super::super::command::Target;
use super::super::forget::{Cause, Choice, ChosenSet, Forget, Mode, Named};
use super::super::ids::MemoryId;
use super::super::memory::{Lifecycle, Memory, State};
use super::super::policy::Policy;
use super::super::refusal::Refusal;
use super::super::text::Query;
use super::draft::Draft;

pub(super) fn decide(draft: &mut Draft<'_>, forget: &Forget, policy: &Policy) -> Result<(), Refusal> {
    as_seen(draft, forget)?;
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
    if draft.changes_something() && is_unconfirmed(forget) {
        // What changed nothing when it was looked at, and so needed no token, would by now.
        return Err(Refusal::SelectionChanged(None));
    }
    draft.answer_results(results);
    Ok(())
}

/// Whether it is of a set that nobody confirmed.
fn is_unconfirmed(forget: &Forget) -> bool {
    match &forget.named {
        Named::Seen(choice, _) | Named::Unseen(choice) => {
            matches!(&**choice, Choice::Set(ChosenSet { token: None, .. }))
        }
        Named::ById => false,
    }
}

/// Refuses what is not as it was seen: nothing is forgotten that nobody meant.
fn as_seen(draft: &Draft<'_>, forget: &Forget) -> Result<(), Refusal> {
    match &forget.named {
        Named::ById => Ok(()),
        Named::Unseen(_) => Err(Refusal::SelectionChanged(None)),
        Named::Seen(_, sighting) => match &sighting.refusal {
            Some(refusal) => Err(refusal.clone()),
            None if sighting.still_holds(&draft.call.principal, draft.facts) => Ok(()),
            None => Err(Refusal::SelectionChanged(None)),
        },
    }
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

/// Words by which a memory can be looked for: as they were loaded, or of the content that the same batch gave it.
fn words_of(draft: &Draft<'_>, memory: &Memory) -> Option<Query> {
    let loaded = draft.facts.words(memory.key).cloned();
    loaded.or_else(|| Some(Query::that_finds(draft.facts.content(memory.key)?.normalized(), true)))
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
    // Before it is gone.
    let says = draft.facts.fingerprint(memory.key).copied();
    if forget.verify
        && let (Some(fingerprint), Some(words)) = (says, words_of(draft, &memory))
    {
        draft.keep(Kept { key: memory.key, words, fingerprint });
    }
    let suppressed = match forget.cause {
        Cause::Correction => None,
        // Loaded with every memory that is forgotten so; without it the promise cannot be kept.
        Cause::UserRequest => Some((memory.clone(), says.ok_or(Refusal::MemoryNotFound)?)),
    };
    let result = match (forget.mode, &memory.lifecycle) {
        (Mode::Soft, Lifecycle::Active) => {
            let purge_time = policy.retention.purge_time(draft.now);
            let archived = draft.archive(memory, purge_time, forget.cause);
            MemoryResult::of(&archived, Outcome::Archived, State::Archived)
        }
        (Mode::Soft, Lifecycle::Archived(_)) => {
            MemoryResult::of(&memory, Outcome::AlreadyForgotten, State::Archived)
        }
        (Mode::Hard, _) => {
            draft.erase(memory.clone(), forget.cause);
            let result = MemoryResult::of(&memory, Outcome::Erased, State::Erased);
            erased.insert(memory.id.clone(), memory);
            result
        }
    };
    if let Some((memory, fingerprint)) = suppressed {
        draft.suppress(&memory, fingerprint);
    }
    Ok(result)
}
