//! What stays, what comes back, and what callers at once may do to each other.

use std::time::Duration;

use memory_lifecycle::proto::v1::{
    ForgetMode, ForgetRequest, GetOperationRequest, ListMemoriesRequest, Memory, MemoryState,
    UpdateMemoryRequest,
};
use tokio::task::JoinSet;
use tonic::Request;

use crate::calls::hold;
use crate::calls::stage::Stage;
use crate::harness::caller::by_id;
use crate::harness::{Server, reason};

#[tokio::test]
async fn what_was_forgotten_is_gone_from_every_read_of_another_connection() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    // Another replica, with connections of its own, asked as soon as the answer is there.
    let server = Server::start(&stage.database).await;
    let replica = server.caller();
    for number in 0..20 {
        let id = format!("id-{number}");
        caller.remember(&id, "text").await.unwrap();
        let mode = if number % 2 == 0 { ForgetMode::Soft } else { ForgetMode::Hard };
        caller.forget(&id, mode).await.unwrap();
        let listed = replica.store.clone().list_memories(ListMemoriesRequest::default()).await.unwrap();
        assert_eq!(listed.into_inner().memories, []);
        match (mode, replica.get(&id).await) {
            (ForgetMode::Soft, Ok(memory)) => assert_eq!(memory.state(), MemoryState::Archived),
            (ForgetMode::Hard, Err(status)) => assert_eq!(reason(&status), "MEMORY_NOT_FOUND"),
            (mode, got) => panic!("{mode:?}: {got:?}"),
        }
    }
    assert_eq!(replica.list_all().await.unwrap().len(), 10);
}

#[tokio::test]
async fn the_same_content_can_be_saved_again_and_again() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let first = caller.remember("first", "the same").await.unwrap();
    caller.remember("second", "the same").await.unwrap();
    assert_eq!(caller.get("first").await.unwrap(), first, "the one before lives on");
    caller.forget("first", ForgetMode::Soft).await.unwrap();
    caller.remember("third", "the same").await.unwrap();
    caller.restore(&["first"]).await.unwrap();
    assert_eq!(caller.list_all().await.unwrap().len(), 3);
}

#[tokio::test]
async fn twenty_restores_at_once_bring_it_back_once() {
    let stage = Stage::furnished().await;
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let caller = stage.caller();
        calls.spawn(async move { caller.restore(&["stored"]).await.unwrap() });
    }
    let answers = calls.join_all().await;
    assert_eq!(answers.iter().map(|answer| answer.restored).sum::<i64>(), 1);
    assert_eq!(answers.iter().map(|answer| answer.already_active).sum::<i64>(), 19);
    let restored = stage.database.value::<i64>("SELECT count(*) FROM audit_records WHERE action = 4").await;
    assert_eq!(restored, 1);
}

/// The id stays taken while it is archived; once it is erased whoever comes first has it, and nobody overwrites.
#[tokio::test]
async fn a_restore_and_a_save_of_the_same_id_never_overwrite_each_other() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    for round in 0..10 {
        let id = format!("id-{round}");
        caller.remember(&id, "old").await.unwrap();
        caller.forget(&id, ForgetMode::Soft).await.unwrap();
        let ids = [id.as_str()];
        let (restored, erased, saved) = tokio::join!(
            caller.restore(&ids),
            caller.forget(&id, ForgetMode::Hard),
            caller.remember(&id, "new"),
        );
        let restored = restored.unwrap();
        assert_eq!(
            (erased.unwrap().erased, restored.restored + restored.already_active + restored.not_found),
            (1, 1)
        );
        match saved {
            Ok(memory) => assert_eq!(caller.get(&id).await.unwrap(), Memory { ..memory }),
            Err(status) => {
                assert_eq!(reason(&status), "ALREADY_EXISTS");
                assert_eq!(reason(&caller.get(&id).await.unwrap_err()), "MEMORY_NOT_FOUND");
            }
        }
    }
}

#[tokio::test]
async fn after_a_timeout_the_same_request_tells_what_became_of_it() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let request_id = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned();
    let request =
        ForgetRequest { selector: by_id("kept"), request_id: request_id.clone(), ..Default::default() };
    let held = hold::head(&stage.database, "default").await;
    let mut hurried = Request::new(request.clone());
    hurried.set_timeout(Duration::from_millis(200));
    caller.lifecycle.clone().forget(hurried).await.unwrap_err();
    held.release().await;
    // Begun before the deadline, it is carried out all the same, or never: the operation says which.
    let look_up = GetOperationRequest { operation_id: None, request_id: Some(request_id) };
    let found = caller.lifecycle.clone().get_operation(look_up).await.map(tonic::Response::into_inner);
    let answer = caller.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert_eq!(answer.archived, 1);
    if let Ok(found) = found {
        assert!(answer.replayed);
        assert_eq!(found.operation.unwrap().operation_id, answer.operation_id);
    }
    let archived = "SELECT count(*) FROM audit_records WHERE memory_id = 'kept' AND action = 2";
    assert_eq!(stage.database.value::<i64>(archived).await, 1);
}

#[tokio::test]
async fn every_transition_moves_version_and_time() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let mut images = vec![caller.remember("id", "text").await.unwrap()];
    let update = UpdateMemoryRequest {
        memory_id: "id".to_owned(),
        content: Some("other".to_owned()),
        ..UpdateMemoryRequest::default()
    };
    caller.store.clone().update_memory(update).await.unwrap();
    images.push(caller.get("id").await.unwrap());
    caller.forget("id", ForgetMode::Soft).await.unwrap();
    images.push(caller.get("id").await.unwrap());
    caller.restore(&["id"]).await.unwrap();
    images.push(caller.get("id").await.unwrap());
    for pair in images.windows(2) {
        let time = |memory: &Memory| memory.update_time.map(|time| (time.seconds, time.nanos));
        assert!(pair[0].etag < pair[1].etag);
        assert!(time(&pair[0]) < time(&pair[1]));
        assert_eq!(pair[0].create_time, pair[1].create_time);
    }
}

#[tokio::test]
async fn lists_in_any_order_never_deadlock() {
    let stage = Stage::new().await;
    let replica = Server::start(&stage.database).await;
    let ids: Vec<String> = (0..10).map(|number| format!("id-{number}")).collect();
    for id in &ids {
        stage.caller().remember(id, "text").await.unwrap();
    }
    let mut calls = JoinSet::new();
    for number in 0..32 {
        let caller = if number % 2 == 0 { stage.caller() } else { replica.caller() };
        let mut ids = ids.clone();
        ids.rotate_left(number % 10);
        if number % 3 == 0 {
            ids.reverse();
        }
        calls.spawn(async move {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            if number % 4 < 2 {
                let answer = caller.batch_forget(&ids, ForgetMode::Soft).await.unwrap();
                assert_eq!(answer.archived + answer.already_forgotten, 10);
            } else {
                let answer = caller.restore(&ids).await.unwrap();
                assert_eq!(answer.restored + answer.already_active, 10);
            }
        });
    }
    // A call that fails, or an answer that does not sum, panics in its task, and here.
    assert_eq!(calls.join_all().await.len(), 32);
}
