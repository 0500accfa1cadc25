//! Loads the facts of a batch: set-based, one statement a table, whatever the number of commands.

use std::collections::{BTreeSet, HashMap};

use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Row, ValueRef};
use uuid::Uuid;

use super::batch_sayings;
use super::error::StoreError;
use super::rows::{ContentRow, MemoryRow, hash};
use crate::domain::Timestamp;
use crate::domain::answer::Answer;
use crate::domain::command::{Body, Command};
use crate::domain::facts::{AnsweredRequest, Facts};
use crate::domain::ids::{
    AgentId, GraphId, MemoryId, MemoryKey, OperationId, PrincipalId, RequestId, TenantId,
};
use crate::domain::suppression::Fingerprinter;

/// The facts of a batch, by tenant.
pub type FactsByTenant = HashMap<TenantId, Facts>;

/// Adds to the tenants' facts all that the commands need to be decided, and answers the database's clock at that
/// moment. Statements for other tables than `memories` are only run when a command asks about them.
pub async fn load(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
    fingerprinter: &Fingerprinter,
) -> Result<Timestamp, StoreError> {
    let clock = load_memories(connection, facts, commands).await?;
    load_archived_by(connection, facts, commands).await?;
    load_changed_since(connection, facts, commands).await?;
    load_contents(connection, facts, commands).await?;
    batch_sayings::load(connection, facts, commands, fingerprinter).await?;
    load_graphs(connection, facts, commands).await?;
    load_requests(connection, facts, commands).await?;
    Ok(clock)
}

pub(super) fn facts_of<'facts>(
    facts: &'facts mut FactsByTenant,
    tenant: &TenantId,
) -> Result<&'facts mut Facts, StoreError> {
    facts.get_mut(tenant).ok_or(StoreError::Impossible("a row of a tenant that was not asked for"))
}

/// The agent to whose memories a command is confined, settled facts aside; none: to those of its tenant. Who saves may
/// not do so under an id that is taken, whoever has it.
pub(super) fn reach_of(command: &Command) -> Option<&str> {
    let confined = command.call.principal.confined_to().filter(|_| !command.saves());
    confined.map(AgentId::as_str)
}

/// The principal to whose operations a command is confined; none: to those of its tenant.
fn caller_of(command: &Command) -> Option<&str> {
    let principal = &command.call.principal;
    (!principal.is_admin()).then_some(principal.id.as_str())
}

