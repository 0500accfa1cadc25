//! Finding out which memories a set has, or which one words mean.

use super::{Failure, Ops};
use crate::domain::Timestamp;
use crate::domain::filter::Filter;
use crate::domain::forget::{Cause, ChosenTarget};
use crate::domain::ids::Sequence;
use crate::domain::memory::Memory;
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;
use crate::domain::selection::Set;
use crate::storage::read_memories;
use crate::storage::selection::{self, Member, Reach};
use crate::storage::tx::Unit;

/// The most candidates that are named where words mean several memories.
const CANDIDATES: usize = 20;

/// The most memories that words of a target are looked for in one by one: with more it is ambiguous anyway, unless one of
/// these says just that.
const MOST_FOR_A_TARGET: usize = 10_000;

/// A set as it was at one moment.
#[derive(Debug)]
pub(super) struct Seen {
    /// The tenant's last change by then.
    pub(super) sequence: Sequence,
    /// The database's clock then.
    pub(super) clock: Timestamp,
    /// The memories, newest first; not all of them where there are more than were asked for.
    pub(super) members: Vec<Member>,
    /// How many there are.
    pub(super) count: usize,
    /// How many contents a forget would suppress that are not suppressed yet.
    pub(super) suppressions: usize,
}

/// The one memory that was meant, as it was at one moment.
#[derive(Debug)]
pub(super) struct SeenTarget {
    /// The tenant's last change by then.
    pub(super) sequence: Sequence,
    /// The memory, in its version.
    pub(super) member: Memory,
    /// Whether it was found by what it says.
    pub(super) by_text: bool,
}

/// What this caller reaches.
pub(super) fn reach<'caller>(principal: &'caller Principal, filter: &'caller Filter) -> Reach<'caller> {
    Reach {
        agent: if principal.is_admin() { filter.agent.as_ref() } else { Some(&principal.agent) },
        without_facts: !principal.is_admin(),
    }
}

/// How a set is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Why it would be forgotten.
    pub(super) cause: Cause,
    /// Until when it is to be looked at.
    pub(super) until: Option<Timestamp>,
    /// How many memories are wanted, and those whole; none: all, and only what tells them apart.
    pub(super) whole: Option<usize>,
}

/// Looks at a set on a snapshot, unless the time for it is over.
pub(super) async fn look(
    unit: &mut Unit<'_>,
    principal: &Principal,
    set: &Set,
    how: Look,
) -> Result<Seen, Failure> {
    let Look { cause, until, whole } = how;
    let tenant = &principal.tenant;
    let connection = unit.connection();
    let (sequence, clock) = selection::snapshot_head(connection, tenant).await?;
    if until.is_some_and(|until| clock >= until) {
        return Err(Failure::Refused(Refusal::ConfirmationExpired));
    }
    if !read_memories::has_graph_of(connection, tenant, &set.filter).await? {
        return Err(Failure::Refused(Refusal::GraphNotFound));
    }
    let (mut members, count) =
        selection::members(connection, tenant, reach(principal, &set.filter), set, whole).await?;
    let unfiltered = Filter::default();
    if let Some(import) = set.import().filter(|_| count == 0)
        && !selection::import_exists(connection, tenant, reach(principal, &unfiltered), import).await?
    {
        return Err(Failure::Refused(Refusal::ImportNotFound));
    }
    let suppressions = match cause {
        Cause::UserRequest if members.len() == count => {
            selection::count_new_suppressions(connection, tenant, &members, principal.is_admin()).await?
        }
        Cause::UserRequest | Cause::Correction => 0,
    };
    members.sort_unstable_by_key(|member| std::cmp::Reverse((member.create_time, member.key)));
    Ok(Seen { sequence, clock, members, count, suppressions })
}

/// Finds the one memory that is meant: by its id, else by all that it says, else by words that it holds.
async fn find(
    unit: &mut Unit<'_>,
    principal: &Principal,
    target: &ChosenTarget,
    filter: &Filter,
) -> Result<SeenTarget, Failure> {
    if let Some(id) = &target.id {
        let (sequence, _) = selection::snapshot_head(unit.connection(), &principal.tenant).await?;
        // An id in reach is meant as such, whatever its memory says; the filter then asserts, as with memory_id.
        if let Some(stored) = read_memories::get_memory(unit.connection(), principal, id).await? {
            let meant = Some(stored.memory).filter(|memory| filter.admits(memory));
            let member = meant.ok_or(Failure::Refused(Refusal::MemoryNotFound))?;
            return Ok(SeenTarget { sequence, member, by_text: false });
        }
    }
    let how = Look { cause: Cause::Correction, until: None, whole: Some(MOST_FOR_A_TARGET) };
    let Seen { sequence, mut members, mut count, .. } = look(unit, principal, &target.by_text, how).await?;
    if members.iter().any(|member| member.says_just_that) {
        members.retain(|member| member.says_just_that);
        count = members.len();
    }
    match members.as_slice() {
        [] => Err(Failure::Refused(Refusal::MemoryNotFound)),
        [Member { whole: Some(member), .. }] => {
            Ok(SeenTarget { sequence, member: (**member).clone(), by_text: true })
        }
        several => Err(Failure::Refused(Refusal::AmbiguousTarget {
            candidates: several.iter().take(CANDIDATES).map(|member| member.id.clone()).collect(),
            count,
        })),
    }
}

impl Ops {
    /// Looks at a set on a snapshot of its own.
    pub(super) async fn see(&self, principal: &Principal, set: &Set, how: Look) -> Result<Seen, Failure> {
        let (store, principal, set) = (self.store.clone(), principal.clone(), set.clone());
        // A transaction of the driver must not be cancelled, so it does not hang on the caller's patience.
        let looked = tokio::spawn(async move {
            let mut connection = store.read_connection().await?;
            let mut unit = Unit::begin_snapshot(&mut connection).await?;
            let seen = look(&mut unit, &principal, &set, how).await;
            unit.rollback().await?;
            seen
        });
        looked.await.map_err(|_| Failure::Internal)?
    }

    /// Finds the one memory that is meant, on a snapshot of its own.
    pub(super) async fn see_target(
        &self,
        principal: &Principal,
        target: &ChosenTarget,
        filter: &Filter,
    ) -> Result<SeenTarget, Failure> {
        let (store, principal, target, filter) =
            (self.store.clone(), principal.clone(), target.clone(), filter.clone());
        // A transaction of the driver must not be cancelled, so it does not hang on the caller's patience.
        let looked = tokio::spawn(async move {
            let mut connection = store.read_connection().await?;
            let mut unit = Unit::begin_snapshot(&mut connection).await?;
            let found = find(&mut unit, &principal, &target, &filter).await;
            unit.rollback().await?;
            found
        });
        looked.await.map_err(|_| Failure::Internal)?
    }
}
