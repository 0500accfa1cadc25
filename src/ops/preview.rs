//! What a forget would do, memory by memory.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::choose::meant;
use super::page::PageRequest;
use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::answer::{MemoryResult, Outcome};
use crate::domain::command::{Command, Target};
use crate::domain::filter::Filter;
use crate::domain::forget::{Cause, ChosenTarget, Mode};
use crate::domain::ids::MemoryId;
use crate::domain::memory::Memory;
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::domain::text;
use crate::lane;
use crate::storage::read_memories::{self, StoredMemory};
use crate::storage::tx::Unit;

/// The most characters of an excerpt.
pub(super) const EXCERPT_CHARS: usize = 160;

/// What is to be previewed.
#[derive(Debug, Clone)]
pub struct PreviewQuery {
    /// Which memories.
    pub selection: PreviewSelection,
    /// What each must meet, else it is not found.
    pub filter: Filter,
    /// How they would be forgotten.
    pub mode: Mode,
    /// Why.
    pub cause: Cause,
    /// Which page.
    pub page: PageRequest,
}

/// Which memories are meant.
#[derive(Debug, Clone)]
pub enum PreviewSelection {
    /// One: its refusal is the call's.
    One(Target),
    /// One that words must mean: the same.
    Words(ChosenTarget),
    /// Several: each has a result of its own.
    Many(Vec<Target>),
}

/// What a forget would do.
#[derive(Clone)]
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
    /// How many contents would be suppressed that are not suppressed yet.
    pub suppressions: usize,
    /// This page: memories newest first, then ids without a memory in request order.
    pub items: Vec<PreviewItem>,
    /// Leads to the next page; empty after the last.
    pub next_token: String,
    /// What a forget of a set takes; none where there is nothing to confirm.
    pub confirm: Option<Confirm>,
}

/// What binds a forget to a set that was previewed.
#[derive(Debug, Clone)]
pub struct Confirm {
    /// The token.
    pub token: String,
    /// Until when it can be used.
    pub expire_time: Timestamp,
}

/// What a forget would do with one id. Never printed: it shows the beginning of a text.
#[derive(Clone)]
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
            PreviewSelection::One(target) => (true, vec![target.clone()]),
            PreviewSelection::Words(words) => {
                let found = self.see_target(principal, words, &query.filter).await?;
                (true, vec![meant(&found.member.id)])
            }
            PreviewSelection::Many(targets) => (false, targets.clone()),
        };
        let (items, suppressions) = self.items(principal, &query, &targets).await?;
        if let (true, Some(refusal)) = (is_single, items.iter().find_map(|item| item.refusal.clone())) {
            return Err(Failure::Refused(refusal));
        }
        let digest = digest(&items);
        let shown = match position {
            Some(Position(_, earlier)) if earlier != digest => {
                return Err(Failure::Refused(Refusal::SelectionChanged(None)));
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
            suppressions,
            items: items.into_iter().skip(shown).take(query.page.size).collect(),
            next_token,
            confirm: None,
        })
    }

    /// What the forget itself would decide, on a snapshot, with the beginning of each text: every id once,
    /// memories newest first, then ids without a memory in request order.
    async fn items(
        &self,
        principal: &Principal,
        query: &PreviewQuery,
        targets: &[Target],
    ) -> Result<(Vec<PreviewItem>, usize), Failure> {
        let mut seen = HashSet::new();
        let once: Vec<Target> =
            targets.iter().filter(|target| seen.insert(target.sent.as_str())).cloned().collect();
        let ids: Vec<MemoryId> = once.iter().filter_map(|target| target.id.clone().ok()).collect();
        let command =
            Command::previewing(principal.clone(), once, query.filter.clone(), query.mode, query.cause);
        let (store, policy, principal) = (self.store.clone(), self.policy, principal.clone());
        // A transaction of the driver must not be cancelled, so it does not hang on the caller's patience.
        let looked_up = tokio::spawn(async move {
            let mut connection = store.read_connection().await?;
            let mut unit = Unit::begin_snapshot(&mut connection).await?;
            let answer = lane::rehearse_on(&mut unit, &command, &policy).await?;
            let memories = read_memories::get_memories(unit.connection(), &principal, &ids).await?;
            unit.rollback().await?;
            Ok::<_, Failure>((answer, memories))
        });
        let (answer, memories) = looked_up.await.map_err(|_| Failure::Internal)??;
        let mut results: HashMap<&str, &MemoryResult> =
            answer.body.results().iter().map(|result| (result.memory_id.as_str(), result)).collect();
        let mut items = Vec::with_capacity(results.len());
        for StoredMemory { memory, content, .. } in memories {
            if let Some(result) = results.get(memory.id.as_str()).filter(|result| result.error.is_none()) {
                let excerpt = text::excerpt(content.text(), EXCERPT_CHARS);
                items.push(PreviewItem {
                    memory_id: result.memory_id.clone(),
                    would_be: result.outcome,
                    found: Some((memory, excerpt)),
                    refusal: None,
                });
            }
        }
        for item in &items {
            results.remove(item.memory_id.as_str());
        }
        items.extend(
            answer
                .body
                .results()
                .iter()
                .filter(|result| results.contains_key(result.memory_id.as_str()))
                .map(|result| PreviewItem {
                    memory_id: result.memory_id.clone(),
                    found: None,
                    would_be: result.outcome,
                    refusal: result.error.clone(),
                }),
        );
        Ok((items, answer.suppressed))
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
