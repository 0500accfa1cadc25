//! Postgres' administrator cuts all connections, again and again, under load.

use std::time::Duration;

use super::load::Load;
use super::pace::Pace;
use super::{assert_recovers, hurried};
use crate::harness::{Database, Server, scaled};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_connections_lose_nothing_acknowledged() {
    let database = Database::migrated().await;
    let replicas =
        [Server::start_with(&database, hurried()).await, Server::start_with(&database, hurried()).await];
    let pace = Pace::start();
    let mut load = Load::start(&replicas, 16, 4, &pace);
    let mut terminated = 0;
    // In a burst, so that what is tried again is cut as well; and under load: between two bursts the log has grown.
    for _ in 0..scaled(200, 10) {
        load.until_done(20).await;
        let mut burst = tokio::time::interval(Duration::from_millis(3));
        for _ in 0..3 {
            burst.tick().await;
            terminated += database
                .value::<i64>(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'memory-lifecycle'",
                )
                .await;
        }
    }
    load.until_done(20).await;
    let outcomes = load.stop().await;
    assert!(terminated > 30, "{terminated}");
    assert!(!database.logged("administrator command").await.is_empty(), "Postgres says so in its log");
    for (number, replica) in replicas.iter().enumerate() {
        assert_recovers(replica, &replica.caller(), &format!("after-{number}")).await;
    }
    outcomes.verify(&replicas[0], &database).await;
    for replica in replicas {
        replica.stop().await;
    }
}
