//! What a change answers. Holds ids, outcomes and counters, never content: answers are stored.

use serde::{Deserialize, Serialize};

use super::Timestamp;
use super::content::Content;
use super::ids::{AgentId, ImportId, MemoryId, MemoryKey, OperationId, Sequence};
use super::line::Reason;
use super::memory::{Memory, Origin, State};
use super::refusal::Refusal;
use super::suppression::{Fingerprint, ShownSuppression};
use super::text::Query;

/// What became of one id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// Now archived.
    Archived,
    /// Now gone.
    Erased,
    /// Was forgotten before.
    AlreadyForgotten,
    /// Unknown, erased, or out of reach.
    NotFound,
    /// Refused, with its reason.
    Refused,
    /// The commit's outcome could not be learnt.
    Unknown,
    /// Now active again.
    Restored,
    /// Was active before.
    AlreadyActive,
}

/// One id's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryResult {
    /// The id as the caller sent it, or the memory's own.
    pub memory_id: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The state after the call; `None` where nothing is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// When it will be erased, while archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purge_time: Option<Timestamp>,
    /// When it was forgotten, while archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forget_time: Option<Timestamp>,
    /// Why not, with `NotFound` and `Refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// Its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// How it came to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The import that brought it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<ImportId>,
}

impl MemoryResult {
    /// A result for a memory in the state given.
    pub fn of(memory: &Memory, outcome: Outcome, state: State) -> Self {
        let archive = if state == State::Archived { memory.archive() } else { None };
        Self {
            memory_id: memory.id.as_str().to_owned(),
            outcome,
            state: Some(state),
            purge_time: archive.and_then(|archive| archive.purge_time),
            forget_time: archive.map(|archive| archive.forget_time),
            error: None,
            agent: Some(memory.agent.clone()),
            origin: Some(memory.origin),
            import: memory.import.clone(),
        }
    }

    /// A result for an id of which nothing is told.
    pub fn without_memory(memory_id: String, outcome: Outcome, error: Option<Refusal>) -> Self {
        Self {
            memory_id,
            outcome,
            state: None,
            purge_time: None,
            forget_time: None,
            error,
            agent: None,
            origin: None,
            import: None,
        }
    }
}

/// What became of one imported item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImportOutcome {
    /// Saved.
    Saved,
    /// Its content is suppressed.
    Suppressed,
    /// Its id is taken.
    AlreadyExists,
    /// Refused, with its reason.
    Refused,
}

/// One imported item's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportResult {
    /// The id as sent, or the one made for it.
    pub memory_id: String,
    /// What became of it.
    pub outcome: ImportOutcome,
    /// Why not.
    pub error: Option<Refusal>,
}

/// Proof that the change and its records were committed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Receipt {
    /// The first audit record of the call; 0 when nothing changed.
    pub first_sequence: Sequence,
    /// The last audit record of the call; 0 when nothing changed.
    pub last_sequence: Sequence,
    /// The chain's hash at the last record; the head's, which is not sent, when nothing changed.
    pub head_hash: [u8; 32],
}

/// A memory as an answer shows it.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The memory.
    pub memory: Memory,
    /// What it says.
    pub content: Content,
    /// Why it is archived, if it is.
    pub forget_reason: Option<Reason>,
    /// Whether it is hidden from recall by a suppression that stands.
    pub suppressed: bool,
}

/// What is kept of a memory that was forgotten, for as long as its call lasts.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Its key.
    pub key: MemoryKey,
    /// Words of it.
    pub words: Query,
    /// The fingerprint of its content.
    pub fingerprint: Fingerprint,
}

/// What a change answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// The call's name.
    pub operation_id: OperationId,
    /// The time of the call's last audit record, or of the decision when nothing changed.
    pub commit_time: Timestamp,
    /// The proof.
    pub receipt: Receipt,
    /// The answer proper.
    pub body: AnswerBody,
    /// How many contents it suppressed.
    #[serde(default)]
    pub suppressed: usize,
    /// How many suppressions it lifted.
    #[serde(default)]
    pub lifted: usize,
    /// What is kept of the memories it forgot, to ask afterwards whether they are still recalled. Never stored.
    #[serde(skip)]
    pub kept: Vec<Kept>,
    /// The memory as it is after the call, where the call shows it. Never stored.
    #[serde(skip)]
    pub memory: Option<Box<Shown>>,
    /// Why the suppression was made that it lifted, unless that text was deleted. Never stored.
    #[serde(skip)]
    pub suppression_reason: Option<Reason>,
    /// Whether this is the stored answer of an earlier call. Never stored.
    #[serde(skip)]
    pub replayed: bool,
    /// Whether this only says what would be. Never stored.
    #[serde(skip)]
    pub validate_only: bool,
}

/// The answer proper, by kind of call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum AnswerBody {
    /// Remember and UpdateMemory: the memory's label and key. Under the same label may be another one by now.
    Memory(MemoryId, MemoryKey),
    /// LiftSuppression: what was lifted.
    Suppression(ShownSuppression),
    /// ImportMemories.
    Import {
        /// The import's id; none for one older than import ids.
        import_id: Option<ImportId>,
        /// In request order.
        results: Vec<ImportResult>,
    },
    /// Forget, BatchForget, Restore and expiry: in request order, or by id for a set.
    Results(Vec<MemoryResult>),
}

impl AnswerBody {
    /// The results by memory; none where the call has no such list.
    pub fn results(&self) -> &[MemoryResult] {
        match self {
            Self::Results(results) => results,
            Self::Memory(..) | Self::Suppression(_) | Self::Import { .. } => &[],
        }
    }
}

impl Answer {
    /// How many results have this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.body.results().iter().filter(|result| result.outcome == outcome).count()
    }

    /// This answer as it is stored: what a caller sent in place of an id may be anything, so it is left out.
    pub fn for_storage(&self) -> Self {
        let mut stored = Self {
            body: self.body.clone(),
            kept: Vec::new(),
            memory: None,
            suppression_reason: None,
            ..*self
        };
        match &mut stored.body {
            AnswerBody::Results(results) => {
                for result in results {
                    if matches!(result.error, Some(Refusal::InvalidFields(_))) {
                        result.memory_id.clear();
                    }
                }
            }
            AnswerBody::Import { results, .. } => {
                for result in results {
                    if matches!(result.error, Some(Refusal::InvalidFields(_))) {
                        result.memory_id.clear();
                    }
                }
            }
            AnswerBody::Memory(..) | AnswerBody::Suppression(_) => {}
        }
        stored
    }

    /// A stored answer as the repeated call gets it: with what the caller sent, again, in its place.
    pub fn replayed_to(mut self, sent: &[&str]) -> Self {
        self.replayed = true;
        let blanks: Vec<&mut String> = match &mut self.body {
            AnswerBody::Results(results) => results.iter_mut().map(|result| &mut result.memory_id).collect(),
            AnswerBody::Import { results, .. } => {
                results.iter_mut().map(|result| &mut result.memory_id).collect()
            }
            AnswerBody::Memory(..) | AnswerBody::Suppression(_) => Vec::new(),
        };
        for (blank, sent) in blanks.into_iter().zip(sent) {
            if blank.is_empty() {
                (*sent).clone_into(blank);
            }
        }
        self
    }
}
