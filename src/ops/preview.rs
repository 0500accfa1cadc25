//! What a forget would do, memory by memory.

use super::page::PageRequest;
use crate::domain::answer::Outcome;
use crate::domain::command::{Mode, Target};
use crate::domain::filter::Filter;
use crate::domain::memory::Memory;
use crate::domain::refusal::Refusal;

/// The most characters of an excerpt.
pub const EXCERPT_CHARS: usize = 160;

/// What is to be previewed.
#[derive(Debug, Clone)]
pub struct PreviewQuery {
    /// Which memories.
    pub selection: PreviewSelection,
    /// What each must meet, else it is not found.
    pub filter: Filter,
    /// How they would be forgotten.
    pub mode: Mode,
    /// Which page.
    pub page: PageRequest,
}

/// Which memories are meant.
#[derive(Debug, Clone)]
pub enum PreviewSelection {
    /// One: its refusal is the call's.
    One(Target),
    /// Several: each has a result of its own.
    Many(Vec<Target>),
}

/// What a forget would do.
#[derive(Debug, Clone)]
pub struct Preview {
    /// How many memories were found.
    pub matched: usize,
    /// How many would be archived.
    pub would_archive: usize,
    /// How many would be erased.
    pub would_erase: usize,
    /// How many ids would be refused.
    pub would_refuse: usize,
    /// How many are forgotten already.
    pub already_forgotten: usize,
    /// This page: memories newest first, then ids without a memory in request order.
    pub items: Vec<PreviewItem>,
    /// Leads to the next page; empty after the last.
    pub next_token: String,
}

/// What a forget would do with one id.
#[derive(Debug, Clone)]
pub struct PreviewItem {
    /// The id as the caller sent it.
    pub memory_id: String,
    /// The memory and the beginning of its text, where it was found.
    pub found: Option<(Memory, String)>,
    /// What would become of it.
    pub would_be: Outcome,
    /// Why not, with `NotFound` and `Refused`.
    pub refusal: Option<Refusal>,
}

impl super::Ops {
    /// What a forget would do.
    pub async fn preview(&self, _principal: &crate::domain::principal::Principal, _query: PreviewQuery) -> Result<Preview, super::Failure> {
        Err(super::Failure::Internal)
    }
}
