//! `health`: an exit code for probes and scripts.

use super::program::run;
use super::started::{serve, url};
use crate::harness::Database;

#[tokio::test]
async fn exits_0_when_ready() {
    let database = Database::migrated().await;
    let (mut server, address) = serve(&url("memory_lifecycle_app", database.name()).await).await;
    server.logged("ready: Postgres is there").await;
    let asked = run(&["health", "--address", &address.to_string()]).await;
    assert_eq!((asked.code(), asked.err.as_str()), (Some(0), ""));
    assert_eq!(asked.out, format!("the server on {address} is ready\n"));
    assert_eq!(server.terminate().await.code(), Some(0));
}

#[tokio::test]
async fn exits_1_when_not_ready() {
    let database = Database::empty().await;
    let (mut server, address) = serve(&url("memory_lifecycle_app", database.name()).await).await;
    server.logged("not ready").await;
    let asked = run(&["health", "--address", &address.to_string()]).await;
    assert_eq!(asked.code(), Some(1));
    let said = format!("memory-lifecycle: the server on {address} is not ready; its log says why\n");
    assert_eq!(asked.err, said);
    server.terminate().await;
}

#[tokio::test]
async fn exits_1_when_nobody_answers() {
    let address = "127.0.0.1:1";
    let asked = run(&["health", "--address", address]).await;
    assert_eq!(asked.code(), Some(1));
    assert!(
        asked.err.starts_with(&format!("memory-lifecycle: no server answers on {address}: ")),
        "{}",
        asked.err
    );
    assert!(asked.err.contains("refused"), "says what the system says: {}", asked.err);
}
