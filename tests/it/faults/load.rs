//! Many callers at once, for as long as they are told to go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::LIMIT;
use super::actor::{Actor, Way};
use super::ledger::Ledger;

/// How many tenants the callers are spread over.
const TENANTS: usize = 4;

pub(super) struct Load {
    callers: JoinSet<Ledger>,
    acknowledged: watch::Receiver<usize>,
    over: Arc<AtomicBool>,
}

impl Load {
    pub(super) fn start(callers: usize, way: &Way) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (count, acknowledged) = watch::channel(0);
        let mut tasks = JoinSet::new();
        for number in 0..callers {
            let tenant = format!("tenant-{}", number % TENANTS);
            let mut actor = Actor::new(way.clone(), &tenant, format!("caller-{number}"));
            let (over, count) = (Arc::clone(&over), count.clone());
            tasks.spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    let before = actor.ledger.transitions();
                    actor.act().await;
                    let more = actor.ledger.transitions() - before;
                    count.send_modify(|count| *count += more);
                }
                actor.repeat_recent().await;
                actor.ledger
            });
        }
        Self { callers: tasks, acknowledged, over }
    }

    /// How many changes of memories were acknowledged so far.
    pub(super) fn acknowledged(&self) -> usize {
        *self.acknowledged.borrow()
    }

    /// Waits until so many more changes were acknowledged. A caller that found something wrong fails the test at once.
    pub(super) async fn more(&mut self, changes: usize) {
        let wanted = self.acknowledged() + changes;
        let reached = self.acknowledged.wait_for(|count| *count >= wanted);
        tokio::select! {
            reached = tokio::time::timeout(LIMIT, reached) => {
                drop(reached.expect("the load goes on").unwrap());
            }
            ended = self.callers.join_next() => panic!("a caller ended early: {ended:?}"),
        }
    }

    /// Lets every caller finish what it is at.
    pub(super) async fn stop(self) -> Vec<Ledger> {
        self.over.store(true, Ordering::Relaxed);
        self.callers.join_all().await
    }
}
