//! What a forget of a set would do: its size, a page of it, and the token that binds a forget to it.

use serde::{Deserialize, Serialize};

use super::page::PageRequest;
use super::preview::{Confirm, EXCERPT_CHARS, Preview, PreviewItem};
use super::selection::{Look, Seen, look};
use super::{Failure, Ops, StoredMemory};
use crate::domain::answer::Outcome;
use crate::domain::confirmation::{self, Confirmation};
use crate::domain::forget::{Cause, Mode};
use crate::domain::ids::MemoryKey;
use crate::domain::memory::State;
use crate::domain::principal::Principal;
use crate::domain::refusal::{Refusal, SetCounts};
use crate::domain::selection::Set;
use crate::domain::text;
use crate::storage::read_memories;
use crate::storage::selection::Member;
use crate::storage::tx::Unit;

/// A set to be previewed.
#[derive(Debug, Clone)]
pub struct SetQuery {
    /// Which memories.
    pub set: Set,
    /// How they would be forgotten.
    pub mode: Mode,
    /// Why.
    pub cause: Cause,
    /// SHA-256 of all that decides what becomes of the set: what a token is bound to.
    pub asked: [u8; 32],
    /// Which page.
    pub page: PageRequest,
}

/// Where a page ended: how many memories were shown, and the digest of the set they were of.
#[derive(Serialize, Deserialize)]
struct Position(usize, [u8; 32]);

/// What would become of a memory in this state.
pub(super) fn would_be(state: State, mode: Mode) -> Outcome {
    match (mode, state) {
        (Mode::Hard, _) => Outcome::Erased,
        (Mode::Soft, State::Active) => Outcome::Archived,
        (Mode::Soft, State::Archived | State::Erased) => Outcome::AlreadyForgotten,
    }
}

/// What a forget of what was seen would come to.
pub(super) fn counts(seen: &Seen, mode: Mode) -> SetCounts {
    let count =
        |outcome| seen.members.iter().filter(|member| would_be(member.state, mode) == outcome).count();
    SetCounts {
        matched: seen.members.len(),
        would_archive: count(Outcome::Archived),
        would_erase: count(Outcome::Erased),
        already_forgotten: count(Outcome::AlreadyForgotten),
    }
}

/// The digest of the memories seen, each in its version.
pub(super) fn digest(members: &[Member]) -> [u8; 32] {
    let keyed: Vec<_> = members.iter().map(|member| (member.key, member.version)).collect();
    confirmation::digest(&keyed)
}

impl Ops {
    /// Says what a forget of a set would do, and changes nothing.
    pub async fn preview_set(&self, principal: &Principal, query: SetQuery) -> Result<Preview, Failure> {
        let position: Option<Position> = self.pager.position(principal, &query.page)?;
        let (shown, earlier) = position.map_or((0, None), |Position(shown, earlier)| (shown, Some(earlier)));
        let how = Look { cause: query.cause, until: None, whole: None };
        let (store, caller, set, size) =
            (self.store.clone(), principal.clone(), query.set.clone(), query.page.size);
        // A transaction of the driver must not be cancelled, so it does not hang on the caller's patience.
        let looked = tokio::spawn(async move {
            let mut connection = store.read_connection().await?;
            let mut unit = Unit::begin_snapshot(&mut connection).await?;
            let seen = look(&mut unit, &caller, &set, how).await?;
            let end = shown.saturating_add(size).min(seen.members.len());
            let page = seen.members.get(shown..end).unwrap_or_default();
            let keys: Vec<MemoryKey> = page.iter().map(|member| member.key).collect();
            let memories = read_memories::get_by_keys(unit.connection(), &caller.tenant, &keys).await?;
            unit.rollback().await?;
            Ok::<_, Failure>((seen, memories))
        });
        let (seen, memories) = looked.await.map_err(|_| Failure::Internal)??;
        let digest = digest(&seen.members);
        if earlier.is_some_and(|earlier| earlier != digest) {
            return Err(Failure::Refused(Refusal::SelectionChanged(None)));
        }
        let end = shown + memories.len();
        let next_token = if end < seen.members.len() {
            self.pager.token(principal, &query.page, &Position(end, digest))
        } else {
            String::new()
        };
        let SetCounts { matched, would_archive, would_erase, already_forgotten } = counts(&seen, query.mode);
        let changes = would_archive + would_erase + seen.suppressions > 0;
        Ok(Preview {
            matched,
            would_archive,
            would_erase,
            would_refuse: 0,
            already_forgotten,
            suppressions: seen.suppressions,
            items: memories.into_iter().map(|stored| item(stored, query.mode)).collect(),
            next_token,
            confirm: changes.then(|| self.confirm(principal, &query, &seen, digest)),
        })
    }

    /// The token for a set.
    fn confirm(&self, principal: &Principal, query: &SetQuery, seen: &Seen, set: [u8; 32]) -> Confirm {
        let expire_time = seen.clock + confirmation::LIFE;
        let confirmation = Confirmation { sequence: seen.sequence, expire_time, set };
        let token = self.confirmer.token(principal, &query.asked, &confirmation);
        Confirm { token, expire_time }
    }
}

fn item(stored: StoredMemory, mode: Mode) -> PreviewItem {
    let StoredMemory { memory, content, .. } = stored;
    PreviewItem {
        memory_id: memory.id.to_string(),
        would_be: would_be(memory.state(), mode),
        found: Some((memory, text::excerpt(content.text(), EXCERPT_CHARS))),
        refusal: None,
    }
}
