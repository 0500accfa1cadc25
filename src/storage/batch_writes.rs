//! Writes the changes of a batch: deletes first, each row once, and all that every batch writes in one last
//! statement ([`batch_log`]).

use sqlx::PgConnection;

use super::batch_log::{self, MovedHead};
use super::codes;
use super::error::StoreError;
use super::gather::{column, gather};
use super::suppressions;
use crate::domain::audit::state_number;
use crate::domain::content::{Content, Metadata};
use crate::domain::facts::Changes;
use crate::domain::ids::{GraphId, ImportId, MemoryKey, Sequence, SubjectId, TenantId};
use crate::domain::memory::Memory;
use crate::domain::suppression::Fingerprint;

/// One tenant's changes.
pub type TenantChanges<'facts> = (&'facts TenantId, Changes<'facts>);

/// Writes the changes and moves the heads. When it answers well, the transaction still stands.
pub async fn write(
    connection: &mut PgConnection,
    changes: &[TenantChanges<'_>],
    heads: &[MovedHead<'_>],
) -> Result<(), StoreError> {
    delete_memories(connection, &gather(changes, |changes| changes.erased.clone())).await?;
    insert_graphs(connection, &gather(changes, |changes| changes.graphs.clone())).await?;
    insert_memories(connection, &gather(changes, |changes| changes.saved.clone())).await?;
    update_contents(connection, &gather(changes, |changes| changes.rewritten.clone())).await?;
    suppressions::delete(connection, &gather(changes, |changes| changes.lifted.clone())).await?;
    suppressions::insert(connection, &gather(changes, |changes| changes.suppressed.clone())).await?;
    batch_log::write(connection, changes, heads).await
}

/// Whether as many rows were found as were decided on.
pub(super) fn all_found<Count>(found: Count, expected: usize) -> Result<(), StoreError>
where
    usize: TryFrom<Count>,
{
    if usize::try_from(found).is_ok_and(|found| found == expected) {
        Ok(())
    } else {
        Err(StoreError::Impossible("a row that changed while its head was held"))
    }
}

async fn delete_memories(
    connection: &mut PgConnection,
    erased: &[(&str, (Sequence, MemoryKey))],
) -> Result<(), StoreError> {
    if erased.is_empty() {
        return Ok(());
    }
    let deleted = sqlx::query(include_str!("sql/delete_memories.sql"))
        .bind(column(erased, |(tenant, _)| *tenant))
        .bind(column(erased, |(_, (_, key))| *key))
        .bind(column(erased, |(_, (version, _))| *version))
        .execute(connection)
        .await?;
    all_found(deleted.rows_affected(), erased.len())
}

async fn insert_graphs(connection: &mut PgConnection, graphs: &[(&str, &GraphId)]) -> Result<(), StoreError> {
    if graphs.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/insert_graphs.sql"))
        .bind(column(graphs, |(tenant, _)| *tenant))
        .bind(column(graphs, |(_, graph)| graph.as_str()))
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_memories(
    connection: &mut PgConnection,
    saved: &[(&str, (&Memory, &Content, &Fingerprint))],
) -> Result<(), StoreError> {
    if saved.is_empty() {
        return Ok(());
    }
    let memories = column(saved, |(tenant, (memory, ..))| (*tenant, *memory));
    let contents = column(saved, |(_, (_, content, _))| *content);
    sqlx::query(include_str!("sql/insert_memories.sql"))
        .bind(column(&memories, |(tenant, _)| *tenant))
        .bind(column(&memories, |(_, memory)| memory.key))
        .bind(column(&memories, |(_, memory)| memory.id.as_str()))
        .bind(column(&memories, |(_, memory)| memory.subject.as_ref().map(SubjectId::as_str)))
        .bind(column(&memories, |(_, memory)| memory.agent.as_str()))
        .bind(column(&memories, |(_, memory)| memory.graph.as_str()))
        .bind(column(&memories, |(_, memory)| codes::kind_code(memory.kind)))
        .bind(column(&memories, |(_, memory)| codes::origin_code(memory.origin)))
        .bind(column(&memories, |(_, memory)| memory.import.as_ref().map(ImportId::as_str)))
        .bind(column(&memories, |(_, memory)| memory.date))
        .bind(column(&memories, |(_, memory)| state_number(Some(memory.state()))))
        .bind(column(&memories, |(_, memory)| memory.version))
        .bind(column(&memories, |(_, memory)| memory.create_time))
        .bind(column(&memories, |(_, memory)| memory.update_time))
        .bind(column(&memories, |(_, memory)| memory.archive().map(|archive| archive.forget_time)))
        .bind(column(&memories, |(_, memory)| memory.archive().and_then(|archive| archive.purge_time)))
        .bind(column(&memories, |(_, memory)| memory.archive().map(|archive| archive.operation.0)))
        .bind(column(&contents, |content| content.text()))
        .bind(column(&contents, |content| content.metadata().map(Metadata::encoded)))
        .bind(column(&contents, |content| content.normalized()))
        .bind(column(&contents, |content| content.normalization_version()))
        .bind(column(saved, |(_, (.., fingerprint))| fingerprint.0.to_vec()))
        .execute(connection)
        .await?;
    Ok(())
}

async fn update_contents(
    connection: &mut PgConnection,
    contents: &[(&str, (MemoryKey, &Content, &Fingerprint))],
) -> Result<(), StoreError> {
    if contents.is_empty() {
        return Ok(());
    }
    let updated = sqlx::query(include_str!("sql/update_contents.sql"))
        .bind(column(contents, |(tenant, _)| *tenant))
        .bind(column(contents, |(_, (key, ..))| *key))
        .bind(column(contents, |(_, (_, content, _))| content.text()))
        .bind(column(contents, |(_, (_, content, _))| content.metadata().map(Metadata::encoded)))
        .bind(column(contents, |(_, (_, content, _))| content.normalized()))
        .bind(column(contents, |(_, (_, content, _))| content.normalization_version()))
        .bind(column(contents, |(_, (.., fingerprint))| fingerprint.0.to_vec()))
        .execute(connection)
        .await?;
    all_found(updated.rows_affected(), contents.len())
}
