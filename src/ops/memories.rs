//! Reading memories: one by its id, or a list.

use super::page::{Page, PageRequest};
use super::{Failure, Ops};
use crate::domain::content::Content;
use crate::domain::filter::Filter;
use crate::domain::ids::MemoryId;
use crate::domain::line::Reason;
use crate::domain::memory::Memory;
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
}

/// A list of memories to be read. `filter.states` must say which states are wanted.
#[derive(Debug, Clone)]
pub struct ListMemories {
    /// What to list.
    pub filter: Filter,
    /// Which page.
    pub page: PageRequest,
}

impl Ops {
    /// One memory in reach, archived ones too.
    pub async fn get_memory(&self, _principal: &Principal, _id: &MemoryId) -> Result<StoredMemory, Failure> {
        Err(Failure::Internal)
    }

    /// A page of the memories in reach, newest first.
    pub async fn list_memories(
        &self,
        _principal: &Principal,
        _query: ListMemories,
    ) -> Result<Page<StoredMemory>, Failure> {
        Err(Failure::Internal)
    }
}
