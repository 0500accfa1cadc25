//! Repeating a call under its request_id.

use memory_lifecycle::proto::v1::{
    BatchForgetRequest, BatchForgetResponse, ForgetMode, ForgetRequest, ForgetResponse, ImportItem,
    ImportMemoriesRequest, ImportMemoriesResponse, RememberRequest, RememberResponse, RestoreRequest,
    RestoreResponse, UpdateMemoryRequest, UpdateMemoryResponse,
};
use prost::Message;
use tokio::task::JoinSet;

use super::stage::{Stage, texts};
use super::wire::{BATCH_FORGET, FORGET, IMPORT, REMEMBER, RESTORE, UPDATE, read};
use crate::harness::caller::by_id;
use crate::harness::reason;

const REQUEST: &str = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";

fn request_id() -> String {
    REQUEST.to_owned()
}

fn remember() -> RememberRequest {
    RememberRequest {
        memory_id: "new".to_owned(),
        content: "text".to_owned(),
        request_id: request_id(),
        ..RememberRequest::default()
    }
}

fn import() -> ImportMemoriesRequest {
    let item = |id: &str| ImportItem {
        memory_id: id.to_owned(),
        content: "text".to_owned(),
        ..ImportItem::default()
    };
    let items = vec![item("a/b"), item("kept"), item(""), item("new")];
    ImportMemoriesRequest { items, request_id: request_id(), ..ImportMemoriesRequest::default() }
}

fn update() -> UpdateMemoryRequest {
    UpdateMemoryRequest {
        memory_id: "kept".to_owned(),
        content: Some("other".to_owned()),
        request_id: request_id(),
        ..UpdateMemoryRequest::default()
    }
}

fn forget() -> ForgetRequest {
    ForgetRequest { selector: by_id("kept"), request_id: request_id(), ..ForgetRequest::default() }
}

fn batch() -> BatchForgetRequest {
    BatchForgetRequest {
        memory_ids: texts(&["a/b", "kept", "unknown", "", "stored", "kept"]),
        request_id: request_id(),
        ..BatchForgetRequest::default()
    }
}

fn restore() -> RestoreRequest {
    RestoreRequest {
        memory_ids: texts(&["stored", "\u{1f9e0}", "kept", "unknown"]),
        request_id: request_id(),
        ..RestoreRequest::default()
    }
}

/// Sends a request twice and gives both answers; the second must change nothing and name the first one's operation.
async fn twice<M: Message + Default>(path: &'static str, request: &impl Message) -> (M, M) {
    let mut stage = Stage::furnished().await;
    let first = stage.call(path, request).await.unwrap();
    stage.tables.note().await;
    let second = stage.call(path, request).await.unwrap();
    stage.tables.assert_unchanged(path).await;
    assert_eq!(first.metadata().get("x-operation-id"), second.metadata().get("x-operation-id"));
    (read(&first), read(&second))
}

#[tokio::test]
async fn a_repeated_forget_is_answered_as_the_first() {
    let (first, second): (ForgetResponse, ForgetResponse) = twice(FORGET, &forget()).await;
    assert_eq!(second, ForgetResponse { replayed: true, ..first.clone() });
    assert_eq!((first.replayed, first.archived), (false, 1));
    let (first, second): (ForgetResponse, ForgetResponse) =
        twice(FORGET, &ForgetRequest { mode: ForgetMode::Hard.into(), ..forget() }).await;
    assert_eq!(second, ForgetResponse { replayed: true, ..first.clone() });
    assert_eq!(first.erased, 1);
}

#[tokio::test]
async fn a_repeated_batch_is_answered_as_the_first_with_what_was_sent_in_place_of_ids() {
    let (first, second): (BatchForgetResponse, BatchForgetResponse) = twice(BATCH_FORGET, &batch()).await;
    assert_eq!(second, BatchForgetResponse { replayed: true, ..first.clone() });
    let sent: Vec<_> = second.results.into_iter().map(|result| result.memory_id).collect();
    assert_eq!(sent, batch().memory_ids);
}

#[tokio::test]
async fn a_repeated_restore_is_answered_as_the_first() {
    let (first, second): (RestoreResponse, RestoreResponse) = twice(RESTORE, &restore()).await;
    assert_eq!(second, RestoreResponse { replayed: true, ..first.clone() });
    let sent: Vec<_> = second.results.into_iter().map(|result| result.memory_id).collect();
    assert_eq!((sent, first.restored), (restore().memory_ids, 1));
}

#[tokio::test]
async fn a_repeated_import_is_answered_as_the_first_with_the_names_it_made() {
    let (first, second): (ImportMemoriesResponse, ImportMemoriesResponse) = twice(IMPORT, &import()).await;
    assert_eq!(second, ImportMemoriesResponse { replayed: true, ..first.clone() });
    assert!(first.import_id.starts_with("imp_"));
    let sent: Vec<_> = second.results.iter().map(|result| result.memory_id.as_str()).collect();
    assert_eq!((sent[0], sent[1], sent[3]), ("a/b", "kept", "new"));
    assert!(sent[2].starts_with("mem_"), "{}", sent[2]);
}

#[tokio::test]
async fn a_repeated_save_or_correction_is_answered_as_the_first() {
    let (first, second): (RememberResponse, RememberResponse) = twice(REMEMBER, &remember()).await;
    assert_eq!(second, RememberResponse { replayed: true, ..first });
    let nameless = RememberRequest { memory_id: String::new(), ..remember() };
    let (first, second): (RememberResponse, RememberResponse) = twice(REMEMBER, &nameless).await;
    assert_eq!(second, RememberResponse { replayed: true, ..first });
    let (first, second): (UpdateMemoryResponse, UpdateMemoryResponse) = twice(UPDATE, &update()).await;
    assert_eq!(second, UpdateMemoryResponse { replayed: true, ..first });
}

