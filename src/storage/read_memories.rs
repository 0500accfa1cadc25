//! Reads of memories.

use std::collections::HashMap;

use sqlx::PgConnection;

use super::codes;
use super::error::StoreError;
use super::rows::{ContentRow, MemoryRow};
use crate::domain::Timestamp;
use crate::domain::audit::state_number;
use crate::domain::content::Content;
use crate::domain::filter::Filter;
use crate::domain::ids::{AgentId, GraphId, ImportId, MemoryId, MemoryKey, SubjectId, TenantId};
use crate::domain::line::Reason;
use crate::domain::memory::{Kind, Memory};
use crate::domain::principal::Principal;

/// A memory as it is stored, with what it says.
#[derive(Debug, Clone)]
pub struct StoredMemory {
    /// The memory.
    pub memory: Memory,
    /// What it says.
    pub content: Content,
    /// Why it was archived, while it is and unless the text was deleted.
    pub forget_reason: Option<Reason>,
    /// Whether it is hidden from recall by a suppression that stands.
    pub suppressed: bool,
}

#[derive(sqlx::FromRow)]
struct StoredMemoryRow {
    #[sqlx(flatten)]
    memory: MemoryRow,
    #[sqlx(flatten)]
    content: ContentRow,
    forget_reason: Option<String>,
    suppressed: bool,
}

impl StoredMemoryRow {
    fn into_stored(self) -> Result<StoredMemory, StoreError> {
        Ok(StoredMemory {
            memory: self.memory.into_memory()?.1,
            content: self.content.into_content(),
            forget_reason: self.forget_reason.map(Reason::from_stored),
            suppressed: self.suppressed,
        })
    }
}

/// One memory in reach that is not past its purge time.
pub async fn get_memory(
    connection: &mut PgConnection,
    principal: &Principal,
    id: &MemoryId,
) -> Result<Option<StoredMemory>, StoreError> {
    let row: Option<StoredMemoryRow> = sqlx::query_as(include_str!("sql/get_memory.sql"))
        .bind(principal.tenant.as_str())
        .bind(id.as_str())
        .bind(principal.confined_to().map(AgentId::as_str))
        .fetch_optional(connection)
        .await?;
    row.map(StoredMemoryRow::into_stored).transpose()
}

/// The memories in reach under these labels, newest first.
pub async fn get_memories(
    connection: &mut PgConnection,
    principal: &Principal,
    ids: &[MemoryId],
) -> Result<Vec<StoredMemory>, StoreError> {
    let rows: Vec<StoredMemoryRow> = sqlx::query_as(include_str!("sql/get_memories.sql"))
        .bind(principal.tenant.as_str())
        .bind(ids.iter().map(MemoryId::as_str).collect::<Vec<_>>())
        .bind(principal.confined_to().map(AgentId::as_str))
        .fetch_all(connection)
        .await?;
    rows.into_iter().map(StoredMemoryRow::into_stored).collect()
}

/// The memories with these keys in the order of the keys, as many as a page can carry.
pub async fn get_by_keys(
    connection: &mut PgConnection,
    tenant: &TenantId,
    keys: &[MemoryKey],
) -> Result<Vec<StoredMemory>, StoreError> {
    let mut memories = Vec::with_capacity(keys.len());
    let mut bytes = 0_usize;
    // Some at a time, so that the database never sends much more than the page holds.
    for chunk in keys.chunks(CHUNK) {
        let rows: Vec<StoredMemoryRow> = sqlx::query_as(include_str!("sql/get_memories_by_key.sql"))
            .bind(tenant.as_str())
            .bind(chunk)
            .fetch_all(&mut *connection)
            .await?;
        let mut found = HashMap::with_capacity(rows.len());
        for row in rows {
            let stored = row.into_stored()?;
            if found.insert(stored.memory.key, stored).is_some() {
                return Err(StoreError::Impossible("a key that two memories have"));
            }
        }
        for stored in chunk.iter().filter_map(|key| found.remove(key)) {
            bytes = bytes.saturating_add(stored.content.bytes());
            if bytes > PAGE_BYTES && !memories.is_empty() {
                return Ok(memories);
            }
            memories.push(stored);
        }
    }
    Ok(memories)
}

