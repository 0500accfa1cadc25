//! A lost COMMIT is resolved: the caller gets the true answer, and the change is made once.

use std::collections::BTreeMap;
use std::time::Duration;

use memory_lifecycle::proto::v1::{ForgetMode, ForgetRequest, Outcome};
use tokio::task::JoinSet;
use tonic::Request;
use uuid::Uuid;

use super::{assert_log_explains_rows, one_lane, until_waiting, verified_log};
use crate::harness::caller::by_id;
use crate::harness::server::SERVICE;
use crate::harness::{Caller, Database, Server, scaled};
use crate::proxy::{Loss, Proxy};

/// How long a call may take that loses its COMMIT, however busy the machine.
const DEADLINE: Duration = Duration::from_secs(20);

pub(super) async fn behind_proxy() -> (Database, Proxy, Server) {
    let database = Database::migrated().await;
    let proxy = Proxy::start(&database).await;
    let server = Server::start_unready(proxy.connect(), one_lane()).await;
    server.until_health(SERVICE, tonic_health::pb::health_check_response::ServingStatus::Serving).await;
    (database, proxy, server)
}

pub(super) fn soft_forget(id: &str, request_id: Uuid) -> ForgetRequest {
    ForgetRequest {
        selector: by_id(id),
        mode: ForgetMode::Soft.into(),
        request_id: request_id.to_string(),
        ..ForgetRequest::default()
    }
}

/// The request with a deadline: a call that is not resolved in time fails.
fn timed(request: &ForgetRequest) -> Request<ForgetRequest> {
    let mut timed = Request::new(request.clone());
    timed.set_timeout(DEADLINE);
    timed
}

/// Loses COMMITs of batches with several callers in them; each is answered before its deadline as if nothing had
/// happened, and what is repeated is answered the same.
async fn lose_commits(loss: Loss) {
    let rounds = scaled(500, 25);
    let (database, proxy, server) = behind_proxy().await;
    let tenants = ["one", "two", "three"];
    let callers: Vec<Caller> = tenants.iter().map(|tenant| server.caller_of(tenant, "agent")).collect();
    for caller in &callers {
        for round in 0..rounds {
            caller.remember(&format!("memory-{round}"), "content").await.unwrap();
        }
    }
    for round in 0..rounds {
        proxy.lose_next(loss);
        let mut calls = JoinSet::new();
        for (number, caller) in callers.iter().cloned().enumerate() {
            let request = soft_forget(&format!("memory-{round}"), Uuid::new_v4());
            calls.spawn(async move {
                let first = caller.lifecycle.clone().forget(timed(&request)).await.unwrap().into_inner();
                let again = caller.lifecycle.clone().forget(timed(&request)).await.unwrap().into_inner();
                (number, first, again)
            });
        }
        for (number, first, again) in calls.join_all().await {
            assert_eq!(first.results[0].outcome(), Outcome::Archived, "{round} of {}", tenants[number]);
            assert!(!first.replayed && again.replayed);
            assert_eq!(again.operation_id, first.operation_id);
            assert_eq!(again.audit, first.audit);
            assert_eq!(again.results, first.results);
        }
        assert_eq!(proxy.lost(), round + 1, "a COMMIT was lost in every round");
    }
    for tenant in tenants {
        let log = verified_log(&server, &database, tenant).await;
        let mut transitions = BTreeMap::new();
        for record in log {
            *transitions.entry((record.memory_id, record.action)).or_insert(0) += 1;
        }
        assert_eq!(transitions.len(), 2 * rounds);
        assert!(transitions.values().all(|times| *times == 1), "nothing was done twice");
    }
    assert_log_explains_rows(&database).await;
}

#[tokio::test]
async fn a_commit_that_comes_late_is_waited_for() {
    let (database, proxy, server) = behind_proxy().await;
    let caller = server.caller();
    caller.remember("memory", "content").await.unwrap();
    proxy.lose_next(Loss::Late);
    let request = soft_forget("memory", Uuid::new_v4());
    let call = tokio::spawn(async move { caller.lifecycle.clone().forget(request).await });
    // Whoever asks now whether it was committed is told no. It still can be, and is.
    until_waiting(&database).await;
    proxy.deliver();
    let answer = call.await.unwrap().unwrap().into_inner();
    assert_eq!(answer.results[0].outcome(), Outcome::Archived);
    assert!(!answer.replayed);
    assert_eq!(verified_log(&server, &database, "default").await.len(), 2, "done once");
}

#[tokio::test]
async fn a_commit_lost_on_its_way_is_resolved() {
    lose_commits(Loss::Before).await;
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_resolved() {
    lose_commits(Loss::After).await;
}
