//! `serve` on a schema that is not the one it is made for: it stays not ready, says so, and becomes ready when the
//! schema does.

use memory_lifecycle::storage::schema::SCHEMA_VERSION;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::program::{channel, run};
use super::started::{serve, url};
use crate::harness::server::SERVICE;
use crate::harness::{Database, issuer, reason};

const APP: &str = "memory_lifecycle_app";
const OWNER: &str = "memory_lifecycle_owner";

async fn health(address: std::net::SocketAddr, service: &str) -> ServingStatus {
    let request = HealthCheckRequest { service: service.to_owned() };
    HealthClient::new(channel(address)).check(request).await.unwrap().into_inner().status()
}

/// Serves on the database and checks that it is not ready, for the reason given.
async fn is_not_ready(database: &Database, why: &str) {
    let (mut server, address) = serve(&url(APP, database.name()).await).await;
    let line = server.logged("not ready").await;
    let ours = format!("\"ours\":{SCHEMA_VERSION}");
    assert!(line.contains(why) && line.contains(&ours), "{line}");
    assert_eq!(health(address, SERVICE).await, ServingStatus::NotServing);
    assert_eq!(health(address, "").await, ServingStatus::Serving, "the process itself is well");
    let caller = issuer::caller(channel(address), "default", "default");
    let refused = caller.remember("memory", "text").await.unwrap_err();
    assert_eq!(reason(&refused), "STORE_UNAVAILABLE", "and no call gets at the database");
    assert_eq!(server.terminate().await.code(), Some(0));
}

#[tokio::test]
async fn an_older_schema_is_not_served() {
    let database = Database::migrated().await;
    database.execute("UPDATE schema_version SET version = version - 1, oldest_supported = 1").await;
    is_not_ready(&database, "missing or older than this binary needs; run `migrate`").await;
}

#[tokio::test]
async fn a_newer_schema_that_no_longer_supports_this_binary_is_not_served() {
    let database = Database::migrated().await;
    database.execute("UPDATE schema_version SET version = version + 2, oldest_supported = version + 1").await;
    is_not_ready(&database, "no longer supports this binary; use a newer one").await;
}

#[tokio::test]
async fn a_newer_schema_that_supports_this_binary_is_served() {
    let database = Database::migrated().await;
    database.execute("UPDATE schema_version SET version = version + 1").await;
    let (mut server, _) = serve(&url(APP, database.name()).await).await;
    server.logged("ready: Postgres is there").await;
    assert_eq!(server.terminate().await.code(), Some(0));
}

#[tokio::test]
async fn a_server_that_came_before_its_schema_becomes_ready_when_it_is_there() {
    let database = Database::empty().await;
    let (mut server, address) = serve(&url(APP, database.name()).await).await;
    server.logged("run `migrate`").await;
    assert_eq!(health(address, SERVICE).await, ServingStatus::NotServing);
    let migrated = run(&["migrate", "--database-url", &url(OWNER, database.name()).await]).await;
    assert_eq!(migrated.code(), Some(0), "{migrated:?}");
    server.logged("ready: Postgres is there").await;
    assert_eq!(health(address, SERVICE).await, ServingStatus::Serving);
    assert_eq!(server.terminate().await.code(), Some(0));
}
