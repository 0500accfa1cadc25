//! Letting a content be learnt and recalled again.

use super::super::answer::AnswerBody;
use super::super::capability::Capability;
use super::super::ids::SuppressionId;
use super::super::refusal::Refusal;
use super::super::suppression::Suppression;
use super::draft::Draft;

pub(super) fn decide(draft: &mut Draft<'_>, id: SuppressionId) -> Result<(), Refusal> {
    let standing = draft.facts.suppression_named(id, &draft.call.principal);
    let suppression = standing.cloned().ok_or(Refusal::SuppressionNotFound)?;
    may_lift(draft, &suppression)?;
    draft.answer(AnswerBody::Suppression((&suppression).into()));
    draft.lift(suppression);
    Ok(())
}

/// Refuses whoever may not lift a suppression: what others made, only `memory:admin` undoes.
pub(super) fn may_lift(draft: &Draft<'_>, suppression: &Suppression) -> Result<(), Refusal> {
    if suppression.may_be_lifted_by(&draft.call.principal) {
        Ok(())
    } else {
        Err(Refusal::CapabilityMissing(Capability::MemoryAdmin))
    }
}
