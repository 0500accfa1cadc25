//! Reading memories: one by its id, or a list.

use serde::{Deserialize, Serialize};

use super::page::{Page, PageRequest};
use super::selection::reach;
use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::filter::Filter;
use crate::domain::ids::{MemoryId, MemoryKey};
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
pub use crate::storage::read_memories::StoredMemory;
use crate::storage::read_memories::{self, MemoryPage};

/// A list of memories to be read. `filter.states` must say which states are wanted.
#[derive(Debug, Clone)]
pub struct ListMemories {
    /// What to list.
    pub filter: Filter,
    /// Which page.
    pub page: PageRequest,
}

/// Where a page of memories ended: the last memory's create time in microseconds, and its key.
#[derive(Serialize, Deserialize)]
struct Position(i64, MemoryKey);

impl Ops {
    /// One memory in reach, archived ones too.
    pub async fn get_memory(&self, principal: &Principal, id: &MemoryId) -> Result<StoredMemory, Failure> {
        let mut connection = self.store.read_connection().await?;
        let stored = read_memories::get_memory(&mut connection, principal, id).await?;
        // Said by the statement already; nothing goes out that the rules themselves do not let out.
        stored
            .filter(|stored| principal.reaches(&stored.memory))
            .ok_or(Failure::Refused(Refusal::MemoryNotFound))
    }

    /// A page of the memories in reach, newest first.
    pub async fn list_memories(
        &self,
        principal: &Principal,
        query: ListMemories,
    ) -> Result<Page<StoredMemory>, Failure> {
        let after = self
            .pager
            .position(principal, &query.page)?
            .and_then(|Position(micros, key)| Some((Timestamp::from_timestamp_micros(micros)?, key)));
        let mut connection = self.store.read_connection().await?;
        if !read_memories::has_graph_of(&mut connection, &principal.tenant, &query.filter).await? {
            return Err(Failure::Refused(Refusal::GraphNotFound));
        }
        let reach = reach(principal, &query.filter);
        let page = MemoryPage {
            agent: reach.agent,
            without_facts: reach.without_facts,
            filter: &query.filter,
            after,
            limit: query.page.size,
        };
        let (stored, more) = read_memories::list_memories(&mut connection, &principal.tenant, &page).await?;
        Ok(self.pager.page(principal, &query.page, stored, more, |last| {
            Position(last.memory.create_time.timestamp_micros(), last.memory.key)
        }))
    }
}
