//! The lanes as callers see them, and what the tasks of one lane share.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, oneshot};
use tokio_util::task::TaskTracker;

use super::queue::{Queue, Waiting};
use super::{Failure, LaneOptions, worker};
use crate::clock::Clock;
use crate::domain::answer::Answer;
use crate::domain::command::Command;
use crate::domain::ids::TenantId;
use crate::domain::policy::Policy;
use crate::storage::pool::DbConnection;
use crate::storage::{Store, StoreError, heads};

/// The lanes of this replica. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Lanes {
    lanes: Arc<[Arc<Lane>]>,
    tasks: TaskTracker,
}

/// What the tasks of one lane share.
#[derive(Debug)]
pub(super) struct Lane {
    queue: Mutex<Queue>,
    /// Rung whenever there may be something to do.
    pub(super) bell: Notify,
    /// Tenants whose head row is known to be there.
    known_heads: Mutex<HashSet<TenantId>>,
    /// Places for solo batches, shared by all lanes.
    pub(super) solo_places: Arc<Semaphore>,
    pub(super) tasks: TaskTracker,
    pub(super) store: Store,
    pub(super) policy: Policy,
    pub(super) clock: Clock,
    /// How long the lane keeps its connection.
    pub(super) connection_kept: Duration,
    /// How long a transaction, and then its COMMIT, may take.
    pub(super) patience: Duration,
}

/// How many tenants' heads a lane remembers; past that it starts anew, at the cost of a statement each.
const KNOWN_HEADS: usize = 100_000;

impl Lanes {
    /// Starts the lanes.
    pub fn start(store: &Store, policy: Policy, clock: &Clock, options: LaneOptions) -> Self {
        let tasks = TaskTracker::new();
        let solo_places = Arc::new(Semaphore::new(options.solo_batches.max(1)));
        let lanes: Arc<[Arc<Lane>]> = (0..options.lanes.max(1))
            .map(|_| {
                Arc::new(Lane {
                    queue: Mutex::new(Queue::new(options)),
                    bell: Notify::new(),
                    known_heads: Mutex::default(),
                    solo_places: Arc::clone(&solo_places),
                    tasks: tasks.clone(),
                    store: store.clone(),
                    policy,
                    clock: clock.clone(),
                    connection_kept: options.connection_kept,
                    patience: options.patience,
                })
            })
            .collect();
        for lane in lanes.iter() {
            tasks.spawn(worker::run(Arc::clone(lane)));
        }
        Self { lanes, tasks }
    }

    /// Queues a command and waits for its answer. Dropped before its tenant's head was taken for it, the command
    /// is never carried out; dropped after that, it is carried out all the same.
    pub async fn submit(&self, command: Command) -> Result<Answer, Failure> {
        let (reply, answer) = oneshot::channel();
        let lane = self.lane_of(command.tenant()).ok_or(Failure::Internal)?;
        lane.queue().push(Waiting { command: Arc::new(command), reply })?;
        lane.bell.notify_one();
        // A lane that dropped the command without a word broke in the middle of it.
        answer.await.unwrap_or(Err(Failure::OutcomeUnknown))
    }

    /// A tenant is always on the same lane.
    fn lane_of(&self, tenant: &TenantId) -> Option<&Arc<Lane>> {
        let mut hasher = DefaultHasher::new();
        tenant.hash(&mut hasher);
        let count = u64::try_from(self.lanes.len()).ok()?;
        let index = usize::try_from(hasher.finish().checked_rem(count)?).ok()?;
        self.lanes.get(index)
    }

    /// Takes nothing in any more and waits until everything that was taken in is done.
    pub async fn close(&self) {
        for lane in self.lanes.iter() {
            lane.queue().close();
            lane.bell.notify_one();
        }
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Lane {
    /// The queue. Held for moments only, never over an await.
    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
        // The queue is whole between any two of its calls, so a panic elsewhere does not spoil it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_heads(&self) -> MutexGuard<'_, HashSet<TenantId>> {
        self.known_heads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes sure that the tenants have their head rows, by a statement of its own before any head is held.
    pub(super) async fn ensure_heads(
        &self,
        connection: &mut DbConnection,
        batch: &[Waiting],
    ) -> Result<(), StoreError> {
        let mut missing: Vec<&TenantId> = {
            let known = self.known_heads();
            batch
                .iter()
                .map(|waiting| waiting.command.tenant())
                .filter(|tenant| !known.contains(*tenant))
                .collect()
        };
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable();
        missing.dedup();
        heads::insert_missing_heads(connection, &missing).await?;
        let mut known = self.known_heads();
        if known.len() > KNOWN_HEADS {
            known.clear();
        }
        known.extend(missing.into_iter().cloned());
        Ok(())
    }

    /// Asks the database again next time.
    pub(super) fn forget_heads(&self, batch: &[Waiting]) {
        let mut known = self.known_heads();
        for waiting in batch {
            known.remove(waiting.command.tenant());
        }
    }
}
