//! Which memories a set has, on a snapshot.

use futures_util::TryStreamExt;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{FromRow, PgConnection, Row};

use super::codes;
use super::error::StoreError;
use super::read_memories::kinds;
use super::recall::pattern;
use super::rows::MemoryRow;
use crate::domain::Timestamp;
use crate::domain::answer::Kept;
use crate::domain::audit::state_number;
use crate::domain::ids::{AgentId, GraphId, ImportId, MemoryId, MemoryKey, Sequence, SubjectId, TenantId};
use crate::domain::memory::{Memory, State};
use crate::domain::principal::Principal;
use crate::domain::selection::Set;

/// A memory of a set, as far as it matters to the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its key.
    pub key: MemoryKey,
    /// Its label.
    pub id: MemoryId,
    /// The audit sequence of its last change.
    pub version: Sequence,
    /// Its state.
    pub state: State,
    /// When it was created.
    pub create_time: Timestamp,
    /// Whether the words of the set are all that it says.
    pub says_just_that: bool,
    /// All of it but its content, where that was asked for.
    pub whole: Option<Box<Memory>>,
}

impl Member {
    fn of(row: &PgRow, says_just_that: bool, is_whole: bool) -> Result<Self, StoreError> {
        let no_state = StoreError::Impossible("a memory without a state");
        let whole = if is_whole { Some(Box::new(MemoryRow::from_row(row)?.into_memory()?.1)) } else { None };
        Ok(Self {
            key: row.try_get("memory_key")?,
            id: MemoryId::from_stored(row.try_get("memory_id")?),
            version: row.try_get("version")?,
            state: codes::state(row.try_get("state")?)?.ok_or(no_state)?,
            create_time: row.try_get("create_time")?,
            says_just_that,
            whole,
        })
    }
}

/// Whose memories are in reach.
#[derive(Debug, Clone, Copy)]
pub struct Reach<'caller> {
    /// Only this agent's; none: all agents'.
    pub agent: Option<&'caller AgentId>,
    /// Whether settled facts are left out.
    pub without_facts: bool,
}

/// The memories of a set, and how many there are: some of them and those whole, or of all only what tells them apart. Texts
/// are looked at as they come and not kept.
pub async fn members(
    connection: &mut PgConnection,
    tenant: &TenantId,
    reach: Reach<'_>,
    set: &Set,
    whole: Option<usize>,
) -> Result<(Vec<Member>, usize), StoreError> {
    // What was both imported and saved is nothing.
    if let (Some(wanted), Some(meant)) = (set.filter.origin, set.origin())
        && wanted != meant
    {
        return Ok((Vec::new(), 0));
    }
    let words = set.words();
    let statement = match words {
        Some(_) => include_str!("sql/select_members_holding.sql"),
        None => include_str!("sql/select_members.sql"),
    };
    let mut query = bound(sqlx::query(statement), tenant, reach, set);
    if let Some(words) = words {
        query = query.bind(words.pieces().iter().map(|piece| pattern(piece)).collect::<Vec<_>>());
    }
    let mut rows = query.fetch(connection);
    let (mut members, mut count) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        let normalized: Option<&str> = row.try_get("normalized")?;
        let found = words.zip(normalized);
        if words.is_none() || found.is_some_and(|(words, text)| words.finds(text)) {
            let says_just_that = found.is_some_and(|(words, text)| words.is(text));
            count += 1;
            if whole.is_none_or(|most| members.len() < most) {
                members.push(Member::of(&row, says_just_that, whole.is_some())?);
            }
        }
    }
    Ok((members, count))
}

fn bound<'query>(
    query: Query<'query, sqlx::Postgres, PgArguments>,
    tenant: &'query TenantId,
    reach: Reach<'query>,
    set: &'query Set,
) -> Query<'query, sqlx::Postgres, PgArguments> {
    let filter = &set.filter;
    query
        .bind(tenant.as_str())
        .bind(reach.agent.map(AgentId::as_str))
        .bind(filter.subject.as_ref().map(SubjectId::as_str))
        .bind(filter.graph.as_ref().map(GraphId::as_str))
        .bind(filter.date)
        .bind(kinds(filter, reach.without_facts))
        .bind(filter.states.iter().map(|state| state_number(Some(*state))).collect::<Vec<_>>())
        .bind(filter.origin.or(set.origin()).map(codes::origin_code))
        .bind(set.import().map(ImportId::as_str))
        .bind(filter.create_time_from)
        .bind(filter.create_time_to)
}

/// How many contents of these memories a forget would suppress that are not suppressed yet, or not by an administrator
/// when one asks.
pub async fn count_new_suppressions(
    connection: &mut PgConnection,
    tenant: &TenantId,
    members: &[Member],
    by_admin: bool,
) -> Result<usize, StoreError> {
    let count: i64 = sqlx::query_scalar(include_str!("sql/count_new_suppressions.sql"))
        .bind(tenant.as_str())
        .bind(members.iter().map(|member| member.key).collect::<Vec<_>>())
        .bind(by_admin)
        .fetch_one(connection)
        .await?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// How many other active memories in reach say the same of the same subject.
pub async fn count_same_content(
    connection: &mut PgConnection,
    principal: &Principal,
    kept: &[Kept],
) -> Result<usize, StoreError> {
    let count: i64 = sqlx::query_scalar(include_str!("sql/count_same_content.sql"))
        .bind(principal.tenant.as_str())
        .bind(kept.iter().map(|kept| kept.fingerprint.0.to_vec()).collect::<Vec<_>>())
        .bind(kept.iter().map(|kept| kept.key).collect::<Vec<_>>())
        .bind(principal.confined_to().map(AgentId::as_str))
        .fetch_one(connection)
        .await?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The tenant's last change as this snapshot sees it, and the database's clock.
pub async fn snapshot_head(
    connection: &mut PgConnection,
    tenant: &TenantId,
) -> Result<(Sequence, Timestamp), StoreError> {
    let statement = include_str!("sql/snapshot_head.sql");
    Ok(sqlx::query_as(statement).bind(tenant.as_str()).fetch_one(connection).await?)
}

/// Whether an import of this name ever brought anything into reach.
pub async fn import_exists(
    connection: &mut PgConnection,
    tenant: &TenantId,
    reach: Reach<'_>,
    import: &ImportId,
) -> Result<bool, StoreError> {
    Ok(sqlx::query_scalar(include_str!("sql/import_exists.sql"))
        .bind(tenant.as_str())
        .bind(import.as_str())
        .bind(reach.agent.map(AgentId::as_str))
        .bind(kinds(&crate::domain::filter::Filter::default(), reach.without_facts))
        .fetch_one(connection)
        .await?)
}
