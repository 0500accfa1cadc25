//! The model: what the contract says happens, written a second time and as plainly as possible.

use std::collections::BTreeMap;

use memory_lifecycle::proto::v1::{AuditAction, MemoryState, Outcome};

use super::plan::Call;
use super::run::{Event, content, id};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Memory {
    pub(super) agent: String,
    pub(super) content: String,
    pub(super) version: i64,
    /// The operation that archived it.
    pub(super) archived_by: Option<String>,
}

/// One tenant's memories.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct State(pub(super) BTreeMap<String, Memory>);

/// A transition: what happened to which memory.
pub(super) type Transition = (AuditAction, String);

/// What the model says of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Says {
    Refused(&'static str),
    /// A memory with this content and archived or not.
    Memory {
        id: String,
        content: String,
        archived: bool,
    },
    Results(Vec<(String, Outcome, MemoryState)>),
    Imported(Vec<i32>),
}

const SAVED: i32 = 1;
const EXISTS: i32 = 3;

impl State {
    fn mine(&self, event: &Event, id: &str) -> Option<&Memory> {
        self.0.get(id).filter(|memory| memory.agent == event.agent)
    }

    /// The call's answer and transitions, its records beginning at `sequence`; the state moves along.
    pub(super) fn make(&mut self, event: &Event, operation: &str, sequence: i64) -> (Says, Vec<Transition>) {
        let mut done = Vec::new();
        let next = |done: &Vec<Transition>| sequence + i64::try_from(done.len()).unwrap();
        let says = match &event.call {
            Call::Remember { id: number, content: text } => {
                let id = id(*number);
                if self.0.contains_key(&id) {
                    Says::Refused("ALREADY_EXISTS")
                } else {
                    self.save(event, &id, content(*text), next(&done));
                    done.push((AuditAction::Remembered, id.clone()));
                    Says::Memory { id, content: content(*text), archived: false }
                }
            }
            Call::Import { ids, content: text } => {
                let mut outcomes = Vec::new();
                for number in ids {
                    let id = id(*number);
                    if self.0.contains_key(&id) {
                        outcomes.push(EXISTS);
                    } else {
                        self.save(event, &id, content(*text), next(&done));
                        done.push((AuditAction::Remembered, id));
                        outcomes.push(SAVED);
                    }
                }
                Says::Imported(outcomes)
            }
            Call::Update { id: number, content: text, .. } => {
                self.update(event, &id(*number), *text, next(&done), &mut done)
            }
            Call::Forget { id: number, hard, .. } => {
                let id = id(*number);
                match self.mine(event, &id) {
                    None => Says::Refused("MEMORY_NOT_FOUND"),
                    Some(memory) if stale(event, memory) => Says::Refused("ETAG_MISMATCH"),
                    Some(_) => {
                        Says::Results(vec![self.forget(&id, *hard, operation, next(&done), &mut done)])
                    }
                }
            }
            Call::Batch { ids, hard } => {
                let mut results = Vec::new();
                let mut erased = Vec::new();
                for number in ids {
                    let id = id(*number);
                    if erased.contains(&id) {
                        results.push((id, Outcome::AlreadyForgotten, MemoryState::Erased));
                    } else if self.mine(event, &id).is_none() {
                        results.push((id, Outcome::NotFound, MemoryState::Unspecified));
                    } else {
                        let result = self.forget(&id, *hard, operation, next(&done), &mut done);
                        if *hard {
                            erased.push(id);
                        }
                        results.push(result);
                    }
                }
                Says::Results(results)
            }
            Call::Restore { ids } => {
                let mut results = Vec::new();
                for number in ids {
                    let id = id(*number);
                    results.push(if self.mine(event, &id).is_none() {
                        (id, Outcome::NotFound, MemoryState::Unspecified)
                    } else {
                        self.restore(&id, next(&done), &mut done)
                    });
                }
                Says::Results(results)
            }
            Call::Undo => {
                let ids: Vec<String> = self
                    .0
                    .iter()
                    .filter(|(_, memory)| memory.agent == event.agent)
                    .filter(|(_, memory)| memory.archived_by.as_deref() == Some(&event.undone))
                    .map(|(id, _)| id.clone())
                    .collect();
                Says::Results(ids.iter().map(|id| self.restore(id, next(&done), &mut done)).collect())
            }
            Call::Get { id: number } => {
                let id = id(*number);
                match self.mine(event, &id) {
                    None => Says::Refused("MEMORY_NOT_FOUND"),
                    Some(memory) => Says::Memory {
                        content: memory.content.clone(),
                        archived: memory.archived_by.is_some(),
                        id,
                    },
                }
            }
            Call::Outlast => unreachable!("not a call"),
        };
        (says, done)
    }

    fn save(&mut self, event: &Event, id: &str, content: String, version: i64) {
        let memory = Memory { agent: event.agent.clone(), content, version, archived_by: None };
        self.0.insert(id.to_owned(), memory);
    }

    fn update(
        &mut self,
        event: &Event,
        id: &str,
        text: u8,
        version: i64,
        done: &mut Vec<Transition>,
    ) -> Says {
        let Some(memory) = self.mine(event, id) else { return Says::Refused("MEMORY_NOT_FOUND") };
        if stale(event, memory) {
            return Says::Refused("ETAG_MISMATCH");
        }
        if memory.archived_by.is_some() {
            return Says::Refused("MEMORY_NOT_ACTIVE");
        }
        let memory = self.0.get_mut(id).unwrap();
        if memory.content != content(text) {
            memory.content = content(text);
            memory.version = version;
            done.push((AuditAction::Updated, id.to_owned()));
        }
        Says::Memory { id: id.to_owned(), content: content(text), archived: false }
    }

    fn forget(
        &mut self,
        id: &str,
        hard: bool,
        operation: &str,
        version: i64,
        done: &mut Vec<Transition>,
    ) -> (String, Outcome, MemoryState) {
        let memory = self.0.get_mut(id).unwrap();
        if hard {
            self.0.remove(id);
            done.push((AuditAction::Erased, id.to_owned()));
            (id.to_owned(), Outcome::Erased, MemoryState::Erased)
        } else if memory.archived_by.is_some() {
            (id.to_owned(), Outcome::AlreadyForgotten, MemoryState::Archived)
        } else {
            memory.archived_by = Some(operation.to_owned());
            memory.version = version;
            done.push((AuditAction::Archived, id.to_owned()));
            (id.to_owned(), Outcome::Archived, MemoryState::Archived)
        }
    }

    fn restore(
        &mut self,
        id: &str,
        version: i64,
        done: &mut Vec<Transition>,
    ) -> (String, Outcome, MemoryState) {
        let memory = self.0.get_mut(id).unwrap();
        if memory.archived_by.take().is_none() {
            return (id.to_owned(), Outcome::AlreadyActive, MemoryState::Active);
        }
        memory.version = version;
        done.push((AuditAction::Restored, id.to_owned()));
        (id.to_owned(), Outcome::Restored, MemoryState::Active)
    }
}

fn stale(event: &Event, memory: &Memory) -> bool {
    !event.etag.is_empty() && event.etag != format!("{:016x}", memory.version)
}
