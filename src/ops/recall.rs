//! Recall: the memories that hold what is looked for.

use serde::{Deserialize, Serialize};

use super::page::{Page, PageRequest};
use super::selection::reach;
use super::{Failure, Ops, StoredMemory};
use crate::domain::Timestamp;
use crate::domain::filter::Filter;
use crate::domain::ids::MemoryKey;
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::domain::text::Query;
use crate::storage::read_memories;
use crate::storage::recall::{self, Rank, Recall};
use crate::storage::tx::Unit;

/// What is to be recalled.
#[derive(Debug, Clone)]
pub struct RecallQuery {
    /// The words to look for.
    pub query: Query,
    /// What memories must meet; its states say nothing here.
    pub filter: Filter,
    /// Which page.
    pub page: PageRequest,
}

/// Where a page ended: the rank of its last memory, its time in microseconds.
#[derive(Serialize, Deserialize)]
struct Position(usize, i64, MemoryKey);

impl Ops {
    /// A page of the active memories in reach that hold a piece of the query: those that hold more first, then the newer.
    pub async fn recall(
        &self,
        principal: &Principal,
        query: RecallQuery,
    ) -> Result<Page<StoredMemory>, Failure> {
        let after = self.pager.position(principal, &query.page)?.and_then(|Position(held, micros, key)| {
            Some(Rank { held, create_time: Timestamp::from_timestamp_micros(micros)?, key })
        });
        let (store, caller, page) = (self.store.clone(), principal.clone(), query.page.clone());
        // A transaction of the driver must not be cancelled, so it does not hang on the caller's patience.
        let looked_up = tokio::spawn(async move {
            let mut connection = store.read_connection().await?;
            let mut unit = Unit::begin_snapshot(&mut connection).await?;
            let found = find(&mut unit, &caller, &query, after).await;
            unit.rollback().await?;
            found
        });
        let (ranks, memories) = looked_up.await.map_err(|_| Failure::Internal)??;
        let more = ranks.len() > memories.len();
        let last = memories.len().checked_sub(1).and_then(|last| ranks.get(last).copied());
        Ok(self.pager.page(principal, &page, memories, more, |memory: &StoredMemory| {
            let held = last.map_or(0, |rank| rank.held);
            Position(held, memory.memory.create_time.timestamp_micros(), memory.memory.key)
        }))
    }
}

/// The ranks of a page and one more, and as many of their memories as a page can carry.
async fn find(
    unit: &mut Unit<'_>,
    principal: &Principal,
    query: &RecallQuery,
    after: Option<Rank>,
) -> Result<(Vec<Rank>, Vec<StoredMemory>), Failure> {
    if !read_memories::has_graph_of(unit.connection(), &principal.tenant, &query.filter).await? {
        return Err(Failure::Refused(Refusal::GraphNotFound));
    }
    let reach = reach(principal, &query.filter);
    let recall = Recall {
        query: &query.query,
        agent: reach.agent,
        without_facts: reach.without_facts,
        filter: &query.filter,
        among: None,
        after,
        limit: query.page.size + 1,
    };
    let ranks = recall::best(unit.connection(), &principal.tenant, &recall).await?;
    let shown = ranks.get(..query.page.size).unwrap_or(&ranks);
    let keys: Vec<MemoryKey> = shown.iter().map(|rank| rank.key).collect();
    let memories = read_memories::get_by_keys(unit.connection(), &principal.tenant, &keys).await?;
    Ok((ranks, memories))
}
