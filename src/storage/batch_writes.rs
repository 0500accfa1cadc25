//! Writes the changes of a batch: one statement a table, deletes first, each row once.

use sqlx::PgConnection;
use uuid::Uuid;

use super::codes;
use super::error::StoreError;
use crate::domain::answer::Answer;
use crate::domain::audit::{AuditRecord, mode_number, state_number};
use crate::domain::command::{Request, SaltedReason};
use crate::domain::content::{Content, Metadata};
use crate::domain::facts::Changes;
use crate::domain::ids::{GraphId, ImportId, MemoryKey, Sequence, SubjectId, TenantId};
use crate::domain::memory::Memory;
use crate::domain::operation::NewOperation;

/// One tenant's changes.
pub type TenantChanges<'facts> = (&'facts TenantId, Changes<'facts>);

/// Writes everything but the heads.
pub async fn write(connection: &mut PgConnection, changes: &[TenantChanges<'_>]) -> Result<(), StoreError> {
    delete(connection, &gather(changes, |changes| changes.erased.clone())).await?;
    insert_graphs(connection, &gather(changes, |changes| changes.graphs.clone())).await?;
    let saved = gather(changes, |changes| changes.saved.clone());
    insert_memories(connection, &saved).await?;
    update_memories(connection, &gather(changes, |changes| changes.replaced.clone())).await?;
    let saved: Vec<_> =
        saved.into_iter().map(|(tenant, (memory, content))| (tenant, (memory.key, content))).collect();
    write_contents(connection, include_str!("sql/insert_contents.sql"), &saved).await?;
    let rewritten = gather(changes, |changes| changes.rewritten.clone());
    write_contents(connection, include_str!("sql/update_contents.sql"), &rewritten).await?;
    insert_audit_records(connection, &gather(changes, |changes| changes.records.iter().collect())).await?;
    insert_operations(connection, &gather(changes, |changes| changes.operations.iter().collect())).await
}

/// The rows of all tenants in one list, each with its tenant.
fn gather<'facts, Row>(
    changes: &[TenantChanges<'facts>],
    rows: impl Fn(&Changes<'facts>) -> Vec<Row>,
) -> Vec<(&'facts str, Row)> {
    changes
        .iter()
        .flat_map(|(tenant, changes)| rows(changes).into_iter().map(|row| (tenant.as_str(), row)))
        .collect()
}

/// One column of the rows, to be bound as an array.
fn column<Row, Value>(rows: &[Row], value: impl Fn(&Row) -> Value) -> Vec<Value> {
    rows.iter().map(value).collect()
}

fn all_written(written: u64, expected: usize) -> Result<(), StoreError> {
    if usize::try_from(written) == Ok(expected) {
        Ok(())
    } else {
        Err(StoreError::Impossible("a row that changed while its head was held"))
    }
}

async fn delete(
    connection: &mut PgConnection,
    erased: &[(&str, (Sequence, MemoryKey))],
) -> Result<(), StoreError> {
    if erased.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/delete_contents.sql"))
        .bind(column(erased, |(tenant, _)| *tenant))
        .bind(column(erased, |(_, (_, key))| *key))
        .execute(&mut *connection)
        .await?;
    let deleted = sqlx::query(include_str!("sql/delete_memories.sql"))
        .bind(column(erased, |(tenant, _)| *tenant))
        .bind(column(erased, |(_, (_, key))| *key))
        .bind(column(erased, |(_, (version, _))| *version))
        .execute(connection)
        .await?;
    all_written(deleted.rows_affected(), erased.len())
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
    saved: &[(&str, (&Memory, &Content))],
) -> Result<(), StoreError> {
    if saved.is_empty() {
        return Ok(());
    }
    let memories = column(saved, |(tenant, (memory, _))| (*tenant, *memory));
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
        .execute(connection)
        .await?;
    Ok(())
}

async fn update_memories(
    connection: &mut PgConnection,
    replaced: &[(&str, (Sequence, &Memory))],
) -> Result<(), StoreError> {
    if replaced.is_empty() {
        return Ok(());
    }
    let updated = sqlx::query(include_str!("sql/update_memories.sql"))
        .bind(column(replaced, |(tenant, _)| *tenant))
        .bind(column(replaced, |(_, (_, memory))| memory.key))
        .bind(column(replaced, |(_, (stored, _))| *stored))
        .bind(column(replaced, |(_, (_, memory))| memory.version))
        .bind(column(replaced, |(_, (_, memory))| state_number(Some(memory.state()))))
        .bind(column(replaced, |(_, (_, memory))| memory.update_time))
        .bind(column(replaced, |(_, (_, memory))| memory.archive().map(|archive| archive.forget_time)))
        .bind(column(replaced, |(_, (_, memory))| memory.archive().and_then(|archive| archive.purge_time)))
        .bind(column(replaced, |(_, (_, memory))| memory.archive().map(|archive| archive.operation.0)))
        .execute(connection)
        .await?;
    all_written(updated.rows_affected(), replaced.len())
}

async fn write_contents(
    connection: &mut PgConnection,
    statement: &'static str,
    contents: &[(&str, (MemoryKey, &Content))],
) -> Result<(), StoreError> {
    if contents.is_empty() {
        return Ok(());
    }
    let written = sqlx::query(statement)
        .bind(column(contents, |(tenant, _)| *tenant))
        .bind(column(contents, |(_, (key, _))| *key))
        .bind(column(contents, |(_, (_, content))| content.text()))
        .bind(column(contents, |(_, (_, content))| content.metadata().map(Metadata::encoded)))
        .bind(column(contents, |(_, (_, content))| content.normalized()))
        .bind(column(contents, |(_, (_, content))| content.normalization_version()))
        .execute(connection)
        .await?;
    all_written(written.rows_affected(), contents.len())
}

async fn insert_audit_records(
    connection: &mut PgConnection,
    records: &[(&str, &AuditRecord)],
) -> Result<(), StoreError> {
    if records.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/insert_audit_records.sql"))
        .bind(column(records, |(tenant, _)| *tenant))
        .bind(column(records, |(_, record)| record.sequence))
        .bind(column(records, |(_, record)| record.operation_id.0))
        .bind(column(records, |(_, record)| record.memory_id.as_str()))
        .bind(column(records, |(_, record)| record.action.number()))
        .bind(column(records, |(_, record)| state_number(record.from)))
        .bind(column(records, |(_, record)| state_number(record.to)))
        .bind(column(records, |(_, record)| record.principal.as_str()))
        .bind(column(records, |(_, record)| record.agent.as_str()))
        .bind(column(records, |(_, record)| record.reason_digest.map(|digest| digest.to_vec())))
        .bind(column(records, |(_, record)| record.channel.as_deref()))
        .bind(column(records, |(_, record)| record.request_id.map(|id| id.0)))
        .bind(column(records, |(_, record)| record.trace_id.as_deref()))
        .bind(column(records, |(_, record)| record.commit_time))
        .bind(column(records, |(_, record)| mode_number(record.mode)))
        .bind(column(records, |(_, record)| record.graph.as_str()))
        .bind(column(records, |(_, record)| record.import.as_ref().map(ImportId::as_str)))
        .bind(column(records, |(_, record)| codes::kind_code(record.kind)))
        .bind(column(records, |(_, record)| record.previous_hash.to_vec()))
        .bind(column(records, |(_, record)| record.hash.to_vec()))
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_operations(
    connection: &mut PgConnection,
    operations: &[(&str, &NewOperation)],
) -> Result<(), StoreError> {
    if operations.is_empty() {
        return Ok(());
    }
    let answers: Vec<String> = operations
        .iter()
        .map(|(_, operation)| encode(&operation.answer))
        .collect::<Result<_, StoreError>>()?;
    sqlx::query(include_str!("sql/insert_operations.sql"))
        .bind(column(operations, |(tenant, _)| *tenant))
        .bind(column(operations, |(_, operation)| operation.operation_id.0))
        .bind(column(operations, |(_, operation)| operation.method.name()))
        .bind(column(operations, |(_, operation)| operation.principal.as_str()))
        .bind(column(operations, |(_, operation)| operation.agent.as_str()))
        .bind(column(operations, |(_, operation)| operation.request.as_ref().map(|request| request.id.0)))
        .bind(column(operations, |(_, operation)| operation.channel.as_deref()))
        .bind(column(operations, |(_, operation)| operation.commit_time))
        .bind(column(operations, |(_, operation)| operation.answer.receipt.first_sequence))
        .bind(column(operations, |(_, operation)| operation.answer.receipt.last_sequence))
        .bind(answers)
        .execute(&mut *connection)
        .await?;
    insert_reasons(connection, operations).await?;
    insert_requests(connection, operations).await
}

fn encode(answer: &Answer) -> Result<String, StoreError> {
    serde_json::to_string(answer).map_err(|_| StoreError::Impossible("an answer that is no JSON"))
}

async fn insert_reasons(
    connection: &mut PgConnection,
    operations: &[(&str, &NewOperation)],
) -> Result<(), StoreError> {
    let reasons: Vec<(&str, Uuid, &SaltedReason)> = operations
        .iter()
        .filter_map(|(tenant, operation)| {
            Some((*tenant, operation.operation_id.0, operation.reason.as_ref()?))
        })
        .collect();
    if reasons.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/insert_reasons.sql"))
        .bind(column(&reasons, |(tenant, _, _)| *tenant))
        .bind(column(&reasons, |(_, operation, _)| *operation))
        .bind(column(&reasons, |(_, _, reason)| reason.salt.to_vec()))
        .bind(column(&reasons, |(_, _, reason)| reason.text.as_str()))
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_requests(
    connection: &mut PgConnection,
    operations: &[(&str, &NewOperation)],
) -> Result<(), StoreError> {
    let requests: Vec<(&str, &NewOperation, &Request)> = operations
        .iter()
        .filter_map(|(tenant, operation)| Some((*tenant, *operation, operation.request.as_ref()?)))
        .collect();
    if requests.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/insert_requests.sql"))
        .bind(column(&requests, |(tenant, _, _)| *tenant))
        .bind(column(&requests, |(_, operation, _)| operation.principal.as_str()))
        .bind(column(&requests, |(_, _, request)| request.id.0))
        .bind(column(&requests, |(_, _, request)| request.digest.to_vec()))
        .bind(column(&requests, |(_, operation, _)| operation.operation_id.0))
        .bind(column(&requests, |(_, operation, _)| operation.commit_time))
        .execute(connection)
        .await?;
    Ok(())
}