#[tokio::test]
async fn a_replay_after_later_changes_still_tells_what_was_done_then() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let first: ForgetResponse = read(&stage.call(FORGET, &forget()).await.unwrap());
    caller.restore(&["kept"]).await.unwrap();
    let again: ForgetResponse = read(&stage.call(FORGET, &forget()).await.unwrap());
    assert_eq!(again, ForgetResponse { replayed: true, ..first.clone() });
    assert_eq!(caller.get("kept").await.unwrap().forget_time, None, "and does not do it again");
    caller.forget("kept", ForgetMode::Hard).await.unwrap();
    let again: ForgetResponse = read(&stage.call(FORGET, &forget()).await.unwrap());
    assert_eq!(again, ForgetResponse { replayed: true, ..first });
}

#[tokio::test]
async fn a_replayed_save_shows_the_memory_as_it_is_now_or_only_its_id() {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    let again = async || {
        let answer: RememberResponse = read(&stage.call(REMEMBER, &remember()).await.unwrap());
        assert!(answer.replayed);
        answer.memory.unwrap()
    };
    let first: RememberResponse = read(&stage.call(REMEMBER, &remember()).await.unwrap());
    assert_eq!(again().await, first.memory.unwrap());
    let with_reason =
        ForgetRequest { selector: by_id("new"), reason: "because".to_owned(), ..ForgetRequest::default() };
    caller.lifecycle.clone().forget(with_reason).await.unwrap();
    let shown = caller.get("new").await.unwrap();
    assert_eq!(shown.forget_reason, "because");
    assert_eq!(again().await, shown, "archived, as a read shows it");
    caller.forget("new", ForgetMode::Hard).await.unwrap();
    let gone = again().await;
    assert_eq!((gone.memory_id.as_str(), gone.content.as_str(), gone.create_time), ("new", "", None));
    caller.remember("new", "another memory under the old id").await.unwrap();
    assert_eq!(again().await, gone, "nothing of another memory");
}

#[tokio::test]
async fn a_uuid_is_the_same_in_either_case() {
    let stage = Stage::furnished().await;
    let upper = RememberRequest { request_id: remember().request_id.to_uppercase(), ..remember() };
    assert_ne!(upper.request_id, remember().request_id);
    let first: RememberResponse = read(&stage.call(REMEMBER, &remember()).await.unwrap());
    let second: RememberResponse = read(&stage.call(REMEMBER, &upper).await.unwrap());
    assert_eq!((first.replayed, second.replayed), (false, true));
}

#[tokio::test]
async fn another_request_under_it_is_refused_whatever_the_method() {
    let mut stage = Stage::furnished().await;
    stage.call(FORGET, &forget()).await.unwrap();
    stage.tables.note().await;
    let others: [(&str, Vec<u8>); 8] = [
        (FORGET, ForgetRequest { mode: ForgetMode::Hard.into(), ..forget() }.encode_to_vec()),
        (FORGET, ForgetRequest { reason: "another".to_owned(), ..forget() }.encode_to_vec()),
        (FORGET, ForgetRequest { selector: by_id("stored"), ..forget() }.encode_to_vec()),
        (BATCH_FORGET, batch().encode_to_vec()),
        (RESTORE, restore().encode_to_vec()),
        (REMEMBER, remember().encode_to_vec()),
        (IMPORT, import().encode_to_vec()),
        (UPDATE, update().encode_to_vec()),
    ];
    let identity = stage.caller().identity;
    for (path, message) in others {
        stage.refused_as(&identity, path, message, "REQUEST_ID_REUSED", &[]).await;
    }
}

#[tokio::test]
async fn another_principal_or_tenant_may_use_the_same_one() {
    let stage = Stage::furnished().await;
    stage.call(REMEMBER, &remember()).await.unwrap();
    let others =
        [stage.server.caller_of("default", "another"), stage.server.caller_of("foreigners", "default")];
    for other in others {
        let request = RememberRequest { memory_id: String::new(), content: "mine".to_owned(), ..remember() };
        let answer = other.store.clone().remember(request).await.unwrap().into_inner();
        assert!(!answer.replayed);
        assert_eq!(answer.memory.unwrap().content, "mine");
    }
}

#[tokio::test]
async fn an_error_is_not_stored_and_the_same_request_can_succeed_later() {
    let stage = Stage::new().await;
    let caller = stage.caller();
    let status = stage.call(FORGET, &forget()).await.unwrap_err();
    assert_eq!(reason(&status), "MEMORY_NOT_FOUND");
    caller.remember("kept", "text").await.unwrap();
    let answer: ForgetResponse = read(&stage.call(FORGET, &forget()).await.unwrap());
    assert_eq!((answer.archived, answer.replayed), (1, false));
}

#[tokio::test]
async fn of_twenty_at_once_one_does_the_work_and_all_get_its_answer() {
    let stage = Stage::furnished().await;
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let caller = stage.caller();
        calls.spawn(async move { caller.lifecycle.clone().forget(forget()).await.unwrap().into_inner() });
    }
    let answers = calls.join_all().await;
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    let plain = |answer: &ForgetResponse| ForgetResponse { replayed: false, ..answer.clone() };
    assert!(answers.iter().all(|answer| plain(answer) == plain(&answers[0])));
    let archived = stage
        .database
        .value::<i64>("SELECT count(*) FROM audit_records WHERE memory_id = 'kept' AND action = 2")
        .await;
    assert_eq!(archived, 1);
}
