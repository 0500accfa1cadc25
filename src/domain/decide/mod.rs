//! The state machine: facts, a command and the time in; an answer or a refusal out, and the facts changed.
//!
//! | from | soft forget | hard forget | restore | purge time passed |
//! |---|---|---|---|---|
//! | ACTIVE | → ARCHIVED | → ERASED | already active | – |
//! | ARCHIVED | already forgotten | → ERASED | → ACTIVE | → ERASED |
//! | unknown, erased, out of reach | not found | not found | not found | – |

mod draft;
mod expire;
mod forget;
mod import;
mod lift;
mod remember;
mod restore;
#[cfg(test)]
mod tests;
mod update;

use super::Timestamp;
use super::answer::Answer;
use super::audit::AuditRecord;
use super::command::{Body, Command};
use super::content::Content;
use super::facts::{Facts, Head};
use super::memory::Memory;
use super::operation::NewOperation;
use super::policy::Policy;
use super::refusal::Refusal;
use super::suppression::{Fingerprint, Suppression};
use draft::Draft;

/// What one command comes to. Applied to the facts, then written.
#[derive(Debug)]
pub struct Decision {
    /// Row images, in order.
    pub changes: Vec<Change>,
    /// One record a state transition, sealed and chained.
    pub records: Vec<AuditRecord>,
    /// Where the log ends now.
    pub head: Head,
    /// The operation to be remembered.
    pub operation: NewOperation,
    /// What the caller gets, once the commit is certain.
    pub answer: Answer,
}

/// One row's change.
#[derive(Debug)]
pub enum Change {
    /// A new memory.
    Save(Memory, Content, Fingerprint),
    /// A memory whose row changes and whose content stays.
    Replace(Memory),
    /// A memory whose content changes too.
    Rewrite(Memory, Content, Fingerprint),
    /// A memory that is gone.
    Erase(Memory),
    /// A suppression that stands from now on, in place of one of the same name if there is one.
    Suppress(Suppression),
    /// A suppression that stands no longer.
    Lift(Suppression),
}

/// Settles one command on the facts and makes what it decided part of them: a request that was answered
/// before gets that answer; what the command would meet past its purge time is expired first, whatever
/// becomes of the command; then it is decided.
pub fn settle(
    facts: &mut Facts,
    command: &Command,
    policy: &Policy,
    now: Timestamp,
) -> Result<Answer, Refusal> {
    if let Some(earlier) = facts.answered(command) {
        return earlier.map(|answer| answer.clone().replayed_to(&command.sent_ids()));
    }
    let expiry = expire::expire(facts, command, now);
    let expired = expiry.as_ref().map(|decision| decision.answer.clone());
    if let Some(expiry) = expiry {
        facts.apply(expiry);
    }
    if let Body::Expire(_) = command.body {
        // The expiry above is all that the sweeper asks for; finding nothing due is no operation.
        return Ok(expired.unwrap_or_else(|| Draft::new(facts, &command.call, now).finish().answer));
    }
    let decision = decide(facts, command, policy, now)?;
    let answer = decision.answer.clone();
    facts.apply(decision);
    Ok(answer)
}

/// Decides one command.
fn decide(facts: &Facts, command: &Command, policy: &Policy, now: Timestamp) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(facts, &command.call, now);
    match &command.body {
        Body::Remember(memory) => remember::decide(&mut draft, memory, policy)?,
        Body::Import(import) => import::decide(&mut draft, import, policy),
        Body::Update(update) => update::decide(&mut draft, update, policy)?,
        Body::Forget(forget) => forget::decide(&mut draft, forget, policy)?,
        Body::Restore(restore) => restore::decide(&mut draft, restore)?,
        Body::Lift(suppression) => lift::decide(&mut draft, *suppression)?,
        Body::Expire(_) => {}
    }
    Ok(draft.finish())
}
