//! Sets of memories, named by what they hold or how they came.

use super::filter::Filter;
use super::ids::ImportId;
use super::memory::{Memory, Origin};
use super::principal::Principal;
use super::text::Query;

/// What makes a memory part of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// It holds these words, all of them.
    Match(Query),
    /// This import brought it.
    Import(ImportId),
    /// It is of this sort.
    Scope(Scope),
}

/// A sort of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those that came by an import.
    Imports,
    /// Those that were saved one by one.
    Saved,
    /// All.
    All,
}

/// A set: a selection within a caller's reach, narrowed by a filter whose states are named.
#[derive(Debug, Clone)]
pub struct Set {
    /// What makes a memory part of it.
    pub selection: Selection,
    /// What its memories must meet.
    pub filter: Filter,
}

impl Set {
    /// The words that the text of its memories must hold; none: whatever they say.
    pub fn words(&self) -> Option<&Query> {
        match &self.selection {
            Selection::Match(query) => Some(query),
            Selection::Import(_) | Selection::Scope(_) => None,
        }
    }

    /// The origin that its memories have; none: any.
    pub fn origin(&self) -> Option<Origin> {
        match &self.selection {
            Selection::Scope(Scope::Imports) => Some(Origin::Imported),
            Selection::Scope(Scope::Saved) => Some(Origin::Saved),
            Selection::Scope(Scope::All) | Selection::Match(_) | Selection::Import(_) => None,
        }
    }

    /// The import that brought its memories; none: any, or none at all.
    pub fn import(&self) -> Option<&ImportId> {
        match &self.selection {
            Selection::Import(import) => Some(import),
            Selection::Match(_) | Selection::Scope(_) => None,
        }
    }

    /// Whether a memory with this normalised text is part of it. The text is only looked at when it decides.
    pub fn holds(&self, principal: &Principal, memory: &Memory, normalized: &str) -> bool {
        principal.reaches(memory)
            && self.filter.admits(memory)
            && self.origin().is_none_or(|origin| memory.origin == origin)
            && self.import().is_none_or(|import| memory.import.as_ref() == Some(import))
            && self.words().is_none_or(|words| words.finds(normalized))
    }
}
