//! Page sizes, and page tokens that are forged, stale in form or somebody else's.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use memory_lifecycle::proto::v1::{
    ForgetMode, ListAuditRecordsRequest, ListMemoriesRequest, ListMemoriesResponse, ListOperationsRequest,
    ListOperationsResponse, PreviewRequest, PreviewResponse, Selector,
};
use prost::Message;

use super::CANARY;
use crate::calls::stage::{INVALID_FIELD, Stage, texts};
use crate::calls::wire::{LIST_AUDIT, LIST_MEMORIES, LIST_OPERATIONS, PREVIEW, read};

fn list(page_size: i32, page_token: &str) -> ListMemoriesRequest {
    ListMemoriesRequest { page_size, page_token: page_token.to_owned(), ..ListMemoriesRequest::default() }
}

fn operations(page_size: i32, page_token: &str) -> ListOperationsRequest {
    ListOperationsRequest { page_size, page_token: page_token.to_owned(), ..ListOperationsRequest::default() }
}

fn audit(page_size: i32, page_token: &str) -> ListAuditRecordsRequest {
    ListAuditRecordsRequest {
        page_size,
        page_token: page_token.to_owned(),
        ..ListAuditRecordsRequest::default()
    }
}

fn preview(page_size: i32, page_token: &str) -> PreviewRequest {
    PreviewRequest {
        selector: Some(Selector { memory_ids: texts(&["kept", "stored"]), ..Selector::default() }),
        page_size,
        page_token: page_token.to_owned(),
        ..PreviewRequest::default()
    }
}

/// The page methods' requests with this size and token.
fn all(page_size: i32, page_token: &str) -> [(&'static str, Vec<u8>); 4] {
    [
        (LIST_MEMORIES, list(page_size, page_token).encode_to_vec()),
        (LIST_OPERATIONS, operations(page_size, page_token).encode_to_vec()),
        (LIST_AUDIT, audit(page_size, page_token).encode_to_vec()),
        (PREVIEW, preview(page_size, page_token).encode_to_vec()),
    ]
}

#[tokio::test]
async fn a_negative_page_size_is_refused() {
    let mut stage = Stage::furnished().await;
    let identity = stage.caller().identity;
    for size in [-1, i32::MIN] {
        for (path, message) in all(size, "") {
            stage.refused_as(&identity, path, message, INVALID_FIELD, &["page_size"]).await;
        }
    }
}

/// A token of the second page of each method, the first page having one entry.
async fn tokens(stage: &Stage) -> [(&'static str, String); 4] {
    let memories: ListMemoriesResponse = read(&stage.call(LIST_MEMORIES, &list(1, "")).await.unwrap());
    let operations: ListOperationsResponse =
        read(&stage.call(LIST_OPERATIONS, &operations(1, "")).await.unwrap());
    let records: memory_lifecycle::proto::v1::ListAuditRecordsResponse =
        read(&stage.call(LIST_AUDIT, &audit(1, "")).await.unwrap());
    let preview: PreviewResponse = read(&stage.call(PREVIEW, &preview(1, "")).await.unwrap());
    let tokens = [
        (LIST_MEMORIES, memories.next_page_token),
        (LIST_OPERATIONS, operations.next_page_token),
        (LIST_AUDIT, records.next_page_token),
        (PREVIEW, preview.next_page_token),
    ];
    assert!(tokens.iter().all(|(_, token)| !token.is_empty()));
    tokens
}

/// A stage on which every list has a second page.
async fn stage() -> Stage {
    let mut stage = Stage::furnished().await;
    stage.caller().remember("second", "second").await.unwrap();
    stage.tables.note().await;
    stage
}

#[tokio::test]
async fn a_token_with_any_bit_flipped_is_refused() {
    let mut stage = stage().await;
    let identity = stage.caller().identity;
    for (at, (path, token)) in tokens(&stage).await.into_iter().enumerate() {
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        let mut forged: Vec<String> = (0..bytes.len())
            .map(|index| {
                let mut bytes = bytes.clone();
                bytes[index] ^= 1 << (index % 8);
                URL_SAFE_NO_PAD.encode(bytes)
            })
            .collect();
        forged.push(token[..token.len() - 2].to_owned());
        forged.push(format!("{token}AAAA"));
        forged.push(format!("{token}="));
        forged.push(CANARY.to_owned());
        forged.push(" ".to_owned());
        forged.push("é".to_owned());
        for forged in forged {
            let (path_again, message) = all(1, &forged).into_iter().nth(at).unwrap();
            assert_eq!(path, path_again);
            stage.refused_as(&identity, path, message, INVALID_FIELD, &["page_token"]).await;
        }
    }
}

#[tokio::test]
async fn a_token_of_another_method_caller_or_request_is_refused() {
    let mut stage = stage().await;
    let identity = stage.caller().identity;
    let tokens = tokens(&stage).await;
    for (of, token) in &tokens {
        for (path, message) in all(1, token) {
            if *of != path {
                stage.refused_as(&identity, path, message, INVALID_FIELD, &["page_token"]).await;
            }
        }
    }
    let others = [
        stage.server.caller_of("default", "another").identity,
        stage.server.caller_of("foreigners", "default").identity,
        stage.admin("default").identity,
    ];
    for other in others {
        for (at, (path, token)) in tokens.iter().enumerate() {
            let (_, message) = all(1, token).into_iter().nth(at).unwrap();
            stage.refused_as(&other, path, message, INVALID_FIELD, &["page_token"]).await;
        }
    }
    let other = ListMemoriesRequest { show_archived: true, ..list(1, &tokens[0].1) };
    stage.refused(LIST_MEMORIES, &other, INVALID_FIELD, &["page_token"]).await;
    let method = Some("memorylifecycle.v1.MemoryStore/Remember".to_owned());
    let other = ListOperationsRequest { method, ..operations(1, &tokens[1].1) };
    stage.refused(LIST_OPERATIONS, &other, INVALID_FIELD, &["page_token"]).await;
    let other = ListOperationsRequest { method: Some("unknown".to_owned()), ..operations(1, &tokens[1].1) };
    stage.refused(LIST_OPERATIONS, &other, INVALID_FIELD, &["page_token"]).await;
    let other = ListAuditRecordsRequest { actions: vec![1], ..audit(1, &tokens[2].1) };
    stage.refused(LIST_AUDIT, &other, INVALID_FIELD, &["page_token"]).await;
    let other = PreviewRequest { mode: ForgetMode::Hard.into(), ..preview(1, &tokens[3].1) };
    stage.refused(PREVIEW, &other, INVALID_FIELD, &["page_token"]).await;
    // The page's size alone may be another.
    for (path, message) in tokens
        .iter()
        .zip(0..)
        .map(|((path, token), at)| (*path, all(1000, token).into_iter().nth(at).unwrap().1))
    {
        stage.call_as(&identity, path, message).await.unwrap();
    }
}

#[tokio::test]
async fn an_empty_method_to_list_by_is_refused() {
    let mut stage = stage().await;
    for method in ["", "  "] {
        let request = ListOperationsRequest { method: Some(method.to_owned()), ..operations(0, "") };
        stage.refused(LIST_OPERATIONS, &request, INVALID_FIELD, &["method"]).await;
    }
}
