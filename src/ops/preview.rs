//! What a forget would do, memory by memory.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::page::PageRequest;
use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::answer::Outcome;
use crate::domain::command::{Mode, Target};
use crate::domain::filter::Filter;
use crate::domain::ids::{IdFault, MemoryId};
use crate::domain::memory::{Lifecycle, Memory};
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::domain::text;
use crate::storage::read_memories::{self, StoredMemory};
use crate::storage::tx::Unit;
use crate::storage::{StoreError, heads};

/// The most characters of an excerpt.
const EXCERPT_CHARS: usize = 160;

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

/// Where a page ended: how many items were shown, and the digest of the set they were of.
#[derive(Serialize, Deserialize)]
struct Position(usize, [u8; 32]);

impl Ops {
    /// Says what a forget would do with each memory, and changes nothing.
    pub async fn preview(&self, principal: &Principal, query: PreviewQuery) -> Result<Preview, Failure> {
        let position: Option<Position> = self.pager.position(principal, &query.page)?;
        let (is_single, targets) = match &query.selection {
            PreviewSelection::One(target) => (true, std::slice::from_ref(target)),
            PreviewSelection::Many(targets) => (false, targets.as_slice()),
        };
        let facts = self.look_up(principal, targets, &query.filter).await?;
        let items = items(principal, &query, targets, facts);
        if let (true, Some(refusal)) = (is_single, items.iter().find_map(|item| item.refusal.clone())) {
            return Err(Failure::Refused(refusal));
        }
        let digest = digest(&items);
        let shown = match position {
            Some(Position(_, earlier)) if earlier != digest => {
                return Err(Failure::Refused(Refusal::SelectionChanged));
            }
            Some(Position(shown, _)) => shown,
            None => 0,
        };
        let count = |outcome| items.iter().filter(|item| item.would_be == outcome).count();
        let end = shown.saturating_add(query.page.size).min(items.len());
        let next_token = if end < items.len() {
            self.pager.token(principal, &query.page, &Position(end, digest))
        } else {
            String::new()
        };
        Ok(Preview {
            matched: items.iter().filter(|item| item.found.is_some()).count(),
            would_archive: count(Outcome::Archived),
            would_erase: count(Outcome::Erased),
            would_refuse: count(Outcome::Refused),
            already_forgotten: count(Outcome::AlreadyForgotten),
            items: items.into_iter().skip(shown).take(query.page.size).collect(),
            next_token,
        })
    }

    async fn look_up(
        &self,
        principal: &Principal,
        targets: &[Target],
        filter: &Filter,
    ) -> Result<Facts, StoreError> {
        let ids: Vec<&MemoryId> = targets.iter().filter_map(|target| target.id.as_ref().ok()).collect();
        let mut connection = self.store.read_connection().await?;
        let mut unit = Unit::begin_snapshot(&mut connection).await?;
        let head = heads::read_head(unit.connection(), &principal.tenant).await?;
        let clock = heads::read_clock(unit.connection()).await?;
        let graph_missing = match filter.graph.as_ref().filter(|graph| !graph.is_default()) {
            Some(graph) => !read_memories::graph_exists(unit.connection(), &principal.tenant, graph).await?,
            None => false,
        };
        let memories = read_memories::get_memories(unit.connection(), &principal.tenant, &ids).await?;
        unit.rollback().await?;
        Ok(Facts { now: head.time_of_decision(clock), graph_missing, memories })
    }
}

struct Facts {
    now: Timestamp,
    graph_missing: bool,
    /// Newest first.
    memories: Vec<StoredMemory>,
}

/// Every id once: memories newest first, then ids without a memory in request order.
fn items(principal: &Principal, query: &PreviewQuery, targets: &[Target], facts: Facts) -> Vec<PreviewItem> {
    let is_meant = |memory: &Memory| {
        !facts.graph_missing
            && principal.reaches(memory)
            && query.filter.admits(memory)
            && !memory.is_due(facts.now)
    };
    let mut sent: HashMap<&MemoryId, &str> = HashMap::new();
    for target in targets {
        if let Ok(id) = &target.id {
            sent.entry(id).or_insert(&target.sent);
        }
    }
    let mut items = Vec::with_capacity(targets.len());
    for StoredMemory { memory, content, .. } in facts.memories {
        if is_meant(&memory)
            && let Some(sent) = sent.remove(&memory.id)
        {
            let excerpt = text::excerpt(content.text(), EXCERPT_CHARS);
            let would_be = would_be(query.mode, &memory);
            let found = Some((memory, excerpt));
            items.push(PreviewItem { memory_id: sent.to_owned(), found, would_be, refusal: None });
        }
    }
    let mut seen: HashSet<&str> = HashSet::new();
    for target in targets {
        let refusal = match &target.id {
            Ok(id) if !sent.contains_key(id) => continue,
            Ok(_) if facts.graph_missing => Refusal::GraphNotFound,
            Ok(_) => Refusal::MemoryNotFound,
            Err(fault) => ill_formed(target, *fault),
        };
        if seen.insert(&target.sent) {
            let would_be =
                if refusal == Refusal::MemoryNotFound { Outcome::NotFound } else { Outcome::Refused };
            let memory_id = target.sent.clone();
            items.push(PreviewItem { memory_id, found: None, would_be, refusal: Some(refusal) });
        }
    }
    items
}

fn ill_formed(target: &Target, fault: IdFault) -> Refusal {
    Refusal::field(&target.field, fault.to_string())
}

fn would_be(mode: Mode, memory: &Memory) -> Outcome {
    match (mode, &memory.lifecycle) {
        (Mode::Soft, Lifecycle::Active) => Outcome::Archived,
        (Mode::Soft, Lifecycle::Archived(_)) => Outcome::AlreadyForgotten,
        (Mode::Hard, _) => Outcome::Erased,
    }
}

/// Which memories in which versions, and which ids without one: what a later page must find again.
fn digest(items: &[PreviewItem]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for item in items {
        hasher.update(u64::try_from(item.memory_id.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(item.memory_id.as_bytes());
        hasher.update(item.found.as_ref().map_or(0, |(memory, _)| memory.version).to_be_bytes());
    }
    hasher.finalize().into()
}
