//! What waits in a lane is committed together.

use memory_lifecycle::lane::LaneOptions;

use super::direct::{self, Direct, command, remember};
use super::until_disconnected;
use crate::harness::Database;

const TENANTS: usize = 8;
const CALLS: usize = 64;

/// Queues 64 commands of 8 tenants behind a paused lane. Answers how many transactions wrote their records, and how
/// many commits Postgres counted for all that was done.
async fn commits(batch_commands: usize) -> (i64, i64) {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, LaneOptions { batch_commands, ..direct::one_lane() }).await;
    lanes.done("sentinel", remember("first")).await;
    for tenant in 0..TENANTS {
        lanes.done(&format!("tenant-{tenant}"), remember("first")).await;
    }
    let calls = (0..CALLS)
        .map(|number| command(&format!("tenant-{}", number % TENANTS), remember(&format!("memory-{number}"))))
        .collect();
    for answer in lanes.together(&database, calls).await {
        answer.unwrap();
    }
    // Postgres counts a session's commits when it ends, if not before.
    lanes.close().await;
    until_disconnected(&database).await;
    let counted =
        database.value("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").await;
    let transactions = database
        .value(
            "SELECT count(DISTINCT xmin::text) FROM audit_records
             WHERE tenant_id <> 'sentinel' AND memory_id <> 'first'",
        )
        .await;
    (transactions, counted)
}

#[tokio::test]
async fn what_waits_in_a_lane_becomes_one_commit() {
    let (together, counted_together) = commits(256).await;
    let (one_by_one, counted_one_by_one) = commits(1).await;
    assert_eq!(together, 1);
    assert_eq!(one_by_one, 64, "a lane that takes one command at a time shows the difference");
    let saved = counted_one_by_one - counted_together;
    assert!((60..=66).contains(&saved), "Postgres counted {counted_together} and {counted_one_by_one}");
}
