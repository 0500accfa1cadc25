//! The loop of one lane: take all that waits, run it, take the next.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use super::attempt::work_off;
use super::batch::Heads;
use super::queue::{Waiting, Work};
use super::shared::Lane;
use super::solo;
use crate::domain::ids::TenantId;
use crate::storage::pool::LaneConnection;

/// Works until the lane is closed and empty.
pub(super) async fn run(lane: Arc<Lane>) {
    // The lane's own connection, kept for a while.
    let mut connection: Option<LaneConnection> = None;
    let mut taken = Duration::ZERO;
    loop {
        let work = {
            let mut queue = lane.queue();
            let work = queue.take();
            // Asked after taking, which drops what was abandoned: else a lane would wait for a bell that nobody
            // is left to ring.
            if work.is_none() && queue.is_finished() {
                return;
            }
            work
        };
        match work {
            None => lane.bell.notified().await,
            Some(Work::Solo(tenant, batch)) => solo::spawn(&lane, tenant, batch),
            Some(Work::Shared(batch)) => {
                let now = lane.clock.monotonic();
                if now.saturating_sub(taken) >= lane.connection_kept {
                    // Taken from the pool anew, it makes its plans anew.
                    connection = None;
                    taken = now;
                }
                let work = AssertUnwindSafe(work_off(&lane, &mut connection, batch, Heads::Skip));
                if let Ok(skipped) = work.catch_unwind().await {
                    send_to_solo(&lane, skipped);
                } else {
                    // Those who waited learn that the outcome is unknown; the connection may be anywhere.
                    tracing::error!("a lane's batch panicked");
                    connection = None;
                }
            }
        }
    }
}

/// Commands whose heads somebody else holds wait elsewhere, so that nobody waits with them.
fn send_to_solo(lane: &Arc<Lane>, skipped: Vec<Waiting>) {
    let mut by_tenant: BTreeMap<TenantId, Vec<Waiting>> = BTreeMap::new();
    for waiting in skipped {
        by_tenant.entry(waiting.command.tenant().clone()).or_default().push(waiting);
    }
    for (tenant, batch) in by_tenant {
        lane.queue().send_away(&tenant);
        solo::spawn(lane, tenant, batch);
    }
}
