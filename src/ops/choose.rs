//! Forgetting memories that were not named by their ids: look which are meant, outside the lock, and have just those forgotten.

use super::preview_set::{counts, digest};
use super::selection::{Look, Seen};
use super::{Failure, Ops};
use crate::domain::answer::Answer;
use crate::domain::command::{Body, Command, Target};
use crate::domain::forget::{Choice, ChosenSet, ChosenTarget, Forget, Named, Sighting};
use crate::domain::ids::{MemoryId, OperationId};
use crate::domain::memory::Memory;
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::lane;

/// How often to look again when what was seen has changed by the time the head is held.
const LOOKS: usize = 4;

impl Ops {
    /// Has a command carried out, or only rehearsed, whose memories have to be looked for.
    ///
    /// What the look finds wrong is told only after the request id was looked up, since a call that was answered before is
    /// answered the same again, whatever has become of the set.
    pub(super) async fn forget_chosen(
        &self,
        command: Command,
        validate_only: bool,
    ) -> Result<Answer, Failure> {
        for _ in 0..LOOKS {
            let seen = self.seen(&command).await?;
            let refusal = seen.sighting().and_then(|sighting| sighting.refusal.clone());
            if let (Some(refusal), None) = (refusal, &command.call.request) {
                return Err(Failure::Refused(refusal));
            }
            let answer =
                if validate_only { self.rehearse_seen(seen).await } else { self.lanes.submit(seen).await };
            match answer {
                // Somebody was faster: what there is now is to be seen first.
                Err(Failure::Refused(Refusal::SelectionChanged(None))) => {}
                settled => return settled,
            }
        }
        Err(Failure::Conflict)
    }

    pub(super) async fn rehearse_seen(&self, command: Command) -> Result<Answer, Failure> {
        let (store, policy) = (self.store.clone(), self.policy);
        // A transaction of the driver must not be cancelled, so it does not hang on the caller's patience.
        let rehearsed = tokio::spawn(async move { lane::rehearse(&store, &command, &policy).await });
        rehearsed.await.map_err(|_| Failure::Internal)?
    }

    /// The command with what there is to be seen of its choice.
    async fn seen(&self, command: &Command) -> Result<Command, Failure> {
        let (Some(forget), Some(choice)) = (command.forget(), command.choice()) else {
            return Ok(command.clone());
        };
        let principal = &command.call.principal;
        let sighting = match choice {
            Choice::Set(set) => self.sight_set(principal, set, forget).await?,
            Choice::Target(target) => self.sight_target(principal, target, forget).await?,
        };
        let targets = sighting.members.iter().map(|memory| meant(&memory.id)).collect();
        let named = Named::Seen(Box::new(choice.clone()), Box::new(sighting));
        let mut call = command.call.clone();
        // An earlier look may have led to an expiry of its own.
        call.expiry_operation_id = OperationId(self.clock.uuid_v7());
        Ok(Command { call, body: Body::Forget(Forget { named, targets, ..forget.clone() }) })
    }

    async fn sight_set(
        &self,
        principal: &Principal,
        chosen: &ChosenSet,
        forget: &Forget,
    ) -> Result<Sighting, Failure> {
        let token = chosen.token.as_ref().map(|token| self.confirmer.read(principal, &chosen.asked, token));
        let confirmation = match token.transpose() {
            Ok(confirmation) => confirmation,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let until = confirmation.as_ref().map(|confirmation| confirmation.expire_time);
        let how = Look { cause: forget.cause, until, whole: Some(self.policy.largest_selection) };
        let seen = match self.see(principal, &chosen.set, how).await {
            Ok(seen) => seen,
            Err(Failure::Refused(refusal)) => return Ok(refused(refusal)),
            Err(failure) => return Err(failure),
        };
        let counts = counts(&seen, forget.mode);
        let changes = counts.would_archive + counts.would_erase + seen.suppressions > 0;
        let limit = self.policy.largest_selection;
        let refusal = match confirmation {
            _ if seen.count > limit => Some(Refusal::SelectionTooLarge { count: seen.count, limit }),
            Some(confirmed) if confirmed.set != digest(&seen.members) => {
                Some(Refusal::SelectionChanged(Some(counts)))
            }
            // What changes nothing needs no confirmation.
            None if changes => Some(Refusal::ConfirmationRequired(seen.members.len())),
            Some(_) | None => None,
        };
        if let Some(refusal) = refusal {
            return Ok(refused(refusal));
        }
        let Seen { sequence, members, .. } = seen;
        let mut members: Vec<Memory> =
            members.into_iter().filter_map(|member| Some(*member.whole?)).collect();
        members.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        Ok(Sighting { sequence, set: Some(chosen.set.clone()), members, vacant: None, refusal: None })
    }

    async fn sight_target(
        &self,
        principal: &Principal,
        chosen: &ChosenTarget,
        forget: &Forget,
    ) -> Result<Sighting, Failure> {
        match self.see_target(principal, chosen, &forget.filter).await {
            Ok(found) => Ok(Sighting {
                sequence: found.sequence,
                set: found.by_text.then(|| chosen.by_text.clone()),
                members: vec![found.member],
                vacant: chosen.id.clone().filter(|_| found.by_text),
                refusal: None,
            }),
            Err(Failure::Refused(refusal)) => Ok(refused(refusal)),
            Err(failure) => Err(failure),
        }
    }
}

/// A memory that was found, as if its id had been sent.
pub(super) fn meant(id: &MemoryId) -> Target {
    Target { sent: id.as_str().to_owned(), id: Ok(id.clone()), field: "selector".to_owned() }
}

fn refused(refusal: Refusal) -> Sighting {
    Sighting { sequence: 0, set: None, members: Vec::new(), vacant: None, refusal: Some(refusal) }
}
