//! The only door to transactions.
//!
//! A unit of work must run in a task that nobody cancels: a cancelled `begin` or `commit` of the driver
//! leaves a connection inside a transaction. The lanes are such tasks.

use std::time::Duration;

use sqlx::{Connection, PgConnection, Postgres, Transaction};

use super::error::StoreError;

/// A transaction. Any error inside it is terminal: drop it, and it is rolled back.
pub struct Unit<'connection> {
    transaction: Transaction<'connection, Postgres>,
}

/// Why a commit did not answer well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitError {
    /// The server said no: nothing was committed.
    Failed(StoreError),
    /// The connection broke: nobody knows yet.
    InDoubt(StoreError),
}

impl<'connection> Unit<'connection> {
    /// Begins a read-committed transaction that writes.
    #[expect(clippy::disallowed_methods, reason = "this is the place that begins transactions")]
    pub async fn begin(connection: &'connection mut PgConnection) -> Result<Self, StoreError> {
        // Said aloud, whatever the role's default: anything stricter would see the state before the lock.
        Ok(Self { transaction: connection.begin_with("BEGIN ISOLATION LEVEL READ COMMITTED").await? })
    }

    /// Begins a read-only transaction that sees one moment throughout.
    #[expect(clippy::disallowed_methods, reason = "this is the place that begins transactions")]
    pub async fn begin_snapshot(connection: &'connection mut PgConnection) -> Result<Self, StoreError> {
        let transaction = connection.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        Ok(Self { transaction })
    }

    /// The connection to run statements on.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }

    /// Commits. An error that the server sent means it did not; a broken connection, or one that stays silent
    /// for so long, means nothing.
    #[expect(clippy::disallowed_methods, reason = "this is the place that tells what a commit came to")]
    pub async fn commit(self, patience: Duration) -> Result<(), CommitError> {
        match tokio::time::timeout(patience, self.transaction.commit()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(match StoreError::from(error) {
                lost @ StoreError::Unavailable(_) => CommitError::InDoubt(lost),
                refused => CommitError::Failed(refused),
            }),
            Err(_) => Err(CommitError::InDoubt(StoreError::silent())),
        }
    }

    /// Rolls back, and waits until it is done.
    pub async fn rollback(self) -> Result<(), StoreError> {
        Ok(self.transaction.rollback().await?)
    }
}