async fn load_memories(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
) -> Result<Timestamp, StoreError> {
    // Each once for everybody who asks for it.
    let wanted: BTreeSet<(&str, &str, Option<&str>)> = commands
        .iter()
        .flat_map(|command| {
            let (tenant, reach) = (command.tenant().as_str(), reach_of(command));
            command.unseen_ids().into_iter().map(move |id| (tenant, id.as_str(), reach))
        })
        .collect();
    let rows: Vec<PgRow> = sqlx::query(include_str!("sql/load_memories.sql"))
        .bind(wanted.iter().map(|(tenant, ..)| *tenant).collect::<Vec<_>>())
        .bind(wanted.iter().map(|(_, id, _)| *id).collect::<Vec<_>>())
        .bind(wanted.iter().map(|(.., reach)| *reach).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    let first = rows.first().ok_or(StoreError::Impossible("a clock that does not answer"))?;
    let clock = first.try_get("clock")?;
    let mut memories = Vec::with_capacity(rows.len());
    for row in &rows {
        if !row.try_get_raw("memory_key")?.is_null() {
            memories.push(MemoryRow::from_row(row)?);
        }
    }
    know_memories(facts, memories)?;
    Ok(clock)
}

async fn load_archived_by(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
) -> Result<(), StoreError> {
    let wanted: Vec<(&Command, Uuid)> =
        commands.iter().filter_map(|command| Some((*command, command.restored_operation()?.0))).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let tenants: Vec<&str> = wanted.iter().map(|(command, _)| command.tenant().as_str()).collect();
    let operations: Vec<Uuid> = wanted.iter().map(|(_, operation)| *operation).collect();
    let rows: Vec<MemoryRow> = sqlx::query_as(include_str!("sql/load_archived_by.sql"))
        .bind(tenants.clone())
        .bind(operations.clone())
        .bind(wanted.iter().map(|(command, _)| reach_of(command)).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await?;
    know_memories(facts, rows)?;
    let rows: Vec<(String, Uuid, String)> = sqlx::query_as(include_str!("sql/load_operation_callers.sql"))
        .bind(tenants)
        .bind(operations)
        .bind(wanted.iter().map(|(command, _)| caller_of(command)).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    for (tenant, operation, principal) in rows {
        facts_of(facts, &TenantId::from_stored(tenant))?
            .know_operation(OperationId(operation), PrincipalId::from_stored(principal));
    }
    Ok(())
}

/// What changed since somebody looked for the memories of a set: only that is looked at again.
async fn load_changed_since(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
) -> Result<(), StoreError> {
    for command in commands {
        let Some(sighting) = command.sighting().filter(|sighting| sighting.refusal.is_none()) else {
            continue;
        };
        let tenant = command.tenant();
        if sighting.set.is_none() {
            continue;
        }
        let facts = facts_of(facts, tenant)?;
        for memory in &sighting.members {
            facts.know_memory(memory.clone());
        }
        if facts.head.sequence == sighting.sequence {
            continue;
        }
        let rows: Vec<PgRow> = sqlx::query(include_str!("sql/load_changed_since.sql"))
            .bind(tenant.as_str())
            .bind(sighting.sequence)
            .bind(reach_of(command))
            .fetch_all(&mut *connection)
            .await?;
        for row in &rows {
            facts.know_nothing_of(&MemoryId::from_stored(row.try_get("changed_id")?));
            if !row.try_get_raw("memory_key")?.is_null() {
                let (of, memory) = MemoryRow::from_row(row)?.into_memory()?;
                if of != *tenant {
                    return Err(StoreError::Impossible("a row of a tenant that was not asked for"));
                }
                facts.know_memory(memory);
            }
        }
    }
    Ok(())
}

fn know_memories(facts: &mut FactsByTenant, rows: Vec<MemoryRow>) -> Result<(), StoreError> {
    for row in rows {
        let (tenant, memory) = row.into_memory()?;
        facts_of(facts, &tenant)?.know_memory(memory);
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
struct KeyedContentRow {
    tenant_id: String,
    memory_key: MemoryKey,
    #[sqlx(flatten)]
    content: ContentRow,
}

/// The memories whose contents a command must know: one that is corrected, and what may have joined a set meanwhile.
fn keys_to_read(command: &Command, facts: &Facts) -> Vec<MemoryKey> {
    if let Body::Update(update) = &command.body {
        // Another command of the batch may have asked for it.
        let memory = facts.memory(&update.memory_id);
        let memory = memory.filter(|memory| command.call.principal.reaches(memory));
        return memory.map(|memory| memory.key).into_iter().collect();
    }
    let sighting = command.sighting().filter(|sighting| sighting.set.is_some());
    let changed = sighting.into_iter().flat_map(|sighting| facts.changed_since(sighting.sequence));
    changed.map(|(memory, _)| memory.key).collect()
}

async fn load_contents(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
) -> Result<(), StoreError> {
    let mut updated: Vec<(&str, MemoryKey)> = Vec::new();
    for command in commands {
        let Some(facts) = facts.get(command.tenant()) else { continue };
        let keys = keys_to_read(command, facts).into_iter();
        updated.extend(keys.map(|key| (command.tenant().as_str(), key)));
    }
    if updated.is_empty() {
        return Ok(());
    }
    let (tenants, keys): (Vec<&str>, Vec<MemoryKey>) = updated.into_iter().unzip();
    let rows: Vec<KeyedContentRow> = sqlx::query_as(include_str!("sql/load_contents.sql"))
        .bind(tenants)
        .bind(keys)
        .fetch_all(connection)
        .await?;
    for row in rows {
        facts_of(facts, &TenantId::from_stored(row.tenant_id))?
            .know_content(row.memory_key, row.content.into_content());
    }
    Ok(())
}

async fn load_graphs(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
) -> Result<(), StoreError> {
    let wanted: BTreeSet<(&str, &str)> = commands
        .iter()
        .flat_map(|command| {
            let graphs = command.graphs().into_iter().filter(|graph| !graph.is_default());
            graphs.map(|graph| (command.tenant().as_str(), graph.as_str()))
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let (tenants, graphs): (Vec<&str>, Vec<&str>) = wanted.into_iter().unzip();
    let rows: Vec<(String, String)> = sqlx::query_as(include_str!("sql/load_graphs.sql"))
        .bind(tenants)
        .bind(graphs)
        .fetch_all(connection)
        .await?;
    for (tenant, graph) in rows {
        facts_of(facts, &TenantId::from_stored(tenant))?.know_graph(GraphId::from_stored(graph));
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
struct RequestRow {
    tenant_id: String,
    principal_id: String,
    request_id: Uuid,
    digest: Vec<u8>,
    answer: sqlx::types::Json<Answer>,
}

async fn load_requests(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
) -> Result<(), StoreError> {
    let named: Vec<(&Command, Uuid)> =
        commands.iter().filter_map(|command| Some((*command, command.call.request.as_ref()?.id.0))).collect();
    if named.is_empty() {
        return Ok(());
    }
    let rows: Vec<RequestRow> = sqlx::query_as(include_str!("sql/load_requests.sql"))
        .bind(named.iter().map(|(command, _)| command.tenant().as_str()).collect::<Vec<_>>())
        .bind(named.iter().map(|(command, _)| command.call.principal.id.as_str()).collect::<Vec<_>>())
        .bind(named.iter().map(|(_, id)| *id).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    for row in rows {
        let request = AnsweredRequest { digest: hash(&row.digest)?, answer: row.answer.0 };
        facts_of(facts, &TenantId::from_stored(row.tenant_id))?.know_request(
            PrincipalId::from_stored(row.principal_id),
            RequestId(row.request_id),
            request,
        );
    }
    Ok(())
}
