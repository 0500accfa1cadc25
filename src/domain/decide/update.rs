//! Correcting one memory in place: its id and its edges stay.

use super::super::answer::AnswerBody;
use super::super::command::Update;
use super::super::filter::Filter;
use super::super::policy::Policy;
use super::super::refusal::Refusal;
use super::draft::Draft;

pub(super) fn decide(draft: &mut Draft<'_>, update: &Update, policy: &Policy) -> Result<(), Refusal> {
    let memory = draft.facts.find(&draft.call.principal, &update.memory_id, &Filter::default())?.clone();
    if update.etag.is_some_and(|etag| etag != memory.etag()) {
        return Err(Refusal::EtagMismatch);
    }
    // Without its content a memory is not whole; storage loads both or neither.
    let stored = draft.facts.content(memory.key).cloned().ok_or(Refusal::MemoryNotFound)?;
    let content = stored.with(update.content.as_ref(), update.metadata.as_ref());
    let unchanged = content.says_the_same(&stored);
    let updated =
        memory.clone().updated(draft.now, draft.next_sequence()).map_err(|_| Refusal::MemoryNotActive)?;
    let fingerprint =
        policy.fingerprinter.of(&draft.facts.tenant, memory.subject.as_ref(), content.normalized());
    let is_barred = draft.suppression(&fingerprint).is_some_and(|standing| standing.bars(memory.kind));
    // An attachment may change on what is suppressed already: that brings nothing back.
    if is_barred && content.normalized() != stored.normalized() {
        return Err(Refusal::ContentSuppressed);
    }
    draft.answer(AnswerBody::Memory(memory.id.clone(), memory.key));
    if unchanged {
        draft.show(memory, stored, is_barred);
    } else {
        draft.rewrite(updated.clone(), content.clone(), fingerprint);
        draft.show(updated, content, is_barred);
    }
    Ok(())
}
