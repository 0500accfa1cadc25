//! A batch of one tenant alone, on a task of its own: the only kind that waits for a head.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;

use super::attempt::work_off;
use super::batch::Heads;
use super::queue::Waiting;
use super::shared::Lane;
use crate::domain::ids::TenantId;
use crate::storage::pool::LaneConnection;

/// Runs the batch beside the lane. Until it is done, the tenant's further commands wait in the queue, in order.
pub(super) fn spawn(lane: &Arc<Lane>, tenant: TenantId, batch: Vec<Waiting>) {
    let lane = Arc::clone(lane);
    let tasks = lane.tasks.clone();
    tasks.spawn(async move {
        // Closed never: the semaphore lives as long as the lanes.
        let place = lane.solo_places.acquire().await;
        let mut connection: Option<LaneConnection> = None;
        let work = AssertUnwindSafe(work_off(&lane, &mut connection, batch, Heads::Await));
        if work.catch_unwind().await.is_err() {
            tracing::error!("a solo batch panicked");
        }
        drop(place);
        lane.queue().give_back(&tenant);
        lane.bell.notify_one();
    });
}
