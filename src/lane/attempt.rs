//! Tries a batch until each of its commands has an answer: retried when the database says so or goes away,
//! split when it fails otherwise, so that only the culprit fails, and resolved when its COMMIT was lost.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use super::Failure;
use super::batch::{self, BatchError, Heads, Verdict};
use super::queue::Waiting;
use super::resolve::{Resolution, resolve};
use super::shared::Lane;
use crate::domain::ids::{OperationId, TenantId};
use crate::storage::StoreError;
use crate::storage::pool::LaneConnection;

/// How often a batch is tried at most.
const ATTEMPTS: u32 = 5;
/// How long to wait before the second try; doubled for each further one, spread at random.
const FIRST_BACKOFF: Duration = Duration::from_millis(20);
/// How often to ask what became of a lost COMMIT.
const RESOLUTIONS: u32 = 4;

/// Runs a batch to its end and answers everybody, but for the commands whose heads were skipped: those come
/// back.
pub(super) async fn work_off(
    lane: &Arc<Lane>,
    connection: &mut Option<LaneConnection>,
    batch: Vec<Waiting>,
    heads: Heads,
) -> Vec<Waiting> {
    let mut skipped: Vec<Waiting> = Vec::new();
    let mut held: HashSet<TenantId> = HashSet::new();
    let mut parts = vec![batch];
    let mut is_whole = true;
    while let Some(mut part) = parts.pop() {
        // Nobody waits for these any more, and they have not begun.
        part.retain(|waiting| !waiting.is_abandoned());
        // A tenant of which something was skipped has all that follows skipped, or the order would be lost.
        let (behind, part): (Vec<_>, Vec<_>) =
            part.into_iter().partition(|waiting| held.contains(waiting.command.tenant()));
        skipped.extend(behind);
        if part.is_empty() {
            continue;
        }
        match try_until_settled(lane, connection, &part, heads).await {
            Ok(verdicts) => {
                let undecided = answer(lane, part, verdicts, is_whole);
                held.extend(undecided.iter().map(|waiting| waiting.command.tenant().clone()));
                skipped.extend(undecided);
            }
            // Nobody's fault in particular: halves would fare no better.
            Err(failure @ (Failure::OutcomeUnknown | Failure::StoreUnavailable | Failure::Conflict)) => {
                fail(part, &failure);
            }
            Err(failure) if part.len() == 1 => {
                // This one fails whatever batch it is in.
                if let Some(waiting) = part.first() {
                    lane.queue().note(waiting.command.tenant(), true);
                }
                fail(part, &failure);
            }
            Err(_) => {
                is_whole = false;
                parts.extend(split(part));
            }
        }
    }
    skipped
}

/// In two: by tenant where there are several, else in halves.
fn split(mut part: Vec<Waiting>) -> Vec<Vec<Waiting>> {
    let first = part.first().map(|waiting| waiting.command.tenant().clone());
    let (of_first, others): (Vec<_>, Vec<_>) =
        part.drain(..).partition(|waiting| Some(waiting.command.tenant()) == first.as_ref());
    if !others.is_empty() {
        // Taken from the end: the first tenant's part is tried first.
        return vec![others, of_first];
    }
    let mut first_half = of_first;
    let second_half = first_half.split_off(first_half.len() / 2);
    vec![second_half, first_half]
}

/// Answers everybody who can be; a success counts in a tenant's favour only where nothing had to be split off.
fn answer(lane: &Lane, part: Vec<Waiting>, verdicts: Vec<Verdict>, is_whole: bool) -> Vec<Waiting> {
    let mut skipped = Vec::new();
    for (waiting, verdict) in part.into_iter().zip(verdicts) {
        match verdict {
            // Undecided because nobody waits for it any more.
            None if waiting.is_abandoned() => {}
            None => skipped.push(waiting),
            Some(verdict) => {
                if is_whole {
                    lane.queue().note(waiting.command.tenant(), false);
                }
                // Whoever asked may have gone away; the operation can be looked up.
                drop(waiting.reply.send(verdict));
            }
        }
    }
    skipped
}

fn fail(part: Vec<Waiting>, failure: &Failure) {
    for waiting in part {
        drop(waiting.reply.send(Err(failure.clone())));
    }
}

async fn try_until_settled(
    lane: &Lane,
    connection: &mut Option<LaneConnection>,
    batch: &[Waiting],
    heads: Heads,
) -> Result<Vec<Verdict>, Failure> {
    let mut backoff = FIRST_BACKOFF;
    for attempt in 1..=ATTEMPTS {
        match try_once(lane, connection, batch, heads).await {
            Ok(verdicts) => return Ok(verdicts),
            Err(BatchError::Failed(error)) => {
                if matches!(error, StoreError::Unavailable(_)) {
                    discard(connection);
                }
                if !error.is_retryable() || attempt == ATTEMPTS {
                    return Err(error.into());
                }
                tracing::warn!(%error, attempt, commands = batch.len(), "a batch is tried again");
            }
            Err(BatchError::InDoubt { verdicts, operations }) => {
                discard(connection);
                match resolve_or_give_up(lane, &operations).await? {
                    Resolution::Committed => return Ok(verdicts),
                    Resolution::NotCommitted => {}
                }
            }
        }
        tokio::time::sleep(backoff + lane.clock.jitter(backoff)).await;
        backoff *= 2;
    }
    Err(Failure::Conflict)
}

async fn try_once(
    lane: &Lane,
    connection: &mut Option<LaneConnection>,
    batch: &[Waiting],
    heads: Heads,
) -> Result<Vec<Verdict>, BatchError> {
    lane.store.check_usable()?;
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(lane.store.lane_connection().await?),
    };
    let prepared = async {
        lane.ensure_heads(connection, batch).await?;
        batch::prepare(connection, batch, &lane.policy, heads).await
    };
    // Nothing was committed by then, so whoever is to blame is found by splitting, like any other failure.
    let prepared = AssertUnwindSafe(prepared)
        .catch_unwind()
        .map(|outcome| outcome.unwrap_or(Err(StoreError::Impossible("a decision that panicked"))));
    // Given up before COMMIT was sent, a transaction can only end without effect.
    match tokio::time::timeout(lane.patience, prepared).await {
        Ok(Ok(prepared)) => prepared.finish(lane.patience).await,
        Ok(Err(error)) => {
            if error == StoreError::HeadMissing {
                lane.forget_heads(batch);
            }
            Err(error.into())
        }
        Err(_) => Err(StoreError::silent().into()),
    }
}

/// A connection that is of no more use: closed, not given back.
fn discard(connection: &mut Option<LaneConnection>) {
    if let Some(mut connection) = connection.take() {
        connection.close_on_drop();
    }
}

/// Asks several times; what could not be learnt is the caller's to ask again by its request id.
async fn resolve_or_give_up(
    lane: &Lane,
    operations: &[(TenantId, OperationId)],
) -> Result<Resolution, Failure> {
    let mut backoff = FIRST_BACKOFF;
    for _ in 0..RESOLUTIONS {
        match resolve(&lane.store, operations, lane.patience).await {
            Ok(resolution) => {
                tracing::warn!(?resolution, "learnt what became of a lost COMMIT");
                return Ok(resolution);
            }
            Err(error) => tracing::warn!(%error, "could not learn what became of a lost COMMIT"),
        }
        tokio::time::sleep(backoff + lane.clock.jitter(backoff)).await;
        backoff *= 2;
    }
    Err(Failure::OutcomeUnknown)
}
