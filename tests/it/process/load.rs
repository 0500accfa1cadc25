//! SIGTERM under load: what was acknowledged is there, and the program still ends well.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memory_lifecycle::proto::v1::{AuditAction, ForgetMode, MemoryState};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::program::channel;
use super::started::{serve, url};
use crate::harness::{Caller, Database, Server, issuer};
use crate::model::chain;

const CALLERS: usize = 16;
/// How many acknowledged changes to wait for before the signal.
const BEFORE: usize = 400;

/// Saves and forgets until the server is gone; answers the ids whose saving, and whose forgetting, was acknowledged.
async fn changes(
    caller: Caller,
    number: usize,
    count: Arc<AtomicUsize>,
    enough: Arc<Notify>,
) -> [Vec<String>; 2] {
    let [mut saved, mut forgotten] = [Vec::new(), Vec::new()];
    for turn in 0.. {
        let id = format!("memory-{number}-{turn}");
        if caller.remember(&id, "Likes oat milk").await.is_err() {
            break;
        }
        saved.push(id.clone());
        let done = count.fetch_add(1, Ordering::Relaxed);
        if done >= BEFORE {
            enough.notify_one();
        }
        if turn % 2 == 0 {
            if caller.forget(&id, ForgetMode::Soft).await.is_err() {
                break;
            }
            forgotten.push(id);
        }
    }
    [saved, forgotten]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_change_is_there() {
    let database = Database::migrated().await;
    let (mut program, address) = serve(&url("memory_lifecycle_app", database.name()).await).await;
    program.logged("ready: Postgres is there").await;
    let (count, enough) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        let caller = issuer::caller(channel(address), "default", "default");
        callers.spawn(changes(caller, number, Arc::clone(&count), Arc::clone(&enough)));
    }
    enough.notified().await;
    let ended = program.terminate().await;
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(
        issuer::caller(channel(address), "default", "default").get("memory-0-0").await.is_err(),
        "nobody listens any more"
    );
    let [mut saved, mut forgotten] = [Vec::new(), Vec::new()];
    for [one_saved, one_forgotten] in callers.join_all().await {
        saved.extend(one_saved);
        forgotten.extend(one_forgotten);
    }
    assert!(saved.len() >= BEFORE && !forgotten.is_empty());

    let server = Server::start(&database).await;
    let caller = server.caller();
    let memories = caller.list_all().await.unwrap();
    let states: std::collections::HashMap<_, _> =
        memories.iter().map(|memory| (memory.memory_id.as_str(), memory.state())).collect();
    for id in &saved {
        assert!(states.contains_key(id.as_str()), "{id} was acknowledged and is not there");
    }
    for id in &forgotten {
        assert_eq!(states[id.as_str()], MemoryState::Archived, "{id}");
    }
    let log = caller.audit_records().await.unwrap();
    chain::verify("default", &log).unwrap();
    let count = |action| log.iter().filter(|record| record.action() == action).count();
    assert_eq!(count(AuditAction::Remembered), memories.len());
    let archived = memories.iter().filter(|memory| memory.state() == MemoryState::Archived).count();
    assert_eq!(count(AuditAction::Archived), archived);
    server.stop().await;
}
