//! What became of a lost COMMIT.
//!
//! A fresh connection takes a head that the lost transaction held: once it has it, that transaction has ended one
//! way or the other, and its operations are there or they are not. One is enough, since a transaction lets go of
//! all its locks at its end; more would make the other tenants wait as well.

use std::time::Duration;

use crate::domain::ids::{OperationId, TenantId};
use crate::storage::heads;
use crate::storage::pool::DbConnection;
use crate::storage::tx::Unit;
use crate::storage::{Store, StoreError};

/// What was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolution {
    /// It was committed, whole.
    Committed,
    /// It was not, and will not be.
    NotCommitted,
}

/// Asks once, at most so long. An error means that nothing was learnt.
pub(super) async fn resolve(
    store: &Store,
    operations: &[(TenantId, OperationId)],
    patience: Duration,
) -> Result<Resolution, StoreError> {
    let mut connection = store.lane_connection().await?;
    let asked = tokio::time::timeout(patience, ask(&mut connection, operations)).await;
    if asked.is_err() {
        // It went silent: of no more use to anybody.
        connection.close_on_drop();
    }
    asked.unwrap_or_else(|_| Err(StoreError::silent()))
}

async fn ask(
    connection: &mut DbConnection,
    operations: &[(TenantId, OperationId)],
) -> Result<Resolution, StoreError> {
    let Some((tenant, _)) = operations.first() else {
        return Err(StoreError::Impossible("a commit without an operation"));
    };
    let mut unit = Unit::begin(connection).await?;
    heads::wait_as_fence(unit.connection()).await?;
    if heads::lock_head_waiting(unit.connection(), &[tenant]).await?.is_empty() {
        // Nothing was locked, so nothing was waited for.
        return Err(StoreError::Impossible("a tenant without its head"));
    }
    let found = heads::find_operations(unit.connection(), operations).await?;
    unit.rollback().await?;
    match usize::try_from(found) {
        Ok(0) => Ok(Resolution::NotCommitted),
        Ok(count) if count == operations.len() => Ok(Resolution::Committed),
        _ => Err(StoreError::Impossible("half a transaction")),
    }
}
