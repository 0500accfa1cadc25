//! Correcting one memory in place: its id and its edges stay.

use super::super::answer::AnswerBody;
use super::super::command::Update;
use super::super::filter::Filter;
use super::super::refusal::Refusal;
use super::draft::Draft;

pub(super) fn decide(draft: &mut Draft<'_>, update: &Update) -> Result<(), Refusal> {
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
    draft.answer(AnswerBody::Memory(memory.id.clone(), memory.key));
    if unchanged {
        draft.show(memory, stored);
    } else {
        draft.rewrite(updated.clone(), content.clone());
        draft.show(updated, content);
    }
    Ok(())
}