/// Whether the graph that a filter names, if it names one, is there: every tenant has the default one, and any other into which
/// something was ever put.
pub async fn has_graph_of(
    connection: &mut PgConnection,
    tenant: &TenantId,
    filter: &Filter,
) -> Result<bool, StoreError> {
    let Some(graph) = filter.graph.as_ref().filter(|graph| !graph.is_default()) else { return Ok(true) };
    Ok(sqlx::query_scalar(include_str!("sql/graph_exists.sql"))
        .bind(tenant.as_str())
        .bind(graph.as_str())
        .fetch_one(connection)
        .await?)
}

/// A page of a list of memories.
#[derive(Debug)]
pub struct MemoryPage<'query> {
    /// Whose memories; none: all agents'.
    pub agent: Option<&'query AgentId>,
    /// Whether settled facts are left out.
    pub without_facts: bool,
    /// What they must meet; its states must be named.
    pub filter: &'query Filter,
    /// Only what comes after this memory.
    pub after: Option<(Timestamp, MemoryKey)>,
    /// How many at most.
    pub limit: usize,
}

/// How many bytes of text and attachments a page holds: with all the rest well below 4 MiB, which is what gRPC
/// clients take unless told otherwise.
const PAGE_BYTES: usize = 3 * 1024 * 1024;
/// How many memories are read at a time.
const CHUNK: usize = 100;

/// A page of memories that are not past their purge time, newest first, and whether there are more. Ends
/// early when the memories are long.
pub async fn list_memories(
    connection: &mut PgConnection,
    tenant: &TenantId,
    page: &MemoryPage<'_>,
) -> Result<(Vec<StoredMemory>, bool), StoreError> {
    let mut memories: Vec<StoredMemory> = Vec::new();
    let mut after = page.after;
    let mut bytes = 0_usize;
    // Some at a time, so that the database never sends much more than the page holds. One more than the page
    // holds says whether there are more.
    loop {
        let wanted = (page.limit + 1 - memories.len()).min(CHUNK);
        let rows = list_chunk(connection, tenant, page, after, wanted).await?;
        let is_last = rows.len() < wanted;
        for stored in rows {
            bytes = bytes.saturating_add(stored.content.bytes());
            if memories.len() == page.limit || (bytes > PAGE_BYTES && !memories.is_empty()) {
                return Ok((memories, true));
            }
            after = Some((stored.memory.create_time, stored.memory.key));
            memories.push(stored);
        }
        if is_last {
            return Ok((memories, false));
        }
    }
}

async fn list_chunk(
    connection: &mut PgConnection,
    tenant: &TenantId,
    page: &MemoryPage<'_>,
    after: Option<(Timestamp, MemoryKey)>,
    limit: usize,
) -> Result<Vec<StoredMemory>, StoreError> {
    let filter = page.filter;
    let statement = match page.agent {
        Some(_) => include_str!("sql/list_memories_of_agent.sql"),
        None => include_str!("sql/list_memories_of_tenant.sql"),
    };
    let (after_time, after_key) = after.unwrap_or((Timestamp::MAX_UTC, MemoryKey::MAX));
    let rows: Vec<StoredMemoryRow> = sqlx::query_as(statement)
        .bind(tenant.as_str())
        .bind(page.agent.map(AgentId::as_str))
        .bind(after_time)
        .bind(after_key)
        .bind(filter.subject.as_ref().map(SubjectId::as_str))
        .bind(filter.graph.as_ref().map(GraphId::as_str))
        .bind(filter.date)
        .bind(kinds(filter, page.without_facts))
        .bind(filter.states.iter().map(|state| state_number(Some(*state))).collect::<Vec<_>>())
        .bind(filter.origin.map(codes::origin_code))
        .bind(filter.import.as_ref().map(ImportId::as_str))
        .bind(filter.create_time_from)
        .bind(filter.create_time_to)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    rows.into_iter().map(StoredMemoryRow::into_stored).collect()
}

/// The kinds that a filter admits, by number.
pub(super) fn kinds(filter: &Filter, without_facts: bool) -> Vec<i16> {
    [Kind::Memory, Kind::Todo, Kind::Ledger, Kind::Fact]
        .into_iter()
        .filter(|kind| filter.kinds.is_empty() || filter.kinds.contains(kind))
        .filter(|kind| *kind != Kind::Fact || !without_facts)
        .map(codes::kind_code)
        .collect()
}
