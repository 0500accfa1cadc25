//! A caller with memories that nobody else touches, so that it knows what every call must answer.

use std::collections::VecDeque;
use std::time::Duration;

use memory_lifecycle::proto::v1::{AuditAction, ForgetMode, MemoryState};
use tokio::sync::watch;
use tonic::transport::Channel;

use super::LIMIT;
use super::change::{Answer, Change, Lost, NO_ANSWER};
use super::ledger::Ledger;
use crate::harness::{Caller, issuer};

/// How many memories it has at a time.
const MEMORIES: usize = 16;
/// How many of its last acknowledged calls it can repeat.
const RECENT: usize = 4;
/// How soon to ask somebody again who answered that it cannot tell.
const AGAIN: Duration = Duration::from_millis(20);

/// The way to the server.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// Another one comes when a server was started anew.
    pub(super) channel: watch::Receiver<Channel>,
    /// How long to wait for another one before the same one is tried again.
    pub(super) pause: Duration,
}

#[derive(Debug)]
struct Memory {
    id: String,
    state: Option<MemoryState>,
}

#[derive(Debug)]
pub(super) struct Actor {
    way: Way,
    name: String,
    memories: Vec<Memory>,
    /// How many memories it ever had.
    named: usize,
    recent: VecDeque<(Change, Answer)>,
    pub(super) ledger: Ledger,
}

impl Actor {
    pub(super) fn new(way: Way, tenant: &str, name: String) -> Self {
        let ledger = Ledger::of(tenant);
        let mut actor = Self { way, name, memories: Vec::new(), named: 0, recent: VecDeque::new(), ledger };
        actor.replenish();
        actor
    }

    pub(super) fn caller(&mut self) -> Caller {
        let channel = self.way.channel.borrow_and_update().clone();
        issuer::caller(channel, &self.ledger.tenant, &self.name)
    }

    /// Makes one change, however often it has to be sent. Now and then one that was lost is left alone: nobody asks
    /// again, and it must still be there whole or not at all.
    pub(super) async fn act(&mut self) {
        if rand::random_range(0..16) == 0 {
            self.repeat_recent().await;
        }
        let change = self.choose();
        match change.send(&self.caller(), LIMIT).await {
            Ok(answer) => {
                assert!(!answer.replayed, "nobody made {change:?} before");
                self.note(change, answer);
            }
            Err(_) if rand::random_range(0..4) == 0 => self.leave(change),
            Err(_) => self.find_out(change, None).await,
        }
    }

    /// Sends a change that was lost again and again until it is answered: it was done before, or is done now. What
    /// was acknowledged just before it was lost is still there. `done` is whether it was done, where that is known.
    pub(super) async fn find_out(&mut self, change: Change, done: Option<bool>) {
        self.ledger.lost += 1;
        let answer = self.until_answered(&change).await;
        assert!(done.is_none_or(|done| done == answer.replayed), "{done:?}, but {change:?} got {answer:?}");
        self.ledger.lost_and_done += usize::from(answer.replayed);
        self.repeat_recent().await;
        self.note(change, answer);
    }

    async fn until_answered(&mut self, change: &Change) -> Answer {
        let mut told: Option<Lost> = None;
        let answered = async {
            loop {
                if let Some(told) = &told {
                    // Whether there is a new way, or the old one may serve again; whoever answered is there.
                    let pause = if told == NO_ANSWER { self.way.pause } else { self.way.pause.min(AGAIN) };
                    let _ = tokio::time::timeout(pause, self.way.channel.changed()).await;
                }
                match change.send(&self.caller(), LIMIT).await {
                    Ok(answer) => return answer,
                    Err(lost) => told = Some(lost),
                }
            }
        };
        let answered = tokio::time::timeout(LIMIT, answered).await;
        answered.unwrap_or_else(|_| panic!("no answer to {change:?}; the last time it was {told:?}"))
    }

    /// Repeats what was acknowledged last: the same answer, and nothing is done.
    pub(super) async fn repeat_recent(&mut self) {
        for (change, first) in self.recent.clone() {
            let again = self.until_answered(&change).await;
            assert_eq!(again, Answer { replayed: true, ..first }, "acknowledged and lost: {change:?}");
        }
    }

    /// A change that makes at least one transition.
    pub(super) fn choose(&self) -> Change {
        let memory = &self.memories[rand::random_range(0..self.memories.len())];
        let mode = if rand::random_bool(0.2) { ForgetMode::Hard } else { ForgetMode::Soft };
        let alone = rand::random_bool(0.5);
        match (memory.state, mode) {
            (None, _) => Change::remember(&memory.id),
            (Some(MemoryState::Archived), ForgetMode::Soft) => {
                let (ids, changed) = self.some_with(memory, |state| state == MemoryState::Archived);
                Change::restore(ids, changed)
            }
            (Some(_), _) if alone => Change::forget(&memory.id, mode),
            (Some(_), ForgetMode::Soft) => {
                let (ids, changed) = self.some_with(memory, |state| state == MemoryState::Active);
                Change::batch(ids, changed, mode)
            }
            (Some(_), _) => {
                let (ids, changed) = self.some_with(memory, |_| true);
                Change::batch(ids, changed, mode)
            }
        }
    }

    /// A memory and some of the others, in whatever state they are; and those among them whose state will do.
    fn some_with(&self, one: &Memory, will_do: fn(MemoryState) -> bool) -> (Vec<String>, Vec<String>) {
        let some: Vec<&Memory> =
            self.memories.iter().filter(|memory| memory.id == one.id || rand::random_bool(0.4)).collect();
        let changed = some.iter().filter(|memory| memory.state.is_some_and(will_do));
        let changed = changed.map(|memory| memory.id.clone()).collect();
        (some.iter().map(|memory| memory.id.clone()).collect(), changed)
    }

    fn note(&mut self, change: Change, answer: Answer) {
        assert_eq!(answer.transitions, change.transitions, "{change:?}");
        for (action, id) in &answer.transitions {
            let memory = self.memories.iter_mut().find(|memory| memory.id == *id).unwrap();
            memory.state = match action {
                AuditAction::Remembered | AuditAction::Restored => Some(MemoryState::Active),
                AuditAction::Archived => Some(MemoryState::Archived),
                _ => None,
            };
        }
        self.ledger.acknowledge(&change.request_id, &answer);
        self.recent.push_back((change, answer));
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// Gives up the memories of a change of which nothing is known, and takes others in their place.
    fn leave(&mut self, change: Change) {
        self.memories.retain(|memory| change.transitions.iter().all(|(_, id)| *id != memory.id));
        self.ledger.left.push(change);
        self.replenish();
    }

    fn replenish(&mut self) {
        while self.memories.len() < MEMORIES {
            self.memories.push(Memory { id: format!("{}-{}", self.name, self.named), state: None });
            self.named += 1;
        }
    }
}
