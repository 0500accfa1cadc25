//! Plans that were made while the tables were empty are not kept when they have grown.

use std::time::Duration;

use memory_lifecycle::domain::forget::Mode;
use memory_lifecycle::lane::LaneOptions;

use super::direct::{self, Direct, forget, remember};
use super::until_disconnected;
use crate::harness::Database;

/// Many memories of one tenant, of which Postgres has no statistics.
const GROW: &str = "
    INSERT INTO memories (tenant_id, memory_key, memory_id, agent_id, graph_id, kind, origin, memory_date, state,
                          version, create_time, update_time)
    SELECT 'tenant', 1000 + n, 'grown-' || n, 'agent', 'default', 1, 1, now(), 1, 1000 + n, now(), now()
    FROM generate_series(1, 5000) AS n;
    UPDATE tenants SET head_sequence = 10000 WHERE tenant_id = 'tenant'";

/// How many entries of indexes that a look-up by id has no business with are read when ids are looked up after the
/// tables have grown.
async fn entries_read(connection_kept: Duration) -> i64 {
    let database = Database::migrated().await;
    let lanes = Direct::start(&database, LaneOptions { connection_kept, ..direct::one_lane() }).await;
    for number in 0..3 {
        lanes.done("tenant", remember(&format!("memory-{number}"))).await;
    }
    database.execute(GROW).await;
    for number in 0..10 {
        lanes.done("tenant", remember(&format!("other-{number}"))).await;
    }
    lanes.done("tenant", forget("memory-1", Mode::Soft)).await;
    lanes.close().await;
    until_disconnected(&database).await;
    database
        .value(
            "SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes
             WHERE indexrelname IN ('memories_by_time', 'memories_by_agent')",
        )
        .await
}

#[tokio::test]
async fn a_plan_does_not_outlive_the_table_it_was_made_for() {
    assert!(entries_read(Duration::ZERO).await < 5000, "nobody looks a whole tenant through");
}

#[tokio::test]
async fn a_plan_that_is_kept_looks_a_whole_tenant_through() {
    // The control: without it the test above would prove nothing.
    assert!(
        entries_read(Duration::from_hours(1)).await >= 5000,
        "the plan for an empty table is another one"
    );
}
