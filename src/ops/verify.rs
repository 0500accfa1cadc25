//! Looking again after the commit: whether what was forgotten is.

use std::time::Duration;

use super::selection::reach;
use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::answer::{Answer, Kept};
use crate::domain::filter::Filter;
use crate::domain::principal::Principal;
use crate::storage::recall::{self, Recall};
use crate::storage::selection;

/// How long to look: some thousands of memories. What is done is answered all the same.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a fresh look found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verification {
    /// When, by the database's clock.
    pub verify_time: Timestamp,
    /// How many of the forgotten memories are still recalled.
    pub still_recallable: usize,
    /// How many other active memories in reach say the same of the same subject.
    pub same_content_elsewhere: usize,
}

impl Ops {
    /// Asks recall, as the caller would, for each memory that the answer says is forgotten, by words of its own.
    ///
    /// None where nothing was forgotten, where there is nothing to go by, as in an answer from before, or where it could not be looked: the forget itself
    /// is done and is not called into question by that.
    pub async fn verify(&self, principal: &Principal, answer: &Answer) -> Option<Verification> {
        if answer.replayed || answer.validate_only || answer.kept.is_empty() {
            return None;
        }
        let looked = tokio::time::timeout(PATIENCE, self.look_again(principal, &answer.kept)).await;
        match looked.unwrap_or(Err(Failure::DeadlineExceeded)) {
            Ok(verification) => Some(verification),
            Err(failure) => {
                tracing::warn!(%failure, operation_id = %answer.operation_id, "a forget could not be verified");
                None
            }
        }
    }

    async fn look_again(&self, principal: &Principal, kept: &[Kept]) -> Result<Verification, Failure> {
        // On no snapshot: each look sees the newest.
        let mut connection = self.store.read_connection().await?;
        let (_, verify_time) = selection::snapshot_head(&mut connection, &principal.tenant).await?;
        let filter = Filter::default();
        let reach = reach(principal, &filter);
        let mut still_recallable = 0;
        for memory in kept {
            let recall = Recall {
                query: &memory.words,
                agent: reach.agent,
                without_facts: reach.without_facts,
                filter: &filter,
                among: Some(std::slice::from_ref(&memory.key)),
                after: None,
                limit: 1,
            };
            let found = recall::best(&mut connection, &principal.tenant, &recall).await?;
            still_recallable += found.len();
        }
        let same_content_elsewhere = selection::count_same_content(&mut connection, principal, kept).await?;
        Ok(Verification { verify_time, still_recallable, same_content_elsewhere })
    }
}
