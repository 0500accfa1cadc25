//! A connection whose other end is gone without a word is given up, and its COMMIT resolved.

use std::time::Duration;

use memory_lifecycle::domain::answer::Outcome;
use memory_lifecycle::domain::forget::Mode;
use memory_lifecycle::lane::LaneOptions;

use super::direct::{self, Direct, forget, remember};
use crate::harness::Database;
use crate::proxy::{Loss, Proxy};

async fn silence_at_commit(loss: Loss) {
    let database = Database::migrated().await;
    let proxy = Proxy::start(&database).await;
    let options = LaneOptions { patience: Duration::from_millis(500), ..direct::one_lane() };
    let lanes = Direct::start_through(&proxy.connect(), options);
    lanes.done("tenant", remember("memory")).await;
    proxy.lose_next(loss);
    let answer = tokio::time::timeout(super::LIMIT, lanes.done("tenant", forget("memory", Mode::Soft)));
    let answer = answer.await.expect("it is given up");
    assert_eq!(answer.count(Outcome::Archived), 1);
    assert_eq!(proxy.lost(), 1);
    let records: i64 = database.value("SELECT count(*) FROM audit_records").await;
    assert_eq!(records, 2, "done once");
    lanes.lanes.close().await;
}

#[tokio::test]
async fn a_commit_that_vanishes_is_resolved() {
    silence_at_commit(Loss::BeforeInSilence).await;
}

#[tokio::test]
async fn a_commit_whose_answer_vanishes_is_resolved() {
    silence_at_commit(Loss::AfterInSilence).await;
}
