//! Expiry: asks for memories past their purge time and has them erased through the lanes.
//!
//! Nothing depends on it being in time: past its purge time a memory is as erased for every read and command,
//! swept or not. Several replicas may sweep at once; what one has erased, the next finds gone.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::domain::command::Command;
use crate::domain::ids::{OperationId, TenantId};
use crate::domain::suppression::Fingerprinter;
use crate::lane::{Failure, Lanes};
use crate::storage::Store;
use crate::storage::fingerprints;
use crate::storage::retention::{self, SweptTenant};

/// How many tenants one query looks at.
const TENANTS: usize = 200;
/// How many memories one command erases, and how many request ids one statement forgets.
const BATCH: usize = 500;
/// How many fingerprints one statement adds.
const FINGERPRINTS: usize = 100;

/// What the sweeper works with.
#[derive(Debug, Clone)]
pub struct Sweeper {
    /// Where it asks.
    pub store: Store,
    /// Through which it erases.
    pub lanes: Lanes,
    /// What takes the fingerprints that are missing.
    pub fingerprinter: Fingerprinter,
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
                () = self.sweep_all() => {}
            }
        }
    }

    async fn sweep_all(&self) {
        // First, so that what is suppressed is hidden before anything else is done.
        if let Err(failure) = self.add_fingerprints().await {
            tracing::warn!(%failure, "could not add missing fingerprints; the next sweep tries again");
        }
        let erased = self.sweep().await;
        if erased > 0 {
            tracing::info!(erased, "erased memories past their purge time");
        }
    }

    /// Gives fingerprints to what a binary saved that knew nothing of them.
    async fn add_fingerprints(&self) -> Result<(), Failure> {
        loop {
            let mut connection = self.store.read_connection().await?;
            let added = fingerprints::add_missing(&mut connection, &self.fingerprinter, FINGERPRINTS).await?;
            if added < FINGERPRINTS {
                return Ok(());
            }
        }
    }

    /// Erases all that is due, a batch a tenant in turn, until nothing is; answers how many memories that were.
    /// A tenant that fails is left to the next sweep, and keeps nobody else from being swept.
    async fn sweep(&self) -> usize {
        let mut erased = 0;
        let mut failed = HashSet::new();
        loop {
            let pass = self.pass(&mut failed).await;
            erased += pass.erased;
            if !pass.has_more {
                return erased;
            }
        }
    }

    /// One batch of every tenant that has something due.
    async fn pass(&self, failed: &mut HashSet<TenantId>) -> Pass {
        let mut pass = Pass::default();
        let mut after: Option<TenantId> = None;
        loop {
            let tenants = match self.tenants(after.as_ref()).await {
                Ok(tenants) => tenants,
                Err(failure) => {
                    tracing::warn!(%failure, "could not learn what is due; the next sweep asks again");
                    return Pass { has_more: false, ..pass };
                }
            };
            let Some(last) = tenants.last() else { return pass };
            after = Some(last.tenant.clone());
            for swept in tenants {
                if failed.contains(&swept.tenant) {
                    continue;
                }
                match self.sweep_tenant(&swept).await {
                    Ok(count) => {
                        pass.erased += count;
                        pass.has_more |= swept.has_due_memories && count == BATCH;
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "a tenant could not be swept; the next sweep tries again");
                        failed.insert(swept.tenant);
                    }
                }
            }
        }
    }

    async fn tenants(&self, after: Option<&TenantId>) -> Result<Vec<SweptTenant>, Failure> {
        let mut connection = self.store.read_connection().await?;
        Ok(retention::due_tenants(&mut connection, after, TENANTS).await?)
    }

    /// One batch of a tenant: answers how many memories were erased.
    async fn sweep_tenant(&self, swept: &SweptTenant) -> Result<usize, Failure> {
        if swept.has_old_requests {
            // The one write outside the lanes: nothing is decided on a request id that is out of its time.
            let mut connection = self.store.read_connection().await?;
            retention::delete_old_requests(&mut connection, &swept.tenant, BATCH).await?;
        }
        if !swept.has_due_memories {
            return Ok(0);
        }
        let due = {
            let mut connection = self.store.read_connection().await?;
            retention::due_memories(&mut connection, &swept.tenant, BATCH).await?
        };
        if due.is_empty() {
            return Ok(0);
        }
        // What another replica has erased by then is no longer due, and not counted.
        let operation = OperationId(self.clock.uuid_v7());
        let answer = self.lanes.submit(Command::expire(swept.tenant.clone(), due, operation)).await?;
        Ok(answer.body.results().len())
    }
}

/// What came of one pass over the tenants.
#[derive(Default)]
struct Pass {
    erased: usize,
    /// Whether a tenant had more due than one batch.
    has_more: bool,
}
