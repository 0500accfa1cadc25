//! Postgres goes away and comes back: callers are told, nothing acknowledged is lost, nobody restarts anything.

use std::path::Path;
use std::time::Duration;

use memory_lifecycle::embedded::{APP_ROLE, Cluster, DataDir, OWNER_ROLE};
use memory_lifecycle::storage::schema;
use sqlx::ConnectOptions;
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_types::StatusExt;

use crate::embedded::{kept, kill, options};
use crate::harness::server::SERVICE;
use crate::harness::{Caller, Server, reason, settings};

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
