//! A lost COMMIT that cannot be resolved is told as unknown, and the truth can be asked for later.

use memory_lifecycle::proto::v1::{ForgetMode, GetOperationRequest, MemoryResult, Operation, Outcome};
use tonic::{Code, Status};
use tonic_types::StatusExt;
use uuid::Uuid;

use super::lost::{behind_proxy, soft_forget};
use super::verified_log;
use crate::harness::{Caller, reason};
use crate::proxy::Loss;

async fn look_up(caller: &Caller, operation: &str) -> Result<Operation, Status> {
    let request =
        GetOperationRequest { operation_id: Some(operation.to_owned()), ..GetOperationRequest::default() };
    let response = caller.lifecycle.clone().get_operation(request).await?.into_inner();
    Ok(response.operation.unwrap())
}

fn outcomes(results: &[MemoryResult]) -> Vec<Outcome> {
    results.iter().map(MemoryResult::outcome).collect()
}

/// Whether the operation was committed, as a look-up says: found, or not found.
async fn was_committed(caller: &Caller, operation: &str) -> bool {
    match look_up(caller, operation).await {
        Ok(found) => {
            assert_eq!(found.operation_id, operation);
            true
        }
        Err(status) => {
            assert_eq!(reason(&status), "OPERATION_NOT_FOUND");
            false
        }
    }
}

async fn outage_at_commit(loss: Loss) {
    let (database, proxy, server) = behind_proxy().await;
    let caller = server.caller();
    for id in ["single", "one", "two"] {
        caller.remember(id, "content").await.unwrap();
    }
    let committed = loss == Loss::After;

    // One memory: an error that says so and names the operation.
    let request = soft_forget("single", Uuid::new_v4());
    proxy.lose_next_and_go_down(loss);
    let status = caller.lifecycle.clone().forget(request.clone()).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unavailable, "OUTCOME_UNKNOWN"));
    assert!(status.get_details_retry_info().is_some());
    let operation = status.get_details_error_info().unwrap().metadata["operation_id"].clone();
    proxy.come_up();
    assert_eq!(was_committed(&caller, &operation).await, committed);
    let repeated = caller.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert_eq!(outcomes(&repeated.results), [Outcome::Archived]);
    assert_eq!(repeated.replayed, committed);
    assert_eq!(repeated.operation_id == operation, committed);

    // A list: OK, with nothing known of any of its memories.
    proxy.lose_next_and_go_down(loss);
    let answer = caller.batch_forget(&["one", "two"], ForgetMode::Soft).await.unwrap();
    assert_eq!(outcomes(&answer.results), [Outcome::Unknown, Outcome::Unknown]);
    proxy.come_up();
    assert_eq!(was_committed(&caller, &answer.operation_id).await, committed);

    proxy.lose_next_and_go_down(loss);
    let answer = caller.restore(&["single"]).await.unwrap();
    assert_eq!(outcomes(&answer.results), [Outcome::Unknown]);
    proxy.come_up();
    assert_eq!(was_committed(&caller, &answer.operation_id).await, committed);

    assert_eq!(proxy.lost(), 3);
    let log = verified_log(&server, &database, "default").await;
    assert_eq!(log.len(), if committed { 3 + 1 + 2 + 1 } else { 3 + 1 });
}

#[tokio::test]
async fn an_outage_before_the_commit_leaves_it_unknown_and_undone() {
    outage_at_commit(Loss::Before).await;
}

#[tokio::test]
async fn an_outage_after_the_commit_leaves_it_unknown_and_done() {
    outage_at_commit(Loss::After).await;
}
