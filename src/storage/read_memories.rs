//! Reads of memories.

use futures_util::TryStreamExt;
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

/// A memory as it is stored, with what it says.
#[derive(Debug, Clone)]
pub struct StoredMemory {
    /// The memory.
    pub memory: Memory,
    /// What it says.
    pub content: Content,
    /// Why it was archived, while it is and unless the text was deleted.
    pub forget_reason: Option<Reason>,
}

#[derive(sqlx::FromRow)]
struct StoredMemoryRow {
    #[sqlx(flatten)]
    memory: MemoryRow,
    #[sqlx(flatten)]
    content: ContentRow,
    forget_reason: Option<String>,
}

impl StoredMemoryRow {
    fn into_stored(self) -> Result<StoredMemory, StoreError> {
        Ok(StoredMemory {
            memory: self.memory.into_memory()?.1,
            content: self.content.into_content(),
            forget_reason: self.forget_reason.map(Reason::from_stored),
        })
    }
}

/// One memory that is not past its purge time, whoever owns it.
pub async fn get_memory(
    connection: &mut PgConnection,
    tenant: &TenantId,
    id: &MemoryId,
) -> Result<Option<StoredMemory>, StoreError> {
    let row: Option<StoredMemoryRow> = sqlx::query_as(include_str!("sql/get_memory.sql"))
        .bind(tenant.as_str())
        .bind(id.as_str())
        .fetch_optional(connection)
        .await?;
    row.map(StoredMemoryRow::into_stored).transpose()
}

/// The memories under these labels, whoever owns them, newest first.
pub async fn get_memories(
    connection: &mut PgConnection,
    tenant: &TenantId,
    ids: &[&MemoryId],
) -> Result<Vec<StoredMemory>, StoreError> {
    let rows: Vec<StoredMemoryRow> = sqlx::query_as(include_str!("sql/get_memories.sql"))
        .bind(tenant.as_str())
        .bind(ids.iter().map(|id| id.as_str()).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    rows.into_iter().map(StoredMemoryRow::into_stored).collect()
}

/// Whether anything was ever put into the graph.
pub async fn graph_exists(
    connection: &mut PgConnection,
    tenant: &TenantId,
    graph: &GraphId,
) -> Result<bool, StoreError> {
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

/// How many bytes of text and attachments a page holds, but for a single memory of more: well below what an
/// answer may have.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// A page of memories that are not past their purge time, newest first, and whether there are more. Ends
/// early when the memories are long.
pub async fn list_memories(
    connection: &mut PgConnection,
    tenant: &TenantId,
    page: &MemoryPage<'_>,
) -> Result<(Vec<StoredMemory>, bool), StoreError> {
    let filter = page.filter;
    let statement = match page.agent {
        Some(_) => include_str!("sql/list_memories_of_agent.sql"),
        None => include_str!("sql/list_memories_of_tenant.sql"),
    };
    let (after_time, after_key) = match page.after {
        Some((time, key)) => (time, key),
        None => (Timestamp::MAX_UTC, MemoryKey::MAX),
    };
    let mut rows = sqlx::query_as::<_, StoredMemoryRow>(statement)
        .bind(tenant.as_str())
        .bind(page.agent.map(AgentId::as_str))
        .bind(after_time)
        .bind(after_key)
        .bind(filter.subject.as_ref().map(SubjectId::as_str))
        .bind(filter.graph.as_ref().map(GraphId::as_str))
        .bind(filter.date)
        .bind(kinds(page))
        .bind(filter.states.iter().map(|state| state_number(Some(*state))).collect::<Vec<_>>())
        .bind(filter.origin.map(codes::origin_code))
        .bind(filter.import.as_ref().map(ImportId::as_str))
        .bind(filter.create_time_from)
        .bind(filter.create_time_to)
        // One more than the page holds says whether there are more.
        .bind(i64::try_from(page.limit.saturating_add(1)).unwrap_or(i64::MAX))
        .fetch(connection);
    let mut memories = Vec::new();
    let mut bytes = 0_usize;
    while let Some(row) = rows.try_next().await? {
        let stored = row.into_stored()?;
        bytes = bytes.saturating_add(stored.content.bytes());
        if memories.len() == page.limit || (bytes > PAGE_BYTES && !memories.is_empty()) {
            return Ok((memories, true));
        }
        memories.push(stored);
    }
    Ok((memories, false))
}

fn kinds(page: &MemoryPage<'_>) -> Vec<i16> {
    [Kind::Memory, Kind::Todo, Kind::Ledger, Kind::Fact]
        .into_iter()
        .filter(|kind| page.filter.kinds.is_empty() || page.filter.kinds.contains(kind))
        .filter(|kind| *kind != Kind::Fact || !page.without_facts)
        .map(codes::kind_code)
        .collect()
}
