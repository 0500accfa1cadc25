//! Everything that changes something: through the lane of its tenant, or rehearsed.

use super::{Ops, StoredMemory};
use crate::domain::answer::{Answer, AnswerBody, Shown};
use crate::domain::command::Command;
use crate::domain::principal::Principal;
use crate::lane::{self, Failure};

impl Ops {
    /// Carries a command out and answers once its commit is certain.
    ///
    /// The future only waits: dropped after the command started, the command is still carried out, and can be
    /// looked up by its operation id.
    pub async fn change(&self, command: Command) -> Result<Answer, Failure> {
        let principal = command.call.principal.clone();
        let answer = self.lanes.submit(command).await?;
        self.with_memory_shown(&principal, answer).await
    }

    /// Says what a command would do now, and does nothing.
    pub async fn rehearse(&self, command: Command) -> Result<Answer, Failure> {
        let (store, policy) = (self.store.clone(), self.policy);
        // A transaction of the driver must not be cancelled, so it does not hang on the caller's patience.
        let rehearsed = tokio::spawn(async move { lane::rehearse(&store, &command, &policy).await });
        rehearsed.await.map_err(|_| Failure::Internal)?
    }

    /// A replayed save or update shows the memory as it is now, or only its id when it is gone.
    async fn with_memory_shown(&self, principal: &Principal, mut answer: Answer) -> Result<Answer, Failure> {
        if let AnswerBody::Memory(id, key) = &answer.body
            && answer.replayed
        {
            // On the heap, as it is seldom needed: else every change would be as large as a read, and be moved so.
            match Box::pin(self.get_memory(principal, id)).await {
                // Under the same label may be another memory by now.
                Ok(StoredMemory { memory, content, forget_reason }) if memory.key == *key => {
                    answer.memory = Some(Box::new(Shown { memory, content, forget_reason }));
                }
                Ok(_) | Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(answer)
    }
}
