//! What narrows a list, or asserts something of a memory that was named.

use chrono::NaiveDate;

use super::Timestamp;
use super::ids::{AgentId, GraphId, ImportId, SubjectId};
use super::memory::{Kind, Memory, Origin, State};

/// Conditions, all of which a memory must meet. The default admits everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// About this subject.
    pub subject: Option<SubjectId>,
    /// In this graph.
    pub graph: Option<GraphId>,
    /// Of this day.
    pub date: Option<NaiveDate>,
    /// Of one of these kinds; none given: of any.
    pub kinds: Vec<Kind>,
    /// Written by this agent; only an administrator may say so.
    pub agent: Option<AgentId>,
    /// In one of these states; none given: the call's default.
    pub states: Vec<State>,
    /// Come to be like this.
    pub origin: Option<Origin>,
    /// Brought by this import.
    pub import: Option<ImportId>,
    /// Created at this time or later.
    pub create_time_from: Option<Timestamp>,
    /// Created before this time.
    pub create_time_to: Option<Timestamp>,
}

impl Filter {
    /// Whether the memory meets every condition.
    pub fn admits(&self, memory: &Memory) -> bool {
        fn met<T: PartialEq>(wanted: Option<&T>, actual: Option<&T>) -> bool {
            wanted.is_none_or(|wanted| actual == Some(wanted))
        }
        met(self.subject.as_ref(), memory.subject.as_ref())
            && met(self.graph.as_ref(), Some(&memory.graph))
            && met(self.date.as_ref(), Some(&memory.date))
            && met(self.agent.as_ref(), Some(&memory.agent))
            && met(self.origin.as_ref(), Some(&memory.origin))
            && met(self.import.as_ref(), memory.import.as_ref())
            && (self.kinds.is_empty() || self.kinds.contains(&memory.kind))
            && (self.states.is_empty() || self.states.contains(&memory.state()))
            && self.create_time_from.is_none_or(|from| memory.create_time >= from)
            && self.create_time_to.is_none_or(|to| memory.create_time < to)
    }
}
