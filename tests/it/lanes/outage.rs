//! Postgres goes away and comes back: callers are told, nothing acknowledged is lost, nobody restarts anything.

use std::path::Path;
use std::time::Duration;

use memory_lifecycle::embedded::{APP_ROLE, Cluster, DataDir, OWNER_ROLE};
use memory_lifecycle::storage::schema;
use sqlx::ConnectOptions;
use tokio::task::JoinSet;
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_types::StatusExt;

use super::{assert_log_explains_rows, verified_log};
use crate::embedded::{kept, kill, options};
use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, reason, settings};

const DATABASE: &str = "outage";

async fn cluster_in(data: &Path) -> Cluster {
    Cluster::start(options(DataDir::Kept(data.to_owned()))).await.unwrap()
}

async fn migrated(data: &Path) -> Cluster {
    let cluster = cluster_in(data).await;
    cluster.prepare_roles().await.unwrap();
    cluster.create_database(DATABASE, None).await.unwrap();
    let mut owner = cluster.options_for(OWNER_ROLE, DATABASE).connect().await.unwrap();
    schema::migrate(&mut owner, APP_ROLE).await.unwrap();
    cluster
}

/// What is told while Postgres is away.
async fn assert_away(server: &Server, caller: &Caller) {
    server.until_health(SERVICE, ServingStatus::NotServing).await;
    assert_eq!(server.health("").await, ServingStatus::Serving, "the process is well");
    for status in
        [caller.remember("never", "content").await.unwrap_err(), caller.get("before").await.unwrap_err()]
    {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Unavailable, "STORE_UNAVAILABLE"));
        let retry = status.get_details_retry_info().and_then(|info| info.retry_delay);
        assert!(retry.is_some_and(|delay| delay > Duration::ZERO));
    }
}

#[tokio::test]
async fn postgres_can_stop_or_be_killed_and_come_back() {
    let (_guard, data) = kept();
    let cluster = migrated(&data).await;
    let mut settings = settings();
    settings.health_interval = Duration::from_millis(100);
    let server = Server::start_unready(cluster.options_for(APP_ROLE, DATABASE), settings).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let caller = server.caller();
    caller.remember("before", "content").await.unwrap();

    cluster.stop().await.unwrap();
    assert_away(&server, &caller).await;
    let cluster = cluster_in(&data).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    caller.get("before").await.unwrap();
    caller.remember("between", "content").await.unwrap();

    kill(cluster.pid());
    cluster.ended().await;
    assert_away(&server, &caller).await;
    cluster.stop().await.unwrap();
    let cluster = cluster_in(&data).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    caller.remember("after", "content").await.unwrap();
    let ids: Vec<String> =
        caller.list_all().await.unwrap().into_iter().map(|memory| memory.memory_id).collect();
    assert_eq!(ids, ["after", "between", "before"]);
    server.stop().await;
    cluster.stop().await.unwrap();
}

/// Saves until told to stop; answers what was acknowledged.
async fn save(caller: Caller, number: usize, mut stop: tokio::sync::watch::Receiver<bool>) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for call in 0.. {
        if *stop.borrow_and_update() {
            break;
        }
        let id = format!("memory-{number}-{call}");
        match caller.remember(&id, "content").await {
            Ok(_) => acknowledged.push(id),
            Err(status) => {
                let reason = reason(&status);
                assert!(
                    ["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "CONFLICT"].contains(&reason.as_str()),
                    "{reason}"
                );
            }
        }
    }
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_connections_lose_nothing_acknowledged() {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, settings()).await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut savers = JoinSet::new();
    for number in 0..16 {
        let caller = server.caller_of(&format!("tenant-{}", number % 4), "agent");
        let stopped = stopped.clone();
        savers.spawn(async move { (number % 4, save(caller, number, stopped).await) });
    }
    let mut terminated = 0;
    for _ in 0..30 {
        // Under load: between two cuts the log has grown.
        let before: i64 = database.value("SELECT count(*) FROM audit_records").await;
        let grown = async {
            while database.value::<i64>("SELECT count(*) FROM audit_records").await < before + 20 {}
        };
        tokio::time::timeout(super::LIMIT, grown).await.expect("the load goes on");
        terminated += database
            .value::<i64>(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'memory-lifecycle'",
            )
            .await;
    }
    stop.send(true).unwrap();
    let acknowledged = savers.join_all().await;
    assert!(terminated > 30, "{terminated}");
    assert!(!database.logged("administrator command").await.is_empty(), "Postgres says so in its log");
    for tenant in 0..4 {
        let log = verified_log(&server, &database, &format!("tenant-{tenant}")).await;
        let saved: std::collections::BTreeSet<_> = log.into_iter().map(|record| record.memory_id).collect();
        for (_, ids) in acknowledged.iter().filter(|(of, _)| *of == tenant) {
            assert!(ids.iter().all(|id| saved.contains(id)), "what was acknowledged is there");
        }
    }
    assert_log_explains_rows(&database).await;
    server.stop().await;
}
