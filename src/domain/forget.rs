//! A forget as it is asked for: which memories, how, and why.

use super::command::Target;
use super::confirmation::Token;
use super::facts::Facts;
use super::filter::Filter;
use super::ids::{Etag, MemoryId, Sequence};
use super::memory::Memory;
use super::principal::Principal;
use super::refusal::Refusal;
use super::selection::Set;

/// How a memory is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Archived: restorable until its purge time.
    Soft,
    /// Erased: gone for good.
    Hard,
}

/// Why a memory is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It is wrong or of no more use. The same may be learnt again.
    Correction,
    /// Somebody asked not to hear of it again: the same content about the same subject is suppressed.
    UserRequest,
}

/// A forget of a set of one or many.
#[derive(Debug, Clone)]
pub struct Forget {
    /// How the memories were named.
    pub named: Named,
    /// The memories: in request order, or those of a set by id.
    pub targets: Vec<Target>,
    /// What each must meet, else it is not found.
    pub filter: Filter,
    /// How.
    pub mode: Mode,
    /// Why.
    pub cause: Cause,
    /// The version the caller saw; with a single memory only.
    pub etag: Option<Etag>,
    /// Whether a memory's refusal is the call's (a single memory) or its own (a list).
    pub single: bool,
    /// Whether words of the memories are kept, by which to ask afterwards whether they are still recalled.
    pub verify: bool,
}

/// How the memories of a forget were named.
#[derive(Debug, Clone)]
pub enum Named {
    /// By their ids: the targets.
    ById,
    /// Otherwise, and nobody has looked yet which memories are meant.
    Unseen(Box<Choice>),
    /// Otherwise, and what was seen when somebody looked, outside the lock: the targets.
    Seen(Box<Choice>, Box<Sighting>),
}

/// How memories are named that are not named by their ids.
#[derive(Debug, Clone)]
pub enum Choice {
    /// As a set.
    Set(ChosenSet),
    /// By words, which must mean one memory.
    Target(ChosenTarget),
}

/// A set, and the proof that somebody has seen it.
#[derive(Debug, Clone)]
pub struct ChosenSet {
    /// The set.
    pub set: Set,
    /// SHA-256 of all that decides what becomes of it: what a token is bound to.
    pub asked: [u8; 32],
    /// The token of its preview, if one was given.
    pub token: Option<Token>,
}

/// An id or words that must mean one memory.
#[derive(Debug, Clone)]
pub struct ChosenTarget {
    /// As an id, where it has the form of one.
    pub id: Option<MemoryId>,
    /// As words: the active memories that hold them, unless the filter names other states.
    pub by_text: Set,
}

/// What was seen of a choice at one moment outside the lock. Under the lock only what changed since is looked at again.
#[derive(Debug, Clone)]
pub struct Sighting {
    /// The tenant's last change by then.
    pub sequence: Sequence,
    /// The set whose memories were looked for; none where one was found by its id.
    pub set: Option<Set>,
    /// The memories meant, those of the targets, as they were.
    pub members: Vec<Memory>,
    /// The id that a target has the form of, where its memory was found by text: nothing may be in reach under it.
    pub vacant: Option<MemoryId>,
    /// What the call is refused with by what was seen, if it is.
    pub refusal: Option<Refusal>,
}

impl Sighting {
    /// Whether what was seen is still so: its memories are as they were, and no other one has joined them.
    pub fn still_holds(&self, principal: &Principal, facts: &Facts) -> bool {
        let is_as_seen = |seen: &Memory| {
            facts.memory(&seen.id).is_some_and(|memory| {
                memory.key == seen.key && memory.version == seen.version && principal.reaches(memory)
            })
        };
        if !self.members.iter().all(is_as_seen) {
            return false;
        }
        let is_taken = |id: &MemoryId| {
            let is_member = self.members.iter().any(|seen| seen.id == *id);
            !is_member && facts.memory(id).is_some_and(|memory| principal.reaches(memory))
        };
        if self.vacant.as_ref().is_some_and(is_taken) {
            return false;
        }
        let Some(set) = &self.set else { return true };
        // A member in a later version than the one that was seen was found out above.
        facts.changed_since(self.sequence).all(|(memory, content)| {
            // Without its text nothing is certain, so it is looked at again.
            let normalized = content.map(super::content::Content::normalized);
            !(normalized.is_none_or(|text| set.holds(principal, memory, text)))
        })
    }
}
