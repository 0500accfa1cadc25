//! Every reason that the contract publishes, provoked as a caller would meet it.

use std::time::Duration;

use futures_util::future::join_all;
use memory_lifecycle::proto::v1::{
    BatchForgetRequest, Filter, ForgetCause, ForgetMode, ForgetRequest, GetMemoryRequest,
    GetOperationRequest, LiftSuppressionRequest, ListMemoriesRequest, MemoryKind, PreviewRequest,
    PreviewResponse, RememberRequest, RestoreRequest, Selector, UpdateMemoryRequest,
};
use prost::Message;
use tonic::{Code, Request, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_types::StatusExt;

use super::published::reasons;
use super::stage::{CANARY, Stage, assert_well_told, texts};
use super::wire::{
    BATCH_FORGET, FORGET, GET_MEMORY, GET_OPERATION, LIFT, LIST_MEMORIES, PREVIEW, REMEMBER, RESTORE, UPDATE,
    read,
};
use super::{cut, hold, wire};
use crate::harness::caller::{by_id, by_words};
use crate::harness::server::SERVICE;
use crate::harness::{Database, Server, reason, settings};
use crate::proxy::Proxy;

/// What a caller got, and from which method.
type Got = (&'static str, Status);

const REQUEST: &str = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e";

#[tokio::test]
async fn every_published_reason_is_met_with_its_code() {
    let provoked =
        join_all(reasons().iter().map(async |published| (published, provoke(&published.name).await))).await;
    assert_eq!(provoked.len(), 29, "the contract publishes another number of reasons");
    for (published, (path, status)) in provoked {
        assert_eq!(reason(&status), published.name);
        assert_eq!(status.code(), published.code, "{}", published.name);
        assert_well_told(path, &status);
        let retry = status.get_details_retry_info().and_then(|info| info.retry_delay);
        assert_eq!(retry.is_some(), published.retry, "{}", published.name);
        assert!(retry.is_none_or(|delay| delay > Duration::ZERO), "{}", published.name);
    }
}

async fn provoke(name: &str) -> Got {
    match name {
        "OVERLOADED" => overloaded().await,
        "STORE_UNAVAILABLE" => store_unavailable().await,
        "OUTCOME_UNKNOWN" => outcome_unknown().await,
        "DEADLINE_EXCEEDED" => deadline_exceeded().await,
        "CONFLICT" => conflict().await,
        "INTERNAL" => internal().await,
        "SELECTION_CHANGED" => selection_changed().await,
        "SELECTION_TOO_LARGE" => selection_too_large().await,
        "CONFIRMATION_EXPIRED" => confirmation_expired().await,
        "AMBIGUOUS_TARGET" => ambiguous_target().await,
        "CONTENT_SUPPRESSED" => content_suppressed().await,
        "REQUEST_ID_REUSED" => request_id_reused().await,
        "UNAUTHENTICATED" => unauthenticated().await,
        by_rule => {
            let stage = Stage::furnished().await;
            let (path, message) = refused(by_rule);
            let identity = stage.caller().identity;
            (path, stage.call_as(&identity, path, message).await.map(|_| ()).expect_err(by_rule))
        }
    }
}

/// Requests that a rule refuses, whatever went before.
fn refused(name: &str) -> (&'static str, Vec<u8>) {
    let filtered = |filter| Some(Selector { filter: Some(filter), ..by_id("kept").unwrap() });
    let unknown_graph = || Filter { graph_id: Some("unknown".to_owned()), ..Filter::default() };
    match name {
        "INVALID_FIELD" => {
            (GET_MEMORY, GetMemoryRequest { memory_id: CANARY.to_owned() + "/" }.encode_to_vec())
        }
        "SELECTOR_REQUIRED" => (FORGET, Vec::new()),
        "SELECTOR_CONFLICT" => {
            let both = RestoreRequest {
                memory_ids: texts(&["stored"]),
                operation_id: Some(REQUEST.to_owned()),
                ..RestoreRequest::default()
            };
            (RESTORE, both.encode_to_vec())
        }
        "UNKNOWN_MODE" => {
            let request =
                BatchForgetRequest { memory_ids: texts(&["kept"]), mode: 7, ..BatchForgetRequest::default() };
            (BATCH_FORGET, request.encode_to_vec())
        }
        "MEMORY_NOT_FOUND" => {
            let request = ForgetRequest { selector: by_id("another"), ..ForgetRequest::default() };
            (FORGET, request.encode_to_vec())
        }
        "GRAPH_NOT_FOUND" => {
            let request = ForgetRequest { selector: filtered(unknown_graph()), ..ForgetRequest::default() };
            (FORGET, request.encode_to_vec())
        }
        "CONFIRMATION_REQUIRED" => {
            let request = ForgetRequest { selector: Some(by_words("content")), ..ForgetRequest::default() };
            (FORGET, request.encode_to_vec())
        }
        "CONFIRMATION_INVALID" => {
            let request = ForgetRequest {
                selector: Some(by_words("content")),
                confirmation_token: CANARY.to_owned(),
                ..ForgetRequest::default()
            };
            (FORGET, request.encode_to_vec())
        }
        "IMPORT_NOT_FOUND" => {
            let selector = Selector { import_id: Some("unknown".to_owned()), ..Selector::default() };
            let request = PreviewRequest { selector: Some(selector), ..PreviewRequest::default() };
            (PREVIEW, request.encode_to_vec())
        }
        "SUPPRESSION_NOT_FOUND" => {
            let request = LiftSuppressionRequest {
                suppression_id: REQUEST.to_owned(),
                ..LiftSuppressionRequest::default()
            };
            (LIFT, request.encode_to_vec())
        }
        "OPERATION_NOT_FOUND" => {
            let request = GetOperationRequest { operation_id: Some(REQUEST.to_owned()), request_id: None };
            (GET_OPERATION, request.encode_to_vec())
        }
        "ETAG_MISMATCH" => {
            let etag = "00000000000000ff".to_owned();
            let request = ForgetRequest { selector: by_id("kept"), etag, ..ForgetRequest::default() };
            (FORGET, request.encode_to_vec())
        }
        "PROTECTED_KIND" => {
            let request = RememberRequest {
                content: CANARY.to_owned(),
                kind: MemoryKind::Fact.into(),
                ..RememberRequest::default()
            };
            (REMEMBER, request.encode_to_vec())
        }
        "ALREADY_EXISTS" => {
            let request = RememberRequest {
                memory_id: "kept".to_owned(),
                content: CANARY.to_owned(),
                ..RememberRequest::default()
            };
            (REMEMBER, request.encode_to_vec())
        }
        "CAPABILITY_MISSING" => {
            let filter = Filter { agent_id: Some("another".to_owned()), ..Filter::default() };
            let request = ListMemoriesRequest { filter: Some(filter), ..ListMemoriesRequest::default() };
            (LIST_MEMORIES, request.encode_to_vec())
        }
        "MEMORY_NOT_ACTIVE" => {
            let request = UpdateMemoryRequest {
                memory_id: "stored".to_owned(),
                content: Some(CANARY.to_owned()),
                ..UpdateMemoryRequest::default()
            };
            (UPDATE, request.encode_to_vec())
        }
        other => panic!("the contract publishes {other} and no test provokes it"),
    }
}

async fn unauthenticated() -> Got {
    let stage = Stage::furnished().await;
    let mut metadata = wire::metadata(&stage.caller().identity);
    metadata.insert("authorization", format!("Basic {CANARY}").parse().unwrap());
    let answer = wire::call(&stage.server.channel, metadata, FORGET, forget_kept().encode_to_vec()).await;
    (FORGET, answer.unwrap_err())
}

fn forget_kept() -> ForgetRequest {
    ForgetRequest { selector: by_id("kept"), reason: CANARY.to_owned(), ..ForgetRequest::default() }
}

async fn request_id_reused() -> Got {
    let stage = Stage::furnished().await;
    let request = ForgetRequest { request_id: REQUEST.to_owned(), ..forget_kept() };
    stage.call(FORGET, &request).await.unwrap();
    let other = ForgetRequest { mode: ForgetMode::Hard.into(), ..request };
    (FORGET, stage.call(FORGET, &other).await.unwrap_err())
}

async fn selection_changed() -> Got {
    let stage = Stage::furnished().await;
    let caller = stage.caller();
    caller.remember("second", "second").await.unwrap();
    let mut request = PreviewRequest {
        selector: Some(Selector { memory_ids: texts(&["kept", "second"]), ..Selector::default() }),
        page_size: 1,
        ..PreviewRequest::default()
    };
    let first: PreviewResponse = read(&stage.call(PREVIEW, &request).await.unwrap());
    caller.forget("kept", ForgetMode::Soft).await.unwrap();
    request.page_token = first.next_page_token;
    (PREVIEW, stage.call(PREVIEW, &request).await.unwrap_err())
}

async fn selection_too_large() -> Got {
    let mut settings = settings();
    settings.largest_selection = 1;
    let mut stage = Stage::with(settings).await;
    for id in ["kept", "second"] {
        stage.caller().remember(id, CANARY).await.unwrap();
    }
    stage.tables.note().await;
    let request = ForgetRequest { selector: Some(by_words(CANARY)), ..ForgetRequest::default() };
    let status = stage.call(FORGET, &request).await.unwrap_err();
    stage.tables.assert_unchanged("a set that is too large").await;
    (FORGET, status)
}

/// Between preview and forget the database's clock goes on by ten minutes, for as long as it is asked through this proxy.
async fn confirmation_expired() -> Got {
    let database = Database::migrated().await;
    let proxy = Proxy::start(&database).await;
    let server = Server::start_unready(proxy.connect(), settings()).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let caller = server.caller();
    caller.remember("kept", CANARY).await.unwrap();
    let preview = caller.preview(by_words(CANARY), ForgetMode::Soft).await.unwrap();
    let statement = include_str!("../../../src/storage/sql/snapshot_head.sql");
    let later = statement.replace("clock_timestamp()", "clock_timestamp() + interval '10 minutes'");
    proxy.replace(statement, &later);
    let confirmed = caller.forget_set(by_words(CANARY), ForgetMode::Soft, &preview.confirmation_token).await;
    (FORGET, confirmed.unwrap_err())
}

async fn ambiguous_target() -> Got {
    let mut stage = Stage::furnished().await;
    stage.caller().remember("second", "content, more of it").await.unwrap();
    stage.tables.note().await;
    let selector = Selector { target: Some("content".to_owned()), ..Selector::default() };
    let request = ForgetRequest { selector: Some(selector), ..ForgetRequest::default() };
    let status = stage.call(FORGET, &request).await.unwrap_err();
    stage.tables.assert_unchanged("a target that fits two").await;
    (FORGET, status)
}

async fn content_suppressed() -> Got {
    let mut stage = Stage::furnished().await;
    let request = ForgetRequest { cause: ForgetCause::UserRequest.into(), ..forget_kept() };
    stage.call(FORGET, &request).await.unwrap();
    stage.tables.note().await;
    let request = RememberRequest { content: format!("{CANARY} content"), ..RememberRequest::default() };
    let status = stage.call(REMEMBER, &request).await.unwrap_err();
    stage.tables.assert_unchanged("a content that is suppressed").await;
    (REMEMBER, status)
}

/// One call is all that the server takes, and that one waits for its tenant's head.
async fn overloaded() -> Got {
    let mut settings = settings();
    settings.max_in_flight = 1;
    let stage = Stage::with(settings).await;
    stage.caller().remember("kept", "kept").await.unwrap();
    let held = hold::head(&stage.database, "default").await;
    let caller = stage.caller();
    let stuck = tokio::spawn(async move { caller.forget("kept", ForgetMode::Soft).await });
    hold::until_awaited(&stage.database).await;
    let status = stage.call(FORGET, &forget_kept()).await.unwrap_err();
    held.release().await;
    assert_eq!(stuck.await.unwrap().unwrap().archived, 1, "the call that was in is served");
    (FORGET, status)
}

/// A socket's folder in which no Postgres listens.
async fn store_unavailable() -> Got {
    let folder = tempfile::tempdir().unwrap();
    let connect = sqlx::postgres::PgConnectOptions::new_without_pgpass().socket(folder.path());
    let server = Server::start_unready(connect, settings()).await;
    let metadata = super::wire::metadata(&server.caller().identity);
    let message = forget_kept().encode_to_vec();
    (FORGET, super::wire::call(&server.channel, metadata, FORGET, message).await.unwrap_err())
}

async fn outcome_unknown() -> Got {
    let database = Database::migrated().await;
    Server::start(&database).await.caller().remember("kept", "kept").await.unwrap();
    let server = Server::start_unready(cut::at_commit(&database).await, settings()).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let metadata = super::wire::metadata(&server.caller().identity);
    let message = forget_kept().encode_to_vec();
    (FORGET, super::wire::call(&server.channel, metadata, FORGET, message).await.unwrap_err())
}

/// The client of these tests keeps time as well, and may be first to say so: then the server is asked again.
async fn deadline_exceeded() -> Got {
    let stage = Stage::furnished().await;
    let held = hold::head(&stage.database, "default").await;
    for _ in 0..20 {
        let mut request = Request::new(forget_kept());
        request.set_timeout(Duration::from_millis(300));
        let status = stage.caller().lifecycle.forget(request).await.unwrap_err();
        if status.get_details_error_info().is_some() {
            held.release().await;
            return (FORGET, status);
        }
        assert!(matches!(status.code(), Code::Cancelled | Code::DeadlineExceeded), "{status:?}");
    }
    panic!("the server never answered in time");
}

/// Somebody else holds the head for longer than a batch waits.
async fn conflict() -> Got {
    let mut stage = Stage::furnished().await;
    let held = hold::head(&stage.database, "default").await;
    let status = stage.call(FORGET, &forget_kept()).await.unwrap_err();
    held.release().await;
    stage.tables.assert_unchanged("a conflict").await;
    (FORGET, status)
}

async fn internal() -> Got {
    let mut stage = Stage::furnished().await;
    stage.database.execute("REVOKE INSERT ON audit_records FROM memory_lifecycle_app").await;
    let status = stage.call(FORGET, &forget_kept()).await.unwrap_err();
    stage.tables.assert_unchanged("a fault of the server").await;
    (FORGET, status)
}

#[tokio::test]
async fn a_missing_capability_is_named() {
    let stage = Stage::furnished().await;
    let (path, message) = refused("CAPABILITY_MISSING");
    let status = stage.call_as(&stage.caller().identity, path, message.clone()).await.unwrap_err();
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.metadata.get("capability").map(String::as_str), Some("memory:admin"));
    stage.call_as(&stage.admin("default").identity, path, message).await.unwrap();
}

#[tokio::test]
async fn without_a_timeout_the_servers_own_ends_a_call() {
    let mut settings = settings();
    settings.default_deadline = Duration::from_secs(1);
    let stage = Stage::with(settings).await;
    stage.caller().remember("kept", "kept").await.unwrap();
    let held = hold::head(&stage.database, "default").await;
    let status = stage.call(FORGET, &forget_kept()).await.unwrap_err();
    assert_eq!(reason(&status), "DEADLINE_EXCEEDED");
    assert_well_told(FORGET, &status);
    held.release().await;
}

#[tokio::test]
async fn a_lost_commit_of_a_list_is_unknown_for_each_id() {
    let database = Database::migrated().await;
    let ready = Server::start(&database).await;
    ready.caller().remember("kept", "kept").await.unwrap();
    let server = Server::start_unready(cut::at_commit(&database).await, settings()).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let answer = server.caller().batch_forget(&["kept", "a b"], ForgetMode::Soft).await.unwrap();
    assert_eq!((answer.requested, answer.unknown), (2, 2));
    assert_eq!(answer.status(), memory_lifecycle::proto::v1::ForgetStatus::NotForgotten);
    assert!(!answer.audit.unwrap().confirmed);
    let ids: Vec<_> = answer.results.iter().map(|result| result.memory_id.as_str()).collect();
    assert_eq!(ids, ["kept", "a b"]);
    // The COMMIT never arrived: nothing was done.
    assert_eq!(ready.caller().get("kept").await.unwrap().forget_operation_id, "");
}

#[tokio::test]
async fn a_read_that_the_database_refuses_tells_nothing_of_it() {
    let stage = Stage::furnished().await;
    stage.database.execute("DROP TABLE memory_contents").await;
    let reads = [
        (GET_MEMORY, GetMemoryRequest { memory_id: "kept".to_owned() }.encode_to_vec()),
        (LIST_MEMORIES, Vec::new()),
        (PREVIEW, PreviewRequest { selector: by_id("kept"), ..PreviewRequest::default() }.encode_to_vec()),
    ];
    for (path, message) in reads {
        let status = stage.call_as(&stage.caller().identity, path, message).await.unwrap_err();
        assert_eq!(reason(&status), "INTERNAL", "{path}");
        assert_well_told(path, &status);
    }
}
