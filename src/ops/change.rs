//! Everything that changes something: through the lane of its tenant, or rehearsed.

use super::{Ops, StoredMemory};
use crate::domain::answer::{Answer, AnswerBody, Shown};
use crate::domain::command::Command;
use crate::domain::principal::Principal;
use crate::lane::Failure;
use crate::storage::fingerprints;

impl Ops {
    /// Carries a command out and answers once its commit is certain.
    ///
    /// The future only waits: dropped after the command started, the command is still carried out, and can be
    /// looked up by its operation id.
    pub async fn change(&self, command: Command) -> Result<Answer, Failure> {
        let principal = command.call.principal.clone();
        if command.suppresses() {
            Box::pin(self.can_suppress(&principal)).await?;
        }
        let answer = if command.choice().is_some() {
            // On the heap, as it is seldom needed: else every change would be as large as this, and be moved so.
            Box::pin(self.forget_chosen(command, false)).await?
        } else {
            self.lanes.submit(command).await?
        };
        self.with_all_shown(&principal, answer).await
    }

    /// Refuses to promise that nobody recalls something while that cannot be kept: until the sweeper has been through all that
    /// an old binary saved. None of those saves any more, so it does not become so again.
    async fn can_suppress(&self, principal: &Principal) -> Result<(), Failure> {
        let mut connection = self.store.read_connection().await?;
        if fingerprints::are_missing(&mut connection, &principal.tenant).await? {
            tracing::warn!("nothing can be suppressed in a tenant until all it has saved has a fingerprint");
            return Err(Failure::StoreUnavailable);
        }
        Ok(())
    }

    /// Says what a command would do now, and does nothing.
    pub async fn rehearse(&self, command: Command) -> Result<Answer, Failure> {
        if command.choice().is_some() {
            return self.forget_chosen(command, true).await;
        }
        self.rehearse_seen(command).await
    }

    /// The answer with what is not stored of it.
    async fn with_all_shown(&self, principal: &Principal, mut answer: Answer) -> Result<Answer, Failure> {
        if let AnswerBody::Suppression(lifted) = &answer.body {
            // It is lifted, whether the reason can be shown or not.
            answer.suppression_reason =
                Box::pin(self.reason_of(principal, lifted.operation)).await.unwrap_or_default();
        }
        self.with_memory_shown(principal, answer).await
    }

    /// A replayed save or update shows the memory as it is now, or only its id when it is gone.
    async fn with_memory_shown(&self, principal: &Principal, mut answer: Answer) -> Result<Answer, Failure> {
        if let AnswerBody::Memory(id, key) = &answer.body
            && answer.replayed
        {
            // On the heap, as it is seldom needed: else every change would be as large as a read, and be moved so.
            match Box::pin(self.get_memory(principal, id)).await {
                // Under the same label may be another memory by now.
                Ok(StoredMemory { memory, content, forget_reason, suppressed }) if memory.key == *key => {
                    answer.memory = Some(Box::new(Shown { memory, content, forget_reason, suppressed }));
                }
                Ok(_) | Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(answer)
    }
}
