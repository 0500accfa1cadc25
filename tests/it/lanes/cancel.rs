//! Callers that leave at any moment harm nobody.

use std::collections::BTreeSet;
use std::time::Duration;

use memory_lifecycle::proto::v1::{ForgetMode, GetOperationRequest, RememberRequest};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::{assert_log_explains_rows, until, until_disconnected, verified_log};
use crate::harness::{Caller, Database, Server, scaled, settings};

const CALLERS: usize = 16;
const TENANTS: usize = 4;

/// Saves, and now and then asks for an operation that is not there, which takes the head as well; leaves after a
/// time at random, by its own clock or by a deadline. Answers what was acknowledged.
async fn leave_at_random(caller: Caller, number: usize, calls: usize) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let mut usual = Duration::from_millis(10);
    for call in 0..calls {
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
        let answered = match call % 4 {
            0 => {
                let unknown = GetOperationRequest {
                    operation_id: Some(Uuid::now_v7().to_string()),
                    ..GetOperationRequest::default()
                };
                let mut lifecycle = caller.lifecycle.clone();
                let _ = tokio::time::timeout(patience, lifecycle.get_operation(unknown)).await;
                false
            }
            1 => {
                let mut request = Request::new(request);
                request.set_timeout(patience);
                caller.store.clone().remember(request).await.is_ok()
            }
            2 => {
                let mut store = caller.store.clone();
                let gone = tokio::time::timeout(patience, store.remember(request)).await;
                gone.is_ok_and(|answer| answer.is_ok())
            }
            _ => {
                let ids = [id.as_str(), "memory-0-1", "memory-1-2"];
                let forget = caller.batch_forget(&ids, ForgetMode::Hard);
                let _ = tokio::time::timeout(patience, forget).await;
                false
            }
        };
        if answered {
            acknowledged.push(id);
        }
    }
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_leave_harm_nobody() {
    let database = Database::migrated().await;
    let server = Server::start_with(&database, settings()).await;
    let mut callers = JoinSet::new();
    let calls = scaled(8000, 800) / CALLERS;
    for number in 0..CALLERS {
        let tenant = format!("tenant-{}", number % TENANTS);
        let caller = server.caller_of(&tenant, "agent");
        callers.spawn(async move { (tenant, leave_at_random(caller, number, calls).await) });
    }
    let acknowledged = callers.join_all().await;
    let count: usize = acknowledged.iter().map(|(_, ids)| ids.len()).sum();
    assert!(count > 0 && count < CALLERS * calls / 2, "some stayed and some left: {count}");

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
    let ended = database.logged("idle-in-transaction").await;
    assert!(ended.is_empty(), "Postgres had to end forgotten transactions: {ended:?}");
}
