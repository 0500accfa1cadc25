//! Which memories hold what is looked for, best first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use futures_util::TryStreamExt;
use sqlx::PgConnection;

use super::codes;
use super::error::StoreError;
use super::read_memories::kinds;
use crate::domain::Timestamp;
use crate::domain::filter::Filter;
use crate::domain::ids::{AgentId, GraphId, MemoryKey, SubjectId, TenantId};
use crate::domain::text::Query;

/// Where a memory stands among those found; more is further ahead: first how many pieces it holds, then how new it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// How many of the query's pieces it holds.
    pub held: usize,
    /// When it was created.
    pub create_time: Timestamp,
    /// Its key.
    pub key: MemoryKey,
}

/// What is looked for, and where.
#[derive(Debug)]
pub struct Recall<'query> {
    /// The words.
    pub query: &'query Query,
    /// Whose memories; none: all agents'.
    pub agent: Option<&'query AgentId>,
    /// Whether settled facts are left out.
    pub without_facts: bool,
    /// What they must meet. Its states say nothing here: only active memories are recalled.
    pub filter: &'query Filter,
    /// Only among these memories; none: among all.
    pub among: Option<&'query [MemoryKey]>,
    /// Only what ranks behind this.
    pub after: Option<Rank>,
    /// How many at most.
    pub limit: usize,
}

/// The best of the active memories that hold a piece of the query, best first. The texts are looked at as they come and not
/// kept: it takes the memory of a page, however many there are.
pub async fn best(
    connection: &mut PgConnection,
    tenant: &TenantId,
    recall: &Recall<'_>,
) -> Result<Vec<Rank>, StoreError> {
    let filter = recall.filter;
    let patterns: Vec<String> = recall.query.pieces().iter().map(|piece| pattern(piece)).collect();
    let mut candidates =
        sqlx::query_as::<_, (MemoryKey, Timestamp, String)>(include_str!("sql/recall_candidates.sql"))
            .bind(tenant.as_str())
            .bind(recall.agent.map(AgentId::as_str))
            .bind(patterns)
            .bind(filter.subject.as_ref().map(SubjectId::as_str))
            .bind(filter.graph.as_ref().map(GraphId::as_str))
            .bind(filter.date)
            .bind(kinds(filter, recall.without_facts))
            .bind(filter.origin.map(codes::origin_code))
            .bind(filter.create_time_from)
            .bind(filter.create_time_to)
            .bind(recall.among)
            .fetch(connection);
    let mut best = BinaryHeap::with_capacity(recall.limit + 1);
    while let Some((key, create_time, normalized)) = candidates.try_next().await? {
        let rank = Rank { held: recall.query.held_by(&normalized), create_time, key };
        if rank.held > 0 && recall.after.is_none_or(|after| rank < after) {
            best.push(Reverse(rank));
            if best.len() > recall.limit {
                best.pop();
            }
        }
    }
    // The reverse of ascending order of the reversed.
    Ok(best.into_sorted_vec().into_iter().map(|Reverse(rank)| rank).collect())
}

/// A pattern of LIKE for texts that hold the piece; whatever is special in patterns stands for itself.
pub(super) fn pattern(piece: &str) -> String {
    let mut pattern = String::with_capacity(piece.len() + 2);
    pattern.push('%');
    for character in piece.chars() {
        if matches!(character, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
