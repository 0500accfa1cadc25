//! A memory and the only ways its state may change.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::Timestamp;
use super::ids::{AgentId, Etag, GraphId, ImportId, MemoryId, MemoryKey, OperationId, Sequence, SubjectId};

/// What kind of thing is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Anything an agent noted.
    Memory,
    /// Something to be done.
    Todo,
    /// An entry of a ledger.
    Ledger,
    /// A settled fact: out of reach without `memory:admin`.
    Fact,
}

/// How a memory came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// Saved by a call of its own.
    Saved,
    /// Brought by an import.
    Imported,
}

/// The state a memory is in, as results and audit records name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    /// Recallable.
    Active,
    /// Softly forgotten: kept, restorable until its purge time.
    Archived,
    /// Gone: no row is left. Only results and audit records say so.
    Erased,
}

/// What being archived means for a memory: when, until when, by which operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Archive {
    /// When it was forgotten.
    pub forget_time: Timestamp,
    /// When it will be erased; never moves by itself. `None`: kept for ever.
    pub purge_time: Option<Timestamp>,
    /// The operation that archived it.
    pub operation: OperationId,
}

/// The state a row can be in, with the data only that state has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Recallable.
    Active,
    /// Softly forgotten.
    Archived(Archive),
}

/// A memory without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The internal key; other rows refer to it.
    pub key: MemoryKey,
    /// The label.
    pub id: MemoryId,
    /// The person or thing remembered.
    pub subject: Option<SubjectId>,
    /// Its owner.
    pub agent: AgentId,
    /// The graph it lives in.
    pub graph: GraphId,
    /// What kind of thing it is.
    pub kind: Kind,
    /// How it came to be.
    pub origin: Origin,
    /// The import that brought it; an import older than import ids left none.
    pub import: Option<ImportId>,
    /// The day it belongs to, UTC.
    pub date: NaiveDate,
    /// Its state.
    pub lifecycle: Lifecycle,
    /// The audit sequence of its last change.
    pub version: Sequence,
    /// When it was saved, or when the store it was moved from said so.
    pub create_time: Timestamp,
    /// When it last changed.
    pub update_time: Timestamp,
}

impl Memory {
    /// Its version as callers see it.
    pub fn etag(&self) -> Etag {
        Etag(self.version)
    }

    /// Its state by name.
    pub fn state(&self) -> State {
        match self.lifecycle {
            Lifecycle::Active => State::Active,
            Lifecycle::Archived(_) => State::Archived,
        }
    }

    /// What is known of its archiving, while it is archived.
    pub fn archive(&self) -> Option<&Archive> {
        match &self.lifecycle {
            Lifecycle::Active => None,
            Lifecycle::Archived(archive) => Some(archive),
        }
    }

    /// Whether its purge time has come: from then on it is as erased, swept or not.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.archive().and_then(|archive| archive.purge_time).is_some_and(|purge_time| purge_time <= now)
    }

    /// ACTIVE → ARCHIVED. Whoever is not active is given back as it was.
    pub fn archived(self, archive: Archive, version: Sequence) -> Result<Self, Box<Self>> {
        match self.lifecycle {
            Lifecycle::Active => Ok(Self {
                lifecycle: Lifecycle::Archived(archive),
                version,
                update_time: archive.forget_time,
                ..self
            }),
            Lifecycle::Archived(_) => Err(Box::new(self)),
        }
    }

    /// ARCHIVED → ACTIVE. Whoever is not archived is given back as it was.
    pub fn restored(self, now: Timestamp, version: Sequence) -> Result<Self, Box<Self>> {
        match self.lifecycle {
            Lifecycle::Archived(_) => {
                Ok(Self { lifecycle: Lifecycle::Active, version, update_time: now, ..self })
            }
            Lifecycle::Active => Err(Box::new(self)),
        }
    }

    /// ACTIVE → ACTIVE with other content. Whoever is not active is given back as it was.
    pub fn updated(self, now: Timestamp, version: Sequence) -> Result<Self, Box<Self>> {
        match self.lifecycle {
            Lifecycle::Active => Ok(Self { version, update_time: now, ..self }),
            Lifecycle::Archived(_) => Err(Box::new(self)),
        }
    }
}
