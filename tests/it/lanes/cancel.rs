//! Callers that leave at any moment harm nobody.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use memory_lifecycle::proto::v1::{ForgetMode, GetOperationRequest, RememberRequest};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tonic::{Code, Request};
use uuid::Uuid;

use super::{assert_log_explains_rows, until, until_disconnected, verified_log};
use crate::harness::{Caller, Database, Server, scaled, settings};

const CALLERS: usize = 16;
const TENANTS: usize = 4;

/// Saves, and now and then asks for an operation that is not there, which takes the head as well; leaves after a
/// time at random, by its own clock or by a deadline. Goes on until all callers together have left so often; answers
/// what was acknowledged.
async fn leave_at_random(caller: Caller, number: usize, left: Arc<AtomicUsize>, often: usize) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let mut usual = Duration::from_millis(10);
    for call in 0.. {
        if left.load(Ordering::Relaxed) >= often {
            break;
        }
        let id = format!("memory-{number}-{call}");
        if call % 8 == 0 {
            // How long a call takes here and now, so that some end in time and some do not.
            let begin = Instant::now();
            caller.remember(&format!("patient-{number}-{call}"), "content").await.unwrap();
            usual = begin.elapsed();
        }
        let patience = usual.mul_f64(rand::random_range(0.0..2.0));
        let request = RememberRequest {
            memory_id: id.clone(),
            content: "content".to_owned(),
            ..RememberRequest::default()
        };
        // Whether it was answered in time, and if so, whether something was saved.
        let answered = match call % 4 {
            0 => {
                let unknown = GetOperationRequest {
                    operation_id: Some(Uuid::now_v7().to_string()),
                    ..GetOperationRequest::default()
                };
                let mut lifecycle = caller.lifecycle.clone();
                tokio::time::timeout(patience, lifecycle.get_operation(unknown)).await.ok().map(|_| false)
            }
            1 => {
                let mut request = Request::new(request);
                request.set_timeout(patience);
                match caller.store.clone().remember(request).await {
                    Ok(_) => Some(true),
                    Err(status) => {
                        let over = matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled);
                        assert!(over, "nothing else keeps a new memory from being saved: {status:?}");
                        None
                    }
                }
            }
            2 => {
                let mut store = caller.store.clone();
                let answer = tokio::time::timeout(patience, store.remember(request)).await;
                answer.ok().map(|answer| answer.is_ok())
            }
            _ => {
                let ids = [id.as_str(), "memory-0-1", "memory-1-2"];
                let forget = caller.batch_forget(&ids, ForgetMode::Hard);
                tokio::time::timeout(patience, forget).await.ok().map(|_| false)
            }
        };
        match answered {
            Some(true) => acknowledged.push(id),
            Some(false) => {}
            None => {
                left.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    acknowledged
}

/// Has Postgres log its warnings, among them that of a BEGIN inside of a transaction.
const LOG_WARNINGS: &str = "
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET log_min_messages = warning', current_database());
    END $$";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_leave_harm_nobody() {
    let database = Database::migrated().await;
    database.execute(LOG_WARNINGS).await;
    let server = Server::start_with(&database, settings()).await;
    let mut callers = JoinSet::new();
    let (left, often) = (Arc::new(AtomicUsize::new(0)), scaled(10_000, 250));
    for number in 0..CALLERS {
        let tenant = format!("tenant-{}", number % TENANTS);
        let caller = server.caller_of(&tenant, "agent");
        let left = Arc::clone(&left);
        callers.spawn(async move { (tenant, leave_at_random(caller, number, left, often).await) });
    }
    let acknowledged = callers.join_all().await;
    let count: usize = acknowledged.iter().map(|(_, ids)| ids.len()).sum();
    assert!(count > often / 20, "some stayed: {count}");

    let question = "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = $1
                    AND application_name = 'memory-lifecycle' AND state LIKE 'idle in transaction%'";
    until(&database, "no connection is inside a transaction", question).await;
    for tenant in (0..TENANTS).map(|number| format!("tenant-{number}")) {
        // Whatever is still in the lane comes before this.
        server.caller_of(&tenant, "agent").remember("last", "content").await.unwrap();
        let log = verified_log(&server, &database, &tenant).await;
        let saved: BTreeSet<&str> =
            log.iter().filter(|record| record.action == 1).map(|record| record.memory_id.as_str()).collect();
        for (_, ids) in acknowledged.iter().filter(|(of, _)| *of == tenant) {
            assert!(ids.iter().all(|id| saved.contains(id.as_str())), "what was acknowledged is in the log");
        }
    }
    assert_log_explains_rows(&database).await;
    server.stop().await;
    until_disconnected(&database).await;
    let nested = database.logged("already a transaction in progress").await;
    assert!(nested.is_empty(), "connections were handed out inside of transactions: {nested:?}");
    let ended = database.logged("idle-in-transaction").await;
    assert!(ended.is_empty(), "Postgres had to end forgotten transactions: {ended:?}");
}
