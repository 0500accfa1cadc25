//! Saving one memory.

use super::super::Timestamp;
use super::super::answer::AnswerBody;
use super::super::command::NewMemory;
use super::super::ids::{AgentId, ImportId};
use super::super::memory::{Kind, Lifecycle, Memory, Origin};
use super::super::policy::Policy;
use super::super::refusal::Refusal;
use super::draft::Draft;

/// What an import sets that a single save does not.
pub(super) struct Provenance {
    pub(super) agent: AgentId,
    pub(super) origin: Origin,
    pub(super) import: Option<ImportId>,
    /// When it was first saved; now, unless a store is moved in.
    pub(super) create_time: Timestamp,
}

pub(super) fn decide(draft: &mut Draft<'_>, new: &NewMemory, policy: &Policy) -> Result<(), Refusal> {
    let provenance = Provenance {
        agent: draft.call.principal.agent.clone(),
        origin: Origin::Saved,
        import: None,
        create_time: draft.now,
    };
    let memory = save(draft, new, provenance, policy)?;
    draft.answer(AnswerBody::Memory(memory.id.clone(), memory.key));
    draft.show(memory, new.content.clone(), false);
    Ok(())
}

/// Saves one memory, whichever way it comes.
pub(super) fn save(
    draft: &mut Draft<'_>,
    new: &NewMemory,
    provenance: Provenance,
    policy: &Policy,
) -> Result<Memory, Refusal> {
    if new.kind == Kind::Fact && !draft.call.principal.is_admin() {
        return Err(Refusal::ProtectedKind);
    }
    if draft.memory(&new.id).is_some() {
        return Err(Refusal::AlreadyExists);
    }
    let fingerprint =
        policy.fingerprinter.of(&draft.facts.tenant, new.subject.as_ref(), new.content.normalized());
    if draft.suppression(&fingerprint).is_some_and(|standing| standing.bars(new.kind)) {
        return Err(Refusal::ContentSuppressed);
    }
    let sequence = draft.next_sequence();
    let memory = Memory {
        key: sequence,
        id: new.id.clone(),
        subject: new.subject.clone(),
        agent: provenance.agent,
        graph: new.graph.clone(),
        kind: new.kind,
        origin: provenance.origin,
        import: provenance.import,
        date: new.date.unwrap_or_else(|| draft.now.date_naive()),
        lifecycle: Lifecycle::Active,
        version: sequence,
        create_time: provenance.create_time,
        update_time: draft.now,
    };
    draft.save(memory.clone(), new.content.clone(), fingerprint);
    Ok(memory)
}
