//! The last statement before COMMIT: what every batch writes, in one round trip.

use sqlx::PgConnection;
use sqlx::postgres::PgArguments;
use uuid::Uuid;

use super::batch_writes::{TenantChanges, all_found};
use super::codes;
use super::error::StoreError;
use super::gather::{column, gather};
use crate::domain::answer::Answer;
use crate::domain::audit::{AuditRecord, cause_number, mode_number, state_number};
use crate::domain::command::{Request, SaltedReason};
use crate::domain::facts::Head;
use crate::domain::ids::{ImportId, Sequence, TenantId};
use crate::domain::memory::Memory;
use crate::domain::operation::NewOperation;

/// A head to be moved.
#[derive(Debug, Clone)]
pub struct MovedHead<'tenant> {
    /// Whose.
    pub tenant: &'tenant TenantId,
    /// From where it was read.
    pub read: Head,
    /// To where the decisions lead.
    pub moved: Head,
}

/// How many rows `write_log` found where they were decided on.
#[derive(sqlx::FromRow)]
struct Found {
    memories: i64,
    heads: i64,
}

/// The statement, some of its parameters bound. Each function below binds the next ones, in the order of the file.
type WriteLog<'facts> = sqlx::query::QueryAs<'facts, sqlx::Postgres, Found, PgArguments>;

/// Changes memories, adds records and operations, moves the heads. Its row counts prove that the transaction
/// still stands and that everything was as it was decided on.
pub(super) async fn write<'facts>(
    connection: &mut PgConnection,
    changes: &[TenantChanges<'facts>],
    heads: &[MovedHead<'facts>],
) -> Result<(), StoreError> {
    let replaced = gather(changes, |changes| changes.replaced.clone());
    let records = gather(changes, |changes| changes.records.iter().collect());
    let operations = gather(changes, |changes| changes.operations.iter().collect());
    let log: WriteLog<'facts> = sqlx::query_as(include_str!("sql/write_log.sql"));
    let log = bind_changed_memories(log, &replaced);
    let log = bind_new_records(log, &records);
    let log = bind_new_operations(log, &operations)?;
    let log = bind_new_reasons(log, &operations);
    let log = bind_new_requests(log, &operations);
    let found = bind_moved_heads(log, heads).fetch_one(connection).await?;
    all_found(found.memories, replaced.len())?;
    all_found(found.heads, heads.len())
}

fn bind_changed_memories<'facts>(
    log: WriteLog<'facts>,
    replaced: &[(&'facts str, (Sequence, &'facts Memory))],
) -> WriteLog<'facts> {
    log.bind(column(replaced, |(tenant, _)| *tenant))
        .bind(column(replaced, |(_, (_, memory))| memory.key))
        .bind(column(replaced, |(_, (stored, _))| *stored))
        .bind(column(replaced, |(_, (_, memory))| memory.version))
        .bind(column(replaced, |(_, (_, memory))| state_number(Some(memory.state()))))
        .bind(column(replaced, |(_, (_, memory))| memory.update_time))
        .bind(column(replaced, |(_, (_, memory))| memory.archive().map(|archive| archive.forget_time)))
        .bind(column(replaced, |(_, (_, memory))| memory.archive().and_then(|archive| archive.purge_time)))
        .bind(column(replaced, |(_, (_, memory))| memory.archive().map(|archive| archive.operation.0)))
}

fn bind_new_records<'facts>(
    log: WriteLog<'facts>,
    records: &[(&'facts str, &'facts AuditRecord)],
) -> WriteLog<'facts> {
    log.bind(column(records, |(tenant, _)| *tenant))
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
        .bind(column(records, |(_, record)| cause_number(record.cause)))
        .bind(column(records, |(_, record)| record.suppression.map(|id| id.0)))
}

fn bind_new_operations<'facts>(
    log: WriteLog<'facts>,
    operations: &[(&'facts str, &'facts NewOperation)],
) -> Result<WriteLog<'facts>, StoreError> {
    let answers: Vec<String> = operations
        .iter()
        .map(|(_, operation)| encode(&operation.answer))
        .collect::<Result<_, StoreError>>()?;
    Ok(log
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
        .bind(column(operations, |(_, operation)| {
            i64::try_from(operation.answer.suppressed + operation.answer.lifted).unwrap_or(i64::MAX)
        })))
}

fn encode(answer: &Answer) -> Result<String, StoreError> {
    serde_json::to_string(answer).map_err(|_| StoreError::Impossible("an answer that is no JSON"))
}

fn bind_new_reasons<'facts>(
    log: WriteLog<'facts>,
    operations: &[(&'facts str, &'facts NewOperation)],
) -> WriteLog<'facts> {
    let reasons: Vec<(&str, Uuid, &SaltedReason)> = operations
        .iter()
        .filter_map(|(tenant, operation)| {
            Some((*tenant, operation.operation_id.0, operation.reason.as_ref()?))
        })
        .collect();
    log.bind(column(&reasons, |(tenant, _, _)| *tenant))
        .bind(column(&reasons, |(_, operation, _)| *operation))
        .bind(column(&reasons, |(_, _, reason)| reason.salt.to_vec()))
        .bind(column(&reasons, |(_, _, reason)| reason.text.as_str()))
}

fn bind_new_requests<'facts>(
    log: WriteLog<'facts>,
    operations: &[(&'facts str, &'facts NewOperation)],
) -> WriteLog<'facts> {
    let requests: Vec<(&str, &NewOperation, &Request)> = operations
        .iter()
        .filter_map(|(tenant, operation)| Some((*tenant, *operation, operation.request.as_ref()?)))
        .collect();
    log.bind(column(&requests, |(tenant, _, _)| *tenant))
        .bind(column(&requests, |(_, operation, _)| operation.principal.as_str()))
        .bind(column(&requests, |(_, _, request)| request.id.0))
        .bind(column(&requests, |(_, _, request)| request.digest.to_vec()))
        .bind(column(&requests, |(_, operation, _)| operation.operation_id.0))
        .bind(column(&requests, |(_, operation, _)| operation.commit_time))
}

fn bind_moved_heads<'facts>(log: WriteLog<'facts>, heads: &[MovedHead<'facts>]) -> WriteLog<'facts> {
    log.bind(column(heads, |head| head.tenant.as_str()))
        .bind(column(heads, |head| head.read.sequence))
        .bind(column(heads, |head| head.moved.sequence))
        .bind(column(heads, |head| head.moved.hash.to_vec()))
        .bind(column(heads, |head| head.moved.last_time))
}
