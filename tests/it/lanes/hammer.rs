//! Many callers on the same few memories, through two replicas: no deadlock, no strange error, every change recorded.

use std::collections::BTreeMap;

use memory_lifecycle::proto::v1::{ForgetMode, MemoryResult, Outcome, UpdateMemoryRequest};
use tokio::task::JoinSet;
use tonic::Status;

use super::{assert_log_explains_rows, verified_log};
use crate::harness::{Caller, Database, Server, reason, scaled, settings};

const CALLERS: usize = 64;
const TENANT: &str = "tenant";
const IDS: usize = 50;
/// What may be answered to these calls.
const DOCUMENTED: [&str; 5] =
    ["MEMORY_NOT_FOUND", "ALREADY_EXISTS", "MEMORY_NOT_ACTIVE", "CONFLICT", "OVERLOADED"];

fn changes(results: &[MemoryResult]) -> usize {
    let changed = |result: &&MemoryResult| {
        matches!(result.outcome(), Outcome::Archived | Outcome::Erased | Outcome::Restored)
    };
    results.iter().filter(changed).count()
}

/// Makes one call at random and answers how many transitions it says it made.
async fn call(caller: &Caller) -> Result<usize, Status> {
    let id = format!("memory-{}", rand::random_range(0..IDS));
    let mode = if rand::random_bool(0.3) { ForgetMode::Hard } else { ForgetMode::Soft };
    Ok(match rand::random_range(0..6) {
        0 => {
            caller.remember(&id, "content").await?;
            1
        }
        1 => changes(&caller.forget(&id, mode).await?.results),
        2 => changes(&caller.restore(&[&id]).await?.results),
        3 => {
            let content = format!("content {}", rand::random_range(0..1_000_000_000));
            let request = UpdateMemoryRequest {
                memory_id: id,
                content: Some(content),
                ..UpdateMemoryRequest::default()
            };
            let audit = caller.store.clone().update_memory(request).await?.into_inner().audit.unwrap();
            usize::from(audit.first_sequence > 0)
        }
        4 => {
            let ids = shuffled();
            changes(&caller.restore(&ids.iter().map(String::as_str).collect::<Vec<_>>()).await?.results)
        }
        _ => {
            let ids = shuffled();
            changes(
                &caller
                    .batch_forget(&ids.iter().map(String::as_str).collect::<Vec<_>>(), mode)
                    .await?
                    .results,
            )
        }
    })
}

/// Ten of the ids, in any order.
fn shuffled() -> Vec<String> {
    let keyed: BTreeMap<u64, usize> = (0..IDS).map(|id| (rand::random(), id)).collect();
    keyed.into_values().take(10).map(|id| format!("memory-{id}")).collect()
}

async fn hammer(caller: Caller, calls: usize) -> (usize, BTreeMap<String, usize>) {
    let (mut transitions, mut refused) = (0, BTreeMap::new());
    for _ in 0..calls {
        match call(&caller).await {
            Ok(made) => transitions += made,
            Err(status) => *refused.entry(reason(&status)).or_default() += 1,
        }
    }
    (transitions, refused)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_on_the_same_memories_meet_no_deadlock() {
    const DEADLOCKS: &str = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    let database = Database::migrated().await;
    let replicas =
        [Server::start_with(&database, settings()).await, Server::start_with(&database, settings()).await];
    let caller = replicas[0].caller_of(TENANT, "agent");
    for id in 0..IDS / 2 {
        caller.remember(&format!("memory-{id}"), "content").await.unwrap();
    }
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        callers.spawn(hammer(replicas[number % 2].caller_of(TENANT, "agent"), scaled(400, 12)));
    }
    let mut transitions = IDS / 2;
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for (made, by_reason) in callers.join_all().await {
        transitions += made;
        for (reason, times) in by_reason {
            *refused.entry(reason).or_default() += times;
        }
    }
    let strange: Vec<_> = refused.keys().filter(|reason| !DOCUMENTED.contains(&reason.as_str())).collect();
    assert!(strange.is_empty(), "{refused:?}");
    let recorded = verified_log(&replicas[0], &database, TENANT).await.len();
    assert_eq!(recorded, transitions, "as many records as transitions were answered");
    assert!(
        transitions > 300,
        "{transitions} transitions are too few to prove anything; refused: {refused:?}"
    );
    assert_log_explains_rows(&database).await;
    for replica in replicas {
        replica.stop().await;
    }
    let deadlocks: i64 = database.value(DEADLOCKS).await;
    assert_eq!(deadlocks, 0);
}
