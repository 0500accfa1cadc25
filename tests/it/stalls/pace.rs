//! How late an answer may be: the deadline, what is promised on top, and how late this machine itself is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::DEADLINE;

/// What is promised: an answer by the deadline and so much.
const GRACE: Duration = Duration::from_millis(250);
const TICK: Duration = Duration::from_millis(5);

/// Measures calls, and beside them how late the simplest timer of this process is: on a busy machine that is no
/// fault of the server.
#[derive(Clone)]
pub(super) struct Pace {
    lateness: Arc<AtomicU64>,
    _watch: Arc<Watch>,
}

struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Pace {
    pub(super) fn start() -> Self {
        let lateness = Arc::new(AtomicU64::new(0));
        let worst = Arc::clone(&lateness);
        let watch = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(TICK);
            loop {
                let due = ticks.tick().await;
                let late = u64::try_from(due.elapsed().as_micros()).unwrap();
                worst.fetch_max(late, Ordering::Relaxed);
            }
        });
        Self { lateness, _watch: Arc::new(Watch(watch.abort_handle())) }
    }

    /// Makes a call and fails when its answer comes too late.
    pub(super) async fn measure<T>(&self, what: &str, call: impl Future<Output = T>) -> T {
        let begin = Instant::now();
        let answer = call.await;
        let took = begin.elapsed();
        let lateness = Duration::from_micros(self.lateness.load(Ordering::Relaxed));
        assert!(
            took <= DEADLINE + GRACE + lateness,
            "{what} was answered after {took:?}, where a timer is late by {lateness:?} at most"
        );
        answer
    }
}
