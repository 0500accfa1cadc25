//! Expiry: asks for memories past their purge time and has them erased through the lanes.
//!
//! Nothing depends on it being in time: past its purge time a memory is as erased for every read and command,
//! swept or not. Several replicas may sweep at once; what one has erased, the next finds gone.

use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::domain::command::Command;
use crate::domain::ids::{OperationId, TenantId};
use crate::lane::{Failure, Lanes};
use crate::storage::{Store, retention};

/// How many tenants one query looks at.
const TENANTS: i64 = 200;
/// How many memories one command erases, and how many request ids one statement forgets.
const BATCH: i64 = 500;

/// What the sweeper works with.
#[derive(Debug, Clone)]
pub struct Sweeper {
    /// Where it asks.
    pub store: Store,
    /// Through which it erases.
    pub lanes: Lanes,
    /// What names its operations.
    pub clock: Clock,
    /// How often it looks.
    pub interval: Duration,
}

impl Sweeper {
    /// Sweeps, now and then at every interval, until told to stop.
    pub async fn run(self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(self.interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            tokio::select! {
                // What is in a lane by then is carried out; the next sweep goes on from there.
                () = stop.cancelled() => return,
                swept = self.sweep() => match swept {
                    Ok(0) => {}
                    Ok(erased) => tracing::info!(erased, "erased memories past their purge time"),
                    Err(failure) => tracing::warn!(%failure, "a sweep stopped early; the next one goes on"),
                }
            }
        }
    }

    /// Erases all that is due and answers how many memories that were.
    async fn sweep(&self) -> Result<usize, Failure> {
        let mut erased = 0;
        let mut after: Option<TenantId> = None;
        loop {
            let tenants = {
                let mut connection = self.store.read_connection().await?;
                retention::due_tenants(&mut connection, after.as_ref(), TENANTS).await?
            };
            let Some(last) = tenants.last() else { return Ok(erased) };
            after = Some(last.tenant.clone());
            for swept in tenants {
                if swept.has_due_memories {
                    erased += self.sweep_memories(&swept.tenant).await?;
                }
                if swept.has_old_requests {
                    self.sweep_requests(&swept.tenant).await?;
                }
            }
        }
    }

    async fn sweep_memories(&self, tenant: &TenantId) -> Result<usize, Failure> {
        let mut erased = 0;
        loop {
            let due = {
                let mut connection = self.store.read_connection().await?;
                retention::due_memories(&mut connection, tenant, BATCH).await?
            };
            if due.is_empty() {
                return Ok(erased);
            }
            let operation = OperationId(self.clock.uuid_v7());
            let answer = self.lanes.submit(Command::expire(tenant.clone(), due, operation)).await?;
            let count = answer.body.results().len();
            if count == 0 {
                // Another replica was faster; it or the next sweep takes the rest.
                return Ok(erased);
            }
            erased += count;
        }
    }

    async fn sweep_requests(&self, tenant: &TenantId) -> Result<(), Failure> {
        let mut connection = self.store.lane_connection().await?;
        while retention::delete_old_requests(&mut connection, tenant, BATCH).await? > 0 {}
        Ok(())
    }
}
