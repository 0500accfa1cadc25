//! One transaction: lock the heads, load the facts, decide each command on them, write, commit.

use std::collections::HashMap;

use super::Failure;
use crate::domain::answer::Answer;
use crate::domain::command::Command;
use crate::domain::decide::settle;
use crate::domain::facts::{Facts, Head};
use crate::domain::ids::{OperationId, TenantId};
use crate::domain::policy::Policy;
use crate::storage::batch_facts::{self, FactsByTenant};
use crate::storage::heads::{self, MovedHead};
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

/// What became of one command of a batch; `None`: its head was held by somebody else.
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

/// Runs the commands as one transaction; the verdicts are in their order. Only once it answers `Ok` are the
/// verdicts true.
pub(super) async fn run(
    connection: &mut DbConnection,
    commands: &[&Command],
    policy: &Policy,
    heads: Heads,
) -> Result<Vec<Verdict>, BatchError> {
    let mut unit = Unit::begin(connection).await?;
    let held = lock(&mut unit, commands, heads).await?;
    let mut facts: FactsByTenant =
        held.iter().map(|(tenant, head)| (tenant.clone(), Facts::new(tenant.clone(), *head))).collect();
    let decidable: Vec<&Command> =
        commands.iter().copied().filter(|command| facts.contains_key(command.tenant())).collect();
    let clock = heads::read_clock(unit.connection()).await?;
    batch_facts::load(unit.connection(), &mut facts, &decidable).await?;
    let verdicts: Vec<Verdict> = commands
        .iter()
        .map(|command| {
            let facts = facts.get_mut(command.tenant())?;
            let now = facts.head.time_of_decision(clock);
            Some(settle(facts, command, policy, now).map_err(Failure::Refused))
        })
        .collect();
    write_and_commit(unit, &held, &facts, verdicts).await
}

async fn lock(
    unit: &mut Unit<'_>,
    commands: &[&Command],
    heads: Heads,
) -> Result<HashMap<TenantId, Head>, StoreError> {
    let mut tenants: Vec<&TenantId> = commands.iter().map(|command| command.tenant()).collect();
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

async fn write_and_commit(
    mut unit: Unit<'_>,
    held: &HashMap<TenantId, Head>,
    facts: &FactsByTenant,
    verdicts: Vec<Verdict>,
) -> Result<Vec<Verdict>, BatchError> {
    let changes: Vec<_> = facts
        .values()
        .map(|facts| (&facts.tenant, facts.changes()))
        .filter(|(_, changes)| !changes.is_empty())
        .collect();
    if changes.is_empty() {
        // Refusals and repeated answers only: what was decided on is committed already.
        unit.rollback().await?;
        return Ok(verdicts);
    }
    let moved: Vec<MovedHead<'_>> = changes
        .iter()
        .filter_map(|(tenant, _)| {
            Some(MovedHead { tenant, read: *held.get(*tenant)?, moved: facts.get(*tenant)?.head })
        })
        .collect();
    let operations: Vec<(TenantId, OperationId)> = changes
        .iter()
        .flat_map(|(tenant, changes)| {
            changes.operations.iter().map(|operation| ((*tenant).clone(), operation.operation_id))
        })
        .collect();
    batch_writes::write(unit.connection(), &changes).await?;
    heads::update_heads(unit.connection(), &moved).await?;
    match unit.commit().await {
        Ok(()) => Ok(verdicts),
        Err(CommitError::Failed(error)) => Err(BatchError::Failed(error)),
        Err(CommitError::InDoubt(error)) => {
            tracing::warn!(%error, "a COMMIT was lost; asking what became of it");
            Err(BatchError::InDoubt { verdicts, operations })
        }
    }
}
