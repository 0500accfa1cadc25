//! `target`: an id or words that must mean one memory.

use memory_lifecycle::proto::v1::{
    Filter, ForgetRequest, ForgetResponse, MemoryState, Outcome, PreviewRequest, Selector,
};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::stage::remember_fact;
use crate::harness::{Caller, Database, Server, reason};

fn target(text: &str) -> Selector {
    Selector { target: Some(text.to_owned()), ..Selector::default() }
}

async fn forget(caller: &Caller, selector: Selector) -> Result<ForgetResponse, Status> {
    let request = ForgetRequest { selector: Some(selector), ..ForgetRequest::default() };
    Ok(caller.lifecycle.clone().forget(request).await?.into_inner())
}

async fn preview(caller: &Caller, text: &str) -> Result<Vec<String>, Status> {
    let request = PreviewRequest { selector: Some(target(text)), ..PreviewRequest::default() };
    let preview = caller.lifecycle.clone().preview(request).await?.into_inner();
    assert_eq!(preview.confirmation_token, "", "one memory needs none");
    Ok(preview.items.into_iter().map(|item| item.memory_id).collect())
}

async fn start() -> (Server, Caller) {
    let server = Server::start(&Database::migrated().await).await;
    let caller = server.caller();
    for (id, text) in [
        ("d6", "D6 scratch"),
        ("note", "scratch note"),
        ("plan", "D6 plan"),
        ("whole", "Likes tea"),
        ("longer", "Likes tea with milk"),
        ("tea", "Something else"),
    ] {
        caller.remember(id, text).await.unwrap();
    }
    (server, caller)
}

#[tokio::test]
async fn an_id_in_reach_comes_first_then_a_whole_text_then_words() {
    let (_server, caller) = start().await;
    for (text, meant) in [("tea", "tea"), ("LIKES  TEA", "whole"), ("plan d6", "plan"), ("milk", "longer")] {
        assert_eq!(preview(&caller, text).await.unwrap(), [meant], "{text}");
        let response = forget(&caller, target(text)).await.unwrap();
        assert_eq!((response.matched, response.archived), (1, 1), "{text}");
        assert_eq!(response.results[0].memory_id, meant, "{text}");
        assert_eq!(response.results[0].outcome(), Outcome::Archived);
    }
    // By its id whatever its state, by words among the active ones only.
    assert_eq!(forget(&caller, target("whole")).await.unwrap().already_forgotten, 1);
    assert_eq!(reason(&forget(&caller, target("LIKES  TEA")).await.unwrap_err()), "MEMORY_NOT_FOUND");
    let archived = Filter { states: vec![MemoryState::Archived.into()], ..Filter::default() };
    let selector = Selector { filter: Some(archived), ..target("likes tea") };
    assert_eq!(forget(&caller, selector).await.unwrap().results[0].memory_id, "whole");
}

#[tokio::test]
async fn several_are_named_and_nothing_is_touched() {
    let (_server, caller) = start().await;
    for status in [
        forget(&caller, target("scratch")).await.unwrap_err(),
        preview(&caller, "scratch").await.unwrap_err(),
    ] {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "AMBIGUOUS_TARGET"));
        let failure = status.get_details_precondition_failure().unwrap();
        let named: Vec<_> = failure.violations.iter().map(|violation| violation.subject.as_str()).collect();
        assert_eq!(named, ["note", "d6"], "newest first");
        assert_eq!(status.get_details_error_info().unwrap().metadata["count"], "2");
    }
    assert!(caller.list_all().await.unwrap().iter().all(|memory| memory.state() == MemoryState::Active));
    assert_eq!(forget(&caller, target("scratch d6")).await.unwrap().results[0].memory_id, "d6");
}

#[tokio::test]
async fn none_is_not_found_and_never_the_nearest() {
    let (server, caller) = start().await;
    let admin = Caller::admin(server.channel.clone(), "default", "default");
    remember_fact(&admin, "fact", "a settled thing").await;
    server.caller_of("default", "another").remember("theirs", "their thing").await.unwrap();
    for text in ["scratc", "likes te", "theirs", "their thing", "fact", "settled", "%", "_"] {
        for status in
            [forget(&caller, target(text)).await.unwrap_err(), preview(&caller, text).await.unwrap_err()]
        {
            assert_eq!(
                (status.code(), reason(&status).as_str()),
                (Code::NotFound, "MEMORY_NOT_FOUND"),
                "{text}"
            );
        }
    }
    assert_eq!(forget(&admin, target("settled")).await.unwrap().archived, 1);
}

#[tokio::test]
async fn an_id_in_reach_is_never_taken_for_words() {
    let (_server, caller) = start().await;
    // There is a memory with the id `tea`; that others hold the word does not matter, whatever the filter says of it.
    let filter = Filter { subject_id: Some("nobody".to_owned()), ..Filter::default() };
    let selector = Selector { filter: Some(filter), ..target("tea") };
    assert_eq!(reason(&forget(&caller, selector).await.unwrap_err()), "MEMORY_NOT_FOUND");
    let archived = Filter { states: vec![MemoryState::Archived.into()], ..Filter::default() };
    caller.batch_forget(&["whole"], memory_lifecycle::proto::v1::ForgetMode::Soft).await.unwrap();
    let selector = Selector { filter: Some(archived), ..target("tea") };
    assert_eq!(reason(&forget(&caller, selector).await.unwrap_err()), "MEMORY_NOT_FOUND");
}

#[tokio::test]
async fn an_etag_and_a_request_id_go_with_it() {
    let (_server, caller) = start().await;
    let request = ForgetRequest {
        selector: Some(target("milk")),
        etag: "00000000000000ff".to_owned(),
        ..ForgetRequest::default()
    };
    let status = caller.lifecycle.clone().forget(request.clone()).await.unwrap_err();
    assert_eq!(reason(&status), "ETAG_MISMATCH");
    let etag = caller.get("longer").await.unwrap().etag;
    let request_id = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned();
    let request = ForgetRequest { etag, request_id, ..request };
    let first = caller.lifecycle.clone().forget(request.clone()).await.unwrap().into_inner();
    let again = caller.lifecycle.clone().forget(request).await.unwrap().into_inner();
    assert!(again.replayed, "though the words mean nothing any more");
    assert_eq!((again.operation_id, again.results), (first.operation_id, first.results));
}
