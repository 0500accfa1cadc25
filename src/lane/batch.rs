//! One transaction: lock the heads, load the facts, decide each command on them, write, commit.

use std::collections::HashMap;
use std::time::Duration;

use super::Failure;
use super::queue::Waiting;
use crate::domain::answer::Answer;
use crate::domain::command::Command;
use crate::domain::decide::settle;
use crate::domain::facts::{Facts, Head};
use crate::domain::ids::{OperationId, TenantId};
use crate::domain::policy::Policy;
use crate::storage::batch_facts::{self, FactsByTenant};
use crate::storage::batch_log::MovedHead;
use crate::storage::heads;
use crate::storage::pool::DbConnection;
use crate::storage::tx::{CommitError, Unit};
use crate::storage::{StoreError, batch_writes};

/// What to do about heads that somebody else holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heads {
    /// Leave their commands undecided.
    Skip,
    /// Wait for them, at most the connection's `lock_timeout`.
    Await,
}

/// What became of one command of a batch; `None`: its head was held by somebody else, or nobody
/// waits for it any more.
pub(super) type Verdict = Option<Result<Answer, Failure>>;

/// Why a batch was not committed, or not for certain.
#[derive(Debug)]
pub(super) enum BatchError {
    /// Nothing was committed.
    Failed(StoreError),
    /// The connection broke at COMMIT: these verdicts hold if these operations are found.
    InDoubt { verdicts: Vec<Verdict>, operations: Vec<(TenantId, OperationId)> },
}

impl From<StoreError> for BatchError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// A transaction whose every statement but COMMIT is done.
pub(super) struct Prepared<'connection> {
    unit: Unit<'connection>,
    verdicts: Vec<Verdict>,
    /// What it writes; nothing when there were only refusals and repeated answers.
    operations: Vec<(TenantId, OperationId)>,
}

/// Runs the commands as one transaction, up to COMMIT; the verdicts are in their order. Only once
/// [`Prepared::finish`] answers `Ok` are they true.
pub(super) async fn prepare<'connection>(
    connection: &'connection mut DbConnection,
    batch: &[Waiting],
    policy: &Policy,
    heads: Heads,
) -> Result<Prepared<'connection>, StoreError> {
    let mut unit = Unit::begin(connection).await?;
    let held = lock(&mut unit, batch, heads).await?;
    let mut facts: FactsByTenant =
        held.iter().map(|(tenant, head)| (tenant.clone(), Facts::new(tenant.clone(), *head))).collect();
    // While the head was waited for, callers may have gone: what they asked has not begun yet, and does not.
    let commands: Vec<Option<&Command>> = batch
        .iter()
        .map(|waiting| (!waiting.is_abandoned()).then_some(&*waiting.command))
        .map(|command| command.filter(|command| facts.contains_key(command.tenant())))
        .collect();
    let decidable: Vec<&Command> = commands.iter().copied().flatten().collect();
    let clock = batch_facts::load(unit.connection(), &mut facts, &decidable, &policy.fingerprinter).await?;
    let verdicts: Vec<Verdict> = commands
        .into_iter()
        .map(|command| {
            let command = command?;
            let facts = facts.get_mut(command.tenant())?;
            let now = facts.head.time_of_decision(clock);
            Some(settle(facts, command, policy, now).map_err(Failure::Refused))
        })
        .collect();
    let operations = write(&mut unit, &held, &facts).await?;
    Ok(Prepared { unit, verdicts, operations })
}

async fn lock(
    unit: &mut Unit<'_>,
    batch: &[Waiting],
    heads: Heads,
) -> Result<HashMap<TenantId, Head>, StoreError> {
    let mut tenants: Vec<&TenantId> = batch.iter().map(|waiting| waiting.command.tenant()).collect();
    tenants.sort_unstable();
    tenants.dedup();
    let held = match heads {
        Heads::Skip => heads::lock_heads(unit.connection(), &tenants).await?,
        Heads::Await => heads::lock_head_waiting(unit.connection(), &tenants).await?,
    };
    if heads == Heads::Await && held.len() < tenants.len() {
        return Err(StoreError::HeadMissing);
    }
    Ok(held.into_iter().collect())
}

/// Writes what was decided and moves the heads; answers which operations that makes.
async fn write(
    unit: &mut Unit<'_>,
    held: &HashMap<TenantId, Head>,
    facts: &FactsByTenant,
) -> Result<Vec<(TenantId, OperationId)>, StoreError> {
    let changes: Vec<_> = facts
        .values()
        .map(|facts| (&facts.tenant, facts.changes()))
        .filter(|(_, changes)| !changes.is_empty())
        .collect();
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let moved: Vec<MovedHead<'_>> = changes
        .iter()
        .filter_map(|(tenant, _)| {
            Some(MovedHead { tenant, read: *held.get(*tenant)?, moved: facts.get(*tenant)?.head })
        })
        .collect();
    batch_writes::write(unit.connection(), &changes, &moved).await?;
    Ok(changes
        .iter()
        .flat_map(|(tenant, changes)| {
            changes.operations.iter().map(|operation| ((*tenant).clone(), operation.operation_id))
        })
        .collect())
}

impl Prepared<'_> {
    /// Commits, if anything was written.
    pub(super) async fn finish(self, patience: Duration) -> Result<Vec<Verdict>, BatchError> {
        let Self { unit, verdicts, operations } = self;
        if operations.is_empty() {
            // What was decided on is committed already.
            return match tokio::time::timeout(patience, unit.rollback()).await {
                Ok(rolled_back) => Ok(rolled_back.map(|()| verdicts)?),
                Err(_) => Err(StoreError::silent().into()),
            };
        }
        match unit.commit(patience).await {
            Ok(()) => Ok(verdicts),
            Err(CommitError::Failed(error)) => Err(BatchError::Failed(error)),
            Err(CommitError::InDoubt(error)) => {
                tracing::warn!(%error, "a COMMIT was lost; asking what became of it");
                Err(BatchError::InDoubt { verdicts, operations })
            }
        }
    }
}
