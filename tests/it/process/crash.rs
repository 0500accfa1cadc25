//! `kill -9` of `dev`.

use super::program::caller;
use super::started::Dev;
use crate::embedded::{alive, kept, until};

#[tokio::test]
async fn a_killed_dev_leaves_no_postgres_and_no_temporary_folder() {
    let dev = Dev::start(None).await;
    let (postgres, folder) = (dev.postgres(), dev.folder.clone());
    dev.program.kill().await;
    until("Postgres to end", || !alive(postgres)).await;
    until("the folder to go", || !folder.exists()).await;
}

#[tokio::test]
async fn the_folder_of_a_killed_dev_serves_at_once_with_every_acknowledged_change() {
    let (_guard, folder) = kept();
    let dev = Dev::start(Some(&folder)).await;
    let first = caller(dev.address);
    let mut saved = Vec::new();
    for number in 0..20 {
        saved.push(first.remember(&format!("kept-{number}"), "Likes oat milk").await.unwrap());
    }
    let forgotten = first.forget("kept-7", memory_lifecycle::proto::v1::ForgetMode::Soft).await.unwrap();
    let log = first.audit_records().await.unwrap();
    let postgres = dev.postgres();
    dev.program.kill().await;

    // No waiting here: Postgres may still be shutting down.
    let next = Dev::start(Some(&folder)).await;
    assert_ne!(next.postgres(), postgres);
    let second = caller(next.address);
    for memory in &saved {
        let found = second.get(&memory.memory_id).await.unwrap();
        if memory.memory_id == "kept-7" {
            assert_eq!(found.forget_operation_id, forgotten.operation_id);
        } else {
            assert_eq!(&found, memory);
        }
    }
    assert_eq!(second.audit_records().await.unwrap(), log);
    assert_eq!(next.program.terminate().await.code(), Some(0));
}
